// Package jsonspan reads JSON in place: it scans the bytes once and returns spans and measures, but never builds
// values.
//
// A reader pulls: it asks a Scanner for the next key, element, string or whole value, and gets its position in the
// source and the size of its text. Nothing is copied or allocated, except for a key that contains escapes. Errors are
// sticky: after the first error, every call returns zero values and loops over keys and elements end, so readers need
// to check only once, at the end.
//
// The package knows nothing about transcripts. Its only notion of tokens is the weight that an Automaton computes.
package jsonspan

import (
	"bytes"
	"math/bits"
)

// MaxDepth is the maximum nesting depth of objects and arrays, in levels. Deeper input is an error (too_deep), which
// limits the recursion of readers.
const MaxDepth = 512

// MaxSize is the maximum size of a source in bytes. Spans hold 32-bit offsets, and 32-bit WebAssembly has 4 GiB in
// total.
const MaxSize = 1 << 30

// Span is a half-open range of bytes in a source. The zero Span means that there is no value.
type Span struct{ Start, End uint32 }

// Key returns the span as a single number, for use as a map key.
func (p Span) Key() uint64 { return uint64(p.Start)<<32 | uint64(p.End) }

// Len returns the number of bytes in the span.
func (p Span) Len() int { return int(p.End - p.Start) }

// IsZero reports whether the span is the zero Span. No value has this span, because every value has at least one byte.
func (p Span) IsZero() bool { return p.End == 0 }

// Slice returns the bytes of the span in src.
func (p Span) Slice(src []byte) []byte { return src[p.Start:p.End:p.End] }

// Measure is the size of a decoded text in several units.
type Measure struct {
	Bytes uint32 // UTF-8 bytes
	Runes uint32 // Unicode scalar values
	UTF16 uint32 // UTF-16 code units, as counted by JavaScript's length
	// Weight is the weight that the Scanner's Automaton computed for the text, in 1/WeightUnit token; 0 without an
	// Automaton.
	Weight uint32
}

// Add returns the sum of two measures.
func (m Measure) Add(o Measure) Measure {
	return Measure{m.Bytes + o.Bytes, m.Runes + o.Runes, m.UTF16 + o.UTF16, m.Weight + o.Weight}
}

// ASCII returns the measure of n ASCII characters.
func ASCII(n uint32) Measure { return Measure{n, n, n, 0} }

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of JSON values. Invalid means that no value begins here.
const (
	Invalid Kind = iota
	Object
	Array
	String
	Number
	True
	False
	Null
)

// Str is a string value: its span including the quotes, and the measure of the decoded text.
type Str struct {
	Span
	Measure
	// Escapes is the number of additional characters in the JSON form of the text with the fewest escapes (as
	// JSON.stringify writes it), not counting the quotes.
	Escapes uint32
	// Escaped reports whether the source contains a backslash. If not, the bytes between the quotes are the text.
	Escaped bool
}

// JSON returns the measure of the string in JSON form with the fewest escapes, including the quotes.
func (s Str) JSON() Measure {
	m := s.Measure.Add(ASCII(s.Escapes + 2))
	if s.Weight > 0 {
		m.Weight += quoteWeight + s.Escapes*escapeWeight
	}
	return m
}

// Value is a value of any kind: its span, and its measure in compact JSON form.
type Value struct {
	Span
	Kind Kind // what the value is
	Measure
}

// Scanner reads a source from front to back.
type Scanner struct {
	src   []byte // the source
	pos   int    // the offset of the next byte to read
	depth int    // the number of open objects and arrays
	fresh bool   // the scanner is directly after an opening bracket
	err   *Error // the first error, which ends the reading; nil if there is none
	name  uint32 // offset of the last key

	// Lenient accepts lone surrogates instead of failing: it counts them in Lone and measures them as U+FFFD. New sets
	// it, because other programs write lone surrogates, and half an emoji is not worth an error.
	Lenient bool
	// Weigh, if not nil, computes the weight of every string.
	Weigh *Automaton
	// Lone is the number of lone surrogates that have been read so far, and FirstLone the offset of the first one.
	Lone, FirstLone int
	// Watch is the first four bytes of the keys to look out for, with the first byte in the lowest bits; 0 for none.
	// Met is set when such a key is read.
	Watch uint32
	Met   bool
}

// New returns a scanner at the start of src. It keeps src but never writes to it. A source of more
// than MaxSize bytes is an error.
//
//go:noinline
func New(src []byte) *Scanner {
	s := &Scanner{src: src, Lenient: true}
	s.count()
	if len(src) > MaxSize {
		s.Fail(TooLarge, MaxSize, "the input is larger than 1 GiB")
	}
	return s
}

// At returns a new scanner at an offset, with the source of s and its settings Lenient and Weigh.
//
//go:noinline
func (s *Scanner) At(offset uint32) *Scanner {
	w := &Scanner{src: s.src, pos: int(offset), Lenient: s.Lenient, Weigh: s.Weigh}
	w.count()
	return w
}

