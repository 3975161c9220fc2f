package digest

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// The levels of strictness of a statement, from the lowest to the highest.
const (
	none   = iota
	weak   // a statement of fact: "Amounts go in cents, every one of them."
	wish   // a wish, a habit or a taste: "I prefer short answers."
	strict // "Never push to main."
)

// The minimum and the maximum length of a statement, in bytes. A longer statement is cut at the end of a clause.
const (
	minStatement = 8
	maxStatement = 400
)

// statements returns the sentences of a user message that say how to work, in their original order. It ignores a date
// that a chat program put at the beginning of the message.
func statements(text string, r *readRoom) (out []string) {
	if day, size := dates.Header(text); day.Date != 0 {
		text = text[size:]
	}
	for _, p := range passages(withoutPaste(text)) {
		out = p.statements(out, r)
	}
	return out
}

// readRoom holds what is known about the conversation, and buffers that are reused from one passage to the next.
type readRoom struct {
	coding bool         // whether the conversation is about code that the assistant writes
	stems  []words.Word // of a passage
	words  []word       // of a sentence
	ranges [16][2]int   // of the sentences in a passage, in bytes
	cues   [16]int32    // offsets of the words in a passage that may belong to cues, in bytes
}

// statementReader finds the statements of a passage.
type statementReader struct {
	*passage
	room   *readRoom // buffers
	out    []string  // the statements so far
	order  featureOf // finds out whether the paragraph asks for something new
	before string    // the previous sentence
	once   bool      // whether the previous sentence is a one-time errand
}

// statements appends the statements in p to out, and returns the result.
func (p *passage) statements(out []string, room *readRoom) []string {
	var cues []int32 // byte offsets of words that may belong to cues
	if p.lead == "" {
		cues = room.telltalesIn(p.text)
		if len(cues) == 0 && !hasSigns(p.text) {
			return out
		}
	}
	quoted := quotedIn(p.text)
	r := statementReader{passage: p, room: room, out: out, order: featureOf{passage: p.text}}
	for _, at := range sentencesIn(room.ranges[:0], p.text, quoted) {
		for len(cues) > 0 && int(cues[0]) < at[0] {
			cues = cues[1:]
		}
		s := p.text[at[0]:at[1]]
		if p.lead == "" && (len(cues) == 0 || int(cues[0]) >= at[1]) && !hasSigns(s) {
			r.before = s
			continue
		}
		var mask []bool
		if quoted != nil {
			mask = quoted[at[0]:at[1]]
		}
		r.before = r.sentence(s, mask, at[0])
	}
	return r.out
}

// sentence adds s to the statements if it is one, and returns the part of s that the user asserts. quoted marks the
// bytes of s that are in quotes; it may be nil. at is the byte offset of s in the passage.
func (r *statementReader) sentence(s string, quoted []bool, at int) string {
	ws := r.room.wordsOf(s, quoted)
	if n := asserted(s, ws); n > 0 {
		s = s[:n]
		ws = r.room.wordsOf(s, quoted[:min(n, len(quoted))])
	}
	rated := rate(s, ws)
	if r.lead != "" && !isQuestion(s) { // the introduction applies to all items
		rated.strength = max(rated.strength, wish)
	}
	switch {
	case rated.strength > none && (isOfProgram(s, ws, r.room.coding) || r.room.coding && wantsPart(ws, &rated)):
		return s
	case r.listed && !orderedAlways(ws) && !(rated.strength == strict && rated.negative): // a task is done once
		return s
	case r.order.specifiedBy(ws, &rated, at), rated.strength > none && (isNote(s, r.before) || declinesOffer(s)), r.ofLines && recurs(ws) < 0 && !isLasting(ws):
		return s
	}
	if rated.strength == none && !strings.HasSuffix(s, ";") { // the next sentence doesn't continue this one
		r.once = false
		r.parts(s, quoted, ws)
		return s
	}
	r.once = r.lead == "" && (r.once && strings.HasSuffix(r.before, ";") || !(rated.changes && rated.strength == strict || rated.revokes && !rated.eased || rated.lasting) && errand(s, ws, rated.direct))
	if rated.strength == none || r.once || len(s) < minStatement || len(ws) == 1 && ws[0].script == spaced {
		return s
	}
	if len(s) >= longStatement {
		if r.parts(s, quoted, ws) {
			return s
		}
		ws = r.room.wordsOf(s, quoted[:min(len(s), len(quoted))]) // parts has reused the memory of ws
		rate(s, ws)
	}
	if rated.strength == strict || r.before != "" || r.lead != "" || !pointless(ws) {
		r.add(s, r.before, ws, rated.at)
	}
	return s
}

