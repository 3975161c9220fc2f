package digest

import "strings"

// fitsDuty reports whether a verb expresses a permanent duty, rather than a likelihood, a past duty, or a duty for one
// day. The subject of a permanent duty is the reader, the reader's output, or a thing in general.
func (s *spot) fitsDuty() bool {
	return !s.passes() && !s.supposes() && s.obliges()
}

// passes reports whether a duty is past, or applies to one day only. It also returns true for a word that isn't a verb
// in this sentence.
func (s *spot) passes() bool {
	switch {
	case s.past && s.all&(products|addressees) == 0:
		return true
	case s.all&days != 0 && (s.strength < strict || s.ws[0].is(things|others) && s.all&(addressees|negations) == 0):
		return true
	case s.next == "de" && strings.HasPrefix(s.w.text, "debe"): // "debe de ser"
		return true
	}
	return s.w.is(numbers) && !s.before.is(addressees|singles|negations) // "dois" is a number in Portuguese
}

// supposes reports whether a verb of duty expresses a guess: "deve ter tido", "must have been", "должно быть,".
func (s *spot) supposes() bool {
	at := s.i + s.words()
	if s.inPerfect(at) {
		return true
	}
	for n := at - 1; n < len(s.ws) && n < at+2; n++ {
		if s.supposesAt(n, at) {
			return true
		}
	}
	if s.after.is(done|moods) && s.w.text != "is" && s.w.text != "are" || s.next == "believe" || s.next == "wait" && s.word(at+1) == nil {
		return true
	}
	return s.place == should && likely.has(s.next) && s.all&(lastingly|negations|addressees) == 0
}

// inPerfect reports whether the verb that follows a verb of duty, at word index at, is a past infinitive.
func (s *spot) inPerfect(at int) bool {
	last := len(s.ws) - 1
	end, before := s.ws[last].text, s.textAt(last-1)
	return perfects.has(s.textAt(at)) && !articles.has(s.textAt(at+1)) ||
		end == "haben" && strings.HasPrefix(before, "ge") || before == "hebben" && strings.HasPrefix(end, "ge")
}

// supposesAt is like supposes, but examines only the word at index n. at is the index of the word after the verb.
func (s *spot) supposesAt(n, at int) bool {
	w, next := &s.ws[n], s.word(n+1)
	if next != nil && (w.text == "have" || w.text == "haben" || w.text == "haber") {
		if v := s.unshaded(n + 1); v.is(pasts|done) || v != nil && strings.HasSuffix(v.text, "ed") {
			return true
		}
	}
	if w.is(beings) && next != nil && (next.breaks && n >= at || next.text == "able" && s.all&addressees == 0) { // what a thing should be able to do
		return true
	}
	return (w.is(beings) || n == at-1) && s.unshaded(n+1).is(moods)
}

// subject returns the index at which the clause with the cue begins, but at most 12 words before the cue, and the kinds
// of the words between that index and the cue.
func (s *spot) subject() (from int, kinds wordKind) {
	for from = s.i; from > 0 && s.i-from < 12 && !s.ws[from].breaks; {
		from--
		kinds |= s.ws[from].kinds
		if s.ws[from].is(conjunctions | conditions) {
			return from, kinds &^ conjunctions
		}
	}
	return from, kinds
}

// obliges reports whether a duty is permanent, judged by its subject.
func (s *spot) obliges() bool {
	from, subject := s.subject()
	soft := s.place == should
	switch {
	case soft && from == 0 && s.ws[0].is(conditions): // "if the fee can't be waived, …"
		return false
	case subject&(persons|selves) == persons && s.after.is(beings) && !s.digits && s.all&(products|lastingly) == 0: // "they must be stuck"
		return false
	case subject&products == 0 && somebody.has(s.ws[from].text):
		return false
	case subject&products != 0:
		return true
	case s.i > 0 && s.before.is(singles):
		return false
	case subject&addressees != 0:
		return s.obligesReader()
	case subject&things != 0:
		return s.obligesThing(soft)
	case subject&(persons|selves) != 0 && dealing.has(s.next) && s.all&(lastingly|quantifiers) == 0: // "I need to change the date"
		return false
	case subject&(persons|selves) != 0:
		return s.strength == strict && !s.soon() || s.all&(products|lastingly) != 0
	case s.i == from:
		if s.after.is(advice) && strings.HasPrefix(s.w.text, "tien") && !s.concrete() {
			return false
		}
		return s.strength == strict || s.after.is(negations|lastingly)
	}
	return !soft || s.after.is(negations|lastingly) || subject&(quantifiers|negations) != 0 ||
		!s.ws[from].is(tasks) && s.all&days == 0
}

// obligesReader is like obliges, but for a duty of the reader.
func (s *spot) obligesReader() bool {
	at, last := s.i+s.words(), &s.ws[len(s.ws)-1]
	switch {
	case last.is(beings) && s.all&(negations|lastingly|quantifiers) == 0:
		return false
	case at == len(s.ws)-1 && s.ws[at-1].text == "be" && s.w.is(negations): // "you can't be serious"
		return false
	case s.concrete():
		return true
	}
	return !last.is(advice) && !s.after.is(advice) && !(s.exclaims && s.all&negations == 0)
}

// obligesThing is like obliges, but for the duty of a thing. soft means that the verb may express a mere likelihood.
func (s *spot) obligesThing(soft bool) bool {
	if s.strength < strict && s.ws[max(s.i-1, 0)].text == "that" || s.ws[len(s.ws)-1].is(beings) && s.all&(products|lastingly) == 0 {
		return false
	}
	return s.all&(products|lastingly|quantifiers) != 0 ||
		!soft && !s.after.is(beings) && s.ws[s.i+s.words()-1].text != "be"
}
