package core

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// replay applies an entry to a history that begins with the messages that the entry covers. The later messages may
// differ from those for which the entry was made. To these, edits are applied in order, each to the message that looks
// like the original of the edited message, or to none.
type replay struct {
	t      *transcript.Transcript // the history
	f      *wire.Format           // its format
	m      *memoryEntry
	prints []transcript.Fingerprint // the print of each message alone, computed on demand
	order  []int32                  // the messages sorted by their prints
	raws   []raw                    // the messages sorted by their bytes, computed on demand
	kept   critbit.Map[struct{}]    // the ids that edits would have given to calls of other branches
	keeps  bool                     // whether kept has entries
}

// raw is the fingerprint of a message's bytes, with the index of the message.
type raw struct {
	print string // as rawOf returns it
	at    int    // the index of the message
}

// toSend returns the messages to send, and separately those that are omitted after the
// covered ones.
func (p *replay) toSend() (list, dropped []sentMessage) {
	for _, e := range p.m.result {
		if e.text != nil && e.in >= 0 {
			e = p.edited(e, e.in)
		}
		list = append(list, e)
	}
	next := p.m.at.messages
	upTo := func(in int) {
		for ; next < in; next++ {
			list = append(list, sentMessage{in: next})
		}
	}
	shift := 0
	for _, e := range p.m.tail {
		was := e.in
		if was < 0 {
			was = e.before
		}
		in := p.find(&e, was+shift, next)
		if in < 0 {
			continue // if the original had to be dropped, repair drops it again where necessary
		}
		upTo(in)
		shift = in - was
		switch {
		case e.in < 0:
			e.before = in
			list = append(list, e)
		case e.drop:
			e.in = in
			dropped = append(dropped, e)
			next++
		default:
			e.in = in
			list = append(list, p.edited(e, in))
			next++
		}
	}
	upTo(p.t.Input)
	return list, dropped
}

// find returns the index of the message to which an edit applies, or -1: the message at the index at if it matches, or
// else the first one that looks like the original. It ignores messages before the index from.
func (p *replay) find(e *sentMessage, at, from int) int {
	switch {
	case e.role != "":
		return p.opening(e.role, from)
	case e.drop && e.looks.raw != "": // all messages with nothing but reasoning have the same print
		return p.findRaw(e.looks.raw, at, from)
	}
	first := p.m.at.messages
	print, ok := printOf(e.looks.print)
	after, _ := printOf(e.looks.after)
	fits := func(i int) bool {
		return i >= from && i < p.t.Input && p.print(i) == print &&
			(e.looks.after == "" || i > first && p.print(i-1) == after)
	}
	switch {
	case !ok:
		return -1
	case fits(at) && !p.isAnother(e, at):
		return at
	}
	for n, last := p.search(print, from), 0; n < len(p.order) && last < mostBranches; n, last = n+1, last+1 {
		switch i := int(p.order[n]); {
		case !fits(i):
			return -1
		case i != at && !p.isAnother(e, i):
			return i
		}
	}
	return -1
}

// mostBranches is the maximum number of messages that differ only in their ids and that find compares with an edit to
// find its original.
const mostBranches = 16

// isAnother reports whether an edit must not be applied to a message because the message belongs to another branch: it
// writes its calls differently, or its id differs from the original's. Applications may change ids with each request,
// so another id counts only for edits that change nothing but ids, such as the id of an item that lost its reasoning,
// or the repeated id of a call. Repair makes these edits again where necessary. If a call keeps its id, so does its
// result.
func (p *replay) isAnother(e *sentMessage, i int) bool {
	if e.in < 0 || e.text == nil {
		return false
	}
	now := p.t.AsGiven(p.t.Messages[i].Span)
	respelled := e.looks.calls != "" && e.looks.calls != spellingOf(p.t, i, i+1)
	another := respelled || p.hasOtherID(e, i, now)
	if !another && !p.keeps || rawOf(now) == e.looks.raw {
		return false
	}
	own := &transcript.Transcript{Src: []byte("[]"), Named: p.t.Named, Ordered: p.t.Ordered}
	m, ok := p.f.AddOne(own, e.text)
	if !ok || !respelled && own.ContentPrint(int(m)) != p.t.ContentPrint(i) {
		return respelled
	}
	for _, part := range own.PartsOf(int(m)) {
		id := own.Bytes(part.ID)
		switch {
		case part.ID.IsZero() || handles.IsCallID(p.t, int32(i), string(id)):
		case part.Kind == transcript.ToolResult:
			another = another || p.kept.Has(string(id))
		case part.Kind == transcript.ToolCall && another:
			p.kept.Add(string(id))
			p.keeps = true
		}
	}
	return another
}

