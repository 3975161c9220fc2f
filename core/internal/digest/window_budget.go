package digest

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// windowBudget is the style of the published system S3. ctxfold's own record, headings and digest
// messages are modelled on S3, so this style uses the same ones. Only its requests are worded
// differently.
var windowBudget = &Style{
	Name: "window-budget", Role: transcript.User, Own: true,
	Header: Header, System: System,
	Record: ownRecord,
	Prompt: func(p *Prompt) string {
		before, behind := WindowBudgetAsk(p.Scope)
		return p.between(before, behind)
	},
}

// WindowBudgetAsk returns the texts before and after the record, for a prompt in the window-budget
// style. scope is what the summary covers.
func WindowBudgetAsk(scope api.Scope) (before, behind string) {
	s := scopes[scope]
	return s.before, s.behind
}
