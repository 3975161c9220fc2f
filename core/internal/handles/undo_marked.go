package handles

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// markedMessage is a message in which a compaction replaced bodies with markers. An older compaction may have changed the
// same message in another way, and recognizes it by a print that includes these bodies. They are therefore restored
// before the older compaction is undone.
type markedMessage struct {
	step  step // puts the bodies back
	hunks int  // number of hunks before the message
	at    int  // index of the item, or -1 if the message was not found
}

// findPuts finds the marked messages among the items from index from on. It looks for each of them between the places
// of the previous and the next hunk.
func (r *restoring) findPuts(puts []markedMessage, hunks []hunk, places []spot, from int) {
	if len(puts) == 0 {
		return
	}
	f := findingMarked{r: r}
	f.sort(puts, from)
	after := make([]int, len(hunks)+1) // for each hunk, the first hunk from there on that was found
	after[len(hunks)] = len(hunks)
	for i := len(hunks) - 1; i >= 0; i-- {
		if after[i] = i; places[i].at < 0 {
			after[i] = after[i+1]
		}
	}
	low, hunk := from, 0
	for i := range puts {
		p := &puts[i]
		for ; hunk < p.hunks; hunk++ {
			if places[hunk].at >= 0 {
				low, f.shift = max(low, places[hunk].to), places[hunk].at-hunks[hunk].at
			}
		}
		next := after[p.hunks]
		high, shiftAfter := len(r.doc.Items), f.shift
		if next < len(hunks) {
			high, shiftAfter = places[next].at, places[next].at-hunks[next].at
		}
		end, _ := slices.BinarySearchFunc(puts, next, func(q markedMessage, hunk int) int {
			return cmp.Compare(q.hunks, hunk+1)
		})
		alike := countIn(f.steps, p.handle(), i, end)
		if p.at = f.find(&p.step, low, high, alike, shiftAfter); p.at >= 0 {
			low, f.shift = p.at+1, p.at-p.step.index
		}
	}
}

// handle returns the first handle in the markers of the message, or "" if there is none.
func (p *markedMessage) handle() string {
	if len(p.step.handles) == 0 {
		return ""
	}
	return p.step.handles[0]
}

// findingMarked is the state of a search for marked messages in the items.
type findingMarked struct {
	r     *restoring // has the document with the items
	order []look     // the handles that markers name, sorted, with the indexes of their items
	steps []look     // the first handles of the marked messages, sorted, with their indexes
	shift int        // the number of items by which the previous message has moved
}

// sort indexes the items from index from on by the handles in their markers, and the marked messages by their handles.
func (f *findingMarked) sort(puts []markedMessage, from int) {
	for i := from; i < len(f.r.doc.Items); i++ {
		for _, k := range namedIn(f.r.doc, f.r.doc.Items[i].Msg) {
			f.order = append(f.order, look{k.handle[:Short], i})
		}
	}
	for i := range puts {
		f.steps = append(f.steps, look{puts[i].handle(), i})
	}
	sorting.Func(f.order, compareLooks)
	sorting.Func(f.steps, compareLooks)
}

// find returns the index of the item in [low, high) that has the markers of step p, or -1. Equal
// content has equal handles wherever it is. If more than alike items have these markers, the
// position decides: the messages before or after show by how many items the message has moved
// (f.shift or shiftAfter). find returns -1 if the item is at neither position.
func (f *findingMarked) find(p *step, low, high, alike, shiftAfter int) int {
	if len(p.handles) == 0 || low >= high {
		return -1
	}
	at := []int{p.index + f.shift, p.index + shiftAfter}
	if countIn(f.order, p.handles[0], low, high) <= alike {
		n, _ := slices.BinarySearchFunc(f.order, look{p.handles[0], low}, compareLooks)
		if at = nil; n < len(f.order) && f.order[n].print == p.handles[0] {
			at = append(at, f.order[n].at)
		}
	}
	for _, i := range at {
		if i >= low && i < high && f.names(i, p.handles) {
			return i
		}
	}
	return -1
}

// names reports whether all of the given handles occur in the markers of the item at index at.
func (f *findingMarked) names(at int, handles []string) bool {
	return !slices.ContainsFunc(handles, func(h string) bool {
		_, found := slices.BinarySearchFunc(f.order, look{h, at}, compareLooks)
		return !found
	})
}

// putBack restores the bodies of the marked messages before a hunk. It returns the marked messages after the hunk. ok
// is false if a body is invalid.
func (e *undoingEdited) putBack(puts []markedMessage, hunk int) (rest []markedMessage, ok bool) {
	for len(puts) > 0 && puts[0].hunks <= hunk {
		p := puts[0]
		puts = puts[1:]
		if p.at < 0 {
			e.r.unmark(&p.step)
			continue
		}
		e.keep(p.at)
		p.step.index = 0
		if !e.put([]step{p.step}, p.at+1) {
			return nil, false
		}
	}
	return puts, true
}
