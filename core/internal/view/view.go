// Package view is a transcript as an operation sees it: a list of items, each of which is a message of the source or
// a new one. Items are edited, and the result is written from them. The source is never modified: messages that stay
// are copied from it byte for byte.
//
// This package knows nothing about the JSON of wire formats, the authors of messages, or the work of passes.
package view

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Item is one message of the view.
type Item struct {
	Msg    int32 // index in T.Messages
	In     int32 // index in the input's list, or -1 for a new message
	Tokens int   // estimated size in tokens
	Dirty  bool  // whether parts of it were replaced or removed
	Marked bool  // whether nothing but a cache breakpoint was added
	Pinned bool  // whether it must stay byte for byte
	Instr  bool  // whether it is pinned because of project instructions
	Rest   bool  // whether its beginning was folded, and the rest stays after the digest
	// The part index, plus one, of the newest user text in it, if that text must stay; otherwise 0.
	Said int32
	// The index in the list of archived bodies, plus one, of the body that the item replaces; 0 for none.
	Body int32
	// The text to write before the item, including its comma or the list's opening bracket; zero for the original text,
	// or for none.
	Before transcript.Span
}

// View is a transcript as the passes see and edit it.
type View struct {
	T     *transcript.Transcript // the transcript, whose parts may get flags
	F     *wire.Format           // of the transcript
	P     *tokens.Profile        // counts the tokens
	Items []Item                 // the messages as they are now, in order
	Total int                    // tokens of all items, and of the rest of the request body
	N     int                    // number of input messages in the initial view
	// Rest is the index of the first input message that was added after the plan was made. Such messages are not
	// items; they are written after the items.
	Rest int
	// The text to write after the last item if that isn't the input's last item; zero if only a bracket is written.
	Close  transcript.Span
	Leans  []Lean
	edits  []edit
	Beside bool              // whether U+FFFD replaces lone surrogates outside the list
	sorted bool              // whether edits is sorted by message and position
	next   int               // the position after the last edits returned, if they are sorted
	bodies []transcript.Span // the original bodies of edited parts, by part index; zero for others
	saved  []savedPart       // the records of parts before each change, in order
	adder  *wire.Adder       // reads new messages; nil until it is needed
	// A copy of the value that was weighed last. It is cached because most values that are written are the same marker.
	weighed     []byte
	weighedSize transcript.Measure
	body        []byte // the value that ResultBody returned last
}

// Lean records that a message was shortened because another message contains the same or newer content. Both fields are
// indexes into T.Messages.
type Lean struct{ Message, On int32 }

// edit replaces a span of the source with another span.
type edit struct {
	msg      int32           // the index of the message in the transcript
	Old, new transcript.Span // new is zero if the old span is removed
}

// savedPart is the record that a part had before a change.
type savedPart struct {
	part   int32
	record transcript.Part
}

// NewView returns the view of the first n messages of t.
func NewView(t *transcript.Transcript, f *wire.Format, p *tokens.Profile, n int) *View {
	v := &View{T: t, F: f.FormatFor(t), P: p, Items: make([]Item, n), Total: p.OutsideMessages(t), N: n, Rest: n}
	for i := range v.Items {
		v.Items[i] = Item{Msg: int32(i), In: int32(i), Tokens: p.Message(t, i)}
		v.Total += v.Items[i].Tokens
	}
	return v
}

// Reset restores the view to its initial state, and the records of all parts that were passed to SavePart or removed.
func (v *View) Reset() {
	for _, s := range slices.Backward(v.saved) {
		v.T.Parts[s.part] = s.record
	}
	for i := range v.T.Parts {
		v.T.Parts[i].Flags &^= transcript.Removed
	}
	*v = *NewView(v.T, v.F, v.P, v.N)
}

// Tokens returns the tokens of the items in [from, to).
func (v *View) Tokens(from, to int) int {
	sum := 0
	for _, it := range v.Items[from:to] {
		sum += it.Tokens
	}
	return sum
}

// MessageOrder returns the indexes of the items' messages, and after them those of the messages added after the plan,
// in the form that wire.Format.Check expects.
func (v *View) MessageOrder() []int32 {
	seq := make([]int32, 0, len(v.Items)+v.T.Input-v.Rest)
	for _, it := range v.Items {
		seq = append(seq, it.Msg)
	}
	for m := v.Rest; m < v.T.Input; m++ {
		seq = append(seq, int32(m))
	}
	return seq
}

// FirstChange returns the number of items at the front that are unchanged input messages in their original positions.
func (v *View) FirstChange() int {
	for i, it := range v.Items {
		if int(it.In) != i || it.Dirty {
			return i
		}
	}
	return len(v.Items)
}

// IsChanged reports whether anything differs from the input.
func (v *View) IsChanged() bool { return v.FirstChange() < len(v.Items) || len(v.Items) < v.Rest }

// PrefixBytes returns the number of bytes of the output list, from its opening bracket on, that are equal to the input
// if the first n items are unchanged. It is 0 if n is 0, unless nothing at all was changed.
func (v *View) PrefixBytes(n int) int {
	switch {
	case !v.IsChanged() && n == len(v.Items):
		return v.T.OriginalSpan(v.T.List).Len()
	case n == 0:
		return 0
	}
	return v.T.OriginalSpan(transcript.Span{Start: v.T.List.Start, End: v.T.Messages[n-1].Span.End}).Len()
}

// Fingerprint returns the fingerprint of the output's messages.
func (v *View) Fingerprint() string {
	var f transcript.Fingerprint
	var written []byte
	for i := range v.Items {
		it := &v.Items[i]
		if it.Dirty {
			written = v.AppendFinal(written[:0], it)
			f.Add(written)
		} else {
			f.Add(v.T.AsGiven(v.T.Messages[it.Msg].Span))
		}
	}
	for m := v.Rest; m < v.T.Input; m++ {
		f.Add(v.T.AsGiven(v.T.Messages[m].Span))
	}
	return f.String()
}

// RequestLook returns the print of a message, in hexadecimal digits. Cache breakpoints are ignored, because apps move
// them.
func (v *View) RequestLook(m int32) string { return v.look(m, transcript.Mark) }

// MarkedLook returns the print that earlier versions computed for a message. It includes cache breakpoints that are
// parts.
func (v *View) MarkedLook(m int32) string { return v.look(m, 0) }

// look returns a hash of a message's role and parts, in hexadecimal digits. Removed parts and parts with the flags in
// without are ignored.
func (v *View) look(m int32, without transcript.Flags) string {
	var f transcript.Fingerprint
	f.Add([]byte{byte(v.T.Messages[m].Role)})
	var text []byte
	add := func(p transcript.Span) {
		switch {
		case p.IsZero():
			f.Add(nil)
		case v.T.IsString(p):
			text = v.T.AppendText(text[:0], p)
			f.Add(text)
		default:
			f.Add(v.T.Bytes(p))
		}
	}
	for _, p := range v.T.PartsOf(int(m)) {
		if p.Has(transcript.Removed|without) || p.Parent >= 0 { // the parts inside a result are part of its body
			continue
		}
		f.Add([]byte{byte(p.Kind)})
		add(p.Name)
		add(p.ID)
		add(p.Body)
	}
	return f.String()
}
