package digest

import (
	"slices"
	"strings"
)

// This file recognizes sentences that only sound like a rule or a preference: remarks, wishes, one-time requests, and predictions.

// soothing lists words after "don't" in sentences that reassure somebody: "no te preocupes".
var soothing = wordListOf("fais feelings hello hi preocupes preocupe preocupéis inquiète inquiétez preoccupare preoccuparti preoccuparsi preocupa preocupar волнуйся волнуйтесь беспокойся переживай")

// somewhere lists words that introduce a place: "leave it on the porch".
var somewhere = wordListOf("on at in by under with there here")

// kindly lists words that introduce good wishes: "Remember to breathe!"
var kindly = wordListOf("make be remember ensure")

// comparers lists words that compare one thing with another.
var comparers = wordListOf("than over instead als que do di чем at in by of")

// fears lists verbs for what people don't want to happen to them: "I don't want to miss the bus".
var fears = wordListOf("going miss lose wait go leave fight argue die hurry forget bother bore intrude jinx get rush worry panic")

// reticent lists verbs with which people decline to answer: "I prefer not to say".
var reticent = wordListOf("say talk discuss answer tell think know imagine")

// mishaps lists verbs for accidents that people warn each other about: "don't lose your ticket".
var mishaps = wordListOf("lose miss fall slip burn trip choke")

// feelings lists verbs whose subject isn't somebody whom an instruction could be about: "the kids always want ice
// cream".
var feelings = wordListOf("want wants love loves like likes hate hates forget forgets eat eats drink drinks sleep sleeps laugh laughs cry cries complain complains win wins lose loses")

// likely lists verbs for what will probably happen by itself: "the test should pass".
var likely = wordListOf("pass work fit help suffice arrive appear")

// perfects lists verbs that begin a past infinitive. Before one, a word for a duty expresses a guess.
var perfects = wordListOf("haber ter aver avere essere avoir")

// copulas lists verbs between a subject and its description.
var copulas = wordListOf("está están es son est sont ist sind è sono estão")

// atOnce lists words for something that happens soon.
var atOnce = wordListOf("now soon tonight today minutes gleich jetzt bald heute minuten maintenant bientôt minutes ahora pronto minutos agora сейчас скоро минут")

// dealings lists verbs for what other people do to or for the writer.
var dealings = wordListOf("calls tells asks gives sends says shows owes helps teaches takes picks wants needs knows sees meets visits reminds texts emails follows brings pays joins lets gets leaves thinks hears drives invites offers promises keeps hates loves likes misses understands beats")

