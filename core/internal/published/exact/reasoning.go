package exact

import (
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// reasoning takes reasoning out wherever it is, also where a model wants it back.
func reasoning(p *passes.ReasoningPass, c passes.Run) {
	doc := c.Doc()
	for i := range doc.T.Parts {
		doc.T.Parts[i].Flags &^= transcript.Demanded
	}
	c.Mend().StripReasoning(0, p.End(c), "reasoning", "", func(*transcript.Part) bool { return true })
}
