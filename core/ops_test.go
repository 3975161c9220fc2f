package core_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// A conversation whose format was set once is still recognized when only text is left of it.
func TestStateRemembersTheFormat(t *testing.T) {
	tool := `{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"read","input":{"path":"a%d"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]},`
	list := `[{"role":"user","content":"start"},`
	for i := range 9 {
		list += fmt.Sprintf(tool, i, i, i, strings.Repeat("x", 900))
	}
	list += `{"role":"assistant","content":"done"},{"role":"user","content":"thanks"},{"role":"assistant","content":"bye"}]`
	policy := `{"estimator":"bytes4","window":{"tokens":2000},"passes":[{"pass":"fold","keep_tokens":20}]}`
	a := compacts(t, policy, "", list, summaryText)
	if a.Error != nil || !a.Report.Changed {
		t.Fatalf("%+v", a)
	}
	if b := compacts(t, policy, "", string(a.Messages), summaryText); b.Error != nil || b.Report.Format != "plain" {
		t.Errorf("without state: %+v, format %s", b.Error, b.Report.Format)
	}
	for _, request := range []string{
		`{"policy":%s,"state":%s,"messages":%s}`,
		`{"policy":%s,"messages":%[3]s,"state":%[2]s}`,
		`{"messages":%[3]s,"state":%[2]s,"policy":%[1]s}`,
	} {
		b := call(t, "plan", fmt.Sprintf(request, policy, a.State, a.Messages))
		if b.Error != nil || b.Report.Changed || b.Report.Format != "anthropic" {
			t.Errorf("%s: %+v, format %s", request, b.Error, b.Report.Format)
		}
	}
}

// The answer does not depend on the order of the request's keys.
func TestOrderOfKeys(t *testing.T) {
	for _, messages := range []string{
		`[{"role":"user","content":"a\"b"},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}]`,
		`[{"role":"user","content":"\ud800"}]`, `[{"role":"user"`, `[]`, `7`,
	} {
		policy := `{"window":{"tokens":100000}}`
		first := core.Call("plan", []byte(`{"policy":`+policy+`,"messages":`+messages+`}`))
		second := core.Call("plan", []byte(`{"messages":`+messages+`,"policy":`+policy+`}`))
		var a, b answer
		if json.Unmarshal(first, &a) != nil || json.Unmarshal(second, &b) != nil {
			t.Fatal("no JSON")
		}
		if (a.Error == nil) != (b.Error == nil) || a.Error != nil && (a.Error.Code != b.Error.Code || a.Error.Path != b.Error.Path) {
			t.Errorf("%s: %s and %s", messages, first, second)
		}
		if a.Error == nil && string(first) != string(second) {
			t.Errorf("%s: %s and %s", messages, first, second)
		}
	}
}

// A plan continues if messages have been added, and is rejected if old ones have changed.
func TestPlanOnGrownTranscript(t *testing.T) {
	turn := `{"role":"user","content":"q%d"},{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c%d","content":"%s"}`
	var turns []string
	for i := range 10 {
		turns = append(turns, fmt.Sprintf(turn, i, i, i, strings.Repeat("y", 500)))
	}
	list := "[" + strings.Join(turns[:8], ",") + "]"
	a := call(t, "plan", `{"policy":{"window":{"tokens":1400}},"messages":`+list+`}`)
	if len(a.Requests) != 1 {
		t.Fatalf("%+v", a)
	}
	step := func(messages string) answer {
		return call(t, "step", `{"plan":`+string(a.Plan)+`,"summaries":[{"id":"`+a.Requests[0].ID+`","text":"# Status\\nall done"}],"messages":`+messages+`}`)
	}
	whole := step(list)
	grown := step("[" + strings.Join(turns, ",") + "]")
	if whole.Error != nil || grown.Error != nil {
		t.Fatalf("%+v %+v", whole.Error, grown.Error)
	}
	want := strings.TrimSuffix(string(whole.Messages), "]") + "," + strings.Join(turns[8:], ",") + "]"
	if string(grown.Messages) != want {
		t.Errorf("got %s\nwant %s", grown.Messages, want)
	}
	for _, changed := range []string{strings.Replace(list, "q3", "q4", 1), "[" + strings.Join(turns[:7], ",") + "]"} {
		if b := step(changed); b.Error == nil || b.Error.Code != "plan_mismatch" {
			t.Errorf("%+v", b.Error)
		}
	}
}

