package sessionfile

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// quoted is text that appendJSON writes as a JSON string.
type quoted string

// appendJSON appends pieces of JSON: a string or []byte unchanged, a Span as the bytes of src that it marks, a quoted
// as a JSON string, and an int64 as a number.
func appendJSON(dst, src []byte, pieces ...any) []byte {
	for _, piece := range pieces {
		switch p := piece.(type) {
		case string:
			dst = append(dst, p...)
		case []byte:
			dst = append(dst, p...)
		case jsonspan.Span:
			dst = append(dst, p.Slice(src)...)
		case quoted:
			dst = jsonspan.AppendString(dst, string(p))
		case int64:
			dst = strconv.AppendInt(dst, p, 10)
		}
	}
	return dst
}

// appendFilled appends a JSON template in which $path is replaced with the string at that path of the object at a span.
// If there is no such string, it inserts the JSON between ? and ; after the path: $name?"none"; is the name, or "none".
func appendFilled(dst, src []byte, at jsonspan.Span, template string) []byte {
	for {
		before, rest, found := strings.Cut(template, "$")
		if dst = append(dst, before...); !found {
			return dst
		}
		end := strings.IndexAny(rest, ",}?")
		path, missing := rest[:end], ""
		if template = rest[end:]; template[0] == '?' {
			missing, template, _ = strings.Cut(template[1:], ";")
		}
		if v := stringAt(src, at, path); v.IsZero() {
			dst = append(dst, missing...)
		} else {
			dst = append(dst, v.Slice(src)...)
		}
	}
}

// member converts a member of an object: it changes the key or the value, or removes the member.
type member struct {
	key   string // the key in the file
	to    string // the new key; "" removes the member
	value string // the new value, as JSON; "" keeps the old value
	// with appends the new value of a member to dst. It is nil if the value is kept or given by value.
	with func(dst, src []byte, value jsonspan.Span) []byte
}

// rename is a table of conversions. Members that aren't in the table stay unchanged.
type rename []member

// withoutKeys returns a table that removes the members with the given keys, which are separated by spaces.
//
//go:noinline
func withoutKeys(keys string) (t rename) {
	for _, key := range strings.Fields(keys) {
		t = append(t, member{key: key})
	}
	return t
}

// withValue returns the table with one more conversion: the member with this key gets a new value, which is JSON.
//
//go:noinline
func (t rename) withValue(key, value string) rename {
	return append(t, member{key: key, to: key, value: value})
}

// conversionOf returns the conversion for a key, or nil if there is none.
func (t rename) conversionOf(key []byte) *member {
	for i := range t {
		if t[i].key == string(key) {
			return &t[i]
		}
	}
	return nil
}

// appendChanged is like appendObject, but copies the object byte for byte if find returns nil for all members.
func appendChanged(dst, src []byte, at jsonspan.Span, find func(key []byte) *member) []byte {
	changes := false
	if src[at.Start] == '{' {
		members(scanner(src, at.Start), func(key []byte) bool { changes = changes || find(key) != nil; return false })
	}
	if !changes {
		return append(dst, at.Slice(src)...)
	}
	return appendObject(dst, src, at, find)
}

// appendObject appends the object at a span. Each member is converted as find specifies for its key; if find returns
// nil, the member is copied byte for byte. White space between members is not copied.
func appendObject(dst, src []byte, at jsonspan.Span, find func(key []byte) *member) []byte {
	s := scanner(src, at.Start)
	dst = append(dst, '{')
	first := len(dst)
	members(s, func(key []byte) bool {
		m := find(key)
		from := s.KeyPos()
		v := s.Skip().Span
		if m != nil && m.to == "" {
			return true
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		if m == nil {
			dst = append(dst, src[from:v.End]...)
			return true
		}
		dst = append(jsonspan.AppendString(dst, m.to), ':')
		switch {
		case m.with != nil:
			dst = m.with(dst, src, v)
		case m.value != "":
			dst = append(dst, m.value...)
		default:
			dst = append(dst, v.Slice(src)...)
		}
		return true
	})
	return append(dst, '}')
}

// appendList appends the list at a span, calling appendItem for each item. Any other value is copied.
func appendList(dst, src []byte, at jsonspan.Span, appendItem func(dst, src []byte, item jsonspan.Span) []byte) []byte {
	if src[at.Start] != '[' {
		return append(dst, at.Slice(src)...)
	}
	dst = append(dst, '[')
	for i, item := range items(src, at) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendItem(dst, src, item)
	}
	return append(dst, ']')
}

// withoutBrace removes the closing brace from the object at the end of dst, so that the caller can append
// `,"key":value}`.
func withoutBrace(dst []byte) []byte { return dst[:len(dst)-1] }
