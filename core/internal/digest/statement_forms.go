package digest

import (
	"slices"
	"strings"
)

// This file recognizes statements without a cue by the form of the sentence: an order inside a request ("I want you to
// …"), an order for a certain case ("If a test is flaky, tell me"), a norm for everything of a kind, a mishap that
// shows what to avoid, and what people say about themselves in general. It looks only at grammatical words. Most forms
// are English; in other languages, statements are mostly recognized by cues.

// Lists of words that identify these forms.
var (
	askFor     = wordListOf("want need like expect ask asking require prefer for")
	vital      = wordListOf("important essential crucial vital critical imperative")
	everything = wordListOf("anything everything whatever whoever")
	inOrder    = wordListOf("first before through until unless only without")
	demanding  = wordListOf("forbids forbid requires require demands demand insists insist mandates bans prohibits disallows expects expect rejects reject")
	losses     = wordListOf("lost lose broke broken failed crashed gone down fined leaked wasted cost deleted corrupted overwritten blamed outage complaint complaints trouble sued hacked")
	governs    = wordListOf("get gets go goes come comes need needs start starts end ends belong follow live carry carries")
	// inclining lists prepositions that follow a word for an attitude towards something: "obsessed with".
	inclining = wordListOf("of about to with by for in on when against towards toward")
	// fleeting lists words for how people feel at the moment, or what they are about to do.
	fleeting = wordListOf("sorry worried glad grateful thankful jealous surprised curious able unable eager willing ready supposed likely due allowed new back here out off done about part member on in at from with of for stuck aware afraid")
	// knowing lists verbs for what people know, feel or have at the moment.
	knowing = wordListOf("think hope guess know wonder see understand mean agree suppose believe remember need have wish get hear recall speak say said want feel care mind expect doubt promise swear find")
	// limiting lists words that people use to describe what they always do, or how they like it.
	limiting = wordListOf("usually mostly rarely seldom only without most best better rather over than instead anything everything exclusively always never")
	counters = wordListOf("i i'm i've i'd")
)

// formWords contains at least one word of each form. Text that contains neither one of these words nor a cue isn't
// examined further.
var formWords = strings.Fields("reicht suffit suffisent basta bastan mir peine nicht brauche mit avec con com с besser leichter mieux mejor melhor meglio лучше понятнее encore otra vez nouveau novo nuovo опять leser lecteurs lectores leitores lettori читатели lesen affichent ven aparecem vedono видны pas нет chez así так again anymore longer too also work works geht gehen wieder mehr auch maintenant aussi nouveau plus ya ahora también agora também mais adesso anche più теперь больше тоже снова raise lower increase reduce decrease bump extend mach mache erhöhe senke súbelo bájalo ponlo hazlo auméntalo redúcelo portalo alzalo abbassalo went gone too zu trop demasiado troppo слишком so also donc así então quindi help helps hilft would be wish enough plenty less fewer more weniger mehr moins menos keep asked again wants bans accepts rejects cuts in we we're serait sería seria sarebbe было get me mi of favourite favorite for you your could когда quando cuando quand als ohne sans sin sem senza zonder без меня before usually mostly meist meistens liever alleen généralement normalement normalmente обычно my mon ma mi meu minha mio mia mein meine mijn мой моя моё next bevor ik i i'm me our last anything everything whatever whoever when if unless si wenn falls you get gets go goes come comes need needs belong follow starts ends nur nie grundsätzlich immer uniquement solo sólo nunca só mai только idea idee idée ideia thing cap ban rule rules regel règle regla regra regola правило limite sache")

// requested returns the index of the word that begins the order inside a request: "It's important that [you] never …",
// "try to …". It returns 0 if there is none.
func requested(ws []word) int {
	for i := 1; i+2 < len(ws) && i < 12; i++ {
		if n := requestedAt(ws, i); n > 0 {
			return n
		}
	}
	return 0
}

