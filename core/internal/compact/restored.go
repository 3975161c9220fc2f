package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Restore undoes compactions, newest first, as far as the given bodies allow. It follows the changes named by the state
// or a digest, message by message. If there are none, or if the transcript has changed since, it restores the content
// named by markers and by the restored bodies themselves. left lists the markers that remain in the result, and the
// changes that were not undone. err is that of an invalid policy.
func Restore(in view.Input, given []api.Kept) (c *Run, left []api.Marker, err *policy.Error) {
	c = Begin(in)
	left, before, err := handles.Restore(c.doc, c.authors, &c.report, given, c.state.Archive, c.state.Respelled)
	if err != nil {
		return nil, nil, err
	}
	c.state.Archive = before
	if at := slices.IndexFunc(left, func(m api.Marker) bool { return m.Fault == api.MarkerRespelled }); at >= 0 {
		c.state.Respelled = ""
	}
	defer c.ReportFit(c.keep.StayingItems)
	if !c.doc.IsChanged() {
		c.state = in.State
		return c.EndUnchanged(api.ReasonNothingToRestore), left, nil
	}
	state := c.state
	c.finish()
	c.state, c.report.Reason = state, api.ReasonRestored
	return c, left, nil
}
