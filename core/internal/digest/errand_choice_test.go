package digest

import "testing"

func TestChoicesAmongListedThingsAreNoRules(t *testing.T) {
	for _, s := range []string{
		"We take title number 2, number 5 has the forbidden word in it", "I want number 3.", "We use none of those, nobody clicks on weather.", "We take the last one, the others are too long, so don't use them.",
		"Wir nehmen Vorschlag 4, der andere ist verboten.",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("a choice is listed as a rule: %q", got)
		}
	}
	for _, s := range []string{"I prefer version 3 of the API in all examples.", "We always use the first person in titles.", "We use none of the words on that list in titles.", "We use tabs."} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
}
