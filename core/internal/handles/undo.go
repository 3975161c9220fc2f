package handles

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// changes are the changes of a compaction as they are read from their body.
type changes struct {
	handle string // their own
	before string // the handle of those before
	sent   int
	gone   []gone
	steps  []step
	space  []space
	end    string
}

// space is what precedes each of the next messages of the input.
type space struct {
	n    int
	text string
}

// gone is a message of the result that isn't one of the input's.
type gone struct {
	index int
	print string
}

// step says where one message of the input comes from, or several.
type step struct {
	op       string
	index    int
	from, to int
	handles  []string
	print    string // of the first message that is kept; "" where that isn't said
	text     []byte // the message itself, where op is ""
}

// isChanges reports whether a body holds the changes of a compaction.
func isChanges(body string) bool { return strings.HasPrefix(body, `["`+changesHeader+`"`) }

// parseChanges reads the body of changes; ok is false where it is none.
func parseChanges(text string) (c changes, ok bool) {
	body := []byte(text)
	s := jsonspan.New(body)
	s.Lenient = true
	if !isChanges(text) {
		return c, false
	}
	for s.Array(); s.Elem(); {
		kind, start := s.Kind(), s.Pos()
		s.Skip()
		switch piece := body[start:s.Pos()]; kind {
		case jsonspan.Object:
			c.steps = append(c.steps, step{text: piece})
		case jsonspan.String:
			if !c.say(jsonspan.Text(body, jsonspan.Span{Start: start, End: s.Pos()})) {
				return c, false
			}
		default:
			return c, false
		}
	}
	return c, s.Err() == nil
}

// say takes in one string of changes.
func (c *changes) say(line string) bool {
	op, rest, found := strings.Cut(line, " ")
	switch op {
	case changesEnd:
		c.end = rest
		return between(rest, "]")
	case changesSpace:
		number, text, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		c.space = append(c.space, space{n, text})
		return err == nil && n > 0 && n <= jsonspan.MaxSize && (between(text, ",") || len(c.space) == 1 && n == 1 && between(text, "["))
	}
	words := strings.Fields(rest)
	if !found || len(words) == 0 {
		return false
	}
	if op == changesBefore {
		c.before = words[0]
		return len(words) == 1 && len(c.before) == Size && IsHandle(c.before)
	}
	if op == changesGone {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 0 || len(words) != 2 {
			return false
		}
		c.gone = append(c.gone, gone{n, words[1]})
		return true
	}
	numbers := words
	p := step{op: op}
	if op == changesPut {
		numbers, p.handles = words[:1], words[1:]
		if slices.ContainsFunc(p.handles, func(h string) bool { return len(h) != Short || !IsHandle(h) }) {
			return false
		}
	}
	if op == changesKeep && len(words) == 3 {
		numbers, p.print = words[:2], words[2]
	}
	var n [3]int
	if len(numbers) > len(n) {
		return false
	}
	for i, w := range numbers {
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 || v > jsonspan.MaxSize {
			return false
		}
		n[i] = v
	}
	switch {
	case op == "changes" && len(numbers) == 1:
		return true
	case op == changesSent && len(numbers) == 1:
		c.sent = n[0]
		return true
	case op == changesKeep && len(numbers) == 2:
		p.from, p.to = n[0], n[1]
	case op == changesPut && len(numbers) == 1:
		p.index = n[0]
	case op == changesFold && len(numbers) == 3:
		p.index, p.from, p.to = n[0], n[1], n[2]
	default:
		return false
	}
	c.steps = append(c.steps, p)
	return p.from <= p.to
}

// between reports whether a text is one character of JSON with nothing but white space around it.
func between(text, character string) bool { return strings.Trim(text, " \t\r\n") == character }

