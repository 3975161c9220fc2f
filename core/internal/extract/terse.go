package extract

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// In a dialogue with a service (a booking, a repair, an account), little but the values matters: names, times, amounts, and numbers of
// bookings, each with the words next to it that say what it is.

const (
	mostKeyWords = 4  // the maximum number of words that are kept before a value, up to the second informative one
	mostBetween  = 1  // the maximum number of words between two values that are kept, not counting those of one or two letters
	leastCounted = 3  // the maximum number of words of a sentence that may say a number and nothing else
	longestPlain = 90 // the maximum length, in bytes, of a sentence without a value that is kept
)

// Terse returns what a message of such a dialogue says: "table for 4 at 19:30" for "I'd like to have a table for 4 at 19:30, if that suits
// you." The result consists of parts of the text. If the text has no values, it is its first sentence if opens is set, and otherwise "".
func Terse(text string, opens bool) string {
	var said []string
	plain := ""
	var ws []words.Word
	for s := (splitter{text: text}); s.next(); {
		sentence := text[s.from:s.to]
		if ws = words.Append(ws[:0], sentence); len(ws) == 0 || idle(sentence, ws) {
			continue
		}
		before := len(said)
		if said = appendValues(said, sentence, ws); len(said) == before && plain == "" && len(sentence) <= longestPlain {
			plain = strings.TrimRight(sentence, ".!?。！？")
		}
	}
	if len(said) == 0 && opens {
		return plain
	}
	return strings.Join(said, ", ")
}

// informs reports whether a word says something by itself.
func informs(text string, w words.Word) bool {
	return w.Kind&words.Pair != 0 || w.Kind&words.Short == 0 && !idleWords.Has(spelled(text, w))
}

// appendValues appends the values of a sentence with the words next to them.
func appendValues(dst []string, text string, ws []words.Word) []string {
	inQuotes := quoted(nil, text, ws)
	from, to := 0, 0 // the words that the next part consists of
	pairs := false
	for k, w := range ws {
		pairs = pairs || w.Kind&words.Pair != 0
		switch {
		case w.Kind&words.Digit == 0 && !named(ws, k) && (inQuotes == nil || !inQuotes[k]):
		case !pairs && counts(text, ws, k):
		case to > 0 && between(ws[to:k]) <= mostBetween:
			to = k + 1
		default:
			if to > 0 && !pairs {
				dst = append(dst, part(text, ws, from, to))
			}
			from, to = max(key(text, ws, k), to), k+1
		}
	}
	switch {
	case to == 0:
	case pairs:
		dst = append(dst, upToClause(text, int(ws[to-1].End)))
	default:
		dst = append(dst, part(text, ws, from, to))
	}
	return dst
}

// between returns how many words there are between two values, not counting two of one or two letters.
func between(ws []words.Word) int {
	if len(ws) == 2 && ws[0].Kind&ws[1].Kind&words.Short != 0 {
		return 0
	}
	return len(ws)
}

// named reports whether word k of a sentence is a name or a part of one.
func named(ws []words.Word, k int) bool {
	capital := func(k int) bool { return ws[k].Kind&words.Capital != 0 && ws[k].End-ws[k].From > 1 }
	return capital(k) && (k > 0 || len(ws) == 1 || capital(1))
}

// upToClause returns a sentence up to the end of the clause at a byte, in scripts without spaces.
func upToClause(text string, at int) string {
	if n := strings.IndexAny(text[at:], "，；。！？、"); n >= 0 {
		text = text[:at+n]
	}
	return strings.TrimRight(text, " .。！？")
}

// counts reports whether word k of a sentence is a small number of nothing that is named next to it: "there are 5 of those".
func counts(text string, ws []words.Word, k int) bool {
	w := ws[k]
	if w.Kind&words.Digit == 0 || w.End-w.From > 2 || len(ws) <= leastCounted || k > 0 && (ws[k-1].End+1 == w.From && text[ws[k-1].End] != ' ' || ws[k-1].Kind&words.Short == 0 && informs(text, ws[k-1])) {
		return false
	}
	return k+2 < len(ws) && text[w.End:ws[k+1].From] == " " && !informs(text, ws[k+1]) && !informs(text, ws[k+2])
}

// key returns the first of the words before value k that say what it is. A name says that itself, and so do a time and a telephone number.
func key(text string, ws []words.Word, k int) int {
	if ws[k].Kind&words.Digit == 0 || k+1 < len(ws) && ws[k+1].Kind&words.Digit != 0 && ws[k+1].From <= ws[k].End+1 {
		return k
	}
	for n := k - 1; n >= 0 && n >= k-mostKeyWords && text[ws[n].End:ws[n+1].From] == " "; n-- {
		if informs(text, ws[n]) {
			return n
		}
	}
	return k
}

// part returns the words [from, to) of a sentence with the signs around them and with the next word, if that may be a unit.
func part(text string, ws []words.Word, from, to int) string {
	start, end := int(ws[from].From), int(ws[to-1].End)
	start = strings.LastIndexAny(text[:start], " ,;(") + 1
	if to < len(ws) && text[end:ws[to].From] == " " && !idleWords.Has(spelled(text, ws[to])) {
		end = int(ws[to].End)
	}
	if n := strings.IndexByte(text[end:], ' '); n >= 0 {
		text = text[:end+n]
	}
	return strings.Trim(text[start:], " .,;:!?(。，；！？")
}

// Closing reports whether the last sentence of a text is a question, and whether it says nothing: "Anything else?"
func Closing(text string) (question, empty bool) {
	last := ""
	for s := (splitter{text: text}); s.next(); {
		last = text[s.from:s.to]
	}
	ws := words.Append(nil, last)
	return asks(last), len(ws) == 0 || idle(last, ws)
}

// Continues reports whether a message depends on those before it: it begins with an agreement, it refers to something without naming it, or
// it is a short reply.
func Continues(text string) bool {
	for s := (splitter{text: text}); s.next(); {
		sentence := text[s.from:s.to]
		ws := words.Append(nil, sentence)
		if len(ws) == 0 || idle(sentence, ws) {
			continue
		}
		return answers(sentence, ws) || fillers.Has(spelled(sentence, ws[0])) || leans(sentence, ws, nil) || asks(sentence) && asksAbout(sentence, ws)
	}
	return true
}
