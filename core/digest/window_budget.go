package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/transcript"
)

// windowBudget is the style of S3. ctxfold's own record, headings and digest messages are made after it, so with wire_safe
// there is no other; without it nothing is fenced, and the digest before is talk like any other (S3.48).
var windowBudget = &Style{
	Name: "window-budget", Role: transcript.User, Own: true, Unchecked: true,
	Header: Header, System: System,
	Thinking: "high", // S3.25
	Record: func(t *transcript.Transcript, messages []int32, o RecordOptions) (string, bool) {
		if o.Exact {
			return Flatten(t, messages, o.Clip), true
		}
		return ownRecord(t, messages, o)
	},
	Prompt:  windowBudgetPrompt,
	Ask:     func(int, bool) string { return template },
	Message: func(body string) string { return Header + "\n\n" + body },
	Failure: func(_, _ bool, r Reply) string { return r.Error },
	Local:   Minimal,
}

// windowBudgetPrompt joins what the record is, the digest so far if it says anything, the record, and what to write (S3.20).
func windowBudgetPrompt(q *Prompt) string {
	if !q.Exact {
		return ownPrompt(q)
	}
	scope := SessionScope
	if q.Scope == BranchScope {
		scope = BranchScope
	}
	blocks := []string{scopes[scope].before}
	if !blank(q.Prior) {
		blocks = append(blocks, "<"+priorTag+">\n"+q.Prior+"\n</"+priorTag+">")
	}
	ask := q.Template
	if ask == "" {
		ask = scopes[scope].behind
	}
	blocks = append(blocks, "<"+recordTag+">\n"+strings.TrimSpace(q.Record)+"\n</"+recordTag+">", ask)
	if q.Instructions != "" {
		blocks = append(blocks, q.Instructions)
	}
	return strings.Join(blocks, "\n\n")
}
