package ctxfold

import (
	"context"
	"sync"
)

// background is a job that runs in the background.
type background struct {
	cancel context.CancelFunc
	over   chan struct{} // closed when it has ended
}

// wait waits until it has ended.
func (b *background) wait(ctx context.Context) error {
	select {
	case <-b.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backgrounds are the jobs that run in the background.
type backgrounds struct {
	mu  sync.Mutex
	all map[*background]bool
}

// begin runs work in the background. First, the caller's ready is told of it.
func (l *backgrounds) begin(ctx context.Context, ready func(*background), work func(context.Context)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := &background{cancel: cancel, over: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*background]bool{}
	}
	l.all[b] = true
	ready(b)
	go func() {
		work(ctx)
		cancel()
		l.mu.Lock()
		delete(l.all, b)
		l.mu.Unlock()
		close(b.over)
	}()
}

// cancel cancels all of them.
func (l *backgrounds) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for b := range l.all {
		b.cancel()
	}
}

// holdings are the leases of jobs in this process: who waits for one learns at once that it has ended.
type holdings struct {
	mu  sync.Mutex
	all map[string]*holding // by key
}

type holding struct {
	holder string
	by     *background   // nil for a job that somebody waits for
	ended  chan struct{} // closed when the lease was released
}

func (l *holdings) grant(key, holder string, by *background) *holding {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := &holding{holder: holder, by: by, ended: make(chan struct{})}
	if l.all == nil {
		l.all = map[string]*holding{}
	}
	l.all[key] = h
	return h
}

// find returns who has the lease on one of these keys, or nil.
func (l *holdings) find(keys []string) *holding {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		if h := l.all[key]; h != nil {
			return h
		}
	}
	return nil
}

func (l *holdings) end(key string, h *holding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all[key] == h {
		delete(l.all, key)
	}
	close(h.ended)
}
