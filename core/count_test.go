//go:build !ctxfold_count

package core_test

import (
	"os/exec"
	"testing"
)

// TestEachByteOnce runs the test that counts what one compaction reads and writes, in a build that counts.
func TestEachByteOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds core anew")
	}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-tags", "ctxfold_count", "-run", "TestBytesOfOneCompact", ".").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