// orderedAlways reports whether words begin with one that makes an order permanent: "always run the tests", unlike "always
// runs the tests", which describes something.
func orderedAlways(ws []word) bool {
	return len(ws) > 1 && ws[0].is(lastingly) && !strings.HasSuffix(ws[1].text, "s")
}

// isLasting reports whether a sentence contains a word that makes it apply permanently.
func isLasting(ws []word) bool {
	return anyIs(ws, lastingly)
}

// add adds the statement s. If s can't be understood without the text before it, which is the previous sentence or the
// rest of its own, add puts that text before it. cue is the byte offset of the decisive cue in s.
func (r *statementReader) add(s, before string, ws []word, cue int) {
	whole, fits := s, before != "" && len(before)+len(s) < maxStatement
	switch {
	case r.lead == "" && ws[0].is(others):
		if said := wordsOf(before, nil); !fits || len(said) == 0 || said[0].is(others) {
			return // the subject of the sentence is unknown
		}
		whole = before + " " + s
	case fits && refersBack(ws, longestReference):
		whole = before + " " + s
	}
	// If that text is the end of the last statement, it must not appear twice.
	if n := len(r.out) - 1; len(whole) > len(s) && n >= 0 && strings.HasSuffix(r.out[n], withoutJoin(before)) {
		if said := r.out[n]; said == withoutJoin(before) || r.lead != "" {
			r.out = r.out[:n]
		} else if len(said)+len(s) < maxStatement {
			whole, r.out = said+" "+s, r.out[:n]
		}
	}
	if r.lead != "" {
		whole = r.lead + ": " + whole
	}
	r.out = append(r.out, clause(whole, len(whole)-len(s)+cue))
}

// clause returns the statement s on one line. If s is too long, it returns only the text around the cue, cut at the
// ends of clauses or words.
func clause(s string, cue int) string {
	if strings.ContainsAny(s, "\t\r\n") || strings.Contains(s, "  ") {
		s = onOneLine(s)
	}
	s = strings.TrimSpace(s)
	bare := withoutJoin(s)
	if cue -= len(s) - len(bare); len(bare) <= maxStatement {
		return bare
	}
	s, cue = bare, max(cue, 0)
	cue = min(cue, len(s))
	from := 0
	if cue > maxStatement/2 {
		from = cue
		if n := strings.LastIndexAny(s[:cue], ",;:(–—，；、"); n >= 0 && cue-n < maxStatement/2 {
			from = n + 1
		}
		for from < len(s) && !utf8.RuneStart(s[from]) {
			from++
		}
	}
	out := strings.TrimSpace(s[from:])
	if len(out) > maxStatement {
		out = trimRune(out[:maxStatement])
		if n := strings.LastIndexAny(out, ",; "); n > maxStatement/2 {
			out = out[:n]
		}
		out += "…"
	}
	return strings.ToValidUTF8(out, "")
}

// joining lists words that connect a sentence to the previous one, as in "And never push to main." They are removed,
// because the previous sentence may not be in the list of rules.
var joining = wordListOf("and but so also oh und aber et mais y pero mas и а но ale ve ama maar")

// mostJoins is the maximum number of such words that are removed from the beginning of a sentence.
const mostJoins = 2

// withoutJoin returns s without the words at its beginning that connect it to the previous sentence.
func withoutJoin(s string) string {
	for range mostJoins {
		word, rest, _ := strings.Cut(s, " ")
		if rest == "" || !joining.has(lower(strings.TrimRight(word, ","))) {
			return s
		}
		s = strings.TrimLeft(rest, " ")
	}
	return s
}

