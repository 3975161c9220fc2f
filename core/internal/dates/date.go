// Package dates finds dates in text: dates in headers, which show when the text after them was
// written, and dates that the text mentions.
//
// The package has no clock: it doesn't know today's date.
package dates

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Date is a day, a month or a year: year<<9 | month<<5 | day. Unknown parts are 0. The year of a day or a month can be
// unknown.
type Date int32

// New returns a date, or 0 if a part is out of range or there is a day without a month.
func New(year, month, day int) Date {
	if year < 0 || year > 9999 || month < 0 || month > 12 || day < 0 || day > 31 || month == 0 && day > 0 {
		return 0
	}
	return Date(year<<9 | month<<5 | day)
}

// Year returns the year, or 0 if the year is unknown.
func (d Date) Year() int { return int(d >> 9) }

// Month returns the month, from 1 to 12, or 0 if the month is unknown.
func (d Date) Month() int { return int(d >> 5 & 15) }

// Day returns the day of the month, from 1 to 31, or 0 if the day is unknown.
func (d Date) Day() int { return int(d & 31) }

// Matches reports whether d is the date of, or lies within it, as a day lies within a month.
func (d Date) Matches(of Date) bool {
	return d != 0 && (of.Year() == 0 || of.Year() == d.Year()) && (of.Month() == 0 || of.Month() == d.Month()) &&
		(of.Day() == 0 || of.Day() == d.Day())
}

// Last returns an upper bound for the days of a year or a month, for comparisons. The result need not exist, such as
// February 31. A day is returned unchanged.
func (d Date) Last() Date {
	switch {
	case d.Month() == 0:
		return d | 12<<5 | 31
	case d.Day() == 0:
		return d | 31
	}
	return d
}

// Append appends a date in ISO 8601 form to dst, up to its last known part. An unknown year is
// written as 0000.
func (d Date) Append(dst []byte) []byte {
	y := d.Year()
	dst = append(dst, byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10))
	for _, n := range [...]int{d.Month(), d.Day()} {
		if n == 0 {
			break
		}
		dst = append(dst, '-', byte('0'+n/10), byte('0'+n%10))
	}
	return dst
}

// Parse parses a date in ISO 8601 form: a year, a month, or a day, after which a time may follow. It returns false
// for any other text.
func Parse(text string) (Date, bool) {
	var n [3]int
	rest := text
	for k, size := range [...]int{4, 2, 2} {
		if digitsAt(rest) < size {
			return 0, false
		}
		n[k], _ = strconv.Atoi(rest[:size])
		if rest = rest[size:]; rest == "" || k == 2 || rest[0] != '-' {
			break
		}
		rest = rest[1:]
	}
	if rest != "" && (n[2] == 0 || rest[0] != 'T' && rest[0] != ' ') || len(text) > 4 && n[1] == 0 || len(text) > 7 && n[2] == 0 {
		return 0, false
	}
	d := New(n[0], n[1], n[2])
	return d, d != 0
}

// OfEpoch returns the day of a Unix time, in seconds or milliseconds, or 0 if it is not plausible.
func OfEpoch(n int64) Date {
	if n > 1e11 {
		n /= 1000
	}
	if n < 1e8 || n > 1e11 {
		return 0
	}
	return ofDays(int(n / 86400))
}

// mostDates is the maximum number of dates that FindDates returns.
const mostDates = 8

// token is a word of text: a number, the name of a month, or something else.
type token struct {
	number int    // the number; -1 for other words
	digits int    // the number's digits, 0 for other words
	month  int    // the month that it names, from 1 to 12; 0 for other words
	sure   bool   // it is the name of a month and has no other meaning
	unit   rune   // the unit after a number, 'y', 'm' or 'd', for signs such as 年, 月 and 日
	gap    string // the text between it and the previous word
}

// Found is a date in text, at text[From:End], in bytes.
type Found struct {
	Date
	From, End int
}

