package main

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// source is all of core: its packages with their types, and what comments say of types and fields. Which package a type lies in
// does not matter to the schema.
type source struct {
	module   string // the import path of the root
	root     string // its folder
	fset     *token.FileSet
	std      types.Importer
	packages map[string]*types.Package
	info     types.Info
	files    []*ast.File
	comments map[token.Pos]string // of a type or a field, by the position of its name
}

// load reads the packages in a folder of the module, and in the folders below it.
func load(module, root, folder string) *source {
	fset := token.NewFileSet()
	s := &source{module: module, root: root, fset: fset, std: importer.ForCompiler(fset, "source", nil), packages: map[string]*types.Package{},
		info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}}, comments: map[token.Pos]string{}}
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if names := sources(path); len(names) > 0 {
			rel, _ := filepath.Rel(root, path)
			_, err = s.Import(module + "/" + filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		fatal(err)
	}
	return s
}

// sources are the Go files of a folder that a build without tags has, without its tests.
func sources(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.DeleteFunc(names, func(name string) bool {
		built, err := build.Default.MatchFile(dir, filepath.Base(name))
		return strings.HasSuffix(name, "_test.go") || err != nil || !built
	})
}

// Import checks a package: one of the module with its comments, any other as the compiler sees it.
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
			s.files = append(s.files, file)
			s.comment(file)
		}
		files = append(files, file)
	}
	config := types.Config{Importer: s}
	p, err := config.Check(path, s.fset, files, &s.info)
	s.packages[path] = p
	return p, err
}

// comment notes what is said of the types and fields of a file.
func (s *source) comment(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					s.comments[t.Name.Pos()] = plain(n.Doc.Text() + " " + t.Doc.Text())
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

// rooms are the packages whose types come first where several have one of a name.
var rooms = []string{"api", "core", "view", "archive", "digest", "policy", "passes"}

// named finds a type by its name.
func (s *source) named(name string) *types.Named {
	var found []types.Object
	for _, path := range s.paths() {
		if o, ok := s.packages[path].Scope().Lookup(name).(*types.TypeName); ok {
			found = append(found, o)
		}
	}
	if len(found) == 0 {
		fatal("there is no type " + name)
	}
	rank := func(o types.Object) int {
		i := slices.Index(rooms, o.Pkg().Name())
		if i < 0 {
			return len(rooms)
		}
		return i
	}
	slices.SortStableFunc(found, func(a, b types.Object) int { return rank(a) - rank(b) })
	if len(found) > 1 && rank(found[0]) == rank(found[1]) {
		fatal("several packages have a type " + name)
	}
	return types.Unalias(found[0].Type()).(*types.Named)
}

func (s *source) paths() []string {
	var paths []string
	for path := range s.packages {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}
