// Package squeeze shortens tool outputs without losing what they say: JSON loses its white space, similar objects become rows, a path that
// a search prints on each line is written once, repeated lines are counted, escape codes and padding are removed.
//
// Each form is recognized by the text alone, never by the tool's name, and anywhere in it: an output may begin with a header, contain JSON,
// and end with a log. What isn't recognized stays as it is. The package knows texts only, no messages and no wire formats. Its cost is
// linear in any text, and it keeps nothing between calls.
package squeeze

import "strings"

// Form says what was done to a text: a set of the constants.
type Form uint16

// The forms of a shorter text.
const (
	Controls    Form = 1 << iota // escape codes, and what they overwrite, removed
	JSON                         // white space between JSON values removed
	Rows                         // arrays of similar objects, and lines of JSON, as a header and rows
	Paths                        // a path once, its lines below it
	Starts                       // a common beginning once, the rest of each line below it
	Gutter                       // line numbers without padding
	Indentation                  // indentation that brackets imply removed
	Repeats                      // repeated lines as a count, or as a reference to where they are above
	Binary                       // long hexadecimal digits and base64 as a length and a hash
	Context                      // lines of a diff that say nothing removed
	Padding                      // trailing and column white space, long runs of one character, and multiple empty lines removed
)

// words explain each form to a reader; forms that need no explanation have "".
var words = [...]string{
	"escape codes cut", "compact JSON", "objects as rows", "lines by path", "lines by common start…", "", "unindented", "repeats counted",
	"binary data cut", "", "",
}

// String describes the forms in a few words.
func (f Form) String() string {
	var b strings.Builder
	for i, w := range words {
		if f&(1<<i) == 0 || w == "" || 1<<i == JSON && f&Rows != 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(w)
	}
	if b.Len() == 0 {
		return "padding cut"
	}
	return b.String()
}

// Options say when a shorter text is worth it.
type Options struct {
	// MinSaved is how many bytes must be saved for a text to be changed; less than 1 counts as 1.
	MinSaved int
	// Without are forms that must not be used.
	Without Form
}

// Text shortens a text. ok is false if that saves too little; out is then the unchanged text.
func Text(text string, o Options) (out string, form Form, ok bool) {
	if len(text) <= o.MinSaved || len(text) > 1<<30 {
		return text, 0, false
	}
	w := writer{src: text, without: o.Without}
	if o.Without&Controls == 0 {
		if clean, changed := controls(text); changed {
			w.src = clean
			w.forms = Controls
		}
	}
	w.run()
	if len(text)-len(w.out) < max(1, o.MinSaved) {
		return text, 0, false
	}
	return string(w.out), w.forms, true
}

// writer is a text being shortened.
type writer struct {
	src     string
	out     []byte
	forms   Form
	without Form
	lines   []int32 // start of each line, and the end of the text
	seen    []int32 // one more than the indexes of the last two lines with a hash
	shift   uint    // of hashes
	judged  int     // the line up to which bracket is known
	bracket bool    // the indentation of the lines up to there follows from their brackets
	unit    int     // the indentation per level there, in bytes
	margin  int     // the common indentation of all lines up to there, in bytes
	level   int     // the indentation of the last line, in bytes
	opened  bool    // the last line ends with an open bracket
	start   int     // the line before which no lines share a beginning
	member  int     // the line before which no JSON members begin
	noJSON  int     // the offset before which no complete JSON value begins
	nodes   []node
	cols    []column
	twice   bool    // a value may have been written above
	values  []int32 // the node of the key before a JSON value, by the value's hash
	diff    bool    // in a hunk of a diff
}

// line is line i without its line end.
func (w *writer) line(i int) string { return w.src[w.lines[i] : w.lines[i+1]-1] }

// count returns the number of lines.
func (w *writer) count() int { return len(w.lines) - 1 }

// may reports whether a form is requested.
func (w *writer) may(f Form) bool { return w.without&f == 0 }

