//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "bedrock-converse",
		Doc:     "Amazon Bedrock Converse: Message[], also as Strands Agents has it",
		List:    "messages",
		Convert: target(&bedrockTarget),
		Signs: Signs{
			Roles:   "system user assistant",
			Keys:    "content",
			Content: "list",
			// Text without a type also occurs in Genkit.
			Decisive: "part:toolUse part:toolResult part:reasoningContent part:cachePoint part:guardContent part:citationsContent",
			Own: "part:toolUse part:toolResult part:reasoningContent part:cachePoint part:guardContent part:citationsContent part:searchResult " +
				"part:toolAddition part:toolRemoval bare:text body:modelId body:inferenceConfig body:additionalModelRequestFields " +
				"body:guardrailConfig",
		},
		ReadMessage: readBedrock,
		Marks:       PointMark,
		Message:     textMessage(`{"role":"%r","content":[{"text":%t}]}`),
		ResultBody:  bodyOf(`[{"text":%t}]`),
		Tool:        `{"toolSpec":{"name":%n,"description":%d,"inputSchema":{"json":%p}}}`,
		TextPart:    `{"text":%t}`,
		Results: answers{each: `{"toolResult":{"toolUseId":%i,"status":"error","content":[{"text":%t}]}}`,
			all: `{"role":"user","content":[%c]}`, kept: true}.results,
		Wrap:        wrapContent,
		SystemApart: true,
		FreshID:     "tooluse_ctxfold_",
		Rules: Rules{
			Unanswered: "BC4", Orphan: "BC4", Duplicate: "BC4", Empty: "BC2", BlankText: "BC2", BlankResult: "BC2",
			First: "BC3", Alternate: "BC3", Role: "BC1", Server: "BC7", Bound: "AN9",
			Answers: OneMessage, ResultRole: transcript.User,
		},
		Extra: checkBedrock,
	})
}

var bedrockMessageKeys = []string{"role", "content"}

func readBedrock(r *Reader, m *transcript.Message) {
	f := r.roleAndList(m, bedrockMessageKeys, func(r *Reader) { bedrockBlock(r, -1) })
	role, content := f[0], f[1]
	r.setRole(m, &role, anthropicRoles)
	r.wantKind(&content, jsonspan.Array, jsonspan.Array, "content must be a list of blocks")
	m.Content = content.Span
}

const (
	bcText = iota
	bcCachePoint
	bcJSON
	bcImage
	bcAudio
	bcVideo
	bcDocument
	bcToolUse
	bcToolResult
	bcReasoning
	bcGuard
	bcCitations
	bcThought
	bcCited
)

// bedrockKeys lists the members that identify the type of a block. A block without any of them is opaque.
var bedrockKeys = []string{
	"text", "cachePoint", "json", "image", "audio", "video", "document", "toolUse", "toolResult", "reasoningContent",
	"guardContent",
	"citationsContent", "reasoning", "citations", // the last two are Strands' names for the SDK's reasoning and citations
}

// bedrockReaders holds, for each member in bedrockKeys whose value is an object, the function that
// reads this object into p. Tool results are read by bedrockResult instead.
var bedrockReaders = [...]func(r *Reader, p *transcript.Part){
	bcJSON:      bedrockJSON,
	bcImage:     bedrockMedia(transcript.Image),
	bcAudio:     bedrockMedia(transcript.Audio),
	bcVideo:     bedrockMedia(transcript.File),
	bcDocument:  bedrockMedia(transcript.File),
	bcToolUse:   bedrockCall,
	bcReasoning: bedrockReasoning,
	bcGuard:     bedrockGuard,
	bcCitations: bedrockCitations,
	bcThought:   bedrockThought,
	bcCited:     bedrockCitations,
}

// bedrockBlock reads one content block. parent is the part index of the tool result that contains it, or -1.
func bedrockBlock(r *Reader, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: parent}
	self, read := -1, false
	first, last := bcImage, bcCited // the members that are objects
	if parent >= 0 {
		first, last = bcJSON, bcDocument
	}
	f, size := r.object(&p, "a content block", bedrockKeys, func(r *Reader, key int, f *frame) bool {
		if key < first || key > last || r.Kind() != jsonspan.Object {
			return false
		}
		if read = true; key != bcToolResult {
			bedrockReaders[key](r, &p)
			return true
		}
		if self < 0 {
			self = r.Add(p) // the parts inside must follow it
		}
		bedrockResult(r, &p, int32(self))
		return true
	})
	switch {
	case read:
	case f[bcText].Str():
		f[bcText].setText(&p, transcript.Text)
	case f[bcJSON].Kind != jsonspan.Invalid && parent >= 0:
		p.Body, p.Size = f[bcJSON].Span, f[bcJSON].jsonSize()
	case f[bcCachePoint].Kind != jsonspan.Invalid:
		p.Flags |= transcript.NotSent | transcript.Mark
	default:
		p.Size = size
	}
	r.addReserved(self, p)
}

