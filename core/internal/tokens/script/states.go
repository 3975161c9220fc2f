package script

// The states of the script estimator describe what precedes the next character. Words of lower-case letters have a
// state for their length so far and the group of their last letter, because tokenizers have learned common words and
// letter pairs as one token. The other states reflect what the splitting rules of tokenizers look at.
const (
	sLine   = iota // the start, and after a line feed
	sSpace         // after one space
	sSpaces        // after more white space
	sIndent        // one space after a line feed
	sTab
	sDigit1 // tokenizers take digits in groups of up to three
	sDigit2
	sDigit3
	sUpper      // a capital at the start of a word
	sUppersV    // two of them, the last a vowel
	sUppersC    // two of them, the last a consonant
	sCapitalsV  // more of them, the last a vowel
	sCapitalsC  // more of them, the last a consonant
	sCamel      // a capital after a small letter
	sMixedLower // in a run that changes
	sMixedUpper
	sMixedDigit
	sUnderscore
	sMinus
	sRule // two or more - or =
	sEquals
	sDot
	sSlash
	sQuote
	sOpen
	sClose
	sComma
	sBackslash
	sMark      // other punctuation
	sMarks     // several marks
	sEscWord   // after the backslash of a JSON escape, by the kind of the preceding state
	sEscMark   //
	sEscSpace  //
	sEscLine   //
	sEscOther  //
	sAccented  // a Latin letter with an accent
	sCyrillic1 // one letter
	sCyrillic2
	sCyrillicV // more of them, the last a vowel
	sCyrillicC // more of them, the last a consonant
	sLetter    // a letter of any other script
	sKana
	sHan
	sEmoji
	sBox    // box drawing and blocks
	sSymbol // any other character
	sWord   // words of lower-case letters begin here
)

const states = 64

// wordGroups lists the letters with which words of one, two, three and more letters may end, grouped by how words
// continue after them. Among the groupings tried, this one has the smallest differences between weights that were
// fitted with a state for each letter. Each group has a state.
var wordGroups = [...][]string{
	{"acfkqrs", "bdeghijlmnopvxyz", "tuw"},
	{"abejlmn", "cdfhorstvxyz", "gikpquw"},
	{"abghjkwxy", "cdfmoprv", "etu", "ilnqsz"},
	{"ahy", "bpux", "clmr", "di", "ejz", "fgtvw", "knq", "os"},
}

// wordStates holds the states after words, by length (up to 4) and last letter. lengths holds the word lengths, by
// state.
var wordStates, lengths = func() (of [len(wordGroups) + 1][26]uint8, lengths [states]uint8) {
	s := sWord
	for n, groups := range wordGroups {
		for _, group := range groups {
			for _, c := range group {
				of[n+1][c-'a'] = uint8(s)
			}
			lengths[s] = uint8(n + 1)
			s++
		}
	}
	return of, lengths
}()

// letterGroup groups letters by how words continue after them; the first two groups are vowels.
var letterGroup = func() (g [26]uint8) {
	for i, group := range []string{"ae", "iou", "tnsr", "ldcmh", "pgfbwy", "kvjxqz"} {
		for _, c := range group {
			g[c-'a'] = uint8(i)
		}
	}
	return g
}()

// word returns the state after a word of n letters that ends in c. n is from 1 to 4; 4 also
// represents longer words.
func word(n int, c byte) int { return int(wordStates[n][c-'a']) }

// wordLength returns the length, up to 4, of the word so far in a state; 0 for states outside words.
func wordLength(s int) int { return int(lengths[s]) }

