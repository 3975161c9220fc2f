package ctxfold_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/records"
)

// A host that runs jobs of the module shares its records with Fit: Fit does not compact a second
// time what the host has compacted, and knows of the failures and the last call of its model.
func TestFitReadsRecordsOfJobs(t *testing.T) {
	history := styles["whole history"].history(12, 1, 0)
	for name, test := range map[string]struct {
		can, policy, event string
		changed            bool
		calls              int
		cold               api.Cold
	}{
		"a compaction":                    {can: `["load","save"]`, policy: fitPolicy},
		"one without the model":           {can: `["load","save","ask"]`, policy: fitPolicy, event: `{"error":"503"}`},
		"one without the model, long ago": {can: `["load","save","ask"]`, policy: fitPolicy, event: `{"error":"503"}`, changed: true, calls: 1},
		"no compaction without the model": {can: `["load","save","ask"]`, event: `{"error":"503"}`,
			policy: `{"preset":"checkpoint","window":{"tokens":6000,"reserve":500},"last_resort":false}`},
		"the last call": {can: `["load","save"]`, policy: strings.Replace(idlePolicy, "30000", "20000", 1), cold: api.ColdIdle, changed: true, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			kept := records.NewMemory(0)
			c, m, now := native(t, ctxfold.Options{Records: struct{ records.Shared }{kept}}), &model{}, time.Now()
			runJob(t, c, kept, test.can, test.policy, test.event, history, now)
			if strings.HasSuffix(name, "ago") || test.cold != "" {
				now = now.Add(time.Hour)
			}
			c.SetClock(func() time.Time { return now })
			r := fitted(t, c, ctxfold.Input{Messages: history, Format: "openai-chat", Owner: "ann", Policy: ctxfold.RawPolicy(test.policy)}, m)
			known := test.event == "" && test.cold == "" || test.event != "" && !test.changed && r.Reason != api.ReasonSummaryFailed
			if r.Changed != test.changed || int(m.calls.Load()) != test.calls || r.Known > 0 != known || r.Report.Cold != test.cold {
				t.Errorf("changed %v after %d calls, known %d, %s, cold %q", r.Changed, m.calls.Load(), r.Known, r.Reason, r.Report.Cold)
			}
		})
	}
}

// runJob runs a job whose effects are executed at once: records are found and stored, and each request gets the same answer.
func runJob(t *testing.T, c *ctxfold.Compactor, kept records.Records, can, policy, answer string, history json.RawMessage, now time.Time) {
	t.Helper()
	var p struct {
		Job     json.RawMessage
		Effects []api.Effect
		Result  struct{ Reason string }
	}
	call := func(op, head string) {
		t.Helper()
		text, err := c.Call(t.Context(), op, fmt.Appendf(nil, `{%s,"messages":%s}`, head, history))
		p.Job = nil
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	call("loop_start", fmt.Sprintf(`"policy":%s,"options":{"format":"openai-chat"},"settings":{"now":%d,"owner":"ann","can":%s}`, policy, now.UnixMilli(), can))
	for {
		var results []string
		for _, e := range p.Effects {
			switch e.Effect {
			case api.EffectSave:
				if err := kept.Keep(t.Context(), e.Keys, []byte(e.Record)); err != nil {
					t.Fatal(err)
				}
				results = append(results, fmt.Sprintf(`{"id":%d,"done":true}`, e.ID))
			case api.EffectAsk:
				results = append(results, fmt.Sprintf(`{"id":%d,%s`, e.ID, answer[1:]))
			case api.EffectLoad:
				results = append(results, fmt.Sprintf(`{"id":%d}`, e.ID))
			}
		}
		if p.Job == nil {
			return
		}
		call("loop_event", fmt.Sprintf(`"job":%s,"event":{"now":%d,"results":[%s]}`, p.Job, now.UnixMilli(), strings.Join(results, ",")))
	}
}
