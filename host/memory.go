package host

// pageSize is the unit in which a WebAssembly memory grows, in bytes.
const pageSize = 64 << 10

// memory is the linear memory of one instance. It remembers that it was refused to grow, because all that the module
// itself can do about that is trap.
type memory struct {
	bytes   []byte
	limit   uint64
	refused bool
}

func newMemory(capacity, limit uint64) *memory {
	return &memory{bytes: make([]byte, 0, min(capacity, limit)), limit: limit}
}

// Reallocate makes the memory size bytes large, or returns nil where that is over the limit.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = true
		return nil
	}
	if n := uint64(len(m.bytes)); size > n {
		m.bytes = append(m.bytes, make([]byte, size-n)...)
	}
	return m.bytes
}

// Free is called when the instance is closed.
func (m *memory) Free() { m.bytes = nil }
