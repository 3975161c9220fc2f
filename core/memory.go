package core

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// memoryEntry is a remembered compaction of the beginning of a history: an entry that an earlier fit returned, and that
// the request passes in its member memory. An entry that can't be read, or has another version, is ignored, which costs
// at most another compaction.
type memoryEntry struct {
	version int    // of the form of the entry
	format  string // the wire format of the history
	// The replaced messages, and the messages sent in their place, by which a continuation of the result is recognized.
	at        point
	newest    bool          // whether the newest user message was replaced too
	later     string        // print of the replaced messages without the text of the first one; "" if unknown
	changing  bool          // whether that text had changed before
	clip      int           // the number of bytes that are sent of each text of the first message; 0 if all of it is sent
	calls     string        // how the replaced messages write their tool calls; "" if unknown
	edits     jsonspan.Span // the entry's member edits, not yet parsed
	tailEdits jsonspan.Span // the edits after the replaced messages; zero if there are none
	points    []point       // the whole history that was compacted, and shorter beginnings, longest first
	state     jsonspan.Span // the state of the compaction, as JSON
	result    []sentMessage // the messages sent in place of the replaced ones
	tail      []sentMessage // later messages that are changed, dropped or, if before is set, inserted
	// The same compaction relative to the list that the program passed, if that list continued from what was sent
	// before; otherwise nil.
	given *memoryEntry
}

const (
	// memoryVersion is the version in which an entry ends where the messages left unchanged by the compaction begin. In
	// firstMemoryVersion it ended at the end of the history.
	memoryVersion, firstMemoryVersion = 2, 1
	// maxMemoryEntries is the maximum number of entries of a request that are read: the last ones.
	maxMemoryEntries = 64
)

// point identifies a prefix of a history, and the messages that were sent in its place.
type point struct {
	messages     int    // the number of messages in the prefix
	print        string // print of these messages, as returned by Transcript.Prints
	sentMessages int    // the number of messages that were sent instead
	sent         string // print of the sent messages
}

// sentMessage is a message that is sent, or omitted, in place of messages of a history.
type sentMessage struct {
	in   int    // index in a list of messages, or -1 for a new message
	text []byte // the message, if it differs from the one at in

	// These are only set in an entry:
	looks looks
	kept  []byte // text as it was remembered
	drop  bool   // whether the message is omitted
	turn  bool   // a new message whose only purpose is to alternate roles
	// For a new message after the replaced ones: the index of the message before which it is inserted, and the role
	// that this message must have if it is the first one.
	before int
	role   string
}

// looks identifies an edited message by its original content. An empty field matches any message.
type looks struct {
	print, raw string // prints of the message alone and of its bytes
	id         string // the print of the original's id, if the edited message has lost it
	on         string // the print of a later message that must exist
	after      string // for a new message: the print of the message before it
	calls      string // how the message writes its tool calls; "" if it has none
}

// memoryEntries reads the request's member memory. Invalid entries, and all but the last maxMemoryEntries, are zero, so
// that the others keep their indexes. If the member is not a list, r gets an error and the result is nil.
func (r *request) memoryEntries() (list []memoryEntry) {
	at := r.members[operations.InMemory]
	if at.IsZero() || r.err != nil {
		return nil
	}
	s := jsonspan.New(r.src).At(at.Start)
	switch s.Kind() {
	case jsonspan.Null:
		return nil
	case jsonspan.Array:
	default:
		r.fail(&jsonspan.Error{Code: jsonspan.WrongType,
			Message: "memory must be a list of the memory that fit returned"}, at.Start)
		return nil
	}
	for s.Array(); s.Elem(); {
		if s.Kind() == jsonspan.Object {
			list = append(list, readMemoryEntry(s, true))
		} else {
			s.Skip()
			list = append(list, memoryEntry{})
		}
	}
	r.fail(s.Err(), 0)
	clear(list[:max(0, len(list)-maxMemoryEntries)])
	return list
}

// readMemoryEntry reads an entry. outer means that the entry may contain another one. An incomplete entry, or one of
// another version, is returned as zero.
func readMemoryEntry(s *jsonspan.Scanner, outer bool) (m memoryEntry) {
	for key := range s.Members {
		switch name, kind := string(key), s.Kind(); {
		case name == "points" && kind == jsonspan.Array:
			m.points = append(m.points, readPoints(s)...)
		case name == "given" && outer && kind == jsonspan.Object:
			given := readMemoryEntry(s, false)
			m.given = &given
		default:
			m.set(name, s.Src(), s.Skip())
		}
	}
	if s.Err() != nil || !m.whole() || !m.descends() {
		return memoryEntry{}
	}
	return m
}

