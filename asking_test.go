package ctxfold_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
)

// requests are those of one round.
func requests(n int) (list []ctxfold.Request) {
	for i := range n {
		list = append(list, ctxfold.Request{ID: fmt.Sprint("r", i)})
	}
	return list
}

// scripted answers call by call; what comes after the last answer is the last one again.
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
	return ctxfold.Summary{Text: "of " + q.ID}, nil
}

// A model that is busy is asked once more, after the wait that it wants, and by one request for all of them.
func TestBusyModel(t *testing.T) {
	busy := &ctxfold.BusyError{After: 20 * time.Second, Err: errors.New("429")}
	for _, tt := range []struct {
		name     string
		answers  []error
		requests int
		took     time.Duration // of one call
		calls    int
		failed   int
		waited   time.Duration
	}{
		{"busy for good", []error{busy}, 20, time.Second, ctxfold.DefaultSummaryConcurrency + 1, 20, 22 * time.Second},
		{"busy once", []error{busy, nil}, 1, time.Second, 2, 0, 22 * time.Second},
		{"busy at the start", []error{busy, busy, busy, busy, nil}, 12, time.Second, 16, 0, 27 * time.Second},
		{"busy for longer than a summary may take", []error{&ctxfold.BusyError{After: time.Hour, Err: busy}}, 20, time.Second, ctxfold.DefaultSummaryConcurrency, 20, time.Second},
		{"broken off once", []error{ctxfold.ErrIncomplete, nil}, 1, 0, 2, 0, 0},
		{"broken off each time", []error{fmt.Errorf("stream: %w", ctxfold.ErrIncomplete)}, 3, 0, 6, 3, 0},
		{"another error", []error{errors.New("no")}, 5, 0, 5, 5, 0},
		{"slow", []error{nil}, 8, 70 * time.Second, 8, 0, 140 * time.Second},
		{"hangs", []error{nil}, 40, time.Hour, ctxfold.DefaultSummaryConcurrency, 40, 2 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := native(t, ctxfold.Options{})
				s := &scripted{answers: tt.answers, took: tt.took}
				start := time.Now()
				summaries, err := c.Summarize(t.Context(), s, requests(tt.requests))
				if err != nil {
					t.Fatal(err)
				}
				failed := 0
				for i, sum := range summaries {
					if sum.Error != "" {
						failed++
					} else if want := fmt.Sprint("of r", i); sum.Text != want {
						t.Errorf("request %d got %q", i, sum.Text)
					}
				}
				if n := int(s.calls.Load()); n != tt.calls || failed != tt.failed || time.Since(start) != tt.waited || s.most.Load() > ctxfold.DefaultSummaryConcurrency {
					t.Errorf("%d calls, %d failed, %v, %d at the same time; want %d, %d, %v", n, failed, time.Since(start), s.most.Load(), tt.calls, tt.failed, tt.waited)
				}
			})
		})
	}
}

func TestStatusError(t *testing.T) {
	soon := time.Now().Add(time.Minute).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	for _, tt := range []struct {
		status        int
		header, value string
		busy          bool
		least, most   time.Duration
	}{
		{429, "Retry-After", "12", true, 12 * time.Second, 12 * time.Second},
		{529, "Retry-After-Ms", "1500", true, 1500 * time.Millisecond, 1500 * time.Millisecond},
		{503, "Retry-After", soon, true, 58 * time.Second, time.Minute},
		{500, "Retry-After", "soon", true, 0, 0},
		{500, "Retry-After", "-1", true, 0, 0},
		{500, "Retry-After", "1e300", true, 0, 0},
		{408, "", "", true, 0, 0},
		{501, "", "", false, 0, 0},
		{400, "Retry-After", "12", false, 0, 0},
		{401, "", "", false, 0, 0},
	} {
		plain := errors.New("refused")
		err := ctxfold.StatusError(tt.status, func(name string) string {
			if name == tt.header {
				return tt.value
			}
			return ""
		}, plain)
		var busy *ctxfold.BusyError
		if errors.As(err, &busy) != tt.busy || !errors.Is(err, plain) || tt.busy && (busy.After < tt.least || busy.After > tt.most) {
			t.Errorf("%d %s %s: %#v", tt.status, tt.header, tt.value, err)
		}
	}
}

// The requests of one round are independent, so they run at the same time and one failure is one failure.
func TestRequestsRunTogether(t *testing.T) {
	c := native(t, ctxfold.Options{})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var all sync.WaitGroup
		all.Add(3)
		summaries, err := c.Summarize(t.Context(), ctxfold.SummarizerFunc(func(_ context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
			all.Done()
			all.Wait()
			time.Sleep(time.Minute)
			if q.ID == "b" {
				panic("no")
			}
			return ctxfold.Summary{ID: "its own idea", Text: "summary of " + q.ID}, nil
		}), []ctxfold.Request{{ID: "a"}, {ID: "b"}, {ID: "c"}})
		want := []ctxfold.Summary{{ID: "a", Text: "summary of a"}, {ID: "b", Error: "the summarizer panicked: no"}, {ID: "c", Text: "summary of c"}}
		if err != nil || !reflect.DeepEqual(summaries, want) {
			t.Errorf("%v: got %+v", err, summaries)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("three requests of a minute each took %v", took)
		}
	})
}
