package digest

import (
	"slices"
	"strings"
)

// This file recognizes sentences that only sound like a rule or a preference: remarks, wishes, one-time requests, and
// predictions.

// soothing lists words after "don't" in sentences that reassure somebody: "no te preocupes".
var soothing = wordListOf("fais feelings hello hi preocupes preocupe preocupéis inquiète inquiétez preoccupare preoccuparti preoccuparsi preocupa preocupar волнуйся волнуйтесь беспокойся переживай")

// somewhere lists words that introduce a place: "leave it on the porch".
var somewhere = wordListOf("on at in by under with there here")

// kindly lists words that introduce good wishes: "Remember to breathe!"
var kindly = wordListOf("make be remember ensure")

// comparers lists words that compare one thing with another.
var comparers = wordListOf("than over instead als que do di чем at in by of")

// fears lists verbs for what people don't want to do, or don't want to happen to them, on one
// occasion: "I don't want to miss the bus".
var fears = wordListOf("going miss lose wait go leave fight argue die hurry forget bother bore intrude jinx get rush worry panic")

// reticent lists verbs that people use when they decline to answer: "I prefer not to say".
var reticent = wordListOf("say talk discuss answer tell think know imagine")

// mishaps lists verbs for accidents that people warn each other about: "don't lose your ticket".
var mishaps = wordListOf("lose miss fall slip burn trip choke")

// feelings lists verbs that describe their subject and don't instruct anybody: "the kids always want ice
// cream".
var feelings = wordListOf("want wants love loves like likes hate hates forget forgets eat eats drink drinks sleep sleeps laugh laughs cry cries complain complains win wins lose loses")

// likely lists verbs for what will probably happen anyway: "the test should pass".
var likely = wordListOf("pass work fit help suffice arrive appear")

// perfects lists verbs that begin a past infinitive. Before such a verb, a word for a duty expresses a guess.
var perfects = wordListOf("haber ter aver avere essere avoir")

// copulas lists verbs that link a subject to its description.
var copulas = wordListOf("está están es son est sont ist sind è sono estão")

// atOnce lists words for something that happens soon.
var atOnce = wordListOf("now soon tonight today minutes gleich jetzt bald heute minuten maintenant bientôt minutes ahora pronto minutos agora сейчас скоро минут")

// remarks reports whether a cue is part of a remark rather than an instruction. Each of the functions below does the
// same for the cues of one place.
func (s *spot) remarks() bool {
	if s.describes() || s.about() {
		return true
	}
	before := ""
	if s.before != nil {
		before = s.before.text
	}
	switch {
	case s.w.text == "preferably" && s.seeks(), s.w.text == "need" && (before == "no" || before == "you" && s.i > 1 && asksAnybody.has(s.ws[0].text)), // "can you find what you need to be sure?"
		before == "my" && s.i > 1 && beyond.has(s.ws[s.i-2].text): // "that's above my budget"
		return true
	}
	remarks := placeRules[s.place].remarks
	return remarks != nil && remarks(s)
}

func (s *spot) remarksAnywhere() bool {
	switch {
	case s.strength < strict && s.ws[0].text == "i" && s.textAt(1) == "mean", // it explains the last message
		s.w.text == "easier" && definite.has(s.ws[0].text) && s.all&(products|addressees) == 0, // "the weekend would be easier for me"
		s.saysWhereWriterLives(), s.breaksOff(), s.namesSomething():
		return true
	}
	return s.remarksByWord()
}

// saysWhereWriterLives reports whether the cue, a word for a change, is only about where the writer lives or works:
// "désormais j'habite à Louvain".
func (s *spot) saysWhereWriterLives() bool {
	return s.changes && s.strength == strict && s.all&selves != 0 && s.all&(products|addressees|negations) == 0 &&
		s.settles(s.i)
}

