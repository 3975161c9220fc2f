//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "genkit",
		Doc:     "Genkit: MessageData[], as its sessions and its agents store them",
		List:    "messages",
		Convert: target(&genkitTarget),
		Signs: Signs{
			Roles:   "system user model tool",
			Keys:    "content",
			Content: "list",
			Also:    "bare:text part:data part:custom part:resource part:media part:reasoning",
			Own:     "role:model part:toolRequest part:toolResponse",
			Shy:     true, // texts alone may also be Bedrock's
		},
		ReadMessage: genkitLayout.reader(),
		Message:     textMessage(`{"role":"%?amodel%;%?ssystem%;%?ouser%;","content":[{"text":%t}]}`),
		ResultBody:  aiSDKUIResultBody,
		Tool:        `{"name":%n,"description":%d,"inputSchema":%p}`,
		TextPart:    `{"text":%t}`,
		Results: answers{each: `{"toolResponse":{%?i"ref":%i,%;"name":%q,"output":%t}}`,
			all: `{"role":"tool","content":[%c]}`, kept: true}.results,
		Wrap:    wrapContent,
		FreshID: "call_ctxfold_",
		Rules: Rules{
			Unanswered: "GK2", Orphan: "GK3", Duplicate: "GK4", Empty: "GK1", Role: "GK5", Bound: "AN9",
			Answers: NextMessages, ResultRole: transcript.Tool, Named: true,
		},
	})
}

const (
	gkRef = 1 + iota
	gkName
	gkInput
	gkOutput
	gkContent
	gkURL
	gkType
	gkMetadata
)

var genkitLayout = layout{
	message: []string{"role", "content"},
	roles: []roleName{
		{"system", transcript.System}, {"user", transcript.User}, {"model", transcript.Assistant},
		{"tool", transcript.Tool},
	},
	members: []string{"", "ref", "name", "input", "output", "content", "url", "contentType"},
	parts: []partForm{
		{name: "text", kind: transcript.Text},
		{name: "reasoning", kind: transcript.Reasoning},
		{name: "media", kind: transcript.File, body: gkURL, mime: gkType},
		{name: "toolRequest", kind: transcript.ToolCall, flags: transcript.JSONText, body: gkInput, id: gkRef, tool: gkName},
		{name: "toolResponse", kind: transcript.ToolResult, body: gkOutput, id: gkRef, tool: gkName, inner: gkContent},
	},
	neighbours: []string{"metadata"},
	within:     genkitMetadata,
}

var genkitMetadataKeys = []string{"thoughtSignature"}

// genkitMetadata reads the metadata of a part, in which the plugins of models keep the signatures of thoughts and
// calls. It returns false for any other member.
func genkitMetadata(r *Reader, p *transcript.Part, key int) bool {
	if key != gkMetadata || r.Kind() != jsonspan.Object {
		return false
	}
	f, _ := r.fields(genkitMetadataKeys, nil)
	f[0].setFlags(p, transcript.Signed)
	return true
}

var genkitTarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"role":"system","content":[%c]}`,
	User:      `{"role":"user","content":[%c]}`,
	Assistant: `{"role":"model","content":[%c]}`,
	Text:      `{"text":%t}`,
	Reasoning: `{"reasoning":%t}`,
	Call:      `{"toolRequest":{"ref":%i,"name":%n,"input":%o}}`,
	Result:    `{"toolResponse":{"ref":%i,"name":%n,"output":%c%?l,"content":[%l]%;}}`,
	Gathered:  `{"role":"tool","content":[%c]}`,
	Outcome:   Outcome{Object: `%j`, Array: `%j`, Failure: `%j`, Beside: true},
	Media: []MediaForm{
		{transcript.Image, "", `{"media":{"contentType":%m,"url":%u}}`, `{"media":{%?m"contentType":%m,%;"url":%u}}`, ByUser | ByAssistant | InResult},
		{transcript.Audio, "", `{"media":{"contentType":%m,"url":%u}}`, `{"media":{%?m"contentType":%m,%;"url":%u}}`, ByUser | ByAssistant | InResult},
		{transcript.File, "", `{"media":{"contentType":%m,"url":%u}}`, `{"media":{%?m"contentType":%m,%;"url":%u}}`, ByUser | ByAssistant | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
