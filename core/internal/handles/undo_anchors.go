package handles

import (
	"math"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// anchor is a hunk whose place is certain. Either its first print is unique among the hunks and the items, or its
// distance from a hunk with a unique print is the same as in the result.
type anchor struct {
	hunk int // index of the hunk
	at   int // index of its first item
}

// key returns the print with which the search for a hunk begins. back is the number of items after that print at which
// the hunk begins.
func (h *hunk) key() (print string, back int) {
	switch {
	case len(h.gone) > 0:
		return h.gone[0].print, 0
	case h.print != "":
		return h.print, 0
	}
	return h.previous, 1
}

// anchors returns as many hunks as possible whose places are certain and in the right order. Other messages may look
// the same, because what distinguished them was stripped. Without anchors, a hunk whose message was deleted would be
// found at the place of a later one.
func (f *finding) anchors(hunks []hunk) []anchor {
	keys := make([]look, 0, len(hunks))
	for i := range hunks {
		if print, _ := hunks[i].key(); print != "" {
			keys = append(keys, look{print, i})
		}
	}
	sorting.Func(keys, compareLooks)
	f.high = len(f.r.doc.Items)
	// back holds the hunks whose dropped messages are already there, as in turns that the app has passed again.
	var open, back []anchor
	for i := range hunks {
		print, behind := hunks[i].key()
		if print == "" || countIn(keys, print, 0, len(hunks)) > 1 || countIn(f.order, print, 0, f.high) != 1 {
			continue
		}
		n, _ := slices.BinarySearchFunc(f.order, look{print, 0}, compareLooks)
		switch at := f.order[n].at + behind; {
		case f.end(&hunks[i], at) < 0:
		case f.r.present(&hunks[i], at):
			hunks[i].isBack = true
			back = append(back, anchor{i, at})
		default:
			open = append(open, anchor{i, at})
		}
	}
	return f.extended(filled(increasing(open), back), hunks)
}

// countIn returns the number of entries in a sorted list that have the given print and an index in [low, high).
func countIn(list []look, print string, low, high int) int {
	from, _ := slices.BinarySearchFunc(list, look{print, low}, compareLooks)
	to, _ := slices.BinarySearchFunc(list, look{print, high}, compareLooks)
	return to - from
}

// extended adds the hunks whose distance from the previous or the next anchor is the same as in the result, with no gap
// between them.
func (f *finding) extended(anchors []anchor, hunks []hunk) []anchor {
	from, high := f.next, f.high
	places := make([]spot, len(hunks))
	for i := range places {
		places[i].at = -1
	}
	for _, a := range anchors {
		places[a.hunk] = spot{a.at, f.end(&hunks[a.hunk], a.at)}
	}
	run := running{on: true}
	for i, k := 0, 0; i < len(hunks); i++ {
		for f.high = high; k < len(anchors) && anchors[k].hunk <= i; k++ {
		}
		if k < len(anchors) {
			f.high = anchors[k].at
		}
		if f.extend(&hunks[i], &places[i], &run) {
			f.next = max(f.next, places[i].to)
		}
	}
	lows := make([]int, len(hunks)) // for each hunk, the end of the place of the hunk before it
	for i, low := 0, from; i < len(hunks); i++ {
		if lows[i] = low; places[i].at >= 0 {
			low = max(low, places[i].to)
		}
	}
	run, f.high = running{}, high
	for i := len(hunks) - 1; i >= 0; i-- {
		f.next = lows[i]
		if f.extend(&hunks[i], &places[i], &run) {
			f.high = places[i].at
		}
	}
	f.next, f.high, anchors = from, high, anchors[:0]
	for i, p := range places {
		if p.at >= 0 {
			anchors = append(anchors, anchor{i, p.at})
		}
	}
	return anchors
}

// running describes the run of hunks that is being extended. All of its hunks have moved by the same number of
// items.
type running struct {
	on    bool // whether there is a run
	shift int  // the number of items by which its hunks have moved; negative toward the beginning
}

// extend continues a run with another hunk. It returns false if the place of that hunk remains unknown.
func (f *finding) extend(h *hunk, place *spot, run *running) bool {
	if place.at >= 0 {
		run.on, run.shift = true, place.at-h.at
		return true
	}
	print, _ := h.key()
	if print == "" || !run.on {
		return false
	}
	at := h.at + run.shift
	to := f.end(h, at)
	if run.on = to >= 0; run.on {
		*place = spot{at, to}
	}
	return run.on
}

// filled inserts as many of the other anchors as fit between the given anchors, whose places increase.
func filled(anchors, others []anchor) (all []anchor) {
	low := -1
	for _, a := range append(anchors, anchor{math.MaxInt, math.MaxInt}) {
		var fit []anchor
		for ; len(others) > 0 && others[0].hunk < a.hunk; others = others[1:] {
			if at := others[0].at; at > low && at < a.at {
				fit = append(fit, others[0])
			}
		}
		all = append(append(all, increasing(fit)...), a)
		low = a.at
	}
	return all[:len(all)-1]
}

// increasing returns the largest selection of anchors whose places increase, in this order. It is nil if there are no
// anchors.
func increasing(all []anchor) []anchor {
	ends := []int{}                   // for each length, the anchor with the lowest place that ends a selection of this length
	before := make([]int, len(all)+1) // for each anchor, the one before it in its selection
	for i, a := range all {
		n, _ := slices.BinarySearchFunc(ends, a.at, func(k, at int) int { return all[k].at - at })
		if before[i] = -1; n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var chosen []anchor
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		chosen = append(chosen, all[i])
	}
	slices.Reverse(chosen)
	return chosen
}
