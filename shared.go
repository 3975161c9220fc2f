package ctxfold

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// SharedRecords are [Records] for replicas: programs of which any may be asked about any conversation, and may die at any time. A lease
// keeps two replicas from compacting one conversation at the same time, and a record is only kept by the one that still has the lease, so
// that a replica which was suspended for long cannot replace what another has made meanwhile.
//
// [MemoryRecords] and [DirRecords] are SharedRecords, as are those of the modules host/redis and host/postgres. Calls fail with an error
// when the store cannot be reached; [Compactor.Fit] then continues without it.
type SharedRecords interface {
	Records

	// Lease leases keys[0] to holder, from now on for ttl, unless another holder has a lease on one of keys. It reports whether the
	// lease was granted. Of two calls with the same keys[0] at the same time at most one is granted.
	Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (bool, error)

	// Renew makes the lease end ttl from now. It reports false where holder has no lease on key: it has expired, or was released.
	Renew(ctx context.Context, key, holder string, ttl time.Duration) (bool, error)

	// Release ends the lease, if holder has one on key.
	Release(ctx context.Context, key, holder string) error

	// KeepLeased is Keep, if holder has the lease on key: the check and the change are one step, which no other call comes between. It
	// reports whether it has kept the record. The lease continues.
	KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (bool, error)
}

// What counts for [SharedRecords] where [Options] do not say otherwise.
const (
	// DefaultRecordsTimeout is how long one call of [Records] may take.
	DefaultRecordsTimeout = 2 * time.Second
	// DefaultLease is how long a lease lasts that is not renewed.
	DefaultLease = 15 * time.Second
)

// Why a call of Fit begins again.
var (
	errNoLease   = errors.New("a compaction is due, and takes a lease")
	errLeaseLost = errors.New("the lease ended during a compaction")
)

// maxLost is how often a call of Fit loses its lease before it keeps nothing any more.
const maxLost = 3

// The times between two tries to get a lease.
const (
	firstPoll   = 5 * time.Millisecond
	longestPoll = 200 * time.Millisecond
)

// lease is what a call of Fit needs to compact a history.
type lease struct {
	holder string // "" while there is none
	stop   func() // ends its renewal
	lost   int
	// free says that none is needed: the records have none, or have failed.
	free bool
}

// may reports whether a compaction may be made now.
func (l *lease) may() bool { return l.free || l.holder != "" }

// take waits until it has the lease on the history. The only error is that of ctx: where the records fail, it continues without a lease,
// which costs another compaction at the worst.
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

// ask asks once for the lease on the history, and reports whether a compaction may be made now.
func (h *history) ask(ctx context.Context, holder string) (bool, error) {
	l := &h.lease
	if len(h.keys) == 0 { // nothing that anybody could find again
		l.free = true
		return true, nil
	}
	granted, err := h.c.remembers.lease(ctx, h.keys, holder, h.c.leaseTime)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		l.free = true
	case granted:
		l.holder, l.stop = holder, h.renew(ctx, holder)
	}
	return granted || l.free, nil
}

// renew renews the lease until the function is called that it returns.
func (h *history) renew(ctx context.Context, holder string) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(h.c.leaseTime / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if held, err := h.c.remembers.renew(ctx, h.keys[0], holder, h.c.leaseTime); err == nil && !held {
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

// drop gives the lease back, if there is one.
func (h *history) drop(ctx context.Context) {
	l := &h.lease
	if l.holder == "" {
		return
	}
	l.stop()
	h.c.remembers.release(context.WithoutCancel(ctx), h.keys[0], l.holder)
	l.holder = ""
}

// lost notes that another replica may have compacted the history meanwhile.
func (h *history) lost(ctx context.Context) {
	h.drop(ctx)
	h.lease.lost++
	h.lease.free = h.lease.lost >= maxLost
}