// takeBack takes compactions back by their changes, the newest first. ok is false where a body does not fit: that at r.at.
func (r *restoring) takeBack() (ok bool) {
	for handle, digest := r.newest(); handle != ""; handle, digest = r.newest() {
		i := r.body(handle)
		if i < 0 {
			r.left = append(r.left, api.Marker{Handle: handle, What: api.BodyChanges, Message: -1})
			break
		}
		if r.at = i; r.tried[i] {
			break
		}
		r.tried[i] = true
		c, ok := parseChanges(r.given[i].Text)
		if !ok {
			return false
		}
		c.handle = handle
		undone, ok := r.undo(&c)
		if !ok {
			return false
		}
		whole := undone
		if !undone {
			if undone, whole, ok = r.undoEdited(&c); !ok {
				return false
			}
		}
		if !whole {
			r.left = append(r.left, api.Marker{Handle: handle, What: api.BodyChanges, Message: -1, Why: "changed"})
		}
		if !undone {
			if digest < 0 {
				r.miss(&c)
			}
			r.changes = "" // what is older may still be as a digest says
			continue
		}
		if digest >= 0 {
			r.precede(&c, digest)
		}
		r.changes = c.before
	}
	for _, items := range slices.Backward(r.later) {
		r.doc.Items = append(r.doc.Items, items...)
	}
	r.later = nil
	return true
}

// newest is the handle of the newest changes that are not taken back yet: those that the state names, else a digest by its body,
// else the first that were given; "" where there are none. digest is the index of the digest, or -1.
func (r *restoring) newest() (handle string, digest int) {
	if h := r.changes; len(h) >= Short && IsHandle(h) {
		return h, -1
	}
	for i := range r.doc.Items {
		if m := r.doc.Items[i].Msg; r.authors.Own(m) {
			if f := r.foldOf(m); f != nil && f.changes != "" {
				if b := r.body(f.changes); b >= 0 && !r.tried[b] {
					return f.changes, i
				}
			}
		}
	}
	if len(r.tried) == 0 {
		for i := range r.given {
			if isChanges(r.given[i].Text) {
				return r.given[i].Handle, -1
			}
		}
	}
	return "", -1
}

// undo makes the input of a compaction of its result, which the items begin with. It does nothing where they do not; ok is false
// where the changes make no sense.
func (r *restoring) undo(c *changes) (undone, ok bool) {
	n := min(c.sent, len(r.doc.Items))
	if !r.begins(c, n) {
		return false, true
	}
	was := len(r.doc.Items)
	out, ok := r.rebuild(c.steps, n)
	if !ok {
		return false, false
	}
	r.spread(c, out, n)
	r.later = append(r.later, slices.Clone(r.doc.Items[n:was]))
	r.doc.Items = out
	return true, true
}

// begins reports whether the first n items are what a compaction has made: what it says of them is so.
func (r *restoring) begins(c *changes, n int) bool {
	for _, g := range c.gone {
		if g.index >= n {
			return false
		}
		// A digest has got the handle of its body after its print was taken.
		if m := r.doc.Items[g.index].Msg; !r.isGone(g, g.index) && !r.isDigestOf(c, m) {
			return false
		}
	}
	for _, p := range c.steps {
		if p.op == changesFold && (p.index >= n || !r.isDigestOf(c, r.doc.Items[p.index].Msg)) || p.op == changesPut && p.index >= n {
			return false
		}
	}
	return true
}

// isDigestOf reports whether a message is a digest that names its body, and the body no changes of another compaction.
func (r *restoring) isDigestOf(c *changes, m int32) bool {
	if !r.authors.Own(m) || listHandle(r.doc.T, m) == "" {
		return false
	}
	at := r.at
	f := r.foldOf(m)
	r.at = at
	return f == nil || f.changes == "" || same(f.changes, c.handle)
}

// same reports whether two handles name the same body; either may be short.
func same(a, b string) bool { return len(a) >= Short && len(b) >= Short && a[:Short] == b[:Short] }

// isGone reports whether an item looks like a message of a result that is none of the input's.
func (r *restoring) isGone(g gone, at int) bool {
	m := r.doc.Items[at].Msg
	return r.doc.Look(m) == g.print || r.doc.MarkedLook(m) == g.print
}

