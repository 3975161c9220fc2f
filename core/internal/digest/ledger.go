package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Ledger holds facts about the folded messages that code, rather than a model, has extracted. The state carries it from
// one compaction to the next. Every digest contains it as well, so it can be restored from a digest. All lists begin
// with the oldest entry. A modified file is not also listed as read.
type Ledger api.Ledger

// The limits of a ledger, in bytes or entries. Longer lists lose their oldest entries, and longer texts are clipped.
const (
	maxPath     = 1024 // longer ones are not file names
	maxTask     = 4000
	maxRequest  = 4000
	allRequests = 32000
	maxRead     = 500
	maxModified = 2000
	maxScript   = 1 << 16
	maxCommand  = 200
	maxCommands = 40
	maxFailure  = 400
	maxFailures = 8
)

// Add collects facts from messages, which must be newer than the facts in the ledger.
func (l *Ledger) Add(t *transcript.Transcript, messages []int32) {
	c := collector{t: t, Ledger: l, unruled: isBetweenPeople(t, messages), room: &readRoom{coding: writesCode(t, messages)}}
	c.openErrors()
	for _, i := range messages {
		c.message(int(i))
	}
	l.Standing = newestStanding(l.Standing)
	l.Errors = slices.DeleteFunc(l.Errors, isSolved)
	l.tidy()
}

// openErrors registers the errors that are already in the ledger.
func (c *collector) openErrors() {
	for i, f := range c.Errors {
		c.opened(&f, i+1)
		c.begun = append(c.begun, c.worked)
		c.checkFailed(&f)
		if address := addressIn(f.On); address != "" && fetchesAddress(withoutFolder(f.On)) {
			c.fetchErrors.Set(address, i+1)
		}
	}
}

// isSolved reports whether a failure has been marked as solved.
func isSolved(f api.LedgerFailure) bool { return f.Tool == "" }

// SettleErrors removes the errors that messages show to be solved. These messages follow the folded ones and stay in
// the context.
func (l *Ledger) SettleErrors(t *transcript.Transcript, messages []int32) {
	open := len(l.Errors)
	if open == 0 {
		return
	}
	c := collector{t: t, Ledger: &Ledger{Errors: slices.Clone(l.Errors)}}
	c.openErrors()
	for _, i := range messages {
		if RequestIn(t, int(i)) != "" {
			c.forget()
		}
		c.inText(int(i))
		m := &t.Messages[i]
		for n := m.First; n < m.First+m.Count; n++ {
			if p := &t.Parts[n]; p.Kind == transcript.ToolResult && !p.Has(transcript.Removed) {
				c.result(n)
			}
		}
	}
	l.Errors = slices.DeleteFunc(c.Errors[:open], isSolved)
}

// AddBranch adds the modified files from message i, which is the digest of an abandoned branch, because files changed
// on the branch remain changed. It ignores requests made on the branch.
func (l *Ledger) AddBranch(t *transcript.Transcript, i int) {
	var there Ledger
	Body(t.Text(t.FirstText(i)), &there)
	for _, path := range there.Modified {
		l.Modified = addPath(l.Modified, path)
	}
}

// collector adds facts from messages to a ledger.
type collector struct {
	*Ledger
	t           *transcript.Transcript // the transcript with the messages
	failed      critbit.Map[int]       // by key: the index in Errors plus one; 0 if the call has succeeded since
	older       int                    // the number of Errors when the user made the last request
	begun       []int                  // for each of Errors, the value of worked at the time of the failure
	fetchErrors critbit.Map[int]       // by address: the index in Errors plus one of the call that failed to fetch it
	worked      int                    // the number of successful calls that did more than inspect something
	beyond      int                    // the number of Errors that were checked for a workaround
	checks      [checkSets]int         // by kinds of checks: the index in Errors plus one of the last failure
	called      []textCall             // calls written as text whose output hasn't come yet
	room        *readRoom              // what statements are read with
	around      remarks                // what the agent said before and after the current message
	people      customerChange         // recognizes that another customer talks
	// unruled is set in a conversation between people, which has no standing instructions.
	unruled bool
	// patches holds the patches that scripts wrote to files, and scripts the programs.
	patches patchFiles
	scripts scriptFiles
}

