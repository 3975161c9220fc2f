package search

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// isNoText reports whether the value under a key isn't text to search but, for example, an id, a type, a date or data.
// This table, the next two and RoleNamed are most of what this package knows about message formats.
func isNoText(key []byte) bool {
	switch string(key) {
	case "id", "type", "role", "signature", "thoughtSignature", "thought_signature", "encrypted_content", "data",
		"media_type", "mediaType", "mime_type",
		"mimeType", "tool_call_id", "toolCallId", "tool_use_id", "call_id", "item_id", "response_id", "responseId",
		"uuid", "parentUuid", "parent_id", "parentId", "sessionId", "session_id", "model", "status", "state",
		"stop_reason", "stopReason", "finish_reason", "finishReason", "usage", "cache_control", "kind",
		"timestamp", "created_at", "createdAt", "date", "time", "lc", "object", "provider", "providerMetadata",
		"providerOptions", "phase", "format", "encoding":
		return true
	}
	return false
}

// isPart reports whether an object with this type is a message part rather than a message.
func isPart(kind []byte) bool {
	switch string(kind) {
	case "text", "input_text", "output_text", "image", "image_url", "input_image", "audio", "input_audio", "file",
		"input_file", "document", "resource",
		"resource_link", "search_result", "json", "content", "media", "file-data", "image-data", "tool_reference":
		return true
	}
	return false
}

// roleOfType returns the role of an item that is a message by its type instead of its role, as in OpenAI's Responses
// API and in LangChain. ok is false for other types.
func roleOfType(kind []byte) (Role, bool) {
	switch {
	case string(kind) == "reasoning":
		return Assistant, true
	case strings.HasSuffix(string(kind), "_call_output"):
		return Tool, true
	case strings.HasSuffix(string(kind), "_call"):
		return Assistant, true
	}
	return RoleNamed(kind)
}

// readBody splits a body into docs, and counts the query's words in each.
func (s *searching) readBody(body int32) {
	src := s.bodies[body].Text
	docs, posts, named, messages := len(s.docs), len(s.posts), len(s.named), s.messages
	s.carried = 0
	r := jsonspan.New(src)
	switch r.Kind() {
	case jsonspan.Array:
		if isList(src) {
			s.readList(r, body)
			break
		}
		fallthrough
	case jsonspan.Object, jsonspan.String:
		s.readMessage(r, body, 0)
	default:
		if r.Err() == nil {
			r.Skip()
		}
	}
	r.End()
	if r.Err() == nil || s.full {
		return
	}
	// The body isn't JSON, so it is searched as plain text.
	s.docs, s.posts, s.named, s.messages = s.docs[:docs], s.posts[:posts], s.named[:named], messages
	s.touched, s.tf, s.pair, s.last = s.touched[:0], [words.MostKnown]int32{}, [words.MostKnown]int32{},
		[words.MostKnown]int32{}
	s.beginMessage(body, 0, 0)
	s.cur.raw = true
	s.addText(src)
	s.endMessage(uint32(len(src)))
}

// isList reports whether a list contains messages, judging by its first object or by a string before it that describes
// changes. Any other list, such as a list of parts, is the body of a tool result.
func isList(src []byte) bool {
	r := jsonspan.New(src)
	for r.Array(); r.Elem(); {
		if r.Kind() == jsonspan.String {
			if t := r.Text(); r.Err() == nil && strings.HasPrefix(string(src[t.Start+1:min(t.End, t.Start+16)]), "changes ") {
				return true
			}
			continue
		}
		if r.Kind() != jsonspan.Object {
			r.Skip()
			continue
		}
		return isMessage(r)
	}
	return false
}

// isMessage reports whether the object at the scanner has a role, or a type that isn't that of a part.
func isMessage(r *jsonspan.Scanner) bool {
	kind := ""
	for key := range r.Members {
		switch {
		case string(key) == "role" && r.Kind() == jsonspan.String:
			return true
		case string(key) == "type" && r.Kind() == jsonspan.String:
			kind = jsonspan.Text(r.Src(), r.Text().Span)
		default:
			r.Skip()
		}
	}
	return kind != "" && !isPart([]byte(kind))
}

// readList reads a list of messages. In the body of a fold or of a list of changes, there are also strings between the
// messages. These strings may contain handles.
func (s *searching) readList(r *jsonspan.Scanner, body int32) {
	index := int32(0)
	for r.Array(); r.Elem(); index++ {
		switch r.Kind() {
		case jsonspan.Object:
			s.readMessage(r, body, index)
		case jsonspan.String:
			s.addHandlesIn(jsonspan.Text(r.Src(), r.Text().Span))
		default:
			r.Skip()
		}
		if s.full {
			return
		}
	}
}

// addHandlesIn collects the handles in line, a string that appears between two messages of a body. It is either a
// single handle or a line that describes a change and may contain handles.
func (s *searching) addHandlesIn(line string) {
	if word, _, _ := strings.Cut(line, " "); len(line) > 1<<16 || word == "gone" || word == "last" || word == "space" || word == "end" {
		return
	}
	for _, word := range strings.Fields(line) {
		s.addHandle(word)
	}
}

