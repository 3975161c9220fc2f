package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Much of what an agent learns stands in the files that it reads and in the text of its edits: conditions, values, and the comments that
// explain them. The digest quotes passages of such files next to the log. They compete with the units of the log for the same room. Lines that
// later edits removed, and files that were rewritten, are left out.

// leastShowing is the minimum size of a digest that quotes passages of files, in bytes.
const leastShowing = 6000

// lookShown is how many bytes of files are considered, those read last first.
const lookShown = 1 << 18

// fileQuote is a piece of a file that is quoted as a whole.
type fileQuote struct {
	turn   int    // the number of the turn that read or changed the file
	path   string // relative to the common folder of the log
	number string // the number of its first line; "" if that is unknown
	within string // the name of the definition that encloses it; "" if it begins with a definition, or nothing encloses it
	text   string
	factor int
}

// laterChanges is what happens to files after a message.
type laterChanges struct {
	files   critbit.Map[struct{}] // that were rewritten, moved or changed by a command
	edited  critbit.Map[struct{}] // of which some lines were edited
	removed critbit.Map[struct{}] // lines that edits removed
	read    critbit.Map[struct{}] // lines that are read again
}

// quoteReader collects the passages of files in a transcript, from its end on.
type quoteReader struct {
	t     *transcript.Transcript
	log   *turnLog
	later laterChanges
	said  turnWords   // the words of the log
	room  int         // how many bytes are still considered
	found []fileQuote // the newest file first
}

// quotesOf returns the passages of the files that messages read and change. Messages of the transcript that are not among them stay in
// the conversation, so that only their changes count.
func (k *turnLog) quotesOf(t *transcript.Transcript, messages []int32) []fileQuote {
	r := quoteReader{t: t, log: k, said: newTurnWords(), room: lookShown}
	for i := range k.turns {
		r.said.add(k.turns[i].asked)
		for n := range k.turns[i].units {
			if u := &k.turns[i].units[n]; u.kind.isProse() && u.factor != isDropped {
				r.said.add(u.text)
			}
		}
	}
	if len(messages) == 0 {
		return nil
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
	}
	slices.Reverse(r.found)
	return r.found
}

// part reads part n of a message, which stays in the conversation or is folded.
func (r *quoteReader) part(message, n int32, stays bool) {
	p := &r.t.Parts[n]
	switch {
	case p.Has(transcript.Removed | transcript.IsError):
	case p.Kind == transcript.Text && p.Parent < 0 && isTextResult(r.t, int(message)):
		content := r.t.Text(p.Body)
		r.read(message, r.later.textRead(calledBefore(r.t, int(message)), content), content, stays)
	case p.Kind == transcript.ToolResult && p.Pair >= 0:
		call := &r.t.Parts[p.Pair]
		switch useOf(r.t.Text(call.Name)) {
		case reads:
			r.read(message, Path(r.t, call), ResultText(r.t, int(n)), stays)
		case edits:
			for _, c := range slices.Backward(changesOf(r.t, call)) {
				r.changed(message, &c, stays)
			}
		case runs:
			if path := r.later.ran(commandOf(r.t, call)); path != "" {
				r.read(message, path, ResultText(r.t, int(n)), stays)
			}
		}
	}
}

// read adds the passages of a file's content.
func (r *quoteReader) read(message int32, path, content string, stays bool) {
	if path == "" || thrownAway(path) || r.later.files.Has(path) || failedText(content) {
		return
	}
	content = withoutReminders(withoutExcerptMarker(withoutEnvelope(content)))
	content = r.later.without(content, r.later.edited.Has(path))
	if !stays {
		r.add(message, path, content)
	}
}

// changed adds the passages that a change has added to a file, unless the log quotes all of it.
func (r *quoteReader) changed(message int32, c *change, stays bool) {
	if !stays && !thrownAway(c.path) && !r.later.files.Has(c.path) && !isDiff(c.added) {
		var b strings.Builder
		for _, line := range c.added {
			if !r.later.removed.Has(line) && !r.later.read.Has(line) {
				b.WriteString(line + "\n")
			}
		}
		if said := c.text(); b.Len() > quotedChange && !strings.Contains(said, codeQuote(clipLine(c.added[0], quotedLine))) {
			r.add(message, c.path, b.String())
		}
	}
	r.later.add(c)
}

// add adds the passages of a content. Those that share names with the log weigh more.
func (r *quoteReader) add(message int32, path, content string) {
	if r.room -= len(content); r.room < 0 {
		return
	}
	from := len(r.found)
	turn := r.log.turnAt(message)
	path = strings.TrimPrefix(path, r.log.base)
	eachQuote(content, func(p fileQuote) {
		p.turn, p.path = turn, path
		shared := min(r.said.namesIn(p.within+" "+p.text), mostRelated)
		if words, long := r.said.shared(p.text); shared == 0 && 4*words < long || p.factor*(1+shared) < leastRelated { // about something else
			return
		}
		p.factor = p.factor * (2 + 3*shared) * ofQuote / (8 * 1024)
		r.found = append(r.found, p)
	})
	slices.Reverse(r.found[from:])
}

// ofQuote is the weight of a quote that is all comment and shares two names with the log, in 1/1024.
const ofQuote = 360

// leastRelated is the minimum product of a quote's weight and one more than the number of names that it shares with the log: code has to share
// two, comments none.
const leastRelated = 600

