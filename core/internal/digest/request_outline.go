package digest

import "strings"

// A request of many lines is often a plan, a specification or a list of tasks in the user's own
// words. If it were cut in the middle, it would no longer say what the user wants. So its lines are
// shortened instead. If that isn't enough, nested lines are left out.

// mostPlan is the maximum length of such a request in a log, and lookPlan the maximum length of one that is
// shortened in this way. shortestPart is the minimum length to which a line is shortened. All are in bytes.
const (
	mostPlan     = 3000
	lookPlan     = 1 << 15
	shortestPart = 80
)

// isOutline reports whether a tidied request of many lines is a text with a structure: at least a
// third of its lines are headings, list items or introductions of lists, and most are neither code
// nor program output.
func isOutline(text string) bool {
	if len(text) > lookPlan || strings.HasPrefix(text, pastedOpen) || isDump(text, manyLines) || mostlyCode(text) {
		return false
	}
	heads, lines := countLines(text, func(line string) bool {
		item, _ := listItem(line)
		return item || line[0] == '#' || strings.HasSuffix(line, ":")
	})
	return heads*3 >= lines
}

// outlineLine is a line of a request, without white space at its end. Lines with higher levels are
// left out first.
type outlineLine struct {
	text  string
	level int
}

// The levels of lines.
const (
	headLine   = iota // a heading, a line without indentation, or an item of a list
	nestedLine        // a line with indentation
	innerLine         // code or a row of a table
)

// outlineLines returns the lines of a request, without those that are empty or a rule.
func outlineLines(text string) (lines []outlineLine) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		said := strings.TrimLeft(line, " \t")
		if strings.Trim(said, "-=*_") == "" { // an empty line, or a rule between sections
			continue
		}
		fence := isFence(said)
		level := headLine
		switch {
		case fence || fenced || said[0] == '|', strings.HasPrefix(said, pastedOpen):
			level = innerLine
		case len(said) < len(line):
			level = nestedLine
		}
		if fence {
			fenced = !fenced
		}
		lines = append(lines, outlineLine{line, level})
	}
	return lines
}

// outlineSize returns the size in bytes of an outline that has the lines up to the given level, each of at most longest
// bytes, and a mark for each run of others.
func outlineSize(lines []outlineLine, level int, longest int) (size int) {
	for i := range lines {
		switch {
		case lines[i].level <= level:
			size += min(len(lines[i].text), longest) + len("\n")
		case i == 0 || lines[i-1].level <= level:
			size += len(" ") + len(clippedMark)
		}
	}
	return size
}

// clipOutline shortens the long lines of a request to the same length, so that all lines take up at
// most most bytes. If that length is below shortestPart, it first leaves out code and rows of
// tables, and then lines with indentation. It returns "" if the other lines still don't fit.
func clipOutline(text string, most int) string {
	lines := outlineLines(text)
	for level := innerLine; level >= headLine; level-- {
		if outlineSize(lines, level, shortestPart) > most {
			continue
		}
		longest := largest(shortestPart, most, func(n int) bool { return outlineSize(lines, level, n) <= most })
		var b strings.Builder
		for i := range lines {
			switch {
			case lines[i].level <= level:
				if b.Len() > 0 {
					b.WriteByte('\n')
				}
				b.WriteString(clipWords(lines[i].text, longest))
			case i == 0:
				b.WriteString(clippedMark)
			case lines[i-1].level <= level:
				b.WriteString(" " + clippedMark)
			}
		}
		return b.String()
	}
	return ""
}

// outlinePart is a line of a request with the list items after it.
type outlinePart struct {
	head  string // "" if the request begins with an item
	items []string
}

// outlineParts divides the lines of a request into parts, without code and rows of tables.
func outlineParts(text string) (parts []outlinePart) {
	for _, l := range outlineLines(text) {
		item, said := listItem(strings.TrimSpace(l.text))
		switch {
		case l.level == innerLine:
		case !item:
			parts = append(parts, outlinePart{head: said})
		case len(parts) == 0:
			parts = append(parts, outlinePart{items: []string{said}})
		default:
			last := &parts[len(parts)-1]
			last.items = append(last.items, said)
		}
	}
	return parts
}

// appendTo appends the part to b as one line, with at most most items.
func (p *outlinePart) appendTo(b []byte, most int) []byte {
	if len(b) > 0 {
		b = append(b, '\n')
	}
	b = append(b, p.head...)
	if len(p.items) == 0 {
		return b
	}
	if p.head != "" {
		if !strings.HasSuffix(p.head, ":") {
			b = append(b, ':')
		}
		b = append(b, ' ')
	}
	b = append(b, strings.Join(p.items[:min(most, len(p.items))], listedSeparator)...)
	if most < len(p.items) {
		if most > 0 {
			b = append(b, listedSeparator...)
		}
		b = append(b, clippedMark...)
	}
	return b
}

// listedSeparator separates the items of a list that share a line.
const listedSeparator = "; "

// mostItems is the maximum number of items of one list in a request whose items share a line.
const mostItems = 40

// clipParts shortens a request with lists to at most most bytes: the items of a list share the line that introduces
// them, and of each list only the same number of first items stays. It returns "" if not even one item of each list
// fits.
func clipParts(text string, most int) string {
	parts := outlineParts(text)
	written := func(items int) (b []byte) {
		for i := range parts {
			b = parts[i].appendTo(b, items)
		}
		return b
	}
	items := largest(0, mostItems, func(n int) bool { return len(written(n)) <= most })
	if b := written(items); items > 0 && len(b) <= most {
		return string(b)
	}
	return ""
}

// flatOutline returns text on one line, without code, rows of tables, the marks of list items and what separates the items.
func flatOutline(text string) string {
	var b strings.Builder
	for _, l := range outlineLines(text) {
		if l.level == innerLine {
			continue
		}
		_, said := listItem(strings.TrimSpace(l.text))
		for word := range strings.FieldsSeq(said) {
			b.WriteString(strings.TrimRight(word, ":;"))
			b.WriteByte(' ')
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}
