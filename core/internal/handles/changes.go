package handles

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// A marker shows where one body was. Content that a compaction removes without a trace (reasoning, what a repair drops
// or rewrites, folds of published systems that name no handle) has no marker, which would cost the model tokens for
// nothing. So each compaction archives one more body, its changes, which describe how to rebuild its input from its
// result. The state names the newest changes, and each changes body names the previous one. The body of a fold does
// too, for hosts that have lost the state.
//
// The body is a list: input messages that exist nowhere else, byte for byte, and strings that describe what comes
// between them. Indexes are those of the result's messages. Ranges are half-open.
const (
	changesHeader = "changes 1" // the first string; 1 is the version
	changesBefore = "before"    // HANDLE: the changes of the previous compaction
	changesSent   = "sent"      // N: the number of messages in the result
	changesGone   = "gone"      // INDEX PRINT: this message is not from the input, and has this print
	changesKeep   = "keep"      // FROM TO [PRINT]: these messages are from the input; PRINT is that of the first one, if something before it was dropped
	changesPut    = "put"       // INDEX HANDLE …: this message is from the input once these bodies are restored in it
	changesWas    = "was"       // INDEX: the next message became this one, for messages whose number has changed
	changesLast   = "last"      // PRINT: the print of the result's last message, if it is from the input and something after it was dropped
	changesFold   = "fold"      // INDEX FROM TO: messages of the body whose handle this message names
	changesSpace  = "space"     // N TEXT: what precedes each of the next N messages, if it is not just a comma or a bracket
	changesEnd    = "end"       // TEXT: what follows the last one
)

// whence describes the source of an input message.
type whence struct {
	op    string // one of the constants above; "" for the bytes of the message itself
	index int    // of the result
	from  int    // of a fold's messages
}

// SaveChanges archives the changes, which rebuild the input from the result. It is called when nothing else will
// change.
func (a *Archive) SaveChanges() {
	if a.mode == "" || !a.doc.Changed() {
		return
	}
	s := saying{a: a, list: []element{{text: quoted(changesHeader)}}, first: -1}
	s.origins, s.used = a.origins()
	s.became = a.became(s.used)
	if a.before != "" {
		s.say(changesBefore, a.before)
	}
	s.say(changesSent, strconv.Itoa(len(a.doc.Items)))
	for i := range a.doc.Items {
		if !s.used[i] {
			s.say(changesGone, strconv.Itoa(i), a.printOf(i))
		}
	}
	s.space()
	for m := 0; m < len(s.origins); {
		m = s.messages(m)
	}
	if last := len(s.used) - 1; last >= 0 && s.lastPrinted(last) {
		s.say(changesLast, a.printOf(last))
	}
	b := &Taken{Body: api.Body{What: api.BodyChanges, Message: s.first, Tokens: s.tokens}, msg: -1, list: s.list}
	b.name(a.doc.T)
	a.taken = append(a.taken, *b)
	a.changes = b.Handle
	a.pointFolds()
}

// saying is a changes body that is being written.
type saying struct {
	a       *Archive
	origins []whence // by input message
	used    []bool   // by result message: whether origins names it
	list    []element
	tokens  int // of the messages in the body
	first   int // index of the first of them, or -1

	became []int // by input message: the result message that it became, or -1
	run    run
}

// run is a range of consecutive input messages that exist nowhere else.
type run struct {
	end     int  // the input message after the last one
	from    int  // the result message after what precedes the run
	gone    int  // how many result messages from there on are not from the input, without turns
	unclear bool // whether the body has to say which one became which
}

// say adds a string made of words.
func (s *saying) say(words ...string) {
	s.list = append(s.list, element{text: quoted(strings.Join(words, " "))})
}

// lastPrinted reports whether the body says how the last message of the result looks: a message after it was dropped, and it is from the
// input. A digest gets the handle of its body later, so its print would not be found.
func (s *saying) lastPrinted(last int) bool {
	return s.used[last] && s.origins[len(s.origins)-1].op == "" && !s.a.namesBody(&s.a.doc.Items[last]) && s.a.readAsGiven(last)
}

