package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
)

// readings is a conversation with a rule, and n files that were read in order, each result being some 300 tokens long.
func readings(n int) []string {
	list := []string{`{"role":"user","content":"Find the leak. Never touch the migrations."}`}
	for i := range n {
		list = append(list,
			fmt.Sprintf(`{"role":"assistant","content":"I read file %d.","tool_calls":[{"id":"call-%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/f%d.go\"}"}}]}`, i, i, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"call-%d","content":%q}`, i, fmt.Sprintf("package f%d\n", i)+lines(i)))
	}
	return append(list, `{"role":"assistant","content":"The leak is in one of them."}`, `{"role":"user","content":"Which one?"}`)
}

// lines returns some lines of code, all of them different.
func lines(file int) (code string) {
	for i := range 30 {
		code += fmt.Sprintf("func work%d() error { return open(%d) }\n", i, i*31+file)
	}
	return code
}

// joined is the JSON of a list of messages.
func joined(messages []string) string { return "[" + strings.Join(messages, ",") + "]" }

// planned runs plan, and returns its report and the messages.
func planned(t *testing.T, op, policy, options, messages string) (api.Planned, []json.RawMessage) {
	t.Helper()
	out := core.Call(op, []byte(`{"policy":`+policy+`,"options":`+options+`,"messages":`+messages+`}`))
	var a struct {
		api.Planned
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v: %.500s", err, out)
	}
	if strings.HasPrefix(string(out), `{"error"`) {
		t.Fatalf("%.500s", out)
	}
	return a.Planned, a.Messages
}

// Content with a score below 0 is removed first, the lowest before the others, and no more than the target requires. If that is enough,
// nothing else changes.
func TestLowScoresGoFirst(t *testing.T) {
	messages := readings(12)
	const policy = `{"format":"openai-chat","window":{"tokens":5600,"reserve":0},"gate":{"ratio":0.9,"target":0.88},"summary":{"mode":"local"},"log":true}`
	for _, op := range []string{"plan", "fit"} {
		a, after := planned(t, op, policy, `{"score":{"calls":[{"id":"call-9","score":-2},{"id":"call-10","score":-9},{"id":"call-11","score":-1}],"messages":[{"message":0,"score":-99}]}}`, joined(messages))
		if a.Report.Tokens.Before <= a.Report.Tokens.Limit {
			t.Fatalf("%s: not due: %+v", op, a.Report.Tokens)
		}
		var gone []int
		for _, act := range a.Report.Actions {
			if act.Pass != api.DoerScore || act.Action != api.ActionClear {
				t.Errorf("%s: %+v", op, act)
			}
			gone = append(gone, act.Message)
		}
		if len(gone) == 0 || len(gone) > 2 || gone[len(gone)-1] != 22 {
			t.Errorf("%s: cleared %v; want that of message 22 (call-10), and at most call-9 with it", op, gone)
		}
		for i := range after {
			if i != 20 && i != 22 && string(after[i]) != messages[i] {
				t.Errorf("%s: message %d changed: %.200s", op, i, after[i])
			}
		}
	}
}

// A low score affects neither user messages nor open calls nor pins.
func TestLowScoresSpareWhatMustStay(t *testing.T) {
	messages := readings(12)
	messages = append(messages[:len(messages)-1], `{"role":"user","content":"Which one? `+strings.Repeat("Look at each of them. ", 40)+`"}`,
		`{"role":"assistant","content":"`+strings.Repeat("I look once more. ", 60)+`","tool_calls":[{"id":"open","type":"function","function":{"name":"read","arguments":"{}"}}]}`)
	var low []string
	for i := range messages {
		low = append(low, fmt.Sprintf(`{"message":%d,"score":-1}`, i))
	}
	const policy = `{"format":"openai-chat","window":{"tokens":5600,"reserve":0},"gate":{"target":0.4},"summary":{"mode":"local"},"passes":[],"last_resort":false,"pins":[{"id":"call-3"}]}`
	a, after := planned(t, "plan", policy, `{"score":{"messages":[`+strings.Join(low, ",")+`]}}`, joined(messages))
	if a.Report.Cleared == 0 {
		t.Fatalf("nothing was cleared: %+v", a.Report)
	}
	for _, i := range []int{0, 7, 8, len(messages) - 2, len(messages) - 1} {
		if string(after[i]) != messages[i] {
			t.Errorf("message %d changed: %.200s", i, after[i])
		}
	}
}

// Content with a score above 0 survives a fold, the highest first, up to a quarter of the target.
func TestHighScoresStay(t *testing.T) {
	messages := readings(24)
	const policy = `{"format":"openai-chat","window":{"tokens":6000,"reserve":0},"summary":{"mode":"local"},"log":true}`
	_, without := planned(t, "plan", policy, `{}`, joined(messages))
	if strings.Contains(written(without), messages[4]) {
		t.Fatal("the call stays without a score, too")
	}
	a, after := planned(t, "plan", policy, `{"score":{"calls":[{"id":"call-1","score":5},{"id":"call-2","score":1},{"id":"call-3","score":1},{"id":"call-4","score":1},{"id":"call-5","score":1}]}}`, joined(messages))
	if !strings.Contains(written(after), messages[4]) || !strings.Contains(written(after), messages[3]) {
		t.Errorf("call-1 and its result are gone: %+v", a.Report)
	}
	if strings.Contains(written(after), messages[6]) {
		t.Errorf("more than a quarter of the target stays")
	}
	if !a.Report.Fits || a.Report.Decisions[4].Decision != api.DecisionPinned || a.Report.Decisions[4].Rule != "score" {
		t.Errorf("%+v", a.Report.Decisions[4])
	}
}

// written is a list of messages as JSON.
func written(messages []json.RawMessage) string {
	b, _ := json.Marshal(messages)
	return string(b)
}

// A list that names one large message many times costs as much as its own length, not that times the message.
func TestManyScoresOfOneMessage(t *testing.T) {
	const parts, times = 100_000, 100_000
	body := `[{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"one two three"},`, parts) + `{"type":"text","text":"b"}]}]`
	scores := strings.Repeat(`{"message":0,"score":-1},`, times) + `{"message":0,"score":0}`
	a, _ := planned(t, "plan", `{"format":"openai-chat","window":{"tokens":4000},"summary":{"mode":"local"}}`, `{"score":{"messages":[`+scores+`]}}`, body)
	if a.Report.Fits {
		t.Errorf("%+v", a.Report.Tokens)
	}
}

// The indexes of scores refer to the list that is passed to fit, even if its beginning was compacted before.
func TestScoresAfterAFit(t *testing.T) {
	messages := readings(24)
	const policy = `{"format":"openai-chat","window":{"tokens":6000,"reserve":0},"summary":{"mode":"local"}}`
	first, _ := planned(t, "fit", policy, `{}`, joined(messages))
	if !first.Report.Changed {
		t.Fatal("not due")
	}
	more := readings(40)[len(messages)-2:]
	history := append(append([]string{}, messages...), more...)
	at := len(messages) + 7
	memory := `{"policy":` + policy + `,"memory":[` + string(first.Memory) + `],"options":{"force":true,"score":{"messages":[{"message":` + fmt.Sprint(at) + `,"score":3}]}},"messages":` + joined(history) + `}`
	out := string(core.Call("fit", []byte(memory)))
	if !strings.Contains(out, `"known":0`) || !strings.Contains(history[at], `"tool_call_id"`) {
		t.Fatalf("%.300s; %.100s", out, history[at])
	}
	if !strings.Contains(out, history[at]) {
		t.Errorf("the message with a score is gone: %.900s", out)
	}
}

// Messages may be appended while a summary is written. They stay after the digest, whatever scores the others have.
func TestScoreWhileMessagesCome(t *testing.T) {
	list := readings(12)
	policy := `{"format":"openai-chat","window":{"tokens":3000,"reserve":0}}`
	a := core.Call("plan", []byte(`{"policy":`+policy+`,"options":{"force":true,"score":{"messages":[{"message":0,"score":1}]}},"messages":`+joined(list)+`}`))
	var p api.Planned
	if err := json.Unmarshal(a, &p); err != nil || len(p.Requests) == 0 {
		t.Fatalf("%v: %.300s", err, a)
	}
	added := []string{`{"role":"assistant","content":"This one."}`, `{"role":"user","content":"Thanks."}`}
	more := joined(append(list, added...))
	a = core.Call("step", []byte(`{"plan":`+string(p.Plan)+`,"summaries":[{"id":"`+p.Requests[0].ID+`","error":"it is down"}],"messages":`+more+`}`))
	for _, m := range append(added, list[0]) {
		if !strings.Contains(string(a), m) {
			t.Errorf("%s is missing in %.500s", m, a)
		}
	}
}
