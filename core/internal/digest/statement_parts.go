package digest

import "strings"

// This file finds rules that are only a part of a sentence: "I had four lessons today, so please keep paragraphs short",
// "just give me hints, ok?".

// mostClauses is the maximum number of parts into which a sentence is divided.
const mostClauses = 16

// parts adds the parts of a sentence that are orders or describe the user, and reports whether
// there are any. A part begins after punctuation, with a word that connects clauses. A condition
// belongs to the part before it. A sentence that begins with a condition has no parts, because they
// would lose the condition.
func (r *statementReader) parts(s string, quoted []bool, ws []word) (found bool) {
	var room [mostClauses]int
	starts := room[:1]
	for i := range ws {
		if w := &ws[i]; i > 0 && w.breaks && !w.quoted && len(starts) < mostClauses &&
			(causal.has(w.text) || relatives.has(w.text) || w.is(joins|conjunctions) && !w.is(conditions)) {
			starts = append(starts, w.at)
		}
	}
	if len(starts) == 1 || r.lead != "" || ws[0].is(conditions) || ws[0].is(joins|conjunctions) && ws[1].is(conditions) {
		return false
	}
	for k, from := range starts {
		end := len(s)
		if k+1 < len(starts) {
			end = starts[k+1]
		}
		found = r.part(s[:end], quoted, from, s[end:]) || found
	}
	return found
}

// causal lists words that begin a clause about a reason or about what happened before.
var causal = wordListOf("because since after weil nachdem parce après porque después depois perché dopo потому")

// part adds s[from:], which is a part of a sentence, if it is a statement by itself, and reports
// whether it is one. quoted marks the bytes of s that are in quotes; it may be nil. rest is the
// text of the sentence that follows s.
func (r *statementReader) part(s string, quoted []bool, from int, rest string) bool {
	before := strings.TrimRight(s[:from], " \t")
	s = strings.TrimRight(s, " \t,;:–—-，；：、")
	if len(s)-from < minStatement {
		return false
	}
	words := func() []word {
		if quoted == nil {
			return r.room.wordsOf(s[from:], nil)
		}
		return r.room.wordsOf(s[from:], quoted[from:len(s)])
	}
	ws := words()
	if len(ws) < 3 || ws[0].is(conditions) && from > 0 || concedes(ws, rest) || addsNegation(ws) {
		return false
	}
	if bare := len(s) - len(withoutJoin(s[from:])); bare > from {
		from = bare
		ws = words()
	}
	if len(ws) < 3 {
		return false
	}
	rated := rate(s[from:], ws)
	if !prescribes(&rated) || !rated.lasting && errand(s[from:], ws, rated.direct) {
		return false
	}
	r.add(s[from:], before, ws, rated.at)
	return true
}

// longStatement is the length, in bytes, at which a sentence counts as long. If any parts of a long sentence are
// statements by themselves, only these parts are listed.
const longStatement = 180

// concedes reports whether a part only prepares the objection that follows it: "Not to be blunt, but …". ws are the
// words of the part, and rest is the text after it.
func concedes(ws []word, rest string) bool {
	next, _, _ := strings.Cut(rest, " ")
	return ws[0].is(negations) && contrasting.has(lower(next))
}

// contrasting lists words for "but".
var contrasting = wordListOf("but aber mais pero mas ma но ale")

// addsNegation reports whether a part only adds something to a negated clause before it: "…, and no parking either".
func addsNegation(ws []word) bool {
	return ws[1].is(negations) && !ws[1].is(lastingly) && coordinating.has(ws[0].text)
}

// prescribes reports whether a part with rating r is a statement: an order, a description of the writer, or a sentence
// that is about what the reader does or writes, or that says from when it applies.
func prescribes(r *rating) bool {
	return r.strength >= wish && r.told || r.strength == strict && (r.changes || r.direct)
}

// coordinating lists words for "and" and "or".
var coordinating = wordListOf("and or und oder et ou y o e и или i lub ve")

// isQuestion reports whether a sentence is a question. A statement that only asks for agreement at its end isn't one: "just
// give hints, ok?"
func isQuestion(s string) bool {
	s = strings.TrimRight(s, "\"'”’») ")
	for _, mark := range [...]string{"?", "？", "؟"} {
		if said, found := strings.CutSuffix(s, mark); found {
			return !seeksAgreement(said)
		}
	}
	return false
}

// seeksAgreement reports whether a question, without its question mark, is a statement followed by a word that asks for
// agreement.
func seeksAgreement(s string) bool {
	s = strings.TrimRight(s, " ")
	at := strings.LastIndexByte(s, ' ') + 1
	if at == 0 || !agreeing.has(lower(strings.TrimPrefix(s[at:], "¿"))) {
		return false
	}
	ws := wordsOf(s[:at], nil)
	return len(ws) > 2 && !ws[0].is(askers|wishes|conjunctions) &&
		(strings.HasSuffix(s[:at], ", ") || !ws[0].is(things|persons))
}

// agreeing lists words that ask for agreement at the end of a sentence.
var agreeing = wordListOf("ok okay deal please pls alright agreed ja gut bitte d'accord vale sí beleza bene ладно хорошо договорились dobrze tamam")

// politely recognizes polite questions that make a request about everything of a kind: "can you use trains for
// examples, please?", "would you mind putting the sources at the end of each answer?" It returns the byte offset of the
// word that shows this, or -1.
func (sc *scene) politely() int {
	if !isQuestion(sc.text) || !polite(sc.ws) || sc.all&days != 0 {
		return -1
	}
	for i := 3; i < len(sc.ws)-1; i++ {
		next := &sc.ws[i+1]
		switch w := &sc.ws[i]; {
		case each.has(w.text) && next.is(products), each.has(w.text) && i == 3 && !next.is(tasks|persons|numbers):
			return w.at
		case sc.all&numbers == 0 && inclining.has(w.text) && next.is(products) && strings.HasSuffix(next.text, "s") && beginsOrder(&sc.ws[2]) &&
			!sc.ws[3].is(tasks|selves) && sc.ws[3].text != "me":
			return w.at
		}
	}
	return -1
}
