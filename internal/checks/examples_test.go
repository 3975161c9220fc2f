package checks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples checks that each exported function and method of the packages has an example. For methods that implement an interface, which
// are rarely called on their own, an example of their type is enough.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("records/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, more...)
	examples := map[string]bool{}
	exported := map[string]string{} // from the name of a function's own example to the name of its type's example
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok:
			case strings.HasSuffix(file, "_test.go"):
				if name, ok := strings.CutPrefix(f.Name.Name, "Example"); ok {
					examples[name] = true
				}
			case f.Name.IsExported() && f.Recv == nil:
				exported[f.Name.Name] = ""
			case f.Name.IsExported():
				if on := receiver(f.Recv.List[0].Type); ast.IsExported(on) && !conventional[f.Name.Name] {
					exported[on+"_"+f.Name.Name] = on
				}
			}
		}
	}
	for name, on := range exported {
		if whole := implements[on] && examples[on]; !examples[name] && !whole {
			t.Errorf("there is no Example%s", name)
		}
	}
	if len(exported) < 60 {
		t.Errorf("only %d exported functions were found", len(exported))
	}
}

// conventional lists methods that encoding/json and package errors call, which need no example.
var conventional = map[string]bool{"Error": true, "Unwrap": true, "MarshalJSON": true, "UnmarshalJSON": true}

// implements lists the types that implement Store, records.Shared, Journal or StreamSummarizer.
var implements = map[string]bool{"MemoryStore": true, "DirStore": true, "Memory": true, "Dir": true, "Guarded": true, "MemoryJournal": true,
	"FileJournal": true, "StreamSummarizerFunc": true}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
