package digest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// touch is the effect that a command had on a file. units is the number of units that the turn had before the command.
type touch struct {
	path, verb string
	units      int
}

// touch records that a command had the effect given by verb on a file.
func (r *turnReader) touch(path, verb string) {
	t := r.now()
	if known, found := r.edited.Get(fileName(path)); found && samePath(known, path) {
		path = known
	}
	t.touched = append(t.touched, touch{path, verb, len(t.units)})
	if !leaves(verb) {
		r.state.changedFile(path)
	}
}

// history is the history of a file: the entries in which it was changed, grouped by the kind of change.
type history struct {
	text  string // "edited in [2], [5]; moved in [7]"
	verb  string // the last verb in text
	comes bool   // whether the session created the file
	count int    // number of changes
}

// add adds a change to the history: its verb, and the number of the entry that mentions it. Further
// changes in the same entry are only counted, unless the file left its path in them.
func (h *history) add(verb string, entry int) {
	number := "[" + itoa(entry) + "]"
	if last := h.verb + " in " + number; leaves(h.verb) && !leaves(verb) && strings.HasSuffix(h.text, last) { // another file replaced it
		h.text, h.verb = strings.TrimSuffix(strings.TrimSuffix(h.text, last), "; "), ""
	}
	h.comes = h.comes || h.text == "" && (verb == "wrote" || verb == triedVerb)
	switch {
	case h.text != "" && strings.HasSuffix(h.text, number) && !leaves(verb):
	case len(h.text) > mostHistory:
		before, _, _ := strings.Cut(h.text, laterMark)
		if h.text = before + laterMark + number; verb != h.verb {
			h.text = before + laterMark + verb + " in " + number
		}
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

// leaves reports whether a verb describes a change after which the file is no longer at its old path.
func leaves(verb string) bool { return verb == goneVerb || strings.HasPrefix(verb, awayVerb) }

// mostHistory is the length of a file's history, in bytes, beyond which only the last change is added to it, after
// laterMark.
const (
	mostHistory = 40
	laterMark   = " … "
)

const (
	// eventsMark separates a file from its history.
	eventsMark = " — "
	// groupMark follows a history that applies to all files named after it on the line.
	groupMark = ": "
	// beforeHistory is the history of files whose changes no entry mentions.
	beforeHistory = "changed before"
	// triedVerb is the history of files that were written just to be run.
	triedVerb = "written and run"
	// awayVerb, followed by the new name, is the history of files that were moved or renamed.
	awayVerb = "moved to "
	goneVerb = "deleted"
	// renamedVerb, followed by the old name, is the history of files that were renamed.
	renamedVerb = "renamed from "
)

// historyVerbs lists the words with which the history of a file can begin.
var historyVerbs = []string{"edited in [", "wrote in [", "changed in [", "moved in [", "deleted in [", awayVerb, renamedVerb, triedVerb, beforeHistory}

// fileGroup is a group of changed files with the same history.
type fileGroup struct {
	history string   // as in history.text
	count   int      // as in history.count
	names   []string // the names of the files
}

// rank returns a number that orders the groups in the block; the one with the greatest comes first.
func (g *fileGroup) rank() int {
	if strings.HasPrefix(g.history, triedVerb) {
		return -1
	}
	if len(g.names) > mostSwept && strings.HasPrefix(g.history, wroteVerb) { // mostly trials
		return 0
	}
	return g.count
}

// appendLines appends the lines of the block for the group, each in about size bytes.
func (g *fileGroup) appendLines(lines []string, size int) []string {
	switch {
	case len(g.names) > mostSwept && strings.HasPrefix(g.history, sweptHistory):
		if folder := folderOfAll(g.names); folder != "" {
			lines = append(lines, itoa(len(g.names))+sweptFiles+folder+eventsMark+g.history)
		}
	case len(g.names) == 1 && g.history == "":
		lines = append(lines, g.names[0])
	case len(g.names) == 1:
		lines = append(lines, g.names[0]+eventsMark+g.history)
	default:
		lines = append(lines, grouped(cmp.Or(g.history, beforeHistory), someOf(g.names, g.history), size)...)
		if strings.HasPrefix(g.history, triedVerb) && len(g.names) > mostTried {
			lines = append(lines, moreFiles)
		}
	}
	return lines
}

// groupFiles groups files by their histories, those first that were changed last. base is left out of their names. Files
// that are as they were before aren't in any group.
func groupFiles(paths []string, base string, histories critbit.Map[history]) (groups []fileGroup) {
	var at critbit.Map[int] // for each history, the index of its group plus one
	for _, path := range slices.Backward(paths) {
		if strings.HasSuffix(path, "/.") {
			continue
		}
		name := strings.TrimPrefix(path, base)
		h, _ := histories.Get(path)
		if h.comes && leaves(h.verb) || h.verb == undoneVerb { // the file existed only for a while, or is unchanged
			continue
		}
		known := at.At(h.text)
		if *known == 0 || strings.Contains(name, ", ") {
			groups = append(groups, fileGroup{history: h.text, count: h.count})
			if strings.Contains(name, ", ") {
				groups[len(groups)-1].names = []string{name}
				continue
			}
			*known = len(groups)
		}
		g := &groups[*known-1]
		g.names = append(g.names, name)
	}
	return groups
}

// files returns the block of changed files with their histories, in at most size bytes. Files with the same history
// share a line. The files that were changed most often come first. Paths are relative to the log's folder if all of
// them are absolute. Files that don't fit are left out, and the block says so.
func (k *turnLog) files(paths []string, size int) string {
	paths = listOf(paths).withoutRelative(paths)
	histories := k.histories(listOf(paths))
	base := k.base
	if slices.ContainsFunc(paths, func(path string) bool { return path == "" || path[0] != '/' }) {
		base = ""
	}
	groups := groupFiles(paths, base, histories)
	sorting.Stable(groups, func(a, b fileGroup) int { return b.rank() - a.rank() })
	var lines []string
	for n := range groups {
		lines = groups[n].appendLines(lines, size/2)
	}
	if wide := k.widestCommit(len(paths)); wide != "" {
		lines = append([]string{wide}, lines...)
	}
	return firstOf(modifiedTag, fenced(lines), size)
}

// pathList is a list of paths.
type pathList struct {
	all   critbit.Map[struct{}]  // the paths
	names critbit.Map[namedPath] // by the names of the files
}

// namedPath is the path of a file with a given name. others means that files of the same name have other paths.
type namedPath struct {
	path   string
	others bool
}

// listOf returns the given paths as a list. If several files have the same name, those with
// absolute paths are preferred.
func listOf(paths []string) *pathList {
	l := new(pathList)
	for _, path := range paths {
		l.all.Add(path)
		known := l.names.At(fileName(path))
		absolute, before := strings.HasPrefix(path, "/"), strings.HasPrefix(known.path, "/")
		if known.path == "" || absolute && !before {
			*known = namedPath{path: path}
		} else if absolute == before && known.path != path {
			known.others = true
		}
	}
	return l
}

// has reports whether a path is in the list.
func (l *pathList) has(path string) bool { return l.all.Has(path) }

// longer returns the only longer path in the list that ends in path, or path if there is none or more than one.
func (l *pathList) longer(path string) string {
	path = strings.TrimPrefix(path, "./")
	if known, found := l.names.Get(fileName(path)); found && !known.others && len(known.path) > len(path) && samePath(known.path, path) {
		return known.path
	}
	return path
}

// whole returns path if it is in the list, and otherwise the longer path of the same file.
func (l *pathList) whole(path string) string {
	if l.has(path) {
		return path
	}
	return l.longer(path)
}

// withoutRelative returns paths without relative paths to files that also have an absolute path in the list.
func (l *pathList) withoutRelative(paths []string) (rest []string) {
	for _, path := range paths {
		if strings.HasPrefix(path, "/") || !strings.HasPrefix(l.longer(path), "/") {
			rest = append(rest, path)
		}
	}
	return rest
}

// widestCommit returns a line about the commit with the most files if that is more files than listed, and "" otherwise.
// The files that aren't listed were changed by a command, or before the session.
func (k *turnLog) widestCommit(listed int) (line string) {
	for i := range k.turns {
		for n := range k.turns[i].units {
			u := &k.turns[i].units[n]
			if u.factor == isDropped || !strings.HasPrefix(u.text, committedVerb) {
				continue
			}
			_, made, _ := strings.Cut(u.text, committedAs)
			name, stat, _ := strings.Cut(made, "; ")
			number := exitOf(stat)
			if files, _ := strconv.Atoi(number); files > listed && strings.HasPrefix(stat[len(number):], " file") {
				listed, line = files, number+sweptFiles+"commit "+name[strings.LastIndexByte(name, ' ')+1:]+" of ["+itoa(k.turns[i].number)+"], not all of them named here"
			}
		}
	}
	return line
}

// If a command changes more than mostSwept files at once, as a formatter does, only their number and folder are listed.
const (
	mostSwept    = 6
	sweptHistory = "changed in ["
	sweptFiles   = " files in "
)

// folderOfAll returns the folder that all names have in common, with a trailing slash, or "" if there is none.
func folderOfAll(names []string) string {
	folder := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, folder) || folder != "" && !strings.HasSuffix(folder, "/") {
			folder = folder[:strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1]
		}
	}
	return folder
}

