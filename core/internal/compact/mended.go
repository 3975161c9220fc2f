package compact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Repair mends a transcript without compacting it.
func Repair(in view.Input) *Run {
	c := Begin(in)
	defer c.Judge(c.Held)
	if c.Repair(); !c.Changed() && !c.Beside {
		c.Unchanged(api.ReasonValid)
		if c.Report.Left = c.Refused; len(c.Refused) > 0 {
			c.Report.Reason = api.ReasonNoProgress // what is wrong, only the caller can mend
		}
		return c
	}
	if mode, _ := c.ThinkingMode(); !mend.NeedsThinking(mode) && c.SettleThinking() { // what was mended is a change too
		c.Repair()
	}
	c.finish()
	c.Report.Left, c.Report.Reason = c.Named(c.Violations()), api.ReasonRepaired
	return c
}
