package digest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// leastFinding is the minimum length, in bytes, of a text that the assistant wrote while working and that counts as an
// outcome.
const leastFinding = 50

// A digest of leastState bytes has a section about the end state, and a log of that size shows outcomes. A smaller log
// of at least leastOutcomes bytes shows outcomes if all requests fit.
const (
	leastOutcomes = 400
	leastState    = 2000
)

// outcomeRoom limits outcomes: length is the index of their maximum length in outcomeLengths, and from is the index of
// the first turn with an outcome. From the turn with index deeds on, an entry always says what the turn changed outside
// of the conversation.
type outcomeRoom struct{ length, from, deeds int }

// outcomeLengths are maximum lengths of outcomes, in bytes. The first length at which the outcomes of all turns fit is
// used. In a log without outcomes, a call that changed something outside of the conversation gets at most the length at
// index deedLength.
var outcomeLengths = [...]int{300, 200, 160, 120, 100, 80}

const deedLength = 3

// turnOutcome is the outcome of a turn: the unit that states it, and the line that shows it; see turn.outcome. first is
// the index of the first turn with the same line. deed means that a call in the turn changed something outside of the
// conversation.
type turnOutcome struct {
	said  *unit
	line  string
	first int
	deed  bool
}

// outcomesIn returns the outcomes of all turns at a length, which is an index in outcomeLengths.
func (k *turnLog) outcomesIn(length int) []turnOutcome {
	if k.told[length] != nil {
		return k.told[length]
	}
	told := make([]turnOutcome, len(k.turns))
	most := outcomeLengths[length]
	var first critbit.Map[int] // for each line, the index of the first turn with it, plus 1
	for i := range k.turns {
		if length > 0 && k.told[length-1] != nil && k.told[length-1][i].fitsWhole(most) {
			told[i] = k.told[length-1][i]
		} else {
			told[i].said, told[i].line = k.turns[i].outcome(most)
			deed, _ := k.turns[i].lastDeed(most)
			told[i].deed = deed != nil
		}
		at := first.At(told[i].line)
		if *at == 0 {
			*at = i + 1
		}
		told[i].first = *at - 1
	}
	k.told[length] = told
	return told
}

// fitsWhole reports whether the outcome is not clipped and its line fits. most is the line's maximum size in bytes.
func (o *turnOutcome) fitsWhole(most int) bool {
	return o.said != nil && len(o.line) <= most && strings.HasSuffix(strings.TrimSuffix(o.line, "\n"), o.said.text)
}

// roomForOutcomes divides size bytes among the outcomes. It chooses the largest length at which the outcomes of all
// turns fit. If even short ones don't all fit, turns that changed something outside of the conversation get theirs
// first, and then the newest turns.
func (k *turnLog) roomForOutcomes(size int) outcomeRoom {
	room := outcomeRoom{deedLength, len(k.turns), len(k.turns)}
	if k.outcomes {
		for room.length = range outcomeLengths {
			if k.sizeOfOutcomes(room.length) <= size {
				return outcomeRoom{length: room.length}
			}
		}
	}
	told := k.outcomesIn(room.length)
	for ; room.deeds > 0; room.deeds-- {
		if o := &told[room.deeds-1]; o.said != nil && k.settles(o) {
			if size -= len(o.line); size < 0 {
				break
			}
		}
	}
	for ; k.outcomes && size > 0 && room.from > 0; room.from-- {
		if o := &told[room.from-1]; o.said != nil && (!k.settles(o) || room.from <= room.deeds) {
			if size -= len(o.line); size < 0 {
				break
			}
		}
	}
	return room
}

// sizeOfOutcomes returns the total size, in bytes, of the outcomes of all turns at a length.
func (k *turnLog) sizeOfOutcomes(length int) (sum int) {
	for i, o := range k.outcomesIn(length) {
		if n := len(o.line); o.first < i {
			sum += min(n, len(k.sameAs(o.first)))
		} else {
			sum += n
		}
	}
	return sum
}

// sameOutcome begins the line, after its bullet, that refers to an earlier entry with the same outcome. The number of
// that entry follows.
const sameOutcome = "the same outcome as in "

// sameAs returns the line for an outcome that is shown in the entry of the turn with index i.
func (k *turnLog) sameAs(i int) string {
	return entryBullet + sameOutcome + "[" + itoa(k.turns[i].number) + "]\n"
}

// appendOutcome appends the outcome of the turn with index i to b, or a shorter reference to the entry that shows it.
func (k *turnLog) appendOutcome(b []byte, i int) []byte {
	o := &k.outcomesIn(k.outcome.length)[i]
	if k.wrote[o.first] {
		if same := k.sameAs(o.first); len(same) < len(o.line) {
			return append(b, same...)
		}
	}
	k.wrote[i] = true
	return append(b, o.line...)
}

// unitsOfSame returns the units for a line of turn t that refers to the outcome of an earlier turn. They are the units
// of the last line of the earlier turn. It returns nil for other lines.
func unitsOfSame(turns []turn, t *turn, line string) (units []unit) {
	head, found := strings.CutPrefix(line, sameOutcome)
	number, _, ok := entryHead(head)
	if !found || !ok {
		return nil
	}
	i, found := slices.BinarySearchFunc(turns, number, func(t turn, number int) int { return cmp.Compare(t.number, number) })
	if !found || len(turns[i].units) == 0 {
		return nil
	}
	from := len(turns[i].units) - 1
	for last := turns[i].units[from]; from > 0 && last.message >= 0 && turns[i].units[from-1].message == last.message; {
		from--
	}
	units = slices.Clone(turns[i].units[from:])
	for n := range units {
		if units[n].message >= 0 {
			units[n].message = int32(len(t.units)) // units of one line stay on one line
		}
	}
	return units
}

