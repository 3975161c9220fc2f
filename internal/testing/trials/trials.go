// Package trials determines how many cases a test tries: few with -short, more in make test, and all in make
// test-long, which sets CTXFOLD_LONG. The numbers are in the tests, so they alone determine how long a run takes.
package trials

import (
	"os"
	"testing"
)

// All reports whether this run tries all cases.
func All() bool { return os.Getenv("CTXFOLD_LONG") != "" }

// Count returns the number of random cases that a test tries: short with -short, all in a long run, and some otherwise.
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

// Covers reports whether this run tests subject n in a given way. Subjects and ways are numbered from 0. A long run
// tests each subject in every way. Other runs test each subject in one way, chosen in turn, so that every way is
// tested as soon as there are as many subjects as ways.
func Covers(n, way, ways int) bool { return All() || n%ways == way }
