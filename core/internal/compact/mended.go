package compact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Repair repairs a transcript without compacting it.
func Repair(in view.Input) *Run {
	c := Begin(in)
	defer c.Judge(c.keep.Staying)
	if c.mend.Repair(); !c.doc.Changed() && !c.doc.Beside {
		c.Unchanged(api.ReasonValid)
		if c.report.Left = c.mend.Refused(); len(c.mend.Refused()) > 0 {
			c.report.Reason = api.ReasonNoProgress // only the caller can fix the remaining violations
		}
		return c
	}
	if mode, _ := c.mend.ThinkingMode(); !mend.NeedsThinking(mode) && c.mend.SettleThinking() { // removed thinking is a change too
		c.mend.Repair()
	}
	c.finish()
	c.report.Left, c.report.Reason = c.mend.Named(c.mend.Violations()), api.ReasonRepaired
	return c
}

// Kept returns a run that changes nothing and reports the violations in its input that the provider would reject.
func Kept(in view.Input) *Run {
	c := Begin(in)
	if c.Unchanged(api.ReasonValid); len(c.report.Left) == 0 {
		c.report.Left = c.mend.Named(c.mend.Violations())
	}
	if len(c.report.Left) > 0 {
		c.report.Reason = api.ReasonNoProgress
	}
	return c
}
