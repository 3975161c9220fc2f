package digest

import "testing"

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
