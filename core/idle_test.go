package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
)

// The limit of this policy is 8,000 tokens, and a conversation with a cold cache is compacted above 4,000.
const idlePolicy = `{"window":{"tokens":10000,"reserve":0},"gate":{"idle":300},"passes":[{"pass":"fold","keep_tokens":1}]`

// A conversation below the limit is compacted if the prompt cache is cold, but not if it is small or the policy doesn't ask for it.
func TestIdle(t *testing.T) {
	const plain = idlePolicy + `}`
	gate := func(more string) string { return strings.Replace(plain, `"idle":300`, more, 1) }
	tests := []struct {
		name            string
		tokens          int
		policy, options string
		due             bool
		cold            api.Cold
	}{
		{"not idle", 4100, plain, ``, false, ""},
		{"shorter than the cache lives", 4100, plain, `,"idle":299.9`, false, ""},
		{"as long as the cache lives", 4100, plain, `,"idle":300`, true, api.ColdIdle},
		{"idle for ever", 4100, plain, `,"idle":1e9`, true, api.ColdIdle},
		{"another model", 4100, plain, `,"cold":"model_changed"`, true, api.ColdModel},
		{"another model, and idle", 4100, plain, `,"idle":400,"cold":"model_changed"`, true, api.ColdModel},
		{"another provider", 4100, plain, `,"cold":"provider_changed"`, true, api.ColdProvider},
		{"gone", 4100, plain, `,"cold":"gone"`, true, api.ColdGone},
		{"half of the limit", 4000, plain, `,"idle":300`, false, ""},
		{"a share of its own", 4100, gate(`"idle":300,"cold":0.6`), `,"idle":300`, false, ""},
		{"above it", 4900, gate(`"idle":300,"cold":0.6`), `,"idle":300`, true, api.ColdIdle},
		{"over the limit", 8100, plain, `,"idle":300`, true, ""},
		{"a policy without idle", 4100, gate(``), `,"idle":300`, false, ""},
		{"a share alone", 4100, gate(`"cold":0.1`), `,"idle":300,"cold":"gone"`, false, ""},
		{"few messages", 4100, gate(`"idle":300,"min_messages":12`), `,"idle":300`, false, ""},
		{"no model", 4100, idlePolicy + `,"summary":{"mode":"local"}}`, `,"idle":300`, true, api.ColdIdle},
	}
	for _, tt := range tests {
		for _, op := range []string{"check", "plan", "fit"} {
			request := fmt.Sprintf(`{"policy":%s,"options":{"usage":{"message":-1,"total_tokens":%d}%s},"messages":%s}`, tt.policy, tt.tokens, tt.options, optionsChat())
			var check api.Check
			var planned api.Planned
			answer := core.Call(op, []byte(request))
			if op == "check" {
				if err := json.Unmarshal(answer, &check); err != nil || check.Window == 0 {
					t.Fatalf("%s: %s", tt.name, answer)
				}
			} else {
				if err := json.Unmarshal(answer, &planned); err != nil || planned.Report.Tokens.Window == 0 {
					t.Fatalf("%s: %s", tt.name, answer)
				}
				check.Due, check.Cold = planned.Report.Reason != api.ReasonUnderBudget, planned.Report.Cold
				check.Reason = api.ReasonCold
			}
			if check.Due != tt.due || check.Cold != tt.cold || tt.cold != "" && check.Reason != api.ReasonCold {
				t.Errorf("%s, %s: %.600s", tt.name, op, answer)
			}
		}
	}
}

// idleChat has some 5,000 tokens.
func idleChat() string {
	list := []byte(`[{"role":"user","content":"Count the files."}`)
	for i := range 40 {
		text := strings.Repeat(fmt.Sprintf("File %d has %d lines. ", i, i*i), 16)
		list = fmt.Appendf(list, `,{"role":"assistant","content":"%s"},{"role":"user","content":"Go on with file %d."}`, text, i+1)
	}
	return string(append(list, ']'))
}

