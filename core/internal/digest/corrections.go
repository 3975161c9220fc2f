package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A statement may correct an earlier one ("I was wrong: the port is 5433", "5433, not 5432"). The digest then leaves
// out the earlier statement, even if it has no room for the correction itself.

// correction is a statement that corrects an earlier one. item is the index of the item that contains it.
type correction struct {
	item int
	*fact
}

// mostCorrections is the maximum number of corrections, newest first, that are compared with the statements in a
// digest. lookCorrection is the number of bytes at the beginning of a text that are searched for a correction.
// nearAdmission is the number of words at the beginning of a statement that are searched for an admission.
const (
	mostCorrections = 64
	lookCorrection  = 400
	nearAdmission   = 8
)

var (
	// correcting lists words with which people admit mistakes.
	correcting = newWordSet("wrong correction mistaken misspoke mistake falsch irrtum geirrt korrektur vertan tort erreur trompé trompée equivoqué corrección enganei correção sbagliato errore correzione ошибся ошиблась ошибка خطأ गलत गलती",
		"错 錯 更正 間違 訂正 잘못 정정")
	// denying lists words that separate a correct value from the wrong value that it replaces.
	denying = words.NewSet("not nicht pas no não non не")
)

// admits reports whether a statement begins by admitting a mistake of the speaker: "I was wrong", "Correction:
// …".
func admits(ws []words.Word) bool {
	for k, w := range ws[:min(len(ws), nearAdmission)] {
		if correcting.Has(w.Stem) {
			return k == 0 || speakers.HasAny(ws[:k]) || k == 1 && ws[0].Kind&words.Short != 0
		}
	}
	return false
}

// deniedIn returns the range, as indexes in ws, of the wrong value that a statement rejects after giving the right one:
// "5432" in "It is 5433, not 5432". Both indexes are -1 if there is no such value.
func deniedIn(text string, ws []words.Word) (from, to int) {
	for k := 2; k < len(ws); k++ {
		if w := ws[k]; (w.Kind&words.Digit != 0 || w.Kind&words.Capital != 0 && w.End-w.From > 1) && denying.Has(ws[k-1].Stem) && strings.ContainsAny(text[ws[k-2].End:ws[k-1].From], ",;(–—") {
			to = k + 1
			for to < len(ws) && ws[to].Kind&words.Digit != 0 && ws[to].From == ws[to-1].End+1 { // 07:40
				to++
			}
			return k, to
		}
	}
	return -1, -1
}

// corrections returns the corrections in the first lookCorrection bytes of text, or nil if there
// are none. If an admission contains no number, the statement after it counts as the correction.
func (r *factReader) corrections(text string) (out []*fact) {
	text = trimRune(text[:min(len(text), lookCorrection)])
	ws := words.Append(r.ws[:0], text)
	r.ws = ws
	if denied, _ := deniedIn(text, ws); denied < 0 && !correcting.in(text, ws) {
		return nil
	}
	ranges := sentencesIn(nil, text, nil)
	for n, at := range ranges {
		f := r.fact(text[at[0]:at[1]])
		if f.corrects && f.number == "" && n+1 < len(ranges) {
			f = r.fact(text[ranges[n+1][0]:ranges[n+1][1]])
			f.corrects, f.changes = true, max(f.changes, differs)
		}
		if f.corrects || f.denies > 0 {
			out = append(out, f)
		}
	}
	return out
}

// corrections collects the newest statements in the talk that correct earlier ones, and gives their items a weight.
func (k *talk) corrections() {
	for i := range k.items {
		if k.sources[i].fresh {
			for _, f := range k.reader.corrections(k.items[i].Text) {
				k.corrected = append(k.corrected, correction{i, f})
			}
		}
	}
	if more := len(k.corrected) - mostCorrections; more > 0 {
		k.corrected = k.corrected[more:]
	}
	for _, c := range k.corrected {
		if it := &k.items[c.item]; it.Factor == 0 {
			it.Factor = ofLasting
		}
	}
}

// correct sets gone[n] for each chosen statement that a later statement corrects. facts[n] is the fact stated by
// chosen[n].
func (k *talk) correct(chosen []extract.Chosen, facts []*fact, gone []bool) {
	for _, c := range k.corrected {
		for n := range chosen {
			if item := chosen[n].Item; item < c.item && facts[n] != nil && !(c.lacksSubject() && c.item-item > nearCorrection) && (c.denies > 0 || k.sources[item].speaker == k.sources[c.item].speaker) && c.replaces(facts[n]) {
				gone[n] = true
			}
		}
	}
}

// corrects puts earlier answers in doubt if the current turn corrects them. If it corrects statements that the
// assistant made during its work, they are dropped.
func (r *turnReader) corrects() {
	now := len(r.turns) - 1
	corrections := 0
	for i := range r.turns[now].units {
		u := &r.turns[now].units[i]
		if u.kind != answerUnit && u.kind != saidUnit || u.factor == isDropped || corrections >= mostOfTurn {
			continue
		}
		for _, f := range r.facts.corrections(u.text) {
			corrections++
			for n := max(now-mostDoubted, 0); n <= now; n++ {
				r.turns[n].corrected(&r.facts, f, i, n == now, r.turns[now].number)
			}
		}
	}
}

// mostOfTurn is the number of corrections after which the rest of a turn isn't searched for more. The limit bounds the
// cost, because each correction is compared with the statements of many earlier turns.
const mostOfTurn = 8

// corrected applies correction f to the statements of turn t. number is the number of the current turn, which contains
// f in its unit with index unit. If t is the current turn (current), only earlier units are affected.
func (t *turn) corrected(r *factReader, f *fact, unit int, current bool, number int) {
	for i := range t.units {
		u := &t.units[i]
		if current && i == unit {
			return
		}
		if u.kind != answerUnit && u.kind != saidUnit || u.factor == isDropped || len(u.text) > lookText/10 || !f.correctsIn(r, u.text) {
			continue
		}
		switch {
		case u.kind == saidUnit:
			u.factor = isDropped
		case !current && (t.doubt == 0 || t.doubt == number):
			t.doubtOnly(i, number)
		}
	}
}

// doubtOnly records that the turn with the given number puts unit i in doubt. The other units of the answer stay out of
// doubt unless that turn corrects them as well.
func (t *turn) doubtOnly(i, number int) {
	if t.doubt == 0 {
		t.doubt = number
		for n := range t.units {
			t.units[n].beside = t.units[n].kind == answerUnit
		}
	}
	t.units[i].beside = false
}

// correctsIn reports whether text contains a statement that f corrects. It isn't enough that f denies a name ("no Opik
// plugin"): f must also admit a mistake, or give another value and be about the same subject if it has one.
func (f *fact) correctsIn(r *factReader, text string) bool {
	kept := len(r.stems)
	for _, at := range sentencesIn(nil, text, nil) {
		old := r.fact(text[at[0]:at[1]])
		r.stems = r.stems[:kept] // old is only needed until the next sentence
		if f.replaces(old) && (f.denies == 0 || f.corrects || f.value != "" && (len(f.subject) == 0 || common(f.subject, old.subject) >= leastAbout)) {
			return true
		}
	}
	return false
}
