package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// An entry describes the net effect of a turn's edits rather than each edit. A line that one edit adds and a later one
// removes isn't mentioned, and a line that one edit removes and another adds counts as moved. Therefore the unit of an
// edit gets its description when the turn ends, or when a commit includes the edit.

// hunks holds the edits of one turn that have no description yet.
type hunks struct {
	all []hunk // the edits, in order
	// lines holds the positions of the lines that the hunks remove and add, by file and line, with the last position at
	// the end.
	lines [2]critbit.Map[[]lineAt]
	files critbit.Map[fileHunks] // by file, the edits of that file
}

// fileHunks lists the hunks of a file. key identifies the file, because its path may be long.
type fileHunks struct {
	key   string
	hunks []int // indexes in hunks.all
}

// hunk is the change that a unit describes.
type hunk struct {
	change
	at    place  // the place of the unit
	tried change // the first edit, in its original form
	// The unit in which the assistant mentions trouble just before a later edit of the same lines; -1 if there is none.
	why int
}

// lineAt is the position of a line in a hunk: the index of the hunk in hunks.all, and that of the line among its
// removed or added lines.
type lineAt struct{ hunk, line int }

// The indexes of hunks.lines: removed lines (gone) and added lines (come).
const (
	gone = iota
	come
)

// lines returns the removed or the added lines, depending on side. Lines that no longer count are empty.
func (h *hunk) lines(side int) *[]string {
	if side == gone {
		return &h.removed
	}
	return &h.added
}

// leastMoved is the minimum length, in bytes, of a line that counts as moved if one edit removes it and another adds
// it. Shorter lines are too common, except in settings.
const leastMoved = 20

// change adds a unit for a change to a file. If the change touches lines of an earlier edit in this turn, the unit
// replaces that edit's unit.
func (r *turnReader) change(i int, c *change) {
	if c.path == "" || thrownAway(c.path) {
		return
	}
	if c.undoes {
		r.undoEdit(c.path)
		return
	}
	r.overtake(c)
	r.edited.Set(fileName(c.path), c.path)
	r.state.changedFile(c.path)
	h, merges := r.open.take(c, r.here())
	u := unit{kind: changeUnit, message: int32(i), source: c.path, text: editedVerb + Fence(c.path)}
	switch {
	case h.created:
		u.text = wroteVerb + Fence(c.path)
	case h.deleted:
		u.text = deletedVerb + Fence(c.path)
	}
	if len(merges) > 0 {
		h.why = max(r.troubleBefore(i), h.why)
	}
	for _, at := range merges {
		old := &r.turns[at.turn].units[at.unit]
		if said := old.text[strings.Index(old.text, Fence(c.path))+len(Fence(c.path)):]; len(said) <= mostSaidOf {
			u.text += said // what the assistant said about it
		}
		old.factor = isDropped
	}
	r.add(u)
}

// troubleBefore returns the unit in which the assistant mentions trouble in the message that led to the result in
// message i, or -1.
func (r *turnReader) troubleBefore(i int) int {
	units := r.now().units
	for n := len(units) - 1; n >= 0 && int(units[n].message) >= i-2; n-- {
		if u := &units[n]; u.kind == saidUnit && u.factor != isDropped && len(u.text) <= mostSaidOf && reportsTrouble(u.text) {
			return n
		}
	}
	return -1
}

// take adds the change c, whose unit is at the given place. It returns the hunk that now contains
// the change (into), and the places of the units that the new unit replaces.
func (h *hunks) take(c *change, at place) (into *hunk, replaced []place) {
	file := h.files.At(c.path)
	if file.key == "" {
		file.key = itoa(len(h.all)) + "\x00"
	}
	if c.created || c.deleted { // nothing is left of earlier edits
		for _, n := range file.hunks {
			old := &h.all[n]
			replaced = append(replaced, old.at)
			old.at, old.removed, old.added = place{turn: -1}, nil, nil
		}
		file.hunks = nil
	}
	n := h.touched(c, file)
	if n < 0 {
		n = len(h.all)
		h.all = append(h.all, hunk{change: change{path: c.path, created: c.created, deleted: c.deleted, content: c.content}, at: at, tried: *c, why: -1})
		file.hunks = append(file.hunks, n)
	} else {
		replaced = append(replaced, h.all[n].at)
		h.all[n].at = at
	}
	for _, line := range c.removed {
		h.put(n, line, file.key, gone)
	}
	for _, line := range c.added {
		h.put(n, line, file.key, come)
	}
	return &h.all[n], replaced
}

// touched returns the index of the hunk that added one of the lines that a change removes, or of the hunk that wrote
// the whole file. It returns -1 if there is none.
func (h *hunks) touched(c *change, file *fileHunks) int {
	if len(file.hunks) == 1 && h.all[file.hunks[0]].created {
		return file.hunks[0]
	}
	for _, line := range c.removed {
		if spots, _ := h.lines[come].Get(file.key + withoutComma(line)); len(spots) > 0 && h.all[spots[len(spots)-1].hunk].at.turn >= 0 {
			return spots[len(spots)-1].hunk
		}
	}
	return -1
}

