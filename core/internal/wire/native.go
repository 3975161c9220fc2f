package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// native is ctxfold's own format: the seven variants of S3.1, with separate messages for tool results and shell
// commands, and a system message.
func init() {
	Register(&Format{
		Name:    "native",
		Doc:     "ctxfold's own: user, assistant, tool_result, bash_execution, custom, branch_summary, compaction_summary, system",
		List:    "messages",
		Convert: target(&nativeTarget),
		Signs: Signs{
			Roles: "system user assistant tool_result bash_execution custom branch_summary compaction_summary",
			Keys: "content timestamp error_message tool_call_id tool_name is_error command output exit_code custom_type " +
				"summary from_id tokens_before data turnId visible_agent visible_user kind usage stop_reason",
			Types: "text reasoning thinking image file audio tool_call",
			Own: "role:tool_result role:bash_execution role:custom role:branch_summary role:compaction_summary " +
				"key:tool_name type:tool_call",
		},
		ReadMessage: readNative,
		Message:     textMessage(roleAndText),
		ResultBody:  stringBody,
		Tool:        `{"name":%n,"description":%d,"parameters":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results:     answers{each: `{"role":"tool_result","tool_call_id":%i%?n,"tool_name":%n%;,"content":%t,"is_error":true}`}.results,
		FreshID:     "call_ctxfold_",
		Rules: Rules{
			Unanswered: "I1", Orphan: "I1", Duplicate: "I2", Empty: "I3", Role: "I4",
			Answers: NextMessages, ResultRole: transcript.Tool,
		},
	})
}

var nativeRoles = []roleName{
	{"system", transcript.System}, {"user", transcript.User}, {"assistant", transcript.Assistant},
	{"tool_result", transcript.Tool}, {"bash_execution", transcript.User}, {"custom", transcript.User},
	{"branch_summary", transcript.User}, {"compaction_summary", transcript.User},
}

const (
	ntRole = iota
	ntContent
	ntCallID
	ntToolName
	ntError
	ntCommand
	ntOutput
	ntExit
	ntType
	ntSummary
	ntErrorText
	ntData
	ntTurn
	ntAgent
	ntUser
	ntKind
	ntUsage
	ntStop
	ntStamp
	ntFrom
)

var nativeKeys = []string{
	"role", "content", "tool_call_id", "tool_name", "is_error", "command", "output", "exit_code", "custom_type",
	"summary", "error_message", "data", "turnId", "visible_agent", "visible_user", "kind", "usage", "stop_reason",
	"timestamp", "from_id",
}

// readNative reads a message, a tool result or a note. The parts are added to r.T, and the members that only this
// format has to its Metas.
func readNative(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	f, _ := r.fields(nativeKeys, func(r *Reader, key int, f *frame) bool {
		switch kind := r.Kind(); {
		case key == ntTurn && kind == jsonspan.Object:
			meta := r.meta(m)
			nativeTurn(r, meta)
			meta.Member = jsonspan.Span{Start: f[ntTurn].Key, End: r.Pos()}
		case key == ntUsage && kind == jsonspan.Object:
			r.usage(m, nativeUsageKeys)
		case key == ntContent && kind == jsonspan.Array:
			m.Lists[transcript.ContentList] = r.list(nativePart)
		default:
			return false
		}
		return true
	})
	r.setRole(m, &f[ntRole], nativeRoles)
	nativeMeta(r, m, f)
	if stamp := &f[ntStamp]; stamp.Kind == jsonspan.Number || stamp.Str() {
		r.meta(m).Stamp = stamp.Span
	}
	content := f[ntContent]
	r.wantKind(&content, jsonspan.String, jsonspan.Array, "content must be a string or a list of parts")
	m.Content = content.Span
	role := r.shortText(&f[ntRole])
	if role == "tool_result" {
		p := contentResult(&content, &f[ntCallID], &f[ntToolName])
		if f[ntError].Kind == jsonspan.True {
			p.Flags |= transcript.IsError
		}
		r.addResult(m, first, p)
		return
	}
	nativeVariant(r, m, role, f)
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
	if f[ntErrorText].Str() {
		m.Extra = m.Extra.Add(f[ntErrorText].Size)
	}
}

// nativeVariant reads a message with a role that only the application knows.
func nativeVariant(r *Reader, m *transcript.Message, role string, f *frame) {
	switch role {
	case "bash_execution":
		r.shell(m, &f[ntCommand], &f[ntOutput], &f[ntExit])
	case "branch_summary", "compaction_summary":
		m.Variant = transcript.Digest
		if role == "branch_summary" {
			m.Variant = transcript.Branch
			if f[ntFrom].Str() {
				m.Extra = f[ntFrom].Size // S3.9: the size of all texts in the message
			}
		}
		if f[ntSummary].Str() {
			r.Add(memberPart(transcript.Text, &f[ntSummary]))
		}
	case "custom":
		m.Variant = transcript.Note
		if f[ntType].Str() {
			m.Label, m.Extra = f[ntType].Span, f[ntType].Size
		}
		if f[ntData].Kind != jsonspan.Invalid { // only the application knows its meaning
			data := memberPart(transcript.Opaque, &f[ntData])
			data.Size = f[ntData].jsonSize()
			r.Add(data)
		}
	}
}

// meta returns the application's metadata for the message being read, creating it if necessary.
func (r *Reader) meta(m *transcript.Message) *transcript.Meta {
	if m.Meta == 0 {
		r.T.Metas = append(r.T.Metas, transcript.Meta{})
		m.Meta = int32(len(r.T.Metas))
	}
	return &r.T.Metas[m.Meta-1]
}

var nativeTurnKeys = []string{"loopId", "turnIndex"}

// nativeTurn reads the identity of the turn that a message belongs to, {"loopId","turnIndex"} (S0.40).
func nativeTurn(r *Reader, meta *transcript.Meta) {
	f, _ := r.fields(nativeTurnKeys, nil)
	if f[0].Str() {
		meta.Loop = f[0].Span
	}
	if f[1].Kind == jsonspan.Number {
		meta.Turn, meta.HasTurn = jsonspan.Int(r.Src(), f[1].Span)
	}
}

// nativeMeta reads who can see the message, the application's name for it, and why the model stopped (S4.8, S4.10).
func nativeMeta(r *Reader, m *transcript.Message, f *frame) {
	for _, v := range []struct {
		key int
		to  func(*transcript.Meta) *transcript.Setting
	}{
		{ntAgent, func(m *transcript.Meta) *transcript.Setting { return &m.Agent }},
		{ntUser, func(m *transcript.Meta) *transcript.Setting { return &m.User }},
	} {
		switch f[v.key].Kind {
		case jsonspan.True:
			*v.to(r.meta(m)) = transcript.On
		case jsonspan.False:
			*v.to(r.meta(m)) = transcript.Off
		case jsonspan.Invalid, jsonspan.Null:
		default:
			r.Fail(jsonspan.WrongType, int(f[v.key].Start), "\""+nativeKeys[v.key]+"\" must be true, false or null")
		}
	}
	if f[ntKind].Str() {
		r.meta(m).Label = f[ntKind].Span
	}
	if f[ntStop].Str() {
		r.meta(m).Stop = f[ntStop].Span
	}
}

var nativeUsageKeys = []string{"input", "output", "cache_read", "cache_write", "total"}

const (
	npType = iota
	npText
	npSignature
	npID
	npName
	npInput
	npArguments
	npData
	npLength
)

var nativePartKeys = []string{"type", "text", "signature", "id", "name", "input", "arguments", "data", "data_length"}

// nativePart reads a part. It is added to r.T; a part of an unknown type is opaque.
func nativePart(r *Reader) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	f, size := r.object(&p, "a part", nativePartKeys, nil)
	p.Size = size
	media := func(kind transcript.Kind) {
		p.SetMedia(kind, f[npData].Size.Bytes)
		if f[npLength].Kind == jsonspan.Number { // the payload itself stays with the host
			if n, ok := jsonspan.Int(r.Src(), f[npLength].Span); ok && n > 0 {
				p.Data = uint32(n)
			}
		}
	}
	switch r.shortText(&f[npType]) {
	case "text":
		f[npText].setText(&p, transcript.Text)
	case "reasoning", "thinking":
		f[npText].setText(&p, transcript.Reasoning)
		if f[npSignature].Str() {
			p.Flags |= transcript.Signed
		}
	case "image":
		media(transcript.Image)
	case "file":
		media(transcript.File)
	case "audio":
		media(transcript.Audio)
	case "tool_call":
		body := &f[npInput]
		if body.Kind == jsonspan.Invalid {
			body = &f[npArguments]
		}
		p.Kind, p.Body, p.Size = transcript.ToolCall, body.Span, body.jsonSize()
		if body.Kind == jsonspan.Null {
			p.Flags |= transcript.Null
		}
		if f[npSignature].Str() {
			p.Flags |= transcript.Signed
		}
		f[npID].setID(&p)
		f[npName].setToolName(&p)
	}
	r.Add(p)
}

var nativeTarget = Target{
	System:    `{"role":"system","content":%c}`,
	User:      `{"role":"user","content":%c}`,
	Assistant: `{"role":"assistant","content":%c}`,
	Content:   AsEither,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"type":"reasoning","text":%t}`,
	Call:      `{"type":"tool_call","id":%i,"name":%n,"input":%o}`,
	Result:    `{"role":"tool_result","tool_call_id":%i,"tool_name":%n,"content":%c%?e,"is_error":true%;}`,
	Outcome:   Outcome{List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, "", `{"type":"image","media_type":%m,"data":%d}`, "", ByUser | ByAssistant | InResult},
		{transcript.Audio, "", `{"type":"audio","media_type":%m,"data":%d}`, "", ByUser | ByAssistant | InResult},
		{transcript.File, "", `{"type":"file","media_type":%m%?f,"name":%f%;,"data":%d}`, "", ByUser | ByAssistant | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
