package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// shelf is a store of bodies, by the first digits of their handles.
type shelf map[string]string

// keep takes in the archive of an answer to a request with these messages.
func (s shelf) keep(messages []byte, archive []body) {
	for _, b := range archive {
		s[b.Handle[:16]] = b.text(messages)
	}
}

// bodies is the JSON of the bodies of some handles.
func (s shelf) bodies(handles []string) string {
	var list []string
	for _, h := range handles {
		if text, ok := s[h[:16]]; ok {
			quoted, _ := json.Marshal(text)
			list = append(list, fmt.Sprintf(`{"handle":%q,"body":%s}`, h, quoted))
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}

// restored is an answer of restore.
type restoredAnswer struct {
	Error    json.RawMessage
	Report   report
	Messages json.RawMessage
	Edits    json.RawMessage
	Markers  []struct {
		Handle, What, Why string
		Message           int
	}
	State struct{ Archive string }
}

func callRestore(t testing.TB, request string) (a restoredAnswer) {
	t.Helper()
	read(t, "restore", core.Call("restore", []byte(request)), &a, map[string]*json.RawMessage{"messages": &a.Messages, "edits": &a.Edits})
	if a.Error != nil {
		t.Fatalf("restore: %s", a.Error)
	}
	return a
}

// restoreAll restores as docs/reference/abi.md tells a host to: it passes the bodies that the transcript names, and those that they name in
// turn, until it has all of them.
func (s shelf) restoreAll(t testing.TB, head, messages string) restoredAnswer {
	t.Helper()
	listed := callRestore(t, `{`+head+`,"messages":`+messages+`}`)
	var next []string
	for _, m := range listed.Markers {
		next = append(next, m.Handle)
	}
	var all []string
	seen := map[string]bool{}
	for len(next) > 0 {
		var found []string
		for _, h := range next {
			if !seen[h[:16]] {
				seen[h[:16]] = true
				found = append(found, h)
			}
		}
		all = append(all, found...)
		next = nil
		if list := s.bodies(found); list != "[]" {
			var named struct{ Handles []string }
			if err := json.Unmarshal(core.Call("restore", []byte(`{"bodies":`+list+`}`)), &named); err != nil {
				t.Fatal(err)
			}
			next = named.Handles
		}
	}
	return callRestore(t, `{`+head+`,"bodies":`+s.bodies(all)+`,"messages":`+messages+`}`)
}

// TestRestoreFollowsHandles compacts a conversation of 240 messages 17 times on its way, in each wire format, and restores the
// last result: all messages are back, byte for byte. Without the state, too, as long as there is a digest to go by. In make test the formats
// alternate between local digests and a model's.
func TestRestoreFollowsHandles(t *testing.T) {
	t.Parallel()
	for n, format := range judged() {
		for k, summary := range []string{"", summaryText} {
			if !covers(n, k, 2) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", format, len(summary)), func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, 7))
				var list []json.RawMessage
				for n := 240; len(list) < 240; n += 40 {
					list = gen.New(rand.New(rand.NewPCG(7, 7)), gen.Options{Messages: n}).Render(format, r)
				}
				list = list[:240]
				kept := shelf{}
				var now []json.RawMessage
				state, compactions := "null", 0
				mode := "local"
				if summary != "" {
					mode = "model"
				}
				policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":2400,"reserve":200},"thinking":"adaptive","archive":"places","summary":{"mode":%q,"max_output_tokens":300}}`, format, mode) + force
				for i, m := range list {
					now = append(now, m)
					if (i+1)%14 != 0 {
						continue
					}
					messages, _ := json.Marshal(now)
					a := compacts(t, policy, state, string(messages), summary)
					if a.Error != nil {
						t.Fatalf("%+v", a.Error)
					}
					state = string(a.State)
					if !a.Report.Changed {
						continue
					}
					compactions++
					kept.keep(messages, a.Archive)
					now = nil
					if err := json.Unmarshal(a.Messages, &now); err != nil {
						t.Fatal(err)
					}
				}
				if compactions < 15 {
					t.Errorf("only %d compactions", compactions)
				}
				messages, _ := json.Marshal(now)
				for name, state := range map[string]string{"state": state, "no state": "null"} {
					head := fmt.Sprintf(`"policy":{"format":%q},"state":%s`, format, state)
					back := kept.restoreAll(t, head, string(messages))
					var out []json.RawMessage
					if err := json.Unmarshal(back.Messages, &out); err != nil {
						t.Fatal(err)
					}
					if len(back.Markers) > 0 || back.State.Archive != "" {
						t.Errorf("%s: left are %+v, and changes %q", name, back.Markers, back.State.Archive)
					}
					if len(out) != len(list) {
						t.Errorf("%s: %d of %d messages are back from %d", name, len(out), len(list), len(now))
						continue
					}
					for i := range list {
						if !bytes.Equal(out[i], list[i]) {
							t.Errorf("%s: message %d is %.200s, and was %.200s", name, i, out[i], list[i])
							break
						}
					}
				}
			})
		}
	}
}

