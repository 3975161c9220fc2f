package handles

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// hunk is a place after the folds where the result of a compaction differs from its input: removed result messages, and steps that say what
// was there.
type hunk struct {
	at    int    // the index of the first of gone, or of the message after something that was dropped
	gone  []gone // consecutive
	steps []step
	print string // the print of the following message; "" if unknown
}

// undoEdited undoes a compaction whose result was edited after the folded part: replayed compactions end differently each time. It restores
// what the digests stand for, and every place after them that still looks as the compaction left it. whole is false if something may be
// missing: a place wasn't found again, because it was edited or its position is unknown.
func (r *restoring) undoEdited(c *changes) (undone, whole, ok bool) {
	front, steps, gone := c.front()
	n := front.sent
	hunks, ok := hunksOf(steps, gone, n, c.sent)
	if n > len(r.doc.Items) || !ok || !r.begins(&front, n) || len(front.steps) == 0 && len(hunks) == 0 {
		return false, false, true
	}
	places, whole := r.places(hunks, n)
	if len(front.steps) == 0 && !slices.ContainsFunc(places, func(at int) bool { return at >= 0 }) {
		return false, false, true
	}
	e := undoingEdited{r: r}
	if n > 0 && !e.put(front.steps, n) {
		return false, false, false
	}
	for i, h := range hunks {
		if places[i] < 0 {
			continue
		}
		e.keep(places[i])
		if !e.put(h.steps, places[i]+len(h.gone)) {
			return false, false, false
		}
	}
	e.keep(len(r.doc.Items))
	r.doc.Items = e.out
	return true, whole, true
}

// front are the changes up to what the last fold represents, as if nothing had come of the rest; steps and gone are those of the rest.
func (c *changes) front() (front changes, steps []step, gone []gone) {
	last := -1
	for i, p := range c.steps {
		if p.op == changesFold {
			last = i
		}
	}
	front.handle, front.steps = c.handle, c.steps[:last+1]
	for _, p := range front.steps {
		switch p.op {
		case changesKeep:
			front.sent = max(front.sent, p.to)
		case changesPut, changesFold:
			front.sent = max(front.sent, p.index+1)
		}
	}
	behind := 0
	for behind < len(c.gone) && c.gone[behind].index < front.sent {
		behind++
	}
	front.gone = c.gone[:behind]
	return front, c.steps[last+1:], c.gone[behind:]
}

// undoingEdited is the way through the items of a result that was edited.
type undoingEdited struct {
	r   *restoring
	at  int // the next item
	out []view.Item
}

// put puts what steps say in place of the items before to.
func (e *undoingEdited) put(steps []step, to int) bool {
	made, ok := e.r.rebuild(steps, e.r.doc.Items[e.at:to])
	e.at = to
	e.out = append(e.out, made...)
	return ok
}

// keep keeps the items before to, but for what lets the roles take turns: a replay puts it where the messages are then.
func (e *undoingEdited) keep(to int) {
	for ; e.at < to; e.at++ {
		if it := e.r.doc.Items[e.at]; !authorship.IsTurn(e.r.doc.T, it.Msg) {
			e.out = append(e.out, it)
		}
	}
}

// hunksOf returns the hunks of steps and removed messages, from the n-th result message on. ok is false if kept messages are in another
// order than in the input.
func hunksOf(steps []step, all []gone, n, sent int) (hunks []hunk, ok bool) {
	h := hunk{at: n}
	until := func(to int, print string) bool {
		h.print = print
		for ; n < to; n++ {
			if len(all) == 0 || all[0].index != n {
				return false
			}
			h.gone, all = append(h.gone, all[0]), all[1:]
		}
		if n := len(h.gone); n > 1 && n == len(h.steps) { // each message became another one
			for i := range h.gone {
				hunks = append(hunks, hunk{at: h.gone[i].index, gone: h.gone[i : i+1], steps: h.steps[i : i+1]})
			}
		} else if n+len(h.steps) > 0 {
			hunks = append(hunks, h)
		}
		return true
	}
	for _, p := range steps {
		from, to := p.from, p.to
		switch p.op {
		case "":
			h.steps = append(h.steps, p)
			continue
		case changesPut: // its markers name the original
			from, to = p.index, p.index+1
		}
		if from < n || !until(from, p.print) {
			return nil, false
		}
		n, h = to, hunk{at: to}
	}
	return hunks, until(max(n, sent), "") && len(all) == 0
}

// places returns where in the items each hunk is, or -1. whole is false if there is a -1.
func (r *restoring) places(hunks []hunk, from int) (at []int, whole bool) {
	f := finding{r: r, next: from}
	if len(hunks) > 0 {
		f.sort()
	}
	at = make([]int, len(hunks))
	waiting := 0 // previous hunks of unknown position: they are where they were if what follows them is
	for i := range hunks {
		h := &hunks[i]
		first := h.first()
		if at[i] = -1; first == "" {
			waiting++
			continue
		}
		place, was := f.find(h, first)
		if place < 0 {
			continue
		}
		for k := i - 1; k >= i-waiting && place == was; k-- {
			at[k] = hunks[k].at + f.shift
		}
		waiting = 0
		at[i], f.shift, f.next = place, place-h.at, place+len(h.gone)
	}
	return at, !slices.Contains(at, -1)
}

// first is how the first message looks by which a hunk is found; "" where that is not known.
func (h *hunk) first() string {
	if len(h.gone) > 0 {
		return h.gone[0].print
	}
	return h.print
}

// finding looks for hunks in the items, in their order.
type finding struct {
	r     *restoring
	order []look // the items by how they look
	shift int    // by how much the last hunk is elsewhere than it was
	next  int    // the first item that may be one
}

// look is how an item looks.
type look struct {
	print string
	at    int
}

func compareLooks(a, b look) int {
	return cmp.Or(cmp.Compare(a.print, b.print), cmp.Compare(a.at, b.at))
}

// sort orders the items by how they look.
func (f *finding) sort() {
	for i := f.next; i < len(f.r.doc.Items); i++ {
		m := f.r.doc.Items[i].Msg
		print := f.r.doc.Look(m)
		f.order = append(f.order, look{print, i})
		if marked := f.r.doc.MarkedLook(m); marked != print {
			f.order = append(f.order, look{marked, i})
		}
	}
	sorting.Func(f.order, compareLooks)
}

// find is where a hunk is whose first message looks like this, or -1: where it was, by what precedes it, or the first place after that. It also
// returns where it was.
func (f *finding) find(h *hunk, first string) (place, was int) {
	was = h.at + f.shift
	if f.is(h, was) {
		return was, was
	}
	n, _ := slices.BinarySearchFunc(f.order, look{first, f.next}, compareLooks)
	if n == len(f.order) || f.order[n].print != first || !f.is(h, f.order[n].at) {
		return -1, was
	}
	return f.order[n].at, was
}

// is reports whether a hunk is at a place.
func (f *finding) is(h *hunk, place int) bool {
	looks := h.gone
	if len(looks) == 0 {
		looks = []gone{{print: h.print}}
	}
	for k, g := range looks {
		if place < f.next || place+k >= len(f.r.doc.Items) || !f.r.isGone(g, place+k) {
			return false
		}
	}
	return true
}
