package wire

import (
	"bytes"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "ai-sdk-ui",
		Doc:     "Vercel AI SDK 5 and later: UIMessage[], as useChat keeps them",
		List:    "messages",
		Convert: target(&aiSDKUITarget),
		Signs: Signs{
			Roles: "system user assistant",
			Keys:  "parts",
			Types: "steering-message text reasoning reasoning-file file step-start source-url source-document dynamic-tool custom",
			Own:   "part:toolCallId part:state part:providerMetadata type:step-start type:steering-message type:source-url type:source-document type:dynamic-tool",
		},
		Parts:       "parts",
		ReadMessage: readAISDKUI,
		Message:     textMessage(aiSDKUIText),
		Instead:     insteadOf(aiSDKUIText),
		ResultBody:  aiSDKUIResultBody,
		Tool:        `{"name":%n,"description":%d,"inputSchema":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Answer:      aiSDKUIAnswer,
		FreshID:     "call_ctxfold_",
		Link:        linkCallers,
		Rules: Rules{Bound: "AN9", Unanswered: "AU3", Orphan: "AU3", Duplicate: "I2", Empty: "AU1", Role: "AU6",
			Answers: BeforeUser},
	})
}

const aiSDKUIText = `{"id":"ctxfold-%#","role":"%r","parts":[{"type":"text","text":%t}]}`

var aiSDKUIRoles = []roleName{
	{"system", transcript.System}, {"user", transcript.User}, {"assistant", transcript.Assistant},
}

var aiSDKUIMessageKeys = []string{"role", "parts"}

func readAISDKUI(r *Reader, m *transcript.Message) {
	f := r.roleAndList(m, aiSDKUIMessageKeys, aiSDKUIPart)
	role, parts := f[0], f[1]
	r.setRole(m, &role, aiSDKUIRoles)
	r.wantKind(&parts, jsonspan.Array, jsonspan.Array, "parts must be a list")
	if parts.Kind == jsonspan.Invalid { // the message isn't empty: messages of AI SDK 4 have their text elsewhere
		r.Fail(api.CodeMissingField, int(m.Span.Start), "this message has no parts")
	}
	m.Content = parts.Span
}

const (
	uiType = iota
	uiText
	uiURL
	uiMediaType
	uiCallID
	uiToolName
	uiState
	uiInput
	uiRawInput
	uiOutput
	uiErrorText
	uiProvider
	uiMetadata
	uiKind
	uiParts
)

var aiSDKUIKeys = []string{
	"type", "text", "url", "mediaType", "toolCallId", "toolName", "state", "input", "rawInput", "output", "errorText",
	"providerExecuted", "providerMetadata", "kind", "parts",
}

// aiSDKUIPart reads a part. A steering message in it is what the user said while the assistant was working.
func aiSDKUIPart(r *Reader) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	f, size := r.object(&p, "a part", aiSDKUIKeys, nil)
	p.Size = size
	switch typ := r.shortText(&f[uiType]); typ {
	case "text":
		if f[uiText].setText(&p, transcript.Text); p.Kind == transcript.Text {
			p.Flags |= r.summaryFlags(&f[uiMetadata])
		}
	case "reasoning":
		if f[uiText].Str() {
			p.Kind, p.Body, p.Flags = transcript.Reasoning, f[uiText].Span, r.signatureFlags(&f[uiMetadata])
		}
		if f[uiText].isFilled() {
			p.Size = f[uiText].Size
		}
	case "file", "reasoning-file":
		r.mediaText(&p, r.mediaKind(&f[uiMediaType]), &f[uiURL])
	case "steering-message":
		if f[uiParts].Kind == jsonspan.Array {
			p.Flags, p.Size = transcript.Said|transcript.NotSent, jsonspan.Measure{}
			r.Add(p)
			r.readAgain(&f[uiParts], func(r *Reader) { r.list(aiSDKUISaid) })
			return
		}
	case "custom":
		p.Flags |= r.customFlags(&f[uiKind])
	case "step-start":
		p.Flags |= transcript.Step | transcript.NotSent
	case "source-url", "source-document":
		p.Flags |= transcript.NotSent // AU5: convertToModelMessages omits them
	default:
		if aiSDKUINamed(r, p, typ, f) {
			return
		}
	}
	r.Add(p)
}

// aiSDKUINamed reads a part whose type contains a name: data, which the SDK omits, or a call of the named tool. It
// returns false if it hasn't added the part.
func aiSDKUINamed(r *Reader, p transcript.Part, typ string, f *frame) bool {
	switch {
	case r.beginsWith(&f[uiType], "data-"):
		p.Flags |= transcript.NotSent
		r.Add(p)
	case (typ == "dynamic-tool" || r.beginsWith(&f[uiType], "tool-")) && f[uiCallID].Str() && f[uiState].Str():
		aiSDKUITool(r, p, f)
	default:
		return false
	}
	return true
}

// aiSDKUISaid reads a part of a message with which the user steers a running turn: text or a file (AM6).
func aiSDKUISaid(r *Reader) {
	first := len(r.T.Parts)
	aiSDKUIPart(r)
	for i := range r.T.Parts[first:] {
		p := &r.T.Parts[first+i]
		p.List, p.Parent = transcript.Inside, -1
		p.Flags |= transcript.Said
	}
}

// beginsWith reports whether the text of a string field begins with prefix. prefix is ASCII and needs no escapes.
//
//go:noinline
func (r *Reader) beginsWith(f *field, prefix string) bool {
	return f.Str() && bytes.HasPrefix(f.Slice(r.Src())[1:], []byte(prefix))
}

// aiSDKUITool adds a tool call and, if the part has one, its result, as two parts with one span.
func aiSDKUITool(r *Reader, p transcript.Part, f *frame) {
	state := r.shortText(&f[uiState])
	if state == "input-streaming" { // AU3: the SDK doesn't convert such a part, so there is no call yet
		p.Flags |= transcript.NotSent
		r.Add(p)
		return
	}
	input := &f[uiInput]
	if input.Kind == jsonspan.Invalid {
		input = &f[uiRawInput]
	}
	p.Kind, p.Body, p.Size = transcript.ToolCall, input.Span, input.Size
	if f[uiProvider].Kind == jsonspan.True {
		p.Flags |= transcript.Server
	}
	r.setIDAndName(&p, &f[uiCallID], &f[uiToolName])
	if r.beginsWith(&f[uiType], "tool-") {
		// The name follows the prefix. Spans of strings begin one byte before the text, usually at a quote; this one
		// begins at the prefix's last byte.
		p.Name = f[uiType].Span
		p.Name.Start += uint32(len("tool-"))
		size := jsonspan.ASCII(uint32(len("tool-")))
		name := f[uiType].Size
		p.NameSz = jsonspan.Measure{Bytes: name.Bytes - size.Bytes, Runes: name.Runes - size.Runes,
			UTF16: name.UTF16 - size.UTF16}
	}
	call := r.Add(p)
	result := p
	switch state {
	case "output-available":
		result.Body, result.Size = f[uiOutput].Span, f[uiOutput].Size
	case "output-error":
		result.Body, result.Size = f[uiErrorText].Span, f[uiErrorText].Size
		result.Flags |= transcript.IsError
	case "output-denied":
		result.Body, result.Size = jsonspan.Span{}, jsonspan.Measure{}
		result.Flags |= transcript.IsError
	default:
		return
	}
	r.addShared(call, result)
}

// aiSDKUIResultBody writes text as the new output of a tool. An object stays an object and a list stays a list, because
// code that renders or converts outputs (toModelOutput) doesn't check their types (AU4). Other outputs become strings.
// It returns the extended dst, and the size of the new output.
func aiSDKUIResultBody(dst []byte, t *transcript.Transcript, result int32, text string) ([]byte, transcript.Measure) {
	body, from := t.Bytes(t.Parts[result].Body), len(dst)
	switch {
	case len(body) > 0 && body[0] == '{':
		dst = append(jsonspan.AppendString(append(dst, `{"cleared":`...), text), '}')
	case len(body) > 0 && body[0] == '[':
		dst = append(jsonspan.AppendString(append(dst, '['), text), ']')
	default:
		return stringBody(dst, t, result, text)
	}
	return dst, jsonspan.New(dst[from:]).Skip().Measure
}

var aiSDKUIAnswerKeys = []string{"state", "approval"}

// aiSDKUIAnswer completes a tool part with an error or, if the user has not approved the call, with a denial.
func aiSDKUIAnswer(dst, part []byte, text string) []byte {
	r := &Reader{Scanner: jsonspan.New(part)}
	approved, empty := jsonspan.Invalid, true
	f, _ := r.fields(aiSDKUIAnswerKeys, func(r *Reader, key int, f *frame) bool {
		if key != 1 || r.Kind() != jsonspan.Object {
			return false
		}
		for name := range r.Members {
			approval := string(name) == "approved"
			if v := r.Skip(); approval {
				approved = v.Kind
			}
			empty = false
		}
		return true
	})
	type splice struct {
		at   jsonspan.Span // the bytes of the part to replace
		text []byte        // what replaces them
	}
	state, approval := f[0].Span, f[1].Span
	splices := []splice{{state, []byte(`"output-denied"`)}}
	switch {
	case f[1].Kind != jsonspan.Object || approved == jsonspan.True:
		splices[0].text = jsonspan.AppendString([]byte(`"output-error","errorText":`), text)
	case approved == jsonspan.Invalid:
		denied := bytes.Clone(part[approval.Start : approval.End-1])
		if !empty {
			denied = append(denied, ',')
		}
		denied = append(jsonspan.AppendString(append(denied, `"approved":false,"reason":`...), text), '}')
		splices = append(splices, splice{approval, denied})
	}
	if len(splices) == 2 && approval.Start < state.Start {
		splices[0], splices[1] = splices[1], splices[0]
	}
	at := uint32(0)
	for _, s := range splices {
		dst = append(append(dst, part[at:s.at.Start]...), s.text...)
		at = s.at.End
	}
	return append(dst, part[at:]...)
}

var aiSDKUITarget = Target{
	System:    `{"id":"ctxfold-%#","role":"system","parts":[%c]}`,
	User:      `{"id":"ctxfold-%#","role":"user","parts":[%c]}`,
	Assistant: `{"id":"ctxfold-%#","role":"assistant","parts":[%c]}`,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"type":"reasoning","text":%t}`,
	Call:      `{"type":%N,"toolCallId":%i,"state":"input-available","input":%o}`,
	Answered:  `{"type":%N,"toolCallId":%i,"state":"output-available","input":%o,"output":%c}`,
	Failed:    `{"type":%N,"toolCallId":%i,"state":"output-error","input":%o,"errorText":%t}`,
	Step:      `{"type":"step-start"}`,
	Outcome:   Outcome{Object: `%j`, Array: `%j`},
	Media: []MediaForm{
		{transcript.Image, "", `{"type":"file","mediaType":%m,"url":%u}`, `{"type":"file","mediaType":%?m%m%;%?M%M%;,"url":%u}`, ByUser | ByAssistant},
		{transcript.Audio, "", `{"type":"file","mediaType":%m,"url":%u}`, `{"type":"file","mediaType":%?m%m%;%?M%M%;,"url":%u}`, ByUser | ByAssistant},
		{transcript.File, "", `{"type":"file","mediaType":%m%?f,"filename":%f%;,"url":%u}`,
			`{"type":"file","mediaType":%?m%m%;%?M%M%;%?f,"filename":%f%;,"url":%u}`, ByUser | ByAssistant},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
