package ctxfold

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// remembers is how a Compactor uses its Records: each call has a time limit, and failing shared records are left alone for a moment while
// this process continues with what it knows.
type remembers struct {
	records Records
	shared  SharedRecords  // nil if replicas can't share them
	near    *MemoryRecords // what this process found in and wrote to shared records; nil if those are in memory anyway
	timeout time.Duration
	log     *slog.Logger
	metrics Metrics

	mu sync.Mutex
	up time.Time // when failing records are called again
}

const (
	// nearSize is how many bytes of shared records a process keeps for the time when they fail.
	nearSize = DefaultRecords / 4
	// recordsPause is how long failing shared records are left alone. Then one call finds out whether they are back.
	recordsPause = 3 * time.Second
)

var errPausing = errors.New("the records failed just now")

func newRemembers(o Options) *remembers {
	r := &remembers{records: o.Records, timeout: o.RecordsTimeout, log: o.Logger, metrics: o.Metrics}
	r.shared, _ = o.Records.(SharedRecords)
	if _, here := o.Records.(*MemoryRecords); r.shared != nil && !here {
		r.near = NewMemoryRecords(nearSize)
	}
	return r
}

// found is the result of a search.
type found struct {
	record []byte
	at     int
}

// find is Records.Find. If this process knows of more messages than the records do, that comes first: they lost it, or couldn't be reached
// when it was made.
func (r *remembers) find(ctx context.Context, keys []string) (record []byte, at int, err error) {
	f, err := call(ctx, r, "find", func(ctx context.Context) (f found, err error) {
		f.record, f.at, err = r.records.Find(ctx, keys)
		return f, err
	})
	record, at = f.record, f.at
	if r.near == nil || ctx.Err() != nil {
		return record, at, err
	}
	longer := keys
	if record != nil {
		longer = keys[:at]
	}
	if known, n, _ := r.near.Find(ctx, longer); known != nil {
		if err == nil {
			_ = r.keep(ctx, keys[n:n+1], known)
		}
		return known, n, nil
	}
	if record != nil {
		if known, _, _ := r.near.Find(ctx, keys[at:at+1]); !bytes.Equal(known, record) {
			_ = r.near.Keep(ctx, keys[at:at+1], record)
		}
	}
	return record, at, nil
}

// keep is Records.Keep.
func (r *remembers) keep(ctx context.Context, keys []string, record []byte) error {
	_, err := call(ctx, r, "keep", func(ctx context.Context) (bool, error) { return true, r.records.Keep(ctx, keys, record) })
	if r.near != nil {
		_ = r.near.Keep(ctx, keys, record)
	}
	return err
}

// keepLeased is SharedRecords.KeepLeased. If they fail, this process at least keeps the record.
func (r *remembers) keepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (kept bool) {
	kept, err := call(ctx, r, "keep", func(ctx context.Context) (bool, error) {
		return r.shared.KeepLeased(ctx, key, holder, keys, record)
	})
	if err == nil && !kept {
		return false
	}
	if r.near != nil {
		_ = r.near.Keep(ctx, keys, record)
	}
	return true
}

func (r *remembers) lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (granted bool, err error) {
	return call(ctx, r, "lease", func(ctx context.Context) (bool, error) { return r.shared.Lease(ctx, keys, holder, ttl) })
}

func (r *remembers) renew(ctx context.Context, key, holder string, ttl time.Duration) (held bool, err error) {
	return call(ctx, r, "renew", func(ctx context.Context) (bool, error) { return r.shared.Renew(ctx, key, holder, ttl) })
}

func (r *remembers) release(ctx context.Context, key, holder string) {
	// A lease that cannot be released expires.
	_, _ = call(ctx, r, "release", func(ctx context.Context) (bool, error) { return true, r.shared.Release(ctx, key, holder) })
}

// call makes one call, and abandons it if it takes too long.
func call[T any](ctx context.Context, r *remembers, op string, do func(context.Context) (T, error)) (answer T, err error) {
	if !r.open() {
		return answer, errPausing
	}
	start, limited := time.Now(), ctx
	if r.timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, r.timeout, fmt.Errorf("it took longer than %v", r.timeout))
		defer cancel()
	}
	var got T // may only be read if guard returns no error
	err = guard(limited, func() (err error) {
		got, err = do(limited)
		return err
	})
	switch {
	case err == nil:
		answer = got
	case ctx.Err() != nil:
		return answer, ctx.Err()
	case limited.Err() != nil:
		err = context.Cause(limited)
	}
	r.metrics.Records(RecordsCall{Op: op, Failed: err != nil, Took: time.Since(start)})
	r.note(op, err)
	return answer, err
}

// note notes whether a call failed.
func (r *remembers) note(op string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.up = time.Time{}
		return
	}
	r.log.Warn("ctxfold: the records failed", "op", op, "error", err)
	if r.shared != nil {
		r.up = time.Now().Add(recordsPause)
	}
}

// open reports whether the records may be called. While they fail, one call in a while may.
func (r *remembers) open() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.up.IsZero() {
		return true
	}
	now := time.Now()
	if now.Before(r.up) {
		return false
	}
	r.up = now.Add(max(recordsPause, r.timeout))
	return true
}
