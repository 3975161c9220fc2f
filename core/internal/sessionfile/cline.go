package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Cline's command line, its SDK, and the extension built on the same core keep one object with a list of messages, ID.messages.json. The
// blocks are Anthropic's plus members of other providers; images and files have their own shape, and each result is a separate user message.
// Cline keeps its own compactions in a file next to it, which it ignores if the list has changed.
func init() {
	register(&Kind{
		Name:   "cline",
		Doc:    "Cline since its command line: ID.messages.json",
		Format: "anthropic",
		Signs:  []Sign{{"", []string{"messages", "updated_at", "agent", "sessionId"}}},
		Read:   readCline,
	})
}

// clineRecord is a message of the list.
type clineRecord struct {
	at, content jsonspan.Span
	role        string
	ts          int64
	usage       Usage
}

type cline struct {
	*file
	merged
	list    jsonspan.Span
	records []clineRecord
	folded  int64 // when the newest digest was made, in milliseconds since 1970
	model   jsonspan.Span
}

func readCline(f *file) writer {
	c := &cline{file: f}
	s := f.scan(uint32(start(f.src)))
	members(s, func(key []byte) bool {
		switch string(key) {
		case "messages":
			if s.Kind() != jsonspan.Array {
				s.Fail(jsonspan.WrongType, int(s.Pos()), "messages must be a list")
				return true
			}
			c.list.Start = s.Pos()
			for s.Array(); s.Elem(); {
				if s.Kind() != jsonspan.Object {
					s.Fail(jsonspan.WrongType, int(s.Pos()), "a message must be an object")
					break
				}
				c.record(s)
			}
			c.list.End = s.Pos()
		case "system_prompt":
			f.System = f.textAt(text(s))
		case "updated_at":
			f.timed(text(s))
		default:
			return false
		}
		return true
	})
	s.End()
	if f.fail(s.Err(), 0); f.err == nil {
		c.write()
		f.Model = f.textAt(c.model)
	}
	return c
}

func (c *cline) record(s *jsonspan.Scanner) {
	r := clineRecord{at: jsonspan.Span{Start: s.Pos()}}
	digest, made := false, int64(0)
	members(s, func(key []byte) bool {
		switch string(key) {
		case "role":
			r.role = word(s, "user", "assistant")
			return true
		case "content":
			r.content = s.Skip().Span
			return true
		case "ts":
			r.ts = tokens(s)
			return true
		}
		if s.Kind() != jsonspan.Object {
			return false
		}
		switch string(key) {
		case "metadata":
			members(s, func(key []byte) bool {
				switch string(key) {
				case "kind":
					digest = word(s, "compaction_summary") != ""
				case "generatedAt":
					made = tokens(s)
				default:
					return false
				}
				return true
			})
		case "modelInfo":
			members(s, func(key []byte) bool {
				if string(key) != "id" {
					return false
				}
				c.model = text(s)
				return true
			})
		case "metrics":
			r.usage = clineUsage(s)
		default:
			return false
		}
		return true
	})
	if r.at.End = s.Pos(); digest {
		c.folded = max(c.folded, made)
	}
	c.records = append(c.records, r)
}

// clineUsage reads what a call has cost. The tokens of the prompt are told with those of the cache among them.
func clineUsage(s *jsonspan.Scanner) (u Usage) {
	members(s, func(key []byte) bool {
		switch string(key) {
		case "inputTokens":
			u.Input = tokens(s)
		case "outputTokens":
			u.Output = tokens(s)
		case "cacheReadTokens":
			u.CacheRead = tokens(s)
		case "cacheWriteTokens":
			u.CacheWrite = tokens(s)
		default:
			return false
		}
		return true
	})
	if cached := u.CacheRead + u.CacheWrite; u.Input >= cached {
		u.Input -= cached
	}
	return u
}

// write writes the messages; those of the user in a row are one, as they are sent: each result of calls at once has its own here.
func (c *cline) write() {
	for i := 0; i < len(c.records); {
		r := &c.records[i]
		if why := c.left(r); why != "" {
			c.skip(why, 1)
			i++
			continue
		}
		run := []int32{int32(i)}
		for i++; r.role == "user" && i < len(c.records); i++ {
			next := &c.records[i]
			if why := c.left(next); why != "" {
				c.skip(why, 1)
				continue
			}
			if next.role != "user" {
				break
			}
			run = append(run, int32(i))
		}
		c.message()
		c.put(`{"role":"` + r.role + `","content":`)
		if c.src[r.content.Start] == '"' && len(run) == 1 {
			c.copy(r.content)
		} else {
			c.put(`[`)
			n := 0
			for _, k := range run {
				c.blocks(&c.records[k], func(block jsonspan.Span) {
					if n++; n > 1 {
						c.put(`,`)
					}
					c.Messages = clineBlock(c.Messages, c.src, block)
				})
			}
			c.put(`]`)
		}
		c.put(`}`)
		for _, k := range run {
			c.came(k)
		}
		if u := r.usage; r.role == "assistant" && r.ts > c.folded && u.Total() > 0 {
			u.Message = c.Count - 1
			c.used(u)
		}
	}
}

