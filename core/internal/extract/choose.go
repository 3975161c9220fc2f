package extract

import (
	"math"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// The exponent of a length in what its gain is divided by: 0.7, in 1/1024. With 1 short sentences win that say little, with
// 0 long ones that take the room of many.
const lengthPower = 717

// overhead is added to the length of what is chosen, in bytes, for the sign that begins its line.
const overhead = 4

// fade is what a word counts that has been chosen so many times, in 1/1024.
var fade = [...]int64{1024, 512, 256, 128, 64, 32, 16, 8}

// Choose chooses what together has at most budget bytes, overhead included, in the order of the items.
func (e *Extract) Choose(budget int) []Chosen {
	return e.choose(budget, false, func(int32) bool { return true })
}

// ChooseTalk is Choose for texts of people who talk: of many sentences of one form it chooses few, see [Extract.Alike], and those in without,
// by their numbers, only with one that leans on them.
func (e *Extract) ChooseTalk(budget int, without map[int]bool) []Chosen {
	return e.choose(budget, len(e.sentences) >= manyRivals, func(n int32) bool {
		s := &e.sentences[n]
		return (s.form == 0 || e.forms[s.form-1].lets(s.nth, budget)) && !without[int(n)]
	})
}

// manyRivals is among how many sentences a choice is spread.
const manyRivals = 128

// choose chooses among the sentences that may be.
func (e *Extract) choose(budget int, spread bool, may func(sentence int32) bool) []Chosen {
	c := chooser{Extract: e, spread: spread, left: budget, chosen: slices.Clone(e.known), taken: make([]bool, len(e.sentences)), at: make([]int32, len(e.sentences))}
	if !e.gained {
		e.gained = true
		c.left = math.MaxInt
		for i := range e.sentences {
			s := &e.sentences[i]
			s.gain = c.gain(s)
			s.alone = best{s.gain, s.first, s.last}
		}
		c.left = budget
	}
	for i := range e.sentences {
		s := &e.sentences[i]
		if s.gain, s.first, s.last = s.alone.gain, s.alone.first, s.alone.last; s.gain > 0 && !may(int32(i)) {
			s.gain = 0
		}
	}
	c.enter(budget)
	var chosen []int32
	for len(c.heap) > 0 && c.left > overhead {
		top := c.heap[0]
		s := &e.sentences[top]
		if c.taken[top] {
			c.pop()
			continue
		}
		if gain := c.gain(s); gain != s.gain {
			if s.gain = gain; gain > 0 {
				c.down(0)
				continue
			}
		}
		c.pop()
		if s.gain <= 0 {
			continue
		}
		from := len(chosen)
		chosen = append(chosen, top)
		c.take(top)
		for s.leans && !c.taken[s.before] {
			top = s.before
			s = &e.sentences[top]
			s.first, s.last = s.clauses[0], s.clauses[1]-1
			chosen = append(chosen, top)
			c.take(top)
		}
		for _, n := range chosen[from:] {
			c.lift(n)
		}
	}
	sorting.Ordered(chosen)
	out := make([]Chosen, len(chosen))
	for i, n := range chosen {
		s := &e.sentences[n]
		from, to := e.clauses[s.first].from, e.clauses[s.last].to
		out[i] = Chosen{Item: int(s.item), From: int(from), To: int(to), Own: s.own, Asks: s.asks, Sentence: int(n)}
	}
	return out
}

// chooser is one choice. It is a heap of sentences, the one that gains most first; of equals the older one. Among
// many they are equal to a tenth, and of equals the first is the one whose place is least in an order that is spread evenly over all: what is
// left out is not the end of the talk.
type chooser struct {
	*Extract
	spread bool
	left   int // bytes
	heap   []int32
	at     []int32 // by sentence: one more than where it is in the heap, 0 where it is not
	chosen []uint8 // by stem: how often it was chosen
	taken  []bool  // by sentence
}

// rivals is how many times the budget the sentences have in bytes that a choice is made among: those that gain most by
// themselves. Others cannot gain more later.
const rivals = 8

// enter builds the heap.
func (c *chooser) enter(budget int) {
	const buckets = 48 << 3
	bucket := func(gain int64) int { return int(log2(uint64(gain)) >> 7) } // eighths of a power of two
	var sizes [buckets]int
	for i := range c.sentences {
		if s := &c.sentences[i]; s.gain > 0 {
			sizes[bucket(s.gain)] += int(c.clauses[s.last].to - c.clauses[s.first].from)
		}
	}
	least := buckets
	for sum := 0; least > 0 && sum < rivals*budget; {
		least--
		sum += sizes[least]
	}
	for i := range c.sentences {
		if gain := c.sentences[i].gain; gain > 0 && bucket(gain) >= least {
			c.heap = append(c.heap, int32(i))
			c.at[i] = int32(len(c.heap))
		}
	}
	for i := len(c.heap)/2 - 1; i >= 0; i-- {
		c.down(i)
	}
}

// mostBefore is how many sentences may be chosen with one that leans on them, each on the one before.
const mostBefore = 3

// gain is what the best clauses of a sentence that there is room for, and the sentences that it cannot do without, gain for their length.
// Gains only fall while more is chosen, but for those that lean on what is chosen (see lift), so a sentence whose gain has not changed since
// it was put into the heap is the best of all.
func (c *chooser) gain(s *sentence) (best int64) {
	var with int64 // what the others gain
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
			gain := (sum*int64(s.factor) + with) / exp2(log2(uint64(length))*lengthPower>>10)
			if with == 0 && cl.words[1]-c.clauses[first].words[0] < 4 {
				gain = gain * fewWords / plain
			}
			if gain > best {
				best, s.first, s.last = gain, first, last
			}
		}
	}
	return best
}

