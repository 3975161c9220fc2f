//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "tanstack",
		Doc:     "TanStack AI: UIMessage[], as useChat keeps them",
		List:    "messages",
		Convert: target(&tanStackTarget),
		Signs: Signs{
			Roles: "system user assistant",
			Keys:  "parts",
			Types: "text thinking tool-call tool-result image audio video document structured-output ui-resource",
			Own:   "ui:content ui:tool-call ui:tool-result ui:thinking type:structured-output type:ui-resource",
			Also:  "part:toolCallId part:state",
			Shy:   true, // a single text is enough to show it
		},
		Parts:       "parts",
		ReadMessage: readTanStack,
		Message:     textMessage(tanStackText),
		Instead:     insteadOf(tanStackText),
		ResultBody:  tanStackResultBody,
		Tool:        `{"name":%n,"description":%d,"inputSchema":%p}`,
		TextPart:    `{"type":"text","content":%t}`,
		Answer:      tanStackAnswer,
		FreshID:     "call_ctxfold_",
		Link:        unlinkOthers,
		Rules: Rules{Bound: "AN9", Unanswered: "TS2", Orphan: "TS3", Duplicate: "TS4", Empty: "TS1", Role: "TS5",
			Answers: BeforeUser},
		Extra: checkTanStack,
	})
}

const tanStackText = `{"id":"ctxfold-%#","role":"%r","parts":[{"type":"text","content":%t}]}`

func readTanStack(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	f := r.roleAndList(m, aiSDKUIMessageKeys, tanStackPart)
	role, parts := f[0], f[1]
	r.setRole(m, &role, aiSDKUIRoles)
	r.wantKind(&parts, jsonspan.Array, jsonspan.Array, "parts must be a list")
	if parts.Kind == jsonspan.Invalid {
		r.Fail(api.CodeMissingField, int(m.Span.Start), "this message has no parts")
	}
	m.Content = parts.Span
	if r.Err() == nil {
		tanStackResults(r, first)
	}
}

const (
	tsType = iota
	tsContent
	tsID
	tsName
	tsArguments
	tsState
	tsOutput
	tsApproval
	tsMetadata
	tsCallID
	tsSignature
	tsSource
	tsStatus
	tsRaw
)

var tanStackKeys = []string{
	"type", "content", "id", "name", "arguments", "state", "output", "approval", "metadata", "toolCallId", "signature",
	"source", "status", "raw",
}

var tanStackForms = partForms{
	{name: "text", kind: transcript.Text, body: tsContent},
	{name: "image", kind: transcript.Image, body: tsSource},
	{name: "audio", kind: transcript.Audio, body: tsSource},
	{name: "video", kind: transcript.File, body: tsSource},
	{name: "document", kind: transcript.File, body: tsSource},
}

func tanStackPart(r *Reader) { tanStackPartIn(r, -1) }

// tanStackPartIn reads a part; parent is the index of the tool result that contains it, or -1.
func tanStackPartIn(r *Reader, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: parent}
	in := inside{part: tanStackPartIn, self: -1} // only results contain other parts
	f, size := r.object(&p, "a part", tanStackKeys, func(r *Reader, key int, _ *frame) bool {
		return key == tsContent && in.read(r, &p)
	})
	p.Size = size
	content := f[tsContent]
	typ := r.shortText(&f[tsType])
	if in.self >= 0 && typ != "tool-result" {
		r.T.Parts, in.self = r.T.Parts[:in.self], -1
		r.readAgain(&content, func(r *Reader) { p.Size = p.Size.Add(r.Skip().Measure) })
	}
	switch typ {
	case "structured-output": // sent as the part's text, which data and partial repeat
		if p.Size = f[tsRaw].Size; !r.isText(&f[tsStatus], "complete") {
			p.Flags |= transcript.NotSent
		}
	case "ui-resource":
		p.Flags |= transcript.NotSent
	case "tool-call":
		if parent < 0 && f[tsID].Str() {
			tanStackCall(r, p, f)
			return
		}
	default:
		if form := tanStackForms.named(typ); form != nil {
			form.fill(r, &p, f)
		} else if parent < 0 {
			tanStackTurn(r, &p, typ, content, f)
		}
	}
	if in.self >= 0 {
		p.Size = jsonspan.Measure{}
	}
	r.addReserved(int(in.self), p)
}

