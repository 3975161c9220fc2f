package digest

import (
	"cmp"
	"slices"
	"strings"
)

// What an agent tried in vain is as useful as what worked: it saves the next one from trying it again. So an attempt
// that failed stays in the entry together with its reason, even if the command succeeds later.

// attempts describes the failed runs of one command within a turn.
type attempts struct {
	n      int    // their number
	reason string // what the last one printed
	said   string // what the assistant said about it
	at     int32  // the message in which it said so
	before string // what the assistant last said about an earlier one
}

// add counts one more failed run.
func (a *attempts) add(run *run) {
	a.n++
	a.before, a.said = cmp.Or(a.said, a.before), ""
	a.reason = ""
	if low := lower(run.failure); len(low) <= quotedChange || slices.ContainsFunc(troubles, func(s string) bool { return strings.Contains(low, s) }) {
		a.reason = clipLine(run.failure, quotedChange)
	}
}

// mostSaidOf is the maximum length, in bytes, of what is quoted of the assistant's words about a failed run.
const mostSaidOf = 240

// note describes the attempts; it follows the text about the run that succeeded. tests lists the tests that
// failed; it may be empty.
func (a *attempts) note(tests string) string {
	text := attemptsNote
	switch {
	case tests != "":
		text += "these failed: " + Fence(tests)
	case a.n == 1:
		text += "it failed"
	default:
		text += "it failed " + itoa(a.n) + " times"
	}
	if tests == "" && a.reason != "" {
		text += ": " + Fence(a.reason)
	}
	if said := cmp.Or(a.said, a.before); said != "" {
		text += "; " + saidLabel + said
	}
	return text + ")"
}

// attemptsNote begins the note about failed attempts.
const attemptsNote = " (before that, "

// explained reports whether the assistant's words at the beginning of a message are about a command that failed just
// before. It adds them to the command.
func (r *turnReader) explained(u *unit) bool {
	units := r.now().units
	n := len(units) - 1
	if n > 0 && units[n].kind == ranUnit && units[n].failed.n == 0 { // a look at what came of it
		n--
	}
	if n < 0 || units[n].failed.n == 0 || units[n].factor == isDropped || u.item > 0 || announces(u.text) || isStep(u.text) || saysLittle(u.text) {
		return false
	}
	failed, near := &units[n].failed, int32(2)
	clear := reportsTrouble(u.text) || failed.said != "" && failed.at == u.message
	if clear { // a command in between may have shown it
		near = 4
	}
	if u.message-units[n].message > near || len(failed.said)+len(u.text) > mostSaidOf || !clear && (!failedIn(units[n].text) || leans(u.text) && !names(u.text)) {
		return false
	}
	if failed.said != "" {
		failed.said += joinOf(failed.said)
	}
	failed.said, failed.at = failed.said+u.text, u.message
	return true
}

// endAttempt completes the text of a unit about a command that failed and was not repeated.
func (u *unit) endAttempt() {
	if u.failed.said == "" || u.factor == isDropped {
		return
	}
	if message, found := strings.CutPrefix(u.text, committedVerb); found {
		u.text = "tried to commit “" + message
	}
	u.text += " (" + saidLabel + u.failed.said + ")"
	u.factor = max(u.factor, ofFailure)
}

// inVain reports whether u says that the command just before it didn't work, although it printed no error. It adds the
// words to the command, and the command to the entry if it wasn't worth a unit.
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
