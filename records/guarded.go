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

// Guarded wraps a backend that may panic, hang, fail, or support no leases. Each call has a time limit. After a failure
// the backend is not called for a short time, and this process relies on its own copies. The only errors are those of
// ctx.
type Guarded struct {
	backend Records
	shared  Shared        // nil if the backend supports no leases
	near    *Memory       // what this process read from and wrote to a shared backend, and its leases
	timeout time.Duration // the time limit of a call; 0 or less means none
	called  func(Call)    // receives each call

	mu sync.Mutex
	up time.Time // when a failing backend may be called again
}

// Call describes a call of the backend.
type Call struct {
	Op   string        // find, keep, lease, renew or release
	Err  error         // nil on success
	Took time.Duration // how long it took
}

const (
	// nearSize is the maximum size of the records that a process caches in case a shared backend fails, in bytes.
	nearSize = 16 << 20
	// pause is the time for which a failing backend is not called. After that, one call tests whether it is available again.
	pause = 3 * time.Second
)

var errPausing = errors.New("the records failed just now")

// NewGuarded returns a guard around backend. Each call to the backend is limited to timeout (0 or less means no limit), and then reported to
// called.
func NewGuarded(backend Records, timeout time.Duration, called func(Call)) *Guarded {
	g := &Guarded{backend: backend, timeout: timeout, called: called, near: NewMemory(nearSize)}
	g.shared, _ = backend.(Shared)
	return g
}

// knows reports whether this process has a cache of the backend's records.
func (g *Guarded) knows() bool {
	_, here := g.backend.(*Memory)
	return g.shared != nil && !here
}

// Find implements [Records.Find]. If the cached record covers more messages, it is returned instead: the backend has lost
// that record, or was unreachable when it was made. It returns an error only if ctx has ended.
func (g *Guarded) Find(ctx context.Context, keys []string) (record []byte, at int, err error) {
	type found struct {
		record []byte
		at     int
	}
	f, err := call(ctx, g, "find", func(ctx context.Context) (f found, err error) {
		f.record, f.at, err = g.backend.Find(ctx, keys)
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

// Keep implements [Records.Keep]. If a shared backend fails, the record is kept at least in this process. It returns an
// error only if ctx has ended.
func (g *Guarded) Keep(ctx context.Context, keys []string, record []byte) error {
	_, _ = call(ctx, g, "keep", func(ctx context.Context) (bool, error) { return true, g.backend.Keep(ctx, keys, record) })
	if g.knows() {
		_ = g.near.Keep(ctx, keys, record)
	}
	return ctx.Err()
}

// Lease implements [Shared.Lease]. If the backend fails, the lease is still exclusive within this process.
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

// Renew implements [Shared.Renew]. If the backend fails, the lease may expire before the backend answers again; KeepLeased
// detects that.
func (g *Guarded) Renew(ctx context.Context, key, holder string, ttl time.Duration) (held bool, err error) {
	held, _ = g.near.Renew(ctx, key, holder, ttl)
	if g.shared == nil {
		return held, nil
	}
	held, err = call(ctx, g, "renew", func(ctx context.Context) (bool, error) { return g.shared.Renew(ctx, key, holder, ttl) })
	return held || err != nil, ctx.Err()
}

// Release implements [Shared.Release]. A lease that can't be released is left to expire. It returns an error only if
// ctx has ended.
func (g *Guarded) Release(ctx context.Context, key, holder string) error {
	_ = g.near.Release(ctx, key, holder)
	if g.shared != nil {
		_, _ = call(ctx, g, "release", func(ctx context.Context) (bool, error) { return true, g.shared.Release(ctx, key, holder) })
	}
	return ctx.Err()
}

// KeepLeased implements [Shared.KeepLeased]. If the backend fails, the record is kept at least in this process.
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

// call makes one call of the backend, and abandons it after the time limit. op names it for the metrics and the log.
// While the backend is paused after failures, it returns errPausing without a call.
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
	var got T // must not be read unless the call returned
	run := func() (err error) {
		got, err = do(limited)
		return err
	}
	if _, here := g.backend.(*Memory); here {
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

// note records whether a call failed, and begins or ends a pause accordingly.
func (g *Guarded) note(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.up = (time.Time{}); err != nil && g.shared != nil {
		g.up = time.Now().Add(pause)
	}
}

// open reports whether the backend may be called. While it fails, only one call is made per pause.
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
