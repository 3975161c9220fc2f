package digest

import (
	"slices"
	"strings"
)

// An answer is put in doubt by a later turn: the user reports trouble after it has said that all is well, or the same error comes again. The log
// keeps it, because others refer to it, and says in which turn to look.

// mostDoubted is how many turns before the one in which an error comes again are put in doubt.
const mostDoubted = 8

// The label of an answer that is in doubt, around the number of the turn.
const (
	doubtOpen = "answer, which ["
	doubtEnd  = "] puts in doubt: "
)

// judge notes what the user's next message, in the turn with a number, says about a turn.
func (t *turn) judge(asked string, number int) {
	t.contested = contests(asked) || t.denied(asked)
	t.claims = slices.ContainsFunc(t.units, func(u unit) bool { return u.kind == answerUnit && claims(u.lead+" "+u.text) })
	if t.claims && t.doubt == 0 && reportsTrouble(asked) {
		t.doubt = number
	}
}

// lookDenied is how much of a message is searched for what it denies, in bytes.
const lookDenied = 160

// denied reports whether a message denies something by the name that the turn's answer has for it: "it's the linter, not db:generate".
func (t *turn) denied(asked string) bool {
	head := asked[:min(len(asked), lookDenied)]
	_, rest, found := strings.Cut(head, ", not ")
	if !found {
		return false
	}
	name, _, _ := strings.Cut(rest, " ")
	name = strings.Trim(name, ".,;:!?`'\"")
	if len(name) < 4 || !strings.ContainsAny(name, ":._-/0123456789") {
		return false
	}
	return slices.ContainsFunc(t.units, func(u unit) bool { return u.kind == answerUnit && strings.Contains(u.text, name) })
}

// comesAgain notes an error in the current turn. If it has come before, the answers since then are in doubt; if always is not set, only those
// that say that all is well.
func (r *turnReader) comesAgain(key string, always bool) {
	now := len(r.turns) - 1
	at := r.troubles.At(key)
	for n := now - 1; *at > 0 && n >= max(*at-1, now-mostDoubted); n-- {
		if t := &r.turns[n]; t.doubt == 0 && (always || t.claims) {
			t.doubt = r.turns[now].number
		}
	}
	*at = now + 1
}

// toldAgain notes the errors in what the user has pasted into the request of the current turn.
func (r *turnReader) toldAgain(asked string) {
	for {
		_, rest, found := strings.Cut(asked, pastedOpen)
		if !found {
			return
		}
		var said string
		said, asked, _ = strings.Cut(rest, pastedEnd+"\n")
		for line := range strings.SplitSeq(strings.TrimSuffix(said, pastedEnd), "; ") {
			first, _, _ := strings.Cut(line, " ")
			switch {
			case placed(first):
				r.comesAgain("place\x00"+first, true)
			case isTrouble(line) && strings.ContainsAny(line, "/`_"):
				r.comesAgain("line\x00"+line, true)
			}
		}
	}
}

// answerLabelOf returns the label of the answers of a turn.
func answerLabelOf(t *turn) string {
	switch {
	case t.contested:
		return contestedLabel
	case t.doubt > 0:
		return doubtOpen + itoa(t.doubt) + doubtEnd
	}
	return answerLabel
}

// readDoubt splits the label of an answer that is in doubt off a line.
func readDoubt(line string) (doubt int, rest string, ok bool) {
	rest, ok = strings.CutPrefix(line, doubtOpen)
	number, rest, found := strings.Cut(rest, doubtEnd)
	if !ok || !found {
		return 0, line, false
	}
	if doubt, _, ok = entryHead("[" + number + "]"); !ok {
		return 0, line, false
	}
	return doubt, rest, true
}
