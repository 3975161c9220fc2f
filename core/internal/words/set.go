package words

// Set is a fixed set of up to 200 words by their stems. The zero value is empty.
type Set struct {
	stems [256]uint32 // each at its lower bits, or in the next free place
}

// NewSet returns the set of the words of a text.
func NewSet(text string) *Set {
	s := &Set{}
	for _, w := range Append(nil, text) {
		at := w.Stem % 256
		for s.stems[at] != 0 && s.stems[at] != w.Stem {
			at = (at + 1) % 256
		}
		s.stems[at] = w.Stem
	}
	return s
}

// Has reports whether the set has a stem.
func (s *Set) Has(stem uint32) bool {
	for at := stem % 256; s.stems[at] != 0; at = (at + 1) % 256 {
		if s.stems[at] == stem {
			return true
		}
	}
	return false
}
