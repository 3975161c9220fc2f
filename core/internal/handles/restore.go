package handles

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// mark is a mention of a handle in a part.
type mark struct {
	handle string
	what   api.BodyKind
	part   int32
}

// namedIn finds the handles that a message mentions, unless it is one of ours.
func (c *Run) namedIn(m int32) (found []mark) {
	msg := &c.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		p := &c.T.Parts[n]
		switch {
		case p.Kind == transcript.ToolResult && !p.Body.Zero() && !p.Has(transcript.Removed):
			if handle, ok := handleIn(c.T.Bytes(p.Body), resultMarkers...); ok {
				found = append(found, mark{handle, "tool_result", n})
			} else if handle := c.truncated(n); handle != "" {
				found = append(found, mark{handle, api.BodyToolResult, n})
			}
		case p.Kind == transcript.Text && !p.Has(transcript.Removed) && c.truncated(n) != "":
			found = append(found, mark{c.truncated(n), api.BodyText, n})
		case p.Kind == transcript.Text && p.Body.Len() < MarkerRoom:
			if handle, what := mediaHandle(c.T.Bytes(p.Body)); handle != "" {
				found = append(found, mark{handle, what, n})
			}
		}
	}
	return found
}

// markers returns the markers in the items, in order.
func (c *Run) markers() []api.Marker {
	found := []api.Marker{}
	for i := range c.Items {
		m := c.Items[i].Msg
		if c.KindOf(m) != view.NotOurs { // the archive decides what comes back, whoever names it
			if handle := c.listHandle(m); handle != "" {
				found = append(found, api.Marker{Handle: handle, What: api.BodyFold, Message: i})
			}
			continue
		}
		for _, k := range c.namedIn(m) {
			found = append(found, api.Marker{Handle: k.handle, What: k.what, Message: i})
		}
	}
	return found
}

// truncated returns the handle in the body of a part if that is a truncated or squeezed text, or JSON that such a text replaces or is in.
func (c *Run) truncated(n int32) string {
	p := &c.T.Parts[n]
	if p.Kind == transcript.ToolResult && !c.T.IsString(p.Body) && len(c.T.Inner(int(n))) == 0 {
		handle, _ := handleIn(c.T.Bytes(p.Body), headMarkers...)
		return handle
	}
	if !c.T.IsString(p.Body) || !shortened(c.View, n) {
		return ""
	}
	text := c.T.Text(p.Body)
	handle, _ := TruncatedHandle(text)
	if handle == "" {
		handle, _ = SqueezedHandle(text)
	}
	return handle
}

// maxGrowth is how many bytes of bodies restore writes, or four times the size of its input if that is more: bodies that name each other
// many times would have no end. The rest stays as it is.
const (
	maxGrowth = 1 << 28
	itemCost  = 1024 // the cost of a restored fold's messages as records, besides their bytes
)

// restoring is a restoration in progress.
type restoring struct {
	*Run
	given  []api.Kept
	bodies critbit.Map[int] // by the leading digits of the handle
	folds  map[int]*foldBack
	room   int           // bytes that may still be written
	tried  map[int]bool  // changes that were undone, or could not be
	later  [][]view.Item // after the items: messages newer than the undone compactions, the oldest last
	left   []api.Marker  // changes that are not undone
	at     int           // the body being read, for errors
}

// foldBack is the body of a fold as read.
type foldBack struct {
	elements []foldElement
	messages []int  // the indexes of the message elements
	changes  string // the handle of the compaction's changes
}

// foldElement is a message, a number, or neither.
type foldElement struct {
	text []byte
	n    int
}

// Restore puts bodies back, as compact.Restore says.
func (c *Run) Restore(given []api.Kept) (left []api.Marker, err *policy.Error) {
	r := &restoring{Run: c, given: given, folds: map[int]*foldBack{}, tried: map[int]bool{}}
	for _, g := range given {
		r.room += 4 * len(g.Text)
	}
	r.room = max(r.room, maxGrowth)
	if err := r.check(); err != nil {
		return nil, err
	}
	if !r.takeBack() || !r.follow() {
		return nil, &policy.Error{Code: jsonspan.WrongType, At: "bodies[" + strconv.Itoa(r.at) + "].body",
			Message: "this content does not fit where its handle is named"}
	}
	r.Total = r.P.Beside(r.T)
	for _, it := range r.Items {
		r.Total += it.Tokens
	}
	return append(r.left, r.markers()...), nil
}

