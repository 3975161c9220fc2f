package ctxfold_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host"
)

// Token counts of a provider or a tokenizer are used as they are, and the state learns from them.
func TestUsage(t *testing.T) {
	c := open(t, host.Options{})
	messages := json.RawMessage(`[{"role":"user","content":"` + strings.Repeat("How does it work? ", 500) + `"},{"role":"assistant","content":"Well."}]`)
	policy := ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":100000}}`)
	in := ctxfold.Input{Messages: messages, Policy: policy, Usage: &api.Usage{Message: -1, InputTokens: 8990, OutputTokens: 10}}
	check, err := c.Check(t.Context(), in)
	if err != nil || check.Tokens != 9000 || check.Source != "measured" || len(check.State) == 0 {
		t.Fatalf("%+v, %v", check, err)
	}
	if check, err = c.Check(t.Context(), ctxfold.Input{Messages: messages, Policy: policy, State: check.State}); err != nil || check.Tokens != 9000 || check.Source != "calibrated" {
		t.Errorf("%+v, %v", check, err)
	}
	asked := 0
	in = ctxfold.Input{Messages: messages, Policy: policy, CountTokens: func(_ context.Context, m json.RawMessage) (int, error) {
		if asked++; string(m) != string(messages) {
			return 0, fmt.Errorf("other messages: %s", m)
		}
		return 95000, nil
	}}
	if estimate, err := c.Estimate(t.Context(), in); err != nil || estimate.Tokens != 95000 || estimate.Source != "measured" {
		t.Errorf("%+v, %v", estimate, err)
	}
	if r, err := c.CompactWith(t.Context(), in, nil); err != nil || r.Report.Tokens.Before != 95000 || asked != 2 {
		t.Errorf("%+v, %v, asked %d times", r, err, asked)
	}
	down := errors.New("the tokenizer is down")
	in.CountTokens = func(context.Context, json.RawMessage) (int, error) { return 0, down }
	if _, err := c.Check(t.Context(), in); !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
}
