// Package critbit is a string map that is immune to hash flooding.
//
// The module is started before it ships, so the seeds of Go's maps are public, and the author of a transcript could
// choose keys whose hashes collide. A crit-bit tree (D. J. Bernstein, https://cr.yp.to/critbit.html) hashes nothing: an
// operation visits at most as many nodes as the key has bits. The meaning of keys never enters this package.
package critbit

import "math/bits"

// Map is a crit-bit tree. The zero value is empty. Keys cannot be removed.
type Map[V any] struct {
	nodes  []node
	keys   []string
	values []V
	root   int32
}

// node separates the keys below it by one bit: the bit of mask in their byte at index at or, if mask is longer, whether
// they have that byte.
type node struct {
	at   uint32
	mask uint16
	// child is the index of a node or, if it is negative, ^child is the index of a key.
	child [2]int32
}

// longer is the mask of a bit that is set if the byte exists.
const longer = 0x100

func (n *node) side(key string) int {
	if int(n.at) < len(key) && (longer|uint16(key[n.at]))&n.mask != 0 {
		return 1
	}
	return 0
}

// Len returns the number of keys.
func (m *Map[V]) Len() int { return len(m.keys) }

// nearest returns the index of the key that shares the longest prefix with key. The map must not be empty.
func (m *Map[V]) nearest(key string) int32 {
	at := m.root
	for at >= 0 {
		n := &m.nodes[at]
		at = n.child[n.side(key)]
	}
	return ^at
}

// Get returns the value of a key, and whether there is one.
func (m *Map[V]) Get(key string) (value V, found bool) {
	if len(m.keys) == 0 {
		return value, false
	}
	if i := m.nearest(key); m.keys[i] == key {
		return m.values[i], true
	}
	return value, false
}

// Has reports whether the map contains a key.
func (m *Map[V]) Has(key string) bool {
	return len(m.keys) > 0 && m.keys[m.nearest(key)] == key
}

// At returns a pointer to the value of a key, which is valid until the next key is added. A new key has the zero value.
func (m *Map[V]) At(key string) *V {
	var zero V
	if len(m.keys) == 0 {
		m.root = m.leaf(key, zero)
		return &m.values[0]
	}
	near := m.nearest(key)
	other := m.keys[near]
	if other == key {
		return &m.values[near]
	}
	i := 0
	for i < len(key) && i < len(other) && key[i] == other[i] {
		i++
	}
	split := node{at: uint32(i), mask: longer}
	if i < len(key) && i < len(other) {
		split.mask = 1 << (bits.Len8(key[i]^other[i]) - 1)
	}
	at := &m.root
	for *at >= 0 {
		n := &m.nodes[*at]
		if n.at > split.at || n.at == split.at && n.mask < split.mask {
			break
		}
		at = &n.child[n.side(key)]
	}
	below, leaf := *at, m.leaf(key, zero)
	split.child[split.side(key)], split.child[1-split.side(key)] = leaf, below
	*at = int32(len(m.nodes))
	m.nodes = append(m.nodes, split)
	return &m.values[len(m.values)-1]
}

// Set sets the value of a key.
func (m *Map[V]) Set(key string, value V) { *m.At(key) = value }

// Add adds a key, for a map that is used as a set.
func (m *Map[V]) Add(key string) { m.At(key) }

func (m *Map[V]) leaf(key string, value V) int32 {
	m.keys, m.values = append(m.keys, key), append(m.values, value)
	return ^int32(len(m.keys) - 1)
}
