package core

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// fit says what to send for a whole history: an earlier compaction of its beginning that the host remembers replaces it, and the
// list is compacted where that is due.
func fit(r *request, dst []byte) []byte {
	if !r.need(operations.InMessages) {
		return dst
	}
	if r.history == nil {
		if r.resolve(); r.err == nil {
			r.recollect(jsonspan.New(r.src).At(r.members[operations.InMessages].Start), nil)
		}
	}
	if r.err != nil {
		return dst
	}
	p := api.Plan{Version: abi, Fit: true, Policy: api.Raw("{}"), Options: r.planned(), State: r.history.state}
	p.Messages = len(r.t.Messages)
	if p.Correction = r.correct(&p.State); !r.bounded(r.options.Force) {
		return dst
	}
	if m := r.members[operations.InPolicy]; !m.Zero() {
		p.Policy = api.Raw(m.Of(r.src))
	}
	return run(r, &p, dst)
}

// prints answers with the prints of the beginnings of a history, by which a host finds what it remembers of it.
func prints(r *request, dst []byte) []byte {
	if !r.need(operations.InMessages) {
		return dst
	}
	r.unweighed = true
	if r.resolve(); r.err == nil {
		r.readAt(r.members[operations.InMessages].Start)
	}
	if r.err != nil {
		return dst
	}
	a := api.Prints{Format: api.Format(r.format.Name)}
	if !r.t.Model.Zero() {
		a.Model = r.t.Text(r.t.Model)
	}
	for _, p := range r.t.Prints(0, 0) {
		a.Prints = append(a.Prints, p.String())
	}
	return appendJSON(dst, a.MarshalEasyJSON)
}

// history is what a fit knows of where the messages come from that it works on.
type history struct {
	known int // index of the entry that was used, or -1
	// For each message of the transcript that is compacted: where it is in the list that was given, and where in the whole history of the
	// app. Nil where it is at the same index.
	given, whole []place
	// Of the whole history, where an entry was used: how many messages it has, and its print.
	messages int
	print    transcript.Fingerprint
	entry    *memory
	state    api.State              // that belongs to the transcript
	fresh    *transcript.Transcript // where no entry was used: the history as it was read, for a compaction changes its records
}

// recollect reads the transcript of a fit at the scanner, which follows it afterwards: the history, or what was sent for its beginning and
// the rest of it. Before is the format that the conversation was in; nil where only what is remembered may tell.
func (r *request) recollect(s *jsonspan.Scanner, before *wire.Format) {
	h := &history{known: -1}
	r.history = h
	if r.remembered = r.memories(); r.err != nil {
		return
	}
	if before == nil {
		before = r.stateFormat()
	}
	start := s.Pos()
	// What is remembered is found by an unweighed reading.
	r.unweighed = slices.ContainsFunc(r.remembered, func(m memory) bool { return m.messages > 0 })
	if r.readBehind(s, before); r.err != nil {
		return
	}
	if r.unweighed {
		r.unweighed = false
		prints := r.t.Prints(0, 0)
		if n, goesOn := find(r.remembered, prints); n >= 0 && r.remembered[n].read(r.src) &&
			policy.Decode(r.remembered[n].state.Of(r.src), &h.state) == nil {
			h.known, h.entry = n, &r.remembered[n]
			if goesOn {
				h.goOn(h.entry, r.t)
				r.readFrom(start, before)
			} else {
				h.print = prints[len(prints)-1]
				r.join(h, h.entry)
			}
			if r.err == nil { // cache breakpoints may have moved in what was kept
				h.state.Messages, h.state.Fingerprint = h.entry.sentMessages, r.t.Fingerprint(h.entry.sentMessages)
			}
			return
		}
		h.state = api.State{}
		if r.readFrom(start, before); r.err != nil {
			return
		}
	}
	h.fresh = r.t.Clone()
}

// find is the index of the entry that represents most of a history, of which prints are given; -1 where none does. It also reports whether
// the history continues from what was sent.
func find(list []memory, prints []transcript.Fingerprint) (best int, goesOn bool) {
	best = -1
	is := func(n int, print string) bool { return n > 0 && n <= len(prints) && prints[n-1].String() == print }
	for i := range list {
		m := &list[i]
		if best >= 0 && m.messages < list[best].messages {
			continue
		}
		if sent := is(m.sentMessages, m.sent); sent || is(m.messages, m.print) {
			best, goesOn = i, sent
		}
	}
	return best, goesOn
}

// goOn makes the history one that follows a list t which continues from what was sent.
func (h *history) goOn(m *memory, t *transcript.Transcript) {
	h.whole = slices.Clone(m.result)
	for n := m.sentMessages; n < t.Input; n++ {
		h.whole = append(h.whole, place{in: m.messages + n - m.sentMessages})
	}
	h.messages = m.messages + t.Input - m.sentMessages
	before, _ := strconv.ParseUint(m.print, 16, 64) // a broken one is found by nobody
	h.print = transcript.Fingerprint(before)
	if prints := t.Prints(m.sentMessages, h.print); len(prints) > 0 {
		h.print = prints[len(prints)-1]
	}
}

