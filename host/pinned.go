package host

import (
	"context"

	"github.com/ctxfold/ctxfold/core"
)

// pinned is an engine in which sessions stay open from call to call. It serves one call at a time.
type pinned interface {
	caller
	// drop forgets the sessions, and frees what holds them.
	drop(ctx context.Context)
}

const codeSessionClosed = "session_closed"

func (n *native) pin() pinned { return &pinnedNative{n: n, sessions: new(core.Sessions)} }

type pinnedNative struct {
	n        *native
	sessions *core.Sessions
}

func (p *pinnedNative) call(ctx context.Context, op string, request []byte) ([]byte, cost, error) {
	if p.n.closed.Load() {
		return nil, cost{}, ErrClosed
	}
	sessions := p.sessions
	if ctx.Done() == nil {
		return sessions.Call(op, request), cost{}, nil
	}
	answer := make(chan []byte, 1)
	go func() { answer <- sessions.Call(op, request) }()
	select {
	case a := <-answer:
		return a, cost{}, nil
	case <-ctx.Done():
		p.drop(ctx) // the call behind it still works on them
		return nil, cost{}, ctx.Err()
	}
}

func (p *pinnedNative) drop(context.Context) { p.sessions = new(core.Sessions) }

func (m *module) pin() pinned { return &pinnedModule{m: m} }

// pinnedModule is one instance, beside those of the pool.
type pinnedModule struct {
	m      *module
	in     *instance
	opened uint64 // bytes of memory when the session had been opened
}

// call is that of module, on the instance that is there or on a new one. Where ctx ends in the middle of it, the instance
// is left to its work and thrown away behind it.
func (p *pinnedModule) call(ctx context.Context, op string, request []byte) ([]byte, cost, error) {
	m := p.m
	spent, answer, err := m.enter(ctx, op, request)
	if answer != nil || err != nil {
		return answer, spent, err
	}
	if m.isClosed() {
		<-m.slots
		return nil, spent, ErrClosed
	}
	if p.in == nil {
		if p.in, err = m.instantiate(ctx); err != nil {
			<-m.slots
			return nil, spent, err
		}
	}
	in := p.in
	o := m.work(ctx, in, op, request, func() {})
	spent.memory = o.memory
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
		p.drop(ctx) // the next call opens the session anew, with what is left of it
	}
	return o.answer, spent, nil
}

func (p *pinnedModule) drop(ctx context.Context) {
	if p.in != nil {
		_ = p.in.module.Close(context.WithoutCancel(ctx))
		p.in = nil
	}
}
