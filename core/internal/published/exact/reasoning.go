package exact

import (
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// reasoning removes all reasoning, even if a model wants it back.
func reasoning(p *passes.ReasoningPass, c passes.Run) {
	doc := c.Doc()
	for i := range doc.T.Parts {
		doc.T.Parts[i].Flags &^= transcript.Required
	}
	c.Mend().StripReasoning(0, p.End(c), "reasoning", "", func(*transcript.Part) bool { return true })
}
