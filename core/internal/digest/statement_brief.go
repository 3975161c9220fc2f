package digest

import (
	"slices"
	"strings"
)

// A statement has a short form for digests that lack the room for all statements: without the words that lead up to
// it, without the polite form of a question, and without the reason at its end.

// Word lists for the short form. leadingUp lists the words of phrases before a statement that only connect it to the
// conversation: "One last thing:", "By the way,". openings lists those of them that need no punctuation after them.
// asksYou lists words that begin a polite question.
var (
	leadingUp = wordListOf("also ok okay so well right and but oh please pls hey btw by the way one more last final another thing things request note question you know what before i forget while we're at it in general " +
		"ach ja übrigens noch etwas was eins eine sache letzte wichtig und bitte also so gut nebenbei im allgemeinen " +
		"ah au fait dernière autre petite chose encore une et aussi bon alors merci sois soyez gentil gentille s' il te vous plaît en général " +
		"por cierto otra última cosa una más y además favor bueno en general aliás outra coisa mais último e também obrigado geral " +
		"a proposito un' altra ultima cosa e anche per favore allora comunque generale " +
		"кстати ещё еще и одно последнее вот что пожалуйста да так в общем trouwens nog iets laatste ding alsjeblieft")
	openings = wordListOf("also ok okay oh please pls hey btw bitte übrigens")
	asksYou  = wordListOf("could can would will")
	// concluding lists words that begin the conclusion from what precedes them.
	concluding = wordListOf("so therefore deshalb daher also donc alors portanto então quindi perciò поэтому dus")
)

// reasons lists words that begin a reason, or what would happen otherwise, wherever they are in a sentence.
// otherReasons lists those that do so only after a comma. exceptions lists words that limit a statement.
var (
	reasons      = wordListOf("because weil parce perché потому omdat")
	otherReasons = wordListOf("otherwise since denn da sonst car sinon puisque porque sino pois senão altrimenti poiché иначе так want anders c' ça это")
	exceptions   = wordListOf("but except unless only if when aber außer nur wenn mais sauf seulement si quand pero excepto salvo solo sólo cuando exceto só se quando ma tranne eccetto но кроме только если когда maar behalve alleen als")
)

// briefOf returns a statement in its short form, which is a part of it.
func briefOf(s string) string {
	if lead, _ := splitRule(s); lead != "" {
		return s
	}
	ws := wordsOf(s, quotedIn(s))
	strength := rate(s, ws).strength
	if end := reasonAt(s, ws); end < len(s) {
		s = instead(s, s[:end], strength)
		ws = wordsOf(s, quotedIn(s))
	}
	if n := max(leadUp(ws), conclusion(ws), requested(ws)); n > 0 {
		s = instead(s, s[ws[n].at:], max(min(strength, wish), weak))
		ws = wordsOf(s, quotedIn(s))
	}
	if n := politeQuestion(s, ws); n > 0 {
		s = instead(s, strings.TrimRight(s[ws[n].at:], " ?"), wish)
	}
	return s
}

// instead returns the part of a statement if that is at least as strict as least, or else the whole statement.
func instead(whole, part string, least int) string {
	if rate(part, wordsOf(part, quotedIn(part))).strength < least {
		return whole
	}
	return part
}

// leadUp returns the number of words at the beginning of a statement that only lead up to it.
func leadUp(ws []word) (n int) {
	for i := 0; i+2 < len(ws) && (leadingUp.has(ws[i].text) && !ws[i].quoted); i++ {
		if ws[i+1].breaks || n == i && openings.has(ws[i].text) {
			n = i + 1
		}
	}
	return n
}

// conclusion returns the index of the first word after the word that introduces a conclusion: 5,
// that of "keep", in "My screen is tiny, so keep answers short". It returns 0 if there is none.
func conclusion(ws []word) int {
	for i := len(ws) - 4; i > 2; i-- {
		if ws[i].breaks && concluding.has(ws[i].text) && !ws[i].quoted && !ws[i+1].is(conditions) &&
			!slices.ContainsFunc(ws[:i], func(w word) bool { return w.cue || w.is(negations|conditions) }) {
			return i + 1
		}
	}
	return 0
}

// politeQuestion returns the number of words that make an order a polite question, 2 in "Could you sign all letters?",
// or 0 if it isn't one.
func politeQuestion(s string, ws []word) int {
	if len(ws) < 5 || !strings.HasSuffix(s, "?") || !asksYou.has(ws[0].text) || ws[1].text != "you" {
		return 0
	}
	n := 2
	for n+2 < len(ws) && (openings.has(ws[n].text) || n == 2 && ws[n].text == "mind") {
		n++
	}
	return n
}

// reasonAt returns the offset at which the reason at the end of a statement begins, or the length of the statement. A
// clause about somebody or something is a reason if it prescribes nothing.
func reasonAt(s string, ws []word) int {
	for i := 3; i+1 < len(ws); i++ {
		if w := &ws[i]; !w.quoted && mayBeReason(w) && !limits(ws[i:]) {
			if rest := s[w.at:]; reasons.has(w.text) || rate(rest, wordsOf(rest, nil)).strength < wish {
				return len(strings.TrimRight(s[:w.at], " \t,;:–—-"))
			}
		}
	}
	for _, sign := range [...]string{"，因为", "，因為", "，否则", "，否則", "，不然", "، لأن", "، وإلا"} {
		if n := strings.Index(s, sign); n > 0 {
			return n
		}
	}
	return len(s)
}

// mayBeReason reports whether a reason may begin with a word.
func mayBeReason(w *word) bool {
	return reasons.has(w.text) ||
		w.breaks && (otherReasons.has(w.text) || w.is(selves|persons|narrators) && !w.is(addressees|askers))
}

// limits reports whether a part of a statement contains a quotation or an exception.
func limits(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool { return w.quoted || exceptions.has(w.text) })
}
