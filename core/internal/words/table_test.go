package words

import "testing"

func TestTable(t *testing.T) {
	table := NewTable("go cargo go", "make", "été make я")
	for word, want := range map[string]int{"go": 1, "cargo": 1, "make": 3, "été": 3, "я": 3, "": 0, " ": 0, "car": 0, "cargos": 0, "go cargo": 0, "cargo go": 0, "Go": 0} {
		if got := table.Row(word); got != want || table.Has(word) != (want > 0) {
			t.Errorf("%q is in row %d, not %d", word, got, want)
		}
	}
}
