package ctxfold

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Records store what [Compactor.Fit] has compacted, by keys of 64 hexadecimal digits. Losing a record costs one compaction and nothing else,
// so an implementation may forget what wasn't used for long. Its methods may be called from any number of goroutines.
//
// A record contains text of the conversation: store it as you store conversations.
type Records interface {
	// Find tries one key after the other. It returns the first record that it has and the index of its key, or nil if there is none. The
	// record must not be modified.
	Find(ctx context.Context, keys []string) (record []byte, at int, err error)

	// Keep stores a record under each of these keys. Readers of a key see either the old record or the new one, whatever happens in between.
	Keep(ctx context.Context, keys []string, record []byte) error
}

// MemoryRecords are [SharedRecords] in memory.
type MemoryRecords struct {
	max    int
	mu     sync.Mutex
	size   int
	byKey  map[string]*list.Element
	order  *list.List // of *memoryRecord, most recently used first
	leases map[string]leased
}

type memoryRecord struct {
	key    string
	record []byte
}

func (r *memoryRecord) size() int { return len(r.key) + len(r.record) }

// NewMemoryRecords returns MemoryRecords of at most max bytes; 0 means no limit. If that is too little, the least recently used records go
// first.
func NewMemoryRecords(max int) *MemoryRecords {
	return &MemoryRecords{max: max, byKey: map[string]*list.Element{}, order: list.New(), leases: map[string]leased{}}
}

// Find returns the record of the first key that has one.
func (m *MemoryRecords) Find(_ context.Context, keys []string) ([]byte, int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.byKey) == 0 {
		return nil, 0, nil
	}
	for i, key := range keys {
		if e, ok := m.byKey[key]; ok {
			m.order.MoveToFront(e)
			return e.Value.(*memoryRecord).record, i, nil
		}
	}
	return nil, 0, nil
}

// Keep keeps a record.
func (m *MemoryRecords) Keep(_ context.Context, keys []string, record []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(keys, record)
	return nil
}

func (m *MemoryRecords) keep(keys []string, record []byte) {
	record = slices.Clone(record)
	for _, key := range keys {
		if e, ok := m.byKey[key]; ok {
			m.remove(e)
		}
		r := &memoryRecord{key, record}
		m.byKey[key] = m.order.PushFront(r)
		m.size += r.size()
	}
	for m.max > 0 && m.size > m.max && m.order.Len() > 0 {
		m.remove(m.order.Back())
	}
}

func (m *MemoryRecords) remove(e *list.Element) {
	r := m.order.Remove(e).(*memoryRecord)
	delete(m.byKey, r.key)
	m.size -= r.size()
}

// DirRecords are [SharedRecords] in a directory, with a file per record and per lease. Several programs may use one directory at the same
// time, on one machine or on machines whose clocks agree and whose file system has locks, and a later program can continue the
// conversations.
type DirRecords struct {
	dir     string
	max     int64
	mu      sync.Mutex
	written int64 // since the directory was last scanned

	section sync.Mutex   // held for what only one call at a time may do, even in this program
	process string       // names the file that this program locks while it lives; "" before its first lease
	unlock  func() error // keeps that file open
}

// NewDirRecords returns DirRecords of about max bytes; 0 means no limit. It creates the directory if needed (0700). If max is too little,
// the least recently used records go first.
func NewDirRecords(dir string, max int64) (*DirRecords, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("ctxfold: opening the records: %w", err)
	}
	d := &DirRecords{dir: dir, max: max}
	if err := d.trim(); err != nil {
		return nil, fmt.Errorf("ctxfold: opening the records: %w", err)
	}
	return d, nil
}

// touched is how old the time of a file may get before a use renews it.
const touched = time.Hour

// Find reads the file of the first key that has one.
func (d *DirRecords) Find(_ context.Context, keys []string) ([]byte, int, error) {
	for i, key := range keys {
		path := d.path(key)
		record, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > touched {
			now := time.Now()
			_ = os.Chtimes(path, now, now) // a record that looks old goes sooner; nothing else depends on it
		}
		return record, i, nil
	}
	return nil, 0, nil
}

// Keep writes a file per key, under a temporary name first.
func (d *DirRecords) Keep(_ context.Context, keys []string, record []byte) error {
	for _, key := range keys {
		if err := replaceFile(d.dir, d.path(key), record); err != nil {
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

func (d *DirRecords) path(key string) string { return filepath.Join(d.dir, key+recordSuffix) }

const (
	recordSuffix = ".json"
	newPrefix    = "new-"
)

// trim removes what killed programs have left, and the oldest files until an eighth of the bytes is free, if they are bounded.
func (d *DirRecords) trim() error {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	var size int64
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case filepath.Ext(e.Name()) == recordSuffix:
			files = append(files, info)
			size += info.Size()
		case (unfinished(e.Name()) || filepath.Ext(e.Name()) == leaseSuffix || d.isDead(e.Name())) && time.Since(info.ModTime()) > touched:
			_ = os.Remove(filepath.Join(d.dir, e.Name())) // a program was killed while it wrote this, or while it had the lease
		}
	}
	if d.max <= 0 || size <= d.max {
		return nil
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
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

// unfinished reports whether a file has the name under which this package and the one for Python write one before it gets its own.
func unfinished(name string) bool {
	random, found := strings.CutPrefix(name, newPrefix)
	return found && random != "" && strings.Trim(random, "0123456789abcdefghijklmnopqrstuvwxyz_") == ""
}

// removeUnfinished removes the files that were left by programs that were killed while they wrote them.
func removeUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !unfinished(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > touched {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// replaceFile leaves either the old file or the new one, whatever happens in between.
func replaceFile(dir, path string, text []byte) (err error) {
	f, err := os.CreateTemp(dir, newPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
