package digest

import (
	"strings"
	"testing"
)

// A clipped request doesn't end with a word that needs the next one.
func TestClippedRequestEnds(t *testing.T) {
	for text, want := range map[string]string{
		"Yes, please proceed with the reconstruction-of-the-kiln-and-its-doors": "Yes, please proceed […]",
		"Heize den Ofen mit der Holzkohlenfeuerungsanlagensteuerungseinheit":    "Heize den Ofen […]",
		"Heat the kiln slowly.": "Heat the kiln slowly.",
	} {
		if got := clipRequest(text, leastRequest); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// A request that is clipped to a few words keeps the sentence that says the most, and no torn clause.
func TestClippedRequestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Wait, let me try another address. Use ove.brandt@example.com.":                                            "[…] Use ove.brandt@example.com.",
		"That's fine, thank you. I'd like berth N17 for the winter. Would you do that for me now, please?":         "[…] I'd like berth N17 for the winter. […]",
		"The boat is mine. I need no mast crane since I use the one of the club there, and no electricity, thanks": "The boat is mine. I need no mast crane […]",
		"```x. y and so on until the line is longer than the room is```":                                           "```x. y and so on until the line is […]",
		"我要两个泊位。冬天的时候用N17号泊位。谢谢你的帮忙。":                                                                              "[…] 冬天的时候用N17号泊位。 […]",
	} {
		if got := clipRequest(text, 45); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	if got := clipRequest(strings.Repeat("The boat lies at N17 ", 20)+"until May. It needs no mast crane, and no electricity, thanks.", 220); !strings.HasSuffix(got, " […] It needs no mast crane, and no electricity, thanks.") {
		t.Errorf("torn: %s", got)
	}
}
