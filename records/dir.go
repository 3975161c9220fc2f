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

// Dir stores [Shared] records in a directory, with one file for each key of a record and one for each lease. Several
// programs may use a directory at the same time, on one machine or on machines whose clocks agree and whose file system
// supports locks. Records outlive the programs.
type Dir struct {
	dir     string // the path of the directory
	max     int64  // the maximum size of the records in bytes; 0 means no limit
	mu      sync.Mutex
	written int64 // bytes since the last scan of the directory

	section sync.Mutex   // serializes the calls of this program
	process string       // the file that this program keeps locked while it runs; "" before its first lease
	unlock  func() error // releases that lock
}

// NewDir returns a Dir that stores about max bytes; 0 means no limit. It creates the directory if needed (0700). If max
// is exceeded, the least recently used records are removed.
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

// Find returns the content of the first existing file, in the order of the keys. The int is the index of its key.
// Without such a file, the record is nil.
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
			_ = os.Chtimes(path, now, now) // without it, the record would be removed sooner
		}
		return record, i, nil
	}
	return nil, 0, nil
}

// Keep writes a file for each key, under a temporary name first, so that readers never see part of
// a record. If it returns an error, some of the files may have been written.
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

// trim removes files that killed programs left behind. If the size is limited, it also removes the oldest files until
// an eighth of it is free.
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
			_ = os.Remove(filepath.Join(d.dir, e.Name())) // a killed program left it
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

// A lease file contains the holder, the end of the lease in nanoseconds since 1970, and the holder's program. It may
// only be read or changed while the directory's lock is held. Each program keeps a file locked while it runs. The
// system releases the lock if the program dies, so nobody waits for its leases.
const (
	leaseSuffix   = ".lease"
	processSuffix = ".alive"
	lockName      = "lock"
)

// Lease implements [Shared.Lease], with a file per lease. It returns false if somebody else has a lease on one of the
// keys.
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

// Renew implements [Shared.Renew]. It rewrites the file of the lease. It returns false if the holder no longer has the
// lease.
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

// Release implements [Shared.Release]. It removes the file of the lease. If another holder has the lease, nothing
// changes.
func (d *Dir) Release(ctx context.Context, key, holder string) error {
	return d.locked(ctx, func() error {
		l, err := d.leased(key)
		if err != nil || l.holder != holder {
			return err
		}
		return os.Remove(d.leasePath(key))
	})
}

// KeepLeased implements [Shared.KeepLeased]. It writes the record while no other program can take the lease. It returns
// false, and writes nothing, if the holder no longer has the lease.
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

// leased reads the file of a key's lease. An incomplete file is ignored, because the program that wrote it was killed.
// Without a file, it returns the zero lease.
func (d *Dir) leased(key string) (l leased, err error) {
	text, err := os.ReadFile(d.leasePath(key))
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	// The holder comes first and may contain spaces.
	rest, process, ok := cutLast(string(text), " ")
	holder, until, ok2 := cutLast(rest, " ")
	n, err := strconv.ParseInt(until, 10, 64)
	if !ok || !ok2 || err != nil {
		return l, nil
	}
	return leased{holder, time.Unix(0, n), process}, nil
}

// cutLast is like strings.Cut, but cuts at the last separator. Without a separator, before is s, and found is false.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func (d *Dir) write(key string, l leased) error {
	return files.Replace(d.leasePath(key), fmt.Appendf(nil, "%s %d %s", l.holder, l.until.UnixNano(), d.process), false)
}

// live locks the file that shows that this program runs, unless it is locked already. Other programs can lock it once
// this one has died, even if it was killed.
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

// isDead reports whether the program that owns a file has died. process is the name of the file that the program locks
// while it runs.
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

// lockPoll is the time between two attempts to get the lock, which is held only while a few small files are read or
// written.
const lockPoll = time.Millisecond

// locked holds the lock of the directory while it calls the function do. Only one goroutine of one program can hold the
// lock at a time. It returns an error if ctx ends before the lock is free, or if do does.
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
