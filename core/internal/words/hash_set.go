package words

// HashSet is a growing set of 64-bit hashes. The zero value and nil are empty sets.
type HashSet struct {
	// A hash table whose size is a power of two, at most half full; each hash is in the slot of its upper bits after
	// mixing, or in one of the next slots. 0 marks an empty slot.
	slots []uint64
	size  int
}

// Hash64 returns the 64-bit FNV-1a hash of s, but never 0.
func Hash64[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return max(h, 1)
}

// leastSlots is the number of slots of the smallest table.
const leastSlots = 64

// Put adds a hash, which must not be 0. A hash that is in the set already changes nothing.
func (s *HashSet) Put(hash uint64) {
	if 2*s.size >= len(s.slots) {
		old := s.slots
		s.slots, s.size = make([]uint64, max(leastSlots, 2*len(old))), 0
		for _, hash := range old {
			if hash != 0 {
				s.Put(hash)
			}
		}
	}
	if at := s.slotOf(hash); at >= 0 && s.slots[at] == 0 {
		s.slots[at] = hash
		s.size++
	}
}

// mostProbes is the maximum number of slots that are examined for a hash. Anybody can write texts whose hashes collide;
// hashes that find no slot are left out.
const mostProbes = 64

// slotOf returns the slot that contains a hash, or the empty slot where it belongs; -1 if there is none.
func (s *HashSet) slotOf(hash uint64) int {
	mask := len(s.slots) - 1
	at := int(hash*0x9e3779b97f4a7c15>>33) & mask
	for range mostProbes {
		if s.slots[at] == hash || s.slots[at] == 0 {
			return at
		}
		at = (at + 1) & mask
	}
	return -1
}

// Has reports whether the set contains a hash, which must not be 0.
func (s *HashSet) Has(hash uint64) bool {
	if s == nil || s.size == 0 {
		return false
	}
	at := s.slotOf(hash)
	return at >= 0 && s.slots[at] == hash
}

// StemSet is a growing set of the stems of words. The zero value and nil are empty sets.
type StemSet struct {
	stems HashSet // the stems' hashes
	room  []Word  // a buffer for the words of a text
}

// StemsOf returns the stems of the words in texts.
func StemsOf(texts []string) *StemSet {
	s := new(StemSet)
	for _, text := range texts {
		s.Add(text)
	}
	return s
}

// Add adds the stems of the words in text.
func (s *StemSet) Add(text string) {
	s.room = Append(s.room[:0], text)
	for i := range s.room {
		s.stems.Put(uint64(s.room[i].Stem) + 1)
	}
}

// Has reports whether the set contains a stem.
func (s *StemSet) Has(stem uint32) bool { return s != nil && s.stems.Has(uint64(stem)+1) }
