package view

import (
	"bytes"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Splice replaces the span old of a message with the span new, which may be empty.
func (v *View) Splice(m int32, old, new transcript.Span) {
	e := edit{m, old, new}
	v.sorted = len(v.edits) == 0 || v.sorted && compareEdits(v.edits[len(v.edits)-1], e) < 0
	v.edits = append(v.edits, e)
}

// Unsplice reverts the edits that satisfy gone, so that the original spans are restored.
func (v *View) Unsplice(gone func(old transcript.Span) bool) {
	v.edits = slices.DeleteFunc(v.edits, func(e edit) bool { return gone(e.Old) })
}

// GrowEdits makes room for n more edits.
func (v *View) GrowEdits(n int) { v.edits = slices.Grow(v.edits, n) }

// SourceOf returns the span of the source that old has replaced, directly or by several edits, or old if no edit made it.
func (v *View) SourceOf(old transcript.Span) transcript.Span {
	for i := len(v.edits) - 1; i >= 0 && v.T.InArena(old); i-- {
		if v.edits[i].new == old {
			old = v.edits[i].Old
		}
	}
	return old
}

// SetBody replaces a part's body with value, JSON in the wire format. size is the measure that reading the value
// would return. Parts inside the body are removed with it. The item must be measured again afterwards, by Remeasure.
func (v *View) SetBody(part int32, value []byte, size transcript.Measure) {
	p := &v.T.Parts[part]
	span := v.T.WriteToArena(value)
	size.Weight = v.WeighValue(value, size)
	v.Splice(p.Msg, v.Original(part), span)
	for n := p.Copy; n > 0; n = v.T.Parts[n-1].Copy {
		if c := &v.T.Parts[n-1]; !c.Body.IsZero() {
			v.Splice(c.Msg, c.Body, span)
		}
	}
	v.SavePart(part)
	v.noteEdit(part, p.Body)
	p.Body, p.Size = span, size
	p.Flags |= transcript.Edited
	for i := range v.T.InnerParts(int(part)) {
		v.T.Parts[int(part)+1+i].Flags |= transcript.Removed
	}
}

// SavePart must be called before the text, the kind or the size of a part is changed, so that Reset can restore its record.
// What repairs change in other members stays.
func (v *View) SavePart(part int32) {
	v.saved = append(v.saved, savedPart{part, v.T.Parts[part]})
}

// ResultBody returns text as the value of the body of a tool result, and the measure that reading the value would
// return, without its weight. The value is valid until the next call.
func (v *View) ResultBody(part int32, text string) ([]byte, transcript.Measure) {
	value, size := v.F.ResultBody(v.body[:0], v.T, part, text)
	v.body = value
	return value, size
}

// WeighValue returns the token weight that value, which is JSON, has as the body of a part: the weight of the value
// itself or of the text in it. size has the part's other measures. The weight is 0 if the estimator doesn't use
// weights.
func (v *View) WeighValue(value []byte, size transcript.Measure) uint32 {
	if v.T.Weigh == nil {
		return 0
	}
	if size.Weight = v.weighedSize.Weight; size == v.weighedSize && bytes.Equal(value, v.weighed) {
		return size.Weight
	}
	size.Weight = v.weight(value, size)
	v.weighed, v.weighedSize = append(v.weighed[:0], value...), size
	return size.Weight
}

// weight is like WeighValue, but computes the weight instead of looking it up. The text that counts is found in value
// by its size. A value whose text can't be found weighs 0.
func (v *View) weight(value []byte, size transcript.Measure) uint32 {
	s := jsonspan.New(value)
	s.Weigh = v.T.Weigh
	if value[0] == '"' {
		return s.Text().Weight
	}
	all := s.At(0).Skip()
	if list := value[0] == '[' && s.Array() && s.Elem(); all.Bytes == size.Bytes || value[0] != '{' && !list || s.Kind() != jsonspan.Object {
		return all.Weight
	}
	for s.Object(); ; {
		if _, ok := s.Key(); !ok {
			return 0
		}
		if s.Kind() != jsonspan.String {
			s.Skip()
		} else if text := s.Text(); text.Bytes == size.Bytes {
			return text.Weight
		}
	}
}

// OnlyTexts reports whether an item has no changes other than to its texts.
func (v *View) OnlyTexts(it *Item) bool {
	if it.Msg != it.In || it.Rest {
		return false
	}
	parts := v.T.PartsOf(int(it.Msg))
	return !transcript.AnyHas(parts, transcript.Removed) && !slices.ContainsFunc(v.EditsOf(it.Msg), func(e edit) bool {
		return !slices.ContainsFunc(parts, func(p transcript.Part) bool {
			return p.Kind == transcript.Text && e.new == p.Body
		})
	})
}

// Original returns the body of a part before any edit.
func (v *View) Original(part int32) transcript.Span {
	if body := v.OriginalBody(part); !body.IsZero() {
		return body
	}
	return v.T.Parts[part].Body
}

// noteEdit records the original body of a part before its first edit.
func (v *View) noteEdit(part int32, body transcript.Span) {
	if body.IsZero() {
		return
	}
	if int(part) >= len(v.bodies) {
		v.bodies = append(v.bodies, make([]transcript.Span, len(v.T.Parts)-len(v.bodies))...)
	}
	if v.bodies[part].IsZero() {
		v.bodies[part] = body
	}
}

// OriginalBody returns the body that a part had before its first edit; zero if it was not edited.
func (v *View) OriginalBody(part int32) transcript.Span {
	if int(part) < len(v.bodies) {
		return v.bodies[part]
	}
	return transcript.Span{}
}

// Originals returns a read-only transcript in which the given messages have their original bodies. If no body was
// replaced, it returns the view's own transcript.
func (v *View) Originals(messages []int32) *transcript.Transcript {
	t := v.T
	for _, m := range messages {
		msg := &v.T.Messages[m]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			body := v.OriginalBody(n)
			if body.IsZero() {
				continue
			}
			if t == v.T {
				own := *v.T
				own.Parts = slices.Clone(v.T.Parts)
				t = &own
			}
			t.Parts[n].Body = body
			t.Parts[n].Flags &^= transcript.Edited | transcript.Cleared
			for i := range v.T.InnerParts(int(n)) {
				t.Parts[int(n)+1+i].Flags &^= transcript.Removed
			}
		}
	}
	return t
}

