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
	edits edits
}

// set changes the value, which is an object, and remembers how.
func (m *member) set(value string, path ...string) {
	changed, how := with(m.value, value, path...)
	m.value, m.edits = changed, append(m.edits, how...)
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
			return m.key, min(max(m.edits.original(at), 0), len(m.value)-m.edits.grown())
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

// edits are replacements that were made one after the other.
type edits []edit

// original gives the offset that the byte at offset had before the edits.
func (es edits) original(offset int) int {
	for i := len(es) - 1; i >= 0; i-- {
		offset = es[i].original(offset)
	}
	return offset
}

// grown is how many bytes longer the text has become.
func (es edits) grown() (n int) {
	for _, e := range es {
		n += e.inserted - len(e.removed)
	}
	return n
}

// with gives the object with path set to value, which is JSON, and all other bytes as they were. Objects on the way are
// made where they are not there. What is not a JSON object comes back unchanged, for the core to say what is wrong with it.
func with(object []byte, value string, path ...string) ([]byte, edits) {
	if text := bytes.TrimSpace(object); len(text) == 0 || string(text) == "null" {
		made := []byte(nested(value, path))
		return made, edits{{inserted: len(made), removed: object}}
	}
	at, inside := 0, object
	for i, key := range path {
		open, found, ok := find(inside, key)
		switch {
		case !ok:
			return object, nil
		case found.value == nil:
			return insertMember(object, at+open, `"`+key+`":`+nested(value, path[i+1:]))
		case i == len(path)-1:
			return splice(object, at+found.at, len(found.value), value)
		}
		at, inside = at+found.at, found.value
	}
	return object, nil
}

// nested is value inside as many objects as path has keys.
func nested(value string, path []string) string {
	for i := len(path) - 1; i >= 0; i-- {
		value = `{"` + path[i] + `":` + value + `}`
	}
	return value
}

func insertMember(text []byte, at int, member string) ([]byte, edits) {
	if rest := bytes.TrimLeft(text[at:], " \t\r\n"); rest[0] != '}' {
		member += ","
	}
	return splice(text, at, 0, member)
}

func splice(text []byte, at, remove int, insert string) ([]byte, edits) {
	out := make([]byte, 0, len(text)+len(insert))
	out = append(out, text[:at]...)
	out = append(out, insert...)
	out = append(out, text[at+remove:]...)
	return out, edits{{at: at, inserted: len(insert), removed: text[at : at+remove]}}
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
