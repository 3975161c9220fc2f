package tokens

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Context is the size of a conversation in tokens, based on a provider's count if there is one.
type Context struct {
	Tokens   int // the whole size: measured up to the message at Index, and estimated after it
	Measured int // the provider's count, in tokens
	Index    int // index of the assistant message with the count, or -1
	Bound    int // the largest likely error of Tokens, in percent
}

// MeasureContext returns the size of the first n messages, based on the provider's newest count in them. The count
// must belong to an assistant message that neither an error nor the user cut off (S4.8). Messages before index from
// are ignored: they precede the last compaction, so their counts are too large (S4.9). If there is no count, the size
// is total, the estimate of these messages.
func MeasureContext(p *Profile, t *transcript.Transcript, from, n, total int) Context {
	for i := n - 1; i >= max(0, from); i-- {
		meta := t.MetaOf(i)
		if t.IsUnsent(i) || t.Messages[i].Role != transcript.Assistant || meta.Usage.TotalTokens() <= 0 {
			continue
		}
		if stop := strings.ToLower(strings.TrimSpace(t.Text(meta.Stop))); stop == "aborted" || stop == "error" {
			continue
		}
		c := Context{Measured: meta.Usage.TotalTokens(), Index: i}
		c.Tokens = c.Measured
		for k := i + 1; k < n; k++ {
			c.Tokens += p.Message(t, k)
		}
		c.Bound = measuredBound(p.Bound, c.Tokens-c.Measured, c.Tokens)
		return c
	}
	return Context{Index: -1, Tokens: total, Bound: p.Bound}
}

// measuredBound returns the error bound for a total, in percent, if only a tail of it was estimated, with an error
// bound of bound percent. It is at least one percent, because the provider may have received something slightly
// different from the transcript.
func measuredBound(bound, tail, total int) int {
	return max(1, (bound*tail+total/2)/max(1, total))
}
