//go:build !ctxfold_no_formats

package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// The spellings of LangChain's messages.
const (
	lcFlat   uint8 = iota + 1 // {"type":"human","content":…}
	lcStored                  // {"type":"human","data":{"content":…}}
	// {"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":…}}
	lcConstructor
	// The same with the ids that Python writes: ["langchain","schema","messages","HumanMessage"].
	lcPython
)

// lcSpelled holds the formats that write messages, by spelling.
var lcSpelled [lcPython + 1]*Format

func init() {
	const chunks = "AIMessageChunk HumanMessageChunk SystemMessageChunk ToolMessageChunk FunctionMessageChunk ChatMessageChunk"
	flat := Format{
		Name:    "langchain",
		Doc:     "LangChain messages: stored, flat, or as constructors, of JavaScript and of Python",
		List:    "messages",
		Convert: target(&langChainTarget),
		Signs: Signs{
			Roles: "system developer user assistant tool function human ai",
			Keys:  "content tool_calls tool_call_id name data summary",
			Types: "text reasoning image audio video file text-plain citation refusal tool_call tool_call_chunk invalid_tool_call server_tool_call " +
				"server_tool_call_chunk server_tool_call_result server_tool_result non_standard tool_use tool_result server_tool_use mcp_tool_use " +
				"mcp_tool_result web_search_tool_result thinking redacted_thinking image_url input_audio document function_call input_json_delta " +
				"reasoning_content media",
			Items: "human ai system tool function chat generic remove constructor developer user assistant " + chunks,
			Also:  "part:tool_use_id part:toolCallId part:functionCall part:thoughtSignature",
			Shy:   true,
			Own: "item:human item:ai item:system item:tool item:function item:generic item:chat item:remove item:constructor key:lc key:kwargs key:lc_kwargs key:lc_namespace " +
				"key:additional_kwargs key:response_metadata key:invalid_tool_calls key:usage_metadata key:tool_call_chunks item:" +
				strings.ReplaceAll(chunks, " ", " item:"),
		},
		ReadMessage: readLangChain,
		Marks:       ControlMark | PointMark,
		ResultBody:  stringBody,
		Tool:        `{"type":"function","function":{"name":%n,"description":%d,"parameters":%p}}`,
		TextPart:    `{"type":"text","text":%t}`,
		FreshID:     "call_ctxfold_",
		Within:      []string{lcStored: "data", lcConstructor: "kwargs", lcPython: "kwargs"},
		Rules: Rules{
			Unanswered: "LC2", Orphan: "LC3", Duplicate: "LC4", Empty: "LC5", BlankText: "LC5", First: "LC6",
			Role: "LC1", Server: "LC7", Bound: "AN9",
			Answers: NextMessages, ResultRole: transcript.Tool,
		},
	}
	for spelling := lcFlat; spelling <= lcPython; spelling++ {
		f, w := flat, lcWriter(spelling)
		f.Message, f.Results, f.Wrap = w.message, w.results, w.wrap
		f.Spelled = func(spelling uint8) *Format { return lcSpelled[max(spelling, lcFlat)] }
		lcSpelled[spelling] = &f
	}
	Register(lcSpelled[lcFlat])
}

const (
	lcType = iota
	lcID
	lcKwargs
	lcData
	lcContent
	lcText
	lcCalls
	lcInvalid
	lcChunks
	lcExtra
	lcCallID
	lcName
	lcRole
	lcStatus
)

// lcKeys lists the keys of a message. Its content has the same keys, under "kwargs" or "data".
var lcKeys = []string{
	"type", "id", "kwargs", "data", "content", "text", "tool_calls", "invalid_tool_calls", "tool_call_chunks",
	"additional_kwargs", "tool_call_id", "name", "role", "status",
}

// lcEnvelope is the object that contains a message's members: the message itself, or an object in it.
type lcEnvelope struct {
	class  lcClass // the class that a constructor names; zero for other spellings
	within int     // the key of that object, or -1
	held   frame   // the members
}

