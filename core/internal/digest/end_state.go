package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// endState is the state of the work at the end of the messages, as far as commands and edits reveal
// it: the last commit and push, the output of git status (tree), the files edited since the commit,
// and the last result of each check. A section of the digest describes it, from which the next
// compaction restores it.
type endState struct {
	commit, push, tree dated
	edited             []string // the paths of the files edited since the commit
	checks             []checkState
	commitUndone       bool // a message that stays in the context undoes the last commit in the log
}

// dated is a fact with the number of the turn in which it was stated.
type dated struct {
	turn int    // the number of the turn
	text string // the fact
}

// checkState is the last result of a check.
type checkState struct {
	dated
	kinds  checkKinds // what the check checks, such as types or tests
	key    string     // the key of the command; see sameCommand
	failed bool       // whether it failed
	since  []string   // the paths of the files edited after the check; the newest at the end
	runs   string     // the script that the check runs, if a package manager has ever printed it
}

// Limits: the number of turns during which a check's result still counts for the end state, and the maximum numbers of
// checks, of edited files in the list, and of files named as edited after a check.
const (
	lastingTurns = 2
	mostChecks   = 6
	mostEdited   = 10
	mostSince    = 4
)

// ran updates the state after a command with the given output. turn is the number of the turn in which it ran.
func (s *endState) ran(r *run, output string, turn int) {
	bad := r.failed()
	switch {
	case r.kind == checks:
		s.checked(r, bad, turn)
	case r.kind == looks && !bad && strings.Contains(r.script, "git status"):
		if s.tree = (dated{turn, treeIn(output)}); strings.HasSuffix(s.tree.text, cleanTree) {
			s.edited = nil
		}
	case r.kind == commits && treeIn(output) == cleanTree:
		s.edited, s.tree = nil, dated{turn, cleanTree}
	case r.kind == commits && !bad && (r.result != "" || blank(output) || statOf(output) != ""):
		s.commit, s.push, s.tree, s.edited = dated{turn, commitLine(r)}, dated{}, dated{}, nil
		if pushed := pushOf(output); pushed != "" {
			s.push = dated{turn, pushed}
		} else if blank(output) && pushes(r.script) {
			s.push = dated{turn, quietPush}
		}
	case r.kind == alters && !bad && blank(output) && pushes(r.script):
		s.push, s.tree = dated{turn, quietPush}, dated{}
	case r.kind == alters && !bad && strings.HasPrefix(r.result, "pushed "):
		s.push, s.tree = dated{turn, strings.TrimPrefix(r.result, "pushed ")}, dated{}
	}
}

// keptTurn is the number used for turns whose messages stay in the context. Facts from such turns update the state, but
// the digest doesn't repeat them.
const keptTurn = 1 << 30

// goOn updates the state with the messages of t that stay in the context, which begin at index from.
func (s *endState) goOn(t *transcript.Transcript, from int) {
	var called []textCall // calls written as text whose output is still to come
	for i := from; i < len(t.Messages); i++ {
		m := &t.Messages[i]
		switch {
		case m.Variant == transcript.Shell:
			script, output := t.Text(m.Label), t.Text(t.FirstText(i))
			run := runOf(script, output, false)
			run.exit = exitOf(string(t.Bytes(m.Exit)))
			s.later(&run, script, output)
		case m.Role == transcript.Assistant:
			called = textCalls(t, i)
		case isTextResult(t, i):
			s.inText(called, textOutput(t, i))
			called = nil
		}
		for n := m.First; n < m.First+m.Count; n++ {
			p := &t.Parts[n]
			if p.Kind != transcript.ToolResult || p.Has(transcript.Removed) || p.Pair < 0 {
				continue
			}
			call := &t.Parts[p.Pair]
			switch useOfCall(t, call) {
			case runs:
				s.command(commandOf(t, call), withoutExcerptMarker(ResultText(t, int(n))), p.Has(transcript.IsError))
			case edits:
				if failedResult(t, n) {
					continue
				}
				for _, c := range changesOf(t, call) {
					s.changedFile(c.path)
				}
			}
		}
	}
}

