package digest_test

import "testing"

// "Only" is a restriction if the reader can obey it. It is none in a remark, in what applies to one thing, and in an
// answer with a number.
func TestOnly(t *testing.T) {
	for text, rule := range map[string]bool{
		"Only dreaming.":     false,
		"Only kidding.":      false,
		"Nur ein Scherz.":    false,
		"Nur geträumt.":      false,
		"Seulement un rêve.": false,
		"Solo una idea.":     false,
		"Solo soñando.":      false,
		"Só uma ideia.":      false,
		"Solo un sogno.":     false,
		"Нет-нет, только фантазия.":                     false,
		"Just this one in English, please.":             false,
		"Nur dieses eine auf Englisch.":                 false,
		"Seulement cette fois en anglais.":              false,
		"Solo esta vez en inglés.":                      false,
		"Только этот раз на английском.":                false,
		"هذه المرة فقط بالإنجليزية.":                    false,
		"Three eggs are fine.":                          false,
		"Ha tre fratelli e una nonna che parla sempre.": false,

		"Only use metric units.":             true,
		"Only in French, please.":            true,
		"Only vegetarian recipes.":           true,
		"Nur auf Deutsch, bitte.":            true,
		"Nur eine Frage pro Nachricht.":      true,
		"Solo en español, por favor.":        true,
		"Só em português.":                   true,
		"Только на русском, пожалуйста.":     true,
		"Two sentences per answer are fine.": true,
		"Rispondi sempre in italiano.":       true,
	} {
		if got := standing(t, text); len(got) > 0 != rule {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Statements with numbers and formulas in or near them are found too.
func TestStatementsNearNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"Could you end each answer with two links?": "Could you end each answer with two links?",
		"I can only concentrate for 40 minutes.":    "I can only concentrate for 40 minutes.",
		"ah so 4y = 12 and then y = 3, got it. today was long and my little brother was loud all afternoon, so please keep every hint to one line from now on.": "today was long and my little brother was loud all afternoon, so please keep every hint to one line from now on.",
		"I can only see 3 files.": "",
		"x = 1; y = 2; z = 3":     "",
	} {
		got := standing(t, text)
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0] != want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
