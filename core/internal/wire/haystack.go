//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "haystack",
		Doc:     "Haystack: ChatMessage.to_dict()[], as pipelines and agents store them",
		List:    "messages",
		Convert: target(&haystackTarget),
		Signs: Signs{
			Roles:   "system user assistant tool",
			Keys:    "content name",
			Content: "string list",
			Also:    "bare:text part:image part:file part:reasoning",
			Own:     "part:tool_call part:tool_call_result",
			Shy:     true, // texts alone may also be Bedrock's
		},
		ReadMessage: haystackLayout.reader(),
		Message:     textMessage(`{"role":"%r","meta":{},"name":null,"content":[{"text":%t}]}`),
		ResultBody:  stringBody,
		Tool:        `{"name":%n,"description":%d,"parameters":%p}`,
		TextPart:    `{"text":%t}`,
		Results:     haystackResults,
		Wrap:        wrapContent,
		FreshID:     "call_ctxfold_",
		Rules: Rules{
			Unanswered: "HS2", Orphan: "HS3", Duplicate: "HS4", Empty: "HS1", Role: "HS5", Bound: "AN9",
			Answers: NextMessages, ResultRole: transcript.Tool, Named: true,
		},
	})
}

const (
	hsName = 1 + iota
	hsArguments
	hsID
	hsResult
	hsOrigin
	hsError
	hsImage
	hsFile
	hsMIME
	hsReasoning
	hsExtra
)

var haystackLayout = layout{
	message: []string{"role", "content"},
	roles:   mistralRoles,
	text:    true, // before version 2.9
	members: []string{
		"", "tool_name", "arguments", "id", "result", "origin", "error", "base64_image", "base64_data", "mime_type",
		"reasoning_text", "extra",
	},
	parts: []partForm{
		{name: "text", kind: transcript.Text},
		{name: "reasoning", kind: transcript.Reasoning, body: hsReasoning},
		{name: "image", kind: transcript.Image, body: hsImage},
		{name: "file", kind: transcript.File, body: hsFile, mime: hsMIME},
		{name: "tool_call", kind: transcript.ToolCall, flags: transcript.JSONText, body: hsArguments, id: hsID, tool: hsName},
		{name: "tool_call_result", kind: transcript.ToolResult, body: hsResult, failed: hsError, inner: hsResult},
	},
	within: haystackWithin,
}

var haystackOrigin = []string{"id", "tool_name"}

// haystackWithin reads the call that a result repeats as its origin, and data that the provider needs back with a call
// or with reasoning, such as signatures. It returns false for any other member.
func haystackWithin(r *Reader, p *transcript.Part, key int) bool {
	if r.Kind() != jsonspan.Object {
		return false
	}
	switch key {
	case hsOrigin:
		f, _ := r.fields(haystackOrigin, nil)
		r.setIDAndName(p, &f[0], &f[1])
	case hsExtra:
		if extra := r.Skip(); extra.Bytes > 2 {
			p.Flags |= transcript.Signed | transcript.Bound
		}
	default:
		return false
	}
	return true
}

// haystackResults writes results with the given text. Each result is a message that repeats its call, with the call's
// current id.
func haystackResults(dst []byte, calls []Call, text string) []byte {
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		v := Values{'t': jsonspan.AppendString(nil, text), 'i': c.ID, 'n': c.Name, 'o': haystackArguments(c.Part)}
		if c.ID == nil {
			v['i'] = []byte("null")
		}
		if c.Name == nil {
			v['n'] = []byte(`""`)
		}
		dst = FillTemplate(dst, `{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":%t,`+
			`"origin":{"tool_name":%n,"arguments":%o,"id":%i},"error":true}}]}`, &v)
	}
	return dst
}

// haystackArguments returns the arguments of a call, given as JSON; {} if it has none.
func haystackArguments(part []byte) []byte {
	s := jsonspan.New(part)
	for key := range s.Members {
		if string(key) != "tool_call" || s.Kind() != jsonspan.Object {
			s.Skip()
			continue
		}
		for key := range s.Members {
			if v := s.Skip(); string(key) == "arguments" {
				return v.Slice(part)
			}
		}
	}
	return []byte("{}")
}

var haystackTarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"role":"system","meta":{},"name":null,"content":[%c]}`,
	User:      `{"role":"user","meta":{},"name":null,"content":[%c]}`,
	Assistant: `{"role":"assistant","meta":{},"name":null,"content":[%c]}`,
	Text:      `{"text":%t}`,
	Reasoning: `{"reasoning":{"reasoning_text":%t,"extra":{}}}`,
	Call:      `{"tool_call":{"tool_name":%n,"arguments":%o,"id":%i}}`,
	Result: `{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":%c,` +
		`"origin":{"tool_name":%n,"arguments":%o,"id":%i},"error":%?Efalse%;%?etrue%;}}]}`,
	Outcome: Outcome{List: `[%l]`, Part: `{"text":%t}`},
	Media: []MediaForm{
		{transcript.Image, images, `{"image":{"base64_image":%d,"mime_type":%m}}`, "", ByUser | InResult},
		{transcript.File, "", `{"file":{"base64_data":%d,"mime_type":%m%?f,"filename":%f%;}}`, "", ByUser | InResult},
		{transcript.Audio, "", `{"file":{"base64_data":%d,"mime_type":%m%?f,"filename":%f%;}}`, "", ByUser | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
