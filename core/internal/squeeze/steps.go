package squeeze

import (
	"strconv"
	"strings"
)

// Runs of progress lines: what compilers, bundlers, package managers and test runners print for each of many files.
const (
	minSteps   = 8 // the minimum number of lines in a run that is cut
	firstSteps = 3 // how many lines of a run stay at its beginning
	lastSteps  = 2 // how many lines of a run stay at its end
)

// withoutSteps removes the middle of long runs of progress lines and writes a count in its place. It leaves a text alone that consists
// of little else than a table of sizes or times: somebody asked for that.
func withoutSteps(text string) (short string, changed bool) {
	var r stepRuns
	for line := range strings.Lines(text) {
		r.add(line)
	}
	r.end()
	if !r.changed || r.listed > len(text)*9/10 {
		return text, false
	}
	return string(r.out), true
}

// stepRuns copies lines and cuts the runs among them. A run consists of lines of the same kind.
type stepRuns struct {
	out     []byte
	kind    stepKind
	lines   []string // the lines of the current run
	listed  int      // bytes in runs of measured lines, cut or not
	changed bool
}

// add adds the next line, with its line feed.
func (r *stepRuns) add(line string) {
	if kind := stepOf(line); kind != r.kind || kind == (stepKind{}) {
		r.end()
		r.kind = kind
	}
	r.lines = append(r.lines, line)
}

// end writes the current run.
func (r *stepRuns) end() {
	size := 0
	for _, line := range r.lines {
		size += len(line)
	}
	if r.kind.path {
		r.listed += size
	}
	cut := len(r.lines) - firstSteps - lastSteps
	if r.kind == (stepKind{}) || len(r.lines) < minSteps {
		cut = 0
	}
	for i, line := range r.lines {
		switch {
		case cut == 0 || i < firstSteps || i >= firstSteps+cut:
			r.out = append(r.out, line...)
		case i == firstSteps:
			r.changed = true
			r.out = append(r.out, line[:indentOf(line)]...)
			r.out = append(r.out, '[')
			r.out = strconv.AppendInt(r.out, int64(cut), 10)
			r.out = append(r.out, " lines like these]\n"...)
		}
	}
	r.lines = r.lines[:0]
}

// stepKind is what the progress lines of one run have in common. Its zero value stands for all other lines.
type stepKind struct {
	word string // the first word
	unit string // the unit of the first quantity
	path bool   // the first word is a path, which differs from line to line
}

// stepOf returns the kind of a line. A progress line either begins with what is being done ("Compiling"), says that something passed, or
// gives a path or a name with a size or a duration. Lines that mention trouble are never progress.
func stepOf(line string) (kind stepKind) {
	line = strings.TrimSpace(line)
	first, rest, _ := strings.Cut(line, " ")
	if tab := strings.IndexByte(first, '\t'); tab >= 0 {
		first, rest = line[:tab], line[tab+1:]
	}
	if rest == "" || len(line) > maxStep || strings.ContainsAny(line, "{}=\"'`;") || troubled(line) {
		return stepKind{}
	}
	switch {
	case isActivity(first), isPassed(first) && (first != "ok" && first != "OK" || isTest(rest)):
		return stepKind{word: first}
	case isPassed(lastWord(line)) && strings.ContainsAny(first, "./:"):
		return stepKind{unit: lastWord(line)}
	case !strings.ContainsAny(first, "./"):
		return stepKind{}
	}
	if unit := unitIn(rest); unit != "" {
		return stepKind{unit: unit, path: true}
	}
	return stepKind{}
}

// maxStep is the maximum length of a progress line, in bytes.
const maxStep = 240

// isActivity reports whether a word says what a compiler or a package manager is doing to one of many files. Other words of this form
// begin the rows of tables that somebody asked for, as in "Booking 4711".
func isActivity(word string) bool {
	switch word {
	case "Compiling", "Copying", "Downloading", "Extracting", "Fetching", "Generating", "Installing", "Linking", "Preparing", "Unpacking",
		"Uploading":
		return true
	}
	return false
}

// isTest reports whether a text begins with the path of a package or the number of a test, as what follows "ok" does.
func isTest(s string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(s, " \t"), " ")
	return first != "" && (digit(first[0]) || strings.ContainsAny(first, "/."))
}

// isPassed reports whether a word says that something went well.
func isPassed(word string) bool {
	switch word {
	case "ok", "OK", "PASS", "PASSED", "✓", "✔", "√":
		return true
	}
	return false
}

// troubles are parts of words for what did not go well.
var troubles = [...]string{"error", "fail", "warn", "miss", "conflict", "panic", "denied", "not ", "✗", "✖", "✕", "❌", "⚠"}

// troubled reports whether a line mentions something that did not go well.
func troubled(line string) bool {
	line = strings.ToLower(line)
	for _, word := range troubles {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// unitIn returns the unit of the first quantity in a text: a size in bytes, or a duration. It is "" if there is none.
func unitIn(s string) string {
	for {
		at := strings.IndexAny(s, "0123456789")
		if at < 0 {
			return ""
		}
		own := at > 0 && word(s[at-1]) // in a name
		for at < len(s) && (digit(s[at]) || s[at] == '.' || s[at] == ',') {
			at++
		}
		s = s[at:]
		rest := strings.TrimPrefix(s, " ")
		end := 0
		for end < len(rest) && word(rest[end]) {
			end++
		}
		if !own && isUnit(rest[:end]) && (end == len(rest) || rest[end] != '/') {
			return rest[:end]
		}
	}
}

// isUnit reports whether a word is a unit of size or time, as programs write them next to what they have made.
func isUnit(word string) bool {
	switch word {
	case "B", "kB", "KB", "MB", "GB", "KiB", "MiB", "GiB", "bytes", "s", "ms", "µs":
		return true
	}
	return false
}
