//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "ag-ui",
		Doc:     "AG-UI: Message[], as agents and their frontends exchange and keep them",
		List:    "messages",
		Convert: target(&agUITarget),
		Signs: Signs{
			Roles: "system developer user assistant tool activity reasoning",
			Keys:  "content name toolCallId",
			Types: "text image audio video document binary",
			Shy:   true,
			Own:   "named:call role:activity role:reasoning key:activityType key:encryptedValue body:forwardedProps",
			Also:  "toolCalls:function",
		},
		ReadMessage: readAGUI,
		Message:     textMessage(agUIText),
		Instead:     insteadOf(agUIText),
		ResultBody:  stringBody,
		Tool:        `{"name":%n,"description":%d,"parameters":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results:     answers{each: `{"id":"ctxfold-%#","role":"tool","toolCallId":%i,"content":%t}`, ids: true}.results,
		FreshID:     "call_ctxfold_",
		Calls:       "toolCalls",
		Rules: Rules{
			Unanswered: "AG2", Orphan: "AG3", Duplicate: "AG4", Empty: "AG1", Role: "AG5",
			Answers: BeforeUser, ResultRole: transcript.Tool, Apart: true,
		},
		Extra: checkAGUI,
	})
}

const agUIText = `{"id":"ctxfold-%#","role":"%r","content":%t}`

var agUIRoles = []roleName{
	{"system", transcript.System}, {"developer", transcript.System}, {"user", transcript.User},
	{"assistant", transcript.Assistant}, {"tool", transcript.Tool}, {"activity", transcript.Assistant},
	{"reasoning", transcript.Assistant},
}

const (
	agRole = iota
	agContent
	agCalls
	agCallID
	agName
	agError
	agEncrypted
	agID
)

var agUIKeys = []string{"role", "content", "toolCalls", "toolCallId", "name", "error", "encryptedValue", "id"}

// readAGUI reads a message. Reasoning is a separate assistant message, and can only be removed as a whole. An activity
// is a separate message that only the frontend sees. The parts are added to r.T.
func readAGUI(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	f, _ := r.fields(agUIKeys, func(r *Reader, key int, f *frame) bool {
		switch array := r.Kind() == jsonspan.Array; {
		case array && key == agContent:
			m.Lists[transcript.ContentList] = r.list(agUIPart)
		case array && key == agCalls:
			m.Lists[transcript.CallList] = r.list(agUICall)
		default:
			return false
		}
		return true
	})
	r.setRole(m, &f[agRole], agUIRoles)
	content, role := f[agContent], r.shortText(&f[agRole])
	m.Nameless = !f[agID].Str()
	if role == "activity" {
		agUIActivity(r, m, first, &content)
		return
	}
	r.content(m, &content, "parts")
	r.wantList(&f[agCalls], "toolCalls must be a list")
	encrypted := &f[agEncrypted]
	switch {
	case role == "reasoning" && content.Str():
		p := wholePart(transcript.Reasoning, &content)
		if encrypted.isFilled() {
			p.Flags, p.Size = transcript.Signed, p.Size.Add(encrypted.Size)
		}
		r.Add(p)
	case m.Role == transcript.Tool:
		p := contentResult(&content, &f[agCallID], &field{})
		if f[agError].Str() {
			p.Flags |= transcript.IsError
			m.Extra = f[agError].Size
		}
		r.addResult(m, first, p)
	default:
		agUISaid(r, m, &content, encrypted, &f[agName])
	}
}

// agUISaid adds the parts of a message with text, and the size of the author's name. Reasoning in
// such a message is encrypted.
func agUISaid(r *Reader, m *transcript.Message, content, encrypted, name *field) {
	if content.Str() {
		r.Add(wholePart(transcript.Text, content))
	}
	if encrypted.isFilled() {
		p := memberPart(transcript.Reasoning, encrypted)
		p.Flags |= transcript.Signed
		r.Add(p)
	}
	if name.Str() {
		m.Extra = name.Size
	}
}

// agUIActivity replaces the parts of a message that is meant for the frontend, from index first on,
// with a single one. Agents don't pass such messages to their models.
func agUIActivity(r *Reader, m *transcript.Message, first int, content *field) {
	r.T.Parts, m.Lists = r.T.Parts[:first], [2]jsonspan.Span{}
	r.wantKind(content, jsonspan.Object, jsonspan.Object, "the content of an activity must be an object")
	p := wholePart(transcript.Opaque, content)
	if content.Kind == jsonspan.Invalid {
		p.Span, p.Body = m.RoleSpan, m.RoleSpan
	}
	p.Flags, p.Size = transcript.NotSent, jsonspan.Measure{}
	m.Content, m.Unsent = content.Span, true
	r.Add(p)
}

const (
	agpType = iota
	agpText
	agpSource
	agpData
	agpURL
	agpMimeType
)

var agUIPartKeys = []string{"type", "text", "source", "data", "url", "mimeType"}

// agUIPart reads a content part. It is added to r.T; a part of an unknown type is opaque.
func agUIPart(r *Reader) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	f, size := r.object(&p, "a content part", agUIPartKeys, nil)
	p.Size = size
	data := f[agpSource].Raw + f[agpData].Raw + f[agpURL].Raw
	switch r.shortText(&f[agpType]) {
	case "text":
		f[agpText].setText(&p, transcript.Text)
	case "image":
		p.SetMedia(transcript.Image, data)
	case "audio":
		p.SetMedia(transcript.Audio, data)
	case "video", "document":
		p.SetMedia(transcript.File, data)
	case "binary": // used before version 1.0
		p.SetMedia(r.mediaKind(&f[agpMimeType]), data)
	}
	r.Add(p)
}

var agUICallKeys = []string{"id", "function", "encryptedValue"}

func agUICall(r *Reader) {
	p := transcript.Part{Kind: transcript.ToolCall, List: transcript.CallList, Parent: -1}
	f, _ := r.object(&p, "a tool call", agUICallKeys, functionAt(&p, 1, 1))
	f[0].setID(&p)
	f[2].setFlags(&p, transcript.Signed)
	r.Add(p)
}

// checkAGUI reports violations of AG6: every message must have an id.
func checkAGUI(c *Checker) {
	for _, m := range c.Seq {
		if c.T.Messages[m].Nameless {
			c.Add("AG6", m, -1, None, "every message has an id")
		}
	}
}

// agUITarget allows only text from the assistant. Parts are for users and, since version 1.0, for tools.
var agUITarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"id":"ctxfold-%#","role":"system","content":%c}`,
	User:      `{"id":"ctxfold-%#","role":"user","content":%c}`,
	Assistant: `{"id":"ctxfold-%#","role":"assistant","content":%c%?k,"toolCalls":[%k]%;}`,
	Content:   AsEither, Said: AsString, Empty: `""`,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"id":"ctxfold-%#","role":"reasoning","content":%t}`, ReasoningApart: true,
	Call: `{"id":%i,"type":"function","function":{"name":%n,"arguments":%s}}`, CallsBeside: true,
	Result:  `{"id":"ctxfold-%#","role":"tool","toolCallId":%i,"content":%c%?e,"error":"the tool failed"%;}`,
	Outcome: Outcome{List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, "", `{"type":"image","source":{"type":"data","value":%d,"mimeType":%m}}`,
			`{"type":"image","source":{"type":"url","value":%u%?m,"mimeType":%m%;}}`, ByUser | InResult},
		{transcript.Audio, "", `{"type":"audio","source":{"type":"data","value":%d,"mimeType":%m}}`,
			`{"type":"audio","source":{"type":"url","value":%u%?m,"mimeType":%m%;}}`, ByUser},
		{transcript.File, "application/ text/", `{"type":"document","source":{"type":"data","value":%d,"mimeType":%m}}`,
			`{"type":"document","source":{"type":"url","value":%u%?m,"mimeType":%m%;}}`, ByUser},
		{transcript.File, "video/", `{"type":"video","source":{"type":"data","value":%d,"mimeType":%m}}`,
			`{"type":"video","source":{"type":"url","value":%u%?m,"mimeType":%m%;}}`, ByUser},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
