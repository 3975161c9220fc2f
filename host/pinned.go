package host

import (
	"context"

	"github.com/ctxfold/ctxfold"
)

// Pin returns a caller with its own instance, outside the pool.
func (m *Engine) Pin() ctxfold.Pinned { return &pinnedModule{m: m} }

// pinnedModule is one instance outside the pool.
type pinnedModule struct {
	m      *Engine
	in     *instance
	opened uint64 // bytes of memory after the session was opened
}

// Call is Engine.Call on the current instance or a new one. If ctx ends during the call, the instance is discarded once
// it has finished.
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
		p.Drop(ctx) // the next call reopens the session
	}
	return o.answer, spent, nil
}

func (p *pinnedModule) Drop(ctx context.Context) {
	if p.in != nil {
		_ = p.in.module.Close(context.WithoutCancel(ctx))
		p.in = nil
	}
}
