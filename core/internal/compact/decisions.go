package compact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
)

// decisions returns the log: one entry for each input message that the compaction covered.
func (c *Run) decisions() []api.Decision {
	log := make([]api.Decision, c.N)
	for m := range log {
		log[m] = api.Decision{Message: m, Decision: api.DecisionKept, Before: c.sizes[m]}
	}
	for _, it := range c.Items {
		if it.In < 0 || int(it.In) >= c.N {
			continue
		}
		d := &log[it.In]
		d.After += it.Tokens
		if it.Pinned {
			if d.Decision, d.Rule = api.DecisionPinned, c.pinRule(it.Msg); it.Instr {
				d.Rule = "instructions"
			}
		}
	}
	for _, a := range c.Report.Actions {
		if a.Message >= 0 && a.Message < c.N && a.Action != "restore" { // files are restored in separate messages
			d := &log[a.Message]
			d.Decision, d.Pass, d.Rule = api.DecisionName(a.Action), a.Pass, a.Rule
		}
	}
	return log
}

// pinRule returns why a message is pinned.
func (c *Run) pinRule(m int32) string {
	switch {
	case c.T.Messages[m].Role.String() == "system":
		return "system"
	case c.Holds(m):
		return "provider"
	}
	for i := range c.Policy.Pins {
		if c.Matches(&c.Policy.Pins[i], int(m)) {
			return "pins[" + strconv.Itoa(i) + "]"
		}
	}
	return "newest_user"
}
