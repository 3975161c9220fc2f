package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A fact is a statement taken apart, to show whether a newer one takes its place: "I live in Porto", then "I moved to Lisbon". That is
// certain only where the newer one announces a change. What is wrongly kept says two things, each with its day; what is wrongly replaced is
// gone, so the rule asks for much.
type fact struct {
	subject []uint32 // stems of its words that are no value, sorted
	values  []uint32 // of its names and numbers, sorted
	value   string   // the name or number in it, as it is spelled; "" where it is not the only one
	changes changeKind
	counts  bool // value is a number
	lives   bool // it says where somebody lives
	moved   bool // or that they went to live elsewhere
	works   bool // or where they work, or what as
	self    bool // and says it of themselves
	size    int  // words
}

// changeKind is how a statement announces a change.
type changeKind uint8

const (
	stays   changeKind = iota
	differs            // now, new, no longer
	moves              // moved, postponed, switched: what is spoken of is the old thing
)

// factOf takes a statement apart.
func factOf(text string) *fact {
	ws := words.Append(nil, text)
	f := &fact{size: len(ws)}
	low := strings.ToLower(text)
	f.changes = stays
	switch {
	case changeWords[moves].in(low, ws):
		f.changes = moves
	case changeWords[differs].in(low, ws):
		f.changes = differs
	}
	f.lives, f.moved, f.works, f.self = homeWords.in(low, ws), moveWords.in(low, ws), workWords.in(low, ws), speakers.in(low, ws[:min(len(ws), nearSubject)])
	for k, w := range ws {
		switch {
		case w.Kind&words.Digit != 0, w.Kind&words.Capital != 0 && k > 0 && w.End-w.From > 1:
			f.values = append(f.values, w.Stem)
		case w.Kind&words.Short != 0 || changeWords[moves].Has(w.Stem) || changeWords[differs].Has(w.Stem) || frequent.Has(w.Stem):
		default:
			f.subject = append(f.subject, w.Stem)
		}
	}
	f.value = valueIn(text, ws)
	f.counts = f.value != "" && strings.Trim(f.value, "0123456789 .,:-/") == ""
	sorting.Ordered(f.subject)
	sorting.Ordered(f.values)
	f.subject, f.values = slices.Compact(f.subject), slices.Compact(f.values)
	return f
}

// longestValue is how long a value may be, in bytes, and longestBefore a statement that has none.
const (
	longestValue  = 48
	longestBefore = 120
)

// valueIn is the only run of names and numbers of a text after its first word; "" where it has more, or none: then no sign says which of
// them counts.
func valueIn(text string, ws []words.Word) (value string) {
	is := func(k int) bool {
		w := ws[k]
		return k > 0 && (w.Kind&words.Digit != 0 || w.Kind&words.Capital != 0 && w.End-w.From > 1)
	}
	for k := 0; k < len(ws); k++ {
		if !is(k) {
			continue
		}
		from := k
		for k+1 < len(ws) && is(k+1) && strings.Trim(text[ws[k].End:ws[k+1].From], " -./:'") == "" {
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

// replaces reports whether f, the newer one of two statements of one speaker, replaces old. Both must say one thing of one kind: a name or a
// number, of the same subject. Where somebody lives or works is a subject whatever the words, if both speak of themselves.
func (f *fact) replaces(old *fact) bool {
	if f.changes == stays || len(f.values) > 0 && slices.Equal(f.values, old.values) || f.size > longFact || old.size > longFact {
		return false
	}
	if f.self && old.self && old.changes != moves {
		if old.lives && !old.works && (f.lives || f.moved) && !f.works || old.works && !old.lives && f.works && !f.lives {
			return true
		}
	}
	if f.value == "" || old.value == "" || f.counts != old.counts {
		return false
	}
	same, more := common(f.subject, old.subject), max(len(f.subject), len(old.subject))
	return same >= 2 && same*4 >= more*3
}

// nearSubject is how many words of a statement are looked at for who it is about: "my sister moved to Bergen just after I called" is not about
// who says it.
const nearSubject = 8

// longFact is how many words a statement may have that says one thing.
const longFact = 24

// common is how many stems two sorted lists share.
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

// shortFact is how many words a statement may have whose only name or number represents it.
const shortFact = 8

// mostFacts is how many statements are compared with each other: the newest.
const mostFacts = 300

// supersede takes statements out that a newer one of the same speaker replaces, and returns by the indexes of those that stay what should be
// said of the older one.
func (k *talk) supersede(chosen []extract.Chosen) (kept []extract.Chosen, was []string) {
	facts := make([]*fact, len(chosen))
	was = make([]string, len(chosen))
	gone := make([]bool, len(chosen))
	from := max(0, len(chosen)-mostFacts)
	for i := from; i < len(chosen); i++ {
		src := k.sources[chosen[i].Item]
		if src.section != told {
			continue
		}
		if facts[i] = k.facts[chosen[i].Sentence]; facts[i] == nil {
			facts[i] = factOf(chosen[i].Text(k.items[chosen[i].Item].Text))
			k.facts[chosen[i].Sentence] = facts[i]
		}
		if facts[i].changes == stays {
			continue
		}
		for n := i - 1; n >= from; n-- {
			before := k.sources[chosen[n].Item]
			if gone[n] || facts[n] == nil || before.speaker != src.speaker || chosen[n].Item == chosen[i].Item || !facts[i].replaces(facts[n]) {
				continue
			}
			gone[n] = true
			if was[i] == "" {
				was[i] = k.was(chosen[n], facts[n], src.day)
			}
		}
	}
	n := 0
	for i, c := range chosen {
		if !gone[i] {
			chosen[n], was[n] = c, was[i]
			n++
		}
	}
	return chosen[:n], was[:n]
}

// was says what a statement that was replaced had said, up to a day.
func (k *talk) was(c extract.Chosen, f *fact, until string) string {
	is, text := "was ", f.value
	if text == "" || f.size > shortFact { // what else it says may be what counts
		is, text = "before: ", clipLine(strings.TrimRight(c.Text(k.items[c.Item].Text), " .。,，"), longestBefore)
	}
	if until != "" {
		text += " until " + until
	}
	return " (" + is + text + ")"
}
