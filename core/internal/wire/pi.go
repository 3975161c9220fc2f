//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "pi",
		Doc:     "live messages of the agent pi: AgentMessage[], with the roles of its coding agent",
		List:    "messages",
		Convert: target(&piTarget),
		Signs: Signs{
			Roles: "system user assistant toolResult bashExecution custom branchSummary compactionSummary",
			Keys:  "content timestamp toolCallId stopReason usage command output summary",
			Types: "text thinking image toolCall",
			Shy:   true,
			Own: "role:toolResult role:bashExecution role:branchSummary role:compactionSummary type:toolCall key:stopReason " +
				"key:customType part:thinkingSignature part:textSignature part:thoughtSignature",
			// Gemini has signed thoughts too.
			Decisive: "role:toolResult role:bashExecution role:branchSummary role:compactionSummary type:toolCall key:stopReason " +
				"key:customType part:thinkingSignature part:textSignature",
		},
		ReadMessage: readPi,
		Message: func(dst []byte, role transcript.Role, text string) []byte {
			return piMessage(dst, role, text, nil)
		},
		Instead:    piMessage,
		Timed:      true,
		ResultBody: bodyOf(`[{"type":"text","text":%t}]`), // the content of a result must be a list
		Tool:       `{"name":%n,"description":%d,"parameters":%p}`,
		TextPart:   `{"type":"text","text":%t}`,
		Results:    piResults,
		FreshID:    "call_ctxfold_",
		Rules: Rules{
			Unanswered: "PI2", Orphan: "PI3", Duplicate: "PI4", Empty: "PI6", Role: "PI1", Bound: "AN9",
			Answers: NextMessages, ResultRole: transcript.Tool, Through: true,
		},
		Extra: checkPi,
	})
}

var piRoles = []roleName{
	{"system", transcript.System}, {"user", transcript.User}, {"assistant", transcript.Assistant},
	{"toolResult", transcript.Tool}, {"bashExecution", transcript.User}, {"custom", transcript.User},
	{"branchSummary", transcript.User},
	{"compactionSummary", transcript.User},
}

const (
	piRole = iota
	piContent
	piCallID
	piToolName
	piError
	piStop
	piUsage
	piCommand
	piOutput
	piExit
	piUnsent
	piType
	piSummary
	piSections
	piAdded
	piRemoved
	piDeferred
)

var piKeys = []string{
	"role", "content", "toolCallId", "toolName", "isError", "stopReason", "usage", "command", "output", "exitCode",
	"excludeFromContext", "customType", "summary", "sections", "toolsAdded", "toolsRemoved", "deferred",
}

// readPi reads a message. Messages that pi doesn't send (interrupted responses, commands that the user hid from the
// model) have no cost, and their tool calls are ignored.
func readPi(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	f, _ := r.fields(piKeys, func(r *Reader, key int, f *frame) bool {
		switch {
		case key == piContent && r.Kind() == jsonspan.Array:
			m.Lists[transcript.ContentList] = r.list(piPart)
		case key == piUsage && r.Kind() == jsonspan.Object:
			r.usage(m, piUsageKeys)
		default:
			return false
		}
		return true
	})
	r.setRole(m, &f[piRole], piRoles)
	content := f[piContent]
	role := r.shortText(&f[piRole])
	if role == "assistant" {
		r.wantKind(&content, jsonspan.Array, jsonspan.Null, "content of the assistant must be a list of parts")
	} else {
		if content.Kind == jsonspan.Null { // pi treats null as an empty list
			content = field{}
		}
		r.wantKind(&content, jsonspan.String, jsonspan.Array, "content must be a string or a list of parts")
	}
	m.Content = content.Span
	if role == "toolResult" {
		p := contentResult(&content, &f[piCallID], &f[piToolName])
		if content.Str() {
			p.Flags |= transcript.Misshapen
		}
		if f[piError].Kind == jsonspan.True {
			p.Flags |= transcript.IsError
		}
		r.addResult(m, first, p)
		return
	}
	piVariant(r, m, role, first, f)
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
	piChanges(r, f)
}

// piVariant reads the members that only messages of a certain role have. The parts of the message begin at index first.
func piVariant(r *Reader, m *transcript.Message, role string, first int, f *frame) {
	switch role {
	case "assistant":
		if f[piStop].Str() {
			r.meta(m).Stop = f[piStop].Span
		}
		if m.Unsent = r.isText(&f[piStop], "error") || r.isText(&f[piStop], "aborted"); m.Unsent {
			breakOff(r.T.Parts[first:])
		}
	case "bashExecution":
		r.shell(m, &f[piCommand], &f[piOutput], &f[piExit])
		m.Unsent = f[piUnsent].Kind == jsonspan.True
	case "branchSummary", "compactionSummary":
		m.Variant = transcript.Digest
		if role == "branchSummary" {
			m.Variant = transcript.Branch
		}
		if f[piSummary].Str() {
			r.Add(memberPart(transcript.Text, &f[piSummary]))
		}
	case "custom":
		if m.Variant = transcript.Note; f[piType].Str() {
			m.Label = f[piType].Span
		}
	}
}

// piChanges adds parts for changes of the system prompt and of the tools, which apply from this message on, and for the
// handle with which a deferred response is fetched.
func piChanges(r *Reader, f *frame) {
	for _, k := range []int{piSections, piAdded, piRemoved, piDeferred} {
		if f[k].Kind != jsonspan.Object && f[k].Kind != jsonspan.Array {
			continue
		}
		p := memberPart(transcript.Opaque, &f[k])
		p.Flags |= transcript.ProviderOnly
		if k == piDeferred {
			p.Flags |= transcript.NotSent
		}
		r.Add(p)
	}
}

