package words

import "testing"

func TestSet(t *testing.T) {
	s := NewSet("moving houses Я 我们")
	for text, want := range map[string]bool{"moved": true, "house": true, "я": true, "我们": true, "boat": false, "": false} {
		got := false
		for _, w := range Append(nil, text) {
			got = got || s.Has(w.Stem)
		}
		if got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
