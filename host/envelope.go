package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// member is one key of a request, with the JSON of its value.
type member struct {
	key   string
	value []byte
	edit  edit
}

// envelope is a request, and where each of its members lies in it.
type envelope struct {
	request []byte
	starts  []int
	members []member
}

// newEnvelope writes a request. Members without a value are left out; messages go last, because the core reads a
// transcript in one pass when it has seen the policy before.
func newEnvelope(members ...member) envelope {
	size := 2
	for _, m := range members {
		size += len(m.key) + len(m.value) + len(`"":,`)
	}
	e := envelope{request: append(make([]byte, 0, size), '{')}
	for _, m := range members {
		if len(m.value) == 0 {
			continue
		}
		if len(e.members) > 0 {
			e.request = append(e.request, ',')
		}
		e.request = append(e.request, '"')
		e.request = append(e.request, m.key...)
		e.request = append(e.request, `":`...)
		e.starts = append(e.starts, len(e.request))
		e.members = append(e.members, m)
		e.request = append(e.request, m.value...)
	}
	e.request = append(e.request, '}')
	return e
}

// rebase makes the offset of an [*Error] count from the start of the caller's own bytes.
func (e envelope) rebase(err error) error {
	var answer *Error
	if !errors.As(err, &answer) {
		return err
	}
	rebased := *answer
	rebased.In, rebased.Offset = e.locate(answer.Path, answer.Offset)
	return &rebased
}

// locate says which member an offset of the request lies in, and where in the caller's bytes. The path names the member;
// what has no path (a syntax error can have none) belongs to the member that it lies in.
func (e envelope) locate(path string, offset int) (key string, at int) {
	root := path
	if i := strings.IndexAny(root, ".["); i >= 0 {
		root = root[:i]
	}
	for i, m := range e.members {
		at := offset - e.starts[i]
		if root == m.key || root == "" && at >= 0 && at <= len(m.value) {
			length := len(m.value) + len(m.edit.removed) - m.edit.inserted
			return m.key, min(max(m.edit.original(at), 0), length)
		}
	}
	return "", offset
}

// edit is one replacement in a text: inserted bytes stand at the offset at, where removed stood before.
type edit struct {
	at       int
	inserted int
	removed  []byte
}

// original gives the offset that the byte at offset had before the edit.
func (e edit) original(offset int) int {
	switch {
	case offset < e.at:
		return offset
	case offset < e.at+e.inserted:
		return e.at
	default:
		return offset - e.inserted + len(e.removed)
	}
}

// withLocalDigest gives the policy with "summary":{"mode":"local"}, all other bytes as they were. What is not a JSON
// object comes back unchanged, for the core to say what is wrong with it.
func withLocalDigest(policy []byte) ([]byte, edit) {
	const mode = `"local"`
	if len(bytes.TrimSpace(policy)) == 0 || string(bytes.TrimSpace(policy)) == "null" {
		text := []byte(`{"summary":{"mode":` + mode + `}}`)
		return text, edit{inserted: len(text), removed: policy}
	}
	open, summary, ok := find(policy, "summary")
	if !ok {
		return policy, edit{}
	}
	if summary.value == nil {
		return insertMember(policy, open, `"summary":{"mode":`+mode+`}`)
	}
	open, found, ok := find(summary.value, "mode")
	if !ok {
		return policy, edit{}
	}
	if found.value == nil {
		return insertMember(policy, summary.at+open, `"mode":`+mode)
	}
	return splice(policy, summary.at+found.at, len(found.value), mode)
}

func insertMember(text []byte, at int, member string) ([]byte, edit) {
	if rest := bytes.TrimLeft(text[at:], " \t\r\n"); rest[0] != '}' {
		member += ","
	}
	return splice(text, at, 0, member)
}

func splice(text []byte, at, remove int, insert string) ([]byte, edit) {
	out := make([]byte, 0, len(text)+len(insert))
	out = append(out, text[:at]...)
	out = append(out, insert...)
	out = append(out, text[at+remove:]...)
	return out, edit{at: at, inserted: len(insert), removed: text[at : at+remove]}
}

type found struct {
	at    int
	value []byte
}

// find looks for the value of key in a JSON object. open is the offset behind the object's brace. ok is false when
// object is not a JSON object.
func find(object []byte, key string) (open int, value found, ok bool) {
	if !json.Valid(object) {
		return 0, found{}, false
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return 0, found{}, false
	}
	open = int(d.InputOffset())
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return 0, found{}, false
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return 0, found{}, false
		}
		if name == key {
			return open, found{int(d.InputOffset()) - len(raw), raw}, true
		}
	}
	return open, found{}, true
}