// put adds a line to hunk n. If the line undoes a line of a hunk, put drops that line instead. key identifies the file.
// side is gone for a removed line, and otherwise the line was added.
func (h *hunks) put(n int, line, key string, side int) {
	key += withoutComma(line)
	if spots, _ := h.lines[1-side].Get(key); len(spots) > 0 {
		last := spots[len(spots)-1]
		if side == gone || last.hunk == n || len(line) >= leastMoved || definedBy(line) != "" || isSettings(h.all[n].path) {
			h.lines[1-side].Set(key, spots[:len(spots)-1])
			if lines := *h.all[last.hunk].lines(1 - side); last.line < len(lines) {
				lines[last.line] = ""
				return
			}
		}
	}
	if lines := h.all[n].lines(side); len(*lines) < 2*keptChanges {
		spots := h.lines[side].At(key)
		*spots = append(*spots, lineAt{n, len(*lines)})
		*lines = append(*lines, line)
	}
}

// describeEdits completes the units of all edits since the turn began or its last commit was made.
func (r *turnReader) describeEdits() {
	for n := range r.open.all {
		h := &r.open.all[n]
		if h.at.turn < 0 {
			continue
		}
		c, u := &h.change, &r.turns[h.at.turn].units[h.at.unit]
		if u.factor == isDropped {
			continue
		}
		some := len(c.removed)+len(c.added) > 0
		c.removed, c.added = stillThere(c.removed), stillThere(c.added)
		if some && len(c.removed)+len(c.added) == 0 {
			u.factor = isDropped
			if h.why >= 0 {
				why := &r.turns[h.at.turn].units[h.why]
				u.text, u.factor = editedVerb+Fence(c.path)+h.tried.description()+" (taken back; "+saidLabel+why.text+")", ofFailure
				why.factor = isDropped
			}
			continue
		}
		head := strings.Index(u.text, Fence(c.path)) + len(Fence(c.path))
		u.text = u.text[:head] + c.description() + u.text[head:]
		u.factor = max(u.factor, c.factor())
		lines := telling(c.added)
		for _, line := range lines {
			r.changed.Set(fileLine(c.path, line), h.at)
		}
		u.lasts = 1
		if len(lines) > mostAdded { // such an edit is described by names, not by all its lines
			u.lasts = len(lines) / 2
		}
		if u.tried {
			if u.factor = min(u.factor, ofCommand); !strings.Contains(u.text[head:], definesWord) { // a trial: what it printed says more
				u.factor = isDropped
			}
		}
	}
	r.open = hunks{}
}

// stillThere returns the lines of a hunk that weren't undone. If any were, it also leaves out lines without words.
func stillThere(lines []string) []string {
	rest := slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	if len(rest) < len(lines) {
		rest = slices.DeleteFunc(rest, func(line string) bool { return !isWorded(line) })
	}
	return rest
}

// factor returns the weight of a unit about a change. A new file weighs most and imports least, but a new file that
// contains a diff weighs only as much as a command.
func (c *change) factor() int {
	switch {
	case c.created && isDiff(c.added):
		return ofCommand
	case c.created:
		return ofCreation
	case onlyImports(c.added) && onlyImports(c.removed):
		return ofImport
	}
	return ofChange
}

// overtake drops an edit that already has a description if a change removes the line that the edit added, or about half
// of the lines if it added many.
func (r *turnReader) overtake(c *change) {
	for _, line := range c.removed {
		key := fileLine(c.path, line)
		at, found := r.changed.Get(key)
		if !found || at.turn < 0 {
			continue
		}
		r.changed.Set(key, place{turn: -1})
		if u := &r.turns[at.turn].units[at.unit]; u.lasts <= 1 {
			r.drop(at)
		} else {
			u.lasts--
		}
	}
}

// The words that begin a unit about a change. The file's path follows them.
const (
	editedVerb  = "edited "
	wroteVerb   = "wrote "
	deletedVerb = "deleted "
)

// isDiff reports whether the content of a file is a patch for other files. Its changes only count when it is applied.
func isDiff(lines []string) bool {
	return len(lines) > 0 && (strings.HasPrefix(lines[0], "--- ") || strings.HasPrefix(lines[0], "diff --git ") ||
		strings.HasPrefix(lines[0], "*** Begin Patch"))
}

// thrownAway reports whether a file is in a folder for temporary files, or is a device.
func thrownAway(path string) bool {
	for _, dir := range []string{"/tmp/", "/var/folders/", "/var/tmp/", "/private/tmp/", "/dev/"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return strings.Contains(path, "/scratchpad/") || strings.Contains(path, "\\Temp\\")
}

// fileLine returns a key for a line of a file. The line must have no white space around it.
func fileLine(path, line string) string { return path + "\x00" + line }
