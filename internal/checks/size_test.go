package checks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxProgram is the maximum size of a stripped program that uses the native package, in bytes.
const maxProgram = 9_950_000

// TestProgramSize checks that a program that uses the native package links no WebAssembly runtime and no HTTP, and stays small.
func TestProgramSize(t *testing.T) {
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range strings.Fields(string(deps)) {
		if strings.Contains(dep, "wazero") || dep == "net/http" || strings.HasSuffix(dep, "/host/module") {
			t.Errorf("the native package imports %s", dep)
		}
	}
	if testing.Short() {
		t.Skip("a program is built")
	}
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./examples/go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if file.Size() > maxProgram {
		t.Errorf("a program over the native package has %d bytes, more than %d", file.Size(), maxProgram)
	}
	t.Logf("%d bytes", file.Size())
}
