package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// scriptFiles holds the programs that scripts wrote to files, and the changed copies of files that these programs wrote.
type scriptFiles struct {
	programs critbit.Map[program]  // by path as given in the script
	drafts   critbit.Map[[]change] // by path
}

// program is a program that a script wrote to a file.
type program struct {
	code    string   // the text of the program
	read    bool     // whether the code has been read for its changes
	changes []change // what the program changes in files
	done    bool     // whether these changes have been made; another run of the program only repeats them
}

// changesOnce returns the changes that a run of the program makes. It reads the code only at the first run, so that a
// program which runs many times costs no more than its size.
func (p *program) changesOnce() []change {
	if !p.read {
		if p.read = true; mayWrite(p.code) {
			p.changes = changesByCode(p.code)
		}
	}
	return p.changes
}

// missingSigns lists phrases, in lower case, with which a program reports that it didn't find what it should replace.
var missingSigns = substringsOf("not found|could not find|couldn't find|cannot find|can't find|no match|not replaced|nothing to replace|no changes|not applied|traceback (most recent")

// ran calls changed for each change to a file by a program that a shell script runs, and copied for
// each file that the script copies. failed reports whether the script failed. A change has no lines
// if these are unknown, or if the output says that something was not found. ran also stores the
// programs that the script writes to files.
func (s *scriptFiles) ran(script string, failed func() bool, output func() string, changed func(c *change), copied func(from, to string)) {
	copies := strings.Contains(script, "cp ") || strings.Contains(script, "mv ")
	if s.programs.Len() == 0 && !copies && !mayWrite(script) {
		return
	}
	rest := script
	if strings.Contains(script, "<<") {
		rest = withoutWritten(script, func(path, body string) {
			if mayWrite(body) {
				s.programs.Set(strings.Clone(path), program{code: body})
			}
		})
	}
	_, docs := cutHeredocs(rest)
	missing := s.missing(output)
	left := strings.Count(rest, "\n") + strings.Count(rest, "&&") + strings.Count(rest, ";")
	eachCommand(rest, func(words []string) {
		if from, to := copyOf(words); from != "" {
			s.copied(words[0], from, to, changed, copied)
			return
		}
		p, ok := s.programIn(words)
		if ok && p == nil && docs != nil {
			p, docs = &program{code: strings.Join(docs, "\n")}, nil
		}
		if p == nil || p.done || len(p.changesOnce()) == 0 || left == 0 && failed() {
			return
		}
		for _, c := range p.changes {
			s.changes(&c, missing, changed)
		}
		p.done = !missing()
	}, func(string) {})
}

// missing returns a function that reports whether an output says that something was not found. That
// function reads the output once, when it is first called.
func (s *scriptFiles) missing(output func() string) func() bool {
	known, found := false, false
	return func() bool {
		if !known {
			known, found = true, missingSigns.inAnyCase(endsOf(output()))
		}
		return found
	}
}

// changes calls changed for a change that a program makes. The change loses its lines if missing
// returns true. If the program writes a file that it hasn't read, with replaced lines but unknown
// content, the file is a changed copy of another one; changes stores it until a command copies it.
// It ignores other files with unknown content.
func (s *scriptFiles) changes(c *change, missing func() bool, changed func(c *change)) {
	switch {
	case c.created && c.content == "":
		if len(c.added)+len(c.removed) > 0 {
			draft := *c
			draft.created = false
			s.drafts.Set(strings.Clone(c.path), []change{draft})
		}
		return
	case missing():
		*c = change{path: c.path}
	}
	changed(c)
}

// copied handles a command (cp or mv) that copies or moves the file from to the file to. If from is
// a changed copy that a program wrote, it calls changed for each change, now made to the file to.
// Otherwise, it calls the function copied if the command is cp.
func (s *scriptFiles) copied(command, from, to string, changed func(c *change), copied func(from, to string)) {
	draft, found := s.drafts.Get(from)
	if !found {
		if command == "cp" {
			copied(from, to)
		}
		return
	}
	for _, c := range draft {
		c.path = to
		changed(&c)
	}
}

