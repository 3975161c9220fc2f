package digest_test

import (
	"strings"
	"testing"
)

// If each item of a list links to a page of its own, the address is written once, because the others follow from it.
func TestLinksOfLists(t *testing.T) {
	const kiln = "https://example.com/kiln/issues/"
	text := logOf(t, `[{"role":"user","content":"Which issues of the kiln are stale?"},
`+ranAs("1", "", "gh issue list", "4 issues")+`,
{"role":"assistant","content":"Three issues of the kiln are stale:\n\n1. [#124](`+kiln+`124) about the lamp: discard it\n2. [#386](`+kiln+`386) about the ramp: keep it\n3. [the fan](`+kiln+`440) of the kiln: verify it first\n4. [#7](https://example.com/fan/issues/7) about the fan: discard it\n5. [#86](`+kiln+`6) about the door: wait"},
{"role":"user","content":"Thanks, and what about the door?"}]`, 4000)
	for want, n := range map[string]int{"#124 (" + kiln + "124) about": 1, "#386 about the ramp": 1, "(" + kiln + "440)": 1, "(https://example.com/fan/issues/7)": 1, kiln: 3, "(" + kiln + "6)": 1} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q is %d times, not %d times, in\n%s", want, got, n, text)
		}
	}
}
