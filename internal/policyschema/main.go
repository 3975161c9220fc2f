// Command policyschema writes the JSON Schema of policies from the Go types of packages policy and compact: keys, types, what
// they mean (the comments) and what counts where a policy does not give them.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/ctxfold/ctxfold/core"
)

// schema is the part of JSON Schema that policies need. encoding/json writes maps in the order of their keys.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Const       string             `json:"const,omitempty"`
	Type        string             `json:"type,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Default     any                `json:"default,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	OneOf       []*schema          `json:"oneOf,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Closed      *bool              `json:"additionalProperties,omitempty"`
}

// pkg is a package with its types and comments.
type pkg struct {
	files []*ast.File
	info  types.Info
	docs  map[string]*ast.StructType
	about map[string]string
}

func main() {
	if len(os.Args) != 3 {
		fatal("usage: policyschema CORE FILE")
	}
	fset := token.NewFileSet()
	of := importer.ForCompiler(fset, "source", nil)
	policies := load(fset, of, filepath.Join(os.Args[1], "policy"))
	passes := load(fset, of, filepath.Join(os.Args[1], "compact"))

	var known struct {
		Formats []struct{ Name string }
		Presets []struct {
			Name   string
			Policy map[string]any
		}
		Estimators []string
		Passes     []string
	}
	if err := json.Unmarshal(core.Call("info", []byte("{}")), &known); err != nil {
		fatal(err)
	}
	root := policies.object("Policy")
	root.Schema, root.Title = "https://json-schema.org/draft/2020-12/schema", "The policy of a compaction"
	root.Description = policies.about["Policy"]
	root.Properties["format"].Enum = []string{"auto"}
	for _, f := range known.Formats {
		root.Properties["format"].Enum = append(root.Properties["format"].Enum, f.Name)
	}
	for _, p := range known.Presets {
		root.Properties["preset"].Enum = append(root.Properties["preset"].Enum, p.Name)
		if p.Name == "default" {
			withDefaults(root, p.Policy)
		}
	}
	root.Properties["estimator"].Enum = known.Estimators
	list := root.Properties["passes"].Items
	*list = schema{}
	for _, name := range known.Passes {
		list.OneOf = append(list.OneOf, passes.pass(name))
	}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		fatal(err)
	}
	if err := os.WriteFile(os.Args[2], append(out, '\n'), 0o644); err != nil {
		fatal(err)
	}
}

func fatal(what any) {
	fmt.Fprintln(os.Stderr, "policyschema:", what)
	os.Exit(1)
}

func load(fset *token.FileSet, of types.Importer, dir string) *pkg {
	p := &pkg{info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}}, docs: map[string]*ast.StructType{}, about: map[string]string{}}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		fatal(fmt.Sprint("no files in ", dir, " ", err))
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			fatal(err)
		}
		p.files = append(p.files, file)
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					if fields, ok := t.Type.(*ast.StructType); ok {
						p.docs[t.Name.Name], p.about[t.Name.Name] = fields, plain(g.Doc.Text())
					}
				}
			}
		}
	}
	config := types.Config{Importer: of, Error: func(err error) { fatal(err) }}
	if _, err := config.Check(dir, fset, p.files, &p.info); err != nil {
		fatal(err)
	}
	return p
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

// object is the schema of a struct of package policy.
func (p *pkg) object(name string) *schema {
	closed := false
	s := &schema{Type: "object", Properties: map[string]*schema{}, Closed: &closed}
	for _, f := range p.docs[name].Fields.List {
		if f.Tag == nil || len(f.Names) == 0 {
			continue
		}
		key, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		v := p.value(f.Type)
		if text := plain(f.Doc.Text() + " " + f.Comment.Text()); text != "" {
			v.Description = renamed(text, f.Names[0].Name, key)
		}
		if v.Type == "string" {
			v.Enum = choices(v.Description)
		}
		s.Properties[key] = v
	}
	return s
}

// choices are the words that a comment offers: `is "a" (…) or "b"`. Only where there are two or more there is a choice.
func choices(doc string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`"([a-z_0-9-]*)"`).FindAllStringSubmatch(doc, -1) {
		out = append(out, m[1])
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

func (p *pkg) value(t ast.Expr) *schema {
	switch t := t.(type) {
	case *ast.StarExpr:
		return p.value(t.X)
	case *ast.ArrayType:
		return &schema{Type: "array", Items: p.value(t.Elt)}
	case *ast.Ident:
		switch t.Name {
		case "string":
			return &schema{Type: "string"}
		case "bool":
			return &schema{Type: "boolean"}
		case "int":
			return &schema{Type: "integer"}
		case "float64":
			return &schema{Type: "number"}
		}
		if t.Name == "Pass" { // told by package compact
			return &schema{}
		}
		if p.docs[t.Name] != nil {
			s := p.object(t.Name)
			s.Description = p.about[t.Name]
			return s
		}
	}
	fatal(fmt.Sprintf("a type that has no schema: %v", t))
	return nil
}

// pass is the schema of a pass, with the defaults that its constructor has.
func (p *pkg) pass(name string) *schema {
	var camel strings.Builder
	for i, word := range strings.Split(name, "_") {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		camel.WriteString(word)
	}
	typeName := camel.String() + "Pass"
	s := p.object(typeName)
	s.Description = renamed(p.about[typeName], typeName, name)
	s.Properties["pass"] = &schema{Const: name}
	s.Required = []string{"pass"}
	keys := map[string]string{}
	for _, f := range p.docs[typeName].Fields.List {
		for _, field := range f.Names {
			keys[field.Name] = reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
		}
	}
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 {
				return true
			}
			if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "register" {
				return true
			}
			ast.Inspect(call.Args[1], func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				if t, ok := literal.Type.(*ast.Ident); !ok || t.Name != typeName {
					return true
				}
				for _, e := range literal.Elts {
					pair := e.(*ast.KeyValueExpr)
					if v := p.info.Types[pair.Value].Value; v != nil {
						s.Properties[keys[pair.Key.(*ast.Ident).Name]].Default = literalOf(v)
					}
				}
				return true
			})
			return true
		})
	}
	for key, v := range s.Properties {
		if zero, ok := map[string]any{"integer": 0, "boolean": false, "string": "", "array": []any{}}[v.Type]; ok && v.Default == nil && key != "pass" {
			v.Default = zero
		}
	}
	return s
}

func literalOf(v constant.Value) any {
	switch v.Kind() {
	case constant.Bool:
		return constant.BoolVal(v)
	case constant.String:
		return constant.StringVal(v)
	case constant.Int:
		n, _ := constant.Int64Val(v)
		return n
	}
	f, _ := constant.Float64Val(v)
	return f
}

// withDefaults sets what the preset default gives.
func withDefaults(s *schema, values map[string]any) {
	for key, v := range values {
		p := s.Properties[key]
		if p == nil {
			fatal("the preset default has a key that no type has: " + key)
		}
		if inner, ok := v.(map[string]any); ok {
			withDefaults(p, inner)
		} else {
			p.Default = v
		}
	}
}
