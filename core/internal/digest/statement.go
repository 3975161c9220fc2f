package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// The strictness of statements.
const (
	none   = iota
	weak   // a statement of fact: "Amounts go in cents, every one of them."
	wish   // a wish, a habit or a taste: "I prefer short answers."
	strict // "Never push to main."
)

// The sizes of statements, in bytes. Longer ones are cut at the ends of clauses.
const (
	minStatement = 8
	maxStatement = 400
)

// statements returns those sentences of a user text that say how to work, in order. It ignores a date that a chat
// program wrote at the beginning.
func statements(text string, r *readRoom) (out []string) {
	if day, size := dates.Header(text); day.Date != 0 {
		text = text[size:]
	}
	for _, p := range passages(withoutPaste(text)) {
		out = p.statements(out, r)
	}
	return out
}

// readRoom is memory that is reused from one passage to the next.
type readRoom struct {
	stems  [64]words.Word
	words  [64]word
	ranges [16][2]int
	cues   [16]int32
}

func (p *passage) statements(out []string, room *readRoom) []string {
	var cues []int32 // positions of words that may begin cues
	if p.lead == "" {
		cues = telltalesIn(room.cues[:0], p.text, room.stems[:0])
		if len(cues) == 0 && !hasSigns(p.text) {
			return out
		}
	}
	quoted := quotedIn(p.text)
	before, once := "", false // the previous sentence, and whether it is an errand
	order := featureOf{passage: p.text}
	for _, at := range sentencesIn(room.ranges[:0], p.text, quoted) {
		s := p.text[at[0]:at[1]]
		for len(cues) > 0 && int(cues[0]) < at[0] {
			cues = cues[1:]
		}
		if p.lead == "" && (len(cues) == 0 || int(cues[0]) >= at[1]) && !hasSigns(s) {
			before = s
			continue
		}
		var mask []bool
		if quoted != nil {
			mask = quoted[at[0]:at[1]]
		}
		ws := appendWords(room.words[:0], s, mask)
		if n := asserted(s, ws); n > 0 {
			s, mask = s[:n], mask[:min(n, len(mask))]
			ws = appendWords(room.words[:0], s, mask)
		}
		r := rate(s, ws)
		if p.lead != "" && !asks(s) { // the introduction says what is true of the items
			r.strength = max(r.strength, wish)
		}
		if order.specifiedBy(ws, &r, at[0]) {
			before = s
			continue
		}
		if p.placed && recurs(ws) < 0 && !slices.ContainsFunc(ws, func(w word) bool { return w.is(lastingly) }) {
			before = s
			continue
		}
		if once = p.lead == "" && (once && strings.HasSuffix(before, ";") || errand(s, ws, r.direct)); once && r.strength > none {
			before = s
			continue
		}
		if r.strength > none && len(s) >= minStatement && (r.strength == strict || before != "" || p.lead != "" || !pointless(ws)) {
			whole, fits := s, before != "" && len(before)+len(s) < maxStatement
			switch {
			case p.lead == "" && ws[0].is(others):
				if !fits || wordsOf(before, nil)[0].is(others) {
					before = s
					continue // the subject of the sentence is unknown
				}
				whole = before + " " + s
			case fits && refersBack(ws, longestReference):
				whole = before + " " + s
			}
			if n := len(out) - 1; len(whole) > len(s) && n >= 0 && strings.HasSuffix(out[n], before) { // both are in one line
				if said := out[n]; said == before || p.lead != "" {
					out = out[:n]
				} else if len(said)+len(s) < maxStatement {
					whole, out = said+" "+s, out[:n]
				}
			}
			if p.lead != "" {
				whole = p.lead + ": " + whole
			}
			out = append(out, clause(whole, len(whole)-len(s)+r.at))
		}
		before = s
	}
	return out
}

