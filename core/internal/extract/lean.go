package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A sentence depends on the previous one if it says "it" or "she" but names nobody: alone, it doesn't tell a reader
// what it is about. The same is true of a short answer to a question.

// nearStart is the maximum number of words before a pronoun whose antecedent isn't in the sentence.
const nearStart = 4

// shortAnswer is the maximum number of words of an answer that means nothing without its question, and shortAnswerPairs
// the maximum number of character pairs in scripts without spaces. An answer that begins with a word such as yes or no
// may have twice as many words.
const (
	shortAnswer      = 5
	shortAnswerPairs = 8
)

// Words that make a sentence depend on another one, in some languages in which people write to assistants.
// beginsLeaning lists words that do so at the beginning of a sentence, leansLater those that also do so further on.
var (
	beginsLeaning = words.NewExact("it its they their them this that these those he she his him her both neither same such which whose because otherwise instead " +
		"er sie es ihr ihre ihren ihm ihn ihnen das dies diese dieser dieses dieselbe davon dafür damit dazu dort dabei deshalb deswegen beide beides weil " +
		"elle ils elles celui celle ceux celles cela ça ce c cette ces lui leur leurs son " +
		"él ella ellos ellas eso esa ese esos esas esto aquello les lo su sus " +
		"ele ela eles elas isso isto aquilo dele dela deles " +
		"lui lei loro questo questa questi queste quello quella ciò " +
		"hij zij ze hem hun dit dat deze die daarom daar " +
		"он она оно они это этот эта эти его её ее их ему ей им там поэтому " +
		"هو هي هم هذا هذه ذلك تلك هناك إنه إنها وهو وهي لأنه لأنها " +
		"वह वे यह ये इसे उसे इसका उसका इसकी उसकी उसने उन्होंने वहाँ वहां")
	leansLater = words.NewExact("it them him he she they " +
		"es ihn ihm ihnen er davon dafür damit dazu dort " +
		"elle ils elles ça cela él ella ellos ellas eso ele ela eles elas isso lei ciò hij hem " +
		"он она оно они его её ее их ему ей")
	// fillers may precede all of these words.
	fillers = words.NewExact("yes no yeah yep yup nope oh ah well ok okay and but so also then hi hello hey actually really wow haha hmm hm um thanks sure right great cool nice " +
		"true exactly maybe perhaps good fine alright anyway honestly absolutely definitely totally indeed lol aw aww " +
		"ja nein doch und aber also na naja ach tja genau klar gut schön stimmt übrigens ehrlich " +
		"oui non et mais alors donc bon eh sí pero pues bueno sim não mas então sì ma allora ja nee maar en " +
		"да нет и а но ну так вот نعم لا و لكن हाँ हां नहीं और लेकिन तो जी")
	affirms = words.NewExact("yes no yeah yep yup nope sure right exactly true false maybe perhaps never always ja nein doch klar genau vielleicht oui non sí si no claro sim não sì certo nee " +
		"да нет конечно نعم لا أجل हाँ हां नहीं")
	// ofTime lists units of time. "This" or "that" before one of them doesn't refer to another sentence.
	ofTime = words.NewExact("week month year morning afternoon evening weekend summer winter spring autumn fall time night quarter semester term " +
		"woche jahr monat mal wochenende semana mes año ano semaine année fois mese anno неделе году месяце")
)

// leaningSigns lists the beginnings of dependent sentences in scripts without spaces. standing lists longer beginnings
// that start like them but don't refer to anything.
var (
	leaningSigns = strings.Fields("它 他 她 这 那 這 此 其 该 该款 就是这 不是这 " +
		"それ これ あれ その この あの 彼 彼女 そこ ここ そう こう あそこ だから なので " +
		"그 그는 그녀 그것 그건 그게 이것 이건 이게 저것 저건 그곳 거기 여기 그래서 " +
		"มัน เขา เธอ นั่น นี่ พวกเขา")
	standing = strings.Fields("其实 其中 其他 其它 其余 他们家 这周 这个周 这星期 这个星期 这次 这个月 这几天 这两天 这段 这阵 这些天 这边 那我 那你 那就 那么 那咱 那请 那麻烦 那好 那可 那行 那天 " +
		"この週 この前 この間 その後 그리고 그런데 그렇지만 그냥 그때 그동안 그저께")
)

// leans reports whether a sentence depends on the preceding one. inQuotes is the result of quoted.
func leans(text string, ws []words.Word, inQuotes []bool) bool {
	k := fillersIn(text, ws)
	if k == len(ws) {
		return false
	}
	if ws[k].Kind&words.Pair != 0 {
		return leansBySigns(text[ws[k].From:])
	}
	word := spelled(text, ws[k])
	if k+1 < len(ws) {
		if leaning, decided := leansByTwo(word, spelled(text, ws[k+1]), ws[k+1].Kind); decided {
			return leaning
		}
	}
	if beginsLeaning.Has(word) {
		return true
	}
	for n := k; n < len(ws) && n < k+nearStart; n++ {
		if n > 0 && capitalized(ws[n]) || ws[n].Kind&words.Digit != 0 || isQuoted(inQuotes, n) {
			return false // it names its subject
		}
		if n > k && leansLater.Has(spelled(text, ws[n])) {
			return true
		}
	}
	return false
}

