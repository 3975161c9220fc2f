package core

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// history records where the messages of a fit come from.
type history struct {
	known int // index of the applied entry, or -1
	// The number of messages of the given list that the entry replaced; 0 if the list continues from what was sent.
	replaced int
	// For each message of the compacted transcript: its place in the given list, and its place in the app's whole
	// history. Nil if the indexes are the same.
	given, whole []sentMessage
	dropped      []sentMessage // messages of the whole history that are omitted
	// The number of messages in the whole history, or 0 if it is unknown.
	messages int
	entry    *memoryEntry
	since    int                      // index of the first message that was added after the entry was made
	prints   []transcript.Fingerprint // fingerprints of the prefixes with at least from+1 messages
	from     int
	// Fingerprints of all prefixes without the text of the first message; nil if they are unknown.
	later    []transcript.Fingerprint
	changing bool // whether the text of the first message has changed since an earlier request
	// Whether the applied entry was passed over at first, so that a provider's count belongs to another list.
	switched bool
	// The original input, if an entry was passed over that was made for another text of the first message and that
	// replaces more messages or is newer; otherwise nil.
	others *source
	before []point                // shorter beginnings with known prints
	bodies []api.Body             // the texts of the first message that were cut, as the entry specifies
	state  api.State              // the state with which the fit begins
	source *transcript.Transcript // the given list, as read
}

// recollect reads the transcript of a fit at the scanner: the history itself, or the messages that were sent for its
// beginning, followed by the later ones. Afterwards the scanner is after the transcript. before is the earlier format
// of the conversation; nil if only the memory can determine the format.
func (r *request) recollect(s *jsonspan.Scanner, before *wire.Format) {
	remembered := r.memoryEntries()
	if r.err != nil {
		return
	}
	in := *r.source
	in.remembered = remembered
	r.source = &in
	if before == nil {
		before = r.stateFormat()
	}
	start := s.Pos()
	// To find entries, the history is read without token weights.
	some := slices.ContainsFunc(remembered, func(m memoryEntry) bool { return m.at.messages > 0 })
	if r.read(s, reading{before: before, unweighed: some}); r.err != nil {
		return
	}
	changing := r.resumed != nil && r.resumed.plan.Changing
	if !some {
		r.keepFirst(changing)
		r.source = r.withHistory(&history{known: -1, source: r.t.Clone(), messages: r.t.Input, changing: changing})
		return
	}
	prints, later := r.t.Prints(0, 0)
	list, differs := r.found(prints, later)
	changing = changing || differs
	r.keepFirst(changing)
	given := r.source
	for _, f := range list {
		used := &history{known: f.index, entry: f.entry, source: given.t, changing: changing,
			switched: in.longest && f.later}
		if !in.longest && !f.later && slices.ContainsFunc(list, func(c candidate) bool { return c.later && longer(c, f) < 0 }) {
			used.others = &in
		}
		if !f.entry.read(r.src) || f.later && !f.entry.keeps(given.t.FirstSaid()) || policy.Decode(f.entry.state.Slice(r.src), &used.state) != nil || f.sent && !used.goOn(prints) {
			continue
		}
		again := *r
		if f.sent {
			again.source = given.withHistory(used)
			again.read(jsonspan.New(r.src).At(start), reading{before: before})
		} else if used.replaced, used.later = used.entry.at.messages, later; !again.join(used, prints) {
			continue // the entry was modified, or its messages have another format, so ignore it
		}
		if calls := f.entry.calls; calls != "" && !f.sent && calls != spellingOf(given.t, 0, f.entry.at.messages) {
			used.state.Respelled = used.state.Archive
		}
		if again.err == nil { // cache breakpoints may have moved in kept messages
			used.state.Fingerprint = again.t.Fingerprint(used.state.Messages)
		}
		r.source, r.err = again.source, again.err
		return
	}
	r.source = given.withHistory(&history{known: -1, source: given.t, messages: given.t.Input, changing: changing})
	r.read(jsonspan.New(r.src).At(start), reading{before: before})
}

