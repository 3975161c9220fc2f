package core

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// remembering builds the memory entry of a compaction, which describes the messages to send for the whole current
// history. The entry ends where the messages left unchanged by the compaction begin, so that it applies to every
// history that begins with the replaced messages.
type remembering struct {
	*history
	t    *transcript.Transcript // the messages to send, as they were read again
	list []sentMessage          // the messages to send
	// Messages of the history that depend on another message, with the index of that message.
	on map[int]int
	// Messages that a repair dropped or that contained only reasoning, with the data that identifies them.
	loose map[int]looks
	sent  []transcript.Fingerprint // prints of the beginnings of the messages to send
	cut   int                      // the number of messages of the history that the entry covers, including kept ones
	// The number of bytes that are sent of each text of the first message; 0 if all of it is sent.
	clip int
}

// remember returns the entry that the host should store; nil if there is none. If the program passed a list that
// continued from what was sent, the entry also covers that list.
func (h *history) remember(r *request, c *compact.Run) api.Raw {
	t := r.again(c)
	e := h.entryOf(r, t, c)
	if e == nil {
		return nil
	}
	if h.whole != nil && h.given == nil {
		list := &history{known: -1, source: h.source, messages: h.source.Input}
		e.Given = list.entryOf(r, t, c)
	}
	return encoded(e.MarshalEasyJSON)
}

// entryOf returns the entry of a run, or nil. t contains the messages that are sent after the run.
func (h *history) entryOf(r *request, t *transcript.Transcript, c *compact.Run) *api.MemoryEntry {
	m := remembering{history: h, t: t, on: map[int]int{}, loose: map[int]looks{}}
	if h.entry != nil {
		m.clip = h.entry.clip
	}
	m.read(c)
	if m.sent, _ = m.t.Prints(0, 0); len(m.sent) == 0 || len(m.sent) != len(m.list) {
		return nil
	}
	if h.prints == nil {
		h.prints, h.later = h.source.Prints(0, 0)
	}
	m.end()
	first, tail, ok := m.split()
	if !ok {
		m.cut = h.messages
		first, tail, _ = m.split()
	}
	print, _ := m.printAt(m.cut)
	e := api.MemoryEntry{Version: memoryVersion, Format: api.Format(r.format.Name), Messages: m.cut, Print: print,
		State:    *c.State(),
		Changing: h.changing, Clip: m.clip, Edits: m.appendEdits(nil, m.list[:first])}
	if m.cut <= len(h.later) {
		e.Later = h.later[m.cut-1].String()
	}
	if len(tail) > 0 {
		e.Behind = m.appendEdits(nil, tail)
	}
	e.Newest = m.replacesNewest(m.list[:first])
	if m.given != nil || m.whole == nil { // otherwise the replaced messages are unknown
		e.Calls = spellingOf(m.source, 0, m.cut)
	}
	e.Points = m.points(first)
	whole := len(m.list)
	e.SentMessages, e.Sent = whole, m.sent[whole-1].String()
	// Otherwise other histories could begin like the result of the entry.
	if slices.ContainsFunc(m.list[:first], func(p sentMessage) bool { return p.kept != nil && !p.turn }) {
		e.SentMessages, e.Sent = first, m.sent[first-1].String()
	}
	return &e
}

