package sessionfile

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// ohSaver appends events to a session.
type ohSaver struct {
	*saver
	o      *openHands           // the file's reader
	parent string               // the id of the newest event, as JSON; "" in files from before events had parents
	newest string               // the id of the newest event, as JSON, in all files
	calls  critbit.Map[*ohCall] // the calls, by id
	first  bool                 // the next event is the first in its list
}

// ohCall holds what is known about a tool call.
type ohCall struct {
	action, result int32  // the indexes of its events in the view, or -1
	id             string // the id of its new event, as JSON
	name           string // the name of its tool, as JSON
	answered       bool   // it has a result among the messages
}

// save appends a condensation in OpenHands' own form: it forgets the events of removed messages,
// and its summary is the digest. All messages after the first changed one become new events after
// the condensation, because OpenHands drops the rest of a response if a part of it is forgotten. It
// fails if the conversation has no events.
func (o *openHands) save(s *saver) {
	if len(o.path) == 0 {
		s.refuse("the conversation has no events to go on from")
		return
	}
	w := &ohSaver{saver: s, o: o}
	last := &o.events[o.path[len(o.path)-1]]
	w.newest = string(find(o.src, last.at, "id").Slice(o.src))
	if last.linked || last.root || !o.leaf.IsZero() {
		w.parent = w.newest
	}
	if !o.list.IsZero() {
		s.kept, s.out = int(o.list.End)-1, nil
		w.first = len(o.events) == 0
	}
	w.know()
	stay, digest, end := w.plan()
	w.condense(stay, digest, end)
	for i := max(stay, digest+1); i < end; i++ {
		if s.from[i] >= 0 {
			w.again(i)
		} else {
			w.message(i)
		}
	}
	if !o.list.IsZero() {
		s.write(o.src[o.list.End-1:])
	} else if !o.leaf.IsZero() { // OpenHands continues from the event that its state names
		tail := s.out
		s.out = appendJSON(nil, nil, o.src[:o.leaf.Start], w.newest, o.src[o.leaf.End:s.kept], tail)
		s.kept = 0
	}
}

// know collects the information about the calls in the view and in the messages.
func (w *ohSaver) know() {
	for _, i := range w.o.view {
		if i < 0 || w.o.events[i].call == noID {
			continue
		}
		e := &w.o.events[i]
		c := w.known(textOf(w.src, e.at, "tool_call_id"))
		if e.kind == ohAction {
			c.action = i
		} else {
			c.result = i
		}
		c.name = string(find(w.src, e.at, "tool_name").Slice(w.src))
	}
	for i := range w.in.Messages {
		for _, call := range w.callsOf(i) {
			if name := stringAt(w.in.Src, call, "function.name"); !name.IsZero() {
				w.known(textOf(w.in.Src, call, "id")).name = string(name.Slice(w.in.Src))
			}
		}
		if w.role(i) == "tool" {
			w.known(w.answers(i)).answered = true
		}
	}
}

// known returns the entry for the call with the given id, which it adds if necessary.
func (w *ohSaver) known(id string) *ohCall {
	c := w.calls.At(id)
	if *c == nil {
		*c = &ohCall{action: -1, result: -1}
	}
	return *c
}

func (w *ohSaver) callsOf(i int) []jsonspan.Span {
	return items(w.in.Src, find(w.in.Src, w.in.Messages[i], "tool_calls"))
}

// answers returns the id of the call whose result is message i.
func (w *ohSaver) answers(i int) string {
	return textOf(w.in.Src, w.in.Messages[i], "tool_call_id")
}

// plan decides which messages keep their events: those before index stay, and those from index end on. The messages
// between them are written again, except for the one at index digest, which becomes the summary of the condensation;
// digest is -1 if there is none.
func (w *ohSaver) plan() (stay, digest, end int) {
	n := len(w.from)
	for stay < n && w.from[stay] >= 0 {
		stay++
	}
	end = stay + 1
	for end < n && w.from[end] >= 0 {
		end++
	}
	if digest = w.summary(stay); (digest >= 0 || stay == n) && end >= n && w.whole(stay, stay+1) == n {
		return stay, digest, min(stay+1, n)
	}
	for try := 0; stay > 0; try++ {
		left := w.whole(stay, n)
		if left == n {
			break
		}
		if stay = left; try == 2 {
			stay = 0
		}
	}
	return stay, w.summary(stay), n
}

// summary returns i if message i can become the summary of a condensation: it must be a new user message that
// contains only text. Otherwise summary returns -1.
func (w *ohSaver) summary(i int) int {
	if i < len(w.from) && w.from[i] < 0 {
		if role, text := w.roleText(i); role == "user" && text != "" {
			return i
		}
	}
	return -1
}

// stays calls visit for each view entry of the messages before index stay and of those from index end on, until a call
// returns false.
func (w *ohSaver) stays(stay, end int, visit func(i int, entry int32) bool) {
	for i, k := range w.from {
		if k < 0 || i >= stay && i < end {
			continue
		}
		for _, o := range w.recordsOf(k) {
			if !visit(i, o.record) {
				return
			}
		}
	}
}

// whole returns the index of the first message that keeps its events but of which OpenHands would
// drop a part. If there is none, it returns the number of messages. stay and end are those of
// stays.
func (w *ohSaver) whole(stay, end int) int {
	var entries []int32
	w.stays(stay, end, func(_ int, entry int32) bool { entries = append(entries, entry); return true })
	left := w.o.enforced(entries)
	first, n := len(w.from), 0
	w.stays(stay, end, func(i int, entry int32) bool {
		if n == len(left) || left[n] != entry {
			first = i
			return false
		}
		n++
		return true
	})
	return first
}

// condense writes the condensation, unless it would neither forget anything nor have a summary.
// digest is the index of the message with the summary, or -1 if there is none. stay and end are
// those of stays.
func (w *ohSaver) condense(stay, digest, end int) {
	keeps := make([]bool, 2*len(w.o.events))
	place := func(entry int32) int {
		if entry < 0 {
			return len(w.o.events) + int(ohSummaryOf(entry))
		}
		return int(entry)
	}
	offset := 0
	w.stays(stay, end, func(i int, entry int32) bool {
		keeps[place(entry)] = true
		if i < stay {
			offset++
		}
		return true
	})
	forgotten := slices.DeleteFunc(slices.Clone(w.o.raw), func(entry int32) bool { return keeps[place(entry)] })
	if len(forgotten) == 0 && digest < 0 {
		return
	}
	w.event("Condensation", "environment")
	w.write(`,"forgotten_event_ids":[`)
	for n, entry := range forgotten {
		w.writeComma(n)
		if entry >= 0 {
			w.write(find(w.src, w.o.events[entry].at, "id"))
		} else {
			w.write(quoted(w.textAt(find(w.src, w.o.events[ohSummaryOf(entry)].at, "id")) + "-summary"))
		}
	}
	w.write(`]`)
	if digest >= 0 {
		_, said := w.roleText(digest)
		w.write(`,"summary":`, quoted(said), `,"summary_offset":`, int64(offset))
	}
	w.write(`,"llm_response_id":`, w.newID())
	w.end()
}
