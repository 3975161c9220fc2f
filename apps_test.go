package ctxfold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/records"
)

// deed is an action of an app's user before a call of Fit.
type deed struct {
	kind string
	at   int // how many turns from the end
	seed uint64
}

func (d deed) String() string { return fmt.Sprintf("%s %d %d", d.kind, d.at, d.seed) }

var deedKinds = []string{"append", "append", "append", "append", "append", "edit", "delete", "regenerate", "branch", "back", "volatile", "remind", "mark",
	"reload", "two writers", "at once", "model", "undo", "look back", "go on", "go on"}

func deeds(r *rand.Rand, n int) (list []deed) {
	for range n {
		d := deed{deedKinds[r.IntN(len(deedKinds))], r.IntN(3), r.Uint64()}
		if r.IntN(6) == 0 {
			d.at = r.IntN(30)
		}
		list = append(list, d)
	}
	return list
}

// writer writes the messages of turns.
type writer struct {
	format string
	mark   bool
	n      int
}

func (w *writer) words(r *rand.Rand, most int) string {
	w.n++
	text := fmt.Sprintf("Words %d:", w.n)
	for range 1 + r.IntN(most) {
		text += " " + []string{"the", "file", "src/limit.go", "has", "a bucket", "of 40", "tokens", "größer", "and", "nobody", "reads", "it"}[r.IntN(12)]
	}
	return text + "."
}

func (w *writer) user(r *rand.Rand) string { return say("user", w.words(r, 40)) }

// rest returns the messages that answer a user: tool calls with their results, and a text last.
func (w *writer) rest(r *rand.Rand) (list []string) {
	for range r.IntN(3) {
		id, path, out := fmt.Sprintf("c%d", w.n), fmt.Sprintf("f%d.go", w.n), w.words(r, 300)
		if w.format == "anthropic" {
			list = append(list, fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"read","input":{"path":%q}}]}`, id, path),
				fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`, id, out))
			continue
		}
		list = append(list, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"read","arguments":"{\"path\":\"%s\"}"}}]}`, id, path),
			fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%q}`, id, out))
	}
	return append(list, say("assistant", w.words(r, 200)))
}

// living is an app that uses Fit, with a user who does everything that users do. It keeps its own record of the compactions that were made.
type living struct {
	*writer
	t       *testing.T
	dir     string
	store   ctxfold.Store
	m       *model
	c       [2]*ctxfold.Compactor
	talk    [][]string // turns
	shelved [][][]string
	asked   string   // the question that is open
	sent    []string // the messages that were sent last, if the app continues from them
	made    []string // the replaced beginnings of the history, as joined messages
}

func newLiving(t *testing.T, seed uint64) *living {
	l := &living{writer: &writer{format: []string{"openai-chat", "anthropic"}[seed%2]}, t: t, dir: t.TempDir(), store: ctxfold.NewMemoryStore(0), m: &model{}}
	l.start()
	return l
}

// start starts both programs of the app again.
func (l *living) start() {
	for i := range l.c {
		records, err := records.NewDir(l.dir, 0)
		if err != nil {
			l.t.Fatal(err)
		}
		l.c[i] = native(l.t, ctxfold.Options{Records: records})
	}
}

