package checks_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/ctxfold/ctxfold/core"
)

// TestPackagesOfTheModule checks that the module doesn't depend on packages that would double its size.
func TestPackagesOfTheModule(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	mod := filepath.Join(t.TempDir(), "wasm.mod")
	for from, to := range map[string]string{"go.mod": mod, "go.sum": strings.TrimSuffix(mod, "mod") + "sum"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		c := exec.CommandContext(t.Context(), "go", args...)
		c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("mod", "edit", "-replace=github.com/mailru/easyjson="+filepath.Join(root, "wasm", "easyjson"), mod)
	packages := strings.Fields(run("list", "-modfile="+mod, "-deps", "./wasm"))
	if !slices.Contains(packages, "github.com/mailru/easyjson/jlexer") {
		t.Error("the list is not that of the module")
	}
	for _, p := range packages {
		first, _, _ := strings.Cut(p, "/")
		if slices.Contains([]string{"fmt", "reflect", "net", "time", "os", "syscall", "encoding", "log", "context", "regexp"}, first) {
			t.Errorf("the module has the package %s in it", p)
		}
		if strings.Contains(first, ".") && !strings.HasPrefix(p, "github.com/ctxfold/ctxfold/") && !strings.HasPrefix(p, "github.com/mailru/easyjson/") {
			t.Errorf("the module depends on %s", p)
		}
	}
}

// TestFilesOfTheModule checks that the Makefile has vet and staticcheck examine each package whose
// files in the module differ from its native ones.
func TestFilesOfTheModule(t *testing.T) {
	list := func(env ...string) []string {
		c := exec.CommandContext(t.Context(), "go", "list", "-e", "-f", "{{.ImportPath}}: {{.GoFiles}}", "./wasm", "./core/...")
		c.Env = append(os.Environ(), env...)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	native := list()
	var inside []string
	for _, line := range list("GOOS=wasip1", "GOARCH=wasm") {
		if path, _, _ := strings.Cut(line, ":"); !slices.Contains(native, line) {
			inside = append(inside, strings.Replace(path, "github.com/ctxfold/ctxfold", ".", 1))
		}
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if want := "\nINSIDE      := " + strings.Join(inside, " ") + "\n"; !strings.Contains(string(makefile), want) {
		t.Errorf("the Makefile does not have this line:%s", want)
	}
}

// TestNoMapIsKeyedByText checks that maps in core have numbers as keys, or are fixed tables. The hash seeds of the module's maps
// are public, so somebody could choose keys in a transcript that collide. Code that needs text as keys uses core/internal/critbit.
func TestNoMapIsKeyedByText(t *testing.T) {
	numbers := []string{"int", "int32", "int64", "uint8", "uint32", "uint64", "byte", "rune"}
	files := 0
	err := filepath.WalkDir("core", func(path string, d fs.DirEntry, err error) error {
		if err == nil && slices.Contains([]string{"facts", "fit", "counter"}, d.Name()) { // for tests and measurements
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncType: // a map that is passed to a function is found where it is made
					return false
				case *ast.MapType:
					key := n.Key
					if a, ok := key.(*ast.ArrayType); ok {
						key = a.Elt
					}
					if id, ok := key.(*ast.Ident); !ok || !slices.Contains(numbers, id.Name) {
						t.Errorf("%s: a map whose keys are no numbers; use core/critbit", set.Position(n.Pos()))
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// TestCoreIsNotFull checks that package core doesn't depend on the published systems, which only core/full links in.
func TestCoreIsNotFull(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", "./core").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(deps), "core/internal/hook\n") || strings.Contains(string(deps), "core/internal/published") {
		t.Errorf("core depends on:\n%s", deps)
	}
}

// TestOnlyTheHookAsks checks that only packages hook and policy read whether a policy requests a
// published system.
func TestOnlyTheHookAsks(t *testing.T) {
	asking := map[string]int{}
	err := filepath.WalkDir("core", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == "published" {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if n := strings.Count(string(src), ".IsWireSafe()") + strings.Count(string(src), ".WireSafe"); n > 0 {
			asking[filepath.ToSlash(filepath.Dir(path))] += n
		}
		return err
	})
	if err != nil || asking["core/internal/hook"] == 0 {
		t.Fatalf("the hook does not ask: %v, %v", asking, err)
	}
	for dir := range asking {
		if dir != "core/internal/hook" && dir != "core/internal/policy" {
			t.Errorf("%s asks", dir)
		}
	}
}

// TestModuleIsSelfContained checks that the released module imports nothing, and exports only its memory and its operations.
func TestModuleIsSelfContained(t *testing.T) {
	for _, file := range []string{"host/module/ctxfold.wasm", "js/ctxfold.wasm"} {
		wasm, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		runtime := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
		defer runtime.Close(t.Context())
		module, err := runtime.CompileModule(t.Context(), wasm)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range module.ImportedFunctions() {
			from, name, _ := f.Import()
			t.Errorf("%s imports %s.%s: `make module` builds it anew", file, from, name)
		}
		want := map[string]bool{"ctxfold_alloc": true, "ctxfold_free": true}
		for _, op := range core.Ops() {
			want["ctxfold_"+op] = op != "function" // only the full module exports this one
		}
		for name := range module.ExportedFunctions() {
			if !want[name] {
				t.Errorf("%s exports %s, which is no operation", file, name)
			}
			delete(want, name)
		}
		delete(want, "ctxfold_function")
		for name := range want {
			t.Errorf("%s does not export %s", file, name)
		}
	}
}
