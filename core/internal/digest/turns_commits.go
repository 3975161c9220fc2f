package digest

import (
	"slices"
	"strings"
)

// committedVerb begins a unit about a commit. committedAs separates the commit's message from its branch and hash.
const (
	committedVerb = "committed “"
	committedAs   = "” ("
)

// rewritten records a commit, and removes hashes that a command makes obsolete: the hash of the previous commit if it
// is amended, and the hashes of all commits after a rebase. A commit that is amended in the same turn is dropped
// entirely. A command that failed changes nothing.
func (r *turnReader) rewritten(run *run, output string) {
	amends := run.kind == commits && strings.Contains(run.script, "--amend")
	switch {
	case run.failed():
		return
	case amends && len(r.commits) > 0:
		last := r.commits[len(r.commits)-1]
		if r.commits = r.commits[:len(r.commits)-1]; last.turn == len(r.turns)-1 {
			r.drop(last)
		} else {
			r.replaced(last, "amended")
		}
	case run.kind == alters && strings.Contains(run.script, "rebase") && strings.Contains(output, "Successfully rebased"):
		for _, at := range r.commits {
			r.replaced(at, "rebased")
		}
		r.commits = nil
	default:
		r.undone(run, output)
	}
	if run.kind == commits {
		r.describeEdits()
		r.commits = append(r.commits, r.here())
	}
}

// replaced removes the branch and the hash of a commit from its unit, which is at the given place.
// Instead, it notes what the current turn did to the commit. verb is a word for that, such as
// "amended".
func (r *turnReader) replaced(at place, verb string) {
	u := &r.turns[at.turn].units[at.unit]
	if n := strings.LastIndex(u.text, committedAs); n >= 0 && strings.HasPrefix(u.text, committedVerb) {
		_, note, found := strings.Cut(u.text[n:], attemptsNote)
		u.text = u.text[:n] + committedAs + verb + " in [" + itoa(r.now().number) + "])"
		if found {
			u.text += attemptsNote + note
		}
	}
}

// mostUndone is the number of newest commits that are searched for those that a command undoes.
const mostUndone = 64

// undone marks the commits that a command undoes. A commit made by git revert becomes the newest one. If git refused
// the command, nothing changes.
func (r *turnReader) undone(run *run, output string) {
	back, reverts := takenBack(run)
	if len(back) == 0 && !reverts || refusedByGit(output) {
		return
	}
	old := r.commits[:max(0, len(r.commits)-mostUndone)]
	left := append([]place(nil), r.commits[len(old):]...)
	for _, name := range back {
		for n := len(left) - 1; n >= 0; n-- {
			at := left[n]
			if u := &r.turns[at.turn].units[at.unit]; !isCommit(u.text, name) || name == headName && (n < len(left)-1 || at.turn < len(r.turns)-2) {
				continue
			}
			r.turns[at.turn].units[at.unit].text += undoneMark + "in [" + itoa(r.now().number) + "])"
			if n == len(left)-1 {
				r.state.commit = dated{}
			}
			left = slices.Delete(left, n, n+1)
			break
		}
	}
	if r.commits = append(old, left...); reverts {
		r.commits = append(r.commits, r.here())
	}
}

// undoneMark begins the note about a commit that was undone.
const undoneMark = " (undone "

// headName is git's name for the newest commit on the current branch.
const headName = "HEAD"

// isCommit reports whether a unit's text is about the commit with the given hash or subject. If name is "HEAD", it
// reports whether the text is about any commit.
func isCommit(text, name string) bool {
	said, found := strings.CutPrefix(text, committedVerb)
	if !found || name == headName {
		return found
	}
	if isHash(name) {
		_, branch, _ := strings.Cut(said, committedAs)
		return strings.Contains(branch, " "+name[:leastHash])
	}
	name = Fence(clipWords(name, quotedSubject))
	rest, found := strings.CutPrefix(said, name)
	return found && (strings.HasPrefix(rest, "”") || strings.HasPrefix(rest, joinOf(name)))
}

// refusedByGit reports whether git's output says that git refused a command, or that conflicts remain.
func refusedByGit(output string) bool {
	for line := range strings.Lines(output[:min(len(output), lookResult)]) {
		if headedBy(line, []string{"error:", "fatal:", "conflict (", "usage:"}) {
			return true
		}
	}
	return false
}

// takenBack returns the commits that a command certainly undoes, each by its hash or its subject, or as "HEAD" if it is
// the newest one. reverts means that the command does so by making a commit.
func takenBack(run *run) (back []string, reverts bool) {
	if run.kind == commits {
		if subject, found := strings.CutPrefix(messageIn(run.script), `Revert "`); found {
			if subject, _, found = strings.Cut(subject, "\"\n"); !found {
				subject = strings.TrimSuffix(subject, `"`)
			}
			if subject = strings.TrimSpace(subject); subject != "" {
				back = append(back, subject)
			}
		}
		return back, false
	}
	eachCommand(run.script, func(words []string) {
		if len(words) < 3 || words[0] != "git" {
			return
		}
		switch last := words[len(words)-1]; {
		case words[1] == "reset" && (last == "HEAD~1" || last == "HEAD^" || last == "HEAD~"):
			back = append(back, headName)
		case words[1] == "revert":
			for _, name := range words[2:] {
				if name == headName || isHash(name) {
					back = append(back, name)
				}
				reverts = reverts || name != "" && name[0] != '-'
			}
		}
	}, func(string) {})
	return back, reverts
}

// leastHash is the number of digits in git's short commit hashes.
const leastHash = 7

// isHash reports whether a word is a commit hash, or the beginning of one.
func isHash(word string) bool {
	return len(word) >= leastHash && len(word) <= 40 && strings.Trim(word, "0123456789abcdef") == ""
}
