package compact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// uiTurns returns a conversation in which assistant messages contain both tool calls and their results. It begins with
// such a message.
func uiTurns(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":"a%d","role":"assistant","parts":[{"type":"tool-read","toolCallId":"c%d","state":"output-available","input":{},"output":"%s"}]}`,
			i, i, strings.Repeat("a line of the file. ", 40)), fmt.Sprintf(`{"id":"u%d","role":"user","parts":[{"type":"text","text":"request %d"}]}`, i, i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// If a result was cleared and its message was then folded, the archive contains it only once, as part of the message.
func TestFoldedBodiesAreArchivedOnce(t *testing.T) {
	c := run(t, "ai-sdk-ui", `{"archive":"bodies","summary":{"mode":"local"},"passes":[{"pass":"clear","keep_recent":1},{"pass":"fold","keep_tokens":300,"boundary":"group"}]}`+force, uiTurns(6))
	if c.report.Cleared == 0 || len(c.fold.Items) == 0 {
		t.Fatalf("%+v", c.report)
	}
	for _, b := range c.bodies {
		if b.What == api.BodyToolResult && slices.ContainsFunc(c.fold.Items, func(it view.Item) bool { return int(it.In) == b.Message }) {
			t.Errorf("the result of message %d is in the archive beside its message", b.Message)
		}
	}
}

// The log describes the outcome for each message, including the first one.
func TestDecisionsOfFoldedMessages(t *testing.T) {
	c := run(t, "native", `{"log":true,"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":10,"boundary":"group"}]}`+force,
		strings.Replace(session(4, 200), `{"role":"system","content":"You are careful."},`, "", 1))
	for _, d := range c.report.Decisions[:8] {
		if d.Decision != api.DecisionName(api.ActionFold) || d.Pass != "fold" {
			t.Errorf("message %d: %s by %q", d.Message, d.Decision, d.Pass)
		}
	}
}
