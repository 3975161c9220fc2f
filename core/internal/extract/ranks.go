package extract

// ranked is a sentence with its rank, so that sentences can be compared without a lookup. Larger ranks are better. The
// older of two sentences with the same rank is better.
type ranked struct {
	rank     uint64 // 0 if there is no sentence
	sentence int32  // its index
}

func (a ranked) better(b ranked) bool {
	return a.rank > b.rank || a.rank == b.rank && a.sentence < b.sentence
}

// rank returns the rank of sentence n for a given gain; 0 if the gain is not positive. If the choice is spread,
// sentences of similar gain are ordered pseudo-randomly.
func (c *chooser) rank(gain int64, n int32) uint64 {
	if gain <= 0 {
		return 0
	}
	if !c.spread {
		return uint64(gain)
	}
	return uint64(log2(uint64(gain))>>7+1)<<32 | uint64(^(uint32(n) * 0x9e3779b1))
}

// top returns the best candidate, and whether it is on top of the queue.
func (c *chooser) top() (top ranked, again bool) {
	for len(c.queue) > 0 && !c.counts(c.queue[0]) {
		c.queue.pop()
	}
	waits := c.waits()
	if len(c.queue) > 0 && c.queue[0].better(waits) {
		return c.queue[0], true
	}
	return waits, false
}

// counts reports whether an entry of the queue still has the rank of its sentence.
func (c *chooser) counts(entry ranked) bool {
	return c.state[entry.sentence] == queued && c.sentences[entry.sentence].rank == entry.rank
}

// waits returns the best candidate that waits outside of the queue.
func (c *chooser) waits() ranked {
	for ; ; c.next++ {
		if c.next == len(c.sorted) {
			if len(c.unsorted) == 0 {
				return ranked{}
			}
			c.sorted = append(c.sorted, c.unsorted[0])
			c.unsorted.pop()
		}
		top := c.sorted[c.next]
		if c.sentences[top.sentence].alone.bucket < c.least {
			return ranked{}
		}
		if c.state[top.sentence] == waiting {
			return top
		}
	}
}

// put stores a new gain of sentence n, and puts the sentence into the queue if the gain is positive. again means that
// the sentence is on top of the queue.
func (c *chooser) put(n int32, gain int64, again bool) {
	s := &c.sentences[n]
	s.gain, s.rank = gain, c.rank(gain, n)
	switch {
	case gain <= 0:
		c.state[n] = barred
	case again:
		c.queue[0].rank = s.rank
		c.queue.down(0)
	default:
		c.state[n] = queued
		c.queue = append(c.queue, ranked{s.rank, n})
		c.queue.up(len(c.queue) - 1)
	}
}

// ranking is a heap with the best sentence on top.
type ranking []ranked

// pop removes the best sentence, which is the first element. The heap must not be empty.
func (r *ranking) pop() {
	last := len(*r) - 1
	(*r)[0] = (*r)[last]
	*r = (*r)[:last]
	r.down(0)
}

// up moves the element at i toward the top until its parent is better.
func (r ranking) up(i int) {
	e := r[i]
	for i > 0 && e.better(r[(i-1)/2]) {
		r[i] = r[(i-1)/2]
		i = (i - 1) / 2
	}
	r[i] = e
}

// down moves the element at i away from the top until both of its children are worse.
func (r ranking) down(i int) {
	if len(r) == 0 {
		return
	}
	e := r[i]
	for {
		child := 2*i + 1
		if child >= len(r) {
			break
		}
		if child+1 < len(r) && r[child+1].better(r[child]) {
			child++
		}
		if !r[child].better(e) {
			break
		}
		r[i] = r[child]
		i = child
	}
	r[i] = e
}
