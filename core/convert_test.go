package core_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/gen"
	"github.com/ctxfold/ctxfold/internal/judge"
	"github.com/ctxfold/ctxfold/internal/sessions"
)

// targetsOf are the formats that a conversation can be written in.
func targetsOf() (names []string) {
	for _, f := range wire.All() {
		if f.Convert != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

type conversion struct {
	Error *struct {
		Code, Message, Path string
		Offset              int
	}
	From, To         string
	Valid            bool
	Lost             []loss
	Report           report
	System, Messages json.RawMessage
}

type loss struct {
	Message                             int
	Path, Kind, Reason, Instead, Detail string
}

// converted runs convert and checks what holds of every answer.
func converted(t *testing.T, from, to string, list []byte) (a conversion) {
	t.Helper()
	out := core.Call("convert", fmt.Appendf(nil, `{"policy":{"format":%q},"to":%q,"messages":%s}`, from, to, list))
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%s to %s: %v in %s", from, to, err, out)
	}
	if a.Error != nil {
		t.Fatalf("%s to %s: %s at %s\n%s", from, to, a.Error.Message, a.Error.Path, list)
	}
	if from == to && !bytes.Equal(a.Messages, list) {
		t.Fatalf("%s: the same format has other bytes", from)
	}
	return a
}

// has reports whether something was lost of a kind, or for a reason.
func (a *conversion) has(words ...string) bool {
	return slices.ContainsFunc(a.Lost, func(l loss) bool { return slices.Contains(words, l.Kind) || slices.Contains(words, l.Reason) })
}

// judgedIn is what the judge of a format says against a list; nothing where the format has none.
func judgedIn(format string, list []byte) []string {
	if !judge.Known(format) {
		return nil
	}
	return append(judge.Valid(format, list), judge.Tolerated(format, list)...)
}

// ours tells texts that a repair writes, and notes in the place of media, from those of the conversation.
func ours(text string) bool {
	for _, begin := range []string{"[image", "[audio", "[file", "[Noted.]", "[The conversation goes on", "[Understood", "[No result", "[No output]"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// mediaNote is what stands in the place of media that have none.
var mediaNote = regexp.MustCompile(`\[(image|audio|file)(: [^\]]*)?(, \d+ bytes)?\]`)

func spoken(texts []string) string {
	all := strings.Join(slices.DeleteFunc(slices.Clone(texts), ours), " ")
	return strings.Join(strings.Fields(mediaNote.ReplaceAllString(all, " ")), " ")
}

// differ shows where two texts differ first.
func differ(what, got, want string) error {
	if got == want {
		return nil
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	from := max(0, i-60)
	return fmt.Errorf("%s: %.200q, not %.200q", what, got[from:], want[from:])
}

// sameSaid compares what two lists say, as far as the report does not tell of a loss.
func sameSaid(a *conversion, from, to []byte) error {
	x, err := judge.SaidIn(from)
	if err != nil {
		return err
	}
	y, err := judge.SaidIn(to)
	if err != nil {
		return err
	}
	if a.To == "plain" && (len(x.Calls) > 0 || len(x.Results) > 0) {
		return nil // calls and results are texts there
	}
	if a.System == nil && !a.has("system_place") {
		err = errors.Join(err, differ("the system says", spoken(y.System), spoken(x.System)))
	}
	if !a.has("system_place") {
		err = errors.Join(err, differ("the user says", spoken(y.User), spoken(x.User)))
	}
	if !a.has("arguments", "name_form", "server_tool") {
		err = errors.Join(err, differ("calls", fmt.Sprint(y.Calls), fmt.Sprint(x.Calls)))
	}
	slices.Sort(x.Results) // they stand in the order of their calls now
	slices.Sort(y.Results)
	return errors.Join(err, differ("the assistant says", spoken(y.Assistant), spoken(x.Assistant)), differ("results", results(y.Results), results(x.Results)))
}

func results(s []string) string {
	return mediaNote.ReplaceAllString(strings.Join(slices.DeleteFunc(slices.Clone(s), func(text string) bool { return ours(text) || text == "" }), " | "), "")
}

func conversations(t *testing.T) int {
	if testing.Short() {
		return 40
	}
	return 300
}

// TestConvertIsValid: what is written is valid for the judge of the target, and says what the source says.
func TestConvertIsValid(t *testing.T) {
	for _, from := range gen.Formats() {
		for _, to := range targetsOf() {
			t.Run(from+"/"+to, func(t *testing.T) {
				for seed := range conversations(t) {
					r := rand.New(rand.NewPCG(uint64(seed), 77))
					broken := seed%2 == 1
					c := gen.New(r, gen.Options{Messages: 2 + r.IntN(24), Broken: broken})
					list, _ := json.Marshal(c.Render(from, r))
					if string(list) == "null" {
						continue
					}
					a := converted(t, from, to, list)
					if from == to || string(a.Messages) == "[]" {
						continue
					}
					if bad := judgedIn(to, a.Messages); len(bad) > 0 || !a.Valid {
						t.Fatalf("seed %d: %v %s\nfrom %s\nto   %s", seed, a.Valid, bad, list, a.Messages)
					}
					if broken {
						continue
					}
					if err := sameSaid(&a, list, a.Messages); err != nil {
						t.Fatalf("seed %d: %v\nfrom %s\nto   %s\nlost %v", seed, err, list, a.Messages, a.Lost)
					}
				}
			})
		}
	}
}

// TestConvertThereAndBack: texts, calls, arguments and results are the same behind a conversion there and back.
func TestConvertThereAndBack(t *testing.T) {
	for _, from := range gen.Formats() {
		for _, to := range targetsOf() {
			if from == to || to == "plain" {
				continue
			}
			t.Run(from+"/"+to, func(t *testing.T) {
				for seed := range conversations(t) {
					r := rand.New(rand.NewPCG(uint64(seed), 78))
					c := gen.New(r, gen.Options{Messages: 2 + r.IntN(24)})
					for i := range c {
						c[i].Image = false
						for k := range c[i].Calls {
							c[i].Calls[k].Image = false
						}
					}
					list, _ := json.Marshal(c.Render(from, r))
					if string(list) == "null" {
						continue
					}
					there := converted(t, from, to, list)
					back := converted(t, to, from, there.Messages)
					x, err := judge.SaidIn(list)
					if err != nil {
						t.Fatal(err)
					}
					y, err := judge.SaidIn(back.Messages)
					if err != nil {
						t.Fatal(err)
					}
					if there.System != nil || back.System != nil || there.has("system_place") {
						x.System, y.System = nil, nil
						if there.has("system_place") {
							x.User, y.User = nil, nil
						}
					}
					slices.Sort(x.Results)
					slices.Sort(y.Results)
					err = errors.Join(differ("the system says", spoken(y.System), spoken(x.System)), differ("the user says", spoken(y.User), spoken(x.User)),
						differ("the assistant says", spoken(y.Assistant), spoken(x.Assistant)),
						differ("calls", fmt.Sprint(y.Calls), fmt.Sprint(x.Calls)), differ("results", results(y.Results), results(x.Results)))
					if err != nil {
						t.Fatalf("seed %d: %v\nfrom %s\nvia %s\nto %s", seed, err, list, there.Messages, back.Messages)
					}
				}
			})
		}
	}
}

// TestRealSessionsConvert writes real sessions in all formats.
func TestRealSessionsConvert(t *testing.T) {
	for _, s := range sessions.Load(t, formats...) {
		list := s.JSON()
		for _, to := range targetsOf() {
			a := converted(t, s.Format, to, list)
			if s.Format == to {
				continue
			}
			if bad := judgedIn(to, a.Messages); len(bad) > 0 || !a.Valid {
				t.Errorf("%s from %s to %s: %v %.500s %v", s.Name, s.Format, to, a.Valid, bad, a.Report.Left)
			}
		}
	}
}
