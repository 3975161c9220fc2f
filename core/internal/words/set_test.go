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

func TestExact(t *testing.T) {
	s := NewExact("the they été я они 的")
	for word, want := range map[string]bool{"the": true, "They": true, "THE": true, "ÉTÉ": true, "Я": true, "Они": true, "的": true,
		"": false, "th": false, "them": false, "theyre": false, "été я": false, "the they": false, "он": false} {
		if s.Has(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}
