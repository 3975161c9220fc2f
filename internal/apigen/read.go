package main

import (
	"encoding/json"
	"go/ast"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/ctxfold/ctxfold/core"
	_ "github.com/ctxfold/ctxfold/core/full" // for the names of functions
)

// api is all that generators need.
type api struct {
	Version    string      `json:"version"` // semantic, of the module
	ABI        int         `json:"abi"`
	Operations []operation `json:"operations"`
	Members    []member    `json:"members"` // all that a request of some operation may have
	Types      []typ       `json:"types"`
	Sets       []set       `json:"sets"`   // closed sets of words
	Passes     []pass      `json:"passes"` // with their parameters
}

type operation struct {
	Name    string   `json:"name"`
	Go      string   `json:"go"` // the name in Go and, with a small first letter, in TypeScript: SessionOpen
	Doc     string   `json:"doc"`
	Answer  string   `json:"answer"`            // the name of a type
	Members []string `json:"members,omitempty"` // of its requests
	Reads   string   `json:"reads"`             // all, members or nothing: who reads the request
	Session bool     `json:"session,omitempty"` // takes a session in the stead of messages
	Edits   bool     `json:"edits,omitempty"`
	Grows   bool     `json:"grows,omitempty"`
	Full    bool     `json:"full,omitempty"` // in the full build only
}

type member struct {
	Name string `json:"name"`
	Type string `json:"type"` // of JSON (string, integer, any), of types and sets, or Messages; with [] in front a list
	Doc  string `json:"doc"`  // Markdown
}

// typ is a struct with fields, or a list.
type typ struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc"`
	Of     string  `json:"of,omitempty"` // of a list: the type of its elements
	Fields []field `json:"fields,omitempty"`
}

type field struct {
	Go       string `json:"go"`
	JSON     string `json:"json"`
	Type     string `json:"type"`    // as of a member: of JSON (string, boolean, integer, number, any), of types or of sets; with [] in front a list
	GoType   string `json:"go_type"` // as in the source; policy's types have the names that they have here
	Optional bool   `json:"optional,omitempty"`
	Nullable bool   `json:"nullable,omitempty"`
	Doc      string `json:"doc,omitempty"`
}

// set is a closed set of words, the values of a type of strings.
type set struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Words []word `json:"words"`
}

type word struct {
	Go   string `json:"go,omitempty"`
	JSON string `json:"json"`
	Doc  string `json:"doc,omitempty"` // Markdown
}

type pass struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc"`
	Params []param `json:"params,omitempty"`
}

type param struct {
	JSON    string   `json:"json"`
	Type    string   `json:"type"`
	Words   []string `json:"words,omitempty"` // where only some are allowed
	Default any      `json:"default,omitempty"`
	Doc     string   `json:"doc,omitempty"`
}

// renamed are types of package policy whose names package api has for something else.
var renamed = map[string]string{"Summary": "SummaryPolicy"}

// policyTypes are the types of package policy that a host writes.
var policyTypes = []string{"Policy", "Window", "Gate", "Prices", "Summary", "Pin"}

func read(root string) *api {
	p := load(filepath.Join(root, "core", "internal", "api"))
	a := &api{}
	for _, name := range p.order {
		if s, ok := p.structs[name]; ok && ast.IsExported(name) && !strings.HasSuffix(name, "Row") && name != "Operation" {
			a.Types = append(a.Types, typ{Name: name, Doc: p.docs[name], Fields: p.fields(s, nil)})
		} else if of, ok := p.lists[name]; ok {
			a.Types = append(a.Types, typ{Name: name, Doc: p.docs[name], Of: of})
		}
	}
	a.Sets = p.sets()
	p.operations(a)

	policies := load(filepath.Join(root, "core", "internal", "policy"))
	for _, name := range policyTypes {
		t := typ{Name: name, Doc: policies.docs[name], Fields: policies.fields(policies.structs[name], renamed)}
		if to, ok := renamed[name]; ok {
			t.Doc, t.Name = strings.Replace(t.Doc, name, to, 1), to
		}
		a.Types = append(a.Types, t)
	}
	a.registered()
	a.passes(filepath.Join(root, "docs", "policy.schema.json"))
	return a
}

