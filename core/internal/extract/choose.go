package extract

import "math"

// lengthPower is the exponent of the length by which a gain is divided: 0.7, in 1024ths. With an exponent of 1, short
// sentences that say little would win; with 0, long sentences that take the room of several would.
const lengthPower = 717

// overhead is added to the length of each choice, in bytes, for the bullet at the beginning of its line.
const overhead = 4

// mostHalved is the maximum number of times that the weight of a word is halved.
const mostHalved = 7

// Choose returns the best sentences that fit into budget bytes in total, including overhead, in the order of the items.
func (e *Extract) Choose(budget int) []Chosen {
	c := e.chooser(budget, false)
	c.choose(func(int32) bool { return true })
	return c.result()
}

// ChooseTalk is like Choose, but for conversations. It chooses only a few of many sentences of one form (see
// [Extract.Alike]). The map without contains the numbers of sentences that are only chosen together with a sentence
// that depends on them. first is the number of bytes of the budget that are reserved for sentences of the items that
// satisfy mine. all reports whether the reserved bytes had room for all of these sentences.
func (e *Extract) ChooseTalk(budget int, without map[int]bool, first int, mine func(item int) bool) (chosen []Chosen, all bool) {
	allowed := func(n int32) bool {
		s := &e.sentences[n]
		return (s.form == 0 || e.forms[s.form-1].lets(s.nth, budget)) && !without[int(n)]
	}
	c := e.chooser(min(first, budget), len(e.sentences) >= manyRivals)
	if first > 0 {
		c.choose(func(n int32) bool { return mine(int(e.sentences[n].item)) && allowed(n) })
	}
	all = first > 0 && !c.limited
	c.left += budget - min(first, budget)
	c.choose(allowed)
	return c.result(), all
}

// manyRivals is the minimum number of sentences for which the choice is spread over the whole conversation.
const manyRivals = 128

// chooser returns the state of a choice of budget bytes before anything is chosen. It is valid until the next choice.
// spread says whether the choice is spread over the whole conversation.
func (e *Extract) chooser(budget int, spread bool) *chooser {
	c := &e.choice
	c.left, c.limited, c.order = budget, false, c.order[:0]
	c.chosen = append(c.chosen[:0], e.known...)
	c.weight = append(c.weight[:0], e.weights...)
	for stem, n := range e.known {
		c.weight[stem] >>= n
	}
	c.state = append(c.state[:0], make([]uint8, len(e.sentences))...)
	if c.Extract == nil || c.spread != spread {
		c.Extract, c.spread = e, spread
		c.measure()
	}
	return c
}

// measure computes the gain of each sentence before anything is chosen.
func (c *chooser) measure() {
	c.unsorted, c.sorted = c.unsorted[:0], c.sorted[:0]
	for i := range c.sentences {
		s := &c.sentences[i]
		if s.alone.gain = c.gain(s, math.MaxInt); s.alone.gain > 0 {
			s.alone.bucket = int32(log2(uint64(s.alone.gain)) >> 7)
			s.alone.size = c.clauses[s.last].to - c.clauses[s.first].from
			c.unsorted = append(c.unsorted, ranked{c.rank(s.alone.gain, int32(i)), int32(i)})
		}
	}
	for i := len(c.unsorted)/2 - 1; i >= 0; i-- {
		c.unsorted.down(i)
	}
}

// The states of a sentence in a choice.
const (
	barred  uint8 = iota // it may not be chosen, or has no gain
	waiting              // its gain has not been computed since something was chosen
	queued               // it is in the queue
	taken                // it was chosen
)

// choose adds the best of the sentences that satisfy allowed, and the sentences that these depend on.
func (c *chooser) choose(allowed func(sentence int32) bool) {
	c.enter(allowed)
	for c.left > overhead {
		top, again := c.top()
		n := top.sentence
		if top.rank == 0 {
			return
		}
		s := &c.sentences[n]
		if gain := c.gain(s, c.left); gain != s.gain {
			if c.put(n, gain, again); gain <= 0 {
				continue
			}
			if top, _ = c.top(); top.sentence != n {
				continue
			}
		}
		c.takeAll(n)
	}
	c.limited = true
}

// result returns what was chosen, in the order of the items.
func (c *chooser) result() []Chosen {
	out := make([]Chosen, 0, len(c.order))
	for n, state := range c.state {
		if state != taken {
			continue
		}
		s := &c.sentences[n]
		from, to := c.clauses[s.first].from, c.clauses[s.last].to
		out = append(out, Chosen{Item: int(s.item), From: int(from), To: int(to), Own: s.own, Question: s.question, Names: c.names(s), Sentence: n})
	}
	return out
}

