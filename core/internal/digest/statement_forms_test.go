package digest

import (
	"os"
	"strings"
	"testing"
)

// TestStated checks that rules and preferences in more than ten languages are recognized, most of them by the form of
// their sentences, and that requests, reports, guesses and small talk are not.
func TestStated(t *testing.T) {
	data, err := os.ReadFile("testdata/stated.txt")
	if err != nil {
		t.Fatal(err)
	}
	kind, counts := "", map[string]int{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if heading, is := strings.CutPrefix(line, "# "); is {
			kind = heading
			continue
		}
		counts[kind]++
		if got := newestStanding(statements(line, new(readRoom))); len(got) > 0 != (kind != "Neither") {
			t.Errorf("%s: %q gives %q", kind, line, got)
		}
	}
	if counts["Rules"] < 100 || counts["Preferences"] < 100 || counts["Neither"] < 200 {
		t.Error(counts)
	}
}

// TestForms tests sentences that have the words of one form but belong to another.
func TestForms(t *testing.T) {
	for text, want := range map[string]bool{
		"I'm picky about olives.":                           true,
		"Not today.":                                        false,
		"I'm sorry about Monday.":                           false,
		"I'm obsessed with tin whistles.":                   true,
		"I'm looking at hotels.":                            false,
		"I'm good friends with Ulla.":                       false,
		"I take my porridge without salt.":                  true,
		"I don't see errors.":                               false,
		"Brass bands make me shiver.":                       true,
		"Tom gives me the ball.":                            false,
		"The last time we moved a server we lost the disks": true,
		"The last time I saw her was in May.":               false,
		"Our editors forbid footnotes.":                     true,
		"Our guests like footnotes.":                        false,
		"When in doubt, wait.":                              true,
		"When the bus comes, wait.":                         false,
		"Anything about pay goes through Igor first.":       true,
		"Anything about pay is boring.":                     false,
		"I want you to close every drawer.":                 true,
		"I want you to close the drawer.":                   false,
		"What I love most is rowing.":                       true,
		"Read the almanac before you touch the pump.":       true,
		"Read the almanac before you go.":                   false,
		"Leave my boots alone.":                             true,
		"Leave my boots on the porch.":                      false,
		"What I mean is rowing.":                            false,
		"Every time it thunders the dog hides.":             false,
		"The leak must be wrong somewhere.":                 false,
		"Le facteur ne peut pas, ce sera lundi.":            false,
		"Le facteur ne peut pas entrer sans badge.":         true,
		"Désormais j'habite à Nice.":                        false,
		"Désormais j'écris mes réponses en vers.":           true,
	} {
		if got := len(newestStanding(statements(text, new(readRoom)))) > 0; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestAsideRanksLow checks that a request at the end of a story ranks below a rule.
func TestAsideRanksLow(t *testing.T) {
	rankOf := func(s string) int {
		r := rate(s, wordsOf(s, nil))
		return r.rank()
	}
	aside, rule := "The pump set me back 90 euros, don't tell anyone.", "Don't tell anyone about the pump."
	if rankOf(aside) >= rankOf(rule) {
		t.Errorf("the aside has rank %d, the rule %d", rankOf(aside), rankOf(rule))
	}
}