// registered adds the names that registries have.
func (a *api) registered() {
	var info struct {
		Version    string
		ABI        int
		Formats    []named
		Presets    []named
		Estimators []string
		Passes     []string
		Functions  []string
	}
	check(json.Unmarshal(core.Call("info", []byte("{}")), &info))
	a.Version, a.ABI = info.Version, info.ABI
	add := func(name, doc string, words []word) { a.Sets = append(a.Sets, set{Name: name, Doc: doc, Words: words}) }
	docs := func(list []named) (words []word) {
		for _, w := range list {
			words = append(words, word{JSON: w.Name, Doc: w.Doc})
		}
		return words
	}
	names := func(list []string) (words []word) {
		for _, w := range list {
			words = append(words, word{JSON: w})
		}
		return words
	}
	add("Format", "Format is the name of a wire format; docs/FORMATS.md describes them.", docs(info.Formats))
	add("Preset", "Preset is the name of a preset; docs/PRESETS.md says which one is for what.", docs(info.Presets))
	add("Estimator", "Estimator is the name of a token estimator; docs/TOKENS.md describes script.", names(info.Estimators))
	add("PassName", "PassName is the name of a pass; docs/POLICY.md has their parameters.", names(info.Passes))
	add("FunctionName", "FunctionName is the name of a function; docs/FUNCTIONS.md describes them.", names(info.Functions))
}

type named struct{ Name, Doc string }

// passes reads the passes of the schema of policies.
func (a *api) passes(file string) {
	type property struct {
		Type, Description, Const string
		Enum                     []string
		Default                  any
		Items                    *struct{ Type string }
	}
	var schema struct {
		Properties struct {
			Passes struct {
				Items struct {
					OneOf []struct {
						Description string
						Properties  json.RawMessage
					}
				}
			}
		}
	}
	text, err := os.ReadFile(file)
	check(err)
	check(json.Unmarshal(text, &schema))
	for _, of := range schema.Properties.Passes.Items.OneOf {
		p := pass{Doc: of.Description}
		for _, key := range keys(of.Properties) {
			var all map[string]property
			check(json.Unmarshal(of.Properties, &all))
			v := all[key]
			if key == "pass" {
				p.Name = v.Const
				continue
			}
			if v.Type == "array" {
				v.Type = "[]" + v.Items.Type
			}
			p.Params = append(p.Params, param{JSON: key, Type: v.Type, Words: v.Enum, Default: v.Default, Doc: v.Description})
		}
		a.Passes = append(a.Passes, p)
	}
}

// keys are the keys of an object in their order.
func keys(object []byte) (list []string) {
	d := json.NewDecoder(strings.NewReader(string(object)))
	_, err := d.Token()
	for check(err); d.More(); {
		t, err := d.Token()
		check(err)
		list = append(list, t.(string))
		var skip json.RawMessage
		check(d.Decode(&skip))
	}
	return list
}

// fields are those of a struct that JSON has.
func (p *pkg) fields(s *ast.StructType, renamed map[string]string) (list []field) {
	for _, f := range s.Fields.List {
		if f.Tag == nil || len(f.Names) == 0 {
			continue
		}
		key, options, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		doc := plain(f.Doc.Text())
		if line := plain(f.Comment.Text()); doc == "" {
			doc = line
		} else if line != "" {
			doc += " " + line
		}
		typ, goType := p.typeOf(f.Type, renamed)
		optional := strings.Contains(options, "omitempty") || renamed != nil // of a policy everything may be left out
		list = append(list, field{Go: f.Names[0].Name, JSON: key, Type: typ, GoType: goType, Doc: doc, Optional: optional,
			Nullable: strings.HasPrefix(goType, "*") && !optional})
	}
	return list
}

// typeOf is a type as JSON has it, and as Go has it.
func (p *pkg) typeOf(t ast.Expr, renamed map[string]string) (typ, goType string) {
	switch t := t.(type) {
	case *ast.StarExpr:
		typ, goType = p.typeOf(t.X, renamed)
		return typ, "*" + goType
	case *ast.ArrayType:
		typ, goType = p.typeOf(t.Elt, renamed)
		return "[]" + typ, "[]" + goType
	case *ast.SelectorExpr:
		return p.typeOf(t.Sel, nil)
	case *ast.Ident:
		name := t.Name
		if to, ok := renamed[name]; ok {
			name = to
		}
		switch name {
		case "string":
			return "string", name
		case "bool":
			return "boolean", name
		case "int", "int64":
			return "integer", name
		case "float64":
			return "number", name
		case "Raw":
			return "any", name
		}
		return name, name
	}
	fatal("a type that no generator knows:", t)
	return "", ""
}