// chooser is the state of one choice. If spread is set, gains that differ by less than about a tenth are treated as
// equal, and ties are broken in an order that is scattered evenly over all sentences. Otherwise the end of the
// conversation would be left out.
type chooser struct {
	*Extract
	spread  bool    // whether to spread the choice over all sentences
	left    int     // bytes
	limited bool    // a sentence was not chosen, or cut, because of the budget
	chosen  []uint8 // how many times each stem was chosen
	weight  []int32 // the weight of each stem, halved each time it was chosen
	state   []uint8 // by sentence
	order   []int32 // the chosen sentences
	// A candidate that waits is found in sorted, from index next on, or in unsorted; only buckets from least up are
	// considered. The other candidates are in the queue. An entry of the queue is valid only if its rank is still that
	// of its sentence.
	next  int
	least int32
	queue ranking

	sorted   []ranked // the sentences with the largest gains alone, in order
	unsorted ranking  // the others that have a gain
}

// rivals limits the candidates of a choice to the sentences that have the largest gains before anything is chosen.
// Their total size is at least rivals times the budget, if there are enough sentences. The others are not considered.
const rivals = 8

// enter determines the candidates, all of which satisfy allowed.
func (c *chooser) enter(allowed func(sentence int32) bool) {
	const buckets = 48 << 3 // eighths of a power of two
	var sizes [buckets]int
	all := 0
	c.queue, c.next = c.queue[:0], 0
	for i := range c.sentences {
		if c.state[i] == taken {
			continue
		}
		s := &c.sentences[i]
		if c.state[i] = barred; s.alone.gain > 0 && allowed(int32(i)) {
			c.state[i], s.gain = waiting, s.alone.gain
			sizes[s.alone.bucket] += int(s.alone.size)
			all += int(s.alone.size)
		}
	}
	c.least = buckets
	sum := 0
	for c.least > 0 && sum < rivals*c.left {
		c.least--
		sum += sizes[c.least]
	}
	c.limited = c.limited || sum < all
}

// mostBefore is the maximum number of sentences that are chosen together with a sentence that depends on them. Each of
// them depends on the previous one.
const mostBefore = 3

// gain returns the gain per length of the best clauses of a sentence that fit into room bytes, including the sentences
// that it depends on, and stores these clauses in s. It returns 0 if none fits, or if the sentence depends on
// too many others. Gains only fall as more is chosen, except for sentences that depend on a chosen one (see lift). So
// if the gain of the best candidate hasn't changed since it was last computed, it is the best of all.
func (c *chooser) gain(s *sentence, room int) (best int64) {
	var with int64 // the gain of the sentences that it depends on
	size := overhead
	for n, p := 0, s; p.leans && c.state[p.before] != taken; n++ {
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
			if length > room {
				c.limited = true
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
		sum += int64(c.weight[w.stem] * w.factor >> 10)
	}
	return sum
}

// takeAll adds the best clauses of sentence n to the choice, and the sentences that it depends on.
func (c *chooser) takeAll(n int32) {
	from := len(c.order)
	c.take(n)
	for s := &c.sentences[n]; s.leans && c.state[s.before] != taken; {
		n = s.before
		s = &c.sentences[n]
		s.first, s.last = s.clauses[0], s.clauses[1]-1
		c.take(n)
	}
	for _, n := range c.order[from:] {
		c.lift(n)
	}
}

// take adds the best clauses of sentence n to the choice.
func (c *chooser) take(n int32) {
	s := &c.sentences[n]
	c.state[n] = taken
	c.order = append(c.order, n)
	c.left -= int(c.clauses[s.last].to-c.clauses[s.first].from) + overhead
	c.say(s)
}

// lift recomputes the gains of the candidates that depend on sentence n, which was just chosen, and moves them up.
// Their lengths no longer include that of sentence n.
func (c *chooser) lift(n int32) {
	for k := n + 1; int(k) < len(c.sentences); k++ {
		s := &c.sentences[k]
		if k > n+mostBefore && !(s.leans && s.before == n) {
			break
		}
		candidate := c.state[k] == queued || c.state[k] == waiting && s.alone.bucket >= c.least
		if !s.leans || s.before != n || !candidate {
			continue
		}
		if gain := c.gain(s, c.left); gain > s.gain {
			c.put(k, gain, false)
		}
	}
}

// say counts the words in the best clauses of a sentence as chosen once more.
func (c *chooser) say(s *sentence) {
	for _, w := range c.words[c.clauses[s.first].words[0]:c.clauses[s.last].words[1]] {
		if n := &c.chosen[w.stem]; w.factor > 0 && *n < mostHalved {
			*n++
			c.weight[w.stem] >>= 1
		}
	}
}