// remarks reports whether a cue of size words at word i is part of a remark instead of an instruction.
func (sc *scene) remarks(c cue, i, size int) bool {
	if sc.describes(c, i, size) || sc.about(c, i, size) {
		return true
	}
	w, before, after := &sc.ws[i], sc.word(i-1), sc.word(i+size)
	next, then := sc.textAt(i+size), sc.word(i+size+1)
	if w.text == "preferably" && sc.seeks() || w.text == "need" && before != nil && before.text == "no" {
		return true
	}
	if before != nil && before.text == "my" && i > 1 && beyond.has(sc.ws[i-2].text) { // "that's above my budget"
		return true
	}
	feared := fears.has(sc.textAt(i + size + 1))
	switch c.place {
	case anywhere:
		if c.changes && c.strength == strict && sc.all&selves != 0 && sc.all&(products|addressees|negations) == 0 && sc.settles(i) {
			return true
		}
		if c.strength == strict && i > 0 && (after == nil || after.breaks) && unfinished.has(sc.textAt(i+size-1)) { // "the notary can't"
			return true
		}
		if size == 1 && before != nil && (pointed.has(before.text) || w.text == "policy" && i > 1 && !before.known) { // "the refund policy"
			return true
		}
		switch w.text {
		case "for": // "book that for me, please?"
			return asks(sc.text)
		case "no": // "¡No puede ser!"
			return after.is(beings) && len(sc.ws) <= 3
		case "il": // "Il faut que tu voies ce film !"
			return sc.exclaims && sc.all&(products|negations) == 0
		case "only":
			return len(sc.ws) <= 7 && sc.offers(i+size)
		case "remember":
			return sc.exclaims && sc.all&products == 0
		case "in": // "in the future there may be"
			return sc.textAt(i+1) == "the" && !sc.concrete()
		case "we": // "we don't mind", "we only have an hour"
			return sc.past || next == "mind" || next == "have" && sc.textAt(i+1) == "only"
		}
		return next == "to" && feared || nearby.has(next) || nearby.has(sc.textAt(i+size+1)) || size == 1 && after.is(numbers) && i > 0
	case lead:
		switch {
		case c.strength == wish && pointed.has(next) && sc.textAt(i+size+1) == "one", sc.counted(i + size), soothing.has(next), c.strength == wish && nearby.has(next):
			return true
		case after.is(addressees) && len(sc.ws) <= 4, soothing.has(sc.textAt(i + size + 1)), soothing.has(sc.textAt(i + size + 2)), next == "mention" && then.is(things):
			return true
		case next == "tell" && sc.exclaims, copulas.has(next), next == "be" && then.is(moods): // "non sono …", "don't be angry"
			return true
		case w.text == "always":
			return (len(sc.ws) <= 4 || sc.exclaims || sc.textAt(i+size+2) == "to") && after.is(tasks|moods) || next == "the" && sc.textAt(i+size+1) == "same"
		}
		return (sc.exclaims || sc.all&products == 0) && mishaps.has(next) || sc.exclaims && (sc.past || after.is(beings) || sc.all&(products|quantifiers) == 0 && kindly.has(w.text))
	case order:
		return next == "hello" || next == "hi" || next == "me" && then == nil || sc.oneThing(i+size)
	case taste:
		return (w.text == "we" || w.text == "i") && len(sc.ws) < 5 && sc.all&products == 0 && (w.text == "we" || len(sc.ws) < 4)
	case bare:
		if w.text == "not" && next == "to" && slices.ContainsFunc(sc.ws[i:], func(w word) bool { return w.text == "but" }) { // "not to be rude, but …"
			return true
		}
		return sc.ws[0].text == "there" || w.text == "keep" && sc.oneState(i+1) || next == "need" && fears.has(sc.textAt(i+size+2)) || sc.places(i) || sc.oneThing(i+size) || next == "an" || soothing.has(next) || soothing.has(sc.textAt(i+size+1)) || soothing.has(sc.textAt(i+size+2)) || w.text == "stay" && next == "as" || w.text == "no" && next == "wait"
	case nobody:
		return next == "to" && (then.is(idle) || fears.has(sc.textAt(i+size+1))) || strings.HasSuffix(next, "ed") || feelings.has(next) || w.text == "only" && sc.offers(i+size)
	case habit:
		if before != nil && (before.text == "as" || before.text == "could" || before.text == "might") {
			return true
		}
		if w.starts { // "Always nice to hear from you!"
			return (sc.exclaims || len(sc.ws) <= 4) && (after.is(moods) || after.is(agains) && sc.all&products == 0)
		}
		if before == nil || before.is(selves|addressees) {
			return false
		}
		return c.strength == wish && !sc.states(i, next) && !beginsOrder(after) && !beginsOrder(before) && !sc.infinitive() && sc.all&(products|addressees|selves|quantifiers|numbers) == 0 && !sc.digits || // "The bus is always late"
			feelings.has(next) && sc.all&products == 0 || copulas.has(next) && sc.all&(products|addressees) == 0
	case permit:
		return fears.has(next) || pointed.has(sc.textAt(len(sc.ws)-2))
	case loose:
		if manner.has(w.text) && sc.ws[0].is(selves) && sc.all&(products|addressees|quantifiers|lastingly) == 0 { // "we walk without a map"
			return true
		}
		switch w.text {
		case "только": // "the bakery only takes cash"
			return i > 1 && endsWithAny(before.text, "ет", "ёт", "ит", "ют", "ят")
		case "every": // "Anna collects every stamp"
			return sc.all&moods != 0 || sc.all&things != 0 && sc.all&(products|addressees) == 0 || i == 0 && sc.all&addressees == 0 || !w.starts && sc.all&(products|addressees) == 0
		case "as":
			return sc.all&(moods|addressees) != 0 || sc.all&things != 0 && len(sc.ws) < 7
		case "stay":
			return next == "as" || sc.ws[0].is(conditions) || sc.digits || i == 1 && !before.is(products) && manner.has(next)
		case "only": // "only 12 percent", "only if you have time"
			return next == "have" || after == nil && sc.all&(selves|products|addressees) == 0 || after.is(numbers) || next != "" && next[0] <= '9' || sc.offers(i+size) || before != nil && before.text == "can"
		case "ne":
			end := sc.word(i + 3)
			return soothing.has(sc.textAt(i+size+1)) || soothing.has(sc.textAt(i+size+2)) || unfinished.has(sc.textAt(i+2)) && (end == nil || end.breaks)
		case "nobody", "no", "nothing", "none", "não", "non", "не":
			return soothing.has(next) || next == "to" || fears.has(sc.textAt(i+size+2)) || soothing.has(sc.textAt(i+size+1)) || before.is(reportVerbs) && sc.all&products == 0 || strings.HasSuffix(next, "ed") || feelings.has(next)
		}
	case self:
		return sc.choosesOne(i) || w.text == "problem" && (next == "something" || mine.has(next)) || sc.unsure(i) || sc.proceeds(i+size) || before != nil && next == "the" && sc.all&addressees != 0 && strings.HasSuffix(before.text, "'d") || sc.thisTime() || w.text == "find" && sc.all&negations != 0 || next == "not" && reticent.has(sc.textAt(i+size+2)) || sc.textAt(i+size-1) == "not" && reticent.has(next) || next == "the" && then.is(numbers) || next == "to" && feared
	case me:
		return nearby.has(next) || nearby.has(sc.textAt(i+size+1)) || w.text == "let's" && fears.has(next) || sc.ws[0].is(things) && size > 1 && sc.ws[i+size-1].is(selves) || sc.ws[0].is(others) || (w.text == "would" || w.text == "any") && sc.soon() || w.text == "any" && sc.all&selves == 0 && !sc.weighs(0)
	}
	return false
}

