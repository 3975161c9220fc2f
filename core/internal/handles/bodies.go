package handles

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Archive collects the bodies that a compaction removes from a document. The host must store them before it uses the
// result.
type Archive struct {
	doc     *view.View          // the document that the compaction edits
	authors *authorship.Authors // says who wrote a message
	mode    string              // how Archived returns the bodies: "bodies" or "places"; "" if the host keeps no archive
	before  string              // the handle of the previous compaction's changes, or ""

	taken   []Taken // the bodies, including those that are void
	single  []int32 // indexes in taken of the bodies that were archived individually, sorted by message
	away    []int32 // the messages that are archived as a whole
	changes string  // the handle of this compaction's changes
}

// NewArchive returns an empty archive for a document. mode is the archive mode of the policy. before is the handle of
// the previous compaction's changes.
func NewArchive(doc *view.View, authors *authorship.Authors, mode, before string) *Archive {
	return &Archive{doc: doc, authors: authors, mode: mode, before: before}
}

// Changes returns the handle of this compaction's changes, from which the input can be rebuilt. It returns "" before
// SaveChanges, or if nothing is archived.
func (a *Archive) Changes() string { return a.changes }

// Taken is a body to archive, together with the place from which it was removed.
type Taken struct {
	api.Body
	msg  int32           // the message that holds the marker; -1 for a fold and for changes
	part transcript.Span // the body, if msg is not -1
	list []element       // the elements of the body, if msg is -1
	void bool            // not archived, because a later fold includes it or it was put back

	rewritten bool // whether a repair had rewritten the last message of a fold, so that list doesn't have the original
}

// element is an element in the body of a fold or of changes. It is JSON if text is not empty, a number if n is not 0,
// and otherwise the input message with index in. A positive n represents the next n messages after the digest, which
// were not folded. An n of -1 means that only the beginning of the previous message was folded, and that the rest of it
// stays.
type element struct {
	in   int32  // the index of an input message
	n    int    // 0 if the element is no number
	text string // a JSON value, or ""
}

// message reports whether the element refers to an input message.
func (e element) message() bool { return e.n == 0 && e.text == "" }

// Mark replaces the body of a tool result with a marker followed by text, and archives the body. The caller must then
// call Remeasure for the item.
func (a *Archive) Mark(part int32, marker, text string) {
	p := &a.doc.T.Parts[part]
	body := a.doc.Original(part)
	handle := a.Keep(api.BodyToolResult, p.Msg, part, body)
	value, size := a.doc.ResultBody(part, WithHandle(marker, handle)+text)
	a.doc.SetBody(part, value, size)
	a.doc.T.Parts[part].Flags |= transcript.Cleared
}

// MarkAgain replaces the marker that Mark wrote earlier in this run with another marker, followed by text. The caller
// must then call Remeasure for the item.
func (a *Archive) MarkAgain(part int32, marker, text string) {
	handle, _ := handleIn(a.doc.T.Bytes(a.doc.T.Parts[part].Body), resultMarkers...)
	replaced := a.bodiesWith(part)
	a.doc.Unsplice(func(old transcript.Span) bool { return slices.Contains(replaced, old) })
	a.doc.T.Parts[part].Body = replaced[0] // ResultBody derives the new body's format from the body that it replaces
	value, size := a.doc.ResultBody(part, WithHandle(marker, handle)+text)
	a.doc.SetBody(part, value, size)
}

// Unmark puts the bodies of parts back that Mark replaced earlier in this run, and takes them out of the archive. sizes
// are the measures of these bodies. Parts inside the bodies come back too, so none of them may have been removed before
// Mark. The caller must then call Remeasure for the items.
func (a *Archive) Unmark(parts []int32, sizes []transcript.Measure) {
	back := map[uint64]bool{} // by Key
	for i, part := range parts {
		p := &a.doc.T.Parts[part]
		for _, body := range a.bodiesWith(part) {
			back[body.Key()] = true
		}
		p.Body, p.Size = a.doc.Original(part), sizes[i]
		p.Flags &^= transcript.Cleared | transcript.Edited
		for k := range a.doc.T.InnerParts(int(part)) {
			a.doc.T.Parts[int(part)+1+k].Flags &^= transcript.Removed
		}
	}
	a.doc.Unsplice(func(old transcript.Span) bool { return back[old.Key()] })
	a.Unkeep(func(body transcript.Span) bool { return back[body.Key()] })
}

