package digest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file recognizes sentences that are worded like rules but aren't rules. They describe a thing that the user asks
// for, the customs of a place, a game, or the behavior of a part of the program. They are recognized by their form: a
// relative clause, a definite subject, or a place at the beginning.

// Lists of grammatical words that occur in such sentences, in the languages of the cue tables.
var (
	// articles lists indefinite articles.
	articles = wordListOf("a an einen eine ein un un' une uno una um uma een")
	// definite lists definite articles.
	definite = wordListOf("the der die das le la l' el il lo o de het")
	// relatives lists relative pronouns, which begin a clause about the noun before them.
	relatives = wordListOf("that which who whose der die das dat que qui che который которая которое которые")
	// placing lists prepositions that introduce a place.
	placing = wordListOf("in im en em na no à au dans em в во")
	// enduring lists verbs that, after a word for a duty, require a state ("must stay") rather than an action.
	enduring = wordListOf("stay remain keep have contain fit match follow use include bleiben haben enthalten rester avoir contenir quedar tener contener ter conter avere contenere restare иметь оставаться содержать")
)

// about reports whether a cue is in a statement about a thing or a place rather than in a rule about how to work.
func (s *spot) about() bool {
	if s.i > s.invention() || s.ws[0].is(lastingly) && s.neverYet() {
		return true
	}
	switch s.place {
	case duty, should:
		if s.i > 0 && relatives.has(s.ws[s.i-1].text) && s.ws[s.i].text == "may" { // "…, which may not match"
			return true
		}
		return s.place == should && s.expected(s.end) || s.abroad(s.i) || s.doneBy() || s.behaves(s.i, s.size())
	case loose:
		return s.doneBy()
	case anywhere:
		return s.abroad(s.i)
	case habit, nobody:
		return s.abroad(s.i) && s.all&(negations|things) != 0
	}
	return false
}

// invention returns the index of the relative pronoun that begins the description in a request for a single new thing:
// 5 in "Write a poem about cats that never sleep". If there is none, it returns the number of words.
func (sc *scene) invention() int {
	if sc.invents == 0 {
		sc.invents = sc.inventionIn(sc.ws)
	}
	return sc.invents
}

func (sc *scene) inventionIn(ws []word) int {
	if len(ws) < 5 || ws[0].is(narrators|persons|selves|tasks|quantifiers|conditions) && !ws[0].is(verbs) || inclining.has(ws[0].text) {
		return len(ws)
	}
	asked, dutch := ws[0].script == spaced && ws[0].text[0] == 0xd0, false // Russian has no articles
	for k := 1; k < len(ws)-2 && (asked || k < 4); k++ {
		asked = asked || k < 4 && articles.has(ws[k].text)
		if !asked || !relatives.has(ws[k].text) || articles.has(ws[k-1].text) {
			continue
		}
		dutch = dutch || ws[1].text == "een"
		if first := ws[k].text[0]; first != 'd' || ws[k].breaks || dutch { // in German a comma precedes it
			return k
		}
	}
	return len(ws)
}

// abroad reports whether a sentence states a rule of a country or a game: "In England muss man …", "In the game, a
// player must …".
func (sc *scene) abroad(i int) bool {
	ws := sc.ws
	if i > 2 && ws[0].text == "in" && ws[2].text == "you" && !ws[1].is(products|quantifiers|conditions) && sc.all&products == 0 { // "in chess you must …"
		return true
	}
	if i < 2 || !placing.has(ws[0].text) || sc.digits || sc.all&quantifiers != 0 || sc.all&selves != 0 && sc.textAt(i+1) != "je" || sc.all&products != 0 && sc.textAt(i+2) != "links" {
		return false
	}
	if mine.has(ws[1].text) || definite.has(ws[1].text) {
		return len(ws) > 3 && ws[3].breaks && sc.inWorld(mine.has(ws[1].text))
	}
	first, size := utf8.DecodeRuneInString(sc.text[ws[1].at:])
	next, _ := utf8.DecodeRuneInString(sc.text[ws[1].at+size:])
	return unicode.IsUpper(first) && !unicode.IsUpper(next)
}

// inWorld reports whether the clause that begins with the fourth word is about what happens in a
// game or a story. own means that the game or the story is the writer's.
func (sc *scene) inWorld(own bool) bool {
	next := &sc.ws[3]
	if own { // "in my novel, the king forbids …"
		return len(sc.ws) > 4 && definite.has(next.text) && sc.all&(products|addressees) == 0
	}
	return articles.has(next.text) || next.is(negations) // "in the game, nobody may …"
}

