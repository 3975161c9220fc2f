package wire

import (
	"bytes"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// partForm describes a type of part: its kind, and the meaning of its members, which are indexes into the keys of a
// part's object. 0 means that there is no such member or, for the body, that the part's value itself is the body.
type partForm struct {
	name           string           // the type's name in the format
	kind           transcript.Kind  // what such a part is
	flags          transcript.Flags // transcript.JSONText counts only for a body that is a string
	body, id, tool uint8            // the members with the body, the id and the name of the tool
	failed, mime   uint8            // the members that mark an error and that have the media type
	// The text in the member failed that marks the result as an error; "" means any text. The value true always does.
	fails  string
	signed uint8 // the member with the signature
	inner  uint8 // the list with the parts inside a result; it may be the body
}

// partForms are the types of parts in a format. They are found by name.
type partForms []partForm

// named returns the form of a type, or nil for an unknown one.
func (list partForms) named(typ string) *partForm {
	for i := range list {
		if list[i].name == typ {
			return &list[i]
		}
	}
	return nil
}

// noField represents a member that an object doesn't have.
var noField field

// at returns the member with the given key, or noField if the key is 0.
//
//go:noinline
func (f *frame) at(key uint8) *field {
	if key == 0 {
		return &noField
	}
	return &f[key]
}

// fill completes a part of this form from the members f. A call or a result inside a result stays opaque.
func (form *partForm) fill(r *Reader, p *transcript.Part, f *frame) {
	body, flags := f.at(form.body), form.flags
	switch form.kind {
	case transcript.Text:
		body.setText(p, form.kind)
	case transcript.Reasoning:
		if p.Kind = form.kind; body.Str() && (body.Size.Bytes > 0 || !f.at(form.signed).Str()) {
			body.setText(p, form.kind)
		}
		f.at(form.signed).setFlags(p, transcript.Signed|transcript.Bound)
	case transcript.ToolCall, transcript.ToolResult:
		if p.Parent >= 0 {
			return
		}
		p.Kind, p.Body, p.Size = form.kind, body.Span, body.Size
		f.at(form.id).setID(p)
		f.at(form.tool).setToolName(p)
		f.at(form.signed).setFlags(p, transcript.Signed)
		if !body.Str() {
			flags &^= transcript.JSONText
		}
		if failed := f.at(form.failed); failed.Kind == jsonspan.True || failed.Str() && (form.fails == "" || r.isText(failed, form.fails)) {
			flags |= transcript.IsError
		}
	case transcript.Image, transcript.Audio, transcript.File:
		p.SetMedia(fileKind(r, form.kind, f.at(form.mime), body), body.Raw)
	}
	p.Flags |= flags
}

// fileKind returns the kind of a file, determined by its media type or by the beginning of its data URL. A part that
// isn't a file keeps its kind.
func fileKind(r *Reader, kind transcript.Kind, mime, body *field) transcript.Kind {
	if kind != transcript.File {
		return kind
	}
	if mime.Str() {
		return r.mediaKind(mime)
	}
	switch data := body.Slice(r.Src()); {
	case bytes.HasPrefix(data, []byte(`"data:image/`)):
		return transcript.Image
	case bytes.HasPrefix(data, []byte(`"data:audio/`)):
		return transcript.Audio
	}
	return kind
}

// inside reads the parts inside a tool result. They must follow the result in Parts, so the result is added before it
// has been read completely.
type inside struct {
	part func(r *Reader, parent int32) // reads one part; parent is self
	self int32                         // index of the result; -1 if it hasn't been added
}

// read reads the list at the reader, which belongs to result p. It returns false if there is none, or if p is inside a
// result itself.
func (in *inside) read(r *Reader, p *transcript.Part) bool {
	if p.Parent >= 0 || r.Kind() != jsonspan.Array {
		return false
	}
	in.self = int32(r.Add(*p))
	in.list(r)
	return true
}

func (in *inside) list(r *Reader) { r.list(func(r *Reader) { in.part(r, in.self) }) }

// end adds part p, and returns its index. If it is a result whose type came after its content, the parts inside are
// read now.
func (in *inside) end(r *Reader, p *transcript.Part, content *field) int {
	if in.self >= 0 {
		return r.addReserved(int(in.self), *p)
	}
	late := p.Kind == transcript.ToolResult && !p.Has(transcript.Server) && p.Parent < 0 &&
		content.Kind == jsonspan.Array
	if late {
		p.Size = jsonspan.Measure{}
	}
	in.self = int32(r.Add(*p))
	if late {
		again := *content
		r.readAgain(&again, in.list)
	}
	return int(in.self)
}
