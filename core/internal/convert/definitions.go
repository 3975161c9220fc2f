package convert

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// definition is a tool definition. description and schema are JSON; schema is the schema of the arguments.
type definition struct {
	name                string // "" if it has none
	description, schema []byte // nil if missing
}

// definitions reads the tool definitions in a member of a request body: tools, functions or toolConfig. Tools that the
// provider runs itself are recorded as lost.
func (c *conversion) definitions(name string, value []byte) {
	if c.to.Tools == "" {
		c.recordLoss(-1, -1, "tools", api.LossTools, api.InsteadNothing, name)
		return
	}
	s := jsonspan.New(value)
	if s.Kind() == jsonspan.Object { // toolConfig
		for key := range s.Members {
			if string(key) == "tools" && s.Kind() == jsonspan.Array {
				c.definitionList(s)
			} else if member := string(key); isInformative(s.Skip()) {
				c.recordLoss(-1, -1, "member", api.LossBeside, api.InsteadNothing, member)
			}
		}
		return
	}
	if s.Kind() == jsonspan.Array {
		c.definitionList(s)
	}
}

// definitionList reads a list of tool definitions. Tools of the provider, which have no schema and no description, are
// recorded as lost, and so are cache breakpoints between tools.
func (c *conversion) definitionList(s *jsonspan.Scanner) {
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Skip()
			continue
		}
		d := definition{}
		d.read(c, s, 0)
		if d.name != "" && d.schema == nil && d.description == nil {
			why := api.LossServerTool
			if lossReason(d.name) == api.LossCacheMark {
				why = api.LossCacheMark
			}
			c.recordLoss(-1, -1, "tools", why, api.InsteadNothing, d.name)
		} else if d.name != "" {
			c.tools = append(c.tools, d)
		}
	}
}

// definitionMembers lists the members of a definition in any format. A member is only read if its value is of the right
// kind.
var definitionMembers []definitionMember

// definitionMember is a member of a definition.
type definitionMember struct {
	name  string                                 // the member's key
	kind  jsonspan.Kind                          // the kind that its value must have; a value of another kind isn't read
	outer bool                                   // only in the outermost object
	read  func(r *defining, s *jsonspan.Scanner) // reads the value at the scanner
}

func init() { // not in the declaration: definitions may be inside definitions
	definitionMembers = []definitionMember{
		{"name", jsonspan.String, false, func(r *defining, s *jsonspan.Scanner) {
			r.d.name = jsonspan.Text(s.Src(), s.Text().Span)
		}},
		{"type", jsonspan.String, false, func(r *defining, s *jsonspan.Scanner) {
			r.typ = jsonspan.Text(s.Src(), s.Text().Span)
		}},
		{"description", jsonspan.String, false, func(r *defining, s *jsonspan.Scanner) {
			r.d.description = jsonspan.AppendCompact(nil, s.Text().Slice(s.Src()))
		}},
		{"function", jsonspan.Object, true, (*defining).inner}, {"toolSpec", jsonspan.Object, true, (*defining).inner},
		{"functionDeclarations", jsonspan.Array, true, (*defining).declarations},
		{"function_declarations", jsonspan.Array, true, (*defining).declarations},
		{"inputSchema", jsonspan.Object, false, (*defining).inputSchema},
		{"parameters", jsonspan.Object, false, (*defining).schema},
		{"input_schema", jsonspan.Object, false, (*defining).schema},
		{"parametersJsonSchema", jsonspan.Object, false, (*defining).schema},
	}
}

// definitionMemberOf returns the definition member with the given name, or nil.
func definitionMemberOf(name string) *definitionMember {
	for i := range definitionMembers {
		if definitionMembers[i].name == name {
			return &definitionMembers[i]
		}
	}
	return nil
}

// defining is the state of reading one object that is a definition or part of one.
type defining struct {
	c     *conversion // records what is lost
	d     *definition // receives the definition
	depth int         // number of objects of the definition around this one
	typ   string      // the object's type, or the key that names a tool of the provider
	list  bool        // whether the object contains a list of definitions
}

