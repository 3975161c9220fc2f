package digest

// This file recognizes sentences in which "only" restricts nothing that the reader does.

// Word lists, in several languages: words for "this", and indefinite articles.
var (
	thisWords = wordListOf("this dieses diese diesen diesmal cette cet ce esta este esto questa questo essa этот эту этого это هذه هذا")
	anArticle = wordListOf("a an ein eine un une una uno um uma un'")
)

// onlyRemarks reports whether the cue is an "only" that makes its clause a remark, because no verb follows it that the
// reader could obey: "Only dreaming", "Nur ein Scherz", "Только фантазия".
func (s *spot) onlyRemarks() bool {
	if s.size() != 1 || !s.w.starts || s.after == nil || !onlyWords.has(s.w.text) {
		return false
	}
	switch len(s.ws) - s.end {
	case 1:
		return isGerund(s.next) || len(s.next) > 4 && s.next[0]|1 == 0xd1 && endsWithAny(s.next, "а", "я", "ь")
	case 2:
		return anArticle.has(s.next) && !s.word(s.end+1).breaks && !s.word(s.end+1).is(products)
	}
	return false
}

// isGerund reports whether a word has the ending of a gerund, or the form of a participle in German.
func isGerund(w string) bool {
	return len(w) > 5 && (endsWithAny(w, "ing", "ando", "endo") || w[:2] == "ge" && w[len(w)-1] == 't')
}

// counts reports whether word i is a number.
func (sc *scene) counts(i int) bool {
	w := sc.word(i)
	return w.is(numbers) || w != nil && w.text[0]-'0' < 10
}

// isThisTime reports whether a sentence begins by saying that it is about one thing or one occasion: "Just this one in
// English", "Cette fois en anglais".
func isThisTime(ws []word) bool {
	if onlyWords.has(ws[0].text) {
		ws = ws[1:]
		return len(ws) > 1 && thisWords.has(ws[0].text) && !ws[1].is(products)
	}
	return len(ws) > 2 && thisWords.has(ws[0].text) && times.has(ws[1].text)
}