// Within is like At, for an offset before an element of an array. depth is the number of enclosing objects and
// arrays, including that array. Call Elem next.
func (s *Scanner) Within(offset uint32, depth int) *Scanner {
	w := s.At(offset)
	w.depth, w.fresh = depth, true
	return w
}

// Src returns the source.
func (s *Scanner) Src() []byte { return s.src }

// Pos returns the offset of the next byte to read.
func (s *Scanner) Pos() uint32 { return uint32(s.pos) }

// KeyPos returns the offset of the opening quote of the last key.
func (s *Scanner) KeyPos() uint32 { return s.name }

// Err returns the first error, or nil.
func (s *Scanner) Err() *Error { return s.err }

// Fail records an error at a byte offset, unless there is one already.
//
//go:noinline
func (s *Scanner) Fail(code Code, offset int, message string) {
	if s.err == nil {
		s.err = &Error{Code: code, Offset: offset, Message: message}
	}
}

func (s *Scanner) unexpected(want string) {
	if s.pos >= len(s.src) {
		s.Fail(TruncatedJSON, len(s.src), "the JSON ends where "+want+" is expected")
		return
	}
	s.Fail(InvalidJSON, s.pos, "expected "+want+", found "+describe(s.src[s.pos:]))
}

// wrong records an error for the next value, which isn't of the wanted kind or isn't JSON at all.
func (s *Scanner) wrong(want string) {
	kind := s.Kind()
	at := s.pos
	if kind == True || kind == False || kind == Null {
		s.scalar(kind)
	}
	if kind != Invalid {
		s.Fail(WrongType, at, "expected "+want+", found "+describe(s.src[at:]))
	}
}

func (s *Scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

// Kind returns the kind of the next value without reading it. It records an error if no value begins here.
func (s *Scanner) Kind() Kind {
	if s.err != nil {
		return Invalid
	}
	s.space()
	if s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '{':
			return Object
		case c == '[':
			return Array
		case c == '"':
			return String
		case c == '-' || c >= '0' && c <= '9':
			return Number
		case c == 't':
			return True
		case c == 'f':
			return False
		case c == 'n':
			return Null
		}
	}
	s.unexpected("a value")
	return Invalid
}

// Object enters an object; call Key until it returns false.
func (s *Scanner) Object() bool { return s.open('{', "an object") }

// Members enters an object and yields the decoded key of each member. The body of the loop must read or skip the value.
// The loop ends at the end of the object or on an error.
func (s *Scanner) Members(yield func(key []byte) bool) {
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok || !yield(key) {
			return
		}
	}
}

// Array enters an array; call Elem until it returns false.
func (s *Scanner) Array() bool { return s.open('[', "an array") }

// open enters the array or object that begins with bracket. If the next value begins differently,
// or is nested too deeply, open records an error and returns false. want describes the expected
// value for the error's message.
func (s *Scanner) open(bracket byte, want string) bool {
	if s.err != nil {
		return false
	}
	s.space()
	if s.pos >= len(s.src) {
		s.unexpected(want)
		return false
	}
	if s.src[s.pos] != bracket {
		s.wrong(want)
		return false
	}
	if s.depth == MaxDepth {
		s.Fail(TooDeep, s.pos, "objects and arrays are nested more than 512 deep")
		return false
	}
	s.depth++
	s.pos++
	s.fresh = true
	return true
}

// next moves to the next member or element of the innermost object or array, which ends with the byte closing. It
// returns false at the end, which it consumes, or on an error, whose message says what was expected (want).
func (s *Scanner) next(closing byte, want string) bool {
	if s.err != nil {
		return false
	}
	s.space()
	if s.pos < len(s.src) {
		c := s.src[s.pos]
		if c == closing {
			s.pos++
			s.depth--
			s.fresh = false
			return false
		}
		if s.fresh {
			s.fresh = false
			return true
		}
		if c == ',' {
			s.pos++
			s.space()
			if s.pos < len(s.src) && s.src[s.pos] == closing {
				s.Fail(InvalidJSON, s.pos, "there is a comma before the closing bracket")
				return false
			}
			return true
		}
	}
	s.unexpected(want)
	return false
}

// Elem moves to the next element of the innermost array. It returns false at the end of the array or on an error.
func (s *Scanner) Elem() bool { return s.next(']', "',' or ']'") }

// Key moves to the next member of the innermost object and returns its decoded key; the value must be read next. It
// returns false at the end of the object or on an error.
func (s *Scanner) Key() ([]byte, bool) {
	if !s.next('}', "',' or '}'") {
		return nil, false
	}
	if name := s.shortKey(); name != nil {
		return name, true
	}
	k, ok := s.key(false)
	if !ok {
		return nil, false
	}
	if k.Escaped {
		return AppendText(nil, s.src, k.Span), true
	}
	return s.src[k.Start+1 : k.End-1], true
}