// recollectLongest reads the transcript of a fit again, with the entry that replaces the most messages, regardless of
// the text of the first message that it was made for. It is called if a compaction is due with the entry for this text.
// The messages to send then change in any case, and two conversations, or an app that alternates between texts of the
// first message, need one compaction instead of two.
func (r *request) recollectLongest(before *wire.Format) {
	next := *r.history.others
	next.longest = true
	r.source = &next
	r.recollect(jsonspan.New(r.src).At(r.members[operations.InMessages].Start), before)
}

// candidate is a memory entry that may apply to a history.
type candidate struct {
	entry    *memoryEntry
	index    int  // its index in the member memory
	messages int  // the number of given messages that it replaces
	whole    int  // the number of messages of the whole history that it covers
	sent     bool // whether the history continues from what was sent
	// Whether the text of the first message differs, so that the entry only applies if it keeps that message.
	later bool
}

// longer compares entries that apply to a history. Those that replace more messages come first; if they replace equally
// many, those that cover more of the whole history, and then the newer ones.
func longer(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.messages, a.messages), cmp.Compare(b.whole, a.whole), cmp.Compare(b.index, a.index))
}

// found returns the entries that apply to a history with the given prints, in the order in which they are tried. Those
// that were made for the same text of the first message come first, unless the caller needs the longest one. Otherwise
// the messages to send for a conversation would change whenever another conversation is compacted that differs only in
// its first message. changing reports whether one of the entries was made for another text of the first message, or
// after that text had changed. later are the prints without the text of the first message.
func (r *request) found(prints, later []transcript.Fingerprint) (list []candidate, changing bool) {
	for i := range r.remembered {
		for m := &r.remembered[i]; m != nil; m = m.given {
			n, sent := m.beginning(prints)
			differs := n == 0 && isAt(later, m.at.messages, m.later)
			if differs {
				n = m.at.messages
			}
			if n > 0 && r.shares(m.format) {
				list = append(list, candidate{m, i, n, r.remembered[i].at.messages, sent, differs})
				changing = changing || differs || m.changing
				break
			}
		}
	}
	sorting.Func(list, func(a, b candidate) int {
		switch {
		case a.later == b.later || r.longest:
			return longer(a, b)
		case a.later:
			return 1
		}
		return -1
	})
	return list, changing
}

// keepFirst pins the first message that isn't a system message. changing says whether its text changes between
// requests, as it does if it contains the date or retrieved context; if it doesn't, nothing is pinned. A digest of such
// a message would be wrong in the next request.
func (r *request) keepFirst(changing bool) {
	if first := r.t.FirstSaid(); changing && first < r.t.Input {
		p, next := *r.policy, *r.source
		p.Pins = append(slices.Clone(p.Pins), policy.Pin{Index: &first})
		next.policy = &p
		r.source = &next
	}
}

// shares reports whether a message in the given format would be written with the same bytes in the history's format.
func (r *request) shares(format string) bool {
	if format == r.format.Name {
		return true
	}
	f := wire.ByName(format)
	if f == nil || f.Name != wire.Plain {
		return false
	}
	for _, role := range []transcript.Role{transcript.User, transcript.Assistant} {
		if string(f.Message(nil, role, "x")) != string(r.format.Message(nil, role, "x")) {
			return false
		}
	}
	return true
}

// goOn maps each message of a list, which continues from the messages sent earlier, to its place in the whole history.
// prints are the prints of the list. It returns false if the entry doesn't determine the mapping.
func (h *history) goOn(prints []transcript.Fingerprint) bool {
	m := h.entry
	p, _ := m.longest(func(p point) bool { return isAt(prints, p.sentMessages, p.sent) })
	whole := slices.Clone(m.result)
	next := m.at.messages
	upTo := func(in int) {
		for ; next < in; next++ {
			whole = append(whole, sentMessage{in: next})
		}
	}
	for _, e := range m.tail {
		switch {
		case e.in < 0:
			upTo(e.before)
			e.in = -1
			whole = append(whole, e)
		case e.in >= p.messages:
		case e.drop:
			upTo(e.in)
			next++
			h.dropped = append(h.dropped, e)
		default:
			upTo(e.in)
			next++
			whole = append(whole, e)
		}
	}
	upTo(p.messages)
	if len(whole) < p.sentMessages || p.sentMessages > len(prints) {
		return false
	}
	h.whole = whole[:p.sentMessages]
	for n := p.sentMessages; n < len(prints); n++ {
		h.whole = append(h.whole, sentMessage{in: p.messages + n - p.sentMessages})
	}
	h.messages = p.messages + len(prints) - p.sentMessages
	print, ok := printOf(p.print)
	if !ok {
		return false
	}
	h.from = p.messages
	h.prints, _ = h.source.Prints(p.sentMessages, print)
	h.before = append(slices.Clone(m.points), m.at)
	h.state.Messages = p.sentMessages
	return true
}