// set stores the value of the entry's member with the given name.
func (m *memoryEntry) set(name string, src []byte, v jsonspan.Value) {
	switch name {
	case "version":
		m.version = numberOf(src, v)
	case "format":
		m.format = shortOf(src, v)
	case "newest":
		m.newest = v.Kind == jsonspan.True
	case "later":
		m.later = shortOf(src, v)
	case "changing":
		m.changing = v.Kind == jsonspan.True
	case "clip":
		m.clip = numberOf(src, v)
	case "calls":
		m.calls = shortOf(src, v)
	case "edits":
		m.edits = v.Span
	case "behind":
		m.tailEdits = v.Span
	case "state":
		m.state = v.Span
	default:
		m.at.set(name, src, v)
	}
}

// whole reports whether an entry has a known version and all required members.
func (m *memoryEntry) whole() bool {
	return (m.version == memoryVersion || m.version == firstMemoryVersion) && m.at.messages > 0 && m.at.print != "" &&
		m.at.sentMessages > 0 && m.at.sent != "" && !m.edits.IsZero() && !m.state.IsZero()
}

// descends reports whether the points of an entry are in descending order and longer than the replaced beginning.
func (m *memoryEntry) descends() bool {
	for i, p := range m.points {
		if p.print == "" || p.sent == "" || p.messages <= m.at.messages || i > 0 && (p.messages >= m.points[i-1].messages || p.sentMessages > m.points[i-1].sentMessages) {
			return false
		}
	}
	return true
}

// readPoints reads a list of points. Invalid points stay zero.
func readPoints(s *jsonspan.Scanner) (list []point) {
	for s.Array(); s.Elem(); {
		p := point{}
		if s.Kind() == jsonspan.Object {
			for key := range s.Members {
				name := string(key)
				p.set(name, s.Src(), s.Skip())
			}
		} else {
			s.Skip()
		}
		list = append(list, p)
	}
	return list
}

// set stores the value of the point's member with the given name.
func (p *point) set(name string, src []byte, v jsonspan.Value) {
	switch name {
	case "messages":
		p.messages = numberOf(src, v)
	case "print":
		p.print = shortOf(src, v)
	case "sent_messages":
		p.sentMessages = numberOf(src, v)
	case "sent":
		p.sent = shortOf(src, v)
	}
}

// numberOf returns the number v, or 0 if v isn't a whole number from 0 to jsonspan.MaxSize.
func numberOf(src []byte, v jsonspan.Value) int {
	n, err := strconv.Atoi(string(v.Slice(src)))
	if v.Kind != jsonspan.Number || err != nil || n < 0 || n > jsonspan.MaxSize {
		return 0
	}
	return n
}

// shortOf returns the text of the string v. It returns "" if v isn't a string, or has more than 66
// bytes in JSON, including its quotes.
func shortOf(src []byte, v jsonspan.Value) string {
	if v.Kind != jsonspan.String || v.Len() > 66 {
		return ""
	}
	return jsonspan.Text(src, v.Span)
}

// history returns the point that covers the whole history that was compacted.
func (m *memoryEntry) history() point {
	if len(m.points) > 0 {
		return m.points[0]
	}
	return m.at
}

// longest returns the longest point that satisfies match, or the shortest one (at) if none does, and the number of
// messages of the next longer point, or 0 if there is none.
func (m *memoryEntry) longest(match func(p point) bool) (p point, next int) {
	for _, p := range m.points {
		if match(p) {
			return p, next
		}
		next = p.messages
	}
	return m.at, next
}

// beginning returns how many messages at the beginning of a list the entry replaces; 0 if the entry doesn't apply.
// prints are the list's prints. sent is true if the list continues from the messages that were sent.
func (m *memoryEntry) beginning(prints []transcript.Fingerprint) (messages int, sent bool) {
	switch {
	case m.at.messages == 0:
		return 0, false
	case isAt(prints, m.at.messages, m.at.print):
		return m.at.messages, false
	case isAt(prints, m.at.sentMessages, m.at.sent):
		return m.at.sentMessages, true
	}
	return 0, false
}

// keeps reports whether the entry leaves the message at index in unchanged, apart from cutting its texts. The entry
// must have been read.
func (m *memoryEntry) keeps(in int) bool {
	return slices.ContainsFunc(m.result, func(p sentMessage) bool { return p.in == in && p.text == nil })
}

// isAt reports whether print is the print of the first n messages.
func isAt(prints []transcript.Fingerprint, n int, print string) bool {
	return n > 0 && n <= len(prints) && prints[n-1].String() == print
}

// read parses the edits of an entry into result and tail. It returns false if they can't be applied
// to a history: kept messages must be in order and occur only once.
func (m *memoryEntry) read(src []byte) bool {
	last := -1 // index of the last message used
	ok := eachEdit(src, m.edits, func(e *memoryEdit) bool { return m.readSent(e, &last) })
	if !ok || m.tailEdits.IsZero() {
		return ok
	}
	return eachEdit(src, m.tailEdits, func(e *memoryEdit) bool { return m.readTailEdit(e, &last) })
}

