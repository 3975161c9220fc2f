package digest

import (
	"slices"
	"strings"
)

// This file recognizes sentences that give a limit another value without naming it: "Raise that to 80", "Make it five
// from now on", "You can go up to 200 words now". They say nothing unless a limit precedes them.

// Word lists for such sentences: verbs, the pronouns after them, verbs whose ending is the pronoun, words that come with
// a limit, and verbs that say that a limit has changed.
var (
	amending   = wordListOf("raise lower increase reduce decrease bump cut extend make set change push mach mache erhöhe erhöh senke setz setze passe monte augmente baisse mets aumenta reduce porta alza abbassa")
	amended    = wordListOf("that it this them daraus das es ça le la lo los las")
	amendsOwn  = wordListOf("súbelo súbela bájalo bájala ponlo hazlo auméntalo redúcelo portalo alzalo abbassalo aumente reduza")
	limitMarks = wordListOf("under below over than most least limit max maximum min minimum within up höchstens mindestens maximal unter máximo mínimo menos más plus moins massimo minimo")
	rising     = wordListOf("went gone goes rises rose raised lowered increased dropped fell changed grew")
	shiftWords = wordListOf("to auf à a para por")
)

// amendsLimit returns the index of the number in a sentence that gives a limit which it doesn't name another value, or -1.
func (sc *scene) amendsLimit() int {
	ws := sc.ws
	if len(ws) < 3 || len(ws) > 12 || asks(sc.text) || sc.all&days != 0 {
		return -1
	}
	from := leadUp(ws)
	for from < len(ws)-2 && (ws[from].is(joins|conjunctions) || ws[from].text == "let's") {
		from++
	}
	first, second := &ws[from], sc.textAt(from+1)
	at := -1
	switch {
	case amendsOwn.has(first.text):
		at = from + 1
	case amending.has(first.text) && amended.has(second):
		at = from + 2
	case first.text == "you" && (second == "can" || second == "may"):
		for i := from + 2; i+2 < len(ws); i++ {
			if ws[i].text == "up" && ws[i+1].text == "to" {
				at = i + 2
			}
		}
	}
	if at < 0 {
		return -1
	}
	for at < len(ws) && (shiftWords.has(ws[at].text) || ws[at].is(shades)) {
		at++
	}
	if at >= len(ws) || !sc.counts(at) && !isNumber(ws[at].text) {
		return -1
	}
	if first.text == "make" && !sc.lasts() && at+1 == len(ws) && second == "it" { // "make it five" may be an order
		return -1
	}
	return at
}

// isNumber reports whether a word is a number between four and twelve in a language whose numbers are in no table.
func isNumber(w string) bool { return moreNumbers.has(w) }

var moreNumbers = wordListOf("sechs sieben acht neun zehn six sept huit neuf dix seis siete ocho nueve diez sei sette otto nove dieci sete oito dez")

// raised recognizes sentences about a limit that has changed: "My budget went up to 450". It returns the byte offset of the
// verb, or -1.
func (sc *scene) raised() int {
	if !sc.digits || len(sc.ws) < 4 || !definite.has(sc.ws[0].text) && !mine.has(sc.ws[0].text) && sc.ws[0].text != "our" || !limitNouns.has(sc.ws[1].text) {
		return -1
	}
	if i := slices.IndexFunc(sc.ws, func(w word) bool { return rising.has(w.text) }); i == 2 || i == 3 {
		return sc.ws[i].at
	}
	return -1
}

// amend adds the sentence s, which amends a limit, to the newest of the older statements with a limit, and returns whether
// there is one. If that statement was amended by an older sentence, s replaces that sentence.
func (s *statement) amend(older []*statement) bool {
	unit := s.amendedUnit()
	for _, old := range older {
		if old.amends || old.revokes || !old.hasLimit(unit) || len(old.text)+len(s.text) > maxStatement {
			continue
		}
		if old.amended {
			return true
		}
		base := old.text
		if at := strings.LastIndex(base, ". "); at > 0 && rateText(base[at+2:]).amends {
			base = base[:at+1]
		}
		if !endsWithAny(base, ".", "!", "。") {
			base += "."
		}
		old.text, old.amended = base+" "+s.text, true
		return true
	}
	return false
}

// amendedUnit returns the word after the number in a sentence that amends a limit, or "" if that word isn't a unit.
func (s *statement) amendedUnit() string {
	sc := scene{}
	ws := wordsOf(s.text, nil)
	sc.look(s.text, ws)
	if at := sc.amendsLimit(); at >= 0 && at+1 < len(ws) && !ws[at+1].breaks && (!ws[at+1].known || ws[at+1].is(products)) {
		return ws[at+1].text
	}
	return ""
}

// rateText returns the rating of a sentence.
func rateText(s string) rating { return rate(s, wordsOf(s, quotedIn(s))) }

// hasLimit reports whether a statement limits a number, of the given unit if that isn't empty.
func (s *statement) hasLimit(unit string) bool {
	ws := wordsOf(s.text, nil)
	for i := range ws {
		if !ws[i].is(numbers) && ws[i].text[0]-'0' >= 10 && !isNumber(ws[i].text) {
			continue
		}
		next := ""
		if i+1 < len(ws) {
			next = ws[i+1].text
		}
		if unit != "" {
			if unit == next {
				return true
			}
			continue
		}
		for k := max(i-4, 0); k < min(i+4, len(ws)); k++ {
			if limitMarks.has(ws[k].text) || limitNouns.has(ws[k].text) || ws[k].is(ruleNouns) {
				return true
			}
		}
	}
	return false
}
