package verbatim

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// windowBudget is the style of S3, which treats the previous digest like any other message (S3.48).
var windowBudget = &Style{
	Data: styles.WindowBudget,
	Record: func(t *transcript.Transcript, messages []int32) (string, bool) {
		return digest.Flatten(t, messages, 0), true
	},
	Prompt:       windowBudgetPrompt,
	Instructions: always(styles.WindowBudgetInstructions),
	Thinking:     "high", // S3.25
	Message:      func(body string) string { return digest.Header + "\n\n" + body },
	Failure:      func(_, _ bool, r api.Summary) string { return r.Error },
	Local:        digest.Minimal, Unchecked: true,
}

// windowBudgetPrompt joins a description of the record, the previous digest if it isn't blank, the record, and the
// instructions (S3.20).
func windowBudgetPrompt(p *Prompt) string {
	scope := api.ScopeSession
	if p.Scope == api.ScopeBranch {
		scope = api.ScopeBranch
	}
	instructions := styles.WindowBudgetInstructions
	blocks := []string{styles.WindowBudgetNote(scope)}
	if !IsBlank(p.Prior) {
		blocks = append(blocks, "<"+digest.PriorTag+">\n"+p.Prior+"\n</"+digest.PriorTag+">")
	}
	if p.Template != "" {
		instructions = p.Template
	}
	blocks = append(blocks, "<"+digest.RecordTag+">\n"+strings.TrimSpace(p.Record)+"\n</"+digest.RecordTag+">", instructions)
	if p.Instructions != "" {
		blocks = append(blocks, p.Instructions)
	}
	return strings.Join(blocks, "\n\n")
}
