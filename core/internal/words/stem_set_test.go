package words_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A set contains the stems that were added to it and no others, however large it grows.
func TestStemSet(t *testing.T) {
	var none *words.StemSet
	if none.Has(1) || new(words.StemSet).Has(0) {
		t.Error("an empty set has a stem")
	}
	text, other := "", ""
	for i := range 5000 {
		text += "a" + string(rune('b'+i%20)) + string(rune('a'+i/20%25)) + string(rune('a'+i/500)) + "x "
		other += "z" + string(rune('b'+i%20)) + string(rune('a'+i/20%25)) + string(rune('a'+i/500)) + "x "
	}
	s := words.StemsOf([]string{"The parser reads one byte.", text, text})
	for _, w := range words.Append(nil, "the parser reads one BYTE "+text) {
		if !s.Has(w.Stem) {
			t.Fatalf("%x is missing", w.Stem)
		}
	}
	for _, w := range words.Append(nil, other) {
		if s.Has(w.Stem) {
			t.Fatalf("%x is in the set", w.Stem)
		}
	}
}
