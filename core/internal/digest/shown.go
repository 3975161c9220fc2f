package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Much of what an agent learns is in the files that it reads and in the text of its edits: conditions, values, and
// the comments that explain them. The digest quotes passages of such files after the log. They compete with the units
// of the log for the same room. Lines that later edits removed, and files that were rewritten, are left out.

// leastShowing is the minimum size of a digest that quotes passages of files, in bytes.
const leastShowing = 6000

// lookShown is the maximum number of bytes of files that are considered, most recently read first; lookFile is the maximum for one file.
const (
	lookShown = 1 << 18
	lookFile  = 1 << 15
)

// fileQuote is a passage of a file, quoted as a whole or not at all.
type fileQuote struct {
	turn   int    // the number of the turn that read or changed the file
	path   string // relative to the common folder of the log
	number string // the number of the passage's first line; "" if unknown
	within string // the name of the enclosing definition; "" if there is none, or if the passage begins with a definition
	text   string
	factor int
}

// laterChanges records what happens to files after a message.
type laterChanges struct {
	files   critbit.Map[struct{}] // paths of files that were rewritten, moved or changed by a command
	edited  critbit.Map[struct{}] // paths of files of which some lines were edited
	removed critbit.Map[struct{}] // lines that edits removed, as keys of fileLine
	read    critbit.Map[struct{}] // lines that are read again, as keys of fileLine
}

// fileLine returns the key of a line of a file. The line has no white space around it.
func fileLine(path, line string) string { return path + "\x00" + line }

// quoteReader collects passages of files from a transcript, last message first.
type quoteReader struct {
	t     *transcript.Transcript
	log   *turnLog
	later laterChanges
	said  turnWords   // the words of the log
	room  int         // how many more bytes are considered
	found []fileQuote // newest file first
}

// quotesOf returns passages of the files that the given messages read and change. The other messages of the
// transcript stay in the conversation. They aren't quoted, but what they read and change makes earlier passages
// outdated.
func (k *turnLog) quotesOf(t *transcript.Transcript, messages []int32) []fileQuote {
	if len(messages) == 0 {
		return nil
	}
	r := quoteReader{t: t, log: k, said: newTurnWords(), room: lookShown}
	for i := range k.turns {
		r.said.add(k.turns[i].asked)
		for n := range k.turns[i].units {
			if u := &k.turns[i].units[n]; u.kind.isProse() && u.factor != isDropped {
				r.said.add(u.text)
			}
		}
	}
	folded := len(messages) - 1
	for i := int32(len(t.Messages)) - 1; i >= messages[0] && r.room > 0; i-- {
		stays := folded < 0 || messages[folded] != i
		if !stays {
			folded--
		}
		m := &t.Messages[i]
		for n := m.First + m.Count - 1; n >= m.First; n-- {
			r.part(i, n, stays)
		}
		if isTextResult(t, int(i)) {
			r.textResult(i, stays)
		}
	}
	slices.Reverse(r.found)
	return r.found
}

// textResult reads the first text of a message, in which a program answers calls that the assistant wrote as text.
func (r *quoteReader) textResult(message int32, stays bool) {
	m := &r.t.Messages[message]
	for n := m.First; n < m.First+m.Count; n++ {
		if p := &r.t.Parts[n]; p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed) {
			content := r.t.Text(p.Body)
			r.read(message, r.later.textRead(calledBefore(r.t, int(message)), content), content, stays)
			return
		}
	}
}

// part reads part n of a message. stays is true if the message stays in the conversation. Failed calls are ignored,
// except for scripts, which may have changed files before they failed.
func (r *quoteReader) part(message, n int32, stays bool) {
	p := &r.t.Parts[n]
	if p.Kind != transcript.ToolResult || p.Pair < 0 || p.Has(transcript.Removed) {
		return
	}
	call, failed := &r.t.Parts[p.Pair], p.Has(transcript.IsError)
	switch useOf(r.t.Text(call.Name)) {
	case reads:
		if !failed {
			r.read(message, Path(r.t, call), ResultText(r.t, int(n)), stays)
		}
	case edits:
		if failedResult(r.t, n) {
			return
		}
		for _, c := range slices.Backward(changesOf(r.t, call)) {
			r.changed(message, &c, stays)
		}
	case runs:
		if path := r.later.ran(commandOf(r.t, call)); path != "" && !failed {
			r.read(message, path, ResultText(r.t, int(n)), stays)
		}
	}
}

