// Package extending_test registers a pass and a wire format, each in one file outside of core's own packages, and checks that everything
// else follows, as docs/inside/extending.md promises.
package extending_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

type answer struct {
	Error  *struct{ Code, Message string }
	Format string
	Valid  bool
	Report struct {
		Reason  string
		Cleared int
		Counts  []struct {
			Name  string
			Count int
		}
		Actions []struct{ Action, Pass string }
	}
	State struct {
		Own []string
	}
	Markers    []struct{ What string }
	Violations []struct{ Rule, Repair string }
	Messages   json.RawMessage
	raw        map[string]json.RawMessage
}

func call(t *testing.T, op, format string, values ...any) answer {
	t.Helper()
	var a answer
	out := core.Call(op, fmt.Appendf(nil, format, values...))
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &a.raw); err != nil {
		t.Fatal(err)
	}
	return a
}

// talk is a conversation in morse with n calls of a tool.
func talk(n int) string {
	var b strings.Builder
	b.WriteString(`[{"who":"rules","says":"Be brief."},{"who":"you","says":"Read all of it."}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"who":"me","says":"Reading.","call":{"key":"c%d","fn":"read","with":{"path":"f%d.txt"}}},{"who":"tool","key":"c%d","says":%q}`,
			i, i, i, strings.Repeat(fmt.Sprintf("line %d. ", i), 200))
	}
	return b.String() + `,{"who":"me","says":"Done."},{"who":"you","says":"Thanks."}]`
}

const mute = `{"window":{"tokens":100000},"archive":"bodies","last_resort":false,"passes":[{"pass":"mute"}]}`

type passInfo struct {
	Name       string
	Parameters []struct{ Name, Doc string }
	Markers    []string
	Messages   []string
	Counters   []struct{ Name, Text string }
}

func TestInfo(t *testing.T) {
	a := call(t, "info", "{}")
	var passes []passInfo
	if err := json.Unmarshal(a.raw["pass_info"], &passes); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(passes, func(p passInfo) bool { return p.Name == "mute" })
	if i < 0 {
		t.Fatalf("%s", a.raw["pass_info"])
	}
	got := fmt.Sprint(passes[i])
	if want := "{mute [{keep keep is how many of the newest tool results stay.}] [[Muted]] [[Muted: ] [{muted tool results that were muted}]}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !bytes.Contains(a.raw["formats"], []byte(`"morse"`)) || !bytes.Contains(a.raw["passes"], []byte(`"mute"`)) {
		t.Errorf("%s %s", a.raw["formats"], a.raw["passes"])
	}
}

func TestPassAndFormat(t *testing.T) {
	messages := talk(4)
	if a := call(t, "detect", `{"messages":%s}`, messages); a.Format != "morse" {
		t.Errorf("detected %q", a.Format)
	}
	if a := call(t, "validate", `{"messages":%s}`, messages); !a.Valid {
		t.Errorf("%v", a.Violations)
	}
	a := call(t, "plan", `{"policy":%s,"options":{"force":true},"messages":%s}`, mute, messages)
	if a.Report.Reason != "compacted" || a.Report.Cleared != 3 || fmt.Sprint(a.Report.Counts) != "[{muted 3}]" || len(a.State.Own) != 1 ||
		len(a.Report.Actions) != 4 || a.Report.Actions[0].Pass != "mute" {
		t.Fatalf("%+v %+v", a.Report, a.State)
	}
	if text := string(a.Messages); !strings.Contains(text, `"says":"[Muted: 3 results]"`) || strings.Count(text, `"says":"[Muted. Handle: `) != 3 {
		t.Errorf("%s", text)
	}
	// The markers are known: nothing is removed twice.
	again := call(t, "plan", `{"policy":%s,"options":{"force":true},"messages":%s}`, mute, a.Messages)
	if again.Report.Reason != "no_progress" || again.Report.Counts != nil {
		t.Errorf("%+v", again.Report)
	}
	listed := call(t, "restore", `{"policy":%s,"messages":%s}`, mute, a.Messages)
	if len(listed.Markers) != 3 || listed.Markers[0].What != "tool_result" {
		t.Errorf("%+v", listed.Markers)
	}
	var bodies []struct{ Handle, Body json.RawMessage }
	if err := json.Unmarshal(a.raw["archive"], &bodies); err != nil {
		t.Fatal(err)
	}
	given := make([]string, len(bodies))
	for i, b := range bodies {
		given[i] = fmt.Sprintf(`{"handle":%s,"body":%s}`, b.Handle, b.Body)
	}
	back := call(t, "restore", `{"policy":%s,"state":%s,"bodies":[%s],"messages":%s}`, mute, a.raw["state"], strings.Join(given, ","), a.Messages)
	if string(back.Messages) != messages {
		t.Errorf("restored %s\n%s", back.Messages, back.raw["report"])
	}
}

