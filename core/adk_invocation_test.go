package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// Each new ADK event belongs to the invocation of its neighbor, even one that a repair inserts before all others. A session service doesn't
// reject an event for its invocation, but groups events by it.
func TestADKEventsHaveAnInvocation(t *testing.T) {
	made := 0
	for _, preset := range policy.Presets() {
		for seed := range uint64(3) {
			for mode, summary := range map[string]string{"local": "", "model": summaryText} {
				r := rand.New(rand.NewPCG(seed, 9))
				messages := list(gen.New(r, gen.Options{Messages: 120}).Render("adk", r))
				size := estimateOf(t, `{"format":"adk"}`, messages)
				a := compacts(t, fmt.Sprintf(`{"preset":%q,"format":"adk","window":{"tokens":%d,"reserve":10},"summary":{"mode":%q}}`, preset.Name, size/3, mode)+force, "null", messages, summary)
				var events []struct {
					ID, InvocationID string
					Snake            string `json:"invocation_id"`
				}
				if a.Error != nil || json.Unmarshal(a.Messages, &events) != nil {
					t.Fatalf("%s: %+v", preset.Name, a.Error)
				}
				for i, e := range events {
					if e.InvocationID == "" && e.Snake == "" {
						t.Errorf("%s, %s, seed %d: event %d of %d, %s, has no invocation", preset.Name, mode, seed, i, len(events), e.ID)
					}
				}
				if a.Report.Changed {
					made++
				}
			}
		}
	}
	if made == 0 {
		t.Error("nothing was compacted")
	}
}
