//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// mistralID is the number of letters and digits in a Mistral id.
const mistralID = 9

func init() {
	Register(&Format{
		Name: "mistral", Model: "mistral",
		Doc:     "Mistral chat completions: messages as the API has them, and as its SDK spells them",
		List:    "messages",
		Convert: target(&mistralTarget),
		Signs: Signs{
			Roles: "system user assistant tool",
			Keys:  "content tool_calls tool_call_id name",
			Types: "text image_url input_audio file thinking reference",
			Shy:   true,
			Own: "toolCalls:function key:toolCallId call:nine thinking:list type:document_url part:imageUrl part:inputAudio " +
				"model:mistral model:ministral model:magistral model:codestral model:devstral model:pixtral model:voxtral model:open-mi",
		},
		ReadMessage: readMistral,
		Message:     textMessage(roleAndText),
		ResultBody:  stringBody,
		Tool:        `{"type":"function","function":{"name":%n,"description":%d,"parameters":%p}}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results:     answers{each: `{"role":"tool",%?l"toolCallId"%;%?L"tool_call_id"%;:%i%?n,"name":%n%;,"content":%t}`, ids: true}.results,
		FreshID:     "cf",
		IDLength:    mistralID,
		Rules: Rules{
			Unanswered: "MI2", Orphan: "MI3", Duplicate: "MI4", Empty: "MI1", Role: "MI7", Follow: "MI6",
			Answers: NextMessages, ResultRole: transcript.Tool,
		},
		Extra: checkMistral,
	})
}

var mistralRoles = []roleName{
	{"system", transcript.System}, {"user", transcript.User}, {"assistant", transcript.Assistant},
	{"tool", transcript.Tool},
}

const (
	miRole = iota
	miContent
	miName
	miCalls
	miCallID
	miSDKCalls
	miSDKCallID
)

var mistralKeys = []string{"role", "content", "name", "tool_calls", "tool_call_id", "toolCalls", "toolCallId"}

// readMistral reads a message in either spelling. Calls in the SDK's spelling are marked as legacy, so that repairs are
// written in that spelling too. The parts are added to r.T.
func readMistral(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	f, _ := r.fields(mistralKeys, func(r *Reader, key int, f *frame) bool {
		calls := (key == miCalls || key == miSDKCalls) && m.Lists[transcript.CallList].IsZero()
		if r.Kind() != jsonspan.Array || key != miContent && !calls {
			return false
		}
		if !calls {
			m.Lists[transcript.ContentList] = r.list(mistralPart)
			return true
		}
		from := len(r.T.Parts)
		m.Lists[transcript.CallList] = r.list(openAIChatCall)
		for i := from; key == miSDKCalls && i < len(r.T.Parts); i++ {
			r.T.Parts[i].Flags |= transcript.Legacy
		}
		return true
	})
	r.setRole(m, &f[miRole], mistralRoles)
	content := f[miContent]
	r.content(m, &content, "chunks")
	r.wantList(&f[miCalls], "tool calls must be a list")
	r.wantList(&f[miSDKCalls], "tool calls must be a list")
	if m.Role != transcript.Tool {
		if content.Str() {
			r.Add(wholePart(transcript.Text, &content))
		}
		return
	}
	p := contentResult(&content, &f[miCallID], &f[miName])
	f[miSDKCallID].setID(&p)
	r.addResult(m, first, p)
}

const (
	mpType = iota
	mpText
	mpThinking
	mpSignature
	mpImage
	mpSDKImage
	mpAudio
	mpSDKAudio
	mpDocument
	mpSDKDocument
)

var mistralPartKeys = []string{"type", "text", "thinking", "signature", "image_url", "imageUrl", "input_audio",
	"inputAudio", "document_url", "documentUrl"}

// mistralPart reads a content chunk. It is added to r.T; a chunk of an unknown type is opaque.
func mistralPart(r *Reader) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	var thought thoughtText
	f, size := r.object(&p, "a content chunk", mistralPartKeys, func(r *Reader, key int, f *frame) bool {
		if key != mpThinking || r.Kind() != jsonspan.Array {
			return false
		}
		r.list(thought.read)
		return true
	})
	p.Size = size
	switch r.shortText(&f[mpType]) {
	case "text":
		f[mpText].setText(&p, transcript.Text)
	case "thinking":
		p.Kind, p.Body, p.Size = transcript.Reasoning, thought.body, thought.size
		f[mpSignature].setFlags(&p, transcript.Signed)
	case "image_url":
		p.SetMedia(transcript.Image, f[mpImage].Raw+f[mpSDKImage].Raw)
	case "input_audio":
		p.SetMedia(transcript.Audio, f[mpAudio].Raw+f[mpSDKAudio].Raw)
	case "document_url", "file":
		p.SetMedia(transcript.File, f[mpDocument].Raw+f[mpSDKDocument].Raw)
	}
	r.Add(p)
}

// thoughtText collects the chunks of a thought: their total measure, and the text if there is only one.
type thoughtText struct {
	chunks int              // number of chunks read so far
	body   jsonspan.Span    // the string of the only chunk; zero if there is no chunk with text, or more than one
	size   jsonspan.Measure // the measure of all chunks
}

var thoughtKeys = []string{"text"}

func (t *thoughtText) read(r *Reader) {
	f, size := r.fields(thoughtKeys, nil)
	text := &f[0]
	if t.chunks++; text.Str() {
		size = text.Size
	}
	t.size, t.body = t.size.Add(size), jsonspan.Span{}
	if t.chunks == 1 && text.Str() {
		t.body = text.Span
	}
}

// checkMistral reports violations of MI5: the id of a tool call must consist of nine letters and digits.
func checkMistral(c *Checker) {
	for n, p := range c.parts {
		if p.Kind != transcript.ToolCall || nineSigns(c.T.Text(p.ID)) {
			continue
		}
		c.badID("MI5", n, p, "the id of a tool call has nine letters and digits")
	}
}

var mistralTarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"role":"system","content":%c}`,
	User:      `{"role":"user","content":%c}`,
	Assistant: `{"role":"assistant","content":%c%?k,"tool_calls":[%k]%;}`,
	Content:   AsEither, Empty: `""`,
	Text:      `{"type":"text","text":%t}`,
	Reasoning: `{"type":"thinking","thinking":[{"type":"text","text":%t}]}`,
	Call:      `{"id":%i,"type":"function","function":{"name":%n,"arguments":%s}}`, CallsBeside: true,
	Result:  `{"role":"tool","tool_call_id":%i,"name":%n,"content":%c}`,
	Outcome: Outcome{List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, images, `{"type":"image_url","image_url":%u}`, `{"type":"image_url","image_url":%u}`, ByUser | InResult},
		{transcript.Audio, "audio/", `{"type":"input_audio","input_audio":%d}`, `{"type":"input_audio","input_audio":%u}`, ByUser},
		{transcript.File, "application/pdf", `{"type":"document_url","document_url":%u%?f,"document_name":%f%;}`,
			`{"type":"document_url","document_url":%u%?f,"document_name":%f%;}`, ByUser},
	},
	ID: NameForm{Exact: mistralID}, ToolName: NameForm{Max: 64, Marks: "_-"},
}
