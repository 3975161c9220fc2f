package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// touch is what a command did to a file, after so many units of its turn.
type touch struct {
	path, verb string
	units      int
}

// touch notes what a command did to a file.
func (r *turnReader) touch(path, verb string) {
	t := r.now()
	t.touched = append(t.touched, touch{path, verb, len(t.units)})
	if !leaves(verb) {
		r.state.changedFile(path)
	}
}

// history says in which entries a file was changed, and how.
type history struct {
	text  string // "edited in [2], [5]; moved in [7]"
	verb  string // the last one
	comes bool   // the session made the file
	count int
}

func (h *history) add(verb string, entry int) {
	number := "[" + itoa(entry) + "]"
	h.comes = h.comes || h.text == "" && (verb == "wrote" || verb == triedVerb)
	switch {
	case h.text != "" && strings.HasSuffix(h.text, number) && !leaves(verb), len(h.text) > mostHistory:
	case h.verb == verb:
		h.text += ", " + number
	case h.text != "":
		h.text += "; " + verb + " in " + number
	default:
		h.text = verb + " in " + number
	}
	h.verb = verb
	h.count++
}

// leaves reports whether a file is no longer there after what was done to it.
func leaves(verb string) bool { return verb == goneVerb || strings.HasPrefix(verb, awayVerb) }

// mostHistory is the maximum length of one file's history, in bytes.
const mostHistory = 40

const (
	// eventsMark separates a file from its history.
	eventsMark = " — "
	// groupMark ends the history of all files that follow it on the line.
	groupMark = ": "
	// beforeHistory is the history of files whose changes no entry mentions.
	beforeHistory = "changed before"
	// triedVerb is what was done to files that were only written to be run.
	triedVerb = "written and run"
	// awayVerb, with the new name behind it, is what was done to files that have another name since.
	awayVerb = "moved to "
	goneVerb = "deleted"
)

// historyVerbs begin the history of a file.
var historyVerbs = []string{"edited in [", "wrote in [", "changed in [", "moved in [", "deleted in [", awayVerb, triedVerb, beforeHistory}

// files returns the block of changed files, each with the entries that say how it was changed, in at most size bytes. Files with the same
// history share a line; the most frequently changed come first. Paths are relative to the log's folder if all are absolute.
func (k *turnLog) files(paths []string, size int) string {
	histories := k.histories()
	short := k.base != "" && !slices.ContainsFunc(paths, func(path string) bool { return path == "" || path[0] != '/' })
	type group struct {
		history string
		count   int
		names   []string
	}
	var groups []group
	var at critbit.Map[int] // by history, one more than the index of its group
	for _, path := range slices.Backward(paths) {
		if strings.HasSuffix(path, "/.") {
			continue
		}
		name := path
		if short {
			name = strings.TrimPrefix(path, k.base)
		}
		h, _ := histories.Get(path)
		if h.comes && leaves(h.verb) { // it was there only for a while
			continue
		}
		known := at.At(h.text)
		if *known == 0 || strings.Contains(name, ", ") {
			groups = append(groups, group{history: h.text, count: h.count})
			if strings.Contains(name, ", ") {
				groups[len(groups)-1].names = []string{name}
				continue
			}
			*known = len(groups)
		}
		g := &groups[*known-1]
		g.names = append(g.names, name)
	}
	rank := func(g *group) int {
		if strings.HasPrefix(g.history, triedVerb) {
			return -1
		}
		return g.count
	}
	sorting.Stable(groups, func(a, b group) int { return rank(&b) - rank(&a) })
	var lines []string
	for _, g := range groups {
		switch {
		case len(g.names) > mostSwept && strings.HasPrefix(g.history, sweptHistory):
			lines = append(lines, itoa(len(g.names))+sweptFiles+folderOfAll(g.names)+eventsMark+g.history)
		case len(g.names) == 1 && g.history == "":
			lines = append(lines, g.names[0])
		case len(g.names) == 1:
			lines = append(lines, g.names[0]+eventsMark+g.history)
		default:
			history := g.history
			if history == "" {
				history = beforeHistory
			}
			if g.history == "" || strings.HasPrefix(g.history, triedVerb) {
				g.names = g.names[:min(len(g.names), mostBefore)]
			}
			lines = append(lines, grouped(history, g.names, size/2)...)
		}
	}
	return firstOf(modifiedTag, fenced(lines), size)
}

// A command that changes more than mostSwept files at once, such as a formatter, says nothing about each of them: they are only counted.
const (
	mostSwept    = 6
	sweptHistory = "changed in ["
	sweptFiles   = " files in "
)

// folderOfAll returns the common folder of names, with a slash at its end.
func folderOfAll(names []string) string {
	folder := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, folder) || folder != "" && !strings.HasSuffix(folder, "/") {
			folder = folder[:strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1]
		}
	}
	if folder == "" {
		return "several folders"
	}
	return folder
}

// mostBefore is how many files are named, the newest, of those of whose changes no entry says anything, and of those that were only run.
const mostBefore = 16

// grouped returns lines of names that share a history, each roughly as long as most.
func grouped(history string, names []string, most int) (lines []string) {
	line := ""
	for _, name := range names {
		switch {
		case line == "":
			line = history + groupMark + name
		case len(line)+len(name) > max(most, 400):
			lines = append(lines, line)
			line = history + groupMark + name
		default:
			line += ", " + name
		}
	}
	return append(lines, line)
}

// moreFiles ends a list of files that is not complete.
const moreFiles = "(and other files)"

// firstOf writes the first files between tags, in at most max bytes including the tags.
func firstOf(tag string, entries []string, max int) string {
	left := max - 2*len(tag) - len("<>\n</>")
	var b strings.Builder
	for i, e := range entries {
		if len(e) > left-len(moreFiles)-2 && !(i == len(entries)-1 && len(e)+1 <= left) {
			if i > 0 {
				b.WriteString(moreFiles + "\n")
			}
			break
		}
		left -= len(e) + 1
		b.WriteString(e + "\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "<" + tag + ">\n" + b.String() + "</" + tag + ">"
}

// histories returns what the entries say about files, by path.
func (k *turnLog) histories() (events critbit.Map[history]) {
	for i := range k.turns {
		t := &k.turns[i]
		touched := t.touched
		for n := range t.units {
			for len(touched) > 0 && touched[0].units <= n {
				events.At(touched[0].path).add(touched[0].verb, t.number)
				touched = touched[1:]
			}
			u := &t.units[n]
			if u.kind != changeUnit || u.source == "" {
				continue
			}
			verb, _, _ := strings.Cut(u.text, " ")
			if u.tried {
				verb = triedVerb
			}
			path := u.source
			if path[0] != '/' {
				path = k.base + path
			}
			events.At(path).add(verb, t.number)
		}
		for _, f := range touched {
			events.At(f.path).add(f.verb, t.number)
		}
	}
	return events
}

// readFiles returns the paths in a line of the block of changed files.
func readFiles(line string) []string {
	for _, verb := range historyVerbs {
		if strings.HasPrefix(line, verb) {
			if _, names, found := strings.Cut(line, groupMark); found {
				return strings.Split(names, ", ")
			}
		}
	}
	path, _, _ := strings.Cut(line, eventsMark)
	if number := exitOf(path); number != "" && strings.HasPrefix(path[len(number):], sweptFiles) {
		return nil
	}
	return []string{path}
}
