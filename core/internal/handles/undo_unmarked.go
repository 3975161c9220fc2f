package handles

import "github.com/ctxfold/ctxfold/core/internal/view"

// Equal bodies have equal handles. If a list was edited, it may be unclear in which of several messages a compaction
// replaced such a body with a marker. These markers stay until everything else is undone, and older compactions
// recognize the messages with or without them.

// bare is a message without the markers that unmark has recorded.
type bare struct {
	item     view.Item // the item for the message
	restored int       // the number of bodies restored in it
	handles  int       // the number of handles that were known when the message was made
}

// unmark records the handles of the markers that a compaction left in a message, for a message that was not found.
func (r *restoring) unmark(p *step) {
	for _, h := range p.handles {
		r.unmarked.Add(h)
	}
}

// bareLook returns the print of message m without the markers recorded by unmark, or "" if it has none of these.
func (r *restoring) bareLook(m int32) string {
	b := r.bareOf(m)
	if b.restored == 0 {
		return ""
	}
	return r.doc.RequestLook(b.item.Msg)
}

// bareOf returns message m without the markers recorded by unmark.
func (r *restoring) bareOf(m int32) bare {
	b, found := r.bare[m]
	if r.unmarked.Len() == b.handles {
		return b
	}
	if !found {
		b.item.Msg = m
	}
	b.handles = r.unmarked.Len()
	reported, at := r.report.Restored, r.at
	for {
		put, ok := r.putBack(&b.item, func(h string) bool { return r.unmarked.Has(h[:Short]) })
		if !ok || put == 0 {
			break
		}
		b.restored += put
	}
	r.report.Restored, r.at = reported, at
	r.bare[m] = b
	return b
}
