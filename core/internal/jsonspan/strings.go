package jsonspan

import "math/bits"

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// LoadWord returns the 8 bytes at b[i:], with the first in the lowest byte. The compiler turns it into a single load.
func LoadWord(b []byte, i int) uint64 {
	b = b[i : i+8 : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// load4 is like LoadWord, for 4 bytes.
func load4(b []byte, i int) uint32 {
	b = b[i : i+4 : i+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// special sets the high bit of each byte of w that ends a plain run of a JSON string: quote, backslash, control
// characters, and non-ASCII bytes. Only the lowest mark is exact, because a borrow can set higher marks. Flipping bit 1
// turns the quote (0x22) into a space and leaves the control characters below it, so that one subtraction finds both.
func special(w uint64) uint64 {
	return (((w ^ ones*0x02) - ones*0x21) | ((w ^ ones*0x5c) - ones) | w) & highs
}

// simple has, for the second character of each two-character escape, 2 if JSON.stringify needs a backslash for the
// same character, and 1 if it writes the character as it is.
var simple = [256]uint8{'"': 2, '\\': 2, 'b': 2, 'f': 2, 'n': 2, 'r': 2, 't': 2, '/': 1}

// tally holds what was counted while reading a string.
type tally struct {
	extra    uint32 // bytes of the source in excess of the bytes of the decoded text
	narrower uint32 // bytes of the decoded text that begin no character
	pairs    uint32 // characters of two UTF-16 code units
	escapes  uint32 // as in Str
	escaped  bool   // as in Str
	wide     bool   // there are escapes of six characters (\u)
}

// str reads a string from its opening quote on. In one pass it finds the end, checks UTF-8 and escapes, and measures
// the text. If weigh is set and the Scanner has an Automaton, the Automaton then reads the string while it is in the
// cache.
func (s *Scanner) str(weigh bool) Str {
	b := s.src
	start := s.pos
	i := start + 1
	var n tally
	for {
		i = n.walk(b, i)
		if i >= len(b) {
			s.Fail(TruncatedJSON, len(b), "the JSON ends inside a string")
			return Str{}
		}
		if b[i] == '"' {
			break
		}
		if i = s.rare(&n, i); i < 0 {
			return Str{}
		}
	}
	s.pos = i + 1
	var r Str
	r.Start, r.End = uint32(start), uint32(i+1)
	r.Bytes = uint32(i-start-1) - n.extra
	r.Runes = r.Bytes - n.narrower
	r.UTF16 = r.Runes + n.pairs
	r.Escapes, r.Escaped = n.escapes, n.escaped
	if weigh && s.Weigh != nil {
		r.Weight = s.Weigh.weight(b[start+1:i], r.Measure, n.wide)
	}
	return r
}

// walk reads what nearly all strings consist of: plain text, escapes of two characters, and non-ASCII characters. It
// returns the offset of anything else, or the end of b. It calls no functions, so that its loops remain loops in the
// module.
func (n *tally) walk(b []byte, i int) int {
	var extra, narrower, pairs, escapes uint32
	for {
		for i+16 <= len(b) { // 16 bytes per iteration
			m := special(LoadWord(b, i))
			if m == 0 {
				i += 8
				if m = special(LoadWord(b, i)); m == 0 {
					i += 8
					continue
				}
			}
			i += bits.TrailingZeros64(m) >> 3
			break
		}
		for i < len(b) && b[i]-' ' < 0x60 && b[i] != '"' && b[i] != '\\' {
			i++
		}
		at := i
		for i+1 < len(b) && b[i] == '\\' && simple[b[i+1]] != 0 {
			extra++
			escapes += uint32(simple[b[i+1]] - 1)
			i += 2
		}
		for i+4 <= len(b) && b[i] >= 0xc2 {
			w := load4(b, i)
			if w&0xc0e0 == 0x80c0 {
				narrower++
				i += 2
			} else if w&0xc0c0f0 == 0x8080e0 && w&0x20ff != 0x00e0 && w&0x20ff != 0x20ed { // no overlong form, no surrogate
				narrower += 2
				i += 3
			} else if w&0xc0c0c0f8 == 0x808080f0 && w&0x30ff != 0x00f0 && w&0x07 < 4 { // from U+10000 to U+FFFFF
				narrower += 3
				pairs++
				i += 4
			} else {
				break
			}
		}
		if i == at {
			break
		}
	}
	n.extra += extra
	n.narrower += narrower
	n.pairs += pairs
	n.escapes += escapes
	n.escaped = n.escaped || extra > 0
	return i
}

// rare reads the byte or the sequence at offset i, at which walk stopped. It returns the offset after it, or -1 after
// an error.
func (s *Scanner) rare(n *tally, i int) int {
	b := s.src
	switch c := b[i]; {
	case c == '\\':
		n.escaped = true
		length, size := s.escape(i)
		if length == 0 {
			return -1
		}
		// length source bytes represent size UTF-8 bytes, which are one rune.
		n.extra += uint32(length - size)
		n.narrower += uint32(size - 1)
		if size == 4 {
			n.pairs++
		}
		n.wide = true
		n.escapes += minEscape(b[i:], size)
		return i + length
	case c >= 0x80:
		length := runeLen(b[i:])
		if length > 0 {
			n.narrower += uint32(length - 1)
			n.pairs += uint32(length >> 2)
			return i + length
		}
		if len(b)-i < 4 && truncatedRune(b[i:]) {
			s.Fail(TruncatedJSON, len(b), "the JSON ends inside a string")
		} else {
			s.Fail(InvalidUTF8, i, "the input is not valid UTF-8")
		}
	case c == 0x7f:
		return i + 1
	default:
		s.Fail(InvalidJSON, i, "a string contains a control character; escape it")
	}
	return -1
}

// escape reads the escape at b[i]. It returns its length in the source and the number of UTF-8 bytes that it
// represents, or 0, 0 after an error.
func (s *Scanner) escape(i int) (n, size int) {
	b := s.src
	if i+1 >= len(b) {
		s.Fail(TruncatedJSON, len(b), "the JSON ends inside a string")
		return 0, 0
	}
	if b[i+1] != 'u' { // walk has read all other valid escapes
		s.Fail(InvalidJSON, i, "JSON has no such escape")
		return 0, 0
	}
	u, ok := hex4(b, i+2)
	if !ok {
		if i+6 > len(b) {
			s.Fail(TruncatedJSON, len(b), "the JSON ends inside a string")
		} else {
			s.Fail(InvalidJSON, i, "\\u needs four hexadecimal digits")
		}
		return 0, 0
	}
	switch {
	case u < 0x80:
		return 6, 1
	case u < 0x800:
		return 6, 2
	case u < 0xd800 || u > 0xdfff:
		return 6, 3
	}
	if u < 0xdc00 && i+7 < len(b) && b[i+6] == '\\' && b[i+7] == 'u' {
		if low, ok := hex4(b, i+8); ok && low >= 0xdc00 && low <= 0xdfff {
			return 12, 4
		}
	}
	if !s.Lenient {
		s.Fail(LoneSurrogate, i, "lone surrogate; repair replaces it with U+FFFD")
		return 0, 0
	}
	if s.Lone == 0 {
		s.FirstLone = i
	}
	s.Lone++
	return 6, 3
}

// minEscape returns how many characters JSON.stringify needs in addition to one for the character that the escape at
// the start of b represents: 0, 1 or 5. size is the length of that character in UTF-8 bytes.
func minEscape(b []byte, size int) uint32 {
	if size > 1 {
		return 0
	}
	u, _ := hex4(b, 2)
	c := byte(u)
	switch {
	case c == '"' || c == '\\' || c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t':
		return 1
	case c < ' ':
		return 5
	}
	return 0
}

func hex4(b []byte, i int) (uint32, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var u uint32
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		u = u<<4 | uint32(c)
	}
	return u, true
}

// runeLen returns the length of the UTF-8 sequence of the non-ASCII character at the start of b, or 0 if it is invalid.
// Surrogates and overlong forms are invalid (RFC 3629).
func runeLen(b []byte) int {
	c := b[0]
	switch {
	case c < 0xc2 || c > 0xf4:
		return 0
	case c < 0xe0:
		if len(b) > 1 && b[1]&0xc0 == 0x80 {
			return 2
		}
	case c < 0xf0:
		if len(b) > 2 && b[1]&0xc0 == 0x80 && b[2]&0xc0 == 0x80 &&
			!(c == 0xe0 && b[1] < 0xa0) && !(c == 0xed && b[1] > 0x9f) {
			return 3
		}
	default:
		if len(b) > 3 && b[1]&0xc0 == 0x80 && b[2]&0xc0 == 0x80 && b[3]&0xc0 == 0x80 &&
			!(c == 0xf0 && b[1] < 0x90) && !(c == 0xf4 && b[1] > 0x8f) {
			return 4
		}
	}
	return 0
}

// truncatedRune reports whether b is the beginning of an incomplete UTF-8 sequence.
func truncatedRune(b []byte) bool {
	need := 2
	if b[0] >= 0xe0 {
		need = 3
	}
	if b[0] >= 0xf0 {
		need = 4
	}
	if b[0] < 0xc2 || b[0] > 0xf4 || len(b) >= need {
		return false
	}
	for _, c := range b[1:] {
		if c&0xc0 != 0x80 {
			return false
		}
	}
	return true
}
