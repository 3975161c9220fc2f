package words

import "unicode"

// The reasons why skim stops.
const (
	atEnd   uint8 = iota // the end of the text
	atASCII              // an ASCII word that may be in the set
	atWord               // a word of one- and two-byte runes that may be in the set
	atPair               // a pair of signs that may be in the set; end is the offset of the second sign
	atSign               // a single sign
	atRune               // a rune that skim doesn't handle, or a word that contains one
	inRun                // a sign in a run that continues with such a rune, which forms a pair with it
	inRun1               // the same for the first sign of a run

	// The reasons why a loop over one kind of text ends without a result. skim then calls another loop.
	onward    // at a different kind of text
	intoMixed // at a word that begins with ASCII and continues with other runes
)

// skim reads text from offset i up to the next word that may be in the set. It returns the range of that word, the
// number of words that it has read (including that word, except for atRune, inRun and inRun1), and the reason why it
// stopped. paired is true if the sign at i is already part of a pair. Each function that skim calls is a loop over one
// kind of text, so that the compiler keeps it as a loop in the module.
func (k *Known) skim(text []byte, i int, paired bool) (from, end, n int, reason uint8) {
	for uint(i) < uint(len(text)) {
		met := 0
		switch c := text[i]; {
		case c >= 0xe4 && c <= 0xe9:
			from, end, met, reason = k.skimSigns(text, i, !paired)
		case c < 0x80:
			if from, end, met, reason = k.skimASCII(text, i); reason == intoMixed {
				n += met
				from, end, met, reason = k.skimShort(text, from)
			}
		case c < 0xe0:
			from, end, met, reason = k.skimShort(text, i)
		case punctuation(text, i):
			end, reason = i+3, onward
		default:
			return i, i, n, atRune
		}
		n += met
		if reason != onward {
			return from, end, n, reason
		}
		i, paired = end, false
	}
	return i, i, n, atEnd
}

// skimASCII is like skim, for ASCII text. It stops at a non-ASCII byte, or at a word that continues with one. Its
// results are those of skim; reason is onward if the caller must continue at end.
func (k *Known) skimASCII(text []byte, i int) (from, end, n int, reason uint8) {
	for uint(i) < uint(len(text)) {
		c := text[i]
		if s := stretch[c]; s == outside {
			i++
			continue
		} else if s == beyond {
			break
		}
		from = i
		for i++; uint(i) < uint(len(text)) && stretch[text[i]] == inside; i++ {
		}
		if uint(i) < uint(len(text)) && text[i] >= 0x80 && !punctuation(text, i) {
			return from, i, n, intoMixed
		}
		n++
		b := uint(c&31) << 10
		if i-from > 1 && uint(from+1) < uint(len(text)) {
			b |= uint(text[from+1]&31) << 5
		}
		if i-from > 2 && uint(from+2) < uint(len(text)) {
			b |= uint(text[from+2] & 31)
		}
		if k.begin[b>>6&511]>>(b&63)&1 != 0 {
			return from, i, n, atASCII
		}
	}
	return i, i, n, onward
}

// skimSigns is like skim, for a run of signs from U+4E00 to U+9FFF. alone is true if the first sign is not part of a
// pair yet. Its results are those of skimASCII.
func (k *Known) skimSigns(text []byte, i int, alone bool) (from, end, n int, reason uint8) {
	if uint(i+2) >= uint(len(text)) {
		return i, i, 0, atRune
	}
	last := uint(text[i]&15)<<12 | uint(text[i+1]&63)<<6 | uint(text[i+2]&63)
	if text[i+1]&0xc0 != 0x80 || text[i+2]&0xc0 != 0x80 || last < 0x4e00 {
		return i, i, 0, atRune
	}
	from = i
	for i += 3; uint(i+2) < uint(len(text)) && text[i] >= 0xe4 && text[i] <= 0xe9; i += 3 {
		r := uint(text[i]&15)<<12 | uint(text[i+1]&63)<<6 | uint(text[i+2]&63)
		if text[i+1]&0xc0 != 0x80 || text[i+2]&0xc0 != 0x80 || r < 0x4e00 {
			break
		}
		n++
		alone = false
		if b := last&31<<5 | r&31; k.first[b>>6&15]>>(b&63)&1 != 0 {
			return from, i, n, atPair
		}
		from, last = i, r
	}
	switch {
	case uint(i) < uint(len(text)) && text[i] >= 0xe0 && !punctuation(text, i):
		if alone {
			return from, i, n, inRun1
		}
		return from, i, n, inRun
	case alone:
		n++
		if b := last & 31 << 5; k.first[b>>6&15]>>(b&63)&1 != 0 {
			return from, i, n, atSign
		}
	}
	return i, i, n, onward
}

