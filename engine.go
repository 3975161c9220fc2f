package ctxfold

import (
	"context"
	"time"
)

// Engine runs the operations of docs/reference/abi.md for a [Compactor]. All engines give the same bytes. Its methods may be called from any
// number of goroutines.
type Engine interface {
	Caller
	// Pin returns a caller whose sessions stay open from call to call.
	Pin() Pinned
	// Close waits for the calls in progress and frees what the engine holds.
	Close(ctx context.Context) error
}

// Caller runs one operation: JSON in, JSON out. An error answer of the operation is returned as answer, not as error. The errors are
// [ErrTrap], [ErrMemoryLimit], [ErrClosed] and that of ctx, with which it returns at once.
type Caller interface {
	Call(ctx context.Context, op string, request []byte) (answer []byte, cost Cost, err error)
}

// Pinned is a Caller for sessions. It serves one call at a time.
type Pinned interface {
	Caller
	// Drop closes the sessions and frees what holds them. The next call starts without any.
	Drop(ctx context.Context)
}

// Cost is what one operation took besides its time.
type Cost struct {
	Waited time.Duration // for its turn
	Memory uint64        // of the instance, in bytes; 0 if it has no memory of its own
}
