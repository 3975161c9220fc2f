package sessionfile

import "strconv"

// Millis reads a time as agents write it, 2026-03-01T10:00:00.000Z, and returns milliseconds since 1970; -1 where it is none. The
// fraction of a second may have any number of digits, or be missing.
func Millis(text string) int64 { return millis(text) }

func millis(text string) int64 {
	const form = "0000-00-00T00:00:00"
	n := len(text) - 1
	if n < len(form) || text[n] != 'Z' {
		return -1
	}
	for i := range len(form) {
		if digit := text[i] >= '0' && text[i] <= '9'; digit != (form[i] == '0') || !digit && text[i] != form[i] {
			return -1
		}
	}
	number := func(from, to int) int64 {
		v, _ := strconv.ParseInt(text[from:to], 10, 64)
		return v
	}
	ms := int64(0)
	if fraction := text[len(form):n]; fraction != "" {
		if fraction[0] != '.' || len(fraction) < 2 || len(fraction) > 10 {
			return -1
		}
		for i := 1; i < len(fraction); i++ {
			if fraction[i] < '0' || fraction[i] > '9' {
				return -1
			}
		}
		ms, _ = strconv.ParseInt((fraction[1:] + "00")[:3], 10, 64)
	}
	y, m, d := number(0, 4), number(5, 7), number(8, 10)
	h, min, s := number(11, 13), number(14, 16), number(17, 19)
	if y < 1970 || m < 1 || m > 12 || d < 1 || d > 31 || h > 23 || min > 59 || s > 60 {
		return -1
	}
	// Days since 1970 in the Gregorian calendar; a year begins in March, so that the day of a leap year is its last one.
	if m <= 2 {
		y, m = y-1, m+12
	}
	days := 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 719469
	return (((days*24+h)*60+min)*60+s)*1000 + ms
}
