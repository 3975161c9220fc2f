package proxy_test

import (
	"strings"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"

	"github.com/ctxfold/ctxfold/host/proxy"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/provider"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// Long tool loops of thinking models through the proxy: endpoints that require an open loop to begin with its thinking, or that bind
// thinking to everything before it, never receive a request that they would have to reject, however the thinking mode is known.
func TestThinking(t *testing.T) {
	turns := trials.Count(10, 20, 40) // each request has the whole history, so the cost grows with the square
	type m = map[string]any
	for _, tt := range []struct {
		name, thinks, model string
		thinking            any
	}{
		{"manual by the request", judge.Manual, "", m{"type": "enabled", "budget_tokens": 1024}},
		{"manual between calls", judge.Interleaved, "", m{"type": "enabled", "budget_tokens": 1024}},
		{"adaptive by the request", judge.Adaptive, "", m{"type": "adaptive"}},
		{"blocks are dropped", judge.Adaptive, "", m{"type": "adaptive", "block_binding": m{"prefix_mismatch_behavior": "drop_block"}}},
		{"manual by the model", judge.Interleaved, "claude-haiku-4-5", nil},
		{"adaptive by the model", judge.Adaptive, "claude-sonnet-5-5", nil},
		{"manual, and nothing tells", judge.Interleaved, "", nil},
		{"adaptive, and nothing tells", judge.Adaptive, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := &provider.Endpoint{Format: "anthropic", Window: 6000, Steps: 12, Thinking: tt.thinks}
			base := serve(t, e, proxy.Options{})
			var options []anthropicoption.RequestOption
			if tt.thinking != nil {
				options = append(options, anthropicoption.WithJSONSet("thinking", tt.thinking))
			}
			if tt.model != "" {
				options = append(options, anthropicoption.WithJSONSet("model", tt.model))
			}
			var history []anthropicsdk.MessageParam
			history, err := messages(t.Context(), base, turns, options...)
			seen := e.Seen()
			if err != nil || len(seen.Refused) > 0 {
				t.Fatalf("the endpoint had to refuse: %q: %v", seen.Refused, err)
			}
			compacted, kept, closed := 0, 0, 0
			for _, list := range seen.Conversations {
				if strings.Contains(string(list), "[session digest") {
					compacted++
				}
				if strings.Contains(string(list), "as text]") {
					closed++
				}
				kept += judge.Thoughts("anthropic", list)
			}
			if compacted < turns/2 || kept == 0 || (closed > 0) != strings.HasSuffix(tt.name, "nothing tells") {
				t.Errorf("%d messages, %d requests: %d with a digest, %d thoughts, %d with a loop as text", len(history), seen.Requests, compacted, kept, closed)
			}
		})
	}
}
