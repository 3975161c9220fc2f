package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// textResult adds what was done by the calls whose output is the text of message i.
func (r *turnReader) textResult(i int) {
	output := textOutput(r.t, i)
	for n, call := range r.called {
		said := ""
		if n == len(r.called)-1 { // one output covers all of them
			said = output
		}
		switch {
		case call.command != "":
			r.run(i, call.command, said, failedText(said))
		case useOf(call.tool) == edits:
			if failedText(said) {
				continue
			}
			for _, c := range call.changes(said) {
				r.change(i, &c)
			}
		case call.path != "":
			r.looked(i, call.path)
		}
	}
	r.called = nil
}

// run adds a command, and drops earlier runs of the same command in the turn.
func (r *turnReader) run(i int, script, output string, failed bool) {
	if script == "" {
		return
	}
	run := runOf(script, output, failed)
	output = withoutEnvelope(output)
	factor := ofCommand
	var files, changed []string
	folder := folderOf(script)
	shellFiles(script, func(path string) { files = addPath(files, inFolder(folder, path)) }, func(path string) {
		factor = max(factor, ofCheck/2)
		changed = addPath(changed, inFolder(folder, path))
	})
	_, docs := cutHeredocs(script)
	for _, doc := range docs {
		for _, c := range patchChanges(doc) {
			r.change(i, &c)
		}
	}
	bad := run.exit != "" && run.exit != "0"
	var written []string
	if docs != nil && !bad {
		rest := withoutWritten(script, func(path, body string) {
			written = append(written, inFolder(folder, path))
			if !thrownAway(path) {
				r.written.Set(strings.Clone(path), r.here())
			}
			r.change(i, &change{path: inFolder(folder, path), added: linesOf(body), created: true})
		})
		if rest != script {
			run.script, run.kind = withoutFolder(rest), kindOf(withoutFolder(rest))
		}
	}
	r.tries(run.script)
	gone := r.moved(i, script, folder, bad)
	r.removed(script, folder, bad, &gone)
	r.takeBack(script, bad)
	for _, path := range changed {
		if !gone.Has(path) && !slices.Contains(written, path) {
			r.touch(path, "changed")
		}
	}
	meant := bad && r.around.meant(r.t, i, script)
	if !meant {
		r.state.ran(&run, output, r.now().number)
	}
	part, _ := checkedPart(run.script)
	f := sameCommand(part)
	if meant {
		r.state.forget(f)
	}
	if bad && !meant && run.tests != "" {
		r.comesAgain("tests\x00"+f+"\x00"+run.tests, false)
	}
	again, failedBefore := false, false
	tests, before := run.tests, attempts{}
	at, found := r.ran.Get(f)
	if found {
		earlier := &r.turns[at.turn].units[at.unit]
		failedBefore = earlier.failed.n > 0 && (failedIn(earlier.text) || run.kind == commits) // a commit that prints no hash has failed, if the same one follows
		if again = run.kind == checks || failedBefore; again {
			r.drop(at)
			before = earlier.failed
			if tests == "" {
				tests = earlier.source
			}
		}
	}
	switch {
	case run.kind == looks && !bad && len(files) == 1:
		r.looked(i, files[0])
		return
	case run.kind == looks && !bad:
		if pattern := searchedFor(run.script); pattern != "" {
			r.found(i, pattern, output)
		} else if run.result != "" {
			r.add(unit{kind: ranUnit, message: int32(i), text: run.text(), factor: ofReading / 2})
		}
		return
	case !bad && run.result == "" && tidies(run.script):
		return
	case run.kind == looks, (run.kind == acts && !setsUp(run.script) || run.kind == checks && run.exit != "0") && !bad && run.result == "":
		r.silent = unit{kind: ranUnit, message: int32(i), text: run.text(), factor: ofFailure}
		return
	case run.kind == commits:
		factor = ofCommit
	case bad && run.kind == acts && isProbe(script):
		factor = ofProbe
	case bad:
		factor = ofFailure
	case run.kind == checks:
		factor = ofCheck
	case run.kind == acts && run.result != "":
		factor = ofTrial
	}
	text := run.text()
	if strings.HasPrefix(text, scriptVerb) && !bad && run.result == "" { // its comment states its purpose, not what it did
		factor = ofCommand / 2
	}
	if strings.HasSuffix(text, cutCommand) && !bad { // neither what it did nor what came of it
		r.silent = unit{kind: ranUnit, message: int32(i), text: text, factor: ofFailure}
		return
	}
	if meant {
		text += " (as intended)"
	}
	switch {
	case bad && !meant, run.kind == commits && run.result == "" && !blank(output) && !bad && !silenced(script): // git names a new commit
		before.add(&run)
	default:
		if failedBefore && !bad {
			text += before.note(tests)
		}
		before = attempts{}
	}
	r.rewritten(&run, output, bad)
	r.ran.Set(f, r.here())
	passes := run.kind == checks && !bad && !failedBefore
	r.add(unit{kind: ranUnit, message: int32(i), source: tests, text: text, factor: factor, passes: passes, failed: before})
}

