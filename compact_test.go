package ctxfold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host"
)

const summary = "## Goal\nMake the rate limiter keep a constant amount of memory.\n\n## Done\nThe sweep was written and tested."

func TestCompact(t *testing.T) {
	messages := sample(t)
	unmodified(t, messages)
	unmodified(t, policy.Raw)
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		var asked []ctxfold.Request
		r, err := c.Compact(t.Context(), messages, policy, ctxfold.SummarizerFunc(
			func(_ context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
				asked = append(asked, q)
				return ctxfold.Summary{Text: summary, FinishReason: "stop"}, nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		if len(asked) != 1 || asked[0].Prompt == "" || asked[0].System == "" || asked[0].MaxOutputTokens <= 0 || asked[0].InputTokens <= 0 {
			t.Errorf("the summarizer was asked %d times: %.300v", len(asked), asked)
		}
		if !r.Changed || r.Reason != "compacted" || r.Report.Summary.Source != "model" || r.Report.Summary.Fault != "" {
			t.Errorf("report: %+v", r.Report)
		}
		if n := r.Report.Tokens; n.After <= 0 || n.After > n.Limit || n.Before <= n.Limit {
			t.Errorf("tokens: %+v", n)
		}
		if r.Report.Folded == 0 || len(r.Report.Actions) < r.Report.Folded || r.Report.Format != "anthropic" {
			t.Errorf("report: %+v", r.Report)
		}
		if quoted, _ := json.Marshal(summary); !bytes.Contains(r.Messages, bytes.Trim(quoted, `"`)) {
			t.Errorf("the summary is not in the messages:\n%.2000s", r.Messages)
		}
		v, err := c.Validate(t.Context(), ctxfold.Input{Messages: r.Messages})
		if err != nil || !v.Valid {
			t.Errorf("the result is not valid: %v, %+v", err, v)
		}

		digests, err := c.Digests(t.Context(), ctxfold.Input{Messages: r.Messages, Policy: policy, State: r.State})
		if err != nil || len(digests) != 1 || !digests[0].Own || digests[0].Kind != api.DigestFold || len(digests[0].Sections) == 0 {
			t.Errorf("the digests of the result: %v, %+v", err, digests)
		}

		again, err := c.CompactWith(t.Context(), ctxfold.Input{Messages: r.Messages, Policy: policy, State: r.State}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again.Changed || again.Reason != "under_budget" || !bytes.Equal(again.Messages, r.Messages) {
			t.Errorf("compacting what was just compacted: changed %v, %s", again.Changed, again.Reason)
		}
	})
}

// Both engines, and a manual loop of plan and step, return the same answer.
func TestPlanAndStep(t *testing.T) {
	messages := sample(t)
	var answers []string
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		in := ctxfold.Input{Messages: messages, Policy: policy}
		a, err := c.Plan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if a.Report.Reason != "needs_summaries" || len(a.Requests) != 1 || a.Plan == nil || a.Messages != nil {
			t.Fatalf("plan: %.1000s", a.Raw)
		}
		a, err = c.Step(t.Context(), ctxfold.Input{Messages: messages}, a.Plan, []ctxfold.Summary{{ID: a.Requests[0].ID, Text: summary}})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Requests) != 0 || a.Plan != nil || a.State == nil {
			t.Fatalf("step: %.1000s", a.Raw)
		}
		r, err := c.Compact(t.Context(), messages, policy, ctxfold.SummarizerFunc(
			func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
				return ctxfold.Summary{Text: summary}, nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(a.Messages), string(r.Messages))
	})
	for i, text := range answers {
		if text != answers[0] {
			t.Errorf("answer %d differs from the first", i)
		}
	}
}

func TestNoSummarizerMeansLocalDigest(t *testing.T) {
	messages := sample(t)
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		for _, p := range []string{`{"window":{"tokens":32000}}`, `{"summary":{"mode":"model"},"window":{"tokens":32000}}`} {
			r, err := c.Compact(t.Context(), messages, ctxfold.RawPolicy(p), nil)
			if err != nil {
				t.Fatal(err)
			}
			if s := r.Report.Summary; s.Source != "local" || s.Fault != "" {
				t.Errorf("%s: %+v", p, r.Report.Summary)
			}
		}
		r, err := c.Compact(t.Context(), messages, ctxfold.Policy{Window: ctxfold.Window{Unlimited: true}}, nil)
		if err != nil || r.Changed || r.Reason != "unlimited" || !bytes.Equal(r.Messages, bytes.TrimSpace(messages)) {
			t.Errorf("without a limit: %v, %+v", err, r)
		}
	})
}

// A policy that would never compact is an error in every call that asks whether compaction is due.
func TestUnknownWindow(t *testing.T) {
	messages := sample(t)
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		for name, p := range map[string]ctxfold.Policy{"the zero value": {}, "a window of zero": {Window: ctxfold.Window{Tokens: 0}}, "an unknown model": {Model: "unheard-of-9"}} {
			in := ctxfold.Input{Messages: messages, Policy: p}
			v := begin(t, c, ctxfold.ConversationOptions{Messages: messages, Policy: p})
			for call, do := range map[string]func() error{
				"Compact":   func() error { _, err := c.Compact(t.Context(), messages, p, nil); return err },
				"Fit":       func() error { _, err := c.Fit(t.Context(), in, nil); return err },
				"Check":     func() error { _, err := c.Check(t.Context(), in); return err },
				"Plan":      func() error { _, err := c.Plan(t.Context(), in); return err },
				"AfterTurn": func() error { _, err := v.AfterTurn(t.Context()); return err },
			} {
				var e *ctxfold.Error
				if err := do(); !errors.As(err, &e) || e.Code != api.CodeUnknownWindow || !strings.Contains(err.Error(), `{"window":{"unlimited":true}}`) {
					t.Errorf("%s, %s: %v", name, call, err)
				}
			}
			if r, err := v.Compact(t.Context()); err != nil || !r.Changed {
				t.Errorf("%s, forced: %v, %+v", name, err, r)
			}
		}
	})
}

