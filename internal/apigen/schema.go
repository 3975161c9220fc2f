package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// schema is the part of JSON Schema that apigen needs.
type schema struct {
	Schema      string    `json:"$schema,omitempty"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Ref         string    `json:"$ref,omitempty"`
	AllOf       []*schema `json:"allOf,omitempty"` // one element: a reference with a description of its own
	Const       *string   `json:"const,omitempty"`
	Type        string    `json:"type,omitempty"`
	Enum        []string  `json:"enum,omitempty"`
	Default     any       `json:"default,omitempty"`
	Items       *schema   `json:"items,omitempty"`
	Least       *int      `json:"minItems,omitempty"`
	Most        *int      `json:"maxItems,omitempty"`
	OneOf       []*schema `json:"oneOf,omitempty"`
	Properties  members   `json:"properties,omitempty"`
	Required    []string  `json:"required,omitempty"`
	Closed      *bool     `json:"additionalProperties,omitempty"`
	Defs        members   `json:"$defs,omitempty"`
}

// text returns the schema as indented JSON, for a file.
func (s *schema) text() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	check(e.Encode(s))
	return b.Bytes()
}

// members are named schemas in a fixed order.
type members []member

type member struct {
	name  string
	value *schema
}

func (m members) get(name string) *schema {
	for _, each := range m {
		if each.name == name {
			return each.value
		}
	}
	return nil
}

// MarshalJSON writes the members as an object, in order.
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, each := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, part := range []any{each.name, each.value} {
			if j > 0 {
				b.WriteByte(':')
			}
			text, err := json.Marshal(part)
			if err != nil {
				return nil, err
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// ref returns a reference to a definition.
func ref(name string) *schema { return &schema{Ref: definitions + name} }

const (
	definitions = "#/$defs/"
	draft       = "https://json-schema.org/draft/2020-12/schema"
)

// about returns the schema with a description. A reference is wrapped in allOf, so that the definition that it refers to keeps its own
// description.
func (s *schema) about(text string) *schema {
	if text == "" {
		return s
	}
	if s.Ref != "" {
		return &schema{Description: text, AllOf: []*schema{s}}
	}
	s.Description = text
	return s
}

// inlined returns the schema with references replaced by the definitions that they refer to.
func (s *schema) inlined(defs members) *schema {
	if s == nil {
		return nil
	}
	to := s.Ref
	if len(s.AllOf) == 1 {
		to = s.AllOf[0].Ref
	}
	if name, ok := strings.CutPrefix(to, definitions); ok {
		out := defs.get(name).inlined(defs)
		if s.Description != "" {
			out.Description = s.Description
		}
		if s.Default != nil {
			out.Default = s.Default
		}
		return out
	}
	out := *s
	out.Items, out.OneOf, out.Properties = s.Items.inlined(defs), nil, nil
	for _, each := range s.OneOf {
		out.OneOf = append(out.OneOf, each.inlined(defs))
	}
	for _, each := range s.Properties {
		out.Properties = append(out.Properties, member{each.name, each.value.inlined(defs)})
	}
	return &out
}
