package host

// pageSize is the size of a page of WebAssembly memory, in bytes.
const pageSize = 64 << 10

// memory is the linear memory of one instance. It records whether the limit has prevented it from
// growing: in that case the module can only trap, and the trap doesn't reveal the reason.
type memory struct {
	bytes   []byte
	limit   uint64
	refused bool
}

func newMemory(capacity, limit uint64) *memory {
	return &memory{bytes: make([]byte, 0, min(capacity, limit)), limit: limit}
}

// Reallocate grows the memory to size bytes, or returns nil if that is over the limit.
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

// Free releases the memory. wazero calls it when the instance is closed.
func (m *memory) Free() { m.bytes = nil }
