package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Goose keeps its sessions in a database and exports each as one object with a conversation. Before its database it wrote lines: an object
// that describes the session, then one message per line. Nothing is removed from a conversation: messages that the agent no longer sends are
// marked so in their metadata. Its blocks become Anthropic's in the way that it converts them for that provider.
func init() {
	register(&Kind{
		Name:   "goose",
		Doc:    "Goose: the output of goose session export --format json, or a session's lines of before its database",
		Format: "anthropic",
		Signs: []Sign{
			{"", []string{"conversation", "working_dir"}}, {"", []string{"working_dir", "message_count"}},
			{"", []string{"role", "created", "content"}},
		},
		Read: readGoose,
	})
}

// gooseRecord is a message of the conversation.
type gooseRecord struct {
	at, content jsonspan.Span
	role        string
	created     int64 // in seconds since 1970
	hidden      bool  // not sent to the model
	summary     bool  // sent to the model, but not shown to the user, as compactions write their messages
	sent        bool  // a part of a message
}

type goose struct {
	*file
	list    jsonspan.Span // of the conversation; zero in a file of lines
	about   jsonspan.Span // in a file of lines: the object that describes the session, if it has one
	records []gooseRecord
	marks   bool // messages say whether they are sent
	usage   Usage
	model   jsonspan.Span
	last    string // the role of the message that was told last
}

func readGoose(f *file) writer {
	g := &goose{file: f}
	if at := uint32(start(f.src)); find(f.src, jsonspan.Span{Start: at, End: uint32(len(f.src))}, "conversation").Zero() {
		f.lines(func(s *jsonspan.Scanner) {
			from := s.Pos()
			if g.record(s); len(g.records) == 1 && g.records[0].role == "" && g.about.Zero() {
				g.records = nil // it describes the session
				s = lineScanner(f.src, int(from), len(f.src))
				g.session(s)
				g.about = jsonspan.Span{Start: from, End: s.Pos()}
			}
		})
	} else {
		s := f.scan(at)
		g.session(s)
		s.End()
		f.fail(s.Err(), 0)
	}
	if f.err == nil {
		g.write()
		f.Model = f.textAt(g.model)
	}
	return g
}

// session reads the object that describes the session, and the conversation if that is in it.
func (g *goose) session(s *jsonspan.Scanner) {
	model := jsonspan.Span{}
	members(s, func(key []byte) bool {
		switch string(key) {
		case "conversation":
			if s.Kind() == jsonspan.Null { // no message yet
				g.list = s.Skip().Span
				return true
			}
			if s.Kind() != jsonspan.Array {
				s.Fail(jsonspan.WrongType, int(s.Pos()), "conversation must be a list")
				return true
			}
			g.list.Start = s.Pos()
			for s.Array(); s.Elem(); {
				if s.Kind() != jsonspan.Object {
					s.Fail(jsonspan.WrongType, int(s.Pos()), "a message must be an object")
					break
				}
				g.record(s)
			}
			g.list.End = s.Pos()
		case "updated_at":
			g.timed(text(s))
		case "usage":
			if s.Kind() != jsonspan.Object {
				return false
			}
			g.counts(s)
		case "input_tokens":
			g.usage.Input = tokens(s)
		case "output_tokens":
			g.usage.Output = tokens(s)
		case "model_config":
			if s.Kind() != jsonspan.Object {
				return false
			}
			members(s, func(key []byte) bool {
				if string(key) != "model_name" {
					return false
				}
				model = text(s)
				return true
			})
		default:
			return false
		}
		return true
	})
	if g.model.Zero() {
		g.model = model
	}
}

// counts reads the provider's counts of the newest request. Its input includes cached tokens.
func (g *goose) counts(s *jsonspan.Scanner) {
	u := Usage{}
	members(s, func(key []byte) bool {
		switch string(key) {
		case "input_tokens":
			u.Input = tokens(s)
		case "output_tokens":
			u.Output = tokens(s)
		case "cache_read_input_tokens":
			u.CacheRead = tokens(s)
		case "cache_write_input_tokens":
			u.CacheWrite = tokens(s)
		default:
			return false
		}
		return true
	})
	if cached := u.CacheRead + u.CacheWrite; u.Input >= cached {
		u.Input -= cached
	}
	g.usage = u
}

