package extract

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// splitter iterates over the sentences of text. A sentence ends at its final punctuation, at the end of the line, or
// when it is longer than longestSentence. Code blocks are skipped.
type splitter struct {
	text     string // the text to split
	whole    bool   // the whole text is one sentence
	lines    bool   // each line is one sentence
	from, to int    // the range of the sentence, in bytes, without white space around it
	at       int    // where the next sentence is looked for, in bytes
}

// longestSentence is the length, in bytes, after which a sentence is cut at the next space or, in scripts without
// spaces, at the next character.
const longestSentence = 600

// next moves to the next sentence, or to the whole text if whole is set, and reports whether there is one. It skips
// code blocks, and leaves out the markup around a sentence.
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

// skipCode moves s.at to the end of the code block that has just begun.
func (s *splitter) skipCode() {
	if n := strings.Index(s.text[s.at:], "\n```"); n >= 0 {
		s.at += n + len("\n```")
	} else {
		s.at = len(s.text)
	}
}

// end returns the end of the sentence that begins at s.at. This is after the next line feed or the
// punctuation that ends a sentence, or the end of the text. Sentences of more than longestSentence
// bytes end at the next space or unspaced character. With s.lines only line feeds end a sentence.
func (s *splitter) end() int {
	t := s.text
	if s.lines {
		return s.at + len(firstLine(t[s.at:]))
	}
	for i := s.at; i < len(t); i++ {
		switch c := t[i]; {
		case c == '\n':
			return i + 1
		case c == '.' || c == '!' || c == '?':
			i = lastClosing(t, i)
			if i+1 == len(t) || t[i+1] == ' ' && !(c == '.' && abbreviates(t[s.at:i], t[i+1:])) {
				return i + 1
			}
		case c == ' ' && i-s.at > longestSentence:
			return i + 1
		case c >= 0xd8: // a lead byte of the characters that endsAt knows
			r, size := utf8.DecodeRuneInString(t[i:])
			if end := s.endsAt(i, r, size); end > 0 {
				return end
			}
			i += size - 1
		}
	}
	return len(t)
}

// firstLine returns the first line of text with its line feed.
func firstLine(text string) string {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return text[:n+1]
	}
	return text
}

// lastClosing returns the index of the last byte that belongs to a sentence with its final punctuation at index i.
func lastClosing(text string, i int) int {
	for i+1 < len(text) && closesSentence[text[i+1]] {
		i++
	}
	return i
}

// closesSentence has the bytes that belong to a sentence if they follow its final punctuation.
var closesSentence = [256]bool{'.': true, '!': true, '?': true, '"': true, ')': true, '\'': true}

// endsAt returns the end of the sentence at s.at if r, a character of size bytes at index i, ends it or is where it has
// become too long. Otherwise it returns 0.
func (s *splitter) endsAt(i int, r rune, size int) int {
	switch r {
	case '…':
		if strings.HasPrefix(s.text[i+size:], "]") { // "[…]" is in place of words that were left out
			return 0
		}
		return i + size
	case '。', '！', '？', '؟', '।', '॥', '۔', '։', '．':
		return i + size
	}
	if i-s.at > longestSentence && words.Unspaced(r) {
		return i
	}
	return 0
}

// abbreviates reports whether a dot between text and rest ends an abbreviation instead of a sentence: after a single
// letter other than I, after two with a dot between them, after a title such as "Dr" or a word such as "vs", after a
// number of one or two digits ("12. März"), or after a short word if rest continues in lower case.
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

// isQuestion reports whether a sentence is a question. In Chinese, Japanese and Thai, a particle at the end shows it too.
func isQuestion(s string) bool {
	s = strings.TrimRight(s, "。")
	return slices.ContainsFunc(questionEnds[:], func(end string) bool { return strings.HasSuffix(s, end) })
}

var questionEnds = [...]string{"?", "？", "؟", "吗", "嗎", "か", "คะ", "ไหม", "ไหมครับ"}

// mostClauses is the maximum number of clauses of a sentence. The number of possible selections grows with the square
// of it.
const mostClauses = 12

// The remaining part of a cut sentence must be understandable, so it has at least leastWords words, or leastPairs
// character pairs. At most leadWords fillers at the beginning of a sentence are dropped: "Oh yeah, …".
const (
	leastWords = 7
	leastPairs = 8
	leadWords  = 2

	longestLabel = 6 // words before a colon
)

// longCut is the position, in bytes, after which a sentence may be cut at any comma.
const longCut = 120

