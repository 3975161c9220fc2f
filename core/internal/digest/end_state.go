package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// endState is the state of the work after the messages, as far as commands and edits show it: the last commit and push,
// the files edited since, and the last result of each check. The digest has a section about it, from which the next
// compaction reads it back.
type endState struct {
	commit, push, tree dated
	edited             []string // the paths of files that were edited since the commit
	checks             []checkState
}

// dated is a fact with the number of the turn in which it was stated.
type dated struct {
	turn int
	text string
}

// checkState is the last result of a check.
type checkState struct {
	dated
	kinds  checkKinds
	key    string // the command's key; see sameCommand
	failed bool
	stale  bool   // a file was edited since
	runs   string // the script that the check runs, if a package manager has ever printed it
}

// Limits: the number of turns for which a check's result still describes the end state, and the maximum numbers of
// checks and of edited files in the list.
const (
	lastingTurns = 2
	mostChecks   = 6
	mostEdited   = 10
)

// ran updates the state with a command and its output. turn is the number of the turn in which it ran.
func (s *endState) ran(r *run, output string, turn int) {
	bad := r.failed()
	switch {
	case r.kind == checks:
		s.checked(r, bad, turn)
	case r.kind == looks && !bad && strings.Contains(r.script, "git status"):
		s.tree = dated{turn, treeIn(output)}
	case r.kind == commits && !bad && r.result != "":
		s.commit, s.push, s.tree, s.edited = dated{turn, commitLine(r)}, dated{}, dated{}, nil
		if pushed := pushOf(output); pushed != "" {
			s.push = dated{turn, pushed}
		}
	case r.kind == alters && !bad && strings.HasPrefix(r.result, "pushed "):
		s.push, s.tree = dated{turn, strings.TrimPrefix(r.result, "pushed ")}, dated{}
	}
}

// keptTurn replaces the number of a turn whose messages stay in the context. Facts of such a turn update the state, but
// the digest doesn't repeat them.
const keptTurn = 1 << 30

// goOn updates the state with the messages of t from index from on, which stay in the context.
func (s *endState) goOn(t *transcript.Transcript, from int) {
	for i := from; i < len(t.Messages); i++ {
		m := &t.Messages[i]
		for n := m.First; n < m.First+m.Count; n++ {
			p := &t.Parts[n]
			if p.Kind != transcript.ToolResult || p.Has(transcript.Removed) || p.Pair < 0 {
				continue
			}
			call := &t.Parts[p.Pair]
			switch useOfCall(t, call) {
			case runs:
				output := withoutExcerptMarker(ResultText(t, int(n)))
				run := runOf(commandOf(t, call), output, p.Has(transcript.IsError))
				s.ran(&run, withoutEnvelope(output), keptTurn)
			case edits:
				if path := Path(t, call); path != "" && !failedResult(t, n) {
					s.changedFile(path)
				}
			}
		}
	}
}

// commitLine describes a commit by the first line of its message, its branch and its hash.
func commitLine(r *run) string {
	made, _, _ := strings.Cut(r.result, ";")
	if subject := commitSubject(r.script); subject != "" {
		return "“" + Fence(subject) + "” (" + Fence(made) + ")"
	}
	return Fence(made)
}

