package jsonspan

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// AppendText appends the decoded text of a string to dst. A Scanner must have read the string at span. Lone surrogates
// become U+FFFD.
func AppendText(dst, src []byte, span Span) []byte {
	if span.Len() < 2 {
		return dst
	}
	b := src[span.Start+1 : span.End-1]
	for {
		dst = slices.Grow(dst, len(b))
		n, read := unescapeRun(dst[len(dst):len(dst)+len(b)], b)
		dst, b = dst[:len(dst)+n], b[read:]
		if len(b) == 0 {
			return dst
		}
		dst, read = appendEscape(dst, b)
		b = b[read:]
	}
}

// letters maps the second character of a two-character escape to the character that it represents, or to 0 if there is
// no such escape.
var letters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescapeRun decodes b, the inside of a string, into dst, which has the same length, up to the first escape of six
// characters. It returns the number of bytes written and read. It calls no functions, so that its loop remains a loop
// in the module.
func unescapeRun(dst, b []byte) (n, read int) {
	for uint(read+8) <= uint(len(b)) && uint(n+8) <= uint(len(dst)) {
		w := LoadWord(b, read)
		d := dst[n : n+8 : n+8]
		d[0], d[1], d[2], d[3] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
		d[4], d[5], d[6], d[7] = byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56)
		slash := w ^ ones*0x5c
		m := (slash - ones) &^ slash & highs // the lowest mark is exact
		if m == 0 {
			n, read = n+8, read+8
			continue
		}
		k := bits.TrailingZeros64(m) >> 3
		n, read = n+k, read+k
		if uint(read+1) >= uint(len(b)) || uint(n) >= uint(len(dst)) || letters[b[read+1]] == 0 {
			return n, read
		}
		dst[n] = letters[b[read+1]]
		n, read = n+1, read+2
	}
	for uint(read) < uint(len(b)) && uint(n) < uint(len(dst)) {
		c := b[read]
		if c == '\\' {
			if uint(read+1) >= uint(len(b)) || letters[b[read+1]] == 0 {
				return n, read
			}
			c = letters[b[read+1]]
			read++
		}
		dst[n] = c
		n, read = n+1, read+1
	}
	return n, read
}

// appendEscape appends the character that the escape at the start of b represents, and returns the length of the
// escape. A surrogate pair is read as one escape.
func appendEscape(dst, b []byte) ([]byte, int) {
	if b[1] != 'u' {
		return append(dst, unescape(b[1])), 2
	}
	u, _ := hex4(b, 2)
	if u >= 0xd800 && u < 0xdc00 && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if low, ok := hex4(b, 8); ok && low >= 0xdc00 && low <= 0xdfff {
			return utf8.AppendRune(dst, rune((u-0xd800)<<10|(low-0xdc00))+0x10000), 12
		}
	}
	return utf8.AppendRune(dst, rune(u)), 6
}

// Text returns a decoded copy of the string at span, or "" for the zero Span.
func Text(src []byte, span Span) string {
	if span.Len() < 2 {
		return ""
	}
	b := src[span.Start+1 : span.End-1]
	if bytes.IndexByte(b, '\\') >= 0 {
		return string(AppendText(make([]byte, 0, len(b)), src, span))
	}
	return string(b)
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// AppendString appends text as a JSON string with the fewest escapes (as JSON.stringify writes it). Invalid UTF-8
// becomes U+FFFD.
func AppendString[T string | []byte](dst []byte, text T) []byte {
	const digits = "0123456789abcdef"
	dst = append(slices.Grow(dst, len(text)+2), '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < 0x80 {
			i++
			continue
		}
		if c >= 0x80 {
			if r, n := utf8.DecodeRuneInString(string(text[i:min(i+4, len(text))])); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, text[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			if c >= 0x80 {
				dst = append(dst, "\ufffd"...)
			} else {
				dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			}
		}
		i++
		from = i
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}

// MeasureText measures text that is not JSON-encoded. The result has no weight.
func MeasureText[T string | []byte](text T) Measure {
	m := Measure{Bytes: uint32(len(text))}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c&0xc0 != 0x80 {
			m.Runes++
		}
		if c >= 0xf0 {
			m.UTF16++
		}
	}
	m.UTF16 += m.Runes
	return m
}

// ReplaceLone replaces the escapes of lone surrogates in a value with the escape of U+FFFD, in place. A lenient Scanner
// must have read the value. The escapes keep their length, so spans stay valid.
func ReplaceLone(src []byte, value Span) {
	for _, at := range LoneSurrogates(src, value) {
		copy(src[at:], Replacement)
	}
}

// Replacement is the escape that replaces the escape of a lone surrogate. It has the same length.
const Replacement = `\ufffd`

// LoneSurrogates returns the offsets of the escapes of lone surrogates in a value. A lenient Scanner must have read the
// value.
func LoneSurrogates(src []byte, value Span) []uint32 {
	var at []uint32
	for i := int(value.Start); i < int(value.End); i++ {
		if src[i] != '\\' {
			continue
		}
		if i++; src[i] != 'u' {
			continue
		}
		u, _ := hex4(src, i+1)
		if u >= 0xd800 && u < 0xdc00 && src[i+5] == '\\' && src[i+6] == 'u' {
			if low, _ := hex4(src, i+7); low >= 0xdc00 && low <= 0xdfff {
				i += 10
				continue
			}
		}
		if u >= 0xd800 && u <= 0xdfff {
			at = append(at, uint32(i-1))
		}
		i += 4
	}
	return at
}

// TrimRune removes an incomplete UTF-8 sequence from the end of b.
func TrimRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-3; i-- {
		if b[i]&0xc0 == 0x80 {
			continue
		}
		if b[i] >= 0x80 && !utf8.FullRune(b[i:]) {
			return b[:i]
		}
		break
	}
	return b
}

// EqualText reports whether the decoded string at span equals text.
func EqualText(src []byte, span Span, text string) bool {
	if span.Len() < 2 {
		return false
	}
	b := src[span.Start+1 : span.End-1]
	var one [utf8.UTFMax]byte
	for len(b) > 0 {
		c, n := b[:1], 1
		if b[0] == '\\' {
			c, n = appendEscape(one[:0], b)
		}
		if len(text) < len(c) || text[:len(c)] != string(c) {
			return false
		}
		b, text = b[n:], text[len(c):]
	}
	return text == ""
}

// IsBlank reports whether the string at span is empty or consists of white space (space, tab, line feed, carriage
// return).
func IsBlank(src []byte, span Span) bool {
	if span.Len() < 2 {
		return true
	}
	b := src[span.Start+1 : span.End-1]
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case ' ':
		case '\\':
			if c := b[i+1]; c != 'n' && c != 't' && c != 'r' {
				return false
			}
			i++
		default:
			return false
		}
	}
	return true
}

// AppendCompact appends a JSON value without the white space between its tokens, and with strings spelled as
// JSON.stringify spells them. Numbers keep their spelling. A Scanner must have read the value.
func AppendCompact(dst, value []byte) []byte {
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case ' ', '\n', '\r', '\t':
		case '"':
			end := i + 1
			for value[end] != '"' {
				if value[end] == '\\' {
					end++
				}
				end++
			}
			dst = AppendString(dst, AppendText(nil, value, Span{Start: uint32(i), End: uint32(end + 1)}))
			i = end
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
