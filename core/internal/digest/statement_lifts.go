package digest

import (
	"slices"
	"strings"
)

// This file recognizes, by their form, sentences that revoke a rule or relax it without naming it as a rule: what is no
// longer so ("I don't need the table anymore"), what somebody does again ("Ich esse wieder Fleisch"), and what is all
// right now ("Spoilers are fine now", "Evening flights work too now"). They say nothing if there is no such rule.

// Word lists for what is all right now: verbs, adjectives, verbs that need no adjective, words for "now" or "again", and
// words for "too".
var (
	upholding = wordListOf("is are isn't aren't ist sind est sont c'est está están estão é è sono va vanno seems feels")
	accepting = wordListOf("fine okay ok alright allowed welcome possible acceptable erlaubt möglich ordnung bon bonne permis permise possibles autorisé autorisés bien permitido permitida posible bem possível liberado liberada bene permesso possibile можно нормально разрешено ок")
	suiting   = wordListOf("work works geht gehen passt passen marche marchent conviennent vale valen funciona funcionam vanno")
	newly     = wordListOf("now again anymore jetzt wieder nun inzwischen mittlerweile maintenant ahora ya agora já adesso ora ormai теперь снова опять уже")
	alsoWords = wordListOf("too also auch aussi également también também anche pure тоже также")
)

// lifts reports whether a sentence revokes or relaxes a rule by its form, and marks the words that say so.
func (j *judging) lifts() bool {
	if len(j.ws) < 3 || j.question || j.reviewsDraft() {
		return false
	}
	if j.noNeed() {
		return true
	}
	if j.all&days != 0 || j.past && !slices.ContainsFunc(j.ws, func(w word) bool { return w.text == "besoin" }) { // "je n'ai plus besoin"
		return false
	}
	return j.noLonger() || j.fineNow() || j.mayAgain() || j.resumed()
}

// noLonger reports whether a sentence is about what is no longer so: "I no longer need the steps",
// "Die Quellen brauche ich nicht mehr", "Ya no necesito los ejemplos". An order ("No more puns") is
// such a sentence too. It marks the words that say so.
func (j *judging) noLonger() bool {
	from, to := j.noLongerAt()
	if from < 0 || j.compares(to+1) {
		return false
	}
	for k := range j.ws {
		if k == from || k == to || k > 0 && unneeded.has(j.ws[k].text) {
			j.ws[k].cue = true
		}
	}
	j.ended, j.ends = true, j.ws[0].is(negations) && from == 0
	return true
}

// noNeed reports whether a sentence says that there is no need to do something: "Dana left, no need
// to copy her". It marks the words that say so.
func (j *judging) noNeed() bool {
	for i := 0; i+3 < len(j.ws); i++ {
		if j.ws[i].text == "no" && j.ws[i+1].text == "need" && j.ws[i+2].text == "to" && (i == 0 || j.ws[i].breaks) {
			j.ws[i].cue, j.ws[i+1].cue, j.ends = true, true, true
			return true
		}
	}
	return false
}

// compares reports whether "more" or its translation, which word i follows, is part of a comparison: "not more [than]",
// "pas plus [de trois]", "ne … plus [tôt]".
func (j *judging) compares(i int) bool {
	w := j.word(i)
	switch {
	case w == nil || w.breaks:
		return false
	case thanWords.has(w.text) || j.numberAt(i) && w.text != "un" && w.text != "una":
		return true
	case measured.has(w.text):
		return i+1 < len(j.ws) && j.numberAt(i+1)
	case j.ws[i-1].text == "plus" || j.ws[i-1].text == "più" || j.ws[i-1].text == "mais":
		return !definite.has(w.text) && !articles.has(w.text) && !w.is(addressees|persons|joins|conjunctions) && !follows.has(w.text)
	}
	return false
}

