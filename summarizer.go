package ctxfold

import (
	"context"
	"sync/atomic"

	"github.com/ctxfold/ctxfold/api"
)

// Request asks for one summary, and Summary answers it: a [Summarizer] sets its Text, and FinishReason if the model gives one. Report says
// what a compaction did.
type (
	Request = api.SummaryRequest
	Summary = api.Summary
	Report  = api.Report
)

// Summarizer writes the summaries that a compaction wants, usually with the model of the conversation or a cheaper one.
//
// It never endangers the transcript: if it returns an error, panics, or takes longer than Options.SummaryTimeout, or if its text is empty, a
// refusal or too long, the core writes a digest instead and the report says why. Two errors lead to a second call within that time: a
// [*BusyError] after the wait that it names, and [ErrIncomplete].
//
// Simultaneous requests of one compaction run in separate goroutines, at most Options.SummaryConcurrency at once. If a second call finds the
// model still busy, or a call takes too long, the waiting requests of the compaction fail without a call.
type Summarizer interface {
	Summarize(ctx context.Context, request Request) (Summary, error)
}

// SummarizerFunc makes a Summarizer of a function.
type SummarizerFunc func(ctx context.Context, request Request) (Summary, error)

// Summarize calls f.
func (f SummarizerFunc) Summarize(ctx context.Context, request Request) (Summary, error) {
	return f(ctx, request)
}

// StreamSummarizer is a [Summarizer] that shows text while the model writes it.
type StreamSummarizer interface {
	Summarizer
	// SummarizeStream is Summarize. It passes each piece of the text to delta, which may be called from any goroutine.
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

// PrefixSummarizer is a [Summarizer] that can ask for a summary after the conversation as it was last sent, so that the provider reads the
// conversation from its prompt cache; docs/reference/policy.md says when. The [Request] then has a Conversation, whose Sent is what to send,
// including the system prompt and tools if the input was a request body; System and Prompt are already in it.
type PrefixSummarizer interface {
	Summarizer
	// SummarizesPrefix reports whether it can.
	SummarizesPrefix() bool
}

// Delta is a piece of a summary that is being written.
type Delta struct {
	Request string    // the ID of the [Request]
	Scope   api.Scope // its scope
	Text    string
}

// streamed is s, with the pieces of its text passed to onDelta as long as open is true.
func streamed(s Summarizer, q Request, onDelta func(Delta), open *atomic.Bool, tell func(string, func())) func(context.Context) (Summary, error) {
	stream, ok := s.(StreamSummarizer)
	if onDelta == nil || !ok {
		return func(ctx context.Context) (Summary, error) { return s.Summarize(ctx, q) }
	}
	return func(ctx context.Context) (Summary, error) {
		return stream.SummarizeStream(ctx, q, func(text string) {
			if open.Load() && ctx.Err() == nil {
				tell("OnDelta", func() { onDelta(Delta{Request: q.ID, Scope: q.Scope, Text: text}) })
			}
		})
	}
}
