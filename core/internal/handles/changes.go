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

// A marker shows where a single body was. Some content is removed without a marker, because a marker would cost the
// model tokens for nothing: reasoning, what a repair drops or rewrites, and folds whose digests follow a published
// system and name no handle. Therefore each compaction archives one more body, its changes, which describe how to
// rebuild the input from the result. The state names the newest changes, and each changes body names the previous one.
// For hosts that have lost the state, the body of a fold names the changes as well.
//
// The body is a JSON list of two kinds of elements: input messages that exist nowhere else, byte for byte, and strings
// that describe what comes between them. Indexes refer to the messages of the result. Ranges are half-open.
const (
	changesHeader = "changes 1" // the first string; 1 is the version
	changesBefore = "before"    // HANDLE: the handle of the previous compaction's changes
	changesSent   = "sent"      // N: the number of messages in the result
	changesGone   = "gone"      // INDEX PRINT: the result message at INDEX is not from the input; PRINT is its print
	changesKeep   = "keep"      // FROM TO [PRINT]: these result messages are from the input; PRINT is the print of the first, if a message before it was dropped
	changesPut    = "put"       // INDEX HANDLE …: this result message is an input message once these bodies are restored in it
	changesWas    = "was"       // INDEX: the next input message became this result message; only if the order alone doesn't tell
	changesLast   = "last"      // PRINT: the print of the last result message, if that is from the input and messages after it were dropped
	changesTwice  = "twice"     // N: before the next keep, messages that look like the dropped ones appear N times in a row
	changesFold   = "fold"      // INDEX FROM TO: messages FROM to TO of the body whose handle the message at INDEX names
	changesSpace  = "space"     // N TEXT: the text before each of the next N input messages, if it is more than a comma or a bracket
	changesEnd    = "end"       // TEXT: the text after the last input message, if it is more than a bracket
)

// whence is the place in which a restoration finds an input message.
type whence struct {
	op    string // one of the constants above; "" if the changes contain the message itself
	index int    // index of the result message
	from  int    // index among the messages of a fold's body
}

// SaveChanges archives the changes, from which the input can be rebuilt. It must be called last, when neither the
// document nor the archive will change any more.
func (a *Archive) SaveChanges() {
	if a.mode == "" || !a.doc.IsChanged() {
		return
	}
	s := changesWriter{a: a, list: []element{{text: quoted(changesHeader)}}, first: -1}
	s.origins, s.used = a.origins()
	s.became = a.became(s.used)
	if a.before != "" {
		s.write(changesBefore, a.before)
	}
	s.write(changesSent, strconv.Itoa(len(a.doc.Items)))
	for i := range a.doc.Items {
		if !s.used[i] {
			s.write(changesGone, strconv.Itoa(i), a.printOf(i))
		}
	}
	s.space()
	for m := 0; m < len(s.origins); {
		m = s.messages(m)
	}
	if last := len(s.used) - 1; last >= 0 && s.lastPrinted(last) {
		s.write(changesLast, a.printOf(last))
	}
	b := &Taken{Body: api.Body{What: api.BodyChanges, Message: s.first, Tokens: s.tokens}, msg: -1, list: s.list}
	b.name(a.doc.T)
	a.taken = append(a.taken, *b)
	a.changes = b.Handle
	a.pointFolds()
}

// changesWriter builds the body of a compaction's changes.
type changesWriter struct {
	a       *Archive  // has the document and the bodies that were removed
	origins []whence  // the source of each input message
	used    []bool    // for each result message, whether it is the source of an input message
	list    []element // the elements of the body so far
	tokens  int       // the size of the messages in the body
	first   int       // the index of the first message in the body, or -1

	became  []int   // for each input message, the result message that replaces it without containing it, or -1
	stretch stretch // the current range of messages that exist only in the changes
}

// stretch is a range of consecutive input messages that exist only in the changes.
type stretch struct {
	end          int  // the index of the input message after the range
	from         int  // the index of the result message at which the replacement of the range begins
	replacements int  // number of consecutive result messages from there that are not from the input, without inserted turns
	unclear      bool // whether the body must name the result message that each input message became
}

// write appends a string to the body, which consists of words separated by spaces.
func (s *changesWriter) write(words ...string) {
	s.list = append(s.list, element{text: quoted(strings.Join(words, " "))})
}

// lastPrinted reports whether the body should include the print of the last result message, whose index is last. This
// is so if the message is from the input and a message after it was dropped. It is not so for a digest, which gets the
// handle of its body later, so that its print would no longer match.
func (s *changesWriter) lastPrinted(last int) bool {
	return s.used[last] && s.origins[len(s.origins)-1].op == "" && !s.a.namesBody(&s.a.doc.Items[last]) &&
		s.a.readAsGiven(last)
}

