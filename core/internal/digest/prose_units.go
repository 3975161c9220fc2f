package digest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// unit is the smallest piece of text that an entry of the log can quote, and can be understood as part of its entry.
type unit struct {
	kind    unitKind // where it comes from
	message int32    // the message that contains the unit
	lead    string   // the introduction: a heading, or the line before a list
	source  string   // the file that the unit is about, or the call that returned it: `tool(argument: value)`
	item    int      // the position, from 1, in a list that is too long to be a single unit
	text    string   // one line
	factor  int      // the factor for the unit's weight, in 1024ths
	failed  attempts // the failed runs of a command
	lasts   int      // how many of the added lines later edits must remove before this edit no longer counts
	body    string   // the output of a tool, from which lines are chosen at the end of the turn
	beside  bool     // whether a later turn rejects the answer or puts it in doubt, but not this part of it
	denied  bool     // whether the unit claims success although the last check failed
	tried   bool     // whether the unit is about a file that was written just to be run
	undone  bool     // whether a later command reverted the edit
	passes  bool     // whether the unit is about a passing check that the section about the end state mentions
	batch   bool     // whether the unit is about several calls; see batch
}

// whole returns the introduction and the text of a unit.
func (u *unit) whole() string {
	if u.lead == "" {
		return u.text
	}
	return u.lead + " " + u.text
}

// unitKind is where a unit comes from, for example an answer, a command or the previous digest.
type unitKind uint8

const (
	saidUnit    unitKind = iota // by the assistant while working
	answerUnit                  // by the assistant at the end of a turn
	changeUnit                  // a change to a file
	ranUnit                     // a command and its outcome
	readUnit                    // files that were looked at
	toldUnit                    // prose in a tool result
	hitUnit                     // the hits of a search
	lineUnit                    // lines of code that a search found
	thoughtUnit                 // reasoning of the assistant
	oldUnit                     // a line of the previous digest
)

// Limits for the sizes of units, in bytes.
const (
	mostUnit  = 480 // longer units are cut after a word
	mostList  = 640 // a list of up to this size is a single unit
	fullUnit  = 300 // a unit below this size is extended by sentences that refer back to it
	mostLead  = 160
	shortCode = 200 // maximum size of a code block that is quoted next to its introduction
	longCode  = 900 // maximum size of a code block in a final answer that is quoted
)

// proseUnits calls see for each unit in Markdown prose: for sentences, list items and table rows. A sentence that
// refers back ("It uses …") belongs to the same unit as the previous sentence. A short list is a single unit. In a
// longer list, each item is a unit, including nested items. A line that introduces something isn't a unit; it becomes
// the lead of the units that follow.
func proseUnits(text string, see func(lead, text string, item int)) {
	unitsWithCode(text, shortCode, see)
}

// unitsWithCode is like proseUnits, but quotes code blocks of up to most bytes.
func unitsWithCode(text string, most int, see func(lead, text string, item int)) {
	p := proseReader{see: see, may: -1, most: most}
	for line := range strings.Lines(text) {
		p.line(strings.TrimRight(line, " \t\r\n"))
	}
	p.flush()
	p.endList()
}

// proseReader splits prose into units; see proseUnits.
type proseReader struct {
	see     func(lead, text string, item int) // receives each unit: its introduction, its text, and its number in a list of units, or 0
	heading string                            // the last heading
	lead    string                            // the line that introduces the text after it
	open    string                            // the unit that can still be extended
	item    bool                              // whether the open unit is a list item
	list    []string                          // the items of the open list
	heads   []listHead                        // the items with nested lists, outermost first
	may     int                               // the indentation of the open item if a nested list may follow, or -1
	table   bool                              // whether the last line was a row of a table
	fence   string                            // the fence that ends the open code block; "" outside of one
	code    string                            // the lines of the open code block
	lines   int                               // the number of these lines
	most    int                               // the maximum size of a quoted block in bytes
}

// listHead is a list item that contains a nested list.
type listHead struct {
	indent int    // the item's indentation in columns
	lead   string // its text, which introduces the items in it
}

// mostHeads is the maximum nesting depth of lists, in levels.
const mostHeads = 4

// leave ends the nested lists that don't contain a line with the given indentation.
func (p *proseReader) leave(indent int) {
	n := len(p.heads)
	for n > 0 && p.heads[n-1].indent >= indent {
		n--
	}
	if n == len(p.heads) {
		return
	}
	p.flush()
	p.endList()
	p.heads = p.heads[:n]
	p.lead = p.headLead()
}

