package script

import "strings"

// The states of the script estimator: what stands before the next character. Words of small letters have a state for
// their length so far and the group of their last letter, because tokenizers have learned common words and pairs of
// letters as one token; the rest is what their rules of splitting look at.
const (
	sLine    = iota // the start, and behind a line feed
	sSpace          // behind one space
	sSpace2         // two spaces
	sSpaces         // three or more
	sIndent         // one space behind a line feed
	sIndents        // two or more
	sTab
	sDigit1 // digits go in threes
	sDigit2
	sDigit3
	sUpper      // a capital at the start of a word
	sUppers     // more of them
	sCamel      // a capital behind a small letter
	sMixedLower // in a run that changes often between capitals, small letters and digits
	sMixedUpper
	sMixedDigit
	sUnderscore
	sMinus
	sEquals
	sStar
	sHash
	sDot
	sSlash
	sQuote
	sOpen
	sClose
	sComma
	sMark      // another mark
	sMarks     // several
	sEscWord   // behind the backslash of an escape in JSON, by what was before it
	sEscMark   //
	sEscSpace  //
	sEscLine   //
	sEscOther  //
	sAccented  // a Latin letter with an accent
	sCyrillic  // one letter
	sCyrillics // more
	sAlphabet  // Greek, Hebrew, Armenian, Georgian
	sArabic
	sIndic
	sKana
	sHan
	sHangul
	sEmoji
	sSymbol // any other character
	sWord   // words of small letters: wordStates of them
)

// Words: one letter and two letters by 3 groups each, three letters by 6, more by 6.
const (
	wordStates = 3 + 3 + 6 + 6
	states     = sWord + wordStates
)

// letterGroup groups small letters by how they go on in words.
var letterGroup = func() (g [26]uint8) {
	for i, group := range []string{"ae", "iou", "tnsr", "ldcmh", "pgfbwy", "kvjxqz"} {
		for _, c := range group {
			g[c-'a'] = uint8(i)
		}
	}
	return g
}()

// word is the state behind n letters, the last of them c.
func word(n int, c byte) int {
	g := int(letterGroup[c-'a'])
	switch n {
	case 1:
		return sWord + g/2
	case 2:
		return sWord + 3 + g/2
	case 3:
		return sWord + 6 + g
	}
	return sWord + 12 + g
}

// wordLength is how many letters a state of words stands for, up to 4; 0 for other states.
func wordLength(s int) int {
	switch {
	case s < sWord:
		return 0
	case s < sWord+3:
		return 1
	case s < sWord+6:
		return 2
	case s < sWord+12:
		return 3
	}
	return 4
}

// The classes of characters: small letters are 0 to 25.
const (
	cUpperCommon = 26 + iota
	cUpper
	cUpperRare
	cZero
	cDigit
	cSpace
	cLine
	cReturn
	cTab
	cBackslash
	cControl
	cUnderscore
	cMinus
	cEquals
	cStar
	cHash
	cDot
	cSlash
	cDouble
	cSingle
	cBacktick
	cParen
	cBracket
	cBrace
	cLess
	cCloseParen
	cCloseBracket
	cCloseBrace
	cGreater
	cComma
	cColon
	cSemicolon
	cMark
	cRune // classes of characters that are not ASCII follow
)

var markClass = func() (m [128]uint8) {
	for c := range m {
		m[c] = cMark
		switch {
		case c < ' ' || c == 127:
			m[c] = cControl
		case c >= 'a' && c <= 'z':
			m[c] = uint8(c - 'a')
		case strings.IndexByte("SACTPIRE", byte(c)) >= 0:
			m[c] = cUpperCommon
		case strings.IndexByte("XZQJKVYW", byte(c)) >= 0:
			m[c] = cUpperRare
		case c >= 'A' && c <= 'Z':
			m[c] = cUpper
		case c >= '1' && c <= '9':
			m[c] = cDigit
		}
	}
	for i, c := range "0 \n\r\t\x01_-=*#./\"'`([{<)]}>,:;" {
		order := [...]uint8{cZero, cSpace, cLine, cReturn, cTab, cBackslash, cUnderscore, cMinus, cEquals, cStar, cHash, cDot, cSlash,
			cDouble, cSingle, cBacktick, cParen, cBracket, cBrace, cLess, cCloseParen, cCloseBracket, cCloseBrace, cGreater,
			cComma, cColon, cSemicolon}
		m[c] = order[i]
	}
	return m
}()

