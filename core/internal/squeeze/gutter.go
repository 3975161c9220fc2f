package squeeze

import "strconv"

// gutterLine splits a numbered line, such as " 12→text", " 12\ttext" or " 12 | text", into its number, a byte that
// identifies the separator, and its text. ok is false if the line isn't numbered. n has at most seven digits.
func gutterLine(s string) (n int, sign byte, text string, ok bool) {
	at := indentOf(s)
	k := digits(s[at:])
	if k == 0 || k > 7 {
		return 0, 0, "", false
	}
	for _, c := range []byte(s[at : at+k]) {
		n = n*10 + int(c-'0')
	}
	s = s[at+k:]
	switch {
	case len(s) >= 3 && s[:3] == "→":
		return n, '>', s[3:], true
	case len(s) >= 1 && s[0] == '\t':
		return n, '\t', s[1:], true
	case at > 0 && len(s) >= 2 && s[:2] == " |":
		return n, '|', s[2:], true
	case at > 0 && len(s) >= 4 && s[:4] == " │":
		return n, '|', s[4:], true
	}
	return 0, 0, "", false
}

// minGutter is the minimum number of adjacent lines with consecutive numbers that count as the numbered lines of a
// file.
const minGutter = 3

// gutter writes the numbered lines that begin on line i, without the padding before and the separator after each
// number. It returns the number of lines, or 0 if no such lines begin there.
func (w *writer) gutter(i int) int {
	if !w.allows(Gutter) {
		return 0
	}
	first, sign, _, ok := gutterLine(w.line(i))
	if !ok {
		return 0
	}
	k, tabs := w.gutterLines(i, first, sign)
	if k < minGutter {
		return 0
	}
	w.forms |= Gutter
	text := func(at int) string {
		_, _, text, _ := gutterLine(w.line(at))
		return text
	}
	for at := range k {
		if at%judging == 0 {
			w.judgeIndents(i+at, i+k, text)
		}
		s := w.undent(text(i + at))
		w.out = strconv.AppendInt(w.out, int64(first+at), 10)
		if !blank(s) || !w.allows(Padding) {
			switch {
			case sign == '|' && s != "" && s[0] == ' ':
			case tabs && !w.bracket:
				w.out = append(w.out, '\t')
			default:
				w.out = append(w.out, ' ')
			}
			w.text(s)
		}
		w.endLine()
	}
	w.judged = i + k
	w.level, w.opened = 0, false
	return k
}

// gutterLines returns the number of lines, from line i on, that have consecutive numbers, beginning with first, and the
// same separator. tabs is true if more of their texts begin with a tab than with a space.
func (w *writer) gutterLines(i, first int, sign byte) (k int, tabs bool) {
	more := 0
	for k = 1; i+k < w.count(); k++ {
		n, same, text, ok := gutterLine(w.line(i + k))
		if !ok || same != sign || n != first+k {
			break
		}
		if text != "" {
			more += bit(text[0] == '\t') - bit(text[0] == ' ')
		}
	}
	return k, more > 0
}
