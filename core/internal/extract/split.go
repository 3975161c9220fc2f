package extract

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// splitter walks over the sentences of a text. A sentence ends at its last sign, at the end of a line, or where it has
// become too long to be one. Blocks of code are left out.
type splitter struct {
	text     string
	whole    bool // all of it is one
	from, to int  // of the sentence, in bytes, without white space around it
	at       int
}

// longestSentence is where a sentence is cut at the next space, in bytes; in a script without spaces, at the next sign.
const longestSentence = 600

func (s *splitter) next() bool {
	if s.whole {
		s.from, s.to = s.at, len(s.text)
		s.at = s.to
		return s.from < s.to
	}
	for s.at < len(s.text) {
		s.to = s.end()
		s.from, s.at = s.at, s.to
		line := s.text[s.from:s.to]
		trimmed := strings.TrimLeft(line, " \t\n\r#>*-•")
		s.from += len(line) - len(trimmed)
		s.to = s.from + len(strings.TrimRight(trimmed, " \t\n\r*"))
		if strings.HasPrefix(trimmed, "```") && (s.from == 0 || s.text[s.from-1] == '\n') {
			s.skipCode()
			continue
		}
		if s.from < s.to {
			return true
		}
	}
	return false
}

// skipCode goes to the end of a code block that has begun.
func (s *splitter) skipCode() {
	if n := strings.Index(s.text[s.at:], "\n```"); n >= 0 {
		s.at += n + len("\n```")
	} else {
		s.at = len(s.text)
	}
}

// end is where the sentence that begins at s.at ends.
func (s *splitter) end() int {
	t := s.text
	for i := s.at; i < len(t); i++ {
		switch c := t[i]; {
		case c == '\n':
			return i + 1
		case c == '.' || c == '!' || c == '?':
			for i+1 < len(t) && (t[i+1] == '.' || t[i+1] == '!' || t[i+1] == '?' || t[i+1] == '"' || t[i+1] == ')' || t[i+1] == '\'') {
				i++
			}
			if i+1 == len(t) || t[i+1] == ' ' && !(c == '.' && abbreviates(t[s.at:i], t[i+1:])) {
				return i + 1
			}
		case c == ' ' && i-s.at > longestSentence:
			return i + 1
		case c >= 0xd8: // the lead bytes of the signs below
			r, size := utf8.DecodeRuneInString(t[i:])
			switch r {
			case '。', '！', '？', '؟', '।', '॥', '۔', '։', '…', '．':
				return i + size
			}
			if i-s.at > longestSentence && words.Unspaced(r) {
				return i
			}
			i += size - 1
		}
	}
	return len(t)
}

// abbreviates reports whether a dot between text and rest ends an abbreviation instead of a sentence: after a single letter, after two with
// a dot between them, after a title, after a number of up to two digits ("12. März"), or if rest continues in lower case.
func abbreviates(text, rest string) bool {
	w := text[strings.LastIndexByte(text, ' ')+1:]
	if n := len(w); n > 0 && n <= 2 && w[0] >= '0' && w[0] <= '9' && w[n-1] >= '0' && w[n-1] <= '9' {
		return true
	}
	if rest = strings.TrimLeft(rest, " "); rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
		return len(w) <= 4
	}
	switch len(w) {
	case 1:
		return w[0] != 'I' && (w[0]|0x20 >= 'a' && w[0]|0x20 <= 'z')
	case 2, 3:
		return w[1] == '.' || w == "Dr" || w == "Mr" || w == "Mrs" || w == "Ms" || w == "St" || w == "No" || w == "Nr" || w == "vs"
	}
	return false
}

func asks(s string) bool {
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟")
}

// mostClauses is into how many clauses a sentence is cut. What can be chosen of one grows with the square of it.
const mostClauses = 12

// What is cut off must leave enough to be understood: so many words at least, or pairs of signs. What is left out at the beginning has
// leadWords at most, and no number: "Oh yeah, …", but not "On 8 March, …".
const (
	leastWords = 7
	leastPairs = 16
	leadWords  = 2
)

// cut splits a sentence into clauses. A selection may end at any clause. It may begin with one that follows a dash or a semicolon, or a
// comma after one or two words. After any other comma, a clause needs the text before it, and after a colon, the name that the colon
// introduces.
func (e *Extract) cut(text string, base, first int32, ws []words.Word) {
	from, word, starts := int32(0), 0, true
	least := leastWords
	if ws[0].Kind&words.Pair != 0 {
		least = leastPairs
	}
	digits := false
	for k, n := 0, 1; k+1 < len(ws) && n < mostClauses; k++ {
		digits = digits || ws[k].Kind&words.Digit != 0
		strong, weak := parts(text[ws[k].End:max(ws[k].End, ws[k+1].From)])
		lead := weak && k < leadWords && !digits && len(ws)-k > leastWords
		if !lead && (!strong && !weak || k+1-word < least) {
			continue
		}
		n++
		to := ws[k].End + int32(behind(text[ws[k].End:ws[k+1].From]))
		e.clauses = append(e.clauses, clause{base + from, base + to, [2]int32{first + int32(word), first + int32(k+1)}, starts})
		from, word = to, k+1
		starts = (strong || lead) && len(ws)-word >= least
	}
	e.clauses = append(e.clauses, clause{base + from, base + int32(len(text)), [2]int32{first + int32(word), first + int32(len(ws))}, starts})
}

// behind returns where the next clause begins in the text between two words: at the signs that belong to its first word, such as quotes.
func behind(between string) int {
	if n := strings.LastIndexByte(between, ' '); n >= 0 {
		return n + 1
	}
	_, size := utf8.DecodeRuneInString(between)
	return size
}

// parts reports whether the text between two words ends a clause: strongly, if the next clause can be used alone, or weakly.
func parts(between string) (strong, weak bool) {
	switch between {
	case "", " ", "'", "-", "’", "/":
		return false, false
	}
	for i, r := range between {
		switch r {
		case ';', '–', '—', '；', '؛':
			return true, false
		case '-':
			strong = strong || i+1 < len(between) && between[i+1] == ' '
		case ',', '(', '，', '（', '،':
			weak = true
		}
	}
	return strong, weak
}

// Sentences yields where the sentences of a text are, in bytes: as the items of an [Extract] are split, without blocks of code.
func Sentences(text string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for s := (splitter{text: text}); s.next(); {
			if !yield(s.from, s.to) {
				return
			}
		}
	}
}