// read fills list from c, a run that has ended. It also notes which messages of the history are missing without being
// covered (loose), and which depend on others (on); it sets clip if the run only cut a changing first message, and extends
// cut over the messages that the digest covers only in part.
func (m *remembering) read(c *compact.Run) {
	leans := map[int32]int32{}
	for _, l := range c.Doc().Leans {
		leans[l.Message] = l.On
	}
	for _, p := range m.dropped {
		m.loose[p.in] = p.looks
	}
	m.loosen(c)
	c.Doc().EachItem(func(it *view.Item, write func(dst []byte) []byte) {
		p := sentMessage{in: -1}
		if it.In >= 0 {
			p = m.wholeOf(int(it.In))
		}
		switch {
		case it.In < 0:
			p.kept, p.turn = unmarked(write(nil)), c.Authors().Origin(it.Msg) == authorship.OfTurn
		case write == nil || it.Marked:
		case m.clips(c, it):
			m.clip, m.cut = c.ClipSize(), max(m.cut, min(p.in+2, m.messages))
		case p.in < 0:
			p = sentMessage{in: -1, kept: unmarked(write(nil))}
		default:
			p.looks, p.kept = m.looksOf(int(it.In), p), write(nil)
			if p.looks.id != "" && handles.IDOf(p.kept) != "" {
				p.looks.id = ""
			}
			if on, leans := leans[it.Msg]; leans && int(on) < c.Doc().T.Input {
				p.looks.on = ""
				m.on[p.in] = m.wholeOf(int(on)).in
			}
			if it.Rest { // the digest covers the other parts of the message
				m.cut = max(m.cut, p.in+1)
			}
		}
		p.before, p.role = 0, ""
		m.list = append(m.list, p)
	})
}

// clips reports whether an item is a first message that changes between requests, and a run has done nothing but cut
// its texts. The entry then contains the maximum length of the texts instead of the texts. It covers one more message,
// because it would not be found otherwise.
func (m *remembering) clips(c *compact.Run, it *view.Item) bool {
	return c.ClipSize() > 0 && int(it.In)+1 == m.changingMessage(c.Doc().T) && c.Doc().OnlyTexts(it)
}

// loosen records the messages that are left out because a repair dropped them or because their reasoning was removed.
func (m *remembering) loosen(c *compact.Run) {
	for _, a := range c.Report().Actions {
		leaves := a.Action == api.ActionDrop && a.Pass == "repair" || a.Action == api.ActionStrip
		if !leaves || a.Message < 0 || !leftOut(c.Doc().T, a.Message) {
			continue
		}
		if p := m.wholeOf(a.Message); p.in >= 0 {
			m.loose[p.in] = m.looksOf(a.Message, p)
		}
	}
}

// leftOut reports whether all of a message was left out. If only some of its parts were removed and the message isn't
// sent, a fold has replaced the others.
func leftOut(t *transcript.Transcript, m int) bool {
	removed, left := false, false
	for _, p := range t.PartsOf(m) {
		if p.Parent < 0 {
			removed, left = removed || p.Has(transcript.Removed), left || !p.Has(transcript.Removed)
		}
	}
	return !removed || !left
}

// wholeOf returns the place that a message of the compacted transcript has in the whole history.
func (h *history) wholeOf(message int) sentMessage {
	if h.whole == nil {
		return sentMessage{in: message}
	}
	return h.whole[message]
}

// looksOf returns the data by which a message of the compacted transcript is identified in the history.
func (h *history) looksOf(message int, p sentMessage) looks {
	if p.looks.print != "" {
		return p.looks
	}
	if h.given != nil {
		message = p.in
	}
	given := h.source.AsGiven(h.source.Messages[message].Span)
	own := looks{print: h.source.Print(message).String(), raw: rawOf(given)}
	if id := handles.IDOf(given); id != "" {
		own.id = rawOf([]byte(id))
	}
	own.calls = spellingOf(h.source, message, message+1)
	return own
}

// spellingOf returns a text that identifies how messages of a history write their tool calls; "" if they have none.
func spellingOf(t *transcript.Transcript, from, to int) string {
	if f := t.Spelling(from, to); f != 0 {
		return f.String()
	}
	return ""
}

// printOf returns the print of a single message of the history; "" if it is unknown.
func (m *remembering) printOf(in int) string {
	if print := m.loose[in].print; print != "" {
		return print
	}
	if m.given != nil || m.whole == nil {
		return m.source.Print(in).String()
	}
	if i := slices.IndexFunc(m.whole, func(p sentMessage) bool { return p.in == in }); i >= 0 {
		return m.looksOf(i, m.whole[i]).print
	}
	return ""
}