func (g *goose) record(s *jsonspan.Scanner) {
	r := gooseRecord{at: jsonspan.Span{Start: s.Pos()}}
	model := jsonspan.Span{}
	members(s, func(key []byte) bool {
		switch string(key) {
		case "role":
			r.role = word(s, "user", "assistant")
		case "created":
			r.created = tokens(s)
		case "content":
			r.content = s.Skip().Span
		case "metadata":
			if s.Kind() != jsonspan.Object {
				return false
			}
			shown := true
			members(s, func(key []byte) bool {
				switch string(key) {
				case "agentVisible":
					g.marks = true
					r.hidden = s.Skip().Kind == jsonspan.False
				case "userVisible":
					shown = s.Skip().Kind != jsonspan.False
				case "inference":
					if s.Kind() != jsonspan.Object {
						return false
					}
					members(s, func(key []byte) bool {
						if string(key) != "requestedModel" {
							return false
						}
						model = text(s)
						return true
					})
				default:
					return false
				}
				return true
			})
			r.summary = !r.hidden && !shown
		default:
			return false
		}
		return true
	})
	r.at.End = s.Pos()
	if r.role == "assistant" && model.Len() > 2 {
		g.model = model
	}
	g.records = append(g.records, r)
}

// write writes the messages that are sent; those of one role in a row are one.
func (g *goose) write() {
	role := ""
	g.usage.Message = -1
	end := func() {
		if role != "" {
			g.put(`]}`)
		}
	}
	for i := range g.records {
		r := &g.records[i]
		first := true
		switch {
		case r.role == "" || r.content.Zero():
			g.skip(api.SkipMeta, 1)
			continue
		case r.hidden:
			g.blocks(r, func(jsonspan.Span) { first = false })
			if first {
				g.skip(api.SkipMeta, 1) // a notice for the user
			} else {
				g.skip(api.SkipCompacted, 1)
			}
			continue
		}
		g.blocks(r, func(block jsonspan.Span) {
			switch {
			case !first || r.role == role:
				g.put(`,`)
			default:
				end()
				role = r.role
				g.message()
				g.put(`{"role":"` + role + `","content":[`)
			}
			first = false
			g.Messages = gooseBlock(g.Messages, g.src, block)
		})
		if first {
			g.skip(api.SkipEmpty, 1)
			continue
		}
		g.came(int32(i))
		switch r.sent = true; {
		case r.summary:
			g.usage.Message = -1 // the counts are of a request before it
		case r.role == "assistant":
			g.usage.Message = g.Count - 1
		}
	}
	if end(); g.usage.Message >= 0 {
		g.used(g.usage)
	}
}

// blocks calls one for each block of a message that is sent.
func (g *goose) blocks(r *gooseRecord, one func(block jsonspan.Span)) {
	s := g.scan(r.content.Start)
	if s.Kind() != jsonspan.Array {
		return
	}
	for s.Array(); s.Elem(); {
		at := s.Skip().Span
		switch jsonspan.Text(g.src, stringAt(g.src, at, "type")) {
		case "text":
			if jsonspan.Blank(g.src, stringAt(g.src, at, "text")) {
				continue
			}
		case "thinking":
			if stringAt(g.src, at, "signature").Len() <= 2 || stringAt(g.src, at, "thinking").Zero() {
				continue // Anthropic takes none that it has not signed
			}
		case "image", "document":
			if stringAt(g.src, at, "data").Zero() || stringAt(g.src, at, "mimeType").Zero() {
				continue
			}
		case "toolRequest", "toolResponse":
			if stringAt(g.src, at, "id").Zero() {
				continue
			}
		case "redactedThinking":
			if stringAt(g.src, at, "data").Zero() {
				continue
			}
		default: // confirmations, notices and errors are only shown
			continue
		}
		if gooseHears(g.src, at) {
			one(at)
		}
	}
}

// gooseHears reports whether content is for the model: its annotations may name who it is for.
func gooseHears(src []byte, at jsonspan.Span) bool {
	audience := find(src, find(src, at, "annotations"), "audience")
	if audience.Zero() || src[audience.Start] != '[' {
		return true
	}
	s := scanner(src, audience.Start)
	for s.Array(); s.Elem(); {
		if word(s, "assistant") != "" {
			return true
		}
	}
	return false
}

