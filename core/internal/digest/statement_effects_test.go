package digest

import (
	"slices"
	"strings"
	"testing"
)

// What something does to its writer is a preference, and so is a dislike of a kind of thing. A resemblance, a gift and a
// feeling of the moment are none.
func TestEffectsOnTheWriter(t *testing.T) {
	wantStatements(t, map[string]bool{
		"Crowds make my skin crawl.":                       true,
		"Jazz sends me to sleep.":                          true,
		"Long drives kill my back.":                        true,
		"Cilantro gives me hives.":                         true,
		"My stomach doesn't get along with beans.":         true,
		"I can't stand that kind of shouting tone.":        true,
		"Looks like me.":                                   false,
		"My sister sends me flowers.":                      false,
		"These shoes hurt my feet.":                        false,
		"My head doesn't hurt anymore.":                    false,
		"I love that!":                                     false,
		"De la mousse partout.":                            false,
		"Buonasera a tutti.":                               false,
		"Twelve eggs are fine.":                            false,
		"Les titres en gras partout.":                      true,
		"I expect a source for every claim.":               true,
		"I need a ticket for every child.":                 true,
		"One more thing: when there's jargon, explain it.": true,
		"The label says: never iron, always wash cold.":    false,
		"Auf dem Schild steht: Rasen nicht betreten.":      false,
		"说明书上写着：不要用热水洗。":                                   false,
		"Dans ma nouvelle, le roi interdit les chats.":     false,
		"In my letters, never mention the price.":          true,
		"提到人名时请附上拼音。":                                      true,
		"Les desserts pas trop sucrés, c'est mon truc.":    true,
	})
}

// A request for this time only is no rule in any language, unless it also says what holds from now on.
func TestThisTimeIsNoRule(t *testing.T) {
	wantStatements(t, map[string]bool{
		"Bitte nur dieses eine Mal auf Englisch antworten.": false,
		"Cette fois, réponds toujours en anglais.":          true,
		"Réponds en anglais cette fois.":                    false,
		"Esta vez responde en inglés.":                      false,
		"В этот раз отвечай на английском.":                 false,
		"这次不要加糖。":                                           false,
		"这次算了，以后不要加糖。":                                      true,
		"今回だけ敬語を使わないでください。":                                 false,
		"이번만 존댓말을 쓰지 마세요.":                                  false,
		"앞으로 존댓말을 쓰지 마세요.":                                  true,
	})
}

// An opinion against a rule revokes it. Without such a rule, it isn't listed.
func TestOpinionsRevoke(t *testing.T) {
	for old, said := range map[string]string{
		"Keep every answer under 100 words, that's the limit.": "The word limit was silly.",
		"From now on give me exactly three points per draft.":  "You know what, the three-point limit was silly.",
		"Finish every session with a quiz.":                    "The quiz at the end was a bad idea.",
		"Add the allergens to every recipe.":                   "You can stop adding the allergens.",
		"Schreib bitte alle Beträge in Franken.":               "Vergiss das mit den Franken.",
	} {
		all := append(statements(old, new(readRoom)), statements("Never push to main.", new(readRoom))...)
		if len(all) != 2 {
			t.Errorf("%q is no rule: %q", old, all)
		}
		all = newestStanding(append(all, statements(said, new(readRoom))...))
		if slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(old, s) }) || !slices.Contains(all, "Never push to main.") {
			t.Errorf("%q: %q", said, all)
		}
	}
	for _, text := range []string{"The word limit was silly.", "The idea was bad.", "You can stop now.", "不用了。"} {
		if got := newestStanding(append(statements("Never push to main.", new(readRoom)), statements(text, new(readRoom))...)); len(got) != 1 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// A rule that is listed is not worth quoting in the conversation again, even if it is only a part of a sentence. A
// sentence that mostly says something else is.
func TestListedRuleIsNotQuoted(t *testing.T) {
	const rule = "please keep all paragraphs short"
	for text, want := range map[string]int{
		"I had lessons today, so please keep all paragraphs short.":                                          ofListed,
		"I had four lessons and a dentist, my brother ate my lunch, so please keep all paragraphs short, ok": 0,
		"Please keep it.": 0,
	} {
		f := ruleFinder{block: "- " + rule + "\n"}
		f.add(rule)
		if got := f.factorOf(text); got != want {
			t.Errorf("%q: %d, not %d", text, got, want)
		}
		f = ruleFinder{}
		f.add(rule)
		if got := f.factorOf(text); (got == ofRule) != strings.Contains(text, rule) {
			t.Errorf("%q: %d without a block", text, got)
		}
	}
}
