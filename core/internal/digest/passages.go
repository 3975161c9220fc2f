package digest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// passage is a piece of running text written by the user. It is a paragraph, or a list item together with the
// introduction of its list ("Never").
type passage struct {
	lead, text string // the introduction of the list, or "", and the text
	// listed means that the text is an item of a list of things to do, such as those after "Improve:".
	listed bool
	// ofLines means that the block is about certain lines of a file: "in gate.go around lines 12 to 20".
	ofLines bool
}

// The numbers of bytes that are searched at the beginning and at the end of a user's text. If the text is longer, its
// middle was most likely pasted.
const (
	lookHead = 48000
	lookTail = 16000
)

// mostTags is the maximum number of tags matched in a text, so that unclosed tags can't make the cost quadratic.
const mostTags = 64

// passages returns the passages of text that the user wrote. It skips fenced code, quotes, tags, tables, code, logs,
// and everything after a line that introduces pasted text, because a pasted page isn't in the user's words.
func passages(text string) []passage {
	if len(text) > lookHead+lookTail {
		text = trimRune(text[:lookHead]) + "\n\n" + strings.ToValidUTF8(text[len(text)-lookTail:], "")
	}
	if isDump(text, dumpLines) {
		head, rest, _ := strings.Cut(text, "\n\n")
		if at := strings.LastIndex(rest, "\n\n"); at >= 0 {
			head += rest[at:]
		}
		text = head
	}
	p := passageReader{rest: text}
	for p.rest != "" && !p.pasted {
		line, rest, _ := strings.Cut(p.rest, "\n")
		if p.rest = rest; beginsOurs(line) {
			break
		}
		if repliesBelow(line) && len(p.block) == 0 { // somebody else wrote everything above
			p.out, p.lead = nil, ""
		}
		p.line(line)
	}
	p.flush()
	return p.out
}

// repliesBelow reports whether a line begins with an arrow of the kind that people put before their reply to a text
// that they pasted.
func repliesBelow(line string) bool {
	return strings.HasPrefix(line, "-> ") || strings.HasPrefix(line, "--> ") || strings.HasPrefix(line, "=> ") || strings.HasPrefix(line, "→ ")
}

// dumpLines is the minimum number of non-empty lines of a text that passages considers program
// output.
const dumpLines = 24

// isDump reports whether text looks like program output: it has at least least non-empty lines, and most of them are
// short, don't end a sentence, and are no headings or list items. The user's comment on it precedes or follows it.
func isDump(text string, least int) bool {
	said, lines := countLines(text, func(line string) bool {
		item, _ := listItem(line)
		return item || line[0] == '#' || endsSentence(line) || len(line) > maxLead
	})
	return lines >= least && said*2 < lines
}

// passageReader splits text of the user into passages.
type passageReader struct {
	rest   string     // the text that has not been read yet
	block  []textLine // consecutive lines that aren't empty
	fence  string     // the fence that ends the current code block; "" outside of one
	lead   string     // the introduction of the next passage; "" if there is none
	tasks  bool       // whether the items that follow are things to do
	tags   int        // number of tags that were looked up; see mostTags
	pasted bool       // whether the rest of the text was pasted
	out    []passage  // the passages so far
}

// textLine is a line of the current block.
type textLine struct {
	text        string // without white space around it, and without the sign of a list item
	item, codes bool   // whether it begins a list item, and whether it looks like code
}

// line reads one line. Code, quotes, tables and tags that programs added end the block of text before them and are
// skipped.
func (p *passageReader) line(line string) {
	s := strings.TrimSpace(line)
	if p.fence != "" {
		if strings.HasPrefix(s, p.fence) {
			p.fence = ""
		}
		return
	}
	switch {
	case isFence(s):
		p.flush()
		p.fence = s[:3]
		return
	case s == "", strings.HasPrefix(s, ">"), strings.HasPrefix(s, "|"), strings.HasPrefix(s, pastedOpen):
		p.flush()
		return
	case s[0] == '<' && p.tags < mostTags:
		if p.tags++; p.skipTag(s) {
			p.flush()
			return
		}
	}
	if kind, _, found := strings.Cut(s, ": "); found && len(kind) <= maxKind && p.rest != "" && saysReview(kind) {
		p.flush()
		p.pasted = true
		return
	}
	item, text := listItem(s)
	indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
	p.block = append(p.block, textLine{text, item, codesBare(s) || indented && !item && !p.inList()})
}

func (p *passageReader) inList() bool { return len(p.block) > 0 && p.block[len(p.block)-1].item }

