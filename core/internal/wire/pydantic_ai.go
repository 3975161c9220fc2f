//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "pydantic-ai",
		Doc:     "Pydantic AI: ModelMessage[], as ModelMessagesTypeAdapter writes them",
		List:    "messages",
		Convert: target(&pydanticTarget),
		Signs: Signs{
			Keys: "parts kind timestamp usage",
			Also: "ui:content part:untyped",
			Own:  "part:part_kind",
			Shy:  true, // each part has a sign of it
		},
		Parts:       "parts",
		Calls:       "parts.content",
		ReadMessage: pydanticLayout.reader(),
		Message: textMessage(`{"parts":[{"content":%t,"part_kind":"%?ssystem-prompt%;%?ouser-prompt%;%?atext%;"}],` +
			`"kind":"%?Arequest%;%?aresponse%;"}`),
		ResultBody: stringBody,
		Tool:       `{"name":%n,"description":%d,"parameters_json_schema":%p}`,
		TextPart:   `%t`, // media are only in lists that texts may be in, too
		Results: answers{
			each: `{"tool_name":%q,"content":%t,"tool_call_id":%i,"outcome":"failed","part_kind":"tool-return"}`,
			all:  `{"parts":[%c],"kind":"request"}`, ids: true, kept: true,
		}.results,
		Wrap:    pydanticWrap,
		FreshID: "call_ctxfold_",
		Rules: Rules{
			Unanswered: "PA2", Orphan: "PA3", Duplicate: "PA4", Empty: "PA1", Role: "PA5", Bound: "AN9",
			Answers: NextMessages, ResultRole: transcript.User,
		},
	})
}

func pydanticWrap(dst []byte, role transcript.Role, part, _ []byte) []byte {
	kind := `],"kind":"request"}`
	if role == transcript.Assistant {
		kind = `],"kind":"response"}`
	}
	return append(append(append(dst, `{"parts":[`...), part...), kind...)
}

const (
	paContent = 1 + iota
	paTool
	paArgs
	paCallID
	paSignature
	paOutcome
)

var pydanticLayout = layout{
	message: []string{"kind", "parts"},
	roles:   []roleName{{"request", transcript.User}, {"response", transcript.Assistant}},
	tag:     "part_kind",
	members: []string{"part_kind", "content", "tool_name", "args", "tool_call_id", "signature", "outcome"},
	parts: []partForm{
		{name: "system-prompt", kind: transcript.Text, body: paContent},
		{name: "user-prompt", kind: transcript.Text, body: paContent, flags: transcript.Said},
		{name: "text", kind: transcript.Text, body: paContent},
		{name: "thinking", kind: transcript.Reasoning, body: paContent, signed: paSignature},
		{name: "tool-call", kind: transcript.ToolCall, flags: transcript.JSONText, body: paArgs, id: paCallID, tool: paTool},
		{name: "tool-return", kind: transcript.ToolResult, body: paContent, id: paCallID, tool: paTool, failed: paOutcome, fails: "failed"},
		{name: "retry-prompt", kind: transcript.ToolResult, body: paContent, id: paCallID, tool: paTool, flags: transcript.IsError},
		{name: "builtin-tool-call", kind: transcript.ToolCall, body: paArgs, id: paCallID, tool: paTool, flags: transcript.Server | transcript.JSONText},
		{name: "builtin-tool-return", kind: transcript.ToolResult, body: paContent, id: paCallID, tool: paTool, flags: transcript.Server},
		{name: "compaction", kind: transcript.Opaque, flags: transcript.ProviderOnly},
	},
	own: pydanticPart,
	end: pydanticEnd,
}

// pydanticPart reads a part. Its type comes last, so lists of texts and media are read a second time.
func pydanticPart(r *Reader, l *layout) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	f, size := r.object(&p, "a part", l.members, nil)
	p.Size = size
	members := *f
	form := l.parts.named(r.shortText(&members[0]))
	content := &members[paContent]
	switch {
	case form == nil:
	case form.kind == transcript.Text && content.Kind == jsonspan.Array:
		pydanticPrompt(r, &p, content)
		return
	case form.name == "retry-prompt" && !members[paTool].Str(): // what the validator says about an answer
		p.Flags |= transcript.Said
		content.setText(&p, transcript.Text)
	case form.kind == transcript.ToolResult && content.Kind == jsonspan.Array && form.flags&transcript.Server == 0:
		form.fill(r, &p, &members)
		self := r.Add(p)
		r.readAgain(content, func(r *Reader) {
			pydanticList(r, transcript.Part{List: transcript.ContentList, Parent: int32(self)})
		})
		if pydanticSaid(r.T.Parts[self+1:]) {
			r.T.Parts[self].Size = jsonspan.Measure{}
		} else { // a list of data
			r.T.Parts = r.T.Parts[:self+1]
		}
		return
	default:
		form.fill(r, &p, &members)
	}
	r.Add(p)
}

