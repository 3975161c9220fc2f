package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Work that goes on after its tool call has returned, such as a shell or an agent in the background, a timer, or an approval that is to come,
// is in the ledger with its id and where its output goes, until a later result says that it is over. This file keeps the list;
// running_signs.go reads from results what begins and what ends.

// runningTag encloses the block of work that runs in a digest.
const runningTag = "running-work"

// unloadedHead begins the line of tools that were unloaded.
const unloadedHead = "unloaded tools: "

// How much a ledger keeps of work that runs, and of tools that were unloaded.
const (
	maxRunning  = 24
	maxAbout    = 160 // bytes
	maxUnloaded = 200
	maxToolName = 128 // bytes
)

// runningLines are the work that runs and the tools that were unloaded, a line each, in at most max bytes with their line feeds. Where not all
// fit, the newest stay.
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
	lines = lines[from:]
	if line := l.unloadedLine(max - 1); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// runningLine is one piece of work as a line: "shell b1: npm run dev (output: /tmp/b1.output)".
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

// unloadedLine names the tools that were unloaded, the newest of them in at most max bytes.
func (l *Ledger) unloadedLine(max int) string {
	max -= len(unloadedHead)
	from := len(l.Unloaded)
	for from > 0 && len(l.Unloaded[from-1])+2 <= max {
		from--
		max -= len(l.Unloaded[from]) + 2
	}
	if from == len(l.Unloaded) {
		return ""
	}
	return Fence(unloadedHead + strings.Join(l.Unloaded[from:], ", "))
}

// runningBlock is the block of work that runs, in at most max bytes.
func (l *Ledger) runningBlock(max int) string {
	lines := l.runningLines(max - 2*len(runningTag) - len("<>\n</>"))
	if len(lines) == 0 {
		return ""
	}
	return "<" + runningTag + ">\n" + strings.Join(lines, "\n") + "\n</" + runningTag + ">"
}

// readRunning reads the entries of such a block.
func (l *Ledger) readRunning(entries []string) {
	for _, line := range entries {
		if names, found := strings.CutPrefix(line, unloadedHead); found {
			l.Unloaded = append(l.Unloaded, strings.Split(names, ", ")...)
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

// inheritRunning takes over what an older ledger knows of work that runs, where l has none.
func (l *Ledger) inheritRunning(old *Ledger) {
	if len(l.Running) == 0 {
		l.Running = old.Running
	}
	if len(l.Unloaded) == 0 {
		l.Unloaded = old.Unloaded
	}
}

// tidyRunning leaves each piece of work and each tool once, and keeps the lists within their limits.
func (l *Ledger) tidyRunning() {
	l.Running = newestOf(l.Running, maxRunning, func(r api.LedgerRunning) string { return r.Kind + " " + r.ID })
	l.Unloaded = newestOf(l.Unloaded, maxUnloaded, func(s string) string { return s })
}

// Settle removes from the lists of work that runs and of unloaded tools what messages, which stay, say is over or loaded.
func (l *Ledger) Settle(t *transcript.Transcript, messages []int32) {
	if len(l.Running) == 0 && len(l.Unloaded) == 0 {
		return
	}
	for _, i := range messages {
		m := &t.Messages[i]
		for n := m.First; n < m.First+m.Count; n++ {
			if t.Parts[n].Has(transcript.Removed) || t.Parts[n].Parent >= 0 {
				continue
			}
			l.endWork(t, n)
			if names := loadedTools(t, n); names != nil {
				l.Unloaded = slices.DeleteFunc(slices.Clone(l.Unloaded), func(s string) bool { return slices.Contains(names, s) })
			}
		}
	}
}

// work collects what the part at index n, which is folded, says of work that runs and of tools that it loads.
func (c *collector) work(n int32) {
	c.endWork(c.t, n)
	if r, found := startedWork(c.t, n); found {
		for _, old := range c.Running {
			if old.ID == r.ID && r.Kind != timerWork { // the call that asks for its output says less than the one that has started it
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

// isClock reports whether the id of a timer is the time at which it goes off: there is one such timer.
func isClock(id string) bool { return strings.Count(id, ":") == 2 }

// endWork removes from the list what the part at index n says is over.
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

// Lasting knows which tool results say what is in no other place and must outlive their messages.
type Lasting struct {
	t      *transcript.Transcript
	ledger Ledger // of work that runs after all messages
}

// NewLasting returns what of messages must last.
func NewLasting(t *transcript.Transcript, messages []int32) *Lasting {
	l := &Lasting{t: t}
	c := collector{t: t, Ledger: &l.ledger}
	for _, i := range messages {
		m := &t.Messages[i]
		for n := m.First; n < m.First+m.Count; n++ {
			if p := &t.Parts[n]; p.Parent < 0 && !p.Has(transcript.Removed) {
				c.work(n)
			}
		}
	}
	return l
}

// Holds reports whether the tool result at an index of Parts holds words of the user, the start of work that still runs, or tools that
// it has loaded. Such results are short.
func (l *Lasting) Holds(n int32) bool {
	if len(heardIn(l.t, n)) > 0 || loadedTools(l.t, n) != nil {
		return true
	}
	r, found := startedWork(l.t, n)
	return found && slices.ContainsFunc(l.ledger.Running, func(runs api.LedgerRunning) bool { return runs.ID == r.ID })
}
