package sessionfile

import "github.com/ctxfold/ctxfold/core/internal/jsonspan"

// merged is the code that Cline and Roo Code share. Both keep a list of messages in Anthropic's form, with members
// and blocks for other providers, and both send consecutive user messages as one.
type merged struct {
	byRole
	// sends reports whether a block of the given type is sent in a message with the given role.
	sends func(role, typ string, block jsonspan.Span) bool
	// block appends a block in Anthropic's form. A string becomes a text block.
	block func(dst, src []byte, at jsonspan.Span) []byte
}

// write writes a message that joins several contents, each a string or a list of blocks. A single string stays a
// string. role is the message's role.
func (m *merged) write(f *file, role string, contents []jsonspan.Span) {
	f.beginMessage()
	f.appendPieces(`{"role":"` + role + `","content":`)
	if len(contents) == 1 && f.src[contents[0].Start] == '"' {
		f.appendPieces(contents[0], `}`)
		return
	}
	f.appendPieces(`[`)
	n := 0
	for _, content := range contents {
		m.blocks(f, role, content, func(block jsonspan.Span) {
			if n++; n > 1 {
				f.appendPieces(`,`)
			}
			f.Messages = m.block(f.Messages, f.src, block)
		})
	}
	f.appendPieces(`]}`)
}

// blocks calls visit for each block of the content of a message with the given role that is sent.
// If content is a non-empty string, it makes a single call, for the string. It returns the number
// of calls.
func (m *merged) blocks(f *file, role string, content jsonspan.Span, visit func(block jsonspan.Span)) (n int) {
	if !content.IsZero() && f.src[content.Start] == '"' && content.Len() > 2 {
		visit(content)
		return 1
	}
	for _, block := range items(f.src, content) {
		typ := typeOf(f.src, block)
		if m.sends(role, typ, block) && (typ != "thinking" || find(f.src, block, "signature").Len() > 2) { // Anthropic rejects unsigned thinking
			visit(block)
			n++
		}
	}
	return n
}

// withoutMembers appends a block changed by table, which removes members. A string becomes a text block.
func withoutMembers(dst, src []byte, at jsonspan.Span, table rename) []byte {
	if src[at.Start] == '"' {
		return appendJSON(dst, src, `{"type":"text","text":`, at, `}`)
	}
	return appendChanged(dst, src, at, table.conversionOf)
}

// appendPreserved implements [writer]. It ignores the boundaries between user messages.
func (m *merged) appendPreserved(dst, src []byte, message jsonspan.Span, i int) []byte {
	role := jsonspan.Text(src, find(src, message, "role"))
	dst = m.begin(dst, role, i, role == "user")
	content := find(src, message, "content")
	if !content.IsZero() && src[content.Start] == '"' {
		return append(jsonspan.AppendCompact(append(dst, "\n{\"type\":\"text\",\"text\":"...), content.Slice(src)), '}')
	}
	for _, block := range items(src, content) {
		dst = jsonspan.AppendCompact(append(dst, '\n'), block.Slice(src))
	}
	return dst
}
