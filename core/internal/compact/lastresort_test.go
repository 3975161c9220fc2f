package compact

import (
	"fmt"
	"strings"
	"testing"
)

// A result that fills the room completely fits, so the last resort doesn't change it.
func TestLastResortSparesWhatFits(t *testing.T) {
	src := session(8, 4000)
	for window := 1000; window < 4000; window++ {
		policy := fmt.Sprintf(`{"window":{"tokens":%d},"last_resort":%%t,"passes":[{"pass":"clear","keep_recent":1}]}`, window)
		without := run(t, "native", fmt.Sprintf(policy, false), src)
		if without.doc.Total != without.MaxTokens() || !without.doc.IsChanged() {
			continue
		}
		if got := output(run(t, "native", fmt.Sprintf(policy, true), src)); got != output(without) {
			t.Errorf("%d tokens of %d become\n%s", without.doc.Total, without.MaxTokens(), got)
		}
		return
	}
	t.Error("no window is filled to the last token")
}

// A squeezed result that is still too long is cut. The remaining text begins with a single marker, which is that of the
// cut.
func TestLastResortCutsSqueezedResults(t *testing.T) {
	var found strings.Builder
	for i := range 200 {
		fmt.Fprintf(&found, "internal/server/handlers/session_of_users.go:%d: return answer(%d)\n", i, i*i)
	}
	c := run(t, "native", `{"window":{"tokens":1000},"archive":"places","passes":[{"pass":"squeeze","keep_recent":0}]}`, reads("grep a "+found.String()))
	out := output(c)
	if c.report.Squeezed != 1 || strings.Count(out, "[Truncated. Handle: ") != 1 || strings.Contains(out, "[Squeezed") {
		t.Errorf("%d squeezed: %s", c.report.Squeezed, out)
	}
}
