package digest

import (
	"slices"
	"strings"
)

// scene holds what is known about a sentence's words apart from its cues.
type scene struct {
	text     string   // the sentence
	ws       []word   // its words
	all      wordKind // the kinds of all words
	narrates bool     // it begins like a story
	past     bool     // it is in the past tense
	exclaims bool     // it ends with an exclamation mark
	digits   bool     // it contains a number
	permits  bool     // it allows something
	implies  bool     // it has the form of feedback, or of a sentence that implies a rule
	invents  int      // the result of invention; 0 before its first call
}

// look analyses s, a sentence that consists of the words ws, and stores the findings in sc.
func (sc *scene) look(s string, ws []word) {
	sc.text, sc.ws, sc.narrates = s, ws, len(ws) > 0 && ws[0].is(narrators)
	for i := range ws {
		w := &ws[i]
		if w.quoted {
			continue
		}
		if w.known {
			if w.text == "if" && i > 0 && ws[i-1].text == "as" { // "as if I had never seen it"
				break
			}
			sc.all |= kindsAt(ws, i)
		} else if w.text[0] >= '0' && w.text[0] <= '9' {
			sc.digits = true
		} else {
			sc.past = sc.past || endsInPast(ws, i)
		}
	}
	sc.past = sc.past || sc.all&pasts != 0
	sc.exclaims = strings.HasSuffix(s, "!")
}

// kindsAt returns the kinds of word i, taking its position in the sentence into account.
func kindsAt(ws []word, i int) wordKind {
	w := &ws[i]
	if w.breaks && w.text == "was" || w.text == "met" && (i == 0 || !ws[i-1].is(persons|selves)) { // a question in German, "with" in Dutch
		return w.kinds &^ pasts
	}
	return w.kinds
}

// pastEndings lists endings of verbs in the past tense, each with the length, in bytes, that a word with this ending
// must exceed.
var pastEndings = []struct {
	longer int
	ends   []string
}{
	{4, []string{"ó"}},
	{5, []string{"aron", "aba"}},
	{6, []string{"ieron", "ábamos", "íamos", "ávamos", "avamo", "evamo", "ivamo", "avano", "evano", "ivano"}},
}

var pastInRussian = []string{"ал", "ил", "ел", "ял", "яла", "яли", "ала", "ила", "ела", "али", "или", "ели", "ался",
	"ился", "шёл", "шел", "шла", "шли"}

// endsInPast reports whether word i, which is in no table, has the ending of a verb in the past tense.
func endsInPast(ws []word, i int) bool {
	w := ws[i].text
	n := len(w)
	for _, e := range pastEndings {
		if n > e.longer && endsWithAny(w, e.ends...) {
			return true
		}
	}
	if n > 6 && w[0]|1 == 0xd1 {
		return w != "сначала" && endsWithAny(w, pastInRussian...)
	}
	return i > 0 && endsAfterSubject(ws, i)
}

// endsAfterSubject is like endsInPast, for endings that count only after a subject or, in French, an elided word. i > 0.
func endsAfterSubject(ws []word, i int) bool {
	w, before := ws[i].text, &ws[i-1]
	n := len(w)
	switch subject := before.is(persons | things); {
	case n > 4 && strings.HasSuffix(w, "ed"):
		return subject && !strings.HasSuffix(before.text, "'m")
	case n > 5 && strings.HasSuffix(w, "ait"):
		return subject || strings.HasSuffix(before.text, "'")
	}
	return i > 1 && before.text == "est" && ws[i-2].text == "s'" && strings.HasSuffix(w, "é")
}

// concrete reports whether a sentence is about something concrete: the reader's output, everything of a kind, or a
// number.
func (sc *scene) concrete() bool {
	return sc.digits || sc.all&(products|lastingly|quantifiers|numbers) != 0
}

// tells reports whether the cues of a row either give the reader an order or describe the writer.
func (c *cueRow) tells() bool {
	switch c.place {
	case lead, bare, order, last, self, me, lift, hint:
		return true
	}
	return false
}

// directs reports whether a sentence with a cue of row c tells the reader what to do, is about what the reader
// writes, or describes its writer.
func (sc *scene) directs(c *cueRow) bool {
	return c.tells() || c.changes || sc.all&(products|addressees) != 0
}

// word returns the word at index i, or nil if there is none.
func (sc *scene) word(i int) *word {
	if i < 0 || i >= len(sc.ws) {
		return nil
	}
	return &sc.ws[i]
}