// messages appends the source of input message m, and of the messages after it that have the same source. It returns
// the index of the next message.
func (s *changesWriter) messages(m int) int {
	o, end := s.origins[m], m+1
	alike := func(next func(n int) whence) {
		for end < len(s.origins) && s.origins[end] == next(end-m) {
			end++
		}
	}
	switch o.op {
	case "":
		if i := s.became[m]; s.unclear(m) && i >= 0 {
			s.write(changesWas, strconv.Itoa(i))
		}
		s.list = append(s.list, element{in: int32(m)})
		s.tokens += s.a.doc.P.Message(s.a.doc.T, m)
		if s.first < 0 {
			s.first = m
		}
		s.endFold(m)
	case changesPut:
		s.write(append([]string{o.op, strconv.Itoa(o.index)}, s.a.handlesOf(int32(m))...)...)
	case changesKeep:
		alike(func(n int) whence { return whence{o.op, o.index + n, 0} })
		words := []string{o.op, strconv.Itoa(o.index), strconv.Itoa(o.index + end - m)}
		if m > 0 && s.origins[m-1].op == "" && s.follows(o.index) && s.a.readAsGiven(o.index) {
			words = append(words, s.a.printOf(o.index))
			if n := s.repeats(m, o.index); n > 0 {
				s.write(changesTwice, strconv.Itoa(n))
			}
		}
		s.write(words...)
	case changesFold:
		alike(func(n int) whence { return whence{o.op, o.index, o.from + n} })
		s.write(o.op, strconv.Itoa(o.index), strconv.Itoa(o.from), strconv.Itoa(o.from+end-m))
	}
	return end
}

// endFold appends an empty range of a fold after message m if a repair rewrote the last folded message and m is the
// last of the input messages that it was made from. These messages are in the changes rather than in the body of the
// fold. The empty range says that the fold ends after them, whatever happens to the next message.
func (s *changesWriter) endFold(m int) {
	if m+1 < len(s.origins) && s.origins[m+1].op == "" && s.became[m+1] < 0 {
		return
	}
	from := m
	for ; from >= 0 && s.origins[from].op == ""; from-- {
		if s.became[from] >= 0 { // this message was not folded, so m was not folded either
			return
		}
	}
	if from < 0 || s.origins[from].op != changesFold {
		return
	}
	o := s.origins[from]
	if s.a.taken[s.a.doc.Items[o.index].Body-1].rewritten {
		s.write(changesFold, strconv.Itoa(o.index), strconv.Itoa(o.from+1), strconv.Itoa(o.from+1))
	}
}

// maxRepeated is the maximum number of result messages that are compared with dropped ones.
const maxRepeated = 64

// repeats returns how many times in a row the messages before the result message at index look like those that were
// dropped before input message m, as after a result that occurred twice. It looks back by at most maxRepeated messages.
// Without this number, a restoration couldn't know whether the dropped messages have already been put back.
func (s *changesWriter) repeats(m, index int) (times int) {
	from := m
	for from > 0 && s.origins[from-1].op == "" {
		from--
	}
	n := m - from
	for at := index - n; at >= max(0, index-maxRepeated); at -= n {
		for k := range n {
			if !s.a.looksLike(from+k, at+k) {
				return times
			}
		}
		times++
	}
	return times
}

// unclear reports whether message m belongs to a stretch that was replaced by a different number of messages, so that the
// order doesn't show which message became which.
func (s *changesWriter) unclear(m int) bool {
	if m < s.stretch.end {
		return s.stretch.unclear
	}
	end, from := m, 0
	for end < len(s.origins) && s.origins[end].op == "" {
		end++
	}
	if m > 0 {
		from = s.origins[m-1].index + 1
	}
	if m == 0 || from != s.stretch.from {
		s.stretch.from, s.stretch.replacements = from, 0
		for i := from; i < len(s.used) && !s.used[i]; i++ {
			if !authorship.IsTurn(s.a.doc.T, s.a.doc.Items[i].Msg) {
				s.stretch.replacements++
			}
		}
	}
	s.stretch.end, s.stretch.unclear = end, s.stretch.replacements > 1 && s.stretch.replacements != end-m
	return s.stretch.unclear
}

// follows reports whether the result message at index is the first message, or directly follows a message from the
// input. Inserted turns are ignored.
func (s *changesWriter) follows(index int) bool {
	for index--; index >= 0 && !s.used[index]; index-- {
		if !authorship.IsTurn(s.a.doc.T, s.a.doc.Items[index].Msg) {
			return false
		}
	}
	return true
}

// space appends the text between the input messages, which is needed to restore the input byte for byte.
func (s *changesWriter) space() {
	a := s.a
	at, plain := a.doc.T.List.Start, true
	space := make([]string, a.doc.Rest)
	for m := range space {
		span := a.doc.T.Messages[m].Span
		space[m] = string(a.doc.T.AsGiven(transcript.Span{Start: at, End: span.Start}))
		at, plain = span.End, plain && len(space[m]) == 1
	}
	end := string(a.doc.T.AsGiven(transcript.Span{Start: at, End: a.doc.T.List.End}))
	if a.doc.Rest < a.doc.T.Input { // messages that were added after the plan stay, and so does the text after them
		end = "]"
	}
	for m, n := 0, 0; m < len(space) && !plain; m += n {
		for n = 1; m+n < len(space) && space[m+n] == space[m]; n++ {
		}
		s.write(changesSpace, strconv.Itoa(n), space[m])
	}
	if end != "]" {
		s.write(changesEnd, end)
	}
}

