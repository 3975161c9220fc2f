package digest

import "strings"

// This file recognizes rules that a sentence only implies: who reads the answers ("My boss reads these, so …"), what
// helps the writer, what would be good, what a household or a third party insists on, and what the writer lacks.

// implied returns the byte offset of the decisive word in a sentence that implies a rule, or -1.
func (sc *scene) implied() int {
	if sc.all&(days|others) != 0 || sc.ws[0].is(askers) && !sc.ws[0].is(narrators|conditions) {
		return -1
	}
	if at := max(sc.concludes(), sc.helpful(), sc.suffices()); at >= 0 {
		return at
	}
	return max(sc.asSomeone(), sc.demanded(), sc.usesUnit(), sc.ofHousehold(), sc.needsInCase(), sc.outOfReach())
}

// Word lists for conclusions: judgments that rule out or recommend, verbs of duty, and verbs for keeping in mind.
var (
	ruledOut    = wordListOf("out useless off impossible pointless wasted better easier helpful enough fine hard difficult tricky problem good essential important")
	prescribing = wordListOf("has have needs need should must gets goes")
	reminding   = wordListOf("keep bear think remember consider")
)

// concludes recognizes conclusions from a fact about the writer, or about who reads the answers:
// "These go to a client, so they need to be polite", "My knees are bad, so running is out". It
// returns the byte offset of the word that introduces the conclusion, or -1 for any other sentence.
func (sc *scene) concludes() int {
	if sc.past {
		return -1
	}
	own := false
	for i := range sc.ws {
		w := &sc.ws[i]
		if i > 1 && i+2 < len(sc.ws) && w.breaks && concluding.has(w.text) {
			if own && sc.concludesAt(i+1) {
				return w.at
			}
			return -1
		}
		own = own || sc.statesFact(i)
	}
	return -1
}

// statesFact reports whether the word at index i shows that the sentence begins with a fact from which something may
// follow: it refers to the writer, says that something doesn't exist, or points at what the message contains.
func (sc *scene) statesFact(i int) bool {
	w, first := &sc.ws[i], sc.ws[0].text
	switch {
	case w.is(selves) || w.text == "my" || w.text == "our" || mine.has(w.text):
		return true
	case i == 0:
		next := sc.textAt(1)
		return pointed.has(w.text) && (next == "is" || next == "are" || governs.has(next))
	}
	return w.is(negations) && (i == 1 && first == "there's" || i == 2 && first == "there")
}

// concludesAt reports whether the clause that begins at word i says what holds for everything of a kind, or what to
// consider.
func (sc *scene) concludesAt(i int) bool {
	for i+2 < len(sc.ws) && (openings.has(sc.ws[i].text) || sc.ws[i].is(joins)) {
		i++
	}
	first, last := &sc.ws[i], len(sc.ws)-1
	switch {
	case first.text == "bitte" && i+1 == last:
		return true
	case reminding.has(first.text):
		return pointed.has(sc.textAt(i+1)) || sc.textAt(i+1) == "of" && pointed.has(sc.textAt(i+2))
	case !sc.ofKindAt(i), sc.ws[last].text == "now", atOnce.has(sc.ws[last].text), momentary.has(sc.ws[last].text):
		return false
	}
	for k := i + 1; k < last && k < i+6; k++ {
		switch w := &sc.ws[k]; {
		case w.breaks:
			return false
		case prescribing.has(w.text):
			return w.text == "should" || w.text == "must" || sc.ws[k+1].text == "to" && sc.textAt(k+2) != "wait"
		case assessing.has(w.text):
			before := sc.ws[k-1].text
			return first.text != "that" && !first.is(things) && !modal.has(before) && !asksAnybody.has(before) && sc.judgesEach(k+1)
		}
	}
	return false
}

// assessing lists verbs that introduce what something of a kind is like, or does.
var assessing = wordListOf("is are mean make help work")

// ofKindAt reports whether the subject that begins at word i may be everything of a kind, rather than the writer,
// somebody else, or a single thing. "The" must be followed by something that the assistant writes.
func (sc *scene) ofKindAt(i int) bool {
	first := &sc.ws[i]
	if first.is(selves|numbers) || first.is(persons) && first.text != "they" || articles.has(first.text) {
		return false
	}
	return !definite.has(first.text) || sc.ofMatter(i+1)
}

