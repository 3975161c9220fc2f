package core_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
)

const noticePolicy = `{"format":"openai-chat","window":{"tokens":5000,"reserve":0},"gate":{"ratio":1,"target":0.6,"notice":"Write down what you will need: earlier messages are folded soon.","notice_at":0.7},"summary":{"mode":"local"}}`

const noticeMessage = `{"role":"user","content":"Write down what you will need: earlier messages are folded soon."}`

// The notice is in the report once: when the transcript is near its limit, until it has been appended, and again before the next compaction.
func TestNotice(t *testing.T) {
	notices := func(messages []string) (report, check string) {
		a, _ := planned(t, "plan", noticePolicy, `{}`, joined(messages))
		fit, _ := planned(t, "fit", noticePolicy, `{}`, joined(messages))
		var c api.Check
		if err := json.Unmarshal(core.Call("check", []byte(`{"policy":`+noticePolicy+`,"messages":`+joined(messages)+`}`)), &c); err != nil {
			t.Fatal(err)
		}
		if a.Report.Notice != fit.Report.Notice || a.Report.Notice != c.Notice {
			t.Errorf("plan says %q, fit %q, check %q", a.Report.Notice, fit.Report.Notice, c.Notice)
		}
		return a.Report.Notice, c.Notice
	}
	near := readings(11)
	if report, _ := notices(readings(4)); report != "" {
		t.Errorf("far from the limit: %q", report)
	}
	if report, _ := notices(near); !strings.HasPrefix(report, "Write down") {
		t.Errorf("near the limit: %q", report)
	}
	if report, _ := notices(append(near[:len(near):len(near)], noticeMessage)); report != "" {
		t.Errorf("once it is there: %q", report)
	}
	open := append(near[:len(near):len(near)], `{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"read","arguments":"{}"}}]}`)
	if report, _ := notices(open); report != "" {
		t.Errorf("while a call is open: %q", report)
	}
}

// If a host has changed a state so that its number of messages is impossible, nothing counts as known.
func TestNoticeOfChangedState(t *testing.T) {
	report := func(known string, messages []string) (a api.Planned) {
		out := core.Call("plan", []byte(`{"policy":`+noticePolicy+`,"state":{"round":1,"messages":`+known+`},"messages":`+joined(messages)+`}`))
		if err := json.Unmarshal(out, &a); err != nil || strings.HasPrefix(string(out), `{"error"`) {
			t.Fatalf("%s: %v: %.500s", known, err, out)
		}
		return a
	}
	for _, known := range []string{"-1", "-1000000", "1000000"} {
		if a := report(known, readings(11)); !strings.HasPrefix(a.Report.Notice, "Write down") {
			t.Errorf("%s: near the limit: %q", known, a.Report.Notice)
		}
		if a := report(known, readings(30)); a.Report.Refill == nil || a.Report.Refill.Messages != len(readings(30)) {
			t.Errorf("%s: refilled by %+v", known, a.Report.Refill)
		}
	}
}

// A notice is no request of the user: the digest doesn't list it, and the user's last words stay instead of it.
func TestNoticeIsNoRequest(t *testing.T) {
	messages := append(readings(30), noticeMessage, `{"role":"assistant","content":"Noted: the leak is in f3, since it opens 21 and never closes it."}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"read","arguments":"{}"}}]}`, `{"role":"tool","tool_call_id":"x","content":"ok"}`)
	a, after := planned(t, "plan", noticePolicy, `{}`, joined(messages))
	if !a.Report.Changed {
		t.Fatalf("%+v", a.Report)
	}
	var state api.State
	if err := json.Unmarshal(a.State, &state); err != nil {
		t.Fatal(err)
	}
	for _, request := range append(state.Ledger.Requests, state.Ledger.Task) {
		if strings.Contains(request, "Write down") {
			t.Errorf("the ledger has it as a request: %q", request)
		}
	}
	if !strings.Contains(written(after), `{"role":"user","content":"Which one?"}`) {
		t.Error("the user's newest message is gone")
	}
}

// The report lists what has filled the window, by kind. After a compaction it only covers later messages.
func TestRefill(t *testing.T) {
	messages := append([]string{`{"role":"system","content":"You find leaks."}`}, readings(24)...)
	const policy = `{"format":"openai-chat","window":{"tokens":6000,"reserve":0},"summary":{"mode":"local"}}`
	a, after := planned(t, "plan", policy, `{}`, joined(messages))
	r := a.Report.Refill
	if r == nil || r.Messages != len(messages) || r.Tokens != a.Report.Tokens.Before || r.ToolResults < r.Tokens/2 || r.User == 0 || r.Assistant == 0 || r.ToolCalls == 0 || r.Other == 0 {
		t.Fatalf("%+v of %+v", r, a.Report.Tokens)
	}
	if sum := r.User + r.Assistant + r.Reasoning + r.ToolCalls + r.ToolResults + r.Media + r.Other; sum != r.Tokens {
		t.Errorf("the kinds are %d tokens, the whole %d", sum, r.Tokens)
	}
	next := strings.TrimSuffix(written(after), "]") + `,{"role":"assistant","content":"` + strings.Repeat("It may be the seventh. ", 1000) + `"}]`
	out := core.Call("plan", []byte(`{"policy":`+policy+`,"state":`+string(a.State)+`,"messages":`+next+`}`))
	var b api.Planned
	if err := json.Unmarshal(out, &b); err != nil {
		t.Fatal(err)
	}
	if r := b.Report.Refill; r == nil || r.Messages != 1 || r.Assistant < 4000 || r.ToolResults != 0 {
		t.Errorf("%+v", r)
	}
}
