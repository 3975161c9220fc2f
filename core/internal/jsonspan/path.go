package jsonspan

import (
	"strconv"
	"strings"
)

// pathKeyMax is the maximum number of bytes of a key that a path shows, because a hostile transcript may have keys of a megabyte.
const pathKeyMax = 64

// PathAt returns the path of the value at a byte offset, such as messages[3].content[0].text: member names after dots, indexes in
// brackets, and unusual names in brackets and quotes. The root is "". It scans src from the beginning and stops at the first invalid
// JSON, so it also works if the source is broken at or after offset.
func PathAt(src []byte, offset int) string {
	type frame struct {
		key    Span // the key of the current member
		index  int  // the index of the current element
		object bool
		value  bool // the current member's or element's value has begun
	}
	var stack []frame
	s := &Scanner{src: src, Lenient: true}
walk:
	for s.pos < len(src) {
		if s.space(); s.pos >= len(src) || s.pos >= offset && (len(stack) == 0 || stack[len(stack)-1].value) {
			break
		}
		at := s.pos
		switch c := src[at]; c {
		case '{', '[':
			if len(stack) == MaxDepth || at >= offset {
				break walk
			}
			stack = append(stack, frame{object: c == '{', value: c == '['})
			s.pos++
		case '}', ']':
			if len(stack) == 0 || at >= offset {
				break walk
			}
			stack = stack[:len(stack)-1]
			s.pos++
		case ',':
			if len(stack) == 0 || at >= offset {
				break walk
			}
			f := &stack[len(stack)-1]
			f.index++
			f.value = !f.object
			s.pos++
		case ':':
			s.pos++
			if len(stack) > 0 {
				stack[len(stack)-1].value = true
			}
		case '"':
			k := s.str(false)
			if s.err != nil || s.pos > offset && (len(stack) == 0 || stack[len(stack)-1].value) {
				break walk
			}
			if len(stack) > 0 && stack[len(stack)-1].object && !stack[len(stack)-1].value {
				stack[len(stack)-1].key = k.Span
			}
		default:
			s.pos++
		}
	}
	var path []byte
	for _, f := range stack {
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

// Find returns the offset of the value at a path below the value at offset base. The path consists of plain member names and indexes,
// such as passes[1].tools. If it leads nowhere, Find returns the offset of the last value on the path that exists.
func Find(src []byte, base int, path string) int {
	s := New(src).At(uint32(base))
	s.Lenient = true
	for path != "" && s.Err() == nil {
		found := false
		if path[0] == '[' {
			end := strings.IndexByte(path, ']')
			n, err := strconv.Atoi(path[1:max(end, 1)])
			if path = path[end+1:]; err != nil || s.Kind() != Array {
				break
			}
			for s.Array(); s.Elem(); n-- {
				if found = n == 0; found {
					break
				}
				s.Skip()
			}
		} else {
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			name := path[:end]
			if path = path[end:]; s.Kind() != Object {
				break
			}
			for s.Object(); !found; {
				key, ok := s.Key()
				if !ok {
					break
				}
				if found = string(key) == name; !found {
					s.Skip()
				}
			}
		}
		if !found || s.Kind() == Invalid {
			break
		}
		base = int(s.Pos())
	}
	return base
}

// maxKeys is the maximum number of keys of an object that Duplicate compares. Objects of known types have fewer.
const maxKeys = 64

// Duplicate returns an error for the first key that occurs twice in an object of the value, including nested objects, or nil. It is
// meant for small values of known types: it ignores the keys of an object after the 64th.
func Duplicate(src []byte) *Error {
	s := New(src)
	s.Lenient = true
	s.duplicates()
	if s.err != nil && s.err.Code == DuplicateKey {
		return s.err
	}
	return nil
}

func (s *Scanner) duplicates() {
	switch s.Kind() {
	case Array:
		for s.Array(); s.Elem(); {
			s.duplicates()
		}
	case Object:
		var keys [][]byte
		for key := range s.Members {
			for _, k := range keys {
				if string(k) == string(key) {
					s.Fail(DuplicateKey, int(s.KeyPos()), "this key appears twice in one object")
					return
				}
			}
			if len(keys) < maxKeys {
				keys = append(keys, key)
			}
			s.duplicates()
		}
		return
	default:
		s.Skip()
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