// rating describes how strictly a sentence prescribes a way of working, judged by its cues.
type rating struct {
	strength int  // how strictly, from none on
	at       int  // the byte offset of the decisive cue
	changes  bool // it changes what an earlier statement says
	negative bool // it forbids something
	revokes  bool // it revokes an earlier statement
	lifted   int  // the byte offset of the cue that says so, plus one; 0 if no cue does
	told     bool // the cue is an order, or describes the writer
	amends   bool // it gives another value to a limit that it doesn't name
	also     bool // it allows something in addition to what a rule allows
	ends     bool // it is an order to stop something
	eased    bool // its form, and no cue, shows that it revokes a rule
	able     bool // it is a statement of its own even if there is no limit to amend
	chooses  bool // it chooses another alternative
	grants   bool // it allows something, but not clearly something that was forbidden
	frees    bool // it allows saying or using something again
	exact    bool // it revokes only a rule with nearly all of its words
	lasting  bool // its form shows that it isn't an errand
	direct   bool // the sentence tells the reader what to do, is about what the reader writes, or describes its writer
}

// ranks is the number of ranks. If not all statements fit, those with higher ranks are kept.
const ranks = 2 * (strict + 1)

func (r *rating) rank() int {
	n := 2 * max(r.strength, weak)
	if r.direct {
		n++
	}
	return n
}

// rate returns how strictly a sentence prescribes a way of working; the strength is none if it prescribes nothing. It
// marks the words of the cues that it finds in ws.
func rate(s string, ws []word) rating {
	r := rateClause(s, ws)
	if n := requested(ws); n > 0 && r.strength < strict && !isQuestion(s) {
		ws[n].starts = true
		recalls := ws[n-1].text == "told" || n > 1 && ws[n-2].text == "told" || n > 2 && ws[n-3].text == "told"
		if order := rateClause(s, ws[n:]); order.strength > r.strength || recalls && order.strength == wish {
			order.lasting = order.lasting || recalls
			return order
		}
	}
	if n := askedFor(ws); n > 0 && r.strength == none && isQuestion(s) {
		ws[n].starts = true
		if order := rateClause(strings.TrimRight(s, "? "), ws[n:]); order.strength >= wish && order.told {
			return order
		}
	}
	return r
}

// askedFor returns the index of the verb in a polite question that asks the reader to avoid something: "Could you please not
// …?", "Tu peux éviter …?". It returns 0 for any other sentence.
func askedFor(ws []word) int {
	wished, you, i := false, false, 0
	for i < len(ws) && i < 5 && (ws[i].is(wishes|addressees) || ws[i].text == "just" || ws[i].text == "also") {
		wished = wished || ws[i].is(wishes)
		you = you || ws[i].is(addressees) || !asksAnybody.has(ws[i].text) && ws[i].text != "please"
		i++
	}
	if !wished || !you || i+1 >= len(ws) || !ws[i].is(negations) && !avoiding.has(ws[i].text) {
		return 0
	}
	return i
}

// avoiding lists verbs, as they follow "can you", for what the reader shouldn't do.
var avoiding = wordListOf("avoid stop skip éviter arrêter evitar evitare smettere избегать")

// judging holds the state of rateClause while it judges the cues of a sentence, or of an order within a sentence.
type judging struct {
	rating
	scene
	question bool // the sentence is a question, and not a polite wish
	ended    bool // it says that something is no longer so
}

// rateClause is like rate, but doesn't rate an order within the sentence separately.
func rateClause(s string, ws []word) rating {
	j := judging{question: (isQuestion(s) || inverted(ws)) && !polite(ws) && !hasAny(s, politeSigns)}
	j.look(s, ws)
	spacedScript := true
	for i := range ws {
		w := &ws[i]
		j.negative = j.negative || w.is(negations)
		spacedScript = spacedScript && w.script == spaced
		if w.known && w.script == spaced && !w.quoted {
			j.cuesAt(i)
		}
	}
	if !spacedScript {
		j.signs()
	}
	j.judgeForm(spacedScript)
	j.revokes = j.revokes || j.strength > none && !j.question && j.permits && j.all&agains != 0
	return j.rating
}