// skipTag skips the element that begins on a line. It returns false if the line doesn't begin with a tag, or if the tag
// isn't closed.
func (p *passageReader) skipTag(line string) bool {
	n := 1
	for n < len(line) && (line[n]|0x20 >= 'a' && line[n]|0x20 <= 'z' || line[n] == '-' || line[n] == '_' || n > 1 && line[n] >= '0' && line[n] <= '9') {
		n++
	}
	if n == 1 {
		return false
	}
	end := "</" + line[1:n]
	if strings.Contains(line, end) {
		return true
	}
	at := strings.Index(p.rest, end)
	if at < 0 {
		return false
	}
	_, p.rest, _ = strings.Cut(p.rest[at:], "\n")
	return true
}

// listItem reports whether a line is a list item, and returns the line without the marker of the item.
func listItem(s string) (bool, string) {
	if s != "" && byteClass[s[0]]&(small|capital|digit) == 0 {
		for _, mark := range []string{"- ", "* ", "+ ", "• ", "– ", "· ", "・"} {
			if rest, found := strings.CutPrefix(s, mark); found {
				return true, strings.TrimSpace(rest)
			}
		}
	}
	n := 0
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return true, strings.TrimSpace(s[n+1:])
	}
	return false, s
}

// flush adds the passages of the current block. With the block, its list of things to do ends. In a block that contains
// code, only a sentence at the beginning or the end counts as the user's words.
func (p *passageReader) flush() {
	block, from := p.block, len(p.out)
	p.block = p.block[:0]
	if slices.ContainsFunc(block, func(l textLine) bool { return l.item }) {
		defer func() { p.tasks = false }()
	}
	coded, keyed, placed := 0, 0, false
	for _, l := range block {
		placed = placed || atLines(l.text)
		if l.codes {
			coded++
		}
		if isKeyed(l.text) {
			keyed++
		}
	}
	if keyed > 2 && keyed*3 >= len(block)*2 { // settings, each with a key and a value
		return
	}
	for i := 0; i < len(block) && !p.pasted; i++ {
		l := block[i]
		edge := (i == 0 || i == len(block)-1) && endsSentence(l.text) && l.text[0] != '#'
		if l.codes || coded > 0 && !edge {
			continue
		}
		text := l.text
		if coded == 0 {
			n := paragraph(block[i:])
			text, i = joined(block[i:i+n]), i+n-1
		}
		p.passage(text, l.item, i+1 < len(block) && block[i+1].item)
	}
	for i := range p.out[from:] {
		p.out[from+i].ofLines = placed
	}
}

// atLines reports whether a text mentions line numbers: "lines 12 to 20".
func atLines(s string) bool {
	for {
		_, rest, found := strings.Cut(s, " line")
		if !found {
			return false
		}
		s = strings.TrimPrefix(rest, "s")
		if len(s) > 1 && s[0] == ' ' && s[1]-'0' < 10 {
			return true
		}
	}
}

// paragraph returns the number of lines at the beginning of a block that belong to the same paragraph or list item. A
// line that doesn't end a sentence usually continues on the next line.
func paragraph(block []textLine) int {
	if block[0].text[0] == '#' {
		return 1
	}
	ends, size := false, -1
	for i, l := range block {
		if i > 0 && (l.item || ends || size <= 60 && !beginsLower(l.text)) {
			return i
		}
		size += 1 + len(l.text)
		if said := strings.TrimRight(l.text, afterSentence); said != "" {
			ends = endsSentence(said)
		}
	}
	return len(block)
}

// joined joins lines with spaces. It must take linear time, because a pasted table may be one paragraph with thousands
// of lines.
func joined(lines []textLine) string {
	if len(lines) == 1 {
		return lines[0].text
	}
	var text strings.Builder
	for i, l := range lines {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(l.text)
	}
	return text.String()
}

func beginsLower(line string) bool {
	r, _ := utf8.DecodeRuneInString(line)
	return unicode.IsLower(r)
}

// afterSentence lists the characters that can follow the final punctuation of a sentence.
const afterSentence = "\"'”’»)*_ "

func endsSentence(line string) bool {
	for n := len(line); n > 0 && line[n-1] < utf8.RuneSelf; n-- {
		switch line[n-1] {
		case '"', '\'', ')', '*', '_', ' ':
			continue
		case '.', '!', '?', ':', ';':
			return true
		}
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(line, afterSentence))
	return strings.ContainsRune(".!?:;。！？：；।؟…", r)
}