// A compaction for a cold cache makes the conversation smaller. If the model returns no summary, it stays unchanged, which doesn't count as
// a failure. Edits and sessions behave in the same way.
func TestIdleSummary(t *testing.T) {
	for reply, reason := range map[string]api.Reason{
		`{"id":"%s","error":"away"}`: api.ReasonSummaryFailed,
		`{"id":"%s","text":"## Goal\nThe user compares two files; they are equal, line by line, and nothing else is wanted."}`: api.ReasonCompacted,
	} {
		policy, messages := idlePolicy+`,"summary":{"retries":0}}`, idleChat()
		const options = `{"idle":3600,"answer":"edits"}`
		whole := fmt.Sprintf(`{"policy":%s,"options":%s,"messages":%s}`, policy, options, messages)
		run := func(call func(op, request string) []byte, request, rest string) (p api.Planned) {
			t.Helper()
			if err := json.Unmarshal(call("plan", request), &p); err != nil || len(p.Requests) != 1 {
				t.Fatalf("%v, %+v", err, p.Report)
			}
			request = fmt.Sprintf(`{"plan":%s,"summaries":[`+reply+`],%s}`, p.Plan, p.Requests[0].ID, rest)
			p = api.Planned{}
			if err := json.Unmarshal(call("step", request), &p); err != nil {
				t.Fatal(err)
			}
			return p
		}
		got := run(func(op, request string) []byte { return core.Call(op, []byte(request)) }, whole, `"messages":`+messages)
		if got.Report.Reason != reason || got.Report.Cold != api.ColdIdle || strings.Contains(string(got.State), `"failed"`) {
			t.Errorf("%+v, %s", got.Report, got.State)
		}
		if r := got.Report; r.Changed && r.Tokens.After > r.Tokens.Before*6/10 {
			t.Errorf("%d of %d tokens are left", r.Tokens.After, r.Tokens.Before)
		}
		var sessions core.Sessions
		call := func(op, request string) []byte { return sessions.Call(op, []byte(request)) }
		var opened api.SessionInfo
		if err := json.Unmarshal(call("session_open", fmt.Sprintf(`{"policy":%s,"messages":%s}`, policy, messages)), &opened); err != nil {
			t.Fatal(err)
		}
		session := fmt.Sprintf(`"session":%d`, opened.Session)
		again := run(call, fmt.Sprintf(`{%s,"options":%s}`, session, options), session)
		if string(again.Edits) != string(got.Edits) || again.Report.Cold != got.Report.Cold {
			t.Errorf("a session gives %s, not %s", again.Edits, got.Edits)
		}
	}
}

// Implausible idle times are errors with a path.
func TestOddIdle(t *testing.T) {
	for options, says := range map[string]string{
		`{"idle":-1}`:               "idle must be from 0 to 1,000,000,000 seconds",
		`{"idle":1e10}`:             "idle must be from 0 to 1,000,000,000 seconds",
		`{"idle":1e999}`:            "out of range",
		`{"idle":"5m"}`:             "expected a number",
		`{"cold":true}`:             "expected a string",
		`{"cold":"model"}`:          `cold must be "idle", "model_changed", "provider_changed" or "gone"`,
		`{"idel":3}`:                `did you mean \"idle\"?`,
		`{"idle":NaN}`:              "invalid_json",
		`{"cold":"provider_chang"}`: `cold must be`,
	} {
		for _, op := range []string{"check", "plan", "fit"} {
			got := string(core.Call(op, fmt.Appendf(nil, `{"policy":%s},"options":%s,"messages":%s}`, idlePolicy, options, optionsChat())))
			if !strings.Contains(got, `"error":{`) || !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), strings.ReplaceAll(says, `\"`, `"`)) {
				t.Errorf("%s, %s: %.300s", op, options, got)
			}
		}
	}
	for gate, says := range map[string]string{
		`{"idle":-1}`:         "gate.idle must be from 0 to 1,000,000,000 seconds",
		`{"idle":2000000000}`: "gate.idle must be from 0 to 1,000,000,000 seconds",
		`{"cold":1.1}`:        "gate.cold must be from 0, which is one half, to 1",
	} {
		if got := string(core.Call("check", fmt.Appendf(nil, `{"policy":{"gate":%s},"messages":[]}`, gate))); !strings.Contains(got, says) {
			t.Errorf("%s: %s", gate, got)
		}
	}
}
