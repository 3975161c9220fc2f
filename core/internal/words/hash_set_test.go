package words_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A set contains the stems that were added to it and no others, however large it grows.
func TestStemSet(t *testing.T) {
	var none *words.StemSet
	if none.Has(1) || new(words.StemSet).Has(0) || new(words.HashSet).Has(1) {
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

// Hashes that share their slot stay apart, and too many of them cost no more than a bounded number of probes each.
func TestHashSetCollisions(t *testing.T) {
	step := uint64(0xf1de83e19937733d) // the inverse of the factor that mixes hashes
	var s words.HashSet
	for i := range uint64(5000) {
		s.Put((i + 1) * step)
	}
	if !s.Has(step) || !s.Has(2*step) || s.Has(6000*step) {
		t.Error("a hash is missing, or one too many is found")
	}
}
