// Package view is a transcript as an operation sees it: a list of items, each a message of the source or a new one, which
// is edited and written. The source is never edited: what stays is copied from it byte for byte.
//
// What never enters this package: JSON of a wire format, who wrote a message, and what a pass does.
package view

import (
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Item is one message of the list.
type Item struct {
	Msg    int32           // index of T.Messages
	In     int32           // index in the input's list, or -1 for a new message
	Tokens int             // estimate
	Dirty  bool            // parts of it were replaced or removed
	Marked bool            // a cache breakpoint was put into it, and nothing else is new
	Pinned bool            // must stay byte-identical
	Instr  bool            // it is pinned because it holds project instructions
	Rest   bool            // its beginning was folded: it stays after the digest
	Said   int32           // one more than the index in Parts of the newest words of the user, where they are in it and must stay; else 0
	Body   int32           // one more than the index of what it represents in the list of what was taken; 0 for nothing
	Before transcript.Span // what is written before it, its comma or the bracket of the list included; zero for what is there, or none
}

// View is a transcript as the passes see it.
type View struct {
	T     *transcript.Transcript
	F     *wire.Format
	P     *tokens.Profile
	Items []Item
	Total int // tokens of all items and of what a request body sends next to them
	N     int // how many messages of the input the view began with
	// Rest is the first of the input's messages that came after a plan was made; they are no items, and are written after them.
	Rest   int
	Close  transcript.Span // what is written after the last item, where that is not the input's last; zero for a bracket alone
	Leans  []Lean
	edits  []edit
	Beside bool // U+FFFD replaces lone surrogates next to the list
	sorted bool
	next   int               // after the edits that were asked for last, if they are sorted
	bodies []transcript.Span // of parts that were edited, by their index: the body in the source; zero for the others
	adder  *wire.Adder
	// The value that was weighed last: most of what is written is the same marker.
	weighed     []byte
	weighedSize transcript.Measure
}

// Lean tells that a message was shortened because another one says the same, or something newer. Both are indexes of T.Messages.
type Lean struct{ Message, On int32 }

// edit is a value of the source that another one replaces.
type edit struct {
	msg      int32
	Old, new transcript.Span
}

// NewView returns the view of the first n messages of t.
func NewView(t *transcript.Transcript, f *wire.Format, p *tokens.Profile, n int) *View {
	v := &View{T: t, F: f.As(t), P: p, Items: make([]Item, n), Total: p.Beside(t), N: n, Rest: n}
	for i := range v.Items {
		v.Items[i] = Item{Msg: int32(i), In: int32(i), Tokens: p.Message(t, i)}
		v.Total += v.Items[i].Tokens
	}
	return v
}

// Reset makes the view that of its input again.
func (v *View) Reset() { *v = *NewView(v.T, v.F, v.P, v.N) }

// Tokens adds up the items in [from, to).
func (v *View) Tokens(from, to int) int {
	sum := 0
	for _, it := range v.Items[from:to] {
		sum += it.Tokens
	}
	return sum
}

// Seq is the messages of the items, in order, as wire.Format.Check takes them.
func (v *View) Seq() []int32 {
	seq := make([]int32, 0, len(v.Items)+v.T.Input-v.Rest)
	for _, it := range v.Items {
		seq = append(seq, it.Msg)
	}
	for m := v.Rest; m < v.T.Input; m++ {
		seq = append(seq, int32(m))
	}
	return seq
}

// FirstChange is the number of items at the front that are the input's, unchanged and in their places.
func (v *View) FirstChange() int {
	for i, it := range v.Items {
		if int(it.In) != i || it.Dirty {
			return i
		}
	}
	return len(v.Items)
}

// Changed reports whether anything differs from the input.
func (v *View) Changed() bool { return v.FirstChange() < len(v.Items) || len(v.Items) < v.Rest }

// PrefixBytes is how many bytes of the output's list, from its opening bracket, are the input's, where the first n items are.
func (v *View) PrefixBytes(n int) int {
	switch {
	case !v.Changed() && n == len(v.Items):
		return v.T.Given(v.T.List).Len()
	case n == 0:
		return 0
	}
	return v.T.Given(transcript.Span{Start: v.T.List.Start, End: v.T.Messages[n-1].Span.End}).Len()
}

// Fingerprint is the fingerprint of the output's messages.
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

// Look is the print of a message, in hexadecimal digits. Cache breakpoints do not count, since the app moves them.
func (v *View) Look(m int32) string { return v.look(m, transcript.Mark) }

// MarkedLook is the print that compactions of earlier versions gave a message: with the cache breakpoints that are parts.
func (v *View) MarkedLook(m int32) string { return v.look(m, 0) }

func (v *View) look(m int32, without transcript.Flags) string {
	var f transcript.Fingerprint
	f.Add([]byte{byte(v.T.Messages[m].Role)})
	var text []byte
	add := func(p transcript.Span) {
		switch {
		case p.Zero():
			f.Add(nil)
		case v.T.IsString(p):
			text = v.T.AppendText(text[:0], p)
			f.Add(text)
		default:
			f.Add(v.T.Bytes(p))
		}
	}
	for _, p := range v.T.PartsOf(int(m)) {
		if p.Has(transcript.Removed|without) || p.Parent >= 0 { // what is in a result is in its body
			continue
		}
		f.Add([]byte{byte(p.Kind)})
		add(p.Name)
		add(p.ID)
		add(p.Body)
	}
	return f.String()
}
