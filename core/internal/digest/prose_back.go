package digest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// This file recognizes sentences that depend on the previous sentence, because they begin with a pronoun or another
// word that refers to it.

// introduces reports whether a sentence, which isn't empty, introduces the text after it, because it ends with a colon.
func introduces(s string) bool {
	if c := s[len(s)-1]; c < utf8.RuneSelf && c != '*' && c != '_' && c != ' ' {
		return c == ':'
	}
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "*_ "))
	return r == ':' || r == '：'
}

// backWords lists words that can begin a sentence only if it depends on the previous one.
var backWords = wordListOf("it its this that these those they them he she his her so but also both either otherwise which then however nevertheless nonetheless " +
	"es dies diese dieser das sie er aber auch jedoch allerdings dennoch eso esto esta estas ello pero también cela ça ceci il elle ils elles mais aussi " +
	"cependant toutefois pourtant это этот эта эти он она они но также однако هذا هذه ذلك هو هي لكن यह ये वह वे लेकिन")

// backSigns lists the same kind of words in Chinese, Japanese and Korean.
var backSigns = []string{"这", "那", "它", "他们", "但", "也", "不过", "然而", "これ", "それ", "その", "この", "しかし", "ただし", "でも", "また", "이것", "그것", "그", "하지만", "그러나", "또한"}

// wordList is a constant set of words, in lower case.
type wordList struct{ table *words.Table }

func wordListOf(list string) wordList { return wordList{words.NewTable(list)} }

func (l wordList) has(word string) bool { return l.table.Has(word) }

// hasInAnyCase reports whether the list, which must be in lower case, contains word in any case.
func (l wordList) hasInAnyCase(word string) bool {
	var room [32]byte
	return l.table.Has(string(words.AppendLower(room[:0], word)))
}

// pointsBack reports whether a sentence begins with a word that refers to the previous sentence.
func pointsBack(s string) bool {
	end := 0
	for end < len(s) && byteClass[s[end]]&(small|capital) != 0 {
		end++
	}
	if end > 0 && end < len(s) && s[end] < utf8.RuneSelf { // most sentences
		return end <= longestBack && backWords.hasInAnyCase(s[:end])
	}
	s = strings.TrimLeft(s, "*_\"'`(“„«")
	end = 0
	for end < len(s) && end <= longestBack {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(r) {
			break
		}
		end += size
	}
	if end <= longestBack && backWords.hasInAnyCase(s[:end]) {
		return true
	}
	if backSignStarts.may(s) {
		for _, sign := range backSigns {
			if strings.HasPrefix(s, sign) {
				return true
			}
		}
	}
	return false
}

// leaning lists pronouns that, at the beginning of a sentence, refer to a subject mentioned before.
var leaning = wordListOf("it its that this these those they them es das dies diese dieser sie eso esto ello cela ça ceci это этот эта они هذا هذه ذلك यह ये")

// impersonal lists beginnings of sentences whose pronoun refers to nothing.
var impersonal = []string{"It seems that ", "It seems like ", "It seems ", "It looks like ", "It appears that ", "It appears ", "It turns out that ", "It turns out ",
	"Es scheint, dass ", "Es sieht so aus, als ", "Il semble que ", "Il s'avère que "}

// leans reports whether a sentence begins with a pronoun, which is usually its subject, perhaps
// after an impersonal phrase such as "It seems that".
func leans(s string) bool {
	for _, head := range impersonal {
		if rest, found := strings.CutPrefix(s, head); found {
			s = rest
			break
		}
	}
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if end > 0 && end <= 24 && leaning.hasInAnyCase(s[:end]) {
		return true
	}
	for _, sign := range []string{"这", "那", "它", "これ", "それ", "이것", "그것"} {
		if strings.HasPrefix(s, sign) {
			return true
		}
	}
	return false
}

var backSignStarts = startsOf(backSigns)

// longestBack is the maximum length, in bytes, of a word that pointsBack looks up in backWords.
const longestBack = 24

// linkless replaces each Markdown link in text with the text of the link. If the link points to a line of a file, the
// line number is added. URLs are kept in parentheses.
func linkless(s string) string {
	if !strings.Contains(s, "](") {
		return s
	}
	var b strings.Builder
	for {
		at := strings.Index(s, "](")
		if at < 0 {
			break
		}
		open := strings.LastIndexByte(s[:at], '[')
		end := strings.IndexByte(s[at:], ')')
		if open < 0 || end < 0 || strings.ContainsAny(s[open:at], "\n") {
			b.WriteString(s[:at+2])
			s = s[at+2:]
			continue
		}
		shown, target := s[open+1:at], s[at+2:at+end]
		b.WriteString(s[:open])
		switch line := target[strings.LastIndexByte(target, ':')+1:]; {
		case strings.Contains(target, "://") && shown != target:
			b.WriteString(shown + " (" + target + ")")
		case len(line) < len(target) && strings.Trim(line, "0123456789") == "" && !strings.Contains(shown, ":"):
			b.WriteString(shown + ":" + line)
		default:
			b.WriteString(shown)
		}
		s = s[at+end+1:]
	}
	return b.String() + s
}

// fragments lists words that begin sentences without a subject of their own. The subject is in the previous sentence.
var fragments = wordListOf("could should would might may can and same similar similarly likewise könnte sollte würde und pourrait devrait podría debería")

// joinsBack reports whether a sentence makes no sense without the previous one.
func joinsBack(s string) bool {
	if leans(s) || pointsBack(s) {
		return true
	}
	if hasQuestionMark(s) {
		return false
	}
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	return end > 0 && end <= 24 && fragments.hasInAnyCase(s[:end]) || hasOnlyPronoun(s)
}

// longestPronoun is the maximum length, in bytes, of a sentence that depends on the previous one if
// a pronoun occurs anywhere in it.
const longestPronoun = 40

// hasOnlyPronoun reports whether a short sentence contains a pronoun but no name: "I add it next."
func hasOnlyPronoun(s string) bool {
	if len(s) > longestPronoun || names(s) {
		return false
	}
	for word := range strings.FieldsSeq(s) {
		if leaning.hasInAnyCase(strings.Trim(word, ".,;:!")) {
			return true
		}
	}
	return false
}
