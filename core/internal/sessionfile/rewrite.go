package sessionfile

import "github.com/ctxfold/ctxfold/core/internal/jsonspan"

// member says how to convert a member of an object: to another key, another value, or nothing.
type member struct {
	key   string // as it is in the file
	to    string // the new key; "" takes the member out
	value string // the new value as JSON; "" keeps it
	with  func(dst, src []byte, value jsonspan.Span) []byte
}

// rename is a table of members; those that it does not name stay as they are.
type rename []member

func (t rename) find(key []byte) *member {
	for i := range t {
		if t[i].key == string(key) {
			return &t[i]
		}
	}
	return nil
}

// appendObject appends the object at a span with its members changed by find, which returns nil for those to keep. What is
// kept is copied byte for byte.
func appendObject(dst, src []byte, at jsonspan.Span, find func(key []byte) *member) []byte {
	s := jsonspan.New(src).At(at.Start)
	s.Lenient = true
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
