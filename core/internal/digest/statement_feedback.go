package digest

import (
	"slices"
	"strings"
)

// This file recognizes feedback on what the assistant wrote, which says how it should write from now on: "The last answer
// was too long", "You forgot the sources again", "I get lost when you use tables".

// feedback returns the byte offset of the decisive word in a sentence about what the assistant wrote, or -1. The sentence
// may be in the past tense.
func (sc *scene) feedback() int {
	if len(sc.ws) < 3 || sc.exclaims || sc.all&(days|others) != 0 {
		return -1
	}
	return max(sc.ratesAnswer(), sc.remindsReader(), sc.troubled(), sc.comparesMore(), sc.wishesYours(), sc.illegible(), sc.praises())
}

// Word lists for feedback: words for "too", what people say about the form of an answer, nouns for an answer, and verbs
// that link them.
var (
	tooMuch = wordListOf("too zu trop demasiado demasiada troppo troppa слишком te zbyt")
	manners = wordListOf("long short wordy dense technical formal informal casual verbose detailed complicated complex vague dry stiff cheerful general generic superficial abstract simple basic terse brief chatty " +
		"lang kurz technisch förmlich locker ausführlich kompliziert vage trocken allgemein oberflächlich abstrakt knapp " +
		"longue longues longs courte court technique techniques formel formelle détaillé détaillée compliqué compliquée vague sec sèche général générale " +
		"largo larga largas corto corta técnico técnica técnicas detallado detallada complicado complicada vago vaga seco seca " +
		"longo longa longas curto curta detalhado detalhada lungo lunga lunghe dettagliato dettagliata complicato complicata " +
		"длинный длинным длинно длинные коротко коротким сложно сложным подробно технично")
	answerNouns = wordListOf("answer answers reply replies response responses explanation explanations summary summaries text message antwort antworten erklärung erklärungen zusammenfassung réponse réponses explication explications respuesta respuestas explicación explicaciones resposta respostas explicação risposta risposte spiegazione ответ ответы объяснение antwoord uitleg odpowiedź")
	yours       = wordListOf("your dein deine deinen ta tes votre vos tu tus su sua suas tua tue твой твои твоё ваш jouw twoja")
)

// ratesAnswer recognizes opinions on the form of an answer: "The last one was way too long", "Tu respuesta fue
// demasiado larga", "That was too technical". It returns the byte offset of the word that shows it, or -1 for any other
// sentence.
func (sc *scene) ratesAnswer() int {
	for i := 2; i+1 < len(sc.ws); i++ {
		if !(tooMuch.has(sc.ws[i].text) && manners.has(sc.ws[i+1].text)) && !(manners.has(sc.ws[i].text) && sc.ws[i+1].text == "demais") {
			continue
		}
		if sc.answersBefore(i) {
			return sc.ws[i].at
		}
		return -1
	}
	return -1
}

// answersBefore reports whether the words before index i end with a clause about an answer. "That", "the last one" and
// the like refer to the last answer if the sentence begins with them.
func (sc *scene) answersBefore(i int) bool {
	from := i
	for from > 0 && !sc.ws[from].breaks {
		from--
	}
	linked, answer, product, own := false, false, false, pointed.has(sc.ws[from].text)
	for k := from; k < i; k++ {
		w := &sc.ws[k]
		linked = linked || linksIn(w.text)
		answer = answer || answerNouns.has(w.text)
		product = product || w.is(products)
		own = own || yours.has(w.text)
	}
	if !linked && !(answer && sc.ws[i].text == "слишком") {
		return false
	}
	return answer || product && own || from == 0 && sc.startsWithLast()
}

// startsWithLast reports whether a sentence begins with "that is", "the last one" or the like.
func (sc *scene) startsWithLast() bool {
	first, next := &sc.ws[0], sc.ws[1].text
	return first.is(things) && linksIn(next) || definite.has(first.text) && lastOne.has(next) && sc.textAt(2) == "one"
}

