package extract

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/dates"
)

// In a dialogue with a service, the last time that is mentioned is the valid one. Earlier ones were offers, or have
// been changed.

const (
	mostToDay = 2 // the maximum number of words between a time of day and the day of the week
	// The minimum length, in bytes, of text that is kept next to a time in scripts without spaces.
	leastSigned = len("高医生")
)

// Replace removes the times of day from text that said, a newer text about the same matter, makes obsolete: all of them if
// a time in said has a day of the week, otherwise only those without one. What is left is joined by "; ", and may be empty.
// With "Monday at 9:05" as said, "Dr Egger, Friday at 10:40" becomes "Dr Egger".
func Replace(text, said string) string {
	if from, _, _ := timeIn(said); from < 0 {
		return text
	}
	newDay := false
	for rest := said; ; {
		from, to, day := timeIn(rest)
		if from < 0 {
			break
		}
		newDay = newDay || day
		rest = rest[to:]
	}
	var kept []string
	start, at := 0, 0
	for {
		from, to, day := timeIn(text[at:])
		if from < 0 {
			break
		}
		if !day || newDay {
			kept = appendNamed(kept, text[start:at+from], newDay)
			start = at + to
		}
		at += to
	}
	if start == 0 {
		return text
	}
	return strings.Join(appendNamed(kept, text[start:], newDay), "; ")
}

// appendNamed appends a part of text to kept if it says something without the time next to it. If newDay is set, a day
// of the week by itself says nothing.
func appendNamed(kept []string, part string, newDay bool) []string {
	part = strings.TrimLeft(strings.Trim(part, " ,;，；–-"), "?？; ")
	if newDay && dates.IsWeekday(strings.ToLower(part)) {
		return kept
	}
	says := len(part) > 0 && part[0] >= 0x80 && len(part) >= leastSigned
	for i := 0; i < len(part) && !says; i++ {
		says = part[i] >= '0' && part[i] <= '9' || part[i] >= 'A' && part[i] <= 'Z'
	}
	if says {
		kept = append(kept, part)
	}
	return kept
}

// timeIn returns the range, in bytes, of the first time of day in text. The range includes the day of the week next to
// the time, if there is one, and the prepositions before them: "on Friday at 10:40", "周五10点一刻". day reports whether the
// range includes such a day. from is -1 if there is no time.
func timeIn(text string) (from, to int, day bool) {
	for to = 1; to < len(text); to++ {
		switch {
		case !digitAt(text, to-1):
		case text[to] == ':' && digitAt(text, to+1):
			return clockTimeAt(text, to)
		case strings.HasPrefix(text[to:], "点") || strings.HasPrefix(text[to:], "點") || strings.HasPrefix(text[to:], "時"):
			return signedTimeAt(text, to)
		}
	}
	return -1, 0, false
}

// digitAt reports whether text has a digit at index i.
func digitAt(text string, i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }

// signedTimeAt is timeIn for the time whose sign for hours is at index at. The time extends to the next punctuation.
func signedTimeAt(text string, at int) (from, to int, day bool) {
	from = len(strings.TrimRight(text[:at], "0123456789"))
	if n := strings.LastIndex(text[:from], "周"); n >= 0 && from-n <= 2*len("周五") {
		from, day = n, true
	}
	if n := strings.IndexAny(text[at:], ",;，；。"); n >= 0 {
		return from, at + n, day
	}
	return from, len(text), day
}

// clockTimeAt is timeIn for the time whose colon is at index at.
func clockTimeAt(text string, at int) (from, to int, day bool) {
	from, to = len(strings.TrimRight(text[:at], "0123456789")), at+1
	for digitAt(text, to) {
		to++
	}
	if n := dayBefore(text[:from]); n >= 0 {
		from, day = n, true
	} else if n := dayAfter(text[to:]); n >= 0 {
		to, day = to+n, true
	}
	return len(withoutShort(text[:from])), to, day
}

// dayBefore returns the offset of a day of the week that is at most a few words before the end of text, or -1.
func dayBefore(text string) int {
	for range mostToDay + 1 {
		text = strings.TrimRight(text, " ,")
		n := strings.LastIndexByte(text, ' ') + 1
		if dates.IsWeekday(strings.ToLower(text[n:])) {
			return n
		}
		text = text[:n]
	}
	return -1
}

// dayAfter returns the offset of the end of a day of the week that is at most a few words after the beginning of text,
// or -1.
func dayAfter(text string) int {
	at := 0
	for range mostToDay + 1 {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " ,"))
		n := strings.IndexAny(text[at:]+" ", " ,;")
		if dates.IsWeekday(strings.ToLower(text[at : at+n])) {
			return at + n
		}
		if at += n; at < len(text) && text[at] != ' ' {
			break // another part
		}
	}
	return -1
}

// withoutShort returns text without any words of one or two letters at its end: "Dr Egger, on" becomes "Dr Egger,".
func withoutShort(text string) string {
	for {
		trimmed := strings.TrimRight(text, " ")
		n := strings.LastIndexByte(trimmed, ' ') + 1
		if word := trimmed[n:]; len(word) == 0 || len(word) > 2 || word[0]|0x20 < 'a' || word[0]|0x20 > 'z' {
			return trimmed
		}
		text = trimmed[:n]
	}
}
