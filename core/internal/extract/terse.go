package extract

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// In a dialogue with a service (a booking, a repair, an account), almost only the values matter: names, times, amounts,
// and booking numbers, each with the adjacent words that say what it is.

const (
	mostKeyWords = 4  // the maximum number of words that are kept before a value, back to the nearest informative one
	mostBetween  = 1  // the maximum number of words between two values of one part; see between
	leastCounted = 3  // the maximum number of words in a sentence in which every number is a value
	longestPlain = 90 // the maximum length, in bytes, of a sentence without a value that is kept
)

// Terse returns what a message in such a dialogue says: "table for 4 at 19:30" for "I'd like to have a table for 4 at
// 19:30, if that suits you." The result consists of parts of the text. A question keeps its question mark. A sentence
// that denies something stays whole, and denied is set, so that a refused time doesn't look like an agreed one. own
// means that the assistant wrote the text; then such a sentence, if short, counts even without a value. If nothing else
// is left, the result is the first short sentence if opens is set, and otherwise "".
func Terse(text string, own, opens bool) (result string, denied bool) {
	var said []string
	plain := ""
	var ws []words.Word
	for s := (splitter{text: text}); s.next(); {
		sentence := text[s.from:s.to]
		if ws = words.Append(ws[:0], sentence); len(ws) == 0 || idle(sentence, ws) || isFormula(sentence) {
			continue
		}
		if said := withoutIdle(sentence); len(said) < len(sentence) {
			sentence = said
			ws = words.Append(ws[:0], sentence)
		}
		before := len(said)
		said = appendValues(said, sentence, ws)
		valued, short, whole := len(said) > before, len(sentence) <= longestPlain, strings.TrimRight(sentence, ".!?。！？")
		switch {
		case (valued || own && short) && denies(sentence, ws):
			said, denied = append(said[:before], whole), true
		case valued && isQuestion(sentence):
			said[len(said)-1] += "?"
		case !valued && plain == "" && short:
			plain = whole
		}
	}
	if len(said) == 0 && opens {
		return plain, false
	}
	return strings.Join(said, ", "), denied
}

// denials lists words that show that the values in a sentence are not, or no longer, valid. denialSigns lists such
// words in scripts without spaces.
var (
	denials = words.NewExact("not no none nothing never neither nor cannot cant dont didnt wont t without unable unfortunately sorry cancel cancels canceled cancelled refund refunded " +
		"failed declined full closed unavailable sold nein nicht kein keine keinen keiner leider statt storniert stornieren ausgebucht " +
		"ne pas plus aucun aucune malheureusement annuler non ni sin ninguna ningún cancelar não sem niet geen не нет без")
	denialSigns = strings.Fields("不 没 沒 无法 無 未 别 取消 失败 满 ない ません キャンセル 満席 않 못 취소")
	// harmlessSigns lists words that contain such a sign but deny nothing.
	harmlessSigns = strings.Fields("不好意思 不客气 不客氣 不用 不错 不錯 不过 不過 差不多 不知 不同 不少 不如 不久 没问题 沒問題 没关系 沒關係 没事 能不能 是不是 可不可以 要不要 好不好 行不行 有没有 有沒有 特别 特別 别的 別的 满意 滿意 すみません")
)

// denies reports whether a sentence may say that something isn't so.
func denies(text string, ws []words.Word) bool {
	if ws[0].Kind&words.Pair != 0 {
		for _, sign := range harmlessSigns {
			text = strings.ReplaceAll(text, sign, "")
		}
		return slices.ContainsFunc(denialSigns, func(sign string) bool { return strings.Contains(text, sign) })
	}
	return slices.ContainsFunc(ws, func(w words.Word) bool { return denials.Has(spelled(text, w)) })
}

// withoutIdle returns a sentence without courtesies at its beginning that end with a comma, as in "Good morning, we …".
func withoutIdle(text string) string {
	for {
		n := strings.IndexAny(text, ",，")
		if n < 0 {
			return text
		}
		head, rest := words.Append(nil, text[:n]), strings.TrimLeft(text[n:], ",， ")
		if len(head) > 0 && (!idle(text[:n], head) || denies(text[:n], head)) || len(words.Append(nil, rest)) == 0 {
			return text
		}
		text = rest
	}
}

// informs reports whether a word has a meaning of its own.
func informs(text string, w words.Word) bool {
	return w.Kind&words.Pair != 0 || w.Kind&words.Short == 0 && !idleWords.Has(spelled(text, w))
}

