package exact

import (
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// reasoning removes all reasoning in its range, even if the provider requires it.
func reasoning(p *passes.ReasoningPass, c passes.Run) {
	doc := c.Doc()
	for i := range doc.T.Parts {
		doc.T.Parts[i].Flags &^= transcript.Required
	}
	c.Mend().StripReasoning(0, p.End(c), "reasoning", "", func(*transcript.Part) bool { return true })
}
