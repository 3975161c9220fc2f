package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// answer has the members of answers that the tests read.
type answer struct {
	Error *struct {
		Code, Message, Path string
		Offset              int
	}
	Tokens   int
	Valid    bool
	Report   report
	State    json.RawMessage
	Plan     json.RawMessage
	Messages json.RawMessage
	Edits    json.RawMessage
	Archive  []body
	Requests []struct {
		ID, Scope, System, Prompt string
		InputTokens               int `json:"input_tokens"`
	}
	Violations []struct {
		Rule, Path, Text, Repair, Severity string
		Message                            int
	}
}

// refused returns the violations that a provider rejects, in the form in which a report lists those that remain.
func (a *answer) refused() (list []left) {
	for _, v := range a.Violations {
		if v.Severity == "refused" {
			list = append(list, left{v.Rule, v.Message, v.Text})
		}
	}
	return list
}

type left struct {
	Rule    string
	Message int
	Text    string
}

type report struct {
	Reason, Format string
	Changed, Fits  bool
	Over           *struct {
		Limit, Window int
		Text          string
		Causes        []struct {
			Message, Tokens int
			Why             string
		}
	}
	Thrashing *struct {
		Compactions int
		Cause, Text string
	}
	Tokens                              struct{ Before, After, Limit, Window int }
	Messages                            struct{ Before, After int }
	Cleared, Folded, Restored, Repaired int
	Prefix                              struct{ Messages, Bytes, Tokens int } `json:"stable_prefix"`
	Summary                             struct{ Source, Why string }
	Thinking                            *struct {
		Mode, Source           string
		Kept, Stripped, Closed int
	}
	Actions []struct {
		Action, Pass, Rule string
		Message, Tokens    int
	}
	Left     []left
	Redacted *struct{ Texts, Places, Failed int }
}

func call(t testing.TB, op string, request string) answer {
	t.Helper()
	out := core.Call(op, []byte(request))
	var a answer
	if op == "estimate" {
		var e struct{ Tokens int }
		if err := json.Unmarshal(out, &e); err != nil {
			t.Fatalf("%s: %v in %.200s", op, err, out)
		}
		return answer{Tokens: e.Tokens}
	}
	read(t, op, out, &a, map[string]*json.RawMessage{"messages": &a.Messages, "plan": &a.Plan, "state": &a.State, "edits": &a.Edits})
	return a
}

// read decodes an answer. Large members are only sliced, because encoding/json scans each of them twice, which takes longer than most
// operations.
func read(t testing.TB, op string, out []byte, a any, large map[string]*json.RawMessage) {
	t.Helper()
	rest := []byte("{")
	s := jsonspan.New(out)
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			break
		}
		start := s.Pos()
		s.Skip()
		value := out[start:s.Pos()]
		if to := large[string(key)]; to != nil {
			*to = value
			continue
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = fmt.Appendf(rest, "%q:%s", key, value)
	}
	if s.End(); s.Err() != nil {
		t.Fatalf("%s: %v in %.200s", op, s.Err(), out)
	}
	if err := json.Unmarshal(append(rest, '}'), a); err != nil {
		t.Fatalf("%s: %v in %.200s", op, err, out)
	}
}

// force is put after a policy: the options of a call that compacts although it is not due.
const force = `,"options":{"force":true}`

// compacts runs plan, and step with a scripted summary, and returns the last answer. Options may follow the policy.
func compacts(t testing.TB, policy, state, messages, summary string) answer {
	t.Helper()
	if state == "" {
		state = "null"
	}
	a := call(t, "plan", `{"policy":`+policy+`,"state":`+state+`,"messages":`+messages+`}`)
	var p struct {
		Summary struct {
			MaxInputTokens int `json:"max_input_tokens"`
		}
	}
	_ = json.NewDecoder(strings.NewReader(policy)).Decode(&p)
	for round := 0; len(a.Requests) > 0; round++ {
		if round > 100 {
			t.Fatal("more than 100 rounds of requests")
		}
		var replies []string
		for _, r := range a.Requests {
			if limit := p.Summary.MaxInputTokens; limit > 0 && r.InputTokens > limit {
				t.Errorf("the request %s has %d tokens of %d", r.ID, r.InputTokens, limit)
			}
			replies = append(replies, fmt.Sprintf(`{"id":%q,"text":%q}`, r.ID, summary))
		}
		a = call(t, "step", `{"plan":`+string(a.Plan)+`,"summaries":[`+strings.Join(replies, ",")+`],"messages":`+messages+`}`)
	}
	return a
}

