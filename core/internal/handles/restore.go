package handles

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// maxGrowth is the maximum number of bytes that a restoration may write, unless four times the size of the given bodies
// is more. Without a limit, bodies that refer to each other many times could make the result grow without bound.
// Markers beyond the limit stay in place.
const (
	maxGrowth = 1 << 28
	itemCost  = 1024 // what each restored fold costs for its records, in bytes, in addition to its body
)

// restoring is the state of a restoration.
type restoring struct {
	doc     *view.View          // the document that is restored
	authors *authorship.Authors // says who wrote a message
	report  *report.Report      // says what was restored
	changes string              // the handle of the newest changes that haven't been undone yet, or ""
	// The handle of changes whose messages write tool calls in a different form than the program passed them, or
	// "".
	respelled string
	given     []api.Kept        // the bodies that the host passed
	bodies    critbit.Map[int]  // index in given, by the first digits of the handle
	folds     map[int]*foldBack // the bodies of folds, by the index of the digest's item
	room      int               // the number of bytes that may still be written
	tried     map[int]bool      // the indexes in given of the changes that were tried, successfully or not
	older     string            // the handle of the changes before those that could not be undone, or ""
	misses    int               // the number of consecutive compactions that could not be undone
	// Items that were set aside and are appended at the end: the messages after each undone compaction, oldest last.
	later    [][]view.Item
	left     []api.Marker // changes that were not undone
	unfolded int          // the index of the first item after everything that the last undone compaction folded
	turns    []string     // the prints of the messages that a repair inserts, computed on first use
	at       int          // the index of the body being read, for errors

	// The handles of markers whose messages were not found when their compactions were undone.
	unmarked critbit.Map[struct{}]
	bare     map[int32]bare // for each message, the message without these markers

	missed    []missed              // the compactions in left whose digests are not in the messages
	ancestors critbit.Map[struct{}] // the handles of changes that are older than those in missed
}

// foldBack is the parsed body of a fold.
type foldBack struct {
	elements []foldElement // in the order of the body
	messages []int         // indexes in elements of the messages
	changes  string        // the handle of the changes of the compaction that made the fold
}

// foldElement is an element of a fold's body: the number n if that is not 0, and otherwise a message. See element.
type foldElement struct {
	text []byte // the element as JSON
	n    int    // 0 for a message
}

// Restore restores the given bodies in a document; see compact.Restore. changes and respelled are
// handles of changes from the state. Restore returns the remaining markers and the handle of the
// changes that haven't been undone yet, or an error if a body doesn't match its handle or isn't
// JSON.
func Restore(doc *view.View, authors *authorship.Authors, to *report.Report, given []api.Kept, changes,
	respelled string) (left []api.Marker, before string, err *policy.Error) {
	r := &restoring{doc: doc, authors: authors, report: to, changes: changes, respelled: respelled, given: given,
		folds: map[int]*foldBack{}, bare: map[int32]bare{}, tried: map[int]bool{}, unfolded: len(doc.Items)}
	for _, g := range given {
		r.room += 4 * len(g.Text)
	}
	r.room = max(r.room, maxGrowth)
	if err := r.check(); err != nil {
		return nil, "", err
	}
	if !r.takeBack() || !r.follow() {
		return nil, "", &policy.Error{Code: jsonspan.WrongType, At: "bodies[" + strconv.Itoa(r.at) + "].body",
			Message: "this content does not fit where its handle is named"}
	}
	r.doc.Total = r.doc.P.OutsideMessages(r.doc.T)
	for _, it := range r.doc.Items {
		r.doc.Total += it.Tokens
	}
	return append(r.left, r.markers()...), r.changes, nil
}

// whole reports whether a body matches its handle.
func whole(g *api.Kept) bool {
	return IsHandle(g.Handle) && strings.HasPrefix(Handle([]byte(g.Text)), g.Handle)
}

