package sessionfile

import "github.com/ctxfold/ctxfold/core/internal/jsonspan"

// merged is what Cline and Roo Code have in common: a list of messages in Anthropic's form with members and blocks for other providers, in
// which consecutive user messages are sent as one.
type merged struct {
	byRole
	// sends reports whether a block of a type is sent in a message of a role.
	sends func(role, typ string, block jsonspan.Span) bool
	// block appends a block, or a string, in Anthropic's form.
	block func(dst, src []byte, at jsonspan.Span) []byte
}

// write writes a message that consists of several contents, which are strings or lists of blocks. A single string stays one.
func (m *merged) write(f *file, role string, contents []jsonspan.Span) {
	f.message()
	f.put(`{"role":"` + role + `","content":`)
	if len(contents) == 1 && f.src[contents[0].Start] == '"' {
		f.put(contents[0], `}`)
		return
	}
	f.put(`[`)
	n := 0
	for _, content := range contents {
		m.blocks(f, role, content, func(block jsonspan.Span) {
			if n++; n > 1 {
				f.put(`,`)
			}
			f.Messages = m.block(f.Messages, f.src, block)
		})
	}
	f.put(`]}`)
}

// blocks calls one for each block of a content that is sent, or for a string that isn't empty. It returns the number of calls.
func (m *merged) blocks(f *file, role string, content jsonspan.Span, one func(block jsonspan.Span)) (n int) {
	if !content.Zero() && f.src[content.Start] == '"' && content.Len() > 2 {
		one(content)
		return 1
	}
	for _, block := range items(f.src, content) {
		typ := typeOf(f.src, block)
		if m.sends(role, typ, block) && (typ != "thinking" || find(f.src, block, "signature").Len() > 2) { // Anthropic rejects unsigned thinking
			one(block)
			n++
		}
	}
	return n
}

// withoutMembers appends a block without the members that table removes; a string becomes a text block.
func withoutMembers(dst, src []byte, at jsonspan.Span, table rename) []byte {
	if src[at.Start] == '"' {
		return appendJSON(dst, src, `{"type":"text","text":`, at, `}`)
	}
	return appendChanged(dst, src, at, table.find)
}

// tell ignores the boundaries between user messages.
func (m *merged) tell(dst, src []byte, message jsonspan.Span, i int) []byte {
	role := jsonspan.Text(src, find(src, message, "role"))
	dst = m.begin(dst, role, i, role == "user")
	content := find(src, message, "content")
	if !content.Zero() && src[content.Start] == '"' {
		return append(jsonspan.AppendCompact(append(dst, "\n{\"type\":\"text\",\"text\":"...), content.Of(src)), '}')
	}
	for _, block := range items(src, content) {
		dst = jsonspan.AppendCompact(append(dst, '\n'), block.Of(src))
	}
	return dst
}