// ofMatter reports whether the noun phrase that begins at word i is about what the assistant writes.
func (sc *scene) ofMatter(i int) bool {
	for k := i; k < len(sc.ws) && k < i+3; k++ {
		if sc.ws[k].is(products) || sc.ws[k].text == "part" || sc.ws[k].text == "point" {
			return true
		}
	}
	return false
}

// judgesEach reports whether one of the words from index i on rules something out, or recommends it.
func (sc *scene) judgesEach(i int) bool {
	if sc.ws[i-1].text != "is" && sc.ws[i-1].text != "are" {
		return true
	}
	for k := i; k < len(sc.ws) && k < i+3; k++ {
		if ruledOut.has(sc.ws[k].text) {
			return true
		}
	}
	return false
}

// Word lists for what would be good: adjectives, verbs that take them, and verbs for having or seeing something.
var (
	good = wordListOf("good nice great lovely handy useful helpful easier better ideal practical convenient perfect fantastic awesome cool neat wonderful clearer simpler " +
		"bien utile pratique mieux idéal útil bueno práctico mejor ideal bom prático melhor comodo utile meglio pratico bello удобно полезно хорошо лучше gut praktisch hilfreich besser schön")
	wishful = wordListOf("be serait sería seria sarebbe aiderait ayudaría ajudaria aiuterebbe wäre было fände")
	loving  = wordListOf("love appreciate aiderait ayudaría ajudaria aiuterebbe")
	havings = wordListOf("have see get know read avoir voir tener ver ter vedere avere")
)

// wouldBeGood recognizes wishes that are worded as opinions on what would be good: "It'd be handy to have the sources
// under each claim", "I'd find it helpful if you numbered the steps", "Ce serait bien d'avoir le prix à côté". It
// returns the byte offset of the word that shows it, or -1 for any other sentence.
func (sc *scene) wouldBeGood() int {
	if sc.all&(days|others) != 0 {
		return -1
	}
	for i := 1; i+3 < len(sc.ws) && i < 8; i++ {
		if !good.has(sc.ws[i].text) && !loving.has(sc.ws[i].text) || !sc.hypothesizes(i) {
			continue
		}
		if sc.wishesAfter(i) {
			return sc.ws[i].at
		}
		return -1
	}
	return -1
}

// wishesAfter reports whether the words after the adjective or verb at word i say what would be good in each answer.
func (sc *scene) wishesAfter(i int) bool {
	next := i + 1
	for toWords.has(sc.textAt(next)) {
		next++
	}
	if sc.textAt(next) == "it" && loving.has(sc.ws[i].text) {
		next++
	}
	w, after := sc.word(next), sc.word(next+1)
	switch {
	case w == nil || after == nil:
		return false
	case whens.has(w.text):
		return after.is(addressees|quantifiers) || sc.all&products != 0 && sc.ws[i-1].text != "serait"
	case havings.has(w.text):
		english := w.script == spaced && sc.textAt(next-1) == "to"
		return sc.all&(products|quantifiers) != 0 || !english && (definite.has(after.text) || plurals.has(after.text) || pluralArticles.has(after.text))
	}
	return false
}

// pluralArticles lists articles of French and Spanish plurals.
var pluralArticles = wordListOf("les los")

// toWords lists words between an adjective and an infinitive.
var toWords = wordListOf("to d' de")

// hypothesizes reports whether the words before index i make the adjective there a wish.
func (sc *scene) hypothesizes(i int) bool {
	if w := sc.ws[i].text; loving.has(w) {
		return wishful.has(w) || sc.ws[i-1].text == "would" || strings.HasSuffix(sc.ws[i-1].text, "'d")
	}
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		w, before := sc.ws[k].text, sc.textAt(k-1)
		short := strings.HasSuffix(before, "'d")
		if wishful.has(w) && (w != "be" || short || before == "would") || w == "find" && short && sc.ws[k+1].text == "it" {
			return true
		}
		if !sc.ws[k].is(shades|things) && w != "much" {
			return false
		}
	}
	return false
}

