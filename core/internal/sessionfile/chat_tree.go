package sessionfile

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Chat applications keep a tree of messages, because the user can edit a message or ask for another answer. The live
// conversation is the path from the root to one message. An answer with tool calls is one message of the tree: its
// parts are texts, calls and results in chronological order.
//
// LibreChat: what its export writes, with the tree as a list or nested under "children", and the list that its API
// returns (tMessageSchema of librechat-data-provider 0.8.524, useExportConversation.ts). Answers become messages as in
// formatAgentMessages of @librechat/agents. Open WebUI: its export, a list of chats, or one chat
// (convert_output_to_messages in backend/open_webui/utils/misc.py, createMessagesList in src/lib/utils).
var librechatKind = Kind{
	Name:   "librechat",
	Doc:    "LibreChat: an export as JSON, or the messages of a conversation from its API",
	Format: "openai-chat",
	Signs:  []Sign{{"", []string{"conversationId", "exportAt"}}, {"", []string{"conversationId", "messages", "endpoint"}}},
	Items:  []Sign{{"", []string{"messageId", "parentMessageId", "isCreatedByUser"}}},
	Read:   func(f *file) writer { return readChat(f, &libreChat) },
}

var openWebuiKind = Kind{
	Name:   "open-webui",
	Doc:    "Open WebUI: an export of one chat, or a chat from its API",
	Format: "openai-chat",
	Signs:  []Sign{{"", []string{"chat", "title"}}, {"", []string{"history", "models"}}},
	Items:  []Sign{{"", []string{"chat", "title"}}},
	Is: func(src []byte, at jsonspan.Span) bool {
		return !find(src, at, "chat.history.messages").IsZero() || !find(src, at, "history.messages").IsZero()
	},
	Read: func(f *file) writer { return readChat(f, &openWebUI) },
}

func init() {
	register(&librechatKind)
	register(&openWebuiKind)
}

// chatApp holds an application's names for the members of a message.
type chatApp struct{ id, parent, text, parts string }

var (
	libreChat = chatApp{"messageId", "parentMessageId", "text", "content"}
	openWebUI = chatApp{"id", "parentId", "content", "output"}
)

// chatNode is a message of the tree. Its id fields hold positions until path replaces them with the ids' numbers (see
// ids).
type chatNode struct {
	at, text, parts jsonspan.Span // the whole message, its text, and the list of its parts; zero if missing
	files, model    jsonspan.Span // the user's files, and the name of the model; zero if missing
	name            jsonspan.Span // its id
	children        jsonspan.Span // the messages inside it; zero if there are none
	id, parent      int32         // noID if missing
	user            bool          // it says that the user wrote it
	role            string        // "user", "assistant" or "system"
	first, n        int32         // it has become the messages [first, first+n)
	changed         bool          // it contains the summary of a compaction, so it can't be copied
}

// chatTree reads the export of a chat application, whose messages form a tree.
type chatTree struct {
	*file
	app     *chatApp      // the application that made the export
	ids     ids           // the ids of the messages
	nodes   []chatNode    // the messages, in the order of the file
	list    jsonspan.Span // the list of messages, or the object with all messages
	current jsonspan.Span // the id of the newest message, in the file of an application that records it
	about   jsonspan.Span // the id of the conversation
	nested  bool          // messages contain the messages that answer them
	full    bool          // the list isn't empty
	answer  chatAnswer    // what was read of the current answer
}

