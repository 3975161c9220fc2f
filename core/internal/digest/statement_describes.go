package digest

import (
	"slices"
	"strings"
)

// Word lists for sentences that only describe something: verbs for what other people or texts say
// (hearsay, quoting), words for rumours, adverbs of the present moment, demonstratives (pointed),
// words for exceeding something (beyond) and for "again" (repeating), nouns for what the assistant
// writes (replying), and verbs for what occurs without anybody's doing (befalls).
var (
	hearsay   = wordListOf("zegt diz diceva decía dizia disait говорит говорила say says said tells told insists claims states warns sagt sagte dit dice dijo disse detto zei сказал сказала")
	quoting   = wordListOf("reads read says said states steht lautet lautete sagt dit disait dice decía pone ponía diz dizia гласит написано")
	rumours   = wordListOf("according apparently supposedly allegedly angeblich apparemment aparentemente")
	momentary = wordListOf("somewhere longtemps längst yet anymore there already currently usually lately somehow ever")
	pointed   = wordListOf("that this those these")
	beyond    = wordListOf("above over beyond outside exceeds")
	repeating = wordListOf("again einmal nuevo nouveau nuovo novo раз снова опять")
	replying  = wordListOf("answer reply response")
	befalls   = wordListOf("happen happens mean means matter matters exist exists last lasts")
)

// somebody lists words that refer to no particular person, as in "someone should fix that gate".
var somebody = wordListOf("people someone somebody jemand quelqu'un alguien qualcuno alguém кто-то")

// describes reports whether a sentence with a cue only describes something, or reports what somebody else says: "that
// endpoint never fails", "my teacher says we must read it".
func (s *spot) describes() bool {
	if s.lacks() || s.reports() || s.attributed() || s.sighs(s.i) || s.befallen() || s.deniesNothing() || s.describesAll() || s.reviewsDraft() {
		return true
	}
	if s.ofOccasion() {
		return true
	}
	switch s.place {
	case lead, order, self, me, taste, nature, lift, another, story:
		return s.i == 0 && s.w.text == "use" && (s.textAt(1) == "of" || s.textAt(1) == "after" || s.textAt(1) == "case")
	}
	return s.describesSubject()
}

// possesses lists, in several languages, forms of "has".
var possesses = wordListOf("hat a tiene tem ha heeft")

// lacks reports whether a sentence only says what one thing lacks: "El museo no tiene ascensor", "Le musée n'a pas
// d'ascenseur".
func (sc *scene) lacks() bool {
	return len(sc.ws) > 4 && definite.has(sc.ws[0].text) && sc.ws[2].is(negations) && possesses.has(sc.ws[3].text) && sc.ws[4].text != "que" &&
		sc.all&(addressees|products|lastingly|quantifiers) == 0
}

// ofOccasion reports whether a sentence is about a single occasion, or about what is happening at the moment.
func (s *spot) ofOccasion() bool {
	return s.place != self && s.thisTime() || s.tells() && s.ws[len(s.ws)-1].text == "tonight" ||
		s.place != me && s.going(s.i)
}

// reports reports whether a sentence repeats what other people say, or says what its writer hopes.
func (s *spot) reports() bool {
	last := len(s.ws) - 1
	for k := range s.ws {
		w := &s.ws[k]
		if k > 0 && k < s.i && quoting.has(w.text) && s.ws[k+1].breaks && s.scene.text[w.end] == ':' { // "the label says: …"
			return true
		}
		if rumours.has(w.text) || (w.text == "hope" || w.text == "hoping") && k < s.i {
			return true
		}
		if k == 0 || !hearsay.has(w.text) || s.ws[0].is(selves|addressees) {
			continue
		}
		subject := &s.ws[k-1]
		said := k < s.i || k == last && (subject.breaks || subject.text == "they")
		if said && !subject.is(selves|addressees) && !(s.place == lift && healers.has(subject.text)) {
			return true
		}
	}
	return false
}

