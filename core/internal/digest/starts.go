package digest

import (
	"strings"
	"unicode/utf8"
)

// starts is a set of hashes of the first two bytes of fixed prefixes, ignoring case. It quickly excludes most texts
// that begin with none of the prefixes. If a prefix begins with a non-ASCII letter in a script with case, it can't
// exclude texts that begin with any such letter.
type starts [4]uint64

// startsOf returns the starts of all prefixes in the given lists.
func startsOf(lists ...[]string) (s starts) {
	for _, list := range lists {
		for _, text := range list {
			s.add(text)
		}
	}
	return s
}

// add adds a prefix of at least two bytes.
func (s *starts) add(text string) {
	at := startOf(text)
	s[at/64] |= 1 << (at % 64)
}

// caselessLead is the first lead byte of scripts whose letters have no case.
const caselessLead = 0xd7

// startOf returns the hash of the first two bytes of text, which has at least two.
func startOf(text string) uint {
	switch c := text[0]; {
	case c >= caselessLead:
		return (uint(c)*37 + uint(text[1])) % 256
	case c >= utf8.RuneSelf:
		return utf8.RuneSelf
	}
	return (uint(text[0]|0x20)*37 + uint(text[1]|0x20)) % 256
}

// may reports whether text may begin with one of the prefixes, in any case.
func (s *starts) may(text string) bool {
	if len(text) < 2 || text[0] < utf8.RuneSelf && text[1] >= utf8.RuneSelf {
		return true
	}
	at := startOf(text)
	return s[at/64]>>(at%64)&1 != 0
}

// mayOpen is like may for a JSON string, whose bytes include the quotes. It also returns true if
// the string begins with white space, an escape or a non-ASCII byte.
func (s *starts) mayOpen(raw []byte) bool {
	const plain = 4 // two bytes of text between quotes
	if len(raw) < plain || raw[1] <= ' ' || raw[1] >= utf8.RuneSelf || raw[1] == '\\' || raw[2] == '\\' {
		return true
	}
	return s.may(string(raw[1:3]))
}

// startsWithAny reports whether text begins with one of the given prefixes.
func startsWithAny(text string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