// appendValues appends the values of a sentence with the words next to them. The values are numbers, dates, names, and
// what is in quotes.
func appendValues(dst []string, text string, ws []words.Word) []string {
	inQuotes := quoted(nil, text, ws)
	days := dates.FindDates(text, ws)
	from, to := 0, 0 // the words that the next part consists of
	pairs := false
	for k, w := range ws {
		pairs = pairs || w.Kind&words.Pair != 0
		switch {
		case w.Kind&words.Digit == 0 && !named(text, ws, k) && (inQuotes == nil || !inQuotes[k]) && !inDate(days, w):
		case !pairs && counts(text, ws, k):
		case to > 0 && (between(ws[to:k]) <= mostBetween || key(text, ws, k) <= to): // "12 dollars until the 3rd"
			to = k + 1
		default:
			if to > 0 && !pairs {
				dst = append(dst, part(text, ws, from, to, key(text, ws, k)))
			}
			from, to = max(key(text, ws, k), to), k+1
		}
	}
	switch {
	case to == 0:
	case pairs:
		dst = append(dst, strings.TrimRight(text, " .。！？!?"))
	default:
		dst = append(dst, part(text, ws, from, to, len(ws)))
	}
	return dst
}

// inDate reports whether a word belongs to one of the dates of a sentence: "2 de enero".
func inDate(days []dates.Found, w words.Word) bool {
	return slices.ContainsFunc(days, func(d dates.Found) bool { return d.From <= int(w.From) && int(w.End) <= d.End })
}

// between returns the number of words between two values. Two words of one or two letters count as 0.
func between(ws []words.Word) int {
	if len(ws) == 2 && ws[0].Kind&ws[1].Kind&words.Short != 0 {
		return 0
	}
	return len(ws)
}

// named reports whether word k of a sentence is a name or a part of one.
func named(text string, ws []words.Word, k int) bool {
	capital := func(k int) bool { return ws[k].Kind&words.Capital != 0 && ws[k].End-ws[k].From > 1 }
	return capital(k) && (k > 0 || len(ws) == 1 || capital(1) || dates.IsWeekday(strings.ToLower(spelled(text, ws[0]))))
}

// counts reports whether word k of a sentence is a small number whose adjacent words don't say what it counts: "there
// are 5 of those".
func counts(text string, ws []words.Word, k int) bool {
	w := ws[k]
	if w.Kind&words.Digit == 0 || w.End-w.From > 2 || len(ws) <= leastCounted || k > 0 && (ws[k-1].End+1 == w.From && text[ws[k-1].End] != ' ' || ws[k-1].Kind&words.Short == 0 && informs(text, ws[k-1])) {
		return false
	}
	return k+2 < len(ws) && text[w.End:ws[k+1].From] == " " && !informs(text, ws[k+1]) && !informs(text, ws[k+2])
}

// key returns the index of the word before value k that says what the value is. It looks back at most mostKeyWords words,
// and returns k if it finds none or if the value needs none: a name, a time or a telephone number.
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

// part returns the words [from, to) of a sentence with the signs around them, and with the next word if that may be a
// unit. The next part begins with word next.
func part(text string, ws []words.Word, from, to, next int) string {
	start, end := int(ws[from].From), int(ws[to-1].End)
	start = strings.LastIndexAny(text[:start], " ,;(") + 1
	if to < next && text[end:ws[to].From] == " " && !idleWords.Has(spelled(text, ws[to])) {
		end = int(ws[to].End)
	}
	if n := strings.IndexByte(text[end:], ' '); n >= 0 {
		text = text[:end+n]
	}
	return strings.Trim(text[start:], " .,;:!?(。，；！？")
}

// Closing reports whether the last sentence of text is a question, and whether that sentence says nothing: "Anything
// else?"
func Closing(text string) (question, empty bool) {
	last := ""
	for s := (splitter{text: text}); s.next(); {
		last = text[s.from:s.to]
	}
	ws := words.Append(nil, last)
	return isQuestion(last), len(ws) == 0 || idle(last, ws)
}

// Continues reports whether a message depends on those before it: its first sentence that says something begins with a
// filler such as "yes", refers to something without naming it, or is a short reply; or no sentence says anything.
func Continues(text string) bool {
	for s := (splitter{text: text}); s.next(); {
		sentence := text[s.from:s.to]
		ws := words.Append(nil, sentence)
		if len(ws) == 0 || idle(sentence, ws) || isFormula(sentence) {
			continue
		}
		return answers(sentence, ws) || fillers.Has(spelled(sentence, ws[0])) || leans(sentence, ws, nil) || isQuestion(sentence) && asksAbout(sentence, ws)
	}
	return true
}