// clause returns a statement on one line. A long statement is reduced to the text around the cue, cut at the ends of clauses or words.
func clause(s string, cue int) string {
	if strings.ContainsAny(s, "\t\r\n") || strings.Contains(s, "  ") {
		s = strings.Join(strings.Fields(s), " ")
	}
	if s = strings.TrimSpace(s); len(s) <= maxStatement {
		return s
	}
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

// rating is how strictly a sentence says how to work, judged by its cues.
type rating struct {
	strength int
	at       int // the position of the decisive cue, in bytes
	changes  bool
	negative bool
	revokes  bool // it revokes an earlier statement
	told     bool // the cue is an order, or describes the writer
	direct   bool // the sentence tells the reader what to do, is about what the reader writes, or describes its writer
}

// ranks is the number of ranks. If not all statements fit, those of a higher rank stay.
const ranks = 2 * (strict + 1)

func (r *rating) rank() int {
	n := 2 * max(r.strength, weak)
	if r.direct {
		n++
	}
	return n
}

// rate returns how strictly a sentence says how to work; none if it doesn't. It marks the words of its cues in ws.
func rate(s string, ws []word) rating {
	r := rateClause(s, ws)
	if n := requested(ws); n > 0 && r.strength < strict && !asks(s) {
		ws[n].starts = true
		if order := rateClause(s, ws[n:]); order.strength > r.strength {
			return order
		}
	}
	return r
}

func rateClause(s string, ws []word) (r rating) {
	var sc scene
	sc.look(s, ws)
	ask := (asks(s) || inverted(ws)) && !polite(ws)
	take := func(c *cueRow, at int) {
		r.changes = r.changes || c.changes
		r.revokes = r.revokes || c.place == lift && !ask
		if ask || c.strength < r.strength || c.place == loose && asks(s) {
			return
		}
		r.direct = r.direct && c.strength == r.strength || sc.directs(c)
		r.told = r.told && c.strength == r.strength || c.tells()
		if c.strength > r.strength {
			r.strength, r.at = c.strength, at
		}
	}
	spacedScript := true
	for i := range ws {
		w := &ws[i]
		if !w.known && w.script == spaced {
			continue
		}
		if w.is(negations) {
			r.negative = true
		}
		if w.script != spaced {
			spacedScript = false
			continue
		}
		if w.quoted {
			continue
		}
		for n := int(w.cues) - 1; n >= 0; n = cues.after(n) {
			if more := cues.from(n)[len(w.text):]; more != "" && more[0] == ' ' && (i+1 == len(ws) || !leadsWith(more[1:], ws[i+1].text) && !ws[i+1].is(shades)) {
				continue // no cue that begins with this word matches: the usual case
			}
			c := cue{cues.row(n), cues.text(n)}
			size := c.matches(ws[i:])
			if size == 0 || !sc.spotAt(c, i, size).fits() {
				continue
			}
			for k := range size {
				ws[i+k].cue = ws[i+k].cue || c.place != loose
			}
			if row := c.cueRow; sc.aside(&c, i) {
				take(&cueRow{place: loose, strength: wish, changes: row.changes}, w.at)
			} else {
				take(row, w.at)
			}
		}
	}
	if !spacedScript {
		if r.signs(s, ws, take); r.strength < wish && !ask && formedSigned(s) {
			r.strength, r.direct, r.told = wish, true, true
		}
	} else if r.strength < wish && !ask {
		if at := sc.formed(); at >= 0 {
			r.strength, r.at, r.direct, r.told = wish, at, true, true
		}
	}
	r.revokes = r.revokes || r.strength > none && !ask && sc.permits && sc.all&agains != 0
	return r
}

// asks reports whether a sentence is a question.
func asks(s string) bool {
	s = strings.TrimRight(s, "\"'”’») ")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟")
}

// For sentences without a question mark: words that begin a question, and words that may precede these.
var (
	inverters = wordListOf("should would could does is are did was were has am")
	openers   = wordListOf("so then and also but ok okay well now hm hmm")
)

// inverted reports whether a sentence has the word order of a question: "so then should it …".
func inverted(ws []word) bool {
	k := 0
	for k < len(ws) && openers.has(ws[k].text) {
		k++
	}
	return k+1 < len(ws) && inverters.has(ws[k].text) && !ws[k+1].breaks && (ws[k].text != "am" || ws[k+1].text == "i")
}

// polite reports whether a question is really a wish: "could you always …?"
func polite(ws []word) bool {
	for i := range ws[:min(len(ws), 4)] {
		if ws[i].is(wishes) && (!asksAnybody.has(ws[i].text) || i+1 < len(ws) && ws[i+1].text == "you") {
			return true
		}
	}
	return false
}

// asksAnybody lists words that express a wish only before "you": "can we …?" is a question.
var asksAnybody = wordListOf("can could would will")

// longestReference is the maximum number of words of a sentence that counts as a reference to the previous one
// because of its pronouns.
const longestReference = 8

// refersBack reports whether a sentence has at most most words and can't be understood without the previous one.
func refersBack(ws []word, most int) bool {
	if len(ws) > most {
		return false
	}
	for i := range ws {
		if ws[i].is(pronouns) {
			return true
		}
	}
	return false
}

// pointless reports whether a sentence only refers to something before it: "I like that."
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

// matches returns the number of words at the beginning of ws that a cue matches, including modifiers in between, or 0. The first word must
// already be known to match.
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

// leadsWith reports whether a cue, or the rest of one, begins with a word. The other cues of its row may follow in
// the same string.
func leadsWith(cue, word string) bool {
	return strings.HasPrefix(cue, word) && (len(cue) == len(word) || cue[len(word)] == ' ' || cue[len(word)] == ',')
}

// telltales has a bit for the stem of one word from each cue in scripts with spaces. A text with none of these stems contains no cue.
var telltales [1 << 16 / 64]uint64

// hasSigns reports whether a text may be in a script whose cues are character sequences.
func hasSigns(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0xd6 {
			return true
		}
	}
	return false
}

// telltalesIn appends to cues the positions of words that may begin cues. A text without such words, and without
// signs, contains no cue. It reuses the memory of ws.
func telltalesIn(cues []int32, text string, ws []words.Word) []int32 {
	ready()
	for _, w := range words.Append(ws, text) {
		if at := w.Stem % (1 << 16); telltales[at/64]>>(at%64)&1 != 0 {
			cues = append(cues, w.From)
		}
	}
	return cues
}

// usual lists words that occur in most sentences. A cue is recognized by another of its words, if it has one.
var usual = words.NewSet("the and for you your that this with have has are was can not but when will from what all one is am my me no of in on to as at it its i we be do an so a der die das und ich nicht ist mit von zu es ein le la les de des et que en un une el los y o не на и в с я")

// tell adds the telltale for a phrase: its longest word that isn't one of the usual words.
func tell(phrase string) {
	telltale, rare := words.Word{}, false
	for _, w := range words.Append(nil, strings.TrimSpace(phrase)) {
		if is := !usual.Has(w.Stem); is && !rare || is == rare && w.End-w.From > telltale.End-telltale.From {
			telltale, rare = w, is
		}
	}
	at := telltale.Stem % (1 << 16)
	telltales[at/64] |= 1 << (at % 64)
}