// read adds the passages of a file's content.
func (r *quoteReader) read(message int32, path, content string, stays bool) {
	if path == "" || thrownAway(path) || r.later.files.Has(path) || failedText(content) {
		return
	}
	content = withoutReminders(withoutExcerptMarker(withoutEnvelope(content)))
	content = r.later.without(path, content)
	if !stays {
		r.add(message, path, content, !r.later.edited.Has(path))
	}
}

// changed adds the passages that a change added to a file, unless the log already quotes the change.
func (r *quoteReader) changed(message int32, c *change, stays bool) {
	if !stays && !thrownAway(c.path) && !r.later.files.Has(c.path) && !isDiff(c.added) {
		content := c.content
		if content == "" {
			content = strings.Join(c.added, "\n")
		}
		content = r.later.without(c.path, content)
		// The added lines of an edit have no indentation, so a block that a left-out line introduces has no visible
		// end. The same is true of a block whose last line the edit didn't add.
		whole := c.content != "" || !strings.Contains(content, leftOut) && strings.Count(content, "{") == strings.Count(content, "}")
		if said := c.text(); whole && len(c.added) > 0 && len(content) > quotedChange && !strings.Contains(said, codeQuote(clipLine(c.added[0], quotedLine))) {
			r.add(message, c.path, content, false)
		}
	}
	r.later.add(c)
}

// add adds the passages of a file's content. holds is true if the line numbers are still right. Passages that share
// names with the log weigh more.
func (r *quoteReader) add(message int32, path, content string, holds bool) {
	if content == "" || r.room <= 0 {
		return
	}
	if len(content) > lookFile {
		content = content[:strings.LastIndexByte(content[:lookFile], '\n')+1]
	}
	r.room -= len(content)
	from := len(r.found)
	turn := r.log.turnAt(message)
	path = strings.TrimPrefix(path, r.log.base)
	eachQuote(content, func(p fileQuote) {
		if p.turn, p.path = turn, path; !holds {
			p.number = ""
		}
		shared := min(r.said.namesIn(p.within+" "+p.text), mostRelated)
		if words, long := r.said.shared(p.text); shared == 0 && 4*words < long || p.factor*(1+shared) < leastRelated { // it is about something else
			return
		}
		p.factor = p.factor * (2 + 3*shared) * ofQuote / (8 * 1024)
		r.found = append(r.found, p)
	})
	slices.Reverse(r.found[from:])
}

// ofQuote is the weight, in 1/1024, of a quote that consists of comments and shares two names with the log.
const ofQuote = 360

// leastRelated is the minimum product of a quote's weight and one more than the number of names that it shares with
// the log. Conditions and values must share one name, and plain code two; comments need none.
const leastRelated = 600

// mostRelated is the maximum number of names shared with the log that raise a passage's weight.
const mostRelated = 4

// The sizes of passages, in bytes. A passage ends before a definition. From leastQuote bytes on it also ends at an
// empty line, from shortQuote bytes on before a comment, and beyond longQuote bytes at any line.
const (
	leastQuote = 100
	shortQuote = 160
	longQuote  = 480
)

// quoteSplitter divides the content of a file into passages.
type quoteSplitter struct {
	see                func(p fileQuote)
	lines              []quotedCode
	number             string
	within, definition string // the definition around the passage, and the one around the current line
	indent             int    // the indentation of definition
	size, worth        int
	comment            bool // whether the last line is a comment
	flat               bool // whether no line of the content is indented, so that only braces show the extent of a block
	gap                bool // whether uninformative lines were left out after the last line
	defines            bool // whether a definition begins in the passage
}

// quotedCode is a line of a quote. "…" replaces uninformative lines.
type quotedCode struct {
	text   string
	indent int // in characters; a tab counts as two
	worth  int // its weight; 0 for braces and "…"
}

// leftOut takes the place of a line that a later edit removed, or that is read again later.
const leftOut = "\x00"

// eachQuote calls see with each informative passage of a file's content. The factor of a passage is the average
// weight of its bytes. A passage ends before a left-out line, and the block that this line introduces is left out
// too.
func eachQuote(content string, see func(p fileQuote)) {
	s := quoteSplitter{see: see, flat: !strings.Contains(content, "\n ") && !strings.Contains(content, "\t")}
	gutter := hasGutter(content)
	blank, below := false, -1
	for line := range strings.Lines(content) {
		at := 0
		if gutter {
			at = numbered(line)
		}
		code := strings.TrimRight(line[at:], " \t\r\n")
		text := strings.TrimLeft(code, " \t")
		indent := len(code) - len(text)
		if strings.HasPrefix(code, "\t") {
			indent *= 2
		}
		switch {
		case text == "":
			blank = true
			continue
		case text == leftOut:
			s.end()
			below = indent
			continue
		case below >= 0 && indent > below:
			continue
		}
		below = -1
		s.line(strings.Trim(line[:at], " \t→|:"), text, indent, blank)
		blank = false
	}
	s.end()
}