// gooseBlock appends a block as Anthropic has it.
func gooseBlock(dst, src []byte, at jsonspan.Span) []byte {
	member := func(key, name string) { dst = append(append(dst, key...), stringAt(src, at, name).Of(src)...) }
	switch jsonspan.Text(src, stringAt(src, at, "type")) {
	case "text":
		member(`{"type":"text","text":`, "text")
	case "thinking":
		member(`{"type":"thinking","thinking":`, "thinking")
		member(`,"signature":`, "signature")
	case "redactedThinking":
		member(`{"type":"redacted_thinking","data":`, "data")
	case "image":
		return gooseMedia(dst, src, at, "image")
	case "document":
		return gooseMedia(dst, src, at, "document")
	case "toolRequest":
		call := find(src, find(src, at, "toolCall"), "value")
		name, input := stringAt(src, call, "name"), find(src, call, "arguments")
		member(`{"type":"tool_use","id":`, "id")
		dst = append(dst, `,"name":`...)
		if name.Zero() {
			dst = append(dst, `"unparseable_tool_call"`...) // the model's call could not be read; its result says so
		} else {
			dst = append(dst, name.Of(src)...)
		}
		dst = append(dst, `,"input":`...)
		if input.Zero() || src[input.Start] != '{' {
			dst = append(dst, `{}`...)
		} else {
			dst = append(dst, input.Of(src)...)
		}
	case "toolResponse":
		member(`{"type":"tool_result","tool_use_id":`, "id")
		dst = append(dst, `,"content":`...)
		return append(gooseResult(dst, src, find(src, at, "toolResult")), '}')
	}
	return append(dst, '}')
}

// gooseMedia appends an image or a document.
func gooseMedia(dst, src []byte, at jsonspan.Span, typ string) []byte {
	dst = append(append(dst, `{"type":"`+typ+`","source":{"type":"base64","media_type":`...), stringAt(src, at, "mimeType").Of(src)...)
	return append(append(append(dst, `,"data":`...), stringAt(src, at, "data").Of(src)...), `}}`...)
}

// gooseResult appends the content of a result, and whether it is an error: a text, or a list of texts and images if there are images.
func gooseResult(dst, src []byte, result jsonspan.Span) []byte {
	if said := stringAt(src, result, "error"); !said.Zero() {
		return append(jsonspan.AppendString(dst, "Error: "+jsonspan.Text(src, said)), `,"is_error":true`...)
	}
	value := find(src, result, "value") // older sessions have the list itself
	content, failed := value, false
	if !value.Zero() && src[value.Start] == '{' {
		content = find(src, value, "content")
		e := find(src, value, "isError")
		failed = !e.Zero() && src[e.Start] == 't'
	}
	var blocks, said []byte
	media, n := false, 0
	if !content.Zero() && src[content.Start] == '[' {
		list := content.Of(src)
		for _, p := range elements(list) {
			var text string
			switch resource := find(list, p, "resource"); jsonspan.Text(list, stringAt(list, p, "type")) {
			case "text":
				text = jsonspan.Text(list, stringAt(list, p, "text"))
			case "resource":
				if text = jsonspan.Text(list, stringAt(list, resource, "text")); text == "" {
					text = "[Binary content: " + jsonspan.Text(list, stringAt(list, resource, "mimeType")) + "]"
				}
			case "image":
				if !stringAt(list, p, "data").Zero() && !stringAt(list, p, "mimeType").Zero() && gooseHears(list, p) {
					if media = true; len(blocks) > 0 {
						blocks = append(blocks, ',')
					}
					blocks = gooseMedia(blocks, list, p, "image")
				}
				continue
			default:
				continue
			}
			if !gooseHears(list, p) {
				continue
			}
			if n++; n > 1 {
				said = append(said, '\n')
			}
			if said = append(said, text...); text == "" {
				continue
			}
			if len(blocks) > 0 {
				blocks = append(blocks, ',')
			}
			blocks = append(jsonspan.AppendString(append(blocks, `{"type":"text","text":`...), text), '}')
		}
	}
	if media {
		dst = append(append(append(dst, '['), blocks...), ']')
	} else {
		dst = jsonspan.AppendString(dst, string(said))
	}
	if failed {
		dst = append(dst, `,"is_error":true`...)
	}
	return dst
}
