package main

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pkg is a package: its types with their comments, and its constants.
type pkg struct {
	files   []*ast.File
	info    types.Info
	order   []string // the types as they stand in the files, which are sorted by name
	docs    map[string]string
	structs map[string]*ast.StructType
	lists   map[string]string // of types that are lists: the type of the elements
	strings map[string]bool   // types of strings
	vars    map[string]ast.Expr
}

func load(dir string) *pkg {
	fset := token.NewFileSet()
	p := &pkg{info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
		docs: map[string]string{}, structs: map[string]*ast.StructType{}, lists: map[string]string{}, strings: map[string]bool{}, vars: map[string]ast.Expr{}}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	check(err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		check(err)
		if p.files = append(p.files, file); !strings.HasSuffix(name, "_easyjson.go") {
			p.declare(file)
		}
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	_, err = config.Check(dir, fset, p.files, &p.info)
	check(err)
	return p
}

func (p *pkg) declare(file *ast.File) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				name := s.Name.Name
				p.order = append(p.order, name)
				doc := s.Doc
				if doc == nil {
					doc = g.Doc
				}
				p.docs[name] = plain(doc.Text())
				switch t := s.Type.(type) {
				case *ast.StructType:
					p.structs[name] = t
				case *ast.ArrayType:
					if of, ok := t.Elt.(*ast.Ident); ok && of.Name != "byte" {
						p.lists[name] = of.Name
					}
				case *ast.Ident:
					p.strings[name] = t.Name == "string"
				case *ast.SelectorExpr:
					p.strings[name] = t.Sel.Name == "Code"
				}
			case *ast.ValueSpec:
				for i, n := range s.Names {
					if i < len(s.Values) && g.Tok == token.VAR {
						p.vars[n.Name] = s.Values[i]
					}
				}
			}
		}
	}
}

// plain is a comment as one line, without the numbers of rows and what is meant for tools.
func plain(doc string) string {
	doc, _, _ = strings.Cut(doc, "\neasyjson:")
	doc = strings.Join(strings.Fields(doc), " ")
	return regexp.MustCompile(` \(S\d\.\d+[^)]*\)`).ReplaceAllString(doc, "")
}

// sets are the types of strings that have constants, with these.
func (p *pkg) sets() (list []set) {
	words := map[string][]word{}
	for _, file := range p.files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				t, ok := v.Type.(*ast.Ident)
				if !ok || !p.strings[t.Name] {
					continue
				}
				for i, n := range v.Names {
					words[t.Name] = append(words[t.Name], word{Go: n.Name, JSON: constant.StringVal(p.info.Types[v.Values[i]].Value), Doc: plain(v.Comment.Text())})
				}
			}
		}
	}
	for _, name := range p.order {
		if len(words[name]) > 0 {
			list = append(list, set{Name: name, Doc: p.docs[name], Words: words[name]})
		}
	}
	return list
}

// operations reads the table of operations, and that of members.
func (p *pkg) operations(a *api) {
	members := map[string]string{} // by the name of the constant
	for _, e := range p.literal("MemberTable").Elts {
		pair := e.(*ast.KeyValueExpr)
		row := pair.Value.(*ast.CompositeLit).Elts
		m := member{Name: p.text(row[0]), Type: p.text(row[1]), Doc: p.text(row[2])}
		members[pair.Key.(*ast.Ident).Name] = m.Name
		a.Members = append(a.Members, m)
	}
	for _, e := range p.literal("Operations").Elts {
		pair := e.(*ast.KeyValueExpr)
		o := operation{Go: strings.TrimPrefix(pair.Key.(*ast.Ident).Name, "Op"), Reads: "all"}
		for _, e := range pair.Value.(*ast.CompositeLit).Elts {
			switch f := e.(*ast.KeyValueExpr); f.Key.(*ast.Ident).Name {
			case "Name":
				o.Name = p.text(f.Value)
			case "Doc":
				o.Doc = p.text(f.Value)
			case "Answer":
				o.Answer = p.text(f.Value)
			case "Reads":
				o.Reads = strings.ToLower(strings.TrimPrefix(f.Value.(*ast.Ident).Name, "Reads"))
			case "Edits":
				o.Edits = true
			case "Grows":
				o.Grows = true
			case "Full":
				o.Full = true
			case "Resumes": // how, inside
			case "Members":
				has := map[string]bool{}
				p.membersOf(f.Value, has)
				for _, m := range a.Members {
					for name := range has {
						if members[name] == m.Name {
							o.Members = append(o.Members, m.Name)
						}
					}
				}
			default:
				fatal("a field of Operation that is not read:", f.Key)
			}
		}
		o.Session = slices.Contains(o.Members, "session")
		a.Operations = append(a.Operations, o)
	}
}

// membersOf collects the constants in an expression of sets.
func (p *pkg) membersOf(e ast.Expr, has map[string]bool) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		p.membersOf(e.X, has)
		p.membersOf(e.Y, has)
	case *ast.CallExpr:
		for _, a := range e.Args {
			has[a.(*ast.Ident).Name] = true
		}
	case *ast.Ident:
		p.membersOf(p.vars[e.Name], has)
	default:
		fatal("a set of members that is not read:", e)
	}
}

func (p *pkg) literal(name string) *ast.CompositeLit { return p.vars[name].(*ast.CompositeLit) }

func (p *pkg) text(e ast.Expr) string { return constant.StringVal(p.info.Types[e].Value) }