// breaksOff reports whether a cue forbids something but no verb says what: "the notary can't".
func (s *spot) breaksOff() bool {
	return s.strength == strict && s.i > 0 && (s.after == nil || s.after.breaks) && unfinished.has(s.textAt(s.end-1))
}

// namesSomething reports whether a cue is only part of a name: "the refund policy".
func (s *spot) namesSomething() bool {
	return s.size() == 1 && s.before != nil &&
		(pointed.has(s.before.text) || s.w.text == "policy" && s.i > 1 && !s.before.known)
}

// remarksByWord is like remarks, but judges a cue only by its first word and the words around it.
func (s *spot) remarksByWord() bool {
	switch s.w.text {
	case "for": // "book that for me, please?"
		return isQuestion(s.scene.text)
	case "no": // "¡No puede ser!"
		return s.after.is(beings) && len(s.ws) <= 3
	case "reste", "restent", "queda", "quedan": // "il me reste une heure"
		return s.before != nil && leftTo.has(s.before.text)
	case "il": // "Il faut que tu voies ce film !"
		return s.exclaims && s.all&(products|negations) == 0
	case "only":
		return len(s.ws) <= 7 && s.offers(s.end)
	case "remember":
		return s.exclaims && s.all&products == 0
	case "partout": // "de la mousse partout"
		return partitive.has(s.ws[0].text) && s.all&products == 0
	case "in": // "in the future there may be"
		return s.textAt(s.i+1) == "the" && !s.concrete()
	case "ask":
		return s.asksOnce()
	case "we":
		return s.remarksWe()
	}
	return s.remarksByNext()
}

// partitive lists French words that begin a phrase about an amount of something.
var partitive = wordListOf("de du des")

// leftTo lists pronouns for the people who have something left.
var leftTo = wordListOf("me te nous vous lui leur nos le les")

// remarksWe reports whether the cue belongs to "we don't mind", "we only have an hour", or "we
// don't need the old format", which is about one option.
func (s *spot) remarksWe() bool {
	switch s.next {
	case "mind":
		return true
	case "need":
		return s.past || s.all&(quantifiers|lastingly) == 0
	case "have":
		return s.past || s.textAt(s.i+1) == "only"
	}
	return s.past
}

// remarksByNext is like remarks, but judges a cue by the words after it.
func (s *spot) remarksByNext() bool {
	following := s.textAt(s.end + 1)
	return s.next == "to" && fears.has(following) || nearby.has(s.next) || nearby.has(following) ||
		s.size() == 1 && s.after.is(numbers) && s.i > 0
}

func (s *spot) remarksLead() bool {
	switch {
	case s.strength == wish && (nearby.has(s.next) || pointed.has(s.next) && s.textAt(s.end+1) == "one"),
		s.counted(s.end), s.soothes(0, 2):
		return true
	case s.after.is(addressees) && len(s.ws) <= 4, s.next == "mention" && s.word(s.end+1).is(things):
		return true
	case s.next == "tell" && s.exclaims, copulas.has(s.next), s.next == "be" && s.word(s.end+1).is(moods): // "non sono …", "don't be angry"
		return true
	case s.w.text == "always":
		return (len(s.ws) <= 4 || s.exclaims || s.textAt(s.end+2) == "to") && s.after.is(tasks|moods) ||
			s.next == "the" && s.textAt(s.end+1) == "same"
	}
	return (s.exclaims || s.all&products == 0) && mishaps.has(s.next) || s.exclaims && s.wishesWell()
}

// wishesWell reports whether an order with an exclamation mark is no rule but a wish for somebody, or about something that
// happened: "Stay safe!"
func (s *spot) wishesWell() bool {
	return s.past || s.after.is(beings) || s.all&(products|quantifiers) == 0 && kindly.has(s.w.text)
}

func (s *spot) remarksOrder() bool {
	return s.next == "hello" || s.next == "hi" || s.next == "me" && s.word(s.end+1) == nil || s.oneThing(s.end)
}

