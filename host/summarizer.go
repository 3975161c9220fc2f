package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Summarizer writes the summaries that a compaction wants, usually with the model of the conversation or a cheaper one.
//
// It never endangers the transcript: when it returns an error, panics, or takes longer than Options.SummaryTimeout, or
// when its text is empty, a refusal or too long, the core writes a digest of its own instead and the report says why.
// The requests that one compaction wants at the same time are made from goroutines of their own.
type Summarizer interface {
	Summarize(ctx context.Context, request Request) (Summary, error)
}

// SummarizerFunc makes a Summarizer of a function.
type SummarizerFunc func(ctx context.Context, request Request) (Summary, error)

// Summarize calls f.
func (f SummarizerFunc) Summarize(ctx context.Context, request Request) (Summary, error) {
	return f(ctx, request)
}

// StreamSummarizer is a [Summarizer] that shows what the model writes while it writes it.
type StreamSummarizer interface {
	Summarizer
	// SummarizeStream is Summarize. It gives each piece of the text to delta, which may be called from any goroutine.
	SummarizeStream(ctx context.Context, request Request, delta func(text string)) (Summary, error)
}

// StreamSummarizerFunc makes a StreamSummarizer of a function.
type StreamSummarizerFunc func(ctx context.Context, request Request, delta func(text string)) (Summary, error)

// Summarize calls f and drops the pieces.
func (f StreamSummarizerFunc) Summarize(ctx context.Context, request Request) (Summary, error) {
	return f(ctx, request, func(string) {})
}

// SummarizeStream calls f.
func (f StreamSummarizerFunc) SummarizeStream(ctx context.Context, request Request, delta func(text string)) (Summary, error) {
	return f(ctx, request, delta)
}

// Delta is a piece of a summary that is being written.
type Delta struct {
	// Request and Scope are those of the [Request].
	Request, Scope string
	Text           string
}

// streamed is s, with the pieces of its text given to onDelta as long as open is true.
func streamed(s Summarizer, q Request, onDelta func(Delta), open *atomic.Bool) func(context.Context) (Summary, error) {
	stream, ok := s.(StreamSummarizer)
	if onDelta == nil || !ok {
		return func(ctx context.Context) (Summary, error) { return s.Summarize(ctx, q) }
	}
	return func(ctx context.Context) (Summary, error) {
		return stream.SummarizeStream(ctx, q, func(text string) {
			if open.Load() && ctx.Err() == nil {
				onDelta(Delta{Request: q.ID, Scope: q.Scope, Text: text})
			}
		})
	}
}

// summarize answers all requests of one round at the same time. A summary that cannot be had says so in its Error. The
// only error is that of ctx.
func (c *Compactor) summarize(ctx context.Context, s Summarizer, requests []Request, onDelta func(Delta)) ([]Summary, error) {
	summaries := make([]Summary, len(requests))
	var wg sync.WaitGroup
	for i, q := range requests {
		wg.Go(func() {
			start := time.Now()
			summary, err := c.summarizeOne(ctx, s, q, onDelta)
			summary.ID = q.ID
			if err != nil {
				summary.Error = err.Error()
				if summary.Error == "" {
					summary.Error = "the summarizer failed without a message"
				}
			}
			took := time.Since(start)
			if summary.Error != "" {
				c.log.Warn("ctxfold: no summary", "request", q.ID, "took", took, "error", summary.Error)
			}
			c.metrics.Summary(SummaryCall{Scope: q.Scope, Failed: summary.Error != "", InputTokens: q.InputTokens,
				OutputBytes: len(summary.Text), Took: took})
			summaries[i] = summary
		})
	}
	wg.Wait()
	return summaries, ctx.Err()
}

// summarizeOne leaves a summarizer that hangs behind: its goroutine ends when the summarizer returns.
func (c *Compactor) summarizeOne(ctx context.Context, s Summarizer, q Request, onDelta func(Delta)) (Summary, error) {
	var open atomic.Bool
	open.Store(true)
	defer open.Store(false)
	summarize := streamed(s, q, onDelta, &open)
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("the summarizer took longer than %v", c.timeout))
		defer cancel()
	}
	type outcome struct {
		summary Summary
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		// This error stands if the summarizer ends its goroutine without returning (runtime.Goexit).
		o := outcome{err: errors.New("the summarizer did not return")}
		defer func() {
			if p := recover(); p != nil {
				o = outcome{err: fmt.Errorf("the summarizer panicked: %v", p)}
			}
			done <- o
		}()
		summary, err := summarize(ctx)
		o = outcome{summary, err}
	}()
	select {
	case o := <-done:
		// A summarizer that passes ctx on to its HTTP client reports only "deadline exceeded".
		if errors.Is(o.err, context.DeadlineExceeded) && ctx.Err() != nil {
			o.err = context.Cause(ctx)
		}
		return o.summary, o.err
	case <-ctx.Done():
		return Summary{}, context.Cause(ctx)
	}
}
