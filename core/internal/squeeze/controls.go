package squeeze

import "strings"

// controls removes escape codes from a text, and what a terminal would overwrite: a progress line stays once, in its last state.
func controls(text string) (clean string, changed bool) {
	at := strings.IndexByte(text, 0x1b)
	for _, c := range [...]byte{'\r', '\b'} {
		if i := strings.IndexByte(text, c); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		return text, false
	}
	out := make([]byte, 0, len(text))
	out = append(out, text[:at]...)
	line := strings.LastIndexByte(text[:at], '\n') + 1 // the beginning of the line in out
	for at < len(text) {
		c := text[at]
		switch {
		case c == '\n':
			out = append(out, c)
			at++
			line = len(out)
		case c == '\r':
			at++
			if at < len(text) && (text[at] == '\n' || text[at] == '\r') || at == len(text) {
				break
			}
			out = back(out, line, text[at:])
			line = lineStart(out, line)
		case c == '\b':
			at++
			if n := len(out); n > line {
				for n--; n > line && out[n]&0xc0 == 0x80; n-- {
				}
				out = out[:n]
			}
		case c == 0x1b:
			n, final := escape(text[at:])
			at += n
			switch final {
			case 'G':
				out = back(out, line, text[at:])
				line = lineStart(out, line)
			case 'C', 'H', 'f', 'd': // the cursor moves, so a word ends here
				if len(out) > line && out[len(out)-1] != ' ' {
					out = append(out, ' ')
				}
			}
		default:
			end := at + 1
			for end < len(text) && text[end] != 0x1b && text[end] != '\r' && text[end] != '\b' && text[end] != '\n' {
				end++
			}
			out = append(out, text[at:end]...)
			at = end
		}
	}
	return string(out), true
}

func lineStart(out []byte, line int) int {
	if n := len(out); n > line && out[n-1] == '\n' {
		return n
	}
	return line
}

// back returns what a carriage return leaves of the line that began at line. It leaves nothing if next, which follows, is the same progress
// line again or the line says nothing; otherwise the line stays, and next goes below it.
func back(out []byte, line int, next string) []byte {
	was := out[line:]
	if sameProgress(was, next) {
		return out[:line]
	}
	if len(was) == 0 {
		return out
	}
	return append(out, '\n')
}

// progressWords is how many letters of two lines are compared.
const progressWords = 12

// sameProgress reports whether a line has nothing but numbers and punctuation, or begins with the same letters as next.
func sameProgress(was []byte, next string) bool {
	k, n := 0, 0
	for _, c := range was {
		if !letter(c) {
			continue
		}
		for k < len(next) && !letter(next[k]) {
			switch next[k] {
			case '\n', '\r':
				return false
			case 0x1b:
				step, _ := escape(next[k:])
				k += step
			default:
				k++
			}
		}
		if k >= len(next) || next[k] != c {
			return false
		}
		k++
		if n++; n == progressWords {
			break
		}
	}
	return true
}

// escape returns the length of an escape code at the beginning of a text, and its final letter.
func escape(text string) (n int, final byte) {
	if len(text) < 2 {
		return len(text), 0
	}
	switch text[1] {
	case '[':
		for n = 2; n < len(text) && n < 64; n++ {
			if c := text[n]; c >= 0x40 && c <= 0x7e {
				return n + 1, c
			} else if c < 0x20 {
				return n, 0
			}
		}
		return n, 0
	case ']', 'P', '_', '^': // up to BEL or ESC \
		for n = 2; n < len(text) && n < 4096; n++ {
			switch {
			case text[n] == 7:
				return n + 1, 0
			case text[n] == 0x1b:
				return min(n+2, len(text)), 0
			case text[n] == '\n':
				return n, 0
			}
		}
		return 2, 0
	case '(', ')', '#':
		return min(3, len(text)), 0
	case '\n', '\r':
		return 1, 0
	}
	return 2, 0
}
