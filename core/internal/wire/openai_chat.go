package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "openai-chat",
		Doc:     "OpenAI Chat Completions: ChatCompletionMessageParam[]",
		List:    "messages",
		Convert: target(&openAIChatTarget),
		Signs: Signs{
			Roles: "system developer user assistant tool function",
			Keys:  "content tool_calls tool_call_id function_call refusal reasoning_content name audio",
			Types: "text image_url input_audio file refusal",
			Own: "key:tool_calls key:tool_call_id key:function_call key:refusal key:reasoning_content " +
				"role:developer role:function type:image_url type:input_audio model:gpt model:o1 model:o3 model:o4 model:deepseek",
			// Tool calls that have been read also end the search.
			Decisive: "key:function_call key:refusal key:reasoning_content role:developer role:function",
		},
		ReadMessage: readOpenAIChat,
		Marks:       ControlMark,
		Message:     textMessage(roleAndText),
		ResultBody:  stringBody,
		Tool:        `{"type":"function","function":{"name":%n,"description":%d,"parameters":%p}}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results:     answers{each: `{"role":%?i"tool","tool_call_id":%i%;%?m"function","name":%n%;,"content":%t}`}.results,
		FreshID:     "call_ctxfold_",
		Rules: Rules{
			Unanswered: "OC2", Orphan: "OC3", Duplicate: "OC4", Empty: "OC1", Role: "OC8",
			Answers: NextMessages, ResultRole: transcript.Tool,
		},
		Think: openAIChatThink,
		Extra: checkOpenAIChat,
	})
}

var openAIChatRoles = []roleName{
	{"system", transcript.System}, {"developer", transcript.System}, {"user", transcript.User},
	{"assistant", transcript.Assistant}, {"tool", transcript.Tool}, {"function", transcript.Tool},
}

const (
	ocRole = iota
	ocContent
	ocCalls
	ocCallID
	ocName
	ocFunction
	ocRefusal
	ocReasoning
	ocReasoning2
	ocAudio
)

var openAIChatKeys = []string{
	"role", "content", "tool_calls", "tool_call_id", "name", "function_call", "refusal", "reasoning_content",
	"reasoning", "audio",
}

// readOpenAIChat reads a message. The parts are added to r.T.
func readOpenAIChat(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	f, _ := r.fields(openAIChatKeys, func(r *Reader, key int, f *frame) bool {
		switch {
		case key == ocContent && r.Kind() == jsonspan.Array:
			m.Lists[transcript.ContentList] = r.list(openAIChatPart)
		case key == ocCalls && r.Kind() == jsonspan.Array:
			m.Lists[transcript.CallList] = r.list(openAIChatCall)
		case key == ocFunction && r.Kind() == jsonspan.Object:
			openAIFunctionCall(r, f[key].Key)
		default:
			return false
		}
		return true
	})
	r.setRole(m, &f[ocRole], openAIChatRoles)
	content := f[ocContent]
	r.content(m, &content, "parts")
	r.wantList(&f[ocCalls], "tool_calls must be a list")
	if m.Role == transcript.Tool {
		r.addResult(m, first, contentResult(&content, &f[ocCallID], &f[ocName]))
		return
	}
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
	if f[ocReasoning].Str() {
		openAIReasoning(r, m, &f[ocReasoning])
	}
	if f[ocReasoning2].Str() {
		r.Add(memberPart(transcript.Reasoning, &f[ocReasoning2]))
	}
	for _, k := range []int{ocRefusal, ocAudio} {
		if f[k].Kind != jsonspan.Invalid && f[k].Kind != jsonspan.Null {
			r.Add(memberPart(transcript.Opaque, &f[k]))
		}
	}
	if f[ocName].Str() {
		m.Extra = f[ocName].Size
	}
}

// openAIReasoning adds the part for reasoning_content. If one of the assistant's messages has it, all of them must have
// it.
func openAIReasoning(r *Reader, m *transcript.Message, f *field) {
	p := memberPart(transcript.Reasoning, f)
	if m.Role == transcript.Assistant {
		if p.Flags |= transcript.Required; p.Size.Bytes == 0 {
			p.Flags |= transcript.NotSent
		}
		r.T.Reasons = true
	}
	r.Add(p)
}

const (
	opType = iota
	opText
	opRefusal
	opImage
	opAudio
	opFile
)

var openAIChatPartKeys = []string{"type", "text", "refusal", "image_url", "input_audio", "file"}

// openAIChatPart reads a content part. It is added to r.T; a part of an unknown type is opaque.
func openAIChatPart(r *Reader) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	f, size := r.object(&p, "a content part", openAIChatPartKeys, nil)
	p.Size = size
	switch r.shortText(&f[opType]) {
	case "text":
		f[opText].setText(&p, transcript.Text)
	case "refusal":
		p.Size = f[opRefusal].Size
	case "image_url":
		p.SetMedia(transcript.Image, f[opImage].Raw)
	case "input_audio":
		p.SetMedia(transcript.Audio, f[opAudio].Raw)
	case "file":
		p.SetMedia(transcript.File, f[opFile].Raw)
	}
	r.Add(p)
}

const (
	callID = iota
	callFunction
	callCustom
	callType
	callArguments
)

var openAICallKeys = []string{"id", "function", "custom", "type", "arguments"}

// openAIChatCall reads a tool call. In the logs of evaluations, the name of the function takes the place of the
// function object, and the arguments are next to it.
func openAIChatCall(r *Reader) {
	p := transcript.Part{Kind: transcript.ToolCall, List: transcript.CallList, Parent: -1}
	f, _ := r.object(&p, "a tool call", openAICallKeys, functionAt(&p, callFunction, callCustom))
	f[callID].setID(&p)
	if f[callFunction].Str() {
		f[callFunction].setToolName(&p)
		callBody(&p, &f[callArguments])
	}
	r.Add(p)
}

var openAIFunctionKeys = []string{"name", "arguments", "input"}

// openAIFunctionCall reads the member function_call of a message, whose key is at start. Messages had it before they
// had lists of calls.
func openAIFunctionCall(r *Reader, start uint32) {
	call := transcript.Part{Kind: transcript.ToolCall, List: transcript.Member, Parent: -1}
	openAIFunction(r, &call)
	call.Span = jsonspan.Span{Start: start, End: r.Pos()}
	r.Add(call)
}

// functionAt returns a function for [Reader.object] that reads the function of the call p from the members with the
// indexes from first to last, if they are objects.
func functionAt(p *transcript.Part, first, last int) func(r *Reader, key int, f *frame) bool {
	return func(r *Reader, key int, _ *frame) bool {
		if key < first || key > last || r.Kind() != jsonspan.Object {
			return false
		}
		openAIFunction(r, p)
		return true
	}
}

// openAIFunction reads the object of a function, {"name","arguments"}, or of a custom tool, {"name","input"}.
func openAIFunction(r *Reader, p *transcript.Part) {
	f, _ := r.fields(openAIFunctionKeys, nil)
	f[0].setToolName(p)
	if f[1].Kind == jsonspan.Invalid {
		p.Body, p.Size = f[2].Span, f[2].Size
		return
	}
	callBody(p, &f[1])
}

// callBody makes the arguments, an object or JSON in a string, the body of a call.
func callBody(p *transcript.Part, arguments *field) {
	if arguments.Str() {
		p.Flags |= transcript.JSONText
	}
	p.Body, p.Size = arguments.Span, arguments.Size
}

// checkOpenAIChat reports violations of OC9: if one assistant message has reasoning_content, every assistant message
// with tool calls, and every one that ctxfold writes, must have it. DeepSeek's models require it in all of them.
func checkOpenAIChat(c *Checker) {
	t := c.T
	if !t.Reasons {
		return
	}
	for _, m := range c.Seq {
		if t.Messages[m].Role != transcript.Assistant {
			continue
		}
		wanted, has := t.Reasoner || int(m) >= t.Input, t.Messages[m].Reasoned
		for _, p := range t.PartsOf(int(m)) {
			gone := p.Has(transcript.Removed)
			wanted = wanted || p.Kind == transcript.ToolCall && !gone
			has = has || p.Has(transcript.Required) && !gone
		}
		if wanted && !has {
			c.Add("OC9", m, -1, AddReasoning, "this message has no reasoning_content, and others have")
		}
	}
}

// IsReasoningModel reports whether a model requires reasoning_content in all assistant messages if one has it (OC9).
func IsReasoningModel(model string) bool {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	return strings.HasPrefix(name, "deepseek")
}

// openAIChatThink returns where to insert an empty reasoning_content in a message, and the text to insert. message is
// a JSON object.
func openAIChatThink(message []byte) (at jsonspan.Span, text string) {
	s := jsonspan.New(message)
	for key := range s.Members {
		start := s.KeyPos()
		value := s.Skip()
		if string(key) == "reasoning_content" { // null, or another value that isn't a string
			return jsonspan.Span{Start: start, End: value.End}, `"reasoning_content":""`
		}
	}
	return jsonspan.Span{Start: 0, End: 1}, `{"reasoning_content":"",`
}

// openAIChatTarget can't express reasoning: some servers know the member reasoning_content, but OpenAI's API rejects
// it.
var openAIChatTarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"role":"system","content":%c}`,
	User:      `{"role":"user","content":%c}`,
	Assistant: `{"role":"assistant","content":%c%?k,"tool_calls":[%k]%;}`,
	Content:   AsEither, Empty: `null`,
	Text: `{"type":"text","text":%t}`,
	Call: `{"id":%i,"type":"function","function":{"name":%n,"arguments":%s}}`, CallsBeside: true,
	Result: `{"role":"tool","tool_call_id":%i,"content":%c}`,
	Media: []MediaForm{
		{transcript.Image, images, `{"type":"image_url","image_url":{"url":%u}}`, `{"type":"image_url","image_url":{"url":%u}}`, ByUser},
		{transcript.Audio, "audio/wav:wav audio/x-wav:wav audio/mpeg:mp3 audio/mp3:mp3", `{"type":"input_audio","input_audio":{"data":%d,"format":"%x"}}`, "", ByUser},
		{transcript.File, "application/pdf", `{"type":"file","file":{"filename":%?f%f%;%?F%F%;,"file_data":%u}}`, "", ByUser},
	},
	ID: NameForm{Max: 40, Marks: AnySign}, ToolName: NameForm{Max: 64, Marks: "_-"},
}