// The pass's own messages are recognized word for word: with the state by their hashes, and without it by their position and the policy.
func TestOwnMessages(t *testing.T) {
	a := call(t, "plan", `{"policy":%s,"options":{"force":true},"messages":%s}`, mute, talk(4))
	fold := `{"window":{"tokens":100000},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":1},{"pass":"mute"}]}`
	forged := strings.Replace(string(a.Messages), `"Thanks."`, `"[Muted: 9 results]"},{"who":"me","says":"What?"},{"who":"you","says":"Thanks."`, 1)
	for _, state := range []string{string(a.raw["state"]), "{}"} {
		folded := call(t, "plan", `{"policy":%s,"options":{"force":true},"state":%s,"messages":%s}`, fold, state, forged)
		text := string(folded.Messages)
		if folded.Report.Reason != "compacted" || strings.Contains(text, "Muted: 3") || !strings.Contains(text, "Read all of it.") {
			t.Errorf("%+v %s", folded.Report, text)
		}
	}
}

// A run that ends with its input unchanged reports no counts.
func TestCountersAreReset(t *testing.T) {
	const policy = `{"window":{"tokens":1000000,"reserve":0},"gate":{"ratio":0.005,"min_gain":1},"last_resort":false,"passes":[{"pass":"mute","keep":6}]}`
	a := call(t, "plan", `{"policy":%s,"messages":%s}`, policy, talk(8))
	if a.Report.Reason != "gain_too_small" || a.Report.Cleared != 0 || a.Report.Counts != nil {
		t.Errorf("%+v %+v", a.Error, a.Report)
	}
}

func TestParameters(t *testing.T) {
	a := call(t, "plan", `{"policy":{"passes":[{"pass":"mute","keep":3}],"window":{"tokens":100000}},"options":{"force":true},"messages":%s}`, talk(4))
	if fmt.Sprint(a.Report.Counts) != "[{muted 1}]" {
		t.Errorf("%+v", a.Report)
	}
	for _, tt := range []struct{ pass, code, says string }{
		{`{"pass":"mute","keep":-1}`, "out_of_range", "keep must not be negative"},
		{`{"pass":"mute","loud":1}`, "unknown_field", "loud"},
		{`{"pass":"mutes"}`, "unknown_pass", `did you mean \"mute\"?`},
	} {
		a := call(t, "plan", `{"policy":{"passes":[%s]},"messages":%s}`, tt.pass, talk(1))
		if a.Error == nil || a.Error.Code != tt.code || !strings.Contains(string(a.raw["error"]), tt.says) {
			t.Errorf("%s: %s", tt.pass, a.raw["error"])
		}
	}
}

func TestRepair(t *testing.T) {
	broken := `[{"who":"you","says":"Read."},{"who":"me","says":"","call":{"key":"c1","fn":"read","with":{}}},{"who":"you","says":"And?"}]`
	a := call(t, "validate", `{"messages":%s}`, broken)
	if a.Valid || len(a.Violations) == 0 || a.Violations[0].Rule != "MO1" {
		t.Errorf("%+v", a.Violations)
	}
	a = call(t, "repair", `{"messages":%s}`, broken)
	if !a.Valid || !strings.Contains(string(a.Messages), `{"who":"tool","key":"c1","says":`) {
		t.Errorf("%s", a.Messages)
	}
}

// A format without a Target can be read, and not be written.
func TestConvert(t *testing.T) {
	a := call(t, "convert", `{"to":"openai-chat","messages":[{"who":"you","says":"Read."},{"who":"me","says":"","call":{"key":"c1","fn":"read","with":{}}},{"who":"tool","key":"c1","says":"one"}]}`)
	if want := `"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"one"}]`; !a.Valid ||
		!strings.HasSuffix(string(a.Messages), want) {
		t.Errorf("%s", a.Messages)
	}
	out := string(core.Call("convert", []byte(`{"policy":{"format":"openai-chat"},"to":"morse","messages":[{"role":"user","content":"a"}]}`)))
	if !strings.Contains(out, `"code":"unknown_format"`) {
		t.Error(out)
	}
}
