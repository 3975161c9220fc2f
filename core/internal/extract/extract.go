// Package extract chooses, within a budget, those sentences and clauses of texts that add most to what has already
// been chosen. Digests of conversations consist of them when no model is available.
//
// A word weighs more the fewer sentences contain it (inverse document frequency), names and numbers weigh double, and
// each time a word is chosen its weight halves. So words that everybody repeats, and facts that have been chosen
// already, weigh little. The gain of a sentence is divided by a power of its length, and the best sentence
// is taken until the budget is spent. This is the usual greedy solution of budgeted maximum coverage (Khuller, Moss
// and Naor 1999), with the lazy evaluation that submodular gains allow (Minoux 1978).
//
// The package knows neither the speakers nor the format of a digest. It only knows a few words, such as those that
// refer to another sentence or to the speaker, that continue or deny a sentence, or that say nothing.
package extract

import (
	"math/bits"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Item is text to choose from.
type Item struct {
	Text string // in any language; may have several lines
	// Factor multiplies the gains of the item's sentences, in 1024ths; 0 means 1024. With a negative factor, they are
	// only chosen together with sentences that depend on them.
	Factor int
	// Weighed are ranges of the text whose sentences have a factor of their own.
	Weighed []Weighed
	// Uncut prevents the item's sentences from being cut at clauses, because an earlier choice has already done that.
	Uncut bool
	// Whole treats the text as one sentence, uncut.
	Whole bool
	// Terse means that the text has already been shortened, so the worth of a part is proportional to its number of
	// words; see [Terse].
	Terse bool
	// Headed means that each line of the text is a whole sentence, and that the lines after the first one are only
	// chosen together with an earlier one, which names what they are about.
	Headed bool
	// LeansOn has, for each line of a Headed item, the number of that earlier line, from 0. Lines without a number lean
	// on the first one.
	LeansOn []int32
	// Follows means that the item was said directly after the previous item, so its first sentence may depend on the
	// last sentence of the previous item.
	Follows bool
	// Answers means that the item answers the last sentence of the previous item, without which a reader wouldn't know
	// what it is about.
	Answers bool
	// Personal means that sentences in the first person weigh more than elsewhere, because a user's preferences rarely
	// contain a name or a number.
	Personal bool
	// Spoken means that the item was said in a talk of people with names, who tell about themselves and comment on what
	// they hear; see [spoken].
	Spoken bool
	// More is the number of further sentences that the item's last sentence represents, and UpTo the number in the
	// newest of them; see [Extract.Alike].
	More int
	UpTo string
}

// Weighed is a range of an item's text, in bytes. Sentences that begin in it have Factor instead of the item's.
type Weighed struct{ From, To, Factor int }

// factorAt returns the factor of a sentence that begins at a byte of the text.
func (it *Item) factorAt(at int) int {
	for _, w := range it.Weighed {
		if w.From <= at && at < w.To {
			return w.Factor
		}
	}
	return it.Factor
}

// Chosen is a chosen sentence, or the chosen clauses of a sentence.
type Chosen struct {
	Item     int // the index of its item
	From, To int // its position in the item's text, in bytes
	// Sentence is the number of the sentence, which is the same in every choice from one Extract.
	Sentence int
	// Own means that speakers say the sentence about themselves: it is a statement in the first person that contains a
	// name or a number.
	Own bool
	// Question means that the sentence is a question, but not one in the first person with a name or a number.
	Question bool
	// Names means that it contains a name, a number or a title, and isn't one of many that differ only in their
	// numbers.
	Names bool
}

// Text returns the chosen range of an item's text.
func (c Chosen) Text(text string) string { return text[c.From:c.To] }

// Extract contains the sentences of items, with the weights of their words. It can be used for any number of choices.
type Extract struct {
	items     []Item           // the texts
	sentences []sentence       // of all items, in order
	clauses   []clause         // of all sentences, in order
	words     []occurrence     // of all sentences, in order
	stems     stems            // the numbers of the words' stems
	signs     signs            // how rare Chinese characters are
	marks     []bool           // a buffer for quoted
	said      prints           // the sentences so far, to recognize repetitions
	weights   []int32          // the weight of each stem, in 1024ths
	known     []uint8          // for each stem, 1 if text next to the extract contains it, otherwise 0
	power     int64            // see lengthPower
	choice    chooser          // the newest choice
	before    before           // what precedes the next sentence
	lines     []int32          // for each line of the item that is being read, the index of its sentence; -1 if it has none
	forms     []form           // the groups of sentences that differ only in their numbers
	stated    int              // the number of statements in a talk of people so far; see leastTold
	tellers   int              // how many of them say I or we
	formAt    map[uint64]int32 // the index of each form plus one, by its print
}

// before describes what precedes a sentence.
type before struct {
	sentence      int32  // the last sentence that says something; -1 if there is none or it was a repetition
	afterQuestion bool   // the previous sentence is a question
	topic         bool   // the previous sentence is a question of a few words by the same speaker: "And Norwegian?"
	text          string // the text of the question
	about         bool   // the question itself depends on another sentence
}

// sentence is a sentence of an item.
type sentence struct {
	item     int32    // the index of its item
	clauses  [2]int32 // its range in Extract.clauses
	factor   int32    // the factor of its gain, in 1024ths
	own      bool     // see Chosen.Own
	question bool     // see Chosen.Question
	spoken   spoken   // what it says in a talk of people
	leans    bool     // it is only chosen together with the sentence before
	before   int32    // the index of the sentence that it may depend on; -1 if there is none
	form     int32    // the index of its form plus one, 0 if it has no number
	nth      int32    // its number within the form
	first    int32    // the indexes of its best clauses, first and last, when its gain was last computed
	last     int32    // its last best clause
	gain     int64    // what choosing its best clauses adds at present
	rank     uint64   // of gain; see chooser.rank
	alone    alone    // its gain before anything is chosen
}

// alone describes the gain of a sentence before anything is chosen.
type alone struct {
	gain   int64 // as in sentence
	bucket int32 // its binary logarithm, in eighths
	size   int32 // of its best clauses, in bytes
}

// clause is a part of a sentence. A shortened sentence consists of a range of its clauses.
type clause struct {
	from, to int32    // bytes of the item's text
	words    [2]int32 // its range in Extract.words
	starts   bool     // a selection may begin with it
	ends     bool     // a selection may end with it
}

// occurrence is a word at one place in a sentence.
type occurrence struct {
	stem   int32 // the number of its stem
	factor int32 // in 1024ths; 0 if the word repeats an earlier one of the sentence
}

// New splits items into sentences and weighs their words. nearby holds the words of texts that will appear next to the
// chosen sentences, so each of these words is treated as if it had been chosen once; nil means that there are none.
func New(items []Item, nearby *words.StemSet) *Extract {
	e := &Extract{items: items, formAt: map[uint64]int32{}, power: lengthPower}
	size := 0
	for _, it := range items {
		size += len(it.Text)
		if it.Terse || it.Headed {
			e.power = plain
		}
	}
	e.stems.init(size / 32)
	e.said = make(prints, 1<<bits.Len(uint(size/64+64)))
	e.words, e.clauses, e.sentences = make([]occurrence, 0, size/5), make([]clause, 0, size/40), make([]sentence, 0, size/60)
	var ws []words.Word
	for i := range items {
		first := len(e.sentences)
		if ws = e.read(int32(i), ws); items[i].More > 0 && len(e.sentences) > first {
			e.standsFor(&items[i])
		}
	}
	e.lowerRemarks()
	e.weigh()
	e.known = make([]uint8, e.stems.len())
	for _, p := range e.stems.slots {
		if p.id > 0 && nearby.Has(p.stem) {
			e.known[p.id-1] = 1
		}
	}
	return e
}

// The factors of words and sentences, in 1024ths. They were fitted to public conversations by halving and doubling each
// of them: near these values, the selected content changes by less than a twentieth.
const (
	plain     = 1024 // everything else
	twice     = 2048 // a name or a number
	titled    = 6144 // a pair of characters in a title: in a script without spaces, nearly every other pair is rare too
	ofSelf    = 1280 // a sentence in the first person
	personal  = 2048 // the same in a personal item
	withDigit = 1229 // a sentence with a number: a date, an amount
	withName  = 1229 // a sentence with a name
	question  = 410  // a question: it says what isn't known yet
	ofOthers  = 512  // any other word of a terse text
	ofFormula = 64   // a word or number of a formula
	fewWords  = 512  // for clauses of fewer than four words
)

// unfounded is the factor, in 1024ths, of a sentence that depends on a missing sentence.
const unfounded = 256

// longRepeated is the number of words from which a repeated sentence is treated as a repetition even if it depends on
// another sentence.
const longRepeated = 10

// longestTopic is the maximum number of words in a question that only names the topic of the next sentence.
const longestTopic = 3

// read adds the sentences of the item with the given index. It returns ws, whose memory it reuses.
func (e *Extract) read(item int32, ws []words.Word) []words.Word {
	it := &e.items[item]
	if !it.Follows {
		e.before = before{sentence: -1}
	}
	replying := e.before.afterQuestion && it.Follows
	first, asked, head := true, e.question(item), int32(len(e.sentences))
	e.lines = e.lines[:0]
	for s := (splitter{text: it.Text, whole: it.Whole, lines: it.Headed}); s.next(); {
		text := it.Text[s.from:s.to]
		ws = words.Append(ws[:0], text)
		if e.lines = append(e.lines, -1); len(ws) == 0 {
			continue
		}
		out := sentence{item: item, before: e.before.sentence, question: isQuestion(text)}
		inQuotes := quoted(e.marks, text, ws)
		if inQuotes != nil {
			e.marks = inQuotes
		}
		empty, reply := false, false
		if !it.Whole {
			replies := first && e.before.afterQuestion && it.Follows
			e.before.topic = e.before.topic && !first
			first = false
			reply = replies && answers(text, ws)
			empty = len(ws) == 1 && ws[0].Kind&(words.Digit|words.Pair) == 0 || idle(text, ws) // "Oh."
			if empty && !reply {
				e.before.afterQuestion, e.before.topic = false, false
				continue
			}
			e.connect(&out, text, ws, inQuotes, replies, reply)
		}
		asks := out.question
		out.factor, out.own = factorOf(it, ws, inQuotes, asks)
		if it.Spoken {
			opens := len(e.sentences) == int(head)
			out.spoken = spokenIn(text, ws, inQuotes, asks, opens, replying)
			out.factor = out.spoken.raised(out.factor, opens && replying)
			e.countTellers(&out.spoken)
		}
		if out.own && asks {
			out.own, out.question = false, false
		}
		if it.Headed {
			out.question, out.leans, out.before = false, int(head) < len(e.sentences), e.namer(it, head)
			if !out.leans {
				out.before = -1
			}
		}
		out.lower(it, s.from)
		out.clauses[0] = int32(len(e.clauses))
		from := int32(len(e.words))
		print := e.addWords(it, text, ws, inQuotes, isFormula(text))
		if (!out.leans || len(ws) >= longRepeated && !reply) && e.said.in(print) { // an exact repetition
			e.words = e.words[:from]
			e.before = before{sentence: -1}
			continue
		}
		if it.Uncut || it.Whole || it.Headed {
			e.clauses = append(e.clauses, clause{int32(s.from), int32(s.to), [2]int32{from, int32(len(e.words))}, true, true})
		} else {
			e.cut(item, text, int32(s.from), from, ws, inQuotes)
		}
		out.clauses[1] = int32(len(e.clauses))
		e.before.topic = asks && !empty && len(ws) <= longestTopic && ws[0].Kind&words.Pair == 0
		if e.before.afterQuestion, e.before.text, e.before.about = asks, text, out.leans; !empty && !(out.spoken.kind.comments() && e.namesTellers()) {
			e.before.sentence = int32(len(e.sentences))
		}
		e.see(text, ws, &out)
		if asked >= 0 && !out.leans {
			out.leans, out.before = true, asked
		}
		e.lines[len(e.lines)-1] = int32(len(e.sentences))
		e.sentences = append(e.sentences, out)
	}
	return ws
}

// namer returns the index of the sentence on which the line of a Headed item leans that is being read. head is that of
// the item's first one, which takes the place of a line that was left out as a repetition.
func (e *Extract) namer(it *Item, head int32) int32 {
	if n := len(e.lines) - 1; n < len(it.LeansOn) {
		if on := it.LeansOn[n]; int(on) < n && e.lines[on] >= 0 {
			return e.lines[on]
		}
	}
	return head
}

// addWords adds the words of the next sentence of an item, and returns a hash of them. inQuotes reports for each word
// whether it is in quotes; it is nil if none is. The words of a formula count little.
func (e *Extract) addWords(it *Item, text string, ws []words.Word, inQuotes []bool, formula bool) (print uint32) {
	number := int32(len(e.sentences)) + 1
	print = uint32(len(ws))
	for k, w := range ws {
		o := occurrence{stem: e.stems.id(w.Stem), factor: plain}
		switch {
		case e.stems.in[o.stem] == number:
			o.factor = 0
		case w.Kind&words.Pair != 0 && inQuotes != nil && inQuotes[k]:
			o.factor = titled
		case formula:
			o.factor = ofFormula
		case w.Kind&words.Digit != 0, w.Kind&words.Capital != 0 && k > 0 && w.End-w.From > 1, inQuotes != nil && inQuotes[k]:
			o.factor = twice
		case it.Terse:
			o.factor = ofOthers
		}
		if w.Kind&words.Pair != 0 {
			e.signs.see(text[w.From:w.End], o.stem, number)
		}
		if o.factor > 0 {
			e.stems.in[o.stem] = number
			e.stems.df[o.stem]++
		}
		e.words = append(e.words, o)
		print = (print ^ w.Stem) * 16777619
	}
	return print
}

// connect determines whether a sentence depends on the one before it, or on what that sentence
// depends on. inQuotes is the result of quoted. replies means that the sentence follows a question,
// and reply that it is an answer such as yes or no.
func (e *Extract) connect(s *sentence, text string, ws []words.Word, inQuotes []bool, replies, reply bool) {
	// An echo answers the question by repeating a word from it, but doesn't say what the answer is about.
	echo := replies && ws[0].Kind&words.Pair != 0 && strings.Contains(e.before.text, spelled(text, ws[0]))
	s.leans = reply || echo || e.before.topic || s.question && asksAbout(text, ws) || leans(text, ws, inQuotes) ||
		e.items[s.item].Spoken && !s.question && hasObjectBefore(text, ws, inQuotes)
	if replies && (echo || !reply) && e.before.about && s.before >= 0 { // the question itself depends on another sentence, which says more
		s.before = e.sentences[s.before].before
	}
}

// lower applies the factor of the item at an offset of its text, and the factor for a sentence that depends on a
// missing one.
func (s *sentence) lower(it *Item, at int) {
	if factor := it.factorAt(at); factor != 0 {
		s.factor = int32(int64(s.factor) * int64(max(factor, 0)) / plain)
	}
	if s.leans && s.before < 0 {
		if s.leans = false; it.Follows {
			s.factor = s.factor * unfounded / plain
		}
	}
}

// longestQuestion is the maximum length, in bytes, of a question that is chosen along with its answer.
const longestQuestion = 240

// question returns the number of the sentence that an item answers, or -1 if there is none or it is too long.
func (e *Extract) question(item int32) int32 {
	n := e.before.sentence
	if !e.items[item].Answers || n < 0 || e.sentences[n].item != item-1 {
		return -1
	}
	if q := &e.sentences[n]; e.clauses[q.clauses[1]-1].to-e.clauses[q.clauses[0]].from > longestQuestion {
		return -1
	}
	return n
}

// factorOf returns the factor of a sentence's gain, in 1024ths, and whether it is in the first
// person and contains a name or a number. inQuotes is the result of quoted. asked means that the
// sentence asks something.
func factorOf(it *Item, ws []words.Word, inQuotes []bool, asked bool) (factor int32, own bool) {
	f := int64(plain)
	var all words.Kind
	self, selves := false, selfSet.Stems()
	for k, w := range ws {
		kind := w.Kind
		if k == 0 || w.End-w.From < 2 {
			kind &^= words.Capital
		}
		if inQuotes != nil && inQuotes[k] {
			kind |= words.Capital
		}
		all |= kind
		self = self || selves.Has(w.Stem)
	}
	switch {
	case self && it.Personal:
		f = personal
	case self:
		f = ofSelf
	}
	if all&words.Digit != 0 {
		f = f * withDigit / plain
	}
	if all&words.Capital != 0 {
		f = f * withName / plain
	}
	own = self && all&(words.Digit|words.Capital) != 0
	if asked {
		f = f * question / plain
	}
	return int32(f), own
}

// Own reports whether text contains a sentence that speakers say about themselves; see Chosen.Own.
func Own(text string) bool {
	var ws []words.Word
	for s := (splitter{text: text}); s.next(); {
		sentence := text[s.from:s.to]
		ws = words.Append(ws[:0], sentence)
		if _, own := factorOf(&Item{}, ws, quoted(nil, sentence, ws), false); own && !isQuestion(sentence) {
			return true
		}
	}
	return false
}

// weigh computes the weight of each stem: log2(1 + number of sentences / number of sentences with the stem).
func (e *Extract) weigh() {
	n := uint64(len(e.sentences))
	rarity := func(df int32) int32 { return int32(log2(plain+plain*n/uint64(max(df, 1))) - log2(plain)) }
	e.weights = make([]int32, e.stems.len())
	for i, df := range e.stems.df {
		e.weights[i] = e.signs.weight(i, rarity(df), rarity)
	}
}