// message adds the facts of message i to the ledger: requests and rules of the user, commands, files, errors and work
// that is still running.
func (c *collector) message(i int) {
	t := c.t
	if m := &t.Messages[i]; m.Variant == transcript.Shell {
		c.ran(t.Text(m.Label), exitOf(string(t.Bytes(m.Exit))))
	}
	if text, words := saidBy(t, i); text != "" {
		c.forget()
		if !c.unruled {
			from, to := c.people.departed(words, len(c.Standing))
			c.Standing = slices.Delete(c.Standing, from, to)
			c.addStanding(t, i, words, c.room)
		}
		if c.Task == "" {
			c.Task = Clip(text, maxTask)
		} else {
			c.Requests = append(c.Requests, Clip(text, maxRequest))
		}
	}
	c.inText(i)
	m := &t.Messages[i]
	for n := m.First; n < m.First+m.Count; n++ {
		p := &t.Parts[n]
		if p.Kind == transcript.ToolCall && !p.Has(transcript.Removed) {
			c.call(p)
		}
		if p.Kind == transcript.ToolResult && !p.Has(transcript.Removed) {
			c.result(n)
		}
		if p.Parent < 0 && !p.Has(transcript.Removed) {
			c.work(n)
		}
	}
}

// forget is called at each request of the user, and drops errors that are older than the previous
// request. A user who has made two requests since an error without mentioning it isn't waiting for
// a fix.
func (c *collector) forget() {
	clear(c.Errors[:c.older])
	c.older = len(c.Errors)
}

// call collects the files that a tool call reads or changes, including those in a command. It
// ignores edits that failed.
func (c *collector) call(p *transcript.Part) {
	u := useOfCall(c.t, p)
	if u != reads && u != searches && u != edits && u != runs {
		return
	}
	if u == edits && p.Pair >= 0 && failedResult(c.t, p.Pair) {
		return
	}
	folder := ""
	read := func(path string) { c.Read = addPath(c.Read, inFolder(folder, path)) }
	wrote := func(path string) {
		if path = inFolder(folder, path); !thrownAway(path) {
			c.Modified = addPath(c.Modified, strings.TrimPrefix(path, "./"))
		}
	}
	var paths []string
	best := len(keysOf[0].keys)
	script := ""
	arguments(c.t, p, func(key, text string) {
		switch is, rank := argumentOf(key); {
		case u == runs && (is == command || key == ""):
			script = joinWords(script, text)
		case u == edits && (is == patch || key == ""):
			patchedFiles(text, wrote)
		case u != runs && is == path && rank <= best:
			if rank < best {
				best, paths = rank, nil
			}
			paths = append(paths, text)
		}
	})
	if u == edits && paths == nil && p.Pair >= 0 {
		wrote(openFile(ResultText(c.t, int(p.Pair))))
	}
	for _, path := range paths {
		if u == edits {
			wrote(path)
		} else {
			read(path)
		}
	}
	if script != "" {
		folder = folderOf(script)
		shellFiles(script, read, wrote)
		output := func() string {
			if p.Pair < 0 {
				return ""
			}
			return ResultText(c.t, int(p.Pair))
		}
		c.patches.ran(script, output, func(patch string) { patchedFiles(patch, wrote) })
		failed := func() bool {
			exit := exitIn(output())
			return exit != "" && exit != "0" || p.Pair >= 0 && failedResult(c.t, p.Pair)
		}
		c.scripts.ran(script, failed, output, func(change *change) { wrote(change.path) }, func(string, string) {})
	}
}

// folderOf returns the folder that a script changes to first, with a trailing slash, or "" if it changes to none or to
// one that only the shell knows. The path is relative if the script's is.
func folderOf(script string) string {
	rest, found := strings.CutPrefix(strings.TrimSpace(script), "cd ")
	if !found {
		return ""
	}
	dir, _ := shellWord(strings.TrimLeft(rest, " "), 0)
	if dir = strings.TrimPrefix(dir, "./"); dir == "" || dir[0] == '-' || dir[0] == '~' || dir[0] == '.' || strings.ContainsAny(dir, "$`*?(\n") {
		return ""
	}
	return strings.TrimRight(dir, "/") + "/"
}

