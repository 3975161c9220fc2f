package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

const half = `\ud83d`

// loneChat returns a chat of n turns. The question and the answer of some turns contain half of a surrogate pair.
func loneChat(n int, lone ...int) string {
	var list []string
	for i := range n {
		mark := ""
		for _, l := range lone {
			if l == i {
				mark = half
			}
		}
		list = append(list, fmt.Sprintf(`{"role":"user","content":"Question %d%s %s"},{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":"c%d","content":"result %s%s"}`, i, mark, strings.Repeat("words and ", 30), i, i, strings.Repeat("more words ", 30), mark))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// Half of a surrogate pair never causes an error. Where it stays, U+FFFD replaces it, and only messages that contain one are changed.
func TestLoneSurrogates(t *testing.T) {
	const policy = `{"format":"openai-chat","window":{"tokens":1500,"reserve":100}}`
	for _, test := range []struct {
		name     string
		lone     []int
		replaced int
	}{
		{"in what is folded", []int{1}, 0},
		{"in what stays", []int{19}, 2},
		{"in both", []int{1, 2, 19}, 2},
	} {
		list := loneChat(20, test.lone...)
		a, broken := promises(t, "openai-chat", policy, []byte(list), summaryText)
		for _, b := range broken {
			if !strings.HasPrefix(b, "the newest user message") { // that one was repaired
				t.Errorf("%s: %s", test.name, b)
			}
		}
		if a.Error != nil || !a.Report.Changed {
			t.Fatalf("%s: %+v %+v", test.name, a.Error, a.Report)
		}
		replaced := 0
		for _, x := range a.Report.Actions {
			if x.Action == "replace" && x.Rule == "I8" {
				replaced++
			}
		}
		if replaced != test.replaced || a.Report.Repaired != test.replaced || len(a.Report.Left) > 0 {
			t.Errorf("%s: %d messages were mended, the report says %d repaired, left %v", test.name, replaced, a.Report.Repaired, a.Report.Left)
		}
		if n := strings.Count(string(a.Messages), `\ufffd`); n != test.replaced {
			t.Errorf("%s: %d replacements in the result", test.name, n)
		}
		if changed := judge.Changed([]byte(list), a.Messages); len(changed) != 1+test.replaced { // the digest, too
			t.Errorf("%s: %d messages changed", test.name, len(changed))
		}
	}

	// Nothing is due: it comes back as it was.
	list := loneChat(2, 0, 1)
	a := call(t, "plan", `{"policy":{"format":"openai-chat","window":{"tokens":100000}},"messages":`+list+`}`)
	if a.Error != nil || a.Report.Changed || string(a.Messages) != list {
		t.Errorf("not due: %+v %+v", a.Error, a.Report)
	}
	for _, op := range []string{"check", "estimate", "detect"} {
		if a := call(t, op, `{"policy":{"window":{"unlimited":true}},"messages":`+list+`}`); a.Error != nil {
			t.Errorf("%s: %+v", op, a.Error)
		}
	}

	// As edits, only the messages that hold one are rewritten.
	edits := compacts(t, `{"format":"openai-chat","window":{"tokens":1500,"reserve":100}},"options":{"answer":"edits"}`, "", loneChat(20, 19), summaryText)
	var runs []struct {
		Set *int
	}
	if err := json.Unmarshal(edits.Edits, &runs); err != nil {
		t.Fatal(err)
	}
	set := 0
	for _, r := range runs {
		if r.Set != nil {
			set++
		}
	}
	if set != 2 {
		t.Errorf("%d messages set in %s", set, edits.Edits)
	}
}

// A session, a summary, a state, a body that is put back, and what is next to the list may hold one, too.
func TestLoneSurrogatesElsewhere(t *testing.T) {
	const policy = `{"format":"openai-chat","window":{"tokens":1500,"reserve":100},"archive":"bodies"}`
	l := &core.Sessions{}
	l.Call("session_open", []byte(`{"policy":`+policy+`,"messages":`+loneChat(10, 1)+`}`))
	l.Call("session_append", []byte(`{"session":1,"messages":`+loneChat(20, 19)+`}`))
	var p answer
	if err := json.Unmarshal(l.Call("plan", []byte(`{"session":1}`)), &p); err != nil || p.Error != nil || len(p.Requests) == 0 {
		t.Fatalf("%v %+v", err, p.Error)
	}
	out := l.Call("step", []byte(`{"session":1,"plan":`+string(p.Plan)+`,"summaries":[{"id":"`+p.Requests[0].ID+`","text":"`+strings.ReplaceAll(summaryText, "\n", `\n`)+half+`"}]}`))
	var s answer
	if err := json.Unmarshal(out, &s); err != nil || s.Error != nil || !s.Report.Changed || judge.Surrogates(out) != nil {
		t.Fatalf("%v %+v %+v %v", err, s.Error, s.Report, judge.Surrogates(out))
	}
	if v := string(l.Call("validate", []byte(`{"session":1}`))); !strings.Contains(v, `"valid":true`) {
		t.Errorf("the session: %s", v)
	}

	body := `{"model":"gpt-5","instructions":"a` + half + `","messages":` + loneChat(20, 19) + `,"user":"` + half + `"}`
	a := compacts(t, policy, "", body, summaryText)
	if a.Error != nil || !a.Report.Changed || judge.Surrogates(a.Messages) != nil || !strings.Contains(string(a.Messages), `"instructions":"a\ufffd"`) {
		t.Errorf("%+v %v", a.Error, judge.Surrogates(a.Messages))
	}
	v := call(t, "validate", `{"policy":`+policy+`,"messages":`+body+`}`)
	var got []string
	for _, x := range v.Violations {
		got = append(got, fmt.Sprint(x.Rule, " ", x.Message, " ", x.Path, " ", x.Repair))
	}
	if want := "I8 -1 messages.instructions replace, I8 57 messages.messages[57].content replace, I8 59 messages.messages[59].content replace"; v.Valid || strings.Join(got, ", ") != want {
		t.Errorf("validate says %s", strings.Join(got, ", "))
	}
	r := call(t, "repair", `{"policy":`+policy+`,"messages":`+body+`}`)
	if !r.Valid || string(r.Messages) != strings.ReplaceAll(body, half, `\ufffd`) || r.Report.Repaired != 3 {
		t.Errorf("repair: %+v", r.Report)
	}
}
