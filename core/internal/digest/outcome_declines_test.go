package digest

import "testing"

func TestDeclining(t *testing.T) {
	const said = "I have looked at the berths of July for you and your crew. The berth at the crane cannot be given to boats over ten metres. There are others."
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{said, 60, "The berth at the crane cannot be given to boats over ten metres."},
		{said, 120, said},
		{"The berth at the crane is yours.", 10, "The berth at the crane is yours."},
		{"Der Kran ist frei. Der Liegeplatz ist leider vergeben.", 20, "Der Liegeplatz ist leider vergeben."},
		{"", 10, ""},
	} {
		if got := declining(c.text, c.most); got != c.want {
			t.Errorf("%q, %d: %q", c.text, c.most, got)
		}
	}
}
