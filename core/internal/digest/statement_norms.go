package digest

import (
	"slices"
	"strings"
)

// This file recognizes norms by their form. A norm says what everything of a kind must be like.

// norm recognizes sentences about everything of a kind: "Commits get signed", "Anything about pay goes through Igor
// first", "Our style guide forbids contractions". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) norm() int {
	ws := sc.ws
	switch first := ws[0].text; {
	case everything.has(first):
		return sc.ofAnything()
	case first == "i" && len(ws) > 4:
		if askFor.has(ws[1].text) && everything.has(ws[2].text) && manner.has(ws[3].text) { // "I need everything in metres"
			return ws[2].at
		}
		return sc.wantsForEach()
	case sc.onlySuch() > 0:
		return ws[0].at
	case first == "for":
		return sc.scoped()
	case first == "you" || first == "your":
		return sc.addressed()
	case first == "our":
		return sc.demands()
	}
	if ws[0].is(quantifiers) {
		if at := sc.ofEach(); at >= 0 {
			return at
		}
	}
	if at := sc.rulesEachOfAKind(); at >= 0 {
		return at
	}
	return sc.ofPlural()
}

// demands returns the byte offset of the verb that says what something of the writer's demands, or -1: "Our style guide
// forbids contractions".
func (sc *scene) demands() int {
	for i := 2; i < min(len(sc.ws)-1, 5); i++ {
		if demanding.has(sc.ws[i].text) {
			return sc.ws[i].at
		}
	}
	return -1
}

// ofPlural recognizes sentences that begin with a plural, or with a word and a plural, and prescribe something for it. It
// returns the byte offset of the word after the plural, or -1.
func (sc *scene) ofPlural() int {
	ws := sc.ws
	for i := 1; i < min(len(ws)-1, 3); i++ {
		w, next := &ws[i-1], &ws[i+1]
		alone := i == 1 || !ws[0].known // only an unknown word, such as a name, may be before the plural
		prescribes := w.is(products) && governs.has(ws[i].text) && alone && !next.is(tasks|numbers|idle)
		needs := i == 2 && ws[i].text == "need" && next.is(tasks) && !w.known && sc.warns() // "new endpoints need a limit, otherwise …"
		switch {
		case (alone || ws[0].is(quantifiers)) && sc.laysDown(w), strings.HasSuffix(w.text, "s") && (prescribes || needs):
			return ws[i].at
		}
	}
	return -1
}

// wantsForEach recognizes wishes for all things of a kind: "I expect sources for every claim". It returns the byte
// offset of the word that shows this, or -1.
func (sc *scene) wantsForEach() int {
	if !askFor.has(sc.ws[1].text) || sc.all&days != 0 {
		return -1
	}
	for i := 3; i+1 < len(sc.ws) && !sc.ws[i].breaks; i++ {
		if each.has(sc.ws[i].text) && (sc.ws[i-1].text == "for" || manner.has(sc.ws[i-1].text)) && !sc.ws[i+1].is(persons|days|numbers) {
			return sc.ws[1].at
		}
	}
	return -1
}

// laysDown reports whether a sentence that begins with a plural prescribes, without a verb, the form of the things that
// the plural names: "Variables in snake_case", "All dates in ISO format".
func (sc *scene) laysDown(plural *word) bool {
	i := 1
	if plural != &sc.ws[0] {
		i = 2
	}
	if len(sc.ws) > 14 || !plural.is(products) || !strings.HasSuffix(plural.text, "s") && !strings.HasSuffix(plural.text, "n") || sc.all&days != 0 {
		return false
	}
	next := sc.word(i + 1)
	if orders.has(sc.ws[i].text) {
		return next.breaks
	}
	if sc.ws[i].text == "for" {
		return next.is(quantifiers)
	}
	return manner.has(sc.ws[i].text) && !next.quoted && !next.is(tasks|persons|addressees|numbers|idle) &&
		!definite.has(next.text)
}

