package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "openai-agents",
		Doc:     "OpenAI Agents SDK for JavaScript: AgentInputItem[], as runs and sessions have them",
		List:    "input",
		Convert: target(&agentsTarget),
		Signs: Signs{
			Roles: "system user assistant",
			Keys:  "content call_id encrypted_content name output",
			Types: "input_text input_image input_file output_text refusal reasoning_text audio image",
			Items: strings.Join(itemNames(agentsItems), " "),
			Shy:   true,
			Own:   "item:function_call_result item:hosted_tool_call item:computer_call_result item:unknown key:callId key:providerData",
		},
		ReadMessage: readAgents,
		Message:     textMessage(agentsText),
		ResultBody:  stringBody,
		Tool:        `{"type":"function","name":%n,"description":%d,"parameters":%p,"strict":false}`,
		TextPart:    `{"type":"input_text","text":%t}`,
		Results:     itemAnswers(agentsItems, true),
		FreshID:     "call_ctxfold_",
		Link:        linkResponses,
		Rules:       responsesRules,
		Extra:       checkResponses,
	})
}

// agentsText is a text item as the SDK's schemas require it.
const agentsText = `{"type":"message","role":"%r"%?s,"content":%t%;%?a,"status":"completed","content":[{"type":"output_text","text":%t}]%;` +
	`%?o,"content":[{"type":"input_text","text":%t}]%;}`

var agentsDialect = itemDialect{
	keys: []string{
		"type", "role", "content", "id", "callId", "name", "arguments", "input", "output", "summary",
		"encrypted_content", "action", "execution", "operation", "providerData", "status", "call_id",
	},
	parts: []string{"type", "text", "refusal", "image", "audio", "file"},
	item: func(typ string) (responsesItem, bool) {
		item, known := agentsItems[typ]
		return item, known
	},
	kept: true,
}

// agentsItems lists the types of items. Data that only the provider reads is in their providerData.
var agentsItems = map[string]responsesItem{
	"message":          {rsAssistant, transcript.Text, 0, idOptional, ""},
	"reasoning":        {rsAssistant, transcript.Reasoning, 0, idNeeded, ""},
	"hosted_tool_call": {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"function_call": {rsAssistant, rsCall, rpArguments, idOptional,
		`{"type":"function_call_result","callId":%i,"name":%q,"status":"completed","output":%t}`},
	"shell_call": {rsAssistant, rsCall, rpAction, idOptional,
		`{"type":"shell_call_output","callId":%i,"output":[{"stdout":"","stderr":%t,"outcome":{"type":"exit","exitCode":1}}]}`},
	"apply_patch_call": {rsAssistant, rsCall, rpOperation, idOptional,
		`{"type":"apply_patch_call_output","callId":%i,"status":"failed","output":%t}`},
	"tool_search_call": {rsAssistant, rsCall, rpArguments, idOptional,
		`{"type":"tool_search_output","callId":%i,"execution":"client","status":"completed","tools":[]}`},
	"computer_call":           {rsAssistant, rsCall, rpAction, idNeeded, ""},
	"program":                 {rsAssistant, rsCall, 0, idNeeded, ""},
	"function_call_result":    {rsTool, rsResult, rpOutput, idNeeded, ""},
	"shell_call_output":       {rsTool, rsResult, 0, idNeeded, ""},
	"apply_patch_call_output": {rsTool, rsResult, rpOutput, idNeeded, ""},
	"tool_search_output":      {rsTool, rsResult, 0, idNeeded, ""},
	"computer_call_result":    {rsTool, rsResult, 0, idNeeded, ""},
	"program_output":          {rsTool, rsResult, rpOutput, idNeeded, ""},
	"compaction":              {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"unknown":                 {rsAssistant, rsOpaque, 0, idNeeded, ""},
}

func readAgents(r *Reader, m *transcript.Message) {
	r.items = &agentsDialect
	readItem(r, m)
}

var encryptedKeys = []string{"encryptedContent", "encrypted_content"}

// encryptedIn returns the encrypted content that a reasoning item has in its providerData, which
// the reader is at. It isn't a string if there is none.
func (r *Reader) encryptedIn() field {
	f, _ := r.fields(encryptedKeys, nil)
	if f[0].Str() {
		return f[0]
	}
	return f[1]
}

// agentsOutputs reports whether agentsOutput can read an output that is an object of this type.
func agentsOutputs(typ string) bool { return typ == "text" || typ == "image" || typ == "file" }

// agentsOutput reads an output that is an object, for the result at index self in Parts. Text becomes the body of
// the result; an image or a file stays whole, and the result has no body. It returns false for an unknown type of
// output, and for a text that isn't a string.
func agentsOutput(r *Reader, self int32, result *transcript.Part) bool {
	media := transcript.Part{List: transcript.NoList, Parent: self, Span: jsonspan.Span{Start: r.Pos()}}
	f, _ := r.fields(r.items.parts, nil)
	media.Span.End = r.Pos()
	switch r.shortText(&f[rcType]) {
	case "text":
		if text := &f[rcText]; text.Str() {
			result.Body, result.Size = text.Span, text.Size
			return true
		}
		return false
	case "image":
		media.Kind, media.Data = transcript.Image, f[rcImage].Raw
	case "file":
		media.Kind, media.Data = transcript.File, f[rcFile].Raw
	default:
		return false
	}
	r.Add(media)
	return true
}

// agentsTarget can't express reasoning, because such items need a provider's id, nor audio, which the SDK doesn't send
// to the Responses API.
var agentsTarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"type":"message","role":"system","content":%t}`,
	User:      `{"type":"message","role":"user","content":[%c]}`,
	Assistant: `{"type":"message","role":"assistant","status":"completed","content":[%c]}`,
	Text:      `{"type":"input_text","text":%t}`, Spoken: `{"type":"output_text","text":%t}`,
	Call: `{"type":"function_call","callId":%i,"name":%n,"arguments":%s,"status":"completed"}`, Items: true,
	Result:  `{"type":"function_call_result","callId":%i,"name":%n,"status":"completed","output":%c}`,
	Outcome: Outcome{List: `[%l]`, Part: `{"type":"input_text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, images, `{"type":"input_image","image":%u}`, `{"type":"input_image","image":%u}`, ByUser | InResult},
		{transcript.File, "application/pdf", `{"type":"input_file","file":%u,"filename":%?f%f%;%?F%F%;}`, `{"type":"input_file","file":{"url":%u}%?f,"filename":%f%;}`,
			ByUser | InResult},
	},
	ID: NameForm{Max: 64, Marks: AnySign}, ToolName: NameForm{Max: 64, Marks: "_-"},
}
