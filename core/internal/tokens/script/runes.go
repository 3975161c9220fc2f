package script

import (
	"sync"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// A runeClass is a class of non-ASCII characters: the state that follows them, and the first and last character of each
// range. If gaps is set, the range is cut into blocks of each characters, and only some blocks belong to the class:
// gaps holds the distances between these, and 255 continues a longer distance.
type runeClass struct {
	state  int    // the automaton's state after such a character
	ranges []rune // first and last characters, alternating
	gaps   string // one byte per distance, in blocks
	each   int    // number of characters in a block
}

// runeClasses lists the classes of non-ASCII characters. A character belongs to the first class that contains it.
var runeClasses = []runeClass{
	{state: sSymbol, ranges: []rune{0x80, 0x9f, 0xa1, 0xbf}}, // Latin-1: marks
	{state: sSymbol, ranges: []rune{0xa0, 0xa0}},             // the no-break space
	{state: sAccented, ranges: runesOf("éèêëÉÈ")},            // Latin letters with an accent
	{state: sAccented, ranges: runesOf("áàâãÁÀÂÃ")},
	{state: sAccented, ranges: runesOf("äöüßÄÖÜ")},
	{state: sAccented, ranges: runesOf("íìîïóòôõúùûÓÍÚ")},
	{state: sAccented, ranges: runesOf("çñÇÑ")},
	{state: sAccented, ranges: runesOf("åæøÅÆØ")},
	{state: sAccented, ranges: runesOf("ąęłńśźżćŁŚŻ")},
	{state: sAccented, ranges: runesOf("čďěňřšťůžČŘŠŽ")},
	{state: sAccented, ranges: runesOf("ığşİŞĞőűŐŰ")},
	{state: sAccented, ranges: runesOf("ăâîșțţĂ")},
	{state: sAccented, ranges: runesOf("đơưĐƠƯ")},
	{state: sAccented, ranges: []rune{0x1ea0, 0x1ef9}}, // Vietnamese
	{state: sAccented, ranges: []rune{0xc0, 0x24f, 0x1e00, 0x1eff}},
	{state: sAccented, ranges: []rune{0x300, 0x36f}}, // combining accents
	{state: sLetter, ranges: runesOf("αεηιου")},
	{state: sLetter, ranges: runesOf("άέήίόύώ")},
	{state: sLetter, ranges: []rune{0x3b1, 0x3ce}},
	{state: sLetter, ranges: []rune{0x370, 0x3ff, 0x1f00, 0x1fff}},
	{state: sCyrillicV, ranges: runesOf("а")},
	{state: sCyrillicV, ranges: runesOf("е")},
	{state: sCyrillicV, ranges: runesOf("и")},
	{state: sCyrillicV, ranges: runesOf("о")},
	{state: sCyrillicV, ranges: runesOf("у")},
	{state: sCyrillicV, ranges: runesOf("ю")},
	{state: sCyrillicV, ranges: runesOf("я")},
	{state: sCyrillicV, ranges: runesOf("ыэё")}, // only in Russian
	{state: sCyrillicV, ranges: runesOf("і")},   // only in Ukrainian
	{state: sCyrillicV, ranges: runesOf("їє")},
	{state: sCyrillicC, ranges: runesOf("б")},
	{state: sCyrillicC, ranges: runesOf("в")},
	{state: sCyrillicC, ranges: runesOf("г")},
	{state: sCyrillicC, ranges: runesOf("д")},
	{state: sCyrillicC, ranges: runesOf("жъ")},
	{state: sCyrillicC, ranges: runesOf("з")},
	{state: sCyrillicC, ranges: runesOf("й")},
	{state: sCyrillicC, ranges: runesOf("к")},
	{state: sCyrillicC, ranges: runesOf("л")},
	{state: sCyrillicC, ranges: runesOf("м")},
	{state: sCyrillicC, ranges: runesOf("н")},
	{state: sCyrillicC, ranges: runesOf("п")},
	{state: sCyrillicC, ranges: runesOf("р")},
	{state: sCyrillicC, ranges: runesOf("с")},
	{state: sCyrillicC, ranges: runesOf("т")},
	{state: sCyrillicC, ranges: runesOf("фхцчшщ")},
	{state: sCyrillicC, ranges: runesOf("ь")},
	{state: sCyrillicC, ranges: []rune{0x410, 0x42f}},
	{state: sCyrillicC, ranges: []rune{0x450, 0x45f}}, // of other Slavic languages
	{state: sCyrillicC, ranges: []rune{0x400, 0x52f}}, // of other languages
	{state: sLetter, ranges: []rune{0x530, 0x58f}},    // Armenian
	{state: sLetter, ranges: []rune{0x590, 0x5cf}},    // Hebrew points
	{state: sLetter, ranges: runesOf("אהוילמרת")},
	{state: sLetter, ranges: []rune{0x5d0, 0x5ff}},
	{state: sLetter, ranges: runesOf("اليمنرو")},
	{state: sLetter, ranges: []rune{0x600, 0x61f}},
	{state: sLetter, ranges: []rune{0x64b, 0x65f}}, // points
	{state: sLetter, ranges: []rune{0x620, 0x64a}},
	{state: sLetter, ranges: runesOf("پچکگی")},                   // Persian
	{state: sLetter, ranges: []rune{0x660, 0x6ff, 0x750, 0x77f}}, // Urdu and others
	{state: sLetter, ranges: []rune{0x700, 0x8ff}},               // Syriac, Thaana, N'Ko and others
	{state: sLetter, ranges: runesOf("ािीेोैुू")},                // Devanagari
	{state: sLetter, ranges: runesOf("्ंँ़")},
	{state: sLetter, ranges: []rune{0x900, 0x97f}},
	{state: sLetter, ranges: []rune{0x9bc, 0x9cd}}, // Bengali
	{state: sLetter, ranges: []rune{0x980, 0x9ff}},
	{state: sLetter, ranges: []rune{0xa00, 0xa7f}}, // Gurmukhi
	{state: sLetter, ranges: []rune{0xa80, 0xaff}}, // Gujarati
	{state: sLetter, ranges: []rune{0xb00, 0xb7f}}, // Oriya
	{state: sLetter, ranges: []rune{0xbbe, 0xbcd}}, // Tamil
	{state: sLetter, ranges: []rune{0xb80, 0xbff}},
	{state: sLetter, ranges: []rune{0xc3e, 0xc4d}}, // Telugu
	{state: sLetter, ranges: []rune{0xc00, 0xc7f}},
	{state: sLetter, ranges: []rune{0xcbe, 0xccd}}, // Kannada
	{state: sLetter, ranges: []rune{0xc80, 0xcff}},
	{state: sLetter, ranges: []rune{0xd3e, 0xd4d}}, // Malayalam
	{state: sLetter, ranges: []rune{0xd00, 0xd7f}},
	{state: sLetter, ranges: []rune{0xd80, 0xdff}}, // Sinhala
	{state: sLetter, ranges: []rune{0xe40, 0xe4f}},
	{state: sLetter, ranges: []rune{0xe00, 0xe7f}},
	{state: sLetter, ranges: []rune{0xe80, 0xeff}},   // Lao
	{state: sLetter, ranges: []rune{0xf00, 0xfff}},   // Tibetan
	{state: sLetter, ranges: []rune{0x1050, 0x109f}}, // Shan, Mon and others
	{state: sLetter, ranges: []rune{0x1000, 0x109f}}, // Burmese
	{state: sLetter, ranges: []rune{0x10a0, 0x10ff}}, // Georgian
	{state: sLetter, ranges: []rune{0x1100, 0x11ff, 0x3130, 0x318f, 0xa960, 0xa97f, 0xd7b0, 0xd7ff}},
	{state: sLetter, ranges: []rune{0x1200, 0x139f}},                 // Ethiopic
	{state: sLetter, ranges: []rune{0x1400, 0x167f}},                 // Canadian syllables
	{state: sLetter, ranges: []rune{0x13a0, 0x13ff}},                 // Cherokee
	{state: sLetter, ranges: []rune{0x1780, 0x17ff}},                 // Khmer
	{state: sLetter, ranges: []rune{0x1680, 0x1cff, 0xa000, 0xabff}}, // Mongolian, Yi and others
	{state: sSymbol, ranges: []rune{0x2010, 0x2015}},                 // dashes
	{state: sSymbol, ranges: runesOf("‘’“”„«»")},
	{state: sLetter, ranges: []rune{0x200c, 0x200d}}, // joiners of letters
	{state: sSymbol, ranges: []rune{0x2000, 0x206f}},
	{state: sSymbol, ranges: []rune{0x2190, 0x21ff}},                              // arrows
	{state: sBox, ranges: []rune{0x2500, 0x2501, 0x2550, 0x2550, 0x254c, 0x254d}}, // horizontal lines
	{state: sBox, ranges: []rune{0x2500, 0x257f}},
	{state: sBox, ranges: []rune{0x2580, 0x259f}}, // blocks
	{state: sSymbol, ranges: []rune{0x25a0, 0x25ff}},
	{state: sEmoji, ranges: []rune{0x2600, 0x27bf}},
	{state: sSymbol, ranges: []rune{0x2070, 0x218f}},
	{state: sSymbol, ranges: []rune{0x2200, 0x22ff}}, // mathematics
	{state: sBox, ranges: []rune{0x2800, 0x28ff}},    // Braille
	{state: sSymbol, ranges: []rune{0x2300, 0x2bff}},
	{state: sHan, ranges: runesOf("、。，：；！？（）「」")}, // CJK punctuation
	{state: sSymbol, ranges: []rune{0x3000, 0x303f, 0xff00, 0xffef}},
	{state: sKana, ranges: runesOf("のはをがにでとたしてるいなすまれかうりら")},
	{state: sKana, ranges: []rune{0x3041, 0x309f}},
	{state: sKana, ranges: runesOf("ンーアイスルトリラ")},
	{state: sKana, ranges: []rune{0x30a0, 0x30ff, 0x31f0, 0x31ff, 0xff61, 0xff9f}},
	{state: sHan, ranges: []rune{0x2e80, 0x2fff, 0x31c0, 0x31ef, 0x3100, 0x312f, 0x3190, 0x31bf, 0x3200, 0x33ff}},
	{state: sHan, ranges: []rune{0x4e00, 0x9fff}, gaps: hanCommon, each: 1},
	{state: sHan, ranges: []rune{0x4e00, 0x9fff}, gaps: hanKnown, each: 1},
	{state: sHan, ranges: []rune{0x4e00, 0x9fff}, gaps: hanSpelled, each: 64},
	{state: sHan, ranges: []rune{0x4e00, 0x9fff}},
	{state: sLetter, ranges: []rune{0xac00, 0xd7a3}, gaps: hangulCommon, each: 1},
	{state: sLetter, ranges: []rune{0xac00, 0xd7a3}, gaps: hangulKnown, each: 1},
	{state: sLetter, ranges: []rune{0xac00, 0xd7a3}, gaps: hangulSpelled, each: 64},
	{state: sLetter, ranges: []rune{0xac00, 0xd7a3}},
	{state: sHan, ranges: []rune{0x3400, 0x4dbf, 0xf900, 0xfaff}},
	{state: sEmoji, ranges: []rune{0xfe00, 0xfe0f}},   // variation selectors
	{state: sEmoji, ranges: []rune{0x1f1c0, 0x1f1ff}}, // regional indicators
	{state: sEmoji, ranges: []rune{0x1f3c0, 0x1f3ff}}, // including skin tones
	{state: sEmoji, ranges: []rune{0x1f600, 0x1f63f}},
	{state: sEmoji, ranges: []rune{0x1f300, 0x1f6ff}},
	{state: sEmoji, ranges: []rune{0x1f000, 0x1ffff}},
	{state: sSymbol, ranges: []rune{0x80, 0xffff, 0x20000, 0x10ffff}}, // any other
}

// runesOf returns the ranges that contain just the given characters.
func runesOf(chars string) (ranges []rune) {
	for _, r := range chars {
		ranges = append(ranges, r, r)
	}
	return ranges
}

// symbols maps non-ASCII characters to their symbols: each up to U+FFFF, and those of U+1F000 to U+1FFFF in groups of
// 64.
type symbols struct {
	plane       [1 << 16]uint8 // by character
	pictographs [64]uint8      // by group, from U+1F000
}

// runes returns the symbols of all characters. The table takes some time and memory, so it is made on first use.
var runes = sync.OnceValue(func() *symbols {
	s := &symbols{}
	for i := len(runeClasses) - 1; i >= 0; i-- {
		c, symbol := &runeClasses[i], uint8(jsonspan.FirstRune+i)
		for r := c.ranges; len(r) > 0; r = r[2:] {
			if c.gaps != "" {
				s.fillGaps(c, r[0], symbol)
				continue
			}
			for x := r[0]; x <= min(r[1], 0xffff); x++ {
				s.plane[x] = symbol
			}
			for x := max(r[0], 0x1f000); x <= min(r[1], 0x1ffff); x += 64 {
				s.pictographs[(x-0x1f000)>>6] = symbol
			}
		}
	}
	return s
})

func (s *symbols) fillGaps(c *runeClass, first rune, symbol uint8) {
	at := -1
	for i := range len(c.gaps) {
		at += int(c.gaps[i])
		for k := range c.each {
			if c.gaps[i] < 255 {
				s.plane[int(first)+at*c.each+k] = symbol
			}
		}
	}
}

// astral returns the symbol for characters above U+FFFF that have no symbol of their own.
func astral() uint8 { return uint8(jsonspan.FirstRune + len(runeClasses) - 1) }

// symbolOf returns the symbol of a character that is not ASCII.
func symbolOf(r rune) uint8 {
	switch {
	case r < 1<<16:
		return runes().plane[r]
	case r>>12 == 0x1f:
		return runes().pictographs[r>>6&63]
	}
	return astral()
}

// classOf returns the class of the character at the start of b, which is not empty, and its length in bytes.
func classOf(b []byte) (c, n int) {
	r, n := utf8.DecodeRune(b)
	switch {
	case r == '\\':
		return cBackslash, n
	case r < utf8.RuneSelf:
		return int(markClass[r]), n
	}
	return cRune + int(symbolOf(r)-jsonspan.FirstRune), n
}
