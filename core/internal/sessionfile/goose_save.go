package sessionfile

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// gooseCounts are the counts of a request that is not sent again; Goose estimates if they are missing.
var gooseCounts = rename{{key: "total_tokens", to: "total_tokens", value: "null"}, {key: "input_tokens", to: "input_tokens", value: "null"},
	{key: "output_tokens", to: "output_tokens", value: "null"}, {key: "usage"}}

// save compacts as Goose does: messages that are no longer sent stay in the conversation and are marked as invisible to the model, and new
// messages, which only the model sees, are at their place among them. Messages without such marks, of before Goose's database, are replaced.
//
// Goose orders the messages of a session by their time, so each new message has the time of the message before it, or of the
// first message.
func (g *goose) save(s *saver) {
	s.kept, s.out = start(g.src), nil
	if g.list.Zero() {
		if !g.about.Zero() {
			s.out = append(appendObject(s.out, g.src, g.about, gooseCounts.find), '\n')
		}
		g.merge(s)
		return
	}
	s.out = appendObject(s.out, g.src, jsonspan.Span{Start: uint32(s.kept), End: uint32(len(g.src))}, func(key []byte) *member {
		if string(key) == "conversation" {
			return &member{key: "conversation", to: "conversation", with: func(dst, _ []byte, _ jsonspan.Span) []byte {
				s.out = append(dst, '[')
				g.merge(s)
				return append(s.out, ']')
			}}
		}
		return gooseCounts.find(key)
	})
}

// merge writes the new messages among the records of the file.
func (g *goose) merge(s *saver) {
	n, next, created := 0, int32(0), int64(0)
	separator := "\n"
	if !g.list.Zero() {
		separator = ","
	}
	begin := func() {
		if n > 0 {
			s.write(separator)
		}
		n++
	}
	// until writes the records before one: those that were sent are not sent any more.
	until := func(record int32) {
		for ; next < record; next++ {
			r := &g.records[next]
			created = max(created, r.created)
			if r.sent && !g.marks {
				continue
			}
			begin()
			if !r.sent {
				s.out = append(s.out, r.at.Of(g.src)...)
			} else {
				s.out = gooseHidden(s.out, g.src, r.at)
			}
		}
	}
	// A new message is right before the record of the next one that stays, after what it replaces.
	before := filled(len(s.from), int32(len(g.records)))
	for i := len(s.from) - 2; i >= 0; i-- {
		if before[i] = before[i+1]; s.from[i+1] >= 0 {
			before[i] = s.first(s.from[i+1])
		}
	}
	for i := range s.in.Messages {
		if k := s.from[i]; k >= 0 {
			for _, o := range s.origins[s.begins[k]:s.begins[k+1]] {
				until(o.record)
				begin()
				s.out = append(s.out, g.records[next].at.Of(g.src)...)
				created = max(created, g.records[next].created)
				next++
			}
			continue
		}
		until(before[i])
		begin()
		if created == 0 && len(g.records) > 0 {
			created = g.records[0].created
		} else if created == 0 {
			created = millis(s.in.Time) / 1000
		}
		s.write(`{"id":`)
		s.quote("msg_" + s.id())
		s.write(`,"role":`)
		s.quote(s.role(i))
		s.write(`,"created":` + strconv.FormatInt(created, 10) + `,"content":`)
		s.out = gooseContent(s.out, s.in.Src, find(s.in.Src, s.in.Messages[i], "content"))
		s.write(`,"metadata":{"userVisible":false,"agentVisible":true}}`)
	}
	if until(int32(len(g.records))); n > 0 && g.list.Zero() {
		s.write("\n")
	}
}

// gooseHidden appends a message that the model does not see any more.
func gooseHidden(dst, src []byte, at jsonspan.Span) []byte {
	marked := false
	dst = appendObject(dst, src, at, func(key []byte) *member {
		if string(key) != "metadata" {
			return nil
		}
		marked = true
		return &member{key: "metadata", to: "metadata", with: func(dst, src []byte, value jsonspan.Span) []byte {
			if src[value.Start] != '{' {
				return append(dst, `{"userVisible":true,"agentVisible":false}`...)
			}
			dst = appendObject(dst, src, value, rename{{key: "agentVisible"}}.find)
			if dst[len(dst)-2] != '{' {
				dst = append(dst[:len(dst)-1], ',', '}')
			}
			return append(dst[:len(dst)-1], `"agentVisible":false}`...)
		}}
	})
	if !marked {
		dst = append(dst[:len(dst)-1], `,"metadata":{"userVisible":true,"agentVisible":false}}`...)
	}
	return dst
}

