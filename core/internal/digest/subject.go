package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// statement is a standing instruction that has been analysed so that it can be compared with others.
type statement struct {
	rating
	text    string   // as the user wrote it
	stems   []uint32 // hashes of the stems of its meaningful words, sorted and without duplicates
	object  []uint32 // of a revocation: the stems of the clause that revokes, sorted and without duplicates
	counts  []uint32 // hashes of the numbers in it, in words or digits
	limits  bool     // it is about a limit or a rule
	topic   string   // the noun of a limit that is its subject ("budget" in "The budget is 3,500 now"), or [called]
	class   uint32   // the stem of its last alternative; 0 if it has none
	unit    string   // if it has a limit, the word after its number; one character in Chinese, Japanese and Korean
	limited []uint32 // the stems of the words that say what that limit is for, sorted
	amended bool     // a newer statement has been added to it that amends its limit
	says    bool     // it forbids saying or using something
	people  []uint32 // hashes of the words for people of the writer's household
	units   []uint32 // hashes of the stems of the words after its numbers
	classes int      // the number of stems that denote alternatives such as tabs and spaces
	any     uint64   // one bit for each stem: two statements without a common bit have no stem in common
}

// analyse computes a statement's strength and stems. Text without a cue counts as the weakest kind of statement.
func (s *statement) analyse() {
	s.strength = max(s.strength, weak)
	_, text := splitRule(s.text)
	ws := wordsOf(text, quotedIn(text))
	r := rate(text, ws) // it marks the words of cues
	from, to := clauseAt(ws, r.lifted-1)
	s.negative = s.negative || keepsOut(ws)
	content := false // whether a word other than a cue and a pronoun for the writer has a stem
	for i := range ws {
		w, before := &ws[i], len(s.stems)
		s.addAt(ws, i)
		content = content || len(s.stems) > before && !w.is(selves)
		if i >= from && i < to && !vague.has(w.text) && !healers.has(w.text) && !hearsay.has(w.text) && !w.is(ruleNouns) {
			s.object = append(s.object, s.stems[before:]...)
		}
		s.limits = s.limits || w.is(ruleNouns) || judged.has(w.text)
	}
	if !content {
		for i := range ws {
			if w := &ws[i]; w.cue && w.kinds == 0 && w.script == spaced { // "I'm a vegetarian"
				s.addWord(w.text)
			}
		}
	}
	s.noteSubjects(ws)
	s.count(text, ws)
	s.findTopic(ws)
	sorting.Ordered(s.stems)
	s.stems = slices.Compact(s.stems)
	sorting.Ordered(s.object)
	s.object = slices.Compact(s.object)
}

// keepsOut reports whether words forbid something as "Keep the prices out of the letter" does.
func keepsOut(ws []word) bool {
	return len(ws) > 2 && (ws[0].text == "keep" || ws[0].text == "leave") &&
		slices.ContainsFunc(ws[2:], func(w word) bool { return w.text == "out" })
}

// vague lists words for a rule that is named by its subject: "forget the thing about the titles".
var vague = wordListOf("thing bit part stuff business idea one sache ding regelung histoire truc chose cosa asunto")

// clauseAt returns the indexes at which the clause with the byte offset at begins and ends. Both are 0 if at is
// negative.
func clauseAt(ws []word, at int) (from, to int) {
	if at < 0 {
		return 0, 0
	}
	for i := range ws {
		if ws[i].breaks && i > 0 {
			if ws[i].at > at {
				return from, i
			}
			from = i
		}
	}
	return from, len(ws)
}

// count stores the numbers in a statement, and finds out whether a sign in it is a word for a limit.
func (s *statement) count(text string, ws []word) {
	for i := range ws {
		if w := &ws[i]; w.is(numbers) && !w.is(tasks) && w.text != "one" || w.text[0]-'0' < 10 {
			s.counts = append(s.counts, words.Hash(w.text))
		}
	}
	if !hasSigns(text) {
		return
	}
	for _, r := range text {
		if strings.ContainsRune(numerals, r) {
			s.counts = append(s.counts, words.Hash(string(r)))
		}
	}
	for class, row := range alternativeSigns {
		if s.class == 0 && hasAny(text, row) {
			s.class = words.Hash("##" + itoa(class))
		}
	}
	if n := boundSign(text); n >= 0 {
		s.topic, s.unit = boundSigns[n], unitSigned(text)
	}
	for _, sign := range limitSigns {
		s.limits = s.limits || strings.Contains(text, sign)
	}
}