// A lead is a range of first bytes, or of the second (third, of four) bytes behind one first byte, whose characters are one
// class.
type lead struct{ first, from, to byte }

// runeClasses are the classes of characters that are not ASCII. The first that has a character counts.
var runeClasses = []struct {
	state uint8
	leads []lead
}{
	{sSymbol, []lead{{0, 0xc2, 0xc2}}}, // Latin-1: marks
	{sAccented, []lead{{0, 0xc3, 0xc3}}},
	{sAccented, []lead{{0, 0xc4, 0xc9}, {0xe1, 0xb8, 0xbb}}},
	{sSymbol, []lead{{0, 0xca, 0xcd}}},
	{sAlphabet, []lead{{0, 0xce, 0xce}}},
	{sAlphabet, []lead{{0, 0xcf, 0xcf}}},
	{sCyrillic, []lead{{0, 0xd0, 0xd0}}},
	{sCyrillic, []lead{{0, 0xd1, 0xd1}}},
	{sCyrillic, []lead{{0, 0xd2, 0xd3}}},
	{sAlphabet, []lead{{0, 0xd4, 0xd6}}},
	{sAlphabet, []lead{{0, 0xd7, 0xd7}}},
	{sArabic, []lead{{0, 0xd8, 0xd8}}},
	{sArabic, []lead{{0, 0xd9, 0xd9}}},
	{sArabic, []lead{{0, 0xda, 0xdf}}},
	{sIndic, []lead{{0xe0, 0xa4, 0xa4}}}, // Devanagari
	{sIndic, []lead{{0xe0, 0xa5, 0xa5}}},
	{sIndic, []lead{{0xe0, 0xa6, 0xa7}}}, // Bengali
	{sIndic, []lead{{0xe0, 0xa8, 0xab}}}, // Gurmukhi, Gujarati
	{sIndic, []lead{{0xe0, 0xac, 0xaf}}}, // Oriya, Tamil
	{sIndic, []lead{{0xe0, 0xb0, 0xb3}}}, // Telugu, Kannada
	{sIndic, []lead{{0xe0, 0xb4, 0xb7}}},
	{sIndic, []lead{{0xe0, 0xb8, 0xb8}}}, // Thai
	{sIndic, []lead{{0xe0, 0xb9, 0xb9}}},
	{sIndic, []lead{{0xe0, 0xba, 0xbf}, {0, 0xe0, 0xe0}}},
	{sAlphabet, []lead{{0xe1, 0x82, 0x83}, {0xe1, 0xb4, 0xbf}}},
	{sIndic, []lead{{0, 0xe1, 0xe1}}},
	{sSymbol, []lead{{0xe2, 0x80, 0x80}}}, // dashes, quotes
	{sEmoji, []lead{{0xe2, 0x98, 0x9e}}},
	{sSymbol, []lead{{0xe2, 0x94, 0x97}}}, // box drawing, blocks, shapes
	{sSymbol, []lead{{0xe2, 0x81, 0x93}}},
	{sSymbol, []lead{{0, 0xe2, 0xe2}}},
	{sSymbol, []lead{{0xe3, 0x80, 0x80}}}, // ideographic marks
	{sKana, []lead{{0xe3, 0x81, 0x81}}},
	{sKana, []lead{{0xe3, 0x82, 0x82}}},
	{sKana, []lead{{0xe3, 0x83, 0x83}}},
	{sHan, []lead{{0, 0xe3, 0xe3}}},
	{sHan, []lead{{0, 0xe4, 0xe4}}},
	{sHan, []lead{{0, 0xe5, 0xe5}}},
	{sHan, []lead{{0, 0xe6, 0xe6}}},
	{sHan, []lead{{0, 0xe7, 0xe7}}},
	{sHan, []lead{{0, 0xe8, 0xe8}}},
	{sHan, []lead{{0, 0xe9, 0xe9}}},
	{sHangul, []lead{{0, 0xea, 0xea}}},
	{sHangul, []lead{{0, 0xeb, 0xeb}}},
	{sHangul, []lead{{0, 0xec, 0xec}}},
	{sHangul, []lead{{0, 0xed, 0xed}}},
	{sEmoji, []lead{{0xef, 0xb8, 0xb8}}},  // variation selectors
	{sSymbol, []lead{{0xef, 0xbc, 0xbc}}}, // full-width marks and letters
	{sSymbol, []lead{{0, 0xee, 0xef}}},
	{sEmoji, []lead{{0xf0, 0x98, 0x98}, {0xf0, 0xa4, 0xa4}}},
	{sEmoji, []lead{{0xf0, 0x8f, 0x8f}}}, // with the skin tones
	{sEmoji, []lead{{0xf0, 0x8c, 0x95}}},
	{sEmoji, []lead{{0xf0, 0x96, 0x9b}}},
	{sEmoji, []lead{{0xf0, 0x87, 0x87}}}, // letters of flags
	{sEmoji, []lead{{0xf0, 0x80, 0xbf}}},
	{sSymbol, []lead{{0, 0xf0, 0xf4}}}, // other planes
}