// readMessage reads a message or any other body that isn't a list of messages.
func (s *searching) readMessage(r *jsonspan.Scanner, body, index int32) {
	kind := r.Kind()
	s.beginMessage(body, index, r.Pos())
	m := message{searching: s, r: r}
	if kind == jsonspan.Object {
		m.readObject(0)
	} else {
		m.readValue(0)
	}
	d := &s.cur
	switch {
	case m.answers && d.role == User && !m.says, !m.hasRole && !m.typed:
		d.role = Tool
	}
	s.endMessage(r.Pos())
}

// beginMessage starts a message. Its role and date become known while it is read.
func (s *searching) beginMessage(body, index int32, from uint32) {
	s.cur = doc{body: body, index: index, from: from, role: Tool}
	s.pieces = 0
	s.messages++
}

// endMessage finishes a message, which ends at offset to. It sets the end, the role and the date of
// all docs that were made from it. A message without a date gets that of the newest dated message
// before it that isn't a tool result.
func (s *searching) endMessage(to uint32) {
	d := &s.cur
	if d.date == 0 {
		d.date = s.carried
	} else if d.role != Tool {
		s.carried = d.date
	}
	s.closeDoc()
	for i := len(s.docs) - 1; i >= 0 && s.docs[i].body == d.body && s.docs[i].index == d.index; i-- {
		s.docs[i].end, s.docs[i].role, s.docs[i].date, s.docs[i].digest = to, d.role, d.date, d.digest
	}
}

// closeDoc makes a doc of the message's text since its previous doc, unless that text has no words;
// the first doc of a message may be without words. If there are too many docs, it sets s.full
// instead.
func (s *searching) closeDoc() {
	if s.cur.piece > 0 && s.cur.words == 0 {
		return
	}
	if len(s.docs) == MostMessages {
		s.full = true
		return
	}
	at := int32(len(s.docs))
	for _, k := range s.touched {
		if s.tf[k] > 0 {
			s.posts = append(s.posts, post{doc: at, tf: s.tf[k], term: k})
		}
		if s.pair[k] > 0 {
			s.posts = append(s.posts, post{doc: at, tf: s.pair[k], term: k, pair: true})
		}
		s.tf[k], s.pair[k], s.last[k] = 0, 0, 0
	}
	s.touched = s.touched[:0]
	s.docs = append(s.docs, s.cur)
	s.cur.piece++
	s.cur.words = 0
}

// pieceBytes is the size of the docs into which a long text is split, because a tool result of many pages answers
// many questions.
const pieceBytes = 2048

// addText adds text to the message that is being read. If texts are being collected for a snippet, it only appends text
// to them, after a line feed.
func (s *searching) addText(text []byte) {
	if s.collects {
		if len(s.collected) > 0 {
			s.collected = append(s.collected, '\n')
		}
		s.collected = append(s.collected, text...)
		return
	}
	if s.full {
		return
	}
	s.addLeadingHandle(text)
	if s.pieces++; s.pieces == 1 || s.cur.date == 0 && s.pieces < 4 {
		if head := text[:min(len(text), dates.HeaderRoom)]; dates.MayHold(head) {
			if d, _ := dates.Header(string(head)); d.Date != 0 {
				s.cur.date = d.Date
			}
		}
	}
	for len(text) > pieceBytes+pieceBytes/2 && !s.full {
		n := pieceEnd(text)
		s.countWords(text[:n])
		s.closeDoc()
		text = text[n:]
	}
	s.countWords(text)
}

