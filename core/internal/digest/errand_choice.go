package digest

import (
	"slices"
	"strings"
)

// This file recognizes choices among what the assistant has listed. They settle one thing, so they are no rules.

var (
	choosers    = wordListOf("i we i'll we'll i’ll we’ll let's let’s wir ich nous je")
	choosing    = wordListOf("take takes use pick choose keep want prefer go nehmen nehme wählen wähle prenons prends choisissons choisis")
	listedNouns = wordListOf("number title option version variant suggestion proposal draft item nummer titel option vorschlag variante numéro titre proposition")
	pointedTo   = wordListOf("those these them that davon ceux celles")
	rejecting   = wordListOf("none neither keinen keine keines aucun aucune")
)

// mostBeforeChosen is the maximum number of words between the verb of a choice and what it chooses.
const mostBeforeChosen = 3

// choosesListed reports whether sentence s, with the words ws, chooses or rejects something that the assistant has
// listed: "we take title number 2", "we use none of those".
func choosesListed(s string, ws []word) bool {
	if len(ws) < 3 || !choosers.has(ws[0].text) || !choosing.has(ws[1].text) || slices.ContainsFunc(ws, func(w word) bool { return w.is(lastingly|quantifiers) || each.has(w.text) }) {
		return false
	}
	for n := 2; n < len(ws) && n <= 2+mostBeforeChosen; n++ {
		if ws[n].breaks && n > 2 {
			return false
		}
		following := ""
		if n+1 < len(ws) {
			following = ws[n+1].text
		}
		switch {
		case listedNouns.has(ws[n].text) && isNumbered(s[min(ws[n].at+len(ws[n].text), len(s)):]),
			ordinals.has(ws[n].text) && n > 2 && (following == "" || following == "one" || listedNouns.has(following)):
			return true
		case rejecting.has(ws[n].text) && n+2 < len(ws) && pointedTo.has(ws[n+2].text), rejecting.has(ws[n].text) && following == "davon":
			return true
		}
	}
	return false
}

// isNumbered reports whether a text begins with a number that ends a clause.
func isNumbered(rest string) bool {
	rest = strings.TrimLeft(rest, " #")
	after := strings.TrimLeft(rest, "0123456789")
	return len(after) < len(rest) && (after == "" || strings.IndexByte(",.;!?)", after[0]) >= 0)
}