// silenced reports whether a script may hide what a commit prints.
func silenced(script string) bool {
	return strings.Contains(script, " -q") || strings.Contains(script, "--quiet") || strings.ContainsAny(script, "|>")
}

// committedVerb begins a unit that reports a commit, and committedAs separates its message from its branch and hash.
const (
	committedVerb = "committed “"
	committedAs   = "” ("
)

// rewritten records a commit, and removes hashes that a command makes obsolete: the hash of the previous commit if it
// is amended, and those of all commits after a rebase. A commit that is amended in the same turn is dropped entirely.
func (r *turnReader) rewritten(run *run, output string, bad bool) {
	amends := run.kind == commits && strings.Contains(run.script, "--amend")
	switch {
	case bad:
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

// replaced removes a commit's branch and hash from the unit at a place, and adds what the current turn did to the
// commit.
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

// mostUndone is how many of the newest commits are searched for those that a command takes back.
const mostUndone = 64

// undone marks the commits that a command takes back. A commit that git revert makes becomes the newest one.
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
			r.turns[at.turn].units[at.unit].text += " (undone in [" + itoa(r.now().number) + "])"
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

// headName is git's name for the newest commit.
const headName = "HEAD"

// isCommit reports whether a unit's text is about the commit with the given hash or subject or, if the name is "HEAD",
// about any commit.
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

// refusedByGit reports whether git's output says that it refused a command, or that conflicts are left.
func refusedByGit(output string) bool {
	for line := range strings.Lines(output[:min(len(output), lookResult)]) {
		if headedBy(line, []string{"error:", "fatal:", "conflict (", "usage:"}) {
			return true
		}
	}
	return false
}

// takenBack returns the commits that a command certainly takes back, each as its hash or its subject, or as "HEAD" if
// it is the newest one. reverts means that the command makes a commit to do so.
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

// cutCommand ends the text of a long command that was cut off and about which nothing else is known.
const cutCommand = " …`"

// awayName returns the destination of a moved file in its shortest form: the new name or, if only the folder has
// changed, the new folder. For an absolute folder, it returns at most the last two names.
func awayName(m move) string {
	if name := fileName(m.to); name != fileName(m.from) {
		return name
	}
	folder := m.to[:len(m.to)-len(fileName(m.to))]
	if !strings.HasPrefix(folder, "/") {
		return folder
	}
	names := strings.Split(strings.Trim(folder, "/"), "/")
	return strings.Join(names[max(0, len(names)-2):], "/") + "/"
}

// setting lists words in commands that configure something.
var setting = wordListOf("configure config set enable disable install uninstall add remove init login link unlink use create delete update start stop deploy release publish grant revoke")

// setsUp reports whether a short command configures something, so that it matters although it prints nothing.
func setsUp(script string) bool {
	words, _ := simpleCommand(script, func(string) {})
	if len(words) < 3 || runners.has(words[0]) {
		return false
	}
	return slices.ContainsFunc(words[1:min(len(words), 4)], setting.has)
}

// interpreters lists programs that run a file.
var interpreters = wordListOf("python python2 python3 node deno bun tsx ts-node bash sh zsh ruby perl php rscript patch source")

// tries marks files that an earlier script wrote and this script runs, because such a file is more often a trial than a part of the work.
func (r *turnReader) tries(script string) {
	for n := 0; r.written.Len() > 0 && len(script) > 0 && n < 32; n++ {
		var words []string
		if words, script = simpleCommand(script, func(string) {}); len(words) < 2 || !interpreters.has(words[0]) {
			continue
		}
		for _, path := range words[1:] {
			if at, found := r.written.Get(path); found && at.unit < len(r.turns[at.turn].units) {
				if u := &r.turns[at.turn].units[at.unit]; u.kind == changeUnit {
					u.tried, u.factor = true, min(u.factor, ofCommand)
				}
			}
		}
	}
}

// tidying lists programs that only prepare the work of others.
var tidying = wordListOf("mkdir touch chmod chown cd export source pushd popd set")

// tidies reports whether all commands of a script only prepare other work, or move files, which have units of their
// own.
func tidies(script string) bool {
	for len(script) > 0 {
		var words []string
		if words, script = simpleCommand(script, func(string) {}); len(words) > 0 && !tidying.has(words[0]) && moveOf(words) == nil {
			return false
		}
	}
	return true
}

// isProbe reports whether a script contains the program that it runs: a throwaway experiment.
func isProbe(script string) bool {
	return strings.Contains(script, " -e ") || strings.Contains(script, " -c ") || strings.Contains(script, "<<")
}

// removed records that a script has deleted files, and adds their paths to gone. bad means that the script failed.
func (r *turnReader) removed(script, folder string, bad bool, gone *critbit.Map[struct{}]) {
	removesIn(script, func(path string) {
		path = inFolder(folder, path)
		if !bad && !thrownAway(path) {
			r.touch(path, goneVerb)
			r.dropChanges(path)
		}
		gone.Add(path)
	})
}

// moved adds one unit for each folder into which a script moves files, or for renamed files, and returns the new
// paths. bad means that the script failed.
func (r *turnReader) moved(i int, script, folder string, bad bool) (moved critbit.Map[struct{}]) {
	moves := movesIn(script)
	if bad || len(moves) == 0 {
		return moved
	}
	var into critbit.Map[[]string]
	var folders []string
	for _, m := range moves {
		if thrownAway(m.to) || thrownAway(m.from) {
			continue
		}
		m.from, m.to = inFolder(folder, m.from), inFolder(folder, m.to)
		moved.Add(m.to)
		r.touch(m.from, awayVerb+awayName(m))
		r.touch(m.to, "moved")
		if fileName(m.from) != fileName(m.to) {
			r.add(unit{kind: ranUnit, message: int32(i), text: Fence("moved " + m.from + " → " + m.to), factor: ofChange})
			continue
		}
		dir := m.to[:len(m.to)-len(fileName(m.to))]
		names := into.At(dir)
		if *names == nil {
			folders = append(folders, dir)
		}
		*names = append(*names, m.from)
	}
	for _, dir := range folders {
		names, _ := into.Get(dir)
		text := "moved "
		for n, name := range names {
			if n > 0 {
				text += ", "
			}
			if len(text)+len(name) > mostList {
				text += itoa(len(names)-n) + " more"
				break
			}
			text += name
		}
		r.add(unit{kind: ranUnit, message: int32(i), text: Fence(text + " to " + dir), factor: ofMoved})
	}
	return moved
}