func (s *spot) remarksTaste() bool {
	return (s.w.text == "we" || s.w.text == "i") && len(s.ws) < 5 && s.all&products == 0 &&
		(s.w.text == "we" || len(s.ws) < 4)
}

func (s *spot) remarksBare() bool {
	if s.w.text == "not" && s.next == "to" && slices.ContainsFunc(s.ws[s.i:], func(w word) bool { return w.text == "but" }) { // "not to be rude, but …"
		return true
	}
	return s.ws[0].text == "there" || s.w.text == "keep" && s.oneState(s.i+1) ||
		s.next == "need" && fears.has(s.textAt(s.end+2)) || s.asksToLeave(s.i) || s.oneThing(s.end) || s.next == "an" ||
		s.soothes(0, 2) || s.w.text == "stay" && s.next == "as" || s.w.text == "no" && s.next == "wait"
}

func (s *spot) remarksNobody() bool {
	if whens.has(s.ws[0].text) && s.ws[1].is(selves) && s.all&addressees == 0 && !s.after.is(products) { // "whenever I call, nobody answers"
		return true
	}
	return s.next == "to" && (s.word(s.end+1).is(idle) || fears.has(s.textAt(s.end+1))) ||
		strings.HasSuffix(s.next, "ed") || feelings.has(s.next) || s.w.text == "only" && s.offers(s.end)
}

func (s *spot) remarksHabit() bool {
	if s.before != nil && (beforeHabit.has(s.before.text) || s.neverAsRemark()) {
		return true
	}
	if s.w.starts { // "Always nice to hear from you!"
		return (s.exclaims || len(s.ws) <= 4) && (s.after.is(moods) || s.after.is(agains) && s.all&products == 0)
	}
	if s.before == nil || s.before.is(selves|addressees) {
		return false
	}
	if s.after == nil && s.i > 2 && relatives.has(s.textAt(s.i-2)) && !beginsOrder(&s.ws[0]) { // "ha una nonna che parla sempre"
		return true
	}
	return s.strength == wish && s.tellsHabit() || // "The bus is always late"
		feelings.has(s.next) && s.all&products == 0 || copulas.has(s.next) && s.all&(products|addressees) == 0
}

// beforeHabit lists words before "always" or "never" in sentences about what may be.
var beforeHabit = wordListOf("as could might")

// tellsHabit reports whether a sentence with a word such as "always" neither orders anything nor says how something must
// be written, and isn't about the writer, the reader or an amount.
func (s *spot) tellsHabit() bool {
	if s.digits || s.all&(products|addressees|selves|quantifiers|numbers) != 0 {
		return false
	}
	return !s.states(s.i, s.next) && !beginsOrder(s.after) && !beginsOrder(s.before) && !s.infinitive()
}

func (s *spot) remarksPermit() bool {
	if s.counts(0) && s.all&(products|addressees) == 0 { // "Twelve eggs are fine"
		return true
	}
	return fears.has(s.next) || s.next == "stop" || pointed.has(s.textAt(len(s.ws)-2))
}

func (s *spot) remarksLoose() bool {
	if manner.has(s.w.text) && s.ws[0].is(selves) && s.all&(products|addressees|quantifiers|lastingly) == 0 { // "we walk without a map"
		return true
	}
	if len(s.ws) < 4 && s.after == nil && s.before != nil && toAll.has(s.before.text) { // "Buonasera a tutti"
		return true
	}
	switch s.w.text {
	case "только": // "the bakery only takes cash"
		return s.i > 1 && endsWithAny(s.before.text, "ет", "ёт", "ит", "ют", "ят")
	case "every":
		return s.remarksEvery()
	case "as":
		return s.all&(moods|addressees) != 0 || s.all&things != 0 && len(s.ws) < 7
	case "stay":
		return s.staysOnce()
	case "only":
		return s.remarksOnly()
	case "ne":
		return s.soothes(1, 2) || s.isUnfinished()
	case "nobody", "no", "nothing", "none", "não", "non", "не":
		return s.remarksNo()
	}
	return false
}

