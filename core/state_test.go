package core_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
)

// session is work on a file, n turns of it, in the wire format native.
func session(from, n int) (list []map[string]any) {
	for i := from; i < from+n; i++ {
		id := fmt.Sprint("call-", i)
		list = append(list,
			map[string]any{"role": "user", "content": fmt.Sprintf("Request number %d: change the file number %d.", i, i)},
			map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_call", "id": id, "name": "edit", "input": map[string]any{"path": fmt.Sprintf("src/file-%d.go", i%12)}}}},
			map[string]any{"role": "tool_result", "tool_call_id": id, "tool_name": "edit", "content": strings.Repeat("line of output\n", 120)},
			map[string]any{"role": "assistant", "content": "Done with that. " + strings.Repeat("It was so. ", 30)})
	}
	return list
}

// TestStateFromDigest compacts twice, the second time without the first state, whose content is then read from the digest.
func TestStateFromDigest(t *testing.T) {
	for _, preset := range []string{"default", "turn-tail", "checkpoint", "window-budget", "agent-loop"} {
		t.Run(preset, func(t *testing.T) {
			run := func(messages []map[string]any, state json.RawMessage) (out []map[string]any, left api.State) {
				request := map[string]any{"messages": messages, "options": map[string]any{"force": true}, "policy": map[string]any{"preset": preset, "format": "native",
					"window": map[string]any{"tokens": 32000}, "summary": map[string]any{"mode": "local"}}}
				if state != nil {
					request["state"] = state
				}
				src, err := json.Marshal(request)
				if err != nil {
					t.Fatal(err)
				}
				var a struct {
					Messages []map[string]any
					State    api.State
					Report   struct{ Changed bool }
				}
				if err := json.Unmarshal(core.Call("plan", src), &a); err != nil || !a.Report.Changed {
					t.Fatalf("%v, changed %v", err, a.Report.Changed)
				}
				return a.Messages, a.State
			}
			first, before := run(session(0, 90), nil)
			_, after := run(append(first, session(90, 90)...), nil)
			if before.Round != 1 || after.Round != 2 {
				t.Errorf("rounds %d and %d", before.Round, after.Round)
			}
			if before.Ledger.Task == "" || after.Ledger.Task != before.Ledger.Task {
				t.Errorf("the task was %q and is %q", before.Ledger.Task, after.Ledger.Task)
			}
			for _, path := range before.Ledger.Modified {
				if !slices.Contains(after.Ledger.Modified, path) {
					t.Errorf("%s is lost", path)
				}
			}
			if len(before.Ledger.Modified) != 12 {
				t.Errorf("%d files", len(before.Ledger.Modified))
			}
			if last := after.Ledger.Requests; len(last) == 0 || !strings.Contains(last[0], "number") {
				t.Errorf("requests: %q", last)
			}
			for _, request := range after.Ledger.Requests {
				if strings.Count(request, "number") != 2 {
					t.Errorf("%q is not one request", request)
				}
			}
		})
	}
}
