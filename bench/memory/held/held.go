// Package held reports whether text still contains an answer: whether all its content words are close to each other.
// It knows nothing about how texts are shortened.
package held

import (
	"slices"
	"strings"
	"unicode"
)

// The maximum distance between the words of an answer. In scripts without spaces a character is counted as three fifths of a word,
// because a word of Chinese or Japanese has one or two characters.
const (
	Words      = 60
	Characters = 100
)

// Text is prepared text in which answers are searched for.
type Text struct {
	places map[string][]int // positions of each word, or pair of characters in a script without spaces
	joined []string         // the words in scripts that attach particles without a space
}

// unit is a word, or a character of a script without spaces. It is joined if the preceding character belongs to such a
// script too.
type unit struct {
	text          string
	dense, joined bool
}

// dense reports whether a character belongs to a script without spaces between words.
func dense(c rune) bool {
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) || c == 'ー'
}

// joins reports whether a script attaches articles and particles without a space.
func joins(word string) bool {
	return strings.ContainsFunc(word, func(c rune) bool { return unicode.In(c, unicode.Hangul, unicode.Arabic, unicode.Hebrew) })
}

func units(text string) (list []unit) {
	text = strings.ToLower(text)
	from, joined := -1, false
	word := func(to int) {
		if from >= 0 {
			list = append(list, unit{text: stem(text[from:to])})
			from = -1
		}
	}
	for i, c := range text {
		if !dense(c) {
			joined = false
		}
		switch {
		case dense(c):
			word(i)
			list = append(list, unit{string(c), true, joined})
			joined = true
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
			if from >= 0 && joins(text[from:i]) != joins(string(c)) {
				word(i) // a number with a particle
			}
			if from < 0 {
				from = i
			}
		default:
			word(i)
		}
	}
	word(len(text))
	return list
}

// stem removes a plural s from words in Latin letters.
func stem(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

// grams calls found with each word, and with each pair of adjacent characters in scripts without spaces, and its position.
func grams(list []unit, found func(gram string, at int)) {
	for i, u := range list {
		switch {
		case !u.dense:
			found(u.text, i)
		case i+1 < len(list) && list[i+1].joined:
			found(u.text+list[i+1].text, i)
		case !u.joined:
			found(u.text, i)
		}
	}
}

// New prepares text for searching.
func New(text string) *Text {
	t := &Text{places: map[string][]int{}}
	list := units(text)
	grams(list, func(gram string, at int) { t.places[gram] = append(t.places[gram], at) })
	for i, u := range list {
		if at := t.places[u.text]; u.dense && (len(at) == 0 || at[len(at)-1] != i) {
			t.places[u.text] = append(at, i)
		}
	}
	for gram := range t.places {
		if joins(gram) {
			t.joined = append(t.joined, gram)
		}
	}
	slices.Sort(t.joined)
	return t
}

// Holds reports whether all content words of an answer are close to each other. stop lists words that are ignored, unless the answer has
// no others.
func (t *Text) Holds(answer string, stop []string) bool {
	window := Words
	var all, content []string
	grams(units(answer), func(gram string, _ int) {
		if strings.ContainsFunc(gram, dense) {
			window = Characters
		}
		all = append(all, gram)
		if !slices.Contains(stop, gram) && !slices.Contains(stop, gram+"s") && (len(gram) > 1 || unicode.IsDigit(rune(gram[0]))) {
			content = append(content, gram)
		}
	})
	if len(content) == 0 {
		content = all
	}
	slices.Sort(content)
	content = slices.Compact(content)
	if len(content) == 0 {
		return false
	}
	type place struct{ at, word int }
	var places []place
	for w, gram := range content {
		found := t.find(gram)
		if len(found) == 0 {
			return false
		}
		for _, at := range found {
			places = append(places, place{at, w})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.at - b.at })
	count, have := make([]int, len(content)), 0
	for from, to := 0, 0; to < len(places); to++ {
		if count[places[to].word]++; count[places[to].word] == 1 {
			have++
		}
		for places[to].at-places[from].at >= window {
			if count[places[from].word]--; count[places[from].word] == 0 {
				have--
			}
			from++
		}
		if have == len(content) {
			return true
		}
	}
	return false
}

func (t *Text) find(gram string) []int {
	if !joins(gram) {
		return t.places[gram]
	}
	var all []int
	for _, word := range t.joined {
		if strings.Contains(word, gram) {
			all = append(all, t.places[word]...)
		}
	}
	return all
}
