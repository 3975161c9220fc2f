package ctxfold

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// leased is a lease of MemoryRecords or DirRecords.
type leased struct {
	holder  string
	until   time.Time
	process string // of a directory: the program of the holder
}

func (l leased) by(holder string, now time.Time) bool {
	return l.holder == holder && now.Before(l.until)
}

func (l leased) byAnother(holder string, now time.Time) bool {
	return l.holder != holder && now.Before(l.until)
}

// Lease leases the first key.
func (m *MemoryRecords) Lease(_ context.Context, keys []string, holder string, ttl time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for _, key := range keys {
		if m.leases[key].byAnother(holder, now) {
			return false, nil
		}
	}
	for key, l := range m.leases {
		if !now.Before(l.until) {
			delete(m.leases, key)
		}
	}
	m.leases[keys[0]] = leased{holder: holder, until: now.Add(ttl)}
	return true, nil
}

// Renew renews a lease.
func (m *MemoryRecords) Renew(_ context.Context, key, holder string, ttl time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if !m.leases[key].by(holder, now) {
		return false, nil
	}
	m.leases[key] = leased{holder: holder, until: now.Add(ttl)}
	return true, nil
}

// Release ends a lease.
func (m *MemoryRecords) Release(_ context.Context, key, holder string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leases[key].holder == holder {
		delete(m.leases, key)
	}
	return nil
}

// KeepLeased stores a record for the holder of a lease.
func (m *MemoryRecords) KeepLeased(_ context.Context, key, holder string, keys []string, record []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.leases[key].by(holder, time.Now()) {
		return false, nil
	}
	m.keep(keys, record)
	return true, nil
}

// Leases in a directory are files with the holder, the end of the lease in nanoseconds since 1970, and the holder's program. Only the owner
// of the directory's lock reads and changes them. Each program locks a file for as long as it lives: the system releases the lock of a
// program that dies, so nobody waits for its leases.
const (
	leaseSuffix   = ".lease"
	processSuffix = ".alive"
	lockName      = "lock"
)

// Lease leases the first key.
func (d *DirRecords) Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (granted bool, err error) {
	err = d.locked(ctx, func() error {
		if err := d.live(); err != nil {
			return err
		}
		now := time.Now()
		for _, key := range keys {
			l, err := d.leased(key)
			if err != nil || l.byAnother(holder, now) && (l.process == d.process || !d.isDead(l.process)) {
				return err
			}
		}
		granted = true
		return d.write(keys[0], leased{holder: holder, until: now.Add(ttl)})
	})
	return granted && err == nil, err
}

// Renew renews a lease.
func (d *DirRecords) Renew(ctx context.Context, key, holder string, ttl time.Duration) (held bool, err error) {
	err = d.locked(ctx, func() error {
		now := time.Now()
		l, err := d.leased(key)
		if err != nil || !l.by(holder, now) {
			return err
		}
		held = true
		return d.write(key, leased{holder: holder, until: now.Add(ttl)})
	})
	return held && err == nil, err
}

// Release ends a lease.
func (d *DirRecords) Release(ctx context.Context, key, holder string) error {
	return d.locked(ctx, func() error {
		l, err := d.leased(key)
		if err != nil || l.holder != holder {
			return err
		}
		return os.Remove(d.leasePath(key))
	})
}

// KeepLeased stores a record for the holder of a lease.
func (d *DirRecords) KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (kept bool, err error) {
	err = d.locked(ctx, func() error {
		l, err := d.leased(key)
		if err != nil || !l.by(holder, time.Now()) {
			return err
		}
		kept = true
		return d.Keep(ctx, keys, record)
	})
	return kept && err == nil, err
}

func (d *DirRecords) leasePath(key string) string { return filepath.Join(d.dir, key+leaseSuffix) }

// leased reads a lease. A broken one counts as none: its writer was killed.
func (d *DirRecords) leased(key string) (l leased, err error) {
	text, err := os.ReadFile(d.leasePath(key))
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	// The holder comes first and may have spaces in it.
	rest, process, ok := cutLast(string(text), " ")
	holder, until, ok2 := cutLast(rest, " ")
	n, err := strconv.ParseInt(until, 10, 64)
	if !ok || !ok2 || err != nil {
		return l, nil
	}
	return leased{holder, time.Unix(0, n), process}, nil
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func (d *DirRecords) write(key string, l leased) error {
	return replaceFile(d.dir, d.leasePath(key), fmt.Appendf(nil, "%s %d %s", l.holder, l.until.UnixNano(), d.process))
}

// live locks this program's file, unless it is locked already.
func (d *DirRecords) live() error {
	if d.process != "" {
		return nil
	}
	process := rand.Text() + processSuffix
	unlock, err := lockFile(filepath.Join(d.dir, process))
	if err == nil {
		d.process, d.unlock = process, unlock
	}
	return err
}

// isDead reports whether a file belongs to a program that has died.
func (d *DirRecords) isDead(process string) bool {
	path := filepath.Join(d.dir, filepath.Base(process))
	if filepath.Ext(path) != processSuffix {
		return false
	}
	if _, err := os.Stat(path); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	unlock, err := lockFile(path)
	return err == nil && unlock() == nil
}

// lockPoll is the time between two attempts to get the lock, which is held while a few small files are read or written.
const lockPoll = time.Millisecond

// locked calls do while it holds the lock of the directory.
func (d *DirRecords) locked(ctx context.Context, do func() error) error {
	for {
		unlock, err := lockFile(filepath.Join(d.dir, lockName))
		if err == nil {
			d.section.Lock()
			defer d.section.Unlock()
			return errors.Join(do(), unlock())
		}
		if !errors.Is(err, errLocked) {
			return fmt.Errorf("ctxfold: locking the records: %w", err)
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errLocked is the error of lockFile if somebody else has the lock.
var errLocked = errors.New("the file is locked")
