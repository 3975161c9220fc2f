package sorting_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// TestSorting compares with package slices, up to sizes at which it changes its algorithm.
func TestSorting(t *testing.T) {
	type pair struct{ key, place int }
	byKey := func(a, b pair) int { return cmp.Compare(a.key, b.key) }
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		list := make([]pair, n*n%997)
		keys := make([]int, len(list))
		for i := range list {
			list[i] = pair{rnd.IntN(1 + n), i}
			keys[i] = list[i].key
		}
		stable, any := slices.Clone(list), slices.Clone(list)
		sorting.Stable(stable, byKey)
		sorting.Func(any, byKey)
		sorting.Ordered(keys)
		slices.SortStableFunc(list, byKey)
		if !slices.Equal(stable, list) {
			t.Fatalf("%d elements are not sorted as slices.SortStableFunc does", len(list))
		}
		if !slices.IsSortedFunc(any, byKey) {
			t.Fatalf("%d elements are not sorted", len(list))
		}
		if !slices.IsSorted(keys) {
			t.Fatalf("%d keys are not sorted", len(list))
		}
	}
	floats := []float64{2, math.NaN(), math.Inf(-1), 0}
	sorting.Ordered(floats)
	if !math.IsNaN(floats[0]) || !slices.Equal(floats[1:], []float64{math.Inf(-1), 0, 2}) {
		t.Errorf("NaN does not stand first: %v", floats)
	}
}