// messages adds the source of input message m, and of the following ones with the same source. It returns the next
// message.
func (s *saying) messages(m int) int {
	o, end := s.origins[m], m+1
	alike := func(next func(n int) whence) {
		for end < len(s.origins) && s.origins[end] == next(end-m) {
			end++
		}
	}
	switch o.op {
	case "":
		if i := s.became[m]; s.unclear(m) && i >= 0 {
			s.say(changesWas, strconv.Itoa(i))
		}
		s.list = append(s.list, element{in: int32(m)})
		s.tokens += s.a.doc.P.Message(s.a.doc.T, m)
		if s.first < 0 {
			s.first = m
		}
	case changesPut:
		s.say(append([]string{o.op, strconv.Itoa(o.index)}, s.a.handlesOf(int32(m))...)...)
	case changesKeep:
		alike(func(n int) whence { return whence{o.op, o.index + n, 0} })
		words := []string{o.op, strconv.Itoa(o.index), strconv.Itoa(o.index + end - m)}
		if m > 0 && s.origins[m-1].op == "" && s.follows(o.index) && s.a.readAsGiven(o.index) {
			words = append(words, s.a.printOf(o.index))
		}
		s.say(words...)
	case changesFold:
		alike(func(n int) whence { return whence{o.op, o.index, o.from + n} })
		s.say(o.op, strconv.Itoa(o.index), strconv.Itoa(o.from), strconv.Itoa(o.from+end-m))
	}
	return end
}

// unclear reports whether message m belongs to a run that is replaced with more or fewer messages, so that order
// doesn't show which one became which.
func (s *saying) unclear(m int) bool {
	if m < s.run.end {
		return s.run.unclear
	}
	end, from := m, 0
	for end < len(s.origins) && s.origins[end].op == "" {
		end++
	}
	if m > 0 {
		from = s.origins[m-1].index + 1
	}
	if m == 0 || from != s.run.from {
		s.run.from, s.run.gone = from, 0
		for i := from; i < len(s.used) && !s.used[i]; i++ {
			if !authorship.IsTurn(s.a.doc.T, s.a.doc.Items[i].Msg) {
				s.run.gone++
			}
		}
	}
	s.run.end, s.run.unclear = end, s.run.gone > 1 && s.run.gone != end-m
	return s.run.unclear
}

// follows reports whether a result message follows a message from the input, apart from turns, or is the first one.
func (s *saying) follows(index int) bool {
	for index--; index >= 0 && !s.used[index]; index-- {
		if !authorship.IsTurn(s.a.doc.T, s.a.doc.Items[index].Msg) {
			return false
		}
	}
	return true
}

// space adds the text between the input messages, so that a file can be restored byte for byte.
func (s *saying) space() {
	a := s.a
	at, plain := a.doc.T.List.Start, true
	space := make([]string, a.doc.Rest)
	for m := range space {
		span := a.doc.T.Messages[m].Span
		space[m] = string(a.doc.T.AsGiven(transcript.Span{Start: at, End: span.Start}))
		at, plain = span.End, plain && len(space[m]) == 1
	}
	end := string(a.doc.T.AsGiven(transcript.Span{Start: at, End: a.doc.T.List.End}))
	if a.doc.Rest < a.doc.T.Input { // messages after the plan stay, with what follows them
		end = "]"
	}
	for m, n := 0, 0; m < len(space) && !plain; m += n {
		for n = 1; m+n < len(space) && space[m+n] == space[m]; n++ {
		}
		s.say(changesSpace, strconv.Itoa(n), space[m])
	}
	if end != "]" {
		s.say(changesEnd, end)
	}
}

func quoted(text string) string { return string(jsonspan.AppendString(nil, text)) }