// beingStarts lists the beginnings of "isn't" and "aren't".
var beingStarts = []string{"is", "are"}

// lasts reports whether a sentence says that it applies permanently, or to everything of a kind. It ignores the
// description of a new thing.
func (sc *scene) lasts() bool {
	return sc.all&(quantifiers|lastingly) != 0 &&
		anyIs(sc.ws[:sc.invention()], quantifiers|lastingly)
}

// doneBy reports whether a sentence says that a part of the program does something to a thing: "Rows without a name
// must be dropped by the import".
func (sc *scene) doneBy() bool {
	for k := 3; k+1 < len(sc.ws); k++ {
		if sc.ws[k].text == "by" && strings.HasSuffix(sc.ws[k-1].text, "ed") && sc.ws[k+1].text == "the" {
			return true
		}
	}
	return false
}

// neverYet reports whether a sentence that begins with "never" is about something that its writer has never done:
// "Jamais entendu parler".
func (sc *scene) neverYet() bool {
	switch next := sc.textAt(1); sc.textAt(0) {
	case "nie", "niemals", "nooit":
		last := sc.textAt(len(sc.ws) - 1)
		return strings.HasPrefix(last, "ge") && endsWithAny(last, "t", "en", "d")
	case "mai":
		return endsWithAny(next, "ato", "ito", "uto")
	case "nunca", "jamás", "jamais":
		return endsWithAny(next, "i", "í", "é", "endu", "ado", "ido")
	}
	return false
}

// expected reports whether the verb at word i says where a particular thing probably is: "the details should be in my
// profile".
func (sc *scene) expected(i int) bool {
	if sc.textAt(i) != "be" || sc.all&(products|quantifiers|lastingly|negations) != 0 {
		return false
	}
	return where.has(sc.textAt(i+1)) &&
		slices.ContainsFunc(sc.ws[:i], func(w word) bool { return definite.has(w.text) })
}

// where lists English words that introduce a place.
var where = wordListOf("in on at there somewhere under")

// behaves reports whether a verb describes what one part of the program does, as in "The endpoint must return 404". The
// verb begins at word i and has size words.
func (sc *scene) behaves(i, size int) bool {
	ws := sc.ws
	if sc.all&(products|lastingly|quantifiers) != 0 || anyIs(ws[:i], addressees) {
		return false
	}
	from, verb := i-1, sc.word(i+size)
	for from > 0 && i-from < 4 && !definite.has(ws[from].text) {
		from--
	}
	if from < 0 || from > 0 && !ws[from].starts {
		return false
	}
	if after := sc.unshaded(i + size); after == nil || after.breaks || after.is(beings|moods|done) || enduring.has(after.text) {
		return false
	}
	if sc.all&negations != 0 || verb.is(beings) || startsWithAny(ws[i].text, beingStarts) {
		return false
	}
	if strings.HasPrefix(ws[i].text, "долж") {
		return i == 1
	}
	return definite.has(ws[from].text) && i-from > 1 && !strings.HasSuffix(ws[i-1].text, "s")
}

// nearby lists demonstratives that point to a particular thing: "me gusta esta versión" is about a single version.
var nearby = wordListOf("este esta questo questa этот эта эту diese dieser dieses diesen cette ce cet essa esse deze esto это этого эти هذه هذا")

// unreal reports whether a sentence states a condition that isn't met: "If I were the mayor, …", "Si fuera alcalde, …".
func unreal(ws []word) bool {
	if !ws[0].is(conditions) && ws[0].text != "als" {
		return false
	}
	for i := 1; i < min(len(ws), 5); i++ {
		if unmet.has(ws[i].text) || i == 2 && ws[i].text == "had" && i+1 < len(ws) && ws[i+1].text != "to" {
			return true
		}
	}
	return false
}

// unmet lists verbs and particles that mark a condition as unmet.
var unmet = wordListOf("were wäre wären hätte étais étions fuera fuese fuéramos tuviera fosse fôssemos fossi fossimo avessi was бы")

// suppositions lists words that begin a hypothetical sentence.
var suppositions = wordListOf("suppose supposing imagine supón imagina suponha immagina imaginons представь")

// counted reports whether the words beginning at index i say how many things are left: "Só faltam dois dias".
func (sc *scene) counted(i int) bool {
	verb := sc.textAt(i)
	return sc.word(i+1).is(numbers) && (strings.HasSuffix(verb, "m") || strings.HasSuffix(verb, "n") ||
		strings.HasSuffix(verb, "no"))
}
