package digest

import "strings"

// isSentence reports whether a unit is a sentence rather than a list, a row of a table, or code.
func (u *unit) isSentence() bool {
	listed, _ := listItem(u.text)
	return !listed && u.item == 0 && endsSentence(u.text) && !strings.Contains(u.text, "; ") && !u.isTable()
}

// isTable reports whether a unit is a row of a table.
func (u *unit) isTable() bool { return strings.Contains(u.text, " | ") }

// isCode reports whether a unit is a block of code, with or without the line that introduces it.
func (u *unit) isCode() bool {
	_, code, introduced := strings.Cut(u.text, ": `")
	return onlyCode(u.text) || introduced && onlyCode("`"+code)
}

// onlyCode reports whether text consists of pieces of code in backticks, separated by spaces.
func onlyCode(text string) bool {
	for text != "" {
		mark := text[:len(text)-len(strings.TrimLeft(text, "`"))]
		_, rest, closed := strings.Cut(text[len(mark):], mark)
		if mark == "" || !closed {
			return false
		}
		text = strings.TrimPrefix(rest, " ")
	}
	return true
}

// belongsTo reports whether u is a part of the same answer as first, and can be a part of its
// outcome.
func (u *unit) belongsTo(first *unit) bool {
	return u.kind == answerUnit && u.message == first.message && u.factor > ofAnnounced && u.beside == first.beside
}

// answerFrom returns the text of unit n, which belongs to the answer. If that unit names nothing ("Yes, that works."),
// it appends the next units of the same message, without code and tables, until one names something, or until half of
// most bytes are used.
func (t *turn) answerFrom(n, most int) string {
	u := &t.units[n]
	said, lead := introOf(u)+u.text, u.lead
	for n++; n < len(t.units) && len(said) < most/2 && !namesMore(u.text); n++ {
		next := &t.units[n]
		if !next.belongsTo(u) {
			break
		}
		if next.isCode() || next.isTable() {
			continue
		}
		said += joinOf(said)
		if next.lead != lead {
			said += introOf(next)
		}
		said += next.text
		u, lead = next, next.lead
	}
	return said
}

// fullAnswer returns the parts of an answer, from unit n on, that say most about the outcome. It selects parts that fit
// in a total of most bytes: first the first unit, then the last sentence, then sentences with numbers, and then the
// other units except code, tables and questions. The selected parts stay in the order of the answer. A long list item
// is represented by its beginning. Unit n must fit.
func (t *turn) fullAnswer(n, most int) string {
	end, last := n, n
	for ; end < len(t.units) && t.units[end].belongsTo(&t.units[n]); end++ {
		if u := &t.units[end]; u.isSentence() && !hasQuestionMark(u.text) {
			last = end
		}
	}
	p := answerParts{t.units[n:end], make([]string, end-n), most}
	p.take(0)
	p.take(last - n)
	p.takeAll(func(u *unit) bool { return u.isSentence() && strings.ContainsAny(u.text, "0123456789") })
	p.takeAll(func(*unit) bool { return true })
	return p.join()
}

// answerParts selects units of an answer. texts holds the text of each selected unit, and "" for the others. left is the
// number of bytes that are left for further ones.
type answerParts struct {
	units []unit
	texts []string
	left  int
}

// take selects unit i if it fits. p.left is the room in bytes; a unit that was taken already isn't taken again.
func (p *answerParts) take(i int) {
	u := &p.units[i]
	text := introOf(u) + u.text
	if u.item > 0 {
		text = introOf(u) + beginningOfItem(u.text)
	}
	if size := len(text) + len("; "); p.texts[i] == "" && size <= p.left {
		p.texts[i] = text
		p.left -= size
	}
}

// takeAll selects the units that fit and meet a condition, except for code, tables and questions.
func (p *answerParts) takeAll(meets func(u *unit) bool) {
	for i := range p.units {
		if u := &p.units[i]; !u.isCode() && !u.isTable() && !hasQuestionMark(u.text) && meets(u) {
			p.take(i)
		}
	}
}

// join returns the selected units. An introduction that several of them share is written once. It returns "" if none is
// selected.
func (p *answerParts) join() (said string) {
	lead := ""
	for i, part := range p.texts {
		if part == "" {
			continue
		}
		u := &p.units[i]
		if said != "" {
			said += joinOf(said)
			if u.lead == lead {
				part = strings.TrimPrefix(part, introOf(u))
			}
		}
		said, lead = said+part, u.lead
	}
	return said
}

// wholeItem is the length, in bytes, above which a list item is represented by its beginning.
const wholeItem = 90

// beginningOfItem returns a list item up to the end of its first clause, or the whole item if it is short.
func beginningOfItem(text string) string {
	if len(text) <= wholeItem {
		return text
	}
	head := text
	for _, end := range []string{". ", ": ", " - ", " – ", " — "} {
		from := len("10. ") // after the number of the item
		if n := strings.Index(text[from:], end); n >= 0 && from+n < len(head) {
			head = text[:from+n]
		}
	}
	return clipWords(head, wholeItem)
}