// readChat reads an export of app with one chat, and writes the messages on the path to its current
// message. An export with several chats is an error.
func readChat(f *file, app *chatApp) writer {
	c := &chatTree{file: f, app: app}
	s := f.scannerAt(uint32(textStart(f.src)))
	var system jsonspan.Span
	many := 0
	fields := []field{{"conversationId", &c.about}, {"options", []field{{"promptPrefix", &system}}},
		{"messages", c.readMessages}, {"messagesTree", c.readMessages}}
	chat := []field{{"params", []field{{"system", &system}}},
		{"history", []field{{"currentId", anyValue{&c.current}}, {"messages", c.readMessages}}}}
	if app == &openWebUI {
		fields = append(chat, field{"chat", chat})
	}
	switch {
	case s.Kind() != jsonspan.Array:
		read(s, fields...)
	case app == &libreChat:
		c.readMessages(s)
	default:
		readList(s, "an export", "a chat", func(s *jsonspan.Scanner) { many++; read(s, fields...) })
	}
	if s.End(); many > 1 {
		s.Fail(api.CodeUnknownSession, 0, "this export holds several chats; give the file of one")
	}
	if f.fail(s.Err(), 0); f.err == nil {
		f.System = f.textAt(system)
		c.write(c.path())
		for i := len(c.nodes); i > 0 && c.Model == ""; i-- {
			c.Model = f.textAt(c.nodes[i-1].model)
		}
	}
	return c
}

// readMessages reads the messages: a list, or an object that has them by id.
func (c *chatTree) readMessages(s *jsonspan.Scanner) {
	if s.Kind(); s.Kind() == jsonspan.Object {
		c.list.Start = s.Pos()
		members(s, func([]byte) bool {
			c.full = true
			object := s.Kind() == jsonspan.Object
			if object {
				c.node(s)
			}
			return object
		})
		c.list.End = s.Pos()
		return
	}
	c.list = readList(s, "messages", "a message", c.node)
	c.full = len(c.nodes) > 0
}

// node reads a message, and the messages inside it, which follow it in nodes.
func (c *chatTree) node(s *jsonspan.Scanner) {
	i := len(c.nodes)
	c.nodes = append(c.nodes, chatNode{})
	n := chatNode{at: jsonspan.Span{Start: s.Pos()}, id: noID, parent: noID}
	var time int64
	read(s, field{c.app.id, &n.name}, field{c.app.parent, number{&c.ids, &n.parent}},
		field{c.app.text, anyValue{&n.text}}, field{c.app.parts, anyValue{&n.parts}}, field{"files", anyValue{&n.files}},
		field{"conversationId", &c.about}, field{"isCreatedByUser", &n.user}, field{"role", oneOf(&n.role, "user", "system")}, field{"model", &n.model},
		field{"createdAt", timeOf{c.file}}, field{"timestamp", &time},
		field{"children", func(s *jsonspan.Scanner) {
			if s.Kind() != jsonspan.Array {
				s.Skip()
				return
			}
			c.nested = true
			n.children = readList(s, "children", "a message", c.node)
		}})
	n.id = c.ids.add(c.src, n.name)
	if n.at.End = s.Pos(); n.user {
		n.role = "user"
	} else if n.role == "" {
		n.role = "assistant"
	}
	c.latest = max(c.latest, time*1000)
	c.nodes[i] = n
}

// path returns the messages of the live conversation, from the root to the newest one, as indexes of nodes.
func (c *chatTree) path() (path []int32) {
	leaf, last := int32(noID), int32(noID)
	if !c.current.IsZero() && c.src[c.current.Start] == '"' {
		leaf = c.ids.add(c.src, c.current)
	}
	if n := len(c.nodes); n > 0 {
		last = c.nodes[n-1].id
	}
	ranks, n := c.ids.rank()
	ranks.number(&leaf, &last)
	node := filled(n, -1)
	for i := range c.nodes {
		if ranks.number(&c.nodes[i].id, &c.nodes[i].parent); c.nodes[i].id != noID {
			node[c.nodes[i].id] = int32(i)
		}
	}
	if leaf == noID || node[leaf] < 0 { // no message is named, or one that isn't in the file
		leaf = last
	}
	for id := leaf; id != noID && node[id] >= 0; {
		i := node[id]
		path, node[id] = append(path, i), -1
		id = c.nodes[i].parent
	}
	slices.Reverse(path)
	c.noteSkipped(api.SkipBranch, len(c.nodes)-len(path))
	return path
}

