package extract

import "github.com/ctxfold/ctxfold/core/internal/words"

// mostQuoted is the maximum number of words in quotes that count as a name, such as the title of a book.
// mostQuotedPairs is the maximum number of character pairs in scripts without spaces.
const (
	mostQuoted      = 8
	mostQuotedPairs = 24
)

// closes reports whether r closes a quote whose usual end is end. German quotes also end with an English mark.
func closes(r, end rune) bool { return r == end || end == '“' && r == '”' }

// mayQuote reports whether text contains a byte that may begin a quote.
func mayQuote(text string) bool {
	for i := 0; i < len(text); i++ {
		if opensQuote[text[i]] {
			return true
		}
	}
	return false
}

// mayTitle reports whether the words in quotes are few enough for a name.
func mayTitle(ws []words.Word) bool {
	return len(ws) > 0 && len(ws) <= mostQuotedPairs && (len(ws) <= mostQuoted || ws[0].Kind&words.Pair != 0)
}

// quoted returns, for each word of a sentence, whether it is in quotes that are short enough for a name; in scripts
// without capitals, nothing else shows a name. It returns nil if no word is in such quotes, and otherwise reuses marks.
func quoted(marks []bool, text string, ws []words.Word) []bool {
	if !mayQuote(text) {
		return nil
	}
	var end rune // the quote that closes the open one; 0 if none is open
	from, k := 0, 0
	var inQuotes []bool
	for i, r := range text {
		for k < len(ws) && int(ws[k].From) < i {
			k++
		}
		if end == 0 {
			end, from = closing(r), k
			continue
		}
		if !closes(r, end) {
			continue
		}
		end = 0
		if !mayTitle(ws[from:k]) {
			continue
		}
		if inQuotes == nil {
			inQuotes = append(marks[:0], make([]bool, len(ws))...)
		}
		for n := from; n < k; n++ {
			inQuotes[n] = true
		}
	}
	return inQuotes
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