func (l *living) policy(window int) ctxfold.Policy {
	return ctxfold.RawPolicy(fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":200},"archive":"places"}`, l.format, window))
}

// do performs an action and returns the history that the app then passes.
func (l *living) do(d deed) []string {
	r := rand.New(rand.NewPCG(d.seed, 1))
	if l.asked != "" { // it was answered
		rest := l.rest(r)
		l.talk = append(slices.Clone(l.talk), append([]string{l.asked}, rest...))
		if l.sent != nil {
			l.sent = append(l.sent, rest...)
		}
	}
	l.asked = l.user(r)
	at := len(l.talk) - 1 - d.at
	if d.kind != "go on" {
		l.sent = nil
	}
	if at >= 0 {
		l.talk = slices.Clone(l.talk)
		switch d.kind {
		case "edit":
			l.talk[at] = append([]string{l.user(r)}, l.talk[at][1:]...)
		case "delete":
			l.talk = slices.Delete(l.talk, at, at+1)
		case "regenerate":
			l.talk[at] = append([]string{l.talk[at][0]}, l.rest(r)...)
		case "branch":
			l.shelved = append(l.shelved, slices.Clone(l.talk))
			l.talk = l.talk[:at]
		case "back":
			if len(l.shelved) > 0 {
				n := int(d.seed % uint64(len(l.shelved)))
				l.talk, l.shelved[n] = l.shelved[n], l.talk
			}
		case "undo": // to before the answer, and asked again with the same words
			l.asked, l.talk = l.talk[len(l.talk)-1][0], l.talk[:len(l.talk)-1]
		}
	}
	switch d.kind {
	case "mark":
		l.mark = !l.mark
	case "reload":
		l.start()
	}
	if d.kind == "look back" && at >= 0 { // to an answer, before anything is said
		return slices.Concat(l.talk[:at+1]...)
	}
	given := slices.Concat(l.talk...)
	if l.sent != nil {
		given = slices.Clone(l.sent)
	}
	asked := l.asked
	switch d.kind {
	case "volatile":
		asked = say("user", "Retrieved: "+l.words(r, 60))
	case "remind":
		given, asked = append(given, asked), say("user", "Reminder: "+l.words(r, 10))
		if l.format == "anthropic" {
			given = append(given, say("assistant", "I am listening."))
		}
	}
	if l.mark && l.format == "anthropic" { // a cache breakpoint that moves on
		asked = strings.TrimSuffix(asked, "}") + `,"cache_control":{"type":"ephemeral"}}`
		asked = strings.Replace(asked, `"content":`, `"content":[{"type":"text","text":`, 1)
		asked = strings.TrimSuffix(asked, "}") + "}]}"
	}
	return append(given, asked)
}

// lives passes a history to Fit and returns a description of any problem.
func (l *living) lives(d deed) (wrong string) {
	list := l.do(d)
	window := 3000
	if d.kind == "model" {
		window = 2200
	}
	c := l.c[0]
	if d.kind == "two writers" {
		c = l.c[1]
	}
	in := ctxfold.Input{Messages: json.RawMessage("[" + strings.Join(list, ",") + "]"), Policy: l.policy(window), Store: l.store}
	longest := 0
	for _, replaced := range l.made {
		if n := strings.Count(replaced, "\n"); n > longest && strings.HasPrefix(strings.Join(list, "\n")+"\n", replaced) {
			longest = n
		}
	}
	calls := l.m.calls.Load()
	r, changed, wrong := l.fits(c, in, d.kind == "at once")
	if wrong != "" {
		return wrong
	}
	if changed > 1 {
		return fmt.Sprintf("%d compactions by two who asked at the same time", changed)
	}
	// A record that is longer than a request takes several requests.
	if n := int(l.m.calls.Load() - calls); n > changed*(2+r.Report.Tokens.Before/1000) {
		return fmt.Sprintf("the model was called %d times for %d compactions", n, changed)
	}
	if bad := judge.Valid(l.format, r.Messages); len(bad) > 0 {
		return fmt.Sprintf("invalid: %v", bad)
	}
	if after := r.Report.Tokens.After; after > window-200 && r.Report.Over == nil {
		return fmt.Sprintf("%d tokens are sent", after)
	}
	if last := list[len(list)-1]; !strings.HasSuffix(string(r.Messages), last+"]") {
		return "the newest message is not as it was"
	}
	restored, err := c.Restore(context.Background(), ctxfold.Input{Messages: r.Messages, State: r.State, Policy: l.policy(window)}, l.store)
	if err != nil {
		return fmt.Sprintf("restoring: %v", err)
	}
	if l.sent == nil { // else the app continued from sent messages, and those are restored
		if r.Known < longest && d.kind != "look back" { // where nothing that the user said is behind it, an older one is taken
			return fmt.Sprintf("a compaction of %d messages is true, and one of %d was used", longest, r.Known)
		}
		if string(restored.Messages) != string(in.Messages) {
			return fmt.Sprintf("restored %d of %d bytes: …%.200s", len(restored.Messages), len(in.Messages), differs(restored.Messages, in.Messages))
		}
	}
	if changed > 0 {
		known, err := c.Recollect(context.Background(), in)
		if err != nil {
			return err.Error()
		}
		if string(known.Messages) != string(r.Messages) {
			return "what was made is not what is remembered"
		}
		replaced := strings.Join(list[:known.Known], "\n") + "\n"
		if slices.Contains(l.made, replaced) && d.kind != "look back" {
			return fmt.Sprintf("%d messages were compacted a second time", known.Known)
		}
		l.made = append(l.made, replaced)
	}
	if l.sent = nil; d.seed%3 == 0 { // some apps continue from the sent messages
		var sent []json.RawMessage
		if err := json.Unmarshal(r.Messages, &sent); err != nil {
			return err.Error()
		}
		l.sent = texts(sent)
	}
	if d.kind == "volatile" || d.kind == "remind" || l.mark {
		l.sent = nil
	}
	return ""
}

// fits calls Fit. If atOnce is set, both programs call it at the same time.
func (l *living) fits(c *ctxfold.Compactor, in ctxfold.Input, atOnce bool) (r *ctxfold.Result, changed int, wrong string) {
	programs := []*ctxfold.Compactor{c}
	if atOnce {
		programs = l.c[:]
	}
	results, errs := make([]*ctxfold.Result, len(programs)), make([]error, len(programs))
	var wg sync.WaitGroup
	for i, c := range programs {
		wg.Go(func() { results[i], errs[i] = c.Fit(context.Background(), in, l.m) })
	}
	wg.Wait()
	for i, r := range results {
		if errs[i] != nil {
			return nil, 0, errs[i].Error()
		}
		if r.Changed {
			changed++
		}
		if string(r.Messages) != string(results[0].Messages) {
			return nil, 0, "two who asked at the same time send different messages"
		}
	}
	r = results[0]
	for _, each := range results {
		if each.Changed {
			r = each
		}
	}
	return r, changed, ""
}

// differs returns the part of text from its first difference on.
func differs(got, want []byte) []byte {
	n := 0
	for n < len(got) && n < len(want) && got[n] == want[n] {
		n++
	}
	return fmt.Appendf(nil, "%.100s instead of %.100s", got[n:], want[n:])
}

// lived performs an app's actions and returns a description of the first problem.
func lived(t *testing.T, seed uint64, list []deed) (l *living, wrong string) {
	l = newLiving(t, seed)
	for i, d := range list {
		if wrong := l.lives(d); wrong != "" {
			return l, fmt.Sprintf("deed %d (%s): %s", i, d, wrong)
		}
	}
	return l, ""
}

// drawn returns the first seed and the number of seeds.
func drawn() (from uint64, seeds int) {
	seeds = 6
	switch {
	case testing.Short():
		seeds = 4
	case os.Getenv("CTXFOLD_LONG") != "":
		seeds = 400
	}
	if n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		from, seeds = n, 1
	}
	if n, err := strconv.Atoi(os.Getenv("SEEDS")); err == nil {
		seeds = n
	}
	return from, seeds
}

// TestRandomApps runs random apps that append, edit, delete, regenerate, branch and return, change their last message, move cache
// breakpoints, restart, run twice with one directory, use another model, and continue from the sent messages. The sent messages must be
// valid, fit, and restore to the history. Nothing that was replaced may be compacted a second time while it is still there. SEED repeats
// one app, SEEDS sets their number.
func TestRandomApps(t *testing.T) {
	from, seeds := drawn()
	compactions := 0
	for n := range seeds {
		seed := from + uint64(n)
		list := deeds(rand.New(rand.NewPCG(seed, 2)), 60)
		l, wrong := lived(t, seed, list)
		compactions += len(l.made)
		if wrong == "" {
			continue
		}
		for i := len(list) - 1; i >= 0; i-- { // removes each deed without which the failure stays
			shorter := slices.Delete(slices.Clone(list), i, i+1)
			if _, still := lived(t, seed, shorter); still != "" {
				list, wrong = shorter, still
			}
		}
		t.Fatalf("SEED=%d, %s: %s\nafter %v", seed, l.format, wrong, list)
	}
	if compactions < seeds {
		t.Errorf("%d compactions in %d apps", compactions, seeds)
	}
	t.Logf("%d compactions in %d apps", compactions, seeds)
}