// passage adds a passage for a list item or a block of text. If text is a heading, or ends with a colon, and introduces
// rules, it becomes the lead of the items after it instead. listed says whether an item follows it.
func (p *passageReader) passage(text string, item, listed bool) {
	heading := text[0] == '#'
	text = strings.TrimSpace(strings.Trim(text, "#*_ "))
	if text == "" {
		return
	}
	last, size := utf8.DecodeLastRuneInString(text)
	introduces := last == ':' || last == '：'
	if item && !introduces {
		p.out = append(p.out, passage{lead: p.lead, text: text, listed: p.tasks})
		return
	}
	p.lead, p.tasks = "", false
	if heading || introduces {
		lead := strings.TrimSpace(strings.TrimRight(text, ":：*_ "))
		if last == '：' || last == ':' {
			text = strings.TrimSpace(text[:len(text)-size])
		}
		if len(lead) <= maxLead && introducesRules(lead) {
			p.lead = lead
			return
		}
		p.tasks = introduces && introducesTasks(lead)
		if introduces && !(p.tasks && (isBriefOrder(lead) || listed && !pointsAtPaste(lead))) && (introducesPaste(lead) || saysReview(lead) || asksToEdit(lead) || saysWhoWrote(lead)) {
			p.pasted = true
		}
	}
	if n := max(editLead(text), wroteLead(text)); n > 0 {
		text = text[:n]
	}
	p.out = append(p.out, passage{text: text})
}

// maxLead is the maximum length, in bytes, of a line that introduces a list of rules.
const maxLead = 120

// maxKind is the maximum length, in bytes, of a label at the beginning of a line that says what the rest of it is.
const maxKind = 40

var reviews = wordListOf("feedback review reviews comment comments")

// saysReview reports whether kind, the beginning of a line, announces somebody else's comments on the work: "more
// reviewer feedback".
func saysReview(kind string) bool {
	ws := wordsOf(kind, nil)
	return len(ws) > 0 && len(ws) <= 4 && reviews.has(ws[len(ws)-1].text)
}

// introducesRules reports whether a line introduces rules, because it contains a word for rules or is itself an
// instruction ("Never").
func introducesRules(lead string) bool {
	ws := wordsOf(lead, nil)
	for i := range ws {
		if ws[i].is(ruleNouns) {
			return true
		}
	}
	for _, noun := range ruleSigns {
		if strings.Contains(lead, noun) {
			return true
		}
	}
	return forbidsItems(ws) || isBriefOrder(lead) && !introducesTasks(lead)
}

// isBriefOrder reports whether a line of a few words prescribes something.
func isBriefOrder(line string) bool {
	ws := wordsOf(line, nil)
	return len(ws) <= 8 && rate(line, ws).strength >= wish
}

// forbidsItems reports whether the words of an introduction only say that the items after it are forbidden: "Do not",
// "Please avoid".
func forbidsItems(ws []word) bool {
	forbids := false
	for i := range ws {
		w := &ws[i]
		switch {
		case w.is(negations):
			forbids = true
		case !withBans.has(w.text):
			return false
		}
	}
	return forbids
}

// withBans lists words that may come with the negation in an introduction that forbids the items after it.
var withBans = wordListOf("do does must should please you also strictly absolutely bitte por favor")

// introducesTasks reports whether a line introduces a list of things to do: "Create a door panel", "Improve".
func introducesTasks(lead string) bool {
	ws := wordsOf(lead, nil)
	if len(ws) == 0 || len(ws) <= 2 && anyIs(ws, negations|lastingly|ruleNouns) {
		return false
	}
	return len(ws) <= 2 && listedTasks.has(ws[0].text) || errand(lead, ws, rate(lead, ws).direct) && !anyIs(ws, negations|lastingly|ruleNouns)
}

// listedTasks lists words with which a line of at most two words introduces a list of things to do.
var listedTasks = wordListOf("improve ensure add include validate verify report output create show tasks steps")

// introducesPaste reports whether a line introduces pasted text. Such a line names a kind of text, and either points at
// it or has few other words; or it contains a verb of reporting.
func introducesPaste(lead string) bool {
	ws := wordsOf(lead, nil)
	names, points := false, len(ws) <= 3
	for i := range ws {
		names = names || ws[i].is(pasteNouns)
		points = points || ws[i].is(pastePointers)
		if ws[i].is(reportVerbs) {
			return true
		}
	}
	for _, sign := range pasteSigns {
		if strings.Contains(lead, sign) {
			return true
		}
	}
	return names && points
}

// pointsAtPaste reports whether a line points at the text after it, or says what somebody wrote there.
func pointsAtPaste(lead string) bool { return anyIs(wordsOf(lead, nil), pastePointers|reportVerbs) }

