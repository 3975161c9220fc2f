package tokens

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Context is the size of a conversation, based on what a provider counted.
type Context struct {
	Tokens   int // measured up to the message at Index, estimated after it
	Measured int // what the provider counted, tokens
	Index    int // of the assistant message with the count, or -1
	Bound    int // the largest likely error
}

// MeasureContext anchors the estimate of a transcript to the newest provider's count in it: that of an assistant message that neither an
// error nor the user cut short (S4.8). Messages before from are ignored: since the last compaction, their counts are too large (S4.9).
// Without a count, the result is total, the estimate of the first n messages, which are the only ones considered.
func MeasureContext(p *Profile, t *transcript.Transcript, from, n, total int) Context {
	for i := n - 1; i >= max(0, from); i-- {
		meta := t.MetaOf(i)
		if t.Hidden(i) || t.Messages[i].Role != transcript.Assistant || meta.Usage.Sum() <= 0 {
			continue
		}
		if stop := strings.ToLower(strings.TrimSpace(t.Text(meta.Stop))); stop == "aborted" || stop == "error" {
			continue
		}
		c := Context{Measured: meta.Usage.Sum(), Index: i}
		c.Tokens = c.Measured
		for k := i + 1; k < n; k++ {
			c.Tokens += p.Message(t, k)
		}
		c.Bound = measuredBound(p.Bound, c.Tokens-c.Measured, c.Tokens)
		return c
	}
	return Context{Index: -1, Tokens: total, Bound: p.Bound}
}

// measuredBound returns the largest likely error of a total, in percent, of which only a tail was estimated with an error of bound percent.
// It is never less than one percent, because the provider may have been sent something slightly different from the transcript.
func measuredBound(bound, tail, total int) int {
	return max(1, (bound*tail+total/2)/max(1, total))
}
