package extract

import "github.com/ctxfold/ctxfold/core/internal/words"

// mostQuoted is the maximum number of words in quotes that count as a name, such as the title of a book.
// mostQuotedPairs is the maximum number of character pairs in scripts without spaces.
const (
	mostQuoted      = 8
	mostQuotedPairs = 24
)

// quoted returns, for each word of a sentence, whether it is in quotes that are short enough for a name; in scripts
// without capitals, nothing else shows a name. It returns nil if no word is in such quotes, and otherwise reuses marks.
func quoted(marks []bool, text string, ws []words.Word) []bool {
	i := 0
	for i < len(text) && !opensQuote[text[i]] {
		i++
	}
	if i == len(text) {
		return nil
	}
	var end rune // the quote that closes the open one; 0 if none is open
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

// opensQuote marks the first UTF-8 byte of each opening quote that the function closing knows.
var opensQuote = [256]bool{'"': true, 0xc2: true, 0xe2: true, 0xe3: true}

// closing returns the closing quote for the opening quote r, or 0 if r isn't an opening quote.
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
