package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// row counts the mutants of one package.
type row struct{ tested, killed, equivalent int }

// tally counts mutants by package and by stage.
type tally struct {
	tested, killed int
	rooms          map[string]*row
	stages         []int
	cut            string // a note about mutants that were not tested for lack of time
}

func newTally() *tally { return &tally{rooms: map[string]*row{}, stages: make([]int, len(stages))} }

func (t *tally) room(m *mutant) *row {
	r := t.rooms[m.room()]
	if r == nil {
		r = new(row)
		t.rooms[m.room()] = r
	}
	return r
}

func (t *tally) equivalent(m *mutant) { t.room(m).equivalent++ }

// add counts a mutant by the stage at which it was detected. A stage above last means that it survived.
func (t *tally) add(m *mutant, at, last int) {
	r := t.room(m)
	r.tested++
	t.tested++
	if at <= last {
		r.killed++
		t.killed++
		t.stages[at]++
	}
}

func (t *tally) percent() float64 {
	if t.tested == 0 {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.tested)
}

// String returns the tally as a table in Markdown.
func (t *tally) String() string {
	var b strings.Builder
	b.WriteString("| package | mutants | killed | lived | equivalent, not tested |\n|---|---|---|---|---|\n")
	equivalent := 0
	for _, name := range slices.Sorted(maps.Keys(t.rooms)) {
		r := t.rooms[name]
		equivalent += r.equivalent
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, r.tested, r.killed, r.tested-r.killed, r.equivalent)
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %d |\n\n%.1f %% killed:", t.tested, t.killed, t.tested-t.killed, equivalent, t.percent())
	for i, s := range stages {
		fmt.Fprintf(&b, " %d by %s", t.stages[i], s.name)
	}
	return b.String() + "\n" + t.cut
}

// readEquivalents returns the keys of the changes in a file. An entry is the file and the function, the line before (-)
// and after (+), and the reason (=), which may span several lines.
func readEquivalents(name string) (map[string]bool, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	keys := map[string]bool{}
	for entry := range strings.SplitSeq(string(data), "\n\n") {
		entry = strings.TrimSpace(entry)
		if entry == "" || strings.HasPrefix(entry, "#") {
			continue
		}
		lines := strings.Split(entry, "\n")
		if len(lines) < 4 || !strings.HasPrefix(lines[1], "- ") || !strings.HasPrefix(lines[2], "+ ") || !strings.HasPrefix(lines[3], "= ") {
			return nil, fmt.Errorf("%s: want a file and a function, a line with -, one with +, and one with =, not %q", name, entry)
		}
		keys[strings.Join(lines[:3], "\n")] = true
	}
	return keys, nil
}
