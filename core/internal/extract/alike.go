package extract

import (
	"unicode"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A chat in which a program writes one or both sides has hundreds of sentences of the same form that differ only in a
// number: "Order 17 is packed." Each contains a number that no other sentence has, so each would seem worth a line. A
// few of them can represent all of them.

// If a form has at least manyAlike sentences, only some of them are chosen: fewAlike if the number only counts them,
// otherwise as many as fit into a part of the budget, but at least fewAlike. This part is the whole budget if the
// numbers clearly mean something, otherwise 1/alikeShare of it, or twice as much if the speakers say them about
// themselves.
const (
	manyAlike  = 8
	fewAlike   = 3
	alikeShare = 8
)

// mostSlots is the maximum number of numbers in a sentence that are compared with those in the previous sentence of its
// form.
const mostSlots = 4

// form is a group of sentences that differ only in their numbers.
type form struct {
	members, more int32             // the number of its sentences, and how many more the items represent (Item.More)
	last          int32             // the index of the newest sentence
	upTo          string            // Item.UpTo of the newest sentence; "" if it has none
	bytes         int64             // the size of its sentences and of the sentences that they depend on
	values        [mostSlots]uint64 // the numbers in the newest sentence
	differs       int32             // how many times two numbers changed by different amounts
	rises         int32             // how many times no number fell
	// A speaker says a sentence of the form about himself or herself, so the number may mean something.
	own   bool
	leans bool // a sentence of the form depends on another one, so the number does mean something
}

// formOf returns a hash of a sentence without its numbers, the values of the first mostSlots numbers, and how many
// numbers there are.
func formOf(text string, ws []words.Word) (print uint64, values [mostSlots]uint64, slots int) {
	print = uint64(len(ws))
	for _, w := range ws {
		if w.Kind&words.Digit == 0 {
			print = (print ^ uint64(w.Stem)) * 1099511628211
			continue
		}
		value := uint64(0)
		for _, r := range text[w.From:w.End] {
			if unicode.IsDigit(r) {
				value = value<<4 | uint64(r&15)
				r = '0'
			}
			if r != '0' {
				print = (print ^ uint64(r)) * 1099511628211
			}
		}
		print = (print ^ 1) * 1099511628211
		if slots < mostSlots {
			values[slots] = value
		}
		slots++
	}
	return print, values, slots
}

// compare counts how the numbers changed since the newest sentence of the form. values are those of the next sentence.
func (f *form) compare(values *[mostSlots]uint64) {
	change, differ, fell := uint64(0), false, false
	for n := range values {
		by := values[n] - f.values[n]
		fell = fell || values[n] < f.values[n]
		differ = differ || by != 0 && change != 0 && by != change
		if by != 0 {
			change = by
		}
	}
	if differ {
		f.differs++
	}
	if !fell {
		f.rises++
	}
}

// see assigns sentence s, which is about to be added, to its form. Sentences that differ only in numbers share a form;
// a sentence without a number has none.
func (e *Extract) see(text string, ws []words.Word, s *sentence) {
	print, values, slots := formOf(text, ws)
	if slots == 0 {
		return
	}
	at, found := e.formAt[print]
	if !found {
		at = int32(len(e.forms)) + 1
		e.formAt[print] = at
		e.forms = append(e.forms, form{})
	}
	f := &e.forms[at-1]
	if f.members > 0 {
		f.compare(&values)
	}
	s.form, s.nth = at, f.members
	f.members++
	f.values, f.last, f.upTo = values, int32(len(e.sentences)), ""
	f.own, f.leans = f.own || s.own, f.leans || s.leans
	f.bytes += int64(len(text)) + overhead
	if s.leans && s.before >= 0 {
		b := &e.sentences[s.before]
		f.bytes += int64(e.clauses[b.clauses[1]-1].to-e.clauses[b.clauses[0]].from) + overhead
	}
}

// standsFor adds the sentences that an item represents to the form of its last sentence.
func (e *Extract) standsFor(it *Item) {
	if n := len(e.sentences) - 1; n >= 0 && e.sentences[n].form > 0 {
		f := &e.forms[e.sentences[n].form-1]
		f.more += int32(min(it.More, 1<<20))
		f.upTo = it.UpTo
	}
}

func (f *form) many() bool { return f.members+f.more >= manyAlike }

// counts reports whether the numbers only count the sentences, and so mean nothing by themselves.
func (f *form) counts() bool {
	steps := f.members - 1
	return f.differs*8 <= f.members && (f.rises == steps || !f.leans && f.rises >= steps*31/32)
}

// lets reports whether the nth sentence of the form may be chosen with a budget in bytes. If the number is a mere
// counter, only the first few may be; otherwise as many as fit, sampled evenly and including the newest.
func (f *form) lets(nth int32, budget int) bool {
	if !f.many() {
		return true
	}
	room := int64(budget)
	switch {
	case f.counts():
		return nth < fewAlike
	case f.differs*8 > f.members || f.leans:
	case f.own:
		room /= alikeShare / 2
	default:
		room /= alikeShare
	}
	members := int64(f.members)
	let := min(max(room/max(f.bytes/members, 1), fewAlike), members)
	return (int64(nth)+1)*let/members > int64(nth)*let/members
}

// Alike describes the sentences of a form that were not chosen.
type Alike struct {
	More int    // their number
	UpTo string // the number in the newest sentence (see Extract.upTo); "" if it was chosen or the numbers count nothing
}

// Alike returns, for each chosen sentence, the sentences that it represents: the last chosen sentence of a form
// represents all those that were not chosen.
func (e *Extract) Alike(chosen []Chosen) []Alike {
	out := make([]Alike, len(chosen))
	shown := make([]int32, len(e.forms))
	for _, c := range chosen {
		if at := e.sentences[c.Sentence].form; at > 0 {
			shown[at-1]++
		}
	}
	for i := len(chosen) - 1; i >= 0; i-- {
		at := e.sentences[chosen[i].Sentence].form
		if at == 0 || shown[at-1] < 0 {
			continue
		}
		f := &e.forms[at-1]
		n := shown[at-1]
		shown[at-1] = -1
		if !f.many() || f.members+f.more <= n {
			continue
		}
		out[i].More = int(f.members + f.more - n)
		if out[i].UpTo = f.upTo; f.upTo == "" && int(f.last) != chosen[i].Sentence && f.counts() {
			out[i].UpTo = e.upTo(f)
		}
	}
	return out
}

// upTo returns the number in the newest sentence of a form, with the preceding word unless that is very short. It
// returns "" if the sentence has no number.
func (e *Extract) upTo(f *form) string {
	s := &e.sentences[f.last]
	text := e.items[s.item].Text[e.clauses[s.clauses[0]].from:e.clauses[s.clauses[1]-1].to]
	ws := words.Append(nil, text)
	for k, w := range ws {
		if w.Kind&words.Digit == 0 {
			continue
		}
		from, to := w.From, w.End
		for n := k + 1; n < len(ws) && ws[n].Kind&words.Digit != 0 && ws[n].From == to+1; n++ { // 9:20
			to = ws[n].End
		}
		if first := text[from]; k > 0 && ws[k-1].Kind&words.Short == 0 && (first >= '0' && first <= '9' || first >= 0x80) && text[ws[k-1].End:from] == " " && ws[k-1].Kind&words.Pair == 0 {
			from = ws[k-1].From
		}
		return text[from:to]
	}
	return ""
}
