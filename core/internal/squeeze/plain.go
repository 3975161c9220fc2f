package squeeze

import (
	"strconv"
	"strings"
)

// plain writes line i by itself, because no form for several lines fits.
func (w *writer) plain(i int) {
	s := w.line(i)
	if i >= w.judged {
		w.judgeIndents(i, w.count(), func(i int) string { return w.line(i) })
	}
	if !w.context(s) {
		w.text(w.undent(s))
		w.endLine()
	}
}

// judging is the number of lines that are examined to find out whether brackets determine their indentation.
const judging = 64

// judgeIndents finds out, for the lines from i on, whether brackets determine their indentation, and which indentation
// all of them share. line returns the line with a given index. The lines end before line end. The results are
// w.bracket, w.margin and w.unit, and hold up to line w.judged.
func (w *writer) judgeIndents(i, end int, line func(i int) string) {
	end = min(i+judging, end)
	if !w.bracket {
		w.level, w.opened = -1, false // the indentation of the previous line is unknown
	}
	w.judged, w.bracket, w.margin, w.unit = end, false, 1<<30, 0
	if !w.allows(Indentation) {
		w.margin = 0
		return
	}
	last, opened, lines, agree, deep := 0, false, 0, 0, 0
	for ; i < end; i++ {
		s := line(i)
		at := indentOf(s)
		if at == len(s) {
			continue
		}
		w.margin = min(w.margin, at)
		if closes := closing(s[at]); lines > 0 {
			if opened && !closes && at > last && w.unit == 0 {
				w.unit = at - last
			}
			agree += bit(w.agrees(at, last, opened, closes))
		}
		deep += bit(at > 1)
		lines++
		last, opened = at, opens(s)
	}
	if w.margin == 1<<30 {
		w.margin = 0
	}
	w.bracket = deep >= 4 && agree*4 >= lines*3 && w.unit > 0
}

// agrees reports whether a line with the indentation at is indented as brackets imply: one unit more than the last line
// if that ended with an opening bracket (opened), one unit less if it begins with a closing bracket (closes).
func (w *writer) agrees(at, last int, opened, closes bool) bool {
	switch {
	case opened == closes:
		return at == last
	case opened:
		return at == last+w.unit && w.unit > 0
	}
	return at < last && (w.unit == 0 || at == last-w.unit)
}

// closing reports whether a character is a closing bracket.
func closing(c byte) bool { return c == '}' || c == ')' || c == ']' }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// opens reports whether a line ends with an opening bracket.
func opens(s string) bool {
	for n := len(s) - 1; n >= 0; n-- {
		switch s[n] {
		case ' ', '\t':
			continue
		case '{', '(', '[':
			return true
		}
		break
	}
	return false
}

// undent returns a line without the indentation that brackets imply or that all lines share.
func (w *writer) undent(s string) string {
	at := indentOf(s)
	switch {
	case at == len(s) || at == 0 && !w.bracket:
		return s
	case !w.bracket && w.margin > 1 && at >= w.margin:
		w.forms |= Padding
		return s[w.margin:]
	case !w.bracket:
		return s
	}
	was, opened := w.level, w.opened
	w.level, w.opened = at, opens(s)
	closes := closing(s[at])
	switch {
	case opened && !closes:
		was += w.unit
	case closes && !opened && at < was: // its bracket was opened at this level, whatever the indentation in between
		was = at
	}
	if at != was || at == 0 {
		return s
	}
	w.forms |= Indentation
	return s[at:]
}

// Limits for runs of the same character.
const (
	longRun  = 8 // the minimum length of a run that is cut, in characters
	shortRun = 3 // the length to which it is cut, in characters
)

// text writes a line without its layout: without trailing white space, wide gaps between columns,
// and long runs of the same character. A line that tells an error keeps everything but trailing
// white space, and binary data is cut.
func (w *writer) text(s string) {
	if !w.allows(Padding) {
		w.out = append(w.out, s...)
		return
	}
	s = strings.TrimRight(s, " \t")
	at := indentOf(s)
	gap, run := strings.Index(s[at:], "  "), longSign(s, at)
	if gap < 0 && run < 0 && len(s) < minBinary || tellsError(s) {
		w.out = append(w.out, s...)
		return
	}
	if len(s) >= minBinary && w.allows(Binary) {
		if from, _ := encodedRun(s, 0); from >= 0 {
			w.cut(s)
			return
		}
	}
	if gap = columnGap(s, at, gap); run < 0 {
		run = len(s)
	}
	if gap == len(s) && run == len(s) {
		w.out = append(w.out, s...)
		return
	}
	w.forms |= Padding
	w.writeSigns(s, gap, run)
}

