package main

import "strings"

// policy defines the schemas of policies and passes. The defaults are those of the preset "default" and of the passes.
func (g *generator) policy() {
	g.optional = true
	defer func() { g.optional = false }()
	pass := &schema{Description: "A pass by its name, with its parameters."}
	g.defs = append(g.defs, member{"Pass", pass})
	for _, of := range known.PassInfo {
		pass.OneOf = append(pass.OneOf, g.pass(of))
	}
	g.define(g.named("Policy"))
	policy := g.defs.get("Policy")
	policy.Properties.get("format").Enum = append([]string{"auto"}, g.defs.get("Format").Enum...)
	for _, p := range known.Presets {
		if p.Name == "default" {
			g.defaults(policy, p.Policy)
		}
	}
}

// defaults gives the members of a schema the values in the preset "default" as their defaults.
func (g *generator) defaults(s *schema, values map[string]any) {
	for i, each := range s.Properties {
		v, ok := values[each.name]
		if !ok {
			continue
		}
		delete(values, each.name)
		p := each.value
		if inner, ok := v.(map[string]any); ok {
			for len(p.AllOf) == 1 {
				p = p.AllOf[0]
			}
			g.defaults(g.defs.get(strings.TrimPrefix(p.Ref, definitions)), inner)
			continue
		}
		if p.Ref != "" || len(p.AllOf) > 0 {
			s.Properties[i].value = &schema{Description: p.Description, AllOf: []*schema{{Ref: p.Ref}}, Default: v}
			if p.Ref == "" {
				s.Properties[i].value.AllOf = p.AllOf
			}
			continue
		}
		p.Default = v
	}
	for key := range values {
		fatal("the preset default has a key that no type has: " + key)
	}
}

// pass defines the schema of a pass by its declaration, and returns a reference to it.
func (g *generator) pass(of pass) *schema {
	defined, closedObject := camel(of.Name)+"Pass", false
	s := &schema{Description: of.Name + " " + of.Doc, Type: "object", Required: []string{"pass"}, Closed: &closedObject}
	s.Properties = members{{"pass", &schema{Const: &of.Name}}}
	for _, p := range of.Parameters {
		v := &schema{Description: p.Doc, Default: p.Default}
		switch p.Default.(type) {
		case string:
			v.Type, v.Enum = "string", choices(p.Doc)
		case bool:
			v.Type = "boolean"
		case float64:
			v.Type = "integer"
		default:
			v.Type, v.Items = "array", &schema{Type: "string"}
		}
		s.Properties = append(s.Properties, member{p.Name, v})
	}
	g.defs = append(g.defs, member{defined, s})
	return ref(defined)
}
