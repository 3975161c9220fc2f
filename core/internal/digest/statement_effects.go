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
		w := &sc.ws[i]
		many := strings.HasSuffix(sc.ws[i-1].text, "s") && !sc.ws[i-1].is(persons|things|idle)
		n := len(w.text)
		acts := n > 3 && (many || w.text[n-1] == 's' && w.text[n-2] != 's') && !w.is(persons) && !w.breaks
		if (acts || many && w.text == "put") && (w.text != "put" && !dealings.has(w.text) || sc.affects(i+2)) && !inclining.has(w.text) && w.text != "from" && w.text != "like" {
			return w.at
		}
		return -1
	}
	return -1
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
	for i := 1; i+1 < len(sc.ws); i++ {
		if w := &sc.ws[i]; (w.text == "me" || w.text == "mi") && (i == 1 || i == 2 && len(sc.ws[0].text) < 4) && len(sc.ws) < 8 && !sc.ws[0].is(persons|things|askers) && endsWithAny(sc.ws[i-1].text, "s", "i") && endsWithAny(sc.ws[i+1].text, "am", "em", "an", "en", "ano", "ono") || w.text == "меня" && len(sc.ws) < 8 && !sc.ws[0].is(persons|things|askers) && endsWithAny(sc.ws[i+1].text, "ует", "уют", "ает", "ают") {
			return w.at
		}
	}
	return -1
}
