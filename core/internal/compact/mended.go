package compact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Repair repairs a transcript without compacting it.
func Repair(in view.Input) *Run {
	c := Begin(in)
	defer c.Judge(c.Held)
	if c.Repair(); !c.Changed() && !c.Beside {
		c.Unchanged(api.ReasonValid)
		if c.Report.Left = c.Refused; len(c.Refused) > 0 {
			c.Report.Reason = api.ReasonNoProgress // only the caller can repair what is wrong
		}
		return c
	}
	if mode, _ := c.ThinkingMode(); !mend.NeedsThinking(mode) && c.SettleThinking() { // a repair is a change too
		c.Repair()
	}
	c.finish()
	c.Report.Left, c.Report.Reason = c.Named(c.Violations()), api.ReasonRepaired
	return c
}

// Kept returns a run that changes nothing, and reports what the provider would refuse in its input.
func Kept(in view.Input) *Run {
	c := Begin(in)
	if c.Unchanged(api.ReasonValid); len(c.Report.Left) == 0 {
		c.Report.Left = c.Named(c.Violations())
	}
	if len(c.Report.Left) > 0 {
		c.Report.Reason = api.ReasonNoProgress
	}
	return c
}