// join builds a separate source in which the messages that were sent replace the first messages of
// the history. Kept messages have their current bytes. prints are the fingerprints of the history's
// beginnings. It returns false if the entry doesn't apply.
func (r *request) join(h *history, prints []transcript.Fingerprint) bool {
	t, m := r.t, h.entry
	since, next := m.longest(func(p point) bool { return isAt(prints, p.messages, p.print) })
	h.since = since.messages
	if next > 0 {
		h.since = next - 1 // the prints in between are unknown
	}
	h.prints = prints
	h.given, h.dropped = (&replay{t: t, f: r.format, m: m}).toSend()
	h.messages = t.Input
	r.clip(h, t)
	if !r.readGiven(h, t) {
		return false
	}
	if next > 0 || since.messages < m.history().messages {
		if at, turn := r.turn(m); at > 0 {
			h.given = slices.Insert(h.given, at, sentMessage{in: -1, text: turn, kept: turn, turn: true})
			if !r.readGiven(h, t) {
				return false
			}
		}
	}
	h.whole = h.given
	for i, p := range h.given {
		if i < len(m.result) || p.in >= 0 && p.in < since.messages {
			h.state.Messages = i + 1
		}
	}
	if !m.newest && !r.policy.IsBranchScope() && h.hidesNewest(t) {
		return false
	}
	joined := r.withHistory(h)
	joined.policy = h.joinedPolicy(r.policy)
	r.source = joined
	return true
}

// clip cuts the texts of the first message of the history, which was read as t, as the entry specifies. The message may
// have another text than when the entry was made. The newest user message is sent unchanged.
func (r *request) clip(h *history, t *transcript.Transcript) {
	first := t.FirstSaid()
	at := slices.IndexFunc(h.given, func(p sentMessage) bool { return p.in == first && p.text == nil })
	if h.entry.clip == 0 || at < 0 || newestUser(t) == first {
		return
	}
	s := jsonspan.New(slices.Concat([]byte("["), t.AsGiven(t.Messages[first].Span), []byte("]")))
	s.Weigh = r.profile.Automaton
	alone, source := *r, *r.source
	source.t, source.policy = r.format.Read(s), bodied(r.policy)
	source.policy.Force = true // the texts of the option redact are removed only if a compaction is due
	alone.source = &source
	in := source.input(h.state)
	if alone.redact(&in); alone.err != nil {
		r.err = alone.err
		return
	}
	h.state.Redacted = in.State.Redacted
	h.given[at].text, h.bodies = compact.Clip(in, h.entry.clip)
	for i := range h.bodies {
		h.bodies[i].Message = first
	}
}

// bodied returns a copy of a policy that asks for archived bodies instead of their byte ranges, because a message that
// is not in the request in this form has no ranges there.
func bodied(of *policy.Policy) *policy.Policy {
	p := *of
	if p.Archive != "" {
		p.Archive = "bodies"
	}
	return &p
}

// changingMessage returns the index plus one, among the messages that were read, of the history's first message; 0 if
// the text of that message doesn't change between requests.
func (h *history) changingMessage(t *transcript.Transcript) int {
	switch {
	case h == nil || !h.changing:
		return 0
	case h.given == nil:
		return t.FirstSaid() + 1
	}
	first := h.source.FirstSaid()
	return slices.IndexFunc(h.given, func(p sentMessage) bool { return p.in == first }) + 1
}