// headLead returns the introduction of the items in the innermost list.
func (p *proseReader) headLead() string {
	lead := ""
	for _, h := range p.heads {
		if lead != "" {
			lead += ": "
		}
		lead += h.lead
	}
	return lead
}

// flush ends the open unit. It passes the unit to see, or appends it to the open list if the unit is a list item.
func (p *proseReader) flush() {
	text := cleanUnit(p.open, mostUnit)
	switch {
	case text == "":
	case p.item:
		p.list = append(p.list, text)
	default:
		p.endList()
		p.see(p.introduction(), text, 0)
	}
	p.open, p.item = "", false
}

// endList ends the open list. It passes the list to see, either as one unit or item by item.
func (p *proseReader) endList() {
	if p.item {
		p.flush()
	}
	size := 0
	for _, text := range p.list {
		size += len(text) + len("; ")
	}
	switch {
	case len(p.list) == 0:
		return
	case size <= mostList:
		text := p.list[0]
		for _, item := range p.list[1:] {
			text += joinOf(text) + item
		}
		p.see(p.introduction(), text, 0)
	default:
		for i, text := range p.list {
			p.see(p.introduction(), text, i+1)
		}
	}
	p.list = p.list[:0]
	p.lead = p.headLead()
}

// introduction returns the text that introduces the next unit. This is the line before its list, or the heading if
// there is no such line. Below a nested list, it is both.
func (p *proseReader) introduction() string {
	switch {
	case p.lead == "":
		return p.heading
	case len(p.heads) > 0 && p.heading != "":
		return p.heading + ": " + p.lead
	}
	return p.lead
}

// line reads one line of an answer: of a code block, a heading, a rule, a table or text.
func (p *proseReader) line(line string) {
	s := strings.TrimSpace(line)
	if p.fence != "" {
		if strings.HasPrefix(s, p.fence) {
			p.endCode()
		} else if len(p.code) <= p.most {
			p.code += s + "\n"
			p.lines++
		}
		return
	}
	switch {
	case isFence(s):
		p.fence = s[:3]
	case s == "":
		p.table = false
		if !p.item {
			p.flush()
		}
	case s[0] == '#':
		p.flush()
		p.endList()
		p.heading, p.lead, p.heads = cleanLead(strings.TrimLeft(s, "#")), "", p.heads[:0]
	case byteClass[s[0]]&(small|capital) == 0 && strings.Trim(s, "-=*_ ") == "":
		p.flush()
		p.endList()
		p.lead = ""
	case s[0] == '|':
		p.row(s)
	default:
		p.text(line, s)
	}
}

// The maximum numbers of lines in a short code block, and in any quoted code block.
const (
	mostShortLines = 3
	mostCodeLines  = 12
)

// endCode ends a code block. A short block is appended to the line that introduces it. A longer block forms a unit.
// Drawings of trees are left out, because they are unreadable on a single line.
func (p *proseReader) endCode() {
	code := ""
	if len(p.code) <= p.most {
		code = quotedLines(p.code)
	}
	fits := code != ""
	switch {
	case fits && p.lines <= mostShortLines && len(code) <= shortCode && (p.item || p.open == "" && p.lead != ""):
		if p.open == "" {
			p.open = p.lead + ":"
			p.lead = ""
		}
		p.open += " " + code
		if !p.item {
			p.flush()
		}
	case fits && p.most > shortCode && (len(code) > shortCode || p.lead != "") && p.lines <= mostCodeLines && !p.item && !strings.ContainsAny(code, "├└│"):
		p.flush()
		p.see(p.introduction(), Fence(code), 0)
		p.lead = ""
	case p.open == "" && !p.item: // the block is left out, and so is its introduction
		if p.lead == "" && p.most > shortCode { // the heading announced the block
			p.heading = ""
		}
		p.lead = ""
	}
	p.fence, p.code, p.lines = "", "", 0
}

