package main

import (
	"os"
	"path/filepath"
	"slices"
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

// TestSample checks that a seed always selects the same mutants, whatever the order in which gremlins lists them.
func TestSample(t *testing.T) {
	lists := []string{
		`{"files":[{"file_name":"a.go","mutations":[{"type":"ARITHMETIC_BASE","line":1,"column":2},{"type":"INVERT_NEGATIVES","line":1,"column":2},{"type":"INVERT_LOGICAL","line":3,"column":1}]},{"file_name":"x/b.go","mutations":[{"type":"INVERT_LOGICAL","line":9,"column":1}]}]}`,
		`{"files":[{"file_name":"x/b.go","mutations":[{"type":"INVERT_LOGICAL","line":9,"column":1}]},{"file_name":"a.go","mutations":[{"type":"INVERT_LOGICAL","line":3,"column":1},{"type":"INVERT_NEGATIVES","line":1,"column":2},{"type":"ARITHMETIC_BASE","line":1,"column":2}]}]}`,
	}
	var drawn [][]string
	for _, list := range lists {
		all, err := read([]byte(list), "core")
		if err != nil {
			t.Fatal(err)
		}
		shuffle(all, 7)
		var ids []string
		for _, m := range all {
			ids = append(ids, m.id())
		}
		drawn = append(drawn, ids)
	}
	if !slices.Equal(drawn[0], drawn[1]) || len(drawn[0]) != 3 {
		t.Errorf("%q\n%q", drawn[0], drawn[1])
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