// staysOnce reports whether the cue is a "stay" that is no rule: "stay as long as you like", "if
// you stay", "we stay in Rome".
func (s *spot) staysOnce() bool {
	return s.next == "as" || s.ws[0].is(conditions) || s.digits || s.i == 1 && !s.before.is(products) && manner.has(s.next)
}

// isUnfinished reports whether a clause with "ne" at its beginning ends before a "pas" or the like that negates it.
func (s *spot) isUnfinished() bool {
	end := s.word(s.i + 3)
	return unfinished.has(s.textAt(s.i+2)) && (end == nil || end.breaks)
}

// toAll lists prepositions before the addressees of a greeting.
var toAll = wordListOf("a à an to aan")

// remarksEvery reports whether a sentence with "every" only says what somebody does to all things
// of a kind: "Anna collects every stamp".
func (s *spot) remarksEvery() bool {
	if s.i == 0 && s.all&addressees == 0 || s.all&moods != 0 {
		return true
	}
	return (!s.w.starts || s.all&things != 0) && s.all&(products|addressees) == 0
}

// remarksOnly reports whether the cue is an "only" that forbids nothing: "only 12 percent", "only
// if you have time".
func (s *spot) remarksOnly() bool {
	can := s.textAt(s.i-1) == "can"
	if s.after == nil {
		return can || s.all&(selves|products|addressees) == 0
	}
	return can || s.next == "have" || s.after.is(numbers) || s.next[0] <= '9' || s.offers(s.end)
}

// remarksNo reports whether the cue is a negation that forbids nothing: "nobody laughed", "nothing
// to worry about".
func (s *spot) remarksNo() bool {
	switch {
	case s.w.text == "none" && s.before.is(things), s.before.is(reportVerbs) && s.all&products == 0,
		s.i > 1 && s.before.text == "has" && definite.has(s.ws[0].text): // "the flat has no balcony"
		return true
	}
	return s.next == "to" || s.soothes(0, 1) || fears.has(s.textAt(s.end+2)) || strings.HasSuffix(s.next, "ed") || feelings.has(s.next)
}

// soothes reports whether one of the words from number from to number to after the cue reassures somebody: "no te
// preocupes". The word that directly follows the cue has the number 0.
func (s *spot) soothes(from, to int) bool {
	for k := s.end + from; k <= s.end+to; k++ {
		if soothing.has(s.textAt(k)) {
			return true
		}
	}
	return false
}

func (s *spot) remarksSelf() bool {
	if s.choosesOne(s.i) || s.ofThisDeal() || s.unsure(s.i) || s.proceeds(s.end) || s.thisTime() || s.reticently() || s.namesTrouble() {
		return true
	}
	switch s.next {
	case "the":
		return s.word(s.end+1).is(numbers) || s.before != nil && s.all&addressees != 0 && strings.HasSuffix(s.before.text, "'d")
	case "to":
		return fears.has(s.textAt(s.end + 1))
	}
	return false
}

// namesTrouble reports whether the cue says that the writer has a problem with something, or can't find it.
func (s *spot) namesTrouble() bool {
	switch s.w.text {
	case "problem":
		return s.next == "something" || mine.has(s.next)
	case "find":
		return s.textAt(s.end-1) == "find" && s.all&negations != 0
	}
	return false
}

// reticently reports whether the cue is followed by "not", or ends with it, before a verb for keeping something to oneself.
func (s *spot) reticently() bool {
	return s.next == "not" && reticent.has(s.textAt(s.end+2)) || s.textAt(s.end-1) == "not" && reticent.has(s.next)
}