// settles reports whether an outcome gets room before the others: the turn changed something outside of the conversation
// or, if the requests are only a few words, it is a short answer with a number.
func (k *turnLog) settles(o *turnOutcome) bool {
	return o.deed || k.short && o.fitsWhole(outcomeLengths[deedLength]) && strings.ContainsAny(o.said.text, "0123456789")
}

// outcomeIn returns the outcome of the turn with index i, and its line, if the room allows one for this turn.
func (k *turnLog) outcomeIn(i int, room outcomeRoom) (said *unit, line string) {
	if i < min(room.from, room.deeds) {
		return nil, ""
	}
	o := &k.outcomesIn(room.length)[i]
	if i < room.from && o.line != "" && (i < room.deeds || !k.settles(o)) {
		return nil, ""
	}
	return o.said, o.line
}

// tells reports whether the units chosen for a turn include the turn's outcome. After a question, only an answer is an
// outcome; otherwise any unit is, except for what was looked up.
func (k *turnLog) tells(t *turn, chosen []extract.Chosen) bool {
	return slices.ContainsFunc(chosen, func(c extract.Chosen) bool {
		switch u := &t.units[k.units[c.Item].unit]; u.kind {
		case answerUnit:
			return true
		case readUnit, hitUnit:
			return false
		default:
			return u.factor > ofCall && !asksIn(t.asked)
		}
	})
}

// outcome returns the unit with the outcome of a turn, and a line for entries that don't show it otherwise. most is the
// line's maximum size in bytes. The outcome is the last call that changed something outside of the conversation, or the
// first unit of the answer that names something. If the user continued before there was an answer, it is the last unit
// that the assistant wrote while working and that names something. line is "" if the user rejected the answer and
// hadn't asked a question.
func (t *turn) outcome(most int) (said *unit, line string) {
	deed, line := t.lastDeed(most)
	if line != "" {
		return deed, line
	}
	asks, answered := asksIn(t.asked), false
	for n := range t.units {
		u := &t.units[n]
		answered = answered || u.kind == answerUnit
		if u.kind != answerUnit || t.contested && u.beside || u.factor <= ofAnnounced || !asks && (t.contested || !u.saysMore()) {
			continue
		}
		if line := outcomeOf(u, t.answerFrom(n, most), answerLabelOf(t, u), most); line != "" {
			return u, line
		}
	}
	for n := range slices.Backward(t.units) {
		if u := &t.units[n]; !answered && u.kind == saidUnit && u.factor >= ofSaid && len(u.text) >= leastFinding && namesMore(u.text) {
			return u, outcomeOf(u, introOf(u)+u.text, saidLabel, most)
		}
	}
	if deed != nil {
		return deed, entryBullet + clipWords(deed.text, most) + "\n"
	}
	return nil, ""
}

// lastDeed returns the unit of the last call that changed something outside of the conversation, and its line in at most
// most bytes. If a call is too long and its result names nothing, an earlier call may be used. line is "" if none fits.
func (t *turn) lastDeed(most int) (deed *unit, line string) {
	for n := range slices.Backward(t.units) {
		u := &t.units[n]
		if u.kind != ranUnit || u.factor != ofDeed {
			continue
		}
		if len(u.text) <= most {
			return u, entryBullet + u.text + "\n"
		}
		name, _, _ := strings.Cut(u.text, "(")
		if _, returned, _ := strings.Cut(u.text, ") → "); namesMore(returned) {
			return u, entryBullet + clipWords(name+" → "+returned, most) + "\n"
		}
		if deed == nil {
			deed = u
		}
	}
	return deed, ""
}

// saysMore reports whether an answer to a request that isn't a question says what the result was: it names something,
// or it is a statement of some length.
func (u *unit) saysMore() bool {
	return namesMore(u.text) || unspacedText(u.text) || len(u.text) >= leastFinding && !asksIn(u.text)
}

// answerFrom returns the text of the answer's unit with index n. If it names nothing ("Yes, that works."), the units
// after it in the same message follow until one does, as far as there is room. most is the size of the room in bytes.
func (t *turn) answerFrom(n, most int) string {
	u := &t.units[n]
	said := introOf(u) + u.text
	for n++; n < len(t.units) && len(said) < most/2 && !namesMore(u.text); n++ {
		next := &t.units[n]
		if next.kind != answerUnit || next.message != u.message || next.factor <= ofAnnounced || next.beside != u.beside {
			break
		}
		said += joinOf(said)
		if next.lead != u.lead {
			said += introOf(next)
		}
		said += next.text
		u = next
	}
	return said
}

// outcomeOf returns the line for a unit that is an outcome, or "" if too little of it fits into most bytes. said is the
// text of the line.
func outcomeOf(u *unit, said, label string, most int) string {
	// The names may be at the end.
	if len(said) > most && u.lead == "" && !strings.Contains(said, "; ") && namesMore(said) {
		said = clipRequest(said, most)
	}
	said = clipWords(said, most)
	if len(said) <= len(introOf(u)+" …") {
		return ""
	}
	return entryBullet + label + said + "\n"
}

// withoutNumber removes the list number at the end of a clipped text whose item was cut off: "It needs: 1. a door; 2.
// …".
func withoutNumber(said string) string {
	head, found := strings.CutSuffix(said, ". …")
	rest := strings.TrimRight(head, "0123456789")
	if !found || rest == head {
		return said
	}
	return strings.TrimRight(rest, " ;:") + " …"
}
