// Package compact is the passes: it looks at a transcript as a list of items, lets the passes of a policy edit that list,
// and writes what is left. Passes edit the list, never the source: what stays is copied from the source byte for byte.
//
// A pass is one file that registers one pass. What never enters this package: JSON of a wire format, and how requests
// and answers of operations look.
package compact

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/tokens"
	"github.com/ctxfold/ctxfold/core/transcript"
	"github.com/ctxfold/ctxfold/core/wire"
)

// Item is one message of the list.
type Item struct {
	Msg    int32 // index of T.Messages
	In     int32 // index in the input's list, or -1 for a new message
	Tokens int   // estimate
	Dirty  bool  // parts of it were replaced or removed
	Pinned bool  // must stay byte-identical
	Rest   bool  // its beginning was folded: it stays behind the digest
	Body   int32 // one more than the index of what it stands for in the list of what was taken; 0 for nothing
}

// View is a transcript as the passes see it.
type View struct {
	T     *transcript.Transcript
	F     *wire.Format
	P     *tokens.Profile
	Items []Item
	Total int // tokens of all items and of what a request body sends beside them
	// Rest is the input's messages that came after a plan was made; they are no items, and are written behind them.
	Rest   int
	edits  []edit
	sorted bool
	bodies map[int32]transcript.Span // of edited parts: the body in the source
}

// edit is a value of the source that another one takes the place of.
type edit struct {
	msg      int32
	old, new transcript.Span
}

// NewView returns the view of the first n messages of t.
func NewView(t *transcript.Transcript, f *wire.Format, p *tokens.Profile, n int) *View {
	v := &View{T: t, F: f, P: p, Items: make([]Item, n), Total: p.Beside(t), Rest: n}
	for i := range v.Items {
		v.Items[i] = Item{Msg: int32(i), In: int32(i), Tokens: p.Message(t, i)}
		v.Total += v.Items[i].Tokens
	}
	return v
}

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

// SetBody puts value, JSON of the wire format, in the place of a part's body; size is what reading it will measure. What
// stood inside the part is removed with its body. The item has to be measured anew afterwards, by changed.
func (v *View) SetBody(part int32, value []byte, size transcript.Measure) {
	p := &v.T.Parts[part]
	span := v.T.Write(value)
	size.Weight = v.weigh(value, size)
	v.edits = append(v.edits, edit{p.Msg, p.Body, span})
	v.sorted = false
	if _, found := v.bodies[part]; !found {
		if v.bodies == nil {
			v.bodies = map[int32]transcript.Span{}
		}
		v.bodies[part] = p.Body
	}
	p.Body, p.Size = span, size
	p.Flags |= transcript.Edited
	for i := range v.T.Inner(int(part)) {
		v.T.Parts[int(part)+1+i].Flags |= transcript.Removed
	}
}