// left is why a message is left out; "" where it is sent.
func (c *cline) left(r *clineRecord) api.SkipReason {
	switch {
	case r.role == "" || r.content.Zero():
		return api.SkipMeta
	case c.blocks(r, nil) == 0:
		return api.SkipEmpty
	}
	return ""
}

// blocks counts the blocks of a message that are sent, and calls one for each.
func (c *cline) blocks(r *clineRecord, one func(block jsonspan.Span)) (n int) {
	s := c.scan(r.content.Start)
	found := func(at jsonspan.Span) {
		if n++; one != nil {
			one(at)
		}
	}
	switch s.Kind() {
	case jsonspan.String:
		if t := s.Text(); t.Bytes > 0 {
			found(t.Span)
		}
		return n
	case jsonspan.Array:
	default:
		return 0
	}
	for s.Array(); s.Elem(); {
		at := s.Skip().Span
		switch jsonspan.Text(c.src, stringAt(c.src, at, "type")) {
		case "media", "redacted_thinking": // Cline sends neither to Anthropic
			continue
		case "thinking":
			if find(c.src, at, "signature").Len() <= 2 {
				continue // Anthropic takes none that it has not signed
			}
		}
		found(at)
	}
	return n
}

var (
	clineUse      = rename{{key: "call_id"}, {key: "signature"}}
	clineThinking = rename{{key: "call_id"}, {key: "details"}, {key: "summary"}}
)

// clineBlock appends a block as Anthropic has it, or a string as one.
func clineBlock(dst, src []byte, at jsonspan.Span) []byte {
	if src[at.Start] == '"' {
		return append(append(append(dst, `{"type":"text","text":`...), at.Of(src)...), '}')
	}
	table := rename(nil)
	switch jsonspan.Text(src, stringAt(src, at, "type")) {
	case "tool_use":
		table = clineUse
	case "tool_result":
		table = rename{{key: "name"}, {key: "content", to: "content", with: clineOutput}}
	case "thinking":
		table = clineThinking
	case "image":
		data, mime := stringAt(src, at, "data"), stringAt(src, at, "mediaType")
		if data.Zero() || mime.Zero() {
			break
		}
		dst = append(append(dst, `{"type":"image","source":{"type":"base64","media_type":`...), mime.Of(src)...)
		return append(append(append(dst, `,"data":`...), data.Of(src)...), `}}`...)
	case "file":
		path, content := jsonspan.Text(src, stringAt(src, at, "path")), jsonspan.Text(src, stringAt(src, at, "content"))
		said := "<file_content path=\"" + path + "\">\n" + content + "\n</file_content>"
		return append(jsonspan.AppendString(append(dst, `{"type":"text","text":`...), said), '}')
	}
	own := false
	s := scanner(src, at.Start)
	if s.Kind() == jsonspan.Object {
		members(s, func(key []byte) bool { own = own || table.find(key) != nil; return false })
	}
	if !own {
		return append(dst, at.Of(src)...)
	}
	return appendObject(dst, src, at, table.find)
}

// clineOutput appends what a tool has answered: a text, or a list of texts, images and files. Any other list is sent as JSON in a text.
func clineOutput(dst, src []byte, value jsonspan.Span) []byte {
	s := scanner(src, value.Start)
	if s.Kind() != jsonspan.Array {
		return append(dst, value.Of(src)...)
	}
	for s.Array(); s.Elem(); {
		switch at := s.Skip().Span; jsonspan.Text(src, stringAt(src, at, "type")) {
		case "text", "image", "file":
		default:
			return jsonspan.AppendString(dst, jsonspan.AppendCompact(nil, value.Of(src)))
		}
	}
	s = scanner(src, value.Start)
	dst = append(dst, '[')
	n := 0
	for s.Array(); s.Elem(); n++ {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = clineBlock(dst, src, s.Skip().Span)
	}
	return append(dst, ']')
}
