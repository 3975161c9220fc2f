// Command quiet rewrites files of Go's runtime for a module that has no console, no tracing and only one thread.
//
//	quiet [-keep OPTIONS] [-without GROUP] GOROOT CHANGED
//
// GOROOT is the Go installation, CHANGED a directory with modified copies of some of its files (src/runtime/…), where
// quiet also writes its own. It prints the paths of the files that it has written. table.go lists the functions whose
// bodies are removed. The other rules name no functions, so that they also work with other releases of Go:
//
//   - messages: print and println are removed, and throw and fatal lose their messages;
//   - options: GODEBUG options that are off become constants, except those listed by -keep, and tracing is removed;
//   - atomics: functions of package atomic are inlined as plain operations, because there is only one thread.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packages lists the packages to rewrite.
var packages = []string{"runtime", "internal/runtime/maps", "internal/sync", "sync", "internal/runtime/atomic"}

// zero lists the GODEBUG options that are always 0 in the WebAssembly module, because nothing there can set GODEBUG.
var zero = []string{
	"adaptivestackstart", "asyncpreemptoff", "checkfinalizers", "clobberfree", "decoratemappings", "disablethp", "dontfreezetheworld",
	"efence", "gccheckmark", "gcpacertrace", "gcshrinkstackoff", "gcstoptheworld", "gctrace", "harddecommit", "inittrace", "sbrk",
	"scavtrace", "scheddetail", "schedtrace", "traceallocfree", "tracebackancestors", "tracebacklabels", "traceCheckStackOwnership",
	"tracefpunwindoff",
}

func main() {
	keep := flag.String("keep", "", "options of GODEBUG that stay variables, with commas between them")
	without := flag.String("without", "", "a rule that is not applied, or a group of functions that are not emptied")
	flag.Parse()
	if err := rewriteAll(flag.Arg(0), flag.Arg(1), strings.Split(*keep, ","), *without); err != nil {
		fmt.Fprintln(os.Stderr, "quiet:", err)
		os.Exit(1)
	}
}

// rewriter contains the settings of the rules.
type rewriter struct {
	without string
	options []string        // that become constants
	empty   map[string]bool // functions of the runtime whose bodies are removed; true if they trap
	found   map[string]bool
}

func rewriteAll(goroot, changed string, keep []string, without string) error {
	r := rewriter{without: without, empty: map[string]bool{}, found: map[string]bool{}}
	if without != "options" {
		r.options = slices.DeleteFunc(slices.Clone(zero), func(option string) bool { return slices.Contains(keep, option) })
	}
	for _, g := range groups {
		if without == g.name {
			continue
		}
		for _, name := range g.nothing {
			r.empty[name] = false
		}
		for _, name := range g.trap {
			r.empty[name] = true
		}
	}
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.GOROOT, ctx.CgoEnabled = "wasip1", "wasm", goroot, false
	for _, name := range packages {
		dir := filepath.Join("src", name)
		p, err := ctx.ImportDir(filepath.Join(goroot, dir), 0)
		if err != nil {
			return err
		}
		for _, file := range p.GoFiles {
			path := filepath.Join(dir, file)
			source, err := os.ReadFile(filepath.Join(changed, path))
			if os.IsNotExist(err) {
				source, err = os.ReadFile(filepath.Join(goroot, path))
			}
			if err != nil {
				return err
			}
			out, err := r.rewrite(path, source)
			if err != nil {
				return err
			}
			if string(out) == string(source) {
				continue
			}
			to := filepath.Join(changed, path)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(to, out, 0o644); err != nil {
				return err
			}
			fmt.Println(filepath.ToSlash(path))
		}
	}
	for name := range r.empty {
		if !r.found[name] {
			return fmt.Errorf("there is no function %s in the runtime of this Go: see docs/inside/upgrading-go.md", name)
		}
	}
	return nil
}

// edit replaces a range of bytes with text.
type edit struct {
	from, to int
	text     string
}

