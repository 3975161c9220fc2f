package words

import (
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"
)

// Set is a fixed set of up to 200 words that are compared by their stems. Like a [Table], it is built on first use.
type Set struct {
	text  string
	once  sync.Once
	built bool
	stems Stems
}

// NewSet returns the set of the words in text.
func NewSet(text string) *Set { return &Set{text: text} }

// Has reports whether the set contains a stem.
func (s *Set) Has(stem uint32) bool { return s.Stems().Has(stem) }

// Stems returns the stems of the set, for repeated lookups.
func (s *Set) Stems() *Stems {
	if !single || !s.built {
		s.once.Do(s.build)
	}
	return &s.stems
}

func (s *Set) build() {
	for _, w := range Append(nil, s.text) {
		at := w.Stem % 256
		for s.stems[at] != 0 && s.stems[at] != w.Stem {
			at = (at + 1) % 256
		}
		s.stems[at] = w.Stem
	}
	s.built = true
}

// HasAny reports whether the set contains the stem of any of the words in ws, other than pairs of signs.
func (s *Set) HasAny(ws []Word) bool {
	stems := s.Stems()
	for i := range ws {
		if ws[i].Kind&Pair == 0 && stems.Has(ws[i].Stem) {
			return true
		}
	}
	return false
}

// Stems is a hash table: each stem is in the slot of its lower bits, or in the next free one.
type Stems [256]uint32

// Has reports whether the table contains a stem.
func (s *Stems) Has(stem uint32) bool {
	for at := stem % 256; s[at] != 0; at = (at + 1) % 256 {
		if s[at] == stem {
			return true
		}
	}
	return false
}

// Exact is a fixed set of words that are compared as they are spelled, ignoring case. It distinguishes "they" from
// "the", which have the same stem. Like a [Table], it is built on first use.
type Exact struct {
	text string
	once sync.Once
	// A hash table whose size is a power of two, at most half full; each hash is in the slot of its lower bits, or in
	// the next free one.
	hashes []uint32
}

// NewExact returns the set of the words in text, which are separated by white space.
func NewExact(text string) *Exact { return &Exact{text: text} }

func (s *Exact) build() {
	list := strings.Fields(s.text)
	s.hashes = make([]uint32, 2<<bits.Len(uint(len(list))))
	for _, w := range list {
		h := folded(w)
		at := s.slotOf(h)
		s.hashes[at] = h
	}
}

// Has reports whether the set contains a word.
func (s *Exact) Has(word string) bool {
	if !single || s.hashes == nil {
		s.once.Do(s.build)
	}
	h := folded(word)
	return s.hashes[s.slotOf(h)] == h
}

// slotOf returns the slot that contains a hash, or the empty slot where it belongs.
func (s *Exact) slotOf(h uint32) int {
	mask := len(s.hashes) - 1
	at := int(h) & mask
	for s.hashes[at] != 0 && s.hashes[at] != h {
		at = (at + 1) & mask
	}
	return at
}

// folded returns the hash of a word in lower case, which is never 0. Only the first bytes of a long word count.
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

// foldedRunes is like folded, for words with non-ASCII letters.
func foldedRunes(word string) uint32 {
	h := uint32(offset)
	for _, r := range word {
		h = (h ^ uint32(toLower(r))) * prime
	}
	return h | 1
}
