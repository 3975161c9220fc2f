package digest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// leastFinding is the minimum length, in bytes, of text that counts as an outcome although the assistant wrote it
// during its work.
const leastFinding = 50

// leastState is the minimum size of a digest with a section about the end state, and of a log that always shows
// outcomes. leastOutcomes is the minimum size of a log that shows outcomes if all requests fit. Both are in bytes.
const (
	leastOutcomes = 400
	leastState    = 2000
)

// outcomeRoom describes the room for outcomes. length is the index in outcomeLengths of their maximum length. from is
// the index of the first turn that shows its outcome, and full of the first one that shows a full outcome. From the turn
// with index deeds on, an entry always shows what the turn changed outside of the conversation.
type outcomeRoom struct{ length, from, deeds, full int }

// outcomeLengths lists maximum lengths of outcomes in bytes. The first length at which the outcomes of all turns fit is
// used. In a log without outcomes, the maximum length for a call that changed something outside of the conversation is
// the one at index deedLength.
var outcomeLengths = [...]int{300, 200, 160, 120, 100, 80}

const deedLength = 3

// fullOutcomes is the index of the full outcomes, after those for outcomeLengths. mostFull is the maximum length of a
// full outcome in bytes. It contains several parts of an answer; see turn.fullAnswer.
const (
	fullOutcomes = len(outcomeLengths)
	mostFull     = 480
)

// turnOutcome is the outcome of a turn: the unit that states it, and the line that shows it; see turn.outcome. first is
// the index of the first turn with the same line. deeds are about the calls of the turn that changed something outside of
// the conversation, or failed to.
type turnOutcome struct {
	said  *unit
	line  string
	first int
	deeds []deedLine
}

// outcomesIn returns the outcomes of all turns. length is the index of their maximum length in outcomeLengths, or
// fullOutcomes for the full outcomes. They are computed once for each length.
func (k *turnLog) outcomesIn(length int) []turnOutcome {
	if k.told[length] != nil {
		return k.told[length]
	}
	told := make([]turnOutcome, len(k.turns))
	most, full := mostFull, length == fullOutcomes
	if !full {
		most = outcomeLengths[length]
	}
	var first critbit.Map[int] // for each line with the answer that it comes from, the index of the first turn that has them, plus one
	for i := range k.turns {
		if !full && length > 0 && k.told[length-1] != nil && k.told[length-1][i].fitsWhole(most) {
			told[i] = k.told[length-1][i]
		} else {
			told[i] = k.turns[i].outcome(most, full)
		}
		at := first.At(told[i].line + "\x00" + k.turns[i].answer())
		if *at == 0 {
			*at = i + 1
		}
		told[i].first = *at - 1
	}
	k.told[length] = told
	return told
}

