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
	Marked bool            // only a cache breakpoint was added
	Pinned bool            // must stay byte-identical
	Instr  bool            // pinned because of project instructions
	Rest   bool            // its beginning was folded, and the rest stays after the digest
	Said   int32           // one more than the part index of the newest user text in it, if that must stay; otherwise 0
	Body   int32           // one more than the index of the body that it replaces in the list of archived bodies; 0 for none
	Before transcript.Span // what is written before it, including its comma or the bracket of the list; zero for the original, or none
}

// View is a transcript as the passes see it.
type View struct {
	T     *transcript.Transcript
	F     *wire.Format
	P     *tokens.Profile
	Items []Item
	Total int // tokens of all items, and of the rest of the request body
	N     int // number of input messages in the view at the beginning
	// Rest is the index of the first input message that came after the plan was made. Such messages are no items, and
	// are written after the items.
	Rest   int
	Close  transcript.Span // what is written after the last item, if that isn't the input's last; zero for just a bracket
	Leans  []Lean
	edits  []edit
	Beside bool // U+FFFD replaces lone surrogates outside the list
	sorted bool
	next   int               // the position after the last edits returned, if they are sorted
	bodies []transcript.Span // the original bodies of edited parts, by part index; zero for others
	adder  *wire.Adder
	// The last weighed value: most of what is written is the same marker.
	weighed     []byte
	weighedSize transcript.Measure
}

// Lean says that a message was shortened because another one says the same or something newer. Both are indexes of
// T.Messages.
type Lean struct{ Message, On int32 }

// edit replaces a value of the source with another one.
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

// Reset restores the view to its initial state.
func (v *View) Reset() { *v = *NewView(v.T, v.F, v.P, v.N) }

// Tokens returns the tokens of the items in [from, to).
func (v *View) Tokens(from, to int) int {
	sum := 0
	for _, it := range v.Items[from:to] {
		sum += it.Tokens
	}
	return sum
}

// Seq returns the messages of the items, in order, as wire.Format.Check takes them.
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

// FirstChange returns how many items at the front are the input's, unchanged and in place.
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

// PrefixBytes returns how many bytes of the output's list, from its opening bracket, are the input's if the first n items are.
func (v *View) PrefixBytes(n int) int {
	switch {
	case !v.Changed() && n == len(v.Items):
		return v.T.Given(v.T.List).Len()
	case n == 0:
		return 0
	}
	return v.T.Given(transcript.Span{Start: v.T.List.Start, End: v.T.Messages[n-1].Span.End}).Len()
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

// Look returns the print of a message, in hexadecimal digits. Cache breakpoints don't count, because the app moves them.
func (v *View) Look(m int32) string { return v.look(m, transcript.Mark) }

// MarkedLook returns the print that earlier versions gave a message, which includes cache breakpoints that are parts.
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
		if p.Has(transcript.Removed|without) || p.Parent >= 0 { // the contents of a result are in its body
			continue
		}
		f.Add([]byte{byte(p.Kind)})
		add(p.Name)
		add(p.ID)
		add(p.Body)
	}
	return f.String()
}