// TakePart removes a part from its message, with everything inside it and with its copies. If a call and its result
// share the part, both are removed. The item must be measured again afterwards, by Remeasure.
func (v *View) TakePart(part int32) {
	p := &v.T.Parts[part]
	v.take(part)
	if pair := p.Pair; pair >= 0 && (p.List == transcript.Shared || v.T.Parts[pair].List == transcript.Shared) {
		v.take(pair)
	}
	for i := range v.T.InnerParts(int(part)) {
		v.T.Parts[int(part)+1+i].Flags |= transcript.Removed
	}
}

// take marks a part and its copies as removed.
func (v *View) take(part int32) {
	v.T.Parts[part].Flags |= transcript.Removed
	v.TakeCopies(part)
}

// TakeCopies removes the copies of a part that stays or has been replaced.
func (v *View) TakeCopies(part int32) {
	for n := v.T.Parts[part].Copy; n > 0; n = v.T.Parts[n-1].Copy {
		v.T.Parts[n-1].Flags |= transcript.Removed
	}
}

// BeforePart returns the index of a read-only message that consists of the parts of an item's message before part
// index end.
func (v *View) BeforePart(item int, end int32) int32 {
	m := v.Items[item].Msg
	piece := v.T.BeforePart(m, end)
	shift := v.T.Messages[piece].First - v.T.Messages[m].First
	for i := v.T.Messages[m].First; i < end; i++ {
		v.noteEdit(i+shift, v.OriginalBody(i))
	}
	return piece
}

// CutOff removes the beginning of an item's message, which has been copied to the message piece.
func (v *View) CutOff(item int, piece int32) {
	first := v.T.Messages[v.Items[item].Msg].First
	for i := first; i < first+v.T.Messages[piece].Count; i++ {
		v.take(i)
	}
	v.Remeasure(item)
}

