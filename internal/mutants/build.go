package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// selected is the environment variable with the number of the mutant that a program runs.
const selected = "CTXFOLD_MUTANT"

// selector is a file of each package with mutants. Its name is not used elsewhere.
const selector = "package %s\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\nvar ctxfoldMutant, _ = strconv.Atoi(os.Getenv(\"" + selected + "\"))\n"

// build is the code of the module with one or more mutants in it, and the test programs compiled from it.
type build struct {
	dir      string
	overlay  string            // describes the changed files to the go command
	programs map[string]string // by import path of the tested package; empty if the package has no tests
}

// share puts mutants into one build: a function gets a copy of its body for each of its mutants, which runs if the environment selects it.
// It returns the build and those mutants that the compiler accepts. All mutants must be inside functions.
func share(mutants []*mutant) (*build, []*mutant) {
	b := newBuild("shared")
	for {
		b.write(instrument(mutants))
		out, err := b.command("build", "./core/...").CombinedOutput()
		if err == nil {
			return b, mutants
		}
		wrong := rejected(out)
		if len(wrong) == 0 {
			log.Fatalf("building all mutants: %v\n%s", err, out)
		}
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return wrong[m.number] })
	}
}

// single returns a build with one mutant, or nil if the compiler rejects it.
func single(m *mutant) *build {
	b := newBuild("single")
	b.write(map[string][]byte{m.File: m.changed})
	if b.command("build", "./"+m.room()).Run() != nil {
		return nil
	}
	return b
}

// newBuild returns a build in an empty folder.
func newBuild(name string) *build {
	dir, err := filepath.Abs(filepath.Join("build/mutants", name))
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		log.Fatal(err)
	}
	return &build{dir: dir, overlay: filepath.Join(dir, "overlay.json"), programs: map[string]string{}}
}

// write writes changed files, given by their paths in the module, and the description that makes the go command use them.
func (b *build) write(files map[string][]byte) {
	replaced := map[string]string{}
	for name, text := range files {
		from, err := filepath.Abs(name)
		if err != nil {
			log.Fatal(err)
		}
		to := filepath.Join(b.dir, strings.ReplaceAll(name, "/", "-")+".txt") // not a Go file of this folder
		if err := os.WriteFile(to, text, 0o644); err != nil {
			log.Fatal(err)
		}
		replaced[from] = to
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(b.overlay, data, 0o644); err != nil {
		log.Fatal(err)
	}
}

func (b *build) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+b.overlay))
	return cmd
}

// program compiles the tests of a package unless that is done. It returns "" if there are none.
func (b *build) program(pkg string) string {
	if program, done := b.programs[pkg]; done {
		return program
	}
	program := filepath.Join(b.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	if out, err := b.command("test", "-c", "-vet=off", "-ldflags=-w", "-o", program, pkg).CombinedOutput(); err != nil {
		log.Fatalf("compiling the tests of %s: %v\n%s", pkg, err, out)
	}
	if _, err := os.Stat(program); err != nil {
		program = ""
	}
	b.programs[pkg] = program
	return program
}

// instrument returns the changed files of a build that mutants share.
func instrument(mutants []*mutant) map[string][]byte {
	files := map[string][]byte{}
	byFile := map[string][]*mutant{}
	for _, m := range mutants {
		byFile[m.File] = append(byFile[m.File], m)
		files[path.Join(m.room(), "mutant_selector.go")] = fmt.Appendf(nil, selector, m.pkg)
	}
	for name, all := range byFile {
		slices.SortFunc(all, func(a, b *mutant) int { return cmp.Compare(a.open, b.open) })
		var out bytes.Buffer
		at := 0
		for _, m := range all {
			out.Write(m.source[at:m.open])
			at = m.open
			body := m.changed[m.open : m.end+len(m.changed)-len(m.source)]
			call, after := "return func() "+m.results, "()"
			if m.results == "" {
				call, after = "func()", "(); return"
			}
			// The compiler reports errors in the copy by its number.
			fmt.Fprintf(&out, "\n//line mutant%d:1\nif ctxfoldMutant == %d { %s {%s}%s }\n//line %s:%d\n", m.number, m.number, call, body, after,
				path.Base(name), 1+bytes.Count(m.source[:at], []byte("\n")))
		}
		out.Write(all[0].source[at:])
		files[name] = out.Bytes()
	}
	return files
}

var inMutant = regexp.MustCompile(`\bmutant(\d+):\d+`)

// rejected returns the numbers of the mutants in which a build found errors.
func rejected(out []byte) map[int]bool {
	wrong := map[int]bool{}
	for _, found := range inMutant.FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(found[1]))
		wrong[n] = true
	}
	return wrong
}