// ofThisDeal reports whether a sentence about its writer refers to something that was just offered, or to the person
// who offers it: "I prefer flights within that time frame", "I'm interested in the refund", "I prefer to work with you".
func (s *spot) ofThisDeal() bool {
	switch {
	case s.habitual():
		return false
	case s.w.text == "interested" && s.after.is(tasks), s.next == "to" && s.ws[len(s.ws)-1].text == "you":
		return true
	}
	for k := s.end + 1; k < len(s.ws)-1; k++ {
		if pointed.has(s.ws[k].text) && (inclining.has(s.ws[k-1].text) || s.ws[k-1].text == "within") && s.ws[k+1].kinds&tellers == 0 {
			return true
		}
	}
	return false
}

// ofRelative reports whether a sentence is about somebody close to the writer: "my brother gets confused when …".
func (s *spot) ofRelative() bool {
	return s.ws[0].text == "my" && relations.has(s.textAt(1)) && s.all&(products|addressees) == 0
}

func (s *spot) remarksMe() bool {
	if s.ofRelative() || s.ws[0].is(others) || nearby.has(s.next) || nearby.has(s.textAt(s.end+1)) ||
		s.ws[0].is(things) && s.size() > 1 && s.ws[s.end-1].is(selves) {
		return true
	}
	switch s.w.text {
	case "on":
		return slices.ContainsFunc(s.ws[:s.i], func(w word) bool { return w.text == "i'll" })
	case "check":
		return s.after.is(quantifiers)
	case "let's":
		return fears.has(s.next)
	case "would":
		return s.soon()
	case "any":
		return s.soon() || s.all&selves == 0 && !s.weighs(0)
	}
	return false
}

// asksOnce reports whether a request is about one occasion: "can you ask me questions to be sure", unlike "could you
// ask me before you commit".
func (s *spot) asksOnce() bool {
	return s.i > 1 && s.before.text == "you" && asksAnybody.has(s.ws[s.i-2].text) &&
		s.all&(quantifiers|lastingly|conditions) == 0 && s.next != "first"
}

// aside reports whether the order at word i merely ends a story: "the pump set me back 90 euros, don't tell anyone".
func (sc *scene) aside(c *cue, i int) bool {
	return i > 2 && c.strength == strict && (c.place == lead || c.place == bare) && sc.all&(products|lastingly) == 0 &&
		(sc.past || sc.digits || sc.narrates && sc.ws[0].is(selves))
}

// settles reports whether the cue at word i is in a sentence about where the writer will live or work from now on:
// "désormais j'habite à Louvain".
func (sc *scene) settles(i int) bool {
	for k := range sc.ws {
		if w := &sc.ws[k]; k != i && settling.has(w.text) {
			return true
		}
	}
	return false
}

// unfinished lists words that forbid something only if a verb follows that says what is forbidden.
var unfinished = wordListOf("pas puede pueden pode podem può possono")

// settling lists verbs that mean living or working somewhere.
var settling = wordListOf("live work wohne arbeite habite travaille vivo trabajo moro trabalho abito lavoro живу работаю")

// oneThing reports whether the words from word i to the end name a single thing: "keep the change".
func (sc *scene) oneThing(i int) bool {
	object := sc.word(i)
	if object == nil || i+2 != len(sc.ws) || sc.all&(products|quantifiers|lastingly) != 0 || sc.ws[i+1].is(tasks) {
		return false
	}
	switch object.text {
	case "the", "your", "his", "her", "their":
		return true
	}
	return false
}

// oneState reports whether the words beginning at index i name one thing and its state: "keep the note short".
func (sc *scene) oneState(i int) bool {
	thing, end := sc.word(i+1), sc.word(i+3)
	if sc.textAt(i) != "this" && sc.textAt(i) != "the" || sc.all&(quantifiers|lastingly) != 0 || sc.word(i+2) == nil || end != nil && !end.breaks {
		return false
	}
	return !general.has(thing.text) && (!thing.is(products) ||
		sc.textAt(i) == "this" && !thing.breaks && len(sc.ws) == i+3)
}

// proceeds reports whether the word at index i names something that is being done to a single thing: "… in booking the
// new one".
func (sc *scene) proceeds(i int) bool {
	return strings.HasSuffix(sc.textAt(i), "ing") && sc.textAt(len(sc.ws)-1) == "one"
}

