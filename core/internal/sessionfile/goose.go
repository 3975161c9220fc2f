package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Goose keeps sessions in a database and exports each as one object with a conversation. Older versions, without a
// database, wrote JSON lines: an object that describes the session, then one message per line. Nothing is removed from
// a conversation: messages that are no longer sent are marked in their metadata. Blocks are converted to Anthropic's
// format in the same way as Goose converts them for that provider.
var gooseKind = Kind{
	Name:   "goose",
	Doc:    "Goose: the output of goose session export --format json, or a session's lines of before its database",
	Format: "anthropic",
	Signs: []Sign{
		{"", []string{"conversation", "working_dir"}}, {"", []string{"working_dir", "message_count"}},
		{"", []string{"role", "created", "content"}},
	},
	Usage: usageKeys{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_write_input_tokens"},
	Read:  readGoose,
}

func init() {
	register(&gooseKind)
}

// gooseRecord is a message in the conversation.
type gooseRecord struct {
	at, content jsonspan.Span // the whole message, and its list of blocks
	role        string        // "user" or "assistant"
	created     int64         // the time of the message, in seconds since 1970
	hidden      bool          // not sent to the model
	summary     bool          // sent to the model but not shown to the user, like the messages that compactions write
	sent        bool          // its content is in the result
}

type goose struct {
	*file
	byRole
	list    jsonspan.Span // the list of messages; zero in a file of lines
	about   jsonspan.Span // in a file of lines, the object that describes the session; zero if there is none
	records []gooseRecord // in the order of the file
	marks   bool          // messages record whether they are sent
	usage   Usage         // the newest counts of the provider; Message is -1 if they describe no message
	model   jsonspan.Span // the name of the model, a string; zero if unknown
}

// readGoose reads a session that is one exported object, or one record per line, possibly after a line about the
// session.
func readGoose(f *file) writer {
	g := &goose{file: f}
	if at := uint32(textStart(f.src)); find(f.src, jsonspan.Span{Start: at, End: uint32(len(f.src))}, "conversation").IsZero() {
		f.eachLine(func(s *jsonspan.Scanner) {
			from := s.Pos()
			if g.record(s); len(g.records) == 1 && g.records[0].role == "" && g.about.IsZero() {
				g.records = nil // this object describes the session
				s = lineScanner(f.src, int(from), len(f.src))
				g.session(s)
				g.about = jsonspan.Span{Start: from, End: s.Pos()}
			}
		})
	} else {
		s := f.scannerAt(at)
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

// session reads the object that describes the session, and its conversation if it has one. The input count of usage
// includes cached tokens.
func (g *goose) session(s *jsonspan.Scanner) {
	var model jsonspan.Span
	read(s, field{"conversation", func(s *jsonspan.Scanner) {
		if s.Kind() == jsonspan.Null { // no messages yet
			g.list = s.Skip().Span
		} else {
			g.list = readList(s, "conversation", "a message", g.record)
		}
	}},
		field{"updated_at", timeOf{g.file}}, field{"input_tokens", &g.usage.Input},
		field{"output_tokens", &g.usage.Output},
		field{"usage", func(s *jsonspan.Scanner) {
			if isObject(s) {
				g.usage = g.kind.Usage.read(s).uncached()
			}
		}},
		field{"model_config", []field{{"model_name", &model}}})
	if g.model.IsZero() {
		g.model = model
	}
}

// record reads a message. A message that the agent sees and the user doesn't is a summary.
func (g *goose) record(s *jsonspan.Scanner) {
	r := gooseRecord{at: jsonspan.Span{Start: s.Pos()}}
	var model jsonspan.Span
	isFalse := func(s *jsonspan.Scanner) bool { return s.Skip().Kind == jsonspan.False }
	shown := true
	read(s, field{"role", oneOf(&r.role, "user", "assistant")}, field{"created", &r.created},
		field{"content", anyValue{&r.content}},
		field{"metadata", []field{
			{"agentVisible", func(s *jsonspan.Scanner) { g.marks, r.hidden = true, isFalse(s) }},
			{"userVisible", func(s *jsonspan.Scanner) { shown = !isFalse(s) }},
			{"inference", []field{{"requestedModel", &model}}},
		}})
	r.at.End, r.summary = s.Pos(), !r.hidden && !shown
	if r.role == "assistant" && model.Len() > 2 {
		g.model = model
	}
	g.records = append(g.records, r)
}

// unsent returns the reason why a record isn't sent; "" if it is.
func (g *goose) unsent(r *gooseRecord) api.SkipReason {
	switch {
	case r.role == "" || r.content.IsZero():
		return api.SkipMeta
	case !r.hidden:
		return ""
	}
	why := api.SkipMeta // a notice for the user
	g.blocks(r, func(jsonspan.Span) { why = api.SkipCompacted })
	return why
}

// gooseHeard is the content of a tool result, as blocks and as texts.
type gooseHeard struct {
	blocks []byte   // JSON objects, separated by commas
	said   []string // the texts
	media  bool     // whether there are images among the blocks
}

// add adds an item of a tool result's content. It ignores items other than texts and images.
func (h *gooseHeard) add(src []byte, p jsonspan.Span) {
	if typeOf(src, p) == "image" {
		if !stringAt(src, p, "data").IsZero() && !stringAt(src, p, "mimeType").IsZero() {
			h.media = true
			h.blocks = appendFilled(h.next(), src, p, gooseImage)
		}
		return
	}
	text, ok := gooseText(src, p)
	if !ok {
		return
	}
	if h.said = append(h.said, text); text != "" {
		h.blocks = appendJSON(h.next(), nil, `{"type":"text","text":`, quoted(text), `}`)
	}
}

func (h *gooseHeard) next() []byte {
	if len(h.blocks) > 0 {
		return append(h.blocks, ',')
	}
	return h.blocks
}

// write writes the messages that are sent. Consecutive messages with the same role are written as one.
func (g *goose) write() {
	role := ""
	g.usage.Message = -1
	end := func() {
		if role != "" {
			g.appendPieces(`]}`)
		}
	}
	for i := range g.records {
		r := &g.records[i]
		first := true
		if why := g.unsent(r); why != "" {
			g.noteSkipped(why, 1)
			continue
		}
		g.blocks(r, func(block jsonspan.Span) {
			switch {
			case !first || r.role == role:
				g.appendPieces(`,`)
			default:
				end()
				role = r.role
				g.beginMessage()
				g.appendPieces(`{"role":"` + role + `","content":[`)
			}
			first = false
			g.Messages = gooseBlock(g.Messages, g.src, block)
		})
		if first {
			g.noteSkipped(api.SkipEmpty, 1)
			continue
		}
		g.addOrigin(int32(i))
		switch r.sent = true; {
		case r.summary:
			g.usage.Message = -1 // the counts describe an earlier request
		case r.role == "assistant":
			g.usage.Message = g.Count - 1
		}
	}
	if end(); g.usage.Message >= 0 {
		g.noteUsage(g.usage.Message, g.usage)
	}
}

// gooseBlocks lists the types of blocks that are sent: needs lists the string members that a block must have, and sent
// is the template for its Anthropic form, or for the beginning of that form if the block is a call or a result.
// Confirmations, notices and errors are only shown to the user, and Anthropic rejects unsigned thinking. A call that could
// not be parsed has no name; its result explains what was wrong.
var gooseBlocks = map[string]struct{ needs, sent string }{
	"text":             {"", `{"type":"text","text":$text}`},
	"thinking":         {"thinking", `{"type":"thinking","thinking":$thinking,"signature":$signature}`},
	"redactedThinking": {"data", `{"type":"redacted_thinking","data":$data}`},
	"image":            {"data mimeType", gooseImage},
	"document":         {"data mimeType", `{"type":"document","source":{"type":"base64","media_type":$mimeType,"data":$data}}`},
	"toolRequest":      {"id", `{"type":"tool_use","id":$id,"name":$toolCall.value.name?"unparseable_tool_call";,"input":`},
	"toolResponse":     {"id", `{"type":"tool_result","tool_use_id":$id,"content":`},
}

const gooseImage = `{"type":"image","source":{"type":"base64","media_type":$mimeType,"data":$data}}`

// blocks calls visit for each block in a message that Goose sends.
func (g *goose) blocks(r *gooseRecord, visit func(block jsonspan.Span)) {
	for _, at := range items(g.src, r.content) {
		typ := typeOf(g.src, at)
		block, known := gooseBlocks[typ]
		missing := typ == "text" && jsonspan.IsBlank(g.src, stringAt(g.src, at, "text")) ||
			typ == "thinking" && stringAt(g.src, at, "signature").Len() <= 2
		for _, key := range strings.Fields(block.needs) {
			missing = missing || stringAt(g.src, at, key).IsZero()
		}
		if known && !missing && gooseHears(g.src, at) {
			visit(at)
		}
	}
}

// gooseHears reports whether content is meant for the model: its annotations may restrict it to another audience.
func gooseHears(src []byte, at jsonspan.Span) bool {
	audience := find(src, at, "annotations.audience")
	heard := audience.IsZero() || src[audience.Start] != '['
	for _, who := range items(src, audience) {
		heard = heard || jsonspan.EqualText(src, who, "assistant")
	}
	return heard
}

// gooseBlock appends a block in Anthropic's form. Blocks of types that aren't sent append nothing.
func gooseBlock(dst, src []byte, at jsonspan.Span) []byte {
	typ := typeOf(src, at)
	dst = appendFilled(dst, src, at, gooseBlocks[typ].sent)
	switch typ {
	case "toolRequest":
		input := find(src, at, "toolCall.value.arguments")
		if input.IsZero() || src[input.Start] != '{' {
			return append(dst, `{}}`...)
		}
		return appendJSON(dst, src, input, `}`)
	case "toolResponse":
		return append(gooseResult(dst, src, find(src, at, "toolResult")), '}')
	}
	return dst
}

// gooseText returns the text of a content block. It returns false if the block is of a type that has no text.
func gooseText(src []byte, block jsonspan.Span) (string, bool) {
	switch typeOf(src, block) {
	case "text":
		return textOf(src, block, "text"), true
	case "resource":
		if text := textOf(src, block, "resource.text"); text != "" {
			return text, true
		}
		return "[Binary content: " + textOf(src, block, "resource.mimeType") + "]", true
	}
	return "", false
}

// gooseResult appends the content of a tool result, and its is_error member. The content is text, or a list of texts
// and images if it contains images.
func gooseResult(dst, src []byte, result jsonspan.Span) []byte {
	if said := stringAt(src, result, "error"); !said.IsZero() {
		return append(jsonspan.AppendString(dst, "Error: "+jsonspan.Text(src, said)), `,"is_error":true`...)
	}
	value := find(src, result, "value") // older sessions have the list of contents here
	content, failed := value, false
	if !value.IsZero() && src[value.Start] == '{' {
		content, failed = find(src, value, "content"), isTrue(src, value, "isError")
	}
	var h gooseHeard
	for _, p := range items(src, content) {
		if gooseHears(src, p) {
			h.add(src, p)
		}
	}
	if h.media {
		dst = appendJSON(dst, nil, `[`, h.blocks, `]`)
	} else {
		dst = jsonspan.AppendString(dst, strings.Join(h.said, "\n"))
	}
	if failed {
		dst = append(dst, `,"is_error":true`...)
	}
	return dst
}
