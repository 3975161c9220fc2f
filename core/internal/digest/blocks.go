package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// The tags around the ledger's lists in a digest. No other text in a digest can contain one of these tags; see
// Fence.
const (
	requestsTag = "user-requests"
	modifiedTag = "modified-files"
	readTag     = "read-files"
	commandsTag = "commands-run"
	errorsTag   = "open-errors"
)

// first marks the user's first request in the list of requests.
const first = "[first] "

// block returns entries between two tags, in at most max bytes including the tags. If not all entries fit, it keeps the
// newest ones and says how many are missing. It returns "" if none fits.
func block(tag string, entries []string, max int) string {
	left := max - 2*len(tag) - len("<>\n</>")
	from := len(entries)
	for from > 0 && len(entries[from-1])+1 <= left-len("(1000 more)\n") {
		from--
		left -= len(entries[from]) + 1
	}
	if from == 1 && len(entries[0])+1 <= left { // there is no count of omitted entries, so its room is free
		from = 0
	}
	if from == len(entries) {
		return ""
	}
	var b strings.Builder
	b.WriteString("<" + tag + ">\n")
	if from > 0 {
		b.WriteString("(" + itoa(from) + " more)\n")
	}
	for _, e := range entries[from:] {
		b.WriteString(e + "\n")
	}
	b.WriteString("</" + tag + ">")
	return b.String()
}

// requestsBlock returns the block that quotes the user's requests: the first request of the session, and the newest
// ones that fit into size bytes. It clips a request that is too long to a small part of size, which leaves room for
// older requests. It returns "" if there are no requests.
func (l *Ledger) requestsBlock(size int) string {
	if l.Task == "" && len(l.Requests) == 0 {
		return ""
	}
	all := make([]string, 0, len(l.Requests)+1)
	if l.Task != "" {
		all = append(all, first+l.Task)
	}
	for _, r := range l.Requests {
		if rest, found := strings.CutPrefix(r, first); found { // the user's words happen to begin like the mark
			r = "(first) " + rest
		}
		all = append(all, r)
	}
	left := size - 2*len(requestsTag) - len("<>\n</>(1000 more)\n") - 8
	entry := func(text string, most int) string {
		if len(text) > most {
			text = Clip(text, max(most-40, 0))
		}
		return requestEntry(text)
	}
	chosen := make([]string, len(all))
	put := func(i, most int) bool {
		e := entry(all[i], most)
		if len(all[i]) > most && most <= 40 || len(e)+1 > left+len(chosen[i]) {
			return false
		}
		left -= len(e) + 1 - len(chosen[i])
		chosen[i] = e
		return true
	}
	short := 0
	if l.Task != "" {
		if !put(0, size/8) {
			put(0, 60)
		}
		short = 1
	}
	from := len(all)
	for from > short && (put(from-1, left) || put(from-1, max(min(left/2, size/32), 100))) {
		from--
	}
	if short == 1 && len(chosen[0]) > 0 && len(all[0]) > size/8 {
		put(0, size/8+left) // the first request gets the remaining room
	}
	var b strings.Builder
	b.WriteString("<" + requestsTag + ">\n")
	hidden := 0
	tell := func() {
		if hidden > 0 {
			b.WriteString("(" + itoa(hidden) + " more)\n")
		}
		hidden = 0
	}
	for _, e := range chosen {
		if e == "" {
			hidden++
			continue
		}
		tell()
		b.WriteString(e + "\n")
	}
	tell()
	b.WriteString("</" + requestsTag + ">")
	return b.String()
}

// requestEntry returns a request in the form of an entry in the block of requests.
func requestEntry(text string) string { return "- " + Fence(strings.ReplaceAll(text, "\n", "\n  ")) }

// TextBeside returns the ledger as text that is appended to a digest written by a model. It takes at most max bytes,
// plus up to spare bytes for the user's requests.
func (l *Ledger) TextBeside(max, spare int) string {
	var b strings.Builder
	parts := l.blocks()
	last := len(parts) - 1
	runs := parts[last]
	copy(parts[2:], parts[1:last]) // running work comes before files because it is mentioned nowhere else
	parts[1] = runs
	for i, part := range parts {
		share := (max - b.Len()) * part.share / 100
		more := 0
		if i == 0 { // the requests
			more = spare
		}
		text := part.write(share + more)
		if text == "" || b.Len()+len(text)+2 > max+more {
			continue
		}
		max += min(more, len(text)-min(share, len(text)))
		b.WriteString("\n\n" + text)
	}
	return b.String()
}