// FindDates returns the first dates in text, given the words of the text. There are at most mostDates of them, in the
// order of the text.
func FindDates(text string, ws []words.Word) (found []Found) {
	tokens := tokensOf(text, ws)
	for i := 0; i < len(tokens) && len(found) < mostDates; {
		d, n := dateAt(tokens[i:])
		if n == 0 {
			i++
			continue
		}
		end := int(ws[i+n-1].End)
		if tokens[i+n-1].unit != 0 {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		found = append(found, Found{d, int(ws[i].From), end})
		i += n
	}
	return found
}

// tokensOf converts the words of text to tokens. A word that is neither a number nor a month has the number -1.
func tokensOf(text string, ws []words.Word) []token {
	tokens := make([]token, 0, len(ws))
	end := 0
	for i, w := range ws {
		t := token{number: -1}
		if int(w.From) >= end {
			t.gap = text[end:w.From]
		}
		end = max(end, int(w.End))
		spelled := text[w.From:w.End]
		if n := digitsAt(spelled); n > 0 && n <= 4 {
			t.count(spelled, n, text[int(w.From)+n:])
		} else if w.Kind&words.Digit == 0 {
			t.month = monthNamed(strings.ToLower(spelled))
			t.sure = t.month > 0 && (len(spelled) > 3 && !unsure(spelled) ||
				w.Kind&words.Capital != 0 && i > 0 && len(spelled) > 2)
		}
		tokens = append(tokens, t)
	}
	return tokens
}

// count makes the token the number in the first n digits of a word. after is the text after these digits. 3rd, 8th and
// 14T09 count as numbers, but 12b doesn't. It does nothing for a word that isn't a number.
func (t *token) count(spelled string, n int, after string) {
	t.digits, t.unit = n, unitAt(after)
	rest := spelled[n:]
	ordinal := len(rest) == 2 && strings.Contains("st nd rd th", strings.ToLower(rest))
	if rest != "" && rest[0] != 'T' && t.unit == 0 && !ordinal {
		return
	}
	t.number = 0
	for _, c := range spelled[:n] {
		t.number = t.number*10 + int(c-'0')
	}
}

// digitsAt returns the number of digits at the beginning of text.
func digitsAt(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// unitAt returns 'y', 'm' or 'd' if text begins with the sign for year, month or day, and 0 otherwise.
func unitAt(text string) rune {
	for _, u := range [...]struct {
		sign string
		unit rune
	}{{"年", 'y'}, {"년", 'y'}, {"月", 'm'}, {"월", 'm'}, {"日", 'd'}, {"号", 'd'}, {"號", 'd'}, {"일", 'd'}} {
		if strings.HasPrefix(text, u.sign) {
			return u.unit
		}
	}
	return 0
}

func (t *token) isYear() bool { return t.digits == 4 && t.number >= 1900 && t.number <= 2199 }
func (t *token) isDay() bool  { return t.number >= 1 && t.number <= 31 && t.digits <= 2 }

// spellings lists parsers for the ways to spell a date, in the order in which they are tried. Each returns the date
// that begins with the first token and its number of tokens, or 0 tokens if the tokens spell no date in this way.
var spellings = [...]func(ts []token) (Date, int){
	signedDate, isoDate, isoMonth, numberDate, dayAndMonth, monthAndDay, yearAlone}

// dateAt returns the date that begins with the first token, and its number of tokens, or 0 tokens if there is none.
func dateAt(ts []token) (d Date, n int) {
	for _, spelled := range spellings {
		if d, n = spelled(ts); n > 0 {
			return d, n
		}
	}
	return 0, 0
}

// linked reports whether token i exists, is a positive number, and is separated from the token before it by exactly one
// of the characters in signs.
func linked(ts []token, i int, signs string) bool {
	return i < len(ts) && ts[i].number > 0 && len(ts[i].gap) == 1 && strings.Contains(signs, ts[i].gap)
}

// signedDate parses 2023年5月8日. The signs may be tokens, too. It returns the date and the number of tokens that it
// covers, or 0 and 0 if the tokens don't begin with one.
func signedDate(ts []token) (Date, int) {
	is := func(i int, unit rune) bool { return ts[i].number >= 0 && ts[i].unit == unit }
	if !is(0, 'y') && !is(0, 'm') {
		return 0, 0
	}
	var y, m, day int
	n := 0
	for ; n < len(ts) && n < 8 && day == 0; n++ {
		switch {
		case is(n, 'y') && y == 0 && m == 0:
			y = ts[n].number
		case is(n, 'm') && m == 0:
			m = ts[n].number
		case is(n, 'd') && m > 0:
			day = ts[n].number
		case ts[n].number >= 0:
			return New(y, m, day), n
		}
	}
	return New(y, m, day), max(n, 1)
}

// isoDate parses 2023-05-08, 2023/5/8 or 2023.5.8. Its results are those of signedDate.
func isoDate(ts []token) (Date, int) {
	if !ts[0].isYear() || !linked(ts, 1, "-/.") || !linked(ts, 2, "-/.") || ts[1].number > 12 || !ts[2].isDay() {
		return 0, 0
	}
	return New(ts[0].number, ts[1].number, ts[2].number), 3
}

// isoMonth parses 2023-05. Its results are those of signedDate.
func isoMonth(ts []token) (Date, int) {
	if !ts[0].isYear() || !linked(ts, 1, "-") || ts[1].number > 12 || ts[1].digits != 2 {
		return 0, 0
	}
	return New(ts[0].number, ts[1].number, 0), 2
}

// numberDate parses 8.5.2023, 13/5/2023 or 5/13/2023. If it isn't clear which number is the month, the result is only
// the year. Its results are those of signedDate.
func numberDate(ts []token) (Date, int) {
	if !ts[0].isDay() || !linked(ts, 1, "/.-") || !linked(ts, 2, "/.-") || !ts[2].isYear() || !ts[1].isDay() {
		return 0, 0
	}
	first, second, year := ts[0].number, ts[1].number, ts[2].number
	switch {
	case first > 12 && second <= 12, ts[1].gap == "." && second <= 12:
		return New(year, second, first), 3
	case second > 12 && first <= 12:
		return New(year, first, second), 3
	}
	return New(year, 0, 0), 3
}

// dayAndMonth parses 8 May 2023 or 8 de mayo de 2023. The year may be missing. Its results are those of signedDate; a
// missing year is 0.
func dayAndMonth(ts []token) (Date, int) {
	if !ts[0].isDay() {
		return 0, 0
	}
	for i := 1; i < len(ts) && i <= 2; i++ {
		if ts[i].month == 0 {
			continue
		}
		if y := yearAfter(ts, i); y > 0 {
			return New(ts[y].number, ts[i].month, ts[0].number), y + 1
		}
		return New(0, ts[i].month, ts[0].number), i + 1
	}
	return 0, 0
}

// monthAndDay parses May 8, 2023, May 8, May 2023 or May. Its results are those of signedDate; whatever is missing is
// 0.
func monthAndDay(ts []token) (Date, int) {
	month := ts[0].month
	switch y := yearAfter(ts, 0); {
	case month == 0:
		return 0, 0
	case len(ts) > 1 && ts[1].isDay() && ts[1].unit == 0:
		if len(ts) > 2 && ts[2].isYear() {
			return New(ts[2].number, month, ts[1].number), 3
		}
		return New(0, month, ts[1].number), 2
	case y > 0:
		return New(ts[y].number, month, 0), y + 1
	case ts[0].sure:
		return New(0, month, 0), 1
	}
	return 0, 0
}

// yearAlone parses 2023. Its results are those of signedDate.
func yearAlone(ts []token) (Date, int) {
	if !ts[0].isYear() {
		return 0, 0
	}
	return New(ts[0].number, 0, 0), 1
}

// yearAfter returns the index of a year that is at most two tokens after the month at index month, or 0 if there is
// none.
func yearAfter(ts []token, month int) int {
	for i := month + 1; i < len(ts) && i <= month+2; i++ {
		if ts[i].isYear() {
			return i
		}
	}
	return 0
}

// HeaderRoom is the maximum length of a header, in bytes.
const HeaderRoom = 96

// mostBeside is the maximum number of other words in a header with a date: "Session 3, 8 May 2023".
const mostBeside = 4

// Header returns the day in a header at the beginning of text. A header is in brackets or on a short line of its
// own: "[1:56 pm on 8 May, 2023]", "## Session 3, 2023-05-08". The text after the header starts at text[size:]. size
// is 0 if there is no header, or if the date only begins a longer line.
func Header(text string) (day Found, size int) {
	at := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	head := text[at:min(len(text), at+HeaderRoom)]
	if !strings.ContainsAny(head, "0123456789") {
		return Found{}, 0
	}
	line, end, begins := headerLine(head, len(text) < HeaderRoom)
	if line == "" {
		return Found{}, 0
	}
	end += at
	ws := words.Append(nil, line)
	beside := 0
	for _, w := range ws {
		if w.Kind&(words.Digit|words.Pair) == 0 && monthNamed(strings.ToLower(line[w.From:w.End])) == 0 {
			beside++
		}
	}
	if len(ws) > 16 || beside > mostBeside {
		return Found{}, 0
	}
	for _, f := range FindDates(line, ws) {
		if f.Year() == 0 || f.Day() == 0 {
			continue
		}
		f.From, f.End = f.From+at, f.End+at
		if begins {
			return f, 0
		}
		return f, end + len(text[end:]) - len(strings.TrimLeft(text[end:], " :\t\r\n"))
	}
	return Found{}, 0
}

// headerLine returns the part of a text's beginning that may be a header, or "", and the offset of the text after it.
// whole means that head is the whole text. begins means that the line continues after the part.
func headerLine(head string, whole bool) (line string, end int, begins bool) {
	if strings.IndexByte("[(<{", head[0]) >= 0 || strings.HasPrefix(head, "【") {
		closing := strings.IndexAny(head, "])>}】")
		if closing < 0 {
			return "", 0, false
		}
		_, width := utf8.DecodeRuneInString(head[closing:])
		return head[:closing], closing + width, false
	}
	line, _, ended := strings.Cut(head, "\n")
	switch {
	case ended || whole:
		return line, len(line), false
	case digitsAt(head) == 4:
		return line[:min(len(line), len("2023-05-08T13:56:00.000Z"))], len(line), true
	}
	return "", 0, false
}

// monthNamed returns the number of the month with the given name, which must be in lower case; 0 if there is
// none.
func monthNamed(name string) int {
	if len(name) < 2 || len(name) > 40 {
		return 0
	}
	return months.Row(name)
}

// unsure reports whether the name of a month, in this spelling, is also a common word.
func unsure(spelled string) bool {
	switch spelled {
	case "march", "mars", "mart":
		return true
	}
	return false
}

// MayHold reports whether text has enough digits to contain a date.
func MayHold(text []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(text) >= 8; text = text[8:] {
		w := jsonspan.LoadWord(text, 0)
		ten := (w^ones*'0')&^highs | highs // a digit is now a byte less than 10, and the subtraction borrows nothing from the next byte
		n += bits.OnesCount64(^(ten - ones*10) & ^w & highs)
	}
	for _, c := range text {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n >= 5
}

// IsKey reports whether the value under a key of a message is the time when the message was written.
func IsKey(key []byte) bool {
	switch string(key) {
	case "timestamp", "created_at", "createdAt", "date", "time":
		return true
	}
	return false
}

// DateOfValue returns the day in the value of a key for which IsKey is true, or 0 if there is none. value is JSON: a
// date, a header, or a Unix time in seconds or milliseconds.
func DateOfValue(value []byte) Date {
	if len(value) > 1 && value[0] == '"' {
		value = value[1 : len(value)-1]
		text := string(value[:min(len(value), HeaderRoom)])
		if d, ok := Parse(text); ok && d.Day() > 0 {
			return d
		}
		if d, _ := Header(text); d.Date != 0 {
			return d.Date
		}
	}
	n, digits := int64(0), 0
	for _, c := range value {
		if c < '0' || c > '9' || digits > 14 {
			break
		}
		n = n*10 + int64(c-'0')
		digits++
	}
	return OfEpoch(n)
}
