package extract

import "slices"

// Lacks considers the names, numbers and titles in the items for which mine returns true. It returns how many more of
// them the newest of these items contain, up to size bytes, than the chosen sentences. It is negative if the sentences
// contain more.
func (e *Extract) Lacks(chosen []Chosen, size int, mine func(item int) bool) int {
	const (
		named  = 1 << iota // it is a name, a number or a title in one of these items
		newest             // it is in the newest of them
		taken
	)
	marks := make([]uint8, len(e.weights))
	mark := func(c *clause, mark uint8, all bool) {
		for _, w := range e.words[c.words[0]:c.words[1]] {
			if all || w.factor >= twice {
				marks[w.stem] |= mark
			}
		}
	}
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
		for i := s.clauses[0]; i < s.clauses[1]; i++ {
			c := &e.clauses[i]
			if mark(c, named, false); start+int(c.to) <= size {
				mark(c, newest, true)
			}
		}
	}
	for _, s := range chosen {
		clauses := e.sentences[s.Sentence].clauses
		for i := clauses[0]; i < clauses[1]; i++ {
			if c := &e.clauses[i]; int(c.from) >= s.From && int(c.to) <= s.To {
				mark(c, taken, true)
			}
		}
	}
	more := 0
	for _, m := range marks {
		if m&named != 0 {
			more += int(m&newest/newest) - int(m&taken/taken)
		}
	}
	return more
}

// names reports whether a sentence contains a name, a number or a title, and isn't one of many of its form.
func (e *Extract) names(s *sentence) bool {
	if s.form > 0 && e.forms[s.form-1].many() {
		return false
	}
	words := e.words[e.clauses[s.clauses[0]].words[0]:e.clauses[s.clauses[1]-1].words[1]]
	return slices.ContainsFunc(words, func(w occurrence) bool { return w.factor >= twice })
}
