//go:build !ctxfold_no_formats

package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

const (
	lbType = iota
	lbText
	lbReasoning
	lbThinking
	lbSignature
	lbID
	lbName
	lbArgs
	lbInput
	lbArguments
	lbCallID
	lbUseID
	lbResultID
	lbSDKResultID
	lbContent
	lbSummary
	lbEncrypted
	lbExtras
	lbThought
	lbError
	lbRedacted
)

// lcBlockKeys lists the keys of LangChain's blocks, and of the providers' own blocks that may be among them.
var lcBlockKeys = []string{
	"type", "text", "reasoning", "thinking", "signature", "id", "name", "args", "input", "arguments", "call_id",
	"tool_use_id", "tool_call_id", "toolCallId", "content", "summary", "encrypted_content", "extras",
	"reasoning_content", "is_error", "redacted",
}

// lcMedia lists the types of blocks that hold a payload.
var lcMedia = partForms{
	{name: "image", kind: transcript.Image}, {name: "image_url", kind: transcript.Image},
	{name: "audio", kind: transcript.Audio}, {name: "input_audio", kind: transcript.Audio},
	{name: "video", kind: transcript.File}, {name: "file", kind: transcript.File},
	{name: "document", kind: transcript.File}, {name: "media", kind: transcript.File},
}

// lcBlock reads one block of content. parent is the part index of the tool result that contains it, or -1.
func lcBlock(r *Reader, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: parent}
	if r.Kind() == jsonspan.String {
		s := r.Text()
		p.Kind, p.Span, p.Body, p.Size = transcript.Text, s.Span, s.Span, s.Measure
		r.Add(p)
		return
	}
	in, thought := inside{part: lcBlock, self: -1}, lcThought{}
	f, size := r.object(&p, "a content block that is no string", lcBlockKeys, func(r *Reader, key int, f *frame) bool {
		if key == lbContent {
			return r.isText(&f[lbType], "tool_result") && in.read(r, &p)
		}
		return thought.read(r, key)
	})
	p.Size = size
	thought.signed = thought.signed || f[lbSignature].isFilled() || f[lbEncrypted].isFilled()
	lcBlockKind(r, &p, f, &thought)
	if parent >= 0 && (p.Kind == transcript.ToolCall || p.Kind == transcript.ToolResult) {
		p.Kind, p.Flags = transcript.Opaque, 0
	}
	in.end(r, &p, &f[lbContent])
}

// lcThought holds what a block says about reasoning: whether it is signed, and the text of a Bedrock thought.
type lcThought struct {
	signed bool
	text   field // the text of a Bedrock thought; of kind Invalid if there is none
}

var lcThoughtKeys = []string{"text", "signature"}

// read reads a Bedrock thought, or the extras of a block. It returns false for any other member.
func (t *lcThought) read(r *Reader, key int) bool {
	if key != lbExtras && key != lbThought || r.Kind() != jsonspan.Object {
		return false
	}
	f, _ := r.fields(lcThoughtKeys, nil)
	t.signed = t.signed || f[1].isFilled()
	if key == lbThought {
		t.text = f[0]
	}
	return true
}

// lcBlockKind determines the kind of a block from its type, and sets what p has in that kind. A block of an unknown
// type stays opaque.
func lcBlockKind(r *Reader, p *transcript.Part, f *frame, thought *lcThought) {
	switch typ := r.shortText(&f[lbType]); typ {
	case "text", "":
		f[lbText].setText(p, transcript.Text)
	case "reasoning":
		lcReasoning(p, &f[lbReasoning], thought.signed)
		if r.beginsWith(&f[lbID], "rs_") {
			p.Flags |= transcript.Tied // OR2: items that the provider has stored must stay together
		}
	case "thinking":
		lcReasoning(p, &f[lbThinking], thought.signed)
	case "redacted_thinking":
		lcReasoning(p, &noField, true)
	case "reasoning_content":
		lcReasoning(p, &thought.text, thought.signed)
	case "tool_call", "tool_use", "function_call", "invalid_tool_call":
		lcCallBlock(p, f, 0)
	case "server_tool_call", "server_tool_use", "mcp_tool_use":
		lcCallBlock(p, f, transcript.Server)
	case "tool_result":
		p.Kind, p.ID, p.Body, p.Size = transcript.ToolResult, lcResultID(f), f[lbContent].Span, f[lbContent].Size
		if f[lbError].Kind == jsonspan.True {
			p.Flags |= transcript.IsError
		}
	default:
		lcOther(p, typ, lcResultID(f))
	}
}

// lcOther determines the kind of a block that holds a payload, or the result of a provider's own tool with the given
// id. Any other block stays opaque.
func lcOther(p *transcript.Part, typ string, id jsonspan.Span) {
	if !id.IsZero() && (strings.HasSuffix(typ, "_tool_result") || typ == "server_tool_call_result") {
		p.Kind, p.Flags, p.ID = transcript.ToolResult, transcript.Server, id
	} else if form := lcMedia.named(typ); form != nil {
		p.SetMedia(form.kind, p.Size.Bytes)
	}
}

func lcReasoning(p *transcript.Part, text *field, signed bool) {
	p.Kind = transcript.Reasoning
	text.setText(p, transcript.Reasoning)
	if signed {
		p.Flags |= transcript.Signed | transcript.Bound
	}
}

// lcCallBlock fills p from a block that is a tool call, whichever provider's names its members have.
func lcCallBlock(p *transcript.Part, f *frame, flags transcript.Flags) {
	p.Kind, p.Flags = transcript.ToolCall, flags
	for _, k := range [...]int{lbID, lbCallID} {
		f[k].setID(p)
	}
	f[lbName].setToolName(p)
	for _, k := range [...]int{lbArguments, lbInput, lbArgs} {
		if f[k].Kind != jsonspan.Invalid {
			p.Body, p.Size = f[k].Span, f[k].Size
		}
	}
	if f[lbArguments].Str() {
		p.Flags |= transcript.JSONText
	}
}

// lcResultID returns the id of the call that a block answers, in any provider's spelling, or the
// zero Span if the block names no call.
func lcResultID(f *frame) (id jsonspan.Span) {
	for _, k := range [...]int{lbUseID, lbResultID, lbSDKResultID} {
		if f[k].Str() {
			id = f[k].Span
		}
	}
	return id
}