// quotedLines returns a code block with each line in backticks of its own. Without these, several commands or
// statements would look like one.
func quotedLines(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		if line = onOneLine(line); line != "" {
			b.WriteString(codeQuote(line) + " ")
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

// row parses a row of a table. The first row of a table becomes the lead of the other rows.
func (p *proseReader) row(s string) {
	p.flush()
	p.endList()
	if strings.Trim(s, "|-: ") == "" {
		return
	}
	var cells []string
	for cell := range strings.SplitSeq(strings.Trim(s, "| "), "|") {
		if cell = strings.TrimSpace(cell); cell != "" {
			cells = append(cells, cell)
		}
	}
	row := strings.Join(cells, " | ")
	if !p.table {
		p.table, p.lead = true, cleanLead(row)
		return
	}
	p.open = row
	p.flush()
}

// text reads a line of prose or of a list. s is the line without white space around it. A nested item is joined with
// its parent, unless the parent introduces a list.
func (p *proseReader) text(line, s string) {
	item, rest := listItem(s)
	if item && s[0] >= '0' && s[0] <= '9' { // keep the number, because other texts may refer to it
		rest = s
	}
	indent := len(line) - len(s)
	if item || indent == 0 {
		p.leave(indent)
	}
	if may := p.may; may >= 0 && s != "" {
		// The open item introduces this nested list.
		if p.may = -1; item && indent > may && p.item && p.open != "" && len(p.heads) < mostHeads {
			_, head := listItem(p.open)
			p.open, p.item = "", false
			p.endList()
			p.heads = append(p.heads, listHead{may, cleanLead(head)})
			p.lead = p.headLead()
		}
	}
	switch {
	case item && p.item && line[0] <= ' ' && len(p.open) < fullUnit: // nested
		p.open += "; " + rest
	case item:
		p.flush()
		p.open, p.item = rest, true
		if introduces(rest) {
			p.may = indent
		}
	case p.item && line[0] <= ' ':
		if len(p.open) < fullUnit {
			p.open += " " + rest
		}
	default:
		p.endItem()
		p.sentences(rest)
	}
}

// endItem ends the list item that is open before a paragraph, and then the list to which it belongs. It does nothing if
// no item is open.
func (p *proseReader) endItem() {
	if p.item {
		p.flush()
		p.endList()
	}
}

// sentences splits a line of a paragraph into units. A sentence that ends inside of code in backticks is continued by
// the next one.
func (p *proseReader) sentences(line string) {
	for from, to := range extract.Sentences(line) {
		s := line[from:to]
		if strings.Count(p.open, "`")%2 == 1 && len(p.open) < fullUnit { // "`go vet ./... && go test`" is one piece of code
			p.open += " " + s
			continue
		}
		if introduces(s) {
			p.flush()
			p.lead = cleanLead(s)
			continue
		}
		if p.open != "" && len(p.open) < fullUnit && (!endsSentence(p.open) || pointsBack(s)) {
			p.open += " " + s
			continue
		}
		if p.open != "" {
			p.flush()
		} else if !pointsBack(s) {
			p.lead = ""
		}
		p.open = s
	}
}

// withoutBold returns text without the asterisks of bold type. It keeps asterisks in code and in patterns such as
// "**/*.go".
func withoutBold(s string) string {
	if !strings.Contains(s, "**") {
		return s
	}
	b := make([]byte, 0, len(s))
	code := false
	for i := 0; i < len(s); i++ {
		code = code != (s[i] == '`')
		path := i > 0 && s[i-1] == '/' || i+2 < len(s) && s[i+2] == '/'
		if !code && !path && strings.HasPrefix(s[i:], "**") {
			i++
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

// cleanLead returns a heading or an introduction in the form that is written before a unit: without bold type and
// without a final colon, and clipped to mostLead bytes.
func cleanLead(s string) string {
	s = strings.TrimSpace(withoutBold(s))
	return clipWords(strings.TrimRight(s, ":：*_ "), mostLead)
}

// cleanUnit returns text in the form that an entry quotes: on one line, without bold type, and clipped to most bytes.
// It returns "" if nothing meaningful is left.
func cleanUnit(s string, most int) string {
	s = linkless(strings.TrimSpace(withoutBold(s)))
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '\n' || c == '\r' || c == '\t' {
			s = onOneLine(s)
			break
		}
	}
	letters := 0
	for _, r := range s {
		if r < utf8.RuneSelf && byteClass[r]&(small|capital|digit) != 0 || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			if letters++; letters == 2 {
				break
			}
		}
	}
	if letters < 2 {
		return ""
	}
	if s = clipWords(s, most); s[len(s)-1] == ':' || s[len(s)-1] >= utf8.RuneSelf {
		s = strings.TrimRight(s, ":：")
	}
	return Fence(s)
}

// clipWords shortens s so that it isn't longer than most bytes. It cuts at the end of a sentence if possible, and after
// a word otherwise.
func clipWords(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := trimRune(s[:most-len(" …")])
	at := -1
	for _, end := range []string{". ", "! ", "? ", "。", "！", "？"} {
		if n := strings.LastIndex(cut, end); n >= 0 {
			at = max(at, n+len(strings.TrimRight(end, " ")))
		}
	}
	if at < len(cut)/2 {
		if n := strings.LastIndexAny(cut, " \n"); n > len(cut)/2 {
			at = n
		} else {
			at = len(cut)
		}
	}
	return withoutNumber(strings.TrimRight(cut[:at], " \n,;:") + " …")
}