// tanStackTurn reads thinking or a tool result, which can't be inside another result. typ and content are the part's
// type and its content. Any other part stays opaque.
func tanStackTurn(r *Reader, p *transcript.Part, typ string, content field, f *frame) {
	switch {
	case typ == "thinking" && content.Str():
		content.setText(p, transcript.Reasoning)
		if f[tsSignature].setFlags(p, transcript.Signed|transcript.Bound); p.Size.Bytes == 0 && p.Has(transcript.Signed) {
			p.Size = f[tsSignature].Size
		}
	case typ == "tool-result" && f[tsCallID].Str():
		state := r.shortText(&f[tsState])
		if state != "complete" && state != "error" { // not sent yet
			p.Flags, p.Size = transcript.NotSent, jsonspan.Measure{}
			return
		}
		if state == "error" {
			p.Flags |= transcript.IsError
		}
		p.Kind, p.Body, p.Size = transcript.ToolResult, content.Span, content.Size
		r.setIDAndName(p, &f[tsCallID], &f[tsName])
	}
}

var (
	tanStackApproval = []string{"approved"}
	tanStackProvider = []string{"providerExecuted"}
)

// tanStackCall adds a tool call and, if it contains a result (an output, or the user's response), that result.
func tanStackCall(r *Reader, p transcript.Part, f *frame) {
	call, state, output := *f, r.shortText(&f[tsState]), f[tsOutput].Kind != jsonspan.Invalid
	switch {
	case output || state == "input-complete" || state == "complete" || state == "error" ||
		state == "approval-requested" || state == "approval-responded":
	default: // the call is still being written, and not sent
		p.Flags |= transcript.NotSent
		r.Add(p)
		return
	}
	if r.member(&call[tsMetadata], tanStackProvider) == jsonspan.True { // the provider ran the tool, and its result is in the metadata
		p.ID = call[tsID].Span
		r.Add(p)
		return
	}
	p.Kind, p.Body, p.Size = transcript.ToolCall, call[tsArguments].Span, call[tsArguments].Size
	if call[tsArguments].Str() {
		p.Flags |= transcript.JSONText
	}
	r.setIDAndName(&p, &call[tsID], &call[tsName])
	n := r.Add(p)
	result := p
	result.Flags = 0
	if state == "error" {
		result.Flags = transcript.IsError
	}
	if output {
		result.Body, result.Size = call[tsOutput].Span, call[tsOutput].Size
	} else {
		approved := r.member(&call[tsApproval], tanStackApproval)
		if state != "approval-responded" || approved != jsonspan.True && approved != jsonspan.False {
			return
		}
		result.Body, result.Size = jsonspan.Span{}, jsonspan.Measure{}
		if approved == jsonspan.False {
			result.Flags = transcript.IsError
		}
	}
	r.addShared(n, result)
}

// member returns the kind of the member that key, a list of one key, names in object, or Invalid if there is none.
func (r *Reader) member(object *field, key []string) (kind jsonspan.Kind) {
	if object.Kind == jsonspan.Object {
		r.readAgain(object, func(r *Reader) {
			f, _ := r.fields(key, nil)
			kind = f[0].Kind
		})
	}
	return kind
}

// tanStackPairs holds the state while the results of a message are paired with its calls.
type tanStackPairs struct {
	r        *Reader          // the reader of the message
	calls    critbit.Map[int] // for each id, the index of its newest call plus one, or 0 if that call has a result
	open     int              // number of calls without a result
	answered bool             // the previous part is a result
}

// tanStackResults pairs the results of a message, whose parts begin at index first, with its calls, and records where
// its steps begin.
func tanStackResults(r *Reader, first int) {
	s := tanStackPairs{r: r}
	for i := first; i < len(r.T.Parts); i++ {
		p := &r.T.Parts[i]
		switch {
		case p.Parent >= 0:
		case p.Kind == transcript.ToolResult:
			s.result(i, p)
			s.answered = true
		case !p.Has(transcript.NotSent):
			s.other(i, p)
		}
	}
}

// result pairs the result at an index with its call, unless it is inside the call. The output inside a call that has a
// separate result isn't sent.
func (s *tanStackPairs) result(i int, p *transcript.Part) {
	if p.List == transcript.Shared {
		s.open--
		return
	}
	t, id := s.r.T, jsonspan.Text(s.r.Src(), p.ID)
	call, _ := s.calls.Get(id)
	if call--; call < 0 {
		return
	}
	if within := t.Parts[call].Pair; within >= 0 {
		w := &t.Parts[within]
		w.Kind, w.List, w.Pair, w.Size, w.Flags = transcript.Opaque, transcript.Inside, -1, transcript.Measure{},
			transcript.NotSent
	} else {
		s.open--
	}
	t.Parts[call].Pair, p.Pair = int32(i), int32(call)
	s.calls.Set(id, 0)
}