// Word lists for what is no longer so: words for "than", words between "no more" and a number, words that may follow
// "ne … plus" and its relatives, and verbs and adjectives for being needed.
var (
	thanWords = wordListOf("than als que che чем")
	measured  = wordListOf("de d' di do del della")
	follows   = wordListOf("besoin à en au aux pour dans sur avec per in con com para em nécessaire nécessaires necessario necessari necessário necessários")
	unneeded  = wordListOf("need needs needed necessary required want matter matters care apply applies brauche brauchen brauch nötig notwendig nécessaire nécessaires besoin necesito necesario necesarios necesitamos hace falta preciso precisa precisamos necessário necessários serve servono necessario necessari bisogno нужен нужна нужно нужны надо")
)

// noLongerAt returns the indexes of the first and the last word of "no longer". Both are -1 if
// there is none.
func (j *judging) noLongerAt() (from, to int) {
	negated := -1 // the index of the last negation in this clause
	for i := range j.ws {
		w, next := &j.ws[i], j.textAt(i+1)
		if w.quoted {
			continue
		}
		if w.breaks {
			negated = -1
		}
		switch {
		case isNoLonger(w.text, next), w.text == "no" && next == "more" && w.starts:
			return i, i + 1
		case negated < 0:
		case moreWords.has(w.text):
			return negated, i
		case w.text == "any" && (next == "more" || next == "longer"):
			return i, i + 1
		}
		if w.is(negations) {
			negated = i
		}
	}
	return -1, -1
}

// moreWords lists words that mean "no longer" after a negation.
var moreWords = wordListOf("anymore mehr mais più plus")

// noLongers lists phrases of two words for "no longer".
var noLongers = [...][2]string{{"no", "longer"}, {"ya", "no"}, {"já", "não"}, {"уже", "не"}, {"больше", "не"}, {"больше", "нет"}, {"больше", "никаких"}, {"plus", "besoin"}}

// isNoLonger reports whether two words mean "no longer".
func isNoLonger(word, next string) bool {
	for i := range noLongers {
		if noLongers[i] == [2]string{word, next} {
			return true
		}
	}
	return false
}

// fineNow reports whether a sentence permits something: "Spoilers are fine now", "Nachmittags geht
// jetzt auch". It marks the words that say so.
func (j *judging) fineNow() bool {
	if j.question {
		return false
	}
	from := 0 // where the clause begins
	for i := range j.ws {
		w := &j.ws[i]
		if w.breaks || i == from && i+1 < len(j.ws) && precedesSubject(w) {
			from = i
			if !w.breaks || precedesSubject(w) {
				from++
			}
			continue
		}
		if i > from && i < from+longestSubject && suits(w.text) && j.permitsAt(from, i) {
			return true
		}
	}
	return false
}

// precedesSubject reports whether a word may come before the subject of a clause: "and", "now".
func precedesSubject(w *word) bool { return w.is(joins|conjunctions) || newly.has(w.text) }

// suits reports whether a word may be the verb of a permission.
func suits(text string) bool { return suiting.has(text) || upholding.has(text) || text == "можно" }

// longestSubject is the maximum length, in words, of the subject of a permission, and longestPermission that of what
// follows its verb.
const (
	longestSubject    = 7
	longestPermission = 8
)

// permitsAt is like fineNow for a clause that begins at word from and has the verb at word i.
func (j *judging) permitsAt(from, i int) bool {
	if isOtherSubject(&j.ws[from]) {
		return false
	}
	to := j.permissionEnd(from, i)
	if anyIs(j.ws[from:min(i, to)], conditions|addressees) || upholding.has(j.ws[i].text) && !j.saysFine(i+1, to) {
		return false
	}
	now, also := j.saysNew(from, to)
	doing := isGerund(j.ws[from].text) && j.ws[from].script == spaced && j.ws[i].text == "is"
	unchanged := !now && !also // whether it doesn't say that this was forbidden
	if unchanged && !doing && !(j.permits && j.strength >= wish && from > 0) {
		return false
	}
	j.grants, j.exact = unchanged, doing && unchanged
	j.markPermission(from, to, i)
	j.also, j.lifted = also, j.ws[i].at+1
	return true
}

// isOtherSubject reports whether the first word of a clause is a person or a pronoun, and not "my" or the like.
func isOtherSubject(first *word) bool {
	return first.is(selves|things|others|askers) || first.is(persons) && !mine.has(first.text)
}

