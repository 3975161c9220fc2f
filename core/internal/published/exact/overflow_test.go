package exact_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/published/exact"
)

func TestIsOverflow(t *testing.T) {
	if !exact.IsOverflow("Rate limit: too many tokens per minute") || exact.IsOverflow("permission denied") || exact.IsOverflow("request too large") {
		t.Error("S4.43 is another one")
	}
}
