package ctxfold

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ctxfold/ctxfold/core"
)

// Engine runs the operations of docs/reference/abi.md for a [Compactor]. All engines return the same bytes. Its
// methods may be called from any number of goroutines.
type Engine interface {
	Caller
	// Instance returns a caller for sessions, with an instance of its own.
	Instance() Instance
	// Close waits for the calls in progress and frees the engine's resources; an engine without any needn't wait.
	Close(ctx context.Context) error
}

// Caller runs operations, which take and return JSON. Call returns an error response of an operation as answer, not as
// err. err is [ErrTrap], [ErrMemoryLimit], [ErrClosed] or the error of ctx; if ctx ends, Call returns at once.
type Caller interface {
	// Call runs the operation op on a request, and returns its answer and what the operation used.
	Call(ctx context.Context, op string, request []byte) (answer []byte, cost Cost, err error)
}

// Instance is a Caller with an instance of its own, so that sessions stay open from call to call. It may replace that
// instance between two calls, and serves one call at a time.
type Instance interface {
	Caller
	// Reset closes the sessions and frees the instance that holds them. The next call starts without any sessions.
	Reset(ctx context.Context)
}

// Cost describes what one operation used, apart from running time.
type Cost struct {
	Waited time.Duration // time spent waiting for an instance
	Memory uint64        // memory of the instance, in bytes; 0 if it has no memory of its own
}

// native is the engine compiled into the program. It needs no module, but a trap of the core would end the program.
type native struct{ closed atomic.Bool }

// Call runs the operation in this program. If ctx ends first, the operation continues in the background.
func (n *native) Call(ctx context.Context, op string, request []byte) ([]byte, Cost, error) {
	return n.run(ctx, func() []byte { return core.Call(op, request) })
}

func (n *native) run(ctx context.Context, call func() []byte) ([]byte, Cost, error) {
	if n.closed.Load() {
		return nil, Cost{}, ErrClosed
	}
	if ctx.Done() == nil {
		return call(), Cost{}, nil
	}
	answer := make(chan []byte, 1)
	go func() { answer <- call() }()
	select {
	case a := <-answer:
		return a, Cost{}, nil
	case <-ctx.Done():
		return nil, Cost{}, ctx.Err()
	}
}

// Close makes later calls return [ErrClosed]; it has no resources, so it does not wait. It always returns nil.
func (n *native) Close(context.Context) error {
	n.closed.Store(true)
	return nil
}

// Instance returns an instance with sessions of its own.
func (n *native) Instance() Instance { return &nativeInstance{n: n, own: new(nativeSessions)} }

// nativeSessions are the sessions of a nativeInstance. They serve one call at a time.
type nativeSessions struct {
	mu   sync.Mutex
	core core.Sessions
}

func (s *nativeSessions) call(op string, request []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Call(op, request)
}

type nativeInstance struct {
	n   *native
	own *nativeSessions
}

// Call runs the operation with the sessions of the instance. After an error the instance has no sessions.
func (p *nativeInstance) Call(ctx context.Context, op string, request []byte) ([]byte, Cost, error) {
	sessions := p.own
	answer, cost, err := p.n.run(ctx, func() []byte { return sessions.call(op, request) })
	if err != nil {
		p.Reset(ctx) // an abandoned call may still be using the sessions
	}
	return answer, cost, err
}

// Reset forgets the sessions.
func (p *nativeInstance) Reset(context.Context) { p.own = new(nativeSessions) }