// check verifies that the given bodies match their handles and are JSON, and indexes them. It returns an error with the
// path of the first one that doesn't.
func (r *restoring) check() *policy.Error {
	for i, g := range r.given {
		at := "bodies[" + strconv.Itoa(i) + "]"
		if !IsHandle(g.Handle) {
			return &policy.Error{Code: api.CodeOutOfRange, At: at + ".handle",
				Message: "a handle has 16 to 64 hexadecimal digits"}
		}
		if !whole(&g) {
			return &policy.Error{Code: api.CodeHandleMismatch, At: at,
				Message: "this content does not match the handle: its SHA-256 is another one"}
		}
		s := jsonspan.New([]byte(g.Text))
		s.Lenient = true // the archive has the input, valid or not
		s.Skip()
		if s.End(); s.Err() != nil {
			return &policy.Error{Code: s.Err().Code, At: at + ".body",
				Message: "this content is not JSON: " + s.Err().Message}
		}
		r.bodies.Set(g.Handle[:Short], i)
	}
	return nil
}

// body returns the index in given of the body with the given handle, or -1. The first 16 digits of the handle are
// enough.
func (r *restoring) body(handle string) int {
	i, found := r.bodies.Get(handle[:Short])
	if !found || len(handle) > Short && !strings.HasPrefix(Handle([]byte(r.given[i].Text)), handle) {
		return -1
	}
	return i
}

// fold parses body i as the body of a fold, or returns nil if it isn't one.
func (r *restoring) fold(i int) *foldBack {
	if f := r.folds[i]; f != nil {
		return f
	}
	body := []byte(r.given[i].Text)
	s := jsonspan.New(body)
	s.Lenient = true
	if s.Kind() != jsonspan.Array {
		return nil
	}
	f := &foldBack{}
	for s.Array(); s.Elem(); {
		kind, start := s.Kind(), s.Pos()
		s.Skip()
		e := foldElement{text: body[start:s.Pos()]}
		switch kind {
		case jsonspan.Object:
			f.messages = append(f.messages, len(f.elements))
		case jsonspan.String:
			if e.text = e.text[1 : len(e.text)-1]; IsHandle(string(e.text)) {
				f.changes = string(e.text)
			}
			continue
		default:
			n, err := strconv.Atoi(string(e.text))
			if err != nil || n < -1 || n == 0 {
				return nil
			}
			e.n = n
		}
		f.elements = append(f.elements, e)
	}
	if s.Err() != nil {
		return nil
	}
	r.folds[i] = f
	return f
}

// read adds a message from a body to the transcript, and returns an item for it. ok is false if the message is not in
// the document's format.
func (r *restoring) read(text []byte) (view.Item, bool) {
	m, ok := r.doc.F.AddOne(r.doc.T, text)
	if !ok {
		return view.Item{}, false
	}
	return view.Item{Msg: m, In: -1, Tokens: r.doc.P.Message(r.doc.T, int(m))}, true
}

// bodySplice replaces a span of a message with a body.
type bodySplice struct {
	old  transcript.Span // the bytes to replace
	body int             // index in given
}

// putBack restores bodies in the message of an item, once each. It restores the bodies whose handles are named in the
// message's markers and for which allowed returns true. put is the number of restored bodies. ok is false if the
// resulting message is invalid.
func (r *restoring) putBack(it *view.Item, allowed func(handle string) bool) (put int, ok bool) {
	splices, put := r.splicesOf(it.Msg, allowed)
	if put == 0 {
		return 0, true
	}
	sorting.Stable(splices, func(a, b bodySplice) int { return cmp.Compare(a.old.Start, b.old.Start) })
	span := r.doc.T.Messages[it.Msg].Span
	at := span.Start
	var text []byte
	for _, s := range splices {
		if s.old.Start >= at {
			text = append(append(text, r.doc.T.Bytes(transcript.Span{Start: at, End: s.old.Start})...),
				r.given[s.body].Text...)
			at = s.old.End
		}
	}
	back, ok := r.read(append(text, r.doc.T.Bytes(transcript.Span{Start: at, End: span.End})...))
	if !ok {
		return 0, false
	}
	r.report.Restored += put
	it.Msg, it.Tokens, it.Dirty = back.Msg, back.Tokens, it.In >= 0
	return put, true
}

