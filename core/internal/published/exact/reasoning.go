package exact

import (
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// reasoning removes all reasoning, even if a model wants it back.
func reasoning(p *passes.ReasoningPass, c *passes.Run) {
	for i := range c.T.Parts {
		c.T.Parts[i].Flags &^= transcript.Demanded
	}
	c.StripReasoning(0, p.End(c), "reasoning", "", func(*transcript.Part) bool { return true })
}
