package proxy

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ctxfold/ctxfold"
)

// patience is the time for which a compaction continues after all its clients have left. A client that timed out may send
// the same request again.
const patience = time.Second

// flights are the compactions in progress, by key, each with the number of clients that wait for it.
type flights struct {
	mu   sync.Mutex
	open map[string]*flight // by key
}

type flight struct {
	waiting int
	cancel  context.CancelFunc
	over    chan struct{} // closed when result and err are set
	result  *ctxfold.Result
	err     error
}

// join waits for the work that key identifies, which the first caller starts. The work is cancelled once no caller has
// waited for it for the duration of patience. All callers get the same result. A caller whose ctx ends gets the error
// of ctx.
func (f *flights) join(ctx context.Context, key string, work func(context.Context) (*ctxfold.Result, error)) (*ctxfold.Result, error) {
	f.mu.Lock()
	one := f.open[key]
	if one == nil {
		if f.open == nil {
			f.open = map[string]*flight{}
		}
		one = &flight{over: make(chan struct{})}
		f.open[key] = one
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		one.cancel = cancel
		go f.run(own, key, one, work)
	}
	one.waiting++
	f.mu.Unlock()
	select {
	case <-one.over:
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.waiting--; one.waiting == 0 {
		time.AfterFunc(patience, func() { f.abandon(one) })
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return one.result, one.err
}

// run runs work and gives its result to all callers that wait for the flight. A panic becomes an
// error.
func (f *flights) run(ctx context.Context, key string, one *flight, work func(context.Context) (*ctxfold.Result, error)) {
	err := fmt.Errorf("the compaction did not return")
	var result *ctxfold.Result
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("the compaction panicked: %v", p)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		one.cancel()
		one.result, one.err = result, err
		delete(f.open, key)
		close(one.over)
	}()
	result, err = work(ctx)
}

// abandon cancels the work unless a client waits for it again.
func (f *flights) abandon(one *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.waiting == 0 {
		one.cancel()
	}
}
