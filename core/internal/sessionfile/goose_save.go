package sessionfile

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// gooseCounts removes the token counts, which describe a request that won't be sent again. Without counts, Goose
// estimates.
var gooseCounts = withoutKeys("usage").withValue("total_tokens", "null").withValue("input_tokens", "null").
	withValue("output_tokens", "null")

// save compacts as Goose does: messages that are no longer sent stay in the conversation, marked as invisible
// to the model, and new messages, which only the model sees, are inserted in their place. In files from before Goose's
// database, whose messages have no such marks, messages are replaced.
//
// Goose orders the messages of a session by time, so a new message gets the time of the message before it, or of the
// first message.
func (g *goose) save(s *saver) {
	s.kept, s.out = textStart(g.src), nil
	if g.list.IsZero() {
		if !g.about.IsZero() {
			s.out = append(appendObject(s.out, g.src, g.about, gooseCounts.conversionOf), '\n')
		}
		g.merge(s)
		return
	}
	conversation := member{key: "conversation", to: "conversation", with: func(dst, _ []byte, _ jsonspan.Span) []byte {
		s.out = append(dst, '[')
		g.merge(s)
		return append(s.out, ']')
	}}
	session := jsonspan.Span{Start: uint32(s.kept), End: uint32(len(g.src))}
	s.out = appendObject(s.out, g.src, session, append(rename{conversation}, gooseCounts...).conversionOf)
}

// gooseMerge writes the new messages between the records of the file.
type gooseMerge struct {
	*goose
	s         *saver // has the messages to save
	n         int    // number of messages written
	next      int32  // the record to write next
	created   int64  // the newest time of the records so far, in seconds since 1970
	separator string // between messages
}

// merge writes the new messages between the records of the file. A new message goes directly before the next record
// that stays, after the records that it replaces.
func (g *goose) merge(s *saver) {
	m := gooseMerge{goose: g, s: s, separator: ","}
	if g.list.IsZero() {
		m.separator = "\n"
	}
	before := filled(len(s.from), int32(len(g.records)))
	for i := len(s.from) - 2; i >= 0; i-- {
		if before[i] = before[i+1]; s.from[i+1] >= 0 {
			before[i] = s.firstRecord(s.from[i+1])
		}
	}
	for i := range s.in.Messages {
		if k := s.from[i]; k >= 0 {
			m.old(s.recordsOf(k))
		} else {
			m.until(before[i])
			m.new(i)
		}
	}
	if m.until(int32(len(g.records))); m.n > 0 && g.list.IsZero() {
		s.write("\n")
	}
}

func (m *gooseMerge) begin() {
	if m.n > 0 {
		m.s.write(m.separator)
	}
	m.n++
}

// until writes the records before the given one. Those that were sent before are marked as no
// longer sent or, if the file has no such marks, left out.
func (m *gooseMerge) until(record int32) {
	for ; m.next < record; m.next++ {
		r := &m.records[m.next]
		m.created = max(m.created, r.created)
		switch {
		case !r.sent:
			m.begin()
			m.s.write(r.at)
		case m.marks:
			m.begin()
			m.s.out = gooseHidden(m.s.out, m.src, r.at)
		}
	}
}

// old writes the records of a message that stays.
func (m *gooseMerge) old(records []origin) {
	for _, o := range records {
		m.until(o.record)
		m.begin()
		m.s.write(m.records[m.next].at)
		m.created = max(m.created, m.records[m.next].created)
		m.next++
	}
}

// new writes message i as a new record. It gets the time of the record that it replaces, of the first record of the
// file, or of saving.
func (m *gooseMerge) new(i int) {
	s := m.s
	m.begin()
	if m.created == 0 && len(m.records) > 0 {
		m.created = m.records[0].created
	} else if m.created == 0 {
		m.created = millis(s.in.Time) / 1000
	}
	s.write(`{"id":"msg_`+s.id()+`","role":`, quoted(s.role(i)), `,"created":`, m.created, `,"content":`)
	s.out = gooseContent(s.out, s.in.Src, find(s.in.Src, s.in.Messages[i], "content"))
	s.write(`,"metadata":{"userVisible":false,"agentVisible":true}}`)
}