// pieceEnd returns the length of the first piece of a text of more than pieceBytes bytes: up to the
// end of a line or a word if possible, otherwise up to the start of a rune.
func pieceEnd(text []byte) int {
	space := 0
	for n := pieceBytes; n > pieceBytes/2; n-- {
		switch text[n-1] {
		case '\n':
			return n
		case ' ':
			space = max(space, n)
		}
	}
	if space > 0 {
		return space
	}
	n := pieceBytes
	for n > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// countWords counts the query's words in text of the message. It also counts all words of the text, which determine the
// message's length.
func (s *searching) countWords(text []byte) {
	before := s.cur.words
	var n int
	s.found, n = s.known.Find(s.found[:0], text)
	for _, f := range s.found {
		k := f.Term
		if s.tf[k] == 0 && s.pair[k] == 0 {
			s.touched = append(s.touched, uint8(k))
		}
		if !f.Exact {
			s.tf[k] += relativeShare
			continue
		}
		s.tf[k] += one
		at := before + f.Word + 1
		s.last[k] = at
		if k > 0 && s.last[k-1] > 0 {
			s.recordDistance(k, at-s.last[k-1])
		}
		if int(k)+1 < len(s.term) && s.last[k+1] > 0 {
			if s.tf[k+1] > 0 {
				s.recordDistance(k+1, at-s.last[k+1]+1)
			}
		}
	}
	s.cur.words += int32(n)
}

// recordDistance records the distance in words between term k and the term before it, if it is the smallest so far.
func (s *searching) recordDistance(k, distance int32) {
	if distance <= maxPairDistance && (s.pair[k] == 0 || distance < s.pair[k]) {
		s.pair[k] = max(distance, 1)
	}
}

// message is a message being read.
type message struct {
	*searching
	r       *jsonspan.Scanner // reads the message
	hasRole bool              // whether a member gave its role
	typed   bool              // its type determined its role
	answers bool              // it contains a tool result
	says    bool              // it contains text of its own
}

// readValue reads a value in a message and searches its strings. depth is its nesting depth.
func (m *message) readValue(depth int) {
	switch m.r.Kind() {
	case jsonspan.String:
		t := m.r.Text()
		if m.r.Err() != nil {
			return
		}
		src := m.r.Src()
		if !t.Escaped {
			m.addText(src[t.Start+1 : t.End-1])
			return
		}
		m.room = jsonspan.AppendText(m.room[:0], src, t.Span)
		m.addText(m.room)
	case jsonspan.Array:
		for m.r.Array(); m.r.Elem(); {
			m.readValue(depth + 1)
		}
	case jsonspan.Object:
		m.readObject(depth + 1)
	default:
		m.r.Skip()
	}
}

// readObject reads an object in a message. At depth 0, the message itself, it also notes the role and the date.
func (m *message) readObject(depth int) {
	for m.r.Object(); ; {
		key, ok := m.r.Key()
		if !ok {
			return
		}
		kind := m.r.Kind()
		switch {
		case depth == 0 && m.readTopMember(key, kind):
		case kind == jsonspan.String && string(key) == "type":
			m.readType(depth)
		case isNoText(key):
			m.r.Skip()
		default:
			m.answers = m.answers || string(key) == "functionResponse"
			m.readValue(depth)
		}
	}
}

// readTopMember reads a member of the message that says something about the whole message, or the message inside a
// session file's entry. It returns false for any other member.
func (m *message) readTopMember(key []byte, kind jsonspan.Kind) bool {
	switch {
	case kind == jsonspan.Object && string(key) == "message":
		m.readObject(0)
	case kind == jsonspan.String && string(key) == "role":
		if role, ok := RoleNamed(m.shortString()); ok && !m.hasRole {
			m.cur.role, m.hasRole = role, true
		}
	case (kind == jsonspan.String || kind == jsonspan.Number) && dates.IsKey(key):
		value := m.r.Skip()
		if d := dates.DateOfValue(value.Slice(m.r.Src())); m.r.Err() == nil && d != 0 {
			m.cur.date = d
		}
	default:
		return false
	}
	return true
}

// readType reads the type of the message, at depth 0, or of an object in it.
func (m *message) readType(depth int) {
	value := m.shortString()
	if depth == 0 {
		if role, ok := roleOfType(value); ok && !m.hasRole {
			m.cur.role, m.typed = role, true
		}
		return
	}
	m.answers = m.answers || string(value) == "tool_result" || string(value) == "tool-result"
	m.says = m.says || depth < 4 && string(value) == "text" && !m.answers
}

// shortString reads a string and returns it if it is short enough to be a name, otherwise nil.
func (m *message) shortString() []byte {
	t := m.r.Text()
	if m.r.Err() != nil || t.Len() > 64 || t.Escaped {
		return nil
	}
	return m.r.Src()[t.Start+1 : t.End-1]
}

// The text before a handle: in a marker at the beginning of text, or on the second line of a digest.
const (
	markerRoom   = 512
	markerHandle = ". Handle: "
	digestHandle = "Handle of the folded messages: "
)

// addLeadingHandle collects the handle at the beginning of text, if the text is a marker or a digest.
func (s *searching) addLeadingHandle(text []byte) {
	text = text[:min(len(text), markerRoom)]
	if len(text) < handles.Short {
		return
	}
	if text[0] == '[' {
		if _, after, found := bytes.Cut(text, []byte(markerHandle)); found && len(after) > handles.Short && after[handles.Short] == ']' {
			s.addHandle(string(after[:handles.Short]))
		}
	}
	if s.pieces > 0 || text[0] != '[' && text[0] != '#' && text[0] != '<' { // digests begin like this
		return
	}
	_, after, found := bytes.Cut(text, []byte("\n"+digestHandle))
	if found && len(after) >= handles.Short && handles.IsHandle(string(after[:handles.Short])) {
		handle := string(after[:handles.Short])
		s.addHandle(handle)
		s.cur.digest = s.isGiven(handle)
	}
}

// addHandle adds a string to the handles that bodies name if the string has the form of a handle.
func (s *searching) addHandle(handle string) {
	if handles.IsHandle(handle) {
		s.named = append(s.named, handle)
	}
}

// isGiven reports whether the body with the given handle is among the searched bodies.
func (s *searching) isGiven(handle string) bool { return s.handed.Has(handle[:handles.Short]) }

// missingHandles returns the handles of bodies that are named but were not given, without duplicates.
func (s *searching) missingHandles() (list []string) {
	seen := &s.handed
	for _, h := range s.named {
		if short := h[:handles.Short]; !seen.Has(short) {
			seen.Add(short)
			list = append(list, h)
		}
	}
	return list
}
