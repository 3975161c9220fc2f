package digest

import (
	"strings"
)

// mostListed is the maximum length, in bytes, of the unit about several parts of one list, such as the passengers of a
// booking. Parts that are longer together have a unit each.
const mostListed = 240

// listOfParts are the parts of one list in a record. n holds what is named later. worths has the
// weight of each part's unit, which is 0 if nothing in the part is named later. factor is the
// largest of these weights, and named the number of parts with a weight.
type listOfParts struct {
	n      *namedLater
	parts  []part
	worths []int
	factor int
	named  int
}

// endOfList returns the index after the last of the parts, starting at index from, that belong to the same list.
func (p *parts) endOfList(from int) int {
	to := from + 1
	for to < len(p.all) && p.all[to].list == p.all[from].list {
		to++
	}
	return to
}

// weigh sets the weights of the parts. c counts all parts of the record.
func (l *listOfParts) weigh(c *valueCounts) {
	l.worths = make([]int, len(l.parts))
	for i := range l.parts {
		if l.worths[i] = l.parts[i].worth(l.n, c); l.worths[i] > 0 {
			l.named++
		}
		l.factor = max(l.factor, l.worths[i])
	}
}

// lead returns the name of the list, usually with the number of its parts, because one passenger of
// a booking would otherwise look like the only one. The number is left out if the list has one
// part, if no part is named later, or if one unit shows all parts. joined means that the parts that
// are named later share one unit.
func (l *listOfParts) lead(joined bool) string {
	name, all := l.parts[0].list, itoa(len(l.parts))
	switch {
	case l.named == 0, len(l.parts) == 1, joined && l.named == len(l.parts):
		return name
	case l.named == len(l.parts):
		return strings.TrimSpace(name + " (" + all + " in all)")
	}
	return strings.TrimSpace(itoa(l.named) + " of " + all + " " + name)
}

// joined returns the parts that are named later as one text, or "" if only one is, or if they are too long together.
func (l *listOfParts) joined() string {
	if l.named < 2 {
		return ""
	}
	text := ""
	for i := range l.parts {
		if l.worths[i] == 0 {
			continue
		}
		if text != "" {
			text += "; "
		}
		if text += l.parts[i].text(l.n); len(text) > mostListed {
			return ""
		}
	}
	return text
}

// isNameKey reports whether the value of a key is what its object is called: "name", "first_name", "title".
func isNameKey(key string) bool {
	return strings.HasSuffix(key, "name") || strings.HasSuffix(key, "title")
}

// text returns the values of a part with their keys: "Desk lamp, item_id: 7345, price: 42.5". If they are too long together, it
// returns only those that are named later.
func (p *part) text(n *namedLater) string {
	size := 0
	for _, v := range p.values {
		size += len(v.key) + len(v.value) + len(": , ")
	}
	return p.written(n, size <= mostPart)
}

// written returns the values of a part with their keys: all of them if whole is set, and otherwise
// the first one and those that are named later. A name has no key if it is the first value or
// follows another name: "Lena Falk, grade: coxswain".
func (p *part) written(n *namedLater, whole bool) string {
	var b strings.Builder
	wasName := false // the last written value is a name
	for i, v := range p.values {
		isName := isNameKey(v.key)
		if v.value == p.key || b.Len()+len(v.key)+len(v.value) > mostPart || !whole && i > 0 && !(isName && wasName) && !n.has(v.value) {
			wasName = false
			continue
		}
		switch {
		case b.Len() > 0 && isName && wasName:
			b.WriteByte(' ')
		case b.Len() > 0:
			b.WriteString(", ")
		case p.key != "":
			b.WriteString(clipLine(p.key, maxName) + ": ")
		}
		if v.key != "" && !(isName && (wasName || i == 0 && p.key == "")) {
			b.WriteString(v.key + ": ")
		}
		b.WriteString(v.value)
		wasName = isName && (wasName || i == 0)
	}
	return b.String()
}
