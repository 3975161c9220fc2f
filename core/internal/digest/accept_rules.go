package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// permissions lists words which indicate that a line allows something, or calls it unnecessary.
var permissions = words.NewSet("preferred wants wanted needed welcome allowed fine okay permitted acceptable free may can optional encouraged unnecessary erlaubt willkommen freiwillig darf dürfen kann permitido permitida opcional permis autorisé facultatif разрешено можно")

// undenied returns text without the lines that contradict one of the ledger's rules, as denied decides.
func (l *Ledger) undenied(text string) string {
	var rules []ban
	for _, rule := range l.Standing {
		rules = appendBan(rules, rule)
		if _, order, found := strings.Cut(rule, ", "); found { // "I must be there at noon, don't put me on a bus"
			rules = appendBan(rules, order)
		}
	}
	if len(rules) == 0 {
		return text
	}
	var b strings.Builder
	forbids := false // whether the heading, or the line before the list, declares the items forbidden
	for line := range strings.Lines(text) {
		if item, said := listItem(strings.TrimSpace(line)); said != "" && !item {
			forbids = (line[0] == '#' || strings.HasSuffix(strings.TrimRight(said, "*_ "), ":")) &&
				anyIs(wordsOf(said, nil), negations)
		}
		if !denied(line, rules, forbids) {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// ban is a rule that forbids something, or that requires something else to be done first.
type ban struct {
	*statement
	verb    string // the first word of the action
	first   bool   // it says what must be done first: "ask Marta before you mail anybody"
	forbids bool   // it strictly forbids the action
}

// appendBan appends a rule to bans if it forbids something, or requires something else to be done first.
func appendBan(bans []ban, rule string) []ban {
	s, ws := &statement{text: rule}, wordsOf(rule, quotedIn(rule))
	s.rating = rate(rule, ws)
	negated := slices.ContainsFunc(ws, func(w word) bool { return w.is(negations) && !manner.has(w.text) })
	first := slices.ContainsFunc(ws, func(w word) bool {
		if w.is(negations) && manner.has(w.text) {
			return negated // "never mail them without asking" rather than "write without emojis"
		}
		return inOrder.has(w.text)
	})
	if s.revokes || !(s.strength == strict && s.negative || s.strength > weak && first) {
		return bans
	}
	s.analyse()
	return append(bans, ban{s, verbOf(rule), first, s.strength == strict && s.negative})
}

// verbOf returns the first content word of a rule that is neither a cue such as "always" nor a negation, or "".
func verbOf(rule string) string {
	ws := wordsOf(rule, nil)
	rate(rule, ws)
	for i := range ws {
		if w := &ws[i]; !w.cue && !w.is(negations) && !stopWords.Has(w.text) {
			return w.text
		}
	}
	return ""
}

// denied reports whether a line permits or demands what one of the rules forbids, or skips what one
// requires first. It returns false if the line is longer than maxStatement bytes, or is an item in
// a list of forbidden things (forbids).
func denied(line string, rules []ban, forbids bool) bool {
	if len(line) > maxStatement || forbids {
		return false
	}
	permits := false
	for _, w := range words.Append(nil, line) {
		permits = permits || permissions.Has(w.Stem)
	}
	_, item := listItem(strings.TrimSpace(line))
	ws := wordsOf(item, nil)
	if len(ws) == 0 {
		return false
	}
	skips := skipsFirst(ws)
	if !skips && anyIs(ws, negations|conditions) {
		return false
	}
	s := &statement{text: item}
	s.analyse()
	for _, rule := range rules {
		same := common(s.stems, rule.stems)
		switch {
		case skips:
			if rule.first && same > 1 && same*2 >= len(rule.stems) && (permits || ws[0].is(addressees)) {
				return true
			}
		case !rule.forbids:
		case permits && same > 0 && same*2 >= min(len(s.stems), len(rule.stems)) && same*3 >= len(rule.stems),
			same > 1 && same == len(rule.stems) && len(s.stems) <= same+1 && ws[0].text == rule.verb:
			return true
		}
	}
	return false
}

// skipsFirst reports whether a line says that something is done without the step that must come first, as in "mail them
// without asking". It returns false if the line contains any other negation or a condition.
func skipsFirst(ws []word) bool {
	without := false
	for i := range ws {
		switch w := &ws[i]; {
		case w.is(negations) && manner.has(w.text) && !without:
			without = true
		case w.is(negations | conditions):
			return false
		}
	}
	return without
}
