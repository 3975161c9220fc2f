package examples_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
)

// The summary that all examples in this folder return.
const summary = "## Goal\nFinish what the user asked for.\n\n## Progress\nThe \"first\" half is done."

// The interpreter that has Debian's packages.
const python = "/usr/bin/python3"

// TestLanguages builds the examples in C, Python and Rust, and compares their output with that of the Go host.
func TestLanguages(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling the translated module takes a minute")
	}
	without := func(err error) {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for _, tool := range []string{"wasm2c", "gcc", "make", python} {
		if _, err := exec.LookPath(tool); err != nil {
			without(err)
		}
	}
	cargo, err := rustTools(t)
	if err != nil {
		without(err)
	}
	build, err := filepath.Abs("../build/c")
	if err != nil {
		t.Fatal(err)
	}
	run(t, nil, "make", "-s", "-j2", "-C", "c", "OUT="+build)
	target := filepath.Join(build, "..", "rust")
	t.Setenv("CTXFOLD_LIB", build)
	t.Setenv("CARGO_TARGET_DIR", target)
	run(t, nil, cargo, "build", "--offline", "--quiet", "--manifest-path", "rust/Cargo.toml")
	rust := filepath.Join(target, "debug", "example")

	if err := exec.Command(python, "-c", "import setuptools").Run(); err != nil {
		without(fmt.Errorf("no setuptools for %s: %w", python, err))
	}
	site := filepath.Join(build, "..", "python", "lib")
	t.Setenv("PYTHONPATH", site)
	run(t, nil, "make", "-s", "-C", "python", "SITE="+site, "PYTHON="+python)

	c := ctxfold.New(ctxfold.Options{})
	for name, program := range map[string][]string{
		"c":      {filepath.Join(build, "example")},
		"python": {python, "python/main.py"},
		"rust":   {rust},
	} {
		t.Run(name, func(t *testing.T) {
			for _, sample := range []string{"sample.anthropic.json", "sample.openai.json"} {
				messages, err := os.ReadFile("../testdata/" + sample)
				if err != nil {
					t.Fatal(err)
				}
				want, err := c.Compact(t.Context(), messages, ctxfold.RawPolicy(`{"window":{"tokens":16000}}`), ctxfold.SummarizerFunc(
					func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
						return ctxfold.Summary{Text: summary}, nil
					}))
				if err != nil || !want.Changed || want.Report.Summary.Source != "model" {
					t.Fatalf("%v: %+v", err, want)
				}
				if got := run(t, messages, append(program, "16000")...); !bytes.Equal(got, want.Messages) {
					t.Errorf("%s: it printed %d bytes, the Go host makes %d", sample, len(got), len(want.Messages))
				}
			}
			bad := exec.Command(program[0], append(program[1:], "16000")...)
			bad.Stdin = strings.NewReader(`[{"role":"user","content":"cut o`)
			said, err := bad.CombinedOutput()
			if err == nil || !strings.Contains(string(said), "truncated_json") {
				t.Errorf("a transcript that is cut off: %v, %s", err, said)
			}
		})
	}
}

// run runs a program and returns its output.
func run(t *testing.T, stdin []byte, program ...string) []byte {
	t.Helper()
	c := exec.Command(program[0], program[1:]...)
	c.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(program, " "), err, stderr.Bytes())
	}
	return stdout.Bytes()
}

// rustTools returns a cargo that works: the first one in the path may be a toolchain manager without a toolchain.
func rustTools(t *testing.T) (cargo string, err error) {
	for _, folder := range []string{"", "/usr/bin/"} {
		cargo = folder + "cargo"
		if err = exec.Command(cargo, "--version").Run(); err != nil {
			continue
		}
		if err = exec.Command(folder+"rustc", "--version").Run(); err == nil {
			t.Setenv("RUSTC", folder+"rustc")
			return cargo, nil
		}
	}
	return "", fmt.Errorf("no cargo and rustc that work: %w", err)
}
