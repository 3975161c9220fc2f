package handles

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// changes are the parsed changes of a compaction, which say how to rebuild its input from its result.
type changes struct {
	handle string // the handle of their body
	before string // the handle of the previous compaction's changes
	sent   int
	gone   []gone
	steps  []step
	space  []space
	end    string
	was    int    // the result message that the next step's message became; -1 if unknown
	twice  int    // how many times in a row the result has messages like those dropped before the next kept one
	last   string // the print of the last result message; "" if unknown
}

// space is the text that precedes each of the next n input messages.
type space struct {
	n    int
	text string
}

// gone is a result message that isn't in the input, with its print.
type gone struct {
	index int
	print string
}

// step says where one or more consecutive input messages come from.
type step struct {
	op       string
	index    int
	from, to int
	handles  []string
	print    string // the print of the first kept message; "" if unknown
	twice    int    // how many times in a row the result has messages like those dropped before the first kept one
	text     []byte // the message itself, if op is ""; index is then the result message that it became, or -1
}

// isChanges reports whether a body is the changes of a compaction.
func isChanges(body string) bool { return strings.HasPrefix(body, `["`+changesHeader+`"`) }

// parseChanges parses a body of changes. ok is false if the body is invalid or of another kind.
func parseChanges(text string) (c changes, ok bool) {
	body := []byte(text)
	s := jsonspan.New(body)
	s.Lenient = true
	c.was = -1
	if !isChanges(text) {
		return c, false
	}
	for s.Array(); s.Elem(); {
		kind, start := s.Kind(), s.Pos()
		s.Skip()
		switch piece := body[start:s.Pos()]; kind {
		case jsonspan.Object:
			c.steps = append(c.steps, step{text: piece, index: c.was})
			c.was = -1
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

// say parses one string of a changes body. It returns false if the string is invalid.
func (c *changes) say(line string) bool {
	op, rest, _ := strings.Cut(line, " ")
	for i := range changesWords {
		if w := &changesWords[i]; w.op == op {
			return w.say(c, rest)
		}
	}
	return false
}

// changesWords lists the kinds of strings in a changes body by their first word, each with its parser. A parser gets the rest of the
// string and returns false if that is invalid.
var changesWords = [...]struct {
	op  string
	say func(c *changes, rest string) bool
}{
	{"changes", func(_ *changes, rest string) bool {
		_, ok := numbersOf(rest, 1)
		return ok
	}},
	{changesBefore, func(c *changes, rest string) bool {
		c.before = strings.TrimSpace(rest)
		return len(c.before) == Size && IsHandle(c.before)
	}},
	{changesSent, func(c *changes, rest string) bool {
		n, ok := numbersOf(rest, 1)
		if ok {
			c.sent = n[0]
		}
		return ok
	}},
	{changesGone, (*changes).sayGone},
	{changesKeep, (*changes).sayKeep},
	{changesPut, (*changes).sayPut},
	{changesWas, func(c *changes, rest string) bool {
		n, ok := numbersOf(rest, 1)
		if ok {
			c.was = n[0]
		}
		return ok
	}},
	{changesTwice, func(c *changes, rest string) bool {
		n, ok := numbersOf(rest, 1)
		if ok {
			c.twice = n[0]
		}
		return ok && c.twice <= maxRepeated
	}},
	{changesLast, func(c *changes, rest string) bool {
		c.last = rest
		return rest != ""
	}},
	{changesFold, func(c *changes, rest string) bool {
		n, ok := numbersOf(rest, 3)
		if ok {
			c.steps = append(c.steps, step{op: changesFold, index: n[0], from: n[1], to: n[2]})
		}
		return ok && n[1] <= n[2]
	}},
	{changesSpace, (*changes).saySpace},
	{changesEnd, func(c *changes, rest string) bool {
		c.end = rest
		return between(rest, "]")
	}},
}

// numbersOf parses exactly count non-negative numbers separated by spaces. ok is false for any other text.
func numbersOf(text string, count int) (n []int, ok bool) {
	words := strings.Fields(text)
	for _, w := range words {
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 || v > jsonspan.MaxSize {
			return nil, false
		}
		n = append(n, v)
	}
	return n, len(n) == count
}

// sayGone parses "INDEX PRINT". It returns false for anything else.
func (c *changes) sayGone(rest string) bool {
	words := strings.Fields(rest)
	if len(words) != 2 {
		return false
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 0 {
		return false
	}
	c.gone = append(c.gone, gone{n, words[1]})
	return true
}

// sayKeep parses "FROM TO [PRINT]". It returns false for anything else.
func (c *changes) sayKeep(rest string) bool {
	p := step{op: changesKeep, twice: c.twice}
	c.twice = 0
	if words := strings.Fields(rest); len(words) == 3 {
		rest, p.print = words[0]+" "+words[1], words[2]
	}
	n, ok := numbersOf(rest, 2)
	if !ok {
		return false
	}
	p.from, p.to = n[0], n[1]
	c.steps = append(c.steps, p)
	return p.from <= p.to
}

// sayPut parses "INDEX HANDLE …". It returns false for anything else.
func (c *changes) sayPut(rest string) bool {
	words := strings.Fields(rest)
	if len(words) == 0 || slices.ContainsFunc(words[1:], func(h string) bool { return len(h) != Short || !IsHandle(h) }) {
		return false
	}
	n, ok := numbersOf(words[0], 1)
	if ok {
		c.steps = append(c.steps, step{op: changesPut, index: n[0], handles: words[1:]})
	}
	return ok
}

// saySpace parses "N TEXT". It returns false for anything else.
func (c *changes) saySpace(rest string) bool {
	number, text, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	c.space = append(c.space, space{n, text})
	return err == nil && n > 0 && n <= jsonspan.MaxSize && (between(text, ",") || len(c.space) == 1 && n == 1 && between(text, "["))
}

// between reports whether a text is the given JSON character, with nothing but white space around it.
func between(text, character string) bool { return strings.Trim(text, " \t\r\n") == character }

// takeBack undoes compactions by their changes, the newest first. ok is false if a body is invalid; r.at is its index.
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
			r.bringBack(jsonspan.MaxSize)
			if undone, whole, ok = r.undoEdited(&c); !ok {
				return false
			}
		}
		if !whole {
			r.left = append(r.left, api.Marker{Handle: handle, What: api.BodyChanges, Message: -1, Why: api.MarkerChanged})
		}
		if !undone {
			if digest < 0 {
				r.miss(&c)
			}
			r.changes, r.older = "", c.before // look for a digest first: it may name newer changes than c.before
			r.misses++
			continue
		}
		if digest >= 0 {
			r.precede(&c, digest)
		}
		if r.respelled != "" && same(handle, r.respelled) {
			r.left = append(r.left, api.Marker{Handle: handle, What: api.BodyChanges, Message: -1, Why: api.MarkerRespelled})
		}
		r.changes, r.older = c.before, ""
	}
	r.bringBack(jsonspan.MaxSize)
	r.dropTurns()
	return true
}

// dropTurns drops the turns that a repair inserted to make the roles alternate, from the first item that the last
// undone compaction didn't fold. A replay inserts such turns if the messages have changed, and the changes don't list
// them. A turn directly after a digest that stays is still needed.
func (r *restoring) dropTurns() {
	if r.unfolded >= len(r.doc.Items) {
		return
	}
	kept := r.doc.Items[:r.unfolded:r.unfolded]
	for _, it := range r.doc.Items[r.unfolded:] {
		if last := len(kept) - 1; !authorship.IsTurn(r.doc.T, it.Msg) || last >= 0 && r.authors.IsOwn(kept[last].Msg) {
			kept = append(kept, it)
		}
	}
	r.doc.Items = kept
}

// bringBack moves messages that were set aside back to the end of the items, until there are n items.
func (r *restoring) bringBack(n int) {
	for len(r.later) > 0 && len(r.doc.Items) < n {
		last := len(r.later) - 1
		items := r.later[last]
		k := min(len(items), n-len(r.doc.Items))
		r.doc.Items = append(r.doc.Items, items[:k]...)
		if r.later[last] = items[k:]; k == len(items) {
			r.later = r.later[:last]
		}
	}
}

// maxMisses is the maximum number of compactions in a row that can be missing from a transcript before restore stops looking for older
// ones.
const maxMisses = 32

// newest returns the handle of the newest changes that have not been undone, or "". It looks in this order: the state, the body of a
// digest, the predecessor of the changes that could not be undone, and, on the first call, the given bodies. digest is the index of the
// digest that named the changes, or -1.
func (r *restoring) newest() (handle string, digest int) {
	if h := r.changes; len(h) >= Short && IsHandle(h) {
		return h, -1
	}
	for i := range r.doc.Items {
		if m := r.doc.Items[i].Msg; r.authors.IsOwn(m) {
			if f := r.foldOf(m); f != nil && f.changes != "" {
				if b := r.body(f.changes); b >= 0 && !r.tried[b] {
					return f.changes, i
				}
			}
		}
	}
	if h := r.older; len(h) >= Short && r.misses < maxMisses {
		r.older = ""
		return h, -1
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

// undo rebuilds the input of a compaction from its result, if the items begin with this result. Otherwise it does nothing and returns
// undone = false. ok is false if the changes are invalid.
func (r *restoring) undo(c *changes) (undone, ok bool) {
	r.bringBack(c.sent) // a newer compaction that is replayed may have been made for a shorter history
	n := min(c.sent, len(r.doc.Items))
	if !r.begins(c, n) || !r.drops(c, n) {
		return false, true
	}
	was := len(r.doc.Items)
	r.unfolded = 0
	out, ok := r.rebuild(c.steps, r.doc.Items[:n])
	if !ok {
		return false, false
	}
	if n == was && len(r.later) == 0 { // nothing was added to the result, so the changes list its turns
		r.unfolded = len(out)
	}
	r.spread(c, out, n)
	r.later = append(r.later, slices.Clone(r.doc.Items[n:was]))
	r.doc.Items = out
	return true, true
}

// begins reports whether the first n items are the result that the changes describe.
func (r *restoring) begins(c *changes, n int) bool {
	for _, g := range c.gone {
		if g.index >= n {
			return false
		}
		// A digest gets the handle of its body only after its print was taken.
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

// drops reports whether the messages that the compaction dropped without a marker are still missing, and those after
// them are still in their places. It returns false if one of the latter was deleted in the meantime.
func (r *restoring) drops(c *changes, n int) bool {
	from := 0 // the first step of the run of dropped messages before the next one
	for i, p := range c.steps {
		switch {
		case p.op == "":
			continue
		case p.op == changesKeep && p.print != "":
			if p.from >= n || !r.isGone(gone{p.from, p.print}, p.from) || r.present(&hunk{steps: c.steps[from:i], print: p.print, twice: p.twice}, p.from) {
				return false
			}
		}
		from = i + 1
	}
	if c.last == "" || n < c.sent {
		return true
	}
	return r.isGone(gone{n - 1, c.last}, n-1) && !r.present(&hunk{steps: c.steps[from:]}, n)
}

// isDigestOf reports whether a message can be a digest of the compaction with these changes: it names the handle of its
// body, and that body, if it was given, doesn't name the changes of another compaction.
func (r *restoring) isDigestOf(c *changes, m int32) bool {
	if !r.authors.IsOwn(m) || listHandle(r.doc.T, m) == "" {
		return false
	}
	at := r.at
	f := r.foldOf(m)
	r.at = at
	return f == nil || f.changes == "" || same(f.changes, c.handle)
}

// same reports whether two handles, of which either may be shortened, name the same body.
func same(a, b string) bool { return len(a) >= Short && len(b) >= Short && a[:Short] == b[:Short] }

// isGone reports whether the item at index at has the print of g, a message of the result.
func (r *restoring) isGone(g gone, at int) bool {
	m := r.doc.Items[at].Msg
	return r.doc.RequestLook(m) == g.print || r.doc.MarkedLook(m) == g.print || r.bareLook(m) == g.print
}

// rebuild carries out steps on the items of a result and returns the messages that they produce. ok is false if the
// steps are invalid.
func (r *restoring) rebuild(steps []step, items []view.Item) (out []view.Item, ok bool) {
	b := rebuilding{r: r, items: items, out: make([]view.Item, 0, len(items)), used: make([]bool, len(items)), folds: map[int][]bool{}}
	was := r.report.Restored
	for _, p := range steps {
		if !b.step(p) {
			return nil, false
		}
		if p.op == changesFold {
			r.unfolded = len(b.out)
		}
	}
	if b.literal && r.report.Restored == was {
		r.report.Restored++ // counts the changes themselves
	}
	if slices.EqualFunc(items, b.out, func(a, b view.Item) bool { return a.Msg == b.Msg }) { // no body was given
		return b.out, true
	}
	saved := 0
	for i := range items {
		saved += items[i].Tokens
	}
	for i := range b.out {
		saved -= b.out[i].Tokens
	}
	r.report.AddAction(api.Action{Action: api.ActionRestore, Pass: "restore", Message: -1, Tokens: saved})
	return b.out, true
}

// rebuilding is the state of restoring.rebuild.
type rebuilding struct {
	r       *restoring
	items   []view.Item
	out     []view.Item
	used    []bool         // which items are in out already, unchanged or restored
	folds   map[int][]bool // for the item at each index, which messages of its fold are in out; each is used at most once
	literal bool           // whether a message came from the changes themselves
}

// step executes one step. It returns false if the step is invalid. If a body is invalid, r.at is its index.
func (b *rebuilding) step(p step) bool {
	switch p.op {
	case "":
		it, ok := b.r.read(p.text)
		b.literal = true
		b.out = append(b.out, it)
		return ok
	case changesKeep:
		for i := p.from; i < min(p.to, len(b.items)); i++ {
			if !b.take(i) {
				return false
			}
		}
	case changesPut:
		if !b.take(p.index) {
			return false
		}
		at := b.r.at
		put, ok := b.r.putBack(&b.out[len(b.out)-1], func(h string) bool { return slices.Contains(p.handles, h) })
		if !ok {
			return false
		}
		if b.r.at = at; put == 0 {
			b.r.unmark(&p)
		}
	case changesFold:
		return b.takeFold(p)
	}
	return true
}

// take appends item i to the output. It returns false if the item was already used.
func (b *rebuilding) take(i int) bool {
	if b.used[i] {
		return false
	}
	b.used[i] = true
	b.out = append(b.out, b.items[i])
	return true
}

// takeFold appends messages from the body of a fold, each at most once. If the body was not given, it appends the digest instead, once.
func (b *rebuilding) takeFold(p step) bool {
	r, changes := b.r, b.r.at
	it := b.items[p.index]
	f := r.foldOf(it.Msg)
	body := r.at
	r.at = changes
	if f == nil || len(r.given[body].Text) > r.room {
		if !b.used[p.index] {
			b.take(p.index)
		}
		return true
	}
	if p.to > len(f.messages) {
		return false
	}
	back := b.folds[p.index]
	if back == nil {
		back = make([]bool, len(f.messages))
		b.folds[p.index] = back
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
		b.out = append(b.out, m)
	}
	return true
}

// spread restores the text between the input messages. sent is the number of items from which out was rebuilt.
func (r *restoring) spread(c *changes, out []view.Item, sent int) {
	at := 0
	for i := range out {
		out[i].Before = transcript.Span{}
	}
	for _, sp := range c.space {
		text := r.doc.T.WriteToArena([]byte(sp.text))
		for i := at; i < min(at+sp.n, len(out)); i++ {
			out[i].Before = text
		}
		at += sp.n
	}
	following := len(r.doc.Items) - sent
	for _, items := range r.later {
		following += len(items)
	}
	if following > 0 { // the text after the very last message doesn't come from the input
		return
	}
	if r.doc.Close = (transcript.Span{}); c.end != "" {
		r.doc.Close = r.doc.T.WriteToArena([]byte(c.end))
	}
}

// Of returns the handles that bodies name, in markers or as changes, in order of appearance, so that a host can fetch
// everything before it restores. Some may not be real handles, because a text may quote a marker. corrupt lists the
// given handles whose bodies don't match them; these bodies are not searched.
func Of(given []api.Kept) (handles, corrupt []string) {
	var seen critbit.Map[struct{}]
	add := func(h string) {
		if IsHandle(h) && !seen.Has(h) {
			seen.Add(h)
			handles = append(handles, h)
		}
	}
	for i := range given {
		if !whole(&given[i]) {
			corrupt = append(corrupt, given[i].Handle)
			continue
		}
		eachNamed(given[i].Text, add)
		if isChanges(given[i].Text) {
			if c, ok := parseChanges(given[i].Text); ok {
				add(c.before)
			}
		} else {
			add(pointer(given[i].Text))
		}
	}
	return handles, corrupt
}

// eachNamed calls yield with each handle that a text contains in the way that markers and digests write it.
func eachNamed(text string, yield func(handle string)) {
	for {
		_, rest, found := strings.Cut(text, "andle")
		if !found {
			return
		}
		text = rest
		rest, found = strings.CutPrefix(rest, ": ")
		if !found {
			rest, found = strings.CutPrefix(rest, " of the folded messages: ")
		}
		if found && len(rest) >= Short {
			yield(rest[:Short])
		}
	}
}

// pointer returns the handle of the compaction's changes, which is the last element in the body of a fold, or "" if there is none.
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