// Word lists for what helps: the verbs, and the ends of phrases with which they describe an effect on the writer.
var (
	helping = wordListOf("help helps helfen hilft aident aide ayudan ayuda ajudam ajuda aiutano aiuta помогают помогает")
	onMe    = wordListOf("me mir m' mi мне")
)

// helpful recognizes sentences about what helps the writer: "Comparisons with cooking help me", "Having the price next
// to each option helps", "A short summary first would save me time". It returns the byte offset of the word that shows
// it, or -1 for any other sentence.
func (sc *scene) helpful() int {
	if sc.past || len(sc.ws) > 20 || !sc.beginsWithKind() {
		return -1
	}
	for i := 1; i < len(sc.ws); i++ {
		switch w := &sc.ws[i]; {
		case w.breaks && !w.is(conjunctions):
			return -1
		case helping.has(w.text) && !sc.ws[i-1].is(tasks|persons):
			if sc.helpsMe(i) {
				return w.at
			}
			return -1
		case sc.easesWork(i):
			return w.at
		}
	}
	return -1
}

// beginsWithKind reports whether the first word may begin the name of a kind of thing. Otherwise it refers to a person,
// to the reader, or to something that was mentioned before.
func (sc *scene) beginsWithKind() bool {
	w := &sc.ws[0]
	return !w.is(persons) && (!w.is(things|addressees|tasks) || articles.has(w.text) || w.text == "the")
}

// helpsMe reports whether the verb at index i says what helps the writer, and not whom else it helps, or with what.
func (sc *scene) helpsMe(i int) bool {
	before, next := sc.ws[i-1].text, sc.word(i+1)
	return before != "not" && sc.helpsBefore(i) &&
		(next == nil || next.breaks || onMe.has(before) || onMe.has(next.text) || next.text == "a" && sc.textAt(i+2) == "lot")
}

// easesWork reports whether the verb at index i says that something saves the writer time, is useful, or works well.
func (sc *scene) easesWork(i int) bool {
	written, next, last := sc.all&products != 0, sc.word(i+1), sc.textAt(len(sc.ws)-1)
	switch sc.ws[i].text {
	case "would":
		return written && next != nil && sc.servesMe(i+1)
	case "make", "makes":
		return next.is(quantifiers) && last == "difference" || written && sc.textAt(i+1) == "it" && sc.textAt(i+2) == "easier"
	case "is", "are":
		return written && last == "me" && sc.usefulAt(i+1)
	case "work", "works":
		return i+3 < len(sc.ws) && sc.textAt(len(sc.ws)-2) != "for" && sc.forMe(i+1)
	}
	return false
}

// helpsBefore reports whether the words before index i denote a kind of thing and not a person or a particular one.
func (sc *scene) helpsBefore(i int) bool {
	named := false
	for k := range sc.ws[:i] {
		w := &sc.ws[k]
		if w.is(persons|pasts|addressees) || w.text == "to" {
			return false
		}
		if everything.has(w.text) || w.text == "something" || w.text == "nothing" {
			return false
		}
		named = named || w.is(products) || len(w.text) > 4 && (strings.HasSuffix(w.text, "s") || isGerund(w.text)) && !strings.HasSuffix(w.text, "ss")
	}
	return named && (sc.ws[0].text != "the" || sc.all&products != 0)
}

// servesMe reports whether the words from index i on say that something would be of use to the writer.
func (sc *scene) servesMe(i int) bool {
	switch sc.ws[i].text {
	case "save", "do", "help", "spare":
		return sc.textAt(i+1) == "me" || sc.ws[i].text == "help" && (i+1 == len(sc.ws) || sc.textAt(i+1) == "a")
	}
	return false
}

// usefulAt reports whether the words from index i on say that something is useful.
func (sc *scene) usefulAt(i int) bool {
	for k := i; k < len(sc.ws) && k < i+3; k++ {
		if good.has(sc.ws[k].text) {
			return true
		}
	}
	return false
}

