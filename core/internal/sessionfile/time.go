package sessionfile

import "strconv"

// Millis parses a time such as 2026-03-01T10:00:00.000Z and returns milliseconds since 1970, or -1 if it is invalid.
// The fraction of a second may have up to nine digits, or be missing.
func Millis(text string) int64 { return millis(text) }

// millis converts a time in UTC, such as 2026-01-31T10:00:00.123Z, to milliseconds since 1970. It returns -1 for any
// other text.
func millis(text string) int64 {
	const form = "0000-00-00T00:00:00"
	n := len(text) - 1
	if n < len(form) || text[n] != 'Z' {
		return -1
	}
	if !hasForm(text, form) {
		return -1
	}
	number := func(from, to int) int64 {
		v, _ := strconv.ParseInt(text[from:to], 10, 64)
		return v
	}
	ms := fractionMillis(text[len(form):n])
	y, m, d := number(0, 4), number(5, 7), number(8, 10)
	h, min, s := number(11, 13), number(14, 16), number(17, 19)
	if ms < 0 || y < 1970 || m < 1 || m > 12 || d < 1 || d > 31 || h > 23 || min > 59 || s > 60 {
		return -1
	}
	// Compute the days since 1970 in the Gregorian calendar. A year begins in March here, so that a leap day is the
	// last day of its year.
	if m <= 2 {
		y, m = y-1, m+12
	}
	days := 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 719469
	return (((days*24+h)*60+min)*60+s)*1000 + ms
}

// hasForm reports whether text begins like form, in which a 0 matches any digit and any other
// character itself. text must be at least as long as form.
func hasForm(text, form string) bool {
	for i := range len(form) {
		c := text[i]
		if c >= '0' && c <= '9' {
			c = '0'
		}
		if c != form[i] {
			return false
		}
	}
	return true
}

// fractionMillis returns the milliseconds in a fraction of a second such as ".25", 0 for "", or -1 if the fraction is
// invalid.
func fractionMillis(fraction string) int64 {
	if fraction == "" {
		return 0
	}
	if fraction[0] != '.' || len(fraction) < 2 || len(fraction) > 10 {
		return -1
	}
	for i := 1; i < len(fraction); i++ {
		if fraction[i] < '0' || fraction[i] > '9' {
			return -1
		}
	}
	ms, _ := strconv.ParseInt((fraction[1:] + "00")[:3], 10, 64)
	return ms
}

// nextTime returns the time for the next new line: one millisecond after the previous one, and later than all times in
// the file.
func (s *saver) nextTime() string {
	if s.time == 0 {
		s.time = max(millis(s.in.Time), s.latest+1, 0) - 1
	}
	s.time++
	return iso(s.time)
}

// iso formats milliseconds since 1970 in the form that millis reads.
func iso(ms int64) string {
	days, ms := ms/86_400_000, ms%86_400_000
	// The Gregorian calendar in eras of 400 years, which begin on March 1.
	days += 719468
	era, day := days/146097, days%146097
	year := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*year + year/4 - year/100
	month := (5*day + 2) / 153
	day -= (153*month+2)/5 - 1
	if year += 400 * era; month < 10 {
		month += 3
	} else {
		month, year = month-9, year+1
	}
	pad := func(n int64, digits int) string {
		text := strconv.FormatInt(n, 10)
		return "0000"[:max(0, digits-len(text))] + text
	}
	return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(ms/3_600_000, 2) + ":" +
		pad(ms/60_000%60, 2) + ":" +
		pad(ms/1000%60, 2) + "." + pad(ms%1000, 3) + "Z"
}