// states reports whether "always" at word i prescribes the form of a kind of thing: "Les prix sont toujours en francs",
// "Prezzi sempre in euro". next is the word after it.
func (sc *scene) states(i int, next string) bool {
	return manner.has(next) && (i < 3 || plurals.has(sc.textAt(i-1))) &&
		(sc.all&persons == 0 || sc.ws[0].text == "i" && !sc.ws[1].known)
}

// warns reports whether a sentence says what happens if its instruction isn't obeyed.
func (sc *scene) warns() bool {
	return slices.ContainsFunc(sc.ws, func(w word) bool { return w.breaks && w.text == "otherwise" })
}

// manner lists prepositions that introduce the way in which something is written or done.
var manner = wordListOf("in with without as em ohne mit sans en sin sem senza zonder без на")

// plurals lists verb forms for a plural subject. orders lists words such as "first" and "last" that pick a part by its
// position in a text.
var (
	plurals = wordListOf("are sind sont son são sono zijn")
	orders  = wordListOf("first last above below")
)

// ofAnything recognizes sentences about everything that fits a description: "Anything about pay goes through Igor
// first", "Whatever you book, it has to be near the station", "Anything over 50 euros needs two offers". It returns the
// byte offset of the word that shows this, or -1.
func (sc *scene) ofAnything() int {
	ws := sc.ws
	described := ws[1].is(addressees | selves)
	for i := 2; i < len(ws); i++ {
		switch w := &ws[i]; {
		case i > 2 && inOrder.has(w.text), described && i > 2 && i+2 < len(ws) && w.breaks,
			!described && governs.has(w.text), ws[1].is(addressees) && i > 2 && governs.has(w.text) && articles.has(sc.textAt(i+1)): // "Everything you draft needs a title"
			return w.at
		}
	}
	return -1
}

// scoped recognizes sentences that begin by saying what they apply to: "For all future trips: …". It returns the byte
// offset of the word that shows this, or -1.
func (sc *scene) scoped() int {
	if !sc.ws[1].is(quantifiers) && sc.ws[1].text != "future" || sc.ws[2].text == "of" && pointed.has(sc.textAt(3)) {
		return -1
	}
	for i := 3; i < min(len(sc.ws), 7); i++ {
		if sc.ws[i].breaks && !sc.ws[2].is(persons|tasks) {
			return sc.ws[i].at
		}
	}
	return -1
}

// addressed recognizes instructions that are worded as statements about the reader: "You write in the past tense",
// "Your job is to keep every entry short". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) addressed() int {
	ws := sc.ws
	if ws[0].text == "your" {
		if ws[2].text == "is" && sc.textAt(3) == "to" && sc.lasts() {
			return ws[2].at
		}
		return -1
	}
	verb := 1
	if ws[1].is(shades | lastingly) {
		verb = 2
	}
	next, then := sc.word(verb+1), sc.word(verb+2)
	if next != nil && (next.text == "me" || next.text == "with") && !then.is(products|numbers|quantifiers) { // "you give me hope"
		return -1
	}
	if next != nil && beginsOrder(&ws[verb]) && (manner.has(next.text) || next.is(quantifiers|products) || next.text == "me") {
		return ws[verb].at
	}
	return -1
}

// beginsOrder reports whether a word is a verb that introduces orders about how to do something.
func beginsOrder(w *word) bool {
	if w == nil {
		return false
	}
	for n := int(w.cues) - 1; n >= 0; n = cues.after(n) {
		if cues.row(n).place == order {
			return true
		}
	}
	return false
}

// infinitive reports whether a German sentence is an order in the infinitive: "Bei Preisen immer die Summe nennen".
func (sc *scene) infinitive() bool {
	last := &sc.ws[len(sc.ws)-1]
	return sc.all&(persons|beings) == 0 && !last.known && last.text == sc.text[last.at:last.end] &&
		strings.HasSuffix(last.text, "en")
}

