package exact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// drop drops the middle of the transcript, including pinned messages, even if that separates calls from their results
// (S0.26 to S0.28).
func drop(p *passes.DropPass, c passes.Run) {
	doc := c.Doc()
	n := len(doc.Items)
	first, recent := min(p.KeepFirst, n), max(0, n-p.KeepRecent)
	if first < recent {
		if take(c, "drop", passes.DroppedToFit, first, recent); doc.Total <= c.Target() {
			return
		}
	}
	fit(c, "drop")
}

// fit keeps the newest messages that fit in the target, whatever their roles. It leaves no room for the marker (S0.29
// to S0.31).
func fit(c passes.Run, pass api.Doer) {
	doc := c.Doc()
	from, room := len(doc.Items), c.Target()
	for from > 0 && doc.Items[from-1].Tokens <= room {
		from--
		room -= doc.Items[from].Tokens
	}
	take(c, pass, "", 0, from)
}

// take replaces the items [from, to) with a marker message that states their number. why follows in the marker, before
// the closing bracket; it is a reason such as passes.DroppedToFit, or "". It does nothing if there are no such items.
func take(c passes.Run, pass api.Doer, why string, from, to int) {
	doc := c.Doc()
	if from >= to {
		return
	}
	part := len(doc.T.Parts)
	text := authorship.DroppedPrefix + strconv.Itoa(to-from) + " messages removed" + why + "]"
	marker := doc.NewItem(doc.NewMessage(from, transcript.User, text))
	c.Archive().KeepFold(nil, &marker, doc.Items[from:to]...)
	passes.PutMarker(c, pass, marker, from, part, func(i int) bool { return i >= from && i < to })
}
