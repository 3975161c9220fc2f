// Package jlexer reads JSON for generated code. It implements the part of easyjson's jlexer that code for plain structs
// uses. The input must be valid JSON; invalid input yields an error or a wrong value, but never a panic.
package jlexer

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// LexerError is an error at a byte offset of the input.
type LexerError struct {
	Reason string
	Offset int
	Data   string // subject of the error, such as the name of an unknown key
}

func (e *LexerError) Error() string {
	return "parse error: " + e.Reason + " near offset " + strconv.Itoa(e.Offset) + " of '" + e.Data + "'"
}

// kind is the kind of the next token.
type kind byte

const (
	none kind = iota // not read yet
	delim
	str
	number
	boolean
	null
)

// Lexer reads Data from front to back, one token ahead.
type Lexer struct {
	Data []byte

	start, pos int // range of the current token
	kind       kind
	delim      byte // the bracket, if the token is one
	err        error
}

// peek reads the next token unless it has been read already. Commas and colons are skipped like white space.
func (l *Lexer) peek() bool {
	if l.kind != none || l.err != nil {
		return l.err == nil
	}
	i := l.pos
	for i < len(l.Data) && (l.Data[i] <= ' ' || l.Data[i] == ',' || l.Data[i] == ':') {
		i++
	}
	l.start, l.pos = i, i+1
	if i >= len(l.Data) {
		l.pos = len(l.Data)
		l.fail("unexpected end")
		return false
	}
	switch c := l.Data[i]; c {
	case '{', '[', '}', ']':
		l.kind, l.delim = delim, c
	case '"':
		l.kind = str
		end := stringEnd(l.Data[i+1:])
		if end < 0 {
			l.fail("unterminated string literal")
			return false
		}
		l.pos += end + 1
	default:
		switch c {
		case 't', 'f':
			l.kind = boolean
		case 'n':
			l.kind = null
		default:
			l.kind = number
		}
		for l.pos < len(l.Data) && bytes.IndexByte([]byte(" \t\r\n,:]}"), l.Data[l.pos]) < 0 {
			l.pos++
		}
	}
	return true
}

// stringEnd returns the index of the quote that ends the string whose text begins at the start of b, or -1.
func stringEnd(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

func (l *Lexer) fail(reason string) {
	if l.err == nil {
		l.err = &LexerError{Reason: reason, Offset: l.pos}
	}
}

// next consumes a token of kind k and returns its bytes. If the token is of another kind, it records an error.
func (l *Lexer) next(k kind, want string) ([]byte, bool) {
	if !l.peek() || l.kind != k {
		l.fail("expected " + want)
		return nil, false
	}
	l.kind = none
	return l.Data[l.start:l.pos], true
}

// Ok reports whether there has been no error.
func (l *Lexer) Ok() bool { return l.err == nil }

// Error returns the first error, or nil.
func (l *Lexer) Error() error { return l.err }

// AddError records an error, unless there is one already.
func (l *Lexer) AddError(e error) {
	if l.err == nil {
		l.err = e
	}
}

// GetPos returns the offset after the current token.
func (l *Lexer) GetPos() int { return l.pos }

// IsStart reports whether nothing has been read.
func (l *Lexer) IsStart() bool { return l.pos == 0 }

// Delim consumes a bracket.
func (l *Lexer) Delim(c byte) {
	if !l.peek() || l.kind != delim || l.delim != c {
		l.fail("expected " + string(rune(c)))
	}
	l.kind = none
}

// IsDelim reports whether a bracket is next. It also returns true after an error, so that loops end.
func (l *Lexer) IsDelim(c byte) bool { return !l.peek() || l.kind == delim && l.delim == c }

// IsNull reports whether null is next.
func (l *Lexer) IsNull() bool { return l.peek() && l.kind == null }

// Null consumes a null.
func (l *Lexer) Null() { l.next(null, "null") }

// Skip consumes one token of any kind.
func (l *Lexer) Skip() {
	l.peek()
	l.kind = none
}

// SkipRecursive consumes one whole value.
func (l *Lexer) SkipRecursive() {
	if !l.peek() {
		return
	}
	start := l.start
	for depth := 0; l.peek(); {
		if l.kind == delim && (l.delim == '{' || l.delim == '[') {
			depth++
		} else if l.kind == delim {
			depth--
		}
		l.kind = none
		if depth <= 0 {
			break
		}
	}
	l.start = start
}

// Raw consumes one whole value and returns its bytes, which are a slice of Data.
func (l *Lexer) Raw() []byte {
	l.SkipRecursive()
	if l.err != nil {
		return nil
	}
	return l.Data[l.start:l.pos]
}

// Consumed checks that only white space is left.
func (l *Lexer) Consumed() {
	for ; l.err == nil && l.pos < len(l.Data); l.pos++ {
		if c := l.Data[l.pos]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			l.fail("invalid character '" + string(rune(c)) + "' after top-level value")
		}
	}
}

