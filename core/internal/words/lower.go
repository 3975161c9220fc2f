package words

import (
	"unicode/utf8"
)

// Lower returns text in lower case, like strings.ToLower, but faster: it has tables for the most frequent letters. It
// returns text itself if it certainly has no capitals.
func Lower(text string) string {
	if lowerEnd(text) == len(text) {
		return text
	}
	var room [256]byte
	return string(AppendLower(room[:0], text))
}

// AppendLower appends text in lower case, as Lower returns it.
func AppendLower(dst []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if class[c] == upper {
				c |= 0x20
			}
			dst = append(dst, c)
			i++
			continue
		}
		n := caseless(text[i:])
		if n == 0 {
			var r rune
			r, n = utf8.DecodeRuneInString(text[i:])
			dst = utf8.AppendRune(dst, toLower(r))
		} else {
			dst = append(dst, text[i:i+n]...)
		}
		i += n
	}
	return dst
}

// lowerEnd returns the length, in bytes, of the beginning of text that certainly has no capitals.
func lowerEnd(text string) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && class[c] != upper {
			i++
			continue
		}
		n := 0
		if c >= utf8.RuneSelf {
			n = caseless(text[i:])
		}
		if n == 0 {
			return i
		}
		i += n
	}
	return len(text)
}

// caseless returns the length, in bytes, of the non-ASCII character at the start of text if it is in one of a few
// common ranges without capital letters; otherwise 0.
func caseless(text string) int {
	const tail = 0xc0
	c := text[0]
	if c < 0xe0 && len(text) > 1 && text[1]&tail == 0x80 {
		switch {
		case c >= 0xd7, // Hebrew, Arabic and their neighbours
			c == 0xc2, c == 0xc3 && text[1] >= 0x9f, // Latin-1
			c == 0xd0 && text[1] >= 0xb0, c == 0xd1 && text[1] < 0xa0: // Cyrillic
			return 2
		}
		return 0
	}
	if len(text) < 3 || text[1]&tail != 0x80 || text[2]&tail != 0x80 {
		return 0
	}
	switch {
	case c >= 0xe3 && c < 0xea, c >= 0xeb && c < 0xed, // China, Japan and Korea
		c == 0xea && text[1] >= 0xb0, c == 0xed && text[1] < 0xa0,
		c == 0xe0 && text[1] >= 0xa0,                   // India and its neighbours
		c == 0xe2 && text[1] == 0x80,                   // punctuation
		c == 0xef && text[1] == 0xbc && text[2] < 0xa1: // wide punctuation and digits
		return 3
	}
	return 0
}
