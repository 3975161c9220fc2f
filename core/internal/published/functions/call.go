package functions

import (
	"github.com/ctxfold/ctxfold/core/internal/passes"
)

// sizes returns the tokens of each message. The estimator is the call's.
func (c *Call) sizes() []int {
	sizes := make([]int, len(c.Transcript.Messages))
	for i := range sizes {
		sizes[i] = c.Estimator.Message(c.Transcript, i)
	}
	return sizes
}

// estimate returns the tokens of all messages together.
func (c *Call) estimate() (sum int) {
	for _, n := range c.sizes() {
		sum += n
	}
	return sum
}

// total returns the estimate of the whole transcript, in tokens, including parts of a request body outside the
// messages.
func (c *Call) total() int { return c.Estimator.OutsideMessages(c.Transcript) + c.estimate() }

func (c *Call) isTool(i int) bool { return passes.IsTool(c.Transcript, i) }
func (c *Call) isUser(i int) bool { return passes.IsUser(c.Transcript, i) }