// join puts what was sent in place of the first messages, in a source of its own. What it keeps of them is taken as it is now.
func (r *request) join(h *history, m *memory) {
	t := r.t
	size := t.Outer.Len() + 64
	for _, p := range m.result {
		size += len(p.text) + 1
	}
	src := append(make([]byte, 0, size), t.Src[t.Outer.Start:t.List.Start]...)
	src = append(src, '[')
	add := func(p place) {
		if len(h.given) > 0 {
			src = append(src, ',')
		}
		if h.given = append(h.given, p); p.text != nil {
			src = append(src, p.text...)
		} else {
			src = append(src, t.Bytes(t.Messages[p.in].Span)...)
		}
	}
	for _, p := range m.result {
		add(p)
	}
	for n := m.messages; n < t.Input; n++ {
		add(place{in: n})
	}
	src = append(append(src, ']'), t.Src[t.List.End:t.Outer.End]...)
	h.whole, h.messages = h.given, t.Input
	r.t = nil
	if r.read(jsonspan.New(src)); r.err != nil || len(r.t.Messages) != len(h.given) {
		// The history has been read, and so had what was sent: somebody has changed the entry since.
		r.err = &jsonspan.Error{Code: jsonspan.WrongType, Offset: int(r.members[operations.InMemory].Start),
			Message: "the entry " + strconv.Itoa(h.known) + " of memory holds what is no message of the format " + r.format.Name}
		return
	}
	if r.t.Outer == r.t.List { // what an answer of open sends next to its list is not in it
		r.t.System = t.System
	}
	r.ownPolicy(h)
}

// ownPolicy makes the policy one for a joined transcript: its bodies have no places in the request, and pins count the messages of
// the list that was given.
func (r *request) ownPolicy(h *history) {
	p := *r.policy
	if p.Archive != "" {
		p.Archive = "bodies"
	}
	p.Pins = slices.Clone(p.Pins)
	for i := range p.Pins {
		if at := p.Pins[i].Index; at != nil && *at >= 0 {
			n := slices.IndexFunc(h.given, func(g place) bool { return g.in == *at })
			if n < 0 {
				n = len(h.given) // it was folded
			}
			p.Pins[i].Index = &n
		}
	}
	r.policy = &p
}

// usage makes the message of a provider's count one of the transcript. It reports whether the count is of what was sent last.
func (h *history) usage(u *api.Usage) bool {
	if h == nil || h.given == nil {
		return true
	}
	if u.Message < 0 {
		u.Message += h.messages
	}
	if u.Message < h.entry.messages {
		return false
	}
	u.Message += h.entry.sentMessages - h.entry.messages
	return true
}

// finish makes the answer of a fit one about the list that was given, and adds what the host is to remember.
func (h *history) finish(r *request, c *compact.Run, a *api.Planned) {
	a.Known = &h.known
	if c.Report.Changed {
		a.Memory = h.remember(r, c)
	}
	if h.given == nil {
		return
	}
	at := func(message *int) {
		if *message >= 0 {
			*message = h.given[*message].in
		}
	}
	for i := range a.Report.Actions {
		at(&a.Report.Actions[i].Message)
	}
	for i := range a.Report.Decisions {
		at(&a.Report.Decisions[i].Message)
	}
	for i := range a.Archive {
		at(&a.Archive[i].Message)
	}
	if a.Report.Over != nil {
		for i := range a.Report.Over.Causes {
			at(&a.Report.Over.Causes[i].Message)
		}
	}
	if a.Report.CutPoint > 0 {
		at(&a.Report.CutPoint)
	}
}

// remember is what the host is to keep: what is sent for the whole history that there is by now.
func (h *history) remember(r *request, c *compact.Run) api.Raw {
	if h.whole == nil {
		prints := h.fresh.Prints(0, 0)
		h.messages, h.print = len(prints), prints[len(prints)-1]
	}
	t := r.again(c)
	if t.Input == 0 {
		return nil
	}
	sent := t.Prints(0, 0)
	m := api.MemoryEntry{Version: memoryVersion, Format: api.Format(r.format.Name), Messages: h.messages, Print: h.print.String(),
		SentMessages: len(sent), Sent: sent[len(sent)-1].String(), Edits: h.appendEdits(nil, c, h.whole, true), State: c.State}
	return appendJSON(nil, m.MarshalEasyJSON)
}

// appendEdits writes what happens to the messages at places, nil where they are where the transcript has them. To be remembered, they are
// written without cache breakpoints.
func (h *history) appendEdits(dst []byte, c *compact.Run, places []place, remembered bool) []byte {
	e := view.NewEdits(dst)
	c.Each(func(in int, marked bool, write func(dst []byte) []byte) {
		p := place{in: in}
		if places != nil && in >= 0 {
			p = places[in]
		}
		if p.text == nil && (write == nil || marked && remembered) {
			e.Keep(p.in)
			return
		}
		text := p.text
		if write != nil {
			text = write(nil)
		}
		if remembered {
			text = unmarked(text)
		}
		put := func(dst []byte) []byte { return append(dst, text...) }
		if p.in < 0 {
			e.Insert(put)
		} else {
			e.Set(p.in, put)
		}
	})
	return e.End()
}