// markPermission marks the verb at index i and the words of a permission's form as cues, if they have indexes in
// [from, to).
func (j *judging) markPermission(from, to, i int) {
	for k := from; k < to; k++ {
		j.ws[k].cue = j.ws[k].cue || k == i || ofPermission(j.ws[k].text)
	}
}

// saysNew returns whether one of the words with the indexes [from, to) says that something applies from now on, and
// whether one says that it applies too.
func (j *judging) saysNew(from, to int) (now, also bool) {
	for k := from; k < to; k++ {
		now = now || newly.has(j.ws[k].text)
		also = also || alsoWords.has(j.ws[k].text) || j.ws[k].text == "well" && j.textAt(k-1) == "as"
	}
	return now, also
}

// saysFine reports whether one of the words with the indexes [from, to) says that something is fine, such as "okay" or
// "free to".
func (j *judging) saysFine(from, to int) bool {
	for k := from; k < to; k++ {
		if accepting.has(j.ws[k].text) || j.ws[k].text == "free" && j.textAt(k+1) == "to" {
			return true
		}
	}
	return false
}

// ofPermission reports whether a word in a permission belongs to its form instead of its content.
func ofPermission(text string) bool {
	return newly.has(text) || alsoWords.has(text) || accepting.has(text) || text == "well" || text == "free"
}

// permissionEnd returns the index after the clause that begins at word from, or after the words that belong to the
// permission with the verb at word i if the clause is longer.
func (j *judging) permissionEnd(from, i int) int {
	to := from + 1
	for to < len(j.ws) && to < i+longestPermission && !j.ws[to].breaks {
		to++
	}
	return to
}

// ofWriters reports whether the subject of the verb at the given index is the writer or somebody of the household.
func (j *judging) ofWriters(verb int) bool {
	return j.ws[0].is(selves) || j.ofHome() || strings.HasSuffix(j.ws[verb].text, "o") // "como": I eat
}

// saysAgain reports whether a word, followed by next, means "again".
func saysAgain(w *word, next string) bool {
	return w.is(agains) && !notAgain.has(w.text) || w.text == "otra" && next == "vez" || w.text == "novo"
}

// resumed reports whether a sentence is about something that the writer, or somebody of the
// household, does again: "I eat meat again", "Je mange de nouveau de la viande". It marks the words
// around what is done.
func (j *judging) resumed() bool {
	verb, again := -1, -1
	for i := range j.ws {
		w := &j.ws[i]
		switch {
		case i > 0 && w.breaks && again < 0 && !mine.has(j.ws[0].text):
			verb = -1
		case verb < 0 && i > 0 && i < 5 && resumes(w.text, j.ws[i-1].text):
			verb = i
		case saysAgain(w, j.textAt(i+1)):
			again = i
		}
		if comingBack.has(w.text) {
			again = i
		}
	}
	if verb < 0 || again < 0 || !j.ofWriters(verb) {
		return false
	}
	j.ws[verb].cue, j.ws[again].cue = true, true
	return true
}

// notAgain lists words of the kind agains that don't mean "again", and comingBack lists verbs that do.
var (
	notAgain   = wordListOf("now anymore longer")
	comingBack = wordListOf("volver vuelvo voltei ricomincio")
)

// ofHome reports whether a sentence begins with somebody of the writer's household.
func (j *judging) ofHome() bool {
	return (j.ws[0].text == "my" || j.ws[0].text == "our") && household.has(j.ws[1].text)
}

// resumes reports whether a word, which follows before, is a verb for what people stop and begin again as a habit.
func resumes(w, before string) bool {
	if resuming.has(w) || w == "have" && mayVerbs.has(before) {
		return true
	}
	stem, found := strings.CutSuffix(w, "ing")
	return found && (resuming.has(stem) || resuming.has(stem+"e"))
}

// resuming lists such verbs.
var resuming = wordListOf("eat eats drink drinks use uses buy buys wear wears watch watches like likes enjoy enjoys tolerate tolerates smoke drive cook " +
	"esse essen isst trinke trinken trinkt trage vertrage fahre rauche mange mangeons mange bois buvons porte como comemos come bebo bebemos bebe comer beber uso mangio mangia mangiamo bevo beve porto ем едим ест пью пьём пьет ношу")
