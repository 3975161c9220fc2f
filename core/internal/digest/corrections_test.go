package digest_test

import (
	"strings"
	"testing"
)

// A value that the assistant or the user corrects later is marked or removed.
func TestCorrectedValue(t *testing.T) {
	for _, c := range []struct{ name, old, corrected, gone, stays string }{
		{"an admission", "The harbour's tide gauge listens on port 5432.", "I was wrong about the gauge: the tide gauge listens on port 5433.", "on port 5432", "5433"},
		{"two sentences", "The tide gauge of the harbour was built in 1911.", "I made a mistake. The gauge was built in 1921.", "in 1911", "1921"},
		{"a denial", "The ferry to Vinga leaves at 07:40.", "It's 08:20, not 07:40.", "leaves at 07:40", "08:20"},
		{"a correction with a colon", "The museum of Marstrand opens at 9.", "Correction: the museum opens at 11.", "opens at 9", "11"},
		{"German", "Der Pegel von Wismar steht auf Port 5432.", "Ich habe mich geirrt: Der Pegel steht auf Port 5433.", "auf Port 5432", "5433"},
		{"French", "Le phare de Brest a 142 marches.", "Erreur de ma part : le phare a 241 marches.", "142 marches", "241"},
	} {
		got := digestOf(t, "", 3000, "Tell me of Vinga.", c.old, "Fine, and who paints the hulls there?", "Ulla and 3 of her nephews do.", "And the gauge, the ferry?", c.corrected, "Noted.", "Good.")
		at := strings.Index(got, c.gone)
		if !strings.Contains(got, c.stays) || at >= 0 && !strings.Contains(got, "(was ") && !strings.Contains(got, "(before: ") {
			t.Errorf("%s:\n%s", c.name, got)
		}
	}
	for _, c := range [][2]string{ // nothing is corrected
		{"The ferry to Vinga leaves at 07:40.", "I was wrong about Ulla: she is 34."},
		{"The mast has 3 stays.", "The hull has 4 planks, not 3 keels."},
	} {
		got := digestOf(t, "", 3000, "Tell me of Vinga.", c[0], "Who is Ulla?", "A painter of 12 hulls.", "Hm?", c[1], "Noted.", "Good.")
		if !strings.Contains(got, c[0]) {
			t.Errorf("%q takes %q away:\n%s", c[1], c[0], got)
		}
	}
}
