package digest

import (
	"bytes"
	"slices"
	"strings"
)

// deedLine is a line about a call that changed something outside of the conversation, or failed to, or about several
// calls of one tool. of is its unit.
type deedLine struct {
	of   *unit
	line string
}

// mostDeeds is the maximum number of such lines in the outcome of a turn.
const mostDeeds = 3

// usualDeed is the length, in bytes, up to which such a line may be longer than that of an answer: what a call did is
// worth more than the beginning of an answer.
const usualDeed = 160

// mostDeed returns the maximum length of such a line if that of an answer is most bytes.
func mostDeed(most int) int { return max(most, min(usualDeed, most*8/5)) }

// deeds returns a line for the last call of each tool that changed something outside of the conversation, oldest first.
// A line has up to most bytes, twice as many for several calls. A failed call has none if its tool succeeded later.
func (t *turn) deeds(most int) (lines []deedLine) {
	var tools []string
	for n := range slices.Backward(t.units) {
		u := &t.units[n]
		if u.kind != ranUnit || u.factor != ofDeed && u.factor != ofFailedDeed {
			continue
		}
		tool, _, _ := strings.Cut(strings.TrimPrefix(u.text, calledVerb), "(")
		if u.batch {
			tool, _, _ = strings.Cut(tool, " ")
		}
		if len(lines) == mostDeeds || slices.Contains(tools, tool) {
			continue
		}
		tools = append(tools, tool)
		lines = append(lines, deedLine{u, entryBullet + u.deed(most) + t.moreDeeds(n) + "\n"})
	}
	slices.Reverse(lines)
	return lines
}

// deedsWithAnswer returns what deeds returns, for an entry whose answer may have most bytes. If the
// last call is too long for its line, and the answer has a number that the call lacks, such as that
// of a booking, then the line is shortened, and a line with the answer follows. Where room is
// shortest, the answer replaces the line. If the last call failed, an answer with a new number
// follows as well, because it says what to do instead. The result is nil if there are no such
// calls.
func (t *turn) deedsWithAnswer(most int) []deedLine {
	lines := t.deeds(mostDeed(most))
	if len(lines) == 0 {
		return nil
	}
	last := &lines[len(lines)-1]
	least := most == outcomeLengths[len(outcomeLengths)-1]
	if last.of.factor == ofFailedDeed {
		if u, line := t.answerLine(most, true, false); u != nil && !least && hasNewNumber(line, last.of.text) {
			lines = append(lines, deedLine{u, line})
		}
		return lines
	}
	called, returned, _ := strings.Cut(last.of.text, ")"+returnedArrow)
	if last.of.batch || len(called) <= mostDeed(most) || namesMore(returned) {
		return lines
	}
	if u, line := t.answerLine(most, true, false); u != nil && hasNewNumber(line, called) {
		if least {
			*last = deedLine{u, line}
			return lines
		}
		last.line = entryBullet + last.of.deed(mostDeed(most)/2) + "\n"
		lines = append(lines, deedLine{u, line})
	}
	return lines
}

// hasNewNumber reports whether text has a word with a digit that known doesn't contain.
func hasNewNumber(text, known string) bool {
	for word := range strings.FieldsSeq(text) {
		if word = strings.Trim(word, ".,;:!?()"); strings.ContainsAny(word, "0123456789") && !strings.Contains(known, word) {
			return true
		}
	}
	return false
}

// deed returns the text of a unit about a call in up to most bytes. If the call is too long, deed returns the beginnings
// of its arguments and of its result.
func (u *unit) deed(most int) string {
	switch {
	case u.batch:
		return clipList(u.text, 2*most)
	case len(u.text) <= most:
		return u.text
	}
	for _, mark := range []string{failedArrow, returnedArrow} {
		if called, returned, found := strings.Cut(u.text, ")"+mark); found {
			room := most / 2
			if mark == failedArrow { // the error is worth more than the arguments
				room = most * 3 / 4
			}
			returned = clipWords(returned, room)
			return clipArguments(called, most-len(mark)-len(returned)) + ")" + mark + returned
		}
	}
	return clipArguments(u.text, most)
}

// returnedArrow separates a call from its result in a line of the log.
const returnedArrow = " → "

// joinDeeds returns all lines as one text.
func joinDeeds(deeds []deedLine) (lines string) {
	for i := range deeds {
		lines += deeds[i].line
	}
	return lines
}

// appendDeeds appends those lines to b whose units aren't in the entry that begins at byte body.
func appendDeeds(b []byte, body int, deeds []deedLine) []byte {
	for i := range deeds {
		if !bytes.Contains(b[body:], []byte(deeds[i].of.text)) {
			b = append(b, deeds[i].line...)
		}
	}
	return b
}

// mostFailedBefore is the maximum length, in bytes, of the error in a note about an earlier call that failed, and
// failedWithin the number of units among which that call is searched.
const (
	mostFailedBefore = 80
	failedWithin     = 64
)

// failedBefore returns a note about the last call of a tool in the turn if that call failed, for
// the unit of a later call that succeeded. It drops the unit of the failed call, which the note
// replaces. It returns "" if the last call didn't fail, or there is none.
func (t *turn) failedBefore(tool string) string {
	recent := t.units[max(0, len(t.units)-failedWithin):]
	for n := range slices.Backward(recent) {
		u := &recent[n]
		if u.kind != ranUnit || !strings.HasPrefix(u.text, calledVerb+tool+"(") {
			continue
		}
		if _, why, found := strings.Cut(u.text, ")"+failedArrow+": "); found && u.factor == ofFailedDeed {
			u.factor = isDropped
			return " (failed before: " + clipWords(why, mostFailedBefore) + ")"
		}
		return ""
	}
	return ""
}

// moreDeeds returns a note about the calls of the same tool before unit n, or "" if there are none.
func (t *turn) moreDeeds(n int) string {
	tool, _, _ := strings.Cut(t.units[n].text, "(")
	count := 1
	for i := range t.units[:n] {
		if u := &t.units[i]; u.kind == ranUnit && u.factor == ofDeed && strings.HasPrefix(u.text, tool+"(") {
			count++
		}
	}
	if count == 1 {
		return ""
	}
	return " (the last of " + itoa(count) + " such calls)"
}

// clipList shortens a list whose items are separated by semicolons to most bytes, if possible between two items.
func clipList(list string, most int) string {
	if len(list) > most {
		cut := trimRune(list[:max(0, most-len("; …"))])
		if at := strings.LastIndex(cut, "; "); at > len(cut)/2 {
			return cut[:at] + "; …"
		}
	}
	return clipWords(list, most)
}

// clipArguments shortens the text of a call to about most bytes. It cuts between arguments. A short
// first argument stays if it names the object that the tool acts on.
func clipArguments(called string, most int) string {
	if len(called) <= most {
		return called
	}
	open := strings.IndexByte(called, '(') + 1
	first := len(called)
	if at := strings.Index(called[open:], ", "); at >= 0 {
		first = open + at
	}
	cut := trimRune(called[:max(0, most-len(" …"))])
	switch at := strings.LastIndex(cut, ", "); {
	case at > open:
		return cut[:at] + " …"
	case first < len(called) && first-open <= shortArgument && isObjectOf(strings.TrimPrefix(called[:open], calledVerb), called[open:]):
		return called[:first] + " …"
	case len(cut) < open+leastTail:
		return called[:open] + "…"
	}
	return clipWords(called, most)
}

// shortArgument is the maximum length, in bytes, of an argument with its name that stays although a call is clipped.
const shortArgument = 40
