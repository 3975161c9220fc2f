package compact

import (
	"github.com/ctxfold/ctxfold/api"
)

// maxFailed is the number of consecutive failed compactions after which the next one waits until the transcript has
// grown.
const maxFailed = 3

// stuck reports whether the last compactions failed so often that another one is unlikely to help before the transcript
// has grown. A forced compaction is never stuck.
func (c *Run) stuck() bool {
	a := c.state.Attempts
	return !c.policy.Force && a != nil && a.Failed >= maxFailed && c.doc.Total < a.Tokens+c.policy.RetryGrowth()
}

// failed ends the run with its input unchanged. It counts the failure if a compaction was due because of the size,
// and was neither forced nor made in the background.
func (c *Run) failed(reason api.Reason) *Run {
	c.EndUnchanged(reason)
	c.report.Left = c.mend.RefusedInput()
	if c.due && !c.policy.Force && !c.policy.Background && c.report.Cold == "" {
		c.state.Attempts = &api.Attempts{Failed: c.failures(), Tokens: c.report.Tokens.Before}
	}
	return c
}

// failures returns the number of consecutive failures, including the current one. After a wait, a single failure is
// enough to cause the next wait.
func (c *Run) failures() int {
	if c.state.Attempts == nil {
		return 1
	}
	return min(c.state.Attempts.Failed+1, maxFailed)
}

// CountSuccess records what a compaction has gained. A result that is still over the limit counts as a failure.
func (c *Run) CountSuccess() {
	a := api.Attempts{Gain: c.report.Tokens.Before - c.report.Tokens.After, Tokens: c.report.Tokens.After}
	if c.limit > 0 && a.Tokens > c.limit {
		a.Failed = c.failures()
	}
	c.state.Attempts = &a
	c.state.Streak = &c.streak
}
