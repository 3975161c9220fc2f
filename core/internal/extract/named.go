package extract

import "slices"

// Lacks considers the names, numbers and titles in the items for which mine returns true. It returns how many more of
// them the newest of these items contain, up to size bytes, than the chosen sentences. It is negative if the sentences
// contain more.
func (e *Extract) Lacks(chosen []Chosen, size int, mine func(item int) bool) int {
	m := termMarks{e, make([]uint8, len(e.weights))}
	last, start := int32(-1), 0 // the item of the newer sentence, and the number of bytes after it
	for n := len(e.sentences) - 1; n >= 0; n-- {
		s := &e.sentences[n]
		if !mine(int(s.item)) {
			continue
		}
		if s.item != last {
			if last >= 0 {
				start += len(e.items[last].Text) + 1
			}
			last = s.item
		}
		m.mark(s, termNamed, 0, len(e.items[s.item].Text), false)
		m.mark(s, termNewest, 0, size-start, true)
	}
	for _, s := range chosen {
		m.mark(&e.sentences[s.Sentence], termTaken, s.From, s.To, true)
	}
	more := 0
	for _, marks := range m.marks {
		if marks&termNamed != 0 {
			more += int(marks&termNewest/termNewest) - int(marks&termTaken/termTaken)
		}
	}
	return more
}

// What Lacks knows of a term.
const (
	termNamed  = 1 << iota // it is a name, a number or a title in one of the items
	termNewest             // it is in the newest of them
	termTaken              // it is in a chosen sentence
)

// termMarks has the marks of each term by its index in Extract.weights.
type termMarks struct {
	e     *Extract
	marks []uint8
}

// mark adds a mark to the terms in those clauses of a sentence that are within bytes from to to of its item. If all is
// false, it adds the mark only to names, numbers and titles.
func (m *termMarks) mark(s *sentence, mark uint8, from, to int, all bool) {
	for i := s.clauses[0]; i < s.clauses[1]; i++ {
		c := &m.e.clauses[i]
		if int(c.from) < from || int(c.to) > to {
			continue
		}
		for _, w := range m.e.words[c.words[0]:c.words[1]] {
			if all || w.factor >= twice {
				m.marks[w.stem] |= mark
			}
		}
	}
}

// names reports whether a sentence contains a name, a number or a title, and isn't one of many of its form.
func (e *Extract) names(s *sentence) bool {
	if s.form > 0 && e.forms[s.form-1].many() {
		return false
	}
	words := e.words[e.clauses[s.clauses[0]].words[0]:e.clauses[s.clauses[1]-1].words[1]]
	return slices.ContainsFunc(words, func(w occurrence) bool { return w.factor >= twice })
}