// cut splits a sentence into clauses. A selection may end at a semicolon or a dash, or at a comma
// before a word that continues the sentence (see continues), unless the sentence begins with a
// subordinate clause. It may begin after a semicolon, or after fillers at the beginning of the
// sentence ("Oh yes, …"). Quotes and brackets are never split. item is the index of the item. text
// and ws are the text and the words of the sentence, base is the offset of the sentence in the
// item's text, and first is the index of its first word in e.words. inQuotes says of each word
// whether it is quoted. The clauses are appended to e.clauses.
func (e *Extract) cut(item int32, text string, base, first int32, ws []words.Word, inQuotes []bool) {
	from, word, starts := int32(0), 0, true
	least := leastWords
	if ws[0].Kind&words.Pair != 0 {
		least = leastPairs
	}
	subordinate, filling, depth := subordinates(text, ws[0]), true, 0
	labelled := false // the sentence begins like "To buy later:", so the rest means nothing without its beginning
	for k, n := 0, 1; k+1 < len(ws) && n < mostClauses; k++ {
		filling = filling && k < leadWords && (fillers.Has(spelled(text, ws[k])))
		between := text[ws[k].End:max(ws[k].End, ws[k+1].From)]
		if len(between) <= 1 && (len(between) == 0 || between[0] == ' ') {
			continue
		}
		labelled = labelled || k < longestLabel && strings.HasPrefix(between, ": ")
		outside := depth == 0
		depth = max(depth+nesting(between), 0)
		if !outside || inQuotes != nil && inQuotes[k] && inQuotes[k+1] {
			continue
		}
		strong, dash, weak := parts(between)
		if e.items[item].Terse && !strong { // a denial stays whole
			continue
		}
		lead := filling && (weak || dash || strong) && len(ws)-k > leastWords
		if !lead && (k+1-word < least || !strong && !dash && !(weak && !subordinate && continues(text, ws, k+1))) {
			continue
		}
		n++
		to := ws[k].End + int32(nextClauseAt(text[ws[k].End:ws[k+1].From]))
		e.clauses = append(e.clauses, clause{base + from, base + to, [2]int32{first + int32(word), first + int32(k+1)}, starts, !filling})
		from, word = to, k+1
		starts = lead || strong && !leans(text, ws[word:], inQuotes[min(word, len(inQuotes)):])
		starts = starts && len(ws)-word >= least && !labelled
	}
	e.clauses = append(e.clauses, clause{base + from, base + int32(len(text)), [2]int32{first + int32(word), first + int32(len(ws))}, starts, true})
}

// continues reports whether the text before a comma is a complete clause, judging by the word after the comma: a
// conjunction or a pronoun. In scripts without spaces, and far into a long sentence, it always is. A number after a
// comma belongs to a date or a list. next is the index in ws of that word.
func continues(text string, ws []words.Word, next int) bool {
	w := ws[next]
	switch {
	case w.Kind&words.Digit != 0:
		return false
	case w.Kind&words.Pair != 0, w.From > longCut:
		return true
	}
	return links.Has(spelled(text, w))
}

// links lists words that begin another clause in a sentence, in some languages in which people write to assistants.
var links = words.NewExact("i we he she it they you right ich wir er sie es man je nous il elle yo nosotros eu nós io noi ik wij я мы он она and but so or nor yet which who whose whom where when because since as though although while whereas before after until unless if without plus then including especially even just not plus gleich " +
	"und aber denn sondern oder weil da obwohl während bevor nachdem bis wenn falls damit ob wobei wo womit wofür worauf weshalb sag was der die das dem den deren dessen welche welcher welches also " +
	"et mais donc ou ni car qui que dont où quand parce puisque comme bien pendant avant après si avec sans ainsi " +
	"y e pero sino o que quien cuyo donde cuando porque pues aunque mientras antes después con sin así mas quem onde embora enquanto depois se com sem ed ma né che cui dove perché siccome benché mentre prima dopo senza " +
	"en maar want of dus wie waar wanneer omdat terwijl voordat nadat als met zonder " +
	"и а но или который которая которое которые кто что где когда потому так как хотя пока прежде если чтобы без поэтому " +
	"و لكن أو لأن الذي التي حيث عندما بينما رغم إذا ثم और लेकिन पर या क्योंकि जो जिसे जहाँ जब हालांकि जबकि अगर तो")

// A sentence that begins with one of these words says nothing if it is cut at its first comma.
var (
	subordinators = words.NewExact("if when whenever after before while since because although though as once unless until given despite besides apart instead " +
		"wenn falls als nachdem bevor während seit weil da obwohl sobald solange bis trotz statt " +
		"si quand lorsque après avant pendant depuis parce puisque comme quoique dès cuando después antes mientras desde porque aunque apenas hasta " +
		"se quando depois enquanto embora até dopo prima mentre perché siccome benché appena wanneer nadat voordat terwijl sinds omdat hoewel zodra tot " +
		"если когда после до пока потому хотя إذا عندما بعد قبل لأن رغم अगर जब हालांकि क्योंकि जैसे")
	subordinateSigns = strings.Fields("如果 要是 假如 当 虽然 尽管 因为 由于 只要 只有 无论 不管 除了 为了 关于 对于 随着 在 从 自从 もし 만약 만일")
)

func subordinates(text string, w words.Word) bool {
	if w.Kind&words.Pair == 0 {
		return subordinators.Has(spelled(text, w))
	}
	for _, s := range subordinateSigns {
		if strings.HasPrefix(text[w.From:], s) {
			return true
		}
	}
	return false
}

// nesting returns the number of brackets that text opens, minus the number that it closes.
func nesting(between string) (n int) {
	for _, r := range between {
		switch r {
		case '(', '[', '（', '【':
			n++
		case ')', ']', '）', '】':
			n--
		}
	}
	return n
}

// nextClauseAt returns the offset, within the text between two words, at which the next clause begins: before characters that
// belong to the next word, such as quotes.
func nextClauseAt(between string) int {
	if n := strings.LastIndexByte(between, ' '); n >= 0 {
		return n + 1
	}
	_, size := utf8.DecodeRuneInString(between)
	return size
}

// parts describes the text between two words: strong means that the clause after it can be used alone, dash that it
// contains a dash, and weak that it contains a comma or an opening bracket.
func parts(between string) (strong, dash, weak bool) {
	for i, r := range between {
		switch r {
		case ';', '；', '؛':
			return true, false, false
		case '–', '—':
			dash = true
		case '-':
			dash = dash || i+1 < len(between) && between[i+1] == ' '
		case ',', '(', '，', '（', '،':
			weak = true
		}
	}
	return false, dash, weak && !dash
}

// Sentences yields the start and end of each sentence of text, in bytes. The text is split in the same way as the items
// of an [Extract]; code blocks are left out.
func Sentences(text string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for s := (splitter{text: text}); s.next(); {
			if !yield(s.from, s.to) {
				return
			}
		}
	}
}