// inFolder returns the full path of a file named in a command. folder is the folder in which the command runs, or "" if
// it is unknown.
func inFolder(folder, path string) string {
	if folder == "" || path == "" || path[0] == '/' || path[0] == '~' {
		return path
	}
	return folder + strings.TrimPrefix(path, "./")
}

// joinWords appends a word to a script given as a list of words. It leaves out words that only start a shell.
func joinWords(script, word string) string {
	switch {
	case len(script) > maxScript:
		return script
	case script == "" || script == "bash" || script == "sh" || script == "zsh":
		return word
	case word == "-lc" || word == "-c":
		return script
	case (script == "-lc" || script == "-c"):
		return word
	}
	return script + " " + word
}

// result records the failure, or the outcome of a command, that the tool result at part n reports.
// Failed reads and searches and canceled calls don't count as failures.
func (c *collector) result(n int32) {
	t, p := c.t, &c.t.Parts[n]
	tool := ToolName(t, int(n))
	u := useOf(tool)
	failed := p.Has(transcript.IsError)
	if (u == edits || u == reads) && !failed && p.Pair >= 0 && len(c.Errors) > 0 {
		c.solved(&api.LedgerFailure{Tool: tool, On: Path(t, &t.Parts[p.Pair])})
	}
	on, about := c.objectOf(p, u, failed)
	if !failed && u != runs {
		c.fetched(about)
		return
	}
	if tool == "" {
		return
	}
	said := ""
	switch text := ResultText(t, int(n)); u {
	case runs:
		var counts bool
		if said, failed, counts = c.commandResult(p, tool, on, text, failed); !counts {
			return
		}
		if failed && !fetchesAddress(withoutFolder(on)) {
			about = ""
		}
	case reads, searches:
		failed = false
	default:
		failed = !abandoned(text)
		said = complaint(plainText(text))
	}
	c.ended(tool, on, said, failed)
	if address := addressIn(about); failed && address != "" {
		c.fetchErrors.Set(address, len(c.Errors))
	}
}

// objectOf returns the command or file that the call with result p is about (on), and the text in
// which the call names an address (about). Each is "" if there is none, or if it doesn't matter.
// failed means that the result reports an error.
func (c *collector) objectOf(p *transcript.Part, u use, failed bool) (on, about string) {
	if p.Pair < 0 {
		return "", ""
	}
	switch call := &c.t.Parts[p.Pair]; {
	case u == runs:
		on = commandOf(c.t, call)
		return on, on
	case failed:
		return Path(c.t, call), CallArgs(c.t, call)
	case c.fetchErrors.Len() > 0:
		return "", CallArgs(c.t, call)
	}
	return "", ""
}

// commandResult records that the command on was run by a tool whose result has the given text.
// failed means that the tool reported an error. said is the command's error message, and fails
// reports whether the command failed. counts is false if the outcome doesn't matter.
func (c *collector) commandResult(p *transcript.Part, tool, on, text string, failed bool) (said string, fails, counts bool) {
	run := runOf(on, text, failed)
	if on != "" {
		c.ran(on, run.exit)
	}
	if !run.failed() {
		c.fetched(on)
	}
	if run.kind == looks {
		return "", false, false
	}
	if run.failed() {
		if c.around.meant(c.t, int(p.Msg), on) {
			part, _ := checkedPart(on)
			c.solved(failedCall(tool, part)) // its earlier error no longer applies
			return "", false, false
		}
		said = run.failure
	}
	return said, run.failed(), true
}

// ran records a command with its exit code, or "" if that is unknown. Of several runs of the same command, only the
// newest counts. A blank script is ignored.
func (c *collector) ran(script, exit string) {
	if script = clipLine(script, maxCommand); script != "" {
		c.Commands = append(c.Commands, api.LedgerCommand{Command: script, Exit: exit})
	}
}

// clipLine returns text on one line. If text is longer than max bytes, "…" replaces the rest, so the result may have up
// to three bytes more.
func clipLine(text string, max int) string {
	text = strings.TrimSpace(text)
	if len(text) > max {
		text = trimRune(text[:max]) + "…"
	}
	if strings.ContainsAny(text, "\n\r\t") {
		text = onOneLine(text)
	}
	return text
}