// printAt returns the print of the history's first messages. ok is false if it is unknown.
func (h *history) printAt(messages int) (print string, ok bool) {
	if i := messages - h.from - 1; i >= 0 && i < len(h.prints) {
		return h.prints[i].String(), true
	}
	for _, p := range h.before {
		if p.messages == messages {
			return p.print, true
		}
	}
	return "", false
}

// end determines where the covered messages end. Later changes and repairs of individual messages don't extend the
// covered range. The end then moves on to the first place at which a print identifies the beginning of the history,
// because the entry is found by that print.
func (m *remembering) end() {
	if m.entry != nil {
		m.cut = max(m.cut, m.entry.at.messages)
	}
	next, edited := 0, 0
	upTo := func(in int) {
		for ; next < in; next++ {
			if _, loose := m.loose[next]; !loose {
				m.cut = max(m.cut, next+1)
			} else if edited == 0 {
				edited = next + 1
			}
		}
	}
	for _, p := range m.list {
		switch {
		case p.in < 0 && !p.turn:
			m.cut = max(m.cut, next)
		case p.in >= 0:
			upTo(p.in)
			next = p.in + 1
		}
		if p.kept != nil && edited == 0 {
			edited = max(1, next)
		}
	}
	upTo(m.messages)
	if m.cut == 0 {
		m.cut = max(1, edited)
	}
	for m.cut < m.messages {
		if _, ok := m.printAt(m.cut); ok {
			return
		}
		m.cut++
	}
}

// split divides the messages to send: the first ones replace the covered messages. It returns their number, and the
// edits of the messages after the covered ones in tail. ok is false if the two can't be separated.
func (m *remembering) split() (first int, tail []sentMessage, ok bool) {
	for i, p := range m.list {
		if p.in >= 0 && p.in < m.cut || p.in < 0 && !p.turn {
			first = i + 1
		}
	}
	t := tailEdits{m: m, first: first, next: m.cut}
	for at := first; at < len(m.list); at++ {
		if m.list[at].in >= 0 {
			ok = t.keep(m.list[at])
		} else {
			ok = t.addTurn(at)
		}
		if !ok {
			return first, nil, false
		}
	}
	ok = t.dropTo(m.messages)
	return first, t.list, ok
}

// tailEdits builds the edits that concern the messages after the covered ones.
type tailEdits struct {
	m     *remembering
	first int // index of the first message that is sent after the covered ones
	next  int // the next message of the history
	list  []sentMessage
}

// dropTo adds edits that omit the messages of the history before index in. It returns false if one of them can't be
// identified.
func (t *tailEdits) dropTo(in int) bool {
	for ; t.next < in; t.next++ {
		was, loose := t.m.loose[t.next]
		if !loose || was.print == "" {
			return false
		}
		t.list = append(t.list, sentMessage{in: t.next, drop: true, looks: looks{print: was.print, raw: was.raw}})
	}
	return true
}

// keep passes a message of the history that is sent, and adds its edit if it has one. It adds the messages that were
// skipped before it as dropped, and returns false if one of these can't be identified.
func (t *tailEdits) keep(p sentMessage) bool {
	if !t.dropTo(p.in) {
		return false
	}
	t.next++
	if p.kept != nil {
		if on, leans := t.m.on[p.in]; leans {
			p.looks.on = t.m.leansOn(on)
		}
		p.role, p.turn = "", false
		t.list = append(t.list, p)
	}
	return true
}

// addTurn adds the message at index at, whose only purpose is to alternate roles. It is identified
// by the message that follows it or, at the beginning of the sent messages, by the role of that
// message. It returns false if the message can't be identified.
func (t *tailEdits) addTurn(at int) bool {
	m, p := t.m, t.m.list[at]
	follows := at + 1
	for follows < len(m.list) && m.list[follows].in < 0 {
		follows++
	}
	if follows == len(m.list) || !t.dropTo(m.list[follows].in) {
		return false
	}
	p.before, p.role, p.looks = t.next, "", looks{}
	if m.opens(t.first, at) {
		p.role = m.t.Messages[follows].Role.String()
	} else if p.looks = (looks{print: m.printOf(t.next), after: m.printOf(t.next - 1)}); p.looks.print == "" || p.looks.after == "" {
		return false
	}
	t.list = append(t.list, p)
	return true
}

