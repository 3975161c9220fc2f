package digest

import "strings"

// This file recognizes sentences about the effect of something on their writer, which show what the writer likes or
// avoids.

// moved returns the byte offset of the verb in a sentence about the effect of something on its writer, as in "Small
// talk exhausts me", "Heights make my knees weak", or -1.
func (sc *scene) moved() int {
	if len(sc.ws) < 3 || len(sc.ws) > 12 || sc.past || sc.exclaims || sc.all&(days|others|addressees) != 0 || sc.ws[0].is(narrators|askers|tasks|conditions) {
		return -1
	}
	for i := 1; i+1 < len(sc.ws); i++ {
		if next := sc.ws[i+1].text; next != "me" && (next != "my" || !bodily.has(sc.textAt(i+2))) {
			continue
		}
		if sc.movesWriter(i) {
			return sc.ws[i].at
		}
		return -1
	}
	return -1
}

// movesWriter reports whether word i, which precedes "me" or a part of the writer's body, is a verb for an effect. What
// people do to each other ("calls", "put") is one only if the words after "me" say how it feels.
func (sc *scene) movesWriter(i int) bool {
	w, subject := &sc.ws[i], &sc.ws[i-1]
	if inclining.has(w.text) || w.text == "from" || w.text == "like" {
		return false
	}
	many := strings.HasSuffix(subject.text, "s") && !subject.is(persons|things|idle)
	if w.text == "put" {
		return many && sc.affects(i+2)
	}
	n := len(w.text)
	acts := n > 3 && (many || w.text[n-1] == 's' && w.text[n-2] != 's') && !w.is(persons) && !w.breaks
	return acts && (!dealings.has(w.text) || sc.affects(i+2))
}

// bodyRefuses returns the byte offset of the negation in a sentence about what the writer's body doesn't tolerate, or -1:
// "My stomach doesn't get along with beans".
func (sc *scene) bodyRefuses() int {
	last := sc.ws[len(sc.ws)-1].text
	if len(sc.ws) > 4 && sc.ws[0].text == "my" && bodily.has(sc.ws[1].text) && sc.ws[2].is(negations) && !sc.past && sc.all&days == 0 && !momentary.has(last) && !repeating.has(last) {
		return sc.ws[2].at
	}
	return -1
}

// affects reports whether the words from word i on say how something makes its writer feel: "sends me to sleep".
func (sc *scene) affects(i int) bool {
	for k := i; k < len(sc.ws) && k < i+3 && !sc.ws[k].breaks; k++ {
		if affected.has(sc.ws[k].text) {
			return true
		}
	}
	return false
}

// affected lists words for states into which things put people, and bodily lists words for what they affect.
var (
	affected = wordListOf("sleep tears wall bend cold mad crazy nuts insane awake creeps chills shivers nightmares headache headaches migraine migraines hives rash heartburn anxiety nausea jitters bloated sick dizzy tired")
	bodily   = wordListOf("skin eyes ears stomach head knees blood hair heart brain nerves back teeth mood throat feet hands chest toes")
)

// dealings lists verbs for what other people do to or for the writer.
var dealings = wordListOf("calls tells asks gives sends says shows owes helps teaches takes picks wants needs knows sees meets visits reminds texts emails follows brings pays joins lets gets leaves thinks hears drives invites offers promises keeps hates loves likes misses understands beats")

// effectOnWriterInflected is like moved for Russian and for plurals in Romance languages, but it returns the byte
// offset of the pronoun: "Толпа меня нервирует", "Museus me entediam", or -1.
func (sc *scene) effectOnWriterInflected() int {
	if len(sc.ws) > longestEffect || sc.ws[0].is(persons|things|askers) {
		return -1
	}
	for i := 1; i+1 < len(sc.ws); i++ {
		if sc.pluralAffects(i) || sc.ws[i].text == "меня" && endsWithAny(sc.ws[i+1].text, "ует", "уют", "ает", "ают") {
			return sc.ws[i].at
		}
	}
	return -1
}

// longestEffect is the maximum number of words in a sentence in which endings show what affects the writer. A longer one
// has other words with these endings.
const longestEffect = 7

// pluralAffects reports whether word i is a Spanish, Portuguese or Italian "me" between a plural that is the subject and a
// verb in the third person plural. A word before the plural is taken for an article if it is short.
func (sc *scene) pluralAffects(i int) bool {
	switch w := sc.ws[i].text; {
	case w != "me" && w != "mi", i > 2, i == 2 && len(sc.ws[0].text) > 3:
		return false
	}
	return endsWithAny(sc.ws[i-1].text, "s", "i") && endsWithAny(sc.ws[i+1].text, "am", "em", "an", "en", "ano", "ono")
}