// aside reports whether the order at word i is only the end of a story: "the pump set me back 90 euros, don't tell
// anyone".
func (sc *scene) aside(c *cue, i int) bool {
	return i > 2 && c.strength == strict && (c.place == lead || c.place == bare) && sc.all&(products|lastingly) == 0 &&
		(sc.past || sc.digits || sc.narrates && sc.ws[0].is(selves))
}

// settles reports whether the writer says where he or she will live or work from now on: "désormais j'habite à
// Louvain". i is the index of the cue.
func (sc *scene) settles(i int) bool {
	for k := range sc.ws {
		if w := &sc.ws[k]; k != i && settling.has(w.text) {
			return true
		}
	}
	return false
}

// unfinished lists words that forbid something only if a verb follows that says what.
var unfinished = wordListOf("pas puede pueden pode podem può possono")

// settling lists verbs that mean living or working somewhere.
var settling = wordListOf("live work wohne arbeite habite travaille vivo trabajo moro trabalho abito lavoro живу работаю")

// oneThing reports whether the words from i on name a single thing and end the sentence: "keep the change".
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

// oneState reports whether the words from i on name one thing and its state: "keep the note short".
func (sc *scene) oneState(i int) bool {
	thing, end := sc.word(i+1), sc.word(i+3)
	if sc.textAt(i) != "this" && sc.textAt(i) != "the" || sc.all&(quantifiers|lastingly) != 0 || sc.word(i+2) == nil || end != nil && !end.breaks {
		return false
	}
	return !general.has(thing.text) && (!thing.is(products) || sc.textAt(i) == "this" && !thing.breaks && len(sc.ws) == i+3)
}

// proceeds reports whether a sentence is about doing something, named by the word at i, to a single thing: "… in
// booking the new one".
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

// unsure reports whether the writer is uncertain about what the word at i says.
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

// places reports whether a sentence asks to leave one thing somewhere, with "leave" as word i.
func (sc *scene) places(i int) bool {
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

// offers reports whether the condition that begins at word i is only polite: "only if you have time".
func (sc *scene) offers(i int) bool {
	for k := i; k < len(sc.ws) && k < i+6; k++ {
		if sc.ws[k].is(moment) && !sc.ws[k].is(moods) && sc.ws[k].text != "have" && sc.ws[k].text != "get" {
			return true
		}
	}
	return false
}

// soon reports whether a sentence is about the next hours.
func (sc *scene) soon() bool {
	for i := range sc.ws {
		if atOnce.has(sc.ws[i].text) {
			return true
		}
	}
	return false
}

// moved returns the byte offset of the verb in a sentence about the effect of something on its writer, as in "Small
// talk exhausts me", or -1.
func (sc *scene) moved() int {
	if len(sc.ws) < 3 || len(sc.ws) > 12 || sc.past || sc.exclaims || sc.all&(days|others|addressees) != 0 || sc.ws[0].is(narrators|askers|tasks|conditions) {
		return -1
	}
	for i := 1; i+1 < len(sc.ws); i++ {
		if sc.ws[i+1].text != "me" {
			continue
		}
		w := &sc.ws[i]
		many := strings.HasSuffix(sc.ws[i-1].text, "s") && !sc.ws[i-1].is(persons|things|idle)
		if n := len(w.text); n > 3 && (many || w.text[n-1] == 's' && w.text[n-2] != 's') && !w.is(persons) && !w.breaks && !dealings.has(w.text) && !inclining.has(w.text) && w.text != "from" {
			return w.at
		}
		return -1
	}
	return -1
}

// weighs reports whether the words from i on compare two things.
func (sc *scene) weighs(i int) bool {
	for k := i + 1; k+1 < len(sc.ws); k++ {
		switch sc.ws[k].text {
		case "than", "over", "als", "que", "чем", "che":
			return true
		}
	}
	return false
}

// ofWriter reports whether a sentence begins with "I am", in any of the languages.
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

// ofProducts reports whether a sentence with a verb at word i is about what the reader writes.
func (sc *scene) ofProducts(i int) bool {
	for k := range sc.ws {
		if k != i && sc.ws[k].is(products) {
			return true
		}
	}
	return false
}

// textAt returns the text of the word at i, or "".
func (sc *scene) textAt(i int) string {
	if w := sc.word(i); w != nil {
		return w.text
	}
	return ""
}
