package ctxfold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/mailru/easyjson/jlexer"

	"github.com/ctxfold/ctxfold/api"
)

// Request asks for one summary, and Summary is the response to it. A [Summarizer] sets Text, and FinishReason if the
// model returns one. Report describes what a compaction did.
type (
	Request = api.SummaryRequest
	Summary = api.Summary
	Report  = api.Report
)

// Summarizer writes the summaries that a compaction needs, usually with the conversation's model or a cheaper one.
//
// A failing Summarizer never endangers the transcript: if it returns an error, panics, or takes longer than
// Options.SummaryTimeout, or if its text is empty, a refusal or too long, the core writes a digest instead and the
// report says why. Some errors make the core call the Summarizer again within that time. If the model is busy, it does
// so up to twice, each time after the requested wait plus a random delay: after a [*BusyError], or if the response in a
// [*CallError] or the text of another error means that. After [ErrIncomplete] it does so once.
//
// The requests of one compaction run concurrently in separate goroutines, at most Options.SummaryConcurrency at once.
// If the model is still busy at the third attempt, or a call takes too long, the compaction's pending requests fail
// without a call.
type Summarizer interface {
	// Summarize sends the request to a model and returns its answer. It must return when ctx ends.
	Summarize(ctx context.Context, request Request) (Summary, error)
}

// SummarizerFunc adapts a function to the interface [Summarizer].
type SummarizerFunc func(ctx context.Context, request Request) (Summary, error)

// Summarize calls the function f.
func (f SummarizerFunc) Summarize(ctx context.Context, request Request) (Summary, error) {
	return f(ctx, request)
}

// StreamSummarizer is a [Summarizer] that can stream the text while the model is writing it.
type StreamSummarizer interface {
	Summarizer
	// SummarizeStream works like Summarize. It also passes each piece of the text to delta, which may be called from
	// any goroutine.
	SummarizeStream(ctx context.Context, request Request, delta func(text string)) (Summary, error)
}

// StreamSummarizerFunc adapts a function to the interface [StreamSummarizer].
type StreamSummarizerFunc func(ctx context.Context, request Request, delta func(text string)) (Summary, error)

// Summarize calls the function f and discards the pieces.
func (f StreamSummarizerFunc) Summarize(ctx context.Context, request Request) (Summary, error) {
	return f(ctx, request, func(string) {})
}

// SummarizeStream calls the function f.
func (f StreamSummarizerFunc) SummarizeStream(ctx context.Context, request Request, delta func(text string)) (Summary, error) {
	return f(ctx, request, delta)
}

// PrefixSummarizer is a [Summarizer] that can append a request for a summary to the conversation as it was last sent,
// so that the provider reads the conversation from its prompt cache; docs/reference/policy.md says when that happens.
// The [Request] then has a Conversation, whose Sent is the request to send, including the system prompt and tools if
// the input was a request body. System and Prompt are already part of Sent.
type PrefixSummarizer interface {
	Summarizer
	// SummarizesPrefix reports whether the Summarizer can currently append requests to the conversation.
	SummarizesPrefix() bool
}

// SummaryDelta is a piece of a summary that is being written.
type SummaryDelta struct {
	Request string    // the ID of the [Request]
	Scope   api.Scope // the scope of the [Request]
	Text    string
}

// streamed returns a function that calls s and passes the pieces of its text to onDelta as long as open is true. Pieces
// that arrive later are dropped. notify calls onDelta, and reports its panics.
func streamed(s Summarizer, q Request, onDelta func(SummaryDelta), open *atomic.Bool, notify func(string, func())) func(context.Context) (Summary, error) {
	stream, ok := s.(StreamSummarizer)
	if onDelta == nil || !ok {
		return func(ctx context.Context) (Summary, error) { return s.Summarize(ctx, q) }
	}
	return func(ctx context.Context) (Summary, error) {
		return stream.SummarizeStream(ctx, q, func(text string) {
			if open.Load() && ctx.Err() == nil {
				notify("OnDelta", func() { onDelta(SummaryDelta{Request: q.ID, Scope: q.Scope, Text: text}) })
			}
		})
	}
}

// BusyError is the error of a [Summarizer] whose model is temporarily unavailable: because of a rate limit, an
// overload, or an unreachable endpoint.
type BusyError struct {
	// RetryAfter is the delay that the provider asked for (Retry-After). Zero means one second.
	RetryAfter time.Duration
	Err        error
}

// Error returns the text of Err, the error that the model's call returned.
func (e *BusyError) Error() string { return e.Err.Error() }