// spelled returns a word as it is spelled in text.
func spelled(text string, w words.Word) string { return text[w.From:w.End] }

// leansByTwo decides by the first two words whether a sentence depends on the preceding one. kind is that of the second
// word, next. decided is false if the words don't tell.
func leansByTwo(word, next string, kind words.Kind) (leans, decided bool) {
	switch word {
	case "il", "Il": // French: he, it; Italian: the
		return kind&words.Short != 0 || next == "est" || next == "était" || next == "faut" || next == "fait" || next == "avait", true
	case "la", "La", "le", "Le", "der", "Der":
		return false, true
	case "das", "Das", "die", "Die", "dies", "diese", "Diese", "dieser", "Dieser", "dieses", "Dieses", "ihr", "Ihr", "ihre", "Ihre": // the, your
		if kind&words.Capital != 0 {
			return false, true
		}
	case "es", "Es":
		if strings.HasPrefix(next, "gibt") || strings.HasPrefix(next, "gab") {
			return false, true
		}
	}
	return false, ofTime.Has(next)
}

// fillersIn returns how many fillers a sentence begins with, at most nearStart.
func fillersIn(text string, ws []words.Word) (count int) {
	for count < len(ws) && count < nearStart && fillers.Has(spelled(text, ws[count])) {
		count++
	}
	return count
}

// isQuoted reports whether word n is in quotes. inQuotes is the result of quoted, which may be nil.
func isQuoted(inQuotes []bool, n int) bool { return inQuotes != nil && inQuotes[n] }

// capitalized reports whether a word of more than one letter begins with a capital.
func capitalized(w words.Word) bool { return w.Kind&words.Capital != 0 && w.End-w.From > 1 }

// leansBySigns is like leans, for scripts without spaces.
func leansBySigns(text string) bool {
	for _, s := range standing {
		if strings.HasPrefix(text, s) {
			return false
		}
	}
	for _, s := range leaningSigns {
		if !strings.HasPrefix(text, s) {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(s); r >= 0xac00 { // a syllable of Hangul may begin any word
			if next, _ := utf8.DecodeRuneInString(text[len(s):]); next != ' ' && len(s) <= 3 {
				continue
			}
		}
		return true
	}
	return false
}

// asksAbout reports whether a question refers to something that it doesn't name.
func asksAbout(text string, ws []words.Word) bool {
	for k, w := range ws[:min(len(ws), 2*nearStart)] {
		switch {
		case w.Kind&words.Pair != 0:
			for _, s := range aboutSigns {
				if strings.Contains(text, s) {
					return true
				}
			}
			return false
		case k > 0 && w.Kind&words.Capital != 0 && w.End-w.From > 1:
			return false
		case aboutWords.Has(spelled(text, w)):
			return true
		}
	}
	return false
}

// aboutWords and aboutSigns list words that refer, in a question, to something that was named before.
var (
	aboutWords = words.NewExact("it its they their them he his him she her this that ihr ihre ihren ihnen sein seine davon dort dazu son leur leurs su sus seu sua suo sua его её их там")
	aboutSigns = strings.Fields("它 他 她 那里 那儿 那边 这里 这儿 这家 那家 这个 那个 该 それ そこ その この 그곳 거기 그 ")
)

// answers reports whether a sentence that follows a question means nothing without it, because it is short, or not very
// long and begins with a word such as "yes". ws are the sentence's words; without any, the result is false.
func answers(text string, ws []words.Word) bool {
	if len(ws) == 0 {
		return false
	}
	if ws[0].Kind&words.Pair != 0 {
		return len(ws) <= shortAnswerPairs
	}
	return len(ws) <= shortAnswer || len(ws) <= 2*shortAnswer && affirms.Has(spelled(text, ws[0]))
}

// objects lists pronouns that refer, anywhere in a clause, to something that was named before. existential lists words
// after which "there" doesn't.
var (
	objects     = words.NewExact("it them there")
	existential = words.NewExact("is are was were s re ve will has have isn aren wasn weren")
)

// leastClause is the minimum number of words before the punctuation that ends the first clause of a sentence.
const leastClause = 4

// hasObjectBefore reports whether the first clause of a sentence refers to something that an earlier sentence names: "I had
// a blast there last month." A clause that contains a name, a number or a quotation before the pronoun doesn't.
func hasObjectBefore(text string, ws []words.Word, inQuotes []bool) bool {
	for k, w := range ws {
		if w.Kind&words.Pair != 0 || k >= leastClause && endsClause(text[ws[k-1].End:w.From]) {
			return false
		}
		if w.Kind&words.Digit != 0 || isQuoted(inQuotes, k) || k > 0 && capitalized(w) && !isAddressed(text, ws, k) {
			return false
		}
		word := spelled(text, w)
		if k > 0 && objects.Has(word) && !(word == "there" && k+1 < len(ws) && existential.Has(spelled(text, ws[k+1]))) {
			return true
		}
	}
	return false
}

// endsClause reports whether there is punctuation between two words, other than an apostrophe or a hyphen within a word.
func endsClause(between string) bool { return between != " " && strings.ContainsAny(between, " ,;:") }
