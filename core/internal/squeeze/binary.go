package squeeze

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// minBinary is the minimum number of consecutive base64 or hexadecimal digits that count as binary data.
const minBinary = 256

// wrapped is the minimum length of the lines of binary data that is wrapped into several lines.
const wrapped = 60

func encodedByte(c byte) bool {
	return letter(c) || digit(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_'
}

// encodedRun returns the start and the end of the first binary data at or after offset from, or -1, -1 if there is
// none. Outside of encoded bytes, it examines only a few of the bytes.
func encodedRun(s string, from int) (start, end int) {
	for at := from; at+minBinary <= len(s); {
		k := at + minBinary - 1
		for k >= at && encodedByte(s[k]) {
			k--
		}
		if k >= at {
			at = k + 1
			continue
		}
		end = at + minBinary
		for end < len(s) && encodedByte(s[end]) {
			end++
		}
		if binary(s[at:end]) {
			return at, end
		}
		at = end
	}
	return -1, -1
}

// binary reports whether a run of encoded bytes is binary data, which mixes letters and digits more than any name does.
func binary(s string) bool {
	if len(s) > 4096 {
		s = s[:4096]
	}
	turns, hex, slashes := 0, 0, 0
	var has [other + 1]int
	for i := 0; i < len(s); i++ {
		c := s[i]
		kind := kinds[c]
		hex += bit(kind == aDigit || c|0x20 >= 'a' && c|0x20 <= 'f')
		has[kind]++
		slashes += bit(c == '/' || c == '-' || c == '_')
		turns += bit(i > 0 && kind != kinds[s[i-1]])
	}
	if hex == len(s) {
		return turns*5 > len(s)
	}
	return has[aDigit] > 0 && has[lower] > 0 && has[upper] > 0 && turns*4 > len(s) && slashes*12 < len(s)
}

// The kinds of characters that binary data mixes.
const (
	aDigit = iota
	lower
	upper
	other
)

var kinds = func() (is [256]uint8) {
	for i := range is {
		switch c := byte(i); {
		case digit(c):
			is[i] = aDigit
		case c >= 'a' && c <= 'z':
			is[i] = lower
		case c >= 'A' && c <= 'Z':
			is[i] = upper
		default:
			is[i] = other
		}
	}
	return is
}()

// cut writes a text, with its binary data replaced by the length and the hash of the data.
func (w *writer) cut(s string) {
	for at := 0; ; {
		from, to := encodedRun(s, at)
		if from < 0 {
			w.out = append(w.out, s[at:]...)
			return
		}
		w.out = append(w.out, s[at:from]...)
		w.data(s[from:to])
		at = to
	}
}

// data writes the text that replaces the binary data s: its length, what it consists of, and its SHA-256, as in "[4096
// characters of base64, SHA-256 …]".
func (w *writer) data(s string) {
	w.forms |= Binary
	kind := "hexadecimal digits"
	for i := 0; i < min(len(s), 64); i++ {
		if c := s[i]; !digit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			kind = "characters of base64"
		}
	}
	w.out = append(w.out, '[')
	w.out = strconv.AppendInt(w.out, int64(len(s)), 10)
	w.out = append(append(w.out, ' '), kind...)
	w.out = append(append(w.out, ", SHA-256 "...), handles.Handle([]byte(s))[:16]...)
	w.out = append(w.out, ']')
}

// minWrapped is the minimum number of lines of wrapped binary data.
const minWrapped = 4

// encoded writes a replacement for binary data that is wrapped into lines of equal length and begins on line i. It
// returns the number of these lines, or 0 if there is no such data.
func (w *writer) encoded(i int) int {
	s := w.line(i)
	if len(s) < wrapped || !w.allows(Binary) || !isBase64(s) || !binary(s) {
		return 0
	}
	k := 1
	for i+k < w.count() && len(w.line(i+k)) == len(s) && isBase64(w.line(i+k)) {
		k++
	}
	if k < minWrapped {
		return 0
	}
	if i+k < w.count() { // the last line may be shorter
		if last := w.line(i + k); len(last) > 0 && len(last) < len(s) && isBase64(last) && (last[len(last)-1] == '=' || binary(last)) {
			k++
		}
	}
	w.data(w.src[w.lines[i] : w.lines[i+k]-1])
	w.endLine()
	return k
}

// isBase64 reports whether text consists only of base64 characters.
func isBase64(s string) bool {
	for i := len(s) - 1; i >= 0; i-- {
		if !encodedByte(s[i]) {
			return false
		}
	}
	return true
}