// Unwrap returns Err, so that errors.Is and errors.As find it.
func (e *BusyError) Unwrap() error { return e.Err }

// CallError is the error of a [Summarizer] whose model responded with an error. The core decides from the response
// whether and when to call the Summarizer again: for example, it does after a rate limit, but not if the account has
// no credit left, although OpenAI responds to both with status 429.
type CallError struct {
	Failure api.CallFailure // an empty Body means the text of Err
	Err     error
}

// Error returns the text of Err, the error that the model's call returned.
func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns Err, so that errors.Is and errors.As find it.
func (e *CallError) Unwrap() error { return e.Err }

// StatusError returns the error for a [Summarizer] whose model responded with an HTTP error status: a [*CallError]
// around err. header returns a response header by name, like the method Get of http.Header.
func StatusError(status int, header func(name string) string, err error) error {
	return &CallError{api.CallFailure{Status: status, RetryAfter: header("Retry-After"), RetryAfterMs: header("Retry-After-Ms"),
		ShouldRetry: header("X-Should-Retry")}, err}
}

// StreamError returns the error for a [Summarizer] whose stream has ended. err is the stream's error, which may be
// nil, and finish is its finish reason. An interrupted stream results in [ErrIncomplete].
func StreamError(finish string, err error) error {
	if err == nil && finish == "" || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrIncomplete
	}
	return err
}

// asked is a call of a summarizer in progress.
type asked struct {
	cancel context.CancelFunc
	over   chan struct{} // closed when the call has ended or was abandoned
}

// stop cancels the call, and waits until it has ended or has been abandoned.
func (a *asked) stop() {
	a.cancel()
	<-a.over
}

// ask calls the summarizer in a goroutine, which sends the result to j.answers. It returns an error only if the request
// can't be decoded.
func (j *job) ask(ctx context.Context, e *api.Effect) error {
	var q Request
	l := jlexer.Lexer{Data: e.Request}
	if q.UnmarshalEasyJSON(&l); l.Error() != nil {
		return fmt.Errorf("ctxfold: the answer breaks the ABI: %w", l.Error())
	}
	if q.Conversation != nil {
		q.Conversation.Sent = e.Sent
	}
	var cancel context.CancelFunc
	if e.Deadline > 0 {
		left := time.Duration(max(0, e.Deadline-j.now())) * time.Millisecond
		ctx, cancel = context.WithTimeoutCause(ctx, left, fmt.Errorf("the summarizer took longer than %v", j.c.timeout))
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	a := &asked{cancel, make(chan struct{})}
	j.asked[e.ID] = a
	go func() {
		start := time.Now()
		summary, err := j.call(ctx, q)
		if err == nil && summary.Error != "" {
			err = errors.New(summary.Error)
		}
		j.c.metrics.Summary(SummaryCall{Scope: q.Scope, Failed: err != nil, InputTokens: q.InputTokens, OutputBytes: len(summary.Text), Took: time.Since(start)})
		close(a.over)
		select {
		case j.answers <- answerOf(e.ID, summary, err):
		case <-j.over:
		}
	}()
	return nil
}

// answerOf returns the effect result for the summary or error of a summarizer.
func answerOf(id int, summary Summary, err error) api.EffectResult {
	summary.ID = ""
	r := api.EffectResult{ID: id, Summary: &summary}
	var busy *BusyError
	var refused *CallError
	switch {
	case errors.As(err, &refused):
		r.Failure = &refused.Failure
	case errors.As(err, &busy):
		r.Busy, r.After = true, busy.RetryAfter.Milliseconds()
		if busy.RetryAfter > 0 && r.After == 0 {
			r.After = 1
		}
	case errors.Is(err, ErrIncomplete):
		r.Incomplete = true
	}
	if err != nil {
		r.Error, r.Summary = cmp.Or(err.Error(), "the summarizer failed without a message"), nil
	}
	return r
}

// call calls the summarizer. If the summarizer hangs, it is abandoned: its goroutine ends when the summarizer returns.
// It then returns the cause of ctx.
func (j *job) call(ctx context.Context, q Request) (Summary, error) {
	var open atomic.Bool
	open.Store(true)
	defer open.Store(false)
	summarize := streamed(j.s, q, j.onDelta, &open, j.c.notify)
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
		// A summarizer that passes ctx to its HTTP client would only report "deadline exceeded".
		if errors.Is(o.err, context.DeadlineExceeded) && ctx.Err() != nil {
			o.err = context.Cause(ctx)
		}
		return o.summary, o.err
	case <-ctx.Done():
		return Summary{}, context.Cause(ctx)
	}
}
