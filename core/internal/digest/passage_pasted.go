package digest

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// A user of a chat often pastes a text after a question about it: an article, a poem, a paragraph of a book. Its
// sentences are not what the user says, wants or knows, although they may be worded like that: "You need to heat the
// cups." What matters is what the user said before it.

// Limits for pasted passages: the minimum length of one, in bytes, after a question about a text, after another request
// that announces a text, and after any other question; and for the last case, the minimum number of sentences and their
// minimum average length in bytes.
const (
	leastQuotedPassage = 40
	leastNamedPassage  = 120
	leastPassage       = 300
	leastPassageLines  = 3
	leastProseSize     = 60
)

// passageNouns lists what a request can call a text that follows it. pointsAhead lists words before such a noun that refer to
// the text.
var (
	passageNouns = wordListOf("sentence sentences paragraph paragraphs text passage summary abstract article poem essay excerpt phrase story letter quote extract transcript " +
		"satz absatz text abschnitt artikel gedicht aufsatz auszug phrase paragraphe texte passage résumé poème extrait frase párrafo texto pasaje resumen artículo poema frase testo brano articolo poesia tekst zin alinea artikel")
	pointsAhead = wordListOf("this these following below given dieser diese dieses diesem diesen folgender folgende folgenden folgendem ce cet cette suivant suivante este esta estos estas siguiente questo questa seguente deze dit volgende")
)

// firstPerson lists words with which people speak of themselves, and addresses those with which they address somebody,
// unlike in most articles.
var (
	firstPerson = wordListOf("i i'm i’m i've i’ve i'd i’d i'll i’ll me my mine we we're we’re our us ich mir mich mein meine meinen meiner wir uns unser je mon ma mes nous notre yo mi mis nosotros io mio mia noi ik mijn wij")
	addresses   = wordListOf("you your you're you’re please du dir dein bitte vous votre usted tu")
)

// Limits for the search: the maximum number of words from "this" to the noun, of sentences before a passage, and of bytes
// that are read.
const (
	mostBeforeNoun    = 2
	mostBeforePassage = 12
	lookPassage       = 4000
)

// pastedPassages returns the ranges, in bytes, of the passages that a user pasted into a message, in order. They are the
// one after a question, those after a label such as "Transcript:" or after a line that announces them, blocks between
// lines of three quotation marks, copies of a terminal and, if code is set, several lines of code.
func pastedPassages(text string, code bool) (passages [][2]int) {
	if len(text) < leastQuotedPassage {
		return nil
	}
	if from, to := pastedPassage(text); to > from {
		passages = append(passages, [2]int{from, to})
	}
	r := pastedReader{text: text, codes: code, quoted: -1, announced: -1, screen: -1}
	for at := 0; at < len(text); {
		line := at + len(firstLine(text[at:]))
		if len(passages) == 0 || at >= passages[0][1] || line <= passages[0][0] {
			r.line(at, line)
		}
		at = line + 1
	}
	r.end(len(text))
	passages = append(passages, r.passages...)
	if len(passages) > 1 {
		sorting.Func(passages, func(a, b [2]int) int { return a[0] - b[0] })
	}
	return apart(passages)
}

// apart returns ranges that are in order, without those that overlap with an earlier one.
func apart(ranges [][2]int) [][2]int {
	kept := ranges[:0]
	for _, r := range ranges {
		if len(kept) == 0 || r[0] >= kept[len(kept)-1][1] {
			kept = append(kept, r)
		}
	}
	return kept
}

// Limits for passages after a line that announces them: their minimum size in bytes, and the maximum size of a line that
// is a heading in them, such as "Part 2:".
const (
	leastAnnounced = 600
	mostPartHead   = 40
)

// pastedReader finds passages by their lines.
type pastedReader struct {
	text      string
	passages  [][2]int
	codes     bool    // whether to find code
	quoted    int     // the start of the block in quotation marks that is open, or -1
	announced int     // the start of the lines after a line that announces a passage, or -1
	written   int     // the end of those of these lines that are the passage; 0 if there are none
	screen    int     // the start of what a terminal shows, or -1
	blank     bool    // the line before is blank
	run       codeRun // the lines of code that were read last
}

