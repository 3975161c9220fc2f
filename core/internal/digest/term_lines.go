package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// The labels of the lines of terms.
var termLabels = [termKinds]string{"Paths:", "Links:", "Names:", "Numbers:", "Errors:"}

// errorShare is the share of the room of terms that errors may take, in percent: they are long, so that by their length none
// would have a place.
const errorShare = 15

// lines lists the terms that rank highest and are not known yet, by kind, in at most max bytes.
func lines(ranked []term, max int, known *critbit.Map[struct{}]) string {
	var b [termKinds]strings.Builder
	put := func(t *term, max int) (cost int) {
		text := before(t.kind, b[t.kind].Len() > 0) + Fence(t.text)
		if len(text) >= max || known.Has(t.text) {
			return 0
		}
		say(t.kind, t.text, known)
		b[t.kind].WriteString(text)
		return len(text) + 1
	}
	errors := max * errorShare / 100
	for i := range ranked {
		if t := &ranked[i]; t.kind == errorTerm && errors > leastError {
			cost := put(t, errors)
			errors, max = errors-cost, max-cost
		}
	}
	for i := range ranked {
		if t := &ranked[i]; t.kind != errorTerm && max > 12 {
			max -= put(t, max)
		}
	}
	var lines []string
	for i := range b {
		if b[i].Len() > 0 {
			lines = append(lines, b[i].String())
		}
	}
	return strings.Join(lines, "\n")
}

// before is what precedes a term in the lines of its kind: one of several, or the first. Each error has a line.
func before(kind termKind, several bool) string {
	switch {
	case !several:
		return termLabels[kind] + " "
	case kind == errorTerm:
		return "\n" + termLabels[kind] + " "
	}
	return " "
}

// prose is the text of a section without the lines that list terms.
func prose(text string) string {
	var b strings.Builder
next:
	for line := range strings.Lines(text) {
		for _, label := range termLabels {
			if strings.HasPrefix(line, label+" ") {
				continue next
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
