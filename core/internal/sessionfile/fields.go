package sessionfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// field names a member of an object and the destination for its value. The destination's type determines how the
// value is read:
//
//	*jsonspan.Span   a string; the zero Span if the value is anything else
//	anyValue         any value
//	*int64           a whole number from 0 on; anything else is 0
//	*bool            whether the value is true
//	choice           a string that is one of a few words; "" if it is none of them
//	number           an id
//	timeOf           the time of an entry
//	[]field          an object; other values are skipped
//	func(*Scanner)   whatever the function reads
//
// A type outside this list is a programming error: its member would be read as if no field named it.
type field struct {
	key string // the member's name
	to  any    // where the value goes
}

// anyValue is a destination for the span of a value of any type.
type anyValue struct{ *jsonspan.Span }

// choice is a destination for a string that should be one of a few words.
type choice struct {
	to    *string  // receives the word
	words []string // the words that are accepted
}

// oneOf returns a destination for a string that should be one of words.
//
//go:noinline
func oneOf(to *string, words ...string) choice { return choice{to, words} }

// timeOf is a destination for the time of an entry. The file remembers the time that was read last.
type timeOf struct{ file *file }

// number is a destination for an id. It receives the id's position in the results of ids.rank, or noID if the value is
// not a string.
type number struct {
	ids *ids   // the ids of the file
	to  *int32 // receives the position
}

// read reads the object at s into the fields, and skips members that no field names. If a key occurs twice, its last
// value is used.
//
//go:noinline
func read(s *jsonspan.Scanner, fields ...field) {
	members(s, func(key []byte) bool {
		for i := range fields {
			if fields[i].key == string(key) {
				return fields[i].read(s)
			}
		}
		return false
	})
}

// readAt reads the object at a span into fields. If the value is not an object, the destinations stay unchanged.
func readAt(src []byte, at jsonspan.Span, fields ...field) {
	if s := scanner(src, at.Start); !at.IsZero() && s.Kind() == jsonspan.Object {
		read(s, fields...)
	}
}

// read reads the value at s into the field's destination. It returns false if it hasn't read the value.
func (f *field) read(s *jsonspan.Scanner) bool {
	switch to := f.to.(type) {
	case *jsonspan.Span:
		*to = stringSpan(s)
	case anyValue:
		*to.Span = s.Skip().Span
	case *int64:
		*to = tokenCount(s)
	case *bool:
		*to = s.Skip().Kind == jsonspan.True
	case choice:
		*to.to = oneWordOf(s, to.words...)
	case number:
		*to.to = to.ids.add(s.Src(), stringSpan(s))
	case timeOf:
		to.file.noteTime(stringSpan(s))
	case []field:
		if s.Kind() != jsonspan.Object {
			return false
		}
		read(s, to...)
	case func(*jsonspan.Scanner):
		to(s)
	default:
		return false
	}
	return true
}

// members calls visit for each member of the object at s, which must be an object. visit must read the member's value
// and return true, or return false to skip it.
func members(s *jsonspan.Scanner, visit func(key []byte) bool) {
	for key := range s.Members {
		if !visit(key) {
			s.Skip()
		}
	}
}

// isObject reports whether the next value is an object. Any other value is skipped.
func isObject(s *jsonspan.Scanner) bool {
	if s.Kind() == jsonspan.Object {
		return true
	}
	s.Skip()
	return false
}

// readList reads a list of objects, calls visit at each of them, and returns the span of the list. Anything else gives
// the scanner an error, whose message uses the words list and item. If the value is not a list, the span is the zero
// Span.
func readList(s *jsonspan.Scanner, list, item string, visit func(s *jsonspan.Scanner)) (at jsonspan.Span) {
	if s.Kind() != jsonspan.Array {
		s.Fail(jsonspan.WrongType, int(s.Pos()), list+" must be a list")
		return at
	}
	at.Start = s.Pos()
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Fail(jsonspan.WrongType, int(s.Pos()), item+" must be an object")
			break
		}
		visit(s)
	}
	at.End = s.Pos()
	return at
}

