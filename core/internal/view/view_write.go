package view

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// EstimateBytes estimates how many bytes AppendOuter will write. The estimate is rarely too low.
func (v *View) EstimateBytes() int {
	t := v.T
	n := t.Outer.Len() - t.List.Len() + 2
	for _, it := range v.Items {
		n += t.Messages[it.Msg].Span.Len() + 1
		if it.In >= 0 && int(it.In)+1 < t.Input { // including the white space after it
			n += int(t.Messages[it.In+1].Span.Start - t.Messages[it.In].Span.End)
		}
	}
	if v.Rest < t.Input {
		n += int(t.List.End - t.Messages[v.Rest].Span.Start)
	}
	for _, e := range v.edits {
		n += e.new.Len() - e.Old.Len()
	}
	return max(n, 0)
}

// AppendOuter writes the whole input value, a list or a request body, with the current list of messages.
func (v *View) AppendOuter(dst []byte) []byte {
	t := v.T
	from := len(dst)
	dst = append(dst, t.Src[t.Outer.Start:t.List.Start]...)
	head := len(dst)
	dst = v.AppendList(dst)
	tail := len(dst)
	dst = append(dst, t.Src[t.List.End:t.Outer.End]...)
	if v.Beside {
		jsonspan.ReplaceLone(dst, transcript.Span{Start: uint32(from), End: uint32(head)})
		jsonspan.ReplaceLone(dst, transcript.Span{Start: uint32(tail), End: uint32(len(dst))})
	}
	wrote(len(dst) - from)
	return dst
}

// AppendList writes the list of messages. Adjacent input messages are copied as one run, including the white space
// between them.
func (v *View) AppendList(dst []byte) []byte {
	t := v.T
	if t.Input == 0 {
		return append(dst, t.AsGiven(t.List)...)
	}
	items := v.Items
	for m := v.Rest; m < t.Input; m++ {
		items = append(items, Item{Msg: int32(m), In: int32(m)})
	}
	for i := 0; i < len(items); {
		it := &items[i]
		dst = v.appendBefore(dst, items, i)
		if it.Dirty || it.In < 0 {
			dst = v.AppendFinal(dst, it)
			i++
			continue
		}
		end := i + 1
		for end < len(items) && items[end].In == items[end-1].In+1 && !items[end].Dirty && items[end].Before.IsZero() {
			end++
		}
		dst = append(dst, t.AsGiven(transcript.Span{Start: t.Messages[it.In].Span.Start,
			End: t.Messages[items[end-1].In].Span.End})...)
		i = end
	}
	switch last := len(items) - 1; {
	case last < 0:
		dst = append(dst, '[')
	case int(items[last].In) == t.Input-1:
		return append(dst, t.AsGiven(transcript.Span{Start: t.Messages[items[last].In].Span.End, End: t.List.End})...)
	}
	if !v.Close.IsZero() {
		return append(dst, t.AsGiven(v.Close)...)
	}
	return append(dst, ']')
}

// appendBefore writes the text before an item: the bracket of the list or a comma, with the white space that the
// input has there.
func (v *View) appendBefore(dst []byte, items []Item, i int) []byte {
	t, it := v.T, &items[i]
	switch {
	case !it.Before.IsZero() && (i == 0) == (bytes.IndexByte(t.Bytes(it.Before), '[') >= 0):
		return append(dst, t.AsGiven(it.Before)...)
	case i == 0 && it.In == 0:
		return append(dst, t.AsGiven(transcript.Span{Start: t.List.Start, End: t.Messages[0].Span.Start})...)
	case i == 0:
		return append(dst, '[')
	case it.In > 0 && items[i-1].In == it.In-1:
		return append(dst, t.AsGiven(transcript.Span{Start: t.Messages[it.In-1].Span.End,
			End: t.Messages[it.In].Span.Start})...)
	}
	return append(dst, ',')
}

// AppendMessage writes one message with its edits, from the bytes that the passes read.
func (v *View) AppendMessage(dst []byte, it *Item) []byte {
	return v.appendMessage(dst, it, v.T.Bytes)
}

// AppendFinal is like AppendMessage, but writes the final result: it copies unchanged bytes from the host's original.
func (v *View) AppendFinal(dst []byte, it *Item) []byte { return v.appendMessage(dst, it, v.T.AsGiven) }

func (v *View) appendMessage(dst []byte, it *Item, bytes func(transcript.Span) []byte) []byte {
	msg := &v.T.Messages[it.Msg]
	if !it.Dirty {
		return append(dst, bytes(msg.Span)...)
	}
	return v.appendRange(dst, it.Msg, msg.Span, bytes)
}