// readLangChain reads a message in any spelling. The parts are added to r.T.
func readLangChain(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	e := lcEnvelope{within: -1}
	fp, _ := r.fields(lcKeys, func(r *Reader, key int, f *frame) bool { return e.read(r, m, key, f) })
	f := *fp
	if e.within < 0 {
		e.held = f
	}
	m.Spelling = e.class.spelling(e.within)
	typ := e.typ(r, m, &f[lcType])
	if e.within >= 0 && f[lcContent].Kind != jsonspan.Invalid {
		r.Fail(jsonspan.WrongType, int(f[lcContent].Start),
			"this message has content outside its \""+lcKeys[e.within]+"\"")
	}
	if chat := strings.TrimSuffix(typ, "Chunk"); typ == "" || chat == "chat" || chat == "generic" || chat == "ChatMessage" {
		r.wantKind(&e.held[lcRole], jsonspan.String, jsonspan.Null, "the role must be a string")
		if typ = r.shortText(&e.held[lcRole]); typ != "" {
			m.RoleSpan = e.held[lcRole].Span
		}
	}
	if typ == "" && r.Err() == nil {
		r.Fail(api.CodeMissingRole, int(m.Span.Start), "this message has no type, and no role")
	}
	if r.Err() == nil {
		lcRead(r, m, first, typ, &e.held)
	}
}

// read reads a member of a message if it is a list or an object; otherwise it returns false.
func (e *lcEnvelope) read(r *Reader, m *transcript.Message, key int, f *frame) bool {
	switch kind := r.Kind(); {
	case key == lcID && kind == jsonspan.Array:
		e.class.read(r)
	case (key == lcKwargs || key == lcData) && kind == jsonspan.Object && e.within < 0:
		in, _ := r.fields(lcKeys, func(r *Reader, key int, f *frame) bool { return lcMember(r, m, key) })
		e.held, e.within = *in, key
	default:
		return lcMember(r, m, key)
	}
	return true
}

// typ returns the type of a message, which is in the member f. The type of a constructor is the name of its class.
func (e *lcEnvelope) typ(r *Reader, m *transcript.Message, f *field) string {
	r.wantKind(f, jsonspan.String, jsonspan.Null, "the type of a message must be a string")
	typ := r.shortText(f)
	if f.Str() {
		m.RoleSpan = f.Span
	}
	switch {
	case typ != "constructor":
	case e.within == lcKwargs:
		typ, m.RoleSpan = r.shortText(&e.class.name), e.class.name.Span
	case e.within < 0:
		r.Fail(jsonspan.WrongType, int(m.Span.Start), "a constructor must have an object under \"kwargs\"")
	}
	return typ
}

// lcClass is the path of a class, as a list of names.
type lcClass struct {
	name   field // the last name, which is the class itself
	python bool  // whether the path begins with "langchain", as the Python library writes it
}

// spelling returns the spelling of a message. within is the key of the object that contains the message's content, or
// -1 if the message contains it directly.
func (c *lcClass) spelling(within int) uint8 {
	switch {
	case within == lcData:
		return lcStored
	case within != lcKwargs:
		return lcFlat
	case c.python:
		return lcPython
	}
	return lcConstructor
}

func (c *lcClass) read(r *Reader) {
	n := 0
	for r.Array(); r.Elem(); n++ {
		if r.Kind() != jsonspan.String {
			r.Skip()
			continue
		}
		s := r.Text()
		c.name = field{Kind: jsonspan.String, Span: s.Span, Size: s.Measure}
		c.python = n == 0 && r.isText(&c.name, "langchain") || n > 0 && c.python
	}
}

// lcMember reads a member of a message if it is a list or an object; otherwise it returns false.
func lcMember(r *Reader, m *transcript.Message, key int) bool {
	array := r.Kind() == jsonspan.Array
	switch {
	case key == lcContent && array:
		m.Lists[transcript.ContentList] = r.list(func(r *Reader) { lcBlock(r, -1) })
	case key == lcCalls && array:
		m.Lists[transcript.CallList] = r.list(func(r *Reader) { lcCall(r, transcript.CallList) })
	case key == lcInvalid && array:
		r.list(func(r *Reader) { lcCall(r, transcript.InvalidList) })
	case key == lcChunks && array:
		r.list(func(r *Reader) { lcCall(r, transcript.ChunkList) })
	case key == lcExtra && !array:
		lcAdditional(r)
	default:
		return false
	}
	return true
}

