package core_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// A policy that could never make a compaction due is an error with advice, in each operation that checks whether compaction is due. A
// policy may explicitly have no limit, and a forced compaction needs none.
func TestUnknownWindow(t *testing.T) {
	const list = `"messages":[{"role":"user","content":"Hello."},{"role":"assistant","content":"Good morning."}]`
	for _, tt := range []struct{ policy, options, code, says string }{
		{``, ``, "unknown_window", "there is no context window"},
		{`{}`, ``, "unknown_window", "there is no context window"},
		{`{"window":{}}`, ``, "unknown_window", `{"window":{"unlimited":true}}`},
		{`{"window":{"tokens":0}}`, ``, "unknown_window", `{"window":{"tokens":200000}}`},
		{`{"window":{"tokens":null}}`, ``, "unknown_window", "set window.tokens"}, // JSON of NaN
		{`{"window":{"unlimited":false}}`, ``, "unknown_window", ""},
		{`{"window":{"reserve":2000}}`, ``, "unknown_window", ""},
		{`{"model":"gpt-50"}`, ``, "unknown_window", `the model "gpt-50" is unknown`},
		{`{}`, `{"model":"gpt-50"}`, "unknown_window", `the model "gpt-50" is unknown`},
		{`{"model":"` + strings.Repeat("x", 300) + `"}`, ``, "unknown_window", "there is no context window"},
		{`{"preset":"window-budget"}`, ``, "unknown_window", ""},
		{`{"gate":{"idle":300}}`, `{"cold":"idle"}`, "unknown_window", ""},
		{`{"window":{"tokens":-1}}`, ``, "out_of_range", "window.tokens must be"},
		{`{"window":8000}`, ``, "wrong_type", `{"window":{"tokens":8000}}`},
		{`{"window":"8k"}`, ``, "wrong_type", `{"window":{"tokens":200000}}`},
		{`{"window":{"tokens":1000}}`, ``, "", ""},
		{`{"window":{"unlimited":true}}`, ``, "", ""},
		{`{"window":{"unlimited":true,"tokens":9}}`, ``, "", ""},
		{`{"model":"gpt-50","window":{"unlimited":true}}`, ``, "", ""},
		{`{"preset":"checkpoint","window":{"unlimited":true}}`, ``, "", ""},
		{`{"model":"gpt-4o"}`, ``, "", ""},
		{`{}`, `{"model":"gpt-4o"}`, "", ""},
		{`{}`, `{"window":1000}`, "", ""},
		{`{"max_bytes":1000}`, ``, "", ""},
		{`{"gate":{"max_tokens":1000}}`, ``, "", ""},
		{`{"preset":"agent-loop"}`, ``, "", ""},
	} {
		for _, op := range []string{"check", "plan", "fit"} {
			request := "{"
			if tt.policy != "" {
				request += `"policy":` + tt.policy + `,`
			}
			if tt.options != "" {
				request += `"options":` + tt.options + `,`
			}
			request += list + "}"
			got := string(core.Call(op, []byte(request)))
			if tt.code == "" && strings.HasPrefix(got, `{"error"`) || tt.code != "" && !strings.Contains(got, `{"error":{"code":"`+tt.code+`"`) ||
				!strings.Contains(strings.ReplaceAll(got, `\"`, `"`), tt.says) {
				t.Errorf("%s %s: %.400s, want %s %s", op, request, got, tt.code, tt.says)
			}
		}
	}
	for _, op := range []string{"plan", "fit"} {
		if got := string(core.Call(op, []byte(`{"policy":{},"options":{"force":true},`+list+`}`))); strings.HasPrefix(got, `{"error"`) {
			t.Errorf("%s, forced: %s", op, got)
		}
	}
	var s core.Sessions
	s.Call("session_open", []byte(`{`+list+`}`))
	for _, op := range []string{"check", "plan"} {
		if got := string(s.Call(op, []byte(`{"session":1}`))); !strings.Contains(got, `"code":"unknown_window"`) {
			t.Errorf("%s of a session: %s", op, got)
		}
	}
}
