package digest

import "strings"

// These constants name the places in a sentence, and the kinds of sentences, in which a cue counts.
const (
	anywhere = iota
	lead     // at the beginning of a clause
	bare     // at the beginning of a clause that is neither a greeting nor a remark: "no emojis", not "no problem"
	order    // at the beginning of a clause that says how to do something in general: "write in German", not "write a poem"
	nobody   // at the beginning of a clause that doesn't tell a story
	habit    // not after the subject of a story
	duty     // with a subject that can be given instructions, not "you must be tired"
	should   // the same, for verbs that often only express likelihood
	last     // at the end of a sentence, where some languages put the verb
	loose    // in a sentence about things in general
	bound    // in a limit that has a number or concerns what is written
	taste    // in a statement about a thing, but not about something to do now, which is a request
	want     // about things in general or about what is written, but not about one requested thing
	self     // in what people say about themselves
	me       // in a sentence about the present
	permit   // in a permission
	hint     // about what the reader does or writes
	lesson   // about something that must not happen again
	lift     // in a sentence that revokes a rule
	versus   // in a comparison of two things
	nature   // in what people say they are like
	another  // signs only: the sentence is about somebody who is absent
	story    // signs only: the sentence is about one day, not about every day
)

// placeRules holds two functions for each place. fits reports whether a cue counts there; if it is nil, all cues do.
// remarks reports whether a cue there is only part of a remark.
var placeRules = [...]struct{ fits, remarks func(*spot) bool }{
	anywhere: {(*spot).fitsAnywhere, (*spot).remarksAnywhere},
	lead:     {(*spot).fitsLead, (*spot).remarksLead},
	bare:     {(*spot).fitsBare, (*spot).remarksBare},
	order:    {(*spot).fitsOrder, (*spot).remarksOrder},
	nobody:   {(*spot).fitsNobody, (*spot).remarksNobody},
	habit:    {(*spot).fitsHabit, (*spot).remarksHabit},
	duty:     {(*spot).fitsDuty, nil},
	should:   {(*spot).fitsDuty, nil},
	last:     {(*spot).fitsLast, nil},
	loose:    {(*spot).fitsLoose, (*spot).remarksLoose},
	bound:    {(*spot).fitsBound, nil},
	taste:    {(*spot).fitsTaste, (*spot).remarksTaste},
	want:     {(*spot).fitsWant, nil},
	self:     {(*spot).fitsSelf, (*spot).remarksSelf},
	me:       {(*spot).fitsMe, (*spot).remarksMe},
	permit:   {(*spot).fitsPermit, (*spot).remarksPermit},
	hint:     {(*spot).fitsHint, nil},
	versus:   {(*spot).fitsVersus, nil},
	nature:   {(*spot).fitsNature, nil},
	story:    {},
}

// spot is a cue in a sentence, with the words around it.
type spot struct {
	*scene
	cue
	i, end        int    // the index of the cue's first word, and of the word after the cue
	w             *word  // its first word
	before, after *word  // nil at the ends of the sentence
	next          string // the text of after, or ""
}

// spotAt returns the spot of cue c, which has size words and begins at word i.
func (sc *scene) spotAt(c cue, i, size int) *spot {
	return &spot{sc, c, i, i + size, &sc.ws[i], sc.word(i - 1), sc.word(i + size), sc.textAt(i + size)}
}

func (s *spot) size() int { return s.end - s.i }

// fits reports whether a cue meets the requirements of its place and isn't part of a mere remark.
func (s *spot) fits() bool {
	fits := placeRules[s.place].fits
	return !s.remarks() && !s.onlyRemarks() && (fits == nil || fits(s))
}

func (s *spot) fitsAnywhere() bool {
	return !s.past || s.changes || s.strength == none || s.all&(products|addressees) != 0
}

func (s *spot) fitsLead() bool {
	return s.w.starts && s.after != nil && !s.after.is(idle) && (!s.after.breaks || s.resumes(s.end)) &&
		(s.w.text != "stop" || strings.HasSuffix(s.next, "ing") && !comforting.has(s.next))
}

func (s *spot) fitsBare() bool {
	return s.w.starts && s.after != nil && (!s.after.is(idle|askers&^conjunctions|persons) || s.alone(s.i) || s.forbidsToWriter()) &&
		!s.after.breaks && !s.exclaims && !s.past && s.all&days == 0
}

// forbidsToWriter reports whether a negation begins an order with a pronoun for the writer: "No me mandes enlaces", "Ne me
// tutoie pas". In Spanish, the ending of the verb distinguishes it from a statement such as "No me gusta".
func (s *spot) forbidsToWriter() bool {
	switch s.w.text {
	case "ne":
		return s.next == "me" || s.next == "m'"
	case "no":
		return s.next == "me" && s.word(s.end+2) != nil && len(s.textAt(s.end+1)) > 2 && endsWithAny(s.textAt(s.end+1), "es", "as")
	}
	return false
}

func (s *spot) fitsNobody() bool {
	return s.w.starts && s.after != nil && !s.after.breaks && !s.past && !s.exclaims && s.all&days == 0 &&
		!s.after.is(numbers|persons)
}

