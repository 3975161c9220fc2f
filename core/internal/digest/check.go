package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// checked is the maximum number of facts from the folded messages that are looked for in a digest.
const checked = 64

// Check looks in a digest for facts from the messages that it replaces: the highest-ranking paths, addresses,
// identifiers and numbers, and the ledger's open errors. It returns how many facts it looked for, and how many of them
// it found. A fact counts as found if the digest mentions it, even if what the digest says about it is wrong.
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

// has reports whether text contains line, ignoring differences in white space.
func has(text, line string) bool {
	return strings.Contains(onOneLine(text), onOneLine(line))
}
