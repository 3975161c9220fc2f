package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// This file finds passages of a file that can be quoted. A passage is a run of consecutive lines that makes sense by
// itself: a short definition, a definition's comment together with its first line, a comment together with the
// statement that it explains, or a paragraph of prose.

// The maximum numbers of lines in a quoted definition, and in a quoted statement inside a definition.
const (
	mostDefinition = 12
	mostStatement  = 8
)

// The minimum numbers of words in a quoted comment on a definition, and in a quoted comment on a statement inside one.
// Shorter comments only repeat the code.
const (
	leastExplained = 6
	leastInside    = 10
)

// mostPassage is the maximum size of a passage in bytes.
const mostPassage = 900

// The weights of passages for each name that they share with the log, in 1024ths.
const (
	ofExplained = 130
	ofShort     = 90
)

// leftOut replaces the text of a line that a later edit removed, or that is read again later. leftOutMark is written
// where lines between two passages are left out.
const (
	leftOut     = "\x00"
	leftOutMark = "…"
)

// fileText is a line of a file.
type fileText struct {
	number, text string // the number that a tool wrote before the line, or "", and the line without indentation
	hash         uint64 // the hash of the text in the file
	indent       int    // in characters; a tab counts as two
	comment      bool   // whether the line contains only a comment
	long         bool   // whether the text in the file has at least leastCodeLine bytes
	form         form   // the form of a line in a file of prose
}

// passageFinder finds the passages of a file.
type passageFinder struct {
	see   func(p fileQuote) // is called with each passage
	lines []fileText        // the lines of the file
	// around contains the definitions around the current line, outermost first.
	around []enclosing
	room   []byte // a buffer for the text of a passage
	// heading is the last heading in a file of prose.
	heading string
}

// enclosing is a definition that contains a line.
type enclosing struct {
	name   string // what it defines
	indent int    // the indentation of its first line
}

// eachPassage calls see for each passage in the lines of a file. prose means that the file contains text for people.
func eachPassage(lines []fileText, prose bool, see func(p fileQuote)) {
	f := passageFinder{see: see, lines: lines}
	if prose {
		f.findForms()
	}
	for i := 0; i < len(f.lines); {
		i = f.next(i)
	}
}

// fileLines appends the lines of content, the content of a file, to lines. It removes the line numbers that a tool
// added. isGone reports whether a later edit removed a line, or whether the line is read again later; leftOut replaces
// such lines. The appended lines have at most lookFile bytes. size is their size in bytes, or 0 if all of them are
// blank. read is the number of bytes of content that were read.
func fileLines(lines []fileText, content string, isGone func(hash uint64) bool) (all []fileText, size, read int) {
	gutter := hasGutter(content)
	within, blank := false, true // whether the line is inside triple quotes
	for line := range strings.Lines(content) {
		at := 0
		if gutter {
			at = gutterOf(line)
		}
		code := strings.TrimRight(line[at:], " \t\r\n")
		text := strings.TrimLeft(code, " \t")
		indent := len(code) - len(text)
		l := fileText{text: text, hash: words.Hash64(text), indent: indent, long: len(text) >= leastCodeLine}
		n := len(line)
		if text != "" && isGone(l.hash) {
			l.text, n = leftOut, at+indent+len(leftOut+"\n")
		}
		if size+n > lookFile {
			break
		}
		size, read, blank = size+n, read+len(line), blank && (l.text == "" || l.text == leftOut)
		if gutter && at == 0 { // a line that the tool added
			continue
		}
		if strings.HasPrefix(code, "\t") {
			l.indent *= 2
		}
		l.number, l.comment = strings.Trim(line[:at], " \t→|:"), !within && isCommentLine(l.text)
		lines = append(lines, l)
		within = within != (strings.Count(l.text, `"""`)%2 == 1)
	}
	if blank {
		size = 0
	}
	return lines, size, read
}

// mostFramed is the maximum number of lines that tools add before the numbered lines of a file.
const mostFramed = 2

// hasGutter reports whether the lines of a text have consecutive numbers, as in the output of tools that read files.
func hasGutter(content string) bool {
	last, lines, framed, table := 0, 0, 0, false
	for line := range strings.Lines(content) {
		n, at := 0, gutterOf(line)
		if lines == 0 && (line == "\n" || at == 0 && framed < mostFramed) {
			framed += min(1, len(line)-1)
			table = table || len(line) > 1 && line[0] != '[' && line[0] != '('
			continue
		}
		if table && strings.Contains(line[:at], ":") { // more likely a table
			return false
		}
		for _, c := range strings.Trim(line[:at], " \t→|:") {
			n = n*10 + int(c-'0')
		}
		if lines > 0 && n != last+1 || at == 0 {
			return false
		}
		if last, lines = n, lines+1; lines == 3 {
			break
		}
	}
	return lines > 1 || strings.Contains(content, "→")
}

