package ctxfold_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// scripted answers call by call, and repeats its last answer.
type scripted struct {
	calls   atomic.Int32
	answers []error
	took    time.Duration
	running atomic.Int32
	most    atomic.Int32
}

func (s *scripted) Summarize(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	if n := s.running.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	defer s.running.Add(-1)
	n := int(s.calls.Add(1)) - 1
	select {
	case <-time.After(s.took):
	case <-ctx.Done():
		return ctxfold.Summary{}, ctx.Err()
	}
	if err := s.answers[min(n, len(s.answers)-1)]; err != nil {
		return ctxfold.Summary{}, err
	}
	return ctxfold.Summary{Text: "## Goal\nTo read many words, as the user has asked for it.\n\n## Progress\nAll of " + q.ID + " was read.", FinishReason: "stop"}, nil
}

// summarized compacts a conversation for which the first round has two requests for every message and a half, and returns the summary's
// part of the report.
func summarized(t *testing.T, c *ctxfold.Compactor, messages int, s ctxfold.Summarizer) api.SummarySource {
	t.Helper()
	r, err := c.Compact(t.Context(), talk(messages), ctxfold.RawPolicy(
		`{"format":"openai-chat","window":{"tokens":20000},"gate":{"ratio":0.1},"passes":[{"pass":"fold","keep_tokens":100}],"summary":{"max_input_tokens":4000}}`), s)
	if err != nil || !r.Changed {
		t.Fatal(err, r)
	}
	return r.Report.Summary.Source
}

// A busy model is called twice more, after the delay that it asks for. A single request probes it for all of them.
func TestBusyModel(t *testing.T) {
	busy := &ctxfold.BusyError{RetryAfter: 20 * time.Second, Err: errors.New("429")}
	const four, minute = ctxfold.DefaultSummaryConcurrency, time.Minute
	for _, tt := range []struct {
		name        string
		answers     []error
		messages    int           // of the talk
		took        time.Duration // of one call
		least, most int           // calls
		source      api.SummarySource
		soon, late  time.Duration
	}{
		{"busy for good", []error{busy}, 20, time.Second, four + 1, four + 2, "local", 42 * time.Second, minute},
		{"busy once", []error{busy, nil}, 2, time.Second, 4, 4, "model", 22 * time.Second, 35 * time.Second},
		{"busy at the start", []error{busy, busy, busy, busy, nil}, 12, time.Second, 12 + four, 20 + four, "model", 24 * time.Second, 40 * time.Second},
		{"busy for longer than a summary may take", []error{&ctxfold.BusyError{RetryAfter: time.Hour, Err: busy}}, 20, time.Second, four, four, "local", time.Second, time.Second},
		{"broken off once", []error{ctxfold.ErrIncomplete, nil}, 2, 0, 4, 4, "model", 0, 0},
		{"broken off each time", []error{fmt.Errorf("stream: %w", ctxfold.ErrIncomplete)}, 4, 0, 8, 10, "local", 0, 0},
		{"another error", []error{errors.New("no")}, 4, 0, 4, 5, "local", 0, 0},
		{"slow", []error{nil}, 8, 70 * time.Second, 8, 12, "model", 140 * time.Second, 4 * minute},
		{"hangs", []error{nil}, 40, time.Hour, four, four, "local", 2 * minute, 2 * minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := native(t, ctxfold.Options{})
				s := &scripted{answers: tt.answers, took: tt.took}
				start := time.Now()
				source := summarized(t, c, tt.messages, s)
				took, n := time.Since(start), int(s.calls.Load())
				if n < tt.least || n > tt.most || source != tt.source || took < tt.soon || took > tt.late || s.most.Load() > four {
					t.Errorf("%d calls, %s, %v, %d at the same time; want %d to %d, %s, %v to %v", n, source, took, s.most.Load(), tt.least, tt.most, tt.source,
						tt.soon, tt.late)
				}
			})
		})
	}
}

// The core decides from a model's response whether to call it again, and when. A failure that isn't temporary leads to another request at
// once, unless no request can succeed.
func TestStatusError(t *testing.T) {
	for _, tt := range []struct {
		status        int
		header, value string
		text          string
		source        api.SummarySource
		least, most   time.Duration
	}{
		{429, "Retry-After", "12", "rate limited", "model", 12 * time.Second, 16 * time.Second},
		{529, "Retry-After-Ms", "1500", "overloaded", "model", 1500 * time.Millisecond, 2 * time.Second},
		{503, "Retry-After", "", "unavailable", "model", 18 * time.Second, 25 * time.Second},
		{500, "Retry-After", "soon", "no", "model", time.Second, 2 * time.Second},
		{408, "", "", "no", "model", time.Second, 2 * time.Second},
		{200, "", "", "event: overloaded_error", "model", time.Second, 2 * time.Second},
		{429, "", "", `{"error":{"code":"rate_limit_exceeded","message":"Please try again in 7s."}}`, "model", 7 * time.Second, 9 * time.Second},
		{429, "Retry-After", "1", `{"error":{"code":"insufficient_quota"}}`, "local", 0, 0},
		{501, "", "", "no", "model", 0, 0},
		{400, "Retry-After", "12", "no", "model", 0, 0},
		{401, "", "", "no", "model", 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			start, value := time.Now(), tt.value
			if tt.status == 503 {
				value = start.Add(20 * time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
			}
			plain := errors.New(tt.text)
			err := ctxfold.StatusError(tt.status, func(name string) string {
				if name == tt.header {
					return value
				}
				return ""
			}, plain)
			s := &scripted{answers: []error{err, nil}}
			source := summarized(t, native(t, ctxfold.Options{SummaryConcurrency: 1}), 2, s)
			if took := time.Since(start); !errors.Is(err, plain) || source != tt.source || took < tt.least || took > tt.most {
				t.Errorf("%d %s: %s after %v", tt.status, tt.text, source, took)
			}
		})
	}
}

// The requests of one round are independent, so they run at the same time, and one failure affects only one of them.
func TestRequestsRunTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, together atomic.Int32
		start := time.Now()
		source := summarized(t, native(t, ctxfold.Options{}), 4, ctxfold.SummarizerFunc(func(_ context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
			n := asked.Add(1)
			time.Sleep(time.Minute)
			together.Store(max(together.Load(), asked.Load()))
			if n == 2 {
				panic("no")
			}
			return ctxfold.Summary{ID: "its own idea", Text: "## Goal\nTo read many words, as the user has asked for it.\n\n## Progress\nAll of them were read."}, nil
		}))
		if took := time.Since(start); took > 2*time.Minute || together.Load() < 4 {
			t.Errorf("%s after %v, %d at the same time", source, took, together.Load())
		}
	})
}