// WantComma and WantColon exist for generated code. They do nothing, because the grammar has been checked before.
func (l *Lexer) WantComma() {}

// WantColon does nothing; see WantComma.
func (l *Lexer) WantColon() {}

// String consumes a string.
func (l *Lexer) String() string { return string(l.text()) }

// UnsafeString consumes a string, which may share the bytes of Data.
func (l *Lexer) UnsafeString() string {
	b := l.text()
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// UnsafeBytes consumes a string and returns its bytes, which may be a slice of Data.
func (l *Lexer) UnsafeBytes() []byte { return l.text() }

// UnsafeFieldName consumes a key, which may share the bytes of Data.
func (l *Lexer) UnsafeFieldName(bool) string { return l.UnsafeString() }

func (l *Lexer) text() []byte {
	b, ok := l.next(str, "string")
	if !ok {
		return nil
	}
	b = b[1 : len(b)-1]
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	return unescape(make([]byte, 0, len(b)), b)
}

// plain contains pairs of characters: a character that may follow a backslash, and the character that the escape
// represents.
const plain = "b\bf\fn\nr\rt\t"

func unescape(dst, b []byte) []byte {
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			dst = append(dst, b[i])
			continue
		}
		i++
		c := b[i]
		if c != 'u' {
			if n := bytes.IndexByte([]byte(plain), c); n >= 0 && n%2 == 0 {
				c = plain[n+1]
			}
			dst = append(dst, c)
			continue
		}
		r := hex(b, i)
		i += 4
		if utf16.IsSurrogate(r) {
			low := rune(-1)
			if i+2 < len(b) && b[i+1] == '\\' && b[i+2] == 'u' {
				low = hex(b, i+2)
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 6
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// hex decodes the four hexadecimal digits after the u at b[i]. It returns -1 if they are missing.
func hex(b []byte, i int) rune {
	if i+5 > len(b) {
		return -1
	}
	n, err := strconv.ParseUint(unsafe.String(&b[i+1], 4), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}

// Bool consumes true or false.
func (l *Lexer) Bool() bool {
	b, ok := l.next(boolean, "bool")
	return ok && b[0] == 't'
}

func (l *Lexer) number() (string, bool) {
	b, ok := l.next(number, "number")
	return string(b), ok
}

// bad records an error for a number that is not of the expected type.
func (l *Lexer) bad(s string, err error) {
	if err != nil {
		l.err = &LexerError{Reason: err.Error(), Offset: l.start, Data: s}
	}
}

func (l *Lexer) signed(bits int) int64 {
	s, ok := l.number()
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, bits)
	l.bad(s, err)
	return n
}

func (l *Lexer) unsigned(bits int) uint64 {
	s, ok := l.number()
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, bits)
	l.bad(s, err)
	return n
}

func (l *Lexer) float(bits int) float64 {
	s, ok := l.number()
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(s, bits)
	l.bad(s, err)
	return n
}

// Int consumes an integer. The methods below do the same for integers of other sizes.
func (l *Lexer) Int() int { return int(l.signed(64)) }

// Int8 consumes an 8-bit integer.
func (l *Lexer) Int8() int8 { return int8(l.signed(8)) }

// Int16 consumes a 16-bit integer.
func (l *Lexer) Int16() int16 { return int16(l.signed(16)) }

// Int32 consumes a 32-bit integer.
func (l *Lexer) Int32() int32 { return int32(l.signed(32)) }

// Int64 consumes a 64-bit integer.
func (l *Lexer) Int64() int64 { return l.signed(64) }

// Uint consumes an unsigned integer. The methods below do the same for unsigned integers of other sizes.
func (l *Lexer) Uint() uint { return uint(l.unsigned(64)) }

// Uint8 consumes an unsigned 8-bit integer.
func (l *Lexer) Uint8() uint8 { return uint8(l.unsigned(8)) }

// Uint16 consumes an unsigned 16-bit integer.
func (l *Lexer) Uint16() uint16 { return uint16(l.unsigned(16)) }

// Uint32 consumes an unsigned 32-bit integer.
func (l *Lexer) Uint32() uint32 { return uint32(l.unsigned(32)) }

// Uint64 consumes an unsigned 64-bit integer.
func (l *Lexer) Uint64() uint64 { return l.unsigned(64) }

// Float64 consumes a number.
func (l *Lexer) Float64() float64 { return l.float(64) }

// Float32 consumes a number, rounded to 32 bits.
func (l *Lexer) Float32() float32 { return float32(l.float(32)) }