// bodiesWith returns the body that a part had before any edit, and the copies of it in other members of the message.
func (a *Archive) bodiesWith(part int32) []transcript.Span {
	bodies := []transcript.Span{a.doc.Original(part)}
	for n := a.doc.T.Parts[part].Copy; n > 0; n = a.doc.T.Parts[n-1].Copy {
		bodies = append(bodies, a.doc.T.Parts[n-1].Body)
	}
	return bodies
}

// Keep archives a body that is a single span of part, which belongs to message msg. It returns the handle, or "" if the
// host keeps no archive.
func (a *Archive) Keep(what api.BodyKind, msg, part int32, body transcript.Span) string {
	if a.mode == "" {
		return ""
	}
	b := Taken{msg: msg, part: body}
	bytes := a.doc.T.Bytes(body)
	if int(msg) >= a.doc.T.Input { // not an input message: a repair rewrote it
		msg = -1
	}
	b.Body = api.Body{Handle: Handle(bytes), What: what, Message: int(msg), Bytes: len(bytes),
		Tokens: a.doc.P.Parts(a.doc.T, a.doc.T.Parts[part:int(part)+1+len(a.doc.T.InnerParts(int(part)))])}
	switch what {
	case api.BodyToolResult:
		b.Tool = digest.ToolName(a.doc.T, int(part))
	case api.BodyText:
		if result := a.doc.T.Parts[part].Parent; result >= 0 {
			b.Tool = digest.ToolName(a.doc.T, int(result))
		}
	}
	a.taken = append(a.taken, b)
	return b.Handle
}

// Unkeep removes the bodies for which back returns true from the archive, because they were put back into the document.
func (a *Archive) Unkeep(back func(body transcript.Span) bool) {
	for i := range a.taken {
		if b := &a.taken[i]; b.msg >= 0 && back(b.part) {
			b.void = true
		}
	}
}

// KeepNothing empties the archive, for a run that returns its input unchanged.
func (a *Archive) KeepNothing() { a.taken, a.single, a.away, a.changes = nil, nil, nil, "" }

// Keeps reports whether the host keeps an archive, so that removed bodies can be restored.
func (a *Archive) Keeps() bool { return a.mode != "" }

// FoldBody returns the body of a fold without archiving it; KeepFold does that. tokens is the size of the folded
// messages. FoldBody returns nil if the host keeps no archive or if nothing was folded.
func (a *Archive) FoldBody(elements []element, tokens int) *Taken {
	if a.mode == "" || len(elements) == 0 {
		return nil
	}
	b := &Taken{msg: -1, list: elements}
	first := elements[slices.IndexFunc(elements, element.message)]
	b.Body = api.Body{What: api.BodyFold, Tokens: tokens, Message: int(first.in)}
	b.name(a.doc.T)
	return b
}

// name sets the handle of the body, and its size in bytes.
func (b *Taken) name(t *transcript.Transcript) {
	h := New()
	b.Bytes = 0
	b.each(t, func(text []byte) {
		h.Write(text)
		b.Bytes += len(text)
	})
	b.Handle = h.Handle()
}

// HandleOrNone returns the handle of the body, or "" if the body is nil.
func (b *Taken) HandleOrNone() string {
	if b == nil {
		return ""
	}
	return b.Handle
}

// KeepFold archives b, the body of a fold, and makes digest, the item that replaces the folded
// messages, refer to it. gone contains the items that the fold removed. Bodies that this run
// removed from parts of the folded messages are no longer archived. Neither are the bodies that the
// items replaced, because b includes them. If b is nil, it isn't archived, and the bodies that the
// items replaced stay.
func (a *Archive) KeepFold(b *Taken, digest *view.Item, gone ...view.Item) {
	for _, it := range gone {
		if a.away = append(a.away, it.Msg); b != nil && it.Body > 0 {
			a.taken[it.Body-1].void = true
		}
	}
	if b != nil {
		b.rewritten = a.endsRewritten(gone)
		a.taken = append(a.taken, *b)
		digest.Body = int32(len(a.taken))
	}
}

