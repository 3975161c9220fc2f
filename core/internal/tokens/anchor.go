package tokens

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// Anchor is what a provider counted: the tokens up to the message at an index, that included. What comes behind it is
// estimated (S0.38).
type Anchor struct{ Tokens, Index int }

// Record is the anchor that counts after a call of the model that ended with the message at an index. Usage is what the provider
// counted for it, all kinds of tokens together; without any the old anchor, which may be nil, counts on.
func (a *Anchor) Record(usage, index int) *Anchor {
	if usage <= 0 {
		return a
	}
	return &Anchor{usage, index}
}

// Anchored is the size of all messages, in tokens: an estimate where there is no anchor among them.
func (p *Profile) Anchored(t *transcript.Transcript, a *Anchor) int {
	sum, from := 0, 0
	if a != nil && a.Index >= 0 && a.Index < len(t.Messages) {
		sum, from = a.Tokens, a.Index+1
	}
	for m := from; m < len(t.Messages); m++ {
		sum += p.Message(t, m)
	}
	return sum
}
