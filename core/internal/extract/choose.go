package extract

import (
	"math"
	"slices"
)

// lengthPower is the exponent of the length by which a gain is divided: 0.7, in 1/1024. With an exponent of 1, short
// sentences that say little would win; with 0, long sentences that take the room of several would.
const lengthPower = 717

// overhead is added to the length of each choice, in bytes, for the bullet at the beginning of its line.
const overhead = 4

// fade[n] is the factor, in 1/1024, for the weight of a word that has been chosen n times.
var fade = [...]int64{1024, 512, 256, 128, 64, 32, 16, 8}

// Choose returns the best sentences that fit into budget bytes in total, including overhead, in the order of the items.
func (e *Extract) Choose(budget int) []Chosen {
	c := e.chooser(budget, false)
	c.choose(func(int32) bool { return true })
	return c.result()
}

// ChooseTalk is like Choose, but for conversations. It chooses only a few of many sentences of one form (see
// [Extract.Alike]). The sentences whose numbers are in without are only chosen together with a sentence that depends
// on them. The first bytes of the budget are only for sentences of the items for which mine returns true.
func (e *Extract) ChooseTalk(budget int, without map[int]bool, first int, mine func(item int) bool) []Chosen {
	may := func(n int32) bool {
		s := &e.sentences[n]
		return (s.form == 0 || e.forms[s.form-1].lets(s.nth, budget)) && !without[int(n)]
	}
	c := e.chooser(min(first, budget), len(e.sentences) >= manyRivals)
	if first > 0 {
		c.choose(func(n int32) bool { return mine(int(e.sentences[n].item)) && may(n) })
	}
	c.left += budget - min(first, budget)
	c.choose(may)
	return c.result()
}

// manyRivals is the minimum number of sentences for which the choice is spread over the whole conversation.
const manyRivals = 128

// chooser returns the state of a choice of budget bytes before anything is chosen.
func (e *Extract) chooser(budget int, spread bool) *chooser {
	c := &chooser{Extract: e, spread: spread, chosen: slices.Clone(e.known), taken: make([]bool, len(e.sentences)), at: make([]int32, len(e.sentences))}
	if !e.gained {
		e.gained = true
		c.left = math.MaxInt
		for i := range e.sentences {
			s := &e.sentences[i]
			s.gain = c.gain(s)
			s.alone = best{s.gain, s.first, s.last}
		}
	}
	c.left = budget
	return c
}

// choose adds the best of the sentences for which may returns true, and the sentences that these depend on.
func (c *chooser) choose(may func(sentence int32) bool) {
	for i := range c.sentences {
		s := &c.sentences[i]
		if c.taken[i] {
			continue
		}
		if s.gain, s.first, s.last = s.alone.gain, s.alone.first, s.alone.last; s.gain > 0 && !may(int32(i)) {
			s.gain = 0
		}
	}
	c.enter(c.left)
	for len(c.heap) > 0 && c.left > overhead {
		top := c.heap[0].sentence
		s := &c.sentences[top]
		if c.taken[top] {
			c.pop()
			continue
		}
		if gain := c.gain(s); gain != s.gain {
			if s.gain = gain; gain > 0 {
				c.heap[0].rank = c.rank(top)
				if c.down(0); c.heap[0].sentence != top {
					continue
				}
			}
		}
		c.pop()
		if s.gain <= 0 {
			continue
		}
		from := len(c.order)
		c.take(top)
		for s.leans && !c.taken[s.before] {
			top = s.before
			s = &c.sentences[top]
			s.first, s.last = s.clauses[0], s.clauses[1]-1
			c.take(top)
		}
		for _, n := range c.order[from:] {
			c.lift(n)
		}
	}
}

// result returns what was chosen, in the order of the items.
func (c *chooser) result() []Chosen {
	out := make([]Chosen, 0, len(c.order))
	for n, taken := range c.taken {
		if !taken {
			continue
		}
		s := &c.sentences[n]
		from, to := c.clauses[s.first].from, c.clauses[s.last].to
		out = append(out, Chosen{Item: int(s.item), From: int(from), To: int(to), Own: s.own, Asks: s.asks, Names: c.names(s), Sentence: n})
	}
	return out
}

// chooser is the state of one choice. Its heap has the sentence with the largest gain on top, and the older of two with
// equal gains. If spread is set, gains that differ by less than about a tenth are treated as equal, and ties are broken
// in an order that is scattered evenly over all sentences. Otherwise the end of the conversation would be left out.
type chooser struct {
	*Extract
	spread bool
	left   int // bytes
	heap   []ranked
	at     []int32 // the position of each sentence in the heap plus one, or 0
	chosen []uint8 // how many times each stem was chosen
	taken  []bool  // by sentence
	order  []int32 // the chosen sentences
}

// ranked is a sentence in the heap, stored with its rank so that sentences can be compared without a lookup.
type ranked struct {
	rank     uint64
	sentence int32
}

// rivals limits the candidates of a choice to those with the largest gains by themselves, up to rivals times the budget
// in bytes. No other sentence can be chosen, because gains don't grow later.
const rivals = 8

// enter fills the heap with the candidates.
func (c *chooser) enter(budget int) {
	const buckets = 48 << 3
	bucket := func(gain int64) int { return int(log2(uint64(gain)) >> 7) } // eighths of a power of two
	var sizes [buckets]int
	c.heap = c.heap[:0]
	for i := range c.sentences {
		if s := &c.sentences[i]; s.gain > 0 && !c.taken[i] {
			sizes[bucket(s.gain)] += int(c.clauses[s.last].to - c.clauses[s.first].from)
		}
	}
	least := buckets
	for sum := 0; least > 0 && sum < rivals*budget; {
		least--
		sum += sizes[least]
	}
	for i := range c.sentences {
		c.at[i] = 0
		if gain := c.sentences[i].gain; gain > 0 && !c.taken[i] && bucket(gain) >= least {
			c.heap = append(c.heap, ranked{c.rank(int32(i)), int32(i)})
			c.at[i] = int32(len(c.heap))
		}
	}
	for i := len(c.heap)/2 - 1; i >= 0; i-- {
		c.down(i)
	}
}