// judgeForm rates a sentence without a strong cue as a wish if it has the form of a statement about how to work.
// spacedScript says that the sentence is in a script with spaces. A sentence that asks something is never rated.
func (j *judging) judgeForm(spacedScript bool) {
	if j.question {
		return
	}
	if at := j.amendsLimit(); at >= 0 {
		j.able = j.strength >= wish
		j.strength, j.at, j.direct, j.told, j.lasting = max(j.strength, wish), j.ws[at].at, true, true, true
		j.amends, j.revokes = true, false
		return
	}
	if at := j.raised(); at >= 0 {
		j.strength, j.at, j.direct, j.told, j.changes, j.lasting = max(j.strength, wish), at, true, true, true, true
		return
	}
	if spacedScript && j.switches() >= 0 || !spacedScript && (switchesSigned(j.text) || raisedSigned(j.text)) {
		j.strength, j.direct, j.told, j.changes, j.lasting, j.chooses = max(j.strength, wish), true, true, true, true, true
		return
	}
	if j.strength < strict && j.isOpinionOnRule() {
		if j.revokes = true; !j.told {
			j.strength = weak
		}
		return
	}
	if j.strength < strict && spacedScript && j.putsBack() {
		j.strength, j.revokes = weak, true
		return
	}
	if j.strength < strict && spacedScript && !j.revokes && j.lifts() {
		j.revokes, j.eased = true, true
		if !j.ended {
			j.strength = max(j.strength, weak)
			return
		}
	}
	if j.strength >= wish {
		return
	}
	at := j.at
	if spacedScript {
		at = j.formed()
	} else if !formedSigned(j.text) {
		at = -1
	}
	if at >= 0 {
		j.strength, j.at, j.direct, j.told, j.lasting = wish, at, true, true, j.implies
	} else if j.eased {
		j.strength = max(j.strength, weak)
	}
}

// take updates the rating for a cue of row c at byte offset at. The strength of a cue in a question doesn't count, nor
// does that of a cue that is less strict than an earlier one.
func (j *judging) take(c *cueRow, at int) {
	j.changes = j.changes || c.changes
	if c.place == lift && !j.question {
		j.revokes, j.lifted = true, at+1
	}
	if j.question || c.strength < j.strength || c.place == loose && isQuestion(j.text) {
		return
	}
	j.direct = j.direct && c.strength == j.strength || j.directs(c)
	j.told = j.told && c.strength == j.strength || c.tells()
	if c.strength > j.strength {
		j.strength, j.at = c.strength, at
	}
}

// cuesAt updates the rating for the cues that begin at word i, and marks the words of these cues.
func (j *judging) cuesAt(i int) {
	w := &j.ws[i]
	for n := int(w.cues) - 1; n >= 0; n = cues.after(n) {
		if more := cues.from(n)[len(w.text):]; more != "" && more[0] == ' ' && (i+1 == len(j.ws) || !leadsWith(more[1:], j.ws[i+1].text) && !j.ws[i+1].is(shades)) {
			continue // no cue that begins with this word matches: the usual case
		}
		c := cue{cues.row(n), cues.text(n)}
		size := c.matches(j.ws[i:])
		if size == 0 || !j.spotAt(c, i, size).fits() {
			continue
		}
		for k := range size {
			j.ws[i+k].cue = j.ws[i+k].cue || c.place != loose
		}
		if j.aside(&c, i) {
			j.take(&cueRow{place: loose, strength: wish, changes: c.changes}, w.at)
		} else {
			j.take(c.cueRow, w.at)
		}
	}
}

// inverters lists verbs that begin a question without a question mark. openers lists words that may precede them.
var (
	inverters = wordListOf("should would could does is are did was were has am")
	openers   = wordListOf("so then and also but ok okay well now hm hmm")
)

// inverted reports whether a sentence has the word order of a question, as in "so then should it
// …".
func inverted(ws []word) bool {
	k := 0
	for k < len(ws) && openers.has(ws[k].text) {
		k++
	}
	return k+1 < len(ws) && inverters.has(ws[k].text) && !ws[k+1].breaks && (ws[k].text != "am" || ws[k+1].text == "i")
}

// polite reports whether a question really expresses a wish, as in "could you always …?".
func polite(ws []word) bool {
	for i := range ws[:min(len(ws), 4)] {
		if ws[i].is(wishes) && (!asksAnybody.has(ws[i].text) || i+1 < len(ws) && ws[i+1].text == "you") {
			return true
		}
	}
	return false
}