// deniesNothing reports whether the cue is a "no" that doesn't forbid anything: "no longer compiles", "no remove this",
// "oh no", "prints 'no cups'".
func (s *spot) deniesNothing() bool {
	if s.w.text != "no" || s.place != bare && s.place != loose {
		return false
	}
	next := s.word(s.i + 1)
	return next != nil && (next.text == "longer" || s.word(s.i+2).is(tasks) && errands.has(next.text)) ||
		s.place == loose && (next == nil || next.breaks || s.i > 0 && s.scene.text[s.w.at-1] == '\'')
}

// describesAll reports whether a sentence describes all things of a kind: "every room smelled of paint", "every rule
// has its own buckets", "every file has a header already".
func (s *spot) describesAll() bool {
	first, n := &s.ws[0], len(s.ws)
	switch {
	case first.text == "not":
		return n > 2 && (s.ws[1].is(quantifiers) || strings.HasPrefix(s.ws[1].text, "every"))
	case n > 3 && first.is(quantifiers) && !s.ws[2].known && strings.HasSuffix(s.ws[2].text, "ed"):
		return true
	}
	return s.strength == weak && (each.has(first.text) && (s.textAt(2) == "has" || momentary.has(s.ws[n-1].text)) ||
		first.is(quantifiers) && s.soon())
}

// describesSubject reports whether the verb after the cue shows that a sentence only says what its subject does.
func (s *spot) describesSubject() bool {
	first, last := s.ws[0].text, s.ws[len(s.ws)-1].text
	at := s.end
	for at < len(s.ws) && (momentary.has(s.ws[at].text) || s.ws[at].text == "never" || s.ws[at].text == "one") {
		at++
	}
	if s.place == bare && at == s.end {
		return last == "yet" || last == "thanks" && len(s.ws) <= 3
	}
	verb := s.textAt(at)
	singular := verb == "has" || len(verb) > 3 && verb[len(verb)-1] == 's' && verb[len(verb)-2] != 's'
	if singular && (at > s.end && s.place != bare || s.doesAlone(first)) { // "only ever grows"
		return true
	}
	switch {
	case strings.HasSuffix(verb, "ed") && s.limitsVerb():
		return true
	case momentary.has(last) && (singular || last == "yet" || s.i > 0 && !s.before.is(addressees)):
		return true
	}
	return pointed.has(first) && s.i > 0 && befalls.has(verb)
}

// doesAlone reports whether a sentence that begins with the word first, and has a verb in the third person singular after
// the cue, is about what a single thing does.
func (s *spot) doesAlone(first string) bool {
	switch {
	case s.i == 0:
		return len(s.ws) > 2 && pointed.has(s.ws[len(s.ws)-2].text) // "nobody uses that flag"
	case first == "the":
		return s.i == 2 && !replying.has(s.ws[1].text) || s.limitsVerb() // "the function only returns …"
	}
	return s.i > 1 && pointed.has(first)
}

// limitsVerb reports whether the cue restricts what the subject before it does, and the sentence isn't about what the
// assistant writes.
func (s *spot) limitsVerb() bool {
	return s.i > 1 && s.all&products == 0 && (s.w.is(lastingly|negations) || s.w.text == "only")
}

// attributed reports whether a sentence names its source at the end: "…, the trainer promised".
func (sc *scene) attributed() bool {
	n := len(sc.ws) - 1
	for k := n; k > 0 && k > n-4; k-- {
		if sc.ws[k].breaks {
			last := sc.ws[n].text
			said := hearsay.has(last) || strings.HasSuffix(last, "ed") && (k == n-1 || k == n-2 && !sc.ws[n-1].known) // "they are ignored" is a reason
			return k < n && (definite.has(sc.ws[k].text) || sc.ws[k].is(persons&^selves)) &&
				!sc.ws[k].is(selves) && said
		}
	}
	return false
}

// sighs reports whether the word at index i belongs to a proverb or a sigh: "on ne sait jamais", "siempre lo mismo con
// la calefacción".
func (sc *scene) sighs(i int) bool {
	for k := range sc.ws {
		if len(sc.ws) < 6 && known.has(sc.ws[k].text) && sc.all&lastingly != 0 || k > 1 && sc.ws[k].text == "only" && sc.ws[k-1].text == "the" && sc.ws[k-2].is(beings) || k > i && k < i+3 && same.has(sc.ws[k].text) && sc.ws[i].is(lastingly) {
			return true
		}
	}
	return false
}