// mostBefore is the maximum number of sentences that are chosen together with a sentence that depends on them. Each of
// them depends on the previous one.
const mostBefore = 3

// gain returns the gain per length of the best clauses of a sentence that fit into the remaining budget, including the
// sentences that it depends on, and stores these clauses in s. Gains only fall as more is chosen, except for sentences
// that depend on a chosen one (see lift). So if the gain of the sentence on top of the heap hasn't changed since it was
// put there, it is the best of all.
func (c *chooser) gain(s *sentence) (best int64) {
	var with int64 // the gain of the sentences that it depends on
	size := overhead
	for n, p := 0, s; p.leans && !c.taken[p.before]; n++ {
		if n == mostBefore {
			return 0
		}
		p = &c.sentences[p.before]
		from, to := &c.clauses[p.clauses[0]], &c.clauses[p.clauses[1]-1]
		with += c.sum(from.words[0], to.words[1]) * int64(p.factor)
		size += int(to.to-from.from) + overhead
	}
	for first := s.clauses[0]; first < s.clauses[1]; first++ {
		if !c.clauses[first].starts {
			continue
		}
		var sum int64
		for last := first; last < s.clauses[1]; last++ {
			cl := &c.clauses[last]
			sum += c.sum(cl.words[0], cl.words[1])
			length := int(cl.to-c.clauses[first].from) + size
			if length > c.left {
				break
			}
			if !cl.ends {
				continue
			}
			gain := (sum*int64(s.factor) + with) / exp2(log2(uint64(length))*c.power>>10)
			if with == 0 && !c.items[s.item].Terse && cl.words[1]-c.clauses[first].words[0] < 4 {
				gain = gain * fewWords / plain
			}
			if gain > best {
				best, s.first, s.last = gain, first, last
			}
		}
	}
	return best
}

// sum returns the gain of the words with the indexes [from, to), before it is divided by the length.
func (c *chooser) sum(from, to int32) (sum int64) {
	for _, w := range c.words[from:to] {
		sum += int64(c.weights[w.stem]) * fade[min(int(c.chosen[w.stem]), len(fade)-1)] >> 10 * int64(w.factor) >> 10
	}
	return sum
}

// take adds the best clauses of sentence n to the choice.
func (c *chooser) take(n int32) {
	s := &c.sentences[n]
	c.taken[n] = true
	c.order = append(c.order, n)
	c.left -= int(c.clauses[s.last].to-c.clauses[s.first].from) + overhead
	c.say(s)
}

// lift recomputes the gains of the sentences that depend on sentence n, which was just chosen, and moves them up in the
// heap. Their lengths no longer include that of sentence n.
func (c *chooser) lift(n int32) {
	for k := n + 1; k <= n+mostBefore && int(k) < len(c.sentences); k++ {
		s := &c.sentences[k]
		if !s.leans || s.before != n || c.taken[k] || c.at[k] == 0 {
			continue
		}
		if gain := c.gain(s); gain > s.gain {
			s.gain = gain
			i := int(c.at[k]) - 1
			c.heap[i].rank = c.rank(k)
			c.up(i)
		}
	}
}

// say counts the words in the best clauses of a sentence as chosen once more.
func (c *chooser) say(s *sentence) {
	for _, w := range c.words[c.clauses[s.first].words[0]:c.clauses[s.last].words[1]] {
		if n := &c.chosen[w.stem]; w.factor > 0 && int(*n) < len(fade)-1 {
			*n++
		}
	}
}

// rank returns the heap rank of sentence n; larger is better. If the choice is spread, sentences of similar gain are
// ordered pseudo-randomly.
func (c *chooser) rank(n int32) uint64 {
	gain := c.sentences[n].gain
	if gain <= 0 {
		return 0
	}
	if !c.spread {
		return uint64(gain)
	}
	return uint64(log2(uint64(gain))>>7+1)<<32 | uint64(^(uint32(n) * 0x9e3779b1))
}

func (a ranked) better(b ranked) bool {
	return a.rank > b.rank || a.rank == b.rank && a.sentence < b.sentence
}

// pop removes the best sentence from the heap.
func (c *chooser) pop() {
	c.at[c.heap[0].sentence] = 0
	last := len(c.heap) - 1
	c.heap[0] = c.heap[last]
	if c.heap = c.heap[:last]; last > 0 {
		c.down(0)
	}
}

// put puts an element at i.
func (c *chooser) put(i int, e ranked) {
	c.heap[i] = e
	c.at[e.sentence] = int32(i + 1)
}

// up moves the element at i toward the top until its parent is better.
func (c *chooser) up(i int) {
	e := c.heap[i]
	for i > 0 && e.better(c.heap[(i-1)/2]) {
		c.put(i, c.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	c.put(i, e)
}

// down moves the element at i away from the top until both of its children are worse.
func (c *chooser) down(i int) {
	e := c.heap[i]
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			break
		}
		if child+1 < len(c.heap) && c.heap[child+1].better(c.heap[child]) {
			child++
		}
		if !c.heap[child].better(e) {
			break
		}
		c.put(i, c.heap[child])
		i = child
	}
	c.put(i, e)
}
