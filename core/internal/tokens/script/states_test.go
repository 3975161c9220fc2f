package script

import "testing"

// behind returns the state after text.
func behind(text string) int {
	s := sLine
	for b := []byte(text); len(b) > 0; {
		c, n := classOf(b)
		s = next(s, c)
		b = b[n:]
	}
	return s
}

func TestStates(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", sLine}, {"a\n", sLine}, {"a\r", sLine}, {"\n ", sIndent}, {"a ", sSpace}, {"a  ", sSpaces}, {"a   ", sSpaces}, {"\n  ", sSpaces},
		{"a\t", sTab}, {"a\t ", sSpaces},
		// digits go in threes
		{"1", sDigit1}, {"10", sDigit2}, {"103", sDigit3}, {"1030", sDigit1}, {"a 0", sDigit1}, {"a1", sDigit1},
		// words by their length and last letter
		{"t", word(1, 't')}, {"to", word(2, 'o')}, {"the", word(3, 'e')}, {"then", word(4, 'n')}, {"thence", word(4, 'e')},
		{"To", word(2, 'o')}, {"TOx", word(3, 'x')}, {"aBc", word(3, 'c')}, {"éa", word(3, 'a')}, {"\\n", sMark}, {"_n", word(1, 'n')},
		// capitals
		{"T", sUpper}, {" T", sUpper}, {".T", sUpper}, {"TO", sUppersV}, {"OT", sUppersC}, {"TOO", sCapitalsV}, {"TOT", sCapitalsC},
		{"TOTO", sCapitalsV}, {"aB", sCamel}, {"aBC", sMixedUpper}, {"1B", sMixedUpper}, {"éB", sUpper},
		// runs that change often
		{"1b", sMixedLower}, {"12b", sMixedLower}, {"1bc", sMixedLower}, {"1b2", sMixedDigit}, {"1bC", sMixedUpper}, {"1B2", sMixedDigit},
		{"1b23", sMixedDigit}, {"1b2c", sMixedLower},
		// marks
		{"-", sMinus}, {"--", sRule}, {"---", sRule}, {"=", sEquals}, {"==", sRule}, {"--=", sRule}, {"==-", sRule}, {"-=", sMarks}, {"=-", sMarks},
		{"--.", sMarks}, {"--a", word(1, 'a')}, {"a_", sUnderscore}, {".", sDot}, {"..", sDot}, {"./", sMarks}, {"/", sSlash}, {"//", sSlash},
		{"'", sQuote}, {"'\"", sQuote}, {".\"", sQuote}, {".'", sMarks}, {"(", sOpen}, {"([", sOpen}, {")", sClose}, {"()", sMarks}, {"a)", sClose}, {",", sComma}, {":", sComma},
		{"*", sMark}, {"#", sMark}, {"a~", sMark}, {"*~", sMark}, {"*.", sMarks}, {"\x02", sMark}, {"\\", sBackslash},
		// other scripts
		{"é", sAccented}, {"т", sCyrillic1}, {"те", sCyrillic2}, {"тес", sCyrillicC}, {"тесто", sCyrillicV}, {" ж", sCyrillic1}, {"aж", sCyrillic1},
		{"ไ", sLetter}, {"か", sKana}, {"漢", sHan}, {"😀", sEmoji}, {"─", sBox}, {"☂", sEmoji}, {"→", sSymbol},
	} {
		if got := behind(c.text); got != c.want {
			t.Errorf("behind %q is state %d, not %d", c.text, got, c.want)
		}
	}
	// A character that comes as an escape is followed by what follows it otherwise.
	for s, as := range map[int]int{sEscWord: sWord, sEscMark: sMark, sEscSpace: sSpace, sEscLine: sLine, sEscOther: sSymbol} {
		for c := range classes {
			if next(s, c) != next(as, c) {
				t.Errorf("class %d behind escape %d: state %d, not %d", c, s, next(s, c), next(as, c))
			}
		}
	}
}

// Checks which steps share a weight, and which don't.
func TestTies(t *testing.T) {
	class := func(char string) int { return Class(char) }
	for _, c := range []struct {
		name         string
		s1           int
		c1           string
		s2           int
		c2           string
		sharesWeight bool
	}{
		{"letters behind a space", sSpace, "a", sSpace, "b", false},
		{"letters behind a digit", sDigit1, "a", sDigit1, "b", true},
		{"letters inside words", word(2, 'e'), "a", word(2, 'e'), "b", false},
		{"letters behind words of several lengths", word(2, 'e'), "a", word(3, 'e'), "a", false},
		{"capitals behind a space", sSpace, "A", sSpace, "E", false},
		{"capitals in capitals", sCapitalsC, "A", sCapitalsC, "E", false},
		{"capitals behind a small letter, of one group", word(2, 'e'), "A", word(2, 'e'), "E", true},
		{"capitals behind a small letter, of two", word(2, 'e'), "A", word(2, 'e'), "T", false},
		{"capitals behind words of several lengths", word(2, 'e'), "A", word(3, 'e'), "A", true},
		{"line feeds behind marks", sDot, "\n", sComma, "\n", true},
		{"line feeds behind a mark and a word", sDot, "\n", word(3, 'e'), "\n", false},
		{"spaces behind words of one length", word(3, 'a'), " ", word(3, 'e'), " ", true},
		{"spaces behind words of several lengths", word(2, 'e'), " ", word(3, 'e'), " ", false},
		{"spaces behind marks", sDot, " ", sComma, " ", false},
		{"dots behind words", word(2, 'e'), ".", word(3, 'a'), ".", true},
		{"dots behind digits", sDigit1, ".", sDigit3, ".", true},
		{"dots behind digits and words", sDigit1, ".", word(3, 'a'), ".", false},
		{"dots in mixed runs", sMixedLower, ".", sMixedDigit, ".", true},
		{"dots behind a Kana and a Han character", sKana, ".", sHan, ".", true},
		{"dots behind a Han character and a mark", sHan, ".", sComma, ".", false},
		{"Han characters behind a Han character and a mark", sHan, "漢", sComma, "漢", false},
		{"Han characters behind marks", sDot, "漢", sComma, "漢", true},
		{"Han characters behind marks and spaces", sDot, "漢", sSpace, "漢", false},
		{"Han characters behind words and marks", word(3, 'a'), "漢", sComma, "漢", false},
		{"Cyrillic letters by what is before them", sCyrillic2, "т", sCyrillicC, "т", false},
	} {
		if got := tie(c.s1, class(c.c1)) == tie(c.s2, class(c.c2)); got != c.sharesWeight {
			t.Errorf("%s share one weight: %t", c.name, got)
		}
	}
}

// The codes in a table represent the squares of their values, in 1/16384 token.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		tokens float64
		want   uint8
	}{{0, 0}, {1, 128}, {0.25, 64}, {1. / 16384, 1}, {3.969, 255}, {100, 255}, {-1, 0}} {
		if got := Code(c.tokens); got != c.want {
			t.Errorf("%v tokens are code %d, not %d", c.tokens, got, c.want)
		}
	}
	if got := Tokens(192); got != 2.25 {
		t.Errorf("code 192 is %v tokens", got)
	}
}
