package digest

import (
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
	rising     = wordListOf("went gone goes rises rose raised lowered increased dropped fell changed grew got cut moved pushed extended shifted gestiegen gesunken erhöht gesenkt verschoben jetzt passé passée monté descendu augmenté baissé subió bajó aumentó cambió aumentou subiu baixou mudou salito sceso aumentato cambiato вырос выросла увеличился снизился упал изменился")
	weekdays   = wordListOf("monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo")
	shiftWords = wordListOf("to auf à a para por")
)

// amendsLimit returns the index of the number in a sentence that gives a limit another value
// without naming the limit, or -1 for any other sentence.
func (sc *scene) amendsLimit() int {
	ws := sc.ws
	if len(ws) < 3 || len(ws) > 12 || isQuestion(sc.text) || sc.all&days != 0 {
		return -1
	}
	if at := sc.numberSuits(); at >= 0 {
		return at
	}
	from := leadUp(ws)
	for from < len(ws)-2 && (ws[from].is(joins|conjunctions) || ws[from].text == "let's" || newly.has(ws[from].text)) {
		from++
	}
	first, second := &ws[from], sc.textAt(from+1)
	at := -1
	switch {
	case amendsOwn.has(first.text):
		at = from + 1
	case amending.has(first.text) && amended.has(second):
		at = from + 2
	case allowing.has(first.text) || allowing.has(second):
		at = sc.upTo(from)
	}
	if at < 0 {
		return -1
	}
	for at < len(ws) && (shiftWords.has(ws[at].text) || ws[at].is(shades)) {
		at++
	}
	if at >= len(ws) || !sc.numberAt(at) {
		return -1
	}
	if first.text == "make" && !sc.lasts() && at+1 == len(ws) && second == "it" { // "make it five" may be an order
		return -1
	}
	return at
}

// numberAt reports whether word i is a number.
func (sc *scene) numberAt(i int) bool {
	w := &sc.ws[i]
	return w.text[0]-'0' < 10 || w.is(numbers) && w.text != "one" || sc.counts(i) || isNumber(w.text)
}

// upTo returns the index after "up to", in any of the languages, if a number follows it. It reads a few words from index
// from on. If there is none, it returns -1.
func (sc *scene) upTo(from int) int {
	for i := from + 1; i+1 < len(sc.ws) && i < from+7; i++ {
		if sc.ws[i].breaks {
			return -1
		}
		before := sc.ws[i-1].text
		if upToWords.has(sc.ws[i].text) || shiftWords.has(sc.ws[i].text) && (before == "up" || reaching.has(before)) {
			for k := i + 1; k < len(sc.ws) && k < i+3; k++ {
				if sc.numberAt(k) {
					return k
				}
			}
		}
	}
	return -1
}

// numberSuits recognizes sentences that begin with a number of something and say that it is all right: "300 words are fine
// too", "Three sentences is too tight, five is better". It returns the index of the number, or -1.
func (sc *scene) numberSuits() int {
	from := 0
	for from < 2 && from+3 < len(sc.ws) && !sc.numberAt(from) && (sc.ws[from].is(joins|conjunctions) || newly.has(sc.ws[from].text)) {
		from++
	}
	unit := sc.word(from + 1)
	if !sc.numberAt(from) || unit == nil || unit.breaks || unit.known && !unit.is(products) || sc.past {
		return -1
	}
	verb := false
	for i := from + 2; i < len(sc.ws) && i < from+8; i++ {
		w := &sc.ws[i]
		verb = verb || upholding.has(w.text) || suiting.has(w.text)
		if verb && (accepting.has(w.text) || w.text == "enough" || w.text == "plenty" || w.text == "better" || tooMuch.has(w.text) && i+1 < len(sc.ws)) {
			return from
		}
	}
	return -1
}

// Word lists for what is allowed up to a number: verbs, words for "up to", and verbs before "to".
var (
	allowing  = wordListOf("can may kannst darfst können dürfen peux pouvez puedes puede pode podes pueden può puoi potete можно можешь можете")
	upToWords = wordListOf("bis jusqu'à jusque hasta até fino до")
	reaching  = wordListOf("go aller monter llegar subir ir chegar arrivare salire")
)

// isNumber reports whether a word is a number between four and twelve in a language whose numbers are in no table.
func isNumber(w string) bool { return moreNumbers.has(w) }

var moreNumbers = wordListOf("сорока пяти шести семи восьми девяти десяти двадцати шесть семь восемь девять десять quatro sechs sieben acht neun zehn six sept huit neuf dix seis siete ocho nueve diez sei sette otto nove dieci sete oito dez")

// raised recognizes sentences about a limit that has changed: "My budget for gear went up to 450", "Mein Limit ist auf 110
// Euro gestiegen". It returns the byte offset of the verb, or -1.
func (sc *scene) raised() int {
	if len(sc.ws) < 4 || limitAt(sc.ws) < 0 || isQuestion(sc.text) {
		return -1
	}
	verb, value := -1, sc.digits || sc.all&days != 0
	for i := range sc.ws {
		if verb < 0 && i < 8 && rising.has(sc.ws[i].text) {
			verb = sc.ws[i].at
		}
		value = value || i > 2 && weekdays.has(sc.ws[i].text)
	}
	if !value {
		return -1
	}
	return verb
}

// limitAt returns the index of the noun for a limit that a sentence begins with, after an article or a possessive and at
// most one adjective, or -1.
func limitAt(ws []word) int {
	from := leadUp(ws)
	for i := from; i < len(ws) && i < from+3 && (i == from || !ws[i].breaks); i++ {
		if limitNouns.has(ws[i].text) {
			return i
		}
		owned := mine.has(ws[i].text) || oursAlso.has(ws[i].text)
		if i == from && !definite.has(ws[i].text) && !owned || i > from && !owned && ws[i].is(persons|things|pasts) {
			return -1
		}
	}
	return -1
}

// oursAlso lists more possessive pronouns that refer to the writer.
var oursAlso = wordListOf("our unser unsere unseren notre nuestro meu nosso mio nostro il мой наш mi")

// amend appends the sentence s, which amends a limit, to the newest of the older statements with a
// limit. It reports whether there is such a statement. A sentence that amended that limit before is
// replaced.
func (s *statement) amend(older []*statement) bool {
	unit := s.amendedUnit()
	for _, old := range older {
		if old.amends || old.revokes || !old.hasLimit(unit) || len(old.text)+len(s.text) > maxStatement {
			continue
		}
		if old.amended {
			return true
		}
		if at := strings.LastIndex(old.text, ". "); at > 0 && rateText(old.text[at+2:]).amends {
			old.text = old.text[:at+1]
		}
		old.extend(s.text)
		old.amended = true
		return true
	}
	return false
}

// extend appends a sentence to a statement.
func (s *statement) extend(sentence string) {
	if !endsWithAny(s.text, ".", "!", "。", "！") {
		s.text += "."
	}
	s.text += " " + sentence
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

// beginAlike reports whether two lists of word stems begin with the same stem. The list of a
// number, for example, is empty.
func beginAlike(a, b []string) bool { return len(a) > 0 && len(b) > 0 && a[0] == b[0] }

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
			if unit == next || len(unit) > 4 && len(next) > 4 && beginAlike(stems(unit), stems(next)) {
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