// blocks returns the ledger's blocks. The share of a block is its maximum percentage of the remaining room.
func (l *Ledger) blocks() []ledgerBlock {
	var commands []string
	for _, c := range l.Commands {
		line := c.Command
		if c.Exit != "" {
			line += exitArrow + c.Exit
		}
		commands = append(commands, line)
	}
	return []ledgerBlock{
		{50, l.requestsBlock},
		{60, func(max int) string { return block(modifiedTag, fenced(l.Modified), max) }},
		{50, l.errorsBlock},
		{80, func(max int) string { return block(commandsTag, fenced(commands), max) }},
		{100, func(max int) string { return block(readTag, fenced(l.Read), max) }},
		{40, l.unloadedBlock},
		{40, l.runningBlock},
	}
}

// errorsBlock returns the block of open errors, in at most max bytes, or "" if there are none or none fits.
func (l *Ledger) errorsBlock(max int) string {
	errors := make([]string, len(l.Errors))
	for i, f := range l.Errors {
		errors[i] = "- " + f.Tool
		if f.On != "" {
			errors[i] += " (" + f.On + ")"
		}
		errors[i] += ": " + strings.ReplaceAll(f.Text, "\n", "\n  ")
	}
	return block(errorsTag, fenced(errors), max)
}

// fenced applies [Fence] to each text in a list, so that no text can close the block that contains it.
func fenced(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Fence(s)
	}
	return out
}

// ledgerBlock is a block of facts in the text of a ledger.
type ledgerBlock struct {
	share int                  // how much of the room that is left it may take, in percent
	write func(max int) string // returns the block in at most max bytes, or ""
}

// readRequests adds the task and the requests in the entries of their block.
func (l *Ledger) readRequests(entries []string) {
	for _, e := range entries {
		e = strings.TrimPrefix(e, "- ")
		if task, found := strings.CutPrefix(e, first); found {
			l.Task = task
		} else {
			l.Requests = append(l.Requests, e)
		}
	}
}

// readErrors adds the failures in the entries of their block.
func (l *Ledger) readErrors(entries []string) {
	for _, e := range entries {
		head, text, _ := strings.Cut(strings.TrimPrefix(e, "- "), ": ")
		f := api.LedgerFailure{Tool: head, Text: text}
		if tool, on, found := strings.Cut(head, " ("); found {
			f.Tool, f.On = tool, strings.TrimSuffix(on, ")")
		}
		l.Errors = append(l.Errors, f)
	}
}

// readCommands adds the commands in the entries of their block.
func (l *Ledger) readCommands(entries []string) {
	for _, e := range entries {
		c := api.LedgerCommand{Command: e}
		if at := strings.LastIndex(e, exitArrow); at >= 0 {
			c.Command, c.Exit = e[:at], e[at+len(exitArrow):]
		}
		l.Commands = append(l.Commands, c)
	}
}

// cutBlocks returns the text of a digest without the ledger's blocks, whose entries it adds to l.
func cutBlocks(text string, l *Ledger) string {
	for _, b := range []struct {
		tag  string
		read func(entries []string)
	}{
		{requestsTag, l.readRequests},
		{standingTag, func(list []string) { l.Standing = append(l.Standing, readStanding(list)...) }},
		{modifiedTag, func(list []string) {
			for _, line := range list {
				l.Modified = append(l.Modified, readFiles(line)...)
			}
		}},
		{errorsTag, l.readErrors},
		{commandsTag, l.readCommands},
		{readTag, func(list []string) { l.Read = append(l.Read, list...) }},
		{runningTag, l.readRunning},
		{unloadedTag, l.readUnloaded},
	} {
		before, rest, found := strings.Cut(text, "<"+b.tag+">\n")
		if !found {
			continue
		}
		inside, after, found := strings.Cut(rest, "</"+b.tag+">")
		if !found {
			continue
		}
		text = strings.TrimRight(before, "\n") + after
		b.read(entriesOf(inside))
	}
	return text
}

// entriesOf returns the entries of a block, each a line and the indented lines after it. It skips counts of omissions.
func entriesOf(text string) []string {
	var out []string
	var entry []byte
	end := func() {
		if len(entry) > 0 {
			out = append(out, string(entry))
		}
		entry = entry[:0]
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if more, found := strings.CutPrefix(line, "  "); found && len(entry) > 0 {
			entry = append(append(entry, '\n'), more...)
			continue
		}
		end()
		if strings.HasPrefix(line, "(") && (line == moreFiles || strings.HasSuffix(line, " more)")) {
			continue
		}
		entry = append(entry, line...)
	}
	end()
	return out
}