// line reads the line of the text between two offsets.
func (r *pastedReader) line(from, to int) {
	said := strings.TrimSpace(r.text[from:to])
	switch {
	case said == tripleQuotes:
		if r.end(from); r.quoted < 0 {
			r.quoted = to
		} else {
			r.passages = append(r.passages, [2]int{r.quoted, from})
			r.quoted = -1
		}
		return
	case said == "":
		r.blank = true
		return
	case r.quoted >= 0:
		return
	}
	after := r.blank
	r.blank = false
	if r.screen >= 0 {
		if !speaks(said, after) {
			return
		}
		r.end(from)
	}
	if at := screenIn(r.text[from:to]); at >= 0 {
		r.end(from)
		r.screen = from + at
		return
	}
	if r.codes {
		before := r.run
		if r.run.add(r.text, from, to) {
			if before.lines == 0 {
				began := r.run
				r.run = codeRun{}
				r.end(from)
				r.run = began
			}
			return
		}
		if before.lines > 0 {
			r.end(from)
		}
	}
	if r.announced >= 0 {
		if isPartHead(said) || isWritten(said, r.written == 0) && len(said) >= leastNamedPassage {
			r.written = to
			return
		}
		r.end(from)
	}
	if at := labelOf(r.text[from:to]); at > 0 {
		r.passages = append(r.passages, [2]int{from + at, to})
	} else if said[len(said)-1] == ':' {
		r.announced = to
	}
}

// tripleQuotes is a line around a block of code or text, as in Python.
const tripleQuotes = `"""`

// end ends the announced passage and the lines of code. at is the offset of the line after them.
func (r *pastedReader) end(at int) {
	if r.run.isPassage() {
		r.passages = append(r.passages, [2]int{r.run.from, r.run.to})
	}
	r.run = codeRun{}
	if r.screen >= 0 {
		r.passages = append(r.passages, [2]int{r.screen, at})
		r.screen = -1
	}
	if r.written-r.announced >= leastAnnounced && r.announced >= 0 {
		r.passages = append(r.passages, [2]int{r.announced, min(r.written, at)})
	}
	r.announced, r.written = -1, 0
}

// screenHeads lists the ends, in lower case, of lines after which a user shows what a program printed.
var screenHeads = [...]string{"what i see:", "i see:", "i get:", "i got:"}

// screenIn returns the offset in a line at which a copy of a terminal begins: a prompt such as "kim@kiln-7 ovens % ", or
// the end of a line such as "this is what I see:". It returns -1 if there is none.
func screenIn(line string) int {
	if end := strings.TrimRight(line, " \r"); len(end) <= leastNamedPassage && endsWithAny(lower(end), screenHeads[:]...) {
		return len(line)
	}
	at := strings.IndexByte(line, '@')
	if at < 1 {
		return -1
	}
	from := strings.LastIndexByte(line[:at], ' ') + 1
	for n, word := range strings.Fields(line[from:]) {
		switch end := word[len(word)-1]; {
		case n == 0 && len(word) == at-from+1, n > 2: // no host after the @, or no prompt
			return -1
		case (end == '%' || end == '$' || end == '#') && (n > 0 && len(word) == 1 || strings.IndexByte(word, ':') > 0):
			return from
		}
	}
	return -1
}

// ordering lists words with which a line begins in which the user demands something.
var ordering = wordListOf("never always don't don’t do please no only must nie niemals immer bitte kein keine jamais toujours nunca siempre per mai sempre никогда всегда не пожалуйста")

// speaks reports whether a line after the copy of a terminal is the user's own again: one that speaks of the user or
// addresses somebody, after a blank line, or one that begins with a demand.
func speaks(line string, afterBlank bool) bool {
	line = strings.TrimLeft(line, "-*• ")
	first, _, _ := strings.Cut(line, " ")
	if ordering.hasInAnyCase(first) {
		return true
	}
	n := 0
	for word := range strings.FieldsSeq(line) {
		if n++; n > mostBeforeSelf && !afterBlank {
			return false
		}
		if word = strings.Trim(word, ".,;:!?\"()"); firstPerson.hasInAnyCase(word) || addresses.hasInAnyCase(word) {
			return true
		}
	}
	return false
}

// mostBeforeSelf is the number of words at the beginning of a line, directly after other lines of a terminal, that are
// searched for a word that shows who speaks.
const mostBeforeSelf = 3

// isPartHead reports whether a line is a heading inside a passage.
func isPartHead(line string) bool { return len(line) <= mostPartHead && line[len(line)-1] == ':' }

