package digest

import (
	"cmp"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// ruleLine is a line of an instruction file.
type ruleLine struct {
	text    string    // without the line break
	heading int       // the index of the heading above the line, or -1
	value   int       // 0 for headings, empty lines and tags
	begins  rulesUnit // the unit that the line begins
	ordered bool      // whether the line begins an item of a numbered list
}

// The values of the lines in an instruction file. Instructions have higher values than descriptions.
const (
	codeLine = 1 + iota
	plainLine
	listedLine // a list item, which is usually a rule even without a cue
	cuedLine   // a line with a cue, whose strictness is added to this value
)

// rulesUnit is a kind of part of an instruction file. The kinds are in order of size.
type rulesUnit uint8

const (
	ruleItem    rulesUnit = 1 + iota // a list item, or lines up to the end of a sentence
	ruleBlock                        // a paragraph together with the list or code that it introduces
	ruleSection                      // everything below a heading
)

// ruleRun is the range of lines of a unit, without the heading.
type ruleRun struct {
	from, to int // indexes of lines; to is exclusive
	after    int // the index of the run that is needed to understand this run, or -1
	worth    int // the average value per byte, in 64ths
}

// namesPart is the inverse of the share of the shortened file that the names of omitted headings
// may take up.
const namesPart = 12

// ProjectRules shortens an instruction file to at most size bytes. It keeps the first line. It then adds whole
// sections, beginning with those that contain the strictest instructions, and whole paragraphs and lists of the other
// sections. Single items are added only if these take up less than half of the room. The order of the file is kept. A
// note says how much was omitted and under which headings.
func ProjectRules(text string, size int) string {
	c := ruleChoice{lines: ruleLines(text), size: size - len(LeftOut(len(text))) - 1}
	c.chosen = make([]bool, len(c.lines))
	first := true
	for i := range c.lines { // the first line describes the text, and tags enclose it
		if s := strings.TrimSpace(c.lines[i].text); s != "" && (first || isTag(s)) {
			c.take(ruleRun{from: i, to: i + 1})
			first = false
		}
	}
	names := size / namesPart
	c.size -= names
	most := c.size / 2
	c.fill(ruleSection)
	c.fill(ruleBlock)
	if c.size > most {
		c.fill(ruleItem)
	}
	var b strings.Builder
	left := len(text)
	for i := range c.lines {
		if c.chosen[i] {
			b.WriteString(c.lines[i].text)
			b.WriteByte('\n')
			left -= len(c.lines[i].text) + 1
		}
	}
	if left > 0 {
		note := LeftOut(left)
		b.WriteString(strings.TrimSuffix(note, " …]") + c.omitted(names+min(c.size, 0)) + " …]")
	}
	return b.String()
}

// isTag reports whether a line is a tag like those that programs put around an instruction file.
func isTag(s string) bool {
	return len(s) > 2 && len(s) < longestHeading && s[0] == '<' && s[len(s)-1] == '>'
}

// ruleChoice holds the lines of an instruction file, which of them are chosen, and how many bytes are left.
type ruleChoice struct {
	lines  []ruleLine // of the file
	chosen []bool     // by line
	size   int        // the number of bytes that are left
}

// fill chooses units of a kind as long as there is room, beginning with the strictest instructions.
func (c *ruleChoice) fill(unit rulesUnit) {
	runs := c.runs(unit)
	order, taken := make([]int, len(runs)), make([]bool, len(runs))
	for i := range order {
		order[i] = i
	}
	sorting.Func(order, func(a, b int) int { return cmp.Or(runs[b].worth-runs[a].worth, a-b) })
	for _, i := range order {
		if after := runs[i].after; after < 0 || taken[after] {
			taken[i] = c.take(runs[i])
		}
	}
}

// take chooses the non-empty lines of a run and the heading above them. It returns false if there is not enough room
// for them.
func (c *ruleChoice) take(run ruleRun) bool {
	heading, cost := c.lines[run.from].heading, 0
	add := func(i int) {
		if !c.chosen[i] && strings.TrimSpace(c.lines[i].text) != "" {
			cost += len(c.lines[i].text) + 1
		}
	}
	if heading >= 0 {
		add(heading)
	}
	for i := run.from; i < run.to; i++ {
		add(i)
	}
	if cost > c.size {
		return false
	}
	c.size -= cost
	if heading >= 0 {
		c.chosen[heading] = true
	}
	for i := run.from; i < run.to; i++ {
		c.chosen[i] = c.chosen[i] || strings.TrimSpace(c.lines[i].text) != ""
	}
	return true
}

// runs returns the units of a kind in the order of the file. All items of a numbered list have the same value, and each
// item requires the previous one. Other items require the paragraph that introduces them.
func (c *ruleChoice) runs(unit rulesUnit) (runs []ruleRun) {
	intro, open := -1, false
	for i := range c.lines {
		l := &c.lines[i]
		if l.value == 0 && strings.TrimSpace(l.text) != "" {
			open = false
			continue
		}
		if l.begins >= unit || l.value > 0 && !open {
			run := ruleRun{from: i, after: -1}
			if unit == ruleItem {
				switch item, _ := listItem(strings.TrimSpace(l.text)); {
				case l.begins > ruleItem && !item && strings.HasSuffix(l.text, ":"):
					intro = len(runs)
				case l.begins > ruleItem:
					intro = -1
				case l.ordered: // the numbered list continues
					run.after = len(runs) - 1
				default:
					run.after = intro
				}
			}
			runs, open = append(runs, run), true
		}
		if open {
			runs[len(runs)-1].to = i + 1
		}
	}
	for n := range runs {
		run, size := &runs[n], 1
		for i := run.from; i < run.to; i++ {
			run.worth += c.lines[i].value * len(c.lines[i].text) * 64
			size += len(c.lines[i].text)
		}
		run.worth /= size
		if run.after == n-1 && n > 0 && c.lines[run.from].ordered {
			run.worth = runs[n-1].worth
		}
	}
	return runs
}

// omitted returns the headings under which no line was chosen, in at most size bytes, as the end of
// a note: ", also of: A; B". It returns "" if there are none.
func (c *ruleChoice) omitted(size int) string {
	b := ""
	for i := range c.lines {
		if c.chosen[i] || c.lines[i].value > 0 || !isRuleHeading(strings.TrimLeft(c.lines[i].text, " \t")) {
			continue
		}
		name := "; " + strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(c.lines[i].text), "#"))
		if b == "" {
			name = ", also of: " + name[2:]
		}
		if len(b)+len(name) > size {
			break
		}
		b += name
	}
	return b
}