// answer returns the texts of the turn's answer, one per line. Two answers that begin alike may end differently.
func (t *turn) answer() string {
	var b strings.Builder
	for n := range t.units {
		if u := &t.units[n]; u.kind == answerUnit {
			b.WriteString(u.text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// fitsWhole reports whether the outcome isn't clipped and its line isn't longer than most bytes.
func (o *turnOutcome) fitsWhole(most int) bool {
	return o.said != nil && len(o.deeds) == 0 && len(o.line) <= most && strings.HasSuffix(strings.TrimSuffix(o.line, "\n"), o.said.text)
}

// roomForOutcomes distributes size bytes among the outcomes. It chooses the largest length at which the outcomes of all
// turns fit, and shows the newest ones in full in half of the room that is left; the other half is for other units. If
// not even short outcomes fit, those of turns that changed something outside of the conversation come first, followed by
// those of the newest turns. asked holds the requests that the log shows.
func (k *turnLog) roomForOutcomes(size int, asked []string) outcomeRoom {
	if !k.outcomes {
		k.declining = true
		if room := k.someOutcomes(size, deedLength, asked); room.deeds == 0 {
			return room
		}
		k.declining = false
		return k.someOutcomes(size, deedLength, asked)
	}
	for length := range outcomeLengths {
		if used := k.sizeOfOutcomes(length) + k.addedRequests(length, asked); used <= size {
			return outcomeRoom{length: length, full: k.fullFrom(length, (size-used)/2)}
		}
	}
	return k.someOutcomes(size, len(outcomeLengths)-1, asked)
}

// someOutcomes distributes size bytes among outcomes of which not all fit, as roomForOutcomes
// describes. length is the index in outcomeLengths of their maximum length. If the outcomes that
// take precedence don't fit at that length, the shortest one is used instead.
func (k *turnLog) someOutcomes(size, length int, asked []string) outcomeRoom {
	room := outcomeRoom{length: length, from: len(k.turns), deeds: len(k.turns), full: len(k.turns)}
	if k.sizeOfDeeds(room.length) > size {
		room.length = len(outcomeLengths) - 1
	}
	told := k.outcomesIn(room.length)
	for ; room.deeds > 0; room.deeds-- {
		if o := &told[room.deeds-1]; o.said != nil && k.settles(o) {
			if size -= len(o.line) + k.addedRequest(room.deeds-1, o, asked); size < 0 {
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

// addedRequest returns the number of bytes by which the log grows because the entry of turn i, whose outcome is o, shows
// an outcome that takes precedence although asked has no request of it; see requestOf.
func (k *turnLog) addedRequest(i int, o *turnOutcome, asked []string) int {
	if asked[i] != "" || len(o.deeds) == 0 && k.outcomes || k.turns[i].request == "" {
		return 0
	}
	return len(k.least(i)) + requestFrame
}

// addedRequests returns the sum of addedRequest for all turns, if outcomes have the given length.
func (k *turnLog) addedRequests(length int, asked []string) (sum int) {
	told := k.outcomesIn(length)
	for i := range told {
		sum += k.addedRequest(i, &told[i], asked)
	}
	return sum
}

// fullFrom returns the index of the first turn whose outcome is shown in full, if that may take up to size bytes more
// than the outcomes of the given length.
func (k *turnLog) fullFrom(length, size int) (from int) {
	told, full := k.outcomesIn(length), k.outcomesIn(fullOutcomes)
	for from = len(k.turns); from > 0; from-- {
		if size -= len(full[from-1].line) - len(told[from-1].line); size < 0 {
			break
		}
	}
	return from
}

// outcomeAt returns the outcome of the turn with index i at the length that room has for it.
func (k *turnLog) outcomeAt(i int, room outcomeRoom) *turnOutcome {
	if i >= room.full {
		return &k.outcomesIn(fullOutcomes)[i]
	}
	return &k.outcomesIn(room.length)[i]
}

// sizeOfOutcomes returns the total size, in bytes, of all turns' outcomes at the given length.
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

// sizeOfDeeds returns the total size, in bytes, of the outcomes at the given length that take precedence over others.
func (k *turnLog) sizeOfDeeds(length int) (sum int) {
	for _, o := range k.outcomesIn(length) {
		if o.said != nil && k.settles(&o) {
			sum += len(o.line)
		}
	}
	return sum
}

// sameOutcome is the beginning of a line that refers to an earlier entry with the same outcome. It is followed by the
// number of that entry.
const sameOutcome = "the same outcome as in "

// sameAs returns the line for an outcome that the entry of the turn with index i already shows.
func (k *turnLog) sameAs(i int) string {
	return entryBullet + sameOutcome + "[" + itoa(k.turns[i].number) + "]\n"
}

// appendOutcome appends the outcome of the turn with index i to b, or a shorter reference to an entry that shows it.
func (k *turnLog) appendOutcome(b []byte, i int) []byte {
	o := k.outcomeAt(i, k.outcome)
	if k.wrote[o.first] {
		if same := k.sameAs(o.first); len(same) < len(o.line) {
			return append(b, same...)
		}
	}
	k.wrote[i] = true
	return append(b, o.line...)
}

// unitsOfSame parses a line of turn t that refers to the outcome of an earlier turn. It returns the units on the last
// line of that turn, or nil if line is no such reference.
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

// settles reports whether an outcome takes precedence over others. It does if the turn changed something outside of the
// conversation, or, when requests are cut to a few words, if it is a short answer that contains a number. In a small log
// with enough room, it does as well if it says what cannot be done.
func (k *turnLog) settles(o *turnOutcome) bool {
	return len(o.deeds) > 0 || k.declining && declinesIn(o.line) || k.short && o.fitsWhole(outcomeLengths[deedLength]) && strings.ContainsAny(o.said.text, "0123456789")
}

// outcomeIn returns the unit that states the outcome of the turn with index i, and the line that
// shows it, if room leaves space for them. Otherwise it returns nil and "".
func (k *turnLog) outcomeIn(i int, room outcomeRoom) (said *unit, line string) {
	if i < min(room.from, room.deeds) {
		return nil, ""
	}
	o := k.outcomeAt(i, room)
	if i < room.from && o.line != "" && (i < room.deeds || !k.settles(o)) {
		return nil, ""
	}
	return o.said, o.line
}

// tells reports whether the units chosen for a turn include its outcome. If the turn asks a question, only an answer is
// an outcome. Otherwise, any unit is one unless it is about something that was only looked up, or the assistant wrote it
// during its work.
func (k *turnLog) tells(t *turn, chosen []extract.Chosen) bool {
	return slices.ContainsFunc(chosen, func(c extract.Chosen) bool {
		switch u := &t.units[k.units[c.Item].unit]; u.kind {
		case answerUnit:
			return true
		case readUnit, hitUnit, saidUnit, thoughtUnit:
			return false
		default:
			return u.factor > ofCall && !hasQuestionMark(t.request)
		}
	})
}

// withOutcome returns the units chosen for the turn with index i. If these quote the answer without the unit that is its
// outcome, withOutcome adds that unit or, if it is long, removes quotes that are shorter than its line. missing means that
// the entry then needs that line.
func (k *turnLog) withOutcome(i int, chosen []extract.Chosen) (units []extract.Chosen, missing bool) {
	said, line := k.outcomeIn(i, k.outcome)
	if line == "" || said.kind != answerUnit || !said.saysMore() {
		return chosen, false
	}
	t := &k.turns[i]
	unitOf := func(c extract.Chosen) *unit { return &t.units[k.units[c.Item].unit] }
	isQuote := func(c extract.Chosen) bool { return unitOf(c).kind == answerUnit }
	isSaid := func(c extract.Chosen) bool { return unitOf(c) == said }
	quoted := 0 // bytes
	for _, c := range chosen {
		if isQuote(c) {
			quoted += len(unitOf(c).text)
		}
	}
	if quoted == 0 || slices.ContainsFunc(chosen, isSaid) {
		return chosen, false
	}
	item, _ := slices.BinarySearchFunc(k.units, i, func(p place, turn int) int { return cmp.Compare(p.turn, turn) })
	for item < len(k.units) && k.units[item].turn == i && !isSaid(extract.Chosen{Item: item}) {
		item++
	}
	if item == len(k.units) || k.units[item].turn != i || len(said.text) > outcomeLengths[0] {
		if quoted > len(line) {
			return chosen, false
		}
		return slices.DeleteFunc(slices.Clone(chosen), isQuote), true
	}
	at, _ := slices.BinarySearchFunc(chosen, item, func(c extract.Chosen, item int) int { return cmp.Compare(c.Item, item) })
	return slices.Insert(slices.Clip(chosen), at, extract.Chosen{Item: item, To: len(said.text)}), false
}

// outcome returns the outcome of a turn. Its line isn't longer than most bytes and is for entries that don't show the
// outcome otherwise. The outcome is what calls changed outside of the conversation, with a line for each of up to
// mostDeeds tools, or else the first unit of the answer that names something, preferably in prose. If the user continued
// before there was an answer, the outcome is the last unit that the assistant wrote during its work and that names
// something. The line is "" if the user rejected the answer and hadn't asked a question. full means that the line may
// contain further parts of the answer.
func (t *turn) outcome(most int, full bool) turnOutcome {
	if deeds := t.deedsWithAnswer(most); len(deeds) > 0 {
		return turnOutcome{said: deeds[len(deeds)-1].of, line: joinDeeds(deeds), deeds: deeds}
	}
	for _, prose := range []bool{true, false} {
		if u, line := t.answerLine(most, prose, full); line != "" {
			return turnOutcome{said: u, line: line}
		}
	}
	answered := t.has(func(u *unit) bool { return u.kind == answerUnit })
	for n := range slices.Backward(t.units) {
		if u := &t.units[n]; !answered && u.kind == saidUnit && u.factor >= ofSaid && len(u.text) >= leastFinding && namesMore(u.text) {
			return turnOutcome{said: u, line: outcomeOf(u, introOf(u)+u.text, saidLabel, most)}
		}
	}
	return turnOutcome{}
}

// answerLine returns the unit of the answer that is its outcome, and a line of up to most bytes that begins with it.
// said is nil and line is "" if there is no such unit. prose means that tables and code don't count. full means that
// the rest of the answer follows if there is room. If the user chose an option of the answer, the line begins with it.
func (t *turn) answerLine(most int, prose, full bool) (said *unit, line string) {
	asks := hasQuestionMark(t.request)
	for n := t.chosenOption(); n < len(t.units); n++ {
		u := &t.units[n]
		if u.kind != answerUnit || t.contested && u.beside || u.factor <= ofAnnounced || !asks && (t.contested || !u.saysMore()) || prose && (u.isCode() || u.isTable()) {
			continue
		}
		text := t.answerFrom(n, most)
		switch {
		case full && len(text) < most:
			text = t.fullAnswer(n, most)
		case !full && len(text) > most:
			text = declining(text, most)
		}
		if line := outcomeOf(u, text, answerLabelOf(t, u), most); line != "" {
			return u, line
		}
	}
	return nil, ""
}

// saysMore reports whether a unit that answers a request other than a question contains a result: it names something,
// or is a statement of some length.
func (u *unit) saysMore() bool {
	return namesMore(u.text) || unspacedText(u.text) || len(u.text) >= leastFinding && !hasQuestionMark(u.text)
}

// outcomeOf returns the line of a unit that is an outcome, with the text said, or "" if too little of it fits into most
// bytes. label is the word before the text, or "".
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

// withoutNumber removes the number of a list item from the end of a clipped text if the item itself was cut off: "It
// needs: 1. a door; 2. …". Any other text is returned unchanged.
func withoutNumber(said string) string {
	head, found := strings.CutSuffix(said, ". …")
	rest := strings.TrimRight(head, "0123456789")
	if !found || rest == head {
		return said
	}
	return strings.TrimRight(rest, " ;:") + " …"
}
