package loop

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// lists holds the members of request bodies that can contain the messages.
var lists = [...]string{"messages", "input", "contents"}

// sentAfter returns the request to send if a summary request is appended to the conversation: given, a list of
// messages or a body that contains one, with the request's edits and its changes to the body applied. It returns nil
// if there are no messages.
func sentAfter(given []byte, conversation members) api.Raw {
	if len(given) == 0 {
		return nil
	}
	if given[0] == '[' {
		return appendEdited(nil, elementsOf(given), conversation.valueOf("edits"))
	}
	body := readMembers(given)
	for _, name := range lists {
		list := body.valueOf(name)
		if len(list) == 0 || list[0] != '[' {
			continue
		}
		edited := appendEdited(nil, elementsOf(list), conversation.valueOf("edits"))
		return appendPatched(nil, given, objectOf(conversation.valueOf("body"), name, edited))
	}
	return nil
}

// objectOf returns the object with the member name moved to its beginning, or added there, and set to value.
func objectOf(object []byte, name string, value []byte) []byte {
	dst := jsonspan.AppendString([]byte{'{'}, name)
	dst = append(append(dst, ':'), value...)
	eachMember(object, func(other, v []byte) {
		if string(other) != name {
			dst = append(jsonspan.AppendString(append(dst, ','), other), ':')
			dst = append(dst, v...)
		}
	})
	return append(dst, '}')
}

// appendEdited appends the list of messages with the edits applied.
func appendEdited(dst []byte, messages [][]byte, edits []byte) []byte {
	dst = append(dst, '[')
	write := func(message []byte) {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = append(dst, message...)
	}
	for _, edit := range elementsOf(edits) {
		m := readMembers(edit)
		switch ends := elementsOf(m.valueOf("keep")); {
		case len(ends) == 2:
			for i := numberOf(ends[0]); i < min(numberOf(ends[1]), len(messages)); i++ {
				write(messages[i])
			}
		case m.valueOf("insert") != nil:
			write(m.valueOf("insert"))
		case m.valueOf("message") != nil:
			write(m.valueOf("message"))
		}
	}
	return append(dst, ']')
}

// appendPatched appends an object with a JSON Merge Patch (RFC 7396) applied. Members keep their order and their
// bytes.
func appendPatched(dst, target, patch []byte) []byte {
	changes := readMembers(patch)
	there := readMembers(target)
	dst = append(dst, '{')
	empty := true
	write := func(name, value []byte) {
		if !empty {
			dst = append(dst, ',')
		}
		empty = false
		dst = append(jsonspan.AppendString(dst, name), ':')
		dst = append(dst, value...)
	}
	patched := func(old, change []byte) []byte {
		switch {
		case change[0] != '{':
			return change
		case len(old) == 0 || old[0] != '{':
			return appendPatched(nil, []byte("{}"), change)
		}
		return appendPatched(nil, old, change)
	}
	eachMember(target, func(name, value []byte) {
		switch change := changes.valueOf(string(name)); {
		case change == nil:
			write(name, value)
		case string(change) != "null":
			write(name, patched(value, change))
		}
	})
	eachMember(patch, func(name, value []byte) {
		if there.valueOf(string(name)) == nil && string(value) != "null" {
			write(name, patched(nil, value))
		}
	})
	return append(dst, '}')
}

// eachMember calls yield with each member of an object, in order.
func eachMember(json []byte, yield func(name, value []byte)) {
	if len(json) == 0 || json[0] != '{' {
		return
	}
	s := jsonspan.New(json)
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			return
		}
		v := s.Skip()
		if s.Err() != nil {
			return
		}
		yield(key, json[v.Start:v.End])
	}
}
