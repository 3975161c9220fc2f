// Package critbit implements a string map that is immune to hash flooding.
//
// The module is initialized before it ships, so the seeds of Go's maps are public, and the author of a transcript could
// choose keys whose hashes collide. A crit-bit tree (D. J. Bernstein, https://cr.yp.to/critbit.html) needs no hashes:
// an operation visits at most as many nodes as the key has bits. The meaning of keys never enters this package.
package critbit

import "math/bits"

// Map is a crit-bit tree. The zero value is empty. Keys cannot be removed.
type Map[V any] struct {
	tree
	values []V // by the index of the key
}

// tree maps each key to its index in insertion order. It is not generic, so that the module contains its code only once
// instead of once per value type.
type tree struct {
	nodes []node   // the inner nodes
	keys  []string // in insertion order
	root  int32    // the root; see leaf
}

// node separates the keys below it by one bit: by the bit mask in the byte at index at or, if mask is longer, by
// whether the key has that byte at all.
type node struct {
	at   uint32 // index of a byte of the key
	mask uint16 // one bit of that byte, or longer
	// child holds the indexes of the two subtrees. An index is that of a node or, if negative, the complement (^) of a
	// key's index.
	child [2]int32
}

// longer is the mask of an additional bit, which is set if the byte exists.
const longer = 0x100

func (n *node) side(key string) int {
	if int(n.at) < len(key) && (longer|uint16(key[n.at]))&n.mask != 0 {
		return 1
	}
	return 0
}

// Len returns the number of keys.
func (t *tree) Len() int { return len(t.keys) }

// nearest returns the index of a key that shares the longest prefix with key. The tree must not be empty.
func (t *tree) nearest(key string) int {
	at := t.root
	for at >= 0 {
		n := &t.nodes[at]
		at = n.child[n.side(key)]
	}
	return int(^at)
}

// find returns the index of a key, or -1 if the tree doesn't contain it.
func (t *tree) find(key string) int {
	if len(t.keys) > 0 {
		if i := t.nearest(key); t.keys[i] == key {
			return i
		}
	}
	return -1
}

// Has reports whether the map contains a key.
func (t *tree) Has(key string) bool { return t.find(key) >= 0 }

// put returns the index of a key. It adds the key if the tree doesn't contain it. Indexes count from 0, in the order in
// which keys are added.
func (t *tree) put(key string) int {
	if len(t.keys) == 0 {
		t.root = t.leaf(key)
		return 0
	}
	near := t.nearest(key)
	other := t.keys[near]
	if other == key {
		return near
	}
	i := 0
	for i < len(key) && i < len(other) && key[i] == other[i] {
		i++
	}
	split := node{at: uint32(i), mask: longer}
	if i < len(key) && i < len(other) {
		split.mask = 1 << (bits.Len8(key[i]^other[i]) - 1)
	}
	at := &t.root
	for *at >= 0 {
		n := &t.nodes[*at]
		if n.at > split.at || n.at == split.at && n.mask < split.mask {
			break
		}
		at = &n.child[n.side(key)]
	}
	below, leaf := *at, t.leaf(key)
	split.child[split.side(key)], split.child[1-split.side(key)] = leaf, below
	*at = int32(len(t.nodes))
	t.nodes = append(t.nodes, split)
	return len(t.keys) - 1
}

func (t *tree) leaf(key string) int32 {
	t.keys = append(t.keys, key)
	return ^int32(len(t.keys) - 1)
}

// Get returns the value of a key. found is false if the map doesn't contain the key.
func (m *Map[V]) Get(key string) (value V, found bool) {
	if i := m.find(key); i >= 0 {
		return m.values[i], true
	}
	return value, false
}

// At returns a pointer to the value of a key. The pointer is valid until the next key is added. If the key is new, At
// adds it with the zero value.
func (m *Map[V]) At(key string) *V {
	i := m.put(key)
	if i == len(m.values) {
		var zero V
		m.values = append(m.values, zero)
	}
	return &m.values[i]
}

// Set sets the value of a key.
func (m *Map[V]) Set(key string, value V) { *m.At(key) = value }

// Add adds a key with the zero value if the map doesn't contain it, for a map that is used as a
// set.
func (m *Map[V]) Add(key string) { m.At(key) }
