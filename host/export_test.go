package host

import (
	"context"
	"time"
)

// Answer runs one operation and returns the answer's bytes even if it is an error answer.
func (c *Compactor) Answer(ctx context.Context, op string, request []byte) ([]byte, error) {
	answer, _, err := c.engine.call(ctx, op, request)
	return answer, err
}

// Idle counts the instances of the module that wait for a call, and the bytes of their memory.
func (c *Compactor) Idle() (instances int, memory uint32) {
	m := c.engine.(*module)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, in := range m.idle {
		memory += in.module.Memory().Size()
	}
	return len(m.idle), memory
}

// Occupy makes the Compactor believe that a call is in progress, until release is called.
func (c *Compactor) Occupy() (release func()) {
	m := c.engine.(*module)
	m.slots <- struct{}{}
	return func() { <-m.slots }
}

// Summarize runs the requests of one round.
func (c *Compactor) Summarize(ctx context.Context, s Summarizer, requests []Request) ([]Summary, error) {
	return c.asking(s, nil).round(ctx, requests)
}

// Lose takes the instance away, as a trap does.
func (v *Conversation) Lose() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.engine.drop(context.Background())
}

// Break takes an idle instance's module away, so that the call that gets it traps. It is false where none is idle.
func (c *Compactor) Break() bool {
	m := c.engine.(*module)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.idle) == 0 {
		return false
	}
	return m.idle[len(m.idle)-1].module.Close(context.Background()) == nil
}

// SetClock sets the clock by which Fit makes compactions anew.
func (c *Compactor) SetClock(now func() time.Time) { c.now = now }