// mostRelated is the number of names shared with the log above which a passage doesn't weigh more.
const mostRelated = 4

// The sizes of passages, in bytes: they end at the next definition or comment from shortQuote on, at an empty line from leastQuote on, and
// anywhere at longQuote.
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
	within, definition string // the definition around the passage, and the one that lines are in
	indent             int    // of that definition
	size, worth        int
	comment            bool // whether the last line is a comment
	defines            bool // whether a definition begins in the passage
}

// quotedCode is a line of a quote with its weight.
type quotedCode struct {
	text  string
	worth int
}

// eachQuote calls see with the passages of a content that say something, with the average weight of their bytes as their factor.
func eachQuote(content string, see func(p fileQuote)) {
	s := quoteSplitter{see: see}
	blank := false
	for line := range strings.Lines(content) {
		at := numbered(line)
		code := strings.TrimRight(line[at:], " \t\r\n")
		text := strings.TrimLeft(code, " \t")
		if text == "" {
			blank = true
			continue
		}
		s.line(strings.Trim(line[:at], " \t→|:"), text, len(code)-len(text), blank)
		blank = false
	}
	s.end()
}

// line adds a line of a file. after reports whether an empty line is before it.
func (s *quoteSplitter) line(number, text string, indent int, after bool) {
	name, comment := definedBy(text), commentOf(text) != ""
	onlyComment := s.comment && !s.defines && s.worth == s.size*ofProseLine
	long := s.size+len(text) > longQuote && !(s.comment && (comment || name != "")) || s.size > 2*longQuote
	if s.size > 0 && (after && (s.size >= leastQuote || indent == 0) || name != "" && !onlyComment || comment && !s.comment && s.size >= shortQuote || long) {
		s.end()
	}
	if !strings.ContainsFunc(text, isLetter) { // a brace
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
	if worth := worthInQuote(text); worth > 0 {
		s.lines = append(s.lines, quotedCode{clipLine(text, 2*longestCode), worth})
		s.size += len(s.lines[len(s.lines)-1].text)
		s.worth += len(s.lines[len(s.lines)-1].text) * worth
	}
}

// end ends a quote. Of calls at its end only the first stays.
func (s *quoteSplitter) end() {
	for n := len(s.lines) - 1; n > 0 && s.lines[n].worth == ofCallLine && s.lines[n-1].worth == ofCallLine; n-- {
		s.size -= len(s.lines[n].text)
		s.worth -= len(s.lines[n].text) * ofCallLine
		s.lines = s.lines[:n]
	}
	if s.size > 0 && s.worth/s.size >= leastRunWorth && !(len(s.lines) == 1 && (s.defines || s.size < loneQuote)) {
		text := s.lines[0].text
		for _, line := range s.lines[1:] {
			text += "\n" + line.text
		}
		s.see(fileQuote{number: s.number, within: s.within, text: text, factor: s.worth / s.size})
	}
	s.lines, s.size, s.worth, s.comment, s.defines = s.lines[:0], 0, 0, false, false
}

// loneQuote is the minimum size of a passage of one line, in bytes. A definition alone says nothing.
const loneQuote = 30

// The weights of lines of code in a quote, in 1/1024. Only calls are worth less than leastRunWorth.
const (
	ofCondition = 400
	ofValue     = 320
	ofCallLine  = 140
)

// conditionHeads begin lines that say under which condition something happens, or what comes of it.
var conditionHeads = []string{"if ", "if(", "} else if", "elif ", "case ", "when ", "while ", "switch ", "return ", "unless ", "match "}

var conditionStarts = startsOf(conditionHeads)

// worthInQuote returns the weight of a line in a quote: comments and definitions say most, then conditions and values. Lines that only pass a
// value or an error on say nothing.
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

// reporting has parts of the names of functions that print or log something, in lower case.
var reporting = []string{"print", "log.", "logg", "fatal", "console.", "warn", "assert"}

// reports reports whether a function only prints or logs something, by its name.
func reports(called string) bool {
	called = lower(called)
	return slices.ContainsFunc(reporting, func(s string) bool { return strings.Contains(called, s) })
}

// isLetter reports whether a rune is an ASCII letter or digit, or not ASCII at all.
func isLetter(r rune) bool { return r >= 0x80 || inName(byte(r)) && r != '.' && r != '-' && r != '$' }

// show returns the chosen passages, those of one file under its name and entry.
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

// add notes an edit.
func (l *laterChanges) add(c *change) {
	if c.created || c.deleted {
		l.files.Add(c.path)
		return
	}
	l.edited.Add(c.path)
	for _, line := range c.removed {
		l.removed.Add(line)
	}
}

// ran notes the files that a script changes, and returns the only one that it prints, or "".
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

// without returns the content of a file without the lines that were removed later or are read again; without their numbers if it was edited.
func (l *laterChanges) without(text string, edited bool) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		shown := line
		if edited {
			shown = line[numbered(line):]
		}
		code := strings.TrimSpace(line[numbered(line):])
		switch {
		case code == "":
			b.WriteString(shown)
		case !l.removed.Has(code) && !l.read.Has(code):
			b.WriteString(shown)
		}
	}
	for line := range strings.Lines(text) {
		l.read.Add(strings.TrimSpace(line[numbered(line):]))
	}
	return b.String()
}