// weigh is the weight that reading value, JSON, will give a part whose other measures are size: that of the value, or of the
// text in it that they are of.
func (v *View) weigh(value []byte, size transcript.Measure) uint32 {
	if v.T.Weigh == nil {
		return 0
	}
	s := jsonspan.New(value)
	s.Weigh = v.T.Weigh
	if value[0] == '"' {
		return s.Text().Weight
	}
	if all := s.At(0).Skip(); all.Bytes == size.Bytes || value[0] != '{' {
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

// Original is the body of a part before any edit.
func (v *View) Original(part int32) transcript.Span {
	if body, found := v.bodies[part]; found {
		return body
	}
	return v.T.Parts[part].Body
}

// originals puts the bodies back that were replaced in messages, for reading, until the returned function is called.
func (v *View) originals(messages []int32) (undo func()) {
	was := map[int32]transcript.Part{}
	for _, m := range messages {
		msg := &v.T.Messages[m]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			body, edited := v.bodies[n]
			if !edited {
				continue
			}
			was[n] = v.T.Parts[n]
			v.T.Parts[n].Body = body
			v.T.Parts[n].Flags &^= transcript.Edited | transcript.Cleared
			for i := range v.T.Inner(int(n)) {
				k := n + 1 + int32(i)
				was[k] = v.T.Parts[k]
				v.T.Parts[k].Flags &^= transcript.Removed
			}
		}
	}
	return func() {
		for n, p := range was {
			v.T.Parts[n] = p
		}
	}
}

// RemovePart takes a part out of its message, with what stands inside it and with a result that is one with its call.
func (v *View) RemovePart(item int, part int32) {
	v.removePart(part)
	v.changed(item)
}

// removePart is RemovePart for several in a row; the item has to be measured anew afterwards, by changed.
func (v *View) removePart(part int32) {
	p := &v.T.Parts[part]
	p.Flags |= transcript.Removed
	if pair := p.Pair; pair >= 0 && (p.List == transcript.Shared || v.T.Parts[pair].List == transcript.Shared) {
		v.T.Parts[pair].Flags |= transcript.Removed
	}
	for i := range v.T.Inner(int(part)) {
		v.T.Parts[int(part)+1+i].Flags |= transcript.Removed
	}
}

// Piece returns a message, to be read only, that holds the parts of an item's message before index end of Parts.
func (v *View) Piece(item int, end int32) int32 {
	m := v.Items[item].Msg
	piece := v.T.Piece(m, end)
	shift := v.T.Messages[piece].First - v.T.Messages[m].First
	for i := v.T.Messages[m].First; i < end; i++ {
		if body, found := v.bodies[i]; found {
			v.bodies[i+shift] = body
		}
	}
	return piece
}

// CutOff takes a piece out of the message of its item.
func (v *View) CutOff(item int, piece int32) {
	first := v.T.Messages[v.Items[item].Msg].First
	for i := first; i < first+v.T.Messages[piece].Count; i++ {
		v.T.Parts[i].Flags |= transcript.Removed
	}
	v.changed(item)
}

// Replace puts a message that was written anew, JSON of the wire format, in the place of an item's.
func (v *View) Replace(item int, text []byte) {
	v.Items[item].Msg = int32(v.F.Append(v.T, text))
	v.changed(item)
}

func (v *View) changed(item int) {
	it := &v.Items[item]
	v.Total -= it.Tokens
	it.Tokens = v.P.Message(v.T, int(it.Msg))
	it.Dirty = true
	v.Total += it.Tokens
}

// Remove takes the items out for which gone is true.
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

// Insert puts new messages, JSON of the wire format separated by commas, before item at. It returns how many items it
// added.
func (v *View) Insert(at int, text []byte) int {
	part := len(v.T.Parts)
	n := v.insert(at, text)
	v.F.Pair(v.T, part)
	return n
}

// insert is Insert for several in a row, which are to be paired afterwards.
func (v *View) insert(at int, text []byte) int {
	first := v.F.Add(v.T, text)
	var added []Item
	for m := first; m < len(v.T.Messages); m++ {
		it := Item{Msg: int32(m), In: -1, Tokens: v.P.Message(v.T, m)}
		v.Total += it.Tokens
		added = append(added, it)
	}
	v.Items = slices.Insert(v.Items, at, added...)
	return len(added)
}

// compose makes an item of a new message, JSON of the wire format. What it is paired with is found by F.Pair, which is called
// once when all are made.
func (v *View) compose(text []byte) Item {
	m := v.F.Add(v.T, text)
	return Item{Msg: int32(m), In: -1, Tokens: v.P.Message(v.T, m)}
}

// setItems puts a list of items in the place of all; part is the number of parts before new ones were made.
func (v *View) setItems(items []Item, part int) {
	v.Total -= v.Tokens(0, len(v.Items))
	v.Items = items
	v.Total += v.Tokens(0, len(items))
	v.F.Pair(v.T, part)
}

// dropTurn takes what an application keeps with a message, the turn that it belongs to, out of it. It tells whether there was
// anything.
func (v *View) dropTurn(m int32) bool {
	meta := v.T.Messages[m].Meta
	if meta == 0 || v.T.Metas[meta-1].Member.Zero() {
		return false
	}
	v.edits = append(v.edits, edit{m, v.member(v.T.Metas[meta-1].Member, v.T.Messages[m].Span), transcript.Span{}})
	v.sorted = false
	return true
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

// Changed tells whether anything differs from the input.
func (v *View) Changed() bool { return v.FirstChange() < len(v.Items) || len(v.Items) < v.Rest }

// prefixBytes is how many bytes of the output's list, from its opening bracket, are the input's, where the first n items are.
func (v *View) prefixBytes(n int) int {
	switch {
	case !v.Changed() && n == len(v.Items):
		return v.T.List.Len()
	case n == 0:
		return 0
	}
	return int(v.T.Messages[n-1].Span.End - v.T.List.Start)
}

// fingerprint is the fingerprint of the output's messages.
func (v *View) fingerprint() string {
	var f transcript.Fingerprint
	for i := range v.Items {
		it := &v.Items[i]
		if it.Dirty {
			f.Add(v.appendMessage(nil, it))
		} else {
			f.Add(v.T.Bytes(v.T.Messages[it.Msg].Span))
		}
	}
	for m := v.Rest; m < v.T.Input; m++ {
		f.Add(v.T.Bytes(v.T.Messages[m].Span))
	}
	return f.String()
}

// Size is about how many bytes AppendOuter writes: not less, unless texts are edited into longer ones.
func (v *View) Size() int {
	t := v.T
	n := t.Outer.Len() - t.List.Len() + 2
	for _, it := range v.Items {
		n += t.Messages[it.Msg].Span.Len() + 1
		if it.In >= 0 && int(it.In)+1 < t.Input { // with the white space behind it
			n += int(t.Messages[it.In+1].Span.Start - t.Messages[it.In].Span.End)
		}
	}
	if v.Rest < t.Input {
		n += int(t.List.End - t.Messages[v.Rest].Span.Start)
	}
	for _, e := range v.edits {
		n += e.new.Len() - e.old.Len()
	}
	return max(n, 0)
}

// AppendOuter writes the whole value that came in, a list or a request body, with the list of messages as it is now.
func (v *View) AppendOuter(dst []byte) []byte {
	t := v.T
	dst = append(dst, t.Src[t.Outer.Start:t.List.Start]...)
	dst = v.appendList(dst)
	return append(dst, t.Src[t.List.End:t.Outer.End]...)
}

// appendList writes the list of messages. Neighbours of the input are copied as one run, with the white space between
// them.
func (v *View) appendList(dst []byte) []byte {
	t := v.T
	items := v.Items
	for m := v.Rest; m < t.Input; m++ {
		items = append(items, Item{Msg: int32(m), In: int32(m)})
	}
	for i := 0; i < len(items); {
		it := &items[i]
		switch {
		case i == 0 && it.In == 0:
			dst = append(dst, t.Src[t.List.Start:t.Messages[0].Span.Start]...)
		case i == 0:
			dst = append(dst, '[')
		case it.In > 0 && items[i-1].In == it.In-1:
			dst = append(dst, t.Src[t.Messages[it.In-1].Span.End:t.Messages[it.In].Span.Start]...)
		default:
			dst = append(dst, ',')
		}
		if it.Dirty || it.In < 0 {
			dst = v.appendMessage(dst, it)
			i++
			continue
		}
		end := i + 1
		for end < len(items) && items[end].In == items[end-1].In+1 && !items[end].Dirty {
			end++
		}
		dst = append(dst, t.Src[t.Messages[it.In].Span.Start:t.Messages[items[end-1].In].Span.End]...)
		i = end
	}
	if len(items) == 0 {
		dst = append(dst, '[')
	} else if last := items[len(items)-1]; last.In >= 0 && int(last.In) == t.Input-1 {
		return append(dst, t.Src[t.Messages[last.In].Span.End:t.List.End]...)
	}
	return append(dst, ']')
}

// appendMessage writes one message with its edits.
func (v *View) appendMessage(dst []byte, it *Item) []byte {
	msg := &v.T.Messages[it.Msg]
	if !it.Dirty {
		return append(dst, v.T.Bytes(msg.Span)...)
	}
	return v.appendRange(dst, it.Msg, msg.Span)
}

// appendRange writes a range of a message, all of it or a part, with its edits.
func (v *View) appendRange(dst []byte, m int32, span transcript.Span) []byte {
	splices := v.removals(m)
	for _, e := range v.editsOf(m) {
		splices = append(splices, splice{e.old, e.new})
	}
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.old.Start, b.old.Start) })
	at := span.Start
	for _, s := range splices {
		if s.old.Start < at || s.old.End > span.End { // outside, or inside something that is gone
			continue
		}
		dst = append(dst, v.T.Bytes(transcript.Span{Start: at, End: s.old.Start})...)
		if !s.new.Zero() {
			dst = append(dst, v.T.Bytes(s.new)...)
		}
		at = s.old.End
	}
	return append(dst, v.T.Bytes(transcript.Span{Start: at, End: span.End})...)
}

