package digest

import (
	"slices"
	"strings"
)

// This file recognizes wishes to do something, such as "Quiero reservar una mesa" or "Ich möchte mein Auto anmelden": a
// verb of wishing and an infinitive. Such a wish is fulfilled once, so it isn't a rule. A wish for a thing can be one:
// "Quiero respuestas cortas". This file also recognizes reports and agreements, which are no rules either.

var (
	// planning lists verbs of wishing in languages that mark infinitives by their endings.
	planning = wordListOf("möchte quiero quisiera necesito gustaría quero queria gostaria preciso vorrei voglio voudrais veux souhaite aimerais")
	// lastingActs lists infinitives of actions that last or are repeated.
	lastingActs = wordListOf("ser estar tener haber ver recibir evitar être avoir voir recevoir éviter essere avere vedere ricevere evitare ter receber " +
		"sein haben werden bleiben sehen lesen hören bekommen erhalten vermeiden")
	infinitives = [...]string{"ar", "er", "ir", "re"}
	// obliged lists English verbs of wishing and of duty that precede "to".
	obliged = wordListOf("need have want like")
	// learning lists verbs with which people say where they learned something.
	learning = wordListOf("read heard saw told")
)

// plansAct reports whether sentence s, with the words ws, only expresses a wish to do something once, an agreement, or
// what the writer has read or heard.
func plansAct(s string, ws []word) bool {
	if isAgreed(ws) || isReport(ws) || plansDeal(ws) {
		return true
	}
	i := slices.IndexFunc(ws, func(w word) bool { return planning.has(w.text) })
	if i < 0 || isGeneral(ws) {
		return false
	}
	end := i + 1
	for end < len(ws) && !ws[end].breaks {
		end++
	}
	if anyIs(ws[:end], negations) || anyCue(ws[end:]) {
		return false
	}
	if ws[i].text == "möchte" {
		verb := ws[end-1]
		return strings.HasSuffix(verb.text, "n") && s[verb.at] >= 'a' && !lastingActs.has(verb.text)
	}
	if i+2 < end && ws[i+1].text == "de" { // "gostaria de reservar"
		i++
	}
	if i+1 == end {
		return false
	}
	verb := ws[i+1].text
	for _, pronoun := range [...]string{"me", "nos", "mi", "ci"} { // "darme de baja"
		verb = strings.TrimSuffix(verb, pronoun)
	}
	return !lastingActs.has(verb) && endsWithAny(verb, infinitives[:]...)
}

// plansDeal is like plansAct, but only for English, and for deals with a service: "I also need to change the driver".
func plansDeal(ws []word) bool {
	for i := 1; i+2 < len(ws); i++ {
		if !obliged.has(ws[i].text) || ws[i+1].text != "to" || !dealing.has(ws[i+2].text) {
			continue
		}
		self := i - 1
		for self > 0 && (reacting.has(ws[self].text) || wouldBe.has(ws[self].text)) {
			self--
		}
		return ws[self].is(selves) && !isGeneral(ws) && !slices.ContainsFunc(ws[i+3:], func(w word) bool { return w.cue || w.is(negations) })
	}
	return false
}

// isAgreed reports whether a sentence only agrees to something ("D'accord, au nom de …"), possibly under a condition
// ("If that's the only one, then yes, …").
func isAgreed(ws []word) bool {
	if len(ws) > 1 && ws[0].text == "d'" && ws[1].text == "accord" && !anyCue(ws[2:]) {
		return true
	}
	for i := 1; i < len(ws); i++ {
		if ws[i-1].text == "then" && ws[i].text == "yes" {
			return true
		}
	}
	return false
}

// isReport reports whether a sentence only says what the writer has read or heard: "I read that it should be free".
func isReport(ws []word) bool {
	learned := false
	for i := range ws {
		w := &ws[i]
		learned = learned || i > 0 && learning.has(w.text) && (ws[i-1].is(selves) || ws[i-1].text == "was")
		switch {
		case lasts.has(w.text), w.cue && !learned:
			return false
		case w.text == "that" && learned:
			return !slices.ContainsFunc(ws[i:], func(w word) bool { return lasts.has(w.text) || w.is(addressees) })
		}
	}
	return false
}