// unshaded returns the first word at or after index i that isn't merely a modifier, or nil if there is none.
func (sc *scene) unshaded(i int) *word {
	for i < len(sc.ws) && sc.ws[i].is(shades) {
		i++
	}
	return sc.word(i)
}

// resumes reports whether an order continues after the interjection that begins at word i: "do not, under any
// circumstances, mail them".
func (sc *scene) resumes(i int) bool {
	for k := i + 2; k < len(sc.ws) && k < i+6; k++ {
		if sc.ws[k].breaks {
			return sc.ws[k-1].text == "circumstances" ||
				!sc.ws[i].is(narrators|joins|tellers) && !sc.ws[k].is(narrators|joins|tellers)
		}
	}
	return false
}

// comforting lists verbs that follow "stop" when people comfort somebody or react to a joke.
var comforting = wordListOf("worrying crying joking kidding teasing being")

// alone reports whether the words beginning at index i ask the reader to leave something that belongs to the writer
// untouched, or to keep it out of something.
func (sc *scene) alone(i int) bool {
	if sc.ws[i].text != "leave" && sc.ws[i].text != "keep" || sc.textAt(i+1) != "my" && sc.textAt(i+1) != "our" {
		return false
	}
	for k := i + 3; k < len(sc.ws); k++ {
		if w := sc.ws[k].text; w == "alone" || w == "out" {
			return true
		}
	}
	return false
}

// general reports whether an order whose object begins at word i is about how to do something in general.
func (sc *scene) general(i int) bool {
	object := sc.word(i)
	if object.text == "another" || (object.is(numbers) || object.text[0]-'0' < 10) && !sc.conditional() {
		return false
	}
	if sc.lasts() || sc.conditional() {
		return true
	}
	given := i + 1 // what the writer wants to get
	for sc.word(given).is(joins) && !sc.word(given).is(conjunctions) {
		given++
	}
	if (object.text == "me" || toWriter.has(object.text)) && sc.word(given).is(tasks|numbers) || object.text == "with" && sc.word(i+1).is(tasks) && sc.all&products == 0 || object.is(tasks|idle) || sc.past || sc.soon() || sc.all&days != 0 {
		return false
	}
	return !object.is(persons) || object.text == "me"
}

// ofSelf reports whether the subject of the verb at word i describes himself or herself, and doesn't ask for something
// now: "I'd love to go". next is the word after the verb.
func (sc *scene) ofSelf(i int, next string) bool {
	for k := sc.attitude(i) - 1; k >= 0; k-- {
		w := &sc.ws[k]
		switch {
		case k > 1 && w.is(pasts|shades) && sc.ws[k-1].is(lastingly) && having.has(sc.ws[k-2].text): // "I've always had"
			return sc.ws[k-2].text == "i've" || sc.word(k-3).is(selves)
		case w.is(pasts) && !w.is(selves):
			return false
		case (next == "to" && sc.ws[i].text != "prefer" || sc.ws[i].text == "like" || sc.ws[i].text == "love" ||
			sc.ws[i].text == "enjoy") && (w.text == "would" || strings.HasSuffix(w.text, "'d")):
			return false
		case sc.ws[i].text == "rather" && sc.soon():
			return false
		case w.is(selves):
			return true
		case !w.is(shades|negations|conjunctions) && !trying.has(w.text) && !adverb(w.text):
			return false
		}
	}
	return false
}

// attitude returns the index at which the phrase of a noun for an attitude begins, if word i is one: "a firm dislike",
// "a deep-seated fear". For any other word it returns i.
func (sc *scene) attitude(i int) int {
	if !attitudes.has(sc.ws[i].text) {
		return i
	}
	for k := i - 1; k > 0 && k >= i-mostAdjectives-1 && !sc.ws[k+1].breaks; k-- {
		if articles.has(sc.ws[k].text) {
			return k
		}
	}
	return i
}

// mostAdjectives is the maximum number of words between the article and a noun for an attitude.
const mostAdjectives = 3

// attitudes lists nouns for what people feel about a kind of thing, and for how they eat.
var attitudes = wordListOf("diet dislike aversion disdain phobia objection fear allergy intolerance sensitivity distaste hatred weakness preference fondness passion")

