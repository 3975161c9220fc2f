package digest

import "unicode/utf8"

// starts are the first two bytes of fixed beginnings of texts, whatever their case, as a set of hashes: most texts that begin with none of
// them can be excluded by it alone. Of letters that are not ASCII and may have a case it knows only that one is first.
type starts [4]uint64

// startsOf are the starts of some lists of beginnings.
func startsOf(lists ...[]string) (s starts) {
	for _, list := range lists {
		for _, text := range list {
			s.add(text)
		}
	}
	return s
}

// add adds a beginning of at least two bytes.
func (s *starts) add(text string) {
	at := startOf(text)
	s[at/64] |= 1 << (at % 64)
}

// caselessLead is the first lead byte of scripts whose letters have no case.
const caselessLead = 0xd7

// startOf is the hash of the first two bytes of a text of at least two.
func startOf(text string) uint {
	switch c := text[0]; {
	case c >= caselessLead:
		return (uint(c)*37 + uint(text[1])) % 256
	case c >= utf8.RuneSelf:
		return utf8.RuneSelf
	}
	return (uint(text[0]|0x20)*37 + uint(text[1]|0x20)) % 256
}

// may reports whether a text may begin with one of the beginnings, in any case.
func (s *starts) may(text string) bool {
	if len(text) < 2 || text[0] < utf8.RuneSelf && text[1] >= utf8.RuneSelf {
		return true
	}
	at := startOf(text)
	return s[at/64]>>(at%64)&1 != 0
}