// sum is what words gain, by their range.
func (c *chooser) sum(from, to int32) (sum int64) {
	for _, w := range c.words[from:to] {
		sum += int64(c.weights[w.stem]) * fade[min(int(c.chosen[w.stem]), len(fade)-1)] >> 10 * int64(w.factor) >> 10
	}
	return sum
}

// take takes the best clauses of a sentence.
func (c *chooser) take(n int32) {
	s := &c.sentences[n]
	c.taken[n] = true
	c.left -= int(c.clauses[s.last].to-c.clauses[s.first].from) + overhead
	c.say(s)
}

// lift puts the sentences that lean on one which has been taken where they belong in the heap: they no longer need room for it.
func (c *chooser) lift(n int32) {
	for k := n + 1; k <= n+mostBefore && int(k) < len(c.sentences); k++ {
		s := &c.sentences[k]
		if !s.leans || s.before != n || c.taken[k] || c.at[k] == 0 {
			continue
		}
		if gain := c.gain(s); gain > s.gain {
			s.gain = gain
			c.up(int(c.at[k]) - 1)
		}
	}
}

// say counts the words of what was chosen of a sentence.
func (c *chooser) say(s *sentence) {
	for _, w := range c.words[c.clauses[s.first].words[0]:c.clauses[s.last].words[1]] {
		if n := &c.chosen[w.stem]; w.factor > 0 && int(*n) < len(fade)-1 {
			*n++
		}
	}
}

func (c *chooser) better(a, b int32) bool {
	x, y := c.sentences[a].gain, c.sentences[b].gain
	if !c.spread || x <= 0 || y <= 0 {
		return x > y || x == y && a < b
	}
	if x, y = log2(uint64(x))>>7, log2(uint64(y))>>7; x != y {
		return x > y
	}
	return uint32(a)*0x9e3779b1 < uint32(b)*0x9e3779b1
}

// pop takes the best sentence out of the heap.
func (c *chooser) pop() {
	c.at[c.heap[0]] = 0
	last := len(c.heap) - 1
	c.heap[0] = c.heap[last]
	c.heap = c.heap[:last]
	if last > 0 {
		c.at[c.heap[0]] = 1
	}
	c.down(0)
}

// swap swaps two elements.
func (c *chooser) swap(i, k int) {
	c.heap[i], c.heap[k] = c.heap[k], c.heap[i]
	c.at[c.heap[i]], c.at[c.heap[k]] = int32(i+1), int32(k+1)
}

// up puts the element at i where it belongs above.
func (c *chooser) up(i int) {
	for i > 0 && c.better(c.heap[i], c.heap[(i-1)/2]) {
		c.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

// down puts the element at i where it belongs below.
func (c *chooser) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			return
		}
		if child+1 < len(c.heap) && c.better(c.heap[child+1], c.heap[child]) {
			child++
		}
		if !c.better(c.heap[child], c.heap[i]) {
			return
		}
		c.swap(i, child)
		i = child
	}
}
