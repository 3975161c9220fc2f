package ctxfold

import (
	"context"
	"time"
)

// Lose discards the instance, as a trap does.
func (v *Conversation) Lose() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.engine.Reset(context.Background())
}

// SetClock replaces the clock that the jobs of a Compactor use.
func (c *Compactor) SetClock(now func() time.Time) { c.now = now }

// RunNative runs a call as the native engine does.
func RunNative(ctx context.Context, call func() []byte) ([]byte, error) {
	answer, _, err := new(native).run(ctx, call)
	return answer, err
}