// compacted returns the place where the conversation begins after LibreChat's newest compaction: the index in the path,
// the number of parts of that message that were removed, and the summary as JSON. The summary is nil if there was no
// compaction.
func (c *chatTree) compacted(path []int32) (begin, parts int, summary []byte) {
	var places critbit.Map[int] // the indexes of the messages so far, by id
	for at, i := range path {
		places.Set(c.textAt(c.nodes[i].name), at)
		for p, part := range items(c.src, c.nodes[i].parts) {
			text := c.summaryOf(part)
			if len(text) == 0 {
				continue
			}
			c.nodes[i].changed = true
			begin, parts, summary = at, p+1, joinedTexts(text)
			if back, known := places.Get(textOf(c.src, part, "coverage.retainedFromMessageId")); known {
				begin, parts = back, 0
			}
		}
	}
	return begin, parts, summary
}

// summaryOf returns the texts of a part, as JSON strings, if it is a summary, otherwise nil. In older versions, a
// summary is a single text.
func (c *chatTree) summaryOf(part jsonspan.Span) [][]byte {
	if typeOf(c.src, part) != "summary" {
		return nil
	}
	text := c.appendTexts(nil, find(c.src, part, "content"))
	if old := stringAt(c.src, part, "text"); len(text) == 0 && !old.IsZero() {
		text = append(text, old.Slice(c.src))
	}
	return text
}

// write writes the messages on a path, from the newest compaction on, after the summary of that compaction.
func (c *chatTree) write(path []int32) {
	begin, parts, summary := c.compacted(path)
	if summary != nil {
		c.beginMessage()
		c.appendPieces(`{"role":"user","content":`, summary, `}`)
		c.addOrigin(noID)
	}
	c.noteSkipped(api.SkipCompacted, begin)
	for _, i := range path[begin:] {
		n := &c.nodes[i]
		n.first = int32(c.Count)
		c.said(n, i, parts)
		if parts, n.n = 0, int32(c.Count)-n.first; n.n == 0 {
			c.noteSkipped(api.SkipEmpty, 1)
		} else if !n.model.IsZero() {
			c.Model = c.textAt(n.model)
		}
	}
}

// said writes the messages that a message in the tree becomes. removed is the number of parts that were removed from
// its beginning.
func (c *chatTree) said(n *chatNode, i int32, removed int) {
	if n.role != "assistant" {
		c.writeInput(n, i)
		return
	}
	for p, part := range items(c.src, n.parts) {
		if p >= removed {
			c.part(part, i)
		}
	}
	c.flush(i)
	if c.Count > int(n.first) || removed > 0 {
		return
	}
	text := c.written(n.text)
	if c.app == &openWebUI {
		text = appendJSON(nil, nil, quoted(spoken(jsonspan.Text(text, jsonspan.Span{End: uint32(len(text))}))))
	}
	if len(text) > 2 {
		c.answer.texts = [][]byte{text}
		c.flush(i)
	}
}

// writeInput writes a user or system message: its text, and its images.
func (c *chatTree) writeInput(n *chatNode, i int32) {
	var images []byte
	for _, file := range items(c.src, n.files) {
		if url := stringAt(c.src, file, "url"); typeOf(c.src, file) == "image" && !url.IsZero() {
			images = appendImage(images, c.textAt(url))
		}
	}
	said := joinedTexts(c.appendTexts(nil, n.parts))
	if said == nil {
		said = c.written(n.text)
	}
	c.spoke(n.role, i, said, images)
}

