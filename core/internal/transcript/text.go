package transcript

import (
	"bytes"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Text returns the decoded text of the JSON string at a span.
func (t *Transcript) Text(p Span) string { return jsonspan.Text(t.buf(p)) }

// Name is like Text, but usually doesn't copy a string that it has returned recently, such as the name of a tool.
func (t *Transcript) Name(p Span) string {
	b := t.Bytes(p)
	if len(b) < 3 || bytes.IndexByte(b, '\\') >= 0 {
		return t.Text(p)
	}
	b = b[1 : len(b)-1]
	name := &t.names[(len(b)+int(b[0])+int(b[len(b)/2]))%len(t.names)]
	if *name != string(b) {
		*name = string(b)
	}
	return *name
}

// AppendText appends the decoded text of the JSON string at a span.
func (t *Transcript) AppendText(dst []byte, p Span) []byte {
	src, p := t.buf(p)
	return jsonspan.AppendText(dst, src, p)
}

// EqualText reports whether the decoded JSON string at a span equals text.
func (t *Transcript) EqualText(p Span, text string) bool {
	src, p := t.buf(p)
	return jsonspan.EqualText(src, p, text)
}

// IsBlank reports whether the string at a span is empty or consists of white space.
func (t *Transcript) IsBlank(p Span) bool { return jsonspan.IsBlank(t.buf(p)) }

// IsString reports whether the value at a span is a string.
func (t *Transcript) IsString(p Span) bool { return !p.IsZero() && t.Bytes(p)[0] == '"' }

// IsArray reports whether the value at a span is an array.
func (t *Transcript) IsArray(p Span) bool { return !p.IsZero() && t.Bytes(p)[0] == '[' }
