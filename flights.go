package ctxfold

import (
	"context"
	"slices"
	"sort"
	"sync"
)

// flights makes calls for one history wait for each other, and tracks background compactions. Keys are those of a history: of all its
// messages, of all but the last one, and so on.
type flights struct {
	mu     sync.Mutex
	active map[string]chan struct{} // by the key of the whole history; closed when the call is over
	begun  []*background
	tried  []attempt
}

// background is a compaction that began before it was due.
type background struct {
	keys   []string // of the history that it is for
	cut    int      // how many of its messages it replaces; all, until that is known
	cancel context.CancelFunc
	over   chan struct{} // closed when it has ended
}

// attempt is a background compaction that led to nothing.
type attempt struct {
	key      string // of the history that it was for
	messages int    // of that history
	tokens   int
	failed   bool // the model gave no summary
}

// maxAttempts is how many attempts are tracked; forgetting one costs another one.
const maxAttempts = 256

// enter waits for calls in progress whose history is one of these beginnings, so that their results can be used. leave must be called.
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

// register enters a call, or returns a channel that signals the end of one to wait for.
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

// begin enters a background compaction, or returns nil if one is running for this history: for its beginning, or for a continuation.
func (f *flights) begin(keys []string, cancel context.CancelFunc) *background {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.begun {
		if n := shared(b.keys, keys); n >= min(b.cut, len(keys)) {
			return nil
		}
	}
	b := &background{keys: keys, cut: len(keys), cancel: cancel, over: make(chan struct{})}
	f.begun = append(f.begun, b)
	return b
}

// replaces notes how many messages a background compaction replaces: edits behind them leave it what it is.
func (f *flights) replaces(b *background, messages int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if messages > 0 {
		b.cut = min(b.cut, messages)
	}
}

// end removes a background compaction. nothing is the attempt if it led to nothing.
func (f *flights) end(b *background, nothing *attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = slices.DeleteFunc(f.begun, func(other *background) bool { return other == b })
	if nothing != nil {
		f.tried = append(f.tried, *nothing)
		f.tried = f.tried[max(0, len(f.tried)-maxAttempts):]
	}
	close(b.over)
}

// behind returns the background compaction whose result will replace a beginning of this history, or nil. Those whose messages this history
// has edited are cancelled; sharing at least half of the messages distinguishes them from other conversations that begin alike.
func (f *flights) behind(keys []string) (running *background, edited []*background) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.begun {
		switch n := shared(b.keys, keys); {
		case n >= b.cut:
			running = b
		case n < len(keys) && 2*n >= len(b.keys):
			b.cancel()
			edited = append(edited, b)
		}
	}
	return running, edited
}

// cancel cancels all compactions in the background.
func (f *flights) cancel() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.begun {
		b.cancel()
	}
}

// last returns the newest attempt for a beginning of this history with more than this many messages that led to nothing; zero if there is
// none.
func (f *flights) last(keys []string, messages int) (newest attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.tried {
		if a.messages <= len(keys) && a.messages > max(messages, newest.messages-1) && keys[len(keys)-a.messages] == a.key {
			newest = a
		}
	}
	return newest
}

// shared returns how many leading messages two histories share. Each key covers all messages up to one, so two are equal only if everything
// before is.
func shared(a, b []string) int {
	return sort.Search(min(len(a), len(b)), func(n int) bool { return a[len(a)-1-n] != b[len(b)-1-n] })
}
