package digest

import "testing"

// TestEditedTexts checks that a text that the user wants to have edited holds no instructions, while rules after other
// colons are found.
func TestEditedTexts(t *testing.T) {
	for _, text := range []string{
		"Improve this statement: I always put my customers first and never miss a deadline.",
		"Please rewrite:\nWe never share your data. Always lock the door.",
		"Verbessere diesen Satz: Wir liefern immer pünktlich und nie zu spät.",
		"Mejora esta frase: Siempre atendemos a nuestros clientes con respeto.",
		"润色这句话：我们从不延误交货。",
		"Be sure to justify your choice of distribution in part b.",
		"For part two, do not use any libraries.",
		"Avoid loops in this function.",
		"Not for now.",
		"Nothing else.",
		"Nicht jetzt.",
		"El museo no tiene ascensor.",
		"Le musée n'a pas d'ascenseur.",
	} {
		if got := statements(text, new(readRoom)); len(got) > 0 {
			t.Errorf("%q: listed %q", text, got)
		}
	}
	for _, text := range []string{
		"One thing: never push to main.",
		"Rewrite it with these rules: never use contractions.",
		"Fix the build: and never push to main.",
		"Nothing with nuts, please.",
		"Never use contractions in this section.",
		"No emojis.",
		"I usually prefer low-key activities since I can't do much exercise due to my health.",
	} {
		if got := statements(text, new(readRoom)); len(got) == 0 {
			t.Errorf("%q: nothing listed", text)
		}
	}
	for _, text := range []string{":", "：", ": a", "fix: ", "translate：", "part", "only", "only if", "not"} {
		statements(text, new(readRoom))
		asksToEdit(text)
		editLead(text)
		declines(wordsOf(text, nil))
		ofSection(wordsOf(text, nil))
	}
}
