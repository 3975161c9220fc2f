package host_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/host"
)

// FuzzEngines sends arbitrary requests to an operation, natively and in the module: the answers are the same bytes, and
// the module never traps. CTXFOLD_FUZZ_OP selects one operation. By default all are tested, except those of sessions,
// whose numbers differ between instances.
func FuzzEngines(f *testing.F) {
	ops := slices.DeleteFunc(core.Ops(), func(op string) bool { return strings.HasPrefix(op, "session_") })
	if only := os.Getenv("CTXFOLD_FUZZ_OP"); only != "" {
		if !slices.Contains(ops, only) {
			f.Fatalf("there is no operation %s to try", only)
		}
		ops = []string{only}
	}
	files, err := filepath.Glob("../testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no vectors in testdata/vectors", err)
	}
	for _, file := range files {
		for _, v := range readVectors(f, file) {
			if n := slices.Index(ops, v.Op); n >= 0 && len(v.request()) < 20_000 {
				f.Add(uint8(n), v.request())
			}
		}
	}
	c := open(f, host.Options{Instances: 1, Module: fullModule(f)})
	f.Fuzz(func(t *testing.T, n uint8, request []byte) {
		op := ops[int(n)%len(ops)]
		native := core.Call(op, bytes.Clone(request))
		module, err := c.Answer(context.Background(), op, request)
		if err != nil {
			t.Fatalf("%s %q: %v", op, request, err)
		}
		if !bytes.Equal(native, module) {
			t.Fatalf("%s %q\nnatively   %s\nthe module %s", op, request, native, module)
		}
	})
}
