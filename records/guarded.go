package records

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ctxfold/ctxfold/internal/guard"
)

// Guarded are the records of a store that may panic, hang, fail, or have no leases. Each call has a time limit, and a failing store is left alone for
// a moment while this process continues with what it knows. The only errors are those of ctx.
type Guarded struct {
	store   Store
	shared  Shared  // nil if the store has no leases
	near    *Memory // what this process found in and wrote to a shared store, and its leases
	timeout time.Duration
	called  func(Call)

	mu sync.Mutex
	up time.Time // when a failing store is called again
}

// Call is a call of a store that a [Guarded] has made.
type Call struct {
	Op   string // find, keep, lease, renew or release
	Err  error  // nil on success
	Took time.Duration
}

const (
	// nearSize is how many bytes of a shared store a process keeps for the time when it fails.
	nearSize = 16 << 20
	// pause is how long a failing store is left alone. Then one call finds out whether it is back.
	pause = 3 * time.Second
)

var errPausing = errors.New("the records failed just now")

// NewGuarded returns the records of a store. Each call of it may take timeout; 0 or less means no limit. After each call, called is told.
func NewGuarded(store Store, timeout time.Duration, called func(Call)) *Guarded {
	g := &Guarded{store: store, timeout: timeout, called: called, near: NewMemory(nearSize)}
	g.shared, _ = store.(Shared)
	return g
}

// knows reports whether this process keeps what it knows of the store.
func (g *Guarded) knows() bool {
	_, here := g.store.(*Memory)
	return g.shared != nil && !here
}

// Find is [Store].Find. If this process knows of more messages than the store does, that comes first: the store has lost it, or couldn't be reached
// when it was made.
func (g *Guarded) Find(ctx context.Context, keys []string) (record []byte, at int, err error) {
	type found struct {
		record []byte
		at     int
	}
	f, err := call(ctx, g, "find", func(ctx context.Context) (f found, err error) {
		f.record, f.at, err = g.store.Find(ctx, keys)
		return f, err
	})
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	if !g.knows() {
		return f.record, f.at, nil
	}
	longer := keys
	if f.record != nil {
		longer = keys[:f.at]
	}
	if known, n, _ := g.near.Find(ctx, longer); known != nil {
		if err == nil {
			_ = g.Keep(ctx, keys[n:n+1], known)
		}
		return known, n, nil
	}
	if f.record != nil {
		if known, _, _ := g.near.Find(ctx, keys[f.at:f.at+1]); !bytes.Equal(known, f.record) {
			_ = g.near.Keep(ctx, keys[f.at:f.at+1], f.record)
		}
	}
	return f.record, f.at, nil
}

// Keep is [Store].Keep.
func (g *Guarded) Keep(ctx context.Context, keys []string, record []byte) error {
	_, _ = call(ctx, g, "keep", func(ctx context.Context) (bool, error) { return true, g.store.Keep(ctx, keys, record) })
	if g.knows() {
		_ = g.near.Keep(ctx, keys, record)
	}
	return ctx.Err()
}

// Lease is [Shared].Lease. Without the store, the calls of this process at least don't compact one conversation twice.
func (g *Guarded) Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (granted bool, err error) {
	granted, _ = g.near.Lease(ctx, keys, holder, ttl)
	if g.shared == nil || !granted {
		return granted, nil
	}
	granted, err = call(ctx, g, "lease", func(ctx context.Context) (bool, error) { return g.shared.Lease(ctx, keys, holder, ttl) })
	if ctx.Err() == nil && err != nil {
		return true, nil
	}
	if !granted {
		_ = g.near.Release(ctx, keys[0], holder)
	}
	return granted, ctx.Err()
}

// Renew is [Shared].Renew. A lease that can't be renewed may end before the store answers again; KeepLeased says so then.
func (g *Guarded) Renew(ctx context.Context, key, holder string, ttl time.Duration) (held bool, err error) {
	held, _ = g.near.Renew(ctx, key, holder, ttl)
	if g.shared == nil {
		return held, nil
	}
	held, err = call(ctx, g, "renew", func(ctx context.Context) (bool, error) { return g.shared.Renew(ctx, key, holder, ttl) })
	return held || err != nil, ctx.Err()
}

// Release is [Shared].Release. A lease that can't be released expires.
func (g *Guarded) Release(ctx context.Context, key, holder string) error {
	_ = g.near.Release(ctx, key, holder)
	if g.shared != nil {
		_, _ = call(ctx, g, "release", func(ctx context.Context) (bool, error) { return true, g.shared.Release(ctx, key, holder) })
	}
	return ctx.Err()
}

// KeepLeased is [Shared].KeepLeased. If the store fails, this process at least keeps the record.
func (g *Guarded) KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (kept bool, err error) {
	if g.shared == nil {
		if !g.near.holds(key, holder) {
			return false, nil
		}
		return true, g.Keep(ctx, keys, record)
	}
	kept, err = call(ctx, g, "keep", func(ctx context.Context) (bool, error) { return g.shared.KeepLeased(ctx, key, holder, keys, record) })
	if err == nil && !kept {
		return false, nil
	}
	if g.knows() {
		_ = g.near.Keep(ctx, keys, record)
	}
	return true, ctx.Err()
}

// call makes one call, and abandons it if it takes too long.
func call[T any](ctx context.Context, g *Guarded, op string, do func(context.Context) (T, error)) (answer T, err error) {
	if !g.open() {
		return answer, errPausing
	}
	start, limited := time.Now(), ctx
	if g.timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, g.timeout, fmt.Errorf("it took longer than %v", g.timeout))
		defer cancel()
	}
	var got T // may only be read if the call returned
	run := func() (err error) {
		got, err = do(limited)
		return err
	}
	if _, here := g.store.(*Memory); here {
		err = run()
	} else {
		err = guard.Call(limited, run)
	}
	switch {
	case err == nil:
		answer = got
	case ctx.Err() != nil:
		return answer, ctx.Err()
	case limited.Err() != nil:
		err = context.Cause(limited)
	}
	g.called(Call{Op: op, Err: err, Took: time.Since(start)})
	g.note(err)
	return answer, err
}

// note notes whether a call failed.
func (g *Guarded) note(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.up = (time.Time{}); err != nil && g.shared != nil {
		g.up = time.Now().Add(pause)
	}
}

// open reports whether the store may be called. While it fails, one call in a while may.
func (g *Guarded) open() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.up.IsZero() {
		return true
	}
	now := time.Now()
	if now.Before(g.up) {
		return false
	}
	g.up = now.Add(max(pause, g.timeout))
	return true
}