// requestedAt is like requested, but only looks at the words around word i. At least two words must follow it.
func requestedAt(ws []word, i int) int {
	w, before, earlier, next := ws[i].text, ws[i-1].text, "", &ws[i+1]
	if i > 1 {
		earlier = ws[i-2].text
	}
	follows := false
	switch w {
	case "to":
		follows = before == "try" && ws[i-1].starts || before == "you" && askFor.has(earlier)
	case "you":
		if before == "told" && next.text == "that" {
			return i + 2
		}
		follows = before == "told" || before == "that" && vital.has(earlier)
	case "said", "mentioned":
		follows = before == "i" && (next.breaks || w == "said" && forbidsNext(ws[i+1:]))
	case "be":
		if before == "to" && earlier == "you" && fewer.has(next.text) {
			return i
		}
	case "que":
		follows = i > 2 && before == "así" && ws[i-1].breaks
	}
	if follows || i > 2 && concluding.has(w) && !ws[i].is(joins) && ws[i].breaks {
		return i + 1
	}
	return 0
}

// forbidsNext reports whether ws, which has at least two words, begins with a "no" that forbids something: "[I said] no
// emojis", unlike "no to that".
func forbidsNext(ws []word) bool {
	return ws[0].text == "no" && !ws[1].is(addressees) && ws[1].text != "to"
}

// formed returns the byte offset of the words that make a sentence without a cue a statement about how to work or about
// what its writer likes, or -1 if it is neither. Each function whose offset it returns does the same for one form.
func (sc *scene) formed() int {
	if len(sc.ws) < 3 || sc.exclaims || sc.attributed() || sc.befallen() {
		return -1
	}
	if at := sc.advised(); at >= 0 {
		return at
	}
	if at := max(sc.feedback(), sc.wouldBeGood()); at >= 0 {
		sc.implies = true
		return at
	}
	if at := sc.lesson(); at >= 0 || sc.past {
		return at
	}
	if at := max(sc.ordered(), sc.forbidsAll(), sc.moved(), sc.norm(), sc.recurring(), sc.reported(), sc.politely()); at >= 0 {
		return at
	}
	if at := max(sc.implied(), sc.impliedAbroad()); at >= 0 {
		sc.implies = true
		return at
	}
	if len(sc.ws) > 16 || sc.all&(days|others|addressees) != 0 {
		return -1
	}
	if at := sc.limits(); at >= 0 {
		return at
	}
	return max(sc.bodyRefuses(), sc.takes(), sc.effectOnWriterInflected(), sc.inclined(), sc.restricted(), sc.forWriter(), sc.whenI(),
		sc.favours())
}

// forbidsAll recognizes an order whose verb is in no table and whose object is "nothing": "so plan nothing between twelve
// and two". It returns the byte offset of the verb, or -1.
func (sc *scene) forbidsAll() int {
	for i := 0; i+2 < len(sc.ws); i++ {
		w := &sc.ws[i]
		if !w.starts || w.quoted || w.known && !w.is(verbs|products) || degrees.has(w.text) || endsWithAny(w.text, "s", "ed", "ing", "ly") {
			continue
		}
		nothing, after := &sc.ws[i+1], sc.ws[i+2].text
		if nothing.text == "nothing" && !nothing.breaks && forbiddenFor.has(after) && (i == 0 || w.breaks || concluding.has(sc.ws[i-1].text)) {
			return w.at
		}
	}
	return -1
}

// forbiddenFor lists words after "nothing" that say when or where something is forbidden, or what. degrees lists adverbs
// that may precede "nothing" in a description: "almost nothing".
var (
	forbiddenFor = wordListOf("between before after on in at with without from for that else during until over under")
	degrees      = wordListOf("almost far next else otherwise still today there here suddenly now then just absolutely practically virtually")
)

// takes recognizes sentences about how their writer likes something served: "I take my tea black", "Ik drink mijn
// koffie zwart". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) takes() int {
	ws := sc.ws
	if len(ws) != 5 && !(len(ws) == 6 && manner.has(ws[4].text)) || !writers.has(ws[0].text) && ws[0].text != "i" || !mine.has(ws[2].text) || ws[1].kinds != 0 || knowing.has(ws[1].text) || ws[4].known && len(ws) == 5 || strings.HasSuffix(ws[4].text, "ly") {
		return -1
	}
	return ws[1].at
}