// What a compaction has just made is left alone, whatever forces it, as long as it need not be smaller than it was made to be: for
// another model, or because a provider has refused it.
func TestSettled(t *testing.T) {
	var turns []string
	for i := range 30 {
		turns = append(turns, fmt.Sprintf(`{"role":"user","content":"q%d"},{"role":"assistant","content":"%s"}`, i, strings.Repeat("word ", 60)))
	}
	plan := func(window int, options, state, messages string) answer {
		t.Helper()
		a := call(t, "plan", fmt.Sprintf(`{"policy":{"format":"openai-chat","summary":{"mode":"local"},"window":{"tokens":%d,"reserve":0}}%s,"state":%s,"messages":%s}`, window, options, state, messages))
		if a.Error != nil {
			t.Fatal(a.Error)
		}
		return a
	}
	first := plan(2000, "", "null", "["+strings.Join(turns, ",")+"]")
	after := first.Report.Tokens.After
	if !first.Report.Changed || after > 2000 {
		t.Fatalf("%+v", first.Report)
	}
	state := string(first.State)
	if a := plan(2000, force, state, string(first.Messages)); a.Report.Changed || a.Report.Reason != "no_progress" {
		t.Errorf("by force: %+v", a.Report)
	}
	for _, options := range []string{"", force} {
		a := plan(after*7/10, options, state, string(first.Messages))
		if !a.Report.Changed || a.Report.Tokens.After > after*7/10 {
			t.Errorf("a smaller window, %q: %d tokens, then %d: %s", options, after, a.Report.Tokens.After, a.Report.Reason)
		}
		if again := plan(after*7/10, force, string(a.State), string(a.Messages)); again.Report.Changed {
			t.Errorf("and again: %+v", again.Report)
		}
	}
	old := regexp.MustCompile(`,"limit":\d+`).ReplaceAllString(state, "") // of a version that did not keep the limit
	if a := plan(after*7/10, "", old, string(first.Messages)); old == state || !a.Report.Changed {
		t.Errorf("a state without a limit: %+v", a.Report)
	}
}

// Whatever a plan or a state contains, the result is valid and nothing panics.
func TestTamperedPlans(t *testing.T) {
	list := `[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"` + strings.Repeat("z", 900) + `"},{"role":"assistant","content":"ok"},{"role":"user","content":"next"}]`
	a := call(t, "plan", `{"policy":{"window":{"tokens":100}},"messages":`+list+`}`)
	for _, change := range [][2]string{
		{`"version":1`, `"version":2`}, {`"messages":5`, `"messages":4`}, {`"messages":5`, `"messages":-1`}, {`"messages":5`, `"messages":99999999999`},
		{`"tokens":100`, `"tokens":-100`}, {`"tokens":100`, `"tokens":1`}, {`"format":"openai-chat"`, `"format":"x"`},
		{`"format":"openai-chat"`, `"format":"native"`}, {`"round":0`, `"round":"0"`}, {`"plan"`, `"plan"`}, {`{"window"`, `{"extra":1,"window"`},
	} {
		plan := strings.Replace(string(a.Plan), change[0], change[1], 1)
		out := core.Call("step", []byte(`{"plan":`+plan+`,"summaries":[{"id":"fold-1","text":"s"}],"messages":`+list+`}`))
		var b answer
		if err := json.Unmarshal(out, &b); err != nil {
			t.Fatalf("%v: %v in %s", change, err, out)
		}
		if b.Error != nil && (b.Error.Code == "internal" || b.Error.Message == "") {
			t.Errorf("%v: %s", change, out)
		}
	}
}
