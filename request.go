package ctxfold

import (
	"errors"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// member is one member of a request: its key and its value as JSON.
type member struct {
	key   operations.Member
	value []byte
}

// name returns the key of the member as a string.
func (m *member) name() string { return operations.MemberTable[m.key].Name }

// envelope is a request, with the offset of each of its members.
type envelope struct {
	request []byte
	starts  []int
	members []member
}

// newEnvelope returns a request with the given members. Members without a value are omitted. The messages should come
// last, because the core can read a transcript in one pass only if it already knows the policy.
func newEnvelope(members ...member) envelope {
	size := 2
	for _, m := range members {
		size += len(m.name()) + len(m.value) + len(`"":,`)
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
		e.request = append(e.request, m.name()...)
		e.request = append(e.request, `":`...)
		e.starts = append(e.starts, len(e.request))
		e.members = append(e.members, m)
		e.request = append(e.request, m.value...)
	}
	e.request = append(e.request, '}')
	return e
}

// rebase converts the offset of an [*Error] to an offset in the caller's own bytes.
func (e envelope) rebase(err error) error {
	var answer *Error
	if !errors.As(err, &answer) {
		return err
	}
	rebased := *answer
	rebased.Input, rebased.Offset = e.locate(answer.Path, answer.Offset)
	return &rebased
}

// locate returns the member that an error belongs to, and the offset of the error in the caller's bytes. The path
// names the member; an error without a path, such as a syntax error, belongs to the member that contains its offset.
func (e envelope) locate(path string, offset int) (key string, at int) {
	root := root(path)
	for i, m := range e.members {
		at := offset - e.starts[i]
		if root == m.name() || root == "" && at >= 0 && at <= len(m.value) {
			return m.name(), min(max(at, 0), len(m.value))
		}
	}
	return "", offset
}

// optionsMember returns the options as a member of a request, with no value if no option is set.
func optionsMember(o api.Options) member {
	m := member{key: operations.InOptions}
	if o != (api.Options{}) {
		m.value = marshal(&o)
	}
	return m
}