func (r *rewriter) rewrite(path string, source []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	var edits []edit
	replace := func(from, to token.Pos, text string) { edits = append(edits, edit{at(from), at(to), text}) }
	inRuntime := filepath.ToSlash(filepath.Dir(path)) == "src/runtime"

	written := map[ast.Expr]bool{} // assigned to, or with their address taken
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				written[e] = true
			}
			for _, e := range n.Rhs {
				if inRuntime && nameOf(e) == "throw" && r.without != "messages" {
					replace(e.Pos(), e.End(), "func(string) { throw() }")
				}
			}
		case *ast.UnaryExpr:
			written[n.X] = n.Op == token.AND
		case *ast.IncDecStmt:
			written[n.X] = true
		case *ast.FuncDecl:
			if !inRuntime || n.Body == nil {
				break
			}
			name := nameOf(n.Name)
			if n.Recv != nil {
				name = receiver(n) + "." + name
			}
			first := n.Body.Lbrace + 1
			if name == "throw" && r.without != "messages" {
				params := n.Type.Params
				replace(params.Pos(), params.End(), "()")
				replace(first, first, " var s string;")
			}
			if trap, ok := r.empty[name]; ok {
				r.found[name] = true
				text := " return " + zeros(source, n, at)
				if trap {
					text = " abort();" + text
					if name == "throw" || name == "fatal" {
						replace(n.Type.Pos(), n.Type.Pos(), "//go:noinline\n")
					}
				}
				replace(first, first, text+"\n")
			}
		case *ast.ExprStmt:
			call, _ := n.X.(*ast.CallExpr)
			if call == nil || r.without == "messages" {
				break
			}
			switch name := nameOf(call.Fun); {
			case name == "print" || name == "println":
				replace(n.Pos(), n.Pos(), "if false { ")
				replace(n.End(), n.End(), " }")
				return false
			case name == "throw" && inRuntime && len(call.Args) == 1:
				// The call stays, because the compiler knows that throw does not return.
				replace(n.Pos(), call.Args[0].Pos(), "if false { _ = ")
				replace(call.Args[0].End(), call.End(), " }; throw()")
				return false
			case name == "throw" || name == "fatal":
				if len(call.Args) == 1 && literal(call.Args[0]) {
					replace(call.Args[0].Pos(), call.Args[0].End(), `""`)
				}
			}
		case *ast.CallExpr:
			name := nameOf(n.Fun)
			if option, ok := strings.CutPrefix(name, "debug."); inRuntime && ok {
				if option, ok = strings.CutSuffix(option, ".Load"); ok && slices.Contains(r.options, option) {
					replace(n.Pos(), n.End(), "int32(0)")
					return false
				}
			}
			if inRuntime && name == "traceAcquire" && len(r.options) > 0 {
				replace(n.Pos(), n.End(), "(traceLocker{})")
			}
		case *ast.SelectorExpr:
			option, ok := strings.CutPrefix(nameOf(n), "debug.")
			if inRuntime && ok && option == "malloc" && len(r.options) > 0 && !written[n] {
				replace(n.Pos(), n.End(), "false") // none of its options are on
				return false
			}
			if inRuntime && ok && !written[n] && slices.Contains(r.options, option) {
				replace(n.Pos(), n.End(), "int32(0)")
				return false
			}
		}
		return true
	})
	if r.without != "atomics" && path == filepath.Join("src", "internal", "runtime", "atomic", "atomic_wasm.go") {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Doc == nil || strings.Contains(string(source[at(f.Type.Pos()):at(f.Type.End())]), "unsafe.Pointer") {
				continue // a plain assignment would need a write barrier
			}
			for _, c := range f.Doc.List {
				if c.Text == "//go:noinline" {
					replace(c.Pos(), c.End(), "//")
				}
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(append(out, source[last:e.from]...), e.text...)
		last = e.to
	}
	return append(out, source[last:]...), nil
}

// receiver returns the name of a method's receiver type.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if of, ok := t.(*ast.IndexExpr); ok {
		t = of.X
	}
	return nameOf(t)
}

// zeros returns the zero values of a function's results as Go source.
func zeros(source []byte, f *ast.FuncDecl, at func(token.Pos) int) string {
	var out []string
	if f.Type.Results != nil {
		for _, r := range f.Type.Results.List {
			for range max(1, len(r.Names)) {
				out = append(out, "*new("+string(source[at(r.Type.Pos()):at(r.Type.End())])+")")
			}
		}
	}
	return strings.Join(out, ", ")
}

// nameOf returns "a.b.c" for an expression that consists only of names, and "" for others.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if of := nameOf(e.X); of != "" {
			return of + "." + e.Sel.Name
		}
	}
	return ""
}

// literal reports whether an expression consists only of literals.
func literal(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.BinaryExpr:
		return literal(e.X) && literal(e.Y)
	case *ast.ParenExpr:
		return literal(e.X)
	}
	return false
}
