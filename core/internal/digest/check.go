package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// checked is how many facts of the folded messages are looked for in a digest.
const checked = 64

// Check looks for the facts of the messages in a digest of them: the paths, addresses, identifiers and numbers that rank
// highest, and what the ledger says is still wrong. It returns how many it looked for and how many it found. What it finds says
// that a fact is there, not that what is said of it is true.
func (e *Extract) Check(body string) (facts, found int) {
	known := new(critbit.Map[struct{}])
	said(body, known)
	for i, term := range e.terms.ranked() {
		if i == checked {
			break
		}
		facts++
		if known.Has(term.text) {
			found++
		}
	}
	for _, f := range e.ledger.Errors {
		facts++
		if has(body, clipLine(Fence(f.Text), 160)) {
			found++
		}
	}
	return facts, found
}

// has reports whether a text holds a line, whatever its white space.
func has(text, line string) bool {
	return strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(line), " "))
}
