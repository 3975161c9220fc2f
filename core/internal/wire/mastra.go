//go:build !ctxfold_no_formats

package wire

import (
	"bytes"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "mastra",
		Doc:     "Mastra: MastraDBMessage[], as its memory stores them",
		List:    "messages",
		Convert: target(&mastraTarget),
		Signs: Signs{
			Roles:   "system user assistant signal",
			Keys:    "parts",
			Types:   "text reasoning file tool-invocation source source-document source-url step-start error",
			Items:   "v2 user",
			Content: "store",
			Own:     "content:store role:signal item:v2",
			Also:    "part:format part:parts part:content part:metadata part:providerMetadata part:reasoning part:toolInvocations",
			Shy:     true,
		},
		Parts:       "parts",
		Calls:       "toolInvocations",
		Within:      []string{"content"},
		ReadMessage: readMastra,
		Message:     textMessage(mastraText),
		Instead:     insteadOf(mastraText),
		ResultBody:  mastraResultBody,
		Tool:        `{"id":%n,"description":%d,"inputSchema":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		InnerMedia:  true, // a list without media isn't read as a list of texts
		Answer:      mastraAnswer,
		Stamp:       "createdAt",
		FreshID:     "call_ctxfold_",
		Rules: Rules{Bound: "AN9", Unanswered: "MA2", Orphan: "MA2", Duplicate: "MA3", Empty: "MA1", Role: "MA4",
			Answers: BeforeUser},
	})
}

// mastraText is the template of a message with one text. The text isn't repeated outside the parts, except in a system
// message: there, only that copy is read.
const mastraText = `{"id":"ctxfold-%#","role":"%r","createdAt":` + NoStamp +
	`,"content":{"format":2,"parts":[{"type":"text","text":%t}]%?s,"content":%t%;}}`

var mastraRoles = []roleName{
	{"system", transcript.System}, {"user", transcript.User}, {"assistant", transcript.Assistant},
	{"signal", transcript.User},
}

var mastraKeys = []string{"role", "content", "type"}

const (
	mcFormat = iota
	mcParts
	mcContent
	mcInvocations
	mcReasoning
	mcAttachments
	mcMetadata
)

var mastraContentKeys = []string{"format", "parts", "content", "toolInvocations", "reasoning",
	"experimental_attachments", "metadata"}

// mastraStore holds what a message stores outside its parts: copies of the parts or, in older versions, the parts
// themselves in another form.
type mastraStore struct {
	first       int                // index of the message's first part
	calls       []mastraInvocation // the calls outside the parts
	files       []mastraFile       // the attachments outside the parts
	text, think field              // a text and reasoning outside the parts
	signal      mastraSignal       // zero if the message is no signal
}

// readMastra reads a message, which must be of version 2. Members that repeat parts are linked to these parts as
// copies. The parts are added to r.T.
func readMastra(r *Reader, m *transcript.Message) {
	store := mastraStore{first: len(r.T.Parts)}
	var held frame
	f, _ := r.fields(mastraKeys, func(r *Reader, key int, f *frame) bool {
		if key != 1 || r.Kind() != jsonspan.Object {
			return false
		}
		in, _ := r.fields(mastraContentKeys, func(r *Reader, key int, f *frame) bool {
			return store.member(r, m, key, f)
		})
		held = *in
		return true
	})
	role, content, typ := f[0], f[1], f[2]
	r.setRole(m, &role, mastraRoles)
	switch {
	case content.Kind == jsonspan.Invalid:
		r.Fail(api.CodeMissingField, int(m.Span.Start), "this message has no content")
	case content.Kind != jsonspan.Object:
		r.Fail(jsonspan.WrongType, int(content.Start),
			"content must be an object with format 2: convert messages of version 1 by convertMessages(messages).to(\"Mastra.V2\")")
	case held[mcFormat].Kind != jsonspan.Number || string(held[mcFormat].Slice(r.Src())) != "2":
		r.Fail(jsonspan.WrongType, int(content.Start), "content must have format 2")
	}
	for _, k := range [...]int{mcParts, mcInvocations, mcAttachments} {
		r.wantKind(&held[k], jsonspan.Array, jsonspan.Null, mastraContentKeys[k]+" must be a list")
	}
	m.Content = held[mcParts].Span
	if r.Err() != nil {
		return
	}
	store.text, store.think = held[mcContent], held[mcReasoning]
	if r.isText(&role, "signal") {
		m.Variant = transcript.Note
		if kind := store.signal.kind; r.isText(&kind, "user") || r.isText(&kind, "user-message") || kind.Kind == jsonspan.Invalid && (r.isText(&typ, "user") || r.isText(&typ, "user-message")) {
			m.Variant = transcript.Plain
		}
		store.readSignal(r)
		return
	}
	store.copies(r)
	mastraSteps(r.T, store.first)
}

// member reads a member of the content that is a list or an object. It returns false if it doesn't know the member.
func (s *mastraStore) member(r *Reader, m *transcript.Message, key int, f *frame) bool {
	kind := r.Kind()
	switch {
	case key == mcParts && kind == jsonspan.Array:
		m.Lists[transcript.ContentList] = r.list(mastraPart)
	case key == mcInvocations && kind == jsonspan.Array:
		m.Lists[transcript.CallList] = r.list(func(r *Reader) {
			if r.Kind() != jsonspan.Object {
				r.Fail(jsonspan.WrongType, int(r.Pos()), "a tool invocation must be an object")
				return
			}
			var call mastraInvocation
			call.read(r)
			s.calls = append(s.calls, call)
		})
	case key == mcAttachments && kind == jsonspan.Array:
		r.list(func(r *Reader) {
			if r.Kind() != jsonspan.Object {
				r.Fail(jsonspan.WrongType, int(r.Pos()), "an attachment must be an object")
				return
			}
			s.files = append(s.files, mastraAttachment(r))
		})
	case key == mcMetadata && kind == jsonspan.Object:
		r.fields(mastraSignalKey, func(r *Reader, _ int, _ *frame) bool {
			if r.Kind() != jsonspan.Object {
				return false
			}
			in, _ := r.fields(mastraSignalKeys, nil)
			s.signal = mastraSignal{in[0], in[1]}
			return true
		})
	default:
		return false
	}
	return true
}

var (
	mastraSignalKey  = []string{"signal"}
	mastraSignalKeys = []string{"type", "contents"}
)

// mastraSignal is a message with the role signal: its kind and, in older versions, the text sent instead of its parts.
type mastraSignal struct{ kind, contents field }

// readSignal reads the parts of a signal that are sent: its texts and files or, in older versions, its contents.
func (s *mastraStore) readSignal(r *Reader) {
	old, text := s.signal.contents.Kind != jsonspan.Invalid && s.signal.contents.Kind != jsonspan.Null, -1
	for i := range r.T.Parts[s.first:] {
		p := &r.T.Parts[s.first+i]
		switch p.Kind {
		case transcript.Text, transcript.Image, transcript.Audio, transcript.File:
			if !old {
				if p.Kind == transcript.Text {
					text = s.first + i
				}
				continue
			}
		}
		p.Kind, p.Size, p.Data = transcript.Opaque, jsonspan.Measure{}, 0
		p.Flags = transcript.NotSent
		p.Pair, p.Body, p.ID = -1, jsonspan.Span{}, jsonspan.Span{}
	}
	if old {
		p := wholePart(transcript.Opaque, &s.signal.contents)
		p.List, p.Body = transcript.Inside, jsonspan.Span{}
		r.Add(p)
	} else if text >= 0 {
		s.addTextCopy(r, text)
	}
}

const (
	maType = iota
	maText
	maReasoning
	maDetails
	maData
	maURL
	maMimeType
	maMediaType
	maInvocation
	maProvider
	maMetadata
)

var mastraPartKeys = []string{
	"type", "text", "reasoning", "details", "data", "url", "mimeType", "mediaType", "toolInvocation",
	"providerExecuted", "providerMetadata",
}

// mastraInside holds what was read from a part's members that are objects or lists.
type mastraInside struct {
	call     mastraInvocation // zero if the part is no tool call
	details  mastraDetails    // of reasoning; zero for other parts
	metadata mastraMetadata   // zero if it has none
}

func (in *mastraInside) read(r *Reader, key int, _ *frame) bool {
	switch kind := r.Kind(); {
	case key == maInvocation && kind == jsonspan.Object:
		in.call.read(r)
	case key == maDetails && kind == jsonspan.Array:
		r.list(in.details.read)
	case key == maMetadata && kind == jsonspan.Object:
		in.metadata.read(r)
	default:
		return false
	}
	return true
}

// mastraPart reads a part. Mastra skips null entries when it sends the message.
func mastraPart(r *Reader) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	if r.Kind() == jsonspan.Null {
		p.Span, p.Flags = r.Skip().Span, transcript.NotSent
		r.Add(p)
		return
	}
	var in mastraInside
	fp, size := r.object(&p, "a part", mastraPartKeys, in.read)
	f := *fp
	p.Size = size
	switch r.shortText(&f[maType]) {
	case "text":
		if f[maText].setText(&p, transcript.Text); p.Kind == transcript.Text {
			p.Flags |= in.metadata.summary
		}
	case "reasoning":
		in.details.part(&p, &f[maReasoning], in.metadata.flags)
	case "file":
		r.mediaText(&p, r.mediaKind(f.firstOf(maMimeType, maMediaType)), &f[maData], &f[maURL])
	case "tool-invocation":
		if in.call.id.Str() {
			if f[maProvider].Kind == jsonspan.True {
				p.Flags |= transcript.Server
			}
			in.call.add(r, p, &in.metadata.output)
			return
		}
		p.Flags |= transcript.NotSent
	case "step-start":
		p.Flags |= transcript.Step | transcript.NotSent
	case "error", "source", "source-url", "source-document":
		p.Flags |= transcript.NotSent // kept for the user, not sent to the model
	default:
		if r.beginsWith(&f[maType], "data-") || r.beginsWith(&f[maType], "tool-") {
			p.Flags |= transcript.NotSent
		}
	}
	r.Add(p)
}

// mastraDetails holds a reasoning part's texts, each with its signature, and the encrypted texts that only the provider
// can read.
type mastraDetails struct {
	n    int              // the number of texts
	text field            // the first one
	size jsonspan.Measure // the size of all texts
	flag transcript.Flags // whether they are signed or encrypted
}

var mastraDetailKeys = []string{"type", "text", "signature", "data"}

func (d *mastraDetails) read(r *Reader) {
	if r.Kind() != jsonspan.Object {
		r.Skip()
		return
	}
	f, _ := r.fields(mastraDetailKeys, nil)
	d.n++
	switch {
	case r.isText(&f[0], "text") && f[1].Str():
		if d.text.Kind == jsonspan.Invalid {
			d.text = f[1]
		}
		d.size = d.size.Add(f[1].Size)
		if f[2].isFilled() {
			d.flag |= transcript.Signed | transcript.Bound
		}
	case r.isText(&f[0], "redacted"):
		d.size = d.size.Add(f[3].Size)
		d.flag |= transcript.Signed | transcript.Bound
	}
}

// part makes p a reasoning part with the given text or, if that is empty, with the text of its details. If both are
// empty, nothing is sent.
func (d *mastraDetails) part(p *transcript.Part, text *field, flags transcript.Flags) {
	p.Kind = transcript.Reasoning
	p.Flags |= flags | d.flag
	switch {
	case text.isFilled():
		p.Body, p.Size = text.Span, text.Size
	case d.n == 0:
		p.Kind, p.Flags, p.Size = transcript.Opaque, transcript.NotSent, jsonspan.Measure{}
	default:
		p.Size = d.size
		if d.n == 1 {
			p.Body = d.text.Span
		}
	}
}

// mastraMetadata is the metadata of a part: data for the provider and, under "mastra", what the model sees of a
// result.
type mastraMetadata struct {
	flags, summary transcript.Flags // of reasoning with provider data, and of a text that is a compaction by the provider; 0 without such data
	output         field            // what the model sees of the result; of kind Invalid if it sees the result itself
}

var mastraOwnKeys = []string{"modelOutput"}

func (d *mastraMetadata) read(r *Reader) {
	for provider := range r.Members {
		switch {
		case r.Kind() != jsonspan.Object:
			r.Skip()
		case string(provider) == "mastra":
			f, _ := r.fields(mastraOwnKeys, nil)
			d.output = f[0]
		default:
			anthropic := string(provider) == "anthropic"
			d.flags |= r.signedFlags(func(key []byte, value *jsonspan.Value) {
				if anthropic && string(key) == "type" && string(value.Slice(r.Src())) == `"compaction"` {
					d.summary = transcript.ProviderOnly | transcript.Signed | transcript.Summary
				}
			})
		}
	}
}

// mastraSteps records where an assistant message may be split: at the beginning of a step, and
// after calls that have their results. first is the index of the message's first part.
func mastraSteps(t *transcript.Transcript, first int) {
	open, answered := false, false
	for i := first; i < len(t.Parts); i++ {
		p := &t.Parts[i]
		switch {
		case p.List != transcript.ContentList || p.Parent >= 0:
			continue
		case p.Has(transcript.Step): // a step begins here
			answered = false
			continue
		case p.Has(transcript.NotSent):
			continue
		case answered && !open && p.Kind != transcript.ToolCall:
			p.Flags |= transcript.Step
		}
		answered = p.Kind == transcript.ToolCall
		open = open || answered && p.Pair < 0
	}
}

var mastraBodyKeys = []string{"content"}

// mastraResultBody writes a body of the same JSON type as the result, because components read it. A
// list of texts and media keeps its form. Its results are those of Format.ResultBody.
func mastraResultBody(dst []byte, t *transcript.Transcript, result int32, text string) ([]byte, transcript.Measure) {
	body := t.Bytes(t.Parts[result].Body)
	if len(t.InnerParts(int(result))) == 0 {
		return aiSDKUIResultBody(dst, t, result, text)
	}
	if f, _ := (&Reader{Scanner: jsonspan.New(body)}).fields(mastraBodyKeys, nil); f[0].Kind == jsonspan.Array {
		from := len(dst)
		dst = append(jsonspan.AppendString(append(dst, `{"content":[{"type":"text","text":`...), text), `}]}`...)
		return dst, jsonspan.New(dst[from:]).Skip().Measure
	}
	dst = append(jsonspan.AppendString(append(dst, `{"type":"text","value":`...), text), '}')
	return dst, jsonspan.MeasureText(text)
}

var mastraAnswerKeys = []string{"state", "result", "isError", "errorText"}

// mastraAnswer completes a tool call with an error. The call is a part, or its copy outside the parts.
func mastraAnswer(dst, part []byte, text string) []byte {
	s := jsonspan.New(part)
	for key := range s.Members {
		if string(key) == "toolInvocation" && s.Kind() == jsonspan.Object {
			at := s.Skip()
			dst = mastraAnswered(append(dst, part[:at.Start]...), at.Slice(part), text)
			return append(dst, part[at.End:]...)
		}
		s.Skip()
	}
	return mastraAnswered(dst, part, text)
}

func mastraAnswered(dst, call []byte, text string) []byte {
	return appendFailed(dst, call, mastraAnswerKeys, `"state":"result","result":`, text)
}

// mastraTarget writes placeholders for dates, because Mastra keeps the order of the list.
var mastraTarget = Target{
	System:    `{"id":"ctxfold-%#","role":"system","createdAt":%@,"content":{"format":2,"parts":[%c],"content":%t}}`,
	User:      `{"id":"ctxfold-%#","role":"user","createdAt":%@,"content":{"format":2,"parts":[%c]}}`,
	Assistant: `{"id":"ctxfold-%#","role":"assistant","createdAt":%@,"content":{"format":2,"parts":[%c]}}`,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"type":"reasoning","reasoning":"","details":[{"type":"text","text":%t}]}`,
	Call:      `{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":%i,"toolName":%n,"args":%o}}`,
	Answered:  `{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":%i,"toolName":%n,"args":%o,"result":%c}}`,
	Failed:    `{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":%i,"toolName":%n,"args":%o,"result":%t,"isError":true}}`,
	Step:      `{"type":"step-start"}`,
	Outcome:   Outcome{Object: `%j`, Array: `%j`, List: `{"content":[%l]}`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, "", `{"type":"image","data":%d,"mimeType":%m}`, "", InResult},
		{transcript.Audio, "", `{"type":"audio","data":%d,"mimeType":%m}`, "", InResult},
		{transcript.Image, "", `{"type":"file","mimeType":%m,"data":%u}`, `{"type":"file","mimeType":%?m%m%;%?M%M%;,"data":%u}`, ByUser | ByAssistant},
		{transcript.Audio, "", `{"type":"file","mimeType":%m,"data":%u}`, `{"type":"file","mimeType":%?m%m%;%?M%M%;,"data":%u}`, ByUser | ByAssistant},
		{transcript.File, "", `{"type":"file","mimeType":%m%?f,"filename":%f%;,"data":%u}`,
			`{"type":"file","mimeType":%?m%m%;%?M%M%;%?f,"filename":%f%;,"data":%u}`, ByUser | ByAssistant},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Marks: AnySign},
}

// hasAny reports whether b contains one of the words. It is a quick check before parsing.
func hasAny(b []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(b, []byte(w)) {
			return true
		}
	}
	return false
}
