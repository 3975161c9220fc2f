package passes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/policy"
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

// What the user said about how to work takes at most half of what a digest may have.
func TestStandingTakesHalfOfADigest(t *testing.T) {
	c := &Run{}
	c.View = &view.View{P: tokens.ByName("bytes4")}
	c.Policy, _ = policy.Resolve([]byte(`{}`))
	l := &digest.Ledger{}
	for i := range 100 {
		l.Standing = append(l.Standing, fmt.Sprintf("Never touch the file %d.", i))
	}
	for _, most := range []int{100, 200, 400} {
		if n := c.P.Text(c.standing(l, 10000, 0, most, false)); n > most/2 || n < most/4 {
			t.Errorf("%d tokens of %d", n, most)
		}
	}
}
