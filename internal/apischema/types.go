package main

import (
	"fmt"
	"go/types"
	"reflect"
	"regexp"
	"strings"
)

// generator makes definitions of types.
type generator struct {
	*source
	defs     members
	defined  []*types.Named
	optional bool // the types of a policy are read: no key is required
	offers   bool // comments offer the words that a text may be
}

// define is the reference to the definition of a struct, which is made where it is not there yet.
func (g *generator) define(t *types.Named) *schema {
	name := nameOf(t)
	if g.defs.get(name) == nil {
		s := new(schema)
		g.defs = append(g.defs, member{name, s}) // before its members, which may be of the same type
		*s = *g.object(t, name)
		s.Description = g.comments[t.Obj().Pos()]
		g.defined = append(g.defined, t)
	}
	for _, other := range g.defined {
		if nameOf(other) == name && other.Obj() != t.Obj() {
			fatal(fmt.Sprintf("%v and %v would both be %s", t, other, name))
		}
	}
	return ref(name)
}

func nameOf(t *types.Named) string {
	name := t.Obj().Name()
	if own := names[t.Obj().Pkg().Name()+"."+name]; own != "" {
		return own
	}
	if own := names[name]; own != "" {
		return own
	}
	return name
}

// object is the schema of a struct. A key that may be left out of an answer is not required; of a policy none is.
func (g *generator) object(t *types.Named, name string) *schema {
	closedObject, outer := false, g.offers
	g.offers = g.optional || strings.HasSuffix(name, "Options")
	defer func() { g.offers = outer }()
	s := &schema{Type: "object", Closed: &closedObject}
	fields := t.Underlying().(*types.Struct)
	for i := range fields.NumFields() {
		key, options, _ := strings.Cut(reflect.StructTag(fields.Tag(i)).Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		field := fields.Field(i)
		doc := renamed(g.comments[field.Pos()], field.Name(), key)
		v := g.value(field.Type(), doc)
		other, known := closed[name+"."+key]
		if known && other == nil {
			continue
		}
		switch other := other.(type) {
		case string:
			v = ref(other)
		case *schema:
			v = other
		}
		s.Properties = append(s.Properties, member{key, v.about(doc)})
		if !strings.Contains(options, "omitempty") && !g.optional {
			s.Required = append(s.Required, key)
		}
	}
	return s
}

// value is the schema of a type, and in a policy and in options of a text for which its comment offers words.
func (g *generator) value(t types.Type, doc string) *schema {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return g.value(t.Elem(), doc)
	case *types.Slice:
		return &schema{Type: "array", Items: g.value(t.Elem(), "")}
	case *types.Basic:
		switch t.Kind() {
		case types.String:
			s := &schema{Type: "string"}
			if g.offers {
				s.Enum = choices(doc)
			}
			return s
		case types.Bool:
			return &schema{Type: "boolean"}
		case types.Int, types.Int32, types.Int64, types.Uint32, types.Uint64:
			return &schema{Type: "integer"}
		case types.Float64:
			return &schema{Type: "number"}
		}
	case *types.Named:
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if g.defs.get(t.Obj().Name()) != nil && t.Obj().Name() == "Pass" {
				return ref("Pass")
			}
			return g.define(t)
		case *types.Basic:
			words, name := g.constants(t), nameOf(t)
			if name == "DecisionName" { // what became of a message is what was done to it, too
				words = append(words, g.constants(g.named("ActionName"))...)
			}
			if u.Kind() == types.String && (len(words) > 0 || g.defs.get(name) != nil) {
				if g.defs.get(name) == nil {
					g.defs = append(g.defs, member{name, &schema{Description: g.comments[t.Obj().Pos()], Type: "string", Enum: words}})
				}
				return ref(name)
			}
			return g.value(u, doc)
		case *types.Slice:
			if b, ok := u.Elem().(*types.Basic); ok && b.Kind() == types.Byte { // JSON that is carried along
				return &schema{}
			}
			return g.value(u, doc)
		}
	}
	fatal(fmt.Sprintf("a type that has no schema: %v", t))
	return nil
}

// choices are the words that a comment offers: `is "a" (…) or "b"`. Only where there are two or more there is a choice.
func choices(doc string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`"([a-z_0-9-]*)"`).FindAllStringSubmatch(doc, -1) {
		words = append(words, m[1])
	}
	if len(words) < 2 {
		return nil
	}
	return words
}

// plain is a comment as one line, without the numbers of rows and what is meant for tools.
func plain(doc string) string {
	doc, _, _ = strings.Cut(doc, "\neasyjson:")
	doc = strings.Join(strings.Fields(doc), " ")
	return regexp.MustCompile(` \(S\d\.\d+[^)]*\)`).ReplaceAllString(doc, "")
}

// renamed is a comment that begins with the name of the key in the place of the Go name.
func renamed(doc, name, key string) string {
	if rest, ok := strings.CutPrefix(doc, name+" "); ok {
		return key + " " + rest
	}
	return doc
}

// policy defines policies and passes, with the defaults of the preset "default" and of the passes.
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

// defaults sets what the preset default gives.
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

// pass is the schema of a pass, by what it has declared.
func (g *generator) pass(of pass) *schema {
	var camel strings.Builder
	for _, word := range strings.Split(of.Name, "_") {
		camel.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	defined, closedObject := camel.String()+"Pass", false
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
