package proxy

import (
	"container/list"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Records keeps what the proxy knows of conversations, by keys of 64 hexadecimal digits. Its methods may be called from any
// number of goroutines. Losing a record costs a compaction, nothing else.
type Records interface {
	// Load returns nil where there is no record.
	Load(ctx context.Context, key string) ([]byte, error)
	// Save must leave either the old record or the new one, whatever happens in between.
	Save(ctx context.Context, key string, record []byte) error
}

// MemoryRecords are [Records] in memory. When there are too many, those that were not used for the longest time go.
type MemoryRecords struct {
	max     int
	mu      sync.Mutex
	entries map[string]*list.Element
	order   *list.List // of memoryRecord, the newest first
}

type memoryRecord struct {
	key    string
	record []byte
}

// NewMemoryRecords makes MemoryRecords for at most max conversations.
func NewMemoryRecords(max int) *MemoryRecords {
	return &MemoryRecords{max: max, entries: map[string]*list.Element{}, order: list.New()}
}

// Load returns a record, which must not be modified.
func (m *MemoryRecords) Load(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	if !ok {
		return nil, nil
	}
	m.order.MoveToFront(e)
	return e.Value.(memoryRecord).record, nil
}

// Save keeps a record.
func (m *MemoryRecords) Save(_ context.Context, key string, record []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[key]; ok {
		m.order.Remove(e)
	}
	m.entries[key] = m.order.PushFront(memoryRecord{key, record})
	if m.order.Len() > m.max {
		oldest := m.order.Back()
		delete(m.entries, m.order.Remove(oldest).(memoryRecord).key)
	}
	return nil
}

// DirRecords are [Records] in a directory: a file for each conversation. Several proxies may use one directory.
type DirRecords struct{ dir string }

// NewDirRecords makes DirRecords, and the directory where there is none yet (0700: conversations are in it).
func NewDirRecords(dir string) (*DirRecords, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &DirRecords{dir}, nil
}

// Load reads a file.
func (d *DirRecords) Load(_ context.Context, key string) ([]byte, error) {
	text, err := os.ReadFile(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Save writes a file under another name and renames it then.
func (d *DirRecords) Save(_ context.Context, key string, record []byte) error {
	f, err := os.CreateTemp(d.dir, "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(record)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), d.path(key))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func (d *DirRecords) path(key string) string { return filepath.Join(d.dir, key+".json") }

// locks makes the requests of one conversation wait for each other, so that it is not compacted twice.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	sync.Mutex
	users int
}

func (l *locks) lock(key string) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*lock{}
	}
	k := l.held[key]
	if k == nil {
		k = &lock{}
		l.held[key] = k
	}
	k.users++
	l.mu.Unlock()
	k.Lock()
}

func (l *locks) unlock(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.held[key]
	k.Unlock()
	if k.users--; k.users == 0 {
		delete(l.held, key)
	}
}
