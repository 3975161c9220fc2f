package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/critbit"
)

// checked is how many facts of the folded messages are looked for in a digest.
const checked = 64

// Check looks for the facts of the messages in a digest of them: the paths, addresses, identifiers and numbers that rank
// highest, and what the ledger says is still wrong. It returns how many it looked for and how many it found, and lines with
// those that are missing, in at most max bytes. What it finds says that a fact is there, not that what is said of it is true.
func (e *Extract) Check(body string, max int) (facts, found int, missing string) {
	known := new(critbit.Map[struct{}])
	said(body, known)
	lost := terms{}
	for i, term := range e.terms.ranked() {
		if i == checked {
			break
		}
		facts++
		if known.Has(term.text) {
			found++
		} else {
			lost.put(term.kind, term.text, term.weight, 0)
		}
	}
	missing = lost.lines(max, known)
	for _, f := range e.ledger.Errors {
		facts++
		line := clipLine(Fence(f.Text), 160)
		if has(body, line) {
			found++
		} else if cost := len("Failed: ") + len(line) + 1; line != "" && len(missing)+cost <= max {
			missing += "\nFailed: " + line
		}
	}
	return facts, found, missing
}

// has tells whether a text holds a line, whatever its white space.
func has(text, line string) bool {
	return strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(line), " "))
}