// pydanticPrompt reads a user's prompt that is a list of texts and media. Only the first such list in a message can be
// edited; others are opaque.
func pydanticPrompt(r *Reader, p *transcript.Part, content *field) {
	list := &r.message.Lists[transcript.CallList]
	if p.Flags |= transcript.Said; !list.IsZero() {
		r.Add(*p)
		return
	}
	*list = content.Span
	// The prompt is also an element of the message's parts, between its neighbours.
	r.Add(transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Span: p.Span, Parent: -1,
		Flags: transcript.NotSent | transcript.Mark})
	r.readAgain(content, func(r *Reader) {
		pydanticList(r, transcript.Part{List: transcript.CallList, Flags: transcript.Said, Parent: -1})
	})
}

var pydanticItemKeys = []string{"kind", "content", "data", "url", "media_type"}

// pydanticList reads a list of texts, media and other values as parts like the given one.
func pydanticList(r *Reader, like transcript.Part) {
	for r.Array(); r.Elem(); {
		p := like
		p.Kind, p.Span.Start = transcript.Opaque, r.Pos()
		switch r.Kind() {
		case jsonspan.String:
			text := r.Text()
			p.Kind, p.Body, p.Size = transcript.Text, text.Span, text.Measure
		case jsonspan.Object:
			f, size := r.fields(pydanticItemKeys, nil)
			p.Size = size
			pydanticItem(r, &p, f)
		default:
			p.Size = r.Skip().Measure
		}
		p.Span.End = r.Pos()
		r.Add(p)
	}
}

// pydanticItem sets the kind and the content of p, an item of a user prompt or a tool result, from its members.
func pydanticItem(r *Reader, p *transcript.Part, f *frame) {
	switch r.shortText(&f[0]) {
	case "text-content":
		f[1].setText(p, transcript.Text)
	case "binary":
		p.SetMedia(r.mediaKind(&f[4]), f[2].Raw)
	case "image-url":
		p.SetMedia(transcript.Image, f[3].Raw)
	case "audio-url":
		p.SetMedia(transcript.Audio, f[3].Raw)
	case "document-url", "video-url":
		p.SetMedia(transcript.File, f[3].Raw)
	case "cache-point":
		p.Flags |= transcript.NotSent | transcript.Mark
	}
}

// pydanticSaid reports whether parts contains text, or media that can be replaced by text.
func pydanticSaid(parts []transcript.Part) bool {
	for i := range parts {
		if parts[i].Kind != transcript.Opaque {
			return true
		}
	}
	return false
}

// pydanticEnd gives the system role to a request that has a system prompt and no results, so that
// the request isn't removed, and marks the user's words in it. In other requests, everything comes
// from the user or a tool. first is the index of the request's first part.
func pydanticEnd(r *Reader, m *transcript.Message, _ *frame, first int) {
	if m.Role != transcript.User {
		return
	}
	prompt, results := false, false
	parts := r.T.Parts[first:]
	for i := range parts {
		p := &parts[i]
		prompt = prompt || p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Said)
		results = results || p.Kind == transcript.ToolResult
	}
	if prompt && !results {
		m.Role = transcript.System
		return
	}
	for i := range parts {
		parts[i].Flags &^= transcript.Said
	}
}

var pydanticTarget = Target{
	System:    `{"parts":[{"content":%t,"part_kind":"system-prompt"}],"kind":"request"}`,
	User:      `{"parts":[{"content":%c,"part_kind":"user-prompt"}],"kind":"request"}`,
	Assistant: `{"parts":[%c],"kind":"response"}`,
	Content:   AsEither, Said: AsParts,
	Text: `%t`, Spoken: `{"content":%t,"part_kind":"text"}`,
	Reasoning: `{"content":%t,"part_kind":"thinking"}`,
	Call:      `{"tool_name":%n,"args":%o,"tool_call_id":%i,"part_kind":"tool-call"}`,
	Result:    `{"tool_name":%n,"content":%c,"tool_call_id":%i,%?e"outcome":"failed",%;"part_kind":"tool-return"}`,
	Gathered:  `{"parts":[%c],"kind":"request"}`,
	Outcome:   Outcome{Object: `%j`, Array: `%j`, Failure: `%j`, List: `[%l]`, Part: `%t`},
	Media: []MediaForm{
		{transcript.Image, "", `{"data":%d,"media_type":%m,"kind":"binary"}`, `{"url":%u,"kind":"image-url"}`, ByUser | InResult},
		{transcript.Audio, "", `{"data":%d,"media_type":%m,"kind":"binary"}`, `{"url":%u,"kind":"audio-url"}`, ByUser | InResult},
		{transcript.File, "", `{"data":%d,"media_type":%m,"kind":"binary"}`, `{"url":%u,"kind":"document-url"}`, ByUser | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
