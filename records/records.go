// Package records contains backends for the compactions that [github.com/ctxfold/ctxfold.Compactor.Fit] remembers, with leases that keep
// programs that share them from compacting a conversation twice. A program chooses one as Options.Records, or implements [Records] or
// [Shared] over its own database.
//
// The module decides what a record contains, for all languages alike (docs/inside/loop.md).
package records

import (
	"context"
	"time"
)

// Records keep what Compactor.Fit has compacted, by keys of 64 hexadecimal digits. Losing a record costs one compaction and nothing else,
// so an implementation may delete records that haven't been used for long. Its methods may be called from any number of goroutines.
//
// A record contains text of the conversation: store it as you store conversations.
type Records interface {
	// Find tries one key after the other. It returns the first record that it has and the index of its key, or nil if there is none. The
	// record must not be modified.
	Find(ctx context.Context, keys []string) (record []byte, at int, err error)

	// Keep stores a record under each of these keys. Readers of a key see either the old record or the new one, whatever happens in between.
	// A record can have more than a megabyte.
	Keep(ctx context.Context, keys []string, record []byte) error
}

// Shared is a [Records] for replicas: programs that all serve any conversation and may die at any
// time. A lease keeps two replicas from compacting one conversation at the same time. Only the
// holder of the lease can store a record, so a replica that was suspended can't replace what
// another one has stored in the meantime.
//
// [Memory] and [Dir] are Shared, and so are those of the modules host/redis and host/postgres. Calls fail with an error
// if the backend can't be reached; Compactor.Fit then continues without it.
type Shared interface {
	Records

	// Lease leases keys[0] to holder for ttl from now, unless another holder has a lease on one of keys. It reports whether the lease was
	// granted. Of two simultaneous calls with the same keys[0], at most one is granted.
	Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (bool, error)

	// Renew makes the lease end ttl from now. It returns false if holder has no lease on key, because the lease has expired or was
	// released.
	Renew(ctx context.Context, key, holder string, ttl time.Duration) (bool, error)

	// Release ends the lease if holder has one on key.
	Release(ctx context.Context, key, holder string) error

	// KeepLeased works like Keep, provided that holder has the lease on key. Check and change must be atomic. It
	// reports whether it stored the record. The lease continues.
	KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (bool, error)
}
