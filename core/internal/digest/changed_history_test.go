package digest

import "testing"

// However often a file was changed, its history ends with the last change.
func TestLongHistoriesEndWithTheLastChange(t *testing.T) {
	var h history
	for n := 2; n <= 14; n++ {
		h.add("edited", n)
	}
	if want := "edited in [2], [3], [4], [5], [6], [7], [8] … [14]"; h.text != want {
		t.Errorf("%q, not %q", h.text, want)
	}
	h.add(goneVerb, 15)
	if want := "edited in [2], [3], [4], [5], [6], [7], [8] … deleted in [15]"; h.text != want || h.count != 14 {
		t.Errorf("%q, %d changes, not %q", h.text, h.count, want)
	}
}
