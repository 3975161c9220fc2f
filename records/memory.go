package records

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"
)

// Memory stores [Shared] records in memory.
type Memory struct {
	max    int // the maximum of size; 0 means no limit
	mu     sync.Mutex
	size   int                      // the total size of the records, in bytes
	byKey  map[string]*list.Element // the elements of order
	order  *list.List               // of *memoryRecord, most recently used first
	leases map[string]leased        // by key
}

type memoryRecord struct {
	key    string
	record []byte
}

func (r *memoryRecord) size() int { return len(r.key) + len(r.record) }

// NewMemory returns a Memory that stores at most max bytes; 0 means no limit. If max is exceeded, the least recently
// used records are removed.
func NewMemory(max int) *Memory {
	return &Memory{max: max, byKey: map[string]*list.Element{}, order: list.New(), leases: map[string]leased{}}
}

// Find returns the record of the first key that has one. The int is the index of its key. Without such a record, it
// returns nil. It never fails.
func (m *Memory) Find(_ context.Context, keys []string) ([]byte, int, error) {
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

// Keep stores a record under each of the keys. If the limit is exceeded, the least recently used records are removed.
// It never fails.
func (m *Memory) Keep(_ context.Context, keys []string, record []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(keys, record)
	return nil
}

func (m *Memory) keep(keys []string, record []byte) {
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

func (m *Memory) remove(e *list.Element) {
	r := m.order.Remove(e).(*memoryRecord)
	delete(m.byKey, r.key)
	m.size -= r.size()
}

// leased is a lease in a Memory or a Dir.
type leased struct {
	holder  string    // identifies who has the lease; "" if it is free
	until   time.Time // when it expires
	process string    // the holder's program; only in a directory
}

func (l leased) by(holder string, now time.Time) bool {
	return l.holder == holder && now.Before(l.until)
}

func (l leased) byAnother(holder string, now time.Time) bool {
	return l.holder != holder && now.Before(l.until)
}

// Lease implements [Shared.Lease]. It never fails. It returns false if somebody else has a lease on one of the keys.
func (m *Memory) Lease(_ context.Context, keys []string, holder string, ttl time.Duration) (bool, error) {
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

// holds reports whether a holder has the lease on a key.
func (m *Memory) holds(key, holder string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leases[key].by(holder, time.Now())
}

// Renew implements [Shared.Renew]. It never fails. It returns false if the holder no longer has the lease.
func (m *Memory) Renew(_ context.Context, key, holder string, ttl time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if !m.leases[key].by(holder, now) {
		return false, nil
	}
	m.leases[key] = leased{holder: holder, until: now.Add(ttl)}
	return true, nil
}

// Release implements [Shared.Release]. It never fails. If another holder has the lease, nothing changes.
func (m *Memory) Release(_ context.Context, key, holder string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leases[key].holder == holder {
		delete(m.leases, key)
	}
	return nil
}

// KeepLeased implements [Shared.KeepLeased]. It never fails. It returns false, and stores nothing, if the holder no
// longer has the lease.
func (m *Memory) KeepLeased(_ context.Context, key, holder string, keys []string, record []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.leases[key].by(holder, time.Now()) {
		return false, nil
	}
	m.keep(keys, record)
	return true, nil
}
