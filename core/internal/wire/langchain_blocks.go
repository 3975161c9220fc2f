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
	"type", "text", "reasoning", "thinking", "signature", "id", "name", "args", "input", "arguments", "call_id", "tool_use_id", "tool_call_id",
	"toolCallId", "content", "summary", "encrypted_content", "extras", "reasoning_content", "is_error", "redacted",
}

// lcMedia lists the types of blocks that hold a payload.
var lcMedia = []struct {
	typ  string
	kind transcript.Kind
}{
	{"image", transcript.Image}, {"image_url", transcript.Image}, {"audio", transcript.Audio}, {"input_audio", transcript.Audio},
	{"video", transcript.File}, {"file", transcript.File}, {"document", transcript.File}, {"media", transcript.File},
}

// lcBlock reads one block of content. parent is the part index of the tool result that contains it, or -1.
func lcBlock(r *Reader, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: parent}
	p.Span.Start = r.Pos()
	switch r.Kind() {
	case jsonspan.String:
		s := r.Text()
		p.Kind, p.Span, p.Body, p.Size = transcript.Text, s.Span, s.Span, s.Measure
		r.Add(p)
		return
	case jsonspan.Object:
		p.Span.Start = r.Pos()
	default:
		r.Fail(jsonspan.WrongType, int(r.Pos()), "a content block must be an object or a string")
		return
	}
	self, signed, thought := -1, false, field{}
	fp, size := r.fields(lcBlockKeys, func(r *Reader, key int, f *frame) bool {
		switch kind := r.Kind(); {
		case key == lbContent && parent < 0 && kind == jsonspan.Array && r.is(&f[lbType], "tool_result"):
			self = r.Add(p) // the parts inside must follow it
			r.list(func(r *Reader) { lcBlock(r, int32(self)) })
		case (key == lbExtras || key == lbThought) && kind == jsonspan.Object:
			in, _ := r.fields(lcThoughtKeys, nil)
			signed = signed || in[1].Str() && in[1].Size.Bytes > 0
			if key == lbThought {
				thought = in[0]
			}
		default:
			return false
		}
		return true
	})
	f := *fp
	p.Span.End, p.Size = r.Pos(), size
	for _, k := range [...]int{lbSignature, lbEncrypted} {
		signed = signed || f[k].Str() && f[k].Size.Bytes > 0
	}
	lcBlockKind(r, &p, &f, thought, signed)
	if parent >= 0 && (p.Kind == transcript.ToolCall || p.Kind == transcript.ToolResult) {
		p.Kind, p.Flags = transcript.Opaque, 0
	}
	content := f[lbContent]
	if self >= 0 {
		p.Size = jsonspan.Measure{}
		r.put(self, p)
		return
	}
	self = r.Add(p)
	if p.Kind == transcript.ToolResult && !p.Has(transcript.Server) && content.Kind == jsonspan.Array {
		r.again(&content, func(r *Reader) { r.list(func(r *Reader) { lcBlock(r, int32(self)) }) })
		r.T.Parts[self].Size = jsonspan.Measure{}
	}
}

// lcThoughtKeys lists the keys of a Bedrock thought, and of a block's extras.
var lcThoughtKeys = []string{"text", "signature"}

// lcBlockKind determines the kind of a block from its type.
func lcBlockKind(r *Reader, p *transcript.Part, f *frame, thought field, signed bool) {
	switch typ := r.typ(&f[lbType]); typ {
	case "text", "":
		f[lbText].text(p, transcript.Text)
	case "reasoning":
		lcReasoning(p, &f[lbReasoning], signed)
		if f[lbID].Str() && strings.HasPrefix(jsonspan.Text(r.Src(), f[lbID].Span), "rs_") {
			p.Flags |= transcript.Tied // OR2: items that the provider has stored must stay together
		}
	case "thinking":
		lcReasoning(p, &f[lbThinking], signed)
	case "redacted_thinking":
		lcReasoning(p, &field{}, true)
	case "reasoning_content":
		lcReasoning(p, &thought, signed)
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
		if id := lcResultID(f); !id.IsZero() && (strings.HasSuffix(typ, "_tool_result") || typ == "server_tool_call_result") {
			p.Kind, p.Flags, p.ID = transcript.ToolResult, transcript.Server, id
			return
		}
		for _, m := range lcMedia {
			if m.typ == typ {
				p.SetMedia(m.kind, p.Size.Bytes)
			}
		}
	}
}

func lcReasoning(p *transcript.Part, text *field, signed bool) {
	p.Kind = transcript.Reasoning
	text.text(p, transcript.Reasoning)
	if signed {
		p.Flags |= transcript.Signed | transcript.Bound
	}
}

// lcCallBlock makes p the tool call of a block in any provider's spelling.
func lcCallBlock(p *transcript.Part, f *frame, flags transcript.Flags) {
	p.Kind, p.Flags = transcript.ToolCall, flags
	for _, k := range [...]int{lbID, lbCallID} {
		f[k].id(p)
	}
	f[lbName].name(p)
	for _, k := range [...]int{lbArguments, lbInput, lbArgs} {
		if f[k].Kind != jsonspan.Invalid {
			p.Body, p.Size = f[k].Span, f[k].Size
		}
	}
	if f[lbArguments].Str() {
		p.Flags |= transcript.JSONText
	}
}

// lcResultID returns the id of the call that a block answers, in any provider's spelling.
func lcResultID(f *frame) (id jsonspan.Span) {
	for _, k := range [...]int{lbUseID, lbResultID, lbSDKResultID} {
		if f[k].Str() {
			id = f[k].Span
		}
	}
	return id
}