// splicesOf returns the splices that restore the bodies in message m for whose handles allowed returns true, and the
// number of these bodies. If a part has copies in the message, each copy gets the body.
func (r *restoring) splicesOf(m int32, allowed func(handle string) bool) (splices []bodySplice, bodies int) {
	t := r.doc.T
	covered := t.Messages[m].Span.Start
	for _, k := range namedIn(r.doc, m) {
		i := -1
		if allowed(k.handle) {
			i = r.body(k.handle)
		}
		if i < 0 || len(r.given[i].Text) > r.room {
			continue
		}
		p := &t.Parts[k.part]
		old := r.replacedSpan(&k, i)
		if old.Start < covered { // inside something that has already been restored
			continue
		}
		r.at, covered = i, old.End
		r.room -= len(r.given[i].Text)
		splices = append(splices, bodySplice{old, i})
		for n := p.Copy; n > 0; n = t.Parts[n-1].Copy {
			if q := &t.Parts[n-1]; !q.Body.IsZero() && old == p.Body && bytes.Equal(t.Bytes(q.Body), t.Bytes(old)) {
				splices = append(splices, bodySplice{q.Body, i})
			}
		}
		bodies++
	}
	return splices, bodies
}

// replacedSpan returns the span that a body replaces. For the marker of an image, audio or file, this is the whole part.
// Otherwise it is the part's body, or the object around it if the archived body is an object too.
func (r *restoring) replacedSpan(k *mark, body int) transcript.Span {
	p := &r.doc.T.Parts[k.part]
	switch {
	case k.what != api.BodyToolResult && k.what != api.BodyText:
		return p.Span
	case r.given[body].Text[0] == '{' && r.doc.T.IsString(p.Body):
		return wrapper(r.doc.T, p)
	}
	return p.Body
}

// follow goes through the items and restores the bodies that their markers name. It continues with the markers in the
// restored content until no more bodies are given. ok is false if a body is invalid; r.at is then its index.
func (r *restoring) follow() (ok bool) {
	w := following{r: r, out: make([]view.Item, 0, len(r.doc.Items)), stack: slices.Clone(r.doc.Items)}
	slices.Reverse(w.stack)
	for len(w.stack) > 0 {
		it := w.pop()
		if authorship.LooksLike(r.doc.T, it.Msg) == authorship.NotOurs {
			if !w.message(&it) {
				return false
			}
			continue
		}
		f := r.foldOf(it.Msg)
		if f == nil || len(r.given[r.at].Text) > r.room {
			w.out = append(w.out, it)
			continue
		}
		r.room -= len(r.given[r.at].Text) + itemCost
		if !w.unfold(f, &it) {
			return false
		}
	}
	r.doc.Items = w.out
	return true
}

// following is the state of restoring.follow.
type following struct {
	r     *restoring  // the restoration to which it belongs
	out   []view.Item // items that are finished
	stack []view.Item // items to process, in reverse order
}

// pop removes and returns the next item.
func (w *following) pop() view.Item {
	it := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	return it
}

// skip removes items that accompany a fold, such as files and inserted turns, from the top of the stack. It returns the
// number of tokens in them.
func (w *following) skip() (saved int) {
	for len(w.stack) > 0 && authorship.IsCompanion(w.r.doc.T, w.stack[len(w.stack)-1].Msg) {
		saved += w.pop().Tokens
	}
	return saved
}

// reportRestored reports the restoration of an item. saved is the number of tokens saved, which is negative if the
// transcript grew.
func (w *following) reportRestored(it *view.Item, saved int) {
	w.r.report.AddAction(api.Action{Action: api.ActionRestore, Pass: "restore", Message: int(it.In), Tokens: saved})
}

// message restores the bodies in a message and appends the message to w.out. It repeats this until
// the restored content has no more markers whose bodies were given. It returns false if the
// restored message is invalid.
func (w *following) message(it *view.Item) (ok bool) {
	saved, was := it.Tokens, it.Msg
	if b := w.r.bare[it.Msg]; b.restored > 0 {
		it.Msg, it.Tokens, it.Dirty = b.item.Msg, b.item.Tokens, it.In >= 0
		w.r.report.Restored += b.restored
	}
	for put := 1; put > 0; {
		if put, ok = w.r.putBack(it, func(string) bool { return true }); !ok {
			return false
		}
	}
	if it.Msg != was {
		w.reportRestored(it, saved-it.Tokens)
	}
	w.out = append(w.out, *it)
	return true
}

