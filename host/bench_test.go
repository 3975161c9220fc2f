package host_test

import (
	"os"
	"testing"

	"github.com/ctxfold/ctxfold/host"
)

// BenchmarkCompact compacts the sample, start to end, with the local digest.
func BenchmarkCompact(b *testing.B) {
	messages, err := os.ReadFile("../testdata/sample.anthropic.json")
	if err != nil {
		b.Fatal(err)
	}
	for name, engine := range map[string]host.Engine{"module": host.EngineModule, "native": host.EngineNative} {
		b.Run(name, func(b *testing.B) {
			c, err := host.New(b.Context(), host.Options{Engine: engine, CacheDir: cache})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close(b.Context())
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