// bedrockJSON reads an object in a tool result. It becomes a text if its only member is a non-empty
// string; otherwise the kind of p stays, and the body is the whole object.
func bedrockJSON(r *Reader, p *transcript.Part) {
	var object transcript.Part
	if textOfObject(r, &object) {
		p.Kind = transcript.Text
	}
	p.Body, p.Size = object.Body, object.Size
}

// bedrockMedia returns a function that reads media of the given kind. The function sets p's kind and the length of its data.
func bedrockMedia(kind transcript.Kind) func(r *Reader, p *transcript.Part) {
	return func(r *Reader, p *transcript.Part) {
		f, _ := r.fields(bedrockMediaKeys, nil)
		p.Kind, p.Data = kind, f[0].Raw
	}
}

var (
	bedrockMediaKeys     = []string{"source"}
	bedrockCallKeys      = []string{"toolUseId", "name", "input", "type"}
	bedrockResultKeys    = []string{"toolUseId", "content", "status", "type"}
	bedrockReasoningKeys = []string{"reasoningText", "redactedContent"}
	bedrockThoughtKeys   = []string{"text", "signature", "redactedContent"}
	bedrockGuardKeys     = []string{"text", "image"}
	bedrockCitationKeys  = []string{"content", "citations"}
	bedrockTextKeys      = []string{"text"}
)

// bedrockCall reads a tool call. Calls of the type server_tool_use are run by the provider itself.
func bedrockCall(r *Reader, p *transcript.Part) {
	f, _ := r.fields(bedrockCallKeys, nil)
	p.Kind, p.Body, p.Size = transcript.ToolCall, f[2].Span, f[2].Size
	f[0].setID(p)
	f[1].setToolName(p)
	if r.isText(&f[3], "server_tool_use") {
		p.Flags |= transcript.Server
	}
}

// bedrockResult reads a tool result into p. self is the index of p in r.T.Parts, where its inner parts follow it. If
// the result has a type, the provider ran the tool.
func bedrockResult(r *Reader, p *transcript.Part, self int32) {
	f, _ := r.fields(bedrockResultKeys, func(r *Reader, key int, f *frame) bool {
		if key != 1 || r.Kind() != jsonspan.Array {
			return false
		}
		r.list(func(r *Reader) { bedrockBlock(r, self) })
		return true
	})
	p.Kind, p.Body = transcript.ToolResult, f[1].Span
	f[0].setID(p)
	if r.isText(&f[2], "error") {
		p.Flags |= transcript.IsError
	}
	if f[3].Str() {
		p.Flags |= transcript.Server
	}
	if f[1].Kind != jsonspan.Array {
		p.Size = f[1].Size
	}
}

// bedrockReasoning reads reasoning, which has no text if it is redacted.
func bedrockReasoning(r *Reader, p *transcript.Part) {
	f, _ := r.fields(bedrockReasoningKeys, func(r *Reader, key int, f *frame) bool {
		if key != 0 || r.Kind() != jsonspan.Object {
			return false
		}
		bedrockThought(r, p)
		return true
	})
	if p.Kind = transcript.Reasoning; f[1].Kind != jsonspan.Invalid {
		p.Flags |= transcript.Signed | transcript.Bound
	}
}

// bedrockThought reads the text of reasoning and its signature. In Strands, redacted reasoning is a member next to
// them.
func bedrockThought(r *Reader, p *transcript.Part) {
	p.Kind = transcript.Reasoning
	f, _ := r.fields(bedrockThoughtKeys, nil)
	if f[0].Str() {
		p.Body, p.Size = f[0].Span, f[0].Size
	}
	f[1].setFlags(p, transcript.Signed|transcript.Bound)
	if f[2].Kind != jsonspan.Invalid {
		p.Flags |= transcript.Signed | transcript.Bound
	}
}

// bedrockGuard reads input for a guardrail: {"text":{"text":…}} or an image.
func bedrockGuard(r *Reader, p *transcript.Part) {
	f, size := r.fields(bedrockGuardKeys, func(r *Reader, key int, f *frame) bool {
		if r.Kind() != jsonspan.Object {
			return false
		}
		if key == 1 {
			inner, _ := r.fields(bedrockMediaKeys, nil)
			p.Kind, p.Data = transcript.Image, inner[0].Raw
		} else if inner, _ := r.fields(bedrockTextKeys, nil); inner[0].Str() {
			p.Kind, p.Body, p.Size = transcript.Text, inner[0].Span, inner[0].Size
		}
		return true
	})
	if p.Kind == transcript.Opaque {
		p.Size = size.Add(f[0].jsonSize())
	}
}

