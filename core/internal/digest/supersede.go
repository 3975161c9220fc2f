package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// fact is a statement that has been analysed to determine whether a newer one replaces it, as in "I live in Porto" and
// "I moved to Lisbon". A replacement is only certain if the newer statement announces a change. The rule is strict,
// because a statement that is replaced by mistake is lost, whereas an outdated one that is kept by mistake only appears
// next to its update, each with its day.
type fact struct {
	subject  []uint32   // stems of the other informative words, sorted
	values   []uint32   // stems of its names and numbers, sorted
	value    string     // its only name or number, as written; "" if it has several
	changes  changeKind // how it announces a change
	counts   bool       // value is a number
	lives    bool       // it states where somebody lives
	moved    bool       // it states that somebody moved
	works    bool       // it states where, or as what, somebody works
	self     bool       // its subject is the speaker
	corrects bool       // it admits a mistake
	number   string     // its only number, as written; "" if it has several
	denies   uint32     // the stem of the value that it denies: "5433, not 5432"; 0 if there is none
	size     int        // words
}

// changeKind is the way in which a statement announces a change.
type changeKind uint8

const (
	stays   changeKind = iota
	differs            // now, new, no longer
	moves              // moved, postponed, switched: the sentence is about the old thing
)

// factReader analyses statements. It reuses its buffers.
type factReader struct {
	ws    []words.Word // a buffer for the words of a sentence
	stems []uint32     // of all facts
}

// fact analyses a statement. It leaves out the subject and the values of a statement that is too long to replace
// another one or to be replaced.
func (r *factReader) fact(text string) *fact {
	ws := words.Append(r.ws[:0], text)
	r.ws = ws
	f := &fact{size: len(ws)}
	low := text // which only words in scripts without spaces need
	if slices.ContainsFunc(ws, func(w words.Word) bool { return w.Kind&words.Pair != 0 }) {
		low = lower(text)
	}
	f.changes = stays
	switch {
	case changeWords[moves].in(low, ws):
		f.changes = moves
	case changeWords[differs].in(low, ws):
		f.changes = differs
	}
	if f.corrects = admits(ws); f.corrects {
		f.changes = max(f.changes, differs)
	}
	denied, after := deniedIn(text, ws)
	if denied >= 0 {
		f.denies, f.changes = ws[denied].Stem, max(f.changes, differs)
	}
	if f.size <= longFact {
		f.lives, f.moved, f.works, f.self = homeWords.in(low, ws), moveWords.in(low, ws), workWords.in(low, ws), speakers.in(low, ws[:min(len(ws), nearSubject)])
		r.sort(f, denied, after)
	}
	if denied >= 0 {
		ws = slices.Delete(ws, denied, after)
	}
	f.value, f.number = valueIn(text, ws, words.Digit|words.Capital), valueIn(text, ws, words.Digit)
	f.counts = f.value != "" && strings.Trim(f.value, "0123456789 .,:-/") == ""
	return f
}

// sort determines the values and the subject of f, a statement with the words r.ws. It ignores the words with the
// indexes [denied, after), which f denies.
func (r *factReader) sort(f *fact, denied, after int) {
	var rooms [2][longFact]uint32
	values, subject := rooms[0][:0], rooms[1][:0]
	for k, w := range r.ws {
		switch {
		case k >= denied && k < after, correcting.Has(w.Stem), denying.Has(w.Stem):
		case w.Kind&words.Digit != 0, w.Kind&words.Capital != 0 && k > 0 && w.End-w.From > 1:
			values = withStem(values, w.Stem)
		case w.Kind&words.Short != 0 || changeWords[moves].Has(w.Stem) || changeWords[differs].Has(w.Stem) || frequent.Has(w.Stem):
		default:
			subject = withStem(subject, w.Stem)
		}
	}
	from := len(r.stems)
	r.stems = append(append(r.stems, values...), subject...)
	f.values, f.subject = r.stems[from:from+len(values)], r.stems[from+len(values):]
}

// withStem adds a stem to a short sorted list, unless the list contains it.
func withStem(list []uint32, stem uint32) []uint32 {
	at := len(list)
	for at > 0 && list[at-1] > stem {
		at--
	}
	if at > 0 && list[at-1] == stem {
		return list
	}
	list = append(list, 0)
	copy(list[at+1:], list[at:])
	list[at] = stem
	return list
}

// longestValue is the maximum length of a value, and longestBefore the maximum length of a statement without one, in
// bytes.
const (
	longestValue  = 48
	longestBefore = 120
)

// valueIn returns the only sequence of names or numbers in text, depending on kind; the first word doesn't count. It
// returns "" if there are none or several, because then it is unclear which one is meant.
func valueIn(text string, ws []words.Word, kind words.Kind) (value string) {
	isPart := func(k int) bool {
		w := ws[k]
		w.Kind &= kind
		return k > 0 && (w.Kind&words.Digit != 0 || w.Kind&words.Capital != 0 && w.End-w.From > 1)
	}
	for k := 0; k < len(ws); k++ {
		if !isPart(k) {
			continue
		}
		from := k
		for k+1 < len(ws) && isPart(k+1) && strings.Trim(text[ws[k].End:ws[k+1].From], " -./:'") == "" {
			k++
		}
		if value != "" {
			return ""
		}
		value = text[ws[from].From:ws[k].End]
	}
	if len(value) > longestValue {
		return ""
	}
	return value
}

