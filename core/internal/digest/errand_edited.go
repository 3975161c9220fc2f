package digest

import "strings"

// This file recognizes requests to edit a text that the user quotes: "Improve this statement: We never …". What the
// quoted text says is no instruction.

// Word lists for requests to edit a text: verbs that are only used of texts, verbs that need a noun for a text, and such
// nouns.
var (
	editing = wordListOf("rephrase paraphrase reword proofread polish rewrite translate " +
		"umformuliere übersetze reformule traduis reescribe traduce reescreva traduza riscrivi traduci herschrijf vertaal перефразируй переведи")
	improving = wordListOf("improve correct fix check shorten make formuliere verbessere korrigiere corrige améliore mejora melhore corrija migliora correggi verbeter улучши исправь")
	textNouns = wordListOf("sentence sentences statement text paragraph grammar spelling phrase line wording satz text absatz grammatik phrase texte paragraphe " +
		"frase texto párrafo parágrafo testo paragrafo zin tekst предложение текст абзац")
	editSigns = strings.Fields("润色 潤色 改写 改寫 この文を 문장을")
)

// longestEditLead is the maximum length, in bytes, of a request to edit the text after its colon.
const longestEditLead = 90

// editLead returns the length, in bytes, of the request at the beginning of text if that asks to
// edit the text after its colon, and 0 otherwise.
func editLead(text string) int {
	head := trimRune(text[:min(len(text), longestEditLead)])
	at := strings.Index(head, ": ")
	if k := strings.Index(head, "："); k >= 0 && (at < 0 || k < at) {
		at = k
	}
	if at > 0 && asksToEdit(head[:at]) {
		return at
	}
	return 0
}

// Word lists for texts by other people: verbs for writing, and labels of comments in a review.
var (
	wroteVerbs   = wordListOf("wrote writes commented comments replied schrieb schreibt kommentiert écrit commente escribió escribe comenta scrive scritto escreveu escreve написал написала пишет schreef schrijft")
	reviewLabels = wordListOf("nit nitpick minor reviewer")
)

// mostQuoting is the maximum number of words before the colon after which somebody else's text begins.
const mostQuoting = 8

// wroteLead returns the length, in bytes, of the text before the first colon if that says that
// somebody else wrote what follows: "The teacher commented: …", "nit: …". Otherwise it returns 0.
func wroteLead(text string) int {
	head := trimRune(text[:min(len(text), longestEditLead)])
	at := strings.IndexByte(head, ':')
	if k := strings.Index(head, "："); k >= 0 && (at < 0 || k < at) {
		at = k
	}
	if at > 0 && saysWhoWrote(head[:at]) {
		return at
	}
	return 0
}

// saysWhoWrote reports whether lead, the text before a colon, says that somebody else wrote what follows.
func saysWhoWrote(lead string) bool {
	ws := wordsOf(lead, nil)
	last := len(ws) - 1
	switch {
	case last < 0 || last >= mostQuoting || anyIs(ws, ruleNouns):
		return false
	case reviewLabels.has(ws[0].text):
		return last < 2
	case ws[0].text == "from":
		return last > 1 && last < 4 && (definite.has(ws[1].text) || ws[1].text == "my" || ws[1].text == "our") && !anyIs(ws, products|lastingly) && ws[last].text != "on"
	}
	return last > 0 && wroteVerbs.has(ws[last].text) && !ws[last-1].is(selves|addressees) && !(ws[last-1].is(pasts|shades) && last > 1 && ws[last-2].is(selves|addressees))
}

// asksToEdit reports whether lead, the text before a colon, asks to edit the text after it.
func asksToEdit(lead string) bool {
	if len(lead) > longestEditLead {
		return false
	}
	if unspacedText(lead) || hasSigns(lead) && hasAny(lead, editSigns) {
		return hasAny(lead, editSigns)
	}
	ws := wordsOf(lead, nil)
	i := 0
	for i < len(ws) && (ws[i].is(joins|wishes) || ws[i].is(addressees) || reacting.has(ws[i].text)) {
		i++
	}
	if i == len(ws) || anyIs(ws, ruleNouns|negations) {
		return false
	}
	if editing.has(ws[i].text) {
		return true
	}
	if improving.has(ws[i].text) {
		for k := i + 1; k < len(ws); k++ {
			if textNouns.has(ws[k].text) {
				return true
			}
		}
	}
	return false
}
