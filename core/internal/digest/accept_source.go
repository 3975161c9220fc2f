package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A summary is checked against the text that the model was given. Models compute, round and translate, and repeating a
// request is expensive. A summary is therefore rejected only if most of the checkable facts in it are wrong.
const (
	mostChecked = 64 // maximum number of quotes that are looked up
	// The minimum number of names, numbers, quotes or people that the source doesn't have, in a summary that is rejected
	// because of them.
	leastNames   = 4
	leastNumbers = 6
	leastQuotes  = 3
	leastPeople  = 6
	leastWords   = 20 // minimum number of content words in a text that can be rejected as off topic
	// Minimum number of function words in a text that is taken for a translation because few of these words occur in
	// the source.
	leastSmall    = 8
	leastRepeated = 90  // minimum number of words in a text that can be rejected as repetitive
	quoteBytes    = 24  // minimum length of quotes; shorter ones are names and values
	mostWrong     = 160 // about the maximum length, in bytes, of a list of wrong terms
)

// CheckSource checks a summary against source, which contains the record of the conversation and
// everything else that the model was told about it. asks is the rest of the summary request.
// CheckSource returns "" as why if it accepts the summary. If it rejects the summary because most
// of its names, numbers, quotes or people are missing from the source, wrong lists these, separated
// by ", ", so that a retry can mention them. Otherwise wrong is "".
func CheckSource(text, source, asks string) (why api.SummaryFault, wrong string) {
	if echoes(text, asks) {
		return api.FaultEmpty, ""
	}
	low := lower(source)
	var names, numbers, quotes found
	var seen critbit.Map[struct{}]
	var has *critbit.Map[struct{}] // the numbers of the source, read on demand
	timed := false                 // whether the source has times of day in digits
	contains := func(digits string) bool {
		if has == nil {
			has, timed = numbersIn(source)
		}
		return has.Has(digits)
	}
	eachTime(text, func(hour, minute int) {
		time := itoa(hour) + ":" + two(minute)
		if seen.Has(time) {
			return
		}
		seen.Add(time)
		if known := hasTime(contains, hour, minute) || hasTime(contains, (hour+12)%24, minute); known || timed {
			numbers.add(time, known)
		}
	})
	eachTerm(text, func(kind termKind, term string) {
		if seen.Has(term) || kind == errorTerm || isDate(term) {
			return
		}
		seen.Add(term)
		if kind != numberTerm {
			names.add(term, strings.Contains(low, lower(term[strings.LastIndexByte(strings.TrimRight(term, "/"), '/')+1:])))
			return
		}
		digits := digitsOf(term)
		if len(digits) < 3 {
			return
		}
		numbers.add(term, contains(digits) || contains(strings.TrimSuffix(digits, "000")) || strings.Contains(low, lower(term)))
	})
	flat := flatText(low)
	for rest := text; quotes.all < mostChecked; {
		from := strings.IndexAny(rest, "\"“")
		if from < 0 {
			break
		}
		_, after, _ := strings.Cut(rest[from:], "“")
		if rest[from] == '"' {
			after = rest[from+1:]
		}
		quote, more, closed := cutQuote(after)
		if !closed {
			break
		}
		if rest = more; len(quote) >= quoteBytes {
			quotes.add(quote, strings.Contains(flat, flatText(lower(quote))))
		}
	}
	switch {
	case names.mostly(leastNames):
		return api.FaultUnfounded, names.wrong
	case quotes.mostly(leastQuotes):
		return api.FaultUnfounded, quotes.wrong
	case numbers.mostly(leastNumbers):
		return api.FaultUnfounded, numbers.wrong
	}
	switch people, offTopic := strangers(text, source, low); {
	case people.mostly(leastPeople):
		return api.FaultUnfounded, people.wrong
	case offTopic && names.known+numbers.known+quotes.known+people.known == 0:
		return api.FaultTopic, ""
	}
	return "", ""
}

// found counts the terms of one kind in a text (all), and how many of them the source contains (known). wrong lists the
// others, in at most about mostWrong bytes.
type found struct {
	all, known int
	wrong      string
}

// add counts a term, what. known means that the source contains it. If not, add also appends it to
// wrong, as long as there is room.
func (f *found) add(what string, known bool) {
	if f.all++; known {
		f.known++
	} else if len(f.wrong)+len(what) < mostWrong {
		if f.wrong != "" {
			f.wrong += ", "
		}
		f.wrong += Fence(clipLine(what, mostWrong))
	}
}

// count counts a term, which the source contains if known is set, without adding it to wrong, so a retry doesn't
// mention it.
func (f *found) count(known bool) {
	if f.all++; known {
		f.known++
	}
}

// mostly reports whether at least three quarters of the terms, and at least least of them, are missing from the source.
func (f *found) mostly(least int) bool {
	unknown := f.all - f.known
	return unknown >= least && unknown*4 >= f.all*3
}

// numbersIn returns the digits of all numbers and times of day in text, and whether text contains any times of day.
func numbersIn(text string) (has *critbit.Map[struct{}], timed bool) {
	has = new(critbit.Map[struct{}])
	eachNumber(text, func(from, to int) { has.Add(digitsOf(text[from:to])) })
	eachTime(text, func(hour, minute int) {
		timed = true
		has.Add(itoa(hour*100 + minute))
	})
	return has, timed
}

// hasTime reports whether a source contains a time of day written as 9:05 or 9.05 or, if it is 9:00, just as 9.
// contains reports whether the source contains a number.
func hasTime(contains func(digits string) bool, hour, minute int) bool {
	return contains(itoa(hour*100+minute)) || minute == 0 && contains(itoa(hour))
}