// lcRoles contains the role for each type and class of message, and for each role of a chat message.
var lcRoles = []roleName{
	{"human", transcript.User}, {"user", transcript.User}, {"HumanMessage", transcript.User},
	{"ai", transcript.Assistant}, {"assistant", transcript.Assistant}, {"AIMessage", transcript.Assistant},
	{"system", transcript.System}, {"developer", transcript.System}, {"SystemMessage", transcript.System},
	{"tool", transcript.Tool}, {"ToolMessage", transcript.Tool}, {"function", transcript.Tool},
	{"FunctionMessage", transcript.Tool},
}

// lcRead fills in message m, whose type is typ, from its members f. first is the index of the message's first part.
func lcRead(r *Reader, m *transcript.Message, first int, typ string, f *frame) {
	m.Role = transcript.Other
	typ = strings.TrimSuffix(typ, "Chunk")
	for _, role := range lcRoles {
		if role.name == typ {
			m.Role = role.role
		}
	}
	content := f[lcContent]
	if content.Kind == jsonspan.Invalid { // a message written by the first version
		content = f[lcText]
	}
	r.content(m, &content, "blocks")
	for _, k := range [...]int{lcCalls, lcInvalid, lcChunks} {
		r.wantList(&f[k], lcKeys[k]+" must be a list")
	}
	switch {
	case typ == "remove" || typ == "RemoveMessage":
		// The message removes another one from a state and isn't sent. It gets the system role, which takes no turn.
		m.Role, m.Variant = transcript.System, transcript.Note
		r.meta(m).Agent = transcript.Off
		p := wholePart(transcript.Opaque, &f[lcID])
		p.Flags, p.Size = transcript.ProviderOnly|transcript.NotSent, jsonspan.Measure{}
		r.Add(p)
		return
	case m.Role == transcript.Tool:
		p := contentResult(&content, &f[lcCallID], &f[lcName])
		if r.isText(&f[lcStatus], "error") {
			p.Flags |= transcript.IsError
		}
		m.Lists = [2]jsonspan.Span{}
		lcOnlyContent(r, first)
		r.addResult(m, first, p)
		return
	}
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
	if f[lcName].Str() {
		m.Extra = f[lcName].Size
	}
	r.findCopies(first)
}

// lcOnlyContent removes the parts from index first on that aren't sent with a tool result. These are all parts except
// those of its content.
func lcOnlyContent(r *Reader, first int) {
	inside := r.T.Parts[:first]
	for _, part := range r.T.Parts[first:] {
		if part.List != transcript.ContentList || part.Parent >= 0 {
			continue
		}
		if part.Kind == transcript.ToolCall || part.Kind == transcript.ToolResult {
			part.Kind, part.Flags = transcript.Opaque, 0
		}
		inside = append(inside, part)
	}
	r.T.Parts = inside
}

var lcCallKeys = []string{"id", "name", "args", "function"}

// lcCall reads a tool call in a list, in the form of LangChain or OpenAI.
func lcCall(r *Reader, list int8) {
	p := transcript.Part{Kind: transcript.ToolCall, List: list, Parent: -1}
	f, _ := r.object(&p, "a tool call", lcCallKeys, functionAt(&p, 3, 3))
	f[0].setID(&p)
	f[1].setToolName(&p)
	if f[2].Kind != jsonspan.Invalid {
		p.Body, p.Size = f[2].Span, f[2].Size
	}
	r.Add(p)
}

var lcExtraKeys = []string{"tool_calls", "function_call", "reasoning_content"}

// lcAdditional reads the calls and the reasoning in a provider's original response. The calls have the provider's
// spelling, and repeat the message's tool_calls.
func lcAdditional(r *Reader) {
	f, _ := r.fields(lcExtraKeys, func(r *Reader, key int, f *frame) bool {
		switch kind := r.Kind(); {
		case key == 0 && kind == jsonspan.Array:
			r.list(func(r *Reader) { lcCall(r, transcript.RawList) })
		case key == 1 && kind == jsonspan.Object:
			openAIFunctionCall(r, f[key].Key)
		default:
			return false
		}
		return true
	})
	if f[2].Str() {
		r.Add(memberPart(transcript.Reasoning, &f[2]))
	}
}

