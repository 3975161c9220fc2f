package ctxfold_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ctxfold/ctxfold"
)

// A call returns when its context ends, even if core continues.
func TestNativeCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hold := make(chan struct{})
	defer close(hold)
	if _, err := ctxfold.RunNative(ctx, func() []byte {
		cancel()
		<-hold
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