// bedrockCitations reads text with its sources. If there is only one text, it is the body. The sources add to the
// size of the message.
func bedrockCitations(r *Reader, p *transcript.Part) {
	n, text := 0, field{}
	f, size := r.fields(bedrockCitationKeys, func(r *Reader, key int, f *frame) bool {
		if key != 0 || r.Kind() != jsonspan.Array {
			return false
		}
		for r.Array(); r.Elem(); n++ {
			if r.Kind() != jsonspan.Object {
				r.Fail(jsonspan.WrongType, int(r.Pos()), "a text of an answer must be an object")
				return true
			}
			inner, all := r.fields(bedrockTextKeys, nil)
			text, p.Size = inner[0], p.Size.Add(all)
		}
		return true
	})
	if n == 1 && text.Str() {
		p.Kind, p.Body, p.Size = transcript.Text, text.Span, text.Size
	} else {
		p.Size = p.Size.Add(size)
	}
	r.message.Extra = r.message.Extra.Add(f[1].Size)
}

// checkBedrock reports violations of BC5 (the form of ids), BC6 (results must come first in their message), BC8 (a
// document needs text next to it) and BC9 (the tools that are used must be defined).
func checkBedrock(c *Checker) {
	c.checkBlocks(&blockRules{order: "BC6", id: "BC5", marks: "_.:-",
		says: "a tool id has 1 to 64 of the characters a-z A-Z 0-9 _ . : -"})
	unnamed := c.T.Outer != c.T.List && c.T.Tools.Bytes == 0
	for _, m := range c.Seq {
		document, text := int32(-1), false
		for n, p := range c.T.OuterParts(&c.T.Messages[m]) {
			switch {
			case p.Kind == transcript.Text:
				text = true
			case p.Kind == transcript.File && bedrockDocument(c.T.Bytes(p.Span)):
				document = n
			case unnamed && (p.Kind == transcript.ToolCall || p.Kind == transcript.ToolResult):
				c.Add("BC9", m, -1, None, "the request has no toolConfig, which messages with tool calls need")
				unnamed = false
			}
		}
		if document >= 0 && !text {
			c.Add("BC8", m, document, None, "a message with a document needs a text, too")
		}
	}
}

// bedrockDocument reports whether a block, given as JSON, is a document.
func bedrockDocument(block []byte) bool {
	s := jsonspan.New(block)
	for key := range s.Members {
		if string(key) == "document" {
			return true
		}
		s.Skip()
	}
	return false
}

// bedrockTarget can't express unsigned reasoning, and accepts media only as bytes.
var bedrockTarget = Target{
	Tools:     `"toolConfig":{"tools":[%l]}`,
	User:      `{"role":"user","content":[%c]}`,
	Assistant: `{"role":"assistant","content":[%c]}`,
	Apart:     `[{"text":%t}]`, ApartKey: "system",
	Text:     `{"text":%t}`,
	Call:     `{"toolUse":{"toolUseId":%i,"name":%n,"input":%o}}`,
	Result:   `{"toolResult":{"toolUseId":%i,"content":%c%?e,"status":"error"%;}}`,
	Gathered: `{"role":"user","content":[%c]}`,
	Outcome:  Outcome{Text: `[{"text":%t}]`, Object: `[{"json":%j}]`, List: `[%l]`, Part: `{"text":%t}`},
	Media: []MediaForm{
		{transcript.Image, "image/png:png image/jpeg:jpeg image/gif:gif image/webp:webp", `{"image":{"format":"%x","source":{"bytes":%d}}}`, "",
			ByUser | InResult},
		{transcript.File, "video/mp4:mp4 video/webm:webm video/quicktime:mov video/x-matroska:mkv video/mpeg:mpeg",
			`{"video":{"format":"%x","source":{"bytes":%d}}}`, "", ByUser | InResult},
		{transcript.File, "application/pdf:pdf text/csv:csv text/html:html text/plain:txt text/markdown:md application/msword:doc " +
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document:docx application/vnd.ms-excel:xls " +
			"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet:xlsx",
			`{"document":{"format":"%x","name":"document-%#","source":{"bytes":%d}}}`, "", ByUser | InResult},
	},
	Captioned: true,
	ID:        NameForm{Max: 64, Marks: "_.:-"}, ToolName: NameForm{Max: 64, Marks: "_-"},
}