// hasGutter reports whether the lines of a text have consecutive numbers, as printed by tools that read files.
func hasGutter(content string) bool {
	last, lines := 0, 0
	for line := range strings.Lines(content) {
		if line == "\n" && lines == 0 {
			continue
		}
		n, at := 0, numbered(line)
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

// line adds a line of a file. after is true if the line follows an empty one.
func (s *quoteSplitter) line(number, text string, indent int, after bool) {
	name, comment := definedBy(text), commentOf(text) != ""
	onlyComment := s.comment && !s.defines && s.worth == s.size*ofProseLine
	long := s.size+len(text) > longQuote && !(s.comment && (comment || name != "")) || s.size > 2*longQuote
	if s.size > 0 && (after && (s.size >= leastQuote || indent == 0) || name != "" && !onlyComment || comment && !s.comment && s.size >= shortQuote || long) {
		s.end()
	}
	if !strings.ContainsFunc(text, isLetter) { // a brace
		if n := len(s.lines); n > 0 && (s.flat || !s.gap && s.lines[n-1].indent > indent) {
			s.fill(indent)
			s.lines = append(s.lines, quotedCode{text: text, indent: indent})
		}
		return
	}
	if indent <= s.indent {
		s.definition = ""
	}
	if s.size == 0 {
		s.number, s.within = number, s.definition
	}
	if name != "" {
		s.definition, s.indent, s.defines = name, indent, true
		if onlyComment || s.size == 0 {
			s.within = ""
		}
	}
	s.comment = comment
	worth := worthInQuote(text)
	if worth == 0 {
		s.gap = len(s.lines) > 0
	} else {
		s.fill(indent)
		s.lines = append(s.lines, quotedCode{clipLine(text, 2*longestCode), indent, worth})
		s.size += len(s.lines[len(s.lines)-1].text)
		s.worth += len(s.lines[len(s.lines)-1].text) * worth
	}
}

// fill writes "…" in place of the lines that were left out.
func (s *quoteSplitter) fill(indent int) {
	if s.gap {
		s.lines = append(s.lines, quotedCode{text: "…", indent: indent})
	}
	s.gap = false
}

// end ends a quote. If the quote ends with several calls, only the first of them stays.
func (s *quoteSplitter) end() {
	braces := func(n int) bool { return n > 0 && s.lines[n].worth == 0 && s.lines[n].indent <= s.lines[0].indent }
	for n := len(s.lines) - 1; braces(n) || n > 0 && s.lines[n].worth == ofCallLine && s.lines[n-1].worth == ofCallLine; n-- {
		if s.lines[n].worth == 0 {
			s.lines = s.lines[:n]
			continue
		}
		s.size -= len(s.lines[n].text)
		s.worth -= len(s.lines[n].text) * ofCallLine
		s.lines = s.lines[:n]
	}
	if s.size > 0 && s.worth/s.size >= leastRunWorth && !(len(s.lines) == 1 && (s.defines || s.size < loneQuote)) {
		text, base := s.lines[0].text, s.lines[0].indent
		for _, line := range s.lines[1:] {
			text += "\n" + strings.Repeat(" ", min(max(0, line.indent-base), deepQuote)) + line.text
		}
		s.see(fileQuote{number: s.number, within: s.within, text: text, factor: s.worth / s.size})
	}
	s.lines, s.size, s.worth, s.comment, s.defines, s.gap = s.lines[:0], 0, 0, false, false, false
}

// deepQuote is the maximum indentation of a quoted line relative to the quote's first line, in characters.
const deepQuote = 24

// loneQuote is the minimum size of a passage of one line, in bytes. A definition alone is uninformative.
const loneQuote = 30

// The weights of lines of code in a quote, in 1/1024. A call weighs less than leastRunWorth, so calls alone are not quoted.
const (
	ofCondition = 400
	ofValue     = 320
	ofCallLine  = 140
)

// conditionHeads begin lines that state a condition, or its outcome.
var conditionHeads = []string{"if ", "if(", "} else if", "elif ", "case ", "when ", "while ", "switch ", "return ", "unless ", "match "}

var conditionStarts = startsOf(conditionHeads)

// worthInQuote returns the weight of a line in a quote. Comments and definitions weigh most, then conditions and
// values. Lines that only pass on a value or an error have no weight.
func worthInQuote(text string) int {
	if commentOf(text) != "" {
		return ofProseLine
	}
	worth := worthOfLine(text)
	called, _, calls := strings.Cut(text, "(")
	prose := worth == ofProseLine && !calls && !strings.ContainsRune("{[;,", rune(text[len(text)-1]))
	switch {
	case worth == 0, prose, worth == ofDefinition:
		return worth
	case passesError(text), text[0] == '"' && fewSpaces(text, 1), !strings.ContainsAny(called, " =") && reports(called), strings.HasSuffix(text, "{},"):
		return 0
	case conditionStarts.may(text) && headedBy(text, conditionHeads):
		return ofCondition
	case strings.ContainsAny(text, "0123456789\"'") && strings.Contains(text, "= ") && !strings.Contains(text, "new "):
		return ofValue
	}
	return ofCallLine
}

// passesError reports whether a line of code only passes an error on.
func passesError(text string) bool {
	return strings.HasPrefix(text, "if err ") || text == "return err" || text == "return nil, err" || strings.Contains(text, "%w")
}

// reporting are parts of the names of functions that print or log something, in lower case.
var reporting = []string{"print", "log.", "logg", "fatal", "console.", "warn", "assert"}

// reports reports whether a function, judging by its name, only prints or logs something.
func reports(called string) bool {
	called = lower(called)
	return slices.ContainsFunc(reporting, func(s string) bool { return strings.Contains(called, s) })
}

// isLetter reports whether a rune is an ASCII letter or digit, or not ASCII at all.
func isLetter(r rune) bool { return r >= 0x80 || inName(byte(r)) && r != '.' && r != '-' && r != '$' }

// show returns the chosen passages, grouped under the name of their file and the number of their entry.
func (k *turnLog) show(chosen []extract.Chosen) string {
	var b strings.Builder
	var last *fileQuote
	for _, c := range chosen {
		p := &k.quotes[k.units[c.Item].unit]
		if last == nil || p.path != last.path || p.turn != last.turn {
			b.WriteString("[" + itoa(p.turn) + "] " + Fence(p.path) + ":\n")
			last = nil
		}
		head := ""
		switch {
		case p.number != "":
			head = p.number + ": "
		case last != nil:
			head = "… "
		}
		if p.within != "" {
			head += "(in " + p.within + ") "
		}
		b.WriteString(requestIndent + strings.ReplaceAll(Fence(head+p.text), "\n", "\n"+requestIndent) + "\n")
		last = p
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// add records the effect of an edit on its file.
func (l *laterChanges) add(c *change) {
	if c.created || c.deleted {
		l.files.Add(c.path)
		return
	}
	l.edited.Add(c.path)
	for _, line := range c.removed {
		l.removed.Add(fileLine(c.path, line))
	}
}

// ran records the files that a script changes. If the script prints exactly one file, ran returns the file's path,
// otherwise "".
func (l *laterChanges) ran(script string) string {
	folder := folderOf(script)
	var printed []string
	changed := &l.files
	if strings.Contains(script, "sed -i") && !strings.Contains(script, ">") { // most lines stay
		changed = &l.edited
	}
	shellFiles(script, func(path string) { printed = addPath(printed, inFolder(folder, path)) }, func(path string) { changed.Add(inFolder(folder, path)) })
	removesIn(script, func(path string) { l.files.Add(inFolder(folder, path)) })
	if len(printed) != 1 || kindOf(withoutFolder(script)) != looks || searchedFor(script) != "" {
		return ""
	}
	return printed[0]
}

// without returns the content of a file with leftOut in place of the lines that are removed or read again later.
func (l *laterChanges) without(path, content string) string {
	var b strings.Builder
	gutter, left := hasGutter(content), true
	number := func(line string) int {
		if gutter {
			return numbered(line)
		}
		return 0
	}
	for line := range strings.Lines(content) {
		at := number(line)
		code := strings.TrimSpace(line[at:])
		if key := fileLine(path, code); code != "" && (l.removed.Has(key) || l.read.Has(key)) {
			b.WriteString(line[:len(line)-len(strings.TrimLeft(line[at:], " \t"))] + leftOut + "\n")
			continue
		}
		left = left && code == ""
		b.WriteString(line)
	}
	for line := range strings.Lines(content) {
		l.read.Add(fileLine(path, strings.TrimSpace(line[number(line):])))
	}
	if left {
		return ""
	}
	return b.String()
}