// other records whether a step begins with the part at an index, and whether the part is a call.
func (s *tanStackPairs) other(i int, p *transcript.Part) {
	if s.answered && s.open == 0 {
		p.Flags |= transcript.Step
	}
	s.answered = p.Kind == transcript.Opaque && !p.ID.IsZero() // the provider's own call, including its result
	if p.Kind == transcript.ToolCall {
		s.calls.Set(jsonspan.Text(s.r.Src(), p.ID), i+1)
		s.open++
	}
}

// unlinkOthers unlinks calls and results that are in different messages, from part index from on.
// The store keeps results next to their calls; a result elsewhere would be sent after another
// assistant message.
func unlinkOthers(t *transcript.Transcript, from int) {
	for i := from; i < len(t.Parts); i++ {
		p := &t.Parts[i]
		if p.Pair >= 0 && t.Parts[p.Pair].Msg != p.Msg {
			t.Parts[p.Pair].Pair, p.Pair = -1, -1
		}
	}
}

// tanStackResultBody writes text as the new body of a tool result. An output inside its call keeps
// its JSON type if it is an object or a list, because the components that render outputs don't
// check their types. The body of a separate result becomes a string. The function's results are
// those of Format.ResultBody.
func tanStackResultBody(dst []byte, t *transcript.Transcript, result int32, text string) ([]byte, transcript.Measure) {
	if t.Parts[result].List == transcript.Shared {
		return aiSDKUIResultBody(dst, t, result, text)
	}
	return stringBody(dst, t, result, text)
}

var tanStackAnswerKeys = []string{"id"}

// tanStackAnswer inserts a result directly after a call, because an output inside the call would be sent after
// everything else in the message.
func tanStackAnswer(dst, part []byte, text string) []byte {
	f, _ := (&Reader{Scanner: jsonspan.New(part)}).fields(tanStackAnswerKeys, nil)
	dst = append(append(dst, part...), `,{"type":"tool-result","toolCallId":`...)
	dst = append(append(dst, f[0].Slice(part)...), `,"content":`...)
	return append(jsonspan.AppendString(dst, text), `,"state":"error"}`...)
}

// checkTanStack reports a violation of TS1 for each message none of whose parts is sent. The last message is exempt,
// because it may still be incomplete.
func checkTanStack(c *Checker) {
	for i, m := range c.Seq[:max(0, len(c.Seq)-1)] {
		free, filled := false, false
		for _, p := range c.T.OuterParts(&c.T.Messages[m]) {
			switch {
			case p.Has(transcript.NotSent):
				free = true
			default:
				filled = filled || p.Kind != transcript.Text || p.Size.Bytes > 0
			}
		}
		if free && !filled {
			c.Add("TS1", c.Seq[i], -1, DropMessage, "nothing of this message is sent")
		}
	}
}

// tanStackTarget writes the results of parallel calls after all of the calls, because a call after a result would
// begin another step.
var tanStackTarget = Target{
	System:       `{"id":"ctxfold-%#","role":"system","parts":[%c]}`,
	User:         `{"id":"ctxfold-%#","role":"user","parts":[%c]}`,
	Assistant:    `{"id":"ctxfold-%#","role":"assistant","parts":[%c]}`,
	Text:         `{"type":"text","content":%t}`,
	Reasoning:    `{"type":"thinking","content":%t}`,
	Call:         `{"type":"tool-call","id":%i,"name":%n,"arguments":%s,"state":"input-complete"}`,
	Result:       `{"type":"tool-result","toolCallId":%i,"content":%c,"state":%?E"complete"%;%?e"error"%;}`,
	ResultInside: true,
	Outcome:      Outcome{List: `[%l]`, Part: `{"type":"text","content":%t}`},
	Media: []MediaForm{
		{transcript.Image, "", `{"type":"image","source":{"type":"data","value":%d,"mimeType":%m}}`,
			`{"type":"image","source":{"type":"url","value":%u%?m,"mimeType":%m%;}}`, ByUser | ByAssistant | InResult},
		{transcript.Audio, "", `{"type":"audio","source":{"type":"data","value":%d,"mimeType":%m}}`,
			`{"type":"audio","source":{"type":"url","value":%u%?m,"mimeType":%m%;}}`, ByUser | InResult},
		{transcript.File, "application/ text/", `{"type":"document","source":{"type":"data","value":%d,"mimeType":%m}}`,
			`{"type":"document","source":{"type":"url","value":%u%?m,"mimeType":%m%;}}`, ByUser | InResult},
		{transcript.File, "video/", `{"type":"video","source":{"type":"data","value":%d,"mimeType":%m}}`,
			`{"type":"video","source":{"type":"url","value":%u%?m,"mimeType":%m%;}}`, ByUser | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
