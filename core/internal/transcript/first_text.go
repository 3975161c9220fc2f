package transcript

import "strings"

// FirstText returns the span of the first text part of message i, or the zero Span if it has none.
func (t *Transcript) FirstText(i int) Span {
	parts := t.PartsOf(i)
	for i := range parts {
		if p := &parts[i]; p.Kind == Text && p.Parent < 0 && !p.Has(Removed) {
			return p.Body
		}
	}
	return Span{}
}

// head returns the length in bytes of the first n characters and escape sequences of a JSON string. Each of them
// decodes to at least one byte.
func head(text []byte, n int) uint32 {
	end := 0
	for ; n > 0 && end < len(text); n-- {
		switch {
		case text[end] != '\\':
			end++
		case text[end+1] == 'u':
			end += 6
		default:
			end += 2
		}
	}
	return uint32(end)
}

// StartsWith reports whether the first text of message i begins with prefix.
func (t *Transcript) StartsWith(i int, prefix string) bool {
	s := t.FirstText(i)
	if s.Len() < len(prefix)+2 {
		return false
	}
	b := t.Bytes(s)[1:]
	for k := 0; k < len(prefix); k++ {
		if b[k] == '\\' { // the host may spell the text with other escapes
			return strings.HasPrefix(t.Text(Span{Start: s.Start, End: s.Start + 2 + head(b[:len(b)-1], len(prefix)+1)}),
				prefix)
		}
		if b[k] != prefix[k] {
			return false
		}
	}
	return true
}