// The maximum numbers of files that are named: files that no entry mentions, and files that were written just to be
// run. The newest files are named.
const (
	mostBefore = 16
	mostTried  = 4
)

// someOf returns those files in a group that are named: all of them, or only the first ones if
// their common history limits the number.
func someOf(names []string, history string) []string {
	most := len(names)
	switch {
	case history == "":
		most = mostBefore
	case strings.HasPrefix(history, triedVerb):
		most = mostTried
	}
	return names[:min(len(names), most)]
}

// grouped returns lines that begin with a history, each followed by some of the names. Each line
// has up to about max(most, 400) bytes.
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

// moreFiles ends a list of files from which others were left out for lack of room.
const moreFiles = "(and other files)"

// firstOf returns a block with as many entries, from the first on, as fit into max bytes, including the tags. It
// returns "" if none fits.
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

// histories returns the histories of all files in the log's entries, by the paths in a list or, of a file that isn't
// listed, by its own path.
func (k *turnLog) histories(listed *pathList) (events critbit.Map[history]) {
	for i := range k.turns {
		t := &k.turns[i]
		touched := t.touched
		for n := range t.units {
			for len(touched) > 0 && touched[0].units <= n {
				events.At(listed.whole(touched[0].path)).add(touched[0].verb, t.number)
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
			if path[0] != '/' && listed.has(k.base+path) {
				path = k.base + path
			}
			events.At(listed.whole(path)).add(verb, t.number)
		}
		for _, f := range touched {
			events.At(listed.whole(f.path)).add(f.verb, t.number)
		}
	}
	return events
}

// readFiles returns the paths in a line of the block of changed files. It returns nil for a line that gives only the
// number of the files.
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
