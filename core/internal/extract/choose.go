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
	c := chooser{Extract: e, left: budget, chosen: slices.Clone(e.known)}
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
		s.gain, s.first, s.last = s.alone.gain, s.alone.first, s.alone.last
	}
	c.enter(budget)
	var chosen []int32
	for len(c.heap) > 0 && c.left > overhead {
		top := c.heap[0]
		s := &e.sentences[top]
		if gain := c.gain(s); gain != s.gain {
			if s.gain = gain; gain > 0 {
				c.down(0)
				continue
			}
		}
		if s.gain > 0 {
			c.left -= int(c.clauses[s.last].to-c.clauses[s.first].from) + overhead
			chosen = append(chosen, top)
			c.say(s)
		}
		c.heap[0] = c.heap[len(c.heap)-1]
		c.heap = c.heap[:len(c.heap)-1]
		c.down(0)
	}
	sorting.Ordered(chosen)
	out := make([]Chosen, len(chosen))
	for i, n := range chosen {
		s := &e.sentences[n]
		from, to := e.clauses[s.first].from, e.clauses[s.last].to
		out[i] = Chosen{Item: int(s.item), From: int(from), To: int(to), Own: s.own, Sentence: int(n)}
	}
	return out
}

// chooser is one choice. It is a heap of sentences, the one that gains most first; of equals the older one.
type chooser struct {
	*Extract
	left   int // bytes
	heap   []int32
	chosen []uint8 // by stem: how often it was chosen
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
		}
	}
	for i := len(c.heap)/2 - 1; i >= 0; i-- {
		c.down(i)
	}
}

// gain is what the best clauses of a sentence that there is room for gain for their length. Gains only fall while more is
// chosen, so a sentence whose gain has not changed since it was put into the heap is the best of all.
func (c *chooser) gain(s *sentence) (best int64) {
	for first := s.clauses[0]; first < s.clauses[1]; first++ {
		if !c.clauses[first].starts {
			continue
		}
		var sum int64
		for last := first; last < s.clauses[1]; last++ {
			cl := &c.clauses[last]
			for _, w := range c.words[cl.words[0]:cl.words[1]] {
				sum += int64(c.weights[w.stem]) * fade[min(int(c.chosen[w.stem]), len(fade)-1)] >> 10 * int64(w.factor) >> 10
			}
			length := int(cl.to-c.clauses[first].from) + overhead
			if length > c.left {
				break
			}
			gain := sum * int64(s.factor) / exp2(log2(uint64(length))*lengthPower>>10)
			if cl.words[1]-c.clauses[first].words[0] < 4 {
				gain = gain * fewWords / plain
			}
			if gain > best {
				best, s.first, s.last = gain, first, last
			}
		}
	}
	return best
}

// say counts the words of what was chosen of a sentence.
func (c *chooser) say(s *sentence) {
	for _, w := range c.words[c.clauses[s.first].words[0]:c.clauses[s.last].words[1]] {
		if n := &c.chosen[w.stem]; w.factor > 0 && int(*n) < len(fade)-1 {
			*n++
		}
	}
}

func (c *chooser) before(a, b int32) bool {
	x, y := c.sentences[a].gain, c.sentences[b].gain
	return x > y || x == y && a < b
}

// down puts the element at i where it belongs below.
func (c *chooser) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			return
		}
		if child+1 < len(c.heap) && c.before(c.heap[child+1], c.heap[child]) {
			child++
		}
		if !c.before(c.heap[child], c.heap[i]) {
			return
		}
		c.heap[i], c.heap[child] = c.heap[child], c.heap[i]
		i = child
	}
}