func (s *spot) fitsOrder() bool {
	return s.w.starts && s.after != nil && !s.after.breaks && s.general(s.end)
}

func (s *spot) fitsHabit() bool {
	if s.i > 0 && !s.w.starts && s.ws[0].text == "my" && len(s.next) > 3 && strings.HasSuffix(s.next, "s") && !strings.HasSuffix(s.next, "ss") { // "my boss never reads …"
		return false
	}
	if s.next == "he" && s.i == 0 { // "nunca he estado en …"
		return false
	}
	if s.before != nil && !s.w.starts && s.all&persons != 0 && !s.states(s.i, s.next) && !s.before.is(selves|addressees) && !s.ofProducts(s.end) && !beginsOrder(s.before) {
		return false
	}
	switch {
	case len(s.ws) == 1:
		return true
	case s.next == "mind" || s.past:
		return false
	case s.before != nil && s.before.text != "as" && s.followsHabitually():
		return true
	}
	return s.w.starts && s.after != nil && (!s.after.is(idle|tasks) || s.next == "more")
}

// followsHabitually reports whether the word before a cue such as "always" leaves it open that the sentence is a rule.
func (s *spot) followsHabitually() bool {
	if s.w.starts || !s.before.is(tellers) || s.after.is(habits) {
		return true
	}
	return s.before.is(addressees) && polite(s.ws) && !knowing.has(s.next) ||
		plurals.has(s.before.text) && s.states(s.i, s.next) && !s.word(s.end+1).is(tasks)
}

func (s *spot) fitsLast() bool {
	return (s.after == nil || s.after.is(joins) && s.end+1 == len(s.ws)) && !s.past && s.all&days == 0
}

func (s *spot) fitsLoose() bool {
	return !s.narrates && !s.past && !s.exclaims && s.all&(persons|days) == 0 && !s.onceMore() &&
		(!s.after.is(idle) || s.before.is(products)) && !(s.i+1 < len(s.ws) && s.ws[s.i+1].breaks)
}

func (s *spot) fitsBound() bool {
	return !s.past && s.all&days == 0 && s.concrete() && (s.all&persons == 0 || s.all&(products|addressees) != 0)
}

func (s *spot) fitsTaste() bool {
	if s.next == "to" || s.past || s.all&days != 0 {
		return false
	}
	return !s.after.is(reactions|tasks|numbers) || s.next == "the" && s.all&quantifiers != 0
}

func (s *spot) fitsWant() bool {
	return s.all&days == 0 && (s.all&(products|lastingly) != 0 || !s.after.is(numbers) && !indefinite.has(s.next))
}

func (s *spot) fitsSelf() bool {
	return ((s.all&(others|days) == 0 || s.habitual() && s.all&days == 0) && s.ofSelf(s.i, s.next) || s.ofHousehold()) && s.next != "out" &&
		(!s.after.is(reactions) || s.next == "it" && s.word(s.end+1).is(moods|conditions) || sorts.has(s.textAt(s.end+1))) &&
		!(s.next == "the" && s.word(s.end+1).is(reactions) && !s.ofKind(s.end+2))
}

// ofKind reports whether the words that begin at index i name the kind of thing to which a reaction refers: "the sound [of
// bagpipes]", unlike "the sound of that".
func (s *spot) ofKind(i int) bool {
	return s.textAt(i) == "of" && s.generally(i+1) && !pointed.has(s.textAt(i+1)) && !definite.has(s.textAt(i+1))
}

// ofHousehold reports whether somebody of the writer's household is the subject of a cue for what a person can't eat or
// can't bear: "my husband can't eat coriander". What else other people like or do is no preference of the writer.
func (s *spot) ofHousehold() bool {
	return s.size() > 1 && s.all&days == 0 && !s.past && s.before != nil && household.has(s.before.text) && refusing.has(s.w.text) &&
		(s.textAt(s.i-2) == "my" || s.textAt(s.i-2) == "our")
}

// household lists words for people who live with the writer, and refusing the first words of cues for what they can't
// bear.
var (
	household = wordListOf("husband wife partner son daughter kid kids child children baby toddler youngest oldest eldest boyfriend girlfriend mum mom dad mother father family flatmate roommate")
	refusing  = wordListOf("can't cannot won't doesn't don't")
)

// sorts lists words after "that" that make it mean a kind of thing: "that kind of music".
var sorts = wordListOf("kind sort type")

func (s *spot) fitsMe() bool {
	return !s.past && s.all&days == 0
}

func (s *spot) fitsVersus() bool {
	return !s.past && s.all&others == 0 && s.weighs(s.end)
}

func (s *spot) fitsNature() bool {
	return len(s.ws) < 16 && !s.past && s.ofWriter() && s.i > 0 &&
		(s.after == nil || s.after.breaks || s.after.is(conjunctions|conditions) || comparers.has(s.next) ||
			s.i+2 == len(s.ws))
}

func (s *spot) fitsPermit() bool {
	if s.after.is(idle) || s.past || isQuestion(s.scene.text) || s.all&days != 0 || s.exclaims && s.all&(products|agains) == 0 {
		return false
	}
	s.permits = true
	return true
}

func (s *spot) fitsHint() bool {
	return s.all&(addressees|products|quantifiers) != 0
}