// readSent reads an edit that concerns the replaced messages. *last is the index of the last message that an edit has
// used. It returns false for an invalid edit.
func (m *memoryEntry) readSent(e *memoryEdit, last *int) bool {
	switch {
	case e.to > 0:
		if e.text != nil || e.from <= *last || e.to > m.at.messages {
			return false
		}
		for in := e.from; in < e.to; in++ {
			m.result = append(m.result, sentMessage{in: in})
		}
		*last = e.to - 1
	case e.text == nil || e.drop || e.set >= 0 && !takeNext(last, e.set, m.at.messages):
		return false
	default:
		m.result = append(m.result, sentMessage{in: e.set, text: e.text, kept: e.text, looks: e.looks, turn: e.turn})
	}
	return true
}

// readTailEdit reads an edit that concerns a message after the replaced ones. *last is the index of the last message that
// an edit has used. It returns false for an invalid edit.
func (m *memoryEntry) readTailEdit(e *memoryEdit, last *int) bool {
	end := m.history().messages
	switch {
	case e.to > 0 || (e.text == nil) != e.drop:
		return false
	case e.set >= 0:
		if e.set < m.at.messages || e.print == "" || !takeNext(last, e.set, end) {
			return false
		}
	case e.before < m.at.messages || e.before <= *last || e.before >= end ||
		(e.print == "" || e.after == "") && e.role == "":
		return false
	}
	m.tail = append(m.tail, sentMessage{in: e.set, text: e.text, kept: e.text, looks: e.looks, drop: e.drop, turn: e.turn,
		before: e.before, role: e.role})
	return true
}

// takeNext sets *last to in, the index of a message, if it is greater than *last and less than end. Otherwise it
// returns false.
func takeNext(last *int, in, end int) bool {
	if in <= *last || in >= end {
		return false
	}
	*last = in
	return true
}

// memoryEdit is one edit of an entry, as it was read.
type memoryEdit struct {
	from, to int    // the range of kept messages, if any
	set      int    // index of a message that is changed or omitted; -1 for a new one
	text     []byte // the message itself, as JSON; nil for kept messages
	drop     bool   // whether the message is omitted
	turn     bool   // whether a repair inserted the message so that the roles alternate
	before   int    // for a new message after the replaced ones, index of the message that it precedes
	role     string // of the message that is written
	looks
}

// member reads a member of an edit. It returns false if the member is invalid.
func (e *memoryEdit) member(s *jsonspan.Scanner, name string) bool {
	if name == "keep" {
		return e.keep(s)
	}
	v := s.Skip()
	return s.Err() == nil && e.say(name, s.Src(), v)
}

// eachEdit reads a list of edits and passes each to yield. It returns false if an edit is invalid or yield rejects
// it.
func eachEdit(src []byte, list jsonspan.Span, yield func(e *memoryEdit) bool) bool {
	s := jsonspan.New(src).At(list.Start)
	for s.Array(); s.Elem(); {
		e := memoryEdit{set: -1, before: -1}
		for key := range s.Members {
			if !e.member(s, string(key)) {
				return false
			}
		}
		if s.Err() != nil || e.to > 0 && e.set >= 0 || !yield(&e) {
			return false
		}
	}
	return s.Err() == nil
}

// keep reads the range of an edit that keeps messages. It returns false if the range is invalid.
func (e *memoryEdit) keep(s *jsonspan.Scanner) bool {
	var ends [2]int
	n := 0
	for s.Array(); s.Elem(); n++ {
		number, err := strconv.Atoi(string(s.Skip().Slice(s.Src())))
		if err != nil || n >= len(ends) {
			return false
		}
		ends[n] = number
	}
	e.from, e.to = ends[0], ends[1]
	return n == len(ends) && e.from >= 0 && e.from < e.to
}

// say stores the value of the edit's member with the given name. It returns false if the value is invalid.
func (e *memoryEdit) say(name string, src []byte, v jsonspan.Value) bool {
	index := func(to *int) bool {
		n, err := strconv.Atoi(string(v.Slice(src)))
		*to = n
		return err == nil && n >= 0
	}
	switch name {
	case "set":
		return index(&e.set)
	case "drop":
		e.drop = true
		return index(&e.set)
	case "before":
		return index(&e.before)
	case "insert", "message":
		e.text = v.Slice(src)
		return v.Kind == jsonspan.Object
	case "turn":
		e.turn = v.Kind == jsonspan.True
	case "print":
		e.print = shortOf(src, v)
	case "raw":
		e.raw = shortOf(src, v)
	case "id":
		e.id = shortOf(src, v)
	case "on":
		e.on = shortOf(src, v)
	case "after":
		e.after = shortOf(src, v)
	case "role":
		e.role = shortOf(src, v)
	case "calls":
		e.calls = shortOf(src, v)
	default:
		return false
	}
	return true
}
