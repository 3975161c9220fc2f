package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// llamaindexKind and semanticKernelKind are files in which a framework stores a conversation as a list of messages.
//
// LlamaIndex: the output of SimpleChatStore.persist with one conversation, or a list of ChatMessage.model_dump outputs
// (llama_index/core/base/llms/types.py). Its OpenAI integration stores each call twice: as a part and in
// additional_kwargs. Semantic Kernel: Python's ChatHistory (semantic_kernel/contents), or the list that .NET writes, in
// which "$type" holds the types.
var llamaindexKind = Kind{
	Name:   "llamaindex",
	Doc:    "LlamaIndex: a chat store with one conversation, or a list of ChatMessage",
	Format: "openai-chat",
	Signs:  []Sign{{"", []string{"store", "class_name"}}},
	Items:  []Sign{{"", []string{"role", "blocks"}}},
	Read:   readChatList,
}

var semanticKernelKind = Kind{
	Name:   "semantic-kernel",
	Doc:    "Semantic Kernel: ChatHistory of Python or .NET",
	Format: "openai-chat",
	Signs:  []Sign{{"", []string{"messages"}}},
	Items:  []Sign{{"", []string{"Role", "Items"}}, {"", []string{"role", "items", "content_type"}}},
	Is: func(src []byte, at jsonspan.Span) bool {
		for _, m := range items(src, find(src, at, "messages")) {
			at = m
			break
		}
		return !find(src, at, "items").IsZero() || !find(src, at, "Items").IsZero()
	},
	Read: readChatList,
}

func init() {
	register(&llamaindexKind)
	register(&semanticKernelKind)
}

// chatWords holds a framework's names for the members of messages and parts, and for the types of parts.
type chatWords struct {
	role, parts, tag           string // of a message; tag is the member with a part's type
	textType, text             string // the type of a text, and its member
	callType, id, name, plugin string // the type of a call, and its members; plugin may be ""
	arguments                  string // of a call
	resultType, resultID       string // of a result, with the id of its call; "" if results are messages
	result                     string // of a result
	imageType, url             string // of an image
}

var chatSpellings = [...]chatWords{
	{"role", "blocks", "block_type", "text", "text", "tool_call", "tool_call_id", "tool_name", "", "tool_kwargs", "", "", "", "image", "url"},
	{"role", "items", "content_type", "text", "text", "function_call", "id", "function_name", "plugin_name", "arguments",
		"function_result", "id", "result", "image", "uri"},
	{"Role.Label", "Items", "$type", "TextContent", "Text", "FunctionCallContent", "Id", "FunctionName", "PluginName", "Arguments",
		"FunctionResultContent", "CallId", "Result", "ImageContent", "Uri"},
}

// chatList reads a conversation that is stored as a list. Each entry of the list is a node of a chatTree, so that both
// are saved in the same way.
type chatList struct {
	chatTree
	words *chatWords // the spelling of the messages
	apart bool       // calls are only in additional_kwargs, as older versions of LlamaIndex write them
}

// readChatList reads a list of messages: a plain array, an object with messages, or a store with
// one conversation. A store with several conversations is an error.
func readChatList(f *file) writer {
	c := &chatList{chatTree: chatTree{file: f}, words: &chatSpellings[0]}
	many := 0
	entry := func(s *jsonspan.Scanner) {
		at := jsonspan.Span{Start: s.Pos()}
		members(s, func([]byte) bool { return false })
		at.End = s.Pos()
		c.nodes = append(c.nodes, chatNode{at: at})
	}
	list := func(s *jsonspan.Scanner) { c.list = readList(s, "messages", "a message", entry) }
	s := f.scannerAt(uint32(textStart(f.src)))
	if s.Kind() == jsonspan.Array {
		list(s)
	} else {
		read(s, field{"messages", list}, field{"store", func(s *jsonspan.Scanner) {
			if isObject(s) {
				members(s, func([]byte) bool { many++; list(s); return true })
			}
		}})
	}
	if s.End(); many > 1 {
		s.Fail(api.CodeUnknownSession, 0, "this chat store holds several conversations; give a file with one")
	}
	if f.fail(s.Err(), 0); f.err != nil {
		return c
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		for k := range chatSpellings {
			if !find(f.src, n.at, chatSpellings[k].parts).IsZero() {
				c.words = &chatSpellings[k]
			}
		}
		n.first = int32(c.Count)
		c.readEntry(int32(i))
		if n.n = int32(c.Count) - n.first; n.n == 0 {
			c.noteSkipped(api.SkipEmpty, 1)
		}
	}
	return c
}