// columnGap returns the position of the first run of spaces that isn't indentation. at is the end of the line's
// indentation, and at+gap the position of the first run of spaces after it (gap can be -1). columnGap returns the
// length of the line if there is no such run, or if the spaces may be inside quotes.
func columnGap(s string, at, gap int) int {
	for gap >= 0 && nests(s[:at+gap]) { // indentation after a mark or a number
		at += gap
		for at < len(s) && s[at] == ' ' {
			at++
		}
		gap = strings.Index(s[at:], "  ")
	}
	if gap < 0 || strings.ContainsAny(s, "\"'`") {
		return len(s)
	}
	return at + gap
}

// writeSigns writes a line, and shortens runs of the same character and runs of spaces after the indentation. gap and
// run are the positions of the first such runs, or the length of the line.
func (w *writer) writeSigns(s string, gap, run int) {
	at, n := 0, len(s)
	for at < n {
		if gap < run {
			w.out = append(w.out, s[at:gap+1]...)
			for at = gap + 2; at < n && s[at] == ' '; at++ {
			}
			if gap = strings.Index(s[at:], "  "); gap < 0 {
				gap = n
			} else {
				gap += at
			}
			continue
		}
		if run == n {
			break
		}
		size := runeSize(s[run])
		end := run + size
		for end+size <= n && s[end:end+size] == s[run:run+size] {
			end += size
		}
		w.out = append(w.out, s[at:run+shortRun*size]...)
		at = end
		if run = longSign(s, at); run < 0 {
			run = n
		}
	}
	w.out = append(w.out, s[at:]...)
}

// nests reports whether white space after s, the beginning of a line, is indentation. This is so after a bar in a tree,
// and after a diff mark in code.
func nests(s string) bool {
	n := len(s)
	switch {
	case n > 0 && s[n-1] == '|', strings.HasSuffix(s, "│"):
		return true
	case n > 1 && (s[n-1] == '+' || s[n-1] == '-'):
		return s[n-2] == ' ' || digit(s[n-2])
	}
	return false
}

func runeSize(c byte) int {
	switch {
	case c < 0x80:
		return 1
	case c < 0xe0:
		return 2
	case c < 0xf0:
		return 3
	}
	return 4
}

// sign reports whether a character that begins with byte c can be part of a drawn line. Such characters are some
// ASCII punctuation, and all characters from U+2000 to U+2FFF, which include dashes, bullets and box drawing.
func sign(c byte) bool {
	switch c {
	case '-', '=', '*', '#', '~', '+', '^', '_', '<', '>', '|', '/', 0xe2:
		return true
	}
	return false
}

// longSign returns the offset of the first run of the same character, at or after from, that is long enough to be cut,
// or -1. The interval at which it samples bytes ensures that one sample in each such run is the last of three equal
// characters.
func longSign(s string, from int) int {
	for i := from + longRun - 1; i < len(s); i += longRun - 2 {
		at := i
		switch {
		case s[i] < 0x80 && s[i-1] == s[i] && s[i-2] == s[i]:
		case s[i] >= 0x80 && i >= from+6 && s[i] == s[i-3] && s[i-1] == s[i-4]:
			for at > i-2 && s[at] != 0xe2 {
				at--
			}
		default:
			continue
		}
		if start := signRun(s, from, at); start >= 0 {
			return start
		}
	}
	return -1
}

// signRun returns the start of the run around the character at offset at, but not before from. It returns -1 if the
// character can't be part of a drawn line, or if the run is too short.
func signRun(s string, from, at int) int {
	size := runeSize(s[at])
	if !sign(s[at]) || at+size > len(s) {
		return -1
	}
	start, end := at, at+size
	for start-size >= from && s[start-size:start] == s[at:at+size] {
		start -= size
	}
	for end+size <= len(s) && s[end:end+size] == s[at:at+size] {
		end += size
	}
	if end-start < longRun*size {
		return -1
	}
	return start
}

