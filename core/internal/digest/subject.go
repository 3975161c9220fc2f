package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// statement is a standing instruction, taken apart to compare it with others.
type statement struct {
	rating
	text    string
	stems   []uint32 // hashes of the stems of its words that carry meaning, sorted, each once
	classes int      // how many of them represent alternatives such as tabs and spaces
	any     uint64   // a bit for each of them: two that share no bit share no stem
}

// analyse takes the words of a statement apart. A text without a cue is as weak as they come.
func (s *statement) analyse() {
	s.strength = max(s.strength, weak)
	ws := wordsOf(s.text, quotedIn(s.text))
	rate(s.text, ws) // marks the words of cues
	for i := range ws {
		w := &ws[i]
		if class := alternatives.Row(w.text) - 1; class >= 0 {
			s.add("#" + itoa(class))
			s.classes++
			continue
		}
		if w.cue || stopWords.Has(w.text) || s.revokes && w.is(shades|persons|addressees) {
			continue
		}
		for _, part := range strings.Fields(w.text) { // of a script without spaces, what is between the cues
			s.addWord(part)
		}
	}
	sorting.Ordered(s.stems)
	s.stems = slices.Compact(s.stems)
}

// addWord adds the stems of a word, and the alternatives that a word of a script without spaces names.
func (s *statement) addWord(w string) {
	if r, _ := utf8.DecodeRuneInString(w); scriptOf(r) != spaced {
		for class, row := range alternativeSigns {
			for _, sign := range row {
				if strings.Contains(w, sign) {
					s.add("##" + itoa(class))
					s.classes++
					w = strings.ReplaceAll(w, sign, " ")
				}
			}
		}
	}
	for _, part := range strings.Fields(w) {
		for _, stem := range stems(part) {
			s.add(stem)
		}
	}
}

func (s *statement) add(stem string) {
	h := words.Hash(stem)
	s.stems = append(s.stems, h)
	s.any |= 1 << (h % 64)
}

// replaces reports whether s, the newer statement, is about the subject of old, so that old no longer counts. Two rules that share a few
// words are not one subject: a rule that is next to its update misleads less than one that is lost.
func (s *statement) replaces(old *statement) bool {
	if s.any&old.any == 0 || len(s.stems) == 0 || len(old.stems) == 0 {
		return false
	}
	same := common(s.stems, old.stems)
	less, all := min(len(s.stems), len(old.stems)), len(s.stems)+len(old.stems)-same
	switch {
	case same*4 >= all*3: // the same, said again: with another value, or the other way round
		return true
	case s.changes: // most of the shorter one
		return same*2 > less && (same > 1 || less == 1 || s.classes > 0 && old.classes > 0)
	case s.negative == old.negative && same == len(old.stems): // all of the older one, and more
		return same > 1 && s.strength >= old.strength
	}
	return false
}

// revoked is the index of the one of older statements, the newest first, that s takes back: the one that has most of its words, and at least
// two thirds of them; -1 where none has.
func (s *statement) revoked(older []*statement) int {
	best, most := -1, 0
	for i, old := range older {
		if s.any&old.any == 0 || old.revokes {
			continue
		}
		same := common(s.stems, old.stems)
		if less := min(len(s.stems), len(old.stems)); same > most && same*3 >= less*2 {
			best, most = i, same
		}
	}
	return best
}

// endings are taken off words, the longest first; what is left has three letters or more.
var endings = []string{"ings", "ing", "ions", "ion", "ies", "ed", "es", "er", "en", "s", "e"}

// stems are what a word is compared by: of languages that inflect its beginning, and of scripts without spaces its pairs of
// signs.
func stems(word string) []string {
	n := utf8.RuneCountInString(word)
	r, _ := utf8.DecodeRuneInString(word)
	switch scriptOf(r) {
	case unspaced:
		var out []string
		runes := []rune(word)
		for i := 0; i+1 < len(runes); i++ {
			out = append(out, string(runes[i:i+2]))
		}
		return out
	case hangul: // particles come after the noun
		return []string{firstRunes(word, 2)}
	case otherScript:
		if n > 4 {
			word = strings.TrimPrefix(word, "ال")
		}
		return []string{firstRunes(word, 4)}
	}
	if n < 3 {
		return nil
	}
	if word[0] >= '0' && word[0] <= '9' {
		return nil // a value, not a subject
	}
	for range 2 { // "numbers" loses the ending that "number" has
		for _, e := range endings {
			if len(word)-len(e) >= 3 && strings.HasSuffix(word, e) {
				word = word[:len(word)-len(e)]
				break
			}
		}
	}
	return []string{firstRunes(word, 6)}
}

func firstRunes(s string, n int) string { return s[:RuneOffset(s, n)] }

// Kinds of scripts, by how their words are told apart.
const (
	spaced = iota
	unspaced
	hangul
	otherScript // with words, whose beginnings are not as those of Latin ones
)

func scriptOf(r rune) int {
	switch {
	case r >= 0x3040 && r <= 0x30ff, r >= 0x3400 && r <= 0x9fff, r >= 0xf900 && r <= 0xfaff, r >= 0x0e00 && r <= 0x0eff:
		return unspaced
	case r >= 0xac00 && r <= 0xd7af, r >= 0x1100 && r <= 0x11ff:
		return hangul
	case r >= 0x0590 && r <= 0x0dff:
		return otherScript
	}
	return spaced
}

// alternatives are words of which a project, or a user, has one at a time: by word, the number of its row.
var alternatives = words.NewTable(alternativeRows...)

var stopWords = words.NewTable(stopRows...)
