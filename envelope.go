package ctxfold

import (
	"errors"
	"strings"
)

// member is one key of a request, with the JSON of its value.
type member struct {
	key   string
	value []byte
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
			return m.key, min(max(at, 0), len(m.value))
		}
	}
	return "", offset
}

// member is the options as a member of a request: nothing where there are none.
func (o options) member() member {
	m := member{key: "options"}
	if o != (options{}) {
		m.value, _ = marshal(&o) // fails only where a custom marshaler does, and none of these can
	}
	return m
}

// member is the policy as a member of a request.
func (p *Policy) member() member { return member{key: "policy", value: p.text()} }