// spoke writes a user or system message from node i, unless it is empty. text is a JSON string, or nil; images are
// parts, each after a comma, or nil.
func (c *chatTree) spoke(role string, i int32, text, images []byte) {
	if text == nil && images == nil {
		return
	}
	c.beginMessage()
	c.addOrigin(i)
	if images == nil {
		c.appendPieces(`{"role":`, quoted(role), `,"content":`, text, `}`)
		return
	}
	if text != nil {
		images = appendJSON(nil, nil, `,{"type":"text","text":`, text, `}`, images)
	}
	c.appendPieces(`{"role":`, quoted(role), `,"content":[`, images[1:], `]}`)
}

// written returns the text at a span as JSON, or nil if it is empty. Programs that use the API write a list of parts
// instead of a string; the texts of the parts are joined.
func (c *chatTree) written(at jsonspan.Span) []byte {
	if !at.IsZero() && c.src[at.Start] == '"' {
		return joinedTexts(c.appendText(nil, at))
	}
	return joinedTexts(c.appendTexts(nil, at))
}

// appendImage appends a part with an image, after a comma.
//
//go:noinline
func appendImage(dst []byte, url string) []byte {
	return appendJSON(dst, nil, `,{"type":"image_url","image_url":{"url":`, quoted(url), `}}`)
}

// spoken returns the text of an answer without the thoughts and the code that old versions of Open WebUI wrote into it.
func spoken(text string) string {
	for _, hidden := range [...]string{"reasoning", "code_interpreter"} {
		var kept []byte
		for {
			before, rest, found := strings.Cut(text, `<details type="`+hidden+`"`)
			_, after, closed := strings.Cut(rest, "</details>")
			if !found || !closed {
				break
			}
			kept, text = append(kept, before...), after
		}
		text = string(kept) + text
	}
	return strings.TrimSpace(text)
}

// chatAnswer holds the parts of an answer that make up the next messages: texts and calls, and the results of the
// calls.
type chatAnswer struct {
	texts   [][]byte // JSON strings
	calls   []byte   // the elements of tool_calls, each after a comma
	results [][]byte // whole messages
}

// part adds a part of an answer; other kinds of parts are ignored. Text after results begins a new model message; in
// Open WebUI, a call after results does too. at is the part, and node the index of the node that contains it.
func (c *chatTree) part(at jsonspan.Span, node int32) {
	a := &c.answer
	switch typeOf(c.src, at) {
	case "text":
		c.endAnswered(node)
		a.texts = c.appendTexts(a.texts, at)
	case "message":
		c.endAnswered(node)
		if texts := joinedTexts(c.appendTexts(nil, find(c.src, at, "content"))); texts != nil {
			a.texts = append(a.texts, texts)
		}
	case "tool_call":
		call := find(c.src, at, "tool_call")
		if stringAt(c.src, call, "name").Len() > 2 {
			c.call(call, "id", "args")
			c.result(call, "id", "output")
		}
	case "function_call":
		c.endAnswered(node)
		c.call(at, "call_id", "arguments")
	case "function_call_output":
		c.result(at, "call_id", "output")
	case "steer": // what the user said during the answer
		if text := stringAt(c.src, at, "steer"); !text.IsZero() {
			c.flush(node)
			c.beginMessage()
			c.appendPieces(`{"role":"user","content":`, text, `}`)
			c.addOrigin(node)
		}
	}
}

// call adds the call at a span. id and arguments are the keys of the call's id and arguments.
func (c *chatTree) call(at jsonspan.Span, id, arguments string) {
	a := &c.answer
	a.calls = appendFilled(a.calls, c.src, at, `,{"id":$`+id+`?"";,"type":"function","function":{"name":$name?"";,"arguments":`)
	c.arguments(find(c.src, at, arguments))
}

// arguments ends the call with its arguments: text, or the JSON of any other value.
func (c *chatTree) arguments(args jsonspan.Span) {
	text := []byte(`"{}"`)
	if !args.IsZero() && c.src[args.Start] != 'n' {
		text = c.asString(args)
	}
	c.answer.calls = appendJSON(c.answer.calls, nil, text, `}}`)
}

