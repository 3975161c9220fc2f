package handles

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// rebuild carries out steps on the items of a result, and returns the messages that they produce. ok is false if the
// steps are invalid.
func (r *restoring) rebuild(steps []step, items []view.Item) (out []view.Item, ok bool) {
	b := rebuilding{r: r, items: items, out: make([]view.Item, 0, len(items)), used: make([]bool, len(items)),
		folds: map[int][]bool{}}
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
	r     *restoring  // has the bodies that were given
	items []view.Item // the items of the result
	out   []view.Item // the items of the input so far
	used  []bool      // which items are in out already, unchanged or restored
	// For the item at each index, which messages of its fold are in out. Each message is used at most once.
	folds   map[int][]bool
	literal bool // whether a message came from the changes themselves
}

// step carries out one step. It returns false if the step is invalid. If a body is invalid, r.at is its index.
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

// take appends item i to the output. It returns false if the item has already been used.
func (b *rebuilding) take(i int) bool {
	if b.used[i] {
		return false
	}
	b.used[i] = true
	b.out = append(b.out, b.items[i])
	return true
}

// takeFold appends the messages p.from to p.to (exclusive) from the body of the fold at p.index. If the body was not
// given, or is larger than r.room, it appends the digest instead, unless that has already been appended. It returns
// false if the step is invalid, for example because it uses a message a second time. If the body is invalid, r.at is
// its index.
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
