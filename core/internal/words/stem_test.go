package words

import "testing"

// TestStemEnd cuts the ending off at the bar. No bar: the word is its stem.
func TestStemEnd(t *testing.T) {
	for _, c := range []string{
		"be", "bee", "the", "see|s", "bus", "cat|s", "CAT|S", "mov|e", "mov|ed", "mov|ing", "mov|ings", "run", "run|ning", "run|s", "run|ner",
		"fall|ing", "miss|ed", "sell|er", "agree|ing", "free|ly", "quick|ly", "mark|edly", "cit|ies", "stud|ied", "stud|y", "box|es", "wohn|en", "wohn|e", "king", "ring|s", "sing|ing",
		"s", "es", "ing", "2024", "abc", "ab1|s",
		"stop|ped", "stopp|y", "egg|s", "add|ed", "été|s",
		"книг|а", "моя", "дом|а", "домаш|ний", "ξέρ|ω", "αδελφ|ή", "ʻoki", "ͻαβγ|δ", "ёлк|а",
	} {
		text, want := "", -1
		for i := 0; i < len(c); i++ {
			if c[i] == '|' {
				want = i
			} else {
				text += c[i : i+1]
			}
		}
		if want < 0 {
			want = len(text)
		}
		if got := stemEnd(text); got != want {
			t.Errorf("the stem of %s is %s, not %s", text, text[:got], text[:want])
		}
		if got := stemEnd([]byte(text)); got != want {
			t.Errorf("the stem of the bytes of %s is %s, not %s", text, text[:got], text[:want])
		}
	}
}
