// Package words splits text in any script into the units that extracts and searches compare: the stems of words in
// scripts that put spaces between words, and pairs of adjacent signs in other scripts.
//
// The package doesn't know the meaning of words. It has no dictionaries: a handful of endings is all that it knows
// about languages.
package words

import (
	"unicode"
	"unicode/utf8"
)

// Word is a word or a pair of signs in text.
type Word struct {
	// Stem is a hash of the stem (FNV-1a, 32 bits). Different stems can have the same hash, so it can be used to weigh
	// a word, but proves nothing.
	Stem uint32
	// From and End are the word's byte range in the text. Pairs of signs overlap.
	From, End int32
	Kind      Kind
}

// Kind is a set of properties of a word's spelling.
type Kind uint8

const (
	Capital Kind = 1 << iota // it begins with a capital letter
	Digit                    // it contains a digit
	Pair                     // it is a pair of signs, or a single sign, of a script without spaces
	Short                    // it has one or two letters and no digit, in a script with spaces
)

// Classes of ASCII bytes.
const (
	lower = 1 << iota
	upper
	digit
)

var class = func() (c [256]uint8) {
	for i := range c {
		switch {
		case i >= 'a' && i <= 'z':
			c[i] = lower
		case i >= 'A' && i <= 'Z':
			c[i] = upper
		case i >= '0' && i <= '9':
			c[i] = digit
		}
	}
	return c
}()

// longest is the maximum number of leading bytes of a word that determine its stem.
const longest = 64

// Append appends the words of text to dst, in order. A pair of signs of a script without spaces counts as a word.
func Append(dst []Word, text string) []Word {
	for i := 0; i < len(text); {
		c := text[i]
		if class[c] == 0 {
			if c < 0x80 {
				i++
				continue
			}
			switch r, size := utf8.DecodeRuneInString(text[i:]); {
			case !InWord(r):
				i += size
			case Unspaced(r):
				dst, i = appendPairs(dst, text, i)
			default:
				dst, i = appendWord(dst, text, i)
			}
			continue
		}
		from, all := i, uint8(0)
		for i < len(text) && class[text[i]] != 0 {
			all |= class[text[i]]
			i++
		}
		if i < len(text) && text[i] >= 0x80 {
			if r, _ := utf8.DecodeRuneInString(text[i:]); InWord(r) && !Unspaced(r) {
				dst, i = appendWord(dst, text, from)
				continue
			}
		}
		w := text[from:min(i, from+longest)]
		var kind Kind
		switch {
		case all&digit != 0:
			kind = Digit
		case len(w) <= 2:
			kind = Short
		default:
			w = w[:stemEnd(w)]
		}
		if class[text[from]] == upper {
			kind |= Capital
		}
		h := uint32(offset)
		for k := 0; k < len(w); k++ {
			h = (h ^ uint32(w[k]|0x20)) * prime
		}
		dst = append(dst, Word{Stem: h, From: int32(from), End: int32(i), Kind: kind})
	}
	return dst
}

// appendWord appends the word that begins at text[at:] and returns its end. The word is in a script with spaces and
// contains letters outside ASCII.
func appendWord[T string | []byte](dst []Word, text T, at int) ([]Word, int) {
	var fold [longest + utf8.UTFMax]byte
	var kind Kind
	n, i, letters := 0, at, 0
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= 0x80 {
			r, size = runeAt(text, i)
		}
		if !InWord(r) || Unspaced(r) {
			break
		}
		if low := toLower(r); low != r {
			if i == at {
				kind |= Capital
			}
			r = low
		} else if r < 0x80 && class[r] == digit || r >= 0x80 && isDigit(r) {
			kind |= Digit
		}
		if n < longest {
			n += utf8.EncodeRune(fold[n:n+utf8.UTFMax], r)
		}
		letters++
		i += size
	}
	stem := fold[:n]
	if kind&Digit == 0 {
		if letters <= 2 {
			kind |= Short
		}
		stem = stem[:stemEnd(stem)]
	}
	return append(dst, Word{Stem: Hash(stem), From: int32(at), End: int32(i), Kind: kind}), i
}

