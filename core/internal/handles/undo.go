package handles

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// leave reports that changes could not be undone, or not completely, and why; "" if their body is missing.
func (r *restoring) leave(handle string, why api.MarkerFault) {
	r.left = append(r.left, api.Marker{Handle: handle, What: api.BodyChanges, Message: -1, Fault: why})
}

// undoNowOrEdited undoes changes, also if the transcript was edited after them. undone is false if it can't. whole is
// false if not all of them are undone, and ok if a body is invalid.
func (r *restoring) undoNowOrEdited(c *changes) (undone, whole, ok bool) {
	if undone, ok = r.undo(c); undone || !ok {
		return undone, undone, ok
	}
	r.bringBack(jsonspan.MaxSize)
	return r.undoEdited(c)
}

// takeBack undoes compactions, newest first, by their changes. ok is false if a body, at index r.at, is invalid.
func (r *restoring) takeBack() (ok bool) {
	for handle, digest := r.newestChanges(); handle != ""; handle, digest = r.newestChanges() {
		i := r.body(handle)
		if i < 0 {
			r.leave(handle, "")
			break
		}
		if r.at = i; r.tried[i] {
			break
		}
		r.tried[i] = true
		c, ok := parseChanges(r.given[i].Text)
		if !ok {
			return false
		}
		c.handle = handle
		undone, whole, ok := r.undoNowOrEdited(&c)
		if !ok {
			return false
		}
		if !whole {
			r.leave(handle, api.MarkerChanged)
		}
		if !undone {
			if digest < 0 {
				r.miss(&c)
			}
			r.changes, r.older = "", c.before // look for a digest first; it may name newer changes than c.before
			r.misses++
			continue
		}
		if digest >= 0 {
			r.precede(&c, digest)
		}
		if r.respelled != "" && same(handle, r.respelled) {
			r.leave(handle, api.MarkerRespelled)
		}
		r.changes, r.older = c.before, ""
	}
	r.bringBack(jsonspan.MaxSize)
	r.dropTurns()
	return true
}

// dropTurns drops turns that a repair inserted to make the roles alternate. It begins at the first item that the last
// undone compaction didn't fold. A replay inserts such turns if the messages have changed, and the changes don't list
// them. A turn directly after a digest that stays is still needed.
func (r *restoring) dropTurns() {
	if r.unfolded >= len(r.doc.Items) {
		return
	}
	kept := r.doc.Items[:r.unfolded:r.unfolded]
	for _, it := range r.doc.Items[r.unfolded:] {
		if last := len(kept) - 1; !authorship.IsTurn(r.doc.T, it.Msg) || last >= 0 && r.authors.IsOwn(kept[last].Msg) {
			kept = append(kept, it)
		}
	}
	r.doc.Items = kept
}

// bringBack appends messages that were set aside to the items until there are n items.
func (r *restoring) bringBack(n int) {
	for len(r.later) > 0 && len(r.doc.Items) < n {
		last := len(r.later) - 1
		items := r.later[last]
		k := min(len(items), n-len(r.doc.Items))
		r.doc.Items = append(r.doc.Items, items[:k]...)
		if r.later[last] = items[k:]; k == len(items) {
			r.later = r.later[:last]
		}
	}
}

// maxMisses is the maximum number of consecutive compactions missing from a transcript before the restoration stops
// looking for older ones.
const maxMisses = 32

// changesNamedIn returns the handle of changes that message m names, if it is a digest and they haven't been tried.
// Otherwise it returns "".
func (r *restoring) changesNamedIn(m int32) string {
	if !r.authors.IsOwn(m) {
		return ""
	}
	f := r.foldOf(m)
	if f == nil || f.changes == "" {
		return ""
	}
	if b := r.body(f.changes); b < 0 || r.tried[b] {
		return ""
	}
	return f.changes
}

