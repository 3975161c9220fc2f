package digest_test

import (
	"slices"
	"testing"
)

// A note for one request is not a rule, and neither is text by somebody else to which the user replies.
func TestNotesForARequestAreNoRules(t *testing.T) {
	for text, want := range map[string][]string{
		"can you sum up how both kilns log their heat? Keep in mind that the small one has its own clock and the large one only a counter": nil,
		"Compare the two drivers. Please note that the old one has the full trace and its newer copy only the heads.":                      nil,
		"Keep in mind that the small kiln must never run without water.":                                                                   {"Keep in mind that the small kiln must never run without water."},
		"Plan our dinner, please. Keep in mind that I'm allergic to nuts.":                                                                 {"Plan our dinner, please. Keep in mind that I'm allergic to nuts."},
		"Please fix the door. Keep in mind that we never push to main.":                                                                    {"Keep in mind that we never push to main."},
		"Consider whether the ramp should be kept from the first firing only, or stored for each zone in a list.":                          nil,
		"The current code replaces the older ramp, which may not match what the operator expects.":                                         nil,
		"When two firings are merged (line 12-40), the ramp of the second one replaces the first.\n\nEach zone must keep its own ramp, and the merge should never drop one without a warning.\n\n-> I think the second firing should just do nothing here": nil,
		"Never drop a ramp without a warning.\n-> I saw that twice": {"Never drop a ramp without a warning."},
	} {
		if got := standing(t, text, "Thanks a lot."); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}
