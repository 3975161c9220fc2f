package tokens_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// BenchmarkEstimate estimates the sample session, repeated to some MB, with each estimator.
func BenchmarkEstimate(b *testing.B) {
	sample, err := os.ReadFile("../../../testdata/sample.anthropic.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"bytes4", "script"} {
		req := []byte(`{"policy":{"format":"anthropic","estimator":"` + name + `"},"messages":[`)
		sample := bytes.TrimSpace(sample)
		body := sample[bytes.IndexByte(sample, '[')+1 : bytes.LastIndexByte(sample, ']')]
		for i := 0; i < 1<<21/len(body)+1; i++ {
			if i > 0 {
				req = append(req, ',')
			}
			req = append(req, body...)
		}
		req = append(req, "]}"...)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(req)))
			for i := 0; i < b.N; i++ {
				core.Call("estimate", req)
			}
		})
	}
}