// mine lists possessive pronouns that refer to the writer.
var mine = wordListOf("my mein meine meinen mijn mon ma")

// lesson recognizes sentences about what went wrong last time: "The last time we deployed on a Friday, two days were
// lost". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) lesson() int {
	ours, lost, last := false, false, -1
	for i := range sc.ws {
		w := &sc.ws[i]
		if w.text == "last" && last < 0 && i < len(sc.ws)-2 {
			last = i
		}
		lost = lost || losses.has(w.text)
		ours = ours || w.text == "somebody" || w.text == "someone" || w.text == "we"
	}
	if last >= 0 && lost && (sc.ws[last+1].text == "time" || ours) {
		return sc.ws[last].at
	}
	return -1
}

// favours returns the byte offset of the word for "favorite" in a sentence about the writer's favorite thing, or -1:
// "My favourite colour is teal", "Mon plat préféré est …".
func (sc *scene) favours() int {
	ws := sc.ws
	for i := range ws[:min(len(ws), 6)] {
		if i > 0 && (i < min(len(ws)-1, 4) && (ws[0].is(persons) || ws[1].is(persons)) || ws[i-1].text == "my" && !ws[0].is(things)) {
			for _, start := range favourites {
				if strings.HasPrefix(ws[i].text, start) {
					return ws[i].at
				}
			}
		}
	}
	return -1
}

// favourites lists the beginnings of words for what people like best.
var favourites = [...]string{"favo", "préfér", "preferid", "preferit", "liebl", "lievel", "любим"}

// anyCase reports whether a sentence says in which cases it applies: "If a test is flaky", "When in doubt", "Every time
// I mention money".
func (sc *scene) anyCase() bool {
	for i := range sc.ws[:len(sc.ws)-2] {
		w, next := sc.ws[i].text, &sc.ws[i+1]
		switch w {
		case "if", "when", "whenever", "unless":
			if next.text == "in" || next.text == "a" || next.text == "an" || strings.HasPrefix(next.text, "there") || next.text == "any" || next.text == "no" || strings.HasPrefix(next.text, "some") || strings.HasPrefix(next.text, "any") {
				return true
			}
		case "before", "after":
			if each.has(next.text) {
				return true
			}
		case "every", "each", "any":
			if next.text == "time" && sc.ws[i+2].is(selves|addressees) {
				return true
			}
		}
	}
	return false
}

// recurring recognizes sentences about something that must be done again and again: "Run the linter on everything you
// touch", "Vor jedem Deal bitte …". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) recurring() int {
	at := recurs(sc.ws)
	if at < 0 || sc.ws[0].is(persons|things|narrators) {
		return -1
	}
	last := sc.ws[len(sc.ws)-1].text
	if errands.has(sc.ws[0].text) || nextTime.has(sc.ws[at].text) && (at == 0 || sc.ws[at].starts || sc.ws[at-1].is(tasks)) || at == 0 && (last == "bitte" || len(last) > 4 && strings.HasSuffix(last, "en") && sc.all&persons == 0) {
		return sc.ws[at].at
	}
	return -1
}

// reported recognizes sentences, in a language other than English, that say when to inform the writer: "Si un test
// casse, préviens-moi", "Se um teste falhar, me avise". It returns the byte offset of the request, or -1.
func (sc *scene) reported() int {
	if !inCase.has(sc.ws[0].text) || !indefinite.has(sc.ws[1].text) && !(sc.ws[1].is(addressees) && something.has(sc.ws[2].text)) {
		return -1
	}
	for i := 3; i < len(sc.ws); i++ {
		if sc.ws[i].breaks {
			if sc.ws[i].is(persons|selves) && !toWriter.has(sc.ws[i].text) {
				return -1
			}
			for k := i; k < len(sc.ws) && k < i+3; k++ {
				if w := sc.ws[k].text; toWriter.has(w) || len(w) > 5 && strings.HasSuffix(w, "me") {
					return sc.ws[i].at
				}
			}
		}
	}
	return -1
}

