package chats

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writer fills the slots of one conversation's templates.
type writer struct {
	*Language
	r     *random
	decks map[string]*deck // for facts: a value is not repeated before all have been used
	lines map[string]*deck // for templates
	rare  bool             // whether to use only names and times that conversations do not contain
}

// slots are the values of one sentence, or of everything said about one fact. A value may have several forms, separated
// by ~.
type slots map[string]string

// fill returns a template with its slots filled in, and the answer, which is enclosed in brackets in the template.
func (w *writer) fill(template string, s slots, fact bool) (text, answer string) {
	var out strings.Builder
	var answers []string
	from := -1
	for rest := template; rest != ""; {
		i := strings.IndexAny(rest, "{[]")
		if i < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:i])
		mark := rest[i]
		rest = rest[i+1:]
		switch mark {
		case '[':
			from = out.Len()
		case ']':
			answers = append(answers, out.String()[from:])
		default:
			name, tail, _ := strings.Cut(rest, "}")
			rest = tail
			out.WriteString(w.value(name, s, fact))
		}
	}
	return out.String(), strings.Join(answers, " ")
}

// marked returns the names of the slots in a template, in order: those in braces, within a pair of square brackets.
func marked(template string) (names []string) {
	for {
		_, rest, found := strings.Cut(template, "[")
		if !found {
			return names
		}
		inside, after, _ := strings.Cut(rest, "]")
		for {
			_, more, found := strings.Cut(inside, "{")
			if !found {
				break
			}
			name, tail, _ := strings.Cut(more, "}")
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "^"), "~")
			names, inside = append(names, name), tail
		}
		template = after
	}
}

func (w *writer) value(slot string, s slots, fact bool) string {
	name, capital := strings.CutSuffix(slot, "^")
	name, form, _ := strings.Cut(name, "~")
	v, bound := s[name]
	if !bound {
		v = w.draw(name, fact)
		s[name] = v
	}
	if forms := strings.Split(v, "~"); len(forms) > 1 {
		n, _ := strconv.Atoi(form)
		v = forms[min(max(n-1, 0), len(forms)-1)]
	}
	if capital {
		c, n := utf8.DecodeRuneInString(v)
		v = string(unicode.ToUpper(c)) + v[n:]
	}
	return v
}

func (w *writer) draw(name string, fact bool) string {
	if bounds, ok := strings.CutPrefix(name, "n:"); ok {
		low, high, _ := strings.Cut(bounds, "-")
		a, _ := strconv.Atoi(low)
		b, _ := strconv.Atoi(high)
		return strconv.Itoa(a + w.r.below(b-a+1))
	}
	base := strings.TrimRight(name, "23456789")
	switch base {
	case "nm":
		return w.name()
	case "date":
		return w.dated(w.date, 1+w.r.below(28), w.r.below(12), 0)
	case "time":
		minute := 5 * w.r.below(12)
		if w.rare {
			minute += 1 + w.r.below(4)
		}
		return fmt.Sprintf("%d:%02d", 7+w.r.below(14), minute)
	case "month":
		return w.r.of(w.months)
	case "weekday":
		return w.r.of(w.weekdays)
	}
	list := w.lists[base]
	if len(list) == 0 {
		panic(w.Code + ": no list for the slot " + name)
	}
	if !fact {
		return w.r.of(list)
	}
	d := w.decks[base]
	if d == nil {
		d = &deck{cards: list}
		w.decks[base] = d
	}
	v := d.deal(w.r)
	if base == "friend" && d.round > 0 { // people with the same first name have different last names
		v = strings.Join(appended(strings.Split(v, "~"), w.name(), w.Dense), "~")
	}
	return v
}

func appended(forms []string, name string, dense bool) []string {
	for i := range forms {
		if !dense {
			forms[i] += " "
		}
		forms[i] += name
	}
	return forms
}

// name makes up a name that is in no dictionary.
func (w *writer) name() string {
	name := ""
	syllables := 2 + w.r.below(2)
	if w.rare {
		syllables = 4
	}
	for range syllables {
		name += w.r.of(w.syl)
	}
	c, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(c)) + name[n:]
}

// dated formats a date. Months are numbered from 0.
func (w *writer) dated(format string, day, month, year int) string {
	return strings.NewReplacer("{d}", strconv.Itoa(day), "{month}", w.months[month], "{m}", strconv.Itoa(month+1), "{y}", strconv.Itoa(year)).Replace(format)
}

// line returns the next template of a kind, in random order.
func (w *writer) line(what string, list []string) string {
	d := w.lines[what]
	if d == nil {
		d = &deck{cards: list}
		w.lines[what] = d
	}
	return d.deal(w.r)
}
