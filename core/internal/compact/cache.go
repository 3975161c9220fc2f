package compact

import (
	"math"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/summary"
)

// cache returns the effect on the prompt cache of a result that has after tokens and begins with the unchanged prefix.
//
// In the first turn the compaction costs R·(w−r) more than reading R from the cache, plus S for the summary; each turn
// it saves (B−A)·r. So it has paid off after ⌈(R·(w−r)+S) / ((B−A)·r)⌉ turns, with B tokens before, A after, R after
// the first change, and r and w the prices of reading from the cache and of writing to it.
func (c *Run) cache(prefix api.StablePrefix, after int, s summary.Cost) *api.ReportCache {
	out := &api.ReportCache{FirstMessage: prefix.Messages, FirstByte: prefix.Bytes,
		RereadTokens: max(0, after-prefix.Tokens-c.doc.P.OutsideMessages(c.doc.T)),
		SavedTokens:  c.report.Tokens.Before - after}
	price := c.policy.KnownPrices()
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
	once := float64(float64(out.RereadTokens)*(write-read)) + float64(float64(s.In-s.Cached)*price.Input) +
		float64(float64(s.Cached)*read) + float64(float64(s.Out)*price.Output)
	if each := float64(out.SavedTokens) * read; each > 0 {
		turns = int(min(math.Ceil(max(0, once/each)), math.MaxInt32))
	} else if once <= 0 {
		turns = 0
	}
	out.TurnsToPay = &turns
	return out
}
