package digest

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// word is a word of a sentence, in lower case.
type word struct {
	text   string   // the word
	at     int      // offset of its beginning, in bytes
	end    int      // offset of its end
	script int      // the script of its first character
	starts bool     // a clause begins with it
	breaks bool     // it follows punctuation that ends a clause
	quoted bool     // it is in quotes
	cue    bool     // it belongs to a cue, so it isn't the subject
	known  bool     // it is in the tables
	cues   uint16   // the number of the first cue that begins with it, plus one; 0 if there is none
	kinds  wordKind // what the tables say about it; 0 for an unknown word
}

// wordsOf returns the words in text. quoted marks the bytes of text that are in quotes; it is nil if there are none.
func wordsOf(text string, quoted []bool) []word {
	return appendWords(make([]word, 0, len(text)/6+2), text, quoted)
}

// clauseEnds marks the ASCII characters that end a clause.
var clauseEnds = [utf8.RuneSelf]bool{',': true, ';': true, ':': true, '.': true, '!': true, '?': true, '(': true,
	')': true, '-': true}

// appendWords appends the words in text to ws, which must be empty. quoted marks the bytes of text that are in quotes;
// it is nil if there are none.
func appendWords(ws []word, text string, quoted []bool) []word {
	ready()
	starts := true
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && byteClass[c]&(small|capital|digit|under) == 0 {
			starts = starts || clauseEnds[c] && !(c == '-' && i > 0 && text[i-1] != ' ')
			i++
			continue
		}
		r, size := runeIn(text, i)
		if !inWord(r) {
			if strings.ContainsRune("–—，；：。、؛،", r) {
				starts = true
			}
			i += size
			continue
		}
		from, script := i, scriptOf(r)
		w, end := wordAt(text, from, script)
		i = end
		last := word{text: w, at: from, end: end, script: script, starts: starts, breaks: starts,
			quoted: quoted != nil && quoted[from]}
		if n := len(ws) - 1; !starts && n >= 0 {
			last.starts = ws[n].starts && ws[n].is(joins) || ws[n].is(conjunctions)
		}
		last.lookUp()
		ws = append(ws, last)
		starts = false
	}
	return ws
}

// lookUp sets the fields of a word that come from the tables.
func (w *word) lookUp() {
	if n := vocabulary.get(w.text); n >= 0 {
		w.known, w.cues, w.kinds = true, vocabulary.cues[n], vocabulary.kinds[vocabulary.sets[n]]
	}
}

// wordAt returns, in lower case, the word of the given script that begins at byte offset from in text, and the offset
// of its end. An elided word ends with its apostrophe.
func wordAt(text string, from, script int) (w string, end int) {
	i := from
	var all uint8
	for i < len(text) && byteClass[text[i]]&(small|capital|digit|under) != 0 {
		all |= byteClass[text[i]]
		i++
	}
	if i == len(text) || text[i] < utf8.RuneSelf && text[i] != '\'' { // most words
		if all&capital == 0 {
			return text[from:i], i
		}
		return lower(text[from:i]), i
	}
	elided, curly := false, false
	for i < len(text) && !elided {
		r, size := runeIn(text, i)
		if r == '\'' || r == '’' {
			curly = curly || r == '’'
			elided = i-from == 1 && strings.IndexByte("nldjmstc", text[from]|0x20) >= 0
		} else if !inWord(r) || r >= utf8.RuneSelf && scriptOf(r) != script {
			break
		}
		i += size
	}
	w = lower(text[from:i])
	if curly {
		w = strings.ReplaceAll(w, "’", "'")
	}
	if !elided {
		w = strings.TrimRight(w, "'")
	}
	return w, i
}

// is reports whether a word is of one of the given kinds. A nil word is of no kind.
func (w *word) is(kinds wordKind) bool { return w != nil && w.kinds&kinds != 0 }

// anyIs reports whether one of the words is of one of the given kinds.
func anyIs(ws []word, kinds wordKind) bool {
	for i := range ws {
		if ws[i].kinds&kinds != 0 {
			return true
		}
	}
	return false
}

// anyCue reports whether one of the words belongs to a cue.
func anyCue(ws []word) bool {
	for i := range ws {
		if ws[i].cue {
			return true
		}
	}
	return false
}