// politeSigns lists character sequences in polite questions, for scripts without spaces and for Korean.
var politeSigns = strings.Fields("能不能 可不可以 能否 可否 可以请 可以請 もらえ いただけ くれませんか くださいませんか 주실 주시겠 줄래")

// asksAnybody lists verbs that express a wish only if "you" follows. With "we", they form a real question.
var asksAnybody = wordListOf("can could would will")

// longestReference is the maximum length, in words, of a sentence whose pronouns refer to the previous sentence.
const longestReference = 8

// refersBack reports whether a sentence contains a pronoun and can't be understood without the previous sentence. It
// returns false for sentences of more than most words.
func refersBack(ws []word, most int) bool {
	return len(ws) <= most && anyIs(ws, pronouns)
}

// pointless reports whether a sentence only comments on something that precedes it: "I like that."
func pointless(ws []word) bool {
	if !refersBack(ws, longestReference-1) {
		return false
	}
	for i := range ws {
		if !ws[i].cue && !ws[i].is(pronouns|narrators|conjunctions|joins) {
			return false
		}
	}
	return true
}

// mostSkipped is the maximum number of modifiers between two words of a cue: "I do not [really] like".
const mostSkipped = 2

// matches returns how many words at the beginning of ws the cue matches, including modifiers between its words, or 0.
// The caller must already have matched the first word.
func (c *cue) matches(ws []word) int {
	at := 1
	for more := c.text[len(ws[0].text):]; more != ""; at++ {
		more = more[1:]
		end := at + mostSkipped
		for at < len(ws) && !leadsWith(more, ws[at].text) {
			if at == end || !ws[at].is(shades) {
				return 0
			}
			at++
		}
		if at == len(ws) || ws[at].quoted {
			return 0
		}
		more = more[len(ws[at].text):]
	}
	return at
}

// leadsWith reports whether cue begins with word. cue may be the rest of a cue, and may be followed by the other cues
// in its row.
func leadsWith(cue, word string) bool {
	return strings.HasPrefix(cue, word) && (len(cue) == len(word) || cue[len(word)] == ' ' || cue[len(word)] == ',')
}

// telltales is a bit set of word stems. It contains the stem of one word from each cue in a script with spaces, so text
// without any of these stems contains no such cue.
var telltales [1 << 16 / 64]uint64

// hasSigns reports whether text may contain a script whose cues are character sequences.
func hasSigns(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0xd6 {
			return true
		}
	}
	return false
}

// wordsOf is like the function of the same name, but its result is valid only until the next call.
func (r *readRoom) wordsOf(text string, quoted []bool) []word {
	r.words = appendWords(r.words[:0], text, quoted)
	return r.words
}

// telltalesIn returns the byte offsets of the words in text that may belong to cues. Text with neither such words nor
// signs contains no cue. The result is valid until the next call.
func (r *readRoom) telltalesIn(text string) []int32 {
	ready()
	cues := r.cues[:0]
	r.stems = words.Append(r.stems[:0], text)
	for _, w := range r.stems {
		if at := w.Stem % (1 << 16); telltales[at/64]>>(at%64)&1 != 0 {
			cues = append(cues, w.From)
		}
	}
	return cues
}

// usual lists words that occur in most sentences. The telltale of a cue is one of its other words, if it has any.
var usual = words.NewSet("the and for you your that this with have has are was can not but when will from what all one is am my me no of in on to as at it its i we be do an so a der die das und ich nicht ist mit von zu es ein le la les de des et que en un une el los y o не на и в с я")

// tell adds the telltale of a phrase, which is its longest word that isn't a usual word.
func tell(phrase string) {
	var room [16]words.Word
	telltale, rare := words.Word{}, false
	for _, w := range words.Append(room[:0], strings.TrimSpace(phrase)) {
		if unusual := !usual.Has(w.Stem); unusual && !rare || unusual == rare && w.End-w.From > telltale.End-telltale.From {
			telltale, rare = w, unusual
		}
	}
	at := telltale.Stem % (1 << 16)
	telltales[at/64] |= 1 << (at % 64)
}
