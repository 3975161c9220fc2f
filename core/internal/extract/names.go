package extract

import "github.com/ctxfold/ctxfold/core/internal/words"

// mostQuoted is the maximum number of words in quotes that are a name, such as the title of a book; for scripts without spaces, of
// character pairs.
const (
	mostQuoted      = 8
	mostQuotedPairs = 24
)

// quoted returns which words of a sentence are in quotes and few enough to be a name; scripts without capitals have no other sign of one.
// It returns nil if none are, and otherwise reuses marks.
func quoted(marks []bool, text string, ws []words.Word) []bool {
	i := 0
	for i < len(text) && !opensQuote[text[i]] {
		i++
	}
	if i == len(text) {
		return nil
	}
	var end rune // the closing quote of what is open; 0 if nothing is
	from, k, found := 0, 0, false
	for i, r := range text {
		for k < len(ws) && int(ws[k].From) < i {
			k++
		}
		if end == 0 {
			end, from = closing(r), k
			continue
		}
		if r != end && (end != '“' || r != '”') {
			continue
		}
		end = 0
		if n := k - from; n == 0 || n > mostQuotedPairs || n > mostQuoted && ws[from].Kind&words.Pair == 0 {
			continue
		}
		if !found {
			found = true
			marks = append(marks[:0], make([]bool, len(ws))...)
		}
		for n := from; n < k; n++ {
			marks[n] = true
		}
	}
	if !found {
		return nil
	}
	return marks
}

// opensQuote marks the first bytes of the characters that closing knows.
var opensQuote = [256]bool{'"': true, 0xc2: true, 0xe2: true, 0xe3: true}

// closing returns the quote that closes one opened by r, or 0.
func closing(r rune) rune {
	switch r {
	case '"':
		return '"'
	case '“':
		return '”'
	case '„':
		return '“'
	case '«':
		return '»'
	case '《':
		return '》'
	case '〈':
		return '〉'
	case '「':
		return '」'
	case '『':
		return '』'
	}
	return 0
}
