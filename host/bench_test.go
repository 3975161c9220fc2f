package host_test

import (
	"os"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host"
)

// BenchmarkCompact compacts the sample, start to end, with the local digest.
func BenchmarkCompact(b *testing.B) {
	messages, err := os.ReadFile("../testdata/sample.anthropic.json")
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]*ctxfold.Compactor{"module": open(b, host.Options{}).Compactor, "native": ctxfold.New(ctxfold.Options{})} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(messages)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Compact(b.Context(), messages, policy, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