// command updates the state after a command in a message that stays in the context. failed means that the tool reported
// an error.
func (s *endState) command(script, output string, failed bool) {
	output = knownOutput(script, output)
	run := runOf(script, output, failed)
	s.later(&run, script, output)
}

// later updates the state after the run of a script in a message that stays in the context.
func (s *endState) later(r *run, script, output string) {
	s.undo(r, output)
	s.filesOf(r, script)
	s.ran(r, withoutEnvelope(output), keptTurn)
}

// inText updates the state after calls written as text in a message that stays in the context. output is the output of
// the last one.
func (s *endState) inText(calls []textCall, output string) {
	for n, call := range calls {
		said := ""
		if n == len(calls)-1 {
			said = output
		}
		switch {
		case call.command != "":
			s.command(call.command, said, failedText(said))
		case useOf(call.tool) == edits && !failedText(said):
			for _, c := range call.changes(said) {
				s.changedFile(c.path)
			}
		}
	}
}

// undo removes the last commit from the state if a command in a message that stays in the context undoes it. output is
// what the command printed.
func (s *endState) undo(r *run, output string) {
	back, _ := takenBack(r)
	if s.commit.text == "" || r.failed() || refusedByGit(output) {
		return
	}
	for _, name := range back {
		if name == headName || isCommit(committedVerb+s.commit.text, name) {
			s.commitUndone = s.commitUndone || s.commit.turn != keptTurn
			s.commit, s.push = dated{}, dated{}
			return
		}
	}
}

// mostReverted is the maximum number of newest edited files that are searched for those that a script reverts.
const mostReverted = 64

// filesOf updates the list of edited files after a script has run: it removes the files that the
// script reverts with git, and adds those that it writes. It does nothing if the run failed.
func (s *endState) filesOf(r *run, script string) {
	if r.failed() {
		return
	}
	paths, all := restoredBy(script)
	if all {
		s.edited = nil
	}
	paths = paths[:min(len(paths), mostEdited)]
	old := s.edited[:max(0, len(s.edited)-mostReverted)]
	s.edited = append(old, slices.DeleteFunc(s.edited[len(old):], func(edited string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return samePath(path, edited) })
	})...)
	folder := folderOf(script)
	shellFiles(script, func(string) {}, func(path string) { s.changedFile(inFolder(folder, path)) })
}

// commitLine returns the first line of a commit's message, with the branch and the hash in
// parentheses if git printed them. If the message is unknown, it returns only the branch and the
// hash, or "" if these are unknown too.
func commitLine(r *run) string {
	made, _, _ := strings.Cut(r.result, ";")
	subject := commitSubject(r.script)
	switch {
	case subject == "":
		return Fence(made)
	case made == "":
		return "“" + Fence(subject) + "”"
	}
	return "“" + Fence(subject) + "” (" + Fence(made) + ")"
}

// cleanTree is what git status prints about a working tree without changes.
const cleanTree = "nothing to commit"

// treeIn returns the state of the working tree from the output of git status. This is "nothing to commit" or, if the
// output is in the short format, the list of changed files. It returns "" for any other output.
func treeIn(output string) string {
	var list []string
	branch := ""
	for line := range strings.Lines(output[:min(len(output), lookResult)]) {
		line = strings.TrimRight(line, " \r\n")
		switch {
		case strings.HasPrefix(line, cleanTree):
			return cleanTree
		case strings.HasPrefix(line, "## "):
			branch = line[len("## "):] + ": "
			continue
		case len(line) < 4 || line[2] != ' ' || strings.Trim(line[:2], " MADRCU?!T") != "":
			continue
		}
		if list = append(list, line); len(list) > mostEdited {
			list[mostEdited] = "…"
			break
		}
	}
	if branch != "" && list == nil {
		return Fence(branch) + cleanTree
	}
	return Fence(branch + strings.Join(list, "; "))
}

