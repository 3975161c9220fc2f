package tokens

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Context is the size of a conversation by what a provider counted.
type Context struct {
	Tokens   int // measured up to the message at Index, estimated after it
	Measured int // what the provider counted, tokens
	Index    int // the assistant message that has the provider's numbers; -1 if there is none
	Bound    int // how far off it may be, percent
}

// MeasureContext anchors the estimate of a transcript to the newest numbers of a provider that are in it: those of an assistant message that
// the model was not stopped in by an error or by the user (S4.8). What precedes message from does not count: a compaction has made its
// numbers too large (S4.9). Without such numbers it is total, the estimate of the first n messages, which are all that is looked at.
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

// measuredBound returns how far off a total is, in percent, of which only a tail is estimated, by bound percent. A provider's count is of
// what it was sent, which the transcript may not be to the byte: it is never less than one percent.
func measuredBound(bound, tail, total int) int {
	return max(1, (bound*tail+total/2)/max(1, total))
}
