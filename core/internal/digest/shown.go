package digest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Much of what an agent learns is in the files that it reads and in the text of its edits: conditions, values, and the
// comments that explain them. The digest quotes passages of such files after the log. They compete with the units of
// the log for the same room. Lines that a later edit removed are left out, and so are files that were rewritten.

// leastShowing is the minimum size, in bytes, of a digest in which passages compete with the log for room.
const leastShowing = 6000

// lookShown is the maximum number of bytes of all files to consider, starting with the file that was read last.
// lookFile is the maximum for one file.
const (
	lookShown = 1 << 18
	lookFile  = 1 << 15
)

// lookSpare is the maximum size of all spare passages, in bytes.
const lookSpare = 1 << 16

// fileQuote is a passage of a file that a digest may quote as a whole. A definition that is too long for this has an
// outline.
type fileQuote struct {
	turn   int    // the number of the turn that read or changed the file
	path   string // relative to the common folder of the log
	number string // the number of the passage's first line; "" if unknown
	within string // the name of the enclosing definition; "" if there is none, or if the passage begins with a definition
	name   string // what the passage defines, or ""
	text   string // "" if the passage has only an outline
	// outline summarizes a definition that is too long to be quoted as a whole: its comment, its first lines, and the
	// most informative lines of its body. It is "" for other passages.
	outline string
	factor  int
	// explains reports whether the passage begins with a comment of at least a sentence.
	explains bool
	// written reports whether the assistant wrote the passage.
	written bool
	// spare reports whether the passage is quoted only if room is left after everything else.
	spare bool
}

// longest returns the passage in its longest form.
func (p *fileQuote) longest() string { return cmp.Or(p.outline, p.text) }

// laterChanges records what happens to files after a message.
type laterChanges struct {
	files  critbit.Map[struct{}] // paths of files that were rewritten, moved or changed by a command
	edited critbit.Map[struct{}] // paths of files of which some lines were edited
	// restored lists files whose edits were undone with git; restoredAll means that those of all files were.
	restored    []string
	restoredAll bool
	unstashed   int // the number of times git's stash was popped, minus the number of times it was filled
	// For each path, the hashes of lines without the white space around them:
	removed critbit.Map[words.HashSet] // the lines that edits removed
	read    critbit.Map[words.HashSet] // the lines that are read again
}

// quoteReader collects passages of files from a transcript, beginning with the last message.
type quoteReader struct {
	t     *transcript.Transcript // the transcript with the files
	log   *turnLog               // the log with which the passages compete for room
	later laterChanges           // what later messages have done to the files
	said  turnWords              // the words of the log
	room  int                    // the number of bytes that may still be read
	spare int                    // the number of bytes that spare passages may still take
	lines []fileText             // a buffer for the lines of a file
	found []fileQuote            // newest file first
}

