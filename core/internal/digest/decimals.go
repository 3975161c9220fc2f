package digest

import "strings"

// A program that computes with binary fractions often prints the residue: 113.71000000000004 for 113.71. A reader takes
// such a number for a precise one, and doesn't find the number that the messages name.

// residue is the number of consecutive zeros or nines with which a residue begins. leastFraction is
// the minimum number of decimal places of a number that may have one.
const (
	residue       = 6
	leastFraction = 10
)

// withoutResidue returns a decimal number rounded to the digits before its residue. Any other text is returned unchanged.
func withoutResidue(number string) string {
	point := strings.IndexByte(number, '.')
	if point < 1 || byteClass[number[point-1]]&digit == 0 || len(number)-point-1 < leastFraction {
		return number
	}
	digits := strings.TrimPrefix(number[:point], "-") + number[point+1:]
	if strings.Trim(digits, "0123456789") != "" {
		return number
	}
	if at := strings.Index(number[point:], strings.Repeat("0", residue)); at > 0 && strings.Trim(number[:point+at], "-0.") != "" {
		return strings.TrimRight(number[:point+at], ".")
	}
	if at := strings.Index(number[point:], strings.Repeat("9", residue)); at > 0 {
		return roundedUp(number[:point+at])
	}
	return number
}

// roundedUp increases the last digit of a decimal number by one. The number may end with its decimal point.
func roundedUp(number string) string {
	b := []byte(strings.TrimRight(number, "."))
	for i := len(b) - 1; i >= 0; i-- {
		switch c := b[i]; {
		case c == '.':
		case c == '-':
			return "-1" + string(b[1:])
		case c < '9':
			b[i]++
			return string(b)
		default:
			b[i] = '0'
		}
	}
	return "1" + string(b)
}
