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
	last := -1
	for i, p := range c.steps {
		if p.op == changesFold {
			last = i
		}
	}
	front := changes{handle: c.handle, steps: c.steps[:last+1]}
	for _, p := range front.steps {
		switch p.op {
		case changesKeep:
			front.sent = max(front.sent, p.to)
		case changesPut, changesFold:
			front.sent = max(front.sent, p.index+1)
		}
	}
	n := front.sent
	behind := 0
	for behind < len(c.gone) && c.gone[behind].index < n {
		behind++
	}
	front.gone = c.gone[:behind]
	hunks, ok := hunksOf(c.steps[last+1:], c.gone[behind:], n, c.sent)
	if n > len(r.doc.Items) || !ok || !r.begins(&front, n) || len(front.steps) == 0 && len(hunks) == 0 {
		return false, false, true
	}
	places, whole := r.places(hunks, n)
	if len(front.steps) == 0 && !slices.ContainsFunc(places, func(at int) bool { return at >= 0 }) {
		return false, false, true
	}
	at := 0
	var out []view.Item
	put := func(steps []step, from, to int) bool { // replaces the items of a range
		all := r.doc.Items
		r.doc.Items = all[from:to]
		made, ok := r.rebuild(steps, to-from)
		r.doc.Items, at = all, to
		out = append(out, made...)
		return ok
	}
	if n > 0 && !put(front.steps, 0, n) {
		return false, false, false
	}
	keep := func(to int) { // except for messages that make the roles alternate: a replay inserts them where needed
		for ; at < to; at++ {
			if !authorship.IsTurn(r.doc.T, r.doc.Items[at].Msg) {
				out = append(out, r.doc.Items[at])
			}
		}
	}
	for i, h := range hunks {
		if places[i] < 0 {
			continue
		}
		keep(places[i])
		if !put(h.steps, places[i], places[i]+len(h.gone)) {
			return false, false, false
		}
	}
	keep(len(r.doc.Items))
	r.doc.Items = out
	return true, whole, true
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
	type known struct {
		print string
		at    int
	}
	var order []known // the items sorted by print
	for i := from; i < len(r.doc.Items) && len(hunks) > 0; i++ {
		m := r.doc.Items[i].Msg
		order = append(order, known{r.doc.Look(m), i})
		if look := r.doc.MarkedLook(m); look != order[len(order)-1].print {
			order = append(order, known{look, i})
		}
	}
	compare := func(a, b known) int { return cmp.Or(cmp.Compare(a.print, b.print), cmp.Compare(a.at, b.at)) }
	sorting.Func(order, compare)
	at = make([]int, len(hunks))
	shift, next := 0, from
	is := func(h *hunk, place int) bool {
		looks := h.gone
		if len(looks) == 0 {
			looks = []gone{{print: h.print}}
		}
		for k, g := range looks {
			if place < next || place+k >= len(r.doc.Items) || !r.isGone(g, place+k) {
				return false
			}
		}
		return true
	}
	waiting := 0 // previous hunks of unknown position: they are where they were if what follows them is
	for i := range hunks {
		h := &hunks[i]
		at[i] = -1
		first := h.print
		if len(h.gone) > 0 {
			first = h.gone[0].print
		}
		if first == "" {
			waiting++
			continue
		}
		place := h.at + shift
		if !is(h, place) {
			n, _ := slices.BinarySearchFunc(order, known{first, next}, compare)
			if n == len(order) || order[n].print != first || !is(h, order[n].at) {
				continue
			}
			place = order[n].at
		}
		for k := i - 1; k >= i-waiting && place == h.at+shift; k-- {
			at[k] = hunks[k].at + shift
		}
		waiting = 0
		at[i], shift, next = place, place-h.at, place+len(h.gone)
	}
	return at, !slices.Contains(at, -1)
}