// split finds the beginnings of lines.
func (w *writer) split() {
	n := strings.Count(w.src, "\n") + 1
	w.lines = make([]int32, 1, n+1)
	for at := 0; ; {
		i := strings.IndexByte(w.src[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		w.lines = append(w.lines, int32(at))
	}
	w.lines = append(w.lines, int32(len(w.src)+1))
	size := uint(8)
	for size < 16 && 1<<size < n {
		size++
	}
	w.shift = 64 - size
	w.seen = make([]int32, 2<<size)
}

// run writes the whole text. Forms of several lines are tried first; each returns how many lines it has taken.
func (w *writer) run() {
	w.split()
	w.out = make([]byte, 0, len(w.src)+1)
	for i := 0; i < w.count(); {
		k := 0
		switch s := w.line(i); {
		case len(s) == 0:
			i += w.empty(i)
			continue
		case s[0] == '{' || s[0] == '[':
			k = w.json(i)
		case s[0] == ' ' || s[0] == '\t':
			k = w.indented(i, s)
		case digit(s[0]):
			k = w.gutter(i)
		case s[0] == 'd' && w.may(Context):
			k = w.diffHead(i)
		}
		for n := 0; k == 0; n++ {
			k = anyLines[n](w, i)
		}
		i += k
	}
	if len(w.out) > 0 {
		w.out = w.out[:len(w.out)-1] // the last line has no line end
	}
}

// anyLines are tried for lines that begin with anything, in this order; the last one takes every line.
var anyLines = [...]func(w *writer, i int) int{
	func(w *writer, i int) int {
		if i+1 == w.count() {
			return 0
		}
		if k := w.paths(i); k > 0 {
			return k
		}
		return w.starts(i)
	},
	(*writer).repeats, (*writer).encoded,
	func(w *writer, i int) int {
		w.plain(i)
		return 1
	},
}

// indented tries the forms that begin with white space.
func (w *writer) indented(i int, s string) int {
	at := indentOf(s)
	if at == len(s) {
		return 0
	}
	switch c := s[at]; {
	case c == '{' || c == '[':
		return w.json(i)
	case c >= '0' && c <= '9':
		return w.gutter(i)
	case c == '"':
		return w.members(i)
	}
	return 0
}

// empty writes the first of several empty lines.
func (w *writer) empty(i int) int {
	k := 1
	for i+k < w.count() && blank(w.line(i+k)) {
		k++
	}
	if i+k == w.count() { // the end of the text
		w.end()
		return k
	}
	w.end()
	if k > 1 && w.may(Padding) {
		w.forms |= Padding
		return k
	}
	return 1
}

// end ends a line.
func (w *writer) end() { w.out = append(w.out, '\n') }

func blank(s string) bool { return indentOf(s) == len(s) }

// indentOf returns how many bytes of white space a line begins with.
func indentOf(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' && s[i] != '\t' {
			return i
		}
	}
	return len(s)
}

func digit(c byte) bool  { return c-'0' < 10 }
func letter(c byte) bool { return c|0x20-'a' < 26 }

// word reports whether a byte may be part of a word, a number or a non-ASCII character.
func word(c byte) bool { return letter(c) || digit(c) || c == '_' || c >= 0x80 }

// digits returns the number of digits at the beginning of a text.
func digits(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}

// tellsError reports whether a line contains an error message, whose words and spaces must stay unchanged.
func tellsError(s string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], ": ")
		if i < 0 {
			return false
		}
		at += i
		if at >= 4 {
			switch string([]byte{s[at-4] | 0x20, s[at-3] | 0x20, s[at-2] | 0x20, s[at-1] | 0x20}) {
			case "rror", "atal", "anic":
				return true
			case "tion":
				if at >= 9 && s[at-8:at-4] == "xcep" {
					return true
				}
			}
		}
		at += 2
	}
}
