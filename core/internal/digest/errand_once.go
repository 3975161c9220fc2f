package digest

import (
	"slices"
	"strings"
)

// This file recognizes more errands by their form: orders not to do something yet, choices among
// several things, orders about where one thing should go, messages to pass on, things to find out,
// and what the writer is about to do.

// forNow reports whether words have a form that shows that they no longer matter after the current
// turn. They follow the reaction, such as "ok", at the beginning of sentence s.
func forNow(s string, ws []word) bool {
	if relays(ws) || asksWhether(s, ws) || plansOwn(ws) || asksForSign(ws) || praisesOne(ws) || asksForHelp(ws) || complains(ws) || explainsOnly(ws) {
		return true
	}
	if anyIs(ws, lastingly) {
		return false
	}
	if ensures := ws[0].text == "ensure" || len(ws) > 1 && ws[0].text == "make" && ws[1].text == "sure"; ensures && anyIs(ws, days) && !anyIs(ws, quantifiers) {
		return true
	}
	return isNotYet(ws) || picks(ws) || routes(ws) || givesAddress(s, ws) || asksToLook(s, ws)
}

// untilWords lists words such as "until" and "before", which make an order not to do something yet
// hold for longer.
var untilWords = wordListOf("until " + "till " + "unless before without bis bevor ohne jusqu'à jusqu' avant sans hasta sin antes até sem finché prima senza totdat tot voordat пока до без")

// isNotYet reports whether a sentence forbids something only for the moment: "Don't send it yet", "Stornier es noch nicht".
func isNotYet(ws []word) bool {
	last := len(ws) - 1
	yet := false
	for i := range ws {
		if i > 0 && (i < last && untilWords.has(ws[i].text) || ws[i].is(addressees)) {
			return false
		}
		if i == 0 {
			continue
		}
		switch w, before := ws[i].text, ws[i-1].text; w {
		case "yet":
			yet = yet || i == last || ws[i+1].breaks && !ws[i+1].is(joins|conjunctions)
		case "nicht", "nichts", "keine", "niet", "geen":
			yet = yet || before == "noch" || before == "nog"
		case "encore":
			yet = yet || before == "pas"
		case "todavía", "aún", "ancora", "ainda", "пока":
			yet = yet || i == last && anyIs(ws[:i], negations)
		case "не":
			yet = yet || before == "пока"
		}
	}
	return yet && !ws[0].is(selves|persons)
}

// Character sequences in orders not to do something yet, and those for "until" and "before", which
// make such an order hold for longer.
var (
	notYetSigns = strings.Fields("先别 先別 先不要 暂时不要 暫時不要 暂时别 아직")
	untilSigns  = strings.Fields("之前 以前 直到 までは 前に 까지 전에")
)

// isNotYetSigned is the counterpart of isNotYet for scripts without spaces and for Korean.
func isNotYetSigned(s string) bool {
	return (hasAny(s, notYetSigns) || strings.Contains(s, "まだ") && strings.Contains(s, "ないで")) && !hasAny(s, untilSigns) && !hasAny(s, futureSigns)
}

// longestChoiceOf is the maximum number of words in an answer that says which of several things is meant.
const longestChoiceOf = 6

// ordinals lists words that pick one or more of several things without naming them: "the first",
// "the others".
var ordinals = wordListOf("one ones first last other others latter former beiden anderen ersten letzten premiers premières dernier derniers dernière dernières autre autres " +
	"primeros primeras últimos últimas otro otra otros otras primi prime ultimi ultime altro altri primeiros primeiras outro outros первые последние другой eerste laatste andere")

// wordsForNo lists words for "no" with which such an answer may begin.
var wordsForNo = wordListOf("no nein non não нет nee not")

// definitePlurals lists definite articles, most of them plural, that definite lacks.
var definitePlurals = wordListOf("les los las gli i os as")

// picks reports whether words without a verb only say which of several things is meant: "No, only the first two", "Not the
// red one", "Nein, nur die ersten beiden".
func picks(ws []word) bool {
	for len(ws) > 0 && (ws[len(ws)-1].is(wishes) || ws[len(ws)-1].text == "thanks") {
		ws = ws[:len(ws)-1]
	}
	last := len(ws) - 1
	if last < 1 || last >= longestChoiceOf {
		return false
	}
	first := &ws[0]
	switch {
	case ws[1].breaks && last > 1:
		return wordsForNo.has(first.text) && picks(ws[1:])
	case last == 1 && ws[1].is(negations) && !first.is(negations):
		return isThis(first) || first.is(things) || pointed.has(first.text)
	}
	if !first.is(negations) && !onlyWords.has(first.text) {
		return false
	}
	pointing := false // whether a word refers to things that are already known
	for i := 1; i < last; i++ {
		w := &ws[i]
		pointing = pointing || definite.has(w.text) || definitePlurals.has(w.text) || ordinals.has(w.text)
		if w.breaks || w.is(products|quantifiers|beings|addressees|selves) && w.text != "i" || w.text == "than" || inclining.has(w.text) {
			return false
		}
	}
	w := &ws[last]
	return !w.breaks && (ordinals.has(w.text) || w.is(numbers) && pointing || last == 1 && w.is(things))
}