// Replace replaces an item's message with a rewritten one, which is JSON in the wire format.
func (v *View) Replace(item int, text []byte) {
	part := len(v.T.Parts)
	v.Items[item].Msg = int32(v.add(text))
	v.F.Pair(v.T, part)
	v.Remeasure(item)
}

// add adds messages to the transcript and returns the index of the first. text is JSON in the wire format, with
// commas between the messages.
func (v *View) add(text []byte) int {
	if v.adder == nil {
		v.adder = new(wire.Adder)
	}
	return v.adder.Add(v.F, v.T, text)
}

// Remeasure estimates the size of an item, which has been edited, again, and marks the item as dirty.
func (v *View) Remeasure(item int) {
	it := &v.Items[item]
	v.Total -= it.Tokens
	it.Tokens = v.P.Message(v.T, int(it.Msg))
	it.Dirty = true
	v.Total += it.Tokens
}

// Remove removes the items that satisfy gone.
func (v *View) Remove(gone func(i int) bool) {
	kept := v.Items[:0]
	for i, it := range v.Items {
		if gone(i) {
			v.Total -= it.Tokens
		} else {
			kept = append(kept, it)
		}
	}
	v.Items = kept
}

// Insert inserts new messages before the item with index at, and returns the number of items added. text is JSON in
// the wire format, with commas between the messages.
func (v *View) Insert(at int, text []byte) int {
	part := len(v.T.Parts)
	n := v.InsertMore(at, text)
	v.F.Pair(v.T, part)
	return n
}

// InsertMore is like Insert, but for several insertions in a row. Call F.Pair after the last one.
func (v *View) InsertMore(at int, text []byte) int {
	first := v.add(text)
	var added []Item
	for m := first; m < len(v.T.Messages); m++ {
		it := Item{Msg: int32(m), In: -1, Tokens: v.P.Message(v.T, m)}
		v.Total += it.Tokens
		added = append(added, it)
	}
	before := len(v.Items)
	v.Items = append(v.Items, added...)
	copy(v.Items[at+len(added):], v.Items[at:before])
	copy(v.Items[at:], added)
	return len(added)
}

// NewMessage returns a new message as JSON in the wire format. If messages of the format have
// times, it gets the time of the item with index near, or none if near is out of range.
func (v *View) NewMessage(near int, role transcript.Role, text string) []byte {
	if !v.F.Timed || near < 0 || near >= len(v.Items) {
		return v.F.Message(nil, role, text)
	}
	return v.F.Instead(nil, role, text, v.T.Bytes(v.T.Messages[v.Items[near].Msg].Span))
}

// NewItem returns an item for a new message, which is JSON in the wire format. Call F.Pair once after all new
// messages have been composed.
func (v *View) NewItem(text []byte) Item {
	m := v.add(text)
	return Item{Msg: int32(m), In: -1, Tokens: v.P.Message(v.T, m)}
}

// SetItems replaces all items. part is the number of parts before the new messages were composed.
func (v *View) SetItems(items []Item, part int) {
	v.Total -= v.Tokens(0, len(v.Items))
	v.Items = items
	v.Total += v.Tokens(0, len(items))
	v.F.Pair(v.T, part)
}

// MarkSent recomputes which messages are sent only until the next user message (AN14). It is needed after a pass that
// may have added a message after them, or removed the last one.
func (v *View) MarkSent() {
	said := false
	for m := v.T.Input - 1; m >= v.Rest; m-- {
		said = said || v.T.Messages[m].Role == transcript.User
	}
	for i := len(v.Items) - 1; i >= 0; i-- {
		m := &v.T.Messages[v.Items[i].Msg]
		if said = said || m.Role == transcript.User; m.Passing && int(v.Items[i].Msg)+1 > v.T.ProviderSummarized() && m.Unsent != said {
			m.Unsent = said
			v.Total -= v.Items[i].Tokens
			v.Items[i].Tokens = v.P.Message(v.T, int(v.Items[i].Msg))
			v.Total += v.Items[i].Tokens
		}
	}
}
