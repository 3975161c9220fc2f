package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerationLeavesThePackage generates code for a type that easyjson refuses only after it has written its stubs. The package must
// stay unchanged, because a build that finds stubs in it leaves them in Go's cache.
func TestGenerationLeavesThePackage(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "internal/apigen/easyjson.sh", "internal/apigen/shorten/main.go"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, name), string(text))
	}
	folder := filepath.Join(root, "part")
	run := func(source string) (generated string, err error) {
		write(t, filepath.Join(folder, "part.go"), source)
		c := exec.CommandContext(t.Context(), "sh", "../internal/apigen/easyjson.sh")
		c.Dir = folder
		c.Env = append(os.Environ(), "GOWORK=off")
		out, err := c.CombinedOutput()
		text, readErr := os.ReadFile(filepath.Join(folder, "part_easyjson.go"))
		if readErr != nil {
			t.Fatalf("%v\n%s", readErr, out)
		}
		return string(text), err
	}
	good, err := run("package part\n\n//easyjson:json\ntype part struct{ N map[string]float32 }\n")
	if err != nil || !strings.Contains(good, "UnmarshalEasyJSON") {
		t.Fatalf("%v\n%s", err, good)
	}
	after, err := run("package part\n\n//easyjson:json\ntype part struct{ N func() }\n")
	if err == nil || after != good {
		t.Errorf("%v; the package has this code now:\n%s", err, after)
	}
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(names) != 2 {
		t.Errorf("%v are left: %v", names, err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
