package sessionfile

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// quoted is a text that appendJSON writes as a JSON string.
type quoted string

// appendJSON appends pieces of JSON: a string or []byte unchanged, a Span as the bytes of src that it names, a quoted as a JSON string, an
// int64 as a number.
func appendJSON(dst, src []byte, pieces ...any) []byte {
	for _, piece := range pieces {
		switch p := piece.(type) {
		case string:
			dst = append(dst, p...)
		case []byte:
			dst = append(dst, p...)
		case jsonspan.Span:
			dst = append(dst, p.Of(src)...)
		case quoted:
			dst = jsonspan.AppendString(dst, string(p))
		case int64:
			dst = strconv.AppendInt(dst, p, 10)
		}
	}
	return dst
}

// appendFilled appends a JSON template. $path in it stands for the string at that path of the object at a span. If there is no such string,
// the JSON between ? and ; after the path is used: $name?"none"; is the name, or "none".
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
		if v := stringAt(src, at, path); v.Zero() {
			dst = append(dst, missing...)
		} else {
			dst = append(dst, v.Of(src)...)
		}
	}
}

// member says how to convert a member of an object: to another key, another value, or nothing.
type member struct {
	key   string // the key in the file
	to    string // the new key; "" removes the member
	value string // the new value as JSON; "" keeps it
	with  func(dst, src []byte, value jsonspan.Span) []byte
}

// rename is a table of members. Members that it does not list stay unchanged.
type rename []member

// without returns a table that removes members. keys are separated by spaces.
func without(keys string) (t rename) {
	for _, key := range strings.Fields(keys) {
		t = append(t, member{key: key})
	}
	return t
}

// set adds a member that gets a new value, as JSON.
func (t rename) set(key, value string) rename {
	return append(t, member{key: key, to: key, value: value})
}

// find returns the entry for a key, or nil.
func (t rename) find(key []byte) *member {
	for i := range t {
		if t[i].key == string(key) {
			return &t[i]
		}
	}
	return nil
}

// appendChanged appends the object at a span as appendObject does, but byte for byte if find changes none of its members.
func appendChanged(dst, src []byte, at jsonspan.Span, find func(key []byte) *member) []byte {
	changes := false
	if src[at.Start] == '{' {
		members(scanner(src, at.Start), func(key []byte) bool { changes = changes || find(key) != nil; return false })
	}
	if !changes {
		return append(dst, at.Of(src)...)
	}
	return appendObject(dst, src, at, find)
}

// appendObject appends the object at a span with its members changed by find, which returns nil for those to keep. Members that stay are
// copied byte for byte; the white space between members is not.
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
			dst = append(dst, v.Of(src)...)
		}
		return true
	})
	return append(dst, '}')
}

// appendList appends the list at a span with each item written by one. Anything but a list is copied.
func appendList(dst, src []byte, at jsonspan.Span, one func(dst, src []byte, item jsonspan.Span) []byte) []byte {
	if src[at.Start] != '[' {
		return append(dst, at.Of(src)...)
	}
	dst = append(dst, '[')
	for i, item := range items(src, at) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, src, item)
	}
	return append(dst, ']')
}

// hole removes the closing brace of the object that dst ends with, so that members can be appended in the form `,"key":value}`.
func hole(dst []byte) []byte { return dst[:len(dst)-1] }
