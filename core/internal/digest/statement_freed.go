package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// This file recognizes sentences that allow again what a rule forbids, in words that the rule
// doesn't have: "The supplier can be named everywhere again", "On peut de nouveau citer le
// fournisseur". They revoke only a rule that forbids saying or using the same thing.

// Word lists for such sentences: verbs for being allowed; participles and infinitives of verbs for saying, showing or using
// something; words before the verb that make nobody in particular its subject; auxiliaries of the passive; and adverbs for
// how widely something is allowed.
var (
	mayVerbs = wordListOf("can may could darf dürfen kann können peut peuvent puede pueden può possono pode podem можно kan mag mogen")
	freed    = wordListOf("named mentioned cited quoted discussed used shown included contacted copied added suggested offered written " +
		"genannt erwähnt zitiert verwendet benutzt gezeigt gebraucht nennen erwähnen zitieren verwenden benutzen nommé mentionné cité utilisé montré nommer mentionner citer utiliser montrer parler " +
		"nombrado mencionado citado usado mostrado nombrar mencionar citar usar mostrar hablar nominato menzionato citato usato nominare menzionare citare usare mostrare parlare " +
		"nomear falar упоминать называть использовать писать genoemd vermeld gebruikt noemen vermelden gebruiken")
	oneself      = wordListOf("on si se man ya já можно nu wieder")
	passiveVerbs = wordListOf("be werden être ser essere worden")
	freely       = wordListOf("freely everywhere anywhere openly überall offen partout librement libremente ovunque todas partes везде свободно overal")
)

// mayAgain reports whether the sentence is of this kind. If so, it marks all words except those for
// the thing itself.
func (j *judging) mayAgain() bool {
	if len(j.ws) > longestFreed || j.all&negations != 0 || slices.ContainsFunc(j.ws, func(w word) bool { return w.is(conditions) && !oneself.has(w.text) }) {
		return false
	}
	may, verb, again, passive := -1, -1, false, false
	for i := range j.ws {
		w := &j.ws[i]
		switch {
		case w.breaks && i > 0 && verb >= 0:
			return j.freedAt(may, verb, again, passive)
		case w.breaks:
			may, again = -1, false
		}
		switch {
		case may < 0 && mayVerbs.has(w.text):
			may = i
		case freed.has(w.text):
			verb = i
		case passiveVerbs.has(w.text):
			passive = true
		}
		again = again || newly.has(w.text) || w.is(agains) || w.text == "novo"
	}
	return j.freedAt(may, verb, again, passive)
}

// longestFreed is the maximum number of words in such a sentence.
const longestFreed = 16

// freedAt reports whether a clause with the verb of being allowed at index may, and with the verb for what is allowed at
// index verb, allows something again. The clause must be passive, or its subject nobody in particular.
func (j *judging) freedAt(may, verb int, again, passive bool) bool {
	if may < 0 || verb < may && !passive || !again {
		return false
	}
	if !passive && j.ws[may].text != "можно" {
		before := j.word(may - 1)
		if before != nil && !before.breaks && !oneself.has(before.text) && !before.is(addressees|agains) {
			return false
		}
	}
	for i := range j.ws {
		w := &j.ws[i]
		w.cue = w.cue || i == may || i == verb || passiveVerbs.has(w.text) || freely.has(w.text) || newly.has(w.text) || w.is(agains|quantifiers) || w.text == "novo"
	}
	j.grants, j.lifted = true, j.ws[may].at+1
	j.frees = true
	return true
}

// noteSubjects stores what the functions below need to know about an older statement: whether it
// forbids saying or using something, or forbids something without a verb, as "No emojis" does;
// which people of the writer's household it names; and the units of its numbers.
func (s *statement) noteSubjects(ws []word) {
	for i := range ws {
		w := &ws[i]
		s.says = s.says || w.is(negations) && len(ws)-i < 4 || freed.has(w.text) || sayings.has(w.text)
		if household.has(w.text) {
			s.people = append(s.people, words.Hash(w.text))
		}
		if i > 0 && !w.breaks && (ws[i-1].is(numbers) || ws[i-1].text[0]-'0' < 10) {
			for _, stem := range stems(w.text) {
				s.units = append(s.units, words.Hash(stem))
			}
		}
	}
}

// sayings lists forms of the verbs in freed that occur in rules.
var sayings = wordListOf("mention name cite quote discuss use show include write talk say using mentioning " +
	"nenn nenne erwähn erwähne verwende benutze nutze zeig zeige schreib nomme nommez cite citez mentionne mentionnez utilise utilisez montre parle " +
	"nombres menciones cites uses muestres hables nombre mencione use hable nomeie fale упоминай упоминайте используй используйте называй пиши noem vermeld gebruik")

// spares reports whether the statement s doesn't revoke an older one with the same words: it only permits saying or using
// something that the older one doesn't forbid, or it is about another person: "No dairy for my son", "My daughter can have
// dairy again".
func (s *statement) spares(old *statement) bool {
	return s.frees && !old.says || s.eased && len(s.people) > 0 && slices.ContainsFunc(old.people, func(h uint32) bool { return !slices.Contains(s.people, h) })
}

// limitsUnit reports whether the statement s speaks of a limit in the unit that the older statement limits: "the word
// limit".
func (s *statement) limitsUnit(old *statement) bool {
	return s.limits && slices.ContainsFunc(old.units, func(h uint32) bool { return slices.Contains(s.stems, h) })
}

// putsBack reports whether a sentence is an order to put something back where a rule keeps it out:
// "Put the prices back into the brochure". If so, it marks the words that say so.
func (j *judging) putsBack() bool {
	if len(j.ws) < 3 || !puttingBack.has(j.ws[0].text) {
		return false
	}
	for i := 2; i < len(j.ws) && !j.ws[i].breaks; i++ {
		if j.ws[i].text == "back" && (i+1 == len(j.ws) || strings.HasPrefix(j.ws[i+1].text, "in")) {
			j.ws[0].cue, j.ws[i].cue = true, true
			j.grants, j.lifted = true, j.ws[0].at+1
			return true
		}
	}
	return false
}

// puttingBack lists the verbs of such orders.
var puttingBack = wordListOf("put bring add")