// linksIn reports whether a word is a linking verb, ends with one, as "that's" does, or is the French "es".
func linksIn(w string) bool { return linking.has(w) || w == "that's" || w == "es" }

// lastOne lists words for the last of several.
var lastOne = wordListOf("last previous first second third latest final")

// remindsReader recognizes reminders of what the assistant did wrong: "You forgot the sources again", "I had asked for
// grams, not cups", "You keep calling me Michael". It returns the byte offset of the word that shows it, or -1 for any
// other sentence.
func (sc *scene) remindsReader() int {
	if isQuestion(sc.text) {
		return -1
	}
	last := len(sc.ws) - 1
	for i := 0; i+2 <= last; i++ {
		w, next := &sc.ws[i], &sc.ws[i+1]
		if !w.starts || w.quoted {
			continue
		}
		reminds := false
		switch w.text {
		case "you":
			reminds = sc.slips(i + 1)
		case "i":
			reminds = sc.askedFor(i+1) || sc.neverAsked(i+1) && sc.all&persons == w.kinds&persons
		case "i've":
			reminds = sc.askedFor(i + 1)
		}
		if reminds {
			return next.at
		}
	}
	return -1
}

// slips reports whether the words from word i on, after "you", say what the reader did wrong again or keeps doing.
func (sc *scene) slips(i int) bool {
	w, next := &sc.ws[i], &sc.ws[i+1]
	if (w.text == "keep" || w.text == "kept") && i+2 < len(sc.ws) && isGerund(next.text) {
		return true
	}
	if w.is(beings|tellers|moment) || w.text == "did" || next.is(reactions) {
		return false
	}
	return (w.is(pasts) || slipped.has(w.text) || strings.HasSuffix(w.text, "ed")) && sc.againIn(i+1)
}

// neverAsked reports whether the words from word i on are "didn't ask for".
func (sc *scene) neverAsked(i int) bool {
	return sc.ws[i].text == "didn't" && sc.textAt(i+1) == "ask" && sc.textAt(i+2) == "for"
}

// slipped lists past forms of verbs for what an assistant may get wrong.
var slipped = wordListOf("forgot left put gave wrote skipped switched mixed used called")

// againIn reports whether the clause of the word at index i contains "again".
func (sc *scene) againIn(i int) bool {
	for ; i < len(sc.ws) && !sc.ws[i].breaks; i++ {
		if sc.ws[i].text == "again" {
			return true
		}
	}
	return false
}

// longestRequest is the number of words up to which askedFor reads, so that long sentences take linear time.
const longestRequest = 24

// beforeAsked lists words between "I" and "asked".
var beforeAsked = wordListOf("have had already")

// askedFor reports whether the words after "I" say what the writer had asked the assistant for: "[I] had asked for grams,
// not cups", "[I] asked you to use grams".
func (sc *scene) askedFor(i int) bool {
	for range 2 {
		if beforeAsked.has(sc.textAt(i)) {
			i++
		}
	}
	if sc.textAt(i) != "asked" {
		return false
	}
	if sc.textAt(i+1) == "you" {
		next := sc.textAt(i + 2)
		return next == "for" && !sc.word(i+3).is(tasks) || (next == "to" || next == "not") && sc.repeatedly()
	}
	if sc.textAt(i+1) != "for" {
		return false
	}
	for k := i + 3; k+1 < len(sc.ws) && k < i+longestRequest; k++ {
		if sc.ws[k].breaks && sc.ws[k].text == "not" {
			return true
		}
	}
	return false
}

// repeatedly reports whether a sentence is about everything of a kind, or about what the assistant writes.
func (sc *scene) repeatedly() bool { return sc.all&(products|quantifiers|lastingly|negations) != 0 }

