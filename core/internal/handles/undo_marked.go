package handles

import "github.com/ctxfold/ctxfold/core/internal/view"

// A compaction may replace bodies by markers in a message that an older compaction has changed in another way. The older one recognizes
// the message by a print that includes these bodies. Equal bodies have equal handles, so in a list that was edited, nothing may tell which
// of the messages with a marker is meant. The markers therefore stay until everything is undone, and each message is recognized with the
// markers of the compactions undone so far or without them.

// bare is a message without the markers of the compactions undone so far.
type bare struct {
	item     view.Item
	restored int // number of bodies restored in it
	handles  int // number of handles that were known when it was made
}

// unmark records the handles of the markers that a compaction left, after it has been undone.
func (r *restoring) unmark(steps []step) {
	for _, p := range steps {
		for _, h := range p.handles {
			r.unmarked.Add(h)
		}
	}
}

// bareLook returns the print of message m without the markers of the compactions undone so far, or "" if it has none of these.
func (r *restoring) bareLook(m int32) string {
	b := r.bareOf(m)
	if b.restored == 0 {
		return ""
	}
	return r.doc.RequestLook(b.item.Msg)
}

// bareOf returns message m without the markers of the compactions undone so far.
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
