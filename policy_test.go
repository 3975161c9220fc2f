package ctxfold_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/pass"
)

// A typed policy is the JSON that docs/reference/policy.md has for it.
func TestPolicyJSON(t *testing.T) {
	for _, tt := range []struct {
		policy ctxfold.Policy
		want   string
	}{
		{ctxfold.Policy{}, `{}`},
		{ctxfold.Policy{Preset: api.PresetTurnTail, Window: ctxfold.Window{Tokens: 9000, Reserve: new(0)}}, `{"preset":"turn-tail","window":{"tokens":9000,"reserve":0}}`},
		{ctxfold.Policy{Passes: []pass.Pass{}, LastResort: new(false)}, `{"passes":[],"last_resort":false}`},
		{ctxfold.Policy{Format: api.FormatOpenAIChat, Passes: []pass.Pass{pass.Clear{}, pass.Fold{KeepTokens: new(500)}, pass.Raw(`{"pass":"dedupe"}`)}},
			`{"format":"openai-chat","passes":[{"pass":"clear"},{"pass":"fold","keep_tokens":500},{"pass":"dedupe"}]}`},
		{ctxfold.RawPolicy(`{"preset":"default"}`), `{"preset":"default"}`},
	} {
		got, err := json.Marshal(tt.policy)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s, %v; want %s", got, err, tt.want)
		}
		answer := core.Call("check", []byte(`{"policy":`+string(got)+`,"messages":[{"role":"developer","content":"hello"}]}`))
		if strings.HasPrefix(string(answer), `{"error"`) && !strings.Contains(string(answer), `"unknown_window"`) {
			t.Errorf("%s: %s", got, answer)
		}
		var again ctxfold.Policy
		if err := json.Unmarshal(got, &again); err != nil || string(again.Raw) != tt.want {
			t.Errorf("read again: %s, %v", again.Raw, err)
		}
	}
	for name, policy := range map[string]ctxfold.Policy{
		"a pass that is none": {Passes: []pass.Pass{nil}}, "a pass that is no JSON": {Passes: []pass.Pass{pass.Raw("}")}},
		"a ratio that is no number": {Gate: ctxfold.Gate{Ratio: math.NaN()}},
	} {
		var e *ctxfold.Error
		if _, err := ctxfold.Compact(t.Context(), json.RawMessage(`[{"role":"developer","content":"hi"}]`), policy, nil); !errors.As(err, &e) || e.Input != "policy" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
