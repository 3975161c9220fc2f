package handles

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// A marker shows where one body was. What a compaction removes without a trace (reasoning, what a repair drops or rewrites, published
// passes that name no handle) has no marker, which would cost the model tokens for nothing. So each compaction archives one more body, its
// changes: how to get its input from its result. The state names the newest, each names the previous one, and so does the body of a fold,
// for hosts that have lost the state.
//
// The body is a list: input messages that exist nowhere else, byte for byte, and strings that say what comes between them. Indexes are
// those of the result's messages. Ranges are half-open.
const (
	changesHeader = "changes 1" // the first string; 1 is the version
	changesBefore = "before"    // HANDLE: the changes of the compaction before this one
	changesSent   = "sent"      // N: how many messages the result has
	changesGone   = "gone"      // INDEX PRINT: this message is not from the input, and looks like this
	changesKeep   = "keep"      // FROM TO [PRINT]: these are the input's; PRINT is how the first looks, where something in front of it was dropped
	changesPut    = "put"       // INDEX HANDLE …: this is the input's when these bodies are put back where it names them
	changesFold   = "fold"      // INDEX FROM TO: messages of the body whose handle this message names
	changesSpace  = "space"     // N TEXT: what precedes each of the next N messages, if it is not a comma or a bracket alone
	changesEnd    = "end"       // TEXT: what follows the last one
)

// whence says where to get an input message from.
type whence struct {
	op    string // one of the constants above; "" for the bytes of the message itself
	index int    // of the result
	from  int    // of a fold's messages
}

// SaveChanges archives how to get the input from the result. It is called when nothing else will change.
func (c *Run) SaveChanges() {
	if c.Policy.Archive == "" || !c.Changed() {
		return
	}
	origins, used := c.origins()
	list := []element{{text: quoted(changesHeader)}}
	say := func(words ...string) {
		line := words[0]
		for _, w := range words[1:] {
			line += " " + w
		}
		list = append(list, element{text: quoted(line)})
	}
	if c.State.Archive != "" {
		say(changesBefore, c.State.Archive)
	}
	say(changesSent, strconv.Itoa(len(c.Items)))
	for i := range c.Items {
		if !used[i] {
			say(changesGone, strconv.Itoa(i), c.printOf(i))
		}
	}
	c.sayspace(say)
	tokens, first := 0, -1
	for m := 0; m < len(origins); {
		o, end := origins[m], m+1
		switch o.op {
		case "":
			list = append(list, element{in: int32(m)})
			tokens += c.P.Message(c.T, m)
			if first < 0 {
				first = m
			}
		case changesPut:
			say(append([]string{o.op, strconv.Itoa(o.index)}, c.handlesOf(int32(m))...)...)
		case changesKeep:
			for end < len(origins) && origins[end] == (whence{o.op, o.index + end - m, 0}) {
				end++
			}
			words := []string{o.op, strconv.Itoa(o.index), strconv.Itoa(o.index + end - m)}
			if m > 0 && origins[m-1].op == "" && (o.index == 0 || used[o.index-1]) {
				words = append(words, c.printOf(o.index))
			}
			say(words...)
		case changesFold:
			for end < len(origins) && origins[end] == (whence{o.op, o.index, o.from + end - m}) {
				end++
			}
			say(o.op, strconv.Itoa(o.index), strconv.Itoa(o.from), strconv.Itoa(o.from+end-m))
		}
		m = end
	}
	b := &Taken{Body: api.Body{What: api.BodyChanges, Message: first, Tokens: tokens}, msg: -1, list: list}
	b.name(c.T)
	c.taken = append(c.taken, *b)
	c.Changes = b.Handle
	c.pointFolds()
}

// sayspace records what is between the input messages, so that a restored file is identical, and not only its messages.
func (c *Run) sayspace(say func(words ...string)) {
	at, plain := c.T.List.Start, true
	space := make([]string, c.Rest)
	for m := range space {
		span := c.T.Messages[m].Span
		space[m] = string(c.T.AsGiven(transcript.Span{Start: at, End: span.Start}))
		at, plain = span.End, plain && len(space[m]) == 1
	}
	end := string(c.T.AsGiven(transcript.Span{Start: at, End: c.T.List.End}))
	if c.Rest < c.T.Input { // messages after the plan stay, with what follows them
		end = "]"
	}
	for m, n := 0, 0; m < len(space) && !plain; m += n {
		for n = 1; m+n < len(space) && space[m+n] == space[m]; n++ {
		}
		say(changesSpace, strconv.Itoa(n), space[m])
	}
	if end != "]" {
		say(changesEnd, end)
	}
}

func quoted(text string) string { return string(jsonspan.AppendString(nil, text)) }

// origins returns where to get each input message from, and for each result message whether that names it.
func (c *Run) origins() (of []whence, used []bool) {
	of, used = make([]whence, c.Rest), make([]bool, len(c.Items))
	for i := range c.Items {
		it := &c.Items[i]
		if it.In < 0 || int(it.In) >= c.Rest || of[it.In].op != "" {
			continue
		}
		switch {
		case !it.Dirty:
			of[it.In] = whence{op: changesKeep, index: i}
		case c.marked(it):
			of[it.In] = whence{op: changesPut, index: i}
		}
	}
	for i := range c.Items {
		if !c.namesBody(&c.Items[i]) {
			continue
		}
		n := 0
		for _, e := range c.taken[c.Items[i].Body-1].list {
			if e.n == 0 && e.text == "" {
				of[e.in] = whence{changesFold, i, n}
				n++
			}
		}
	}
	for _, o := range of {
		if o.op != "" {
			used[o.index] = true
		}
	}
	return of, used
}

