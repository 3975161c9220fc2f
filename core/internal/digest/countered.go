package digest

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Users know their own circumstances better than the assistant does. Suppose the assistant says "Depots usually take
// 20 pallets a day", and then the user says "The depot takes 12 pallets a day". The digest prefers the user's
// sentence, even if all its words occur again later. If it quotes the assistant's sentence, it adds a note with the
// user's value.

// The factors, in 1024ths, for the weights of the user's sentence and of the assistant's sentence.
const (
	ofCounter   = 8192
	ofCountered = 128
)

// Limits that bound the cost: the number of the assistant's newest claims that are compared, the maximum distance
// between the two sentences in items, and the maximum length of a sentence in bytes.
const (
	mostClaims   = 48
	nearCounter  = 8
	longestClaim = 400
)

// counterOpen begins the note after a sentence by the assistant if the user then states another value.
const counterOpen = " (the user then says "

// measure is a number in a text, together with the words next to it. One of these words is usually the unit of the
// number, or what it counts.
type measure struct {
	count         string // the number
	text          string // the number with its unit, as written
	before, after uint32 // the stems of the adjacent words; 0 if there is none
}

// claim is a sentence that contains numbers.
type claim struct {
	item, from, to int          // the item, and the range of the sentence in its text, in bytes
	leads          bool         // whether the sentence is the first of its item
	self           bool         // whether the speaker is the subject of the sentence
	measures       []measure    // the numbers in the sentence, with their units
	about          []words.Word // the informative words other than numbers
	head           int          // how many of these words precede the first number
}

// countered is a sentence by the assistant, together with the different value that the user stated later.
type countered struct {
	item, from, to int
	value          string
}

// appendMeasures appends the numbers in text to out. ws are the words of text. Numbers that are connected, as in
// "07:40", are one number.
func appendMeasures(out []measure, text string, ws []words.Word) []measure {
	for k := 0; k < len(ws); k++ {
		if ws[k].Kind&words.Digit == 0 {
			continue
		}
		from := k
		for k+1 < len(ws) && ws[k+1].Kind&words.Digit != 0 && strings.Trim(text[ws[k].End:ws[k+1].From], ".,:/'’") == "" {
			k++
		}
		m := measure{text: text[ws[from].From:ws[k].End]}
		m.count = strings.TrimRightFunc(m.text, unicode.IsLetter)
		if glued := m.text[len(m.count):]; glued != "" { // "30s"
			m.after = words.Hash(glued)
		} else if k+1 < len(ws) && adjoins(text, ws[k], ws[k+1]) && unitLike(ws[k+1]) {
			m.after, m.text = ws[k+1].Stem, text[ws[from].From:ws[k+1].End]
		}
		if from > 0 && adjoins(text, ws[from-1], ws[from]) && unitLike(ws[from-1]) {
			m.before = ws[from-1].Stem
		}
		out = append(out, m)
	}
	return out
}

// adjoins reports whether only spaces and hyphens separate two words.
func adjoins(text string, a, b words.Word) bool {
	return strings.Trim(text[a.End:b.From], " -\u00a0\u202f") == ""
}

// unitLike reports whether a word next to a number may be the number's unit, or what the number counts.
func unitLike(w words.Word) bool { return w.Kind&words.Digit == 0 && !frequent.Has(w.Stem) }

// rivals reports whether two measures give different numbers for the same thing.
func (m *measure) rivals(other *measure) bool {
	return m.count != other.count && (m.after != 0 && m.after == other.after || m.before != 0 && m.before == other.before)
}

// rivalsOneOf reports whether m rivals one of the given measures and none of them has its number.
func (m *measure) rivalsOneOf(measures []measure) bool {
	rival := false
	for n := range measures {
		if measures[n].count == m.count {
			return false
		}
		rival = rival || m.rivals(&measures[n])
	}
	return rival
}

// claim analyzes a sentence. ok is false if the sentence contains no number, is a question, or is too long to be a
// single claim.
func (r *claimReader) claim(text string) (c claim, ok bool) {
	if len(text) > longestClaim || strings.IndexFunc(text, unicode.IsDigit) < 0 || isQuestion(text) {
		return c, false
	}
	ws := words.Append(r.ws[:0], text)
	r.ws = ws
	r.measures = appendMeasures(r.measures[:0], text, ws)
	c.self = speakers.in(text, ws[:min(len(ws), nearSubject)])
	numbered, about := false, r.about[:0]
	for k, w := range ws {
		numbered = numbered || w.Kind&words.Digit != 0
		if w.Kind&(words.Digit|words.Short) == 0 && !frequent.Has(w.Stem) {
			if k == 0 {
				w.Kind &^= words.Capital
			}
			if about = append(about, w); !numbered {
				c.head++
			}
		}
	}
	r.about = about
	c.about, r.keptAbout = kept(about, r.keptAbout)
	c.measures, r.keptMeasures = kept(r.measures, r.keptMeasures)
	return c, len(c.measures) > 0
}

// statesOne reports whether a sentence states exactly one value.
func (c *claim) statesOne() bool { return len(c.measures) == 1 && len(c.about) > 0 }

