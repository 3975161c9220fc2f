package digest

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// How strict a statement is. Where not all fit into a digest, the stricter ones stay.
const (
	none   = iota
	weak   // how things are done: "Amounts go in cents, every one of them."
	wish   // a wish or a habit: "I prefer short answers."
	strict // "Never push to main."
)

// Sizes of a statement, in bytes. One that is longer is cut at the ends of clauses.
const (
	minStatement = 8
	maxStatement = 400
)

// statements are the sentences of a text of the user that say how to work, in their order.
func statements(text string) (out []string) {
	for _, p := range passages(text) {
		out = p.statements(out)
	}
	return out
}

func (p *passage) statements(out []string) []string {
	var scratch [64]words.Word
	var room [64]word
	if p.lead == "" && !mayCue(p.text, scratch[:0]) {
		return out
	}
	quoted := quotedIn(p.text)
	before := ""
	for _, at := range sentencesIn(p.text, quoted) {
		s := p.text[at[0]:at[1]]
		if p.lead == "" && !mayCue(s, scratch[:0]) {
			before = s
			continue
		}
		var mask []bool
		if quoted != nil {
			mask = quoted[at[0]:at[1]]
		}
		ws := appendWords(room[:0], s, mask)
		if n := asserted(s, ws); n > 0 {
			s, mask = s[:n], mask[:min(n, len(mask))]
			ws = appendWords(room[:0], s, mask)
		}
		r := rate(s, ws)
		if p.lead != "" && !asks(s) { // the list says what its items are
			r.strength = max(r.strength, wish)
		}
		if r.strength > none && len(s) >= minStatement && (r.strength == strict || before != "" || p.lead != "" || !pointless(ws)) {
			whole := s
			switch {
			case p.lead != "":
				whole = p.lead + ": " + s
			case before != "" && refersBack(ws) && len(before)+len(s) < maxStatement:
				whole = before + " " + s
			}
			out = append(out, clause(whole, len(whole)-len(s)+r.at))
		}
		before = s
	}
	return out
}

// clause is a statement on one line. Of a long one it is what is around the cue, cut at the ends of clauses or of words.
func clause(s string, cue int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxStatement {
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

// rating is what the cues of a sentence say.
type rating struct {
	strength int
	at       int // where the cue is that counts, in bytes
	changes  bool
	negative bool
}

// rate says how strictly a sentence says how to work; none where it does not. It marks the words of its cues.
func rate(s string, ws []word) (r rating) {
	question := asks(s)
	narrates := len(ws) > 0 && ws[0].is(narrators)
	take := func(c *cue, at int) {
		r.changes = r.changes || c.changes
		if question && !polite(ws) || c.strength <= r.strength {
			return
		}
		r.strength, r.at = c.strength, at
	}
	spacedScript := true
	for i := range ws {
		w := &ws[i]
		if w.entry == nil && w.script == spaced {
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
		for _, n := range w.entry.cues {
			c := &cues[n]
			if !c.matches(ws[i:]) || !c.fits(ws, i, narrates) {
				continue
			}
			for k := range c.words {
				ws[i+k].cue = ws[i+k].cue || c.place != loose
			}
			take(c, w.at)
		}
	}
	if !spacedScript {
		r.signs(s, ws, take)
	}
	return r
}

// asks reports whether a sentence is a question.
func asks(s string) bool {
	s = strings.TrimRight(s, "\"'”’») ")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟")
}

// polite reports whether a question is a wish: "could you always …?"
func polite(ws []word) bool {
	for i := range ws[:min(len(ws), 4)] {
		if ws[i].is(wishes) {
			return true
		}
	}
	return false
}

// refersBack reports whether a short sentence cannot be understood without the one before it.
func refersBack(ws []word) bool {
	if len(ws) > 7 {
		return false
	}
	for i := range ws {
		if ws[i].is(pronouns) {
			return true
		}
	}
	return false
}

// pointless reports whether a sentence only points to what preceded it: "I like that."
func pointless(ws []word) bool {
	if !refersBack(ws) {
		return false
	}
	for i := range ws {
		if !ws[i].cue && !ws[i].is(pronouns|narrators|conjunctions|joins) {
			return false
		}
	}
	return true
}

// matches reports whether words begin with those of a cue.
func (c *cue) matches(ws []word) bool {
	if len(ws) < len(c.words) {
		return false
	}
	for i, w := range c.words {
		if ws[i].text != w || ws[i].quoted {
			return false
		}
	}
	return true
}

// fits reports whether the cue at word i is where it says how to work: an order begins a clause, and a habit belongs to nobody story ("it
// never worked").
func (c *cue) fits(ws []word, i int, narrates bool) bool {
	var before, after *word
	if i > 0 {
		before = &ws[i-1]
	}
	next := ""
	if i+len(c.words) < len(ws) {
		after = &ws[i+len(c.words)]
		next = after.text
	}
	switch c.place {
	case lead:
		return ws[i].starts && after != nil && next != "mind" && !after.breaks
	case habit:
		return next != "mind" && (ws[i].starts || !before.is(tellers) || after.is(habits))
	case duty:
		return !before.is(singles) && !after.is(done)
	case loose:
		return !narrates && !(i+1 < len(ws) && ws[i+1].breaks)
	case taste:
		return next != "to" && next != "you"
	}
	return true
}

// telltales has a bit for the stem of one word of each cue of a script with spaces, the longest: without any of them no cue is there.
var telltales [1 << 16 / 64]uint64

// mayCue reports whether a text may hold a cue. It uses the room of ws.
func mayCue(text string, ws []words.Word) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0xd6 { // a script whose cues are looked for as signs
			return true
		}
	}
	for _, w := range words.Append(ws, text) {
		if at := w.Stem % (1 << 16); telltales[at/64]>>(at%64)&1 != 0 {
			return true
		}
	}
	return false
}

// cue is some words by which a statement is known.
type cue struct {
	place    int
	strength int
	changes  bool
	negative bool
	words    []string
	sign     string // of scripts that write words together
}

// Where a cue has to be.
const (
	anywhere = iota
	lead     // at the beginning of a clause
	habit    // not after who tells a story
	duty     // not said by somebody of himself
	loose    // not in a sentence that begins with who tells a story
	taste    // of a thing, not of what should be done now: that is a request
)

var (
	cues     []cue
	signCues []cue
)

func init() {
	for _, row := range cueRows {
		for _, phrase := range strings.Split(row.phrases, ",") {
			c := cue{place: row.place, strength: row.strength, changes: row.changes}
			for _, w := range wordsOf(phrase, nil) {
				c.words = append(c.words, w.text)
			}
			telltale := words.Word{}
			for _, w := range words.Append(nil, strings.TrimSpace(phrase)) {
				if w.End-w.From > telltale.End-telltale.From {
					telltale = w
				}
			}
			at := telltale.Stem % (1 << 16)
			telltales[at/64] |= 1 << (at % 64)
			first := vocabulary.at(c.words[0])
			first.cues = append(first.cues, int32(len(cues)))
			cues = append(cues, c)
		}
	}
	for _, row := range signRows {
		for _, sign := range strings.Split(row.signs, ",") {
			signCues = append(signCues, cue{strength: row.strength, changes: row.changes, negative: row.negative, sign: sign})
			signIndex.add(sign)
		}
	}
	for _, row := range wordSets {
		for _, w := range strings.Fields(row.words) {
			vocabulary.at(w).kinds |= row.kind
		}
	}
}