// quoted returns text as a JSON string.
func quoted(text string) string { return string(jsonspan.AppendString(nil, text)) }

// origins returns the source of each input message and, for each result message, whether it is such a source. A message
// without a source in the result has the zero whence.
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

// became returns, for each input message, the index of the result message that was made from it
// without being its source, or -1. used says of each result message whether it is the source of an
// input message.
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

// namesBody reports whether an item contains the handle of the body that it replaces. Digests in the style of published
// systems don't.
func (a *Archive) namesBody(it *view.Item) bool {
	return it.Body > 0 && a.authors.IsOwn(it.Msg) && listHandle(a.doc.T, it.Msg) == a.taken[it.Body-1].Handle[:Short]
}

// marked reports whether an item differs from its input message only in bodies that markers have replaced. Restoring
// these bodies then restores the message.
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

// inBody reports whether a part that belongs to a tool result lies inside the result's body. Media in Gemini's function
// responses lie outside it and leave no marker.
func (a *Archive) inBody(p *transcript.Part) bool {
	body := a.doc.Original(p.Parent)
	return p.Span.Start >= body.Start && p.Span.End <= body.End
}

// copied reports whether span is the body of a copy of that part of message m whose body is given, and has the same
// bytes.
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

// bodiesOf returns the bodies that were archived individually from a message, in order of removal.
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

// handlesOf returns the short handles of the bodies that bodiesOf lists.
func (a *Archive) handlesOf(m int32) (handles []string) {
	for _, b := range a.bodiesOf(m) {
		handles = append(handles, b.Handle[:Short])
	}
	return handles
}

// printOf returns the print of the result message at index item, which is a hash of its role and its parts. It ignores
// white space between the parts.
func (a *Archive) printOf(item int) string {
	it := &a.doc.Items[item]
	m := it.Msg
	if it.Dirty { // in the form in which a restoration will read it
		if again, ok := a.doc.F.AddOne(a.doc.T, a.doc.AppendFinal(nil, it)); ok {
			m = again
		}
	}
	return a.doc.RequestLook(m)
}

// looksLike reports whether an input message, in its original form, has the print of the result message at index item.
func (a *Archive) looksLike(in, item int) bool {
	t, m := a.doc.T, a.doc.Items[item].Msg
	given, now := t.Messages[in], t.Messages[m]
	if given.Role != now.Role || given.Count != now.Count || given.Count > 0 && t.Parts[given.First].Body.Len() != t.Parts[now.First].Body.Len() {
		return false
	}
	again, ok := a.doc.F.AddOne(t, t.Bytes(given.Span))
	return ok && a.doc.RequestLook(again) == a.printOf(item)
}

// readAsGiven reports whether an item's message was parsed without redactions. Nothing from a redacted message may be
// archived, not even its print.
func (a *Archive) readAsGiven(item int) bool {
	t := a.doc.T
	span := t.Messages[a.doc.Items[item].Msg].Span
	return t.Origin == nil || bytes.Equal(t.Bytes(span), t.AsGiven(span))
}

// pointFolds adds the handle of the changes to the bodies of folds, and puts the resulting new handles of these bodies
// into their digests. A host that has lost the state can then find the changes through the digest.
func (a *Archive) pointFolds() {
	for i := range a.doc.Items {
		if !a.points(&a.doc.Items[i]) {
			continue
		}
		b := &a.taken[a.doc.Items[i].Body-1]
		old := b.Handle[:Short]
		b.list = append(slices.Clip(b.list), element{text: quoted(a.changes)})
		b.name(a.doc.T)
		// All occurrences: some formats contain the text of a message twice.
		a.doc.Replace(i, bytes.ReplaceAll(a.doc.AppendMessage(nil, &a.doc.Items[i]), []byte(old),
			[]byte(b.Handle[:Short])))
	}
}

// points reports whether an item is a digest whose body gets the handle of the changes. It returns false for lines that
// replace turns and for counts of dropped messages. There may be many of these, and their bodies stay unchanged.
func (a *Archive) points(it *view.Item) bool {
	if !a.namesBody(it) {
		return false
	}
	handle, _ := FoldHandleOf(a.doc.T.Text(a.doc.T.FirstText(int(it.Msg))))
	return handle != ""
}

// handleSpread is the approximate maximum difference between the token estimates of two handles.
const handleSpread = 8

// HandleRoom returns the maximum number of tokens that SaveChanges can add by replacing handles in digests. It is 0
// without an archive.
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

// ReplaceFirst overwrites the first occurrence of old in text, in place, with a string of the same length. It returns
// text.
func ReplaceFirst(text []byte, old, with string) []byte {
	if at := bytes.Index(text, []byte(old)); at >= 0 {
		copy(text[at:], with)
	}
	return text
}
