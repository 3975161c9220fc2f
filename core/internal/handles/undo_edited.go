package handles

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// hunk is a place after the folds where the result of a compaction differs from its input. It consists of the result
// messages to remove, and of the steps that produce the input messages in their place.
type hunk struct {
	// The index of the first message in gone. If gone is empty, the index of the message after the dropped ones.
	at       int
	gone     []gone // consecutive, apart from inserted turns
	steps    []step // in the order of the input
	print    string // the print of the message after the hunk; "" if unknown
	twice    int    // how many times in a row the result has messages like the dropped ones before that message
	previous string // the print of the message before the hunk, if no message follows; "" if unknown
	// Whether the dropped messages are back at the only place that looks like the hunk's, so that nothing is missing.
	isBack bool
	looks  []string // the prints of the dropped messages, computed on first use
}

// undoEdited undoes a compaction whose result was edited after the folded part, for example because
// each replay of a compaction ends differently. It restores what the digests replaced, and all
// later places that still look as the compaction left them. undone is false if the items don't come
// from that compaction, and ok is false if a step could not be undone. whole is false if something
// may be missing because a place was not found.
func (r *restoring) undoEdited(c *changes) (undone, whole, ok bool) {
	front, steps, gone := c.front()
	n := front.sent
	hunks, puts, ok := r.hunksOf(steps, gone, n, c)
	if n > len(r.doc.Items) || !ok || !r.begins(&front, n) {
		return false, false, true
	}
	places, whole := r.places(hunks, n)
	r.findPuts(puts, hunks, places, n)
	if len(front.steps) == 0 && !slices.ContainsFunc(places, func(p spot) bool { return p.at >= 0 }) && !r.namesBodyOf(steps) {
		return false, false, true
	}
	r.unfolded = 0
	e := undoingEdited{r: r}
	if n > 0 && !e.put(front.steps, n) {
		return false, false, false
	}
	for i := range hunks {
		if puts, ok = e.putBack(puts, i); !ok {
			return false, false, false
		}
		if places[i].at < 0 || r.present(&hunks[i], places[i].at) {
			continue
		}
		e.keep(places[i].at)
		if !e.put(hunks[i].steps, places[i].to) {
			return false, false, false
		}
	}
	if _, ok = e.putBack(puts, len(hunks)); !ok {
		return false, false, false
	}
	e.keep(len(r.doc.Items))
	r.doc.Items = e.out
	return true, whole, true
}

// present reports whether the messages that the compaction dropped are already back at a place. This happens after a
// newer compaction is replayed, because the replay drops only the messages that this newer compaction dropped itself.
func (r *restoring) present(h *hunk, place int) bool {
	n := len(h.steps) * (h.twice + 1)
	from := place - n
	if h.print == "" {
		from = place
	}
	if len(h.gone) > 0 || n == 0 || from < 0 || from+n > len(r.doc.Items) {
		return false
	}
	for i := len(h.looks); i < len(h.steps); i++ {
		m, ok := r.doc.F.AddOne(r.doc.T, h.steps[i].text)
		if !ok {
			return false
		}
		h.looks = append(h.looks, r.doc.RequestLook(m))
	}
	for i := range n {
		if !r.isGone(gone{print: h.looks[i%len(h.looks)]}, from+i) {
			return false
		}
	}
	return true
}

// namesBodyOf reports whether a message has a marker that one of the steps restores.
func (r *restoring) namesBodyOf(steps []step) bool {
	var put critbit.Map[struct{}]
	for _, p := range steps {
		for _, h := range p.handles {
			put.Set(h, struct{}{})
		}
	}
	return slices.ContainsFunc(r.doc.Items, func(it view.Item) bool {
		return slices.ContainsFunc(namedIn(r.doc, it.Msg), func(k mark) bool { return put.Has(k.handle[:Short]) })
	})
}

// front splits the changes after the last fold. front contains complete changes for a result that ends there. steps and
// gone contain the rest.
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

// undoingEdited is the state of undoing a compaction whose result was edited.
type undoingEdited struct {
	r   *restoring  // has the document to restore
	at  int         // the next item
	out []view.Item // the items of the restored document so far
}

// put replaces the remaining items before index to with the messages that steps produce from these items. It returns
// false if the steps are invalid.
func (e *undoingEdited) put(steps []step, to int) bool {
	if to < e.at {
		return false
	}
	made, ok := e.r.rebuild(steps, e.r.doc.Items[e.at:to])
	e.at = to
	e.out = append(e.out, made...)
	return ok
}

// keep copies the remaining items before index to. It leaves out turns that a repair inserted to make the roles
// alternate, because a replay inserts them again where they are needed.
func (e *undoingEdited) keep(to int) {
	for ; e.at < to; e.at++ {
		if it := e.r.doc.Items[e.at]; !authorship.IsTurn(e.r.doc.T, it.Msg) {
			e.out = append(e.out, it)
		}
	}
}