// gooseContent appends Anthropic's content as Goose keeps it.
func gooseContent(dst, src []byte, content jsonspan.Span) []byte {
	dst = append(dst, '[')
	if !content.Zero() && src[content.Start] == '"' {
		dst = append(jsonspan.AppendCompact(append(dst, `{"type":"text","text":`...), content.Of(src)), '}')
	} else if !content.Zero() && src[content.Start] == '[' {
		list := content.Of(src)
		for i, p := range elements(list) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = gooseOwn(dst, list, p)
		}
	}
	return append(dst, ']')
}

// gooseOwn appends a block of Anthropic's as Goose keeps it. A block that it has no place for stays as it is, and is not found again.
func gooseOwn(dst, src []byte, at jsonspan.Span) []byte {
	value := func(key string, p jsonspan.Span) {
		if dst = append(dst, key...); p.Zero() {
			dst = append(dst, `null`...)
			return
		}
		dst = jsonspan.AppendCompact(dst, p.Of(src))
	}
	typ := jsonspan.Text(src, stringAt(src, at, "type"))
	switch typ {
	case "text":
		value(`{"type":"text","text":`, stringAt(src, at, "text"))
	case "thinking":
		value(`{"type":"thinking","thinking":`, stringAt(src, at, "thinking"))
		value(`,"signature":`, stringAt(src, at, "signature"))
	case "redacted_thinking":
		value(`{"type":"redactedThinking","data":`, stringAt(src, at, "data"))
	case "image", "document":
		source := find(src, at, "source")
		data, mime := stringAt(src, source, "data"), stringAt(src, source, "media_type")
		if data.Zero() || mime.Zero() {
			return append(dst, at.Of(src)...)
		}
		value(`{"type":"`+typ+`","data":`, data)
		value(`,"mimeType":`, mime)
	case "tool_use":
		value(`{"type":"toolRequest","id":`, stringAt(src, at, "id"))
		value(`,"toolCall":{"status":"success","value":{"name":`, stringAt(src, at, "name"))
		value(`,"arguments":`, find(src, at, "input"))
		dst = append(dst, `}}`...)
	case "tool_result":
		content, failed := find(src, at, "content"), find(src, at, "is_error")
		value(`{"type":"toolResponse","id":`, stringAt(src, at, "tool_use_id"))
		dst = append(dst, `,"toolResult":{"status":"success","value":{"content":`...)
		if list := content.Of(src); !content.Zero() && src[content.Start] == '[' {
			if s := scanner(list, 0); !gooseTexts(s) {
				dst = gooseContent(dst, src, content)
			} else {
				dst = append(jsonspan.AppendString(append(dst, `[{"type":"text","text":`...), gooseJoined(list)), `}]`...)
			}
		} else {
			dst = gooseContent(dst, src, content)
		}
		if dst = append(dst, `,"isError":`...); !failed.Zero() && src[failed.Start] == 't' {
			dst = append(dst, `true}}`...)
		} else {
			dst = append(dst, `false}}`...)
		}
	default:
		return append(dst, at.Of(src)...)
	}
	return append(dst, '}')
}

// gooseTexts reports whether a list has nothing but texts, which Goose sends as one.
func gooseTexts(s *jsonspan.Scanner) bool {
	for s.Array(); s.Elem(); {
		if at := s.Skip().Span; !jsonspan.EqualText(s.Src(), stringAt(s.Src(), at, "type"), "text") {
			return false
		}
	}
	return true
}

// gooseJoined is a list of texts as Goose sends it.
func gooseJoined(list []byte) string {
	var all []byte
	for i, p := range elements(list) {
		if i > 0 {
			all = append(all, '\n')
		}
		all = jsonspan.AppendText(all, list, stringAt(list, p, "text"))
	}
	return string(all)
}

// tell leaves out the boundaries between messages of one role, and how results are spelled.
func (g *goose) tell(dst, src []byte, message jsonspan.Span, i int) []byte {
	role := jsonspan.Text(src, find(src, message, "role"))
	if i == 0 || role != g.last {
		g.last = role
		dst = append(append(dst, '\n'), role...)
	}
	content := gooseContent(nil, src, find(src, message, "content"))
	for _, p := range elements(content) {
		dst = append(append(dst, '\n'), p.Of(content)...)
	}
	return dst
}
