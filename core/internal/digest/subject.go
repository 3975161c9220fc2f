package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// statement is a standing instruction that has been analysed so that it can be compared with others.
type statement struct {
	rating
	text    string
	stems   []uint32 // hashes of the stems of its meaningful words, sorted and without duplicates
	classes int      // the number of stems that denote alternatives such as tabs and spaces
	any     uint64   // one bit for each stem: two statements without a common bit have no stem in common
}

// analyse computes a statement's strength and stems. Text without a cue counts as the weakest kind of statement.
func (s *statement) analyse() {
	s.strength = max(s.strength, weak)
	_, text := underRules(s.text)
	ws := wordsOf(text, quotedIn(text))
	rate(text, ws) // marks the words of cues
	for i := range ws {
		w := &ws[i]
		if class := alternatives.Row(w.text) - 1; class >= 0 {
			s.add("#" + itoa(class))
			s.classes++
			continue
		}
		if s.revokes && i > 0 && ws[i-1].cue && strings.HasSuffix(w.text, "ing") { // "you can stop adding …"
			continue
		}
		if w.cue || stopWords.Has(w.text) || s.revokes && w.is(shades|persons|addressees) {
			continue
		}
		for _, part := range strings.Fields(w.text) { // in scripts without spaces, the text between the cues
			s.addWord(part)
		}
	}
	sorting.Ordered(s.stems)
	s.stems = slices.Compact(s.stems)
}

// addWord adds the stems of a word. In a script without spaces, it also adds the alternatives that the word contains.
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

// replaces reports whether s, the newer statement, has the same subject as old, so that old no longer applies. A few
// common words are not enough, because it is less misleading to keep a rule next to its update than to lose a rule.
func (s *statement) replaces(old *statement) bool {
	if s.any&old.any == 0 || len(s.stems) == 0 || len(old.stems) == 0 {
		return false
	}
	same := common(s.stems, old.stems)
	less, all := min(len(s.stems), len(old.stems)), len(s.stems)+len(old.stems)-same
	switch {
	case same*4 >= all*3: // the same again: with another value, or negated
		return true
	case s.changes: // most of the shorter one
		return same*2 > less && (same > 1 || less == 1 || s.classes > 0 && old.classes > 0)
	case s.negative == old.negative && same == len(old.stems): // all of the older one, and more
		return same > 1 && s.strength >= old.strength
	}
	return false
}

// repeats reports whether s, the newer statement, is contained word for word in the older one.
func (s *statement) repeats(old *statement) bool {
	if s.any&^old.any != 0 || len(s.stems) == 0 || len(s.stems) >= len(old.stems) || s.changes || s.negative != old.negative {
		return false
	}
	text := s.text
	if _, rest, found := strings.Cut(text, ": "); found && len(text)-len(rest) <= len("Remember: ") {
		text = rest
	}
	return strings.Contains(lower(old.text), lower(text))
}

// revoked returns the index of the older statement that s revokes, or -1. That is the statement with the most words in
// common with s, if these are at least two thirds of the words in the shorter one, or half of them if s does nothing but
// revoke. If several statements have equally many, it is the newest of them.
func (s *statement) revoked(older []*statement) int {
	best, most := -1, 0
	for i, old := range older {
		if s.any&old.any == 0 || old.revokes {
			continue
		}
		same, less := common(s.stems, old.stems), min(len(s.stems), len(old.stems))
		if same > most && (same*3 >= less*2 || s.strength <= weak && same*2 >= less) {
			best, most = i, same
		}
	}
	return best
}

// endings lists the endings that are removed from words, longest first, if at least three letters remain.
var endings = []string{"ings", "ing", "ions", "ion", "ies", "ed", "es", "er", "en", "s", "e"}

// stems returns the stems by which a word is compared. In scripts without spaces, and in languages that inflect the
// beginnings of words, they are pairs of characters.
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
	case hangul: // particles follow the noun
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

// The kinds of scripts, by how they separate words.
const (
	spaced = iota
	unspaced
	hangul
	otherScript // other scripts with spaces; words may be inflected at the beginning
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

// alternatives maps each word in alternativeRows to the number of its row.
var alternatives = words.NewTable(alternativeRows...)

var stopWords = words.NewTable(stopRows...)
