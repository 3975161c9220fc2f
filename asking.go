package ctxfold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mailru/easyjson/jlexer"

	"github.com/ctxfold/ctxfold/api"
)

// asked is a call of a summarizer.
type asked struct {
	cancel context.CancelFunc
	over   chan struct{} // closed when it is over, or abandoned
}

// stop abandons the call, if it isn't over.
func (a *asked) stop() {
	a.cancel()
	<-a.over
}

// ask calls the summarizer, whose answer j.answers gets.
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

// answerOf returns the result of an ask.
func answerOf(id int, summary Summary, err error) api.EffectResult {
	summary.ID = ""
	r := api.EffectResult{ID: id, Summary: &summary}
	var busy *BusyError
	switch {
	case errors.As(err, &busy):
		r.Busy, r.After = true, busy.After.Milliseconds()
		if busy.After > 0 && r.After == 0 {
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

// call abandons a summarizer that hangs; its goroutine ends when the summarizer returns.
func (j *job) call(ctx context.Context, q Request) (Summary, error) {
	var open atomic.Bool
	open.Store(true)
	defer open.Store(false)
	summarize := streamed(j.s, q, j.onDelta, &open, j.c.tell)
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
