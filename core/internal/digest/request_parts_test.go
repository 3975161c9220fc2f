package digest

import (
	"fmt"
	"strings"
	"testing"
)

// A long request with many lists keeps the line that introduces each list, also the one that forbids its items, and the next compaction finds
// the whole request again.
func TestLongRequestsKeepTheirLists(t *testing.T) {
	var b strings.Builder
	b.WriteString("Build the kiln panel.\n| dial | zone |\n|---|---|\n| left | 4 |\n")
	for i := range 12 {
		fmt.Fprintf(&b, "PHASE %d\n\nAdd to panel %d:\n", i, i)
		for k := range 6 {
			fmt.Fprintf(&b, "- dial %d.%d with a small label\n", i, k)
		}
	}
	b.WriteString("Do NOT:\n- restart the kiln\n- remove any shelf\n")
	request := Tidy(b.String())
	short := clipRequest(request, 900)
	if len(short) > 900 || !strings.Contains(short, "\nDo NOT: restart the kiln; ") || !strings.Contains(short, "\nAdd to panel 7: dial 7.0 with a small label; […]\n") {
		t.Errorf("%d bytes:\n%s", len(short), short)
	}
	k := turnLog{turns: []turn{{number: 1, request: short}}}
	k.unclip(&Ledger{Task: request})
	if k.turns[0].request != request {
		t.Errorf("the request is read as\n%s", k.turns[0].request)
	}
}