// hasOtherID reports whether a message and the original of an edit both have an id, and whether these differ. Ids of
// tool calls are ignored.
func (p *replay) hasOtherID(e *sentMessage, i int, now []byte) bool {
	id, was := handles.IDOf(now), e.looks.id
	if was == "" {
		if edited := handles.IDOf(e.text); edited != "" {
			was = rawOf([]byte(edited))
		}
	}
	return id != "" && was != "" && rawOf([]byte(id)) != was && !handles.IsCallID(p.t, int32(i), id)
}

// findRaw returns the index, not less than from, of the message whose bytes have the given fingerprint. That is the
// message at index at or, if its bytes have another fingerprint, the first one that matches; -1 if there is none.
func (p *replay) findRaw(print string, at, from int) int {
	if at >= from && at < p.t.Input && p.rawOf(at) == print {
		return at
	}
	if p.raws == nil {
		for i := p.m.at.messages; i < p.t.Input; i++ {
			p.raws = append(p.raws, raw{p.rawOf(i), i})
		}
		sorting.Func(p.raws, compareRaws)
	}
	if n, _ := slices.BinarySearchFunc(p.raws, raw{print, from}, compareRaws); n < len(p.raws) && p.raws[n].print == print {
		return p.raws[n].at
	}
	return -1
}

func compareRaws(a, b raw) int { return cmp.Or(cmp.Compare(a.print, b.print), cmp.Compare(a.at, b.at)) }

func (p *replay) rawOf(i int) string { return rawOf(p.t.AsGiven(p.t.Messages[i].Span)) }

// opening returns the index of the first message after the covered ones that isn't a system message. It returns -1 if
// that message is before the index from or has another role than the given one.
func (p *replay) opening(role string, from int) int {
	i := p.m.at.messages
	for i < p.t.Input && p.t.Messages[i].Role == transcript.System {
		i++
	}
	if i < from || i >= p.t.Input || p.t.Messages[i].Role.String() != role {
		return -1
	}
	return i
}

// print returns the print of message i alone. Prints are computed on demand.
func (p *replay) print(i int) transcript.Fingerprint {
	if p.prints == nil {
		p.prints = make([]transcript.Fingerprint, p.t.Input)
	}
	if p.prints[i] == 0 {
		p.prints[i] = p.t.Print(i)
	}
	return p.prints[i]
}

// search returns the position in p.order of the first message with the given print whose index is at least from. If
// there is none, it returns where that message would be.
func (p *replay) search(print transcript.Fingerprint, from int) int {
	if p.order == nil {
		for i := range p.t.Input {
			p.print(i)
			p.order = append(p.order, int32(i))
		}
		sorting.Func(p.order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(p.prints[a], p.prints[b]), cmp.Compare(a, b))
		})
	}
	n, _ := slices.BinarySearchFunc(p.order, print, func(i int32, print transcript.Fingerprint) int {
		return cmp.Or(cmp.Compare(p.prints[i], print), cmp.Compare(i, int32(from)))
	})
	return n
}

// looks reports whether message i has the given print. An empty print matches every message.
func (p *replay) looks(i int, print string) bool {
	f, ok := printOf(print)
	return print == "" || ok && p.print(i) == f
}

// says reports whether any message after the index at has the given print. An empty print always matches.
func (p *replay) says(print string, at int) bool {
	f, ok := printOf(print)
	if print == "" || !ok {
		return print == ""
	}
	n := p.search(f, at+1)
	return n < len(p.order) && p.prints[p.order[n]] == f
}

// printOf parses a print in hexadecimal digits. ok is false if it is invalid.
func printOf(text string) (print transcript.Fingerprint, ok bool) {
	n, err := strconv.ParseUint(text, 16, 64)
	return transcript.Fingerprint(n), err == nil
}

// edited returns the edit for the message that is now at index in: the bytes that were sent the first time, unless
// the app has moved its cache breakpoints. If the edit belongs to another message, or depends on a message that is
// gone, the message stays unchanged.
func (p *replay) edited(e sentMessage, in int) sentMessage {
	if !p.looks(in, e.looks.print) || !p.says(e.looks.on, in) {
		return sentMessage{in: in}
	}
	now := p.t.AsGiven(p.t.Messages[in].Span)
	if e.looks.raw != "" && rawOf(now) != e.looks.raw {
		e.text = p.marked(unmarked(e.kept), now)
	}
	return e
}

// marked returns text, an edited message, with the last cache breakpoint of the message like added
// to it. If like has none, or text has no place for it, it returns text unchanged.
func (p *replay) marked(text, like []byte) []byte {
	marks := p.f.MarksOf(nil, like)
	if len(marks) == 0 {
		return text
	}
	at, mark, ok := p.f.CacheMarkPlace(text, marks[len(marks)-1])
	if !ok {
		return text
	}
	return slices.Concat(text[:at.Start], mark, text[at.End:])
}

// rawOf returns the fingerprint of a message's bytes.
func rawOf(message []byte) string {
	var f transcript.Fingerprint
	f.Add(message)
	return f.String()
}