func estimateOf(t testing.TB, policy, messages string) int {
	return call(t, "estimate", `{"policy":`+policy+`,"messages":`+messages+`}`).Tokens
}

// promises checks promises 1 to 7 of docs/inside/design.md, section 5, for one compaction. It returns the answer and the broken promises.
func promises(t testing.TB, format, policy string, messages []byte, summary string) (a answer, broken []string) {
	t.Helper()
	return newSubject(format, messages).promises(t, policy, summary)
}

// subject is an input that is compacted in many ways. The judge's violations of it are computed once.
type subject struct {
	format   string
	messages []byte
	refused  int // violations of the newest result
	lastUser func() json.RawMessage
	broken   func() (refused, tolerated []string)
}

func newSubject(format string, messages []byte) *subject {
	return &subject{format: format, messages: messages,
		lastUser: sync.OnceValue(func() json.RawMessage { return judge.LastUser(format, messages) }),
		broken:   sync.OnceValues(func() (_, _ []string) { return judge.Broken(format, messages) }),
	}
}

func (s *subject) promises(t testing.TB, policy, summary string) (a answer, broken []string) {
	t.Helper()
	format, messages := s.format, s.messages
	say := func(f string, args ...any) { broken = append(broken, fmt.Sprintf(f, args...)) }
	in := string(messages)
	a = compacts(t, policy, "", in, summary)
	if a.Error != nil {
		say("%s at %s (%d): %s", a.Error.Code, a.Error.Path, a.Error.Offset, a.Error.Message)
		return a, broken
	}
	out := a.Messages
	before, after := estimateOf(t, policy, in), estimateOf(t, policy, string(out))
	if before != a.Report.Tokens.Before || after != a.Report.Tokens.After {
		say("the report says %d to %d tokens, estimate says %d to %d", a.Report.Tokens.Before, a.Report.Tokens.After, before, after)
	}
	if fits := after <= a.Report.Tokens.Limit || a.Report.Tokens.Limit == 0; a.Report.Fits != fits || (a.Report.Over == nil) != fits {
		say("fits is %v at %d of %d tokens", a.Report.Fits, after, a.Report.Tokens.Limit)
	}
	if !a.Report.Changed {
		if !bytes.Equal(out, messages) {
			say("reported as unchanged (%s), but it is not", a.Report.Reason)
		}
		return a, broken
	}
	bad, more := judge.Broken(format, out)
	s.refused = len(bad)
	if len(bad) > 0 { // 1
		say("invalid: %d violations, such as %s", len(bad), bad[0])
	}
	if len(more) > 0 {
		if refused, less := s.broken(); len(more) > len(less) && len(refused) == 0 {
			say("the provider tolerates what the input breaks at %d places, and the result at %d, such as %s", len(less), len(more), more[0])
		}
	}
	left := fmt.Sprint(a.Report.Left)
	if v := call(t, "validate", `{"policy":`+policy+`,"messages":`+string(out)+`}`); fmt.Sprint(v.refused()) != left {
		say("the report says that %s is left, and validate %+v", left, v.Violations)
	}
	if u := s.lastUser(); u != nil && !strings.Contains(unmarked(string(out)), unmarked(string(u))) { // 2
		// If the input itself is invalid, the result of repair counts instead.
		r := call(t, "repair", `{"policy":`+policy+`,"messages":`+in+`}`)
		if bytes.Equal(r.Messages, messages) || !strings.Contains(unmarked(string(out)), unmarked(string(judge.LastUser(format, r.Messages)))) {
			say("the newest user message is gone or changed: %.120s", u)
		}
	}
	broken = append(broken, s.unpinned(t, policy, &a)...)
	if after >= before { // 3
		say("%d tokens became %d", before, after)
	}
	again := compacts(t, policy, string(a.State), string(out), summary) // 4
	if !bytes.Equal(again.Messages, out) {
		say("a second run changed the result (%s: %d to %d tokens, limit %d)", again.Report.Reason,
			again.Report.Tokens.Before, again.Report.Tokens.After, again.Report.Tokens.Limit)
	}
	if err := judge.Opaque(format, messages, out); err != nil { // 5
		say("%v", err)
	}
	if n := a.Report.Prefix.Bytes; n > len(out) || !bytes.Equal(out[:n], messages[:n]) { // 6
		say("the first %d bytes are not those of the input", n)
	}
	if !utf8.Valid(out) { // 7
		say("the result is not UTF-8")
	}
	if err := judge.Surrogates(out); err != nil {
		say("%v", err)
	}
	if strings.Contains(policy, `"archive":"`) && !strings.Contains(policy, `"archive":""`) {
		broken = append(broken, restores(t, format, messages, a)...)
	}
	return a, broken
}