// skimShort is like skim, for words of one- and two-byte runes and the text between them. It stops at a longer rune or
// at an ASCII word. Its results are those of skimASCII.
func (k *Known) skimShort(text []byte, i int) (from, end, n int, reason uint8) {
	for {
		var b uint
		letters := 0
		for from = i; uint(i) < uint(len(text)); {
			r, size := uint(text[i]), 1
			if r >= 0x80 {
				if r < 0xc2 || r >= 0xe0 || uint(i+1) >= uint(len(text)) || text[i+1]&0xc0 != 0x80 {
					if punctuation(text, i) {
						break
					}
					return from, from, n, atRune
				}
				r, size = r&0x1f<<6|uint(text[i+1]&0x3f), 2
			}
			low := uint(lowerCase[r&0x7ff])
			if low == 0 {
				break
			}
			if letters++; letters <= 2 {
				b = b<<5 | low&31
			}
			i += size
		}
		if letters == 0 {
			i += 2 // a two-byte rune between words; the loop below skips ASCII
		} else {
			n++
			if letters == 1 {
				b <<= 5
			}
			switch {
			case i-from == letters: // an ASCII word before a two-byte sign
				return from, i, n, atASCII
			case k.first[b>>6&15]>>(b&63)&1 != 0:
				return from, i, n, atWord
			}
		}
		for uint(i) < uint(len(text)) && stretch[text[i]] == outside {
			i++
		}
		if uint(i) >= uint(len(text)) || text[i] < 0x80 || text[i] >= 0xe0 {
			return i, i, n, onward
		}
	}
}

// punctuation reports whether the three bytes at i are one of the most common characters between words: dashes,
// quotes and ellipses (U+2000 to U+203F), arrows, lines and symbols (U+2189 to U+2BFF), or Chinese and Japanese
// punctuation.
func punctuation(text []byte, i int) bool {
	if uint(i+2) >= uint(len(text)) {
		return false
	}
	a, b, c := text[i], text[i+1], text[i+2]
	switch {
	case c < 0x80 || c > 0xbf:
		return false
	case a == 0xe2:
		return b == 0x80 || b >= 0x86 && b <= 0xaf && (b > 0x86 || c > 0x88)
	case a == 0xe3:
		return b == 0x80 && (c <= 0x84 || c >= 0x88 && c <= 0xa0)
	case a == 0xef:
		return b == 0xbc && (c >= 0x81 && c <= 0x8f || c >= 0x9a && c <= 0xa0)
	}
	return false
}

// Find appends to dst the words of text that are in the set, and returns the total number of words in text.
func (k *Known) Find(dst []Found, text []byte) (found []Found, n int) {
	var one [1]Word
	paired := false
	for i := 0; ; {
		from, end, met, reason := k.skim(text, i, paired)
		n += met
		i, paired = end, false
		switch reason {
		case atEnd:
			return dst, n
		case atASCII:
			dst = k.matchASCII(dst, n-1, text[from:min(end, from+longest)], from)
		case atWord:
			ws, _ := appendWord(one[:0], text, from)
			dst = k.match(dst, n-1, ws[0])
		case atPair:
			dst = k.match(dst, n-1, Word{Stem: Hash(text[from : end+3]), From: int32(from)})
			paired = true
		case atSign:
			dst = k.match(dst, n-1, Word{Stem: Hash(text[from:end]), From: int32(from)})
		case inRun, inRun1:
			dst, n, i = k.findPairs(dst, n, text, from, reason == inRun1)
		case atRune:
			if text[from] < 0x80 {
				ws, behind := appendWord(one[:0], text, from)
				dst = k.match(dst, n, ws[0])
				n++
				i = behind
				break
			}
			r, size := runeAt(text, from)
			switch {
			case !InWord(r):
				i += size
			case Unspaced(r):
				dst, n, i = k.findPairs(dst, n, text, from, true)
			default:
				ws, behind := appendWord(one[:0], text, from)
				dst = k.match(dst, n, ws[0])
				n++
				i = behind
			}
		}
	}
}

// findPairs is like appendPairs, but appends only the pairs that are in the set. If alone is set, the sign at offset at
// is treated as a word if no other sign follows. n is the number of words before. It returns the extended dst, the new
// number of words, and the offset of the first rune that isn't such a sign.
func (k *Known) findPairs(dst []Found, n int, text []byte, at int, alone bool) (found []Found, words, end int) {
	last, size := runeAt(text, at)
	before, i := at, at+size
	for i < len(text) {
		r, size := runeAt(text, i)
		if !Unspaced(r) {
			break
		}
		if b := uint(last&31)<<5 | uint(r&31); k.first[b>>6]>>(b&63)&1 != 0 {
			dst = k.match(dst, n, Word{Stem: Hash(text[before : i+size]), From: int32(before)})
		}
		n++
		last = r
		before, i = i, i+size
	}
	if before == at && alone {
		dst = k.match(dst, n, Word{Stem: Hash(text[at:i]), From: int32(at)})
		n++
	}
	return dst, n, i
}

// The classes of bytes in the text that skimASCII reads.
const (
	outside uint8 = iota // between words
	inside               // in a word
	beyond               // not ASCII
)

var stretch = func() (is [256]uint8) {
	for i := range is {
		switch {
		case i >= 0x80:
			is[i] = beyond
		case class[i] != 0:
			is[i] = inside
		}
	}
	return is
}()

// lowerCase maps each one- or two-byte rune that can be part of a word to lower case, and other runes to 0.
var lowerCase = func() (low [0x800]uint16) {
	for r := range rune(len(low)) {
		if r < 0x80 && class[r] != 0 || r >= 0x80 && (unicode.IsLetter(r) || unicode.Is(unicode.M, r) || unicode.IsDigit(r)) {
			low[r] = uint16(unicode.ToLower(r))
		}
	}
	return low
}()
