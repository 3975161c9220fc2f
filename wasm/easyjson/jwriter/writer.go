// Package jwriter writes JSON for generated code. It implements the part of easyjson's jwriter that code for plain
// structs uses.
package jwriter

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// Flags determine how nil is written.
type Flags int

// The flags of a Writer.
const (
	NilMapAsEmpty   Flags = 1 << iota // a nil map is written as {}, not null
	NilSliceAsEmpty                   // a nil slice is written as [], not null
)

// Writer collects the JSON that is written to it.
type Writer struct {
	Flags        Flags
	Error        error
	NoEscapeHTML bool // <, > and & are not escaped

	buf []byte
}

// Size returns the number of bytes written so far.
func (w *Writer) Size() int { return len(w.buf) }

// BuildBytes returns the JSON written so far, or the first error. The result is the writer's own buffer; the buffers
// passed for reuse are ignored.
func (w *Writer) BuildBytes(...[]byte) ([]byte, error) {
	if w.Error != nil {
		return nil, w.Error
	}
	return w.buf, nil
}

// RawByte writes a byte unchanged.
func (w *Writer) RawByte(c byte) { w.buf = append(w.buf, c) }

// RawString writes a text unchanged.
func (w *Writer) RawString(s string) { w.buf = append(w.buf, s...) }

// Raw writes JSON unchanged, or null if it is empty.
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

// Int writes an integer. The methods below do the same for integers of other sizes.
func (w *Writer) Int(n int) { w.Int64(int64(n)) }

// Int8 writes an 8-bit integer.
func (w *Writer) Int8(n int8) { w.Int64(int64(n)) }

// Int16 writes a 16-bit integer.
func (w *Writer) Int16(n int16) { w.Int64(int64(n)) }

// Int32 writes a 32-bit integer.
func (w *Writer) Int32(n int32) { w.Int64(int64(n)) }

// Int64 writes a 64-bit integer.
func (w *Writer) Int64(n int64) { w.buf = strconv.AppendInt(w.buf, n, 10) }

// Uint writes an unsigned integer. The methods below do the same for unsigned integers of other sizes.
func (w *Writer) Uint(n uint) { w.Uint64(uint64(n)) }

// Uint8 writes an unsigned 8-bit integer.
func (w *Writer) Uint8(n uint8) { w.Uint64(uint64(n)) }

// Uint16 writes an unsigned 16-bit integer.
func (w *Writer) Uint16(n uint16) { w.Uint64(uint64(n)) }

// Uint32 writes an unsigned 32-bit integer.
func (w *Writer) Uint32(n uint32) { w.Uint64(uint64(n)) }

// Uint64 writes an unsigned 64-bit integer.
func (w *Writer) Uint64(n uint64) { w.buf = strconv.AppendUint(w.buf, n, 10) }

// Float64 writes a number with the fewest digits that parse to the same value.
func (w *Writer) Float64(n float64) { w.float(n, 64) }

// Float32 writes a number with the fewest digits that parse to the same 32-bit value.
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

// short maps each character that has a short escape to the letter of that escape.
var short = [128]byte{'\t': 't', '\r': 'r', '\n': 'n', '"': '"', '\\': '\\'}

// String writes a string. Like easyjson, it escapes U+2028 and U+2029, and replaces invalid UTF-8 with \ufffd.
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