// gutterOf returns the length of the line number before a line of a file, or 0 if there is none. On an empty line, the
// number may end with a bare colon ("12:").
func gutterOf(line string) int {
	if at := numbered(line); at > 0 {
		return at
	}
	if n := len(exitOf(line)); n > 0 && n < len(line) && line[n] == ':' {
		return n + 1
	}
	return 0
}

// commentMarks lists the beginnings of lines that contain only a comment.
var commentMarks = []string{"//", "# ", "/*", "* ", "*/", "-- ", "\"\"\"", "<!--"}

// isCommentLine reports whether a line contains only a comment.
func isCommentLine(text string) bool {
	return text == "#" || text == "*" || text != "" && strings.IndexByte("/#*-\"<", text[0]) >= 0 && startsWithAny(text, commentMarks)
}

// next looks for a passage that begins at line i, and returns the index of the line at which to
// continue.
func (f *passageFinder) next(i int) int {
	first := &f.lines[i]
	if first.text == "" {
		return i + 1
	}
	if first.text == leftOut {
		f.heading = "" // the next heading may have been left out
		return i + 1
	}
	switch first.form {
	case heading:
		f.heading = clipWords(strings.TrimLeft(first.text, "# "), longestTitle)
		return i + 1
	case item, row:
		return f.list(f.boldBefore(i), i)
	}
	for len(f.around) > 0 && f.around[len(f.around)-1].indent >= first.indent && strings.IndexByte("})]", first.text[0]) < 0 {
		f.around = f.around[:len(f.around)-1]
	}
	if len(f.around) == 0 && !first.comment && isSentence(first.text) && (i == 0 || f.lines[i-1].text == "") {
		return f.paragraph(i)
	}
	at := i
	for at < len(f.lines) && f.lines[at].comment && f.lines[at].indent >= first.indent {
		at++
	}
	explains := at > i && f.explains(i, at)
	if at == len(f.lines) || f.lines[at].text == "" || f.lines[at].text == leftOut || f.lines[at].indent != first.indent {
		return max(at, i+1)
	}
	return f.statement(i, at, explains)
}

// isSentence reports whether a line of a file looks like prose.
func isSentence(text string) bool {
	c := text[0]
	return (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80) && !codes(text) && !fewSpaces(text, leastExplained-1)
}

// statement adds the statement that begins at line at, or as much of it as can be quoted. Its comment begins at line i;
// explains means that the comment has enough words to explain the statement. It returns the line at which to continue.
func (f *passageFinder) statement(i, at int, explains bool) int {
	head := f.lines[at].text
	name, most := definedBy(head), mostStatement
	constant := name == "" && f.lines[at].indent == 0 && worthInQuote(head) == ofValue && !strings.Contains(head, "require(")
	switch {
	case name != "":
		most = mostDefinition
	case constant:
		name = boundBy(head)
	case !explains:
		return at + 1
	}
	end := f.blockEnd(at, most)
	if name == "" {
		end = f.statements(at, end)
	}
	if end > at+1 || end > at && name != "" && !(isBareName(head) && !explains) {
		f.add(i, end, name, explains)
		return end
	}
	if definedBy(head) != "" {
		f.addLongDefinition(i, at, name, explains)
		f.around = append(f.around, enclosing{name, f.lines[at].indent})
	}
	return at + 1
}

// isBareName reports whether a line only names something that is defined elsewhere, or what the file belongs to: "class
// Kiln;", "module kiln". head is that line, without its indentation.
func isBareName(head string) bool {
	return fewSpaces(head, 2) && !strings.ContainsAny(head, "={(:")
}

// licenceSigns lists phrases, in lower case, that occur in copyright and licence notices.
var licenceSigns = substringsOf("copyright (c|copyright ©|copyright 1|copyright 2|spdx-license|licensed under|all rights reserved|permission is hereby granted|without warrant")

// explains reports whether the lines from i up to end are a comment with enough words, and not just disabled code.
func (f *passageFinder) explains(i, end int) bool {
	words := 0
	for _, line := range f.lines[i:end] {
		if said := commentOf(line.text); said != "" && !codes(said) {
			words += strings.Count(said, " ") + 1
		}
	}
	if f.lines[i].indent > 0 && (end == len(f.lines) || definedBy(f.lines[end].text) == "") {
		return words >= leastInside
	}
	return words >= leastExplained
}

// statements returns the index of the line after a group of statements that begins at line i and
// contains no empty lines. The first statement ends before line end. statements returns i if the
// group is too long.
func (f *passageFinder) statements(i, end int) int {
	for end > i && end < len(f.lines) && f.lines[end].text != "" && f.lines[end].indent == f.lines[i].indent && !f.lines[end].comment {
		next := f.blockEnd(end, mostStatement)
		if next == end || next-i > mostStatement {
			return i
		}
		end = next
	}
	return end
}