// isAbout reports whether w is one of the claim's informative words.
func (c *claim) isAbout(w words.Word) bool {
	return slices.ContainsFunc(c.about, func(own words.Word) bool { return own.Stem == w.Stem })
}

// contradicts reports whether c, a user's sentence with one number, states another value for the subject of old, a
// sentence by the assistant. old must contain most of c's informative words, including all names and the first word.
// The first word may be missing from old if c is the first sentence of a direct reply, isn't about the user, and shares
// two words before the number: "Our landlord says the slab holds …".
func (c *claim) contradicts(old *claim) bool {
	if !c.statesOne() || c.item-old.item > nearCounter {
		return false
	}
	if !c.measures[0].rivalsOneOf(old.measures) {
		return false
	}
	shared, before := 0, 0
	for k, w := range c.about {
		if old.isAbout(w) {
			if shared++; k < c.head {
				before++
			}
		} else if w.Kind&words.Capital != 0 {
			return false
		}
	}
	first := old.isAbout(c.about[0])
	if slices.ContainsFunc(c.about, func(w words.Word) bool { return w.Kind&words.Pair != 0 }) {
		// An inserted character also changes the pairs of characters next to it.
		return first && shared > 2 && shared*2 >= len(c.about)
	}
	return shared > 1 && shared*3 >= len(c.about)*2 && (first || before > 1 && c.repliesTo(old))
}

// repliesTo reports whether c is the first sentence of a direct reply to old, and isn't about the user.
func (c *claim) repliesTo(old *claim) bool { return c.leads && !c.self && c.item == old.item+1 }

// counter finds sentences by the assistant for which the user later states a different value, and changes the weights
// of both sentences. It reads the assistant's sentences only if the user states a value soon after them.
func (k *talk) counter() {
	r := claimReader{talk: k}
	var claims []claim // the assistant's claims in the items before next
	next := 0
	for i := range k.items {
		if k.sources[i].answers() {
			continue
		}
		r.own = r.read(r.own[:0], i)
		for n := range r.own {
			if !r.own[n].statesOne() {
				continue
			}
			for next = max(next, i-nearCounter); next < i; next++ {
				if k.sources[next].answers() {
					claims = r.read(claims, next)
				}
			}
			k.counterBy(&r.own[n], claims)
		}
	}
}

// claimReader reads the claims in the items of a talk. It reuses its buffers.
type claimReader struct {
	*talk
	own    []claim      // the claims in one of the user's items
	ranges [][2]int     // a buffer for the sentences of an item
	ws     []words.Word // a buffer for the words of a sentence
	// Buffers for the newest claim, and the blocks of memory that claims share.
	about, keptAbout       []words.Word
	measures, keptMeasures []measure
}

// blockLength is the usual capacity of a block of memory for several lists, in elements.
const blockLength = 128

// kept appends list to a block of memory, and returns this copy of the list and the block. If the
// block has no room for the list, it begins another one, so that earlier copies stay valid.
func kept[T any](list, block []T) (copied, grown []T) {
	from := len(block)
	if from+len(list) > cap(block) {
		from, block = 0, make([]T, 0, max(blockLength, len(list)))
	}
	grown = append(block, list...)
	return grown[from:], grown
}

// read appends the claims in item i to claims. It may drop all claims but the newest mostClaims.
func (r *claimReader) read(claims []claim, i int) []claim {
	text := r.items[i].Text
	src := &r.sources[i]
	if src.section != dialogue || !src.fresh && src.speaker != "assistant" || strings.IndexFunc(text, unicode.IsDigit) < 0 {
		return claims
	}
	r.ranges = sentencesIn(r.ranges[:0], text, nil)
	for n, at := range r.ranges {
		c, ok := r.claim(text[at[0]:at[1]])
		if !ok {
			continue
		}
		c.item, c.from, c.to, c.leads = i, at[0], at[1], n == 0
		if claims = append(claims, c); len(claims) == 2*mostClaims && src.answers() {
			claims = append(claims[:0], claims[mostClaims:]...)
		}
	}
	return claims
}

// counterBy compares c, a sentence of the user, with the newest of the assistant's claims.
func (k *talk) counterBy(c *claim, claims []claim) {
	found := false
	newest := claims[max(0, len(claims)-mostClaims):]
	for n := range newest {
		old := &newest[n]
		if !c.contradicts(old) {
			continue
		}
		found = true
		k.reweigh(old.item, old.from, old.to, ofCountered)
		k.countered = append(k.countered, countered{old.item, old.from, old.to, c.measures[0].text})
	}
	if found {
		k.reweigh(c.item, c.from, c.to, ofCounter)
	}
}

// reweigh sets the factor for the weight of the bytes from from to to in an item's text.
func (k *talk) reweigh(item, from, to, factor int) {
	it := &k.items[item]
	it.Weighed = append(it.Weighed, extract.Weighed{From: from, To: to, Factor: factor})
}

// counterNote returns the note that follows a chosen sentence if the user then stated another value, or "".
func (k *talk) counterNote(c extract.Chosen) (note string) {
	for _, old := range k.countered {
		if old.item == c.Item && old.from < c.To && c.From < old.to {
			note = counterOpen + old.value + ")"
		}
	}
	return note
}