func TestEdits(t *testing.T) {
	c := open(t, host.Options{})
	r, err := c.CompactWith(t.Context(), ctxfold.Input{Messages: sample(t), Policy: policy, ReturnEdits: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var edits []map[string]json.RawMessage
	if err := json.Unmarshal(r.Edits, &edits); err != nil || len(edits) == 0 || r.Messages != nil {
		t.Errorf("%v: edits %.300s, messages %.300s", err, r.Edits, r.Messages)
	}
}

// Whatever the summarizer does, the transcript is compacted, and the report has the reason for the failure.
func TestSummarizerThatFails(t *testing.T) {
	messages := sample(t)
	unmodified(t, messages)
	c := native(t, ctxfold.Options{})
	local, err := c.Compact(t.Context(), messages, policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		why       api.SummaryFault
		summarize ctxfold.SummarizerFunc
	}{
		"an error": {"summarizer_failed", func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			return ctxfold.Summary{Text: "half a summ"}, errors.New("503")
		}},
		"an error without a text": {"summarizer_failed", func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			return ctxfold.Summary{}, errors.New("")
		}},
		"a panic": {"summarizer_failed", func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			panic("nil map")
		}},
		"a goroutine that exits": {"summarizer_failed", func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			runtime.Goexit()
			return ctxfold.Summary{}, nil
		}},
		"hanging": {"summarizer_failed", func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			time.Sleep(time.Hour)
			return ctxfold.Summary{Text: summary}, nil
		}},
		"nothing": {"empty_summary", func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			return ctxfold.Summary{}, nil
		}},
		"cut off": {"cut_off", func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			return ctxfold.Summary{Text: summary, FinishReason: "length"}, nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := c.Compact(t.Context(), messages, policy, tt.summarize)
				time.Sleep(2 * time.Hour) // the summarizer that hangs must end before its bubble
				if err != nil {
					t.Fatal(err)
				}
				if s := r.Report.Summary; s.Source != "local" || s.Fault != tt.why {
					t.Errorf("summary: %+v", r.Report.Summary)
				}
				if !bytes.Equal(r.Messages, local.Messages) {
					t.Error("not the messages that the local digest gives")
				}
			})
		})
	}
}

func TestSummaryTimeout(t *testing.T) {
	messages := sample(t)
	for name, tt := range map[string]struct {
		timeout time.Duration
		works   time.Duration
		source  api.SummarySource
	}{
		"default, in time":  {0, ctxfold.DefaultSummaryTimeout - time.Second, "model"},
		"default, too late": {0, ctxfold.DefaultSummaryTimeout + time.Second, "local"},
		"longer, in time":   {time.Hour, time.Hour - time.Second, "model"},
		"none":              {-1, 24 * time.Hour, "model"},
	} {
		t.Run(name, func(t *testing.T) {
			c := native(t, ctxfold.Options{SummaryTimeout: tt.timeout})
			synctest.Test(t, func(t *testing.T) {
				r, err := c.Compact(t.Context(), messages, policy, ctxfold.SummarizerFunc(
					func(ctx context.Context, _ ctxfold.Request) (ctxfold.Summary, error) {
						select {
						case <-time.After(tt.works):
							return ctxfold.Summary{Text: summary}, nil
						case <-ctx.Done():
							return ctxfold.Summary{}, fmt.Errorf("calling the model: %w", ctx.Err())
						}
					}))
				if err != nil || r.Report.Summary.Source != tt.source {
					t.Errorf("%v: %+v", err, r)
				}
			})
		})
	}
}

func TestCancellation(t *testing.T) {
	messages := sample(t)
	unmodified(t, messages)
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		t.Run("before", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if r, err := c.Compact(ctx, messages, policy, nil); !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("got %v, %v", r, err)
			}
		})
		t.Run("while a summary is written", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			release := make(chan struct{})
			defer close(release)
			r, err := c.Compact(ctx, messages, policy, ctxfold.SummarizerFunc(
				func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
					cancel()
					<-release // a summarizer that ignores its context
					return ctxfold.Summary{Text: summary}, nil
				}))
			if !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("got %v, %v", r, err)
			}
		})
	})
}

// A log may be sent anywhere, so it must not contain text of people or tools.
func TestLogHoldsNoTranscript(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := open(t, host.Options{Options: ctxfold.Options{Logger: logger}})
	secret := "the-password-is-swordfish"
	messages := strings.ReplaceAll(string(sample(t)), "tollgate", secret)
	_, err := c.Compact(t.Context(), json.RawMessage(messages), policy, ctxfold.SummarizerFunc(
		func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			return ctxfold.Summary{}, errors.New("503")
		}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"op=loop_start", "op=loop_event", "level=WARN", "503"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, &log)
		}
	}
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log holds text of the transcript:\n%s", &log)
	}
}
