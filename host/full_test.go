package host_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host"
)

// TestNeedsFull asks the released module for features that only the full module has.
func TestNeedsFull(t *testing.T) {
	c := open(t, host.Options{})
	in := ctxfold.Input{Messages: json.RawMessage(`[{"role":"user","content":"hello"}]`), Policy: ctxfold.RawPolicy(`{"wire_safe":false}`)}
	_, exact := c.Check(t.Context(), in)
	_, step := c.Function(t.Context(), "estimate_text", ctxfold.FunctionInput{})
	for _, err := range []error{exact, step} {
		var e *ctxfold.Error
		if !errors.As(err, &e) || e.Code != "needs_full" || !strings.Contains(e.Message, "ctxfold-full.wasm") {
			t.Errorf("%#v", err)
		}
	}
	var e *ctxfold.Error
	if errors.As(exact, &e) && (e.Input != "policy" || e.Path != "policy.wire_safe" || e.Offset != len(`{"wire_safe":`)) {
		t.Errorf("%#v", e)
	}
	info, err := c.Info(t.Context())
	if err != nil || len(info.Functions) > 0 || slices.Contains(info.Ops, "function") {
		t.Errorf("%+v, %v", info, err)
	}
}