// readEntry reads an entry of the list, and writes the messages that it becomes.
func (c *chatList) readEntry(i int32) {
	at, w := c.nodes[i].at, c.words
	role := textOf(c.src, at, w.role)
	if role == "" {
		role = textOf(c.src, at, "role.label")
	}
	kwargs := find(c.src, at, "additional_kwargs")
	texts, images := c.readParts(items(c.src, find(c.src, at, w.parts)))
	if texts == nil {
		texts = c.appendText(nil, stringAt(c.src, at, "content"))
	}
	switch role {
	case "assistant", "chatbot", "model":
		if c.answer.calls == nil {
			c.readCallsApart(items(c.src, find(c.src, kwargs, "tool_calls")))
		}
		c.answer.texts = texts
	case "tool", "function":
		if c.answer.results == nil {
			c.addResult(appendFilled(nil, c.src, kwargs, `{"role":"tool","tool_call_id":$tool_call_id?"";,"content":`),
				joinTexts(texts, "\n"))
		}
	default:
		c.spoke(role, i, joinedTexts(texts), images)
	}
	c.flush(i)
}

// readParts reads the parts of an entry. It returns their texts, and their images in the form of message parts.
func (c *chatList) readParts(parts []jsonspan.Span) (texts [][]byte, images []byte) {
	w := c.words
	for _, part := range parts {
		switch typ := textOf(c.src, part, w.tag); {
		case typ == w.textType:
			texts = c.appendText(texts, stringAt(c.src, part, w.text))
		case typ == w.callType:
			c.readCall(part)
		case typ == w.resultType && typ != "":
			c.result(part, w.resultID, w.result)
		case typ == w.imageType:
			if url := imageURL(c.src, part); url != "" {
				images = appendImage(images, url)
			}
		}
	}
	return texts, images
}

// readCallsApart reads the calls that an entry has outside its parts, in OpenAI's form.
func (c *chatList) readCallsApart(calls []jsonspan.Span) {
	for _, call := range calls {
		c.apart = true
		c.answer.calls = appendFilled(c.answer.calls, c.src, call,
			`,{"id":$id?"";,"type":"function","function":{"name":$function.name?"";,"arguments":$function.arguments?"{}";}}`)
	}
}

// imageURL returns the URL of an image part, a data URL with its content, or "" if it has neither.
func imageURL(src []byte, part jsonspan.Span) string {
	if data := textOf(src, part, "image"); data != "" {
		return "data:" + textOf(src, part, "image_mimetype") + ";base64," + data
	}
	for _, key := range [...]string{"url", "data_uri", "uri", "DataUri", "Uri"} {
		if url := textOf(src, part, key); url != "" {
			return url
		}
	}
	return ""
}

// readCall adds a call. The plugin's name precedes the function's name.
func (c *chatList) readCall(part jsonspan.Span) {
	w, a := c.words, &c.answer
	name := textOf(c.src, part, w.name)
	if plugin := textOf(c.src, part, w.plugin); plugin != "" {
		name = plugin + "-" + name
	} else if name == "" {
		name = textOf(c.src, part, "name")
	}
	a.calls = appendJSON(a.calls, nil, `,{"id":`, quoted(textOf(c.src, part, w.id)),
		`,"type":"function","function":{"name":`, quoted(name), `,"arguments":`)
	c.arguments(find(c.src, part, w.arguments))
}