// endsRewritten reports whether a repair rewrote the last of the given items. Turns that a repair inserted after it
// are ignored.
func (a *Archive) endsRewritten(gone []view.Item) bool {
	for i := len(gone) - 1; i >= 0; i-- {
		if it := gone[i]; it.In >= 0 || !authorship.IsTurn(a.doc.T, it.Msg) {
			return it.In < 0 && (it.Body == 0 || a.taken[it.Body-1].rewritten)
		}
	}
	return false
}

// appendTo appends an element that isn't a message, as JSON.
func (e element) appendTo(dst []byte) []byte {
	if e.text != "" {
		return append(dst, e.text...)
	}
	return strconv.AppendInt(dst, int64(e.n), 10)
}

// each calls write for each piece of the body's content, in order.
func (b *Taken) each(t *transcript.Transcript, write func([]byte)) {
	if b.msg >= 0 {
		write(t.Bytes(b.part))
		return
	}
	for i, e := range b.list {
		write([]byte{"[,"[min(i, 1)]})
		if e.message() {
			write(t.Bytes(t.Messages[e.in].Span))
		} else {
			write(e.appendTo(nil))
		}
	}
	write([]byte{']'})
}

// Archived returns the bodies that the host must store, in the order in which they were removed.
func (a *Archive) Archived() []api.Body {
	whole := make(map[int32]bool, len(a.away))
	for _, m := range a.away {
		whole[m] = true
	}
	out := []api.Body{}
	for i := range a.taken {
		b := &a.taken[i]
		if b.void || b.msg >= 0 && whole[b.msg] { // its message was folded, and is archived as a whole
			continue
		}
		a.locate(b)
		out = append(out, b.Body)
	}
	return out
}

// locate sets b.Places, the byte ranges of the body in the request, if the host wants places and the request contains
// all bytes of the body unchanged. Otherwise it sets b.Inline to the body itself.
func (a *Archive) locate(b *Taken) {
	base := a.doc.T.Outer.Start
	var places []byte
	found := true
	add := func(p transcript.Span) {
		given := a.doc.T.OriginalSpan(p)
		found = found && !a.doc.T.InArena(p) &&
			(a.doc.T.Origin == nil || bytes.Equal(a.doc.T.Bytes(p), a.doc.T.AsGiven(p)))
		places = strconv.AppendUint(append(places, '['), uint64(given.Start-base), 10)
		places = strconv.AppendUint(append(places, ','), uint64(given.End-base), 10)
		places = append(places, ']')
	}
	places = append(places, '[')
	if b.msg >= 0 {
		add(b.part)
	}
	for i, e := range b.list {
		if i > 0 {
			places = append(places, ',')
		}
		if !e.message() {
			places = e.appendTo(places)
			continue
		}
		add(a.doc.T.Messages[e.in].Span)
	}
	if found && a.mode == "places" {
		b.Places = append(places, ']')
		return
	}
	var text []byte
	b.each(a.doc.T, func(piece []byte) { text = append(text, piece...) })
	body := string(text)
	b.Inline = &body
}

// FoldElements returns the elements of a fold's body: the input messages, in order, of the items in [from, to) for
// which gone returns true. piece means that the beginning of the message at to is folded too, so this message is
// included. The digest will be at item from. If an item replaced an earlier fold of this run, that fold's messages are
// included.
func (a *Archive) FoldElements(from, to int, gone func(i int) bool, piece bool) []element {
	f := elements{a: a, at: from, to: to, gone: gone, list: make([]element, 0, to-from)}
	for f.at < to {
		if !f.skip() {
			f.next()
		}
	}
	// If an earlier fold has already removed its beginning, it is no longer an input message.
	if piece && f.at == to && a.doc.Items[to].In >= 0 {
		f.add(a.doc.Items[to].In)
		f.list = append(f.list, element{n: -1})
	}
	return f.list
}

// elements collects the elements of a fold's body.
type elements struct {
	a      *Archive         // the archive of this run
	at, to int              // the next item, and the end of the folded range (exclusive)
	gone   func(i int) bool // whether the item at index i is folded
	stayed int              // the number of messages that stay since the last folded one
	list   []element        // the elements so far
}

// add appends an input message, preceded by the number of messages before it that stay.
func (f *elements) add(in int32) {
	if f.stayed > 0 {
		f.list = append(f.list, element{n: f.stayed})
	}
	f.stayed = 0
	f.list = append(f.list, element{in: in})
}