// breakOff makes the tool calls in a message that isn't sent opaque, so that no result is paired with them.
func breakOff(parts []transcript.Part) {
	for i := range parts {
		if p := &parts[i]; p.Kind == transcript.ToolCall {
			p.Kind, p.ID, p.Name = transcript.Opaque, jsonspan.Span{}, jsonspan.Span{}
		}
	}
}

var piUsageKeys = []string{"input", "output", "cacheRead", "cacheWrite", "totalTokens"}

const (
	ppType = iota
	ppText
	ppThinking
	ppSignature
	ppRedacted
	ppData
	ppID
	ppName
	ppArguments
	ppThoughtSignature
)

var piPartKeys = []string{
	"type", "text", "thinking", "thinkingSignature", "redacted", "data", "id", "name", "arguments", "thoughtSignature",
}

// piPart reads a part. It is added to r.T; a part of an unknown type is opaque.
func piPart(r *Reader) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	f, size := r.object(&p, "a part", piPartKeys, nil)
	p.Size = size
	switch r.shortText(&f[ppType]) {
	case "text":
		f[ppText].setText(&p, transcript.Text)
	case "thinking":
		if f[ppThinking].Str() {
			p.Kind, p.Body, p.Size = transcript.Reasoning, f[ppThinking].Span, f[ppThinking].Size
			f[ppSignature].setFlags(&p, transcript.Signed|transcript.Bound)
		}
		if f[ppRedacted].Kind == jsonspan.True {
			p.Kind, p.Body, p.Flags = transcript.Reasoning, jsonspan.Span{}, transcript.Signed|transcript.Bound
		}
		if p.Has(transcript.Signed) && (p.Body.IsZero() || p.Size.Bytes == 0) { // only the signature is sent
			p.Size = encryptedSize(&f[ppSignature])
		}
	case "image":
		p.SetMedia(transcript.Image, f[ppData].Raw)
	case "toolCall":
		p.Kind, p.Body, p.Size = transcript.ToolCall, f[ppArguments].Span, f[ppArguments].jsonSize()
		f[ppThoughtSignature].setFlags(&p, transcript.Signed)
		f[ppID].setID(&p)
		f[ppName].setToolName(&p)
	}
	r.Add(p)
}

// piUnknown holds the members that pi's types require in every assistant message, with placeholders as values.
const piUnknown = `"api":"ctxfold","provider":"ctxfold","model":"ctxfold","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,` +
	`"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},`

// piMessage writes a message. Its timestamp is that of the message that it replaces, or 0.
func piMessage(dst []byte, role transcript.Role, text string, old []byte) []byte {
	dst = append(append(append(dst, `{"role":"`...), role.String()...), `","content":`...)
	if role == transcript.Assistant {
		dst = append(jsonspan.AppendString(append(dst, `[{"type":"text","text":`...), text),
			`}],`+piUnknown+`"stopReason":"stop"`...)
	} else {
		dst = jsonspan.AppendString(dst, text)
	}
	return append(append(append(dst, `,"timestamp":`...), piStamp(old)...), '}')
}

// piStamp returns the timestamp of a message as it is written in its JSON, or 0 if there is none.
func piStamp(message []byte) []byte {
	if len(message) > 0 {
		s := jsonspan.New(message)
		for name := range s.Members {
			if value := s.Skip(); string(name) == "timestamp" && value.Kind == jsonspan.Number {
				return value.Slice(message)
			}
		}
	}
	return []byte("0")
}

// piResults writes tool results with the timestamp of the message that contains their calls; nil if a call has no id.
func piResults(dst []byte, calls []Call, text string) []byte {
	stamp := []byte("0")
	for i, c := range calls {
		if len(c.Message) > 0 && (i == 0 || &c.Message[0] != &calls[i-1].Message[0]) {
			stamp = piStamp(c.Message)
		}
		if c.ID == nil {
			return nil
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"role":"toolResult","toolCallId":`...), c.ID...), `,"toolName":`...)
		if c.Name != nil {
			dst = append(dst, c.Name...)
		} else {
			dst = append(dst, `""`...)
		}
		dst = jsonspan.AppendString(append(dst, `,"content":[{"type":"text","text":`...), text)
		dst = append(append(append(dst, `}],"isError":true,"timestamp":`...), stamp...), '}')
	}
	return dst
}

// checkPi reports violations of PI5: the content of a tool result must be a list.
func checkPi(c *Checker) {
	for n, p := range c.parts {
		if p.Has(transcript.Misshapen) && !p.Has(transcript.Edited) {
			c.Add("PI5", p.Msg, n, WrapBody, "the content of a tool result must be a list of parts")
		}
	}
}

var piTarget = Target{
	Tools:  `"tools":[%l]`,
	System: `{"role":"system","content":%c,"timestamp":0}`,
	User:   `{"role":"user","content":%c,"timestamp":0}`,
	Assistant: `{"role":"assistant","content":[%c],` + piUnknown +
		`"stopReason":%?a"toolUse"%;%?A"stop"%;,"timestamp":0}`,
	Content: AsEither, Said: AsParts,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"type":"thinking","thinking":%t}`,
	Call:      `{"type":"toolCall","id":%i,"name":%n,"arguments":%o}`,
	Result:    `{"role":"toolResult","toolCallId":%i,"toolName":%n,"content":%c,"isError":%?etrue%;%?Efalse%;,"timestamp":0}`,
	Outcome:   Outcome{Text: `[{"type":"text","text":%t}]`, List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media:     []MediaForm{{transcript.Image, images, `{"type":"image","data":%d,"mimeType":%m}`, "", ByUser | InResult}},
	ID:        NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