// read reads a definition in the form of any format. depth is the number of objects around it that belong to the same
// definition.
func (d *definition) read(c *conversion, s *jsonspan.Scanner, depth int) {
	r := defining{c: c, d: d, depth: depth}
	for key := range s.Members {
		name := string(key)
		if m := definitionMemberOf(name); m != nil && s.Kind() == m.kind && !(m.outer && depth > 0) {
			m.read(&r, s)
			continue
		}
		v := s.Skip()
		switch {
		case name == "strict" || name == "index":
		case isInformative(v) && (depth > 0 || d.name != "" || d.schema != nil):
			c.recordLoss(-1, -1, "member", lossReason(name), api.InsteadNothing, name)
		case d.name == "" && r.typ == "" && v.Kind == jsonspan.Object:
			r.typ = name // {"googleSearch":{}}
		}
	}
	if depth == 0 && !r.list && d.name == "" {
		d.name = r.typ
	}
}

// inner reads a nested object that contains the definition.
func (r *defining) inner(s *jsonspan.Scanner) { r.d.read(r.c, s, r.depth+1) }

// declarations reads a list of definitions.
func (r *defining) declarations(s *jsonspan.Scanner) {
	r.list = true
	r.c.definitionList(s)
}

// schema reads the schema of the arguments.
func (r *defining) schema(s *jsonspan.Scanner) { r.d.schema = lowered(nil, s) }

// inputSchema reads the schema of the arguments, which may be nested in a member "json".
func (r *defining) inputSchema(s *jsonspan.Scanner) {
	r.d.schema = jsonspan.AppendCompact(nil, s.Skip().Slice(s.Src()))
	inner := jsonspan.New(r.d.schema)
	for key := range inner.Members {
		if string(key) == "json" && inner.Kind() == jsonspan.Object {
			r.d.schema = inner.Skip().Slice(r.d.schema)
		} else {
			inner.Skip()
		}
	}
}

// loweredType returns the name of a JSON Schema type, in lower case if it was in capitals.
func loweredType(typ string) string {
	switch typ {
	case "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL":
		return strings.ToLower(typ)
	}
	return typ
}

// loweredMember appends a member of a schema whose value is at the scanner.
func loweredMember(dst []byte, key string, s *jsonspan.Scanner) []byte {
	dst = append(jsonspan.AppendString(dst, key), ':')
	if key == "type" && s.Kind() == jsonspan.String {
		return jsonspan.AppendString(dst, loweredType(jsonspan.Text(s.Src(), s.Text().Span)))
	}
	return lowered(dst, s)
}

// lowered appends a schema, with type names in lower case as in JSON Schema; Gemini spells them in capitals.
func lowered(dst []byte, s *jsonspan.Scanner) []byte {
	switch s.Kind() {
	case jsonspan.Object:
		dst = append(dst, '{')
		first := true
		for key := range s.Members {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = loweredMember(dst, string(key), s)
		}
		return append(dst, '}')
	case jsonspan.Array:
		dst = append(dst, '[')
		for first := s.Array(); s.Elem(); first = false {
			if !first {
				dst = append(dst, ',')
			}
			dst = lowered(dst, s)
		}
		return append(dst, ']')
	}
	return jsonspan.AppendCompact(dst, s.Skip().Slice(s.Src()))
}

// appendTools appends the member of a request body that contains the tool definitions. A name that
// the target doesn't accept is changed and recorded as lost. A missing description becomes "", and
// a missing or too deep schema becomes that of an empty object.
func (c *conversion) appendTools(dst []byte) []byte {
	var list []byte
	template := c.f.Tool
	if c.to.Tool != "" {
		template = c.to.Tool
	}
	for i, d := range c.tools {
		v := wire.Values{'n': jsonspan.AppendString(nil, d.name), 'd': d.description, 'p': d.schema}
		if !c.to.ToolName.Accepts(d.name) {
			made := c.to.ToolName.Conform(d.name)
			c.recordLoss(-1, -1, "tools", api.LossNameForm, api.InsteadChanged, made)
			v['n'] = jsonspan.AppendString(nil, made)
		}
		if v['d'] == nil {
			v['d'] = []byte(`""`)
		}
		if v['p'] == nil || !isShallowJSON(v['p']) {
			v['p'] = []byte(`{"type":"object","properties":{}}`)
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = wire.FillTemplate(list, template, &v)
	}
	return wire.FillTemplate(dst, c.to.Tools, &wire.Values{'l': list})
}