// programIn returns the program that a command passes to an interpreter. ok means that the command runs an interpreter;
// the program is nil if it comes from the standard input or isn't known.
func (s *scriptFiles) programIn(words []string) (p *program, ok bool) {
	at := slices.IndexFunc(words[:min(len(words), 4)], func(w string) bool { return interpreters.has(fileName(w)) })
	if at < 0 {
		return nil, false
	}
	for n, w := range words[at+1:] {
		if (w == "-c" || w == "-e") && at+n+2 < len(words) {
			return &program{code: words[at+n+2]}, true
		}
		if s.programs.Has(w) {
			return s.programs.At(w), true
		}
	}
	return nil, true
}

// copyOf returns the name of the file that a command copies or moves (from), and its new name (to).
// Both are "" for any other command, and if it copies folders or several files.
func copyOf(words []string) (from, to string) {
	if words[0] != "cp" && words[0] != "mv" {
		return "", ""
	}
	var names []string
	files(words[1:], 0, func(name string) { names = append(names, name) })
	if len(names) != 2 || strings.HasSuffix(names[1], "/") || names[1] == "." || strings.ContainsAny(strings.Join(words[1:], " "), "$*") ||
		slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") && strings.ContainsAny(w, "rR") }) {
		return "", ""
	}
	return names[0], names[1]
}

// isBackup reports whether a copy is named like the file that it was made from, with something added to the name.
func isBackup(from, to string) bool {
	name := fileName(from)
	return strings.HasPrefix(fileName(to), name) && len(fileName(to)) > len(name) || thrownAway(to)
}

// spareMarks lists what is added to the name of a copy that is made as a precaution.
var spareMarks = []string{"bak", "backup", "orig", "old", "save", "copy", "tmp", "~"}

// isSpare reports whether a copy is a backup by its name or its folder.
func isSpare(from, to string) bool {
	if !isBackup(from, to) {
		return false
	}
	added, _ := strings.CutPrefix(fileName(to), fileName(from))
	return thrownAway(to) || hasAny(lower(added), spareMarks)
}

// copied is a copy of a file: the file's path, and the place in the log at which the copy was made.
type copied struct {
	of string // the path of the original
	at place  // the place in the log at which it was made
}

// rewrite adds the changes that the programs which a command runs make to files. It returns the
// files that the command restores from copies.
func (r *turnReader) rewrite(c *execution) (restored []string) {
	r.scripts.ran(c.whole, c.failed, func() string { return c.output }, func(change *change) {
		if change.path = inFolder(c.folder, change.path); len(change.removed)+len(change.added) > 0 {
			c.edits = true
			r.change(c.message, change)
		} else if !thrownAway(change.path) {
			c.rewrites = change.path
			r.touch(change.path, "changed")
		}
	}, func(from, to string) {
		from, to = inFolder(c.folder, from), inFolder(c.folder, to)
		if known, found := r.copies.Get(from); found && samePath(known.of, to) {
			if r.restore(to, known.at) {
				c.spares++
			}
			restored = append(restored, to)
			return
		}
		if isSpare(from, to) {
			c.spares++
		}
		r.copies.Set(strings.Clone(to), copied{strings.Clone(from), r.here()})
	})
	return restored
}

// restore marks the edits that were made to a file since a place in the log as taken back, and
// drops the commands since then that changed nothing else. It reports whether there were such
// changes and all of them are from the current turn.
func (r *turnReader) restore(path string, since place) bool {
	r.describeEdits()
	var spent reverted
	_, earlier := r.dropUnlogged(since, func(file string) bool { return samePath(path, file) }, &spent)
	earlier = earlier || len(r.commits) > 0
	r.eachChange(place{turn: -1}, func(u *unit, at place) {
		switch {
		case u.undone || !samePath(path, u.source):
		case at.turn > since.turn || at.turn == since.turn && at.unit >= since.unit:
			u.undone, u.factor = true, u.factor/2
			spent.add(at)
		default:
			earlier = true
		}
	})
	if !earlier {
		r.touch(path, undoneVerb)
		r.state.takenBack(path)
	}
	return spent.within(len(r.turns) - 1)
}
