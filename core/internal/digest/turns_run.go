package digest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// textResult adds what was done by the calls whose output is the text of message i.
func (r *turnReader) textResult(i int) {
	output := textOutput(r.t, i)
	for n, call := range r.called {
		said := ""
		if n == len(r.called)-1 { // all calls share one output
			said = output
		}
		switch {
		case call.command != "":
			r.addTextCommand(i, call.command, said, failedText(said))
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

// execution is a command that ran, with its effects on files.
type execution struct {
	run
	message  int      // the index of the message with its output
	whole    string   // the script as it was written
	output   string   // without the lines that a tool puts around it
	folder   string   // the folder in which the script runs
	read     []string // the files that it reads
	changed  []string // the files to which it redirects output
	writes   bool     // it redirects output to files
	rewrites string   // a file that a program which it runs rewrites in an unknown way
	edits    bool     // a program which it runs edits files
	meant    bool     // it failed, as the assistant had intended
	over     bool     // it has ended, and its outcome is known
	spares   int      // how many of its programs only make or restore a copy of a file, or revert edits
}

// addTextCommand adds a command whose call was written as text, and whose output message i returned. failed means that
// the tool reported an error.
func (r *turnReader) addTextCommand(i int, script, output string, failed bool) {
	if script != "" {
		r.addOutcome(r.started(i, script, output, failed))
	}
}

// started returns the execution of a script, and records what the script does to files. failed means that the tool
// reported an error. i is the index of the message with the output.
func (r *turnReader) started(i int, script, output string, failed bool) *execution {
	output = knownOutput(script, output)
	c := execution{run: runOf(script, output, failed), message: i, whole: script, output: withoutEnvelope(output), folder: folderOf(script)}
	r.changeFiles(&c)
	return &c
}

// addOutcome adds a command that has ended, and drops earlier runs of the same command in the turn.
func (r *turnReader) addOutcome(c *execution) {
	i := c.message
	c.over = true
	c.meant = c.failed() && r.around.meant(r.t, i, c.whole)
	key := c.key()
	r.updateState(c, key)
	before, tests, overcame := r.earlierRun(c, key)
	r.passedToo(c, key)
	if !c.failed() && len(c.read) == 0 && searchedFor(c.script) == "" {
		if said := r.here(); c.kind == acts && c.result == "" {
			if r.printed(c); said == r.here() {
				c.result = glimpse(c.output)
			}
		} else {
			r.printed(c)
		}
	}
	switch {
	case c.kind == looks && !c.failed():
		r.inspected(c)
		return
	case !c.failed() && c.result == "" && tidies(c.script):
		return
	}
	if c.edits && !overcame && c.onlyEdits() {
		return // what it changed has units
	}
	if c.spares > 0 && !c.failed() && c.programs() <= c.spares {
		return // what it reverts is marked
	}
	text := c.text()
	if !overcame && c.rewrites == "" && c.isSilent(text) {
		r.silent = unit{kind: ranUnit, message: int32(i), text: text, factor: ofFailure}
		return
	}
	factor := c.factor(text)
	if overcame && (c.kind == checks || before.explained()) {
		factor = max(factor, ofOvercome)
	} else if overcame {
		factor = max(factor, ofTrial)
	}
	if c.meant {
		text += " (as intended)"
	}
	if c.rewrites != "" && !c.failed() {
		text += " (rewrites " + Fence(c.rewrites) + ")"
		factor = max(factor, ofCheck)
	}
	if c.failed() && !c.meant || c.lacksCommit() {
		before.add(&c.run)
	} else {
		if overcame {
			text += before.note(tests)
		}
		before = attempts{}
	}
	r.rewritten(&c.run, c.output)
	r.ran.Set(key, r.here())
	passes := c.kind == checks && !c.failed() && !overcame
	at := r.here()
	r.add(unit{kind: ranUnit, message: int32(i), source: tests, text: text, factor: factor, passes: passes, failed: before})
	if path := c.changesOnly(); path != "" && at.unit < len(r.now().units) {
		r.unlogged = append(r.unlogged, unloggedEdit{path, at, c.rewrites != ""})
	}
}

// changeFiles records what a command does to files. It removes from the script the heredocs that are written to files.
func (r *turnReader) changeFiles(c *execution) {
	shellFiles(c.whole, func(path string) { c.read = addPath(c.read, inFolder(c.folder, path)) }, func(path string) {
		c.changed, c.writes = addPath(c.changed, inFolder(c.folder, path)), true
	})
	_, docs := cutHeredocs(c.whole)
	r.patches.ran(c.whole, func() string { return c.output }, func(patch string) {
		for _, change := range patchChanges(patch) {
			r.change(c.message, &change)
		}
	})
	if !c.failed() {
		r.prompts(c.message, c.whole, docs)
	}
	var written []string
	if docs != nil && !c.failed() {
		written = r.writeHeredocs(c)
	}
	r.tries(c)
	restored := r.rewrite(c)
	gone := r.moved(c)
	for _, path := range restored {
		gone.Add(path)
	}
	r.removed(c, &gone)
	if r.takeBack(c.whole, c.failed()) {
		c.spares++
	}
	for _, path := range c.changed {
		if !gone.Has(path) && !slices.Contains(written, path) {
			r.touch(path, "changed")
		}
	}
}

// writeHeredocs adds the files that a command writes from heredocs, and removes these heredocs from its script. It
// returns the paths of the files.
func (r *turnReader) writeHeredocs(c *execution) (written []string) {
	rest := withoutWritten(c.whole, func(path, body string) {
		written = append(written, inFolder(c.folder, path))
		if !thrownAway(path) {
			r.written.Set(strings.Clone(path), r.here())
		}
		r.change(c.message, &change{path: inFolder(c.folder, path), added: linesOf(body), created: true, content: body})
	})
	if rest != c.whole {
		c.script = withoutFolder(rest)
		if c.kind = scriptKind(c.script); c.kind == acts && c.result == "" && !c.failed() {
			c.result = shortResult(c.output)
		}
	}
	return written
}

// key returns a key that runs of the same command share. Two pieces of code that one interpreter runs are different
// commands.
func (c *execution) key() string {
	part, _ := checkedPart(c.script)
	if c.kind == acts && isProbe(part) {
		return part
	}
	return sameCommand(part)
}

// updateState updates the state of the work with the outcome of a command. key is the command's
// key.
func (r *turnReader) updateState(c *execution, key string) {
	if c.meant {
		r.state.forget(key)
		return
	}
	r.state.ran(&c.run, c.output, r.now().number)
	if c.failed() && c.tests != "" {
		r.comesAgain("tests\x00"+key+"\x00"+c.tests, false)
	}
}

// earlierRun returns the failed attempts of the turn's previous run of a command, and the failed tests of the newest
// run that names any. If the command replaces that run, it drops the run from the log. overcame means that the previous
// run failed and this one didn't.
func (r *turnReader) earlierRun(c *execution, key string) (before attempts, tests string, overcame bool) {
	at, found := r.ran.Get(key)
	if !found {
		return attempts{}, c.tests, false
	}
	earlier := &r.turns[at.turn].units[at.unit]
	// A commit that prints no hash has failed if the same commit follows.
	failed := earlier.failed.n > 0 && (failedIn(earlier.text) || c.kind == commits)
	if c.kind != checks && !failed {
		return attempts{}, c.tests, false
	}
	r.drop(at)
	return earlier.failed, cmp.Or(c.tests, earlier.source), failed && !c.failed()
}

// passedLater follows a failed check that passed later, as part of a script with several checks.
const passedLater = " (passed later)"

// passedToo notes that the checks in a script that passed, other than the one with the given key, have passed, if they
// failed before in this turn. It does so only if the script ends at the first check that fails.
func (r *turnReader) passedToo(c *execution, key string) {
	if c.kind != checks || c.failed() || strings.ContainsAny(c.script, ";\n") || strings.Contains(c.script, "||") {
		return
	}
	eachCommand(c.script, func(words []string) {
		other := sameCommand(strings.Join(words, " "))
		at, found := r.ran.Get(other)
		if !found || other == key || kindOfWords(words) != checks {
			return
		}
		if u := r.unitAt(at); u.failed.n > 0 && failedIn(u.text) && !strings.HasSuffix(u.text, passedLater) {
			u.text += passedLater
		}
	}, func(string) {})
}

// inspected adds to the current turn what a command that changes nothing has read, found or counted.
func (r *turnReader) inspected(c *execution) {
	if len(c.read) == 1 {
		r.looked(c.message, c.read[0])
	} else if pattern := searchedFor(c.script); pattern != "" {
		r.found(c.message, pattern, c.output)
	} else if c.result != "" {
		r.add(unit{kind: ranUnit, message: int32(c.message), text: c.text(), factor: ofReading / 2})
	}
}

// onlyEdits reports whether a script that edits files runs nothing but one program, without failing.
func (c *execution) onlyEdits() bool {
	return c.kind == acts && c.rewrites == "" && !c.failed() && c.programs() <= 1
}

// programs returns the number of commands in a script that do more than look at something.
func (c *execution) programs() (count int) {
	eachCommand(c.script, func(words []string) {
		if kindOfWords(words) > looks {
			count++
		}
	}, func(string) {})
	return count
}

// changesOnly returns the file that a script changed if it did nothing else, and otherwise "".
func (c *execution) changesOnly() string {
	path := c.rewrites
	if len(c.changed) == 1 && path == "" {
		path = c.changed[0]
	}
	if path == "" || len(c.changed) > 1 || c.kind != acts && c.kind != alters || c.failed() || c.programs() > 1 {
		return ""
	}
	return path
}

// isSilent reports whether a command isn't worth a unit unless the assistant says that it didn't work. text describes
// the command.
func (c *execution) isSilent(text string) bool {
	switch {
	case c.failed():
		return c.kind == looks
	case strings.HasSuffix(text, cutCommand): // neither what it did nor its outcome is known
		return true
	case c.result != "":
		return false
	case c.kind == acts:
		return !setsUp(c.script)
	}
	return c.kind == checks && c.exit != "0"
}

// factor returns the weight of a command's unit. text describes the command.
func (c *execution) factor(text string) int {
	switch {
	case strings.HasPrefix(text, scriptVerb) && !c.failed() && c.result == "": // its comment states its purpose, not what it did
		return ofCommand / 2
	case c.kind == commits:
		return ofCommit
	case c.failed() && c.kind == acts && isProbe(c.whole):
		return ofProbe
	case c.failed():
		return ofFailure
	case c.kind == checks:
		return ofCheck
	case c.kind == acts && c.result != "":
		return ofTrial
	case c.writes:
		return ofCheck / 2
	}
	return ofCommand
}

// lacksCommit reports whether a command should have printed the commit that it made, but didn't.
func (c *execution) lacksCommit() bool {
	return c.kind == commits && !c.failed() && c.result == "" && !blank(c.output) && !silenced(c.whole)
}

// silenced reports whether a script may hide what a commit prints.
func silenced(script string) bool {
	return strings.Contains(script, " -q") || strings.Contains(script, "--quiet") || strings.ContainsAny(script, "|>")
}

// cutCommand ends the text of a long command that was cut off and whose outcome is unknown.
const cutCommand = " …`"

// awayName returns the destination of a moved file in its shortest form: the new name or, if only the folder has
// changed, the new folder. It shortens an absolute folder to its last two names.
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

// setsUp reports whether a script begins with a command that configures something, so it matters even without output.
func setsUp(script string) bool {
	words, _ := simpleCommand(script, func(string) {})
	if len(words) < 3 || runners.has(words[0]) {
		return false
	}
	return slices.ContainsFunc(words[1:min(len(words), 4)], setting.has)
}

// interpreters lists programs that run a file.
var interpreters = wordListOf("python python2 python3 node deno bun tsx ts-node bash sh zsh ruby perl php rscript patch source")

// tries marks files that an earlier script wrote and this command runs, because such a file is usually a trial rather
// than a part of the work.
func (r *turnReader) tries(c *execution) {
	script := c.script
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

// tidying lists programs that only prepare the work of other commands.
var tidying = wordListOf("mkdir touch chmod chown cd export source pushd popd set")

// tidies reports whether all commands of a script only prepare other work, or move files, which is reported in other
// units.
func tidies(script string) bool {
	for len(script) > 0 {
		var words []string
		if words, script = simpleCommand(script, func(string) {}); len(words) > 0 && !tidying.has(words[0]) && moveOf(words) == nil {
			return false
		}
	}
	return true
}

// isProbe reports whether a script contains the program that it runs, and so is a throwaway experiment.
func isProbe(script string) bool {
	return strings.Contains(script, " -e ") || strings.Contains(script, " -c ") || strings.Contains(script, "<<")
}

// removed records the files that a command deleted, unless it failed. It adds their paths to gone in any case.
func (r *turnReader) removed(c *execution, gone *critbit.Map[struct{}]) {
	removesIn(c.whole, func(path string) {
		path = inFolder(c.folder, path)
		if !c.failed() && !thrownAway(path) {
			r.touch(path, goneVerb)
			r.dropChanges(path)
		}
		gone.Add(path)
	})
}

// moved adds one unit for each folder to which a command moves files, and one for each file that it renames. It returns
// the new paths.
func (r *turnReader) moved(c *execution) (moved critbit.Map[struct{}]) {
	moves := movesIn(c.whole)
	if c.failed() || len(moves) == 0 {
		return moved
	}
	var into critbit.Map[[]string]
	var folders []string
	for _, m := range moves {
		if thrownAway(m.to) || thrownAway(m.from) {
			continue
		}
		m.from, m.to = inFolder(c.folder, m.from), inFolder(c.folder, m.to)
		moved.Add(m.to)
		r.touch(m.from, awayVerb+awayName(m))
		if fileName(m.from) != fileName(m.to) {
			r.touch(m.to, renamedVerb+fileName(m.from))
			r.add(unit{kind: ranUnit, message: int32(c.message), text: Fence("moved " + m.from + " → " + m.to), factor: ofChange})
			continue
		}
		r.touch(m.to, "moved")
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
		r.add(unit{kind: ranUnit, message: int32(c.message), text: Fence(text + " to " + dir), factor: ofMoved})
	}
	return moved
}
