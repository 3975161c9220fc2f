package handles_test

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// The handle equals the hash from crypto/sha256 for each length around block boundaries, and for input in pieces of any
// size.
func TestHandle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 300 {
		body := make([]byte, n)
		for i := range body {
			body[i] = byte(r.Uint32())
		}
		sum := sha256.Sum256(body)
		want := hex.EncodeToString(sum[:])
		if got := handles.Handle(body); got != want {
			t.Fatalf("%d bytes: %s, want %s", n, got, want)
		}
		h := handles.New()
		for rest := body; len(rest) > 0; {
			k := 1 + r.IntN(len(rest))
			h.Write(rest[:k])
			rest = rest[k:]
		}
		if got := h.Handle(); got != want {
			t.Fatalf("%d bytes in pieces: %s, want %s", n, got, want)
		}
	}
}

func TestIsHandle(t *testing.T) {
	full := handles.Handle(nil)
	for text, want := range map[string]bool{full: true, full[:16]: true, full[:15]: false, full + "0": false, "": false,
		"E3B0C44298FC1C149AFBF4C8996FB924": false, "../../../../etc/passwd": false} {
		if handles.IsHandle(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

func BenchmarkHandle(b *testing.B) {
	body := make([]byte, 1<<20)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		handles.Handle(body)
	}
}