// Word lists for orders about where one thing should go: prepositions, pronouns for the thing, and
// verb endings that are such pronouns.
var (
	directions = wordListOf("to at an à a al para naar per")
	singleOnes = wordListOf("it them this that es sie das ihn het dit dat")
	enclitics  = [...]string{"lo", "la", "los", "las", "li", "le"}
)

// routes reports whether words say where one thing should go, and where it shouldn't: "Ship it to
// the office, not to me".
func routes(ws []word) bool {
	if len(ws) < 5 || ws[0].is(negations|selves|persons) {
		return false
	}
	second := ws[1].text
	if !singleOnes.has(second) && !directions.has(second) && !endsWithAny(strings.ReplaceAll(ws[0].text, "-", ""), enclitics[:]...) {
		if ws[0].script != spaced || ws[0].text[0] != 0xd0 && ws[0].text[0] != 0xd1 || ws[1].known {
			return false
		}
	}
	for i := 2; i+1 < len(ws); i++ {
		if !ws[i].breaks {
			continue
		}
		if ws[i].text == "а" {
			i++
		}
		if i+1 < len(ws) && ws[i].is(negations) && (directions.has(ws[i+1].text) || toWriter.has(ws[i+1].text)) {
			return true
		}
	}
	return false
}

// givesAddress reports whether a sentence gives an e-mail address for one purpose: "Use
// lena@example.org for the booking".
func givesAddress(s string, ws []word) bool {
	at := strings.IndexByte(s, '@')
	if at <= 0 || at+1 >= len(s) || !inName(s[at-1]) || !inName(s[at+1]) {
		return false
	}
	from, to := strings.LastIndexByte(s[:at], ' ')+1, len(s)
	if n := strings.IndexByte(s[at:], ' '); n >= 0 {
		to = at + n
	}
	before, after := 0, len(ws)
	for i := range ws {
		if ws[i].at < from {
			before = i + 1
		}
		if ws[i].at >= to {
			after = i
			break
		}
	}
	rest := ws[after:]
	if general := isGeneral(ws[:before]) || isGeneral(rest); general || anyIs(ws, negations|conditions) {
		return false
	}
	return len(rest) == 0 || !asWords.has(rest[0].text) && rest[0].text != "to"
}

// asWords lists words for "as".
var asWords = wordListOf("as als comme como come как")

// inName reports whether an ASCII character may be next to the "@" of an address.
func inName(c byte) bool { return byteClass[c]&(small|capital|digit|under) != 0 }

// plansOwn reports whether a sentence begins with what the writer, or the writer's group, is about to do: "We're going to
// paint the kitchen, and the cupboards must be empty by then".
func plansOwn(ws []word) bool {
	if len(ws) < 5 {
		return false
	}
	first, second := ws[0].text, ws[1].text
	if isPlan.has(second) && (ws[2].breaks || ws[2].text == "is" && ws[3].text == "to") && (mine.has(first) || definite.has(first) || oursAlso.has(first)) {
		return true
	}
	if anyIs(ws, addressees|products|quantifiers|lastingly) {
		return false
	}
	switch {
	case first == "we're" || first == "i'm":
		return second == "going" && ws[2].text == "to"
	case first == "we'll" || first == "i'll":
		for k := 2; k+1 < len(ws); k++ {
			if ws[k].is(selves) && wanting.has(ws[k+1].text) {
				return false
			}
		}
		return true
	case first == "erst" || first == "zuerst" || first == "d'" && second == "abord" || first == "primero" || first == "prima" || first == "first":
		for i := 1; i < 4; i++ {
			if ws[i].is(selves) || ws[i].text == "wir" || ws[i].text == "on" {
				return !anyIs(ws[:min(len(ws), 6)], beings) && !askFor.has(ws[i+1].text)
			}
		}
	}
	return false
}

// isPlan lists words for a plan.
var isPlan = wordListOf("plan plans idea")

// relaying lists verbs of orders to tell somebody something, and absentees lists pronouns for that person.
var (
	relaying  = wordListOf("tell ask inform remind text email sag sagen frag schreib dis dites demande dile diles pregúntale digli dille chiedi diga скажи спроси zeg vraag")
	absentees = wordListOf("him her them ihm ihr ihnen ihn lui leur loro ему ей им hem haar hun")
)

// relays reports whether words only say what the reader should tell or ask somebody who is absent: "Tell them we never got
// the parcel".
func relays(ws []word) bool {
	if len(ws) < 4 || !relaying.has(ws[0].text) {
		return false
	}
	if absentees.has(ws[1].text) && !ws[1].breaks || ws[0].text == "dile" || ws[0].text == "diles" || ws[0].text == "digli" {
		return !lastsFrom(ws[2:])
	}
	return false
}

