// Package squeeze makes the tool outputs shorter without losing what they say: JSON loses its white space and objects alike become rows, a
// path that a search prints on each line is once, repeated lines are counted, escape codes and padding go.
//
// Each form is recognised by what is in the text, never by the tool's name, and wherever it is: an output may begin with a header, hold
// JSON, and end in a log. What is not recognised stays as it is. The package knows texts alone, no messages and no wire formats. Its cost is
// linear in the text, whatever the text is, and it keeps nothing between calls.
package squeeze

import "strings"

// Form is what was done to a text: a set of the constants.
type Form uint16

// The forms of a shorter text.
const (
	Controls    Form = 1 << iota // escape codes and what they overwrite are gone
	JSON                         // JSON without white space between its values
	Rows                         // arrays of objects alike, and lines of JSON, as a header and rows
	Paths                        // a path once, its lines below it
	Starts                       // what lines begin with alike once, the rest of each below it
	Gutter                       // line numbers without padding
	Indentation                  // no indentation where brackets tell it
	Repeats                      // repeated lines by how often, or by where they are above
	Binary                       // long hexadecimal digits and base64 by length and hash
	Context                      // no lines of a diff that say nothing
	Padding                      // no white space at line ends and in columns, no long lines of one sign, no more than one empty line
)

// words say of each form what a reader has to know; of those that need no words nothing.
var words = [...]string{
	"escape codes cut", "compact JSON", "objects as rows", "lines by path", "lines by common start…", "", "unindented", "repeats counted",
	"binary data cut", "", "",
}

// String names the forms in a few words.
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

// Options say what is worth the trouble.
type Options struct {
	// MinSaved is how many bytes of a text must be saved, or it stays as it is; less than 1 counts as 1.
	MinSaved int
	// Without are forms that are not used.
	Without Form
}

// Text makes a text shorter. ok is false where that saves too little; the text then comes back as it is.
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

// writer is a text on its way.
type writer struct {
	src     string
	out     []byte
	forms   Form
	without Form
	lines   []int32 // where each line begins, and after the last one where the next would
	seen    []int32 // by hash of a line: one more than the indexes of the last two with it
	shift   uint    // of hashes
	judged  int     // the line up to which brackets is known
	bracket bool    // the lines up to there are indented as their brackets tell
	unit    int     // what the indentation of one level is there, in bytes
	margin  int     // what all lines up to there are indented by, in bytes
	level   int     // the indentation of the last line, in bytes
	opened  bool    // the last line ends with an open bracket
	start   int     // the line before which no lines begin alike
	member  int     // the line before which no members of JSON begin
	noJSON  int     // the offset before which no JSON value begins that is whole
	nodes   []node
	cols    []column
	twice   bool    // a value may be above
	values  []int32 // by hash of a value of JSON: the node of the key before it
	diff    bool    // in a hunk of a diff
}

// line is line i without its line end.
func (w *writer) line(i int) string { return w.src[w.lines[i] : w.lines[i+1]-1] }

// count is the number of lines.
func (w *writer) count() int { return len(w.lines) - 1 }

// may reports whether a form is requested.
func (w *writer) may(f Form) bool { return w.without&f == 0 }

// split finds the lines.
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

// run writes the whole text. What takes several lines is tried first; each says how many it has taken.
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
		w.out = w.out[:len(w.out)-1] // the line end that the last line does not have
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

// indented tries what begins with white space.
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

// empty writes the first of some empty lines.
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

// indentOf is how many bytes of white space a line begins with.
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

// word reports whether a byte may be in a word, a number or a character that is not ASCII.
func word(c byte) bool { return letter(c) || digit(c) || c == '_' || c >= 0x80 }

// digits is how many digits a text begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}

// tellsError reports whether a line says what an error was. Its words stay as they are, its spaces too.
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