// replaces reports whether f, the newer of two statements, replaces old. Usually each must have one value, of the same
// kind (a name or a number), and their subjects must be nearly the same. Other rules apply if f denies old's value or
// corrects a number, or if both say where their speaker lives or works.
func (f *fact) replaces(old *fact) bool {
	if !f.mayReplace(old) {
		return false
	}
	if f.denies > 0 && slices.Contains(old.values, f.denies) && (f.value == "" || f.value != old.value) {
		return len(f.subject) == 0 || common(f.subject, old.subject) > 0
	}
	if f.corrects && f.hasOtherNumber(old) {
		same := common(f.subject, old.subject) + common(f.values, old.values)
		// The numbers themselves differ.
		return same*3 >= 2*min(len(f.subject)+len(f.values), len(old.subject)+len(old.values))-2 && same > 0
	}
	if f.hasMoved(old) {
		return true
	}
	if f.value == "" || old.value == "" || f.counts != old.counts {
		return false
	}
	same, more := common(f.subject, old.subject), max(len(f.subject), len(old.subject))
	return same >= 2 && same*4 >= more*3
}

// lacksSubject reports whether a statement only denies a value, as in "5, not 3", and therefore refers to a statement
// shortly before it.
func (f *fact) lacksSubject() bool { return f.denies > 0 && len(f.subject) == 0 }

// nearCorrection is the maximum distance, in items of the talk, between a correction without a subject and the
// statement that it corrects.
const nearCorrection = 5

// nearSubject is the number of words at the beginning of a statement that are searched for its subject: "my sister
// moved to Bergen just after I called" is not about its speaker.
const nearSubject = 8

// longFact is the maximum number of words in a statement that says only one thing.
const longFact = 24

// common returns the number of stems that two sorted lists share.
func common(a, b []uint32) (n int) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] == b[k]:
			n, i, k = n+1, i+1, k+1
		case a[i] < b[k]:
			i++
		default:
			k++
		}
	}
	return n
}

// shortFact is the maximum length, in words, of a statement that can be represented by its only name or number.
const shortFact = 8

// mostFacts is the maximum number of statements, the newest ones, that are compared with each other.
const mostFacts = 300

// mayReplace reports whether f says something new and both statements are short enough to be compared.
func (f *fact) mayReplace(old *fact) bool {
	return f.changes != stays && (len(f.values) == 0 || !slices.Equal(f.values, old.values)) && f.size <= longFact && old.size <= longFact
}

// hasOtherNumber reports whether each statement has a number, and not the same one.
func (f *fact) hasOtherNumber(old *fact) bool {
	return f.number != "" && old.number != "" && f.number != old.number
}

// hasMoved reports whether both statements say where their speakers live, or both where they work. f may also say
// that its speaker moved.
func (f *fact) hasMoved(old *fact) bool {
	if !f.self || !old.self || old.changes == moves || old.lives == old.works {
		return false
	}
	if old.lives {
		return (f.lives || f.moved) && !f.works
	}
	return f.works && !f.lives
}

// dropReplaced marks in gone which statements the last of the chosen ones replaces. It returns the index of the newest of
// them, or -1. facts has the fact of each, or nil.
func (k *talk) dropReplaced(chosen []extract.Chosen, facts []*fact, gone []bool) (newest int) {
	last := len(chosen) - 1
	newest = -1
	for n := last - 1; n >= 0; n-- {
		if facts[last].lacksSubject() && chosen[last].Item-chosen[n].Item > nearCorrection {
			break
		}
		if !gone[n] && facts[n] != nil && k.overrules(chosen[last], chosen[n], facts[last], facts[n]) {
			gone[n] = true
			newest = max(newest, n)
		}
	}
	return newest
}

// overrules reports whether a sentence with the fact f replaces an older sentence with the fact other. They must be in
// different items, by the same speaker unless f denies something.
func (k *talk) overrules(newer, older extract.Chosen, f, other *fact) bool {
	if newer.Item == older.Item || f.denies == 0 && k.sources[newer.Item].speaker != k.sources[older.Item].speaker {
		return false
	}
	return f.replaces(other)
}

// factIn returns the fact that a chosen sentence states. Each sentence is read once.
func (k *talk) factIn(c extract.Chosen) *fact {
	f := k.facts[c.Sentence]
	if f == nil {
		f = k.reader.fact(c.Text(k.items[c.Item].Text))
		k.facts[c.Sentence] = f
	}
	return f
}

// dropSuperseded removes statements that are replaced by a newer one, which must be by the same speaker unless it is a
// denial. For each remaining statement, was has a note about the newest statement that it replaces, or "".
func (k *talk) dropSuperseded(chosen []extract.Chosen) (kept []extract.Chosen, was []string) {
	facts := make([]*fact, len(chosen))
	was = make([]string, len(chosen))
	gone := make([]bool, len(chosen))
	from := max(0, len(chosen)-mostFacts)
	for i := from; i < len(chosen); i++ {
		src := &k.sources[chosen[i].Item]
		if src.section != dialogue {
			continue
		}
		f := k.factIn(chosen[i])
		facts[i] = f
		if f.changes == stays {
			continue
		}
		if n := k.dropReplaced(chosen[from:i+1], facts[from:], gone[from:]); n >= 0 {
			was[i] = k.was(chosen[from+n], facts[from+n], src.day)
		}
	}
	k.correct(chosen, facts, gone)
	n := 0
	for i, c := range chosen {
		if !gone[i] {
			chosen[n], was[n] = c, was[i]
			n++
		}
	}
	return chosen[:n], was[:n]
}

// was returns a note about the statement c, which was replaced on the day until. f is the fact in c.
func (k *talk) was(c extract.Chosen, f *fact, until string) string {
	label, text := "was ", f.value
	if text == "" || f.size > shortFact { // something else in it may be what matters
		label, text = "before: ", clipLine(strings.TrimRight(c.Text(k.items[c.Item].Text), " .。,，"), longestBefore)
	}
	if until != "" {
		text += " until " + until
	}
	return " (" + label + text + ")"
}
