package compact

// Attempts is what the state remembers of compactions that did not help, so that a conversation which cannot be made smaller
// is not compacted, and its model not asked, at every turn.
//
//easyjson:json
type Attempts struct {
	// Failed is how many compactions in a row gained nothing, or left the transcript over its limit.
	Failed int `json:"failed,omitempty"`
	// Gain is what the last compaction freed, and Tokens the size it left behind.
	Gain   int `json:"last_gain,omitempty"`
	Tokens int `json:"tokens,omitempty"`
}

// maxFailed is how many compactions in a row may fail before the next one waits until the transcript has grown.
const maxFailed = 3

// growth is the share of the limit by which a transcript must have grown until it is tried again.
const growth = 20

// minGain is how many tokens a compaction must free, or nothing is done.
func (c *Run) minGain() int {
	if c.Policy.Force {
		return 0
	}
	return int(float64(c.Limit) * c.Policy.Gate.MinGain)
}

// stuck tells whether the last compactions have shown that another one would not help.
func (c *Run) stuck() bool {
	a := c.State.Attempts
	return c.Policy.Safe() && !c.Policy.Force && a != nil && a.Failed >= maxFailed && c.Total < a.Tokens+max(1, c.minGain(), c.Limit/growth)
}

// failed ends the run with the input as it came, and counts it.
func (c *Run) failed(reason string) *Run {
	c.unchanged(reason)
	c.Report.Left = c.refused
	if c.due && c.Policy.Safe() && !c.Policy.Force {
		c.State.Attempts = &Attempts{Failed: c.failures(), Tokens: c.Report.Tokens.Before}
	}
	return c
}

// failures counts this compaction as one that failed. One that has waited, and fails again, waits again.
func (c *Run) failures() int {
	if c.State.Attempts == nil {
		return 1
	}
	return min(c.State.Attempts.Failed+1, maxFailed)
}

// gained counts a compaction that has changed the transcript.
func (c *Run) gained() {
	a := Attempts{Gain: c.Report.Tokens.Before - c.Report.Tokens.After, Tokens: c.Report.Tokens.After}
	if c.Limit > 0 && a.Tokens > c.Limit {
		a.Failed = c.failures()
	}
	c.State.Attempts = &a
	c.State.Streak = &c.streak
}
