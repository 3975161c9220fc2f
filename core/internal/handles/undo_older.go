package handles

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// The state may name a compaction that the messages have never seen: an app reads them, a compaction in the background ends, and the app
// sets what it has read. Then the digest in the messages is of an older compaction, and nothing of the newer one has to come back.

// missed is a compaction that the state names, and that could not be taken back.
type missed struct {
	*changes
	left int // the index of what is said of it
}

// miss notes a compaction that could not be taken back, and the older ones.
func (r *restoring) miss(c *changes) {
	if !slices.ContainsFunc(c.steps, func(p step) bool { return p.op == changesFold }) {
		return // it has left no digest, so that none can show that it is not there
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

// precede says nothing more of compactions that could not be taken back if the messages are older: they have the digest of a compaction
// that came before, which the result of the newer one has not.
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

// keeps reports whether a message of the result is one of the input's.
func (c *changes) keeps(index int) bool {
	return slices.ContainsFunc(c.steps, func(p step) bool {
		return p.op == changesKeep && p.from <= index && index < p.to
	})
}
