package sessionfile

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// ohSummaryOf converts the index of a condensation to the view entry for its summary, and such an entry to the index.
// Other entries are indexes of events, from 0 on, or -1 for none.
func ohSummaryOf(i int32) int32 { return -2 - i }

// sees computes the view of the path: the events that remain after the condensations, without those that providers
// would reject.
func (o *openHands) sees() {
	events, summaries := filled(o.numbers, -1), filled(o.numbers, -1) // the list entry with each id, or -1
	list := ohList{where: make([]*ohChunk, 2*len(o.events))}
	for _, i := range o.path {
		e := &o.events[i]
		switch {
		case e.kind.sent():
			list.insert(list.length, i)
			if e.id != noID {
				events[e.id] = i
			}
			continue
		case e.kind == ohCondensation:
			o.condensed(&list, i, events, summaries)
		}
		o.noteSkipped(api.SkipMeta, 1)
	}
	for c := list.first; c != nil; c = c.next {
		o.raw = append(o.raw, c.items...)
	}
	o.view = o.enforced(o.raw)
	o.noteSkipped(api.SkipFailed, len(o.raw)-len(o.view))
}

// condensed applies condensation i to the list. For each id, events and summaries hold the list entry, or -1.
func (o *openHands) condensed(list *ohList, i int32, events, summaries []int32) {
	e := &o.events[i]
	for _, id := range o.forgotten[e.first:e.end] {
		o.forget(list, &events[id])
		o.forget(list, &summaries[id])
	}
	if e.summary.IsZero() || e.offset < 0 {
		return
	}
	list.insert(e.offset, ohSummaryOf(i))
	if e.summaryID != noID {
		summaries[e.summaryID] = ohSummaryOf(i)
	}
}

// forget removes an entry from the list, unless it is -1.
func (o *openHands) forget(list *ohList, entry *int32) {
	if *entry != -1 {
		list.remove(*entry)
		*entry = -1
		o.noteSkipped(api.SkipCompacted, 1)
	}
}

// ohChunkSize is the maximum number of entries in a chunk of a list: about the square root of the number of events in a
// long session.
const ohChunkSize = 512

// ohList is a list whose lookups, removals and insertions stay fast as it grows. A file may have a condensation for
// each event.
type ohList struct {
	first, last *ohChunk   // nil if the list was never filled
	where       []*ohChunk // the chunk of each event, then of each condensation's summary
	length      int        // number of entries
}

type ohChunk struct {
	items []int32  // at most ohChunkSize entries
	next  *ohChunk // nil for the last one
}

func (l *ohList) of(entry int32) **ohChunk {
	if entry < 0 {
		return &l.where[len(l.where)/2+int(ohSummaryOf(entry))]
	}
	return &l.where[entry]
}

// insert inserts an entry at an index, or at the end if the list is shorter.
func (l *ohList) insert(at int, entry int32) {
	if l.first == nil {
		l.first = &ohChunk{}
		l.last = l.first
	}
	c := l.last
	if at >= l.length {
		at = len(c.items)
	} else {
		for c = l.first; at > len(c.items); c = c.next {
			at -= len(c.items)
		}
	}
	l.length++
	c.items = slices.Insert(c.items, at, entry)
	*l.of(entry) = c
	if len(c.items) < ohChunkSize {
		return
	}
	half := &ohChunk{items: slices.Clone(c.items[ohChunkSize/2:]), next: c.next}
	c.items, c.next = c.items[:ohChunkSize/2], half
	for _, e := range half.items {
		*l.of(e) = half
	}
	if l.last == c {
		l.last = half
	}
}

func (l *ohList) remove(entry int32) {
	c := *l.of(entry)
	at := slices.Index(c.items, entry)
	c.items = slices.Delete(c.items, at, at+1)
	l.length--
}

// enforced returns a view without the events that OpenHands drops when it loads one: second results of a call, calls
// without a result, results without a call, and the rest of a response or of a tool loop that lost a part. A call that
// OpenHands will run before the next request is treated as answered.
func (o *openHands) enforced(view []int32) (left []int32) {
	n := len(o.events)
	g := ohGroups{
		openHands: o, alive: make([]bool, n), nextOf: filled(n, -1), headOf: filled(o.numbers, -1),
		nextCall: filled(n, -1),
		headCall: filled(o.numbers, -1), calls: make([]int32, o.numbers), results: make([]int32, o.numbers),
		loopOf: filled(n, -1),
	}
	g.pending()
	g.calling(view)
	g.group()
	for _, i := range o.path {
		e := &o.events[i]
		switch {
		case !g.alive[i]:
			g.gone = append(g.gone, i)
		case e.kind == ohAction && (e.call == noID || g.results[e.call] == 0),
			e.kind.answers() && (e.call == noID || g.calls[e.call] == 0):
			g.take(i)
		}
	}
	for len(g.gone) > 0 {
		i := g.gone[len(g.gone)-1]
		g.gone = g.gone[:len(g.gone)-1]
		g.follow(i)
	}
	for _, i := range view {
		if i < 0 || g.alive[i] {
			left = append(left, i)
		}
	}
	return left
}