// newestChanges returns the handle of the newest changes that haven't been undone, or "". It looks in the state, in the
// bodies of digests, in the changes before those that could not be undone, and, on the first call, in the given bodies,
// in this order. digest is the index of the digest that named the changes, or -1.
func (r *restoring) newestChanges() (handle string, digest int) {
	if h := r.changes; len(h) >= Short && IsHandle(h) {
		return h, -1
	}
	for i := range r.doc.Items {
		if named := r.changesNamedIn(r.doc.Items[i].Msg); named != "" {
			return named, i
		}
	}
	if h := r.older; len(h) >= Short && r.misses < maxMisses {
		r.older = ""
		return h, -1
	}
	if len(r.tried) == 0 {
		for i := range r.given {
			if isChanges(r.given[i].Text) {
				return r.given[i].Handle, -1
			}
		}
	}
	return "", -1
}

// undo rebuilds the input of a compaction from its result if the items begin with that result. Otherwise it does
// nothing and returns undone = false. ok is false if the changes are invalid.
func (r *restoring) undo(c *changes) (undone, ok bool) {
	r.bringBack(c.sent) // a newer compaction that is replayed may have been made for a shorter history
	n := min(c.sent, len(r.doc.Items))
	if !r.begins(c, n) || !r.drops(c, n) {
		return false, true
	}
	was := len(r.doc.Items)
	r.unfolded = 0
	out, ok := r.rebuild(c.steps, r.doc.Items[:n])
	if !ok {
		return false, false
	}
	if n == was && len(r.later) == 0 { // nothing was added to the result, so the changes list its turns
		r.unfolded = len(out)
	}
	r.spread(c, out, n)
	r.later = append(r.later, slices.Clone(r.doc.Items[n:was]))
	r.doc.Items = out
	return true, true
}

// begins reports whether the first n items are the result that the changes describe.
func (r *restoring) begins(c *changes, n int) bool {
	for _, g := range c.gone {
		if g.index >= n {
			return false
		}
		// The print of a digest is computed before the digest gets the handle of its body.
		if m := r.doc.Items[g.index].Msg; !r.isGone(g, g.index) && !r.isDigestOf(c, m) {
			return false
		}
	}
	for _, p := range c.steps {
		if p.op == changesFold && (p.index >= n || !r.isDigestOf(c, r.doc.Items[p.index].Msg)) || p.op == changesPut && p.index >= n {
			return false
		}
	}
	return true
}

// drops reports whether the messages that the compaction dropped without a marker are still missing, while the messages
// after them are still in place. It returns false if one of the messages after them has been deleted since.
func (r *restoring) drops(c *changes, n int) bool {
	from := 0 // the first step of the run of dropped messages before the next one
	for i, p := range c.steps {
		switch {
		case p.op == "":
			continue
		case p.op == changesKeep && p.print != "":
			if p.from >= n || !r.isGone(gone{p.from, p.print}, p.from) || r.present(&hunk{steps: c.steps[from:i], print: p.print, twice: p.twice}, p.from) {
				return false
			}
		}
		from = i + 1
	}
	if c.last == "" || n < c.sent {
		return true
	}
	return r.isGone(gone{n - 1, c.last}, n-1) && !r.present(&hunk{steps: c.steps[from:]}, n)
}

// isDigestOf reports whether a message can be a digest of the compaction with these changes. It must name the handle of
// its body, and the body, if given, must not name the changes of another compaction.
func (r *restoring) isDigestOf(c *changes, m int32) bool {
	if !r.authors.IsOwn(m) || listHandle(r.doc.T, m) == "" {
		return false
	}
	at := r.at
	f := r.foldOf(m)
	r.at = at
	return f == nil || f.changes == "" || same(f.changes, c.handle)
}

// same reports whether two handles, either of which may be shortened, identify the same body.
func same(a, b string) bool { return len(a) >= Short && len(b) >= Short && a[:Short] == b[:Short] }

// isGone reports whether the item at index at has the print of g, which is a message of the result.
func (r *restoring) isGone(g gone, at int) bool {
	m := r.doc.Items[at].Msg
	return r.doc.RequestLook(m) == g.print || r.doc.MarkedLook(m) == g.print || r.bareLook(m) == g.print
}