// exact checks that the restored messages equal the input byte for byte, including the text between messages.
func exact(messages, back []byte) error {
	if bytes.Equal(messages, back) {
		return nil
	}
	var in, out []json.RawMessage
	if err := json.Unmarshal(messages, &in); err != nil {
		return err
	}
	if err := json.Unmarshal(back, &out); err != nil {
		return err
	}
	if len(in) != len(out) {
		return fmt.Errorf("%d messages were restored to %d", len(in), len(out))
	}
	for i := range in {
		if !bytes.Equal(in[i], out[i]) {
			return fmt.Errorf("message %d was restored to %.300s from %.300s", i, out[i], in[i])
		}
	}
	return fmt.Errorf("between the messages stands another space: %.200q, and was %.200q", back, messages)
}

// TestArchiveIsWhole compacts every real session with every preset, as published and with wire_safe, twice in a row, and undoes both
// compactions, with the same bytes as a result. Content without a marker is restored too: reasoning, and repaired or dropped messages. In
// make test a session gets one preset, as published or with wire_safe, so that twelve sessions cover all of them.
func TestArchiveIsWhole(t *testing.T) {
	t.Parallel()
	compactions, stripped := 0, 0
	for n, s := range sessions.Load(t, formats...) {
		if testing.Short() && n%5 > 0 {
			continue
		}
		messages := s.JSON()
		size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, s.Format), string(messages))
		for i, preset := range policy.Presets() {
			for k, safe := range []bool{true, false} {
				if !covers(n, 2*i+k, 12) {
					continue
				}
				window := max(size/2, 64)
				kept := shelf{}
				state, now := "null", string(messages)
				for range 2 {
					policy := fmt.Sprintf(`{"preset":%q,"format":%q,"window":{"tokens":%d,"reserve":%d},"summary":{"mode":"local"},"archive":"places","wire_safe":%t}`,
						preset.Name, s.Format, window, window/10, safe)
					a := compacts(t, policy, state, now, summaryText)
					if a.Error != nil {
						t.Fatalf("%s, %s: %+v", s.Name, preset.Name, a.Error)
					}
					if !a.Report.Changed {
						break
					}
					compactions++
					for _, action := range a.Report.Actions {
						if action.Action == "strip" || action.Pass == "repair" {
							stripped++
							break
						}
					}
					kept.keep([]byte(now), a.Archive)
					state, now = string(a.State), string(a.Messages)
					window = max(a.Report.Tokens.After/2, 64)
				}
				back := kept.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, s.Format, state), now)
				if err := exact(messages, back.Messages); err != nil {
					t.Errorf("%s, %s, wire_safe %t: %v; left are %v", s.Name, preset.Name, safe, err, back.Markers)
				}
			}
		}
	}
	t.Logf("%d compactions were taken back, %d of them had stripped or mended something", compactions, stripped)
}

