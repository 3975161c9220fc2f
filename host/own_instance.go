package host

import (
	"context"

	"github.com/ctxfold/ctxfold"
)

// Instance returns a caller with an instance of its own, outside the pool.
func (m *Engine) Instance() ctxfold.Instance { return &ownInstance{m: m} }

// ownInstance is one instance outside the pool.
type ownInstance struct {
	m        *Engine
	in       *instance // the instance; nil before the first call and after a failure
	opened   uint64    // bytes of memory after the session was opened
	left     uint64    // bytes of memory of the last instance that was replaced because it was roomy; 0 if there was none
	patience int       // the number of calm calls after which that instance was replaced
}

// Call works like Engine.Call, on the current instance or a new one. If ctx ends during the call, the instance is
// discarded once it has finished.
func (p *ownInstance) Call(ctx context.Context, op string, request []byte) ([]byte, ctxfold.Cost, error) {
	m := p.m
	spent, answer, err := m.enter(ctx, op, request)
	if answer != nil || err != nil {
		return answer, spent, err
	}
	if m.isClosed() {
		<-m.slots
		return nil, spent, ctxfold.ErrClosed
	}
	if p.in == nil {
		if p.in, err = m.instantiate(ctx); err != nil {
			<-m.slots
			return nil, spent, err
		}
	}
	in := p.in
	o := m.work(ctx, in, op, request, func() {})
	spent.Memory = o.memory
	if o.err != nil {
		p.in = nil
		if o.pending != nil {
			go func() {
				<-o.pending
				_ = in.module.Close(context.WithoutCancel(ctx))
			}()
		}
		return nil, spent, o.err
	}
	if op == "session_open" {
		p.opened = o.memory
	}
	if o.memory > max(maxIdleMemory, 2*p.opened) || p.roomy(o.memory) {
		p.Reset(ctx) // the next call reopens the session
	}
	return o.answer, spent, nil
}

// roomy reports whether the session's instance should be replaced, because for a long time its calls have used much
// less memory than it has. With a new instance the conversation must be read again. If the last replacement has not
// halved the memory, the next one takes twice as many calls.
func (p *ownInstance) roomy(memory uint64) bool {
	patience := calmCalls
	if memory > p.left/2 {
		patience = max(patience, 2*p.patience)
	}
	if memory <= roomyMemory || p.in.calm < patience {
		return false
	}
	p.left, p.patience = memory, patience
	return true
}

// Reset closes the instance and the sessions in it. The next call starts a new instance.
func (p *ownInstance) Reset(ctx context.Context) {
	if p.in != nil {
		_ = p.in.module.Close(context.WithoutCancel(ctx))
		p.in = nil
	}
}
