package compact

import "math"

// Cache tells what a compaction means for the provider's prompt cache. What is read again and what it saves are tokens of
// each later call; turns are calls of the model.
//
//easyjson:json
type Cache struct {
	FirstMessage int `json:"first_changed_message"` // index of the result's list
	FirstByte    int `json:"first_changed_byte"`    // of the result's list, from its opening bracket
	Reread       int `json:"reread_tokens"`         // what follows the first change: the cache does not have it
	Saved        int `json:"saved_tokens"`          // what each later call does not read any more
	// Turns is after how many calls the compaction has paid for itself at the policy's prices: the reading of what follows the
	// first change, and the summary. -1 is never; without prices it is not there.
	Turns *int `json:"turns_to_pay,omitempty"`
}

// cost is what the model was asked to write summaries, in tokens.
type cost struct{ in, out int }

// expected is what the result of a run that waits for summaries will be like: the first item that changes, the tokens, and
// what the model is asked.
type expected struct {
	first, after int
	cost         cost
}

// cache reports on a result that has after tokens and keeps the prefix.
//
// In one turn the compaction costs R·(w−r) more than it would have cost to read R from the cache, and S for the summary; each
// turn it saves (B−A)·r. So it has paid after ⌈(R·(w−r)+S) / ((B−A)·r)⌉ turns, with B tokens before, A after, R behind the
// first change, and r and w the prices of reading from the cache and of writing to it.
func (c *Run) cache(prefix Prefix, after int, s cost) *Cache {
	out := &Cache{FirstMessage: prefix.Messages, FirstByte: prefix.Bytes,
		Reread: max(0, after-prefix.Tokens-c.P.Beside(c.T)), Saved: c.Report.Tokens.Before - after}
	price := c.Policy.Prices
	if price == nil {
		return out
	}
	read, write := price.Input, price.Input
	if price.CacheRead != nil {
		read = *price.CacheRead
	}
	if price.CacheWrite != nil {
		write = *price.CacheWrite
	}
	turns := -1
	once := float64(out.Reread)*(write-read) + float64(s.in)*price.Input + float64(s.out)*price.Output
	if each := float64(out.Saved) * read; each > 0 {
		turns = int(min(math.Ceil(max(0, once/each)), math.MaxInt32))
	} else if once <= 0 {
		turns = 0
	}
	out.Turns = &turns
	return out
}

// expect notes what will come of the requests: items from first on change, and beside the summaries there are after tokens.
func (c *Run) expect(first, after int) {
	c.expected = expected{first: max(0, first), after: after, cost: c.asked}
	for _, q := range c.Requests {
		c.expected.after += q.MaxOutputTokens
		c.expected.cost.in += q.InputTokens
		c.expected.cost.out += q.MaxOutputTokens
	}
}
