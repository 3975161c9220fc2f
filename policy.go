package ctxfold

import (
	"encoding/json"

	"github.com/ctxfold/ctxfold/internal/operations"
	"github.com/ctxfold/ctxfold/pass"
)

// RawPolicy returns a policy from its JSON (docs/reference/policy.md).
func RawPolicy[T ~string | ~[]byte](text T) Policy { return Policy{Raw: json.RawMessage(text)} }

// MarshalJSON returns the policy as JSON, in the form of docs/reference/policy.md. A policy with Raw is written as Raw,
// and its other fields are ignored.
func (p Policy) MarshalJSON() ([]byte, error) {
	if p.Raw != nil {
		return p.Raw, nil
	}
	return p.append(nil), nil
}

// UnmarshalJSON keeps the JSON of a policy in Raw and sets no other field. The policy is checked when it is first used,
// not here.
func (p *Policy) UnmarshalJSON(text []byte) error {
	*p = Policy{Raw: append(json.RawMessage(nil), text...)}
	return nil
}

// member returns the policy as a member of a request, with no value if the policy is empty.
func (p *Policy) member() member {
	m := member{key: operations.InPolicy, value: p.Raw}
	if p.Raw == nil {
		if m.value = p.append(nil); string(m.value) == "{}" {
			m.value = nil
		}
	}
	return m
}

func appendPin(dst []byte, p Pin) []byte { return p.append(dst) }

// appendPass appends the JSON of a pass to dst. A nil pass becomes null, which the core rejects.
func appendPass(dst []byte, p pass.Pass) []byte {
	if p == nil {
		return append(dst, "null"...)
	}
	return p.AppendJSON(dst)
}