// Word lists for the function reported: words that introduce a case, words for "something", indefinite articles, and
// objects that refer to the writer.
var (
	inCase     = wordListOf("si se wenn falls bevor avant если")
	something  = wordListOf("etwas was quelque irgendetwas")
	indefinite = wordListOf("un une una uno um uma ein eine какой-то какая-то")
	toWriter   = wordListOf("moi me mir mich мне")
)

// generally reports whether the object that begins at word i denotes a kind of thing rather than a particular one.
func (sc *scene) generally(i int) bool {
	w := sc.word(i)
	if w == nil || w.breaks || w.quoted || w.is(tasks|reactions|things|persons|addressees|numbers|days) {
		return false
	}
	c := sc.text[w.at]
	return c < 'A' || c > 'Z' && c < '0' || c > 'Z'
}

// writer returns the index of the verb after an "I" at the beginning of a clause, and whether the verb is negated.
// The index is -1 if there is no such "I".
func (sc *scene) writer() (verb int, negated bool) {
	for i := range sc.ws[:len(sc.ws)-2] {
		w := &sc.ws[i]
		if w.text != "i" && w.text != "i'm" && w.text != "i'd" || i > 0 && !w.starts && sc.ws[i-1].text != "and" {
			continue
		}
		k := i + 1
		for k < len(sc.ws) && sc.ws[k].is(shades|negations) && !sc.ws[k].breaks || k < len(sc.ws) && modal.has(sc.ws[k].text) {
			negated = negated || sc.ws[k].is(negations) || strings.HasSuffix(sc.ws[k].text, "n't")
			k++
		}
		if k < len(sc.ws) && sc.ws[k].is(persons|tasks) && k > i+1 { // "I do my best …"
			k--
		}
		if k < len(sc.ws) && !sc.ws[k].breaks {
			return k, negated
		}
	}
	return -1, false
}

var modal = wordListOf("can could would wouldn't will won't")

// inclined recognizes sentences about the writer's attitude towards a kind of thing: "I'm picky about coffee". It
// returns the byte offset of the word that shows this, or -1.
func (sc *scene) inclined() int {
	i, _ := sc.writer()
	if i < 1 || i+2 >= len(sc.ws) || sc.ws[i-1].text != "i'm" && sc.ws[i-1].text != "am" && !sc.ofWriter() {
		return -1
	}
	w := &sc.ws[i]
	if len(w.text) < 4 || strings.HasSuffix(w.text, "ing") || fleeting.has(w.text) || w.is(moods|idle|persons|things|tasks|numbers|moment) {
		return -1
	}
	if inclining.has(sc.ws[i+1].text) && sc.generally(i+2) && !sc.proceeds(i+2) &&
		!(strings.HasSuffix(sc.ws[i+2].text, "ing") && sc.word(i+3).is(tasks)) { // "insistent on having the insurance"
		return w.at
	}
	return -1
}

// restricted recognizes sentences about something that the writer does only or never, or does in a certain way: "I take
// my tea without sugar". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) restricted() int {
	i, negated := sc.writer()
	if i < 1 {
		return -1
	}
	w := &sc.ws[i]
	if last := len(sc.ws) - 1; sc.ws[last].text == "now" && sc.ws[last-1].text == "right" { // "I don't have a pen right now"
		return -1
	}
	if i == 1 && !negated && sc.suffers(i) {
		return w.at
	}
	if !sc.mayRestrict(i) {
		return -1
	}
	if sc.ws[i-1].text == "could" && len(sc.ws) > i+2 && each.has(sc.ws[len(sc.ws)-2].text) { // "I could eat soup every day"
		return w.at
	}
	object := sc.objectOf(i)
	if w.text == "longer" && negated { // "no longer" expresses a change, unless a taste follows
		if w = sc.word(object); w == nil || w.text == "use" || knowing.has(w.text) || settling.has(w.text) {
			return -1
		}
	}
	avoids := !knowing.has(w.text) && !fleeting.has(w.text) && sc.generally(object)
	if negated && avoids && sc.ws[i-1].text != "have" && !isBeing(sc.textAt(i-2)) && !isBeing(sc.ws[i-1].text) {
		return w.at
	}
	return sc.limited(i, negated)
}

