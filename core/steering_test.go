package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// steered returns a conversation of UI messages: one turn of n steps, during which the user says "Steer 3.", "Steer 6." and so on.
func steered(n int) string {
	var parts []string
	for i := range n {
		if i > 0 && i%3 == 0 {
			parts = append(parts, fmt.Sprintf(`{"type":"steering-message","id":"s%d","parts":[{"type":"text","text":"Steer %d."},{"type":"file","mediaType":"image/png","url":"data:image/png;base64,aaaa"},{"type":"text","text":"Really %d."}]}`, i, i, i))
		}
		parts = append(parts, `{"type":"step-start"}`, fmt.Sprintf(`{"type":"tool-read","toolCallId":"c%d","state":"output-available","input":{"path":"f%d.go"},"output":"%s"}`, i, i, strings.Repeat("line of text ", 60)))
	}
	parts = append(parts, `{"type":"step-start"}`, `{"type":"text","text":"Done."}`)
	return `[{"id":"1","role":"user","parts":[{"type":"text","text":"Read all files."}]},{"id":"2","role":"assistant","parts":[` + strings.Join(parts, ",") + `]}]`
}

// Messages that the user sends while the assistant is working are the user's: in prompts, in digests and in the ledger. The newest one
// stays unchanged.
func TestSteeringMessages(t *testing.T) {
	list := steered(12) // the newest is "Steer 9."
	if v := call(t, "validate", `{"messages":`+list+`}`); !v.Valid {
		t.Fatalf("%+v %+v", v.Error, v.Violations)
	}
	for _, preset := range []string{"default", "turn-tail", "agent-loop", "window-budget"} {
		for _, mode := range []string{"model", "local"} {
			name := preset + ", " + mode
			policy := fmt.Sprintf(`{"preset":%q,"format":"ai-sdk-ui","window":{"tokens":2800,"reserve":100},"summary":{"mode":%q,"style":%q}}`, preset, mode, map[string]string{"window-budget": "checkpoint"}[preset])
			p := call(t, "plan", `{"policy":`+policy+`,"messages":`+list+`}`)
			a, broken := promises(t, "ai-sdk-ui", policy, []byte(list), summaryText)
			if mode == "model" && len(p.Requests) > 0 && !strings.Contains(string(a.Messages), `"Steer 3."`) { // else its step stays
				prompt := ""
				for _, r := range p.Requests {
					prompt += r.Prompt
				}
				for _, want := range []string{"Steer 3.", "Really 3."} {
					if at := strings.Index(prompt, want); at < 0 || !strings.Contains(strings.ToLower(prompt[max(0, at-12):at]), "you") && !strings.Contains(strings.ToLower(prompt[max(0, at-40):at]), "user") {
						t.Errorf("%s: the prompt does not have %q as the user's words: %.200s", name, want, prompt[max(0, at-60):])
					}
				}
			}
			for _, b := range broken {
				t.Errorf("%s: %s", name, b)
			}
			if !a.Report.Changed {
				t.Errorf("%s: %s", name, a.Report.Reason)
				continue
			}
			out := string(a.Messages)
			newest := `{"type":"steering-message","id":"s9","parts":[{"type":"text","text":"Steer 9."},{"type":"file","mediaType":"image/png","url":"data:image/png;base64,aaaa"},{"type":"text","text":"Really 9."}]}`
			if !strings.Contains(out, newest) {
				t.Errorf("%s: the newest words of the user are not as they were", name)
			}
			if !strings.Contains(out, `"id":"s3"`) { // it was folded
				var state struct{ Ledger struct{ Requests []string } }
				if err := json.Unmarshal(a.State, &state); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(strings.Join(state.Ledger.Requests, "|"), "Steer 3.\nReally 3.") || !strings.Contains(out, "Steer 3.") {
					t.Errorf("%s: the ledger has %q", name, state.Ledger.Requests)
				}
			}
			if bad := judge.Valid("ai-sdk-ui", a.Messages); len(bad) > 0 {
				t.Errorf("%s: %s", name, bad[0])
			}
		}
	}

	// With a newer user message, steering messages are folded like others.
	later := strings.TrimSuffix(list, "]") + `,{"id":"3","role":"user","parts":[{"type":"text","text":"Now write."}]},{"id":"4","role":"assistant","parts":[{"type":"text","text":"Written."}]}]`
	a := compacts(t, `{"format":"ai-sdk-ui","window":{"tokens":900,"reserve":100},"summary":{"mode":"local"}}`, "", later, "")
	if a.Error != nil || strings.Contains(string(a.Messages), "steering-message") || !strings.Contains(string(a.Messages), "Steer 9.") {
		t.Errorf("%+v %s %d tokens, %.300s", a.Error, a.Report.Reason, a.Report.Tokens.Before, a.Messages)
	}

	// A list of what a digest cannot hold is not lost either.
	for _, passes := range []string{`{"pass":"collapse","keep_recent":0},{"pass":"drop","keep_first":0,"keep_recent":0},{"pass":"fit"}`, `{"pass":"fold","keep_tokens":1,"boundary":"group"}`} {
		policy := `{"format":"ai-sdk-ui","window":{"tokens":1000,"reserve":100},"summary":{"mode":"local"},"passes":[` + passes + `]}` + force
		if a := compacts(t, policy, "", list, ""); !strings.Contains(string(a.Messages), `"id":"s9"`) {
			t.Errorf("%s: %.300s", passes, a.Messages)
		}
	}
}
