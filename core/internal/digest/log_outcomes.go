package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// leastFinding is the minimum length of an outcome that is said at work, in bytes.
const leastFinding = 50

// leastOutcomes is the minimum size of a log that has room for outcomes, in bytes.
const leastOutcomes = 2000

// outcomeRoom says how long outcomes may be, in bytes, and from which turn on there are any.
type outcomeRoom struct{ most, from int }

// roomForOutcomes divides size bytes among the outcomes: the longest that fit for all turns; if there is no room for short ones of all, those of
// the newest turns.
func (k *turnLog) roomForOutcomes(size int) outcomeRoom {
	lengths := [...]int{300, 200, 120, 80}
	for _, most := range lengths {
		if k.outcomesAt(most) <= size {
			return outcomeRoom{most, 0}
		}
	}
	least, from := lengths[len(lengths)-1], len(k.turns)
	for from > 0 {
		if size -= len(k.turns[from-1].outcome(least)); size < 0 {
			break
		}
		from--
	}
	return outcomeRoom{least, from}
}

// outcomesAt returns how many bytes the outcomes of all turns have if each has at most most bytes.
func (k *turnLog) outcomesAt(most int) (sum int) {
	for i := range k.turns {
		sum += len(k.turns[i].outcome(most))
	}
	return sum
}

// tells reports whether the units chosen for a turn say what came of it: of a question only an answer does.
func (k *turnLog) tells(t *turn, chosen []extract.Chosen) bool {
	return slices.ContainsFunc(chosen, func(c extract.Chosen) bool {
		return t.units[k.units[c.Item].unit].kind == answerUnit || !asksIn(t.asked)
	})
}

// outcome returns the line that says what came of a turn if nothing else does, with at most most bytes of it: the first thing that its answer
// names; if the user went on before it was answered, the last thing that the assistant said at work and that names something. It is "" if the user
// rejected an answer and had not asked a question.
func (t *turn) outcome(most int) string {
	asks, answered := asksIn(t.asked), false
	for n := range t.units {
		u := &t.units[n]
		answered = answered || u.kind == answerUnit
		if u.kind != answerUnit || u.factor <= ofAnnounced || !asks && (t.contested || !namesMore(u.text) && !unspacedText(u.text)) {
			continue
		}
		if line := outcomeOf(u, answerLabelOf(t), most); line != "" {
			return line
		}
	}
	for n := range slices.Backward(t.units) {
		if u := &t.units[n]; !answered && u.kind == saidUnit && u.factor >= ofSaid && len(u.text) >= leastFinding && namesMore(u.text) {
			return outcomeOf(u, saidLabel, most)
		}
	}
	return ""
}

// outcomeOf returns the line of a unit that is an outcome, or "" if nothing is left of it.
func outcomeOf(u *unit, label string, most int) string {
	said := withoutNumber(clipWords(introOf(u)+u.text, most))
	if len(said) <= len(introOf(u)+" …") {
		return ""
	}
	return entryBullet + label + said + "\n"
}

// withoutNumber returns a clipped text without the number of the first list item that it omits: "It needs: 1. a door; 2. …".
func withoutNumber(said string) string {
	head, found := strings.CutSuffix(said, ". …")
	rest := strings.TrimRight(head, "0123456789")
	if !found || rest == head {
		return said
	}
	return strings.TrimRight(rest, " ;:") + " …"
}
