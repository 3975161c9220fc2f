package digest

import "slices"

// followUp is what the user's next request says of the entry that it ends.
type followUp struct {
	request string // the request
	meant   []int  // as in turn.meant
	chooses bool   // whether it chooses one of several options
	accepts bool   // whether it accepts what was proposed
	trouble bool   // whether it reports that something doesn't work
}

// weigh sets the weight of unit u, at index n. final means that the unit is in the last message of the entry. answers
// reports whether the request accepts the unit, and nothing else: a question or a point of a list.
func (f *followUp) weigh(u *unit, n int, final bool) (answers bool) {
	switch {
	case f.trouble && claims(u.whole()):
		if u.factor /= 4; !namesMore(u.text) {
			u.factor = isDropped
		}
	case slices.Contains(f.meant, n) && !isSpent(u.text):
		u.factor = ofProposal
		return f.accepts && len(f.meant) == 1 && (u.item > 0 || hasQuestionMark(u.text))
	case f.chooses && len(f.meant) > 0 && u.option() > 0: // an option that the user didn't choose
		u.factor /= 4
	case f.accepts && final && u.item > 0: // a point of a list that the user accepts
		u.factor = u.factor * 3 / 2
	case len(f.meant) > 0 && isEmptyQuestion(u.text):
		u.factor = isDropped
	default:
		u.dropSpent(f.request)
	}
	return false
}

// entryEnd is what the end of an entry knows of its units when it weighs them, from the last one to the first.
type entryEnd struct {
	last      bool // whether this is the last entry
	answered  bool // whether the entry has an answer
	overtaken bool // whether an answer or more work follows the announcements
	said      int  // as in turn.countSaid

	newerSaid, newerThoughts int // how many statements and thoughts count as newer than the current unit
}

// isOver reports whether a unit lost its meaning when the turn ended, as an announcement does. final means that the
// unit is the last one of the entry.
func (e *entryEnd) isOver(u *unit, final bool) bool {
	switch u.factor {
	case ofAnnounced:
		return e.overtaken || !e.last || !final
	case ofProbe:
		return !e.last
	case ofRemark:
		return e.answered && len(u.text) < shortRemark || !e.last && len(u.text) < shortRemark/2
	case ofPrediction:
		return u.kind == answerUnit && !e.last
	}
	return false
}

// isMinor reports whether a statement made during the work only reports one of many steps, or guesses or remarks on
// something that many newer statements follow.
func (e *entryEnd) isMinor(u *unit) bool {
	if u.kind != saidUnit {
		return false
	}
	return e.answered && e.said > newSaid && !names(u.text) ||
		e.newerSaid > 2*newSaid && (guesses(u.text) || u.factor == ofRemark && len(u.text) < shortRemark)
}

// weigh sets the weight of a unit that remains: statements and thoughts that newer ones follow weigh less, and an
// answer that leaves something open weighs more.
func (e *entryEnd) weigh(u *unit) {
	switch u.kind {
	case answerUnit:
		if e.last && saysOpen(u.whole()) {
			u.factor = max(u.factor, ofOpen)
		}
	case saidUnit:
		u.factor = olderThan(u.factor, e.newerSaid, newSaid)
		if !e.answered {
			e.newerSaid++
		}
	case thoughtUnit:
		u.factor = olderThan(u.factor, e.newerThoughts, newThoughts)
		e.newerThoughts++
	}
}
