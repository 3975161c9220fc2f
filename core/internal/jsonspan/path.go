package jsonspan

import (
	"strconv"
	"strings"
)

// pathKeyMax is the maximum number of bytes of a key that a path shows, because a hostile transcript may have keys of a
// megabyte.
const pathKeyMax = 64

// PathAt returns the path of the value at a byte offset, such as messages[3].content[0].text: member names after dots,
// indexes in brackets, and unusual names in brackets and quotes. The root is "". It scans src from the beginning and
// stops at the first invalid JSON, so it also works if the source is broken at or after offset.
func PathAt(src []byte, offset int) string {
	w := pathWalk{s: &Scanner{src: src, Lenient: true}, offset: offset}
	for w.next() {
	}
	var path []byte
	for _, f := range w.open {
		switch {
		case !f.object:
			path = append(path, '[')
			path = strconv.AppendInt(path, int64(f.index), 10)
			path = append(path, ']')
		case !f.key.IsZero():
			path = appendKey(path, src, f.key)
		}
	}
	return string(path)
}

// pathWalk scans JSON up to an offset. open holds the objects and arrays that enclose the current position.
type pathWalk struct {
	s      *Scanner // scans the source
	offset int      // where the walk ends
	open   []pathFrame
}

type pathFrame struct {
	key    Span // the key of the current member
	index  int  // the index of the current element
	object bool // whether it is an object
	value  bool // the current member's or element's value has begun
}

// next reads one token. It returns false when the walk ends.
func (w *pathWalk) next() bool {
	s := w.s
	s.space()
	if s.pos >= len(s.src) {
		return false
	}
	f := &pathFrame{value: true} // the innermost object or array
	if n := len(w.open); n > 0 {
		f = &w.open[n-1]
	}
	reached := s.pos >= w.offset
	if reached && f.value {
		return false
	}
	switch c := s.src[s.pos]; c {
	case '{', '[':
		if len(w.open) == MaxDepth || reached {
			return false
		}
		w.open = append(w.open, pathFrame{object: c == '{', value: c == '['})
	case '}', ']':
		if len(w.open) == 0 || reached {
			return false
		}
		w.open = w.open[:len(w.open)-1]
	case ',':
		if len(w.open) == 0 || reached {
			return false
		}
		f.index++
		f.value = !f.object
	case ':':
		f.value = true
	case '"':
		return w.text(f)
	}
	s.pos++
	return true
}

// text reads a string: the key of a member if no value has begun in the innermost object, f, otherwise a value. It
// returns false when the walk ends.
func (w *pathWalk) text(f *pathFrame) bool {
	k := w.s.str(false)
	if w.s.err != nil || w.s.pos > w.offset && f.value {
		return false
	}
	if f.object && !f.value {
		f.key = k.Span
	}
	return true
}

// Find returns the offset of the value at a path below the value at offset base. The path consists of plain member
// names and indexes, such as passes[1].tools. If it leads nowhere, Find returns the offset of the last value on the
// path that exists.
func Find(src []byte, base int, path string) int {
	s := New(src).At(uint32(base))
	s.Lenient = true
	for path != "" && s.Err() == nil {
		found := false
		if path[0] == '[' {
			end := strings.IndexByte(path, ']')
			n, err := strconv.Atoi(path[1:max(end, 1)])
			found = err == nil && s.toElement(n)
			path = path[end+1:]
		} else {
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			found = s.toMember(path[:end])
			path = path[end:]
		}
		if !found || s.Kind() == Invalid {
			break
		}
		base = int(s.Pos())
	}
	return base
}

// toElement moves the scanner to element n of the array at the scanner. It returns false if there is none.
func (s *Scanner) toElement(n int) bool {
	if s.Kind() != Array {
		return false
	}
	for s.Array(); s.Elem(); n-- {
		if n == 0 {
			return true
		}
		s.Skip()
	}
	return false
}

// toMember moves the scanner to the value of a member of the object at the scanner. It returns false if there is
// none.
func (s *Scanner) toMember(name string) bool {
	if s.Kind() != Object {
		return false
	}
	for s.Object(); ; s.Skip() {
		key, ok := s.Key()
		if !ok || string(key) == name {
			return ok
		}
	}
}

// maxKeys is the maximum number of keys of an object that Duplicate compares. Objects of known types have fewer.
const maxKeys = 64

// Duplicate returns an error for the first key that occurs twice in one object of the value or of the values inside
// it, or nil. It is meant for small values of known types, so it ignores the keys of an object after the 64th.
func Duplicate(src []byte) *Error {
	s := New(src)
	s.Lenient = true
	check := keyCheck{Scanner: s, keys: make([][]byte, 0, usualKeys)}
	if check.value(); s.err != nil && s.err.Code == DuplicateKey {
		return s.err
	}
	return nil
}

// usualKeys is the number of keys for which Duplicate allocates memory at first.
const usualKeys = 24

// keyCheck looks for keys that occur twice in one object.
type keyCheck struct {
	*Scanner
	keys [][]byte // the keys read so far of the current object, after those of the objects around it
}

// value checks the next value and the values inside it for members with the same key. It recurses as deep as the value
// is nested, which the Scanner limits.
func (c *keyCheck) value() {
	switch c.Kind() {
	case Array:
		for c.Array(); c.Elem(); {
			c.value()
		}
	case Object:
		first := len(c.keys)
		for key := range c.Members {
			for _, other := range c.keys[first:] {
				if string(other) == string(key) {
					c.Fail(DuplicateKey, int(c.KeyPos()), "this key appears twice in one object")
					return
				}
			}
			if len(c.keys)-first < maxKeys {
				c.keys = append(c.keys, key)
			}
			c.value()
		}
		c.keys = c.keys[:first]
	default:
		c.Skip()
	}
}

func appendKey(path, src []byte, key Span) []byte {
	name := AppendText(nil, src, key)
	if len(name) > pathKeyMax {
		name = append(TrimRune(name[:pathKeyMax]), "…"...)
	}
	plain := len(name) > 0
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
		plain = plain && (letter || i > 0 && c >= '0' && c <= '9')
	}
	if !plain {
		path = append(path, '[')
		path = AppendString(path, name)
		return append(path, ']')
	}
	if len(path) > 0 {
		path = append(path, '.')
	}
	return append(path, name...)
}