// befallen reports whether a sentence describes what happens each time its writer does something: "Jedes Mal, wenn ich
// anrufe, ist besetzt". In a rule, by contrast, the last clause is an order.
func (sc *scene) befallen() bool {
	at := sc.eachTimeAt()
	if at == 0 || sc.all&products != 0 {
		return false
	}
	clause := 0
	for i := at + 2; i < len(sc.ws)-1; i++ {
		if sc.ws[i].breaks {
			clause = i
		}
	}
	w, next := &sc.ws[clause], sc.word(clause+1)
	switch {
	case clause == 0:
		return sc.all&addressees == 0
	case conditionAt(w), next.is(addressees):
		return conditionAt(w) && !next.is(addressees)
	case w.script == spaced && w.text[0] == 0xd0 || w.text[0] == 0xd1:
		return !endsWithAny(w.text, "й", "йте", "и", "ите", "ь", "ьте")
	}
	return definite.has(w.text) || articles.has(w.text) || w.is(persons|beings|askers) || strings.HasSuffix(w.text, "t")
}

// eachTimeAt returns the index of "time" in "each time" among the first words of a sentence, or 0.
func (sc *scene) eachTimeAt() int {
	for i := 1; i < min(len(sc.ws)-1, 4); i++ {
		if times.has(sc.ws[i].text) && sc.ws[i-1].is(quantifiers) && (sc.ws[i].text != "time" || sc.textAt(i+1) == "it") {
			return i
		}
	}
	return 0
}

// conditionAt reports whether a clause that begins with w is a condition.
func conditionAt(w *word) bool { return w.is(conditions) || w.text == "als" }

// known lists verbs from sayings about what nobody knows, and same lists words for "the same".
var (
	known = wordListOf("weiß weet sait sabe sa знаешь")
	same  = wordListOf("dasselbe gleiche même mismo misma mesma mesmo stessa stesso hetzelfde same одно")
)

// going reports whether a sentence with a cue at word i describes what is happening, or is probably the case: "must be
// boiling", "must be a leftover", "no tests are failing".
func (sc *scene) going(i int) bool {
	if sc.ws[i].is(addressees) || sc.all&addressees != 0 {
		return false
	}
	if sc.ws[0].text == "there" && sc.textAt(i+1) == "be" && articles.has(sc.textAt(i+2)) && !sc.word(i+3).is(products) && sc.all&(quantifiers|lastingly) == 0 {
		return true
	}
	for k := i; k+1 < len(sc.ws) && !(k > i && sc.ws[k].breaks); k++ { // the clause of the cue
		w, next := sc.ws[k].text, sc.ws[k+1].text
		progressive := len(next) > 5 && strings.HasSuffix(next, "ing")
		switch w {
		case "be":
			if progressive || k == i+1 && (next == "a" || next == "an" || next == "some") && sc.all&(products|quantifiers) == 0 {
				return true
			}
		case "is", "are":
			if progressive && k > i {
				return true
			}
		}
	}
	return false
}

// neverAsRemark reports whether the cue is a "never" that gives no rule: "I'm never going back to
// that hotel", "If we lived there, we'd never cook".
func (s *spot) neverAsRemark() bool {
	if s.before.text == "i'm" && strings.HasSuffix(s.next, "ing") {
		return s.all&agains != 0 || slices.ContainsFunc(s.ws[s.end:], func(w word) bool { return pointed.has(w.text) })
	}
	return s.ws[0].text == "if" && (s.before.text == "would" || strings.HasSuffix(s.before.text, "'d"))
}

// relations lists words for people whose moods are no rule for the reader.
var relations = wordListOf("husband wife partner son daughter brother sister mum mom mother dad father uncle aunt cousin friend neighbour neighbor grandma grandmother grandpa grandfather girlfriend boyfriend flatmate roommate dog cat")

// habitual reports whether the cue is a verb for what the writer usually does: "I usually prefer …".
func (s *spot) habitual() bool {
	return s.i > 1 && usually.has(s.before.text) && s.ws[s.i-2].is(selves)
}

// usually lists adverbs for habits.
var usually = wordListOf("usually generally normally typically mostly")
