package compact

import (
	"strings"
	"testing"
)

// In the Gemini format, a result contains its media next to its text. A new text would remove them, so such a result is
// not squeezed.
func TestSqueezeLeavesMediaBesideAText(t *testing.T) {
	const pol = `{"passes":[{"pass":"squeeze","keep_recent":0}]}` + force
	src := func(media string) string {
		return `[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"` + strings.Repeat(`the oven is hot\n`, 60) + `"}` + media + `}}]},` +
			`{"role":"model","parts":[{"text":"ok"}]},{"role":"user","parts":[{"text":"next"}]}]`
	}
	if c := run(t, "gemini", pol, src(`,"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]`)); takenOut(c) != "" || !strings.Contains(output(c), "iVBORw0KGgo=") {
		t.Errorf("%q: %s", takenOut(c), output(c))
	}
	if c := run(t, "gemini", pol, src("")); takenOut(c) != "squeeze@2" {
		t.Errorf("without media: %q", takenOut(c))
	}
}
