package digest

import (
	"slices"
	"strings"
	"testing"
)

// A sentence that begins like a spent one is found in the middle of a text, with either kind of apostrophe.
func TestSpentSentencesAreFoundInside(t *testing.T) {
	for _, head := range slices.Concat(detailHeads, offerHeads) {
		for _, mark := range []string{"'", "’"} {
			if text := "The berth is free. " + strings.ReplaceAll(head, "'", mark); !isSpentIn(text) {
				t.Errorf("isSpentIn(%q) = false", text)
			}
		}
	}
}
