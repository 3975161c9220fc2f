package digest

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/extract"
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
		case at > 0 && (line-start-at >= leastNamedPassage || line-start-at >= leastQuotedPassage && asksIn(said[:at])):
			return start + at, line
		case !asksIn(said):
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

// withoutPassage returns what a user said without the passage that the user pasted.
func withoutPassage(text string) string {
	if from, to := pastedPassage(text); to > from {
		return text[:from] + text[to:]
	}
	return text
}
