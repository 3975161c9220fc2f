package handles

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// The state may name a compaction whose result the messages have never contained: an app reads the messages, a
// background compaction ends, and the app writes back what it read. The digest in the messages then belongs to an older
// compaction, and nothing has to be restored for the newer one.

// missed is a compaction that the state names but that could not be undone.
type missed struct {
	*changes
	left int // index of its entry in restoring.left
}

// miss records a compaction that could not be undone, and the handles of all earlier changes.
func (r *restoring) miss(c *changes) {
	if !slices.ContainsFunc(c.steps, func(p step) bool { return p.op == changesFold }) {
		return // it left no digest whose absence could be detected
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

// precede removes from r.left compactions that could not be undone because the messages are older than their results.
// They are older if they have a digest of an earlier compaction, c, that the result of the newer one doesn't contain.
// digest is its index.
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

// keeps reports whether the result message at index is an input message that was kept.
func (c *changes) keeps(index int) bool {
	return slices.ContainsFunc(c.steps, func(p step) bool {
		return p.op == changesKeep && p.from <= index && index < p.to
	})
}
