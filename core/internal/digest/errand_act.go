package digest

import (
	"slices"
	"strings"
)

// This file recognizes wishes for something that the writer wants to do, such as "Quiero reservar una mesa" or "Ich
// möchte mein Auto anmelden": a verb for a wish with an infinitive. Such a wish is fulfilled once, so it is no rule. A
// wish for a thing may be a rule: "Quiero respuestas cortas".

var (
	// planning lists verbs for wishes in languages whose infinitives have endings of their own.
	planning = wordListOf("möchte quiero quisiera necesito gustaría quero queria gostaria preciso vorrei voglio voudrais veux souhaite aimerais")
	// lastingActs lists infinitives of acts that last or are repeated.
	lastingActs = wordListOf("ser estar tener haber ver recibir evitar être avoir voir recevoir éviter essere avere vedere ricevere evitare ter receber " +
		"sein haben werden bleiben sehen lesen hören bekommen erhalten vermeiden")
	infinitives = [...]string{"ar", "er", "ir", "re"}
)

// plansAct reports whether a sentence s with the words ws only says what its writer wants to do once.
func plansAct(s string, ws []word) bool {
	i := slices.IndexFunc(ws, func(w word) bool { return planning.has(w.text) })
	if i < 0 || isGeneral(ws) {
		return false
	}
	end := i + 1
	for end < len(ws) && !ws[end].breaks {
		end++
	}
	if slices.ContainsFunc(ws[:end], func(w word) bool { return w.is(negations) }) || slices.ContainsFunc(ws[end:], func(w word) bool { return w.cue }) {
		return false
	}
	if ws[i].text == "möchte" {
		verb := ws[end-1]
		return strings.HasSuffix(verb.text, "n") && s[verb.at] >= 'a' && !lastingActs.has(verb.text)
	}
	if i+2 < end && ws[i+1].text == "de" { // "gostaria de reservar"
		i++
	}
	return i+1 < end && !lastingActs.has(ws[i+1].text) && slices.ContainsFunc(infinitives[:], func(ending string) bool { return strings.HasSuffix(ws[i+1].text, ending) })
}