// mayRestrict reports whether word i may be a verb for what the writer always or never does.
func (sc *scene) mayRestrict(i int) bool {
	w := &sc.ws[i]
	if knowing.has(w.text) && w.text != "feel" || w.is(persons|things|tasks|pasts|idle) || endsWithAny(w.text, "ed", "ing") {
		return false
	}
	return sc.all&things == 0 && (!sc.digits || sc.canOnly(i))
}

// objectOf returns the index at which the object of the writer's verb at word i begins. It returns
// the number of words if the sentence says what the writer can or can't do, because that often
// holds only at the moment. It makes an exception if "with" or "without" follows.
func (sc *scene) objectOf(i int) int {
	object := i + 1
	switch before := sc.ws[i-1].text; {
	case strings.HasPrefix(before, "can"):
		if with := sc.textAt(object); with != "with" && with != "without" {
			return len(sc.ws)
		}
		return object + 1
	case sc.ws[0].text == "i'd" && before == "never" && sc.word(object).is(tasks):
		return object + 1
	}
	return object
}

// canOnly reports whether "can only" precedes the verb at word i. The sentence then states a limit of the writer, even
// if it contains a number: "I can only focus for 25 minutes".
func (sc *scene) canOnly(i int) bool {
	return sc.ws[i-1].text == "only" && sc.textAt(i-2) == "can" && !sc.counts(i+1)
}

// isBeing reports whether a word is "am" or "I'm", so that the next word is an adjective rather
// than a verb.
func isBeing(w string) bool { return w == "am" || w == "i'm" }

// suffers reports whether the verb at word i says how something always affects the writer: "I sleep badly on trains",
// "I get seasick on ferries".
func (sc *scene) suffers(i int) bool {
	if len(sc.ws) >= 9 || !inclining.has(sc.textAt(i+2)) || !sc.generally(i+3) || !strings.HasSuffix(sc.textAt(i+3), "s") {
		return false
	}
	w, next := &sc.ws[i], &sc.ws[i+1]
	return w.kinds == 0 && len(next.text) > 4 && strings.HasSuffix(next.text, "ly") ||
		w.text == "get" && !next.known && !endsWithAny(next.text, "s", "ed")
}

// limited returns the byte offset of the word that restricts what the writer does, or -1. i is the index of the verb.
// negated means that the verb is negated.
func (sc *scene) limited(i int, negated bool) int {
	for k := i - 1; k+1 < len(sc.ws); k++ {
		if limiting.has(sc.ws[k].text) && sc.ws[k+1].text != "the" && (!negated || k > i) && k > 0 && !sc.ws[k+1].breaks && (sc.all&numbers == 0 || sc.ws[k].text == "over") {
			return sc.ws[k].at
		}
	}
	return -1
}

// writers lists words for "I" in languages other than English. limitWords lists the equivalents of the words in
// limiting in these languages.
var (
	writers    = wordListOf("ich ik je j' yo eu io я")
	limitWords = wordListOf("ohne sans sin sem senza zonder без nur nie niemals grundsätzlich immer stets lieber ungern selten rarement raramente редко meist meistens kein keine keinen alleen nooit altijd liever geen uniquement généralement normalement normalmente обычно seulement jamais toujours solo sólo nunca siempre só sempre mai soltanto только никогда всегда")
)

// limits is like restricted, but for other languages. In Spanish, Portuguese and Italian, the verb form shows that the
// writer is the subject: "Solo duermo bien …". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) limits() int {
	if sc.digits || slices.ContainsFunc(sc.ws, func(w word) bool { return w.is(things) && w.text != "il" }) {
		return -1
	}
	for i := range sc.ws[:len(sc.ws)-1] {
		if !limitWords.has(sc.ws[i].text) {
			continue
		}
		if writers.has(sc.ws[0].text) && (i > 1 || sc.ws[0].text == "я" && !sc.ws[2].known) {
			return sc.ws[i].at
		}
		far := manner.has(sc.ws[i].text) // whether the verb may be further ahead: "bevo il caffè senza zucchero"
		if i > 0 && (far || i < 2) && sc.endsInO(0) || i != 1 && (far || i < 3) && sc.endsInO(1) && !sc.ws[0].is(persons|tasks) {
			return sc.ws[i].at
		}
	}
	return -1
}

