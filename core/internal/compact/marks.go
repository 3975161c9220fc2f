package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// mark adds cache breakpoints where they pay off, if the app uses breakpoints: at the end of the digest, at the newest
// message if the fold removed the conversation's breakpoints, and at the last system message at the beginning. When
// the result is sent again, the provider reads it from its cache up to a breakpoint, even if later messages have
// changed.
//
// The app may add its own breakpoints to the result again, as many as before. So there are never more than
// [wire.MaxMarks], including the breakpoints of the input. A new breakpoint is a copy of the app's next one, so that
// it has the same lifetime: breakpoints with a longer lifetime must come first.
func (c *Run) mark() {
	t := c.doc.T
	met := t.Marks && wire.MayMark(t.Src[t.Outer.Start:t.Outer.End])
	if c.doc.F.Marks == 0 || !c.policy.WritesMarks() || !met && len(c.in.Marked) == 0 {
		return
	}
	p := placing{c: c, beside: c.doc.F.MarksBeside(nil, t.Src[t.Outer.Start:t.Outer.End])}
	p.readGiven()
	p.readSent()
	digest := p.digest()
	p.put(digest)
	if p.talk && len(p.rest) == 0 && c.doc.Rest == t.Input && !slices.ContainsFunc(p.marks[digest+1:], func(m []wire.Mark) bool { return len(m) > 0 }) {
		p.put(p.newest(digest))
	}
	p.put(p.system())
}

// placing holds the cache breakpoints of a result and decides where to add more.
type placing struct {
	c      *Run          // the compaction
	given  []wire.Mark   // breakpoints set by the app
	beside []wire.Mark   // breakpoints outside the list
	marks  [][]wire.Mark // the breakpoints in each item
	rest   []wire.Mark   // breakpoints in the messages after the items
	talk   bool          // whether the app marks messages of the conversation, and not only the system prompt and the tools
	left   int           // the number of breakpoints that may still be added
}

// readGiven finds the breakpoints that the app has set. Breakpoints in messages that earlier compactions wrote don't
// count.
func (p *placing) readGiven() {
	doc := p.c.doc
	p.given = slices.Clip(p.beside)
	for m := range doc.T.Input {
		if m < doc.N && p.c.authors.IsOwn(int32(m)) {
			continue
		}
		before := len(p.given)
		p.given = doc.F.MarksOf(p.given, doc.T.Bytes(doc.T.Messages[m].Span))
		p.talk = p.talk || len(p.given) > before && doc.T.Messages[m].Role != transcript.System
	}
	if !p.talk { // as it was when the digest was written
		p.given = append(p.given, p.c.in.Marked...)
		p.talk = len(p.c.in.Marked) > 0
	}
}

// readSent finds the breakpoints that are left in the result. It also counts those outside the list
// of messages, and computes how many may be added.
func (p *placing) readSent() {
	doc := p.c.doc
	p.marks = make([][]wire.Mark, len(doc.Items))
	sent := len(p.beside)
	for i := range doc.Items {
		p.marks[i] = doc.F.MarksOf(nil, doc.AppendMessage(nil, &doc.Items[i]))
		sent += len(p.marks[i])
	}
	for m := doc.Rest; m < doc.T.Input; m++ {
		p.rest = doc.F.MarksOf(p.rest, doc.T.Bytes(doc.T.Messages[m].Span))
	}
	p.left = wire.MaxMarks - max(len(p.given), sent+len(p.rest))
}

// digest returns the index of the newest digest that was written by this run or recalled from an earlier one, or -1.
func (p *placing) digest() int {
	for i := len(p.c.doc.Items) - 1; i >= 0; i-- {
		it := &p.c.doc.Items[i]
		if p.c.authors.Origin(it.Msg) == authorship.OfDigest && (it.In < 0 || p.c.in.Recalled) {
			return i
		}
	}
	return -1
}

// newest returns the index of the last item if that comes after the digest, is unchanged and is
// from the user or a tool, and -1 otherwise.
func (p *placing) newest(digest int) int {
	last := len(p.c.doc.Items) - 1
	if last <= digest || p.c.doc.Items[last].Dirty {
		return -1
	}
	if role := p.c.doc.T.Messages[p.c.doc.Items[last].Msg].Role; role != transcript.User && role != transcript.Tool {
		return -1
	}
	return last
}

// system returns the index of the last system message at the beginning, or -1.
func (p *placing) system() int {
	at := -1
	for i := range p.c.doc.Items {
		if p.c.doc.T.Messages[p.c.doc.Items[i].Msg].Role != transcript.System {
			break
		}
		if at = i; len(p.marks[i]) > 0 || p.c.doc.Items[i].Dirty {
			return -1
		}
	}
	return at
}

// put adds a breakpoint to an item unless the item already has one or no more are allowed. It also does nothing if the
// format has no place for one in that message.
func (p *placing) put(item int) {
	if item < 0 || p.left <= 0 || len(p.marks[item]) > 0 {
		return
	}
	mark, found := p.like(item)
	if !found {
		return
	}
	c, it := p.c, &p.c.doc.Items[item]
	message := c.doc.AppendMessage(nil, it)
	at, text, ok := c.doc.F.CacheMarkPlace(message, mark)
	switch {
	case !ok:
		return
	case c.authors.IsOwn(it.Msg):
		c.doc.Replace(item, slices.Concat(message[:at.Start], text, message[at.End:]))
	default: // a message that only looks like a digest doesn't count as one
		base := c.doc.T.Messages[it.Msg].Span.Start
		c.doc.Splice(it.Msg, transcript.Span{Start: base + at.Start, End: base + at.End}, c.doc.T.WriteToArena(text))
		it.Dirty, it.Marked = true, true
	}
	p.marks[item] = []wire.Mark{mark}
	p.left--
}

// like returns the breakpoint to copy for an item. This is the next one after the item; if there is
// none, the last one before it; and if there is none either, the last one that the app has set.
// found is false if it has set none.
func (p *placing) like(item int) (m wire.Mark, found bool) {
	for _, marks := range p.marks[item+1:] {
		if len(marks) > 0 {
			return marks[0], true
		}
	}
	if len(p.rest) > 0 {
		return p.rest[0], true
	}
	for i := item - 1; i >= 0; i-- {
		if n := len(p.marks[i]); n > 0 {
			return p.marks[i][n-1], true
		}
	}
	if n := len(p.beside); n > 0 {
		return p.beside[n-1], true
	}
	if n := len(p.given); n > 0 {
		return p.given[n-1], true
	}
	return m, false
}
