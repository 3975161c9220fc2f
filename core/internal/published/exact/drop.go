package exact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// drop drops the middle, even if that separates calls from their results, and even what is pinned (S0.26 to S0.28).
func drop(p *passes.DropPass, c *passes.Run) {
	n := len(c.Items)
	first, recent := min(p.KeepFirst, n), max(0, n-p.KeepRecent)
	if first < recent {
		if take(c, "drop", passes.DroppedToFit, first, recent); c.Total <= c.Target {
			return
		}
	}
	fit(c, "drop")
}

// fit keeps the newest messages that fit in the target. It ignores what the messages are and how large the marker is (S0.29 to S0.31).
func fit(c *passes.Run, pass api.Doer) {
	from, room := len(c.Items), c.Target
	for from > 0 && c.Items[from-1].Tokens <= room {
		from--
		room -= c.Items[from].Tokens
	}
	take(c, pass, "", 0, from)
}

// take replaces items with a message that says how many there were.
func take(c *passes.Run, pass api.Doer, why string, from, to int) {
	if from >= to {
		return
	}
	part := len(c.T.Parts)
	text := view.DroppedPrefix + strconv.Itoa(to-from) + " messages removed" + why + "]"
	marker := c.Compose(c.NewMessage(from, transcript.User, text))
	c.KeepFold(nil, &marker, c.Items[from:to]...)
	c.PutMarker(pass, marker, from, part, func(i int) bool { return i >= from && i < to })
}
