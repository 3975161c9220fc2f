package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// A request of several sentences that is clipped to a few words is worth most if the words left are a sentence that says something:
// not "Wait, let me try another one. […]", but "[…] Use the card that ends in 4417."

// mostSentences is the maximum room, in bytes, in which a request is represented by some of its
// sentences. In more room, its beginning and its end say more: they are long enough to show what
// the request is about, and what the user asks for in the end. In less room, both break off in the
// middle, and the beginning is often only a greeting or an apology.
//
// The room for older requests is mostly smaller.
const mostSentences = 200

// The worth of a sentence is the number of its long words, up to mostLongWords, plus ofSaidName for each name, ofSaidValue
// for each word with a digit and each address, and ofOpeningSentence if it begins the request, which usually says what the
// request is about. longWord is the minimum length of a long word in bytes.
const (
	longWord          = 5
	mostLongWords     = 6
	ofSaidName        = 3
	ofSaidValue       = 5
	ofOpeningSentence = 2
)

// sentence is a range of a text, and its worth.
type sentence struct{ from, to, worth int }

// clipSentences returns those sentences of a request that say the most in most bytes, with a mark for each gap. It
// returns "" if the request has only one sentence or several lines, or if the best sentence doesn't fit.
func clipSentences(text string, most int) string {
	if most > mostSentences || strings.Contains(text, "\n") {
		return ""
	}
	var list []sentence
	for from, to := range extract.Sentences(text) {
		list = append(list, sentence{from, to, worthOf(text[from:to], from == 0)})
	}
	if len(list) == 0 { // only code
		return ""
	}
	best := slices.Clone(list)
	sorting.Stable(best, func(a, b sentence) int { return b.worth - a.worth })
	var chosen []sentence
	left := most - len(clippedMark) - 1
	for i, s := range best {
		size := s.to - s.from + len(clippedMark) + 2
		if i == 0 {
			size = s.to - s.from
		}
		if size > left || s.worth == 0 {
			if i == 0 {
				return ""
			}
			continue
		}
		chosen, left = append(chosen, s), left-size
	}
	sorting.Func(chosen, func(a, b sentence) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, s := range chosen {
		if hasWords(text[at:s.from]) {
			b.WriteString(" " + clippedMark)
		}
		b.WriteString(" " + strings.TrimSpace(text[s.from:s.to]))
		at = s.to
	}
	if hasWords(text[at:]) {
		b.WriteString(" " + clippedMark)
	}
	return strings.TrimSpace(b.String())
}

// isSpoken reports whether a request is a line of several sentences in the user's own words.
func isSpoken(text string) bool {
	if strings.Contains(text, "\n") || strings.Contains(text, pastedOpen) {
		return false
	}
	for end := 1; end < len(text); end++ {
		if endsWhole(text, end) {
			return true
		}
	}
	return false
}

// leastSentence is the minimum worth of a sentence from the middle of a request. "I'll handle it later" only says something
// together with the sentence before it.
const leastSentence = 4

// isRemnant reports whether a clipped request is a sentence from the middle of the request that isn't worth its line.
func isRemnant(clipped string) bool {
	said, found := strings.CutPrefix(clipped, clippedMark)
	rest, cut := strings.CutSuffix(said, clippedMark)
	return found && cut && !strings.Contains(rest, clippedMark) && worthOf(strings.TrimSpace(rest), false) < leastSentence && !unspacedText(rest)
}

// worthOf returns the worth of a sentence; opens means that it begins the request. A courtesy is worth nothing.
func worthOf(said string, opens bool) (worth int) {
	if _, empty := extract.Closing(said); empty {
		return 0
	}
	first, long := true, 0
	for word := range strings.FieldsSeq(said) {
		if len(word) >= longWord {
			long++
		}
		if word = strings.TrimLeft(word, "\"'(“‘"); word == "" {
			continue
		}
		switch {
		case strings.ContainsAny(word, "0123456789@"):
			worth += ofSaidValue
		case !first && len(word) > 1 && byteClass[word[0]]&capital != 0 && !strings.HasPrefix(word, "I'") && !strings.HasPrefix(word, "I’"):
			worth += ofSaidName
		}
		first = false
	}
	if opens {
		worth += ofOpeningSentence
	}
	return worth + min(long, mostLongWords)
}

// wholeClause returns the end of a request without the torn clause at its beginning. If no whole clause follows, it
// returns the end as it is if that names something, and "" otherwise: a torn clause may say the contrary of the whole
// one. at is the offset of the end in text.
func wholeClause(text string, at int) string {
	if before := strings.TrimRight(text[:at], " \n"); before == "" || endsClause(before, len(before)) {
		return text[at:]
	}
	for i, r := range text[at:] {
		if end := at + i + utf8.RuneLen(r); r != utf8.RuneError && endsClause(text[:end], end) && (r >= utf8.RuneSelf || end < len(text) && (text[end] == ' ' || text[end] == '\n')) {
			return strings.TrimLeft(text[end:], " \n")
		}
	}
	if !namesMore(text[at:]) {
		return ""
	}
	return text[at:]
}

// endsClause reports whether a clause of text ends at offset end.
func endsClause(text string, end int) bool {
	return strings.IndexByte(".!?;:,\n", text[end-1]) >= 0 || endsWithAny(text[:end], "。", "？", "！", "，", "；", "：")
}