// asString returns the string at a span, or the JSON of any other value as a string.
func (c *chatTree) asString(value jsonspan.Span) []byte {
	if c.src[value.Start] == '"' {
		return value.Slice(c.src)
	}
	return jsonspan.AppendString(nil, jsonspan.AppendCompact(nil, value.Slice(c.src)))
}

// result adds the result of a call: text, the texts of a list of parts with types, or the JSON of any other value. id
// and output are the keys of the call's id and of the value.
func (c *chatTree) result(at jsonspan.Span, id, output string) {
	m := appendFilled(nil, c.src, at, `{"role":"tool","tool_call_id":$`+id+`?"";,"content":`)
	said := find(c.src, at, output)
	parts := items(c.src, said)
	untyped := func(part jsonspan.Span) bool { return typeOf(c.src, part) == "" }
	switch {
	case said.IsZero() || c.src[said.Start] == 'n':
		c.addResult(m, []byte(`""`))
	case c.src[said.Start] == '[' && !slices.ContainsFunc(parts, untyped):
		c.addResult(m, joinTexts(c.appendTexts(nil, said), ""))
	default:
		c.addResult(m, c.asString(said))
	}
}

// addResult adds the result of a call: the beginning of its message, and its content.
//
//go:noinline
func (c *chatTree) addResult(begin, content []byte) {
	c.answer.results = append(c.answer.results, appendJSON(begin, nil, content, `}`))
}

// endAnswered writes the answer so far, as messages that come from the given node, if it has results, because a new
// message of the model begins after them.
//
//go:noinline
func (c *chatTree) endAnswered(node int32) {
	if len(c.answer.results) > 0 {
		c.flush(node)
	}
}

// flush writes the parts of the answer as messages that come from the given node.
func (c *chatTree) flush(node int32) {
	a := c.answer
	c.answer = chatAnswer{}
	if len(a.texts) > 0 || len(a.calls) > 0 {
		c.beginMessage()
		c.addOrigin(node)
		content := joinedTexts(a.texts)
		if content == nil {
			content = []byte(`""`)
		}
		if c.appendPieces(`{"role":"assistant","content":`, content); len(a.calls) > 0 {
			c.appendPieces(`,"tool_calls":[`, a.calls[1:], `]`)
		}
		c.appendPieces(`}`)
	}
	for _, result := range a.results {
		c.beginMessage()
		c.addOrigin(node)
		c.appendPieces(result)
	}
}

// appendTexts appends the texts of a part or of a list of parts, as JSON, except empty ones.
func (c *chatTree) appendTexts(to [][]byte, at jsonspan.Span) [][]byte {
	if at.IsZero() || c.src[at.Start] != '{' {
		for _, part := range items(c.src, at) {
			to = c.appendTexts(to, part)
		}
		return to
	}
	text := stringAt(c.src, at, "text")
	if text.IsZero() {
		text = stringAt(c.src, at, "text.value")
	}
	return c.appendText(to, text)
}

// appendText appends the string at a span unless it is empty.
//
//go:noinline
func (c *chatTree) appendText(to [][]byte, text jsonspan.Span) [][]byte {
	if text.Len() > 2 {
		to = append(to, text.Slice(c.src))
	}
	return to
}

// joinTexts joins texts, which are JSON strings, into a single JSON string, with a separator between them.
func joinTexts(texts [][]byte, separator string) []byte {
	var all []byte
	for i, text := range texts {
		if i > 0 {
			all = append(all, separator...)
		}
		all = jsonspan.AppendText(all, text, jsonspan.Span{End: uint32(len(text))})
	}
	return jsonspan.AppendString(nil, all)
}

// joinedTexts joins texts, which are JSON strings, into one string of several lines. It returns nil if there are none.
func joinedTexts(texts [][]byte) []byte {
	if len(texts) <= 1 {
		return slices.Concat(texts...)
	}
	return joinTexts(texts, "\n")
}
