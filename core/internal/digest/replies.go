package digest

import (
	"slices"
	"strings"
)

// A user's short reply ("yes", "option 2") means nothing without the question or the option that it refers to. This
// file finds that question or option.

// acceptsIn is the length, in bytes, up to which a message counts as merely an answer, regardless of how it begins.
const acceptsIn = 16

// affirmations lists words at the beginning of replies that accept or decline an offer, or answer a question.
var affirmations = wordListOf("can leave keep yes yep yeah yup y no nope n ok okay sure please do go right correct exactly fine first second third both all either neither a b c d ja nein klar gern oui non sí si no vale sim да нет 1 2 3 4 5")

// accepts reports whether a user message is merely an answer, as in "yes, do it". Every message of at most acceptsIn
// bytes counts as an answer.
func accepts(asked string) bool {
	return len(asked) <= acceptsIn || affirms(asked)
}

// affirms reports whether a short user message begins with an answer to what was asked or offered.
func affirms(asked string) bool {
	word, rest, _ := strings.Cut(lower(asked), " ")
	next, _, _ := strings.Cut(rest, " ")
	if questionOpeners.has(word) && (personal.has(next) || hasQuestionMark(asked)) {
		return false
	}
	return len(asked) <= shortReply && affirmations.has(strings.TrimRight(word, ",.!;:"))
}

// questionOpeners lists affirmations that can also begin a question, as in "can we …". They do so if the
// next word is in personal, or if the message contains a question mark.
var (
	questionOpeners = wordListOf("can do please go")
	personal        = wordListOf("we you i u they he she")
)

// longestAgreement is the maximum length, in bytes, of a reply that accepts a proposal and says a little more: "Yes, please
// go ahead, and use the card that I paid with."
const longestAgreement = 160

// agreements lists words at the beginning of replies that accept a proposal.
var agreements = wordListOf("yes yep yeah yup sure okay ok perfect great confirmed correct exactly absolutely proceed ja klar gern gerne einverstanden oui d'accord sí si vale claro sim certo да хорошо")

// agrees reports whether a reply begins by accepting a proposal, and isn't long.
func agrees(asked string) bool {
	word, _, _ := strings.Cut(asked[:min(len(asked), acceptsIn)], " ")
	return len(asked) <= longestAgreement && agreements.hasInAnyCase(strings.TrimRight(word, ",.!;:"))
}

// confirmSigns lists phrases from sentences that ask the user to confirm what was said before them.
var confirmSigns = substringsOf("please confirm|confirm if|confirm whether|confirm that you|you confirm|if you'd like to proceed|if you would like to proceed|if you'd like me to proceed|would you like to proceed|shall i proceed|should i proceed|bestätigen|confirme |confirmez|" +
	"confermi|подтвердите|请确认|是否确认|よろしいでしょうか|確認してください")

// longestToConfirm is the maximum length, in bytes, of a sentence that does nothing but ask for a
// confirmation.
const longestToConfirm = 120

// asksToConfirm reports whether text only asks the user to confirm what was said before it, and names nothing.
func asksToConfirm(text string) bool {
	return len(text) <= longestToConfirm && !names(text) && confirmSigns.inAnyCase(text)
}

// optionNames lists words that precede the number of an option in a reply.
var optionNames = wordListOf("option number no nr variant choice approach plan variante nummer opción opcion número choix approche вариант 选项 方案 案")

// optionIn returns the number of the option that a short reply names: 2 for "option 2, please", "2" and "let's do #2".
// It returns 0 if there is none.
func optionIn(asked string) int {
	if !strings.ContainsAny(asked, "123456789") {
		return 0
	}
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

// emptyQuestions lists phrases, in lower case, from closing questions that mean nothing without the text before them.
var emptyQuestions = strings.Split("your preference|you prefer|do you think|your thoughts|thoughts?|which one|which option|which approach|which of these|would you like?|sound good|make sense|sounds good|"+
	"bevorzugst du|was meinst du|qué prefieres|qué opinas|préférez-vous|tu préfères|qu'en penses|что думаешь|你觉得|您觉得|哪个|哪一个|どう思|どちら", "|")

// longestEmpty is the maximum length, in bytes, of a question that means nothing by itself.
const longestEmpty = 60

// isEmptyQuestion reports whether text is only a question that means nothing without the text before it.
func isEmptyQuestion(text string) bool {
	said := lower(text)
	return len(said) <= longestEmpty && hasQuestionMark(said) && !names(said) && hasAny(said, emptyQuestions)
}

// meant returns the indexes of the units of the turn's answer to which a short reply refers, or nil
// if it refers to none. asked is that reply, the user's next message. These units describe the
// option whose number the reply contains, or else contain the closing question. If the question
// means nothing by itself, meant returns those with the sentence or the list of options before it.
func (t *turn) meant(asked string) (units []int) {
	last := len(t.units) - 1
	if len(asked) > shortReply && !agrees(asked) || last < 0 || t.units[last].kind != answerUnit {
		return nil
	}
	ofAnswer := func(n int) bool {
		return n >= 0 && t.units[n].kind == answerUnit && t.units[n].message == t.units[last].message
	}
	if number := optionIn(asked); number > 0 {
		for n := last; ofAnswer(n); n-- {
			if t.units[n].option() == number {
				units = append(units, n)
			}
		}
		if units != nil {
			return units
		}
	}
	switch {
	case asksToConfirm(t.units[last].text):
	case !hasQuestionMark(t.units[last].text):
		return nil
	case !isEmptyQuestion(t.units[last].text):
		return []int{last}
	}
	for n := last - 1; ofAnswer(n) && (len(units) == 0 || t.units[n].item > 0 && t.units[n+1].item > 0); n-- {
		units = append(units, n)
	}
	return units
}

// chosenOption returns the index of the first unit about the option that the user's next message chose, or 0 if it chose
// none.
func (t *turn) chosenOption() int {
	return max(0, slices.IndexFunc(t.units, func(u unit) bool {
		return u.kind == answerUnit && u.factor == ofProposal && u.option() > 0
	}))
}

// option returns the number of the option that a unit describes: "2. Lower the current", or a unit below "Option 2:
// Rail". It returns 0 if the unit doesn't describe an option.
func (u *unit) option() int {
	if u.item > 0 {
		if number := numberAt(u.text); number > 0 {
			return number
		}
	}
	for _, text := range []string{u.lead, u.text} {
		word, rest, _ := strings.Cut(lower(strings.TrimLeft(text[:min(len(text), longestEmpty)], "#*_ ")), " ")
		if !optionNames.has(word) { // "Flight Option 2"
			word, rest, _ = strings.Cut(rest, " ")
		}
		if number := numberAt(rest + "."); number > 0 && optionNames.has(word) {
			return number
		}
	}
	return 0
}

// numberAt returns the digit from 1 to 9 at the beginning of text if a space, a dot, a comma, a colon, a dash or a
// closing parenthesis follows it. Otherwise it returns 0.
func numberAt(text string) int {
	if len(text) < 2 || text[0] < '1' || text[0] > '9' || strings.IndexByte(".):, -", text[1]) < 0 {
		return 0
	}
	return int(text[0] - '0')
}
