package digest

import "strings"

// leastWrapped is the minimum length, in bytes, of a line that a program may have broken. leastWrappedWords is the
// minimum number of spaces in it; code, paths and tables have fewer.
const (
	leastWrapped      = 40
	leastWrappedWords = 5
)

// joinWrapped replaces line feeds in the middle of sentences with spaces. Text from mail and PDF files has them,
// because a program has broken its lines at a fixed width. The result has the same length as text.
func joinWrapped(text string) string {
	if strings.IndexByte(text, '\n') < 0 {
		return text
	}
	var out []byte // a copy of text, made at the first replacement
	from, line := 0, ""
	for next := range strings.Lines(text) {
		if isBroken(line, next) {
			if out == nil {
				out = []byte(text)
			}
			out[from-1] = ' '
		}
		from, line = from+len(next), next
	}
	if out == nil {
		return text
	}
	return string(out)
}

// isBroken reports whether a line of prose continues on the next one, which must begin with a lower-case letter. A name
// with a colon ("next_key: value") begins an entry of its own.
func isBroken(line, next string) bool {
	if len(line) < leastWrapped || !beginsLower(next) || endsSentence(strings.TrimRight(line, afterSentence+"\r\n")) {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimRight(next, "\r\n"), " ")
	return !strings.ContainsAny(first, ":=/_(") && strings.Count(line, " ") >= leastWrappedWords
}