// ohGroups holds groups of events that depend on each other in a view: the calls of one response, calls and their
// results, and tool loops. The first two kinds are linked lists: the head arrays give a group's first event by id, and
// the next arrays the following event in the same group. A tool loop is a range of the path.
type ohGroups struct {
	*openHands
	alive              []bool   // which events are still in the view
	headOf, nextOf     []int32  // the calls of one response, on the whole path
	headCall, nextCall []int32  // the calls with one id and their results, in the view
	calls, results     []int32  // the number of calls and results that remain in the view, by id
	loopOf             []int32  // the tool loop of each event, or -1
	loops              []ohLoop // in the order of the path
	gone               []int32  // removed events whose groups have not been removed yet
}

// ohLoop is a tool loop, path[from:to].
type ohLoop struct{ from, to int }

// pending counts one result for each call that OpenHands will run when it resumes.
func (g *ohGroups) pending() {
	ran, failed := make([]bool, g.numbers), make([]bool, g.numbers)
	for k := len(g.path) - 1; k >= 0; k-- {
		switch e := &g.events[g.path[k]]; {
		case e.kind == ohAgentError && e.call != noID:
			failed[e.call] = true
		case e.kind.answers() && e.action != noID:
			ran[e.action] = true
		case e.kind == ohAction && e.executable && e.call != noID && !failed[e.call] && (e.id == noID || !ran[e.id]):
			g.results[e.call]++
		}
	}
}

// calling links the calls of a view to their results, and marks the events of the view as present, except for second
// results of a call.
func (g *ohGroups) calling(view []int32) {
	answered := make([]bool, g.numbers)
	for _, i := range view {
		if i < 0 {
			continue
		}
		e := &g.events[i]
		answers := e.kind.answers() && e.call != noID
		if answers && answered[e.call] {
			continue
		}
		g.alive[i] = true
		if !answers && (e.kind != ohAction || e.call == noID) {
			continue
		}
		g.nextCall[i], g.headCall[e.call] = g.headCall[e.call], i
		if answers {
			answered[e.call] = true
			g.results[e.call]++
		} else {
			g.calls[e.call]++
		}
	}
}

// group determines the events of each response and of each tool loop. A tool loop begins with a call that has thinking
// blocks, and ends before the next event that is neither a call nor a result.
func (g *ohGroups) group() {
	open := -1
	for k, i := range g.path {
		e := &g.events[i]
		if e.kind == ohAction && e.response != noID {
			g.nextOf[i], g.headOf[e.response] = g.headOf[e.response], i
		}
		switch {
		case e.kind == ohAction && e.thinks:
			open = len(g.loops)
			g.loops = append(g.loops, ohLoop{from: k})
		case e.kind != ohAction && !e.kind.answers():
			open = -1
		}
		if open >= 0 {
			g.loops[open].to, g.loopOf[i] = k+1, int32(open)
		}
	}
}

func (g *ohGroups) take(i int32) {
	if g.alive[i] {
		g.alive[i] = false
		g.gone = append(g.gone, i)
		if e := &g.events[i]; e.call != noID {
			if e.kind == ohAction {
				g.calls[e.call]--
			} else {
				g.results[e.call]--
			}
		}
	}
}

// follow removes the events that can't stay once event i is removed. It visits each group only once.
func (g *ohGroups) follow(i int32) {
	e := &g.events[i]
	if e.kind == ohAction && e.response != noID {
		for at := pop(g.headOf, e.response); at >= 0; at = g.nextOf[at] {
			g.take(at)
		}
	}
	if n := g.loopOf[i]; n >= 0 {
		loop := g.loops[n]
		g.loops[n].to = loop.from
		for _, at := range g.path[loop.from:loop.to] {
			g.take(at)
		}
	}
	if e.call != noID && (e.kind == ohAction || e.kind.answers()) && (g.calls[e.call] == 0 || g.results[e.call] == 0) {
		g.takeCall(e.call)
	}
}

// takeCall removes those calls without a result, and those results without a call, that have the given id.
func (g *ohGroups) takeCall(id int32) {
	for at := pop(g.headCall, id); at >= 0; at = g.nextCall[at] {
		if g.events[at].kind == ohAction && g.results[id] == 0 || g.events[at].kind.answers() && g.calls[id] == 0 {
			g.take(at)
		}
	}
}

// pop returns the head of the chain with the given id, and empties the chain.
func pop(heads []int32, id int32) int32 {
	at := heads[id]
	heads[id] = -1
	return at
}
