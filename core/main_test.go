package core_test

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/trials"
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

var budget, covers = trials.Count, trials.Covers
