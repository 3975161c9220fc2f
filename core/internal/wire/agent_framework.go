//go:build !ctxfold_no_formats

package wire

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// afNet is the spelling of Microsoft.Extensions.AI, which the framework uses in .NET: types are under "$type", and
// names are in camel case. The other spelling is that of Python, with underscores.
const afNet = 1

// The shapes are those of Message.to_dict and Content.to_dict (agent_framework/_types.py), and of ChatMessage and
// AIContent (Microsoft.Extensions.AI.Abstractions).
func init() {
	python := Format{
		Name:    "agent-framework",
		Doc:     "Microsoft Agent Framework: Message.to_dict()[] of Python, ChatMessage[] of .NET",
		List:    "messages",
		Convert: target(&agentFrameworkTarget),
		Signs: Signs{
			Roles: "system user assistant tool",
			Keys:  "name",
			Items: "message chat_message",
			Own:   "key:contents",
			Shy:   true, // each message has a sign of it
		},
		Parts:       "contents",
		ReadMessage: agentFrameworkLayout.reader(),
		Message:     textMessage(`{"type":"message","role":"%r","contents":[{"type":"text","text":%t}]}`),
		ResultBody:  aiSDKUIResultBody,
		Tool:        `{"name":%n,"description":%d,"parameters":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results: answers{
			each: `{"type":"function_result","call_id":%i,"result":%t}`,
			all:  `{"type":"message","role":"tool","contents":[%c]}`, ids: true, kept: true,
		}.results,
		Wrap:    wrapIn(`{"type":"message","role":"%r","contents":[%c]}`),
		FreshID: "call_ctxfold_",
		Rules: Rules{
			Unanswered: "AF2", Orphan: "AF3", Duplicate: "AF4", Empty: "AF1", Role: "AF5", Bound: "AN9",
			Answers: NextMessages, ResultRole: transcript.Tool,
		},
	}
	net := python
	net.Message = textMessage(`{"role":"%r","contents":[{"$type":"text","text":%t}]}`)
	net.TextPart = `{"$type":"text","text":%t}`
	net.Results = answers{
		each: `{"$type":"functionResult","callId":%i,"result":%t}`, all: `{"role":"tool","contents":[%c]}`, ids: true,
		kept: true,
	}.results
	net.Wrap = wrapIn(`{"role":"%r","contents":[%c]}`)
	spelled := func(spelling uint8) *Format {
		if spelling == afNet {
			return &net
		}
		return &python
	}
	python.Spelled, net.Spelled = spelled, spelled
	agentFrameworkNet.reader()
	Register(&python)
}

// wrapIn returns a Format.Wrap that fills in a template: %r is the role, and %c the part.
func wrapIn(template string) func(dst []byte, role transcript.Role, part, _ []byte) []byte {
	return func(dst []byte, role transcript.Role, part, _ []byte) []byte {
		return FillTemplate(dst, template, &Values{'r': []byte(role.String()), 'c': part})
	}
}

const (
	afText = 1 + iota
	afID
	afName
	afArguments
	afResult
	afProtected
	afURI
	afType
	afException
)

var agentFrameworkParts = []partForm{
	{name: "text", kind: transcript.Text, body: afText},
	{name: "text_reasoning", kind: transcript.Reasoning, body: afText, signed: afProtected},
	{name: "reasoning", kind: transcript.Reasoning, body: afText, signed: afProtected},
	{name: "data", kind: transcript.File, body: afURI, mime: afType},
	{name: "uri", kind: transcript.File, body: afURI, mime: afType},
	{name: "function_call", kind: transcript.ToolCall, flags: transcript.JSONText, body: afArguments, id: afID, tool: afName},
	{name: "functionCall", kind: transcript.ToolCall, flags: transcript.JSONText, body: afArguments, id: afID, tool: afName},
	{name: "function_result", kind: transcript.ToolResult, body: afResult, id: afID, failed: afException},
	{name: "functionResult", kind: transcript.ToolResult, body: afResult, id: afID},
	{name: "usage", kind: transcript.Opaque, flags: transcript.NotSent},
}

var agentFrameworkLayout = layout{
	message: []string{"role", "contents"},
	roles:   mistralRoles,
	tag:     "type",
	members: []string{"type", "text", "call_id", "name", "arguments", "result", "protected_data", "uri", "media_type",
		"exception"},
	parts: agentFrameworkParts,
	own: func(r *Reader, l *layout) {
		if r.leadingType("$type") != "" { // .NET reads the type of a part only where it comes first
			r.message.Spelling, l = afNet, &agentFrameworkNet
		}
		l.part(r, transcript.ContentList, -1)
	},
}

var agentFrameworkNet = layout{
	tag:     "$type",
	members: []string{"$type", "text", "callId", "name", "arguments", "result", "protectedData", "uri", "mediaType"},
	parts:   agentFrameworkParts,
}

var agentFrameworkTarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"type":"message","role":"system","contents":[%c]}`,
	User:      `{"type":"message","role":"user","contents":[%c]}`,
	Assistant: `{"type":"message","role":"assistant","contents":[%c]}`,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"type":"text_reasoning","text":%t}`,
	Call:      `{"type":"function_call","call_id":%i,"name":%n,"arguments":%o}`,
	Result:    `{"type":"function_result","call_id":%i,"result":%c%?e,"exception":"failed"%;}`,
	Gathered:  `{"type":"message","role":"tool","contents":[%c]}`,
	Outcome:   Outcome{Object: `%j`, Array: `%j`, Failure: `%j`},
	Media: []MediaForm{
		{transcript.Image, "", `{"type":"data","uri":%u,"media_type":%m}`, `{"type":"uri","uri":%u,"media_type":%m%M}`, ByUser | ByAssistant},
		{transcript.Audio, "", `{"type":"data","uri":%u,"media_type":%m}`, `{"type":"uri","uri":%u,"media_type":%m%M}`, ByUser | ByAssistant},
		{transcript.File, "", `{"type":"data","uri":%u,"media_type":%m}`, `{"type":"uri","uri":%u,"media_type":%m%M}`, ByUser | ByAssistant},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