// unitSigned returns the character after the first number in text, or "".
func unitSigned(text string) string {
	const digits = "0123456789,.万萬億亿만천" + numerals
	at := strings.IndexAny(text, digits)
	if at < 0 {
		return ""
	}
	rest := strings.TrimLeft(text[at:], digits)
	if rest == "" {
		return ""
	}
	_, size := utf8.DecodeRuneInString(rest)
	return rest[:size]
}

// numerals contains the characters of numbers in Chinese and Japanese, except "one", which is part of many words.
// limitSigns lists words for a limit or a rule in scripts whose cues are signs.
const numerals = "二三四五六七八九十百千两兩"

var limitSigns = strings.Fields("限制 制限 上限 限定 规定 規定 规则 規則 ルール 제한 규칙 حد قاعدة सीमा नियम")

// sharesCount reports whether the same number is in both statements.
func (s *statement) sharesCount(old *statement) bool {
	return slices.ContainsFunc(s.counts, func(n uint32) bool { return slices.Contains(old.counts, n) })
}

// limitNouns lists nouns for a limit of which there is usually only one.
var limitNouns = wordListOf("limit budget deadline cap ceiling maximum minimum grenze obergrenze limite plafond presupuesto límite tope orçamento teto tetto бюджет лимит")

// limitsAgain reports whether s, the newer statement, is about the same limit as old, and so
// replaces its value.
func (s *statement) limitsAgain(old *statement) bool {
	if s.topic == "" || s.topic != old.topic || s.unit != old.unit && s.unit != "" && old.unit != "" {
		return false
	}
	return len(s.limited) == 0 && len(old.limited) == 0 || common(s.limited, old.limited) > 0 || s.changes && len(s.limited) == 0
}

// called is the topic of statements about the name with which the assistant should address the writer.
const called = "call me"

// naming lists verbs of such statements that a pronoun for the writer follows. namedMe lists these
// pronouns, and namingOwn verbs that end with one.
var (
	naming    = wordListOf("call name nenn nenne appelez appelle зови называй зовите")
	namingOwn = wordListOf("llámame llámeme chamame chiamami")
	namedMe   = wordListOf("me mich moi меня")
)

// findTopic sets the topic of a statement about a limit: one that begins with a noun for a limit, which an article, a
// possessive or an adjective may precede, and has a number. It also sets that of a statement about the writer's name.
func (s *statement) findTopic(ws []word) {
	for i := range ws[:min(len(ws), 4)] {
		name := i + 1
		if naming.has(ws[i].text) && name < len(ws) && namedMe.has(ws[name].text) {
			name++
		} else if !namingOwn.has(ws[i].text) {
			continue
		}
		if name < len(ws) && !ws[name].known && !s.negative {
			s.topic = called
		}
		return
	}
	at := limitAt(ws)
	if at < 0 || at+2 >= len(ws) || ws[at+1].breaks {
		return
	}
	for i := range at { // "my gear budget"
		s.limitedTo(&ws[i])
	}
	value := slices.ContainsFunc(ws[at:], func(w word) bool { return rising.has(w.text) })
	for i := at + 1; i < len(ws) && (i == at+1 || !ws[i].breaks); i++ {
		if i > at+1 && (ws[i-1].text == "for" || i > at+2 && ws[i-2].text == "for") { // "my budget for gear"
			s.limitedTo(&ws[i])
		}
		if ws[i].text[0]-'0' >= 10 {
			continue
		}
		value = true
		for i+1 < len(ws) && ws[i+1].text[0]-'0' < 10 { // "3 500"
			i++
		}
		if next := i + 1; next < len(ws) && !ws[next].breaks && !ws[next].known {
			s.unit = ws[next].text
		}
		break
	}
	if value {
		s.topic = ws[at].text
	} else {
		s.unit, s.limited = "", nil
	}
}

// limitedTo adds a word that says what a limit is for.
func (s *statement) limitedTo(w *word) {
	if definite.has(w.text) || mine.has(w.text) || oursAlso.has(w.text) || stopWords.Has(w.text) || w.text[0]-'0' < 10 {
		return
	}
	for _, stem := range stems(w.text) {
		s.limited = withStem(s.limited, words.Hash(stem))
	}
}

