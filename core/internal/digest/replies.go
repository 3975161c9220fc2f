package digest

import (
	"slices"
	"strings"
)

// A user's short reply ("yes", "option 2") means nothing without the question or the option that it refers to. This file
// finds that question or option.

// acceptsIn is the length, in bytes, up to which an answer says little, no matter how it begins.
const acceptsIn = 16

// affirmations lists words at the beginning of replies that accept or decline an offer, or answer a question.
var affirmations = wordListOf("can leave keep yes yep yeah yup y no nope n ok okay sure please do go right correct exactly fine first second third both all either neither a b c d ja nein klar gern oui non sí si no vale sim да нет 1 2 3 4 5")

// accepts reports whether a user message is only an answer: "yes, do it".
func accepts(asked string) bool {
	return len(asked) <= acceptsIn || affirms(asked)
}

// affirms reports whether a short user message begins with an answer to what was asked or offered.
func affirms(asked string) bool {
	word, _, _ := strings.Cut(strings.ToLower(asked), " ")
	return len(asked) <= shortReply && affirmations.has(strings.TrimRight(word, ",.!;:"))
}

// optionNames lists words that precede the number of an option in a reply.
var optionNames = wordListOf("option number no nr variant choice approach plan variante nummer opción opcion número choix approche вариант 选项 方案 案")

// optionIn returns the number of the option that a short reply names: 2 for "option 2, please", "2" and "let's do #2". It
// returns 0 if there is none.
func optionIn(asked string) int {
	before := ""
	for n, word := range strings.Fields(lower(asked)) {
		bare := strings.Trim(word, ".,!:;()")
		digit := strings.TrimPrefix(bare, "#")
		if len(digit) == 1 && digit[0] >= '1' && digit[0] <= '9' && (n == 0 || digit != bare || optionNames.has(before)) {
			return int(digit[0] - '0')
		}
		before = bare
	}
	return 0
}

// emptyQuestions lists parts of closing questions, in lower case, that mean nothing without the text before them.
var emptyQuestions = strings.Split("your preference|you prefer|do you think|your thoughts|thoughts?|which one|which option|which approach|which of these|would you like?|sound good|make sense|sounds good|"+
	"bevorzugst du|was meinst du|qué prefieres|qué opinas|préférez-vous|tu préfères|qu'en penses|что думаешь|你觉得|您觉得|哪个|哪一个|どう思|どちら", "|")

// longestEmpty is the maximum length of such a question, in bytes.
const longestEmpty = 60

// isEmptyQuestion reports whether a text is such a question and nothing else.
func isEmptyQuestion(text string) bool {
	said := lower(text)
	return len(said) <= longestEmpty && asksIn(said) && !names(said) && slices.ContainsFunc(emptyQuestions, func(s string) bool { return strings.Contains(said, s) })
}

// meant returns the units of the turn's answer to which the user's next message refers if it is short: the option with
// the number in it, or the closing question. If that question is empty, it returns the list of options before it, or
// the sentence.
func (t *turn) meant(asked string) (units []int) {
	last := len(t.units) - 1
	if len(asked) > shortReply || last < 0 || t.units[last].kind != answerUnit {
		return nil
	}
	ofAnswer := func(n int) bool {
		return n >= 0 && t.units[n].kind == answerUnit && t.units[n].message == t.units[last].message
	}
	if number := optionIn(asked); number > 0 {
		head := itoa(number) + ". "
		for n := last; ofAnswer(n); n-- {
			if u := &t.units[n]; u.item > 0 && strings.HasPrefix(u.text, head) {
				return []int{n}
			}
		}
	}
	switch {
	case !asksIn(t.units[last].text):
		return nil
	case !isEmptyQuestion(t.units[last].text):
		return []int{last}
	}
	for n := last - 1; ofAnswer(n) && (len(units) == 0 || t.units[n].item > 0 && t.units[n+1].item > 0); n-- {
		units = append(units, n)
	}
	return units
}
