package core_test

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestMain gives the garbage collector room: the tests make millions of small answers, and a fifth of their time was spent on
// collections and on the memory profile, which is off unless -memprofile asks for it.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.memprofile").Value.String() == "" {
		runtime.MemProfileRate = 0
	}
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// budget is how many random cases a test tries: few with -short, some in make test, and all of them in make test-long, which sets
// CTXFOLD_LONG. So a run takes as long as it does by these numbers alone.
func budget(short, some, all int) int {
	switch {
	case os.Getenv("CTXFOLD_LONG") != "":
		return all
	case testing.Short():
		return short
	default:
		return some
	}
}

// covers reports whether a run tries the n-th subject in a way, of several that are counted from 0: in make test-long in all of them, else in
// one, and the subject after it in the next. So every way is tried with as many subjects as there are ways.
func covers(n, way, ways int) bool { return os.Getenv("CTXFOLD_LONG") != "" || n%ways == way }
