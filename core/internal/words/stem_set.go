package words

// StemSet is a growing set of the stems of words. The zero value and nil are empty sets.
type StemSet struct {
	// A hash table whose size is a power of two, at most half full; each stem is in the slot of its upper bits after
	// mixing, or in one of the next slots. 0 marks an empty slot.
	slots []uint32
	size  int
	room  []Word // a buffer for the words of a text
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
		s.put(s.room[i].Stem)
	}
}

// leastSlots is the number of slots of the smallest table.
const leastSlots = 64

// put adds a stem.
func (s *StemSet) put(stem uint32) {
	if 2*s.size >= len(s.slots) {
		old := s.slots
		s.slots, s.size = make([]uint32, max(leastSlots, 2*len(old))), 0
		for _, stem := range old {
			if stem != 0 {
				s.put(stem)
			}
		}
	}
	if at := s.place(stem); at >= 0 && s.slots[at] == 0 && stem != 0 {
		s.slots[at] = stem
		s.size++
	}
}

// mostProbes is the maximum number of slots that are examined for a stem. Anybody can write words whose stems collide;
// those that find no slot are left out.
const mostProbes = 64

// place returns the slot that contains a stem, or the empty slot where it belongs; -1 if there is none.
func (s *StemSet) place(stem uint32) int {
	mask := len(s.slots) - 1
	at := int(stem*0x9e3779b1>>7) & mask
	for range mostProbes {
		if s.slots[at] == stem || s.slots[at] == 0 {
			return at
		}
		at = (at + 1) & mask
	}
	return -1
}

// Has reports whether the set contains a stem.
func (s *StemSet) Has(stem uint32) bool {
	if s == nil || s.size == 0 {
		return false
	}
	at := s.place(stem)
	return at >= 0 && s.slots[at] == stem && stem != 0
}
