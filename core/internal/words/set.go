package words

import (
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"
)

// Set is a fixed set of up to 200 words by their stems. Like a [Table] it is made at the first look-up.
type Set struct {
	text  string
	once  sync.Once
	stems Stems
}

// NewSet returns the set of the words of a text.
func NewSet(text string) *Set { return &Set{text: text} }

// Has reports whether the set has a stem.
func (s *Set) Has(stem uint32) bool { return s.Stems().Has(stem) }

// Stems returns the stems of the set, for many look-ups.
func (s *Set) Stems() *Stems {
	s.once.Do(func() {
		for _, w := range Append(nil, s.text) {
			at := w.Stem % 256
			for s.stems[at] != 0 && s.stems[at] != w.Stem {
				at = (at + 1) % 256
			}
			s.stems[at] = w.Stem
		}
	})
	return &s.stems
}

// Stems has each stem at its lower bits, or in the next free place.
type Stems [256]uint32

// Has reports whether a stem is among them.
func (s *Stems) Has(stem uint32) bool {
	for at := stem % 256; s[at] != 0; at = (at + 1) % 256 {
		if s[at] == stem {
			return true
		}
	}
	return false
}

// Exact is a fixed set of words as they are spelled, whatever their case: what tells "they" from "the", which share a stem. Like a [Table] it
// is made at the first look-up.
type Exact struct {
	text   string
	once   sync.Once
	hashes []uint32 // a power of two, at most half of it in use; each at its lower bits, or in the next free place
}

// NewExact returns the set of the words of a text, which have white space between them.
func NewExact(text string) *Exact { return &Exact{text: text} }

func (s *Exact) build() {
	list := strings.Fields(s.text)
	s.hashes = make([]uint32, 2<<bits.Len(uint(len(list))))
	for _, w := range list {
		h := folded(w)
		at := s.place(h)
		s.hashes[at] = h
	}
}

// Has reports whether the set has a word.
func (s *Exact) Has(word string) bool {
	s.once.Do(s.build)
	h := folded(word)
	return s.hashes[s.place(h)] == h
}

// place returns where a hash is, or would be.
func (s *Exact) place(h uint32) int {
	mask := len(s.hashes) - 1
	at := int(h) & mask
	for s.hashes[at] != 0 && s.hashes[at] != h {
		at = (at + 1) & mask
	}
	return at
}

// folded returns the hash of a word in lower case; never 0. Of a long word it is that of its beginning.
func folded(word string) uint32 {
	h := uint32(offset)
	for i := 0; i < min(len(word), longest); i++ {
		c := word[i]
		if c >= utf8.RuneSelf {
			return foldedRunes(word[:min(len(word), longest)])
		}
		if class[c] == upper {
			c |= 0x20
		}
		h = (h ^ uint32(c)) * prime
	}
	return h | 1
}

// foldedRunes is folded of a word that has other letters than those of ASCII.
func foldedRunes(word string) uint32 {
	h := uint32(offset)
	for _, r := range word {
		h = (h ^ uint32(toLower(r))) * prime
	}
	return h | 1
}
