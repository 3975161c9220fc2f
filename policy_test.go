package ctxfold_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/core"
)

// A typed policy is the JSON that docs/POLICY.md has for it.
func TestPolicyJSON(t *testing.T) {
	for _, tt := range []struct {
		policy ctxfold.Policy
		want   string
	}{
		{ctxfold.Policy{}, `{}`},
		{ctxfold.Policy{Preset: ctxfold.PresetTurnTail, Window: ctxfold.Window{Tokens: 9000, Reserve: new(0)}}, `{"preset":"turn-tail","window":{"tokens":9000,"reserve":0}}`},
		{ctxfold.Policy{Passes: []ctxfold.Pass{}, LastResort: new(false)}, `{"last_resort":false,"passes":[]}`},
		{ctxfold.Policy{Format: ctxfold.FormatOpenAIChat, Passes: []ctxfold.Pass{ctxfold.ClearPass{}, ctxfold.FoldPass{KeepTokens: new(500)}, ctxfold.RawPass(`{"pass":"dedupe"}`)}},
			`{"format":"openai-chat","passes":[{"pass":"clear"},{"pass":"fold","keep_tokens":500},{"pass":"dedupe"}]}`},
		{ctxfold.RawPolicy(`{"preset":"default"}`), `{"preset":"default"}`},
	} {
		got, err := json.Marshal(tt.policy)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s, %v; want %s", got, err, tt.want)
		}
		answer := core.Call("check", []byte(`{"policy":`+string(got)+`,"messages":[{"role":"developer","content":"hello"}]}`))
		if strings.HasPrefix(string(answer), `{"error"`) {
			t.Errorf("%s: %s", got, answer)
		}
		var again ctxfold.Policy
		if err := json.Unmarshal(got, &again); err != nil || string(again.Raw) != tt.want {
			t.Errorf("read again: %s, %v", again.Raw, err)
		}
	}
	if _, err := ctxfold.New(ctxfold.Options{}).Compact(t.Context(), json.RawMessage(`[{"role":"developer","content":"hi"}]`),
		ctxfold.Policy{Passes: []ctxfold.Pass{nil}}, nil); err == nil {
		t.Error("a pass that is none was taken")
	}
}