// hunksOf returns the hunks of the given steps and removed messages, from result message n on, and the messages with
// markers. ok is false if the kept messages are not in the same order as in the input.
func (r *restoring) hunksOf(steps []step, all []gone, n int, c *changes) (hunks []hunk, puts []markedMessage, ok bool) {
	h := hunk{at: n}
	until := func(to int, print string, twice int) bool {
		h.print, h.twice = print, twice
		for ; n < to; n++ {
			if len(all) == 0 || all[0].index != n {
				return false
			}
			h.gone, all = append(h.gone, all[0]), all[1:]
		}
		hunks = append(hunks, r.parted(h, to)...)
		return true
	}
	for _, p := range steps {
		from, to := p.from, p.to
		switch p.op {
		case "":
			h.steps = append(h.steps, p)
			continue
		case changesPut: // a marked message is kept, because its markers name what is missing
			from, to = p.index, p.index+1
		}
		if from < n || !until(from, p.print, p.twice) {
			return nil, nil, false
		}
		if p.op == changesPut {
			puts = append(puts, markedMessage{step: p, hunks: len(hunks), at: -1})
		}
		n, h = to, hunk{at: to}
	}
	h.previous = c.last
	ok = until(max(n, c.sent), "", 0) && len(all) == 0
	return hunks, puts, ok
}

// parted splits a hunk that ends before the result message to. If each removed message corresponds to one step, it
// returns one hunk per message. If only turns were inserted, it returns none.
func (r *restoring) parted(h hunk, to int) (hunks []hunk) {
	lasting := slices.DeleteFunc(slices.Clone(h.gone), func(g gone) bool { return r.isTurn(g.print) })
	switch n := len(lasting); {
	case n > 0:
		h.at, h.gone = lasting[0].index, lasting
	case h.print != "" || len(h.steps) == 0:
		h.at, h.gone = to, nil
	}
	for _, part := range h.split() {
		if n := len(part.gone); n > 1 && n == len(part.steps) {
			for i := range part.gone {
				hunks = append(hunks, hunk{at: part.gone[i].index, gone: part.gone[i : i+1],
					steps: part.steps[i : i+1]})
			}
		} else if n+len(part.steps) > 0 {
			hunks = append(hunks, part)
		}
	}
	return hunks
}

// split splits a hunk before each removed message that replaced an input message, as the step of that message says.
// Input messages before it that were dropped without a replacement belong to the previous part.
func (h *hunk) split() (parts []hunk) {
	part, left := hunk{at: h.at}, h.gone
	until := func(index int) {
		for len(left) > 0 && (index < 0 || left[0].index < index) {
			part.gone, left = append(part.gone, left[0]), left[1:]
		}
	}
	for _, p := range h.steps {
		if p.op == "" && p.index >= 0 {
			if until(p.index); len(part.gone) > 0 {
				parts, part = append(parts, part), hunk{}
			}
			part.at = p.index
		}
		part.steps = append(part.steps, p)
	}
	until(-1)
	part.print, part.previous, part.twice = h.print, h.previous, h.twice
	return append(parts, part)
}

// isTurn reports whether a print is that of a turn which a repair inserts.
func (r *restoring) isTurn(print string) bool {
	if r.turns == nil {
		for _, text := range [...]string{authorship.TurnText, authorship.OpeningText} {
			for _, role := range [...]transcript.Role{transcript.User, transcript.Assistant} {
				if m, ok := r.doc.F.AddOne(r.doc.T, r.doc.F.Message(nil, role, text)); ok {
					r.turns = append(r.turns, r.doc.RequestLook(m))
				}
			}
		}
	}
	return slices.Contains(r.turns, print)
}

// spot is the place of a hunk, given as the range of items [at, to). at is -1 if the hunk was not found.
type spot struct{ at, to int }

// places returns the place of each hunk in the items, from index from on. whole is false if a hunk
// was not found and its dropped messages aren't back either.
func (r *restoring) places(hunks []hunk, from int) (at []spot, whole bool) {
	f := finding{r: r, next: from}
	whole = true
	if len(hunks) > 0 {
		f.sort()
	}
	at = make([]spot, len(hunks))
	anchors := f.anchors(hunks)
	waiting := 0 // previous hunks that can't be recognized by themselves; they are in place if the next hunk is
	for i := range hunks {
		h := &hunks[i]
		if at[i].at = -1; len(h.gone) == 0 && h.print == "" && h.previous == "" {
			waiting++
			continue
		}
		for len(anchors) > 0 && anchors[0].hunk < i {
			anchors = anchors[1:]
		}
		place, was := f.place(h, i, anchors)
		if place.at < 0 {
			continue
		}
		for k := i - 1; k >= i-waiting && place.at == was; k-- {
			at[k] = spot{hunks[k].at + f.shift, hunks[k].at + f.shift}
		}
		waiting = 0
		at[i], f.shift, f.next = place, place.at-h.at, place.to
	}
	for i := range hunks {
		whole = whole && (at[i].at >= 0 || hunks[i].isBack)
	}
	return at, whole
}