// treeIn returns the state of the working tree according to the output of git status: "nothing to commit" or, if the
// output is in the short format, the changed files. It returns "" for other output.
func treeIn(output string) string {
	var list []string
	branch := ""
	for line := range strings.Lines(output[:min(len(output), lookResult)]) {
		line = strings.TrimRight(line, " \r\n")
		switch {
		case strings.HasPrefix(line, "nothing to commit"):
			return "nothing to commit"
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
		return Fence(branch) + "nothing to commit"
	}
	return Fence(branch + strings.Join(list, "; "))
}

// changedFile records that a file was edited, which makes earlier checks outdated.
func (s *endState) changedFile(path string) {
	if !thrownAway(path) {
		s.edited, s.tree = append(s.edited, path), dated{}
		for i := range s.checks {
			s.checks[i].stale = true
		}
	}
}

// checked records the result of a check, which replaces its previous result. A check that passes also replaces the
// results of checks of the same kinds.
func (s *endState) checked(r *run, bad bool, turn int) {
	part, behind := checkedPart(r.script)
	if r.exit != "0" && !bad && r.result == "" { // the result is unknown, and the previous one no longer holds
		s.forget(sameCommand(part))
		return
	}
	if bad && behind != "" {
		return
	}
	short := *r
	short.failure, short.script = "", part // the failure is among the open errors
	c := checkState{kinds: checksIn(short.script), key: sameCommand(short.script), failed: bad}
	for i := range s.checks { // the output of this run may be cut off
		if old := &s.checks[i]; old.key == c.key && short.runs == "" {
			short.runs = old.runs
		}
	}
	c.runs, c.dated = short.runs, dated{turn, strings.TrimPrefix(short.text(), "ran ")}
	s.addCheck(c)
}

// forget drops the result of a check, because a later run of the same command had a different result.
func (s *endState) forget(key string) {
	s.checks = slices.DeleteFunc(s.checks, func(old checkState) bool { return old.key == key })
}

func (s *endState) addCheck(c checkState) {
	s.checks = slices.DeleteFunc(s.checks, func(old checkState) bool {
		return old.key == c.key || !c.failed && (c.kinds.covers(old.kinds) || !old.failed && old.kinds&^c.kinds == 0)
	})
	if len(s.checks) == mostChecks {
		s.checks = slices.Delete(s.checks, 0, 1)
	}
	s.checks = append(s.checks, c)
}

// The beginnings of the section's lines.
const (
	stateBullet = "- "
	commitState = "last commit, in ["
	pushState   = "pushed in ["
	noPushState = "not pushed since, as far as this record shows"
	editedState = "edited since that commit: "
	treeState   = "git status, in ["
	passState   = "passed, in ["
	failState   = "failed, in ["
	turnEnd     = "]: "
	staleEnd    = " (before the last edits)"
)

// lines returns the section's lines. last is the number of the last turn, open contains the commands that have open
// errors, and short returns the digest's name for a path. Checks that ran long before the last turn are omitted,
// because they say nothing about the end state.
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
		if c.stale {
			said.text += staleEnd
		}
		if c.failed {
			label = failState
		}
		tell(label, said)
	}
	return lines
}

// stateText returns the section that shows the end state, in at most size bytes, without checks that are among the open
// errors.
func (k *turnLog) stateText(errors []api.LedgerFailure, size int) string {
	if len(k.turns) == 0 {
		return ""
	}
	var open critbit.Map[struct{}]
	for i := range errors {
		open.Add(sameCommand(errors[i].On))
	}
	var b strings.Builder
	for _, line := range k.state.lines(k.turns[len(k.turns)-1].number, &open, func(path string) string { return strings.TrimPrefix(path, k.base) }) {
		if b.Len()+len(line) < size {
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// noneEdited takes the place of an empty list of files.
const noneEdited = "nothing"

// editedList returns the names of the most recently edited files, the newest one last.
func (s *endState) editedList(short func(path string) string) string {
	s.edited = newestOf(s.edited, len(s.edited), func(path string) string { return path })
	if len(s.edited) == 0 {
		return noneEdited
	}
	var names []string
	from := max(0, len(s.edited)-mostEdited)
	for _, path := range s.edited[from:] {
		names = append(names, Fence(short(path)))
	}
	text := strings.Join(names, ", ")
	if from > 0 {
		text += ", and " + itoa(from) + " more before"
	}
	return text
}

// readState reads the section of an earlier digest. whole returns the full path for a file name in the section.
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
			s.addCheck(checkRead(d, false))
		} else if d, found := read(failState); found {
			s.addCheck(checkRead(d, true))
		} else if names, found := strings.CutPrefix(line, editedState); found && names != noneEdited {
			names, _, _ = strings.Cut(names, ", and ")
			for name := range strings.SplitSeq(names, ", ") {
				s.edited = append(s.edited, whole(name))
			}
		}
	}
	return s
}

// checkRead returns the check that a line of an earlier digest describes.
func checkRead(d dated, failed bool) checkState {
	said, stale := strings.CutSuffix(d.text, staleEnd)
	d.text = said
	script := said
	if inside, found := strings.CutPrefix(script, "`"); found {
		script, _, _ = strings.Cut(inside, "`")
	}
	return checkState{dated: d, kinds: checksIn(script), key: sameCommand(script), failed: failed, stale: stale}
}