// summaryText is the scripted model's answer in these tests.
const summaryText = "# Objective\nGo on.\n\n# Status\nEverything before is done.\n\n# Carryover\nNothing is open."

// formats lists the formats of the real sessions.
var formats = []string{"openai-chat", "openai-responses", "anthropic", "gemini", "mistral", "pi", "ai-sdk", "ai-sdk-ui"}

// row is a row in the table of TestRealSessions: the results for the sessions of one file in one format.
type row struct {
	conversations, runs, compacted int
	before, after                  int // violations, by the judge
}

func (r *row) add(o row) {
	r.conversations += o.conversations
	r.runs += o.runs
	r.compacted += o.compacted
	r.before += o.before
	r.after += o.after
}

// TestRealSessions compacts every real session with every preset at windows of 100, 50, 20 and 5 % of its size, with a
// scripted model or without one, and checks the promises. It writes a table of the violations before and after, to the
// log, and to the file that CTXFOLD_TABLE names.
func TestRealSessions(t *testing.T) {
	t.Parallel()
	rows := map[string]*row{}
	var mu sync.Mutex // of rows
	t.Run("sessions", func(t *testing.T) {
		for n, s := range sessions.Load(t, formats...) {
			if testing.Short() && n%5 > 0 {
				continue
			}
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				done := realSession(t, s, n)
				file, _, _ := strings.Cut(s.Name, "#")
				key := fmt.Sprintf("%-72s %-17s", file, s.Format)
				mu.Lock()
				defer mu.Unlock()
				if rows[key] == nil {
					rows[key] = &row{}
				}
				rows[key].add(done)
			})
		}
	})
	var table strings.Builder
	fmt.Fprintf(&table, "%-72s %-17s %13s %5s %9s %17s %6s\n", "file", "format", "conversations", "runs", "compacted", "violations before", "after")
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		r := rows[key]
		fmt.Fprintf(&table, "%s %13d %5d %9d %17d %6d\n", key, r.conversations, r.runs, r.compacted, r.before, r.after)
	}
	t.Log("\n" + table.String())
	if file := os.Getenv("CTXFOLD_TABLE"); file != "" {
		if err := os.WriteFile(file, []byte(table.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// realSession compacts the n-th session and returns the results: in make test-long with every preset in all ways, otherwise with two presets
// in one way each, so that 24 sessions together cover every preset in every way.
func realSession(t *testing.T, s sessions.Session, n int) row {
	messages := s.JSON()
	input := newSubject(s.Format, messages)
	refused, _ := input.broken()
	done := row{conversations: 1, before: len(refused)}
	size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, s.Format), string(messages))
	for i, preset := range policy.Presets() {
		for j, percent := range []int{100, 50, 20, 5} {
			for k, mode := range []string{"model", "local"} {
				if !covers(n, (8*i+2*j+k)%24, 24) {
					continue
				}
				window := max(size*percent/100, 64)
				archive := map[string]string{"model": "", "local": "places"}[mode] // what is archived is put back, too
				policy := fmt.Sprintf(`{"preset":%q,"format":%q,"window":{"tokens":%d,"reserve":%d},"summary":{"mode":%q},"archive":%q}`,
					preset.Name, s.Format, window, window/10, mode, archive)
				a, broken := input.promises(t, policy, summaryText)
				for _, b := range broken {
					t.Errorf("%s at %d %% with summaries of %s: %s", preset.Name, percent, mode, b)
				}
				done.runs++
				if a.Report.Changed {
					done.compacted++
					done.after += input.refused
				}
			}
		}
	}
	return done
}
