// Package extract chooses, under a budget, the sentences and clauses of texts that add most to what was chosen before. Digests of
// conversations are made of them if there is no model.
//
// A word weighs more the fewer sentences contain it (inverse document frequency), names and numbers weigh double, and each time a word is
// chosen it counts half as much. So greetings and courtesies, which everybody repeats, weigh nothing, and repeated facts weigh little. The
// gain of a sentence is divided by a power of its length, and the best one is taken until the budget is spent: the usual greedy solution of
// budgeted maximum coverage (Khuller, Moss and Naor 1999), with the lazy evaluation that submodular gains allow (Minoux 1978).
//
// What never enters this package: who spoke, and what a digest looks like. It knows only the few words by which sentences refer to others,
// say "I", continue, or say nothing.
package extract

import (
	"math/bits"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Item is a text to choose from.
type Item struct {
	Text string
	// Factor multiplies the gains of its sentences, in 1/1024; 0 means 1024.
	Factor int
	// Uncut prevents cutting its sentences at clauses, because they have been chosen before.
	Uncut bool
	// Whole treats the text as one sentence, uncut.
	Whole bool
	// Follows means that the item was said directly after the previous one, so that its first sentence may depend on the last one there.
	Follows bool
	// Answers means that it answers the last sentence of the previous item, without which a reader doesn't know what it is about.
	Answers bool
	// More is how many sentences like its last one the item represents, and UpTo how far they go; see [Extract.Alike].
	More int
	UpTo string
}

// Chosen is a sentence, or clauses of one, that was chosen.
type Chosen struct {
	Item     int // the index of its item
	From, To int // its position in the item's text, in bytes
	// Sentence is the number of the sentence, which is the same in every choice.
	Sentence int
	// Own means that people say it about themselves, in the first person, with a name or a number in it.
	Own bool
	// Asks means that it is a question that says nothing about who asks.
	Asks bool
}

// Text returns the chosen range of an item's text.
func (c Chosen) Text(text string) string { return text[c.From:c.To] }

// Extract is the result of reading items. It serves any number of choices.
type Extract struct {
	items     []Item
	sentences []sentence
	clauses   []clause
	words     []occurrence
	stems     stems
	signs     signs
	marks     []bool // a buffer for quoted
	said      prints
	weights   []int32 // the weight of each stem, in 1/1024
	known     []uint8 // whether the other texts contain each stem, 0 or 1
	gained    bool    // the gains of single sentences are known
	before    before  // what precedes the next sentence
	forms     []form
	formAt    map[uint64]int32 // one more than the index of each form, by its print
}

// before is what precedes a sentence.
type before struct {
	sentence int32  // the last one that says something; -1 if there is none or it is a repetition
	asked    bool   // it is a question, with nothing in between
	topic    bool   // it is a question of a few words, by the same speaker: "And Norwegian?"
	text     string // of the question
	about    bool   // it depends on another one itself
}

// sentence is a sentence of an item.
type sentence struct {
	item    int32
	clauses [2]int32 // its range in Extract.clauses
	factor  int32    // of its gain, in 1/1024
	own     bool     // see Chosen.Own
	asks    bool     // see Chosen.Asks
	leans   bool     // it is only chosen together with the previous sentence
	before  int32    // the index of that one, -1 if there is none
	form    int32    // one more than the index of its form, 0 if it has no number
	nth     int32    // its number within the form
	first   int32    // its best clauses, when its gain was last computed
	last    int32
	gain    int64
	alone   best // before anything is chosen
}

// best is the gain of the best clauses of a sentence, and which these are.
type best struct {
	gain        int64
	first, last int32
}

// clause is a part of a sentence that a selection may begin or end with.
type clause struct {
	from, to int32    // bytes of the item's text
	words    [2]int32 // its range in Extract.words
	starts   bool     // a selection may begin with it
	ends     bool     // a selection may end with it
}

// occurrence is a word and its position.
type occurrence struct {
	stem   int32
	factor int32 // in 1/1024; 0 if the sentence has the stem already
}

// New reads items. The reader knows the texts of the second list anyway, so their statements count as said.
func New(items []Item, beside []string) *Extract {
	e := &Extract{items: items, formAt: map[uint64]int32{}}
	size := 0
	for _, it := range items {
		size += len(it.Text)
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
	e.weigh()
	e.known = make([]uint8, e.stems.len())
	for _, text := range beside {
		ws = words.Append(ws[:0], text)
		for _, w := range ws {
			if id := e.stems.find(w.Stem); id >= 0 {
				e.known[id] = 1
			}
		}
	}
	return e
}

// The factors of a word and of a sentence, in 1/1024. They were fitted to public conversations by halving and doubling each: around these
// values the content that is kept changes by less than a twentieth.
const (
	plain     = 1024
	twice     = 2048 // a name or a number
	ofSelf    = 1280 // a sentence in the first person
	withDigit = 1229 // one with a number: a date, an amount
	withName  = 1229
	question  = 410 // it says what isn't known yet
	fewWords  = 512 // for clauses of fewer than four words
)

// unfounded is the weight of a sentence that depends on one that is missing, in 1/1024.
const unfounded = 256

// longRepeated is the number of words from which on a sentence says the same thing when it is repeated, even if it depends on another one.
const longRepeated = 10

// longestTopic is the maximum number of words of a question that only names what the next sentence is about.
const longestTopic = 3

// read reads an item. It reuses the memory of ws and returns it.
func (e *Extract) read(item int32, ws []words.Word) []words.Word {
	it := &e.items[item]
	if !it.Follows {
		e.before = before{sentence: -1}
	}
	first, asked := true, e.question(item)
	for s := (splitter{text: it.Text, whole: it.Whole}); s.next(); {
		text := it.Text[s.from:s.to]
		ws = words.Append(ws[:0], text)
		if len(ws) == 0 {
			continue
		}
		out := sentence{item: item, before: e.before.sentence, asks: asks(text)}
		inQuotes := quoted(e.marks, text, ws)
		if inQuotes != nil {
			e.marks = inQuotes
		}
		empty, reply := false, false
		if !it.Whole {
			replies := first && e.before.asked && it.Follows
			e.before.topic = e.before.topic && !first
			first = false
			reply = replies && answers(text, ws)
			empty = len(ws) == 1 && ws[0].Kind&(words.Digit|words.Pair) == 0 || idle(text, ws) // "Oh."
			if empty && !reply {
				e.before.asked, e.before.topic = false, false
				continue
			}
			echo := replies && ws[0].Kind&words.Pair != 0 && strings.Contains(e.before.text, spelled(text, ws[0])) // it answers the question, but doesn't say about what
			out.leans = reply || echo || e.before.topic || out.asks && asksAbout(text, ws) || leans(text, ws, inQuotes)
			if replies && (echo || !reply) && e.before.about && out.before >= 0 { // the subject of the question says more than the question
				out.before = e.sentences[out.before].before
			}
		}
		asks := out.asks
		out.factor, out.own = factorOf(ws, inQuotes, asks)
		if out.own && asks {
			out.own, out.asks = false, false
		}
		if it.Factor > 0 {
			out.factor = int32(int64(out.factor) * int64(it.Factor) / plain)
		}
		if out.leans && out.before < 0 {
			if out.leans = false; it.Follows {
				out.factor = out.factor * unfounded / plain
			}
		}
		out.clauses[0] = int32(len(e.clauses))
		from := int32(len(e.words))
		print := uint32(len(ws))
		for k, w := range ws {
			o := occurrence{stem: e.stems.id(w.Stem), factor: plain}
			switch {
			case e.stems.in[o.stem] == int32(len(e.sentences))+1:
				o.factor = 0
			case w.Kind&words.Digit != 0, w.Kind&words.Capital != 0 && k > 0 && w.End-w.From > 1, inQuotes != nil && inQuotes[k]:
				o.factor = twice
			}
			if w.Kind&words.Pair != 0 {
				e.signs.see(text[w.From:w.End], o.stem, int32(len(e.sentences))+1)
			}
			if o.factor > 0 {
				e.stems.in[o.stem] = int32(len(e.sentences)) + 1
				e.stems.df[o.stem]++
			}
			e.words = append(e.words, o)
			print = (print ^ w.Stem) * 16777619
		}
		if (!out.leans || len(ws) >= longRepeated && !reply) && e.said.in(print) { // an exact repetition
			e.words = e.words[:from]
			e.before = before{sentence: -1}
			continue
		}
		if it.Uncut || it.Whole {
			e.clauses = append(e.clauses, clause{int32(s.from), int32(s.to), [2]int32{from, int32(len(e.words))}, true, true})
		} else {
			e.cut(text, int32(s.from), from, ws, inQuotes)
		}
		out.clauses[1] = int32(len(e.clauses))
		e.before.topic = asks && !empty && len(ws) <= longestTopic && ws[0].Kind&words.Pair == 0
		if e.before.asked, e.before.text, e.before.about = asks, text, out.leans; !empty {
			e.before.sentence = int32(len(e.sentences))
		}
		e.see(text, ws, &out)
		if asked >= 0 && !out.leans {
			out.leans, out.before = true, asked
		}
		e.sentences = append(e.sentences, out)
	}
	return ws
}

// longestQuestion is the maximum length of a question that goes along with what answers it, in bytes.
const longestQuestion = 240

// question returns the number of the sentence that an item answers; -1 if it is too long, or says nothing.
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

// factorOf returns the factor of a sentence's gain, in 1/1024, and whether people say it, or ask, about themselves.
func factorOf(ws []words.Word, inQuotes []bool, asked bool) (factor int32, own bool) {
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
	if self {
		f = f * ofSelf / plain
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

// Own reports whether a text contains a sentence that people say about themselves; see Chosen.Own.
func Own(text string) bool {
	var ws []words.Word
	for s := (splitter{text: text}); s.next(); {
		sentence := text[s.from:s.to]
		ws = words.Append(ws[:0], sentence)
		if _, own := factorOf(ws, quoted(nil, sentence, ws), false); own && !asks(sentence) {
			return true
		}
	}
	return false
}

// weigh gives each stem its weight: the logarithm of 1 + sentences / sentences with it.
func (e *Extract) weigh() {
	n := uint64(len(e.sentences))
	rarity := func(df int32) int32 { return int32(log2(plain+plain*n/uint64(max(df, 1))) - log2(plain)) }
	e.weights = make([]int32, e.stems.len())
	for i, df := range e.stems.df {
		e.weights[i] = e.signs.weight(i, rarity(df), rarity)
	}
}
