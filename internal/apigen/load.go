package main

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// source is a set of packages of the module, with their types and with the comments on types, fields and constants.
type source struct {
	module   string // the import path of the root
	root     string // its folder
	fset     *token.FileSet
	std      types.Importer
	given    []*types.Package
	packages map[string]*types.Package // with those that they import
	info     types.Info
	comments map[token.Pos]string // by the position of the name
}

// load reads the packages in the given folders of the module.
func load(module, root string, folders ...string) *source {
	fset := token.NewFileSet()
	build.Default.CgoEnabled = false // the importer leaves what cgo writes in the system's temporary folder
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	check(err)
	build.Default.GOROOT = strings.TrimSpace(string(goroot)) // a program built with -trimpath doesn't know it
	s := &source{module: module, root: root, fset: fset, std: importer.ForCompiler(fset, "source", nil), packages: map[string]*types.Package{},
		info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}}, comments: map[token.Pos]string{}}
	for _, folder := range folders {
		p, err := s.Import(module + "/" + folder)
		check(err)
		s.given = append(s.given, p)
	}
	return s
}

// sources returns the Go files of a folder that belong to a build without tags. Tests are left out.
func sources(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.DeleteFunc(names, func(name string) bool {
		built, err := build.Default.MatchFile(dir, filepath.Base(name))
		return strings.HasSuffix(name, "_test.go") || err != nil || !built
	})
}

// Import type-checks a package. It notes the comments in packages of the module; other packages are imported from source
// without them.
func (s *source) Import(path string) (*types.Package, error) {
	if p := s.packages[path]; p != nil {
		return p, nil
	}
	rel, own := strings.CutPrefix(path, s.module+"/")
	if !own {
		return s.std.Import(path)
	}
	var files []*ast.File
	for _, name := range sources(filepath.Join(s.root, filepath.FromSlash(rel))) {
		file, err := parser.ParseFile(s.fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(name, "_easyjson.go") {
			s.note(file)
		}
		files = append(files, file)
	}
	config := types.Config{Importer: s}
	p, err := config.Check(path, s.fset, files, &s.info)
	s.packages[path] = p
	return p, err
}

// note stores a file's comments on types, fields and constants.
func (s *source) note(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					doc := spec.Doc
					if doc == nil {
						doc = n.Doc
					}
					s.comments[spec.Name.Pos()] = plain(doc.Text())
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						s.comments[name.Pos()] = plain(spec.Comment.Text())
					}
				}
			}
		case *ast.StructType:
			for _, f := range n.Fields.List {
				for _, name := range f.Names {
					s.comments[name.Pos()] = plain(f.Doc.Text() + " " + f.Comment.Text())
				}
			}
		}
		return true
	})
}

// named finds a type by its name, in the first of the given packages that has one.
func (s *source) named(name string) *types.Named {
	for _, p := range s.given {
		if o, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
			return types.Unalias(o.Type()).(*types.Named)
		}
	}
	fatal("there is no type", name)
	return nil
}

// plain returns a comment as one line, without directives and without row ids such as (S3.6).
func plain(doc string) string {
	doc, _, _ = strings.Cut(doc, "\neasyjson:")
	doc = strings.Join(strings.Fields(doc), " ")
	return regexp.MustCompile(` \(S\d\.\d+[^)]*\)`).ReplaceAllString(doc, "")
}