// isDate reports whether a term may be a date in digits, like 2024-03-15 or 15.3.2024. The record may spell the same
// date in words.
func isDate(term string) bool {
	groups := 1
	for i := range len(term) {
		switch c := term[i]; {
		case c == '-' || c == '.':
			groups++
		case c < '0' || c > '9':
			return false
		}
	}
	return groups == 3
}

// eachTime calls see with the hour and the minute of each time of day in text that is written like
// 9:05 or 21:05, without seconds.
func eachTime(text string, see func(hour, minute int)) {
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	isColon := func(i int) bool { return i >= 0 && i < len(text) && text[i] == ':' }
	for i := 1; i+2 < len(text); i++ {
		if text[i] != ':' {
			continue
		}
		inDigits := isDigit(i-1) && isDigit(i+1) && isDigit(i+2)
		longer := isDigit(i-3) || isDigit(i+3)                  // a number of more than two digits
		seconds := isColon(i-3) || isColon(i+3) && isDigit(i+4) // the colon is the second of two, or another follows
		if !inDigits || longer || seconds {
			continue
		}
		hour, minute := int(text[i-1]-'0'), int(text[i+1]-'0')*10+int(text[i+2]-'0')
		if isDigit(i - 2) {
			hour += int(text[i-2]-'0') * 10
		}
		if hour < 24 && minute < 60 {
			see(hour, minute)
		}
	}
}

// two returns a number below 100 as two digits.
func two(n int) string { return itoa(n/10) + itoa(n%10) }

// echoes reports whether text only repeats the request: all of its lines except headings occur in
// asks, the request, and at least one of them has quoteBytes bytes or more.
func echoes(text, asks string) bool {
	echoed := false
	for line := range strings.Lines(text) {
		_, said := listItem(strings.TrimSpace(line))
		if said == "" || said[0] == '#' {
			continue
		}
		if !strings.Contains(asks, said) {
			return false
		}
		echoed = echoed || len(said) >= quoteBytes
	}
	return echoed
}

// digitsOf returns the digits in s without any separators.
func digitsOf(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// cutQuote returns the quote at the beginning of s, up to the next closing quotation mark on the
// same line, and the text after the mark. closed is false if there is no such mark; the other
// results are then "".
func cutQuote(s string) (quote, rest string, closed bool) {
	line, _, _ := strings.Cut(s, "\n")
	at := strings.IndexAny(line, "\"”")
	if at < 0 {
		return "", "", false
	}
	size := 1
	if line[at] != '"' {
		size = len("”")
	}
	return line[:at], s[at+size:], true
}

// flatText returns a text without ASCII punctuation, and with single spaces between words. low is
// the text, in lower case.
func flatText(low string) string {
	var b strings.Builder
	space := false
	for i := 0; i < len(low); i++ {
		c := low[i]
		if c >= 0x80 || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteByte(c)
			continue
		}
		space = true
	}
	return b.String()
}

// mayBeName reports whether a word inside a sentence looks like the name of a person or a place.
func mayBeName(word string, w words.Word) bool {
	return w.Kind&words.Capital != 0 && len(word) > 2 && !strings.ContainsAny(word, "0123456789_")
}

// strangers looks in the source for the people and places that text names. It takes capitalized
// words inside a sentence for such names, and counts them in people. offTopic is true if text
// shares almost no words with the source. If text is a translation, strangers returns zero values.
// If it may be one, because half of its function words are missing from the source, names that are
// missing don't count, and text needs twice as many words to be off topic. low is the source in
// lower case.
func strangers(text, source, low string) (people found, offTopic bool) {
	stems := words.StemsOf([]string{source})
	var small, content found
	var own critbit.Map[struct{}]
	var ws []words.Word
	for line := range strings.Lines(text) {
		if line[0] == '#' || strings.HasPrefix(line, "**") {
			continue
		}
		ws = words.Append(ws[:0], line)
		for k, w := range ws {
			word := line[w.From:w.End]
			if own.Has(word) {
				continue
			}
			own.Add(word)
			known := stems.Has(w.Stem)
			switch {
			case w.Kind&words.Short != 0 || frequent.Has(w.Stem):
				small.count(known)
				continue
			case k > 0 && mayBeName(word, w) && strings.TrimRight(line[ws[k-1].End:w.From], " ") == "":
				people.add(word, known || strings.Contains(low, lower(word)))
			}
			content.count(known)
		}
	}
	if scriptsOf(text) != scriptsOf(source) || small.all >= leastSmall && small.known*4 <= small.all { // a translation
		return found{}, false
	}
	least := leastWords
	if small.known*2 <= small.all && small.all > 0 { // maybe a translation
		people.all, least = people.known, 2*leastWords
	}
	return people, content.all >= least && content.known*10 < content.all
}

// scriptsOf returns the language that the script of text identifies, or "".
func scriptsOf(text string) string { return Language([]string{text}) }

// repeats reports whether text is repetitive: three quarters of its sequences of runWords words
// repeat an earlier one.
func repeats(text string) bool {
	ws := make([]words.Word, 0, len(text)/6)
	for line := range strings.Lines(text) {
		_, said := listItem(strings.TrimSpace(line))
		ws = words.Append(ws, said)
	}
	if len(ws) < leastRepeated {
		return false
	}
	runs := make(map[uint64]struct{}, len(ws))
	for i := range len(ws) - runWords {
		print := uint64(runWords)
		for _, w := range ws[i : i+runWords] {
			print = (print ^ uint64(w.Stem)) * 1099511628211
		}
		runs[print] = struct{}{}
	}
	return len(runs)*4 <= len(ws)
}

// runWords is the number of words in a sequence; in scripts without spaces, it is the number of character pairs.
const runWords = 6
