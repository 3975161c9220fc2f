package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const source = `package p

func (q *queue[T]) push(n int) {
	n--
	if n <= 0 && q != nil {
		n--
	}
}

var limit = 1 << 4
`

func TestChange(t *testing.T) {
	for _, c := range []struct {
		line, column int
		kind, key    string
	}{
		{5, 7, "CONDITIONALS_BOUNDARY", "core/p.go queue.push\n- if n <= 0 && q != nil {\n+ if n < 0 && q != nil {"},
		{5, 7, "CONDITIONALS_NEGATION", "core/p.go queue.push\n- if n <= 0 && q != nil {\n+ if n > 0 && q != nil {"},
		{5, 12, "INVERT_LOGICAL", "core/p.go queue.push\n- if n <= 0 && q != nil {\n+ if n <= 0 || q != nil {"},
		{4, 3, "INCREMENT_DECREMENT", "core/p.go queue.push #1\n- n--\n+ n++"},
		{6, 4, "INCREMENT_DECREMENT", "core/p.go queue.push #2\n- n--\n+ n++"},
		{10, 15, "INVERT_BITWISE", "core/p.go\n- var limit = 1 << 4\n+ var limit = 1 >> 4"},
	} {
		m := &mutant{File: "core/p.go", Line: c.line, Column: c.column, Type: c.kind}
		if err := m.change([]byte(source)); err != nil {
			t.Error(err)
			continue
		}
		if m.key() != c.key {
			t.Errorf("%s is\n%s, want\n%s", m.id(), m.key(), c.key)
		}
		if got := strings.Split(string(m.changed), "\n"); strings.TrimSpace(got[c.line-1]) != m.after || len(m.changed)-len(source) != len(m.after)-len(m.before) {
			t.Errorf("%s changes the file to\n%s", m.id(), m.changed)
		}
	}
	for _, m := range []*mutant{{File: "core/p.go", Line: 99, Column: 1}, {File: "core/p.go", Line: 5, Column: 5, Type: "INVERT_LOGICAL"}} {
		if m.change([]byte(source)) == nil {
			t.Errorf("%s changes something", m.id())
		}
	}
}

// TestFind checks that each operator is found with each of its changes.
func TestFind(t *testing.T) {
	all, err := find("core/p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, compare)
	var got []string
	for _, m := range all {
		got = append(got, m.id())
	}
	want := []string{
		"core/p.go:4:3 INCREMENT_DECREMENT",
		"core/p.go:5:7 CONDITIONALS_BOUNDARY",
		"core/p.go:5:7 CONDITIONALS_NEGATION",
		"core/p.go:5:12 INVERT_LOGICAL",
		"core/p.go:5:17 CONDITIONALS_NEGATION",
		"core/p.go:6:4 INCREMENT_DECREMENT",
		"core/p.go:10:15 INVERT_BITWISE",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// TestInstrument builds a program with mutants once: it must behave as the selected mutant, or as
// the original if none is selected.
func TestInstrument(t *testing.T) {
	const program = `package main

import "fmt"

type pair struct{ a, b int }

func (p pair) sum() (total int, err error) {
	total = p.a + p.b
	return
}

func count(n *int) { *n++ }

func main() {
	n := 5
	count(&n)
	total, _ := pair{7, 3}.sum()
	fmt.Print(total, n, "a" + "b")
}
`
	dir := t.TempDir()
	var mutants []*mutant
	for i, at := range []mutant{{Line: 8, Column: 14, Type: arithmetic}, {Line: 12, Column: 24, Type: "INCREMENT_DECREMENT"}, {Line: 18, Column: 26, Type: arithmetic}} {
		m := &mutant{File: filepath.Join(dir, "main.go"), Line: at.Line, Column: at.Column, Type: at.Type, number: i + 1}
		if err := m.change([]byte(program)); err != nil {
			t.Fatal(err)
		}
		mutants = append(mutants, m)
	}
	run := func(number int) string {
		cmd := exec.Command("go", "run", ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GO111MODULE=off", "GOWORK=off", "GOFLAGS=", selected+"="+strconv.Itoa(number))
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	write := func(mutants []*mutant) {
		for name, text := range instrument(mutants) {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(mutants)
	if out := run(0); !maps.Equal(rejected([]byte(out)), map[int]bool{3: true}) {
		t.Fatalf("want an error in the third mutant alone:\n%s", out)
	}
	write(mutants[:2])
	for number, want := range []string{"10 6ab", "4 6ab", "10 4ab"} {
		if got := run(number); got != want {
			t.Errorf("mutant %d: %q, want %q", number, got, want)
		}
	}
}

// TestEquivalent checks that the lines in equivalent.txt still exist in the code.
func TestEquivalent(t *testing.T) {
	keys, err := readEquivalents("equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	for key := range keys {
		lines := strings.Split(key, "\n")
		file, _, _ := strings.Cut(lines[0], " ")
		source, err := os.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Error(err)
			continue
		}
		found := false
		for line := range strings.Lines(string(source)) {
			found = found || strings.TrimSpace(line) == strings.TrimPrefix(lines[1], "- ")
		}
		if !found {
			t.Errorf("%s has no such line any more: %s", file, lines[1])
		}
	}
}
