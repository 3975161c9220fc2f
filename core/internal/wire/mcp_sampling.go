//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "mcp-sampling",
		Doc:     "messages of the Model Context Protocol's sampling/createMessage: SamplingMessage[]",
		List:    "messages",
		Convert: target(&samplingTarget),
		Signs: Signs{
			Roles:   "user assistant",
			Keys:    "content",
			Types:   "text image audio tool_use tool_result resource",
			Content: "block list",
			Shy:     true,
			Own:     "content:block part:toolUseId part:structuredContent body:systemPrompt body:modelPreferences body:includeContext",
		},
		ReadMessage: samplingLayout.reader(),
		Message:     textMessage(`{"role":"%?aassistant%;%?Auser%;","content":{"type":"text","text":%t}}`),
		ResultBody:  bodyOf(`[{"type":"text","text":%t}]`),
		Tool:        `{"name":%n,"description":%d,"inputSchema":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results:     answers{each: `{"type":"tool_result","toolUseId":%i,"isError":true,"content":[{"type":"text","text":%t}]}`, all: `{"role":"user","content":[%c]}`, kept: true}.results,
		Wrap:        wrapContent,
		SystemApart: true,
		FreshID:     "call_ctxfold_",
		Rules: Rules{
			Unanswered: "MS2", Orphan: "MS2", Duplicate: "MS3", Empty: "MS5", Role: "MS1",
			Answers: OneMessage, ResultRole: transcript.User,
		},
		Extra: checkSampling,
	})
}

var samplingRoles = []roleName{{"user", transcript.User}, {"assistant", transcript.Assistant}}

const (
	msText = 1 + iota
	msData
	msID
	msName
	msInput
	msUseID
	msContent
	msError
)

var samplingLayout = layout{
	message: plainMessage,
	roles:   samplingRoles,
	single:  true,
	tag:     "type",
	members: []string{"type", "text", "data", "id", "name", "input", "toolUseId", "content", "isError"},
	parts: partForms{
		{name: "text", kind: transcript.Text, body: msText},
		{name: "image", kind: transcript.Image, body: msData},
		{name: "audio", kind: transcript.Audio, body: msData},
		{name: "tool_use", kind: transcript.ToolCall, body: msInput, id: msID, tool: msName},
		{name: "tool_result", kind: transcript.ToolResult, body: msContent, id: msUseID, failed: msError, fails: "true", inner: msContent},
	},
}

// checkSampling reports violations of MS4: a message with tool results must contain nothing else.
func checkSampling(c *Checker) {
	for _, m := range c.Seq {
		result, other := int32(-1), false
		for n, p := range c.T.OuterParts(&c.T.Messages[m]) {
			switch {
			case p.Kind != transcript.ToolResult:
				other = true
			case p.Pair >= 0:
				result = n
			}
		}
		if other && result >= 0 {
			c.Add("MS4", m, result, MoveResult, "a message with tool results must hold nothing else")
		}
	}
}

// samplingTarget writes a single block as a block instead of a list with one element, as protocol versions before
// 2025-11-25 require.
var samplingTarget = Target{
	Tools:     `"tools":[%l]`,
	User:      `{"role":"user","content":%c}`,
	Assistant: `{"role":"assistant","content":%c}`,
	Apart:     `%t`, ApartKey: "systemPrompt",
	Content:  AsBlock,
	Text:     `{"type":"text","text":%t}`,
	Call:     `{"type":"tool_use","id":%i,"name":%n,"input":%o}`,
	Result:   `{"type":"tool_result","toolUseId":%i,"content":%c%?e,"isError":true%;}`,
	Gathered: `{"role":"user","content":[%c]}`,
	Outcome:  Outcome{Text: `[{"type":"text","text":%t}]`, List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, "image/", `{"type":"image","data":%d,"mimeType":%m}`, "", ByUser | ByAssistant | InResult},
		{transcript.Audio, "audio/", `{"type":"audio","data":%d,"mimeType":%m}`, "", ByUser | ByAssistant | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Max: 128, Marks: "_-."},
}