// Word lists for sentences about when the writer gets lost: words for that, conjunctions for "when", and words with which
// a cause begins that doesn't recur.
var (
	losing = wordListOf("confused confusing lost track follow distracting distracts distract annoying tiring frustrating overwhelming overwhelmed struggle dizzy " +
		"durcheinander verwirrt verwirrend perdu perdue perds pierdo confundo perco perdido perdida perdida confondo perdo путаюсь теряюсь")
	whens      = wordListOf("when if whenever wenn quand si cuando quando когда если")
	particular = wordListOf("the my i he she his her their our this that these those it we i'm i've i'd we're we've")
)

// troubled recognizes sentences about when their writer gets lost: "I get confused when you use tables", "It throws me
// off when dates come first", "Je suis perdue quand tu utilises des tableaux". It returns the byte offset of the word
// that shows it, or -1 for any other sentence.
func (sc *scene) troubled() int {
	if slices.ContainsFunc(sc.ws, func(w word) bool { return w.is(pasts) && w.text != "lost" }) {
		return -1
	}
	trouble, affects, writers := -1, -1, false
	for i := range sc.ws[:len(sc.ws)-1] {
		w, next := &sc.ws[i], &sc.ws[i+1]
		if trouble < 0 && losing.has(w.text) {
			trouble, writers = i, sc.byWriter(i)
		}
		if i > 0 && i < 3 && sc.itAffects(i) {
			affects = i
		}
		if trouble >= 0 && yours.has(w.text) && next.is(products) && sc.byWriter(trouble) { // "I got lost in your explanation"
			return sc.ws[trouble].at
		}
		if !whens.has(w.text) {
			continue
		}
		switch {
		case affects >= 0 && i > affects+1 && !particular.has(next.text):
			return sc.ws[affects].at
		case writers && sc.recursAfter(i):
			return sc.ws[trouble].at
		}
	}
	return -1
}

// itAffects reports whether word i is the verb in a sentence like "It throws me off".
func (sc *scene) itAffects(i int) bool {
	next := sc.ws[i+1].text
	return sc.ws[0].text == "it" && (next == "me" || next == "my") && strings.HasSuffix(sc.ws[i].text, "s")
}

// byWriter reports whether the words up to index i say how the writer feels.
func (sc *scene) byWriter(i int) bool {
	for k := i; k >= 0; k-- {
		if w := &sc.ws[k]; w.is(selves) || sc.ws[0].text == "it's" || w.text == "me" || w.text == "mi" {
			return true
		}
	}
	return sc.ws[0].text == "it" || endsWithAny(sc.ws[i].text, "o") && i < 2
}

// recursAfter reports whether the condition that begins at index i is about what the assistant does, or about everything
// of a kind.
func (sc *scene) recursAfter(i int) bool {
	next := sc.word(i + 1)
	if next == nil || particular.has(next.text) || articles.has(next.text) {
		return false
	}
	if next.is(addressees) || everything.has(next.text) || next.text == "there" {
		return true
	}
	switch sc.ws[i].text {
	case "cuando":
		return endsWithAny(next.text, "as", "es")
	case "quando":
		return endsWithAny(next.text, "i", "a") || next.is(addressees)
	}
	return next.is(products)
}

// comparesMore recognizes sentences of the form "the more …, the …" about the writer or the answers, and those that ask
// for less of one thing: "The shorter your answers, the more likely I read them", "Less small talk, more facts". It
// returns the byte offset of the word that shows it, or -1 for any other sentence.
func (sc *scene) comparesMore() int {
	ws := sc.ws
	switch first := ws[0].text; {
	case first == "the" && grows(ws[1].text):
		if sc.all&(products|addressees) == 0 && ws[len(ws)-1].text != "me" {
			return -1
		}
		for i := 3; i+1 < len(ws); i++ {
			if ws[i].breaks && ws[i].text == "the" && grows(ws[i+1].text) {
				return ws[i].at
			}
		}
	case fewer.has(first) && sc.asksForLess(), first == "enough" && (ws[1].text == "with" || ws[1].text == "of") && sc.all&products != 0:
		return ws[0].at
	}
	return -1
}