// endsInO reports whether word i may be the first person of a verb in Spanish, Portuguese or Italian.
func (sc *scene) endsInO(i int) bool {
	w := &sc.ws[i]
	return !w.known && len(w.text) > 3 && strings.HasSuffix(w.text, "o")
}

// forWriter recognizes sentences about how something affects the writer: "Anything with nuts is a no for me". It
// returns the byte offset of the word that shows this, or -1.
func (sc *scene) forWriter() int {
	if sc.ws[0].is(things | addressees | askers | tasks | persons | numbers) {
		return -1
	}
	linked := -1
	if sc.all&lastingly != 0 || manner.has(sc.ws[1].text) { // "dark mode everywhere for me"
		linked = 0
	}
	for i := 1; i+1 < len(sc.ws) && !sc.ws[i].is(things) && (!sc.ws[i].is(moods) || linked == i-1 && sc.ws[linked].text == "are"); i++ {
		switch sc.ws[i].text {
		case "is", "are", "isn't", "aren't", "taste", "tastes", "smell", "smells", "mean", "means", "beat", "beats", "works", "work":
			linked = i
		case "for", "to":
			if linked >= 0 && i > linked+1 && sc.ws[i+1].text == "me" && (sc.ws[linked+1].text == "a" || !sc.ws[linked+1].is(tasks)) {
				return sc.ws[linked].at
			}
		}
	}
	return -1
}

// whenI recognizes sentences that describe the writer indirectly: "Mornings are when I'm best", "What I love most is
// tea". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) whenI() int {
	ws := sc.ws
	if ws[0].text == "what" && ws[1].text == "i" && len(ws) > 4 && !knowing.has(ws[2].text) {
		for i := 3; i < len(ws)-1; i++ {
			if superlatives.has(ws[i].text) && ws[i+1].text == "is" {
				return ws[2].at
			}
		}
	}
	if ws[0].is(things | persons | addressees | askers) {
		return -1
	}
	only := false // whether "the only" precedes
	for i := 1; i+1 < len(ws); i++ {
		only = only || ws[i].text == "the" && ws[i+1].text == "only"
		if counters.has(ws[i+1].text) && (only && i+2 < len(ws) && !knowing.has(ws[i+2].text) || sc.linksClause(i)) {
			return ws[i].at
		}
	}
	return -1
}

// superlatives lists words that make a sentence about the extreme of something.
var superlatives = wordListOf("most best least")

// linksClause reports whether a clause that describes the subject begins with word i: "Mornings are when …".
func (sc *scene) linksClause(i int) bool {
	if before := sc.ws[i-1].text; before != "is" && before != "are" {
		return false
	}
	w := sc.ws[i].text
	return w == "when" || w == "where" || w == "how"
}

// advised recognizes sentences about what a doctor has told the writer: "My doctor told me not to eat grapefruit", "the
// dentist put me on a soft diet". It returns the byte offset of the word that shows this, or -1.
func (sc *scene) advised() int {
	for i := 0; i < min(len(sc.ws)-3, 3); i++ {
		if w := &sc.ws[i]; !healers.has(w.text) && !strings.HasSuffix(w.text, "ologist") || w.quoted {
			continue
		}
		switch next := &sc.ws[i+1]; next.text {
		case "put":
			if sc.ws[i+2].text == "me" && sc.ws[len(sc.ws)-1].text == "diet" {
				return next.at
			}
		case "told", "asked", "advised", "warned", "says", "said", "wants":
			if sc.ws[i+2].text == "me" || sc.ws[i+2].text == "i" && sc.ws[i+3].is(askers|negations) {
				return next.at
			}
		}
	}
	return -1
}

// healers lists words for people whose advice to the writer restricts what others may suggest to the writer.
var healers = wordListOf("doctor doc gp dr dentist physician physio physiotherapist therapist nutritionist dietitian dietician midwife surgeon")