// quotesOf returns passages of the files that the given messages read and change. quotes compete
// with the log for room; all also contains those that are quoted only if room is left. Both are nil
// if there are no messages. The other messages of the transcript stay in the conversation. They
// aren't quoted, but what they read and change makes earlier passages outdated.
func (k *turnLog) quotesOf(t *transcript.Transcript, messages []int32) (quotes, all []fileQuote) {
	if len(messages) == 0 {
		return nil, nil
	}
	r := quoteReader{t: t, log: k, room: lookShown, spare: lookSpare}
	for i := range k.turns {
		r.said.add(k.turns[i].request)
		for n := range k.turns[i].units {
			if u := &k.turns[i].units[n]; (u.kind.isProse() || u.kind == changeUnit) && u.factor != isDropped {
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
	for _, p := range r.found {
		if !p.spare {
			quotes = append(quotes, p)
		}
	}
	r.found = r.ofTheWork(r.found)
	return withoutBoilerplate(quotes), withoutBoilerplate(r.found)
}

// withoutBoilerplate removes passages whose first line also begins a passage of another file.
func withoutBoilerplate(found []fileQuote) []fileQuote {
	var paths critbit.Map[string] // keys are first lines; "" if passages of several files begin with the line
	for n := range found {
		first, _, _ := strings.Cut(found[n].longest(), "\n")
		if path, known := paths.Get(first); known && path != found[n].path {
			paths.Set(first, "")
		} else if !known {
			paths.Set(first, found[n].path)
		}
	}
	return slices.DeleteFunc(found, func(p fileQuote) bool {
		first, _, _ := strings.Cut(p.longest(), "\n")
		path, _ := paths.Get(first)
		return path == ""
	})
}

// textResult reads the first text of a message, in which a program answers calls that the assistant wrote as text.
// stays means that the message stays in the context.
func (r *quoteReader) textResult(message int32, stays bool) {
	for _, p := range r.t.OuterParts(&r.t.Messages[message]) {
		if p.Kind == transcript.Text {
			content := r.t.Text(p.Body)
			calls := calledBefore(r.t, int(message))
			path := r.later.textRead(calls, content)
			if slices.ContainsFunc(calls, func(c textCall) bool { return searchedFor(c.command) != "" }) {
				content = searchedLines(withoutEnvelope(content))
			}
			r.read(message, path, content, stays)
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
	switch useOfCall(r.t, call) {
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
		script := commandOf(r.t, call)
		if path := r.later.ran(script); path != "" && !failed {
			content := ResultText(r.t, int(n))
			if searchedFor(script) != "" {
				content = searchedLines(withoutEnvelope(content))
			}
			r.read(message, path, content, stays)
		}
	}
}

// read adds the passages of a file's content. If the message stays, it only records that the content was read.
func (r *quoteReader) read(message int32, path, content string, stays bool) {
	if path == "" || thrownAway(path) || strings.Contains(path, ".git/") || isTestFile(path) || isSkill(path) ||
		r.later.files.Has(path) || failedText(content) {
		return
	}
	content = withoutReminders(withoutExcerptMarker(withoutEnvelope(content)))
	if stays {
		r.later.reads(path, content)
	} else {
		r.add(message, path, content, !r.later.edited.Has(path), false)
	}
}

// isTestFile reports whether a file contains tests, judging by the words in its name: "ramp_test.go", "RampTests.java",
// "ramp.spec.ts", "test.js". A specification in prose or data, such as "api-spec.yaml", doesn't count.
func isTestFile(path string) bool {
	name := fileName(path)
	for from := 0; from < len(name); {
		end := from + 1
		for end < len(name) && isLetter(rune(name[end])) && name[end] != '_' && !beginsWord(name, end) {
			end++
		}
		switch strings.TrimSuffix(lower(strings.Trim(name[from:end], "._-0123456789")), "s") {
		case "test":
			return true
		case "spec":
			return end < len(name) && !isProseFile(name) && !settingFiles.has(name[strings.LastIndexByte(name, '.')+1:])
		}
		from = end
	}
	return false
}

// isProseFile reports whether a file holds text for people, judging by its name.
func isProseFile(path string) bool {
	return proseFiles.has(lower(path[strings.LastIndexByte(path, '.')+1:]))
}

// proseFiles lists the file name extensions of files that hold text for people.
var proseFiles = wordListOf("md mdx txt rst adoc html pdf docx")

// beginsWord reports whether the byte at index at is a capital letter that begins a word: "RampTest", "HTTPTest".
func beginsWord(name string, at int) bool {
	between := func(at int, from, to byte) bool { return at < len(name) && name[at] >= from && name[at] <= to }
	return between(at, 'A', 'Z') && (between(at-1, 'a', 'z') || between(at-1, 'A', 'Z') && between(at+1, 'a', 'z'))
}

// changed adds the passages of the text that a call wrote into a file, unless the file changed again later. stays means
// that the message with the call stays in the context, so nothing is quoted from it.
func (r *quoteReader) changed(message int32, c *change, stays bool) {
	if r.later.takesBack(c.path) {
		return
	}
	if !stays && c.content != "" && !thrownAway(c.path) && !isTestFile(c.path) && !r.later.files.Has(c.path) && !isDiff(c.added) {
		r.add(message, c.path, c.content, false, true)
	}
	r.later.add(c)
}

// add adds the passages of a file's content. Passages that aren't related to the conversation are spare. holds means
// that the line numbers are still correct, and written that the assistant wrote the content.
func (r *quoteReader) add(message int32, path, content string, holds, written bool) {
	size := 0
	if r.lines, size = r.later.lines(r.lines[:0], path, content); size == 0 || r.room <= 0 {
		return
	}
	r.room -= size
	from := len(r.found)
	turn := r.log.turnAt(message)
	path = strings.TrimPrefix(path, r.log.base)
	eachPassage(r.lines, isProseFile(path), func(p fileQuote) {
		if p.turn, p.path, p.written = turn, path, written; !holds {
			p.number = ""
		}
		related := 0
		if p.text != "" {
			related = r.related(&p)
		}
		if p.spare = related == 0; p.spare {
			if r.spare -= len(p.longest()); r.spare < 0 {
				return
			}
			related = 1 + min(r.said.namesIn(p.longest()), mostRelated)
		}
		p.factor *= related
		r.found = append(r.found, p)
	})
	slices.Reverse(r.found[from:])
}

// related returns how closely a passage is related to the words of the log, from 0 to mostRelated. A passage is related
// if the log mentions what the passage defines or several of its names, or contains half of its longer words.
func (r *quoteReader) related(p *fileQuote) int {
	shared := min(r.said.namesIn(p.text), mostRelated)
	switch {
	case r.said.mentions(p.name):
		return max(shared, 1)
	case shared >= leastRelated:
		return shared - 1
	case !p.explains:
		return 0
	}
	if words, long := r.said.shared(p.text); words < leastRelated || 2*words < long {
		return 0
	}
	return 1
}

// mostRelated is the maximum number of names shared with the log that raise a passage's weight. leastRelated is the
// minimum number of shared names or longer words at which a passage is related to the log.
const (
	mostRelated  = 4
	leastRelated = 3
)

// The weights of lines of code in a quote, in 1024ths.
const (
	ofCondition = 400
	ofValue     = 320
	ofCallLine  = 140
)

// conditionHeads lists the beginnings of lines that state a condition, or its outcome.
var conditionHeads = []string{"if ", "if(", "} else if", "elif ", "case ", "when ", "while ", "switch ", "return ", "unless ", "match "}

var conditionStarts = startsOf(conditionHeads)

// worthInQuote returns the weight of a line in a quote, in 1024ths. Comments and definitions weigh the most, followed
// by conditions and values. Lines that only pass on a value or an error, or print something, have no weight. text must
// not be empty.
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
	case passesError(text), text[0] == '"' && fewSpaces(text, 1), !strings.ContainsAny(called, " =") && reports(called),
		strings.HasSuffix(text, "{},"):
		return 0
	case conditionStarts.may(text) && headedBy(text, conditionHeads):
		return ofCondition
	case strings.ContainsAny(text, "0123456789\"'") && strings.Contains(text, "= ") && !strings.Contains(text, "new "):
		return ofValue
	}
	return ofCallLine
}

// passesError reports whether a line of code only passes on an error.
func passesError(text string) bool {
	return strings.HasPrefix(text, "if err ") || text == "return err" || text == "return nil, err" || strings.Contains(text, "%w")
}

// reporting lists substrings, in lower case, of the names of functions that print, log or assert something.
var reporting = []string{"print", "log.", "logg", "fatal", "console.", "warn", "assert"}

// reports reports whether a function, judging by its name, only prints, logs or asserts something.
func reports(called string) bool {
	called = lower(called)
	return hasAny(called, reporting)
}

// isLetter reports whether a rune is an ASCII letter, a digit, an underscore, or not an ASCII character.
func isLetter(r rune) bool { return r >= 0x80 || byteClass[r]&(small|capital|digit|under) != 0 }

// add records an edit. An edit makes the lines that it removes outdated; a file that is written whole or deleted makes
// all of its lines outdated.
func (l *laterChanges) add(c *change) {
	if c.created || c.deleted {
		l.files.Add(c.path)
		return
	}
	l.edited.Add(c.path)
	for _, line := range without(c.removed, linesOf(c.content)) { // the file still contains the other lines
		if names := telling([]string{line}); names != nil { // brackets occur everywhere
			l.removed.At(c.path).Put(words.Hash64(line))
		}
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
	shellFiles(script, func(path string) { printed = addPath(printed, inFolder(folder, path)) },
		func(path string) { changed.Add(inFolder(folder, path)) })
	_, docs := cutHeredocs(script)
	for _, doc := range docs { // applied now or later
		patchedFiles(doc, func(path string) { changed.Add(inFolder(folder, path)) })
	}
	removesIn(script, func(path string) { l.files.Add(inFolder(folder, path)) })
	for _, m := range movesIn(script) {
		l.files.Add(inFolder(folder, m.from))
	}
	if strings.Contains(script, "git ") {
		l.git(script)
	}
	if len(printed) != 1 || scriptKind(withoutFolder(script)) != looks || searchedFor(script) != "" && !showsContext(script) {
		return ""
	}
	return printed[0]
}

// mostRestored is the maximum number of restored files that are remembered.
const mostRestored = 64

// git records which earlier edits a script undoes. Edits that were committed before that stay.
func (l *laterChanges) git(script string) {
	if scriptKind(withoutFolder(script)) == commits {
		l.restored, l.restoredAll = nil, false
	}
	paths, all := restoredBy(script)
	l.restored = append(l.restored, paths[:min(len(paths), max(0, mostRestored-len(l.restored)))]...)
	stashes, pops := stashedBy(script)
	switch {
	case pops:
		l.unstashed++
	case stashes && l.unstashed > 0:
		l.unstashed--
	default:
		l.restoredAll = l.restoredAll || all || stashes
	}
}

// takesBack reports whether a later command undoes the edits of a file.
func (l *laterChanges) takesBack(path string) bool {
	return l.restoredAll || slices.ContainsFunc(l.restored, func(restored string) bool { return samePath(restored, path) })
}

// showsContext reports whether a script that searches for lines also requests the lines around them.
func showsContext(script string) bool {
	return strings.Contains(script, " -A") || strings.Contains(script, " -B") || strings.Contains(script, " -C") ||
		strings.Contains(script, "-context")
}

// searchedLines returns the output of a search in one file, whose lines begin with their numbers ("12:" for a hit,
// "13-" for context), in the form in which tools print a file. Other text is returned unchanged.
func searchedLines(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		switch n := len(exitOf(line)); {
		case n > 0 && n < len(line) && (line[n] == ':' || line[n] == '-'):
			b.WriteString(line[:n] + "\t" + line[n+1:])
		case strings.TrimSpace(line) == "--":
			b.WriteString("0\t" + leftOut + "\n")
		case strings.TrimSpace(line) != "":
			return output
		}
	}
	return b.String()
}

// leastCodeLine is the minimum length, in bytes, of a line that shows that a passage is read again. Shorter lines, such
// as brackets, occur in many passages.
const leastCodeLine = 8

// lines appends to buffer the lines of a file's content that can be quoted, and records all lines of the content as
// read. size is the size of the appended lines in bytes; see fileLines.
func (l *laterChanges) lines(buffer []fileText, path, content string) (lines []fileText, size int) {
	removed, read := l.removed.At(path), l.read.At(path)
	lines, size, end := fileLines(buffer, content, func(hash uint64) bool { return removed.Has(hash) || read.Has(hash) })
	for i := range lines {
		if lines[i].long {
			read.Put(lines[i].hash)
		}
	}
	l.reads(path, content[end:])
	return lines, size
}

// reads records the lines of a file's content as read. Line numbers in front of the lines don't count.
func (l *laterChanges) reads(path, content string) {
	read := l.read.At(path)
	gutter := hasGutter(content)
	for line := range strings.Lines(content) {
		at := 0
		if gutter {
			at = gutterOf(line)
		}
		if text := strings.TrimSpace(line[at:]); len(text) >= leastCodeLine {
			read.Put(words.Hash64(text))
		}
	}
}