// lcWriter is a spelling; its methods write messages in that spelling.
type lcWriter uint8

// open appends the text before a message's members; close appends the text after them. typ is the message's type, and
// class the name of its class.
func (w lcWriter) open(dst []byte, typ, class string) []byte {
	switch uint8(w) {
	case lcStored:
		return append(append(append(dst, `{"type":"`...), typ...), `","data":{`...)
	case lcConstructor:
		return append(append(append(dst, `{"lc":1,"type":"constructor","id":["langchain_core","messages","`...),
			class...), `"],"kwargs":{`...)
	case lcPython:
		dst = append(append(append(dst, `{"lc":1,"type":"constructor","id":["langchain","schema","messages","`...),
			class...), `"],"kwargs":{"type":"`...)
		return append(append(dst, typ...), `",`...)
	}
	return append(append(append(dst, `{"type":"`...), typ...), `",`...)
}

func (w lcWriter) close(dst []byte) []byte {
	if uint8(w) == lcFlat {
		return append(dst, '}')
	}
	return append(dst, `}}`...)
}

func (w lcWriter) message(dst []byte, role transcript.Role, text string) []byte {
	switch role {
	case transcript.System:
		dst = w.open(dst, "system", "SystemMessage")
	case transcript.Assistant:
		dst = w.open(dst, "ai", "AIMessage")
	default:
		dst = w.open(dst, "human", "HumanMessage")
	}
	return w.close(jsonspan.AppendString(append(dst, `"content":`...), text))
}

// wrap writes a user message that contains one result, as a block.
func (w lcWriter) wrap(dst []byte, _ transcript.Role, part, _ []byte) []byte {
	dst = append(append(w.open(dst, "human", "HumanMessage"), `"content":[`...), part...)
	return w.close(append(dst, ']'))
}

// results appends a message for each call. It returns nil if a call has neither an id nor a name. The messages are
// separated by commas, and each has text as its content, as the result of a tool that failed.
func (w lcWriter) results(dst []byte, calls []Call, text string) []byte {
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch {
		case c.ID != nil:
			dst = w.open(dst, "tool", "ToolMessage")
			dst = append(append(append(dst, `"tool_call_id":`...), c.ID...), `,"status":"error",`...)
		case c.Name != nil:
			dst = w.open(dst, "function", "FunctionMessage")
		default:
			return nil
		}
		if c.Name != nil {
			dst = append(append(append(dst, `"name":`...), c.Name...), ',')
		}
		dst = w.close(jsonspan.AppendString(append(dst, `"content":`...), text))
	}
	return dst
}

// langChainTarget writes flat messages. coerceMessageLikeToMessage and convert_to_messages accept them as well as
// constructors, and flat messages have no class paths, which depend on the version. Neither function accepts stored
// messages.
var langChainTarget = Target{
	System:    `{"type":"system","content":%c}`,
	User:      `{"type":"human","content":%c}`,
	Assistant: `{"type":"ai","content":%c%?k,"tool_calls":[%k]%;%?h,"additional_kwargs":{"reasoning_content":%h}%;}`,
	Content:   AsEither, Empty: `""`,
	Text:            `{"type":"text","text":%t}`,
	ReasoningBeside: true,
	Call:            `{"type":"tool_call","id":%i,"name":%n,"args":%o}`, CallsBeside: true,
	Result:  `{"type":"tool","tool_call_id":%i,"name":%n,"content":%c%?e,"status":"error"%;}`,
	Outcome: Outcome{List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, images, `{"type":"image_url","image_url":{"url":%u}}`, `{"type":"image_url","image_url":{"url":%u}}`, ByUser | InResult},
		{transcript.Audio, "audio/", `{"type":"audio","source_type":"base64","mime_type":%m,"data":%d}`, "", ByUser},
		{transcript.File, "application/pdf", `{"type":"file","source_type":"base64","mime_type":%m,"data":%d,"metadata":{"filename":%?f%f%;%?F%F%;}}`,
			`{"type":"file","source_type":"url","url":%u%?f,"metadata":{"filename":%f}%;}`, ByUser},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