// whole reports whether a body matches its handle.
func whole(g *api.Kept) bool {
	return IsHandle(g.Handle) && strings.HasPrefix(Handle([]byte(g.Text)), g.Handle)
}

// check checks the bodies against their handles.
func (r *restoring) check() *policy.Error {
	for i, g := range r.given {
		at := "bodies[" + strconv.Itoa(i) + "]"
		if !IsHandle(g.Handle) {
			return &policy.Error{Code: api.CodeOutOfRange, At: at + ".handle", Message: "a handle has 16 to 64 hexadecimal digits"}
		}
		if !whole(&g) {
			return &policy.Error{Code: api.CodeHandleMismatch, At: at, Message: "this content does not match the handle: its SHA-256 is another one"}
		}
		s := jsonspan.New([]byte(g.Text))
		s.Lenient = true // the archive has the input, whatever that was
		s.Skip()
		if s.End(); s.Err() != nil {
			return &policy.Error{Code: s.Err().Code, At: at + ".body", Message: "this content is not JSON: " + s.Err().Message}
		}
		r.bodies.Set(g.Handle[:Short], i)
	}
	return nil
}

// body returns the index of the body of a handle, or -1.
func (r *restoring) body(handle string) int {
	i, found := r.bodies.Get(handle[:Short])
	if !found || len(handle) > Short && !strings.HasPrefix(Handle([]byte(r.given[i].Text)), handle) {
		return -1
	}
	return i
}

// fold reads the body of a fold; nil if it is no list.
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

// read makes an item of a message in a body.
func (r *restoring) read(text []byte) (view.Item, bool) {
	m, ok := r.F.AddOne(r.T, text)
	if !ok {
		return view.Item{}, false
	}
	return view.Item{Msg: m, In: -1, Tokens: r.P.Message(r.T, int(m))}, true
}

// putBack restores the bodies of some handles in the message of an item, each once. It returns how many.
func (r *restoring) putBack(it *view.Item, may func(handle string) bool) (put int, ok bool) {
	type splice struct {
		old  transcript.Span
		body int // index in the given bodies
	}
	var splices []splice
	span := r.T.Messages[it.Msg].Span
	var text []byte
	covered := span.Start
	for _, k := range r.namedIn(it.Msg) {
		i := -1
		if may(k.handle) {
			i = r.body(k.handle)
		}
		if i < 0 || len(r.given[i].Text) > r.room {
			continue
		}
		p := &r.T.Parts[k.part]
		old := p.Body
		if k.what != api.BodyToolResult && k.what != api.BodyText { // the placeholder is a separate part
			old = p.Span
		} else if r.given[i].Text[0] == '{' && r.T.IsString(old) {
			old = r.wrapper(p)
		}
		if old.Start < covered { // inside something that is already restored
			continue
		}
		r.at, covered = i, old.End
		r.room -= len(r.given[i].Text)
		splices = append(splices, splice{old, i})
		for n := p.Copy; n > 0; n = r.T.Parts[n-1].Copy {
			if q := &r.T.Parts[n-1]; !q.Body.Zero() && old == p.Body && bytes.Equal(r.T.Bytes(q.Body), r.T.Bytes(old)) {
				splices = append(splices, splice{q.Body, i})
			}
		}
		put++
	}
	if put == 0 {
		return 0, true
	}
	sorting.Stable(splices, func(a, b splice) int { return cmp.Compare(a.old.Start, b.old.Start) })
	at := span.Start
	for _, s := range splices {
		if s.old.Start >= at {
			text = append(append(text, r.T.Bytes(transcript.Span{Start: at, End: s.old.Start})...), r.given[s.body].Text...)
			at = s.old.End
		}
	}
	back, ok := r.read(append(text, r.T.Bytes(transcript.Span{Start: at, End: span.End})...))
	if !ok {
		return 0, false
	}
	r.Report.Restored += put
	it.Msg, it.Tokens, it.Dirty = back.Msg, back.Tokens, it.In >= 0
	return put, true
}