// choosesOne reports whether the writer asks for one thing now: "I'd prefer a morning appointment". i is the index of
// the verb.
func (sc *scene) choosesOne(i int) bool {
	if i == 0 || sc.ws[i-1].text != "would" && !strings.HasSuffix(sc.ws[i-1].text, "'d") || sc.all&(products|lastingly|quantifiers|addressees) != 0 || sc.conditional() {
		return false
	}
	if sc.ws[i].text == "rather" && sc.textAt(i+1) == "have" {
		i++
	}
	return articles.has(sc.textAt(i + 1))
}

// having lists words that form the perfect tense ("I've always had …"), and trying lists words for attempts ("been able
// to get into …").
var (
	having = wordListOf("i've have")
	trying = wordListOf("to try able get follow")
)

// conditional reports whether a sentence says when it applies: "when you recommend …".
func (sc *scene) conditional() bool {
	for i := range sc.ws {
		if (sc.ws[i].is(conditions) || i == 0 && sc.ws[i].text == "als") && i+1 < len(sc.ws) && sc.ws[i+1].is(addressees|selves) && !sc.past {
			if sc.word(i + 2).is(negations) {
				return true
			}
			if w := sc.unshaded(i + 2); w != nil && w.text != "ever" && !w.is(moment) && !sc.word(i+3).is(moment) && !sc.word(i+4).is(moment) {
				return true
			}
		}
	}
	return false
}

// ordered returns the byte offset of the verb in a permanent order whose verb is in no table, or -1: "Round all
// amounts", "When you name a hotel, add the price". In the languages of the cue tables, an order begins with its verb.
func (sc *scene) ordered() int {
	if len(sc.ws) < 3 || sc.past || sc.exclaims {
		return -1
	}
	conditional := sc.conditional() || sc.anyCase()
	if !conditional && !sc.lasts() {
		return -1
	}
	from := leadUp(sc.ws) // "One more thing: …"
	for i := from; i < len(sc.ws); i++ {
		w := &sc.ws[i]
		if i == len(sc.ws)-1 && (!conditional || !w.breaks || len(w.text) < 3) {
			break
		}
		switch {
		case !sc.opensClause(i), w.text[0]-'0' < 10:
		case w.is(narrators|persons|things|addressees|askers|tasks|quantifiers|products|numbers) && !w.is(verbs) ||
			w.is(idle) && !(conditional && i > 0):
			if i == from && !(conditional && w.is(quantifiers)) {
				return -1
			}
		case sc.ordersAt(i, conditional):
			return w.at
		}
	}
	return -1
}

// opensClause reports whether the word at index i may be a verb at the beginning of a clause.
func (sc *scene) opensClause(i int) bool {
	w := &sc.ws[i]
	if !w.starts || w.quoted || i > 0 && !w.breaks && !sc.ws[i-1].is(joins) {
		return false
	}
	return !w.is(conditions|lastingly|negations) && w.text != "as" && !partitive.has(w.text) && !inclining.has(w.text) && !adverb(w.text) &&
		(i > 0 || !w.is(joins))
}

// ordersAt reports whether the word at index i, the first word of a clause, is the verb of an order. conditional means
// that the sentence says when it applies.
func (sc *scene) ordersAt(i int, conditional bool) bool {
	w, after := &sc.ws[i], sc.word(i+1)
	if i > 0 && !conditional && !sc.ws[i-1].is(joins) {
		return false
	}
	if i == 0 && (w.text == "let" && sc.textAt(1) == "me" && conditional || slices.ContainsFunc(sc.ws, func(w word) bool { return w.text == "whenever" })) {
		return true
	}
	if c := sc.text[w.at]; i > 0 && c >= 'A' && c <= 'Z' || after.is(askers) || sc.textAt(i+2) == "of" { // the subject of a sentence, "cancel all of them"
		return false
	}
	if i == 0 && !after.is(tasks|things|persons) && rulesOut(sc.ws) { // "ask Marta before you mail anybody"
		return true
	}
	return after.is(tasks|quantifiers|products|addressees|lastingly) && !after.breaks ||
		conditional && w.breaks && i > 0 || sc.textAt(i+1) == "me" && (sc.textAt(i+2) == "to" || conditional && sc.word(i+2).is(conditions))
}

// adverb reports whether the first word of a sentence is an adverb rather than a verb: "basically".
func adverb(w string) bool {
	return len(w) > 5 && strings.HasSuffix(w, "ly") && !strings.HasSuffix(w, "ply")
}