// finding is a search for the places of hunks in the items, in order.
type finding struct {
	r     *restoring // has the document with the items
	order []look     // the items sorted by their prints
	shift int        // the number of items by which the last hunk has moved
	next  int        // the first item that may belong to a hunk
	high  int        // the first item that certainly belongs to a later hunk
}

// look is an entry of a sorted index: a key, and what has it. The key is a print or a handle.
type look struct {
	print string // the key
	at    int    // the index of the item, hunk or message
}

func compareLooks(a, b look) int {
	return cmp.Or(cmp.Compare(a.print, b.print), cmp.Compare(a.at, b.at))
}

// sort indexes the items by print, from the item before the first one that may belong to a hunk.
func (f *finding) sort() {
	for i := max(0, f.next-1); i < len(f.r.doc.Items); i++ {
		m := f.r.doc.Items[i].Msg
		prints := [...]string{f.r.doc.RequestLook(m), f.r.doc.MarkedLook(m), f.r.bareLook(m)}
		for k, print := range prints {
			if print != "" && !slices.Contains(prints[:k], print) {
				f.order = append(f.order, look{print, i})
			}
		}
	}
	sorting.Func(f.order, compareLooks)
}

// place returns the place of hunk i, and the place where it was expected. anchors holds the anchors from this hunk on.
func (f *finding) place(h *hunk, i int, anchors []anchor) (place spot, was int) {
	f.high = len(f.r.doc.Items)
	if len(anchors) == 0 {
		return f.find(h)
	}
	if anchors[0].hunk == i {
		at := anchors[0].at
		if to := f.end(h, at); to >= 0 { // a hunk that removed several messages may extend into the next one
			return spot{at, to}, h.at + f.shift
		}
		return spot{-1, -1}, h.at + f.shift
	}
	f.high = anchors[0].at
	return f.find(h)
}

// find returns the place of a hunk, and the place where it was expected. These are the same if the hunk matches there.
// Otherwise, find tries only the first place whose message has the first print of the hunk.
func (f *finding) find(h *hunk) (place spot, was int) {
	was = h.at + f.shift
	if to := f.end(h, was); to >= 0 {
		return spot{was, to}, was
	}
	first, back := h.key()
	n, _ := slices.BinarySearchFunc(f.order, look{first, f.next - back}, compareLooks)
	if n < len(f.order) && f.order[n].print == first {
		at := f.order[n].at + back
		if to := f.end(h, at); to >= 0 {
			return spot{at, to}, was
		}
	}
	return spot{-1, -1}, was
}

// end returns the end of a hunk that begins at the given place, or -1 if the items there don't match the hunk.
func (f *finding) end(h *hunk, place int) int {
	items := f.r.doc.Items
	is := func(print string, at int) bool {
		return at >= 0 && at < len(items) && f.r.isGone(gone{print: print}, at)
	}
	switch {
	case place < f.next || f.isAnother(h, place):
		return -1
	case len(h.gone) == 0 && h.print != "":
		if !is(h.print, place) {
			return -1
		}
	case len(h.gone) == 0 && !is(h.previous, place-1):
		return -1
	}
	to := place
	for k, g := range h.gone {
		for k > 0 && to < len(items) && authorship.IsTurn(f.r.doc.T, items[to].Msg) {
			to++
		}
		if !is(g.print, to) {
			return -1
		}
		to++
	}
	if to > f.high {
		return -1
	}
	return to
}

// isAnother reports whether the message at a place certainly doesn't belong to the hunk, because its id is not that of
// the original. Prints ignore ids, but messages of two branches may differ only in their ids.
func (f *finding) isAnother(h *hunk, place int) bool {
	if len(h.gone) != 1 || len(h.steps) != 1 || place < 0 || place >= len(f.r.doc.Items) {
		return false
	}
	t, msg := f.r.doc.T, f.r.doc.Items[place].Msg
	now := IDOf(t.Bytes(t.Messages[msg].Span))
	return now != "" && now != IDOf(h.steps[0].text) && !IsCallID(t, msg, now)
}

// IsCallID reports whether the id of a message, given as JSON, is the id of its tool call. A step of Gemini's
// Interactions API has no other id, and a repair can rename the call.
func IsCallID(t *transcript.Transcript, message int32, id string) bool {
	for _, part := range t.PartsOf(int(message)) {
		if part.Kind == transcript.ToolCall && !part.ID.IsZero() && string(t.Bytes(part.ID)) == id {
			return true
		}
	}
	return false
}

// IDOf returns the id of a message as JSON, or "" if the message has no id.
func IDOf(message []byte) string {
	s := jsonspan.New(message)
	if s.Kind() != jsonspan.Object {
		return ""
	}
	for key := range s.Members {
		if value := s.Skip(); string(key) == "id" && value.Kind == jsonspan.String {
			return string(message[value.Start:value.End])
		}
	}
	return ""
}
