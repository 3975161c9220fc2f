package ctxfold_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/records"
)

// idlePolicy has a limit of which about 17 turns fill the upper half.
const idlePolicy = `{"format":"openai-chat","window":{"tokens":30000},"gate":{"idle":300},"passes":[{"pass":"fold","keep_tokens":2000}]}`

// asking is one call of Fit for a history of 25 turns or more, which exceeds half of the limit.
type asking struct {
	after  time.Duration // time since the previous call
	turns  int           // number of turns beyond 25
	body   string        // the model in the request body; "" for a list of messages
	next   ctxfold.NextCall
	cold   api.Cold
	reason api.Reason
}

// Fit compacts below the limit when the prompt cache is cold, and measures that itself.
func TestIdleFit(t *testing.T) {
	model := func(name string) ctxfold.NextCall { return ctxfold.NextCall{Model: name} }
	const below, done = api.ReasonUnderBudget, api.ReasonCompacted
	for name, calls := range map[string][]asking{
		"the first call":         {{reason: below}},
		"a busy conversation":    {{reason: below}, {after: 299 * time.Second, turns: 1, reason: below}, {after: 299 * time.Second, turns: 2, reason: below}},
		"an idle one":            {{reason: below}, {after: 5 * time.Minute, turns: 1, cold: api.ColdIdle, reason: done}, {after: time.Second, turns: 2, reason: below}},
		"the same call again":    {{reason: below}, {after: 5 * time.Minute, cold: api.ColdIdle, reason: done}, {after: 6 * time.Minute, reason: below}},
		"idle for years":         {{reason: below}, {after: 250 * 365 * 24 * time.Hour, turns: 1, cold: api.ColdIdle, reason: done}},
		"a clock that goes back": {{reason: below}, {after: -time.Hour, turns: 1, reason: below}, {after: 2 * time.Hour, turns: 2, cold: api.ColdIdle, reason: done}},
		"small":                  {{turns: -15, reason: below}, {after: time.Hour, turns: -14, reason: below}},
		"a model in the body":    {{body: "a", reason: below}, {after: 1, body: "a", turns: 1, reason: below}, {after: 1, body: "b", turns: 2, cold: api.ColdModel, reason: done}, {after: 1, body: "b", turns: 3, reason: below}},
		"a model that is named":  {{next: model("a"), reason: below}, {next: model("b"), turns: 1, cold: api.ColdModel, reason: done}},
		"no model once":          {{next: model("a"), reason: below}, {turns: 1, reason: below}},
		"another provider":       {{next: ctxfold.NextCall{Model: "a", Provider: "x"}, reason: below}, {next: ctxfold.NextCall{Model: "a", Provider: "y"}, turns: 1, cold: api.ColdProvider, reason: done}},
		"idle, as the app says":  {{next: ctxfold.NextCall{Idle: time.Hour}, cold: api.ColdIdle, reason: done}},
		"cold, as the app says":  {{next: ctxfold.NextCall{Cold: api.ColdGone}, cold: api.ColdGone, reason: done}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, m := ctxfold.New(ctxfold.Options{}), &slow{}
				now := time.Now()
				c.SetClock(func() time.Time { return now })
				for i, call := range calls {
					now = now.Add(call.after)
					history := styles["whole history"].history(25+call.turns, 1, 0)
					in := ctxfold.Input{Messages: history, Policy: ctxfold.RawPolicy(idlePolicy), NextCall: call.next}
					if call.body != "" {
						in.Messages = json.RawMessage(`{"model":"` + call.body + `","messages":` + string(history) + `}`)
					}
					r, err := c.Fit(t.Context(), in, m)
					if err != nil {
						t.Fatal(err)
					}
					if r.Reason != call.reason || r.Report.Cold != call.cold {
						t.Errorf("call %d: %s, cold %q; want %s, cold %q", i, r.Reason, r.Report.Cold, call.reason, call.cold)
					}
					if r.Changed && r.Report.Tokens.After > r.Report.Tokens.Before*6/10 {
						t.Errorf("call %d: %d of %d tokens are left", i, r.Report.Tokens.After, r.Report.Tokens.Before)
					}
				}
			})
		})
	}
}

// Without gate.idle no idle time is measured, and a typed policy works like a raw one.
func TestIdlePolicy(t *testing.T) {
	typed := ctxfold.Policy{Window: ctxfold.Window{Tokens: 30000}, Gate: ctxfold.Gate{Idle: 300}, Summary: ctxfold.PolicySummary{Mode: api.SummaryLocal}}
	for want, policy := range map[api.Cold]ctxfold.Policy{
		"":           ctxfold.RawPolicy(strings.Replace(idlePolicy, `"idle":300`, ``, 1)),
		api.ColdIdle: typed,
	} {
		c, now := ctxfold.New(ctxfold.Options{}), time.Now()
		c.SetClock(func() time.Time { return now })
		for turns := range 2 {
			r, err := c.Fit(t.Context(), ctxfold.Input{Messages: styles["whole history"].history(25+turns, 1, 0), Policy: policy}, nil)
			if err != nil || turns == 1 && r.Report.Cold != want {
				t.Errorf("%v, %+v, want cold %q", err, r.Report, want)
			}
			now = now.Add(time.Hour)
		}
	}
}

