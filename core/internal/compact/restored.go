package compact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Restore undoes compactions, newest first, as far as bodies were given. It uses the changes that the state or a digest names, message by
// message; if there are none, or the transcript has been changed since, it restores what the markers name, and what those bodies name. left
// are the markers that remain in the result, and the changes that were not undone.
func Restore(in view.Input, given []api.Kept) (c *Run, left []api.Marker, err *policy.Error) {
	c = Begin(in)
	if left, err = c.Restore(given); err != nil {
		return nil, nil, err
	}
	defer c.Judge(c.Held)
	if !c.Changed() {
		c.State = in.State
		return c.Unchanged(api.ReasonNothingToRestore), left, nil
	}
	state := c.State
	c.finish()
	c.State, c.Report.Reason = state, api.ReasonRestored
	return c, left, nil
}
