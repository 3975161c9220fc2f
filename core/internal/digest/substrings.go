package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// substrings is a fixed set of strings of at least two bytes. It determines in one pass whether a text contains any of
// them.
type substrings struct {
	list []string // the strings
	// The index of the first string that begins with two bytes of a certain hash, plus one; 0 if there is none.
	heads [256]uint8
	next  []uint8 // for each string, the index of the next one with the same hash, plus one; 0 if there is none
}

// substringsOf returns the set of the strings in list, which are separated by "|".
func substringsOf(list string) *substrings { return newSubstrings(strings.Split(list, "|")) }

// newSubstrings returns the set of the strings in list.
func newSubstrings(list []string) *substrings {
	s := &substrings{list: list}
	s.next = make([]uint8, len(s.list))
	for i, text := range s.list {
		head := &s.heads[text[0]*37+text[1]]
		s.next[i], *head = *head, uint8(i+1)
	}
	return s
}

// in reports whether a text contains one of the strings.
func (s *substrings) in(text string) bool { return hasAnyOf(s, text) }

// hasAnyOf is like in, for text of either type.
func hasAnyOf[T string | []byte](s *substrings, text T) bool {
	for i := 1; i < len(text); i++ {
		for n := s.heads[text[i-1]*37+text[i]]; n > 0; n = s.next[n-1] {
			if from, size := i-1, len(s.list[n-1]); size <= len(text)-from && string(text[from:from+size]) == s.list[n-1] {
				return true
			}
		}
	}
	return false
}

// inAnyCase reports whether a text contains one of the strings, which are in lower case. It ignores the case of the
// text.
func (s *substrings) inAnyCase(text string) bool {
	if !isASCII(text) {
		var room [512]byte
		return hasAnyOf(s, words.AppendLower(room[:0], text))
	}
	for i := 1; i < len(text); i++ {
		for n := s.heads[smallByte[text[i-1]]*37+smallByte[text[i]]]; n > 0; n = s.next[n-1] {
			if from, size := i-1, len(s.list[n-1]); size <= len(text)-from && strings.EqualFold(text[from:from+size], s.list[n-1]) {
				return true
			}
		}
	}
	return false
}

// smallByte maps each ASCII capital to its lower-case letter, and all other bytes to themselves.
var smallByte = func() (to [256]uint8) {
	for c := range to {
		if to[c] = uint8(c); byteClass[c]&capital != 0 {
			to[c] |= 0x20
		}
	}
	return to
}()
