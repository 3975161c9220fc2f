package compact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Clip shortens each text of the input's first message to size bytes, as a compaction shortens a first message that
// changes between requests. It returns the message and the bodies to archive, or nil if no text is that long.
func Clip(in view.Input, size int) (message []byte, bodies []api.Body) {
	c := Begin(in)
	if !passes.Clip(c, 0, size) {
		return nil, nil
	}
	return c.doc.AppendFinal(nil, &c.doc.Items[0]), c.archive.Archived()
}