// addAt adds the stems of word i, or the class of the alternative that it names. It skips cues and common words.
func (s *statement) addAt(ws []word, i int) {
	w := &ws[i]
	if s.revokes && w.cue && w.is(addressees) { // "du", which is an alternative
		return
	}
	if class := alternativeOf(w.text); class >= 0 {
		s.add("#" + itoa(class))
		s.class = s.stems[len(s.stems)-1]
		s.classes++
		return
	}
	if s.revokes && i > 0 && ws[i-1].cue && strings.HasSuffix(w.text, "ing") { // "you can stop adding …"
		return
	}
	if w.cue || stopWords.Has(w.text) || s.revokes && w.is(shades|persons|addressees) {
		return
	}
	for _, part := range strings.Fields(w.text) { // in scripts without spaces, the text between the cues
		s.addWord(part)
	}
}

// addWord adds the stems of a word. In a script without spaces, it also adds the alternatives that the word contains.
func (s *statement) addWord(w string) {
	if r, _ := utf8.DecodeRuneInString(w); scriptOf(r) != spaced {
		for class, row := range alternativeSigns {
			for _, sign := range row {
				if strings.Contains(w, sign) {
					s.add("##" + itoa(class))
					s.class = s.stems[len(s.stems)-1]
					s.classes++
					w = strings.ReplaceAll(w, sign, " ")
				}
			}
		}
	}
	for _, part := range strings.Fields(w) {
		for _, stem := range stems(part) {
			if !s.revokes || !sameSigns.Has(stem) && !isHiragana(stem) {
				s.add(stem)
			}
		}
	}
}

func (s *statement) add(stem string) {
	h := words.Hash(stem)
	s.stems = append(s.stems, h)
	s.any |= 1 << (h % 64)
}

// isHiragana reports whether a pair of characters consists of hiragana, which in most texts are endings and particles.
func isHiragana(pair string) bool {
	for _, r := range pair {
		if r < 0x3041 || r > 0x309f {
			return false
		}
	}
	return pair != ""
}

// sameSigns contains words for an answer, and parts of words for what is no longer done, in scripts without spaces. They
// say nothing about which rule a statement revokes.
var sameSigns = words.NewTable("回答 答案 回复 回覆 解释 解釋 返事 説明 답변 대답 설명 每次 毎回 매번 现在 現在 以后 以後 今後 이제 앞으 다시 もう また はも")

// longestChoice is the maximum number of stems in a statement that chooses one of several alternatives and says little else.
const longestChoice = 4

// replaces reports whether s, the newer statement, has the same subject as old, so that old no longer applies. A few
// common words are not enough, because it is less misleading to keep a rule next to its update than to lose a rule.
func (s *statement) replaces(old *statement) bool {
	if s.limitsAgain(old) || s.chooses && s.class != 0 && s.class == old.class && len(old.stems) <= longestChoice {
		return true
	}
	if s.any&old.any == 0 || len(s.stems) == 0 || len(old.stems) == 0 {
		return false
	}
	same := common(s.stems, old.stems)
	less, all := min(len(s.stems), len(old.stems)), len(s.stems)+len(old.stems)-same
	switch {
	case same*4 >= all*3: // the same again: with another value, or negated
		return true
	case s.changes: // most of the shorter one
		return same*2 > less && (same > 1 || less == 1 || s.classes > 0 && old.classes > 0)
	case s.negative == old.negative && same == len(old.stems): // all of the older one, and more
		return same > 1 && s.strength >= old.strength
	}
	return false
}

// repeats reports whether s, the newer statement, is contained word for word in the older one.
func (s *statement) repeats(old *statement) bool {
	if s.any&^old.any != 0 || len(s.stems) == 0 || len(s.stems) >= len(old.stems) || s.changes || s.negative != old.negative {
		return false
	}
	text := s.text
	if _, rest, found := strings.Cut(text, ": "); found && len(text)-len(rest) <= len("Remember: ") {
		text = rest
	}
	return strings.Contains(lower(old.text), lower(text))
}

