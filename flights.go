package ctxfold

import (
	"context"
	"sync"
)

// flights makes calls for one history wait for each other.
type flights struct {
	mu     sync.Mutex
	active map[string]chan struct{} // by the key of the whole history; closed when the call is over
}

// enter waits for the calls in progress whose history is one of these beginnings: what they make can be used then. leave has to
// be called.
func (f *flights) enter(ctx context.Context, keys []string) (leave func(), err error) {
	if len(keys) == 0 {
		return func() {}, nil
	}
	for {
		over := f.register(keys)
		if over == nil {
			return func() { f.leave(keys[0]) }, nil
		}
		select {
		case <-over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// register enters a call, or returns what tells the end of one that it has to wait for.
func (f *flights) register(keys []string) (over chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.active) > 0 {
		for _, key := range keys {
			if over, ok := f.active[key]; ok {
				return over
			}
		}
	}
	if f.active == nil {
		f.active = map[string]chan struct{}{}
	}
	f.active[keys[0]] = make(chan struct{})
	return nil
}

func (f *flights) leave(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.active[key])
	delete(f.active, key)
}
