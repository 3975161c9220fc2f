package digest

import (
	"slices"
	"testing"
)

// A rule that is only a part of a sentence is found without the rest, whatever the rest is about.
func TestRulesInPassing(t *testing.T) {
	for text, want := range map[string][]string{
		"My parcel came late and the box was open, so please keep your replies under two lines.":                     {"please keep your replies under two lines."},
		"Yesterday my boss came in and shouted, so never put her name into any draft, and thanks for the help.":      {"never put her name into any draft"},
		"Our cat was ill and we moved in June, which was hard, so when you plan something, leave the evenings free.": {"when you plan something, leave the evenings free."},
		"I'm not a fan of musicals, talent shows, all that, which is why he left early.":                             {"I'm not a fan of musicals, talent shows, all that"},
		"No long trips for me, after what happened I want to be home within a day.":                                  {"No long trips for me"},
		"We had a long night and the last train was gone, so never push to main, unless I have asked you to.":        {"We had a long night and the last train was gone, so never push to main, unless I have asked you to."},
		"If the tests fail and the network was down, then never push, and the rest is history.":                      nil,
		"oh and btw no emojis":                                      {"btw no emojis"},
		"I walked home, and never looked back.":                     nil,
		"We drove to the coast, so don't worry.":                    nil,
		"There is no lift, and no parking either.":                  nil,
		"Not to be blunt, but that is odd.":                         nil,
		"I'm pretty sure it was red, but I'm not entirely certain.": nil,
		"Nothing.":                             nil,
		"There's none and there won't be one.": nil,
	} {
		if got := statements(text, new(readRoom)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// wantStatements checks for each text whether it contains a statement.
func wantStatements(t *testing.T, cases map[string]bool) {
	t.Helper()
	for text, want := range cases {
		if got := newestStanding(statements(text, new(readRoom))); len(got) > 0 != want {
			t.Errorf("%q: %q, want some: %v", text, got, want)
		}
	}
}

// A statement that ends with a request for agreement is not a question, and a polite question may be a rule.
func TestRulesAsQuestions(t *testing.T) {
	wantStatements(t, map[string]bool{
		"don't tell me the answer straight away, just give hints ok?":   true,
		"Gib mir nie gleich die Lösung, ja?":                            true,
		"Ne me donne jamais la réponse tout de suite, d'accord ?":       true,
		"can you use trains for examples please?":                       true,
		"Would you mind putting the sources at the end of each answer?": true,
		"could you finish every session with a riddle about the topic?": true,
		"You prefer short answers, ok?":                                 false,
		"Is it fine if I never answer, ok?":                             false,
		"Can you add Ida to the list?":                                  false,
		"Can you show me code examples?":                                false,
		"Can you give me suggestions for names?":                        false,
		"Could you please double-check with any tools that you have?":   false,
		"Can you book that for me, please?":                             false,
	})
}

// A request that is limited to one thing or one occasion, anywhere in the sentence, is not a rule. A request that
// applies from now on is one, whatever its verb.
func TestOnceOrFromNowOn(t *testing.T) {
	wantStatements(t, map[string]bool{
		"Draft the reply please, and only for this one, make it sound old-fashioned.": false,
		"Write it just this once in capitals.":                                        false,
		"Pour demain seulement, fais-moi une version sans sel.":                       false,
		"Propose a tea with every dish from now on.":                                  true,
		"Propose-moi aussi un thé avec chaque plat, à partir de maintenant.":          true,
		"Never use commas, and only for this one, write it in verse.":                 true,
		"Il me reste du riz d'hier, à peu près 300 g.":                                false,
		"When there is a typo in my text, mark it.":                                   true,
		"My doctor told me not to eat grapefruit.":                                    true,
		"The dentist put me on a soft diet.":                                          true,
		"The doctor put me on hold.":                                                  false,
		"My boss told me not to use adverbs.":                                         false,
		"Olives taste like soap to me.":                                               true,
	})
}

// What somebody says while making a deal is not a preference, whether it is about the offer, about what is needed, or
// about a condition.
func TestTalkAboutADealIsNoRule(t *testing.T) {
	for _, s := range []string{
		"While I appreciate the voucher, 100 euros seem a bit low given that I missed a meeting.", "I'm really interested in the voucher you're offering.",
		"I'm really insistent on having the cover added.", "No worries, I'll handle the return on my own if needed.",
		"If the fee can't be waived and the cost is above 200, I won't be able to come.", "For both of these trips, the reason is a change of plan.",
		"I appreciate it, but I really prefer to keep working with you.", "I'm not entirely certain.", "I prefer trains within that time frame.",
		"My aunt fell ill and I really need to change the date.",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("%q", got)
		}
	}
	for _, s := range []string{"I'm interested in old maps.", "I'm insistent on clean kitchens.", "I prefer trains that leave early.", "I do not eat meat.", "I'm not keen on boats."} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// If the user allows what was forbidden, the rule is revoked.
func TestRuleIsDropped(t *testing.T) {
	for _, said := range [][]string{
		{"Keep every chapter under the limit of 90 lines.", "You can drop the chapter limit."},
		{"Propose-moi aussi un vin avec chaque plat, à partir de maintenant.", "Au fait, tu peux laisser tomber les vins."},
	} {
		var all []string
		for _, text := range said {
			all = append(all, statements(text, new(readRoom))...)
		}
		if !slices.Contains(all, said[0]) {
			t.Errorf("%q is no rule: %q", said[0], all)
		}
		if got := newestStanding(slices.Clone(all)); slices.Contains(got, said[0]) {
			t.Errorf("%q of %q", got, all)
		}
	}
}

// Polite questions, orders with a pronoun for the writer, and orders under a condition are rules in any language.
func TestOrdersToTheAssistant(t *testing.T) {
	wantStatements(t, map[string]bool{
		"Could you always give me the total in euros?": true,
		"Can you always see the sea from there?":       false,
		"你能不能每次都先给结论？":                                 true,
		"能不能便宜一点？":                                     false,
		"你能不能帮我看看这个文件？":                                false,
		"毎回例を入れてもらえますか？":                               true,
		"この文を直してもらえますか？":                               false,
		"항상 출처를 알려 주실 수 있나요?":                          true,
		"이 문장을 고쳐 주실 수 있나요?":                           false,
		"No me des respuestas largas.":                 true,
		"No me acuerdo.":                               false,
		"Ne me tutoie pas.":                            true,
		"Ne me dis pas que c'est fini !":               false,
		"If you give me code, comment every line.":     true,
		"And please tell me when you're not sure.":     true,
		"Tell me when you are back.":                   false,
		"回答别太长。":                                       true,
		"Ich esse nichts mit Pilzen.":                  true,
		"Laute Lokale sind mir ein Graus.":             true,
	})
}