// namesBody reports whether an item names the body that it replaces; digests of published systems don't.
func (c *Run) namesBody(it *view.Item) bool {
	return it.Body > 0 && c.Own(it.Msg) && c.listHandle(it.Msg) == c.taken[it.Body-1].Handle[:Short]
}

// marked reports whether the only changes of an item are bodies that have markers, so that restoring them restores the input.
func (c *Run) marked(it *view.Item) bool {
	if it.Msg != it.In || it.Rest {
		return false
	}
	bodies := c.bodiesOf(it.Msg)
	for _, e := range c.EditsOf(it.Msg) {
		if !slices.ContainsFunc(bodies, func(b *Taken) bool { return b.part == e.Old || c.copied(it.Msg, e.Old, b.part) }) {
			return false
		}
	}
	for _, p := range c.T.PartsOf(int(it.Msg)) {
		if p.Has(transcript.Removed) && (p.Parent < 0 || !c.T.Parts[p.Parent].Has(transcript.Edited) || !c.inBody(&p)) {
			return false
		}
	}
	return len(bodies) > 0
}

// inBody reports whether a part of a tool result is inside the result's body. Media of Gemini's responses are outside it, and have no
// marker.
func (c *Run) inBody(p *transcript.Part) bool {
	body := c.Original(p.Parent)
	return p.Span.Start >= body.Start && p.Span.End <= body.End
}

// copied reports whether a span of a message is the body of a copy of the part with this body, and identical.
func (c *Run) copied(m int32, span, body transcript.Span) bool {
	msg := &c.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		if c.T.Parts[n].Copy == 0 || c.Original(n) != body {
			continue
		}
		for k := c.T.Parts[n].Copy; k > 0; k = c.T.Parts[k-1].Copy {
			if c.T.Parts[k-1].Body == span {
				return bytes.Equal(c.T.Bytes(span), c.T.Bytes(body))
			}
		}
	}
	return false
}

// bodiesOf returns the bodies that were taken from a message individually, in order.
func (c *Run) bodiesOf(m int32) (bodies []*Taken) {
	if c.single == nil {
		c.single = make([]int32, 0, len(c.taken))
		for i := range c.taken {
			if b := &c.taken[i]; b.msg >= 0 && !b.void {
				c.single = append(c.single, int32(i))
			}
		}
		sorting.Stable(c.single, func(a, b int32) int { return int(c.taken[a].msg - c.taken[b].msg) })
	}
	at, _ := slices.BinarySearchFunc(c.single, m, func(i, m int32) int { return int(c.taken[i].msg - m) })
	for ; at < len(c.single) && c.taken[c.single[at]].msg == m; at++ {
		bodies = append(bodies, &c.taken[c.single[at]])
	}
	return bodies
}

func (c *Run) handlesOf(m int32) (handles []string) {
	for _, b := range c.bodiesOf(m) {
		handles = append(handles, b.Handle[:Short])
	}
	return handles
}

// printOf returns the print of a result message: its role and its parts, ignoring white space between them.
func (c *Run) printOf(item int) string {
	it := &c.Items[item]
	m := it.Msg
	if it.Dirty { // as it will be read
		if again, ok := c.F.AddOne(c.T, c.AppendFinal(nil, it)); ok {
			m = again
		}
	}
	return c.Look(m)
}

// pointFolds makes the bodies of folds name the changes, and the digests name the resulting bodies, so that a host that has lost the state
// finds the changes through the digest.
func (c *Run) pointFolds() {
	for i := range c.Items {
		if !c.points(&c.Items[i]) {
			continue
		}
		b := &c.taken[c.Items[i].Body-1]
		old := b.Handle[:Short]
		b.list = append(slices.Clip(b.list), element{text: quoted(c.Changes)})
		b.name(c.T)
		// A message may contain its text twice.
		c.Replace(i, bytes.ReplaceAll(c.AppendMessage(nil, &c.Items[i]), []byte(old), []byte(b.Handle[:Short])))
	}
}

// points reports whether an item is a digest whose body names the changes. Lines of turns and counts of dropped messages don't: there may
// be many of them, and their bodies stay as they are.
func (c *Run) points(it *view.Item) bool {
	if !c.namesBody(it) {
		return false
	}
	handle, _ := FoldHandleOf(c.T.Text(c.T.FirstText(int(it.Msg))))
	return handle != ""
}

// handleSpread is roughly the largest difference between the estimates of two handles, in tokens.
const handleSpread = 8

// HandleRoom returns how many tokens SaveChanges may add by renaming digests.
func (c *Run) HandleRoom() (tokens int) {
	if c.Policy.Archive == "" {
		return 0
	}
	for i := range c.Items {
		if c.points(&c.Items[i]) {
			tokens += handleSpread
		}
	}
	return tokens
}

// ReplaceFirst replaces the first occurrence of old in text with another string of the same length, and returns text.
func ReplaceFirst(text []byte, old, with string) []byte {
	if at := bytes.Index(text, []byte(old)); at >= 0 {
		copy(text[at:], with)
	}
	return text
}