// changedFile records that a file was edited, which outdates earlier checks.
func (s *endState) changedFile(path string) {
	if !thrownAway(path) {
		s.edited, s.tree = append(s.edited, path), dated{}
		for i := range s.checks {
			s.checks[i].outdate(path)
		}
	}
}

// outdate records that a file was edited after the check.
func (c *checkState) outdate(path string) {
	c.since = append(slices.DeleteFunc(c.since, func(old string) bool { return old == path }), path)
	if n := len(c.since) - mostSince; n > 0 {
		c.since = append(c.since[:0], c.since[n:]...)
	}
}

// checked records the result of a check in the turn with the given number. bad means that the check
// failed. The result replaces the previous one of the same check and, if the check passed, those of
// checks that it covers. If the outcome isn't known, the previous result is dropped, because it may
// be outdated. A failure changes nothing if the check couldn't start, or if a later command may be
// what failed.
func (s *endState) checked(r *run, bad bool, turn int) {
	part, behind := checkedPart(r.script)
	if r.exit != "0" && !bad && r.result == "" { // the result is unknown, and the previous one may be outdated
		s.forget(sameCommand(part))
		return
	}
	if bad && (behind != "" || isAbsent(r.failure)) { // it says nothing about the work
		return
	}
	short := *r
	short.failure, short.script = "", part // the failure is listed among the open errors
	c := checkState{kinds: checksIn(short.script), key: sameCommand(short.script), failed: bad}
	for i := range s.checks { // the output of this run may be cut off
		if old := &s.checks[i]; old.key == c.key && short.runs == "" {
			short.runs = old.runs
		}
	}
	c.runs, c.dated = short.runs, dated{turn, strings.TrimPrefix(short.text(), "ran ")}
	s.addCheck(c)
}

// forget drops the result of a check, because a later run of the same command may have had a different result.
func (s *endState) forget(key string) {
	s.checks = slices.DeleteFunc(s.checks, func(old checkState) bool { return old.key == key })
}

func (s *endState) addCheck(c checkState) {
	s.checks = slices.DeleteFunc(s.checks, func(old checkState) bool {
		return old.key == c.key || !c.failed && (strings.HasPrefix(old.key, c.key+testMark) || c.kinds.covers(old.kinds) ||
			!old.failed && old.kinds&^c.kinds == 0)
	})
	if len(s.checks) == mostChecks {
		s.checks = slices.Delete(s.checks, 0, 1)
	}
	s.checks = append(s.checks, c)
}

// The parts of the lines in the section about the end state: bullet, labels, marks.
const (
	stateBullet = "- "
	commitState = "last commit, in ["
	pushState   = "pushed in ["
	quietPush   = "what git printed is not known"
	noPushState = "not pushed since, as far as this record shows"
	editedState = "edited since that commit: "
	treeState   = "git status, in ["
	passState   = "passed, in ["
	failState   = "failed, in ["
	turnEnd     = "]: "
	sinceMark   = " (edited since: "
	staleEnd    = " (before the last edits)" // in digests of earlier versions
)

// lines returns the lines of the section. last is the number of the last turn, open holds the commands with open
// errors, and short returns the form of a path used in the digest. Checks that ran long before the last turn are left
// out, because they say nothing about the end state.
func (s *endState) lines(last int, open *critbit.Map[struct{}], short func(path string) string) (lines []string) {
	tell := func(label string, d dated) {
		if d.text != "" && d.turn != keptTurn {
			lines = append(lines, stateBullet+label+itoa(d.turn)+turnEnd+d.text)
		}
	}
	tell(commitState, s.commit)
	switch {
	case s.push.text != "":
		tell(pushState, s.push)
	case s.commit.text != "" && s.commit.turn != keptTurn:
		lines = append(lines, stateBullet+noPushState)
	}
	if s.commit.text != "" && s.commit.turn != keptTurn {
		lines = append(lines, stateBullet+editedState+s.editedList(short))
	}
	tell(treeState, s.tree)
	for _, c := range s.checks {
		if c.turn+lastingTurns < last || c.failed && open.Has(c.key) {
			continue
		}
		label, said := passState, c.dated
		if len(c.since) > 0 {
			said.text += sinceMark + namesOf(c.since, short) + ")"
		}
		if c.failed {
			label = failState
		}
		tell(label, said)
	}
	return lines
}

