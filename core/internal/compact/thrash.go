package compact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// thrashing is the minimum number of consecutive compactions that the report mentions.
const thrashing = 3

// fixedShare divides the limit. If messages that must stay, or new messages, are larger than the quotient, they are
// reported as the cause.
const fixedShare = 2

// nearTarget is the share of the limit above which a target counts as too close to the limit.
const nearTarget = 0.9

// CountThrashing counts this compaction before its passes run. If there were too many in a row, it reports that.
func (c *Run) CountThrashing() {
	now := api.Streak{Compactions: 1}
	user, assistant := c.countSpoken(0)
	now.User, now.Assistant = user, assistant
	whole := c.wholeHistory()
	if s := c.state.Streak; s != nil {
		if !whole {
			user, assistant = c.countSpoken(c.state.Messages)
		} else {
			user, assistant = user-s.User, assistant-s.Assistant
		}
		if user >= 0 && (user == 1 || user < 1 && assistant <= 2) {
			now.Compactions = s.Compactions + 1
		}
	}
	c.streak = now
	if now.Compactions >= thrashing {
		t := c.thrashingCause(whole)
		t.Compactions = now.Compactions
		c.report.Thrashing = &t
	}
}

// countSpoken returns the numbers of user and assistant messages in the input from index from on. It doesn't count
// messages that a compaction wrote.
func (c *Run) countSpoken(from int) (user, assistant int) {
	for m := min(max(0, from), c.doc.N); m < c.doc.N; m++ {
		switch c.doc.T.Messages[m].Role {
		case transcript.User:
			if c.doc.T.HasUserText(m) && !c.authors.IsOwn(int32(m)) {
				user++
			}
		case transcript.Assistant:
			if !c.authors.IsOwn(int32(m)) {
				assistant++
			}
		}
	}
	return user, assistant
}

// wholeHistory reports whether the input is not the result of the last compaction and contains no digest. The
// application has then compacted before, but passes its whole history again.
func (c *Run) wholeHistory() bool {
	s := &c.state
	if s.Fingerprint == "" || s.Messages >= 0 && s.Messages <= c.doc.N && c.doc.T.Fingerprint(s.Messages) == s.Fingerprint {
		return false
	}
	for m := range c.doc.N {
		if digest.Ours(c.doc.T, m) {
			return false
		}
	}
	return true
}

// thrashingCause returns the likely cause of consecutive compactions. whole means that the application passes its whole
// history each time.
func (c *Run) thrashingCause(whole bool) api.Thrashing {
	if whole {
		return api.Thrashing{Cause: api.ThrashingWholeHistory,
			Text: "the application gives its whole history and not the last result, so each " +
				"turn compacts it again; use fit, or continue from the result and its state"}
	}
	fixed, newest := c.doc.Total-c.doc.Tokens(0, len(c.doc.Items)), 0
	from := c.state.Messages
	if from >= c.doc.N {
		from = max(0, c.keep.NewestUser())
	}
	for i := range c.doc.Items {
		switch it := &c.doc.Items[i]; {
		case i >= from:
			newest += it.Tokens
		case it.Pinned:
			fixed += it.Tokens
		}
	}
	share := func(n int) string { return strconv.Itoa(n*100/max(1, c.limit)) + " % of the limit" }
	switch {
	case fixed > c.limit/fixedShare:
		return api.Thrashing{Cause: api.ThrashingPinned,
			Text: "pinned messages, the system prompt and the tools take " + share(fixed) +
				" and are never folded; pin less, shorten them, or raise the window"}
	case newest > c.limit/fixedShare:
		return api.Thrashing{Cause: api.ThrashingNewestMessages,
			Text: "the newest messages alone take " + share(newest) +
				"; let tools answer less at a time, or raise the window"}
	case float64(c.target) > float64(c.limit)*nearTarget:
		return api.Thrashing{Cause: api.ThrashingTarget,
			Text: "gate.target is so near to 1 that a result is soon over the limit again; lower it"}
	}
	return api.Thrashing{Cause: api.ThrashingWindow,
		Text: "what a turn adds is much for the window; raise it, or lower gate.target"}
}
