package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A formula, such as the answer to an exercise, means nothing without the exercise: "4x + 12 = 372, so x = 90."

// operators are the characters of which a formula contains at least one.
const operators = "=+^²³√"

// longestInFormula is the maximum length, in letters, of a word in a formula: "so 3x = 15 and x = 5".
const longestInFormula = 3

// isFormula reports whether a sentence contains an operator after its first character, no long word and no letter
// outside ASCII. The plus sign of a phone number isn't an operator.
func isFormula(s string) bool {
	if !mayOperate(s) { // most sentences
		return false
	}
	letters, operated := 0, false
	for i, c := range s {
		if unicode.IsLetter(c) {
			if letters++; letters > longestInFormula || c >= utf8.RuneSelf {
				return false
			}
			continue
		}
		letters = 0
		switch {
		case i == 0:
		case c == '+':
			operated = operated || i+1 < len(s) && (s[i-1] == ' ') == (s[i+1] == ' ')
		case strings.ContainsRune(operators, c):
			operated = true
		}
	}
	return operated
}

// operating marks the bytes with which operators begin.
var operating = func() (begins [256]bool) {
	for i := range operators { // the first byte of each
		begins[operators[i]] = true
	}
	return begins
}()

// mayOperate reports whether a sentence contains a byte with which an operator begins.
func mayOperate(s string) bool {
	for i := 0; i < len(s); i++ {
		if operating[s[i]] {
			return true
		}
	}
	return false
}