// trimRune returns s without an incomplete code point at its end, which a cut at a byte offset may have left.
func trimRune(s string) string {
	for n := len(s); n > 0 && n > len(s)-4; n-- {
		if c := s[n-1]; c < 0x80 {
			return s[:n]
		} else if c >= 0xc0 {
			size := 2
			if c >= 0xe0 {
				size = 3
			}
			if c >= 0xf0 {
				size = 4
			}
			if n-1+size <= len(s) {
				return s[:n-1+size]
			}
			return s[:n-1]
		}
	}
	return s
}

func addPath(list []string, path string) []string {
	if path == "" || len(path) > maxPath || strings.ContainsAny(path, "\n\r") {
		return list
	}
	return append(list, path)
}

// Empty reports whether the ledger contains nothing.
func (l *Ledger) Empty() bool {
	return l.Task == "" && len(l.Requests)+len(l.Standing)+len(l.Read)+len(l.Modified)+len(l.Commands)+len(l.Errors)+len(l.Running)+len(l.Unloaded) == 0
}

// AllRequests returns all requests of the user, one per line.
func (l *Ledger) AllRequests() string {
	return strings.Join(append([]string{l.Task}, l.Requests...), "\n")
}

// Clone returns a deep copy of the ledger. Changes to the copy don't affect l.
func (l *Ledger) Clone() Ledger {
	c := *l
	c.Requests, c.Read, c.Modified = slices.Clone(l.Requests), slices.Clone(l.Read), slices.Clone(l.Modified)
	c.Standing = slices.Clone(l.Standing)
	c.Commands, c.Errors = slices.Clone(l.Commands), slices.Clone(l.Errors)
	c.Running, c.Unloaded = slices.Clone(l.Running), slices.Clone(l.Unloaded)
	return c
}

// Inherit adds the facts of an older ledger, such as one restored from a digest. It adds the older requests, commands
// and errors only if l contains none of them.
func (l *Ledger) Inherit(old *Ledger) {
	if l.Task == "" && len(l.Requests) == 0 && len(l.Commands) == 0 && len(l.Errors) == 0 {
		l.Task, l.Requests, l.Commands, l.Errors = old.Task, old.Requests, old.Commands, old.Errors
	}
	l.inheritStanding(old)
	l.inheritRunning(old)
	l.Read = slices.Concat(old.Read, l.Read)
	l.Modified = slices.Concat(old.Modified, l.Modified)
	l.tidy()
}

// tidy removes duplicates, keeping the newest of them, and shortens lists that are too long.
func (l *Ledger) tidy() {
	l.Modified = wholePaths(newestOf(l.Modified, maxModified, func(p string) string { return p }))
	var modified critbit.Map[struct{}]
	for _, p := range l.Modified {
		modified.Add(p)
	}
	l.Read = slices.DeleteFunc(l.Read, modified.Has)
	l.Read = newestOf(l.Read, maxRead, func(p string) string { return p })
	l.Commands = newestOf(l.Commands, maxCommands, func(c api.LedgerCommand) string { return c.Command })
	l.Errors = newestOf(l.Errors, maxFailures, func(f api.LedgerFailure) string { return key(&f) })
	l.tidyRunning()
	l.Requests = newestOf(l.Requests, len(l.Requests), func(r string) string { return r })
	size := 0
	for i, r := range slices.Backward(l.Requests) {
		if size += len(r); size > allRequests {
			l.Requests = l.Requests[i+1:]
			break
		}
	}
}

// mostEnds is the maximum number of suffixes of a path that are compared with other paths.
const mostEnds = 12

// wholePaths removes each path that is a suffix of another path in the list, because both name the same file.
func wholePaths(list []string) []string {
	var ends critbit.Map[struct{}]
	for _, p := range list {
		for i, n := len(p)-1, 0; i > 0 && n < mostEnds; i-- {
			if p[i-1] == '/' {
				ends.Add(p[i:])
				n++
			}
		}
	}
	return slices.DeleteFunc(list, func(p string) bool { return strings.Contains(p, "/") && ends.Has(p) })
}

// newestOf keeps the last of several entries with the same key. It returns the last max entries at most.
func newestOf[T any](list []T, max int, key func(T) string) []T {
	var seen critbit.Map[struct{}]
	from := len(list)
	for i, x := range slices.Backward(list) {
		if k := key(x); !seen.Has(k) && seen.Len() < max {
			seen.Add(k)
			from--
			list[from] = list[i]
		}
	}
	return list[from:]
}