// blockEnd returns the index of the line after the statement that begins at line i. It returns i if
// the statement has more than most lines, or if some of its lines are missing.
func (f *passageFinder) blockEnd(i, most int) int {
	indent, depth, end := f.lines[i].indent, 0, i
	for ; end < len(f.lines); end++ {
		line := &f.lines[end]
		closes := line.text != "" && strings.IndexByte("})]", line.text[0]) >= 0 || endsBlock(line.text)
		if end > i && line.text != "" && (line.indent < indent || line.indent == indent && !closes) {
			break
		}
		if line.text == leftOut || end-i > 2*most {
			return i
		}
		if !line.comment {
			depth += bracketsIn(line.text)
		}
	}
	// A definition without brackets may continue after the last line that was read.
	last := end - 1
	for last > i && f.lines[last].text == "" {
		last--
	}
	continues := end == len(f.lines) && needsEnd(f.lines[i].text) && !(endsBlock(f.lines[last].text) && f.lines[last].indent == indent) || strings.HasSuffix(f.lines[last].text, "\\")
	size := 0
	for _, line := range f.lines[i:end] {
		if line.text != "" {
			size++
		}
	}
	if depth != 0 || continues || size > most {
		return i
	}
	for f.lines[end-1].text == "" {
		end--
	}
	return end
}

// endsBlock reports whether a line closes a block with a keyword, as in Ruby and Lua: "end", "end)" or "end # each",
// but not "end = 7".
func endsBlock(text string) bool {
	rest, found := strings.CutPrefix(text, "end")
	return found && (rest == "" || strings.IndexByte(").,;]}", rest[0]) >= 0 || rest[0] == ' ' && len(rest) > 1 && (isLetter(rune(rest[1])) || strings.IndexByte("#-", rest[1]) >= 0))
}

// needsEnd reports whether a line begins a definition whose body follows on later lines without brackets around it.
// head is the definition's first line, without its indentation.
func needsEnd(head string) bool {
	return definedBy(head) != "" && (strings.HasSuffix(head, ":") || headedBy(head, []string{"def ", "module ", "function "}) && !strings.ContainsAny(head, "={"))
}

// bracketsIn returns the number of opening brackets in text minus the number of closing brackets.
func bracketsIn(text string) (n int) {
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

// signature returns the index of the line after a definition's first lines, which precede its body.
// It returns i, where the definition begins, if these lines are too many.
func (f *passageFinder) signature(i int) int {
	depth := 0
	for end := i; end < min(len(f.lines), i+mostStatement); end++ {
		text := f.lines[end].text
		if text == leftOut {
			break
		}
		depth += bracketsIn(text)
		if depth == 0 || depth == 1 && strings.HasSuffix(text, "{") {
			return end + 1
		}
	}
	return i
}

// boundBy returns the name to which a line assigns a value: the last word before the first equals
// sign or colon.
func boundBy(line string) string {
	name, _, _ := strings.Cut(line, "=")
	name, _, _ = strings.Cut(strings.TrimRight(name, " :"), ":")
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// add adds the passage that consists of the lines from i up to end, and defines name. explains means that it begins
// with a comment that explains it. A licence isn't added.
func (f *passageFinder) add(i, end int, name string, explains bool) {
	p := f.passage(i, name, explains)
	if p.text = f.textOf(i, end); p.text != "" && !(explains && licenceSigns.inAnyCase(p.text)) {
		f.see(p)
	}
}

// passage returns a passage that begins at line i and defines name. explains means that it begins with a comment that
// explains it. Its text is still empty.
func (f *passageFinder) passage(i int, name string, explains bool) fileQuote {
	p := fileQuote{number: f.lines[i].number, name: name, explains: explains, factor: ofShort}
	if explains {
		p.factor = ofExplained
	}
	p.within = f.heading
	if n := len(f.around); n > 0 && f.around[n-1].indent < f.lines[i].indent {
		p.within = f.around[n-1].name
	}
	return p
}

// textOf returns the lines from i up to end in the form in which they are quoted, or "" if they are too long.
func (f *passageFinder) textOf(i, end int) string {
	f.room = f.room[:0]
	depth := 0
	for n := i; n < end; n++ {
		line := &f.lines[n]
		if line.text == "" {
			continue
		}
		f.write(line, f.lines[i].indent)
		if !line.comment {
			depth += bracketsIn(line.text)
		}
	}
	if depth > 0 { // only the first line of a definition
		f.room = append(f.room, cutBody...)
	}
	if len(f.room) > mostPassage {
		return ""
	}
	return string(f.room)
}

// cutBody replaces a body in brackets that is left out.
const cutBody = " " + leftOutMark + " }"

// write appends a line to the text of a passage. indent is the indentation of the passage's first line.
func (f *passageFinder) write(line *fileText, indent int) {
	if len(f.room) > 0 {
		f.room = append(f.room, '\n')
		for range min(line.indent-indent, deepQuote) {
			f.room = append(f.room, ' ')
		}
	}
	f.room = append(f.room, line.text...)
}

// deepQuote is the maximum indentation, in characters, of a quoted line relative to the first line of the quote.
const deepQuote = 24