// skip skips the next item if it accompanies a fold of this run. It returns false for any other item.
func (f *elements) skip() bool {
	if f.at < len(f.a.doc.Items) && f.a.CameAlong(&f.a.doc.Items[f.at]) {
		f.at++
		return true
	}
	return false
}

// next processes the next item. It appends the messages of the item if the item is folded, and otherwise counts the
// item as one that stays.
func (f *elements) next() {
	it, folded := &f.a.doc.Items[f.at], f.at < f.to && f.gone(f.at)
	f.at++
	switch {
	case !folded:
		f.stayed++
	case it.In >= 0:
		f.add(it.In)
	case it.Body > 0:
		f.unfold(f.a.taken[it.Body-1].list)
	}
}

// unfold appends the elements of an earlier fold, interleaved with items after its digest that it didn't fold.
func (f *elements) unfold(list []element) {
	for _, e := range list {
		if e.n == 0 {
			f.add(e.in)
			continue
		}
		for n := e.n; n != 0 && f.at < len(f.a.doc.Items); {
			switch {
			case f.skip():
			case n < 0:
				f.list = append(f.list, e)
				f.at++
				n++
			default:
				f.next()
				n--
			}
		}
	}
}

// CameAlong reports whether an item accompanies a fold of this run, such as a restored file or an inserted turn. Such
// an item is removed when the fold is undone, and doesn't count as a message.
func (a *Archive) CameAlong(it *view.Item) bool {
	return it.In < 0 && authorship.IsCompanion(a.doc.T, it.Msg)
}

// Readable returns a body as text for a model: the content of a JSON string, the texts in a list of parts, or, if the
// format is known, the messages of a fold as plain text. Binary data is replaced by a note that gives its length. Any
// other body is returned unchanged.
func Readable(f *wire.Format, body []byte) string {
	s := jsonspan.New(body)
	switch s.Kind() {
	case jsonspan.String:
		return jsonspan.Text(body, s.Text().Span)
	case jsonspan.Array:
		text := foldText(f, body)
		if text == "" {
			text = partTexts(s)
		}
		if text != "" {
			return text
		}
	}
	if n := longestRun(body); n > maxRun {
		return "This is no text: it holds binary data of " + strconv.Itoa(n) + " characters in base64."
	}
	return string(body)
}

// partTexts returns the text members of a list of parts, joined by line breaks, or "" if the list has none or is
// invalid.
func partTexts(s *jsonspan.Scanner) string {
	var text []byte
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Skip()
			continue
		}
		for key := range s.Members {
			if string(key) != "text" || s.Kind() != jsonspan.String {
				s.Skip()
				continue
			}
			if len(text) > 0 {
				text = append(text, '\n')
			}
			text = jsonspan.AppendText(text, s.Src(), s.Text().Span)
		}
	}
	if s.Err() != nil {
		return ""
	}
	return string(text)
}

// maxRun is the maximum length, in bytes, of a run of base64 characters in text. A body with a longer run is treated as
// binary data.
const maxRun = 4096

// longestRun returns the length, in bytes, of the longest run of base64 characters in body, in the standard or the URL
// alphabet.
func longestRun(body []byte) int {
	longest, n := 0, 0
	for _, c := range body {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '+', c == '/', c == '=', c == '-',
			c == '_':
			n++
			longest = max(longest, n)
		default:
			n = 0
		}
	}
	return longest
}

// foldText returns the messages in the body of a fold as plain text. It returns "" if the body contains no messages, or
// if they aren't in format f.
func foldText(f *wire.Format, body []byte) string {
	if f == nil {
		return ""
	}
	t := &transcript.Transcript{Src: []byte("[]"), Named: f.Rules.Named, Ordered: f.Rules.Ordered}
	var messages []int32
	s := jsonspan.New(body)
	for s.Array(); s.Elem(); {
		kind, start := s.Kind(), s.Pos()
		s.Skip()
		if kind != jsonspan.Object {
			continue
		}
		m, ok := f.AddOne(t, body[start:s.Pos()])
		if !ok {
			return ""
		}
		messages = append(messages, m)
	}
	t.Input = len(t.Messages)
	f.Pair(t, 0)
	return strings.TrimSpace(digest.Flatten(t, messages, 0))
}
