package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

const branchHeader = "[branch digest — archived from a path not taken]"

// An abandoned path becomes one digest as a whole, including the user's last words and unanswered calls. The archive restores it unchanged.
func TestBranch(t *testing.T) {
	n, folded := 0, 0
	for _, s := range sessions.Load(t, formats...) {
		if n++; n > 60 {
			break
		}
		list := s.JSON()
		for _, style := range []string{"", "checkpoint"} {
			policy := fmt.Sprintf(`{"format":%q,"archive":"places","summary":{"scope":"branch","style":%q},"passes":[{"pass":"fold"}]}`, s.Format, style) + force
			plan := call(t, "plan", `{"policy":`+policy+`,"messages":`+string(list)+`}`)
			if len(plan.Requests) == 0 {
				continue // smaller than a digest
			}
			if q := plan.Requests[0]; q.Scope != "branch" || !strings.Contains(q.Prompt, "abandoned") {
				t.Errorf("%s: asked for %s: %.300s", s.Name, q.Scope, q.Prompt)
			}
			a := compacts(t, policy, "", string(list), summaryText)
			if !a.Report.Changed {
				continue
			}
			folded++
			if bad := judge.Valid(s.Format, a.Messages); len(bad) > 0 {
				t.Errorf("%s: %s", s.Name, bad[0])
			}
			if strings.Count(string(a.Messages), branchHeader) != 1 || a.Report.Messages.After > a.Report.Messages.Before-a.Report.Folded+2 {
				t.Errorf("%s: %+v", s.Name, a.Report)
			}
			for _, b := range restores(t, s.Format, list, a) {
				t.Errorf("%s: %s", s.Name, b)
			}
			if again := compacts(t, policy, "", string(a.Messages), summaryText); string(again.Messages) != string(a.Messages) {
				t.Errorf("%s: a digest of a branch was folded again", s.Name)
			}
		}
	}
	if folded < 20 {
		t.Errorf("only %d branches were folded", folded)
	}
}

// When the digest of an abandoned path is folded later, its requests are no longer requested, but its changes still count and its findings
// are carried over.
func TestBranchIsFoldedLater(t *testing.T) {
	branch := `[{"role":"user","content":"Rewrite it in Rust."},
{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"write","arguments":"{\"path\":\"src/main.rs\",\"content\":\"fn main() {}\"}"}}]},
{"role":"tool","tool_call_id":"1","content":"` + strings.Repeat("error[E0308]: mismatched types. ", 200) + `"},
{"role":"assistant","content":"The crate quux_9000 does not build here."}]`
	a := compacts(t, `{"format":"openai-chat","summary":{"scope":"branch","mode":"local"},"passes":[{"pass":"fold"}]}`+force, "", branch, "")
	var digest []json.RawMessage
	if err := json.Unmarshal(a.Messages, &digest); err != nil || len(digest) != 1 || !strings.Contains(string(digest[0]), "Rewrite it in Rust.") {
		t.Fatalf("%s", a.Messages)
	}
	live := `[{"role":"user","content":"Speed it up."},{"role":"assistant","content":"` + strings.Repeat("Thinking about it. ", 300) + `"},` + string(digest[0]) +
		`,{"role":"user","content":"Then go on in Go."},{"role":"assistant","content":"Yes."},{"role":"user","content":"Now."}]`
	b := compacts(t, `{"format":"openai-chat","summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":10}]}`+force, "", live, "")
	text := string(b.Messages)
	if strings.Contains(text, branchHeader) || strings.Contains(text, "- Rewrite it in Rust.") || !strings.Contains(text, "Then go on in Go.") ||
		!strings.Contains(text, "[1] user: Speed it up.") || !strings.Contains(text, "src/main.rs") {
		t.Errorf("%s", text)
	}
}
