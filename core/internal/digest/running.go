package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Some work continues after its tool call has returned, such as a background shell or agent, a timer, or a pending
// approval. The ledger lists such work, with its id and its output file, until a later result says that it is over.
// This file maintains the list; running_signs.go finds the results that begin and end such work.

// runningTag encloses the block of running work in a digest.
const runningTag = "running-work"

// unloadedTag encloses the list of tools that a fold has unloaded. Older digests listed these tools as running work, in
// a line that begins with unloadedHead.
const (
	unloadedTag  = "unloaded-tools"
	unloadedHead = "unloaded tools: "
)

// The limits for running work and unloaded tools in a ledger.
const (
	maxRunning  = 24
	maxAbout    = 160 // bytes
	maxUnloaded = 200
	maxToolName = 128 // bytes
)

// runningLines returns lines that describe the running work, in at most max bytes including line feeds. If not all
// lines fit, the newest are kept.
func (l *Ledger) runningLines(max int) []string {
	var lines []string
	for _, r := range l.Running {
		lines = append(lines, Fence(runningLine(&r)))
	}
	from := len(lines)
	for from > 0 && len(lines[from-1])+1 <= max {
		from--
		max -= len(lines[from]) + 1
	}
	return lines[from:]
}

// runningLine describes a piece of running work on one line: "shell b1: npm run dev (output: /tmp/b1.output)".
func runningLine(r *api.LedgerRunning) string {
	line := r.Kind + " " + r.ID
	if r.About != "" {
		line += ": " + r.About
	}
	if r.Output != "" {
		line += outputMark + r.Output + ")"
	}
	return line
}

const outputMark = " (output: "

// unloadedBlock returns the block of unloaded tools in at most max bytes. If not all tools fit, it lists the newest; if
// none fits, it returns "".
func (l *Ledger) unloadedBlock(max int) string {
	max -= 2*len(unloadedTag) + len("<>\n\n</>")
	from := len(l.Unloaded)
	for from > 0 && len(l.Unloaded[from-1])+2 <= max {
		from--
		max -= len(l.Unloaded[from]) + 2
	}
	if from == len(l.Unloaded) {
		return ""
	}
	return "<" + unloadedTag + ">\n" + Fence(strings.Join(l.Unloaded[from:], ", ")) + "\n</" + unloadedTag + ">"
}

// readUnloaded parses the entries of a block of unloaded tools.
func (l *Ledger) readUnloaded(entries []string) {
	for _, line := range entries {
		l.Unloaded = append(l.Unloaded, strings.Split(line, ", ")...)
	}
}

// runningBlock returns the block of running work, in at most max bytes, or "" if there is none or none fits.
func (l *Ledger) runningBlock(max int) string {
	lines := l.runningLines(max - 2*len(runningTag) - len("<>\n</>"))
	if len(lines) == 0 {
		return ""
	}
	return "<" + runningTag + ">\n" + strings.Join(lines, "\n") + "\n</" + runningTag + ">"
}

// readRunning parses the entries of a block of running work. Entries that it can't read are ignored.
func (l *Ledger) readRunning(entries []string) {
	for _, line := range entries {
		if names, found := strings.CutPrefix(line, unloadedHead); found {
			l.readUnloaded([]string{names})
			continue
		}
		var r api.LedgerRunning
		if head, output, found := strings.Cut(line, outputMark); found && strings.HasSuffix(output, ")") {
			line, r.Output = head, strings.TrimSuffix(output, ")")
		}
		line, r.About, _ = strings.Cut(line, ": ")
		if r.Kind, r.ID, _ = strings.Cut(line, " "); r.Kind != "" && r.ID != "" {
			l.Running = append(l.Running, r)
		}
	}
}

// inheritRunning takes over the running work and the unloaded tools of an older ledger if l has none.
func (l *Ledger) inheritRunning(old *Ledger) {
	if len(l.Running) == 0 {
		l.Running = old.Running
	}
	if len(l.Unloaded) == 0 {
		l.Unloaded = old.Unloaded
	}
}

// tidyRunning removes duplicates of work and of tools, and shortens the lists to their limits.
func (l *Ledger) tidyRunning() {
	l.Running = newestOf(l.Running, maxRunning, func(r api.LedgerRunning) string { return r.Kind + " " + r.ID })
	l.Unloaded = newestOf(l.Unloaded, maxUnloaded, func(s string) string { return s })
}

// Settle removes from the lists the work that is over according to messages, and the tools that messages have loaded.
// The messages themselves stay in the context.
func (l *Ledger) Settle(t *transcript.Transcript, messages []int32) {
	if len(l.Running) == 0 && len(l.Unloaded) == 0 {
		return
	}
	for _, i := range messages {
		for n := range t.OuterParts(&t.Messages[i]) {
			l.endWork(t, n)
			if names := loadedTools(t, n); names != nil {
				l.Unloaded = slices.DeleteFunc(slices.Clone(l.Unloaded), func(s string) bool { return slices.Contains(names, s) })
			}
		}
	}
}

// work updates the lists for part n, which is being folded. It adds the work that begins and the tools that are loaded,
// and removes the work that ends.
func (c *collector) work(n int32) {
	c.endWork(c.t, n)
	if r, found := startedWork(c.t, n); found {
		for _, old := range c.Running {
			// The call that started the work describes it better than a call that reads its output.
			if old.ID == r.ID && r.Kind != timerWork {
				r = old
			}
		}
		c.Running = slices.DeleteFunc(slices.Clone(c.Running), func(old api.LedgerRunning) bool {
			return old.ID == r.ID || old.Kind == timerWork && r.Kind == timerWork && isClock(old.ID) && isClock(r.ID)
		})
		if len(c.Running) >= maxRunning {
			c.Running = slices.Clone(c.Running[1:])
		}
		c.Running = append(c.Running, r)
	}
	c.Unloaded = append(c.Unloaded, loadedTools(c.t, n)...)
}

// isClock reports whether the id of a timer is the time at which it goes off. At most one timer has such an id.
func isClock(id string) bool { return strings.Count(id, ":") == 2 }

// endWork removes from the list the work that is over according to part n.
func (l *Ledger) endWork(t *transcript.Transcript, n int32) {
	if len(l.Running) == 0 {
		return
	}
	said, ok := signOf(t, n)
	if !ok {
		return
	}
	l.Running = slices.DeleteFunc(slices.Clone(l.Running), func(r api.LedgerRunning) bool { return said.ends(&r) })
}

// Lasting identifies tool results with content that exists nowhere else and is still needed after their messages are
// gone.
type Lasting struct {
	t      *transcript.Transcript // the transcript with the results
	ledger Ledger                 // the work that is still running after the messages
}

// NewLasting returns a Lasting for the messages of t with the given indexes. It finds out which work these messages
// leave running.
func NewLasting(t *transcript.Transcript, messages []int32) *Lasting {
	l := &Lasting{t: t}
	c := collector{t: t, Ledger: &l.ledger}
	for _, i := range messages {
		for n := range t.OuterParts(&t.Messages[i]) {
			c.work(n)
		}
	}
	return l
}

// Holds reports whether the tool result at part index n contains the user's words, started work that is still running,
// or loaded tools. Such results are short, so keeping them costs little.
func (l *Lasting) Holds(n int32) bool {
	if len(heardIn(l.t, n)) > 0 || loadedTools(l.t, n) != nil {
		return true
	}
	r, found := startedWork(l.t, n)
	return found && slices.ContainsFunc(l.ledger.Running, func(runs api.LedgerRunning) bool { return runs.ID == r.ID })
}