// An impossible time is an error, and Fit does nothing.
func TestOddIdle(t *testing.T) {
	c, in := ctxfold.New(ctxfold.Options{}), ctxfold.Input{Messages: styles["whole history"].history(25, 1, 0), Policy: ctxfold.RawPolicy(idlePolicy)}
	for _, in.NextCall = range []ctxfold.NextCall{{Idle: -time.Second}, {Idle: 1 << 62}, {Cold: "freezing"}} {
		var bad *ctxfold.Error
		if _, err := c.Fit(t.Context(), in, nil); !errors.As(err, &bad) || bad.Code != api.CodeOutOfRange || bad.Input != "options" {
			t.Errorf("%+v: %v", in.NextCall, err)
		}
	}
}

// Replicas that share their records know the times of each other's calls.
func TestIdleReplicas(t *testing.T) {
	now := time.Now()
	kept := records.NewMemory(0)
	replica := func() *ctxfold.Compactor {
		c := ctxfold.New(ctxfold.Options{Records: struct{ records.Shared }{kept}})
		c.SetClock(func() time.Time { return now })
		return c
	}
	a, b := replica(), replica()
	fit := func(c *ctxfold.Compactor, turns int) api.Cold {
		t.Helper()
		r, err := c.Fit(t.Context(), ctxfold.Input{Messages: styles["whole history"].history(25+turns, 1, 0), Policy: ctxfold.RawPolicy(idlePolicy)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Report.Cold
	}
	for i, call := range []struct {
		c     *ctxfold.Compactor
		after time.Duration
		want  api.Cold
	}{{a, 0, ""}, {b, 4 * time.Minute, ""}, {a, 4 * time.Minute, ""}, {b, 6 * time.Minute, api.ColdIdle}} {
		now = now.Add(call.after)
		if got := fit(call.c, i); got != call.want {
			t.Errorf("call %d: cold %q, want %q", i, got, call.want)
		}
	}
}

// A Conversation compacts before the turn that finds the cache cold, and Call does the same without
// BeforeTurn.
func TestIdleConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := new(ctxfold.MemoryJournal)
		c := ctxfold.New(ctxfold.Options{})
		v := begin(t, c, ctxfold.ConversationOptions{ID: "c", Messages: styles["whole history"].history(25, 0, 0), Policy: ctxfold.RawPolicy(idlePolicy),
			Summarizer: &slow{}, Journal: journal})
		defer v.Close(context.Background())
		before := func(next ctxfold.NextCall, want api.Reason, cold api.Cold) {
			t.Helper()
			r, err := v.BeforeTurn(t.Context(), next)
			if err != nil || r.Reason != want || r.Report.Cold != cold {
				t.Errorf("%v, %s, cold %q; want %s, cold %q", err, r.Reason, r.Report.Cold, want, cold)
			}
		}
		before(ctxfold.NextCall{Model: "a"}, api.ReasonUnderBudget, "")
		time.Sleep(4 * time.Minute)
		if _, err := v.AfterTurn(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Minute)
		before(ctxfold.NextCall{Model: "a"}, api.ReasonUnderBudget, "")
		before(ctxfold.NextCall{Model: "b"}, api.ReasonCompacted, api.ColdModel)
		time.Sleep(time.Hour)
		before(ctxfold.NextCall{Model: "b"}, api.ReasonUnderBudget, "") // it is small now
		if _, err := v.BeforeTurn(t.Context(), ctxfold.NextCall{Idle: -1}); err == nil {
			t.Error("a negative time is no error")
		}

		if err := v.SetMessages(t.Context(), styles["whole history"].history(25, 1, 0)); err != nil {
			t.Fatal(err)
		}
		sent := 0
		call := func(_ context.Context, messages json.RawMessage) (api.Failure, error) {
			sent = len(messages)
			return api.Failure{}, nil
		}
		whole := len(v.Messages())
		if o, err := v.Call(t.Context(), call); err != nil || o.Compacted != nil || sent != whole {
			t.Errorf("%v, %+v", err, o.Compacted)
		}
		time.Sleep(5 * time.Minute)
		if o, err := v.Call(t.Context(), call); err != nil || o.Compacted == nil || o.Compacted.Report.Cold != api.ColdIdle || sent > whole/2 {
			t.Errorf("%v, %+v, %d of %d bytes sent", err, o.Compacted, sent, whole)
		}
		events, _ := journal.Events(t.Context(), "c")
		for _, e := range events {
			if e.Trigger != ctxfold.TriggerCold {
				t.Errorf("an event says %s", e.Trigger)
			}
		}
		if len(events) != 4 {
			t.Errorf("%d events", len(events))
		}
	})
}

// Below the limit, a failing model loses nothing: the history stays, and the model is not called
// again for a while.
func TestIdleWithoutSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, m := ctxfold.New(ctxfold.Options{}), &slow{fails: func(int32) bool { return true }}
		for turns := range 2 {
			in := ctxfold.Input{Messages: styles["whole history"].history(25+turns, 1, 0), Policy: ctxfold.RawPolicy(idlePolicy)}
			r, err := c.Fit(t.Context(), in, m)
			if err != nil || string(r.Messages) != string(in.Messages) || turns == 1 && r.Reason != api.ReasonSummaryFailed {
				t.Errorf("%v, %+v", err, r.Report)
			}
			time.Sleep(time.Hour)
		}
	})
}
