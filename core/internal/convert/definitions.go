package convert

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// definition is a tool definition: its name, and its description and argument schema as JSON.
type definition struct {
	name                string
	description, schema []byte
}

// definitions reads the tools, functions or toolConfig of a request body, and writes the functions among them in the target's form. Tools
// that the provider runs itself are left out.
func (c *conversion) definitions(name string, value []byte) {
	if c.to.Tools == "" {
		c.lose(-1, -1, "tools", api.LossTools, api.InsteadNothing, name)
		return
	}
	s := jsonspan.New(value)
	if s.Kind() == jsonspan.Object { // toolConfig
		for key := range s.Members {
			if string(key) == "tools" && s.Kind() == jsonspan.Array {
				c.definitionList(s)
			} else if member := string(key); says(s.Skip()) {
				c.lose(-1, -1, "member", api.LossBeside, api.InsteadNothing, member)
			}
		}
		return
	}
	if s.Kind() == jsonspan.Array {
		c.definitionList(s)
	}
}

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
			if reason(d.name) == api.LossCacheMark {
				why = api.LossCacheMark
			}
			c.lose(-1, -1, "tools", why, api.InsteadNothing, d.name)
		} else if d.name != "" {
			c.tools = append(c.tools, d)
		}
	}
}

// read reads one definition, in the shape of any format.
func (d *definition) read(c *conversion, s *jsonspan.Scanner, depth int) {
	typ, list := "", false
	for key := range s.Members {
		switch name := string(key); {
		case name == "name" && s.Kind() == jsonspan.String:
			d.name = jsonspan.Text(s.Src(), s.Text().Span)
		case name == "type" && s.Kind() == jsonspan.String:
			typ = jsonspan.Text(s.Src(), s.Text().Span)
		case name == "description" && s.Kind() == jsonspan.String:
			d.description = jsonspan.AppendCompact(nil, s.Text().Of(s.Src()))
		case (name == "function" || name == "toolSpec") && depth == 0 && s.Kind() == jsonspan.Object:
			d.read(c, s, depth+1)
		case (name == "functionDeclarations" || name == "function_declarations") && depth == 0 && s.Kind() == jsonspan.Array:
			list = true
			c.definitionList(s)
		case name == "inputSchema" && s.Kind() == jsonspan.Object:
			d.schema = jsonspan.AppendCompact(nil, s.Skip().Of(s.Src()))
			inner := jsonspan.New(d.schema)
			for key := range inner.Members {
				if string(key) == "json" && inner.Kind() == jsonspan.Object {
					d.schema = inner.Skip().Of(d.schema)
				} else {
					inner.Skip()
				}
			}
		case (name == "parameters" || name == "input_schema" || name == "parametersJsonSchema") && s.Kind() == jsonspan.Object:
			d.schema = lowered(nil, s)
		case name == "strict" || name == "index":
			s.Skip()
		default:
			if v := s.Skip(); says(v) && (depth > 0 || d.name != "" || d.schema != nil) {
				c.lose(-1, -1, "member", reason(name), api.InsteadNothing, name)
			} else if d.name == "" && typ == "" && v.Kind == jsonspan.Object {
				typ = name // {"googleSearch":{}}
			}
		}
	}
	if depth == 0 && !list && d.name == "" {
		d.name = typ
	}
}

// lowered appends a schema with the type names that Gemini spells in capitals in the lower case of JSON Schema.
func lowered(dst []byte, s *jsonspan.Scanner) []byte {
	switch s.Kind() {
	case jsonspan.Object:
		dst = append(dst, '{')
		first := true
		for s.Object(); ; first = false {
			key, ok := s.Key()
			if !ok {
				return append(dst, '}')
			}
			if !first {
				dst = append(dst, ',')
			}
			dst = append(jsonspan.AppendString(dst, key), ':')
			if string(key) != "type" || s.Kind() != jsonspan.String {
				dst = lowered(dst, s)
				continue
			}
			switch typ := jsonspan.Text(s.Src(), s.Text().Span); typ {
			case "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL":
				dst = jsonspan.AppendString(dst, strings.ToLower(typ))
			default:
				dst = jsonspan.AppendString(dst, typ)
			}
		}
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
	return jsonspan.AppendCompact(dst, s.Skip().Of(s.Src()))
}

// appendTools appends the member with the tool definitions of a request body.
func (c *conversion) appendTools(dst []byte) []byte {
	var list []byte
	template := c.f.Tool
	if c.to.Tool != "" {
		template = c.to.Tool
	}
	for i, d := range c.tools {
		v := wire.Values{'n': jsonspan.AppendString(nil, d.name), 'd': d.description, 'p': d.schema}
		if !c.to.ToolName.Fits(d.name) {
			made := c.to.ToolName.Made(d.name)
			c.lose(-1, -1, "tools", api.LossNameForm, api.InsteadChanged, made)
			v['n'] = jsonspan.AppendString(nil, made)
		}
		if v['d'] == nil {
			v['d'] = []byte(`""`)
		}
		if v['p'] == nil || !fits(v['p']) {
			v['p'] = []byte(`{"type":"object","properties":{}}`)
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = wire.Fill(list, template, &v)
	}
	return wire.Fill(dst, c.to.Tools, &wire.Values{'l': list})
}