// forMe reports whether one of the few words from index i on, which must be about how well something works, is "for me" or
// "for my".
func (sc *scene) forMe(i int) bool {
	for k := i; k+1 < len(sc.ws) && k < i+4; k++ {
		if sc.ws[k].text == "for" {
			return k > i && (sc.ws[k+1].text == "me" || sc.ws[k+1].text == "my")
		}
	}
	return false
}

// suffices recognizes sentences about how much is enough: "Just the code is enough", "For someone like me, three items
// are plenty", "There's no need for the long introductions". It returns the byte offset of the word that shows it, or
// -1 for any other sentence.
func (sc *scene) suffices() int {
	for i := 1; i+1 < len(sc.ws); i++ {
		w, next := &sc.ws[i], &sc.ws[i+1]
		switch {
		case (w.text == "is" || w.text == "are") && (next.text == "enough" || next.text == "plenty"):
			if sc.ws[0].text == "just" && sc.ofMatter(1) || sc.ws[0].text == "for" && sc.textAt(2) == "like" && sc.textAt(3) == "me" {
				return w.at
			}
		case w.text == "no" && next.text == "need" && sc.textAt(i+2) == "for" && sc.ws[0].text == "there's":
			if sc.all&products != 0 || sc.textAt(len(sc.ws)-1) == "introductions" || sc.textAt(len(sc.ws)-1) == "intros" {
				return w.at
			}
		}
	}
	return -1
}

// Word lists for what somebody else demands: verbs that forbid or require something, verbs that do so only together with
// a kind of thing, and people who read what the assistant writes.
var (
	forbidding = wordListOf("bans ban forbids prohibits disallows rejects mandates requires")
	wantsOf    = wordListOf("wants want accepts accept cuts cut expects expect insists takes take hates dislikes prefers")
	audience   = wordListOf("readers audience listeners viewers users")
)

// demanded recognizes sentences about what somebody who isn't present demands of all things of a
// kind: "The magazine wants British spelling", "My son's school bans nuts". It also recognizes
// descriptions of who will read an answer: "Our readers are twelve years old". It returns the byte
// offset of the word that shows it, or -1 for any other sentence.
func (sc *scene) demanded() int {
	ws := sc.ws
	if sc.past || !definite.has(ws[0].text) && ws[0].text != "my" && ws[0].text != "our" || sc.ws[0].text == "o" || sc.soon() {
		return -1
	}
	for i := 2; i+1 < len(ws) && i < 5 && !ws[i].breaks; i++ {
		w := &ws[i]
		switch {
		case ws[0].text != "the" && i == 2 && w.text == "are" && audience.has(ws[1].text) && !ws[3].is(moods|moment|things):
			return w.at
		case (forbidding.has(w.text) || wantsOf.has(w.text)) && sc.demandsEach(i+1, forbidding.has(w.text)):
			return w.at
		}
	}
	return -1
}

// demandsEach reports whether the object that begins at word i denotes everything of a kind. Unless strictly is set,
// the verb only sometimes demands something; it then needs a word for what the assistant writes, or for everything.
func (sc *scene) demandsEach(i int, strictly bool) bool {
	if w := &sc.ws[i]; w.is(tasks|persons|addressees|things|numbers|days|selves) || w.text == "to" || inclining.has(w.text) && w.text != "on" {
		return false
	}
	for k := i; k < len(sc.ws); k++ {
		w := &sc.ws[k]
		if w.text == "by" || w.text == "back" || w.text == "until" {
			return false
		}
		if everything.has(w.text) || k < i+3 && w.is(products) {
			return true
		}
	}
	return strictly && sc.generally(i)
}

// asSomeone recognizes sentences that begin with what kind of person the writer is: "As someone who
// avoids sugar, I …". It returns the byte offset of the word after "who", or -1 for any other
// sentence, also for biographies: "As someone who works here".
func (sc *scene) asSomeone() int {
	for i := 0; i+4 < len(sc.ws); i++ {
		if w := sc.ws[i].text; (w == "as" || w == "for") && (sc.ws[i+1].text == "someone" || sc.ws[i+1].text == "somebody") && sc.ws[i+2].text == "who" && !sc.ws[i+3].is(beings|pasts) && !biographic.has(sc.ws[i+3].text) {
			return sc.ws[i+3].at
		}
	}
	return -1
}