// appendPairs appends the pairs of adjacent signs in the run of signs at text[at:], and returns the end of the run. If
// the run is a single sign, that sign is appended as a word.
func appendPairs[T string | []byte](dst []Word, text T, at int) ([]Word, int) {
	_, size := runeAt(text, at)
	before, i := at, at+size
	for i < len(text) {
		r, size := runeAt(text, i)
		if !Unspaced(r) {
			break
		}
		dst = append(dst, Word{Stem: Hash(text[before : i+size]), From: int32(before), End: int32(i + size), Kind: Pair})
		before, i = i, i+size
	}
	if before == at {
		dst = append(dst, Word{Stem: Hash(text[at:i]), From: int32(at), End: int32(i), Kind: Pair})
	}
	return dst, i
}

// runeAt decodes the non-ASCII rune at text[i:] and returns it with its length in bytes.
func runeAt[T string | []byte](text T, i int) (rune, int) {
	c := text[i]
	switch {
	case c >= 0xc2 && c < 0xe0 && i+1 < len(text) && text[i+1]&0xc0 == 0x80:
		return rune(c&0x1f)<<6 | rune(text[i+1]&0x3f), 2
	case c > 0xe0 && c < 0xed && i+2 < len(text) && text[i+1]&0xc0 == 0x80 && text[i+2]&0xc0 == 0x80:
		return rune(c&0x0f)<<12 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f), 3
	}
	return utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
}

// The constants of FNV-1a.
const (
	offset = 2166136261
	prime  = 16777619
)

// Hash returns the 32-bit FNV-1a hash of s.
func Hash[T string | []byte](s T) uint32 {
	h := uint32(offset)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * prime
	}
	return h
}

// InWord reports whether a rune can be part of a word: a letter, a digit, or a mark that modifies a letter.
func InWord(r rune) bool {
	switch {
	case r < 0x80:
		return class[r] != 0
	case r < 0x800:
		return lowerCase[r] != 0
	case r >= 0x900 && r < 0x980:
		return devanagari[r-0x900] != 0
	case r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3: // the most frequent non-ASCII runes
		return true
	}
	return unicode.IsLetter(r) || unicode.Is(unicode.M, r) || unicode.IsDigit(r)
}

func toLower(r rune) rune {
	switch {
	case r < 0x800 && lowerCase[r] != 0:
		return rune(lowerCase[r])
	case r >= 0x900 && r < 0x10a0, r >= 0x3000 && r < 0xa000, r >= 0xac00 && r < 0xd800: // letters without case
		return r
	}
	return unicode.ToLower(r)
}

// isDigit reports whether a non-ASCII rune is a digit.
func isDigit(r rune) bool {
	switch {
	case r < 0x660, r >= 0x3000 && r < 0xa000:
		return false
	case r >= 0x900 && r < 0x980:
		return devanagari[r-0x900] == digit
	}
	return unicode.IsDigit(r)
}

// devanagari is the class of each Devanagari character: lower for letters and marks, digit for digits, otherwise 0.
var devanagari = func() (c [0x80]uint8) {
	for i := range c {
		switch r := rune(0x900 + i); {
		case unicode.IsDigit(r):
			c[i] = digit
		case unicode.IsLetter(r) || unicode.Is(unicode.M, r):
			c[i] = lower
		}
	}
	return c
}()

// unspaced lists the ranges (inclusive) of scripts that put no spaces between words (Thai, Lao, Tibetan, Myanmar,
// Khmer, Kana, Bopomofo, Han), and of Hangul, whose words end in particles.
var unspaced = [...][2]rune{{0x0e01, 0x0fff}, {0x1000, 0x109f}, {0x1100, 0x11ff}, {0x1780, 0x17ff}, {0x3005, 0x3007}, {0x3041, 0x30ff}, {0x3105, 0x318f},
	{0x31f0, 0x31ff}, {0x3400, 0x9fff}, {0xa960, 0xa97f}, {0xac00, 0xd7ff}, {0xf900, 0xfaff}, {0xff66, 0xff9f}, {0x20000, 0x3ffff}}

// Unspaced reports whether a rune belongs to a script whose words are compared as pairs of signs.
func Unspaced(r rune) bool {
	switch {
	case r < unspaced[0][0]:
		return false
	case r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3:
		return true
	}
	for _, u := range unspaced {
		if r <= u[1] {
			return r >= u[0] && (unicode.IsLetter(r) || unicode.Is(unicode.M, r))
		}
	}
	return false
}