// gooseHidden appends a message from the file, marked as invisible to the model.
func gooseHidden(dst, src []byte, at jsonspan.Span) []byte {
	if find(src, at, "metadata").IsZero() {
		return appendJSON(withoutBrace(appendObject(dst, src, at, rename(nil).conversionOf)), nil,
			`,"metadata":{"userVisible":true,"agentVisible":false}}`)
	}
	return appendObject(dst, src, at, rename{{key: "metadata", to: "metadata", with: func(dst, src []byte, value jsonspan.Span) []byte {
		if src[value.Start] != '{' {
			return append(dst, `{"userVisible":true,"agentVisible":false}`...)
		}
		dst = withoutBrace(appendObject(dst, src, value, withoutKeys("agentVisible").conversionOf))
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		return append(dst, `"agentVisible":false}`...)
	}}}.conversionOf)
}

// gooseContent appends content in Anthropic's form as a list of blocks in Goose's form.
func gooseContent(dst, src []byte, content jsonspan.Span) []byte {
	switch {
	case content.IsZero():
	case src[content.Start] == '"':
		return append(jsonspan.AppendCompact(append(dst, `[{"type":"text","text":`...), content.Slice(src)), `}]`...)
	case src[content.Start] == '[':
		return appendList(dst, src, content, gooseOwn)
	}
	return append(dst, `[]`...)
}

// gooseOwnBlocks holds the templates that convert Anthropic's blocks to Goose's form, by type.
var gooseOwnBlocks = map[string]string{
	"text":              `{"type":"text","text":$text?null;}`,
	"thinking":          `{"type":"thinking","thinking":$thinking?null;,"signature":$signature?null;}`,
	"redacted_thinking": `{"type":"redactedThinking","data":$data?null;}`,
	"image":             `{"type":"image","data":$source.data,"mimeType":$source.media_type}`,
	"document":          `{"type":"document","data":$source.data,"mimeType":$source.media_type}`,
	"tool_use":          `{"type":"toolRequest","id":$id?null;,"toolCall":{"status":"success","value":{"name":$name?null;,"arguments":`,
	"tool_result":       `{"type":"toolResponse","id":$tool_use_id?null;,"toolResult":{"status":"success","value":{"content":`,
}

// gooseOwn appends an Anthropic block in Goose's form. A block for which Goose has no form stays unchanged; it won't
// be read from the file again.
func gooseOwn(dst, src []byte, at jsonspan.Span) []byte {
	typ := typeOf(src, at)
	template, known := gooseOwnBlocks[typ]
	if media := typ == "image" || typ == "document"; !known ||
		media && (stringAt(src, at, "source.data").IsZero() || stringAt(src, at, "source.media_type").IsZero()) {
		return append(dst, at.Slice(src)...)
	}
	from := len(dst)
	dst = appendFilled(dst, src, at, template)
	switch typ {
	case "tool_use":
		if input := find(src, at, "input"); input.IsZero() {
			dst = append(dst, `null`...)
		} else {
			dst = append(dst, input.Slice(src)...)
		}
		dst = append(dst, `}}}`...)
	case "tool_result":
		if content := find(src, at, "content"); gooseTexts(src, content) {
			dst = appendJSON(dst, nil, `[{"type":"text","text":`, quoted(gooseJoined(src, content)), `}]`)
		} else {
			dst = gooseContent(dst, src, content)
		}
		if isTrue(src, at, "is_error") {
			dst = append(dst, `,"isError":true}}}`...)
		} else {
			dst = append(dst, `,"isError":false}}}`...)
		}
	}
	return jsonspan.AppendCompact(dst[:from], slices.Clone(dst[from:]))
}

// gooseTexts reports whether content is a list of text blocks only, which Goose sends as a single text block.
func gooseTexts(src []byte, content jsonspan.Span) bool {
	for _, at := range items(src, content) {
		if typeOf(src, at) != "text" {
			return false
		}
	}
	return !content.IsZero() && src[content.Start] == '['
}

// gooseJoined returns the texts of a list joined by line feeds, as Goose sends them.
func gooseJoined(src []byte, content jsonspan.Span) string {
	var all []byte
	for i, at := range items(src, content) {
		if i > 0 {
			all = append(all, '\n')
		}
		all = jsonspan.AppendText(all, src, stringAt(src, at, "text"))
	}
	return string(all)
}

// appendPreserved implements [writer]. It ignores the boundaries between messages with the same
// role, and compares results in Goose's form, however they are spelled.
func (g *goose) appendPreserved(dst, src []byte, message jsonspan.Span, i int) []byte {
	dst = g.begin(dst, jsonspan.Text(src, find(src, message, "role")), i, true)
	content := gooseContent(nil, src, find(src, message, "content"))
	for _, p := range elements(content) {
		dst = append(append(dst, '\n'), p.Slice(content)...)
	}
	return dst
}
