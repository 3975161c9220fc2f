package check

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFaults panics in the modules under stress of the folder that CTXFOLD_STEPS names: each panic is recovered, and the instance works on. An
// endless recursion traps where the stack has a fixed size; elsewhere it takes hours to fill the memory with stacks that move.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("CTXFOLD_STEPS"), "stress-*.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("CTXFOLD_STEPS") == "" || len(files) == 0 {
		t.Skip("CTXFOLD_STEPS names no folder with modules under stress; make test-build makes one")
	}
	cache := cacheOf(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			wasm, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := compile(t, cache, wasm, maxPages).instance(t)
			const last = 7
			for round := range 3 {
				for kind := range uint64(last + 1) {
					for _, depth := range []uint64{0, 1, 500} {
						answer, err := in.ExportedFunction("ctxfold_fault").Call(t.Context(), kind, depth)
						if err != nil || answer[0] != 100+kind {
							t.Fatalf("round %d, kind %d, depth %d: %v, %v", round, kind, depth, answer, err)
						}
					}
					for _, c := range requests(uint64(round)*100 + kind) {
						in.same(t, int(kind), c)
					}
				}
			}
			if filepath.Base(file) != "stress-collect.wasm" {
				return
			}
			if answer, err := in.ExportedFunction("ctxfold_fault").Call(t.Context(), last+1, 0); err == nil {
				t.Errorf("an endless recursion returned %v, want a trap", answer)
			}
		})
	}
}
