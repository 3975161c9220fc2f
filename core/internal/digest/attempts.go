package digest

import (
	"slices"
	"strings"
)

// A failed attempt is as useful to know as a successful one, because the next agent needn't try it again. So failed
// attempts stay in the entry together with their causes, even if the command succeeds later.

// attempts describes the failed runs of one command within a turn.
type attempts struct {
	n      int     // the number of failed runs
	causes []cause // why they failed, oldest first; runs that failed in the same way share a cause
	at     int32   // the message in which the assistant last said something about a failure
}

// cause is the reason why a run failed: what the command printed, and what the assistant said about it. Either may be
// empty. asserts means that a failed test printed it.
type cause struct {
	printed, said string
	asserts       bool
}

// add counts another failed run and records its cause.
func (a *attempts) add(run *run) {
	a.n++
	now := cause{asserts: run.asserts}
	if low := lower(run.failure); len(low) <= quotedChange || troubles.in(low) {
		now.printed = clipLine(run.failure, quotedChange)
	}
	last := a.last()
	switch {
	case last == nil || last.printed != "" && now.printed != "" && last.printed != now.printed:
		a.causes = append(slices.Clip(a.causes), now)
	case last.printed == "":
		last.printed, last.asserts = now.printed, now.asserts
	}
}

// last returns the cause of the last failure, or nil if nothing failed.
func (a *attempts) last() *cause {
	if len(a.causes) == 0 {
		return nil
	}
	return &a.causes[len(a.causes)-1]
}

// explained reports whether the assistant said why a run failed. A failure without an explanation may be just a typo.
func (a *attempts) explained() bool {
	return slices.ContainsFunc(a.causes, func(c cause) bool { return c.said != "" })
}

// said returns what the assistant said about the last failure, or "".
func (a *attempts) said() string {
	if last := a.last(); last != nil {
		return last.said
	}
	return ""
}

// mostSaidOf is the maximum number of bytes quoted from the assistant's words about a failed run or an edit. mostCauses
// is the total length of causes, in bytes, beyond which older causes are omitted.
const (
	mostSaidOf = 240
	mostCauses = 400
)

// note returns a description of the attempts in parentheses, which follows the text about the successful run. tests
// lists the tests that failed; it may be empty.
func (a *attempts) note(tests string) string {
	text := attemptsNote + "it failed"
	switch {
	case tests != "":
		text = attemptsNote + "these failed: " + Fence(tests)
	case a.n > 1:
		text += " " + itoa(a.n) + " times"
	}
	why := ""
	for _, c := range slices.Backward(a.causes) {
		if tests != "" && !c.asserts { // the names say more than the output
			c.printed = ""
		}
		said := c.text()
		if why != "" && len(said)+len(why) > mostCauses {
			break
		}
		if said != "" && why != "" {
			why = thenMark + strings.TrimPrefix(why, causeMark)
		}
		why = said + why
	}
	return text + why + ")"
}

// causeMark precedes the output of a failed run. thenMark precedes the cause of a later failure.
const (
	causeMark = ": "
	thenMark  = "; then: "
)

// text returns a description of the cause, beginning with a separator, or "" if the cause is unknown.
func (c *cause) text() (text string) {
	if c.printed != "" {
		text = causeMark + Fence(c.printed)
	}
	if c.said != "" {
		text += "; " + saidLabel + c.said
	}
	return text
}

// attemptsNote begins the note about failed attempts.
const attemptsNote = " (before that, "

// explained reports whether u, the assistant's words at the beginning of a message, is about a command that failed
// shortly before. If so, it adds the words to that command's unit.
func (r *turnReader) explained(u *unit) bool {
	units := r.now().units
	n := len(units) - 1
	if n > 0 && units[n].kind == ranUnit && units[n].failed.n == 0 { // it only inspected the outcome
		n--
	}
	if n < 0 || units[n].failed.n == 0 || units[n].factor == isDropped || u.item > 0 || announces(u.text) || isStep(u.text) || saysLittle(u.text) {
		return false
	}
	failed, near := &units[n].failed, int32(2)
	why := failed.last()
	clear := reportsTrouble(u.text) || why.said != "" && failed.at == u.message
	if clear { // a command in between may have shown the reason
		near = 4
	}
	if u.message-units[n].message > near || len(why.said)+len(u.text) > mostSaidOf || !clear && (!failedIn(units[n].text) || leans(u.text) && !names(u.text)) {
		return false
	}
	if why.said != "" && failed.at != u.message { // about an earlier run that failed in the same way
		why.said = ""
	} else if why.said != "" {
		why.said += joinOf(why.said)
	}
	why.said, failed.at = why.said+u.text, u.message
	return true
}

// endAttempt adds the assistant's explanation to the text of a unit whose command failed and was not repeated.
func (u *unit) endAttempt() {
	said := u.failed.said()
	if said == "" || u.factor == isDropped {
		return
	}
	if message, found := strings.CutPrefix(u.text, committedVerb); found {
		u.text = "tried to commit “" + message
	}
	u.text += " (" + saidLabel + said + ")"
	u.factor = max(u.factor, ofFailure)
}

// inVain reports whether u says that the preceding command had no effect although it printed no error. If so, it adds
// these words to the command's unit. If the command has no unit because it wasn't worth one, it adds the unit.
func (r *turnReader) inVain(u *unit) bool {
	silent, units := r.silent, r.now().units
	command := &silent
	if n := len(units) - 1; n >= 0 && units[n].kind == ranUnit && units[n].message >= silent.message {
		command = &units[n]
	}
	r.silent = unit{}
	if command.text == "" || u.message-command.message > 2 || !leans(u.text) || !reportsTrouble(u.text) {
		return false
	}
	command.text += " (" + saidLabel + u.text + ")"
	command.factor = max(command.factor, ofFailure)
	if command == &silent {
		r.add(silent)
	}
	return true
}