// lastsFrom reports whether words say that something must be told again and again.
func lastsFrom(ws []word) bool {
	for i := range ws {
		if w := ws[i].text; each.has(w) || w == "whenever" || w == "when" || w == "before" {
			return true
		}
	}
	return false
}

// Word lists for finding out: verbs, and words for "whether".
var (
	findingOut   = wordListOf("check see find look verify confirm know prüfen schauen nachsehen herausfinden wissen vérifier regarder comprobar mirar ver saber averiguar verificare controllare guardare verificar узнать проверить nagaan kijken")
	whetherWords = wordListOf("whether if ob si se ли of")
)

// asksWhether reports whether a question asks the reader to find out whether something is so:
// "Could you check if they always have it?" A word such as "always" is then part of the question
// and makes no rule.
func asksWhether(s string, ws []word) bool {
	if !isQuestion(s) {
		return false
	}
	check := -1
	for i := range ws {
		w := &ws[i]
		if check < 0 && w.cue {
			return false
		}
		if check >= 0 && i+1 < len(ws) && whetherWords.has(w.text) && !ws[i+1].is(addressees|selves) {
			return i <= check+2
		}
		if findingOut.has(w.text) {
			check = i
		}
	}
	return false
}

// asksToLook reports whether a question asks the reader to have a look at something: "Can you take
// a look at the test and make sure that nothing else breaks?"
func asksToLook(s string, ws []word) bool {
	if !isQuestion(s) || len(ws) < 5 || !askingVerb.has(ws[0].text) || ws[1].text != "you" {
		return false
	}
	for i := 2; i+2 < len(ws) && i < 5; i++ {
		if (ws[i].text == "take" || ws[i].text == "have") && articles.has(ws[i+1].text) && !anyIs(ws, conditions) {
			return ws[i+2].text == "look" || i+3 < len(ws) && ws[i+3].text == "look"
		}
	}
	return false
}

// Word lists for requests to confirm that something is understood: verbs, and words for having
// understood it.
var (
	confirming = wordListOf("respond reply answer say write type confirm acknowledge antworte schreib bestätige réponds dis confirme responde di confirma rispondi scrivi conferma")
	understood = wordListOf("understand understood ready read got agree verstanden verstehst bereit compris prêt entiendes entendido listo capito pronto")
)

// asksForSign reports whether words ask the reader to confirm that something is understood:
// "Respond with “confirm” if you understand".
func asksForSign(ws []word) bool {
	last := len(ws) - 1
	if last < 3 || !confirming.has(ws[0].text) || !understood.has(ws[last].text) {
		return false
	}
	for i := 1; i < last; i++ {
		if (ws[i].is(conditions) || ws[i].text == "once") && ws[i+1].is(addressees) {
			return last-i <= 4
		}
	}
	return false
}

// Word lists for what the writer likes or wants now: verbs, and nouns for what the assistant has just made or proposed.
var (
	likes     = wordListOf("like love liked loved")
	wants     = wordListOf("want need")
	proposals = wordListOf("idea ideas way direction approach proposal suggestion draft version plan option result sound look design")
)

// praisesOne reports whether words are only about what the assistant has just made or proposed ("I love the idea of two
// doors"), or about what the writer wants to think about ("I want us to really think about the door").
func praisesOne(ws []word) bool {
	if len(ws) < 4 || ws[0].text != "i" || isGeneral(ws) || anyIs(ws, negations) {
		return false
	}
	at := 1
	for at+2 < len(ws) && ws[at].is(shades) {
		at++
	}
	next := ws[at+1].text
	if likes.has(ws[at].text) && at+2 < len(ws) {
		return next == "the" && proposals.has(ws[at+2].text) || next == "how" && ws[at+2].is(addressees)
	}
	return wants.has(ws[at].text) && next == "us"
}

// asksForHelp reports whether words ask for help with something: "Can you help me change it so that I can switch it off?"
func asksForHelp(ws []word) bool {
	at := slices.IndexFunc(ws, func(w word) bool { return w.text == "help" })
	return at > 0 && at < 4 && at+2 < len(ws) && ws[at+1].text == "me" && askingVerb.has(ws[0].text) && !isGeneral(ws[:at])
}

// complains reports whether words say what goes wrong if the writer does something: "If I change the colour, not everything
// is updated".
func complains(ws []word) bool {
	if len(ws) < 5 || ws[0].text != "if" && ws[0].text != "when" || ws[1].text != "i" || anyIs(ws, addressees) {
		return false
	}
	for i := 3; i+1 < len(ws); i++ {
		if ws[i].breaks {
			next := ws[i].text
			return next == "not" && (ws[i+1].is(quantifiers) || ws[i+1].text == "everything" || ws[i+1].text == "all") || next == "nothing" || next == "it" && ws[i+1].is(negations)
		}
	}
	return false
}

// explainsOnly reports whether words ask for an explanation and nothing else this time: "Explain what happened, don't do
// anything".
func explainsOnly(ws []word) bool {
	last := len(ws) - 1
	return last > 3 && errands.has(ws[0].text) && ws[last].text == "anything" && ws[last-2].is(negations)
}
