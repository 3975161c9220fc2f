package digest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// A request that the user made only once is kept in the log in whole sentences, however many newer requests there are.
func TestLogKeepsWhatWasSaidOnce(t *testing.T) {
	said := map[int]string{
		3:   "The staging host answers on port 7431.",
		17:  "Look at the crane driver too. Our reviewer for all that is called Ostrava Lindqvist.",
		40:  "水泵的备用编号是 QX-5518。",
		111: "El acuerdo con Telmor vence el 9 de mayo.",
	}
	type call struct {
		ID       string            `json:"id"`
		Type     string            `json:"type"`
		Function map[string]string `json:"function"`
	}
	type message struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		ToolCalls  []call `json:"tool_calls,omitempty"`
		ToolCallID string `json:"tool_call_id,omitempty"`
	}
	var list []message
	for i := range 160 {
		asked := fmt.Sprintf("Please run the checks of the module number %d again and tell me how many of them are green now.", 100+i)
		if s := said[i]; s != "" {
			asked += " " + s
		}
		id := fmt.Sprintf("c%d", i)
		list = append(list, message{Role: "user", Content: asked},
			message{Role: "assistant", Content: "On it.", ToolCalls: []call{{id, "function", map[string]string{"name": "bash", "arguments": fmt.Sprintf(`{"command":"check %d"}`, i)}}}},
			message{Role: "tool", Content: "ok", ToolCallID: id},
			message{Role: "assistant", Content: "All are green."})
	}
	src, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	tr, seq := read(t, "openai-chat", string(src))
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq, "", l).Digest(6000)
	for _, want := range []string{"port 7431.", "Our reviewer for all that is called Ostrava Lindqvist.", "QX-5518。", "vence el 9 de mayo."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if _, asked, found := strings.Cut(line, "] user: "); found && !strings.ContainsAny(asked[len(asked)-5:], ".。]") {
			t.Errorf("a request ends in the middle of a sentence: %s", line)
		}
	}
	if len(text) > 6000 {
		t.Errorf("%d bytes for a budget of 6000", len(text))
	}
	for size := 2500; size < 9000; size += 61 { // whatever the first guess of how much fits
		text := digest.NewExtract(tr, seq, "", l).Digest(size)
		if n := strings.Count(text, "] user: "); n < size/160 || len(text) > size {
			t.Errorf("%d bytes: %d requests in %d bytes", size, n, len(text))
		}
	}
}
