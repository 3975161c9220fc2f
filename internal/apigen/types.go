package main

import (
	"fmt"
	"go/types"
	"reflect"
	"regexp"
	"strings"
)

// generator creates definitions of types.
type generator struct {
	*source
	defs     members
	defined  []*types.Named
	optional bool // the types being read are those of a policy, where no key is required
	offers   bool // the comment on a string may list its possible values
}

// define returns a reference to the definition of a struct. If there is no such definition yet, define creates it.
func (g *generator) define(t *types.Named) *schema {
	name := nameOf(t)
	if g.defs.get(name) == nil {
		s := new(schema)
		g.defs = append(g.defs, member{name, s}) // before its members, which may be of the same type
		*s = *g.object(t, name)
		s.Description = g.comment(t)
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

// object returns the schema of a struct. In answers, keys with omitempty are optional; in a policy all keys are. The
// struct tag `is` names the type of a value if the Go type is less specific.
func (g *generator) object(t *types.Named, name string) *schema {
	closedObject, outer := false, g.offers
	g.offers = g.optional || strings.HasSuffix(name, "Options")
	defer func() { g.offers = outer }()
	s := &schema{Type: "object", Closed: &closedObject}
	fields := t.Underlying().(*types.Struct)
	for i := range fields.NumFields() {
		tag := reflect.StructTag(fields.Tag(i))
		key, options, _ := strings.Cut(tag.Get("json"), ",")
		is := tag.Get("is")
		if key == "" || key == "-" || is == "-" {
			continue
		}
		field := fields.Field(i)
		doc := renamed(g.comments[field.Pos()], field.Name(), key)
		var v *schema
		if is != "" {
			v = g.said(is)
		} else {
			v = g.value(field.Type(), doc)
		}
		s.Properties = append(s.Properties, member{key, v.about(doc)})
		if !strings.Contains(options, "omitempty") && !g.optional {
			s.Required = append(s.Required, key)
		}
	}
	return s
}

// said returns the schema of the type with the given name, which is a name in Go or JSON. The prefix [] means a list, and the suffix |
// also allows "".
func (g *generator) said(is string) *schema {
	if of, ok := strings.CutPrefix(is, "[]"); ok {
		return &schema{Type: "array", Items: g.said(of)}
	}
	if of, ok := strings.CutSuffix(is, "|"); ok {
		return &schema{OneOf: []*schema{g.said(of), {Const: new(string)}}}
	}
	switch {
	case is == "any":
		return &schema{}
	case is == "string" || is == "integer" || is == "object":
		return &schema{Type: is}
	case g.defs.get(is) != nil:
		return ref(is)
	}
	return g.value(g.named(is), "")
}

// value returns the schema of a type. In policies and options, a string whose comment lists its possible values becomes an enum.
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
			name := nameOf(t)
			if g.defs.get(name) == nil {
				if words := texts(g.constants(t)); len(words) > 0 {
					g.words(t, words)
				}
			}
			if g.defs.get(name) != nil {
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

// comment returns the description of a type. It begins with the name of the type's definition.
func (g *generator) comment(t *types.Named) string {
	doc := g.comments[t.Obj().Pos()]
	if own := names[t.Obj().Name()]; own != "" {
		return renamed(doc, t.Obj().Name(), own)
	}
	return doc
}

// words defines the schema of a set of words.
func (g *generator) words(t *types.Named, words []string) {
	for _, name := range more[t.Obj().Name()] {
		if of := g.defs.get(name); of != nil {
			words = append(words, of.Enum...)
		} else {
			words = append(words, texts(g.constants(g.named(name)))...)
		}
	}
	g.defs = append(g.defs, member{nameOf(t), &schema{Description: g.comment(t), Type: "string", Enum: words}})
}

// choices returns the values that a comment lists, as in `is "a" (…) or "b"`, or nil if it lists fewer than two.
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

// renamed returns a comment with its first word, which is the Go name, replaced by the key.
func renamed(doc, name, key string) string {
	if rest, ok := strings.CutPrefix(doc, name+" "); ok {
		return key + " " + rest
	}
	return doc
}