// unfold replaces a digest with the messages of its fold. It pushes them on the stack, because they may contain more
// markers. It returns false if the body of the fold is invalid.
func (w *following) unfold(f *foldBack, it *view.Item) bool {
	saved := it.Tokens
	if n := len(w.out); n > 0 && authorship.IsTurn(w.r.doc.T, w.out[n-1].Msg) { // a turn that a repair inserted before the digest
		saved += w.out[n-1].Tokens
		w.out = w.out[:n-1]
	}
	saved += w.skip()
	var back []view.Item
	for _, e := range f.elements {
		if e.n != 0 {
			stayed, tokens := w.stayed(e.n)
			back, saved = append(back, stayed...), saved+tokens
			continue
		}
		m, ok := w.r.read(e.text)
		if !ok {
			return false
		}
		saved -= m.Tokens
		back = append(back, m)
	}
	saved += w.skip()
	slices.Reverse(back)
	w.stack = append(w.stack, back...)
	w.reportRestored(it, saved)
	w.r.report.Restored++
	return true
}

// stayed pops the next n messages after the digest, which were not folded, from the stack. If n is negative, it drops
// -n messages instead: the remains of a message that is restored whole. saved is the number of tokens removed.
func (w *following) stayed(n int) (items []view.Item, saved int) {
	for n != 0 && len(w.stack) > 0 {
		if saved += w.skip(); len(w.stack) == 0 {
			break
		}
		next := w.pop()
		if n < 0 {
			saved += next.Tokens
			n++
			continue
		}
		items = append(items, next)
		n--
	}
	return items, saved
}

// foldOf returns the parsed body that message m replaces, and sets r.at to the body's index. It returns nil if the
// message replaces nothing, or if the body was not given.
func (r *restoring) foldOf(m int32) *foldBack {
	handle := listHandle(r.doc.T, m)
	if handle == "" {
		return nil
	}
	i := r.body(handle)
	if i < 0 {
		return nil
	}
	r.at = i
	return r.fold(i)
}

// wrapper returns the span of the innermost object around a part's body if the body is a string in an object of type
// "text", or in an object whose only member is "output". Formats whose results are typed objects put a marker into such
// an object, and the object replaces the whole original. Otherwise wrapper returns the span of the body.
func wrapper(t *transcript.Transcript, p *transcript.Part) transcript.Span {
	part := t.Bytes(p.Span) // the bytes of a restored message are elsewhere
	body := jsonspan.Span{Start: p.Body.Start - p.Span.Start, End: p.Body.End - p.Span.Start}
	found := innermost(jsonspan.New(part), body)
	s := jsonspan.New(part).At(found.Start)
	if s.Kind() != jsonspan.Object || !wrapsText(s, body) {
		return p.Body
	}
	return transcript.Span{Start: p.Span.Start + found.Start, End: p.Span.Start + found.End}
}

// innermost returns the span of the innermost object around a value, not counting the outermost object. If there is
// none, it returns value.
func innermost(s *jsonspan.Scanner, value jsonspan.Span) jsonspan.Span {
	found := value
	inside := func() bool { // leaves s at the object that contains the value, or after one that does not
		kind, start := s.Kind(), s.Pos()
		end := s.Skip().End
		if s.Err() != nil || start > value.Start || end < value.End || kind == jsonspan.String {
			return false
		}
		if kind == jsonspan.Object && start > 0 {
			found = jsonspan.Span{Start: start, End: end}
		}
		s = s.At(start)
		return true
	}
	for deeper := inside(); deeper; {
		deeper = false
		if s.Kind() == jsonspan.Array {
			for s.Array(); !deeper && s.Elem(); {
				deeper = inside()
			}
			continue
		}
		for s.Object(); !deeper; {
			if _, ok := s.Key(); !ok {
				break
			}
			deeper = inside()
		}
	}
	return found
}

// wrapsText reports whether the object at s has the type "text", or has the body as its only member under the key
// "output".
func wrapsText(s *jsonspan.Scanner, body jsonspan.Span) bool {
	n, only := 0, false
	for key := range s.Members {
		name := string(key)
		value := s.Skip()
		if name == "type" && value.Kind == jsonspan.String && jsonspan.Text(s.Src(), value.Span) == "text" {
			return true
		}
		only = n == 0 && name == "output" && value.Span == body
		n++
	}
	return only
}
