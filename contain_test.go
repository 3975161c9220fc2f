package ctxfold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// A panic in a function of the program never crashes the program. If its result was needed, the operation fails with the panic's text;
// otherwise the panic is logged.
func TestPanickingCallbacks(t *testing.T) {
	var log bytes.Buffer
	c := ctxfold.New(ctxfold.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	ctx, messages := t.Context(), sample(t)
	policy := ctxfold.Policy{Window: ctxfold.Window{Tokens: 32000}}
	fails := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, ctxfold.ErrPanic) || !strings.Contains(err.Error(), name+" is broken") {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := ctxfold.Input{Messages: messages, Policy: policy, CountTokens: func(context.Context, json.RawMessage) (int, error) { panic("CountTokens is broken") }}
	_, err := c.Fit(ctx, in, nil)
	fails("CountTokens", err)
	_, err = c.CompactWith(ctx, in, nil)
	fails("CountTokens", err)
	v := begin(t, c, ctxfold.ConversationOptions{Messages: messages, Policy: policy,
		BeforeCompact: func(context.Context, ctxfold.Event) ctxfold.CompactDecision { panic("BeforeCompact is broken") }})
	before := v.Messages()
	_, err = v.AfterTurn(ctx)
	fails("BeforeCompact", err)
	_, err = v.Call(ctx, func(context.Context, json.RawMessage) (api.Failure, error) { panic("Call is broken") })
	fails("Call", err)
	if !bytes.Equal(before, v.Messages()) {
		t.Error("the conversation was changed")
	}
	v = begin(t, c, ctxfold.ConversationOptions{Messages: messages, Policy: policy,
		AfterCompact: func(context.Context, ctxfold.Event, *ctxfold.Result) { panic("AfterCompact is broken") }})
	if r, err := v.AfterTurn(ctx); err != nil || !r.Changed || !strings.Contains(log.String(), "AfterCompact is broken") {
		t.Errorf("AfterCompact: %v, %+v, %s", err, r, log.String())
	}
	r, err := c.Compact(ctx, messages, policy, ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) { panic("the model is broken") }))
	if err != nil || !strings.Contains(r.Report.Summary.Error, "the model is broken") || !strings.Contains(log.String(), "the model is broken") {
		t.Errorf("a summarizer: %v, %+v", err, r)
	}
}
