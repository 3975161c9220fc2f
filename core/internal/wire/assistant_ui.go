//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name: "assistant-ui",
		Doc:  "assistant-ui: ThreadMessage[], and what its runtimes take for one",
		List: "messages",
		Signs: Signs{
			Roles: "system user assistant",
			Keys:  "content",
			Types: "text reasoning source image file audio data tool-call generative-ui",
			Own:   "part:argsText status:object type:generative-ui",
			Also:  "part:toolCallId part:providerMetadata",
			Shy:   true,
		},
		ReadMessage: readAssistantUI,
		Message:     textMessage(assistantUIText),
		Instead:     insteadOf(assistantUIText),
		ResultBody:  assistantUIResultBody,
		Tool:        `{"name":%n,"description":%d,"parameters":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Answer:      assistantUIAnswer,
		FreshID:     "call_ctxfold_",
		Rules: Rules{Bound: "AN9", Unanswered: "UI2", Orphan: "UI2", Duplicate: "UI3", Empty: "UI1", Role: "UI4",
			Answers: BeforeUser},
		Convert: target(&assistantUITarget),
	})
}

const assistantUIText = `{"id":"ctxfold-%#","role":"%r","content":[{"type":"text","text":%t}]` +
	`%?u,"attachments":[]%;%?a,` + assistantUIDone + `%;,"metadata":{"custom":{}}}`

const (
	auRole = iota
	auContent
	auAttachments
)

var assistantUIKeys = []string{"role", "content", "attachments"}

// readAssistantUI reads a message. All attachments of a user message are one part, because they are one member. The
// parts are added to r.T.
func readAssistantUI(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	var attached attachments
	f, _ := r.fields(assistantUIKeys, func(r *Reader, key int, f *frame) bool {
		if r.Kind() != jsonspan.Array || key != auContent && key != auAttachments {
			return false
		}
		if key == auContent {
			m.Lists[transcript.ContentList] = r.list(assistantUIPart)
		} else {
			r.list(attached.attachment)
		}
		return true
	})
	r.setRole(m, &f[auRole], aiSDKUIRoles)
	content, files := f[auContent], f[auAttachments]
	r.wantKind(&content, jsonspan.String, jsonspan.Array, "content must be a string or a list of parts")
	r.wantKind(&files, jsonspan.Array, jsonspan.Null, "attachments must be a list")
	m.Content = content.Span
	if r.Err() != nil {
		return
	}
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
	if m.Role == transcript.User && (attached.media || attached.words.Bytes > 0) {
		p := memberPart(transcript.Opaque, &files)
		if attached.media {
			p.Kind = transcript.File
		}
		p.Size, p.Data = attached.words, attached.chars
		r.Add(p)
	}
	assistantUISteps(r.T, first)
}

// assistantUISteps records where an assistant message may be split: after calls that have their
// results. first is the index of the message's first part.
func assistantUISteps(t *transcript.Transcript, first int) {
	open, answered := false, false
	for i := first; i < len(t.Parts); i++ {
		p := &t.Parts[i]
		switch {
		case p.List == transcript.Shared || p.Parent >= 0 || p.Has(transcript.NotSent):
			continue
		case answered && !open:
			p.Flags |= transcript.Step
		}
		answered = p.Kind == transcript.ToolCall
		open = open || answered && p.Pair < 0
	}
}

// attachments measures the parts in a message's attachments, which are outside its content: texts, images, files and
// audio.
type attachments struct {
	payload
	media bool // whether an image, a file or audio was read
}

var attachmentKeys = []string{"content"}

// attachment reads the parts of one attachment, which have the same form as content parts. An attachment that isn't an
// object is an error.
func (a *attachments) attachment(r *Reader) {
	if r.Kind() != jsonspan.Object {
		r.Fail(jsonspan.WrongType, int(r.Pos()), "an attachment must be an object")
		return
	}
	r.fields(attachmentKeys, func(r *Reader, _ int, f *frame) bool {
		if r.Kind() != jsonspan.Array {
			return false
		}
		r.list(a.part)
		return true
	})
}

func (a *attachments) part(r *Reader) {
	f, _ := r.object(&transcript.Part{}, "a part", assistantUIPartKeys, nil)
	if r.isText(&f[apType], "text") {
		a.words = a.words.Add(f[apText].Size)
	}
	for _, k := range []int{apImage, apData} {
		if f[k].Str() {
			a.text(r.Src(), f[k].Span)
			a.media = true
		}
	}
	a.media = a.media || f[apAudio].Raw > 0
	a.chars += f[apAudio].Raw
}

const (
	apType = iota
	apText
	apImage
	apData
	apMimeType
	apAudio
	apCallID
	apToolName
	apArgs
	apArgsText
	apResult
	apIsError
	apPreliminary
	apModel
	apProvider
)

var assistantUIPartKeys = []string{
	"type", "text", "image", "data", "mimeType", "audio", "toolCallId", "toolName", "args", "argsText", "result",
	"isError", "isPreliminary",
	"modelContent", "providerMetadata",
}

func assistantUIPart(r *Reader) { assistantUIPartIn(r, -1) }

// assistantUIPartIn reads a part. parent is the part index of the tool result that contains it, or -1.
func assistantUIPartIn(r *Reader, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: parent}
	seen := assistantUISeen{call: -1}
	f, size := r.object(&p, "a part", assistantUIPartKeys, func(r *Reader, key int, f *frame) bool {
		return key == apModel && seen.read(r, &p, f)
	})
	p.Size = size
	seen.settle(r, &p, f)
	switch r.shortText(&f[apType]) {
	case "text":
		f[apText].setText(&p, transcript.Text)
	case "reasoning":
		if f[apText].setText(&p, transcript.Reasoning); p.Kind == transcript.Reasoning {
			provider := f[apProvider]
			p.Flags |= r.signatureFlags(&provider)
		}
	case "image":
		if f[apImage].Str() {
			r.mediaText(&p, transcript.Image, &f[apImage])
		}
	case "file":
		if f[apData].Str() {
			r.mediaText(&p, r.mediaKind(&f[apMimeType]), &f[apData])
		}
	case "audio":
		p.SetMedia(transcript.Audio, f[apAudio].Raw)
	case "tool-call":
		if f[apCallID].Str() && parent < 0 {
			assistantUICall(r, p, f, seen.call)
			return
		}
	case "source", "data", "generative-ui":
		p.Flags |= transcript.NotSent // shown only to the user
	default:
		if r.beginsWith(&f[apType], "data-") {
			p.Flags |= transcript.NotSent
		}
	}
	r.Add(p)
}

// assistantUISeen holds what the model sees of a call's result.
type assistantUISeen struct {
	call int // the index of the call, if the parts have been read, otherwise -1
}

// read reads the parts that the model sees of a call's result. It first adds the call and the result, which precede
// these parts and are completed later. It returns false if p isn't a tool call, or if the value isn't a list.
func (s *assistantUISeen) read(r *Reader, p *transcript.Part, f *frame) bool {
	if p.Parent >= 0 || r.Kind() != jsonspan.Array || !r.isText(&f[apType], "tool-call") {
		return false
	}
	f[apModel].Start = r.Pos()
	s.call = r.Add(transcript.Part{})
	result := int32(r.Add(transcript.Part{}))
	r.list(func(r *Reader) { assistantUIPartIn(r, result) })
	return true
}

// settle removes the parts that read has added if p turns out to have no result, or not to be a
// call because it has no id. If it isn't a call, their size then belongs to p.
func (s *assistantUISeen) settle(r *Reader, p *transcript.Part, f *frame) {
	called := f[apCallID].Str()
	if s.call < 0 || r.Err() != nil || called && assistantUIHasResult(f) {
		return
	}
	r.T.Parts, s.call = r.T.Parts[:s.call], -1
	if !called {
		r.readAgain(&f[apModel], func(r *Reader) { p.Size = p.Size.Add(r.Skip().Measure) })
	}
}

// assistantUIHasResult reports whether a tool call has a result that isn't preliminary.
func assistantUIHasResult(f *frame) bool {
	return f[apResult].Kind != jsonspan.Invalid && f[apPreliminary].Kind != jsonspan.True
}

// assistantUICall adds a tool call and, if it has a final result, that result, as two parts with one span. If the tool
// specifies what the model sees of the result, that is the result's body; it has then already been read, and at is the
// index of the call. Otherwise at is -1.
func assistantUICall(r *Reader, p transcript.Part, f *frame, at int) {
	call := *f
	p.Kind, p.Body, p.Size = transcript.ToolCall, call[apArgs].Span, call[apArgs].Size
	if call[apArgs].Kind != jsonspan.Object && call[apArgsText].Str() {
		p.Body, p.Size = call[apArgsText].Span, call[apArgsText].Size
		p.Flags |= transcript.JSONText
	}
	r.setIDAndName(&p, &call[apCallID], &call[apToolName])
	n := at
	if at < 0 {
		n = r.Add(p)
	}
	if !assistantUIHasResult(&call) {
		return
	}
	result := p
	result.Kind, result.List, result.Flags = transcript.ToolResult, transcript.Shared, 0
	if call[apIsError].Kind == jsonspan.True {
		result.Flags = transcript.IsError
	}
	result.Body, result.Size = call[apResult].Span, call[apResult].Size
	seen := &call[apModel]
	if seen.Kind == jsonspan.Array {
		result.Body, result.Size = seen.Span, jsonspan.Measure{}
	}
	k := n + 1
	if at < 0 {
		k = r.Add(result)
	} else {
		p.Msg, result.Msg = r.T.Parts[n].Msg, r.T.Parts[k].Msg
		r.T.Parts[n], r.T.Parts[k] = p, result
	}
	r.T.Parts[n].Pair, r.T.Parts[k].Pair = int32(k), int32(n)
	if seen.Kind == jsonspan.Array && at < 0 {
		r.readAgain(seen, func(r *Reader) {
			r.list(func(r *Reader) { assistantUIPartIn(r, int32(k)) })
		})
	}
}

// assistantUIDone is the status of a complete assistant message.
const assistantUIDone = `"status":{"type":"complete","reason":"unknown"}`

// assistantUIResultBody appends text to dst as the new body of a tool result: as a list with one text part if the model
// sees a list of parts, and otherwise like aiSDKUIResultBody, because the components that render a result expect an
// object or a list to stay one. It returns the extended dst, and the size of the new body as the model sees it.
func assistantUIResultBody(dst []byte, t *transcript.Transcript, result int32,
	text string) ([]byte, transcript.Measure) {
	if len(t.InnerParts(int(result))) == 0 {
		return aiSDKUIResultBody(dst, t, result, text)
	}
	dst = append(jsonspan.AppendString(append(dst, `[{"type":"text","text":`...), text), `}]`...)
	return dst, jsonspan.MeasureText(text)
}

var assistantUIAnswerKeys = []string{"result", "isError", "isPreliminary", "modelContent"}

// assistantUIAnswer completes a tool call with an error, and removes a preliminary result.
func assistantUIAnswer(dst, part []byte, text string) []byte {
	return appendFailed(dst, part, assistantUIAnswerKeys, `"result":`, text)
}

var assistantUITarget = Target{
	System:    `{"id":"ctxfold-%#","role":"system","content":[%c],"metadata":{"custom":{}}}`,
	User:      `{"id":"ctxfold-%#","role":"user","content":[%c],"attachments":[],"metadata":{"custom":{}}}`,
	Assistant: `{"id":"ctxfold-%#","role":"assistant","content":[%c],` + assistantUIDone + `,"metadata":{"custom":{}}}`,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"type":"reasoning","text":%t}`,
	Call:      `{"type":"tool-call","toolCallId":%i,"toolName":%n,"args":%o,"argsText":%s}`,
	Answered:  `{"type":"tool-call","toolCallId":%i,"toolName":%n,"args":%o,"argsText":%s,"result":%c}`,
	Failed:    `{"type":"tool-call","toolCallId":%i,"toolName":%n,"args":%o,"argsText":%s,"result":%t,"isError":true}`,
	Outcome:   Outcome{Object: `%j`, Array: `%j`},
	Media: []MediaForm{
		{transcript.Image, "", `{"type":"image","image":%u}`, `{"type":"image","image":%u}`, ByUser | ByAssistant},
		{transcript.Audio, "audio/wav:wav audio/x-wav:wav audio/mpeg:mp3 audio/mp3:mp3", `{"type":"audio","audio":{"data":%d,"format":"%x"}}`, "", ByUser},
		{transcript.File, "", `{"type":"file","data":%u,"mimeType":%m%?f,"filename":%f%;}`,
			`{"type":"file","data":%u,"mimeType":%?m%m%;%?M%M%;%?f,"filename":%f%;}`, ByUser | ByAssistant},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
