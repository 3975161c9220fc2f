package compact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Repair repairs a transcript without compacting it. If there is nothing to repair, the run has the reason "valid"; if
// only violations are left that the caller must repair, it has "no_progress".
func Repair(in view.Input) *Run {
	c := Begin(in)
	defer c.ReportFit(c.keep.StayingItems)
	if c.mend.Repair(); !c.doc.IsChanged() && !c.doc.Beside {
		c.EndUnchanged(api.ReasonValid)
		if c.report.Left = c.mend.RefusedInput(); len(c.mend.RefusedInput()) > 0 {
			c.report.Reason = api.ReasonNoProgress // only the caller can repair it
		}
		return c
	}
	if mode, _ := c.mend.ThinkingMode(); !mend.NeedsThinking(mode) && c.mend.SettleThinking() { // removing thinking is a change too
		c.mend.Repair()
	}
	c.finish()
	c.report.Left, c.report.Reason = c.mend.RefusedOf(c.mend.Violations()), api.ReasonRepaired
	return c
}

// KeepUnchanged returns a run that changes nothing, and reports the violations in the input that would make the
// provider reject it.
func KeepUnchanged(in view.Input) *Run {
	c := Begin(in)
	if c.EndUnchanged(api.ReasonValid); len(c.report.Left) == 0 {
		c.report.Left = c.mend.RefusedOf(c.mend.Violations())
	}
	if len(c.report.Left) > 0 {
		c.report.Reason = api.ReasonNoProgress
	}
	return c
}
