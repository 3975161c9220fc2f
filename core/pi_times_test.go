package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// TestPiTimes: new messages have the time of an adjacent message, so that times in a pi list never decrease.
func TestPiTimes(t *testing.T) {
	for name, policy := range map[string]string{
		"fold":     `"passes":[{"pass":"fold","keep_tokens":500}],"summary":{"mode":"local"}`,
		"files":    `"passes":[{"pass":"fold","keep_tokens":500},{"pass":"rehydrate"}],"summary":{"mode":"local"}`,
		"drop":     `"passes":[{"pass":"drop"}]`,
		"collapse": `"passes":[{"pass":"collapse"}]`,
	} {
		made := 0
		for seed := range 40 {
			r := rand.New(rand.NewPCG(uint64(seed), 5))
			list := gen.New(r, gen.Options{Messages: 40, Broken: seed%2 == 1}).Render("pi", r)
			raw, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			var messages []map[string]any
			if err := json.Unmarshal(raw, &messages); err != nil {
				t.Fatal(err)
			}
			for i := range messages {
				messages[i]["timestamp"] = 1000 + i
			}
			raw, _ = json.Marshal(messages)
			var a struct {
				Error    json.RawMessage
				Messages []struct{ Timestamp float64 }
				Report   struct{ Changed bool }
			}
			out := core.Call("plan", fmt.Appendf(nil, `{"policy":{"format":"pi","window":{"tokens":1500},%s},"messages":%s}`, policy, raw))
			if err := json.Unmarshal(out, &a); err != nil || a.Error != nil {
				t.Fatalf("%v %s", err, out)
			}
			if !a.Report.Changed {
				continue
			}
			made++
			last := 0.0
			for i, m := range a.Messages {
				if m.Timestamp < 1000 || seed%2 == 0 && m.Timestamp < last {
					t.Fatalf("%s, seed %d: message %d has the time %v, behind %v\n%s", name, seed, i, m.Timestamp, last, out)
				}
				last = m.Timestamp
			}
		}
		if made < 10 {
			t.Errorf("%s: only %d of 40 were compacted", name, made)
		}
	}
}
