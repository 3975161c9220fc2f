package styles_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
)

// A digest message of each style is recognized without the policy that wrote it, and its body and its round are read from it.
func TestDigestsAreRecognized(t *testing.T) {
	const body = "The kiln of the hall is repaired."
	for _, name := range []string{"", "turn-tail", "checkpoint", "window-budget", "agent-loop"} {
		style := styles.ByName(name)
		if style == nil || style.Name != name {
			t.Fatalf("%q has the style %+v", name, style)
		}
		text := style.Write(body, api.ScopeSession, 3, false)
		if got, round := digest.Carried(text, &digest.Ledger{}); got != body || round != 3 {
			t.Errorf("%s: round %d of %q in\n%s", name, round, got, text)
		}
	}
	if styles.ByName("turn") != nil || !strings.HasSuffix(styles.Unknown("turn"), `"turn"; there are: turn-tail, checkpoint, window-budget, agent-loop`) {
		t.Errorf("an unknown style: %s", styles.Unknown("turn"))
	}
}