// Limits for repeated lines.
const (
	minLine   = 10  // the minimum size of the first line of a repetition, in bytes
	minRepeat = 64  // the minimum size of repeated lines that occurred further above, in bytes
	minAgain  = 48  // the minimum size of lines that repeat those directly above, in bytes
	quoted    = 28  // the number of bytes quoted from a line, so that a reader can find the repeated lines
	maxCycle  = 256 // the maximum number of lines that are repeated together
)

// hash returns a hash of a line. Of a long line, it covers only some bytes.
func hash(s string) uint64 {
	const m = 0x9e3779b97f4a7c15
	h := uint64(len(s)) * m
	for len(s) > 40 { // hashing the ends of a long line suffices: lines with equal hashes are compared
		h = (h ^ firstEight(s) ^ firstEight(s[8:])*3) * m
		h ^= h >> 29
		s = s[len(s)-24:]
	}
	for len(s) >= 8 {
		h = (h ^ firstEight(s)) * m
		h ^= h >> 29
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * m
	}
	return h
}

func firstEight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 |
		uint64(s[6])<<48 | uint64(s[7])<<56
}

// repeats writes a count if lines repeat those directly before them, or a reference if they occurred further above.
// Each line is compared with at most two earlier lines, and a match is used as a whole, so the cost is linear. repeats
// returns the number of lines, or 0 if nothing is repeated.
func (w *writer) repeats(i int) int {
	j := w.equalLineAbove(i)
	if j < 0 {
		return 0
	}
	n, cycle := 1, i-j
	for i+n < w.count() && (n < cycle || cycle <= maxCycle) && w.line(j+n) == w.line(i+n) {
		n++
	}
	if n >= cycle && cycle <= maxCycle {
		return w.writeAgain(i, cycle, n/cycle)
	}
	for n > 1 && blank(w.line(i+n-1)) {
		n--
	}
	return w.writeAbove(i, n)
}

// equalLineAbove returns the index of an earlier line that is equal to line i, and remembers line i for later calls. It
// returns -1 if it finds none among the at most two lines that it compares, if line i is shorter than minLine bytes, or
// if repeats may not be shortened.
func (w *writer) equalLineAbove(i int) int {
	s := w.line(i)
	if len(s) < minLine || !w.allows(Repeats) {
		return -1
	}
	slot := w.seen[hash(s)>>w.shift<<1:][:2]
	j := int(slot[0]) - 1
	if j >= 0 && w.line(j) != s {
		j = int(slot[1]) - 1
	}
	slot[0], slot[1] = int32(i+1), slot[0]
	if j < 0 || w.line(j) != s {
		return -1
	}
	return j
}

// writeAgain writes that the preceding lines, whose number is lines, occur times more times from line i on. It returns
// the number of repeated lines, or 0 if they are too short.
func (w *writer) writeAgain(i, lines, times int) int {
	n := times * lines
	if int(w.lines[i+n]-w.lines[i]) < minAgain {
		return 0
	}
	w.forms |= Repeats
	if lines == 1 {
		w.out = append(w.out, "[the line above "...)
	} else {
		w.out = append(w.out, "[the "...)
		w.out = strconv.AppendInt(w.out, int64(lines), 10)
		w.out = append(w.out, " lines above "...)
	}
	w.out = strconv.AppendInt(w.out, int64(times), 10)
	w.out = append(w.out, " more times]\n"...)
	return n
}

// writeAbove writes a reference to an earlier occurrence of the n lines that begin with line i. It returns n, or 0 if
// the lines are too short.
func (w *writer) writeAbove(i, n int) int {
	s := w.line(i)
	if int(w.lines[i+n]-w.lines[i]) < minRepeat || n == 1 && longSign(s, 0) >= 0 { // a drawn line will be cut anyway
		return 0
	}
	w.forms |= Repeats
	s = strings.TrimSpace(s)
	if len(s) > quoted {
		end := quoted
		for end > 0 && s[end]&0xc0 == 0x80 {
			end--
		}
		s = s[:end] + "…"
	}
	w.out = append(w.out, "[as above: "...)
	w.text(s)
	if n > 1 {
		w.out = append(w.out, " + "...)
		w.out = strconv.AppendInt(w.out, int64(n-1), 10)
		w.out = append(w.out, " lines"...)
	}
	w.out = append(w.out, "]\n"...)
	return n
}
