package compact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/keep"
)

// decisions returns the log of the compaction, with one entry for each input message that it covered.
func (c *Run) decisions() []api.Decision {
	log := make([]api.Decision, c.doc.N)
	for m := range log {
		log[m] = api.Decision{Message: m, Decision: api.DecisionKept, Before: c.sizes[m]}
	}
	for _, it := range c.doc.Items {
		if it.In < 0 || int(it.In) >= c.doc.N {
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
	for _, a := range c.report.Actions {
		if a.Message >= 0 && a.Message < c.doc.N && a.Action != "restore" { // a restored file is in a separate message
			d := &log[a.Message]
			d.Decision, d.Pass, d.Rule = api.DecisionName(a.Action), a.Pass, a.Rule
		}
	}
	return log
}

// pinRule returns the reason why message m is pinned, in the form used by the log.
func (c *Run) pinRule(m int32) string {
	switch {
	case c.doc.T.Messages[m].Role.String() == "system":
		return "system"
	case c.keep.ProviderOnly(m):
		return "provider"
	case c.keep.StaysByScore(m):
		return "score"
	}
	if pin := keep.PinOf(c.doc, c.policy, int(m)); pin >= 0 {
		return "pins[" + strconv.Itoa(pin) + "]"
	}
	return "newest_user"
}
