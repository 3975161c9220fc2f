// Package jwriter writes JSON for generated code: the part of easyjson's jwriter that code for plain structs uses.
package jwriter

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// Flags change how nil is written.
type Flags int

// The flags.
const (
	NilMapAsEmpty   Flags = 1 << iota // a nil map is {} and not null
	NilSliceAsEmpty                   // a nil slice is [] and not null
)

// Writer gathers what is written.
type Writer struct {
	Flags        Flags
	Error        error
	NoEscapeHTML bool // <, > and & are written as they are

	buf []byte
}

// Size is how many bytes have been written.
func (w *Writer) Size() int { return len(w.buf) }

// BuildBytes returns what has been written, or the first error. It is the writer's own buffer: what may be reused is not.
func (w *Writer) BuildBytes(...[]byte) ([]byte, error) {
	if w.Error != nil {
		return nil, w.Error
	}
	return w.buf, nil
}

// RawByte writes a byte as it is.
func (w *Writer) RawByte(c byte) { w.buf = append(w.buf, c) }

// RawString writes text as it is.
func (w *Writer) RawString(s string) { w.buf = append(w.buf, s...) }

// Raw writes JSON as it is; null where it is empty.
func (w *Writer) Raw(b []byte, err error) {
	switch {
	case w.Error != nil:
	case err != nil:
		w.Error = err
	case len(b) == 0:
		w.RawString("null")
	default:
		w.buf = append(w.buf, b...)
	}
}

// Bool writes true or false.
func (w *Writer) Bool(v bool) { w.buf = strconv.AppendBool(w.buf, v) }

// Int writes a whole number; so do the others, of their sizes.
func (w *Writer) Int(n int) { w.Int64(int64(n)) }

// Int8 writes a whole number of 8 bits.
func (w *Writer) Int8(n int8) { w.Int64(int64(n)) }

// Int16 writes a whole number of 16 bits.
func (w *Writer) Int16(n int16) { w.Int64(int64(n)) }

// Int32 writes a whole number of 32 bits.
func (w *Writer) Int32(n int32) { w.Int64(int64(n)) }

// Int64 writes a whole number of 64 bits.
func (w *Writer) Int64(n int64) { w.buf = strconv.AppendInt(w.buf, n, 10) }

// Uint writes a whole number that is not negative; so do the others, of their sizes.
func (w *Writer) Uint(n uint) { w.Uint64(uint64(n)) }

// Uint8 writes a whole number of 8 bits.
func (w *Writer) Uint8(n uint8) { w.Uint64(uint64(n)) }

// Uint16 writes a whole number of 16 bits.
func (w *Writer) Uint16(n uint16) { w.Uint64(uint64(n)) }

// Uint32 writes a whole number of 32 bits.
func (w *Writer) Uint32(n uint32) { w.Uint64(uint64(n)) }

// Uint64 writes a whole number of 64 bits.
func (w *Writer) Uint64(n uint64) { w.buf = strconv.AppendUint(w.buf, n, 10) }

// Float64 writes a number with the fewest digits that read back as it.
func (w *Writer) Float64(n float64) { w.float(n, 64) }

// Float32 writes a number with the fewest digits that read back as it.
func (w *Writer) Float32(n float32) { w.float(float64(n), 32) }

func (w *Writer) float(n float64, bits int) {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		if w.Error == nil {
			w.Error = errors.New("json: unsupported value: " + strconv.FormatFloat(n, 'g', -1, 64))
		}
		return
	}
	w.buf = strconv.AppendFloat(w.buf, n, 'g', -1, bits)
}

const digits = "0123456789abcdef"

// short holds, for each control character, quote and backslash that has one, the letter of its short escape.
var short = [128]byte{'\t': 't', '\r': 'r', '\n': 'n', '"': '"', '\\': '\\'}

// String writes a string. Like easyjson it escapes U+2028 and U+2029, and writes bytes that are not UTF-8 as \ufffd.
func (w *Writer) String(s string) {
	b := append(w.buf, '"')
	from := 0
	for i := 0; i < len(s); {
		c, n := s[i], 1
		switch {
		case c >= utf8.RuneSelf:
			var r rune
			r, n = utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && n == 1:
				b = append(append(b, s[from:i]...), `\ufffd`...)
			case r == '\u2028' || r == '\u2029':
				b = append(append(append(b, s[from:i]...), `\u202`...), digits[r&15])
			default:
				i += n
				continue
			}
		case short[c] != 0:
			b = append(append(b, s[from:i]...), '\\', short[c])
		case c < ' ' || !w.NoEscapeHTML && (c == '<' || c == '>' || c == '&'):
			b = append(append(b, s[from:i]...), '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			i++
			continue
		}
		i += n
		from = i
	}
	w.buf = append(append(b, s[from:]...), '"')
}
