package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// DefaultSummaryConcurrency is how many calls of a [Summarizer] one compaction makes at the same time when Options do not say
// otherwise.
const DefaultSummaryConcurrency = 4

// Options configure a [Compactor]. The zero value is useful.
type Options struct {
	// Engine is EngineModule unless set.
	Engine Engine

	// Module holds the bytes of another build of the module. Nil means the embedded one. EngineNative ignores it.
	Module []byte

	// CacheDir is a directory where wazero keeps the compiled module. Compiling takes about a second; from the cache it
	// takes about 50 milliseconds. Whoever may write there may run code in this program. Empty means no cache.
	CacheDir string

	// Instances is how many instances of the module may exist, and so how many operations run at the same time. Zero
	// means one for each CPU of the program (runtime.GOMAXPROCS). EngineNative ignores it.
	Instances int

	// MemoryLimit bounds the memory of each instance, in bytes; it is rounded down to whole pages of 64 KiB. A call that
	// needs more fails with [ErrMemoryLimit]. A call takes about three times the bytes of its request, and an idle
	// instance a few MiB. Zero means 4 GiB, the most that WebAssembly has. EngineNative ignores it.
	MemoryLimit uint64

	// Interrupt lets the end of a context stop the module in the middle of a call, so that the work of a cancelled call
	// costs nothing more. It makes every call about 3.5 times slower, because wazero then looks at the context in every
	// loop. Without it a cancelled call returns at once all the same, but its instance is busy until it is through.
	// EngineNative ignores it.
	Interrupt bool

	// SummaryTimeout bounds each call of a Summarizer. Zero means DefaultSummaryTimeout, negative means no bound.
	SummaryTimeout time.Duration

	// SummaryConcurrency is how many calls of a Summarizer one compaction may make at the same time. The time that a request
	// waits for its turn does not count. Zero means DefaultSummaryConcurrency; a model on this machine may want 1.
	SummaryConcurrency int

	// Records keep what Fit has made of conversations. Nil means MemoryRecords of DefaultRecords bytes.
	Records Records

	// Logger gets a debug line for each operation, and a warning for each summary that failed and each call that
	// trapped. No line holds any text of a transcript. Nil means no log.
	Logger *slog.Logger

	// Metrics gets counts, sizes and durations. Nil means none.
	Metrics Metrics
}

// Compactor compacts transcripts. Its methods may be called from any number of goroutines; as many operations run at
// the same time as Options.Instances says, each in its own instance of the module.
type Compactor struct {
	engine      engine
	timeout     time.Duration
	concurrency int
	log         *slog.Logger
	metrics     Metrics
	records     Records
	flights     flights
	now         func() time.Time
}

// caller runs one operation of the ABI. An error answer comes back as answer bytes, not as error.
type caller interface {
	call(ctx context.Context, op string, request []byte) ([]byte, cost, error)
}

// engine runs operations on whatever instance is free.
type engine interface {
	caller
	// pin returns a caller of the same kind for sessions.
	pin() pinned
	close(ctx context.Context) error
}

// cost is what one operation took beside its time.
type cost struct {
	waited time.Duration
	memory uint64
}

// New makes a Compactor. It fails when the module cannot be compiled or started, or the cache directory not be used.
func New(ctx context.Context, o Options) (*Compactor, error) {
	if o.SummaryTimeout == 0 {
		o.SummaryTimeout = DefaultSummaryTimeout
	}
	if o.SummaryConcurrency <= 0 {
		o.SummaryConcurrency = DefaultSummaryConcurrency
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Records == nil {
		o.Records = NewMemoryRecords(DefaultRecords)
	}
	if o.Metrics == nil {
		o.Metrics = noMetrics{}
	}
	c := &Compactor{timeout: o.SummaryTimeout, concurrency: o.SummaryConcurrency, log: o.Logger, metrics: o.Metrics,
		records: o.Records, now: time.Now}
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
// [ErrMemoryLimit], [ErrClosed] and the error of ctx.
//
// When ctx ends, Call returns at once. The work goes on behind it unless Options.Interrupt is set, so request must not be
// modified even then.
func (c *Compactor) Call(ctx context.Context, op string, request []byte) ([]byte, error) {
	return c.callOn(ctx, c.engine, op, request)
}

func (c *Compactor) callOn(ctx context.Context, by caller, op string, request []byte) ([]byte, error) {
	start := time.Now()
	answer, cost, err := run(ctx, by, op, request)
	took := time.Since(start) - cost.waited
	if err == nil && bytes.HasPrefix(answer, []byte(`{"error":`)) {
		err = decodeError(answer)
	}
	code := errorCode(err)
	c.metrics.Operation(Operation{Name: op, Code: code, RequestBytes: len(request), AnswerBytes: len(answer),
		Waited: cost.waited, Took: took, MemoryBytes: cost.memory})
	if err != nil {
		c.log.Debug("ctxfold: an operation failed", "op", op, "request_bytes", len(request), "took", took, "code", code)
		return nil, err
	}
	c.log.Debug("ctxfold", "op", op, "request_bytes", len(request), "answer_bytes", len(answer), "took", took)
	return answer, nil
}

func run(ctx context.Context, by caller, op string, request []byte) ([]byte, cost, error) {
	if err := ctx.Err(); err != nil {
		return nil, cost{}, err
	}
	return by.call(ctx, op, request)
}

func errorCode(err error) string {
	var answer *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &answer):
		return answer.Code
	case errors.Is(err, ErrMemoryLimit):
		return CodeMemory
	case errors.Is(err, ErrTrap):
		return CodeTrap
	case errors.Is(err, ErrClosed):
		return CodeClosed
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return CodeCanceled
	default:
		return CodeStart
	}
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

func (n *native) call(ctx context.Context, op string, request []byte) ([]byte, cost, error) {
	if n.closed.Load() {
		return nil, cost{}, ErrClosed
	}
	if ctx.Done() == nil {
		return core.Call(op, request), cost{}, nil
	}
	answer := make(chan []byte, 1)
	go func() { answer <- core.Call(op, request) }()
	select {
	case a := <-answer:
		return a, cost{}, nil
	case <-ctx.Done():
		return nil, cost{}, ctx.Err()
	}
}

func (n *native) close(context.Context) error {
	n.closed.Store(true)
	return nil
}