// items returns the spans of the values in the list at a span, or nil if the value is not a list. It returns a slice
// because the compiler would copy the body of an iterator into every function that ranges over it, which makes the
// module larger.
func items(src []byte, at jsonspan.Span) (all []jsonspan.Span) {
	if at.IsZero() {
		return nil
	}
	s := scanner(src, at.Start)
	if s.Kind() != jsonspan.Array {
		return nil
	}
	for s.Array(); s.Elem(); {
		all = append(all, s.Skip().Span)
	}
	return all
}

// stringSpan reads a string and returns its span. It skips any other value and returns the zero Span.
func stringSpan(s *jsonspan.Scanner) jsonspan.Span {
	if s.Kind() == jsonspan.String {
		return s.Text().Span
	}
	s.Skip()
	return jsonspan.Span{}
}

// oneWordOf reads a string and returns it if it is one of words; otherwise "".
func oneWordOf(s *jsonspan.Scanner, words ...string) string {
	p := stringSpan(s)
	for _, w := range words {
		if jsonspan.EqualText(s.Src(), p, w) {
			return w
		}
	}
	return ""
}

// tokenCount reads a token count, an integer from 0 to 2^50. It returns 0 for any other value.
func tokenCount(s *jsonspan.Scanner) int64 {
	v := s.Skip()
	if v.Kind != jsonspan.Number {
		return 0
	}
	n, err := strconv.ParseInt(string(v.Slice(s.Src())), 10, 64)
	if err != nil || n < 0 || n > 1<<50 {
		return 0
	}
	return n
}

// find returns the span of a member's value in the object at a span, or the zero Span if there is none. A dot in path
// separates the keys of nested objects: "info.id" is the member id of info. If a key occurs twice, its first value
// counts.
func find(src []byte, at jsonspan.Span, path string) (value jsonspan.Span) {
	if at.IsZero() {
		return value
	}
	s := scanner(src, at.Start)
	if s.Kind() != jsonspan.Object {
		return value
	}
	key, rest, nested := strings.Cut(path, ".")
	members(s, func(name []byte) bool {
		if string(name) != key || !value.IsZero() {
			return false
		}
		value = s.Skip().Span
		return true
	})
	if nested {
		return find(src, value, rest)
	}
	return value
}

// stringAt returns the span of the string at a path (see find), or the zero Span if the value is not a string.
func stringAt(src []byte, at jsonspan.Span, path string) jsonspan.Span {
	if v := find(src, at, path); !v.IsZero() && src[v.Start] == '"' {
		return v
	}
	return jsonspan.Span{}
}

// textOf returns the decoded string at a path, or "" if there is none.
//
//go:noinline
func textOf(src []byte, at jsonspan.Span, path string) string {
	return jsonspan.Text(src, stringAt(src, at, path))
}

// typeOf returns the type member of a block or a part, or "" if it has none.
//
//go:noinline
func typeOf(src []byte, at jsonspan.Span) string { return textOf(src, at, "type") }

// isTrue reports whether the value at a path is true.
//
//go:noinline
func isTrue(src []byte, at jsonspan.Span, path string) bool {
	return string(find(src, at, path).Slice(src)) == "true"
}

// usageKeys holds the keys under which an agent stores a provider's token counts. If a field has several keys,
// separated by spaces, their counts are added.
type usageKeys struct{ input, output, cacheRead, cacheWrite string }

// read reads the counts from the object at s. It returns zero counts for any other value.
func (k *usageKeys) read(s *jsonspan.Scanner) (u Usage) {
	if !isObject(s) {
		return u
	}
	members(s, func(key []byte) bool {
		for i, keys := range [...]string{k.input, k.output, k.cacheRead, k.cacheWrite} {
			to := [...]*int64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite}[i]
			if keys == string(key) {
				*to = tokenCount(s)
				return true
			}
			if strings.IndexByte(keys, ' ') > 0 && slices.Contains(strings.Fields(keys), string(key)) {
				*to += tokenCount(s)
				return true
			}
		}
		return false
	})
	return u
}

// uncached subtracts the cached tokens from Input if it is large enough, for counts whose input includes them.
func (u Usage) uncached() Usage {
	if cached := u.CacheRead + u.CacheWrite; u.Input >= cached {
		u.Input -= cached
	}
	return u
}
