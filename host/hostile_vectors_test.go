package host_test

import (
	"os"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// TestHostileVectors writes the hostile inputs in a small size, with the core's answers, as vectors
// into the file that CTXFOLD_HOSTILE names. The hosts in other languages run them once.
func TestHostileVectors(t *testing.T) {
	file := os.Getenv("CTXFOLD_HOSTILE")
	if file == "" {
		t.Skip("CTXFOLD_HOSTILE names no file")
	}
	var vectors []vector
	for _, h := range hostiles {
		if h.long {
			continue
		}
		request := string(h.request(max(h.n/200, 8)))
		vectors = append(vectors, vector{Name: h.name, Op: h.op, Request: &request, Answer: string(core.Call(h.op, []byte(request)))})
	}
	writeVectors(t, file, vectors)
}
