package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// Some sentences of an answer are no longer worth quoting once the user has replied: those that ask for details, which
// are in the reply, and those that only offer more help. This file removes them.

// detailHeads lists, in lower case, the beginnings of sentences in which the assistant asks for details that the user's
// next message then provides.
var detailHeads = strings.Split("please provide |please share |please give me |please send me |please tell me |please enter |please let me know which |please let me know what |please let me know how |please let me know your |"+
	"let me know which |let me know what |let me know your |bitte geben sie |bitte nennen |bitte teilen sie |bitte schick|"+
	"por favor, indique|por favor, proporcione|por favor, facilíteme|por favor, informe|veuillez |merci de me |fornisca |mi fornisca |пожалуйста, укажите|пожалуйста, сообщите|"+
	"请提供|请告诉|请告知|请您提供|麻烦提供|お名前を|を教えてください", "|")

// detailSigns lists phrases, in lower case, from other sentences that ask for details.
var detailSigns = substringsOf("please provide |could you provide |can you provide |would you provide |could you share |can you share |you please share|may i have your|can i have your|could i have your|ll need your |will need your |i need your |" +
	"need you to provide|need the following |know the following |könnten sie mir |können sie mir |könntest du mir |pourriez-vous me |pouvez-vous me |podría proporcion|podría indicarme|podría darme|necesito su |" +
	"poderia me informar|poderia informar|preciso do seu|potrebbe forni|potrebbe dirmi|не могли бы вы|您能提供|能否提供|可以提供一下|教えていただけ|알려주시겠|알려 주시겠")

// offerHeads lists, in lower case, the beginnings of sentences in which the assistant only offers more help.
var offerHeads = strings.Split("if you have any question|let me know if you need |let me know if you have |please let me know if you need |please let me know if you have |if you have any other|if you have any more|if you have any further|if you have any concern|if you have more questions|if you need any help|if you need any assistance|if you need any other|if you need any more|if you need any further|if you need further|if you need more|if there's anything else|if there is anything else|is there anything else|"+
	"feel free to ask|feel free to reach|feel free to let me|please feel free|don't hesitate|please don't hesitate|i'm here to help|how can i assist you|how can i help you|how may i |"+
	"wenn sie weitere fragen|gibt es noch etwas|kann ich sonst noch|si vous avez d'autres|si tienes alguna otra|si tiene alguna otra|se tiver mais|se avesse altre|如果您还有其他|还有什么可以帮|他に何か", "|")

// mostSpent is the maximum length, in bytes, of a sentence that does nothing but ask for details or offer help.
const mostSpent = 240

// isSpent reports whether a sentence only asks for details or offers more help, and names nothing.
func isSpent(sentence string) bool {
	return len(sentence) <= mostSpent && !names(sentence) &&
		(headedBy(sentence, detailHeads) || headedBy(sentence, offerHeads) || detailSigns.inAnyCase(sentence))
}

// dropSpent removes the spent sentences from a unit of an answer; reply is the user's reply to it. It drops the whole
// unit if too little is left. The points of a list stay if the reply refers to them by number.
func (u *unit) dropSpent(reply string) {
	lead := u.lead
	if head, _, found := strings.Cut(u.text, ": "); lead == "" && found {
		lead = head
	}
	if numberAt(reply) == 0 && isSpent(lead) {
		u.factor = isDropped
		return
	}
	if u.lead != "" || u.item > 0 || u.isCode() || u.isTable() || !isSpentIn(u.text) {
		return
	}
	var kept []string
	all := 0
	for from, to := range extract.Sentences(u.text) {
		all++
		if s := strings.TrimSpace(u.text[from:to]); !isSpent(s) {
			kept = append(kept, s)
		}
	}
	switch text := strings.Join(kept, " "); {
	case len(kept) == all:
	case text == "" || saysLittle(text):
		u.factor = isDropped
	default:
		u.text = text
	}
}

// isSpentIn is a cheap test that is false for most texts: it reports whether a text may contain a spent sentence.
func isSpentIn(text string) bool {
	return headedBy(text, detailHeads) || headedBy(text, offerHeads) || detailSigns.inAnyCase(text) || spentInside.inAnyCase(text)
}

// spentInside lists words from the beginnings in detailHeads and offerHeads. Each of these beginnings contains an element
// of spentInside or of detailSigns, so that isSpentIn finds a spent sentence in the middle of a text, too. The words have
// no apostrophe, which a text may spell in two ways.
var spentInside = substringsOf("let me know|please share |please give me |please send me |please tell me |please enter |if you have |if you need |anything else|feel free|hesitate|here to help|how can i |how may i |bitte |weitere fragen|noch|por favor|veuillez|merci de|si vous avez|alguna otra|se tiver mais|" +
	"fornisca|altre|пожалуйста|请|麻烦提供|还有|お名前を|教えて|他に")