// isKeyed reports whether a line is a setting that consists of a key, a colon and a short value.
func isKeyed(line string) bool {
	key, value, found := strings.Cut(line, ":")
	return found && value != "" && value[0] == ' ' && key != "" && !strings.Contains(key, " ") && len(strings.Fields(value)) < 4
}

// Signs of code and logs: strings anywhere in a line, strings at its beginning, keywords with which lines of code
// begin, and log levels.
var (
	codeMarks  = newSubstrings([]string{"=>", "();", ");", "</", "/>", "::", "==", "!=", "&&", "||", "+=", ":=", " = ", "\": ", "=\""})
	codeStarts = []string{"//", "/*", "*/", "@@", "+++", "---", "diff --git", "$ ", "% ", ">>> ", "Traceback", "File \"", "#include", "#!", "<!--", "-- ",
		"hint: ", "error: ", "warning: ", "fatal: ", "npm ERR!", "npm error", "➜ ", "❯ "}
	codeWords = []string{"import ", "from ", "def ", "class ", "func ", "function ", "const ", "let ", "var ", "return ", "if ", "for ", "while ",
		"else", "public ", "private ", "static ", "SELECT ", "at "}
	logLevels = []string{"ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL", "NOTICE", "CRITICAL", "SEVERE"}
)

// inCodeMark is a set of bytes. Each string in codeMarks has one of them among its first three bytes. The other variables
// rule out most lines that don't begin with a string from their lists.
var (
	inCodeMark = [256]bool{'=': true, ';': true, '<': true, '>': true, ':': true, '&': true, '|': true}
	codeStart  = startsOf(codeStarts)
	codeWord   = startsOf(codeWords)
	logLevel   = startsOf(logLevels)
)

// codesBare is like codes, but ignores code in backticks, because a sentence can quote a command.
func codesBare(s string) bool {
	if !strings.Contains(s, "`") {
		return codes(s)
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "`")
		b.WriteString(before)
		if !found {
			break
		}
		_, after, closed := strings.Cut(rest, "`")
		if !closed {
			b.WriteString(rest)
			break
		}
		s = after
	}
	bare := strings.TrimSpace(b.String())
	return bare == "" || codes(bare)
}

// codes reports whether a line looks like code, program output or a log.
func codes(s string) bool {
	at := 0
	for at < len(s) && !inCodeMark[s[at]] {
		at++
	}
	if at < len(s) && codeMarks.in(s[max(at-2, 0):]) && !mostlyWords(s) {
		return true
	}
	if codeStart.may(s) && startsWithAny(s, codeStarts) {
		return true
	}
	if end := s[len(s)-1]; end == '{' || end == '}' || end == ';' || end == '\\' {
		return true
	}
	if codeWord.may(s) && startsWithAny(s, codeWords) &&
		(strings.ContainsAny(s, "={};") || strings.Contains(s, "(") && strings.HasSuffix(s, ":") || strings.HasPrefix(s, "at ") && strings.Contains(s, ":")) {
		return true
	}
	return isLog(s) || len(s) > 10 && symbols(s)
}

// isLog reports whether a line begins with a time or a log level, as in a log.
func isLog(s string) bool {
	for s != "" && (s[0] == '[' || s[0] == '(') {
		s = s[1:]
	}
	digits, marks := 0, 0
	for i := 0; i < len(s) && i < 10; i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case (c == '-' || c == ':' || c == '/' || c == '.') && digits > 0:
			marks++
		default:
			i = len(s)
		}
	}
	if digits >= 6 && marks >= 2 {
		return true
	}
	if !logLevel.may(s) {
		return false
	}
	word := s
	if n := strings.IndexAny(s, " :]"); n >= 0 {
		word = s[:n]
	}
	for _, level := range logLevels {
		if word == level || strings.EqualFold(word, level) && len(word) < len(s) && strings.ContainsAny(s[len(word):len(word)+1], "]") {
			return true
		}
	}
	return false
}

// notProse has a 1 for each ASCII character other than letters and the punctuation and spaces used between words.
var notProse = func() (is [256]uint8) {
	for c := range utf8.RuneSelf {
		if byteClass[c]&(small|capital) == 0 && strings.IndexByte(" .,'!?:-\"", byte(c)) < 0 {
			is[c] = 1
		}
	}
	return is
}()

// symbols reports whether more than a quarter of the characters in a line are neither letters nor punctuation or spaces
// used between words.
func symbols(s string) bool {
	odd := 0
	for i := range len(s) {
		odd += int(notProse[s[i]])
	}
	return odd*4 > utf8.RuneCountInString(s)
}
