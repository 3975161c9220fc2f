package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// An agent that looks for a cause names several. If it then says of one that it isn't the cause, whoever reads only the first
// statement must not take it for the result.

// refutedNote follows such a statement.
const refutedNote = " (refuted later)"

// acquittals lists phrases, in lower case, that say that something isn't the cause. suspicions lists those that say that it
// may be.
var (
	acquittals = substringsOf("n't the problem|n't the issue|n't the cause|n't the culprit|n't the bottleneck|n't the reason|not the problem|not the issue|not the cause|not the culprit|not the bottleneck|not the reason|" +
		"nicht das problem|nicht die ursache|nicht der grund|pas le problème|pas la cause|no es el problema|no es la causa|non è il problema|non è la causa|не причина|не в этом|不是问题|不是原因|原因ではな|문제가 아니")
	suspicions = substringsOf("likely|culprit|cause|because|overhead|problem|suspect|bottleneck|root|reason|ursache|grund|raison|causa|problema|причин|原因|원인")
)

// markRefuted marks the statements and reports in which the agent suspects something with a name in backticks, if a later
// sentence, in the current turn, says that this isn't the cause.
func (r *turnReader) markRefuted() {
	var names []string // of what isn't the cause, according to later units
	for k := len(r.turns) - 1; k >= max(0, len(r.turns)-refutedTurns) && (names != nil || k == len(r.turns)-1); k-- {
		t := &r.turns[k]
		for n := range slices.Backward(t.units) {
			u := &t.units[n]
			if u.factor == isDropped || u.kind != saidUnit && u.kind != toldUnit && u.kind != thoughtUnit && u.kind != answerUnit {
				continue
			}
			acquits := acquittals.inAnyCase(u.text)
			switch {
			case acquits && k == len(r.turns)-1 && len(names) < mostRefuted:
				names = appendRefuted(names, u.text)
			case !acquits && names != nil && suspicions.inAnyCase(u.text) && !strings.HasSuffix(u.text, refutedNote) &&
				slices.ContainsFunc(names, func(name string) bool { return strings.Contains(u.text, name) }):
				u.text += refutedNote
				u.factor = max(1, u.factor/2)
			}
		}
	}
}

// refutedTurns is the number of the newest turns whose statements are marked.
const refutedTurns = 3

// Limits for names of what isn't the cause: their maximum number in a turn, their minimum length in
// bytes, and the bytes of which they consist.
const (
	mostRefuted   = 16
	leastSuspect  = 4
	codeNameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/"
)

// appendRefuted appends the names in backticks in the clauses of text that say that something isn't the cause.
func appendRefuted(names []string, text string) []string {
	for from, to := range extract.Sentences(text) {
		for clause := range strings.SplitSeq(text[from:to], ", ") {
			if acquittals.inAnyCase(clause) {
				names = appendCodeNames(names, clause)
			}
		}
	}
	return names
}

// appendCodeNames appends the name at the beginning of each piece of code in backticks in a clause,
// up to mostRefuted names in all.
func appendCodeNames(names []string, clause string) []string {
	for len(names) < mostRefuted {
		_, after, opens := strings.Cut(clause, "`")
		name, rest, closes := strings.Cut(after, "`")
		if !opens || !closes {
			break
		}
		if name = name[:len(name)-len(strings.TrimLeft(name, codeNameBytes))]; len(name) >= leastSuspect {
			names = append(names, name)
		}
		clause = rest
	}
	return names
}
