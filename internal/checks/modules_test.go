package checks_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// goModule is the output of `go mod edit -json` or `go work edit -json`.
type goModule struct {
	Module  struct{ Path string }
	Require []struct{ Path, Version string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
	Use []struct{ DiskPath string }
}

func readModule(t *testing.T, args ...string) (m goModule) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRequirementsOfTheModule checks that the root module requires only easyjson, wazero and their requirements. Code that needs more must be in
// a module of its own.
func TestRequirementsOfTheModule(t *testing.T) {
	allowed := []string{
		"github.com/mailru/easyjson",
		"github.com/josharian/intern", // of easyjson
		"github.com/tetratelabs/wazero",
		"golang.org/x/sys", // of wazero
	}
	m := readModule(t, "mod", "edit", "-json", "go.mod")
	for _, r := range m.Require {
		if !slices.Contains(allowed, r.Path) {
			t.Errorf("go.mod requires %s: what needs it belongs into a module of its own, with a go.mod like that of host/proxy", r.Path)
		}
	}
	if len(m.Replace) > 0 {
		t.Error("go.mod replaces modules, which does nothing for those who use it")
	}
}

// TestWorkspace checks that every module is in the workspace and requires the current versions of the others. No module may have
// replace directives, because go install refuses them.
func TestWorkspace(t *testing.T) {
	work := readModule(t, "work", "edit", "-json")
	var used []string
	for _, u := range work.Use {
		used = append(used, filepath.Clean(u.DiskPath))
	}
	own, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(strings.SplitN(string(own), "\n", 2)[0], "module ")
	err = filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{".git", "build", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		if err != nil || d.Name() != "go.mod" {
			return err
		}
		m := readModule(t, "mod", "edit", "-json", file)
		if !strings.HasPrefix(m.Module.Path, name) {
			return nil // the reduced easyjson, which replaces the original module
		}
		if dir := filepath.Dir(file); !slices.Contains(used, dir) {
			t.Errorf("go.work does not use %s", dir)
		}
		if len(m.Replace) > 0 {
			t.Errorf("%s replaces modules", file)
		}
		for _, r := range m.Require {
			if !strings.HasPrefix(r.Path, name) {
				continue
			}
			if r.Version != "v"+core.Version {
				t.Errorf("%s requires %s in the version %s, and this is v%s", file, r.Path, r.Version, core.Version)
			}
			replaced := false
			for _, w := range work.Replace {
				replaced = replaced || w.Old.Path == r.Path && w.Old.Version == r.Version
			}
			if !replaced {
				t.Errorf("%s requires %s %s, and go.work does not say where that is", file, r.Path, r.Version)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCoreIsCompiledOnce checks that no test causes many packages of core to be compiled twice. The
// go command does that if some tests of a package are in the package itself and others, outside of
// it, import packages that depend on it.
func TestCoreIsCompiledOnce(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-test", "-deps", "-f", `{{if .ForTest}}{{.ForTest}} {{.ImportPath}}{{end}}`, "./core/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	compiled := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		tested, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		compiled[tested] = append(compiled[tested], name)
	}
	for tested, names := range compiled {
		if tested != "" && len(names) > 5 {
			t.Errorf("the tests of %s compile %d packages, such as %s: move those in the package out of it", tested, len(names), names[len(names)/2])
		}
	}
}
