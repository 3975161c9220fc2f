package records

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ctxfold/ctxfold/internal/files"
)

// Dir are [Shared] records in a directory, with a file per record and per lease. Several programs may use one directory at the same
// time, on one machine or on machines whose clocks agree and whose file system has locks, and a later program can continue the
// conversations.
type Dir struct {
	dir     string
	max     int64
	mu      sync.Mutex
	written int64 // since the directory was last scanned

	section sync.Mutex   // held for what only one call at a time may do, even in this program
	process string       // names the file that this program locks while it lives; "" before its first lease
	unlock  func() error // keeps that file open
}

// NewDir returns Dir of about max bytes; 0 means no limit. It creates the directory if needed (0700). If max is too little,
// the least recently used records go first.
func NewDir(dir string, max int64) (*Dir, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("ctxfold: opening the records: %w", err)
	}
	d := &Dir{dir: dir, max: max}
	if err := d.trim(); err != nil {
		return nil, fmt.Errorf("ctxfold: opening the records: %w", err)
	}
	return d, nil
}

// Find reads the file of the first key that has one.
func (d *Dir) Find(_ context.Context, keys []string) ([]byte, int, error) {
	for i, key := range keys {
		path := d.path(key)
		record, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > files.Old {
			now := time.Now()
			_ = os.Chtimes(path, now, now) // a record that looks old goes sooner; nothing else depends on it
		}
		return record, i, nil
	}
	return nil, 0, nil
}

// Keep writes a file per key, under a temporary name first.
func (d *Dir) Keep(_ context.Context, keys []string, record []byte) error {
	for _, key := range keys {
		if err := files.Replace(d.path(key), record, false); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.written += int64(len(keys) * len(record)); d.max > 0 && d.written > d.max/8 {
		d.written = 0
		return d.trim()
	}
	return nil
}

func (d *Dir) path(key string) string { return filepath.Join(d.dir, key+recordSuffix) }

const recordSuffix = ".json"

// trim removes what killed programs have left, and the oldest files until an eighth of the bytes is free, if they are bounded.
func (d *Dir) trim() error {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	var list []fs.FileInfo
	var size int64
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case filepath.Ext(e.Name()) == recordSuffix:
			list = append(list, info)
			size += info.Size()
		case (files.Unfinished(e.Name()) || filepath.Ext(e.Name()) == leaseSuffix || d.isDead(e.Name())) && time.Since(info.ModTime()) > files.Old:
			_ = os.Remove(filepath.Join(d.dir, e.Name())) // a program was killed while it wrote this, or while it had the lease
		}
	}
	if d.max <= 0 || size <= d.max {
		return nil
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range list {
		if size <= d.max-d.max/8 {
			return nil
		}
		if err := os.Remove(filepath.Join(d.dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		size -= f.Size()
	}
	return nil
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
func (d *Dir) Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (granted bool, err error) {
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
func (d *Dir) Renew(ctx context.Context, key, holder string, ttl time.Duration) (held bool, err error) {
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
func (d *Dir) Release(ctx context.Context, key, holder string) error {
	return d.locked(ctx, func() error {
		l, err := d.leased(key)
		if err != nil || l.holder != holder {
			return err
		}
		return os.Remove(d.leasePath(key))
	})
}

// KeepLeased stores a record for the holder of a lease.
func (d *Dir) KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (kept bool, err error) {
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

func (d *Dir) leasePath(key string) string { return filepath.Join(d.dir, key+leaseSuffix) }

// leased reads a lease. A broken one counts as none: its writer was killed.
func (d *Dir) leased(key string) (l leased, err error) {
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

func (d *Dir) write(key string, l leased) error {
	return files.Replace(d.leasePath(key), fmt.Appendf(nil, "%s %d %s", l.holder, l.until.UnixNano(), d.process), false)
}

// live locks this program's file, unless it is locked already.
func (d *Dir) live() error {
	if d.process != "" {
		return nil
	}
	process := rand.Text() + processSuffix
	unlock, err := files.Lock(filepath.Join(d.dir, process))
	if err == nil {
		d.process, d.unlock = process, unlock
	}
	return err
}

// isDead reports whether a file belongs to a program that has died.
func (d *Dir) isDead(process string) bool {
	path := filepath.Join(d.dir, filepath.Base(process))
	if filepath.Ext(path) != processSuffix {
		return false
	}
	if _, err := os.Stat(path); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	unlock, err := files.Lock(path)
	return err == nil && unlock() == nil
}

// lockPoll is the time between two attempts to get the lock, which is held while a few small files are read or written.
const lockPoll = time.Millisecond

// locked calls do while it holds the lock of the directory.
func (d *Dir) locked(ctx context.Context, do func() error) error {
	for {
		unlock, err := files.Lock(filepath.Join(d.dir, lockName))
		if err == nil {
			d.section.Lock()
			defer d.section.Unlock()
			return errors.Join(do(), unlock())
		}
		if !errors.Is(err, files.ErrLocked) {
			return fmt.Errorf("ctxfold: locking the records: %w", err)
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