// stateText returns the section about the end state, in at most size bytes, or "" if there is nothing to say. It leaves
// out failed checks that are among the open errors.
func (k *turnLog) stateText(errors []api.LedgerFailure, size int) string {
	if len(k.turns) == 0 {
		return ""
	}
	var open critbit.Map[struct{}]
	for i := range errors {
		open.Add(sameCommand(errors[i].On))
	}
	var b strings.Builder
	short := func(path string) string { return strings.TrimPrefix(path, k.base) }
	for _, line := range k.state.lines(k.turns[len(k.turns)-1].number, &open, short) {
		if b.Len()+len(line) < size {
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// noneEdited is written instead of an empty list of files.
const noneEdited = "nothing"

// editedList returns the names of the most recently edited files, with the newest at the end, and
// the number of the others, or noneEdited. short returns the form of a path used in the digest.
func (s *endState) editedList(short func(path string) string) string {
	s.edited = newestOf(s.edited, len(s.edited), func(path string) string { return path })
	if len(s.edited) == 0 {
		return noneEdited
	}
	from := max(0, len(s.edited)-mostEdited)
	text := namesOf(s.edited[from:], short)
	if from > 0 {
		text += ", and " + itoa(from) + " more before"
	}
	return text
}

// namesOf returns the short names of files, separated by commas.
func namesOf(paths []string, short func(path string) string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = Fence(short(path))
	}
	return strings.Join(names, ", ")
}

// readState parses the section in an earlier digest. whole returns the full path of a file named in the section.
func readState(text string, whole func(name string) string) (s endState) {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), stateBullet)
		read := func(label string) (d dated, found bool) {
			rest, found := strings.CutPrefix(line, label)
			number, said, ends := strings.Cut(rest, turnEnd)
			if !found || !ends {
				return d, false
			}
			n, _, ok := entryHead("[" + number + "]")
			return dated{n, said}, ok
		}
		if d, found := read(commitState); found {
			s.commit = d
		} else if d, found := read(pushState); found {
			s.push = d
		} else if d, found := read(treeState); found {
			s.tree = d
		} else if d, found := read(passState); found {
			s.addCheck(checkRead(d, false, whole))
		} else if d, found := read(failState); found {
			s.addCheck(checkRead(d, true, whole))
		} else if names, found := strings.CutPrefix(line, editedState); found && names != noneEdited {
			names, _, _ = strings.Cut(names, ", and ")
			for name := range strings.SplitSeq(names, ", ") {
				s.edited = append(s.edited, whole(name))
			}
		}
	}
	return s
}

// checkRead returns the check described by a line of an earlier digest. failed is the result that the line states, and
// whole returns the full path of a file named in the line.
func checkRead(d dated, failed bool, whole func(name string) string) checkState {
	var since []string
	d.text = strings.TrimSuffix(d.text, staleEnd)
	if at := strings.LastIndex(d.text, sinceMark); at >= 0 {
		for name := range strings.SplitSeq(strings.TrimSuffix(d.text[at+len(sinceMark):], ")"), ", ") {
			since = append(since, whole(name))
		}
		d.text = d.text[:at]
	}
	script := d.text
	if inside, found := strings.CutPrefix(script, "`"); found {
		script, _, _ = strings.Cut(inside, "`")
	}
	return checkState{dated: d, kinds: checksIn(script), key: sameCommand(script), failed: failed, since: since}
}
