package digest_test

import (
	"slices"
	"strings"
	"testing"
)

// A request for one turn is not a rule, even if it contains the words of one.
func TestErrands(t *testing.T) {
	for _, s := range []string{
		"ok, read the file boiler.py in full please and tell me what else must be shorter",
		"yes needs to be completely dry",
		"also can we configure the greenhouse to only log at night, don't want it to wake me",
		"the problem is the valve, not the pump, I think.",
		"I don't think we need the second camera, can just remove it.",
		"explain how the shelves work now and what they should be so I can compare",
		"why are the two lists in their own file, shouldn't there be one list for each room",
		"ok if it's for the flaky sensor then this is something we should build.",
		"use the irrigation skill",
		"Task 7: write the file of zone 7.",
		"remove every duplicate from the seed list",
		"Also ensure we have a ticket for it",
		"change the timer to be one-shot (use the once option) and do not wait for it; keep the log, ensure the valve is checked",
		"lösche bitte alle alten Zweige, das muss weg",
		"supprime toutes les vieilles branches, il faut que ce soit propre",
	} {
		if got := standing(t, s); got != nil {
			t.Errorf("%q: %q", s, got)
		}
	}
	for _, s := range []string{
		"From now on write the dates in ISO form.",
		"Ok, never water the cacti in winter.",
		"Remove nothing without asking me.",
		"Yes, and always run the leak test before you commit.",
		"Please don't touch the thermostat's calibration.",
		"Check in with me whenever the budget is above 400 euros.",
		"Lösche nie einen Zweig, ohne zu fragen.",
	} {
		if got := standing(t, s); len(got) != 1 {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// Other people's comments on the work and the output of programs contain no rules.
func TestPastedRules(t *testing.T) {
	log := "look at this\n\n" + strings.Repeat("Warming the kiln\nzone 3 at 900\nYou can open the door now\n", 10) + "\nNever run the kiln above 1,100 degrees."
	if got := standing(t, log); !slices.Equal(got, []string{"Never run the kiln above 1,100 degrees."}) {
		t.Errorf("%q", got)
	}
	if got := standing(t, "more reviewer feedback: kiln/zones.go (2)\n\nAlways close the door before the ramp. Never use floats."); got != nil {
		t.Errorf("%q", got)
	}
}
