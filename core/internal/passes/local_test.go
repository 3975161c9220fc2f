package passes

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// A text that is written with a guess of its size comes near to its budget, from below, whether the guess was high or low.
func TestFilled(t *testing.T) {
	c := &Run{}
	c.View = &view.View{P: tokens.ByName("bytes4")}
	for _, size := range []int{100, 200, 390, 400, 410, 800, 4000} {
		text := c.filled(100, size, func(size int) string { return strings.Repeat("w", size) })
		if n := c.P.Text(text); n < 95 || n > 100 {
			t.Errorf("%d tokens of 100, from a guess of %d bytes", n, size)
		}
	}
}