// origins returns the source of each input message, and for each result message whether a source names it.
func (a *Archive) origins() (of []whence, used []bool) {
	of, used = make([]whence, a.doc.Rest), make([]bool, len(a.doc.Items))
	for i := range a.doc.Items {
		it := &a.doc.Items[i]
		if it.In < 0 || int(it.In) >= a.doc.Rest || of[it.In].op != "" {
			continue
		}
		switch {
		case !it.Dirty:
			of[it.In] = whence{op: changesKeep, index: i}
		case a.marked(it):
			of[it.In] = whence{op: changesPut, index: i}
		}
	}
	for i := range a.doc.Items {
		if !a.namesBody(&a.doc.Items[i]) {
			continue
		}
		n := 0
		for _, e := range a.taken[a.doc.Items[i].Body-1].list {
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

// became returns for each input message the result message that was made from it and isn't named as its source, or -1.
func (a *Archive) became(used []bool) []int {
	became := make([]int, a.doc.Rest)
	for m := range became {
		became[m] = -1
	}
	for i := range a.doc.Items {
		if it := &a.doc.Items[i]; !used[i] && it.In >= 0 && int(it.In) < a.doc.Rest {
			became[it.In] = i
		}
	}
	return became
}

// namesBody reports whether an item names the body that it replaces; digests of published systems don't.
func (a *Archive) namesBody(it *view.Item) bool {
	return it.Body > 0 && a.authors.IsOwn(it.Msg) && listHandle(a.doc.T, it.Msg) == a.taken[it.Body-1].Handle[:Short]
}

// marked reports whether the only changes of an item are bodies that have markers, so that restoring them restores the input.
func (a *Archive) marked(it *view.Item) bool {
	if it.Msg != it.In || it.Rest {
		return false
	}
	bodies := a.bodiesOf(it.Msg)
	for _, e := range a.doc.EditsOf(it.Msg) {
		if !slices.ContainsFunc(bodies, func(b *Taken) bool { return b.part == e.Old || a.copied(it.Msg, e.Old, b.part) }) {
			return false
		}
	}
	for _, p := range a.doc.T.PartsOf(int(it.Msg)) {
		if p.Has(transcript.Removed) && (p.Parent < 0 || !a.doc.T.Parts[p.Parent].Has(transcript.Edited) || !a.inBody(&p)) {
			return false
		}
	}
	return len(bodies) > 0
}

// inBody reports whether a part of a tool result is inside the result's body. Media of Gemini's responses are outside it, and have no
// marker.
func (a *Archive) inBody(p *transcript.Part) bool {
	body := a.doc.Original(p.Parent)
	return p.Span.Start >= body.Start && p.Span.End <= body.End
}

// copied reports whether a span of a message is the body of a copy of the part with this body, and identical.
func (a *Archive) copied(m int32, span, body transcript.Span) bool {
	msg := &a.doc.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		if a.doc.T.Parts[n].Copy == 0 || a.doc.Original(n) != body {
			continue
		}
		for k := a.doc.T.Parts[n].Copy; k > 0; k = a.doc.T.Parts[k-1].Copy {
			if a.doc.T.Parts[k-1].Body == span {
				return bytes.Equal(a.doc.T.Bytes(span), a.doc.T.Bytes(body))
			}
		}
	}
	return false
}

// bodiesOf returns the bodies that were taken from a message individually, in order.
func (a *Archive) bodiesOf(m int32) (bodies []*Taken) {
	if a.single == nil {
		a.single = make([]int32, 0, len(a.taken))
		for i := range a.taken {
			if b := &a.taken[i]; b.msg >= 0 && !b.void {
				a.single = append(a.single, int32(i))
			}
		}
		sorting.Stable(a.single, func(i, j int32) int { return int(a.taken[i].msg - a.taken[j].msg) })
	}
	at, _ := slices.BinarySearchFunc(a.single, m, func(i, m int32) int { return int(a.taken[i].msg - m) })
	for ; at < len(a.single) && a.taken[a.single[at]].msg == m; at++ {
		bodies = append(bodies, &a.taken[a.single[at]])
	}
	return bodies
}

func (a *Archive) handlesOf(m int32) (handles []string) {
	for _, b := range a.bodiesOf(m) {
		handles = append(handles, b.Handle[:Short])
	}
	return handles
}

// printOf returns the print of a result message: its role and its parts, ignoring white space between them.
func (a *Archive) printOf(item int) string {
	it := &a.doc.Items[item]
	m := it.Msg
	if it.Dirty { // as it will be read
		if again, ok := a.doc.F.AddOne(a.doc.T, a.doc.AppendFinal(nil, it)); ok {
			m = again
		}
	}
	return a.doc.Look(m)
}

// readAsGiven reports whether the message of an item was read unredacted. Nothing of a message with a redacted text is
// archived, not even its print.
func (a *Archive) readAsGiven(item int) bool {
	t := a.doc.T
	span := t.Messages[a.doc.Items[item].Msg].Span
	return t.Origin == nil || bytes.Equal(t.Bytes(span), t.AsGiven(span))
}

// pointFolds makes the bodies of folds name the changes, and the digests name the resulting bodies, so that a host that has lost the state
// finds the changes through the digest.
func (a *Archive) pointFolds() {
	for i := range a.doc.Items {
		if !a.points(&a.doc.Items[i]) {
			continue
		}
		b := &a.taken[a.doc.Items[i].Body-1]
		old := b.Handle[:Short]
		b.list = append(slices.Clip(b.list), element{text: quoted(a.changes)})
		b.name(a.doc.T)
		// A message may contain its text twice.
		a.doc.Replace(i, bytes.ReplaceAll(a.doc.AppendMessage(nil, &a.doc.Items[i]), []byte(old), []byte(b.Handle[:Short])))
	}
}

// points reports whether an item is a digest whose body names the changes. Lines of turns and counts of dropped messages don't: there may
// be many of them, and their bodies stay as they are.
func (a *Archive) points(it *view.Item) bool {
	if !a.namesBody(it) {
		return false
	}
	handle, _ := FoldHandleOf(a.doc.T.Text(a.doc.T.FirstText(int(it.Msg))))
	return handle != ""
}

// handleSpread is roughly the largest difference between the estimates of two handles, in tokens.
const handleSpread = 8

// HandleRoom returns how many tokens SaveChanges may add by renaming digests.
func (a *Archive) HandleRoom() (tokens int) {
	if a.mode == "" {
		return 0
	}
	for i := range a.doc.Items {
		if a.points(&a.doc.Items[i]) {
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
