package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
)

// For a conversation without tool calls, the headings of a chat are requested, regardless of the scope. No request asks
// for lists that code appends.
func TestAsksByWhatIsThere(t *testing.T) {
	for _, scope := range []api.Scope{api.ScopeSession, api.ScopeUpdate, api.ScopeTurnPrefix, api.ScopePart, api.ScopeMerge, api.ScopeBranch} {
		for _, chat := range []bool{false, true} {
			p := digest.Prompt{Scope: scope, Record: "» you: x", Prior: "# Notes\ny", Chat: chat}
			text := p.Text()
			for _, heading := range []string{"\n# People\n", "\n# About the user\n", "\n# Plans and dates\n", "\n# Open questions\n"} {
				if strings.Contains(text, heading) != chat {
					t.Errorf("%s, chat %v: %q", scope, chat, heading)
				}
			}
			for _, heading := range []string{"\n# Objective\n", "\n## Stuck\n", "\n# Carryover\n"} {
				if strings.Contains(text, heading) == chat {
					t.Errorf("%s, chat %v: %q", scope, chat, heading)
				}
			}
			if !strings.Contains(text, "Code appends to your digest") || !strings.Contains(text, "# Notes\ny") || chat && strings.Contains(text, "Shipped") {
				t.Errorf("%s, chat %v: %s", scope, chat, text)
			}
		}
	}
}

func TestChats(t *testing.T) {
	for src, want := range map[string]bool{
		`[{"role":"user","content":"Hello, I am Ana."},{"role":"assistant","content":"Hello Ana!"}]`:                                                     true,
		`[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"web_search","arguments":{"query":"x"}}]}]`: false,
		`[{"role":"bash_execution","command":"ls","output":"a","exit_code":0}]`:                                                                          false,
	} {
		tr, seq := read(t, "native", src)
		var l digest.Ledger
		l.Add(tr, seq)
		if digest.Chats(tr, seq, "", &l) != want {
			t.Errorf("%s: not %v", src, want)
		}
	}
	tr, seq := read(t, "native", `[{"role":"user","content":"Hello, I am Ana."}]`)
	if digest.Chats(tr, seq, "", &digest.Ledger{Modified: []string{"a.go"}}) {
		t.Error("a session whose files the ledger knows is no chat")
	}
}

// With wire_safe, window-budget uses the wording of the published system.
func TestPublishedWords(t *testing.T) {
	safe := styles.WindowBudget
	p := digest.Prompt{Style: safe, Scope: api.ScopeSession, Record: "» you: x", Chat: true}
	if text := p.Text(); !strings.Contains(text, "Rules, preferences and limits that the user set.") || strings.Contains(text, "Code appends") || p.System() != safe.System {
		t.Errorf("%s\n%s", p.System(), text)
	}
}
