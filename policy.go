package ctxfold

import "encoding/json"

// RawPolicy is a policy that is there as JSON already (docs/POLICY.md).
func RawPolicy[T ~string | ~[]byte](text T) Policy { return Policy{Raw: json.RawMessage(text)} }

// Pass is a step of a compaction with its parameters, such as [FoldPass] or [ClearPass]; a [RawPass] is any other one.
type Pass interface {
	// pass is its name.
	pass() string
}

// RawPass is a pass as JSON, with its name: for one that this package does not know.
type RawPass json.RawMessage

func (RawPass) pass() string { return "" }

// MarshalJSON writes the policy as docs/POLICY.md has it.
func (p Policy) MarshalJSON() ([]byte, error) {
	if text := p.text(); text != nil {
		return text, nil
	}
	return []byte("{}"), nil
}

// UnmarshalJSON keeps the JSON of a policy in Raw, and reads no field.
func (p *Policy) UnmarshalJSON(text []byte) error {
	*p = Policy{Raw: append(json.RawMessage(nil), text...)}
	return nil
}

// text is the policy as JSON; nothing where it says nothing.
func (p *Policy) text() []byte {
	if p.Raw != nil {
		return p.Raw
	}
	type fields Policy // without its methods
	out := struct {
		fields
		Passes []json.RawMessage `json:"passes,omitzero"` // in the place of those of fields
	}{fields: fields(*p)}
	if p.Passes != nil {
		out.Passes = []json.RawMessage{}
	}
	for _, pass := range p.Passes {
		out.Passes = append(out.Passes, passJSON(pass))
	}
	if text := encode(out); string(text) != "{}" {
		return text
	}
	return nil
}

// passJSON writes a pass with its name in front. Of none it writes null, which the core refuses.
func passJSON(p Pass) json.RawMessage {
	if raw, ok := p.(RawPass); ok {
		return json.RawMessage(raw)
	}
	text := encode(p)
	if p == nil || len(text) < 2 || text[0] != '{' {
		return json.RawMessage("null")
	}
	with := append([]byte(`{"pass":"`), p.pass()...)
	if with = append(with, '"'); text[1] != '}' {
		with = append(with, ',')
	}
	return append(with, text[1:]...)
}

// encode writes a value. What JSON cannot hold (a ratio that is no number, a raw pass that is no JSON) is written as null: the core
// refuses it, and says where.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return text
}
