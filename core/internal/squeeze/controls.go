package squeeze

import "strings"

// controls removes escape codes, and text that a terminal would overwrite. Only the last state of a progress line
// remains. changed is false if there was nothing to remove.
func controls(text string) (clean string, changed bool) {
	at := len(text)
	for _, c := range [...]byte{0x1b, '\r', '\b'} {
		if i := strings.IndexByte(text[:at], c); i >= 0 {
			at = i
		}
	}
	if at == len(text) {
		return text, false
	}
	t := terminal{text: text, at: at, out: make([]byte, 0, len(text))}
	t.out = append(t.out, text[:at]...)
	t.line = strings.LastIndexByte(text[:at], '\n') + 1
	for t.at < len(text) {
		switch c := text[t.at]; c {
		case '\n':
			t.out = append(t.out, c)
			t.at++
			t.line = len(t.out)
		case '\r':
			t.at++
			if t.at < len(text) && text[t.at] != '\n' && text[t.at] != '\r' {
				t.restart()
			}
		case '\b':
			t.at++
			t.rubOut()
		case 0x1b:
			t.escape()
		default:
			end := t.at + 1
			for end < len(text) && !control[text[end]] {
				end++
			}
			t.out = append(t.out, text[t.at:end]...)
			t.at = end
		}
	}
	return string(t.out), true
}

// control marks the characters that a terminal interprets.
var control = [256]bool{0x1b: true, '\r': true, '\b': true, '\n': true}

// terminal simulates a terminal to find the text that remains on its screen.
type terminal struct {
	text string // what the tool has written
	at   int    // the position in the text
	out  []byte // what is on the screen so far
	line int    // the start of the current line in out
}

// restart moves the cursor to the beginning of the line, as a carriage return does.
func (t *terminal) restart() {
	t.out = back(t.out, t.line, t.text[t.at:])
	if n := len(t.out); n > t.line && t.out[n-1] == '\n' {
		t.line = n
	}
}

// rubOut removes the last character of the current line, if any.
func (t *terminal) rubOut() {
	n := len(t.out)
	if n == t.line {
		return
	}
	for n--; n > t.line && t.out[n]&0xc0 == 0x80; n-- {
	}
	t.out = t.out[:n]
}

// escape interprets the escape code at t.at and skips it. Codes other than those that move the cursor have no effect.
func (t *terminal) escape() {
	n, final := escape(t.text[t.at:])
	t.at += n
	switch final {
	case 'G':
		t.restart()
	case 'C', 'H', 'f', 'd': // the cursor moves elsewhere, so a word ends here
		if len(t.out) > t.line && t.out[len(t.out)-1] != ' ' {
			t.out = append(t.out, ' ')
		}
	}
}

// back returns out after a carriage return on its last line, which begins at index line. It removes that line if it is
// empty, or if the text after the carriage return, next, shows the same progress. Otherwise the line stays, and next
// begins a new line.
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

// progressWords is the number of letters, from the beginning of two lines, that are compared.
const progressWords = 12

// sameProgress reports whether a line contains only digits and punctuation, or begins with the same letters as next.
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

// escape returns the length of the escape code at the beginning of text and, if the code has parameters, its final
// letter.
func escape(text string) (n int, final byte) {
	if len(text) < 2 {
		return len(text), 0
	}
	switch text[1] {
	case '[':
		return escapeSequence(text)
	case ']', 'P', '_', '^':
		return escapeString(text), 0
	case '(', ')', '#':
		return min(3, len(text)), 0
	case '\n', '\r':
		return 1, 0
	}
	return 2, 0
}

// escapeSequence returns the length, in bytes, and the final letter of a code with parameters, such as "ESC [ 1 ; 31
// m". The letter is 0 if the code is incomplete.
func escapeSequence(text string) (n int, final byte) {
	for n = 2; n < len(text) && n < 64; n++ {
		if c := text[n]; c >= 0x40 && c <= 0x7e {
			return n + 1, c
		} else if c < 0x20 {
			return n, 0
		}
	}
	return n, 0
}

// escapeString returns the length, in bytes, of a code that contains text, which ends with BEL or
// ESC \. A code without such an end on its line ends before the line feed. If there is neither
// within 4,096 bytes, only the first two bytes count.
func escapeString(text string) int {
	for n := 2; n < len(text) && n < 4096; n++ {
		switch text[n] {
		case 7:
			return n + 1
		case 0x1b:
			return min(n+2, len(text))
		case '\n':
			return n
		}
	}
	return 2
}
