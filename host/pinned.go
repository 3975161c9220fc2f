package host

import (
	"context"

	"github.com/ctxfold/ctxfold"
)

// Pin returns a caller with an instance of its own, next to those of the pool.
func (m *Engine) Pin() ctxfold.Pinned { return &pinnedModule{m: m} }

// pinnedModule is one instance, next to those of the pool.
type pinnedModule struct {
	m      *Engine
	in     *instance
	opened uint64 // bytes of memory when the session had been opened
}

// Call is that of Engine, on the instance that is there or on a new one. Where ctx ends in the middle of it, the instance is left to its
// work and thrown away after it.
func (p *pinnedModule) Call(ctx context.Context, op string, request []byte) ([]byte, ctxfold.Cost, error) {
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
	if o.memory > max(maxIdleMemory, 2*p.opened) {
		p.Drop(ctx) // the next call opens the session again, with what is left of it
	}
	return o.answer, spent, nil
}

func (p *pinnedModule) Drop(ctx context.Context) {
	if p.in != nil {
		_ = p.in.module.Close(context.WithoutCancel(ctx))
		p.in = nil
	}
}