// appendPart writes one part with its edits.
func (v *View) appendPart(dst []byte, part int32) []byte {
	p := &v.T.Parts[part]
	for _, inner := range v.T.Inner(int(part)) {
		if inner.Has(transcript.Removed) {
			return v.appendRange(dst, p.Msg, p.Span)
		}
	}
	edits := v.editsOf(p.Msg)
	first, _ := slices.BinarySearchFunc(edits, p.Span.Start, func(e edit, start uint32) int { return cmp.Compare(e.old.Start, start) })
	at := p.Span.Start
	for _, e := range edits[first:] {
		if e.old.End > p.Span.End {
			break
		}
		if e.old.Start >= at {
			dst = append(append(dst, v.T.Bytes(transcript.Span{Start: at, End: e.old.Start})...), v.T.Bytes(e.new)...)
			at = e.old.End
		}
	}
	return append(dst, v.T.Bytes(transcript.Span{Start: at, End: p.Span.End})...)
}

// editsOf returns the edits of a message in their order. Of two edits of one body the later counts; it stands first.
func (v *View) editsOf(m int32) []edit {
	if !v.sorted {
		// New text is written behind all older: where it begins tells which edit is the later one.
		slices.SortFunc(v.edits, func(a, b edit) int {
			return cmp.Or(cmp.Compare(a.msg, b.msg), cmp.Compare(a.old.Start, b.old.Start), cmp.Compare(b.new.Start, a.new.Start))
		})
		v.sorted = true
	}
	byMsg := func(e edit, m int32) int { return cmp.Compare(e.msg, m) }
	from, _ := slices.BinarySearchFunc(v.edits, m, byMsg)
	to, _ := slices.BinarySearchFunc(v.edits, m+1, byMsg)
	return v.edits[from:to]
}

