package compact

import (
	"github.com/ctxfold/ctxfold/api"
)

// maxFailed is how many consecutive compactions may fail before the next one waits until the transcript has grown.
const maxFailed = 3

// stuck reports whether the last compactions have shown that another one would not help.
func (c *Run) stuck() bool {
	a := c.State.Attempts
	return !c.Policy.Force && a != nil && a.Failed >= maxFailed && c.Total < a.Tokens+c.Policy.Growth()
}

// failed ends the run with an unchanged input, and counts the failure.
func (c *Run) failed(reason api.Reason) *Run {
	c.Unchanged(reason)
	c.Report.Left = c.Refused
	if c.Due && !c.Policy.Force && !c.Policy.Background && c.Report.Cold == "" {
		c.State.Attempts = &api.Attempts{Failed: c.failures(), Tokens: c.Report.Tokens.Before}
	}
	return c
}

// failures counts this compaction as a failed one. A compaction that waited and fails again makes the next one wait again.
func (c *Run) failures() int {
	if c.State.Attempts == nil {
		return 1
	}
	return min(c.State.Attempts.Failed+1, maxFailed)
}

// Gained counts a compaction that has changed the transcript.
func (c *Run) Gained() {
	a := api.Attempts{Gain: c.Report.Tokens.Before - c.Report.Tokens.After, Tokens: c.Report.Tokens.After}
	if c.Limit > 0 && a.Tokens > c.Limit {
		a.Failed = c.failures()
	}
	c.State.Attempts = &a
	c.State.Streak = &c.streak
}