// appendRange writes a span of a message with its edits. bytes returns the bytes of a span that has no edits.
func (v *View) appendRange(dst []byte, m int32, span transcript.Span, bytes func(transcript.Span) []byte) []byte {
	edits := v.EditsOf(m)
	if removals := v.removals(m); len(removals) > 0 {
		edits = append(removals, edits...)
		sorting.Stable(edits, func(a, b edit) int { return cmp.Compare(a.Old.Start, b.Old.Start) })
	}
	at := span.Start
	for _, e := range edits {
		if e.Old.Start < at || e.Old.End > span.End { // outside the span, or inside a removed part
			continue
		}
		dst = append(dst, bytes(transcript.Span{Start: at, End: e.Old.Start})...)
		if !e.new.IsZero() {
			dst = append(dst, v.T.Bytes(e.new)...)
		}
		at = e.Old.End
	}
	return append(dst, bytes(transcript.Span{Start: at, End: span.End})...)
}

// AppendPart writes one part with its edits.
func (v *View) AppendPart(dst []byte, part int32) []byte {
	p := &v.T.Parts[part]
	for _, inner := range v.T.InnerParts(int(part)) {
		if inner.Has(transcript.Removed) {
			return v.appendRange(dst, p.Msg, p.Span, v.T.Bytes)
		}
	}
	// EditsOf would be slow here, because a message may have as many edits as parts.
	v.sort()
	first, _ := slices.BinarySearchFunc(v.edits, p, func(e edit, p *transcript.Part) int {
		return cmp.Or(cmp.Compare(e.msg, p.Msg), cmp.Compare(e.Old.Start, p.Span.Start))
	})
	at := p.Span.Start
	for _, e := range v.edits[first:] {
		if e.msg != p.Msg || e.Old.End > p.Span.End {
			break
		}
		if e.Old.Start >= at {
			dst = append(append(dst, v.T.Bytes(transcript.Span{Start: at, End: e.Old.Start})...), v.T.Bytes(e.new)...)
			at = e.Old.End
		}
	}
	return append(dst, v.T.Bytes(transcript.Span{Start: at, End: p.Span.End})...)
}

// EditsOf returns the edits of message m in order. If a body was edited twice, the later edit is the valid one and
// comes first.
func (v *View) EditsOf(m int32) []edit {
	v.sort()
	from := v.next // callers usually visit the messages in order
	if from > len(v.edits) || from > 0 && v.edits[from-1].msg >= m || from < len(v.edits) && v.edits[from].msg < m {
		from, _ = slices.BinarySearchFunc(v.edits, m, func(e edit, m int32) int { return cmp.Compare(e.msg, m) })
	}
	to := from
	for to < len(v.edits) && v.edits[to].msg == m {
		to++
	}
	v.next = to
	return v.edits[from:to]
}

func (v *View) sort() {
	if !v.sorted {
		// New text is written after all older text, so its position shows which edit is later.
		sorting.Func(v.edits, compareEdits)
		v.sorted, v.next = true, 0
	}
}

func compareEdits(a, b edit) int {
	return cmp.Or(cmp.Compare(a.msg, b.msg), cmp.Compare(a.Old.Start, b.Old.Start),
		cmp.Compare(b.new.Start, a.new.Start))
}

// AppendEdits writes the view as edits of the input's list, in output order; see [Edits].
func (v *View) AppendEdits(dst []byte) []byte {
	e := NewEdits(dst)
	v.EachItem(func(it *Item, write func(dst []byte) []byte) {
		switch {
		case write == nil:
			e.Keep(int(it.In))
		case it.In < 0:
			e.Insert(write)
		default:
			e.Set(int(it.In), write)
		}
	})
	return e.End()
}

// EachItem calls yield for each message of the result, in order, with its item and a function that writes it. The
// function is nil if the message is unchanged from the input.
func (v *View) EachItem(yield func(it *Item, write func(dst []byte) []byte)) {
	for i := range v.Items {
		it := &v.Items[i]
		if it.In >= 0 && !it.Dirty {
			yield(it, nil)
			continue
		}
		yield(it, func(dst []byte) []byte { return v.AppendFinal(dst, it) })
	}
	for m := v.Rest; m < v.T.Input; m++ {
		yield(&Item{Msg: int32(m), In: int32(m)}, nil)
	}
}