// TestRestoreAfterMovedMarks restores a result with which the application has continued: cache breakpoints have moved, and turns were
// added. Stripped content is restored, and kept messages stay as they are now. The same holds if a message was deleted. If a message was
// edited, the rest is restored, and the report names the changes that could not be undone.
func TestRestoreAfterMovedMarks(t *testing.T) {
	think := func(n int) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"Number %d.","signature":"c2ln"},{"type":"text","text":"This is %d."}]}`, n, n)
	}
	messages := `[{"role":"user","content":"Say one."},` + think(1) + `,{"role":"user","content":"Say two."},` + think(2) + `,{"role":"user","content":"Say three."}]`
	a := call(t, "plan", `{"policy":{"format":"anthropic","archive":"places","window":{"tokens":2000},"passes":[{"pass":"reasoning","mode":"strip"}]}`+force+`,"messages":`+messages+`}`)
	kept := shelf{}
	kept.keep([]byte(messages), a.Archive)
	head := `"policy":{"format":"anthropic"},"state":` + string(a.State)
	mark := func(list, text string) string {
		return strings.Replace(list, `{"type":"text","text":"`+text+`"}`, `{"type": "text", "text":"`+text+`","cache_control":{"type":"ephemeral"}}`, 1)
	}
	now := strings.Replace(mark(string(a.Messages), "This is 2."), `"Say one."`, `[{"type":"text","text":"Say one.","cache_control":{"type":"ephemeral"}}]`, 1)
	if strings.Count(now, "ephemeral") != 2 {
		t.Fatalf("the marks have not moved: %s", now)
	}
	now = now[:len(now)-1] + `,{"role":"assistant","content":"This is 3."}]`
	back := kept.restoreAll(t, head, now)
	if text := string(back.Messages); strings.Count(text, `"thinking":`) != 2 || strings.Count(text, "ephemeral") != 1 ||
		!strings.HasSuffix(text, `,{"role":"assistant","content":"This is 3."}]`) || len(back.Markers) > 0 {
		t.Errorf("restored is %s, and left are %v", text, back.Markers)
	}
	without := strings.Replace(string(a.Messages), `{"role":"user","content":"Say one."},`, "", 1)
	back = kept.restoreAll(t, head, without)
	if want := strings.Replace(messages, `{"role":"user","content":"Say one."},`, "", 1); string(back.Messages) != want || len(back.Markers) > 0 {
		t.Errorf("without a message %s is restored, and left are %v", back.Messages, back.Markers)
	}
	other := strings.Replace(string(a.Messages), "This is 1.", "This is none.", 1)
	back = kept.restoreAll(t, head, other)
	if want := strings.Replace(other, `{"type":"text","text":"This is 2."}`, `{"type":"thinking","thinking":"Number 2.","signature":"c2ln"},{"type":"text","text":"This is 2."}`, 1); string(back.Messages) != want || len(back.Markers) != 1 || back.Markers[0].Why != "changed" {
		t.Errorf("of another transcript %s is restored, and left are %v", back.Messages, back.Markers)
	}
}

// TestRestoreEnds restores from bodies that name each other many times: it ends, and omits what would be too much.
func TestRestoreEnds(t *testing.T) {
	t.Parallel()
	body := `[{"role":"user","content":"` + strings.Repeat("long ", 2000) + `"}]`
	kept := shelf{}
	digest := func(text string) string {
		h := handles.Handle([]byte(text))
		kept[h[:16]] = text
		return `{"role":"user","content":"[session digest — older turns condensed]\nHandle of the folded messages: ` + h[:16] + `\nCompaction Round 1.\n\n# Objective\nGo on."}`
	}
	message := digest(body)
	for range 40 { // 2^40 times
		message = digest("[" + message + "," + message + "]")
	}
	back := kept.restoreAll(t, `"policy":{"format":"openai-chat"},"options":{"answer":"report"}`, `[{"role":"user","content":"Go."},`+message+`,{"role":"user","content":"Go on."}]`)
	if len(back.Markers) == 0 || !back.Report.Changed {
		t.Errorf("%d bodies are put back, and %d handles are left", back.Report.Restored, len(back.Markers))
	}
}

// The archive has each message once, wherever the digest is, and the actions of a restoration account for every token.
func TestRestoreCountsTokens(t *testing.T) {
	var turns []string
	for i := range 12 {
		turns = append(turns, fmt.Sprintf(`{"role":"user","parts":[{"text":"request %d %s"}]},{"role":"model","parts":[{"text":"answer %d"}]}`, i, strings.Repeat("of the user ", 30), i))
	}
	messages := "[" + strings.Join(turns, ",") + "]"
	for _, pins := range []string{"", `"pins":[{"index":0}],`} {
		policy := `"policy":{"format":"gemini","archive":"bodies",` + pins + `"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":100}]}` + force
		a := call(t, "plan", `{`+policy+`,"messages":`+messages+`}`)
		kept := shelf{}
		kept.keep([]byte(messages), a.Archive)
		var bodies strings.Builder
		for _, b := range a.Archive {
			bodies.WriteString(b.text([]byte(messages)))
		}
		if n := strings.Count(bodies.String(), `"request 3 `); n != 1 {
			t.Errorf("%s: a message is %d times in the archive", pins, n)
		}
		folded := shelf{} // what says how the input was made of the result is lost
		folded.keep([]byte(messages), slices.DeleteFunc(a.Archive, func(b body) bool { return b.What == "changes" }))
		for name, bodies := range map[string]shelf{"all": kept, "folded": folded} {
			r := bodies.restoreAll(t, policy+`,"state":`+string(a.State), string(a.Messages))
			if string(r.Messages) != messages {
				t.Fatalf("%s %s: %.300s", pins, name, r.Messages)
			}
			saved := 0
			for _, action := range r.Report.Actions {
				saved += action.Tokens
			}
			if want := r.Report.Tokens.Before - r.Report.Tokens.After; saved != want {
				t.Errorf("%s %s: the actions account for %d tokens of %d", pins, name, saved, want)
			}
		}
	}
}
