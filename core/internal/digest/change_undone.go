package digest

import (
	"slices"
	"strings"
)

// undoneNote follows the description of an edit that was reverted later.
const undoneNote = " (taken back later)"

// undoneVerb is the history of files whose uncommitted edits were reverted by a command.
const undoneVerb = "taken back"

// mostTakenBack is the maximum number of units, newest first, that are searched for edits that a command reverts.
const mostTakenBack = 1024

// restoredBy returns the files whose uncommitted edits a script reverts with git. all means that it reverts every file.
// paths is nil if it reverts none by name.
func restoredBy(script string) (paths []string, all bool) {
	eachCommand(script, func(words []string) {
		if len(words) < 3 || words[0] != "git" {
			return
		}
		rest := words[2:]
		switch words[1] {
		case "checkout":
		case "restore":
			if slices.Contains(rest, "--staged") && !slices.Contains(rest, "--worktree") {
				return
			}
		case "reset":
			all = all || slices.Contains(rest, "--hard")
			return
		default:
			return
		}
		for _, name := range rest {
			if all = all || name == "."; name != "" && name[0] != '-' {
				paths = append(paths, name)
			}
		}
	}, func(string) {})
	return paths, all
}

// takeBack marks the uncommitted edits that a script reverts or stashes, and unmarks those that it
// restores from the stash. It ignores names that aren't those of edited files, such as the name of
// a branch. bad means that the script failed, so takeBack does nothing. It reports whether the
// script reverts edits, all of them from the current turn.
func (r *turnReader) takeBack(script string, bad bool) bool {
	if bad || !strings.Contains(script, "git ") {
		return false
	}
	paths, all := restoredBy(script)
	stashes, pops := stashedBy(script)
	if pops {
		r.unstash()
	}
	if len(paths) == 0 && !all && !stashes {
		return false
	}
	commit := place{turn: -1}
	if len(r.commits) > 0 {
		commit = r.commits[len(r.commits)-1]
	}
	var spent reverted
	named := func(file string) bool {
		return all || slices.ContainsFunc(paths, func(path string) bool { return samePath(path, file) })
	}
	if !stashes {
		dropped, _ := r.dropUnlogged(commit, named, &spent)
		for _, path := range dropped {
			if len(r.commits) == 0 {
				r.touch(path, undoneVerb)
				r.state.takenBack(path)
			}
		}
	}
	r.describeEdits()
	r.eachChange(commit, func(u *unit, at place) {
		if u.undone || !stashes && !named(u.source) {
			return
		}
		spent.add(at)
		u.undone, u.factor = true, u.factor/2
		if r.state.takenBack(u.source); stashes {
			r.stashed = append(r.stashed, at)
		} else if len(r.commits) == 0 { // otherwise a commit may contain other changes to the file
			r.touch(u.source, undoneVerb)
			r.state.takenBack(u.source)
		}
	})
	return !stashes && spent.within(len(r.turns)-1)
}

// reverted counts the changes that a command reverts.
type reverted struct {
	count  int // number of changes
	oldest int // the turn of the oldest of them
}

// add counts the change at a place.
func (s *reverted) add(at place) {
	if s.count == 0 || at.turn < s.oldest {
		s.oldest = at.turn
	}
	s.count++
}

// within reports whether there are changes, and none of them is older than a turn.
func (s *reverted) within(turn int) bool { return s.count > 0 && s.oldest >= turn }

// unloggedEdit is a command that did nothing but change a file in a way that the log doesn't describe.
type unloggedEdit struct {
	path string // the file, as the command spells it
	at   place  // its unit
	runs bool   // it ran a program of the agent
}

// dropUnlogged drops the commands since a place that changed nothing but one of the named files,
// because the file was restored. If such a command ran a program that the agent had written, it
// marks the run as taken back instead. It counts these commands in spent, and returns their files,
// in which a file may occur several times. earlier means that a command before that place had
// changed a named file.
func (r *turnReader) dropUnlogged(since place, named func(path string) bool, spent *reverted) (paths []string, earlier bool) {
	from := max(0, len(r.unlogged)-mostTakenBack)
	recent := r.unlogged[from:]
	rest := r.unlogged[:from]
	for _, c := range recent {
		switch {
		case !named(c.path):
			rest = append(rest, c)
			continue
		case c.at.turn < since.turn || c.at.turn == since.turn && c.at.unit < since.unit:
			earlier = true
			rest = append(rest, c)
			continue
		}
		spent.add(c.at)
		if u := r.unitAt(c.at); c.runs && u.factor != isDropped {
			u.text += undoneNote
			u.factor /= 4
		} else {
			u.factor = isDropped
		}
		paths = append(paths, c.path)
	}
	r.unlogged = rest
	return paths, earlier
}

// stashedBy reports whether a script puts all uncommitted edits into git's stash, and whether it restores edits from
// the stash. If it restores what it has stashed itself, both results are false.
func stashedBy(script string) (stashes, pops bool) {
	eachCommand(script, func(words []string) {
		if len(words) < 2 || words[0] != "git" || words[1] != "stash" {
			return
		}
		sub := ""
		if len(words) > 2 {
			sub = words[2]
		}
		switch {
		case sub == "pop" || sub == "apply":
			pops = !stashes
			stashes = false
		case sub == "push" || sub == "save" || sub == "" || sub[0] == '-':
			stashes = !slices.Contains(words, "--") // after --, it names files
		}
	}, func(string) {})
	return stashes, pops
}

// unstash unmarks the edits that were in git's stash.
func (r *turnReader) unstash() {
	for _, at := range r.stashed {
		if u := &r.turns[at.turn].units[at.unit]; u.undone {
			u.undone, u.factor = false, 2*u.factor
			r.state.edited = append(r.state.edited, u.source)
		}
	}
	r.stashed = nil
}

// undoEdit marks the last edit of a file as reverted by an editing tool.
func (r *turnReader) undoEdit(path string) {
	r.describeEdits()
	found := false
	r.eachChange(place{turn: -1}, func(u *unit, _ place) {
		if !found && !u.undone && samePath(path, u.source) {
			found, u.undone, u.factor = true, true, u.factor/2
		}
	})
}

// dropChanges drops the edits of a file that has been deleted.
func (r *turnReader) dropChanges(path string) {
	r.eachChange(place{turn: -1}, func(u *unit, at place) {
		if samePath(path, u.source) {
			r.drop(at)
		}
	})
}

// eachChange calls see for each change that isn't dropped, newest first, as far back as the place
// after, which it excludes. It examines at most mostTakenBack units.
func (r *turnReader) eachChange(after place, see func(u *unit, at place)) {
	left := mostTakenBack
	for i := len(r.turns) - 1; i >= max(0, after.turn); i-- {
		units := r.turns[i].units
		for n := len(units) - 1; n >= 0 && left > 0 && (i > after.turn || n > after.unit); n-- {
			if left--; units[n].kind == changeUnit && units[n].factor != isDropped && units[n].message >= 0 {
				see(&units[n], place{i, n})
			}
		}
	}
}

// samePath reports whether two paths may name the same file: they are equal apart from a leading
// "./", or one of them is the end of the other.
func samePath(a, b string) bool {
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// takenBack removes a file from the list of files that were edited since the last commit.
func (s *endState) takenBack(path string) {
	s.edited = slices.DeleteFunc(s.edited, func(edited string) bool { return edited == path })
}
