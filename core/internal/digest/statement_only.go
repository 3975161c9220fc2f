package digest

import "slices"

// This file recognizes sentences in which "only" restricts nothing that the reader does, or only one occasion.

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
		return articles.has(s.next) && !s.word(s.end+1).breaks && !s.word(s.end+1).is(products)
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

// isThisTime reports whether a sentence says that it is about one occasion ("Cette fois en anglais", "one line, just this
// one time"), or begins by saying that it is about one thing: "Just this one in English".
func isThisTime(ws []word) bool {
	if len(ws) > 2 && onlyWords.has(ws[0].text) && isThis(&ws[1]) && !ws[2].is(products) {
		return true
	}
	if anyIs(ws, lastingly) {
		return false
	}
	for i := range ws[:max(len(ws)-1, 0)] {
		if !isThis(&ws[i]) {
			continue
		}
		at := i + 1
		if at+1 < len(ws) && ws[at].is(numbers|tasks) { // "dieses eine Mal"
			at++
		}
		if times.has(ws[at].text) && (at+1 == len(ws) || !afterThisTime.has(ws[at+1].text)) {
			return true
		}
	}
	return slices.ContainsFunc(ws, func(w word) bool { return w.text == "diesmal" })
}

// afterThisTime lists words after "this time" with which it isn't one occasion: "from this time on", "this time of year".
var afterThisTime = wordListOf("on of onwards forward")

// isThis reports whether a word is "this" in one of the languages of the cue tables.
func isThis(w *word) bool { return w.text == "this" || nearby.has(w.text) }