// ofEach recognizes sentences about all things of a kind that the reader writes, or that must have the same form: "All
// photos need a caption", "Cada carta termina con «…»". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) ofEach() int {
	ws := sc.ws
	if len(ws) < 4 || sc.all&(days|others) != 0 || definite.has(ws[1].text) || ws[1].is(persons|things) || ws[2].text == "has" || momentary.has(ws[len(ws)-1].text) {
		return -1
	}
	written := false // the sentence says what to write, or addresses the reader
	for i := 1; i < len(ws); i++ {
		w := &ws[i]
		if i < 4 && i > 1 && governs.has(w.text) && i+1 < len(ws) && !ws[i+1].is(idle|persons) {
			return w.at
		}
		written = written || w.quoted || i < 5 && w.is(addressees)
		if sc.relates(i) {
			return -1
		}
	}
	if !written {
		return -1
	}
	return ws[1].at
}

// relates reports whether word i shows that a sentence says what happened, how somebody feels, or what its writer does.
func (sc *scene) relates(i int) bool {
	w, before := &sc.ws[i], &sc.ws[i-1]
	return w.is(selves) && !inclining.has(before.text) || w.is(moods) && !w.quoted ||
		len(w.text) > 4 && strings.HasSuffix(w.text, "ed") && !before.known
}

// onlySuch returns the index of an "only" that ends an order, or a phrase that is too short to contain a verb: 2 in
// "Short answers only". Otherwise it returns 0.
func (sc *scene) onlySuch() int {
	if sc.ws[0].is(narrators|persons|addressees|things|numbers) || definite.has(sc.ws[0].text) {
		return 0
	}
	for i := 1; i < min(len(sc.ws), 7) && !sc.ws[i].is(narrators|persons|days); i++ {
		if sc.ws[i].text == "only" && (i+1 == len(sc.ws) || sc.ws[i+1].breaks) && (i < 3 || beginsOrder(&sc.ws[0])) {
			return i
		}
	}
	return 0
}

// rulesEachOfAKind recognizes sentences about a part of each thing of a kind, and orders that apply
// to all things of a kind: "The first line of every post is a question", "Double-check the
// allergens in all menus", "Have a look at any number before you send it". It also recognizes
// sentences about what nobody may use: "It's a no to anything with gelatin". It returns the byte
// offset of the word that shows this, or -1.
func (sc *scene) rulesEachOfAKind() int {
	ws := sc.ws
	if sc.all&(moods|days|others) != 0 || ws[0].is(persons|selves|addressees) {
		return -1
	}
	verb := sc.startsWithVerb()
	for i := 2; i+1 < len(ws); i++ {
		switch w, next := &ws[i], &ws[i+1]; {
		case w.is(quantifiers) && everything.has(w.text):
			if sc.all&negations != 0 && inclining.has(next.text) && !ws[0].is(askers&^narrators) {
				return w.at
			}
		case w.is(quantifiers) && !next.is(tasks|persons|things|addressees):
			before := ws[i-1].text
			part := before == "of" && definite.has(ws[0].text) && i+3 < len(ws) // "The first line of every …"
			if part || verb && i > 2 && ofObjects.has(before) && !errands.has(ws[0].text) || rulesOut(ws[i:]) {
				return w.at
			}
		}
	}
	return -1
}

// ofObjects lists prepositions between the verb of an order and the things to which it applies.
var ofObjects = wordListOf("in on with for")

// startsWithVerb reports whether a sentence probably begins with the verb of an order: "Double-check …", "Have a look".
func (sc *scene) startsWithVerb() bool {
	first, next := &sc.ws[0], &sc.ws[1]
	if first.is(things|tasks|quantifiers|narrators|askers) || next.is(askers) || inclining.has(next.text) {
		return false
	}
	return !strings.HasSuffix(first.text, "s") && (beginsOrder(first) || next.is(tasks) || sc.text[first.end] == '-')
}