// runeIn returns the character at a byte offset of text, and its length in bytes.
func runeIn(text string, at int) (rune, int) {
	if c := text[at]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(text[at:])
}

// lower returns text in lower case, like strings.ToLower. It returns the text itself if it certainly has no capitals.
func lower(text string) string { return words.Lower(text) }

func inWord(r rune) bool { return r == '_' || words.InWord(r) }

// quotes lists the pairs of characters that open and close a quotation.
var quotes = []struct{ open, end rune }{{'“', '”'}, {'„', '“'}, {'«', '»'}, {'「', '」'}, {'『', '』'}, {'`', '`'}, {'"', '"'}, {'‹', '›'}}

// quotedIn returns, for each byte of text, whether it is in quotes, or nil if text certainly has no quotes. Unclosed
// quotes don't count.
func quotedIn(text string) []bool {
	if !mayQuote(text) {
		return nil
	}
	mask := make([]bool, len(text))
	for i := 0; i < len(text); {
		if !opensQuote[text[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		end := -1
		for _, q := range quotes {
			if r != q.open || r == '"' && i > 0 && !strings.ContainsRune(" (:\n—[", rune(text[i-1])) {
				continue
			}
			const longest = 2000 // the limit keeps unclosed quotes cheap
			rest := text[i+size : min(len(text), i+size+longest)]
			if n := strings.IndexRune(rest, q.end); n >= 0 {
				end = i + size + n
				break
			}
		}
		if end < 0 {
			i += size
			continue
		}
		for k := i; k < end; k++ {
			mask[k] = true
		}
		_, size = utf8.DecodeRuneInString(text[end:])
		i = end + size
	}
	return mask
}

// opensQuote marks the first bytes of characters that can open a quote.
var opensQuote = [256]bool{'"': true, '`': true, 0xc2: true, 0xe2: true, 0xe3: true}

// mayQuote reports whether text contains the first byte of a character that opens a quote.
func mayQuote(text string) bool {
	for i := 0; i < len(text); i++ {
		if opensQuote[text[i]] {
			return true
		}
	}
	return false
}

// sentencesIn appends the sentences of text to out, as ranges of bytes. A sentence ends neither
// inside quotes nor after an abbreviation, unless it is very long. quoted marks the bytes of text
// that are in quotes; it is nil if there are none.
func sentencesIn(out [][2]int, text string, quoted []bool) [][2]int {
	from := 0
	end := func(at int) {
		for from < at && (text[from] == ' ' || text[from] == '\t') {
			from++
		}
		if from < at {
			out = append(out, [2]int{from, at})
		}
		from = at
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if i-from > longestSentence && (c == ' ' || i-from > 2*longestSentence && utf8.RuneStart(c)) {
			end(i)
		}
		if !endsHere[c] || quoted != nil && quoted[i] {
			continue
		}
		if c < utf8.RuneSelf {
			if i+1 < len(text) && text[i+1] == ' ' && !abbreviates(text[from:i]) {
				end(i + 1)
			}
			continue
		}
		switch r, size := utf8.DecodeRuneInString(text[i:]); r {
		case '。', '！', '？', '；', '।', '؟', '؛':
			end(i + size)
		}
	}
	end(len(text))
	return out
}

// longestSentence is the length in bytes above which a sentence is read in pieces. The time to read a piece grows with
// the square of its length, because each cue is compared with the words around it.
const longestSentence = 5 * maxStatement

// endsHere marks the first bytes of characters that end a sentence.
var endsHere = [256]bool{'.': true, '!': true, '?': true, ';': true, 0xd8: true, 0xe0: true, 0xe3: true, 0xef: true}

// longestAbbreviation is the length of the longest known abbreviation, in bytes.
const longestAbbreviation = 6

// abbreviates reports whether text ends with an abbreviation that is written with a dot.
func abbreviates(text string) bool {
	from := len(text)
	for from > 0 && text[from-1] != ' ' && text[from-1] != '(' {
		if from--; len(text)-from > longestAbbreviation {
			return false
		}
	}
	w := text[from:]
	switch lower(w) {
	case "e.g", "i.e", "etc", "vs", "z.b", "d.h", "bzw", "ca", "approx", "nr", "p.ej", "т.е", "т.д", "mr", "dr":
		return true
	}
	return len(w) == 1 && w[0] >= 'A' && w[0] <= 'Z'
}
