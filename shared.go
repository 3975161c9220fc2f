package ctxfold

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"
)

// SharedRecords are [Records] for replicas: programs that all serve any conversation and may die at any time. A lease keeps two replicas
// from compacting one conversation at the same time. Only the holder of the lease can store a record, so a replica that was suspended can't
// replace what another one made meanwhile.
//
// [MemoryRecords] and [DirRecords] are SharedRecords, and so are those of the modules host/redis and host/postgres. Calls fail with an error
// if the store can't be reached; [Compactor.Fit] then continues without it.
type SharedRecords interface {
	Records

	// Lease leases keys[0] to holder for ttl from now, unless another holder has a lease on one of keys. It reports whether the lease was
	// granted. Of two simultaneous calls with the same keys[0], at most one is granted.
	Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (bool, error)

	// Renew makes the lease end ttl from now. It returns false if holder has no lease on key: it expired or was released.
	Renew(ctx context.Context, key, holder string, ttl time.Duration) (bool, error)

	// Release ends the lease if holder has one on key.
	Release(ctx context.Context, key, holder string) error

	// KeepLeased is Keep if holder has the lease on key: check and change are one step that no other call can interrupt. It reports whether
	// it stored the record. The lease continues.
	KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (bool, error)
}

// Defaults of [Options] for [SharedRecords].
const (
	// DefaultRecordsTimeout is how long one call of [Records] may take.
	DefaultRecordsTimeout = 2 * time.Second
	// DefaultLease is how long a lease lasts unless it is renewed.
	DefaultLease = 15 * time.Second
)

// Reasons for which a call of Fit starts over.
var (
	errNoLease   = errors.New("a compaction is due, and takes a lease")
	errLeaseLost = errors.New("the lease ended during a compaction")
)

// maxLost is how often a call of Fit may lose its lease before it stops storing results.
const maxLost = 3

// The times between two attempts to get a lease.
const (
	firstPoll   = 5 * time.Millisecond
	longestPoll = 200 * time.Millisecond
)

// lease is what a call of Fit needs to compact a history.
type lease struct {
	holder string // "" if there is none
	key    string // what is leased
	stop   func() // ends its renewal
	lost   int
	// free means that no lease is needed: the records have none, or failed.
	free bool
}

// may reports whether a compaction may be made now.
func (l *lease) may() bool { return l.free || l.holder != "" }

// take waits until it has the lease on the history. The only error is that of ctx: if the records fail, it continues without a lease, at the
// cost of another compaction at worst.
func (h *history) take(ctx context.Context) error {
	holder := rand.Text()
	for wait := firstPoll; ; wait = min(2*wait, longestPoll) {
		if granted, err := h.ask(ctx, holder); granted || err != nil {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ask requests the lease on the history once, and reports whether a compaction may be made now.
func (h *history) ask(ctx context.Context, holder string) (bool, error) {
	l := &h.lease
	if len(h.keys) == 0 { // nobody could find the result again
		l.free = true
		return true, nil
	}
	key := h.mark()
	granted, err := h.c.remembers.lease(ctx, slices.Concat([]string{key}, h.keys), holder, h.c.leaseTime)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		l.free = true
	case granted:
		l.holder, l.key, l.stop = holder, key, h.renew(ctx, key, holder)
	}
	return granted || l.free, nil
}

// renew renews the lease until the returned function is called.
func (h *history) renew(ctx context.Context, key, holder string) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(h.c.leaseTime / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if held, err := h.c.remembers.renew(ctx, key, holder, h.c.leaseTime); err == nil && !held {
					return // KeepLeased will say so
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// drop releases the lease, if there is one.
func (h *history) drop(ctx context.Context) {
	l := &h.lease
	if l.holder == "" {
		return
	}
	l.stop()
	h.c.remembers.release(context.WithoutCancel(ctx), l.key, l.holder)
	l.holder = ""
}

// lost notes that another replica may have compacted the history meanwhile.
func (h *history) lost(ctx context.Context) {
	h.drop(ctx)
	h.lease.lost++
	h.lease.free = h.lease.lost >= maxLost
}
