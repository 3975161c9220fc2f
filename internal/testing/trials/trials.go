// Package trials says how much a run of the tests tries: little with -short, some in make test, and all in make test-long,
// which sets CTXFOLD_LONG. So the duration of a run follows from the numbers in the tests alone.
package trials

import (
	"os"
	"testing"
)

// All reports whether everything is tried.
func All() bool { return os.Getenv("CTXFOLD_LONG") != "" }

// Count returns how many random cases a test tries.
func Count(short, some, all int) int {
	switch {
	case All():
		return all
	case testing.Short():
		return short
	default:
		return some
	}
}

// Covers reports whether a run tries the n-th subject in a way, of several that are counted from 0: if everything is
// tried in all of them, else in one, and the subject after it in the next. So every way is tried with as many subjects
// as there are ways.
func Covers(n, way, ways int) bool { return All() || n%ways == way }
