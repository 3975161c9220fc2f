package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ctxfold/ctxfold/core"
)

// Version is the version of this package and of the module in it.
const Version = core.Version

// Engine says what runs the operations. The answers are the same bytes either way.
type Engine int

const (
	// EngineModule runs the WebAssembly module under wazero: isolated, and the very bytes that browsers run.
	EngineModule Engine = iota
	// EngineNative calls the Go code directly: no start-up time, and several times faster.
	EngineNative
)

// DefaultSummaryTimeout is how long one call of a [Summarizer] may take when Options do not say otherwise.
const DefaultSummaryTimeout = 2 * time.Minute

// Options configure a [Compactor]. The zero value is useful.
type Options struct {
	// Engine is EngineModule unless set.
	Engine Engine

	// Module holds the bytes of another build of the module. Nil means the embedded one. EngineNative ignores it.
	Module []byte

	// CacheDir is a directory where wazero keeps the compiled module. Compiling takes about a second; from the cache it
	// takes about 50 milliseconds. Whoever may write there may run code in this program. Empty means no cache.
	CacheDir string

	// SummaryTimeout bounds each call of a Summarizer. Zero means DefaultSummaryTimeout, negative means no bound.
	SummaryTimeout time.Duration

	// Logger gets a debug line for each operation, and a warning for each summary that failed and each call that
	// trapped. No line holds any text of a transcript. Nil means no log.
	Logger *slog.Logger
}

// Compactor compacts transcripts. Its methods may be called from any number of goroutines; as many operations run at
// the same time as the program has CPUs (runtime.GOMAXPROCS), each in its own instance of the module.
type Compactor struct {
	engine  engine
	timeout time.Duration
	log     *slog.Logger
}

// engine runs one operation of the ABI. An error answer comes back as answer bytes, not as error.
type engine interface {
	call(ctx context.Context, op string, request []byte) ([]byte, error)
	close(ctx context.Context) error
}

// New makes a Compactor. It fails when the module cannot be compiled or started, or the cache directory not be used.
func New(ctx context.Context, o Options) (*Compactor, error) {
	if o.SummaryTimeout == 0 {
		o.SummaryTimeout = DefaultSummaryTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Compactor{timeout: o.SummaryTimeout, log: o.Logger}
	switch o.Engine {
	case EngineNative:
		c.engine = &native{}
	case EngineModule:
		m, err := newModule(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("ctxfold: %w", err)
		}
		c.engine = m
	default:
		return nil, fmt.Errorf("ctxfold: there is no engine %d", o.Engine)
	}
	return c, nil
}

// Close waits for the operations in progress and frees what the Compactor holds. When ctx ends first it returns the
// error of ctx, and the Compactor stays open.
func (c *Compactor) Close(ctx context.Context) error { return c.engine.close(ctx) }

// Call runs one operation of docs/ABI.md on a JSON request and returns the JSON answer. An error answer becomes an
// [*Error], an operation that does not exist an *Error with the code unknown_op. Other errors are [ErrTrap],
// [ErrClosed] and the error of ctx. A call that has begun runs to its end: ctx is looked at before, not during the call.
func (c *Compactor) Call(ctx context.Context, op string, request []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start := time.Now()
	answer, err := c.engine.call(ctx, op, request)
	if err != nil {
		return nil, err
	}
	c.log.Debug("ctxfold", "op", op, "request_bytes", len(request), "answer_bytes", len(answer), "took", time.Since(start))
	if bytes.HasPrefix(answer, []byte(`{"error":`)) {
		return nil, decodeError(answer)
	}
	return answer, nil
}

func decodeError(answer []byte) error {
	var a struct{ Error Error }
	if err := json.Unmarshal(answer, &a); err != nil {
		return fmt.Errorf("ctxfold: an error answer that is not as the ABI says: %w", err)
	}
	return &a.Error
}

// native is the engine that needs no module.
type native struct{ closed atomic.Bool }

func (n *native) call(_ context.Context, op string, request []byte) ([]byte, error) {
	if n.closed.Load() {
		return nil, ErrClosed
	}
	return core.Call(op, request), nil
}

func (n *native) close(context.Context) error {
	n.closed.Store(true)
	return nil
}