// seeks reports whether a sentence asks for a thing or a place: "I need somewhere quiet to stay", "Can you find me a
// florist?"
func (sc *scene) seeks() bool {
	for k := range sc.ws[:min(len(sc.ws)-1, 4)] {
		if seeking.has(sc.ws[k].text) {
			return true
		}
	}
	return false
}

// seeking lists words used to ask for a thing or a place.
var seeking = wordListOf("need want like looking find book recommend suggest searching")

// unsure reports whether the writer is uncertain about the statement that begins with word i.
func (sc *scene) unsure(i int) bool {
	for k := 1; k < i; k++ {
		if sc.ws[k].text == "sure" && sc.ws[k-1].is(negations) {
			return true
		}
	}
	return false
}

// onceMore reports whether a sentence asks to repeat something once: "try it again without the cache".
func (sc *scene) onceMore() bool {
	for k := range sc.ws {
		if repeating.has(sc.ws[k].text) && (k == 0 || !each.has(sc.ws[k-1].text)) {
			return true
		}
	}
	return false
}

// thisTime reports whether a sentence is about a single occasion: "I'd prefer Tuesday this time".
func (sc *scene) thisTime() bool {
	for i := 1; i < len(sc.ws); i++ {
		if w := sc.ws[i].text; sc.ws[i-1].text == "this" && (w == "time" || w == "once" || w == "week" || w == "evening" || w == "weekend") {
			return true
		}
	}
	return false
}

// asksToLeave reports whether a sentence asks the reader to leave one thing somewhere. i is the index of "leave".
func (sc *scene) asksToLeave(i int) bool {
	if sc.ws[i].text != "leave" || !sc.word(i+1).is(tasks|things) {
		return false
	}
	for k := i + 2; k < len(sc.ws) && !sc.ws[k].breaks && k < i+5; k++ {
		switch {
		case sc.ws[k].is(products | quantifiers), sc.ws[k].text == "as", sc.ws[k].text == "alone":
			return false
		case somewhere.has(sc.ws[k].text):
			return true
		}
	}
	return false
}

// offers reports whether the condition that begins at word i is merely a courtesy: "only if you have time".
func (sc *scene) offers(i int) bool {
	for k := i; k < len(sc.ws) && k < i+6; k++ {
		if sc.ws[k].is(moment) && !sc.ws[k].is(moods) && sc.ws[k].text != "have" && sc.ws[k].text != "get" {
			return true
		}
	}
	return false
}

// soon reports whether a sentence is about the near future.
func (sc *scene) soon() bool {
	for i := range sc.ws {
		if atOnce.has(sc.ws[i].text) {
			return true
		}
	}
	return false
}

// weighs reports whether the words after index i compare two things.
func (sc *scene) weighs(i int) bool {
	for k := i + 1; k+1 < len(sc.ws); k++ {
		switch sc.ws[k].text {
		case "than", "over", "als", "que", "чем", "che":
			return true
		}
	}
	return false
}

// ofWriter reports whether a sentence begins with "I am" in any of the supported languages.
func (sc *scene) ofWriter() bool {
	switch sc.ws[0].text {
	case "i'm", "sono", "soy", "sou":
		return true
	case "i", "ich", "je", "ik":
		be := sc.ws[1].text
		return be == "am" || be == "bin" || be == "suis" || be == "ben"
	case "я":
		return true
	}
	return false
}

// ofProducts reports whether any word apart from the verb at index i names something that the reader writes.
func (sc *scene) ofProducts(i int) bool {
	for k := range sc.ws {
		if k != i && sc.ws[k].is(products) {
			return true
		}
	}
	return false
}

// textAt returns the text of the word at index i, or "" if there is no such word.
func (sc *scene) textAt(i int) string {
	if w := sc.word(i); w != nil {
		return w.text
	}
	return ""
}