// save replaces the list. Unchanged messages stay as they are. Afterwards, folded messages only
// exist in the old file. It refuses a file without a conversation.
func (c *chatList) save(s *saver) {
	if c.list.IsZero() {
		s.refuse("there is no conversation in this file")
		return
	}
	s.kept, s.out = int(c.list.Start), []byte{'['}
	var names critbit.Map[string]
	for i := 0; i < len(s.in.Messages); {
		for _, call := range items(s.in.Src, s.valueSpan(i, "tool_calls")) {
			names.Set(textOf(s.in.Src, call, "id"), textOf(s.in.Src, call, "function.name"))
		}
		g := c.group(s, i)
		if s.writeComma(i); g.node >= 0 {
			s.write(c.nodes[g.node].at)
			i = g.end
			continue
		}
		name, _ := names.Get(textOf(s.in.Src, s.in.Messages[i], "tool_call_id"))
		c.writeNew(s, i, name)
		i++
	}
	s.write(`]`, c.src[c.list.End:])
}

// valueSpan returns the value at a path of message i, or the zero Span.
//
//go:noinline
func (s *saver) valueSpan(i int, path string) jsonspan.Span {
	return find(s.in.Src, s.in.Messages[i], path)
}

// writeCall writes a call as a part. n is the number of parts so far, and grows by one.
func (c *chatList) writeCall(s *saver, n *int, call jsonspan.Span) {
	w := c.words
	c.beginPart(s, n, w.callType)
	s.writeText(w.id, textOf(s.in.Src, call, "id"))
	c.writeName(s, textOf(s.in.Src, call, "function.name"))
	if args := textOf(s.in.Src, call, "function.arguments"); w.tag == "$type" && holdsObject(args) {
		s.write(`,"`, w.arguments, `":`, args)
	} else {
		s.writeText(w.arguments, args)
	}
	s.write(`}`)
}

// writeNew writes message i as a new entry. If the message is a tool result, name is the name of the tool.
func (c *chatList) writeNew(s *saver, i int, name string) {
	w, role := c.words, s.role(i)
	text, images := chatText(s.in.Src, s.in.Messages[i])
	calls, id := s.valueSpan(i, "tool_calls"), s.valueSpan(i, "tool_call_id")
	index := w == &chatSpellings[0]
	switch {
	case !index && w.tag == "$type":
		s.write(`{"Role":{"Label":`, quoted(role), `},"Items":[`)
	case !index:
		s.write(`{"content_type":"message","role":`, quoted(role), `,"items":[`)
	default:
		s.write(`{"role":`, quoted(role), `,"additional_kwargs":{`)
		if c.apart && !calls.IsZero() {
			s.write(`"tool_calls":`, calls.Slice(s.in.Src))
		} else if !id.IsZero() {
			s.write(`"tool_call_id":`, id.Slice(s.in.Src))
		}
		s.write(`},"blocks":[`)
	}
	n := 0
	if role == "tool" && !index {
		c.beginPart(s, &n, w.resultType)
		s.writeText(w.resultID, jsonspan.Text(s.in.Src, id))
		c.writeName(s, name)
		s.writeText(w.result, text)
		s.write(`}`)
	} else if text != "" || role == "tool" {
		c.beginPart(s, &n, w.textType)
		s.writeText(w.text, text)
		s.write(`}`)
	}
	for _, url := range images {
		c.beginPart(s, &n, w.imageType)
		s.writeText(w.url, jsonspan.Text(s.in.Src, url))
		s.write(`}`)
	}
	if !(index && c.apart) {
		for _, call := range items(s.in.Src, calls) {
			c.writeCall(s, &n, call)
		}
	}
	s.write(`]}`)
}

// beginPart writes the beginning of the next part. n is the number of parts so far, and grows by one. typ is its type.
// The caller writes its other members and the closing brace.
//
//go:noinline
func (c *chatList) beginPart(s *saver, n *int, typ string) {
	s.writeComma(*n)
	*n++
	s.write(`{"`, c.words.tag, `":`, quoted(typ))
}

// holdsObject reports whether text is a JSON object.
func holdsObject(text string) bool {
	s := scanner([]byte(text), 0)
	if s.Kind() != jsonspan.Object {
		return false
	}
	s.Skip()
	s.End()
	return s.Err() == nil
}

// writeName writes a tool's name, split at the first hyphen if the framework stores the plugin's name separately.
func (c *chatList) writeName(s *saver, name string) {
	w := c.words
	if w.plugin != "" {
		if plugin, function, found := strings.Cut(name, "-"); found {
			s.writeText(w.plugin, plugin)
			name = function
		}
	}
	s.writeText(w.name, name)
}
