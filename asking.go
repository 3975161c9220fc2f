package ctxfold

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// busyWait is the wait before a busy model is called again if the model's answer names no wait.
const busyWait = time.Second

// asking makes the summary requests of one compaction. It spares a busy model: a compaction may have dozens of requests, and all would meet
// the same rate limit.
type asking struct {
	c       *Compactor
	s       Summarizer
	onDelta func(Delta)
	// messages are the messages being compacted, for requests that follow the conversation.
	messages json.RawMessage
	slots    chan struct{} // holds a token for each call in progress
	probe    chan struct{} // holds a token while one request finds out whether a busy model answers again

	mu     sync.Mutex
	down   error         // why no more calls are made, or nil
	up     time.Time     // when a busy model last answered again
	failed bool          // some request got no summary
	after  time.Duration // the longest wait that the model has asked for
}

func (c *Compactor) asking(s Summarizer, onDelta func(Delta)) *asking {
	return &asking{c: c, s: s, onDelta: onDelta, slots: make(chan struct{}, c.concurrency), probe: make(chan struct{}, 1)}
}

// round answers all requests of one round. A summary that couldn't be had has an Error. The only error is that of ctx.
func (a *asking) round(ctx context.Context, requests []Request) ([]Summary, error) {
	summaries := make([]Summary, len(requests))
	var wg sync.WaitGroup
	for i, q := range requests {
		wg.Go(func() { summaries[i] = a.one(ctx, q) })
	}
	wg.Wait()
	return summaries, ctx.Err()
}

// one answers one request. Waiting for other requests doesn't count as the model's time.
func (a *asking) one(ctx context.Context, q Request) Summary {
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return Summary{ID: q.ID, Error: context.Cause(ctx).Error()}
	}
	start := time.Now()
	var summary Summary
	err := a.complete(&q)
	if err == nil {
		summary, err = a.timed(ctx, q)
	}
	summary.ID = q.ID
	if err != nil {
		summary.Error = cmp.Or(err.Error(), "the summarizer failed without a message")
	}
	took := time.Since(start)
	if summary.Error != "" {
		a.mu.Lock()
		a.failed = a.failed || q.Conversation == nil // otherwise a record is requested next
		a.mu.Unlock()
		a.c.log.Warn("ctxfold: no summary", "request", q.ID, "took", took, "error", summary.Error)
	}
	a.c.metrics.Summary(SummaryCall{Scope: q.Scope, Failed: summary.Error != "", InputTokens: q.InputTokens,
		OutputBytes: len(summary.Text), Took: took})
	return summary
}

// timed makes one or two calls within the time of a summary.
func (a *asking) timed(ctx context.Context, q Request) (Summary, error) {
	if err := a.open(ctx); err != nil {
		return Summary{}, err
	}
	if a.c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.c.timeout, fmt.Errorf("the summarizer took longer than %v", a.c.timeout))
		defer cancel()
	}
	summary, err := a.call(ctx, q)
	var busy *BusyError
	switch {
	case errors.As(err, &busy):
		summary, err = a.again(ctx, q, busy)
	case errors.Is(err, ErrIncomplete) && ctx.Err() == nil:
		summary, err = a.call(ctx, q)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
		a.close(err, 0)
	}
	return summary, err
}

// open waits while it is unknown whether the model is busy, and returns why it must not be called.
func (a *asking) open(ctx context.Context) error {
	select {
	case a.probe <- struct{}{}:
		<-a.probe
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.down
}

func (a *asking) close(err error, after time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.down, a.after = cmp.Or(a.down, err), max(a.after, after)
}

// again waits for as long as a busy model asks and calls it once more, one request at a time. If the time of the summary ends first, or the
// model is still busy, no other request calls it.
func (a *asking) again(ctx context.Context, q Request, busy *BusyError) (Summary, error) {
	refused := time.Now()
	select {
	case a.probe <- struct{}{}:
		defer func() { <-a.probe }()
	case <-ctx.Done():
		return Summary{}, context.Cause(ctx)
	}
	a.mu.Lock()
	down, up := a.down, a.up
	a.mu.Unlock()
	if down != nil {
		a.close(down, busy.After)
		return Summary{}, busy
	}
	wait := cmp.Or(busy.After, busyWait)
	if up.After(refused) { // another request has done the waiting
		wait = 0
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		a.close(busy, busy.After)
		return Summary{}, busy
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return Summary{}, context.Cause(ctx)
	}
	summary, err := a.call(ctx, q)
	if errors.As(err, &busy) {
		a.close(busy, busy.After)
	} else if err == nil {
		a.mu.Lock()
		a.up = time.Now()
		a.mu.Unlock()
	}
	return summary, err
}

// call abandons a summarizer that hangs; its goroutine ends when the summarizer returns.
func (a *asking) call(ctx context.Context, q Request) (Summary, error) {
	var open atomic.Bool
	open.Store(true)
	defer open.Store(false)
	summarize := streamed(a.s, q, a.onDelta, &open, a.c.tell)
	type outcome struct {
		summary Summary
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		// The summarizer may end its goroutine without returning (runtime.Goexit).
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
		// A summarizer that passes ctx to its HTTP client only reports "deadline exceeded".
		if errors.Is(o.err, context.DeadlineExceeded) && ctx.Err() != nil {
			o.err = context.Cause(ctx)
		}
		return o.summary, o.err
	case <-ctx.Done():
		return Summary{}, context.Cause(ctx)
	}
}
