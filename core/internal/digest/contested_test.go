package digest

import "testing"

// A rejection is a clause of its own, not a relative clause, a condition or an order.
func TestContests(t *testing.T) {
	for asked, want := range map[string]bool{
		"Show nothing that is not a lamp or a burner.": false,
		"Do not draw what that's not needed for.":      false,
		"Make sure it's not lit at night.":             false,
		"Warn me if it doesn't work on Sundays.":       false,
		"That's not the lamp I meant.":                 true,
		"hm, that is not right":                        true,
		"I think it's not the fuse":                    true,
		"no, but that's not it":                        true,
		"it doesn't work":                              true,
		"the kiln still doesn't heat":                  true,
		"ok. it's not lit":                             true,
		"":                                             false,
	} {
		if got := contests(asked); got != want {
			t.Errorf("%q: %v", asked, got)
		}
	}
}