// revoked returns the index of the older statement that s revokes, or -1. That is the statement with the most words in
// common with the clause of s that revokes, or else with the whole of s. If several statements have equally many, it is
// the newest of them.
func (s *statement) revoked(older []*statement) int {
	if len(s.object) > 0 {
		if k := s.closest(s.object, older); k >= 0 {
			return k
		}
	}
	return s.closest(s.stems, older)
}

// closest returns the index of the older statement that has the most of the given stems, or -1. The
// statement needs two thirds of the stems in the shorter of the two lists, half of them if s does
// nothing but revoke, or a third of them in Chinese, Japanese and Korean. One stem is enough if s
// revokes a limit, and both have the same number or unit.
func (s *statement) closest(stems []uint32, older []*statement) int {
	best, most := -1, 0
	signed := strings.ContainsFunc(s.text, func(r rune) bool { return scriptOf(r) == unspaced || scriptOf(r) == hangul })
	for i, old := range older {
		if s.any&old.any == 0 || old.revokes || s.ends && old.negative || (s.also || s.grants) && !old.negative || s.spares(old) {
			continue
		}
		same, less := common(stems, old.stems), min(len(stems), len(old.stems))
		if same > most && (same*3 >= less*2 || s.strength <= weak && !s.exact && same*2 >= less || signed && same*3 >= less ||
			s.limits && s.sharesCount(old) || s.limitsUnit(old)) {
			best, most = i, same
		}
	}
	return best
}

// widens adds s, which allows something in addition, to the newest of the older statements that is
// about the same but doesn't forbid it: "Book only morning flights. Evening flights work too now."
// It reports whether there is such a statement.
func (s *statement) widens(older []*statement) bool {
	for _, old := range older {
		if !old.revokes && !old.negative && s.any&old.any != 0 && common(s.stems, old.stems) > 0 && len(old.text)+len(s.text) < maxStatement {
			old.extend(s.text)
			return true
		}
	}
	return false
}

// endings lists the endings that are removed from words, longest first, if at least three letters remain.
var endings = []string{"ings", "ing", "ions", "ion", "ies", "ed", "es", "er", "en", "s", "e"}

// stems returns the stems by which a word is compared. In scripts without spaces, these are all
// pairs of adjacent characters. In Korean, and in languages that inflect the beginnings of words,
// the stem consists of the first two or four characters. In all other languages, it consists of the
// first six letters that remain without endings; stems returns nil for numbers and for words of one
// or two letters.
func stems(word string) []string {
	n := utf8.RuneCountInString(word)
	r, _ := utf8.DecodeRuneInString(word)
	switch scriptOf(r) {
	case unspaced:
		var out []string
		runes := []rune(word)
		for i := 0; i+1 < len(runes); i++ {
			out = append(out, string(runes[i:i+2]))
		}
		return out
	case hangul: // particles follow the noun
		return []string{firstRunes(word, 2)}
	case otherScript:
		if n > 4 {
			word = strings.TrimPrefix(word, "ال")
		}
		return []string{firstRunes(word, 4)}
	}
	if n < 3 {
		return nil
	}
	if word[0] >= '0' && word[0] <= '9' {
		return nil // a value, not a subject
	}
	for range 2 { // "numbers" loses the ending that "number" has
		for _, e := range endings {
			if len(word)-len(e) >= 3 && strings.HasSuffix(word, e) {
				word = word[:len(word)-len(e)]
				break
			}
		}
	}
	return []string{firstRunes(word, 6)}
}

func firstRunes(s string, n int) string { return s[:RuneOffset(s, n)] }

// The kinds of scripts, by how they separate words.
const (
	spaced = iota
	unspaced
	hangul
	otherScript // other scripts with spaces; words may be inflected at the beginning
)

func scriptOf(r rune) int {
	switch {
	case r >= 0x3040 && r <= 0x30ff, r >= 0x3400 && r <= 0x9fff, r >= 0xf900 && r <= 0xfaff, r >= 0x0e00 && r <= 0x0eff:
		return unspaced
	case r >= 0xac00 && r <= 0xd7af, r >= 0x1100 && r <= 0x11ff:
		return hangul
	case r >= 0x0590 && r <= 0x0dff:
		return otherScript
	}
	return spaced
}

// alternatives maps each word in alternativeRows to the number of its row.
var alternatives = words.NewTable(alternativeRows...)

var stopWords = words.NewTable(stopRows...)