type splice struct{ old, new transcript.Span }

// removals are the splices that take the removed parts out of a message, each with the comma that would be left over:
// a part goes with the bytes up to the next one or, where none is kept behind it, with those from the one before it.
func (v *View) removals(m int32) []splice {
	var out []splice
	msg := &v.T.Messages[m]
	parts := v.T.PartsOf(int(m))
	kept := v.keptBehind(parts)
	var last [3]neighbour
	for i := range parts {
		p := &parts[i]
		list := listOf(p)
		if list < 0 {
			if p.Has(transcript.Removed) && p.List == transcript.Member {
				out = append(out, splice{old: v.member(p.Span, msg.Span)})
			}
			continue
		}
		if last[list].parent != p.Parent || !last[list].any {
			last[list] = neighbour{parent: p.Parent}
		}
		if p.Has(transcript.Removed) {
			old := p.Span
			if next := kept[i].at; next >= 0 && (kept[i].any || !last[list].kept) {
				old.End = parts[next].Span.Start
			} else if last[list].kept {
				old.Start = parts[last[list].at].Span.End
			}
			out = append(out, splice{old: old})
		}
		last[list].any, last[list].at = true, i
		last[list].kept = last[list].kept || !p.Has(transcript.Removed)
	}
	return out
}

// neighbour is what a sweep over parts has seen of a list.
type neighbour struct {
	parent    int32
	any, kept bool
	at        int
}

// listOf tells which sweep a part belongs to: its message's lists, or the list inside a tool result; -1 for no list.
func listOf(p *transcript.Part) int {
	if p.Parent >= 0 {
		return 2
	}
	return int(max(p.List, -1))
}

// keptBehind tells for each part which is the next in its list (at, or -1) and whether any behind it is kept (any).
func (v *View) keptBehind(parts []transcript.Part) []neighbour {
	out := make([]neighbour, len(parts))
	var next [3]neighbour
	for i := range next {
		next[i] = neighbour{parent: -2, at: -1}
	}
	for i := len(parts) - 1; i >= 0; i-- {
		p := &parts[i]
		list := listOf(p)
		out[i].at = -1
		if list < 0 {
			continue
		}
		if next[list].parent != p.Parent {
			next[list] = neighbour{parent: p.Parent, at: -1}
		}
		out[i] = next[list]
		next[list].at = i
		next[list].any = next[list].any || !p.Has(transcript.Removed)
	}
	return out
}

// member widens the span of a member, key and value, by the comma behind it or, for the last member, before it.
func (v *View) member(p, message transcript.Span) transcript.Span {
	b := v.T.Bytes(message)
	at := func(off uint32) byte { return b[off-message.Start] }
	space := func(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
	end := p.End
	for space(at(end)) {
		end++
	}
	if at(end) == ',' {
		p.End = end + 1
		return p
	}
	start := p.Start
	for space(at(start - 1)) {
		start--
	}
	if at(start-1) == ',' {
		p.Start = start - 1
	}
	return p
}

// AppendEdits writes the view as runs over the input's indexes, in output order: {"keep":[from,to]} (half-open),
// {"insert":message}, {"set":index,"message":message}.
func (v *View) AppendEdits(dst []byte) []byte {
	num := func(n int) { dst = strconv.AppendInt(dst, int64(n), 10) }
	dst = append(dst, '[')
	comma := func() {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
	}
	keep := func(from, to int) {
		comma()
		dst = append(dst, `{"keep":[`...)
		num(from)
		dst = append(dst, ',')
		num(to)
		dst = append(dst, `]}`...)
	}
	for i := 0; i < len(v.Items); {
		it := &v.Items[i]
		switch {
		case it.In < 0:
			comma()
			dst = append(dst, `{"insert":`...)
			dst = append(v.appendMessage(dst, it), '}')
			i++
		case it.Dirty:
			comma()
			dst = append(dst, `{"set":`...)
			num(int(it.In))
			dst = append(dst, `,"message":`...)
			dst = append(v.appendMessage(dst, it), '}')
			i++
		default:
			end := i + 1
			for end < len(v.Items) && v.Items[end].In == v.Items[end-1].In+1 && !v.Items[end].Dirty {
				end++
			}
			keep(int(it.In), int(v.Items[end-1].In)+1)
			i = end
		}
	}
	if v.Rest < v.T.Input {
		keep(v.Rest, v.T.Input)
	}
	return append(dst, ']')
}
