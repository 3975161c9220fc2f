package compact

import (
	"fmt"
	"strings"
	"testing"
)

// If the tail would begin inside a message with many steps, and a turn begins soon after it, the tail begins with that
// turn.
func TestTailBeginsWithATurnBehindSteps(t *testing.T) {
	var steps strings.Builder
	for i := range 8 {
		fmt.Fprintf(&steps, `{"type":"step-start"},{"type":"tool-read","toolCallId":"c%d","state":"output-available","input":{},"output":"result %d %s"},`, i, i, strings.Repeat("x", 400))
	}
	said := func(id, role, text string) string {
		return fmt.Sprintf(`{"id":%q,"role":%q,"parts":[{"type":"text","text":%q}]}`, id, role, text)
	}
	src := "[" + strings.Join([]string{
		said("u0", "user", "Read them."),
		`{"id":"a0","role":"assistant","parts":[` + steps.String() + `{"type":"text","text":"done"}]}`,
		said("u1", "user", "Go on. "+strings.Repeat("y", 400)), said("a1", "assistant", "Well."), said("u2", "user", "And?"),
	}, ",") + "]"
	for boundary, want := range map[string]bool{"turn": false, "group": true} {
		c := run(t, "ai-sdk-ui", fmt.Sprintf(`{"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":300,"boundary":%q}]}`, boundary)+force, src)
		out := output(c)
		if got := strings.Contains(out, `"result 7 xxxx`); got != want || !strings.Contains(out, "Go on. yyy") || strings.Contains(out, `"result 5 xxxx`) {
			t.Errorf("%s: the last step stays: %t\n%s", boundary, got, out)
		}
	}
}
