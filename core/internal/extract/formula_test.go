package extract

import "testing"

func TestIsFormula(t *testing.T) {
	for s, want := range map[string]bool{"4x + 12 = 372, x = 90.": true, "x²+8x+16": true, "ok +44 20 7946": false, "5520-881-K": false,
		"The total is 4 + 5 = 9.": false, "x=3のとき": false, "14:30": false, "= 7": false} {
		if isFormula(s) != want {
			t.Errorf("%q: a formula is %v", s, !want)
		}
	}
}
