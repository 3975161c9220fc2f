package ctxfold

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/records"
)

// Version is the version of this package and of its module.
const Version = core.Version

// Defaults of the fields of [Options].
const (
	// DefaultSummaryTimeout is the time limit for one call of a [Summarizer].
	DefaultSummaryTimeout = 2 * time.Minute
	// DefaultSummaryConcurrency is the maximum number of concurrent calls of a [Summarizer] by one compaction.
	DefaultSummaryConcurrency = 4
	// DefaultRecordsBytes is the maximum size of the records that a [Compactor] keeps in memory, in bytes. A record takes a few KB, or more if
	// the compaction rewrites much.
	DefaultRecordsBytes = 64 << 20
	// DefaultRecordsTimeout is the time limit for one call of Options.Records.
	DefaultRecordsTimeout = 2 * time.Second
	// DefaultLease is the duration of a lease that is not renewed.
	DefaultLease = 15 * time.Second
)

// Options configure a [Compactor]. The zero value is useful.
type Options struct {
	// Engine runs the operations. Nil means the code compiled into the program; package host has an engine that runs
	// the sandboxed module.
	Engine Engine

	// SummaryTimeout limits each call of a Summarizer. Zero means DefaultSummaryTimeout, negative means no limit.
	SummaryTimeout time.Duration

	// SummaryConcurrency is the maximum number of concurrent calls of a Summarizer by one compaction. Time spent waiting for a free slot
	// doesn't count toward SummaryTimeout. Zero means DefaultSummaryConcurrency; for a model on the same machine, 1 may be best.
	SummaryConcurrency int

	// Records store the compactions that Fit has made. Nil means a [records.Memory] of DefaultRecordsBytes bytes. Replicas
	// that share conversations use [records.Shared].
	Records records.Records

	// RecordsTimeout limits each call of Records. Zero means DefaultRecordsTimeout, negative means no limit.
	RecordsTimeout time.Duration

	// Lease is the time that replicas wait for a replica that died during a compaction; a running replica renews its
	// lease. Zero means DefaultLease.
	Lease time.Duration

	// Logger receives a debug line per operation, and a warning for each failed summary and each call that trapped.
	// No line contains text of a transcript. Nil disables logging.
	Logger *slog.Logger

	// Metrics receives counts, sizes and durations. Nil disables metrics.
	Metrics Metrics
}

// Compactor compacts transcripts. Its methods may be called from any number of goroutines.
type Compactor struct {
	engine      Engine           // runs the operations
	timeout     time.Duration    // the time limit of a summary
	concurrency int              // the maximum number of summaries that are written at a time
	log         *slog.Logger     // the logger of the options
	metrics     Metrics          // counts calls
	records     *records.Guarded // what Fit remembers
	leaseTime   time.Duration    // how long a lease lasts unless it is renewed
	leases      holdings         // held by running jobs
	background  backgrounds      // the compactions in the background
	now         func() time.Time // the clock
}

// New returns a Compactor with the given options. Whatever they leave out has its default: the native engine, records
// in memory, and the default limits and times.
func New(o Options) *Compactor {
	if o.Engine == nil {
		o.Engine = &native{}
	}
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
		o.Records = records.NewMemory(DefaultRecordsBytes)
	}
	if o.Metrics == nil {
		o.Metrics = noMetrics{}
	}
	if o.RecordsTimeout == 0 {
		o.RecordsTimeout = DefaultRecordsTimeout
	}
	if o.Lease <= 0 {
		o.Lease = DefaultLease
	}
	c := &Compactor{engine: o.Engine, timeout: o.SummaryTimeout, concurrency: o.SummaryConcurrency, log: o.Logger, metrics: o.Metrics,
		leaseTime: o.Lease, now: time.Now}
	c.records = records.NewGuarded(o.Records, o.RecordsTimeout, c.called)
	if _, none := o.Metrics.(noMetrics); !none {
		c.metrics = safeMetrics{c, o.Metrics}
	}
	return c
}

// called counts a call of the records, and logs it if it failed.
func (c *Compactor) called(call records.Call) {
	if call.Err != nil {
		c.log.Warn("ctxfold: the records failed", "op", call.Op, "error", call.Err)
	}
	c.metrics.Records(RecordsCall{Op: call.Op, Failed: call.Err != nil, Took: call.Took})
}

// Close cancels Fit's background compactions, waits for operations in progress, and frees the engine's resources. The
// compiled-in engine has none and doesn't wait. If ctx ends first, Close returns its error and the Compactor stays open.
func (c *Compactor) Close(ctx context.Context) error {
	c.background.cancel()
	return c.engine.Close(ctx)
}

// Call runs one operation of docs/reference/abi.md on a JSON request and returns the JSON response. An error response
// becomes an [*Error], an unknown operation an [*Error] with the code unknown_op. Other errors are [ErrTrap],
// [ErrMemoryLimit], [ErrClosed] and the error of ctx.
//
// When ctx ends, Call returns at once. The operation may still be running, so request must not be modified even then.
func (c *Compactor) Call(ctx context.Context, op string, request []byte) ([]byte, error) {
	return c.callOn(ctx, c.engine, op, request)
}

func (c *Compactor) callOn(ctx context.Context, by Caller, op string, request []byte) ([]byte, error) {
	start := time.Now()
	answer, cost, err := run(ctx, by, op, request)
	took := time.Since(start) - cost.Waited
	if err == nil && bytes.HasPrefix(answer, []byte(`{"error":`)) {
		err = decodeError(answer)
	}
	code := errorCode(err)
	c.metrics.Operation(OperationCall{Name: op, Code: code, RequestBytes: len(request), AnswerBytes: len(answer),
		Waited: cost.Waited, Took: took, MemoryBytes: cost.Memory})
	if err != nil {
		c.log.Debug("ctxfold: an operation failed", "op", op, "request_bytes", len(request), "took", took, "code", code)
		return nil, err
	}
	c.log.Debug("ctxfold", "op", op, "request_bytes", len(request), "answer_bytes", len(answer), "took", took)
	return answer, nil
}

func run(ctx context.Context, by Caller, op string, request []byte) ([]byte, Cost, error) {
	if err := ctx.Err(); err != nil {
		return nil, Cost{}, err
	}
	return by.Call(ctx, op, request)
}

func errorCode(err error) string {
	var answer *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &answer):
		return string(answer.Code)
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
	var a api.Failed
	if err := unmarshal("error", answer, &a); err != nil {
		return err
	}
	return &Error{Code: a.Error.Code, Message: a.Error.Message, Path: a.Error.Path, Offset: a.Error.Offset}
}
