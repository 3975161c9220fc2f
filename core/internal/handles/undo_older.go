package handles

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// The state may name a compaction whose result has never been part of the messages. This happens if an app reads the
// messages, a background compaction ends, and the app writes back what it read. The digest in the messages then belongs
// to an older compaction, and nothing needs to be restored for the newer one.

// missed is a compaction that the state names but that could not be undone.
type missed struct {
	*changes
	left int // index of its entry in restoring.left
}

// miss records a compaction that could not be undone, together with the handles of all earlier
// changes. It does nothing if the compaction left no digest.
func (r *restoring) miss(c *changes) {
	if !slices.ContainsFunc(c.steps, func(p step) bool { return p.op == changesFold }) {
		return // it left no digest whose absence could be noticed
	}
	r.missed = append(r.missed, missed{c, len(r.left) - 1})
	for h := c.before; h != "" && !r.ancestors.Has(h[:Short]); {
		r.ancestors.Add(h[:Short])
		i := r.body(h)
		if i < 0 {
			return
		}
		before, ok := parseChanges(r.given[i].Text)
		if !ok {
			return
		}
		h = before.before
	}
}

// precede removes those compactions from r.left that could not be undone because the messages are older than their
// results. This is so if the messages contain a digest of an earlier compaction, c, that is not in the result of the
// newer one. digest is the index of that digest.
func (r *restoring) precede(c *changes, digest int) {
	if !r.ancestors.Has(c.handle[:Short]) {
		return
	}
	for _, m := range r.missed {
		if !m.keeps(digest) {
			r.left[m.left].Handle = ""
		}
	}
	r.missed = nil
	r.left = slices.DeleteFunc(r.left, func(m api.Marker) bool { return m.Handle == "" })
}

// keeps reports whether the result message at index is an input message that the compaction kept.
func (c *changes) keeps(index int) bool {
	return slices.ContainsFunc(c.steps, func(p step) bool {
		return p.op == changesKeep && p.from <= index && index < p.to
	})
}
