package critbit

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func same(t *testing.T, m *Map[int], want map[string]int) {
	t.Helper()
	if m.Len() != len(want) {
		t.Fatalf("%d keys, want %d", m.Len(), len(want))
	}
	for key, value := range want {
		if got, found := m.Get(key); !found || got != value || !m.Has(key) {
			t.Fatalf("%q: %d, %t, want %d", key, got, found, value)
		}
		for _, other := range []string{key + "\x00", key + "a", key[:len(key)/2] + "\xff", "x" + key} {
			if _, there := want[other]; there != m.Has(other) {
				t.Fatalf("%q: %t, want %t", other, m.Has(other), there)
			}
		}
	}
}

// A tree has the same content as a map, whatever the keys: short ones, prefixes of others, keys that end with zeros.
func TestMap(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var m Map[int]
		want := map[string]int{}
		letters := []string{"a", "ab", "\x00", "\xff", "é", "/", "src/", "0"}
		for i := range 200 {
			var b strings.Builder
			for range r.IntN(6) {
				b.WriteString(letters[r.IntN(len(letters))])
			}
			key := b.String()
			if r.IntN(2) == 0 {
				m.Set(key, i)
				want[key] = i
			} else {
				*m.At(key) += i
				want[key] += i
			}
		}
		same(t, &m, want)
	}
}

// hash is FNV-1a, a hash with a public seed, like that of the module's maps.
func hash(key string) uint32 {
	h := uint32(2166136261)
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return h
}

// Keys that are chosen to collide, or to make a deep tree, cost no more steps than they have bits, and few steps if
// they differ early. Steps are counted, because times vary from run to run.
func TestChosenKeys(t *testing.T) {
	shapes := map[string]struct {
		keys func() []string
		most int // steps
	}{
		"colliding hashes": {func() (keys []string) {
			for i := 0; len(keys) < 2000; i++ {
				if key := "call_" + strconv.Itoa(i); hash(key)&0x3ff == 7 {
					keys = append(keys, key)
				}
			}
			return keys
		}, 64},
		"in order": {func() (keys []string) {
			for i := range 20000 {
				keys = append(keys, strconv.Itoa(1000000+i))
			}
			return keys
		}, 64},
		"each a prefix of the next": {func() (keys []string) {
			for i := range 2000 {
				keys = append(keys, strings.Repeat("a", i))
			}
			return keys
		}, 2001},
	}
	for name, s := range shapes {
		var m Map[int]
		want := map[string]int{}
		for i, key := range s.keys() {
			m.Set(key, i)
			want[key] = i
		}
		same(t, &m, want)
		most := 0
		for key := range want {
			steps := 0
			for at := m.root; at >= 0; steps++ {
				n := &m.nodes[at]
				at = n.child[n.side(key)]
			}
			if steps > 9*len(key)+1 {
				t.Errorf("%s: %d steps to a key of %d bytes", name, steps, len(key))
			}
			most = max(most, steps)
		}
		if most > s.most {
			t.Errorf("%s: %d steps, want at most %d", name, most, s.most)
		}
	}
}