// shortKey reads the next key and its colon if the key has 1 to 15 plain characters and the colon follows directly,
// as for nearly all keys. Otherwise it returns nil and reads nothing.
func (s *Scanner) shortKey() []byte {
	b, from := s.src, s.pos+1
	if from+17 > len(b) || b[s.pos] != '"' {
		return nil
	}
	w, at := LoadWord(b, from), from
	m := special(w)
	if m == 0 {
		at += 8
		if m = special(LoadWord(b, at)); m == 0 {
			return nil
		}
	}
	at += bits.TrailingZeros64(m) >> 3
	if at == from || b[at] != '"' || b[at+1] != ':' {
		return nil
	}
	s.Met = s.Met || uint32(w) == s.Watch
	s.name, s.pos = uint32(from-1), at+2
	return b[from:at]
}

// key reads the next key and its colon. weigh says whether to compute the key's weight. It returns false if there is no
// key, which is an error.
func (s *Scanner) key(weigh bool) (Str, bool) {
	if s.pos >= len(s.src) || s.src[s.pos] != '"' {
		s.unexpected("a key in quotes")
		return Str{}, false
	}
	k := s.str(weigh)
	if s.err != nil {
		return Str{}, false
	}
	s.name = k.Start
	s.Met = s.Met || k.Len() >= 6 && load4(s.src, int(k.Start)+1) == s.Watch
	s.space()
	if s.pos >= len(s.src) || s.src[s.pos] != ':' {
		s.unexpected("':'")
		return Str{}, false
	}
	s.pos++
	return k, true
}

// Text reads a string value. If the next value isn't a string, Text records an error and returns
// the zero Str.
func (s *Scanner) Text() Str {
	if s.err != nil {
		return Str{}
	}
	s.space()
	if s.pos >= len(s.src) || s.src[s.pos] != '"' {
		s.wrong("a string")
		return Str{}
	}
	return s.str(true)
}

// End records an error if anything but white space is left.
func (s *Scanner) End() {
	if s.err != nil {
		return
	}
	if s.space(); s.pos < len(s.src) {
		s.Fail(InvalidJSON, s.pos, "the JSON ended, but more follows: "+describe(s.src[s.pos:]))
	}
}

// Skip reads and validates a value of any kind, and measures it in compact JSON form. Numbers keep
// their spelling. On an error it returns the zero Value.
func (s *Scanner) Skip() Value {
	kind := s.Kind()
	if kind == Invalid {
		return Value{}
	}
	v := Value{Kind: kind}
	v.Start = uint32(s.pos)
	switch kind {
	case Object, Array:
		v.Measure = s.nested()
	default:
		v.Measure = s.scalar(kind)
	}
	if s.err != nil {
		return Value{}
	}
	v.End = uint32(s.pos)
	return v
}

// SkipUnchecked skips an array or an object by counting brackets, for a value that will be checked later, and returns
// its span. It returns false, without moving the scanner past the value, if the value is of another kind or has no end.
func (s *Scanner) SkipUnchecked() (Span, bool) {
	if kind := s.Kind(); kind != Array && kind != Object {
		return Span{}, false
	}
	depth := 0
	for i := s.pos; i < len(s.src); i++ {
		switch s.src[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				p := Span{Start: uint32(s.pos), End: uint32(i + 1)}
				s.pos = i + 1
				return p, true
			}
		case '"':
			for i++; ; i++ {
				n := bytes.IndexByte(s.src[i:], '"')
				if n < 0 {
					return Span{}, false
				}
				escapes := 0
				for i += n; s.src[i-1-escapes] == '\\'; escapes++ {
				}
				if escapes%2 == 0 {
					break
				}
			}
		}
	}
	return Span{}, false
}

// nested skips an object or an array without recursion: one bit per open bracket records whether it is an object.
func (s *Scanner) nested() Measure {
	var m Measure
	var object [MaxDepth/64 + 1]uint64
	base := s.depth
	for s.err == nil {
		kind := s.Kind()
		switch kind {
		case Object, Array:
			if kind == Object {
				s.Object()
				object[s.depth/64] |= 1 << (s.depth % 64)
			} else {
				s.Array()
				object[s.depth/64] &^= 1 << (s.depth % 64)
			}
			m = m.Add(ASCII(2))
		case Invalid:
			return m
		default:
			m = m.Add(s.scalar(kind))
		}
		// Close the containers that end here, then go to the next value.
		for s.err == nil && s.depth > base {
			first := s.fresh
			if object[s.depth/64]>>(s.depth%64)&1 == 1 {
				if !s.next('}', "',' or '}'") {
					continue
				}
				k, ok := s.key(true)
				if !ok {
					continue
				}
				m = m.Add(k.JSON()).Add(ASCII(1))
			} else if !s.Elem() {
				continue
			}
			if !first {
				m = m.Add(ASCII(1))
			}
			break
		}
		if s.depth <= base {
			break
		}
	}
	return m
}