// follow restores what the markers name, and what that names in turn, from the first item to the last. ok is false if a body doesn't fit:
// the one at r.at.
func (r *restoring) follow() (ok bool) {
	out := make([]view.Item, 0, len(r.Items))
	stack := slices.Clone(r.Items) // the next item is on top
	slices.Reverse(stack)
	saved := 0       // tokens, by what is restored now
	skip := func() { // files and turns that accompany a fold
		for len(stack) > 0 && r.IsCompanion(stack[len(stack)-1].Msg) {
			saved += stack[len(stack)-1].Tokens
			stack = stack[:len(stack)-1]
		}
	}
	tell := func(it *view.Item) {
		r.Act(api.Action{Action: api.ActionRestore, Pass: "restore", Message: int(it.In), Tokens: saved})
	}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r.KindOf(it.Msg) == view.NotOurs {
			saved = it.Tokens
			was := it.Msg
			for put := 1; put > 0; {
				if put, ok = r.putBack(&it, func(string) bool { return true }); !ok {
					return false
				}
			}
			if saved -= it.Tokens; it.Msg != was {
				tell(&it)
			}
			out = append(out, it)
			continue
		}
		f := r.foldOf(it.Msg)
		if f == nil || len(r.given[r.at].Text) > r.room {
			out = append(out, it)
			continue
		}
		r.room -= len(r.given[r.at].Text) + itemCost
		saved = it.Tokens
		if n := len(out); n > 0 && r.IsTurn(out[n-1].Msg) { // a repair inserted it before the digest
			saved += out[n-1].Tokens
			out = out[:n-1]
		}
		skip()
		var back []view.Item
		for _, e := range f.elements {
			if e.n == 0 {
				m, ok := r.read(e.text)
				if !ok {
					return false
				}
				saved -= m.Tokens
				back = append(back, m)
				continue
			}
			for n := e.n; n != 0 && len(stack) > 0; {
				if skip(); len(stack) == 0 {
					break
				}
				next := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if n < 0 { // the rest of a message that is restored as a whole
					saved += next.Tokens
					n++
					continue
				}
				back = append(back, next)
				n--
			}
		}
		skip()
		slices.Reverse(back)
		stack = append(stack, back...)
		tell(&it)
		r.Report.Restored++
	}
	r.Items = out
	return true
}

// foldOf returns the body that one of our messages replaces; nil if there is none, or it was not given. r.at is then its index.
func (r *restoring) foldOf(m int32) *foldBack {
	handle := r.listHandle(m)
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

// wrapper returns the object of a part around its body, a string. Formats whose results are typed objects wrap a marker in one, of type
// "text" or with a lone "output", in place of the whole original. If there is none it returns the body.
func (c *Run) wrapper(p *transcript.Part) transcript.Span {
	part := c.T.Bytes(p.Span) // the bytes of a restored message are elsewhere
	body := jsonspan.Span{Start: p.Body.Start - p.Span.Start, End: p.Body.End - p.Span.Start}
	at := func(s jsonspan.Span) transcript.Span {
		return transcript.Span{Start: p.Span.Start + s.Start, End: p.Span.Start + s.End}
	}
	found := body
	s := jsonspan.New(part)
	inside := func() bool { // leaves s at the value that holds the body, or after one that does not
		kind, start := s.Kind(), s.Pos()
		end := s.Skip().End
		if s.Err() != nil || start > body.Start || end < body.End || kind == jsonspan.String {
			return false
		}
		if kind == jsonspan.Object && start > 0 {
			found = transcript.Span{Start: start, End: end}
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
	s = jsonspan.New(part).At(found.Start)
	only := false // its one member is the body, under the key of outputs
	if s.Kind() == jsonspan.Object {
		n := 0
		for s.Object(); ; n++ {
			key, ok := s.Key()
			if !ok {
				break
			}
			value := s.Skip()
			if only = n == 0 && string(key) == "output" && value.Span == body; string(key) == "type" && c.T.EqualText(at(value.Span), "text") {
				return at(found)
			}
		}
	}
	if only {
		return at(found)
	}
	return p.Body
}
