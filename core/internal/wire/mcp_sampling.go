//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
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
		ReadMessage: readSampling,
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

// readSampling reads a message, the content of which is a block or a list of blocks.
func readSampling(r *Reader, m *transcript.Message) {
	f, _ := r.fields(plainMessage, func(r *Reader, key int, f *frame) bool {
		if key != 1 {
			return false
		}
		if r.Kind() == jsonspan.Object {
			samplingBlock(r, transcript.NoList, -1)
		} else {
			m.Lists[transcript.ContentList] = r.list(func(r *Reader) { samplingBlock(r, transcript.ContentList, -1) })
		}
		return true
	})
	role, content := f[0], f[1]
	r.role(m, &role, samplingRoles)
	r.want(&content, jsonspan.Object, jsonspan.Array, "content must be a block or a list of blocks")
	m.Content = content.Span
}

const (
	msType = iota
	msText
	msData
	msID
	msName
	msInput
	msUseID
	msContent
	msError
)

var samplingKeys = []string{"type", "text", "data", "id", "name", "input", "toolUseId", "content", "isError"}

// samplingBlock reads a block. parent is the part index of the tool result that contains it, or -1.
func samplingBlock(r *Reader, list int8, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: list, Parent: parent}
	self := -1
	inside := func(r *Reader) { samplingBlock(r, transcript.ContentList, int32(self)) }
	fp, size := r.object(&p, "a content block", samplingKeys, func(r *Reader, key int, f *frame) bool {
		if key != msContent || parent >= 0 || r.Kind() != jsonspan.Array || !r.is(&f[msType], "tool_result") {
			return false
		}
		self = r.Add(p) // the parts inside must follow it
		r.list(inside)
		return true
	})
	f := *fp
	p.Size = size
	switch typ := r.typ(&f[msType]); {
	case typ == "text" && f[msText].Str():
		p.Kind, p.Body, p.Size = transcript.Text, f[msText].Span, f[msText].Size
	case typ == "image":
		p.SetMedia(transcript.Image, f[msData].Raw)
	case typ == "audio":
		p.SetMedia(transcript.Audio, f[msData].Raw)
	case typ == "tool_use" && parent < 0:
		p.Kind, p.Body, p.Size = transcript.ToolCall, f[msInput].Span, f[msInput].Size
		f[msID].id(&p)
		f[msName].name(&p)
	case typ == "tool_result" && parent < 0:
		p.Kind, p.Body, p.Size = transcript.ToolResult, f[msContent].Span, f[msContent].Size
		f[msUseID].id(&p)
		if f[msError].Kind == jsonspan.True {
			p.Flags |= transcript.IsError
		}
	}
	if self >= 0 {
		p.Size = jsonspan.Measure{}
		r.put(self, p)
		return
	}
	self = r.Add(p)
	if content := f[msContent]; p.Kind == transcript.ToolResult && content.Kind == jsonspan.Array {
		r.again(&content, func(r *Reader) { r.list(inside) })
		r.T.Parts[self].Size = jsonspan.Measure{}
	}
}

// checkSampling reports MS4: a message with tool results must contain nothing else.
func checkSampling(c *Checker) {
	for _, m := range c.Seq {
		result, other := int32(-1), false
		for i, p := range c.T.PartsOf(int(m)) {
			switch {
			case p.Has(transcript.Removed) || p.Parent >= 0:
			case p.Kind != transcript.ToolResult:
				other = true
			case p.Pair >= 0:
				result = c.T.Messages[m].First + int32(i)
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
	Content: AsBlock,
	Text:    `{"type":"text","text":%t}`,
	Call:    `{"type":"tool_use","id":%i,"name":%n,"input":%o}`,
	Result:  `{"type":"tool_result","toolUseId":%i,"content":%c%?e,"isError":true%;}`, Gathered: `{"role":"user","content":[%c]}`,
	Outcome: Outcome{Text: `[{"type":"text","text":%t}]`, List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, "image/", `{"type":"image","data":%d,"mimeType":%m}`, "", ByUser | ByAssistant | InResult},
		{transcript.Audio, "audio/", `{"type":"audio","data":%d,"mimeType":%m}`, "", ByUser | ByAssistant | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Max: 128, Marks: "_-."},
}