// The kinds of states: what kind of text a state stands behind: what follows it is weighed by it, where the state itself says too much.
const (
	inWord = iota
	inMark
	inSpace
	inLine
	inOther
)

func kindOf(s int) int {
	switch {
	case s == sLine:
		return inLine
	case s <= sTab:
		return inSpace
	case s >= sWord, s >= sUpper && s <= sCamel, s == sAccented:
		return inWord
	case s >= sUnderscore && s <= sMarks:
		return inMark
	}
	return inOther
}

// next is the state behind a character of class c that follows state s.
func next(s, c int) int {
	if s >= sEscWord && s <= sEscOther { // a step is the same with and without its escape
		s = [...]int{sWord, sMark, sSpace, sLine, sSymbol}[s-sEscWord]
	}
	switch {
	case c >= cRune:
		to := int(runeClasses[c-cRune].state)
		if to == sCyrillic && (s == sCyrillic || s == sCyrillics) {
			to = sCyrillics
		}
		return to
	case c < 26:
		letter := byte('a' + c)
		switch n := wordLength(s); {
		case n > 0:
			return word(min(n+1, 4), letter)
		case s == sUpper:
			return word(2, letter)
		case s == sUppers || s == sCamel || s == sAccented:
			return word(3, letter)
		case s >= sDigit1 && s <= sDigit3 || s >= sMixedLower && s <= sMixedDigit:
			return sMixedLower
		}
		return word(1, letter)
	}
	switch c {
	case cUpperCommon, cUpper, cUpperRare:
		switch {
		case wordLength(s) > 0:
			return sCamel
		case s == sUpper || s == sUppers:
			return sUppers
		case s == sCamel || s >= sMixedLower && s <= sMixedDigit || s >= sDigit1 && s <= sDigit3:
			return sMixedUpper
		}
		return sUpper
	case cZero, cDigit:
		switch s {
		case sDigit1:
			return sDigit2
		case sDigit2:
			return sDigit3
		case sMixedLower, sMixedUpper, sMixedDigit:
			return sMixedDigit
		}
		return sDigit1
	case cSpace:
		switch s {
		case sLine:
			return sIndent
		case sIndent, sIndents, sTab:
			return sIndents
		case sSpace:
			return sSpace2
		case sSpace2, sSpaces:
			return sSpaces
		}
		return sSpace
	case cLine, cReturn:
		return sLine
	case cTab:
		return sTab
	}
	to := [...]int{cUnderscore: sUnderscore, cMinus: sMinus, cEquals: sEquals, cStar: sStar, cHash: sHash, cDot: sDot, cSlash: sSlash,
		cDouble: sQuote, cSingle: sQuote, cBacktick: sQuote, cParen: sOpen, cBracket: sOpen, cBrace: sOpen, cLess: sOpen,
		cCloseParen: sClose, cCloseBracket: sClose, cCloseBrace: sClose, cGreater: sClose, cComma: sComma, cColon: sComma,
		cSemicolon: sComma, cMark: sMark, cBackslash: sMark, cControl: sMark}[c]
	if kindOf(s) == inMark && to != s && c != cDouble && c != cBackslash {
		return sMarks
	}
	return to
}