// The classes of characters. Lower-case letters are 0 to 25, and upper-case letters are cUpper to cZero - 1.
const (
	cUpper = 26
	cZero  = 52 + iota - 1
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
		case c >= 'A' && c <= 'Z':
			m[c] = uint8(cUpper + c - 'A')
		case c >= '1' && c <= '9':
			m[c] = cDigit
		}
	}
	for i, c := range "0 \n\r\t\x01_-=*#./\"'`([{<)]}>,:;" {
		order := [...]uint8{cZero, cSpace, cLine, cReturn, cTab, cBackslash, cUnderscore, cMinus, cEquals, cStar, cHash,
			cDot, cSlash,
			cDouble, cSingle, cBacktick, cParen, cBracket, cBrace, cLess, cCloseParen, cCloseBracket, cCloseBrace,
			cGreater,
			cComma, cColon, cSemicolon}
		m[c] = order[i]
	}
	return m
}()

// The kinds of states, by the sort of text that a state follows. Some steps are weighed by kind, because the state
// itself is too specific.
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

// next returns the state after a character of class c in state s.
func next(s, c int) int {
	if s >= sEscWord && s <= sEscOther { // the next steps are the same
		s = [...]int{sWord, sMark, sSpace, sLine, sSymbol}[s-sEscWord]
	}
	switch {
	case c >= cRune:
		return nextRune(s, runeClasses[c-cRune].state)
	case c < 26:
		return nextLetter(s, byte('a'+c))
	case c < cZero:
		return nextCapital(s, byte('a'+c-cUpper))
	}
	switch c {
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
		case sSpace, sSpaces, sIndent, sTab:
			return sSpaces
		}
		return sSpace
	case cLine, cReturn:
		return sLine
	case cTab:
		return sTab
	case cBackslash:
		return sBackslash
	}
	if c == cMinus && s == sMinus || c == cEquals && s == sEquals || s == sRule && (c == cMinus || c == cEquals) {
		return sRule
	}
	to := markState[c]
	if kindOf(s) == inMark && to != s && c != cDouble {
		return sMarks
	}
	return to
}

var markState = [...]int{cUnderscore: sUnderscore, cMinus: sMinus, cEquals: sEquals, cStar: sMark, cHash: sMark,
	cDot: sDot, cSlash: sSlash,
	cDouble: sQuote, cSingle: sQuote, cBacktick: sQuote, cParen: sOpen, cBracket: sOpen, cBrace: sOpen, cLess: sOpen,
	cCloseParen: sClose, cCloseBracket: sClose, cCloseBrace: sClose, cGreater: sClose, cComma: sComma, cColon: sComma,
	cSemicolon: sComma, cMark: sMark, cControl: sMark}

// nextLetter returns the state after a lower-case letter in state s.
func nextLetter(s int, letter byte) int {
	switch n := wordLength(s); {
	case n > 0:
		return word(min(n+1, 4), letter)
	case s == sUpper:
		return word(2, letter)
	case s >= sUppersV && s <= sCamel || s == sAccented:
		return word(3, letter)
	case s >= sDigit1 && s <= sDigit3 || s >= sMixedLower && s <= sMixedDigit:
		return sMixedLower
	case s == sBackslash:
		return sMark // the letter of an escape sequence in program text
	}
	return word(1, letter)
}

// nextCapital returns the state after an upper-case letter in state s.
func nextCapital(s int, letter byte) int {
	to := sUppersV
	switch {
	case wordLength(s) > 0:
		return sCamel
	case s == sUpper:
	case s >= sUppersV && s <= sCapitalsC:
		to = sCapitalsV
	case s == sCamel || s >= sMixedLower && s <= sMixedDigit || s >= sDigit1 && s <= sDigit3:
		return sMixedUpper
	default:
		return sUpper
	}
	if letterGroup[letter-'a'] > 1 {
		to++
	}
	return to
}

// nextRune returns the state that follows state s after a non-ASCII character, whose own state is to.
func nextRune(s, to int) int {
	if to != sCyrillicV && to != sCyrillicC {
		return to
	}
	switch s {
	case sCyrillic1:
		return sCyrillic2
	case sCyrillic2, sCyrillicV, sCyrillicC:
		return to
	}
	return sCyrillic1
}
