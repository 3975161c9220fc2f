package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// leastFinding is the minimum length, in bytes, of text that counts as an outcome although the assistant wrote it
// while working.
const leastFinding = 50

// leastOutcomes is the minimum size of a log that has room for outcomes, in bytes.
const leastOutcomes = 2000

// outcomeRoom limits outcomes: most is their maximum length in bytes, and from is the index of the first turn with an
// outcome.
type outcomeRoom struct{ most, from int }

// roomForOutcomes divides size bytes among the outcomes. It chooses the largest length at which the outcomes of all
// turns fit. If there is not even room for short ones, only the newest turns get outcomes.
func (k *turnLog) roomForOutcomes(size int) outcomeRoom {
	lengths := []int{300, 200, 120, 80}
	if !k.outcomes {
		lengths = lengths[2:3]
	}
	for _, most := range lengths {
		if k.outcomesAt(most) <= size {
			return outcomeRoom{most, 0}
		}
	}
	least, from := lengths[len(lengths)-1], len(k.turns)
	for from > 0 {
		_, line := k.outcomeIn(&k.turns[from-1], least)
		if size -= len(line); size < 0 {
			break
		}
		from--
	}
	return outcomeRoom{least, from}
}

// outcomesAt returns the size in bytes of the outcomes of all turns if each is limited to most bytes.
func (k *turnLog) outcomesAt(most int) (sum int) {
	for i := range k.turns {
		_, line := k.outcomeIn(&k.turns[i], most)
		sum += len(line)
	}
	return sum
}

// outcomeIn returns the outcome of a turn that the log has room for. If it has little, only what a turn changed outside of the conversation is one.
func (k *turnLog) outcomeIn(t *turn, most int) (said *unit, line string) {
	if said, line = t.outcome(most); !k.outcomes && line != "" && said.factor != ofDeed {
		return nil, ""
	}
	return said, line
}

// tells reports whether the units chosen for a turn include the turn's outcome. After a question, only an answer is an
// outcome.
func (k *turnLog) tells(t *turn, chosen []extract.Chosen) bool {
	return slices.ContainsFunc(chosen, func(c extract.Chosen) bool {
		return t.units[k.units[c.Item].unit].kind == answerUnit || !asksIn(t.asked)
	})
}

// outcome returns the unit with the outcome of a turn, and a line for entries that don't show it otherwise. The outcome
// is the last call that changed something outside of the conversation, or the first unit of the answer that names
// something, in at most most bytes. If the user continued before there was an answer, it is the last thing that the
// assistant wrote while working and that names something. line is "" if the user rejected the answer and hadn't asked a
// question.
func (t *turn) outcome(most int) (said *unit, line string) {
	asks, answered := asksIn(t.asked), false
	for n := range slices.Backward(t.units) {
		if u := &t.units[n]; u.kind == ranUnit && u.factor == ofDeed {
			if name, _, _ := strings.Cut(u.text, "("); len(u.text) > most {
				_, returned, _ := strings.Cut(u.text, ") → ")
				return u, entryBullet + clipWords(name+" → "+returned, most) + "\n"
			}
			return u, entryBullet + u.text + "\n"
		}
	}
	for n := range t.units {
		u := &t.units[n]
		answered = answered || u.kind == answerUnit
		if u.kind != answerUnit || t.contested && u.beside || u.factor <= ofAnnounced || !asks && (t.contested || !namesMore(u.text) && !unspacedText(u.text)) {
			continue
		}
		if line := outcomeOf(u, answerLabelOf(t, u), most); line != "" {
			return u, line
		}
	}
	for n := range slices.Backward(t.units) {
		if u := &t.units[n]; !answered && u.kind == saidUnit && u.factor >= ofSaid && len(u.text) >= leastFinding && namesMore(u.text) {
			return u, outcomeOf(u, saidLabel, most)
		}
	}
	return nil, ""
}

// outcomeOf returns the line for a unit that is an outcome, or "" if too little of it would be left in most bytes.
func outcomeOf(u *unit, label string, most int) string {
	said := clipWords(introOf(u)+u.text, most)
	if len(said) <= len(introOf(u)+" …") {
		return ""
	}
	return entryBullet + label + said + "\n"
}

// withoutNumber removes from the end of a clipped text a list number whose item was cut off: "It needs: 1. a door;
// 2. …".
func withoutNumber(said string) string {
	head, found := strings.CutSuffix(said, ". …")
	rest := strings.TrimRight(head, "0123456789")
	if !found || rest == head {
		return said
	}
	return strings.TrimRight(rest, " ;:") + " …"
}