// biographic lists verbs for what people are or do, which is no preference.
var biographic = wordListOf("works lives spends knows has teaches grew just is")

// measuring lists verbs for what people do in a unit, a currency or a language.
var measuring = wordListOf("pay measure weigh count calculate think bake budget reckon price rechnen rechne zahlen zahle wiegen messen denke comptons payons mesurons contamos pagamos medimos")

// usesUnit recognizes sentences about the unit in which the writer measures or pays: "We pay in
// zlotys here", "We weigh everything in pounds". It returns the byte offset of the word that shows
// it, or -1 for any other sentence.
func (sc *scene) usesUnit() int {
	if sc.past || !sc.ws[0].is(selves) || !measuring.has(sc.ws[1].text) {
		return -1
	}
	for i := 2; i+1 < len(sc.ws) && i < 5; i++ {
		if w, unit := &sc.ws[i], &sc.ws[i+1]; (w.text == "in" || w.text == "en") && !unit.is(tasks|numbers|persons|days) && !definite.has(unit.text) {
			return sc.ws[1].at
		}
	}
	return -1
}

// households lists words for people who live together.
var households = wordListOf("household family home couple haushalt foyer famille hogar familia família famiglia")

// ofHousehold recognizes sentences about the writer's kind of household or family: "We're a metric
// household". It returns the byte offset of the word that shows it, or -1 for any other sentence.
func (sc *scene) ofHousehold() int {
	if !sc.ws[0].is(selves) {
		return -1
	}
	at := 1
	if sc.ws[0].text != "we're" {
		if !linking.has(sc.ws[1].text) && sc.ws[1].text != "sommes" && sc.ws[1].text != "somos" {
			return -1
		}
		at = 2
	}
	if !articles.has(sc.textAt(at)) {
		return -1
	}
	for k := at + 1; k < len(sc.ws) && k < at+4; k++ {
		if households.has(sc.ws[k].text) && !sc.ws[at+1].is(moods|numbers) && !households.has(sc.ws[at+1].text) {
			return sc.ws[k].at
		}
	}
	return -1
}

// needsInCase recognizes sentences about what the writer wants to know in a certain case: "When you
// quote a price, I need to know whether tax is in it". It returns the byte offset of the word that
// shows it, or -1 for any other sentence.
func (sc *scene) needsInCase() int {
	if !whens.has(sc.ws[0].text) && sc.ws[0].text != "every" || !sc.conditional() {
		return -1
	}
	for i := 3; i+3 < len(sc.ws); i++ {
		w := &sc.ws[i]
		if !w.is(selves) || sc.ws[0].text != "every" && !w.breaks {
			continue
		}
		for k := i + 1; k < i+3 && k+2 < len(sc.ws); k++ {
			if v := sc.ws[k].text; (askFor.has(v) || v == "have") && sc.ws[k+1].text == "to" && finding.has(sc.ws[k+2].text) {
				return w.at
			}
		}
		return -1
	}
	return -1
}

// finding lists verbs for what people do with an answer.
var finding = wordListOf("know see hear understand read look check search google")

// outOfReach recognizes sentences about what the writer lacks or rules out: "With my salary,
// anything over 50 is out", "I don't own an oven". It returns the byte offset of the word that
// shows it, or -1 for any other sentence.
func (sc *scene) outOfReach() int {
	ws := sc.ws
	for i := 0; i+2 < len(ws); i++ {
		switch w := &ws[i]; {
		case w.is(selves) && ws[i+1].is(negations) && ws[i+2].text == "own" && i+3 < len(ws) && (articles.has(ws[i+3].text) || ws[i+3].text == "any"):
			return ws[i+2].at
		case w.starts && everything.has(w.text) && (i == 0 || ws[0].text == "with"):
			for k := i + 2; k+1 < len(ws) && k < i+7; k++ {
				if ws[k].text == "is" && (ruledOut.has(ws[k+1].text) || ws[k+1].text == "too") {
					return w.at
				}
			}
		}
	}
	return -1
}
