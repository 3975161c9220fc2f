package squeeze

import "strings"

// Limits for lines with a common beginning.
const (
	minStart  = 20 // the minimum length of the common beginning, in bytes
	minLines  = 3  // the minimum number of lines
	minGained = 64 // the minimum saving, in bytes
	ahead     = 8  // the number of lines that determine the common beginning
)

// commonPrefix returns the length of the longest common prefix of two texts, in bytes.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n && firstEight(a[i:]) == firstEight(b[i:]) {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// boundary returns the last position in a line, up to n, at which the line can be split. This is after a space or a
// tab, between the hours, minutes and seconds of a time, or before a number in parentheses, as in "main.ts(12,5)".
// Paths, addresses and numbers without spaces are not split. It returns 0 if there is no such position.
func boundary(s string, n int) int {
	if n > 0 && n < len(s) && word(s[n]) {
		for n > 0 && word(s[n-1]) {
			n--
		}
	}
	for ; n > 0; n-- {
		switch c := s[n-1]; {
		case c == ' ' || c == '\t' || c == ':' && inTime(s, n):
			return n
		case c == '(' && n >= 2 && word(s[n-2]) && n < len(s) && digit(s[n]):
			return n - 1
		}
	}
	return n
}

// inTime reports whether the character before n is a colon between two numbers in a time.
func inTime(s string, n int) bool {
	return n >= 4 && n+1 < len(s) && digit(s[n-2]) && digit(s[n-3]) && digit(s[n]) && digit(s[n+1]) &&
		!strings.Contains(lastWord(s[:n]), "/")
}

// lastWord returns the text after the last space in s.
func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// starts writes the lines from line i on that have a common beginning: the beginning once, and below it the rest of
// each line, indented by a space. It returns the number of lines. It returns 0 and writes nothing if there are too few
// such lines, if too little would be saved, or if the lines are equal, which repeats takes care of.
func (w *writer) starts(i int) int {
	start, k := w.startOf(i), 1
	if start == "" {
		return 0
	}
	n := len(start)
	same := true
	for ; i+k < w.count(); k++ {
		s := w.line(i + k)
		if len(s) < n || s[:n] != start {
			break
		}
		same = same && s == w.line(i)
	}
	if (k-1)*n-2*k < minGained || k < minLines {
		return 0
	}
	if same { // repeats takes care of equal lines
		w.start = i + k
		return 0
	}
	w.forms |= Starts
	w.text(strings.TrimRight(start, " \t"))
	w.out = append(w.out, "…\n"...)
	for at := i; at < i+k; at++ {
		rest := w.line(at)[n:]
		if blank(rest) || rest[0] != ' ' {
			w.out = append(w.out, ' ')
		}
		if !blank(rest) {
			w.text(rest)
		}
		w.endLine()
	}
	return k
}

// startOf returns the common beginning of line i and some of the following lines, or "" if it is too short.
func (w *writer) startOf(i int) string {
	s, next := w.line(i), w.line(i+1)
	if i < w.start || len(s) < minStart || len(next) < minStart || firstEight(s) != firstEight(next) || !w.allows(Starts) || i+2 >= w.count() {
		return ""
	}
	n, lines := len(s), 1
	for ; lines < ahead && i+lines < w.count(); lines++ {
		k := commonPrefix(s, w.line(i+lines))
		if k < minStart || lines >= minLines && k < n/2 {
			break
		}
		n = min(n, k)
	}
	if lines < minLines {
		return ""
	}
	w.start = i + lines - 1 // the lines up to here have no longer beginning in common
	n = boundary(s, n)
	if !isStart(s, n) {
		return ""
	}
	return s[:n]
}

// isStart reports whether the first n bytes of a line may be written once for several lines: they say enough, and no error.
func isStart(line string, n int) bool {
	return n >= minStart && n > indentOf(line) && !tellsError(line[:min(n+1, len(line))]) &&
		len(strings.TrimSpace(line[:n])) >= max(1, minStart-4)
}
