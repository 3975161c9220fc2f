package jsonspan

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// AppendGo appends a JSON value as a Go program writes it after decoding it into maps and 64-bit numbers (S4.6, S4.35).
// It is compact; keys are sorted, and of equal keys the last one counts; numbers have the fewest digits that preserve
// their value; and <, >, &, U+2028 and U+2029 are escaped. Numbers that are too large for 64 bits keep their spelling.
// Invalid JSON is appended unchanged.
func AppendGo(dst, value []byte) []byte {
	s := New(value)
	s.Lenient = true
	at := len(dst)
	dst = s.appendGo(dst)
	if s.End(); s.Err() != nil {
		return append(dst[:at], value...)
	}
	return dst
}

// appendGo is like AppendGo, for the value at the scanner, which must be valid JSON.
func (s *Scanner) appendGo(dst []byte) []byte {
	switch s.Kind() {
	case String:
		return appendGoString(dst, AppendText(nil, s.src, s.Text().Span))
	case Number:
		return appendGoNumber(dst, s.Skip().Slice(s.src))
	case Array:
		dst = append(dst, '[')
		for first := s.Array(); s.Elem(); first = false {
			if !first {
				dst = append(dst, ',')
			}
			dst = s.appendGo(dst)
		}
		return append(dst, ']')
	case Object:
		return s.appendGoObject(dst)
	}
	v := s.Skip()
	return append(dst, v.Slice(s.src)...)
}

// goMember is a member that has been written: its decoded key, and its range in the output.
type goMember struct {
	key        []byte // in UTF-8
	start, end int    // offsets
}

// appendGoObject appends the object at the scanner with its keys sorted. Of members with the same key, the last one
// counts.
func (s *Scanner) appendGoObject(dst []byte) []byte {
	dst = append(dst, '{')
	begin := len(dst)
	var members []goMember
	sorted := true
	for key := range s.Members {
		if n := len(members); n > 0 {
			dst = append(dst, ',')
			sorted = sorted && bytes.Compare(members[n-1].key, key) < 0
		}
		m := goMember{key: key, start: len(dst)}
		dst = append(appendGoString(dst, key), ':')
		dst = s.appendGo(dst)
		m.end = len(dst)
		members = append(members, m)
	}
	if !sorted {
		sorting.Stable(members, func(a, b goMember) int { return bytes.Compare(a.key, b.key) })
		old := bytes.Clone(dst[begin:])
		dst = dst[:begin]
		for i, m := range members {
			if i+1 < len(members) && bytes.Equal(m.key, members[i+1].key) {
				continue
			}
			if len(dst) > begin {
				dst = append(dst, ',')
			}
			dst = append(dst, old[m.start-begin:m.end-begin]...)
		}
	}
	return append(dst, '}')
}

func appendGoNumber(dst, spelled []byte) []byte {
	f, err := strconv.ParseFloat(string(spelled), 64)
	if err != nil {
		return append(dst, spelled...)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		if n := len(dst); dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' { // e-09 becomes e-9
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendGoString appends text as a JSON string with the escapes that encoding/json uses.
func appendGoString(dst, text []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(text[i:])
			if r == '\u2028' || r == '\u2029' {
				dst = append(append(dst, `\u202`...), digits[r&15])
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			i += n
			continue
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ' || c == '<' || c == '>' || c == '&':
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return append(dst, '"')
}