// rebuild makes what steps say of the first n items. ok is false where they make no sense.
func (r *restoring) rebuild(steps []step, n int) (out []view.Item, ok bool) {
	out = make([]view.Item, 0, n)
	used := make([]bool, n)
	take := func(i int) bool {
		if used[i] {
			return false
		}
		used[i] = true
		out = append(out, r.doc.Items[i])
		return true
	}
	folds := map[int][]bool{} // by message of the result: which messages of its fold are back, each once
	was := r.report.Restored
	literal := false
	for _, p := range steps {
		switch p.op {
		case "":
			it, ok := r.read(p.text)
			if !ok {
				return nil, false
			}
			literal = true
			out = append(out, it)
		case changesKeep:
			for i := p.from; i < min(p.to, n); i++ {
				if !take(i) {
					return nil, false
				}
			}
		case changesPut:
			if !take(p.index) {
				return nil, false
			}
			at := r.at
			if _, ok := r.putBack(&out[len(out)-1], func(h string) bool { return slices.Contains(p.handles, h) }); !ok {
				return nil, false
			}
			r.at = at
		case changesFold:
			if !r.takeFold(p, &out, used, folds) {
				return nil, false
			}
		}
	}
	if literal && r.report.Restored == was {
		r.report.Restored++ // the changes themselves
	}
	saved := r.doc.Tokens(0, n)
	for i := range out {
		saved -= out[i].Tokens
	}
	r.report.Act(api.Action{Action: api.ActionRestore, Pass: "restore", Message: -1, Tokens: saved})
	return out, true
}

// spread puts what was between the messages of the input between the items again; sent is how many items they were made of.
func (r *restoring) spread(c *changes, out []view.Item, sent int) {
	at := 0
	for i := range out {
		out[i].Before = transcript.Span{}
	}
	for _, sp := range c.space {
		text := r.doc.T.Write([]byte(sp.text))
		for i := at; i < min(at+sp.n, len(out)); i++ {
			out[i].Before = text
		}
		at += sp.n
	}
	following := len(r.doc.Items) - sent
	for _, items := range r.later {
		following += len(items)
	}
	if following > 0 { // what follows the last of all messages is not ours
		return
	}
	if r.doc.Close = (transcript.Span{}); c.end != "" {
		r.doc.Close = r.doc.T.Write([]byte(c.end))
	}
}

// takeFold puts messages of a fold's body after out: or, once, what names the body, where it was not given.
func (r *restoring) takeFold(p step, out *[]view.Item, used []bool, folds map[int][]bool) bool {
	changes := r.at
	it := r.doc.Items[p.index]
	f := r.foldOf(it.Msg)
	body := r.at
	r.at = changes
	if f == nil || len(r.given[body].Text) > r.room {
		if !used[p.index] {
			used[p.index] = true
			*out = append(*out, it)
		}
		return true
	}
	if p.to > len(f.messages) {
		return false
	}
	back := folds[p.index]
	if back == nil {
		back = make([]bool, len(f.messages))
		folds[p.index] = back
		r.room -= len(r.given[body].Text)
		r.report.Restored++
	}
	for k := p.from; k < p.to; k++ {
		if back[k] {
			return false
		}
		back[k] = true
		m, ok := r.read(f.elements[f.messages[k]].text)
		if !ok {
			r.at = body
			return false
		}
		*out = append(*out, m)
	}
	return true
}

// Of are those that bodies name, in the order in which they are there, so that a host may have all bodies before it restores: of markers,
// and of changes. Some may be none: a text may quote a marker. Corrupt are those of the bodies that are not what their handles say; nothing
// is read in them.
func Of(given []api.Kept) (handles, corrupt []string) {
	var seen critbit.Map[struct{}]
	add := func(h string) {
		if IsHandle(h) && !seen.Has(h) {
			seen.Add(h)
			handles = append(handles, h)
		}
	}
	for i := range given {
		text := given[i].Text
		if !whole(&given[i]) {
			corrupt = append(corrupt, given[i].Handle)
			continue
		}
		for {
			_, rest, found := strings.Cut(text, "andle")
			if !found {
				break
			}
			text = rest
			rest, found = strings.CutPrefix(rest, ": ")
			if !found {
				rest, found = strings.CutPrefix(rest, " of the folded messages: ")
			}
			if found && len(rest) >= Short {
				add(rest[:Short])
			}
		}
		if isChanges(given[i].Text) {
			if c, ok := parseChanges(given[i].Text); ok && c.before != "" {
				add(c.before)
			}
		} else if h := pointer(given[i].Text); h != "" {
			add(h)
		}
	}
	return handles, corrupt
}

// pointer is the handle of changes that the body of a fold ends with; "" where it has none.
func pointer(body string) string {
	const n = Size
	if len(body) < n+4 || body[0] != '[' || body[len(body)-2:] != `"]` || body[len(body)-n-3] != '"' {
		return ""
	}
	if h := body[len(body)-n-2 : len(body)-2]; IsHandle(h) {
		return h
	}
	return ""
}