// asksForLess reports whether a sentence that begins with a word for less or more of something is a wish of a few words.
func (sc *scene) asksForLess() bool {
	ws := sc.ws
	if ws[1].is(tasks|conjunctions|persons|quantifiers|numbers) || inclining.has(ws[1].text) || ws[1].text == "than" || len(ws) > 8 {
		return false
	}
	for i := 1; i < len(ws); i++ {
		if i < 4 && ws[i].is(products) || i > 1 && ws[i].breaks && ws[i].text != ws[0].text && fewer.has(ws[i].text) {
			return true
		}
	}
	return false
}

// fewer lists words for more or less of something.
var fewer = wordListOf("less fewer more weniger mehr moins plus menos más mais meno più меньше больше")

// grows reports whether a word is a comparative.
func grows(w string) bool {
	return w == "more" || w == "less" || w == "better" || len(w) > 4 && strings.HasSuffix(w, "er")
}

// illegible recognizes sentences about a form of answers that the writer can't read or use: "Tables don't show up on my
// phone", "I can't read long paragraphs". It returns the byte offset of the word that shows it, or -1 for any other
// sentence.
func (sc *scene) illegible() int {
	ws := sc.ws
	if sc.past || len(ws) < 4 {
		return -1
	}
	second := ws[1].text
	if ws[0].is(products) && strings.HasSuffix(ws[0].text, "s") && notDoing.has(second) {
		for i := 3; i+1 < len(ws); i++ {
			if inclining.has(ws[i].text) && ofWriter.has(ws[i+1].text) {
				return ws[1].at
			}
		}
	}
	if ws[0].text == "i" && (second == "can't" || second == "cannot") && reading.has(ws[2].text) && sc.namesForm(3, 6) {
		return ws[1].at
	}
	return -1
}

// notDoing lists words between a plural and a verb for what it doesn't do.
var notDoing = wordListOf("don't never do")

// ofWriter lists pronouns, after a preposition, for the writer and what belongs to the writer.
var ofWriter = wordListOf("my our me")

// namesForm reports whether the words [from, to) of a clause, up to one that denotes a particular thing, include a plural
// for what the assistant writes.
func (sc *scene) namesForm(from, to int) bool {
	for i := from; i < min(len(sc.ws), to) && !sc.ws[i].breaks && !particular.has(sc.ws[i].text); i++ {
		if sc.ws[i].is(products) && strings.HasSuffix(sc.ws[i].text, "s") {
			return true
		}
	}
	return false
}

// reading lists verbs for what people do with an answer.
var reading = wordListOf("read see open use follow print view")

// praises recognizes praise for how the assistant does something: "I like that you start with the conclusion". It
// returns the byte offset of the word that shows it, or -1 for any other sentence.
func (sc *scene) praises() int {
	for i := 1; i+3 < len(sc.ws); i++ {
		if w := sc.ws[i].text; (w == "like" || w == "love") && sc.ws[i-1].is(selves) && (sc.ws[i+1].text == "that" || sc.ws[i+1].text == "how") && sc.ws[i+2].text == "you" && !sc.past && !sc.ws[i+3].is(moods|beings|moment) {
			return sc.ws[i].at
		}
	}
	return -1
}

// wishesYours recognizes wishes about what the assistant writes, and what makes it easier to read: "I wish your answers
// were shorter", "I find your answers easier to read with headings". It returns the byte offset of the word that shows
// it, or -1 for any other sentence.
func (sc *scene) wishesYours() int {
	for i := 1; i+2 < len(sc.ws); i++ {
		if w := sc.ws[i].text; (w == "wish" || w == "find") && sc.ws[i-1].is(selves) && sc.ws[i+1].text == "your" && sc.ws[i+2].is(products) &&
			(w == "wish" || sc.textAt(i+3) != "" && grows(sc.ws[i+3].text)) {
			return sc.ws[i].at
		}
	}
	return -1
}
