package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A summary is checked against what the model was given. Models compute, round and translate, and asking again costs, so it is rejected
// only if most of what can be checked is wrong.
const (
	mostChecked   = 64 // names and numbers that are looked for
	leastNames    = 4
	leastNumbers  = 6
	leastQuotes   = 3
	leastWords    = 40 // content words that a text needs to be off topic
	leastRepeated = 40 // sentences that a text needs to be repetitive
	quoteBytes    = 24 // shorter quotes are names and values
	mostWrong     = 160
)

// CheckSource checks a summary against source, the text that the model was given. It returns "" or why the summary is rejected, and the
// names, numbers or quotes that the source lacks, for the next request.
func CheckSource(text, source string) (why api.SummaryFault, wrong string) {
	low := lower(source)
	var names, numbers, quotes found
	var seen critbit.Map[struct{}]
	var has *critbit.Map[struct{}] // the numbers of the source, read on demand
	eachTerm(text, func(kind termKind, term string) {
		if seen.Has(term) || kind == errorTerm {
			return
		}
		seen.Add(term)
		if kind != numberTerm {
			names.add(term, strings.Contains(low, lower(term[strings.LastIndexByte(strings.TrimRight(term, "/"), '/')+1:])))
			return
		}
		digits := digitsOf(term)
		if len(digits) < 3 {
			return
		}
		if has == nil {
			has = new(critbit.Map[struct{}])
			eachNumber(source, func(from, to int) { has.Add(digitsOf(source[from:to])) })
		}
		numbers.add(term, has.Has(digits) || strings.Contains(low, lower(term)))
	})
	flat := flatText(low)
	for rest := text; quotes.all < mostChecked; {
		from := strings.IndexAny(rest, "\"“")
		if from < 0 {
			break
		}
		_, after, _ := strings.Cut(rest[from:], "“")
		if rest[from] == '"' {
			after = rest[from+1:]
		}
		quote, more, closed := cutQuote(after)
		if !closed {
			break
		}
		if rest = more; len(quote) >= quoteBytes {
			quotes.add(quote, strings.Contains(flat, flatText(lower(quote))))
		}
	}
	switch {
	case names.mostly(leastNames):
		return api.FaultUnfounded, names.wrong
	case quotes.mostly(leastQuotes):
		return api.FaultUnfounded, quotes.wrong
	case numbers.mostly(leastNumbers):
		return api.FaultUnfounded, numbers.wrong
	case names.known+numbers.known+quotes.known == 0 && otherTopic(text, source):
		return api.FaultTopic, ""
	}
	return "", ""
}

// found counts how much of a text is in its source.
type found struct {
	all, known int
	wrong      string
}

func (f *found) add(what string, known bool) {
	if f.all++; known {
		f.known++
	} else if len(f.wrong)+len(what) < mostWrong {
		if f.wrong != "" {
			f.wrong += ", "
		}
		f.wrong += Fence(clipLine(what, mostWrong))
	}
}

// mostly reports whether three quarters, and at least so many, are not in the source.
func (f *found) mostly(least int) bool {
	unknown := f.all - f.known
	return unknown >= least && unknown*4 >= f.all*3
}

// digitsOf returns a number without thousands and decimal separators.
func digitsOf(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// cutQuote splits a text at the closing quotation mark on its line.
func cutQuote(s string) (quote, rest string, closed bool) {
	line, _, _ := strings.Cut(s, "\n")
	at := strings.IndexAny(line, "\"”")
	if at < 0 {
		return "", "", false
	}
	size := 1
	if line[at] != '"' {
		size = len("”")
	}
	return line[:at], s[at+size:], true
}

// flatText returns a lower-case text reduced to letters and digits, with single spaces between words.
func flatText(low string) string {
	var b strings.Builder
	space := false
	for i := 0; i < len(low); i++ {
		c := low[i]
		if c >= 0x80 || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteByte(c)
			continue
		}
		space = true
	}
	return b.String()
}

// otherTopic reports whether a text shares almost none of its words with its source. A text in another language shares no words either, but
// it shares names and numbers.
func otherTopic(text, source string) bool {
	var content []uint32
	var own critbit.Map[struct{}]
	for _, w := range words.Append(nil, text) {
		if w.Kind&words.Short != 0 || frequent.Has(w.Stem) || own.Has(text[w.From:w.End]) {
			continue
		}
		own.Add(text[w.From:w.End])
		content = append(content, w.Stem)
	}
	if len(content) < leastWords || scriptsOf(text) != scriptsOf(source) {
		return false
	}
	var stems []uint32
	for _, w := range words.Append(nil, source) {
		stems = append(stems, w.Stem)
	}
	sorting.Ordered(stems)
	sorting.Ordered(content)
	content = slices.Compact(content)
	shared := common(content, slices.Compact(stems))
	return shared*10 < len(content)
}

// scriptsOf returns the language of a text, as far as its letters show it.
func scriptsOf(text string) string { return Language([]string{text}) }

// repeats reports whether a text keeps repeating a few sentences.
func repeats(text string) bool {
	var seen critbit.Map[struct{}]
	all := 0
	for from, to := range extract.Sentences(text) {
		if to-from >= minSentence {
			seen.Add(text[from:to])
			all++
		}
	}
	return all >= leastRepeated && seen.Len()*4 <= all
}

// minSentence is the minimum length of a sentence that counts as repeated, in bytes.
const minSentence = 12

// permissions are words with which a line says that something is allowed or unnecessary.
var permissions = words.NewSet("welcome allowed fine okay permitted acceptable free may can optional encouraged unnecessary erlaubt willkommen freiwillig permitido permitida opcional permis autorisé facultatif разрешено можно")

// undenied returns a text without the lines that allow what a strict rule of the ledger forbids.
func (l *Ledger) undenied(text string) string {
	var rules []*statement
	for _, rule := range l.Standing {
		s := &statement{text: rule}
		if s.rating = rate(rule, wordsOf(rule, quotedIn(rule))); s.strength == strict && s.negative && !s.revokes {
			s.analyse()
			rules = append(rules, s)
		}
	}
	if len(rules) == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !denied(line, rules) {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func denied(line string, rules []*statement) bool {
	permits := false
	for _, w := range words.Append(nil, line) {
		permits = permits || permissions.Has(w.Stem)
	}
	if !permits || len(line) > maxStatement {
		return false
	}
	_, item := listItem(strings.TrimSpace(line))
	for _, w := range wordsOf(item, nil) {
		if w.is(negations | conditions) {
			return false
		}
	}
	s := &statement{text: item}
	s.analyse()
	for _, rule := range rules {
		same := common(s.stems, rule.stems)
		if same > 0 && same*2 >= min(len(s.stems), len(rule.stems)) && same*3 >= len(rule.stems) {
			return true
		}
	}
	return false
}
