package digest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// ruleLine is a line of an instruction file.
type ruleLine struct {
	text    string
	heading int // the index of the heading's line; -1 if there is none
	after   int // for code, the index of the line that introduces it; otherwise -1
	value   int // 0 for headings, which are only kept together with other lines
}

// The values of lines of instruction files: instructions come before descriptions.
const (
	codeLine = 1 + iota
	plainLine
	listedLine // a list item; most of them are rules without a cue
	cuedLine   // from here on, the strictness of the line is added
)

// ProjectRules shortens an instruction file to at most size bytes. It keeps the first line and whole lines with their headings, in the file's order,
// and adds a note of how much was omitted. If not all lines fit, strict instructions are chosen first and descriptions last.
func ProjectRules(text string, size int) string {
	lines := ruleLines(text)
	order := make([]int, 0, len(lines))
	for i := range lines {
		if lines[i].value > 0 {
			order = append(order, i)
		}
	}
	sorting.Func(order, func(a, b int) int { return cmp.Or(lines[b].value-lines[a].value, a-b) })
	size -= len(LeftOut(len(text))) + 1
	chosen := make([]bool, len(lines))
	take := func(i int) bool {
		cost, heading := len(lines[i].text)+1, lines[i].heading
		if heading >= 0 && !chosen[heading] {
			cost += len(lines[heading].text) + 1
		}
		if cost > size {
			return false
		}
		if size -= cost; heading >= 0 {
			chosen[heading] = true
		}
		chosen[i] = true
		return true
	}
	for i := range lines { // take the first line, which describes the text, and the tags around it
		if strings.TrimSpace(lines[i].text) != "" {
			take(i)
			break
		}
	}
	for i := range lines {
		if !chosen[i] && isTag(strings.TrimSpace(lines[i].text)) {
			take(i)
		}
	}
	for _, i := range order {
		if after := lines[i].after; !chosen[i] && (after < 0 || chosen[after]) {
			take(i)
		}
	}
	var b strings.Builder
	left := len(text)
	for i := range lines {
		if chosen[i] {
			b.WriteString(lines[i].text)
			b.WriteByte('\n')
			left -= len(lines[i].text) + 1
		}
	}
	if left > 0 {
		b.WriteString(LeftOut(left))
	}
	return b.String()
}

// isTag reports whether a line is a tag, such as programs put around an instruction file.
func isTag(s string) bool {
	return len(s) > 2 && len(s) < longestHeading && s[0] == '<' && s[len(s)-1] == '>'
}

// ruleLines parses an instruction file.
func ruleLines(text string) (lines []ruleLine) {
	heading, code, last := -1, false, -1
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		l := ruleLine{text: line, heading: heading, after: -1}
		s := strings.TrimLeft(line, " \t")
		switch item, rest := listItem(s); {
		case strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~"):
			code = !code
			l.value, l.after = codeLine, last
		case s == "":
		case isTag(s):
			l.heading = -1
		case code:
			l.value, l.after = codeLine, last
		case s[0] == '#' && len(s) < 2*longestHeading:
			l.heading, heading = -1, len(lines)
		default:
			l.value = plainLine
			if item {
				l.value, s = listedLine, rest
			}
			if r := rate(s, wordsOf(s, quotedIn(s))); r.strength > none {
				l.value = cuedLine + r.rank()
			}
		}
		if s != "" {
			last = len(lines)
		}
		lines = append(lines, l)
	}
	return slices.Clip(lines)
}