// readGiven reads the messages to send for a history that was read as t. It returns false if they can't be read.
func (r *request) readGiven(h *history, t *transcript.Transcript) bool {
	size := t.Outer.Len() + 64
	for _, p := range h.given {
		size += len(p.text) + 1
	}
	src := append(make([]byte, 0, size), t.Src[t.Outer.Start:t.List.Start]...)
	src = append(src, '[')
	for i, p := range h.given {
		if i > 0 {
			src = append(src, ',')
		}
		if p.text != nil {
			src = append(src, p.text...)
		} else {
			src = append(src, t.AsGiven(t.Messages[p.in].Span)...)
		}
	}
	src = append(append(src, ']'), t.Src[t.List.End:t.Outer.End]...)
	r.read(jsonspan.New(src), reading{before: r.stateFormat()})
	if r.err != nil {
		return false
	}
	if r.t.Outer == r.t.List { // only a result of open contains more than its list
		r.t.System = t.System
	}
	return len(r.t.Messages) == len(h.given)
}

// turn returns a message that makes the roles alternate, and its index. It returns 0 and nil if no such message is
// needed, which is the case unless the message after the replaced ones has changed.
func (r *request) turn(m *memoryEntry) (at int, message []byte) {
	t, first := r.t, len(m.result)
	for first < len(t.Messages) && t.Messages[first].Role == transcript.System {
		first++
	}
	if first == 0 || first >= len(t.Messages) {
		return 0, nil
	}
	for _, v := range r.violations(t) {
		if int(v.Message) != first || v.Fix != wire.AddTurn {
			continue
		}
		return first, r.format.Message(nil, mend.TurnRole(t.Messages[first-1].Role, t.Messages[first].Role),
			authorship.TurnText)
	}
	return 0, nil
}

// hidesNewest reports whether the messages to send no longer contain the newest user message of a history that was
// read as t.
func (h *history) hidesNewest(t *transcript.Transcript) bool {
	newest := newestUser(t)
	return newest >= 0 && !slices.ContainsFunc(h.given, func(p sentMessage) bool { return p.in == newest })
}

// newestUser returns the index of the newest message in which the user says something, or -1.
func newestUser(t *transcript.Transcript) int {
	for i := t.Input - 1; i >= 0; i-- {
		if t.HasUserText(i) && !digest.Ours(t, i) {
			return i
		}
	}
	return -1
}

// joinedPolicy returns the policy for a joined transcript: bodies have no byte ranges in the request, and pins are
// renumbered, because their indexes refer to the given list.
func (h *history) joinedPolicy(of *policy.Policy) *policy.Policy {
	p := bodied(of)
	p.Pins = slices.Clone(p.Pins)
	for i := range p.Pins {
		if at := p.Pins[i].Index; at != nil && *at >= 0 {
			n := slices.IndexFunc(h.given, func(g sentMessage) bool { return g.in == *at })
			if n < 0 {
				n = len(h.given) // the message was folded
			}
			p.Pins[i].Index = &n
		}
	}
	return p
}

// marked returns the cache breakpoints that the app has set in messages that are not sent. It returns nil if all
// messages are sent, or if there are none.
func (h *history) marked(f *wire.Format) (marks []wire.Mark) {
	if h == nil || h.given == nil || !h.source.Marks {
		return nil
	}
	next := 0
	upTo := func(in int) {
		for ; next < in; next++ {
			if m := h.source.Messages[next]; m.Role != transcript.System {
				marks = f.MarksOf(marks, h.source.AsGiven(m.Span))
			}
		}
	}
	for _, p := range h.given {
		if p.in >= 0 {
			upTo(p.in)
			next = p.in + 1
		}
	}
	upTo(h.source.Input)
	return marks
}

// usage converts the message index of a provider's count to the transcript. It reports whether the count belongs to
// the messages last sent.
func (h *history) usage(u *api.Usage) bool {
	if h == nil || h.given == nil {
		return true
	}
	if h.switched {
		return false
	}
	if u.Message < 0 {
		u.Message += h.messages
	}
	if u.Message >= h.messages { // no such message
		u.Message += len(h.given) - h.messages
		return true
	}
	message := u.Message
	u.Message = slices.IndexFunc(h.given, func(p sentMessage) bool { return p.in == message })
	return message >= h.since && u.Message >= 0
}
