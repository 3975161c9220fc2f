package wire

import (
	"bytes"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "ai-sdk",
		Doc:     "Vercel AI SDK 4 and later: ModelMessage[], and the prompt that its middleware sees",
		List:    "messages",
		Convert: target(&aiSDKTarget),
		Signs: Signs{
			Roles: "system user assistant tool",
			Keys:  "content providerOptions",
			Types: "text image file reasoning reasoning-file redacted-reasoning tool-call tool-result " +
				"tool-approval-request tool-approval-response custom source",
			Own: "key:providerOptions part:providerOptions part:toolCallId type:tool-call type:tool-result type:reasoning-file " +
				"type:redacted-reasoning type:tool-approval-request type:tool-approval-response",
		},
		ReadMessage: readAISDK,
		Marks:       OptionMark,
		Message:     textMessage(roleAndText),
		ResultBody:  aiSDKResultBody,
		Tool:        `{"name":%n,"description":%d,"inputSchema":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results: answers{each: `{"type":"tool-result","toolCallId":%i,"toolName":%q,` +
			`%?l"isError":true,"result":%t}%;%?L"output":{"type":"error-text","value":%t}}%;`,
			all: `{"role":"tool","content":[%c]}`}.results,
		Wrap:    wrapContent,
		FreshID: "call_ctxfold_",
		Link: func(t *transcript.Transcript, from int) {
			linkApprovals(t, from)
			linkCallers(t, from)
		},
		Rules: Rules{
			Unanswered: "AM3", Orphan: "AM3", Duplicate: "I2", Empty: "I3", Role: "AM1", Bound: "AN9",
			Answers: BeforeUser, ResultRole: transcript.Tool,
		},
		Extra: checkApprovals,
	})
}

var aiSDKRoles = []roleName{
	{"system", transcript.System}, {"user", transcript.User}, {"assistant", transcript.Assistant},
	{"tool", transcript.Tool},
}

var aiSDKMessage = []string{"role", "content", "providerOptions", "toolCalls"}

// readAISDK reads a message. A tool result in an assistant message comes from a tool of the provider.
func readAISDK(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	f := r.roleAndList(m, aiSDKMessage, func(r *Reader) { aiSDKPart(r, -1) })
	role, content, options := f[0], f[1], f[2]
	r.setRole(m, &role, aiSDKRoles)
	r.wantKind(&content, jsonspan.String, jsonspan.Array, "content must be a string or a list of parts")
	m.Content, m.OldCalls = content.Span, f[3].Span
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
		if m.Role == transcript.System && content.Size.Bytes == 0 && options.Kind == jsonspan.Object {
			// A system message without text may contain settings that apply from its position in the prompt on.
			p := memberPart(transcript.Opaque, &options)
			p.Flags |= transcript.NotSent
			r.Add(p)
		}
	}
	for i := first; i < len(r.T.Parts) && m.Role == transcript.Assistant; i++ {
		if p := &r.T.Parts[i]; p.Kind == transcript.ToolResult {
			p.Flags |= transcript.Server // results of the application's own tools are in tool messages
		}
	}
}

const (
	asType = iota
	asText
	asImage
	asData
	asURL
	asMediaType
	asMimeType
	asCallID
	asToolName
	asInput
	asArgs
	asOutput
	asResult
	asContent
	asIsError
	asProvider
	asOptions
	asMetadata
	asSignature
	asApprovalID
	asKind
)

var aiSDKKeys = []string{
	"type", "text", "image", "data", "url", "mediaType", "mimeType", "toolCallId", "toolName", "input", "args",
	"output", "result", "experimental_content", "isError", "providerExecuted", "providerOptions", "providerMetadata",
	"signature", "approvalId",
	"kind",
}

// aiSDKReading holds the state while one content part is read.
type aiSDKReading struct {
	p      transcript.Part // the part, as far as it is known
	self   int             // the index of a result in Parts if the parts inside it have been read, otherwise -1
	output aiSDKOutput     // what was read of a result's output
	media  payload         // the payload of an image or a file
}

// aiSDKPart reads one content part. parent is the part index of the tool result that contains it, or -1.
func aiSDKPart(r *Reader, parent int32) {
	a := aiSDKReading{self: -1}
	a.p = transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: parent}
	f, size := r.object(&a.p, "a content part", aiSDKKeys, a.inner)
	a.p.Size = size
	for _, k := range []int{asImage, asData, asURL} {
		if f[k].Str() {
			a.media.text(r.Src(), f[k].Span)
		}
	}
	a.fill(r, f)
	r.addReserved(a.self, a.p)
}

// inner reads the value of the member key if that is media, or the content of a tool result, and
// otherwise returns false. A tool result contains parts, which must follow it in Parts, so the
// result is added first.
func (a *aiSDKReading) inner(r *Reader, key int, f *frame) bool {
	start, kind := r.Pos(), r.Kind()
	result := a.p.Parent < 0 && r.isText(&f[asType], "tool-result")
	switch {
	case key == asImage || key == asData:
		a.media.read(r)
	case key == asOutput && kind == jsonspan.Object && result:
		a.self = r.Add(a.p)
		a.output.read(r, int32(a.self))
	case key == asContent && kind == jsonspan.Array && result && a.self < 0:
		a.self = r.Add(a.p)
		r.list(func(r *Reader) { aiSDKPart(r, int32(a.self)) })
	default:
		return false
	}
	f[key].Start = start
	return true
}

// fill completes the part from its type and its members.
func (a *aiSDKReading) fill(r *Reader, f *frame) {
	p := &a.p
	mediaType, options := f.firstOf(asMediaType, asMimeType), f.firstOf(asOptions, asMetadata)
	switch typ := r.shortText(&f[asType]); typ {
	case "text":
		if f[asText].setText(p, transcript.Text); p.Kind == transcript.Text {
			p.Flags |= r.summaryFlags(&f[asOptions]) | r.summaryFlags(&f[asMetadata])
		}
	case "image", "file", "media", "reasoning-file":
		aiSDKMedia(r, p, typ, mediaType, &a.media)
	case "reasoning":
		if f[asText].Str() {
			aiSDKReasoning(r, p, options, f)
		}
	case "redacted-reasoning":
		aiSDKReasoning(r, p, options, f)
		p.Flags |= transcript.Signed | transcript.Bound
	case "tool-call":
		aiSDKCall(r, p, f)
	case "tool-result":
		if p.Parent < 0 {
			a.self = aiSDKResult(r, p, f, a.self, &a.output)
		}
	case "custom":
		p.Flags |= r.customFlags(&f[asKind])
	case "tool-approval-request", "tool-approval-response":
		aiSDKApproval(p, typ, f)
	default:
		if p.Parent >= 0 && aiSDKFile(typ) {
			aiSDKMedia(r, p, typ, mediaType, &a.media)
		}
	}
}

// aiSDKMedia reads a file of any type. The size of a file that contains text is the size of the text.
func aiSDKMedia(r *Reader, p *transcript.Part, typ string, mediaType *field, media *payload) {
	if media.words.Bytes > 0 {
		p.Size = media.words
		return
	}
	p.SetMedia(r.mediaKind(mediaType), media.chars)
	if strings.HasPrefix(typ, "image") {
		p.Kind = transcript.Image
	}
}

func aiSDKReasoning(r *Reader, p *transcript.Part, options *field, f *frame) {
	text, signature := f[asText], f[asSignature]
	p.Kind, p.Body = transcript.Reasoning, text.Span
	p.Flags |= r.signatureFlags(options)
	signature.setFlags(p, transcript.Signed|transcript.Bound)
	if text.Size.Bytes > 0 {
		p.Size = text.Size
	}
}

// aiSDKApproval sets the ids of a request for the user's approval of a tool call, or of the response. Both stay opaque,
// and only the response to a provider's request is sent. typ is the part's type. A part that lacks an id stays unchanged.
func aiSDKApproval(p *transcript.Part, typ string, f *frame) {
	request := typ == "tool-approval-request"
	if !f[asApprovalID].Str() || request && !f[asCallID].Str() {
		return
	}
	if p.ID = f[asApprovalID].Span; request {
		p.Body = f[asCallID].Span
	}
	if request || f[asProvider].Kind != jsonspan.True {
		p.Flags |= transcript.NotSent
	}
}

// aiSDKCall reads a tool call. In earlier versions its arguments were called args.
func aiSDKCall(r *Reader, p *transcript.Part, f *frame) {
	body := f.firstOf(asInput, asArgs)
	p.Kind, p.Body, p.Size = transcript.ToolCall, body.Span, body.Size
	if body == &f[asArgs] && body.Kind != jsonspan.Invalid {
		p.Flags |= transcript.Legacy
	}
	if f[asProvider].Kind == jsonspan.True {
		p.Flags |= transcript.Server
	}
	r.setIDAndName(p, &f[asCallID], &f[asToolName])
}

// aiSDKResult reads a tool result: an output or, in earlier versions, a result and its content. self is the index of
// the result in Parts if the parts inside it have already been read, or -1. aiSDKResult reads them if necessary, and
// returns that index.
func aiSDKResult(r *Reader, p *transcript.Part, f *frame, self int, output *aiSDKOutput) int {
	p.Kind = transcript.ToolResult
	r.setIDAndName(p, &f[asCallID], &f[asToolName])
	out, result, content, failed := f[asOutput], f[asResult], f[asContent], f[asIsError].Kind == jsonspan.True
	if self < 0 && (out.Kind == jsonspan.Object || content.Kind == jsonspan.Array) {
		self = r.Add(*p)
		if out.Kind == jsonspan.Object {
			r.readAgain(&out, func(r *Reader) { output.read(r, int32(self)) })
		} else {
			r.readAgain(&content, func(r *Reader) { r.list(func(r *Reader) { aiSDKPart(r, int32(self)) }) })
		}
	}
	switch {
	case out.Kind == jsonspan.Object:
		p.Body, p.Size = output.body, output.size
		p.Flags |= output.flags
	case out.Kind != jsonspan.Invalid:
		p.Body, p.Size = out.Span, out.Size
	default:
		p.Body, p.Size = result.Span, result.Size
		p.Flags |= transcript.Legacy
		if failed {
			p.Flags |= transcript.IsError
		}
	}
	return self
}

// aiSDKFile reports whether typ is a type of file that can be in the content of a tool result.
func aiSDKFile(typ string) bool {
	switch typ {
	case "file-data", "file-url", "file-id", "file-reference", "image-data", "image-url", "image-file-id",
		"image-file-reference":
		return true
	}
	return false
}

// setIDAndName sets the id and the tool's name in a tool call or result.
//
//go:noinline
func (r *Reader) setIDAndName(p *transcript.Part, id, name *field) {
	id.setID(p)
	name.setToolName(p)
}

// customFlags returns the flags for a part of a provider's own kind. For example, {"kind":"openai.compaction"} is a
// compaction by the provider. Other kinds have no flags.
func (r *Reader) customFlags(kind *field) transcript.Flags {
	if strings.HasSuffix(r.shortText(kind), ".compaction") {
		return transcript.ProviderOnly
	}
	return 0
}

// summaryFlags returns the flags for text with the given provider options. {"anthropic":{"type":"compaction"}} marks
// Anthropic's own summary of everything before the text (AN12). Other options give 0.
func (r *Reader) summaryFlags(options *field) (flags transcript.Flags) {
	if options.Kind != jsonspan.Object || !bytes.Contains(options.Slice(r.Src()), []byte(`"compaction"`)) {
		return 0
	}
	r.readAgain(options, func(r *Reader) {
		for provider := range r.Members {
			if string(provider) != "anthropic" || r.Kind() != jsonspan.Object {
				r.Skip()
				continue
			}
			if f, _ := r.fields(summaryKeys, nil); r.isText(&f[0], "compaction") {
				flags = transcript.ProviderOnly | transcript.Signed | transcript.Summary
			}
		}
	})
	return flags
}

var summaryKeys = []string{"type"}

// signatureFlags returns the flags for a reasoning part with the given provider options, such as
// {"anthropic":{"signature"}} or {"openai":{"itemId"}}. The flags express what the provider requires of the part.
// Without such options, they are 0.
func (r *Reader) signatureFlags(options *field) (flags transcript.Flags) {
	if options.Kind != jsonspan.Object {
		return 0
	}
	r.readAgain(options, func(r *Reader) {
		for provider := range r.Members {
			switch {
			case r.Kind() != jsonspan.Object || string(provider) == "mastra": // the date when its store received the part, not a signature
				r.Skip()
			default:
				flags |= r.signedFlags(func([]byte, *jsonspan.Value) {})
			}
		}
	})
	return flags
}

// signedFlags reads the options that one provider has stored in a reasoning part, and returns the part's flags. It also
// passes every option to the function each.
func (r *Reader) signedFlags(each func(key []byte, value *jsonspan.Value)) (flags transcript.Flags) {
	for key := range r.Members {
		signature, item := string(key) == "signature" || string(key) == "redactedData", string(key) == "itemId"
		v := r.Skip()
		if each(key, &v); v.Kind == jsonspan.Null || v.Kind == jsonspan.String && v.Len() == 2 {
			continue
		}
		flags |= transcript.Signed
		if signature {
			flags |= transcript.Bound
		}
		if item {
			flags |= transcript.Tied
		}
	}
	return flags
}

// aiSDKOutput is the output of a tool result: {"type","value"}. Its body is the value alone, so that the type stays
// valid when text replaces the body. If the value is a list of parts, the body is the whole output, since text
// can't replace the list.
type aiSDKOutput struct {
	body  jsonspan.Span    // zero if there is no value
	size  jsonspan.Measure // zero for a list of parts, which have their own sizes
	flags transcript.Flags // IsError if the tool failed or was not allowed to run; otherwise 0
}

var aiSDKOutputKeys = []string{"type", "value", "reason"}

func (o *aiSDKOutput) read(r *Reader, result int32) {
	start, read := r.Pos(), false
	parts := func(r *Reader) { r.list(func(r *Reader) { aiSDKPart(r, result) }) }
	f, size := r.fields(aiSDKOutputKeys, func(r *Reader, key int, f *frame) bool {
		if key != 1 || r.Kind() != jsonspan.Array || !r.isText(&f[0], "content") {
			return false
		}
		parts(r)
		read = true
		return true
	})
	typ, value, reason := r.shortText(&f[0]), f[1], f[2]
	if strings.HasPrefix(typ, "error-") || typ == "execution-denied" {
		o.flags |= transcript.IsError
	}
	end := r.Pos()
	switch {
	case typ == "content" && value.Kind == jsonspan.Array:
		if !read {
			r.readAgain(&value, parts)
		}
		o.body = jsonspan.Span{Start: start, End: end}
	case value.Kind != jsonspan.Invalid:
		o.body, o.size = value.Span, value.Size
	case typ == "execution-denied":
		o.size = reason.Size
	default:
		o.size = size
	}
}

func aiSDKResultBody(dst []byte, t *transcript.Transcript, result int32, text string) ([]byte, transcript.Measure) {
	body := t.Parts[result].Body
	if inner := t.InnerParts(int(result)); len(inner) == 0 || inner[0].Span.Start < body.Start || inner[0].Span.Start >= body.End {
		return stringBody(dst, t, result, text)
	}
	dst = append(dst, `{"type":"text","value":`...)
	dst = jsonspan.AppendString(dst, text)
	return append(dst, '}'), jsonspan.MeasureText(text)
}

var aiSDKTarget = Target{
	System:    `{"role":"system","content":%c}`,
	User:      `{"role":"user","content":%c}`,
	Assistant: `{"role":"assistant","content":%c}`,
	Content:   AsEither,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"type":"reasoning","text":%t}`,
	Call:      `{"type":"tool-call","toolCallId":%i,"toolName":%n,"input":%o}`,
	Result:    `{"type":"tool-result","toolCallId":%i,"toolName":%n,"output":%c}`,
	Gathered:  `{"role":"tool","content":[%c]}`,
	Outcome: Outcome{Text: `{"type":"text","value":%t}`, Error: `{"type":"error-text","value":%t}`,
		Object: `{"type":"json","value":%j}`,
		Array:  `{"type":"json","value":%j}`, Failure: `{"type":"error-json","value":%j}`,
		List: `{"type":"content","value":[%l]}`,
		Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, "", `{"type":"image-data","data":%d,"mediaType":%m}`, `{"type":"image-url","url":%u}`, InResult},
		{transcript.Audio, "", `{"type":"file-data","data":%d,"mediaType":%m}`, `{"type":"file-url","url":%u}`, InResult},
		{transcript.File, "", `{"type":"file-data","data":%d,"mediaType":%m%?f,"filename":%f%;}`, `{"type":"file-url","url":%u}`, InResult},
		{transcript.Image, "", `{"type":"image","image":%d,"mediaType":%m}`, `{"type":"image","image":%u%?m,"mediaType":%m%;}`, ByUser},
		{transcript.Image, "", `{"type":"file","data":%d,"mediaType":%m}`, `{"type":"file","data":%u,"mediaType":%?m%m%;%?M%M%;}`, ByAssistant},
		{transcript.Audio, "", `{"type":"file","data":%d,"mediaType":%m}`, `{"type":"file","data":%u,"mediaType":%?m%m%;%?M%M%;}`, ByUser | ByAssistant},
		{transcript.File, "", `{"type":"file","data":%d,"mediaType":%m%?f,"filename":%f%;}`,
			`{"type":"file","data":%u,"mediaType":%?m%m%;%?M%M%;%?f,"filename":%f%;}`, ByUser | ByAssistant},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}
