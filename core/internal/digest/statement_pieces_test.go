package digest

import (
	"strings"
	"testing"
)

// A sentence without an end is read in pieces, so that the time to read it grows with its length rather than with the
// square of its length.
func TestEndlessSentencesAreReadInPieces(t *testing.T) {
	for name, text := range map[string]string{
		"words":         strings.Repeat("never use only always ", 5000),
		"without space": strings.Repeat("不要", 20000),
	} {
		at := 0
		for _, r := range sentencesIn(nil, text, nil) {
			if r[1]-r[0] > 2*longestSentence+4 {
				t.Errorf("%s: a piece of %d bytes", name, r[1]-r[0])
			}
			if strings.TrimSpace(text[at:r[0]]) != "" {
				t.Errorf("%s: %q is in no piece", name, text[at:r[0]])
			}
			at = r[1]
		}
		if at != len(text) {
			t.Errorf("%s: %d bytes of %d are in pieces", name, at, len(text))
		}
	}
}

// Nothing precedes a rule in a list, so the rule doesn't begin with a word that connects it to a previous sentence.
func TestStatementsBeginWithoutJoin(t *testing.T) {
	for text, want := range map[string]string{
		"The pump is green. And never open a valve on Sundays.":      "never open a valve on Sundays.",
		"Thanks! Oh, and please always answer in Danish.":            "please always answer in Danish.",
		"Danke. Und schreib nie meine Nummer in eine Datei.":         "schreib nie meine Nummer in eine Datei.",
		"И никогда не пиши мой номер в файл.":                        "никогда не пиши мой номер в файл.",
		"Also, don't use tabs.":                                      "don't use tabs.",
		"Andrea must never see this list.":                           "Andrea must never see this list.",
		"I live in a blue house. But all invoices must be in euros.": "all invoices must be in euros.",
	} {
		if got := statements(text, new(readRoom)); len(got) != 1 || got[0] != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
