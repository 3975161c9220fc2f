package compact

import "strconv"

// Decision says what became of one message of the input.
//
//easyjson:json
type Decision struct {
	Message int `json:"message"`
	// Decision is "kept", "pinned", or the last action that touched it: docs/ABI.md lists the words.
	Decision string `json:"decision"`
	Pass     string `json:"pass,omitempty"` // that did it
	// Rule is what a repair mended, or why the message is pinned: "system", "newest_user", "provider" or "pins[n]".
	Rule string `json:"rule,omitempty"`
	// Before and After are the message's tokens; After is 0 where it is gone.
	Before int `json:"before"`
	After  int `json:"after"`
}

// decisions is the log: one entry for each message of the input that the compaction was about.
func (c *Run) decisions() []Decision {
	log := make([]Decision, c.N)
	for m := range log {
		log[m] = Decision{Message: m, Decision: "kept", Before: c.sizes[m]}
	}
	for _, it := range c.Items {
		if it.In < 0 || int(it.In) >= c.N {
			continue
		}
		d := &log[it.In]
		d.After += it.Tokens
		if it.Pinned {
			d.Decision, d.Rule = "pinned", c.pinRule(it.Msg)
		}
	}
	for _, a := range c.Report.Actions {
		if a.Message >= 0 && a.Message < c.N && a.Action != "restore" { // a file is restored in a message of its own
			d := &log[a.Message]
			d.Decision, d.Pass, d.Rule = a.Action, a.Pass, a.Rule
		}
	}
	return log
}

// pinRule tells why a message is pinned.
func (c *Run) pinRule(m int32) string {
	switch {
	case c.T.Messages[m].Role.String() == "system":
		return "system"
	case c.holds(m):
		return "provider"
	}
	for i := range c.Policy.Pins {
		if c.matches(&c.Policy.Pins[i], int(m)) {
			return "pins[" + strconv.Itoa(i) + "]"
		}
	}
	return "newest_user"
}
