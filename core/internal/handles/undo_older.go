package handles

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// The state may name a compaction that the messages have never contained: an app reads them, a compaction in the
// background ends, and the app writes back what it read. Then the digest in the messages belongs to an older
// compaction, and nothing of the newer one has to be restored.

// missed is a compaction that the state names, and that could not be undone.
type missed struct {
	*changes
	left int // index in left of the entry about it
}

// miss records a compaction that could not be undone, and the older ones.
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

// precede removes the reports about compactions that could not be undone if the messages are older: they have the
// digest of an earlier compaction, which the result of the newer one doesn't contain.
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

// keeps reports whether a result message is from the input.
func (c *changes) keeps(index int) bool {
	return slices.ContainsFunc(c.steps, func(p step) bool {
		return p.op == changesKeep && p.from <= index && index < p.to
	})
}
