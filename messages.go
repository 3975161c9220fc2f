package ctxfold

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ctxfold/ctxfold/api"
)

// ApplyEdits applies [Result].Edits to the caller's own list of messages and returns a new list. Kept messages are the
// same values as before, including anything that JSON can't represent. decode creates a value from the JSON of a
// changed or new message. It returns an error if edits are invalid or name messages that the list doesn't have, or if
// decode fails.
func ApplyEdits[T any](messages []T, edits json.RawMessage, decode func(json.RawMessage) (T, error)) ([]T, error) {
	var runs api.Edits
	if err := unmarshal("edits", edits, &runs); err != nil {
		return nil, err
	}
	out := make([]T, 0, len(messages))
	for i, r := range runs {
		switch {
		case r.Keep != nil:
			if len(r.Keep) != 2 || r.Keep[0] < 0 || r.Keep[1] < r.Keep[0] || r.Keep[1] > len(messages) {
				return nil, fmt.Errorf("ctxfold: edits[%d] keeps %v of %d messages", i, r.Keep, len(messages))
			}
			out = append(out, messages[r.Keep[0]:r.Keep[1]]...)
			continue
		case r.Set != nil && (*r.Set < 0 || *r.Set >= len(messages)):
			return nil, fmt.Errorf("ctxfold: edits[%d] sets message %d of %d", i, *r.Set, len(messages))
		case r.Set == nil:
			r.Message = r.Insert
		}
		m, err := decode(r.Message)
		if err != nil {
			return nil, fmt.Errorf("ctxfold: edits[%d]: %w", i, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// messageList is a JSON array of messages, split into its elements.
type messageList struct {
	items  []json.RawMessage
	starts []int  // the offset of each item in the caller's bytes
	text   []byte // the joined items, or the caller's bytes if something follows the array, which core then rejects
}

// split splits a JSON array into its messages. It doesn't validate them, because core does when it gets the whole list.
// An error has the offset in text.
func split(text []byte) (l messageList, err error) {
	const space = " \t\r\n"
	at := len(text) - len(bytes.TrimLeft(text, space))
	if at == len(text) || text[at] != '[' {
		return l, &Error{Code: api.CodeWrongType, Message: "the messages must be a JSON array", Path: "messages", Input: "messages", Offset: at}
	}
	depth, start := 0, at+1
	item := func() {
		m := bytes.TrimLeft(text[start:at], space)
		l.starts = append(l.starts, at-len(m))
		l.items = append(l.items, bytes.TrimRight(m, space))
		start = at + 1
	}
	for ; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '[', '{':
			depth++
		case ',':
			if depth == 1 {
				item()
			}
		case ']', '}':
			if depth--; depth > 0 {
				continue
			}
			if len(bytes.TrimLeft(text[at+1:], space)) > 0 {
				return messageList{text: text}, nil
			}
			if len(l.items) > 0 || len(bytes.TrimLeft(text[start:at], space)) > 0 {
				item()
			}
			l.text = join(l.items)
			return l, nil
		}
	}
	return l, &Error{Code: api.CodeTruncatedJSON, Message: "the list of messages is incomplete", Path: "messages", Input: "messages", Offset: len(text)}
}

// rebase converts the offset of an error in the joined messages to an offset in the caller's bytes.
func (l messageList) rebase(err error) error {
	var answer *Error
	if !errors.As(err, &answer) || answer.Input != "messages" {
		return err
	}
	rebased := *answer
	at := 1
	for i, m := range l.items {
		if rebased.Offset <= at+len(m) {
			rebased.Offset = l.starts[i] + max(0, rebased.Offset-at)
			break
		}
		at += len(m) + 1
	}
	return &rebased
}

// join returns a JSON array of messages. Their bytes are copied unchanged.
func join(messages []json.RawMessage) json.RawMessage {
	size := 2
	for _, m := range messages {
		size += len(m) + 1
	}
	list := append(make([]byte, 0, size), '[')
	for i, m := range messages {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, m...)
	}
	return append(list, ']')
}

// adopt copies messages into a new allocation, so that they don't keep the caller's buffer alive.
func adopt(messages []json.RawMessage) []json.RawMessage {
	text := join(messages)
	own := make([]json.RawMessage, len(messages))
	at := 1
	for i, m := range messages {
		own[i] = text[at : at+len(m) : at+len(m)]
		at += len(m) + 1
	}
	return own
}