// opens reports whether only system messages, and messages that make the roles alternate, are sent between the covered
// messages and a given message. first and at are indexes of the messages that are sent: those of the first one after
// the covered ones, and of the given one.
func (m *remembering) opens(first, at int) bool {
	for i := first; i < at; i++ {
		if m.list[i].in >= 0 && m.t.Messages[i].Role != transcript.System {
			return false
		}
	}
	return true
}

// leansOn returns the print of the message that the message at index in depends on. It returns "" if the entry covers
// that other message, which is then always present.
func (m *remembering) leansOn(in int) string {
	if in < m.cut {
		return ""
	}
	return m.printOf(in)
}

// replacesNewest reports whether the newest user message is missing both from first, the messages
// that replace the covered ones, and from the later messages.
func (m *remembering) replacesNewest(first []sentMessage) bool {
	newest := newestUser(m.source)
	if newest >= 0 && m.given == nil {
		newest = m.wholeOf(newest).in
	}
	return newest >= 0 && newest < m.cut && !slices.ContainsFunc(first, func(p sentMessage) bool { return p.in == newest })
}

// points returns beginnings of the history that are longer than the covered messages. Their intervals are shorter
// toward the end of the history. first is the number of messages sent for the covered ones.
func (m *remembering) points(first int) (list []api.MemoryPoint) {
	sent := len(m.list)
	for back := 0; m.messages-back > m.cut; back = max(1, 2*back) {
		n := m.messages - back
		for sent > first && (m.list[sent-1].in >= n || m.list[sent-1].in < 0 && sent < len(m.list)) {
			sent--
		}
		if print, ok := m.printAt(n); ok && sent > 0 {
			list = append(list, api.MemoryPoint{Messages: n, Print: print, SentMessages: sent,
				Sent: m.sent[sent-1].String()})
		}
	}
	return list
}

// appendEdits appends edits in the form that memory entries use.
func (m *remembering) appendEdits(dst []byte, list []sentMessage) []byte {
	e := view.NewEdits(dst)
	for _, p := range list {
		switch {
		case p.drop:
			e.InsertForeign(func(dst []byte) []byte { return appendLooks(appendIndex(dst, `"drop":`, p.in), p.looks) })
		case p.kept == nil:
			e.Keep(p.in)
		case p.in >= 0:
			if on, leans := m.on[p.in]; leans && p.in < m.cut {
				p.looks.on = m.leansOn(on)
			}
			e.Set(p.in, func(dst []byte) []byte { return appendLooks(append(dst, p.kept...), p.looks) })
		default:
			e.Insert(p.appendInserted)
		}
	}
	return e.End()
}

// appendInserted appends a message that isn't in the history, with the members that describe it in an entry.
func (p sentMessage) appendInserted(dst []byte) []byte {
	dst = append(dst, p.kept...)
	if p.turn {
		dst = append(dst, `,"turn":true`...)
	}
	if p.before > 0 {
		dst = appendIndex(dst, `,"before":`, p.before)
	}
	if p.role != "" {
		dst = append(append(append(dst, `,"role":"`...), p.role...), '"')
	}
	return appendLooks(dst, p.looks)
}

func appendIndex(dst []byte, name string, in int) []byte {
	return strconv.AppendInt(append(dst, name...), int64(in), 10)
}

func appendLooks(dst []byte, l looks) []byte {
	for _, member := range [...][2]string{{"print", l.print}, {"raw", l.raw}, {"id", l.id}, {"on", l.on}, {"after", l.after}, {"calls", l.calls}} {
		if member[1] != "" {
			dst = append(append(append(append(append(dst, `,"`...), member[0]...), `":"`...), member[1]...), '"')
		}
	}
	return dst
}