// labelOf returns the offset after the label of a line that labels the text after it, such as "Video transcript:", if that
// text is long, and otherwise 0.
func labelOf(line string) int {
	label, rest, found := strings.Cut(line[:min(len(line), leastQuotedPassage+leastNamedPassage)], ":")
	if !found || len(label) > leastQuotedPassage || len(rest) < leastNamedPassage-leastQuotedPassage {
		return 0
	}
	if words := strings.Fields(label); len(words) > 0 && len(words) <= mostLabelWords {
		for _, word := range words {
			if labelNouns.hasInAnyCase(word) {
				return len(label) + 1
			}
		}
	}
	return 0
}

// mostLabelWords is the maximum number of words of a label, and labelNouns lists those of which it has one.
const mostLabelWords = 5

var labelNouns = wordListOf("transcript transcription lyrics article abstract excerpt passage paragraph text poem essay story email e-mail letter caption captions subtitles chapter " +
	"transkript artikel auszug absatz gedicht aufsatz brief untertitel transcripción artículo carta transcription extrait lettre trascrizione articolo lettera")

// pastedPassage returns the range, in bytes, of a passage that a user pasted after a question or a
// request, up to the end of its line. It returns 0, 0 if there is none.
func pastedPassage(text string) (from, to int) {
	n := 0
	for start, end := range extract.Sentences(text) {
		if n++; n > mostBeforePassage || len(text)-start < leastQuotedPassage {
			break
		}
		said, line := text[start:end], end+len(firstLine(text[end:]))
		at := passageIn(said)
		switch rest := text[end:line]; {
		case at > 0 && (line-start-at >= leastNamedPassage || line-start-at >= leastQuotedPassage && hasQuestionMark(said[:at])):
			return start + at, line
		case !hasQuestionMark(said):
		case at == 0 && len(rest) >= leastQuotedPassage && isWritten(rest, false), len(rest) >= leastPassage && isWritten(rest, true):
			return end, line
		}
	}
	return 0, 0
}

// firstLine returns the text before its first line break.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// passageIn returns the offset at which a text begins that a sentence refers to, as in "Which verbs are in this sentence:
// Birds fly south". It returns 0 if the sentence refers to a text that isn't in it, and -1 if it refers to none.
func passageIn(said string) int {
	at, near, found, named := 0, 0, false, false // near is the number of words in which the noun may follow
	for word := range strings.FieldsSeq(said) {
		at += strings.Index(said[at:], word)
		bare := strings.Trim(word, ".,;:!?\"'()“”«»")
		if found && (word[0] == '"' || strings.HasPrefix(word, "“") || named && byteClass[word[0]]&capital != 0) {
			return at
		}
		at += len(word)
		named = near > 0 && passageNouns.hasInAnyCase(bare)
		if found = found || named; found && word[len(word)-1] == ':' {
			return at
		}
		if near--; pointsAhead.hasInAnyCase(bare) {
			near = mostBeforeNoun
		}
	}
	if found {
		return 0
	}
	return -1
}

// isWritten reports whether at most a quarter of the sentences of a text speak of the writer. If strict is set, those that
// address the reader count too, and the text must have several sentences that are long on average, like an article. It
// returns false for scripts in which firstPerson has no words.
func isWritten(text string, strict bool) bool {
	text = text[:min(len(text), lookPassage)]
	ascii := 0
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			ascii++
		}
	}
	if ascii*4 < len(text)*3 {
		return false
	}
	sentences, personal := 0, 0
	for from, to := range extract.Sentences(text) {
		sentences++
		for word := range strings.FieldsSeq(withoutSpeech(text[from:to])) {
			if word = strings.Trim(word, ".,;:!?\"()"); firstPerson.hasInAnyCase(word) || strict && addresses.hasInAnyCase(word) {
				personal++
				break
			}
		}
	}
	return personal*4 <= sentences && (!strict || sentences >= leastPassageLines && len(text) >= sentences*leastProseSize)
}

// withoutSpeech returns the part of a sentence before the first quotation in it.
func withoutSpeech(said string) string {
	if n := strings.IndexByte(said, '"'); n >= 0 {
		said = said[:n]
	}
	said, _, _ = strings.Cut(said, "“")
	return said
}

// withoutPassages returns what a user said without the passages that the user pasted, except for code, in which nothing is
// taken for a rule anyway.
func withoutPassages(text string) string {
	passages := pastedPassages(text, false)
	if len(passages) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, p := range passages {
		b.WriteString(text[at:p[0]])
		at = p[1]
	}
	return b.String() + text[at:]
}