// isRuleHeading reports whether a line that isn't part of code is a heading.
func isRuleHeading(s string) bool { return s != "" && s[0] == '#' && len(s) < 2*longestHeading }

// ruleReader parses an instruction file. heading is the index of the heading above the current
// line, or -1. code means that the line is inside a code block.
type ruleReader struct {
	lines   []ruleLine // the lines so far
	heading int
	code    bool
	last    string // the previous non-empty line; "" after a heading or a tag
	gap     bool   // whether the current line follows empty lines
	listed  bool   // whether the current block contains a list
	margin  int    // the indentation of the list items
}

// ruleLines returns the lines of an instruction file with their values and units.
func ruleLines(text string) []ruleLine {
	r := ruleReader{heading: -1}
	for line := range strings.Lines(text) {
		r.read(strings.TrimRight(line, " \t\r\n"))
	}
	return r.lines
}

// read parses the next line. The line is without its line feed.
func (r *ruleReader) read(line string) {
	s := strings.TrimLeft(line, " \t")
	l := ruleLine{text: line, heading: r.heading}
	fence := isFence(s)
	switch {
	case s == "":
		r.gap = true
		r.lines = append(r.lines, l)
		return
	case fence || r.code:
		if l.value = codeLine; r.last == "" {
			l.begins = ruleSection
		}
		r.code = r.code != fence
		r.last = line
	case isTag(s):
		l.heading, r.last, r.listed = -1, "", false
	case isRuleHeading(s):
		l.heading, r.heading, r.last, r.listed = -1, len(r.lines), "", false
	default:
		r.prose(&l, s)
		r.last = line
	}
	r.gap = false
	r.lines = append(r.lines, l)
}

// prose sets the value of a line in a paragraph or a list, and the unit that the line begins.
func (r *ruleReader) prose(l *ruleLine, s string) {
	item, rest := listItem(s)
	l.value = plainLine
	if item {
		l.value = listedLine
	}
	if rated := rate(rest, wordsOf(rest, quotedIn(rest))); rated.strength > none {
		l.value = cuedLine + rated.rank()
	}
	margin := len(l.text) - len(s)
	switch {
	case r.last == "":
		l.begins = ruleSection
	case r.listed && (margin > r.margin || !item && !r.gap): // the line continues an item
	case item && (r.listed || !r.gap || strings.HasSuffix(r.last, ":")):
		l.begins = ruleItem
	case r.gap && !strings.HasSuffix(r.last, ":"):
		l.begins = ruleBlock
	case endsSentence(r.last) && !strings.HasSuffix(r.last, ":"):
		l.begins = ruleItem
	}
	if l.begins >= ruleBlock {
		r.listed = false
	}
	if item && l.begins > 0 {
		if !r.listed {
			r.margin = margin
		}
		l.ordered = l.begins == ruleItem && r.listed && s[0] >= '0' && s[0] <= '9'
		r.listed = true
	}
}
