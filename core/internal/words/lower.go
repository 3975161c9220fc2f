package words

import (
	"strings"
	"unicode/utf8"
)

// Lower returns text in lower case, like strings.ToLower, in one pass and with tables for the most frequent letters. It
// returns text itself if it certainly has no capitals.
func Lower(text string) string {
	at := lowerEnd(text)
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:at])
	for i := at; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if class[c] == upper {
				c |= 0x20
			}
			b.WriteByte(c)
			i++
			continue
		}
		n := caseless(text[i:])
		if n == 0 {
			var r rune
			r, n = utf8.DecodeRuneInString(text[i:])
			b.WriteRune(toLower(r))
		} else {
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// lowerEnd returns the length of the beginning of text that certainly has no capitals.
func lowerEnd(text string) int {
	for i := 0; i < len(text); {
		n := 1
		if c := text[i]; c >= utf8.RuneSelf {
			n = caseless(text[i:])
		} else if class[c] == upper {
			n = 0
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
