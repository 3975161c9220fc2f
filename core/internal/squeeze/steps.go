package squeeze

import (
	"strconv"
	"strings"
)

// Compilers, bundlers, package managers and test runners print a progress line for each of many files.
const (
	minSteps   = 8 // the minimum number of lines in a run that is cut
	firstSteps = 3 // the number of lines that stay at the beginning of a run
	lastSteps  = 2 // the number of lines that stay at the end of a run
)

// withoutSteps replaces the middle of each long run of progress lines with a count. changed is false if there are none.
// A text that consists almost entirely of lines with sizes or times stays unchanged, because this list was probably the
// purpose of the call.
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

// stepRuns copies lines and shortens runs of progress lines. A run consists of lines of the same kind.
type stepRuns struct {
	out     []byte   // the result so far
	kind    stepKind // of the current run; zero if there is none
	lines   []string // the lines of the current run
	listed  int      // the number of bytes in lines with a size or a duration, including lines that were cut
	changed bool     // whether a run was shortened
}

// add adds the next line, with its line feed. A line of another kind ends the current run.
func (r *stepRuns) add(line string) {
	if kind := stepOf(line); kind != r.kind || kind == (stepKind{}) {
		r.end()
		r.kind = kind
	}
	r.lines = append(r.lines, line)
}

// end writes the current run. A run of at least minSteps lines of one kind is cut to its first and last lines, with the
// number of the others between them.
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

// stepKind holds the features that all progress lines of a run have in common. It is zero for lines that are not
// progress lines.
type stepKind struct {
	word string // the first word
	unit string // the unit of the first quantity
	path bool   // whether the first word is a path or a name, which differs from line to line
}

// stepOf returns the kind of a line. A progress line begins with an activity ("Compiling"), says that something passed,
// or gives the size or duration for a path or a name. A line that mentions a problem is never a progress line.
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

// maxStep is the maximum length of a progress line in bytes.
const maxStep = 240

// isActivity reports whether a word names what a compiler or a package manager does to each of many files. Other words
// with the same ending can begin the rows of a table that somebody asked for, such as "Booking 4711".
func isActivity(word string) bool {
	switch word {
	case "Compiling", "Copying", "Downloading", "Extracting", "Fetching", "Generating", "Installing", "Linking",
		"Preparing", "Unpacking",
		"Uploading":
		return true
	}
	return false
}

// isTest reports whether text begins with the path of a package or the number of a test, which follow "ok" in the
// output of test runners.
func isTest(s string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(s, " \t"), " ")
	return first != "" && (digit(first[0]) || strings.ContainsAny(first, "/."))
}

// isPassed reports whether a word or a sign says that something succeeded.
func isPassed(word string) bool {
	switch word {
	case "ok", "OK", "PASS", "PASSED", "✓", "✔", "√":
		return true
	}
	return false
}

// troubles lists parts of words, and signs, that indicate problems.
var troubles = [...]string{"error", "fail", "warn", "miss", "conflict", "panic", "denied", "not ", "✗", "✖", "✕",
	"❌", "⚠"}

// troubled reports whether a line mentions a problem.
func troubled(line string) bool {
	line = strings.ToLower(line)
	for _, word := range troubles {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// unitIn returns the unit of the first quantity in text, which is a size in bytes or a duration, or "".
func unitIn(s string) string {
	for {
		at := strings.IndexAny(s, "0123456789")
		if at < 0 {
			return ""
		}
		own := at > 0 && word(s[at-1]) // the number is part of a name
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

// isUnit reports whether a word is a unit of size or time in the output of build tools.
func isUnit(word string) bool {
	switch word {
	case "B", "kB", "KB", "MB", "GB", "KiB", "MiB", "GiB", "bytes", "s", "ms", "µs":
		return true
	}
	return false
}

// The numbers of lines of a log that are kept: at its beginning, at its end, and before and after each line that
// mentions a problem. A gap of fewer than minLeftOut lines is never left out.
const (
	firstOfLog    = 4
	lastOfLog     = 20
	beforeTrouble = 1
	afterTrouble  = 4
	minLeftOut    = 4
)

// withoutMiddle removes the middle of a log, except for problems. It changes nothing if that would leave more than two
// thirds of the log. changed is then false, and short is text.
func withoutMiddle(text string) (short string, changed bool) {
	lines := strings.SplitAfter(text, "\n")
	out := make([]byte, 0, len(text))
	stays := firstOfLog // the lines before this one stay
	for i := 0; i < len(lines); {
		if troubled(lines[min(i+beforeTrouble, len(lines)-1)]) {
			stays = max(stays, i+beforeTrouble+1+afterTrouble)
		}
		if i < stays || i >= len(lines)-lastOfLog {
			out = append(out, lines[i]...)
			i++
			continue
		}
		from := i
		for i < len(lines)-lastOfLog && !troubled(lines[i+beforeTrouble]) {
			i++
		}
		if i-from < minLeftOut {
			stays = i
			i = from
			continue
		}
		out = append(out, '[')
		out = strconv.AppendInt(out, int64(i-from), 10)
		out = append(out, " lines left out]\n"...)
		changed = true
	}
	if !changed || len(out) > len(text)*2/3 {
		return text, false
	}
	return string(out), true
}
