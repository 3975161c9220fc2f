// Package squeeze shortens the output of tools. For example, it removes white space from JSON, turns similar objects
// into rows, writes a path that a search prints on every line only once, counts repeated lines, and removes escape
// codes and padding. What a reader may miss is lost mainly when it cuts progress lines, the lines around hits, or the
// middle of logs.
//
// Each form is recognized anywhere in a text by the text alone, never by the name of the tool. For example, an output
// can begin with a header, contain JSON, and end with a log. What isn't recognized stays unchanged. The package knows
// only texts, no messages or wire formats. Its cost is linear for any text, and it keeps nothing between calls.
package squeeze

import "strings"

// Form is a set of ways in which a text was shortened.
type Form uint16

// The ways to shorten text.
const (
	Controls    Form = 1 << iota // escape codes removed, and text that they overwrite
	JSON                         // white space between JSON values removed
	Rows                         // arrays of similar objects, or JSON lines, written as a header and rows
	Paths                        // a path written once, with its lines below it
	Starts                       // a common beginning written once, with the rest of each line below it
	Gutter                       // padding around line numbers removed
	Indentation                  // indentation that brackets imply removed
	Repeats                      // repeated lines replaced with a count, or with a reference to their first occurrence
	Binary                       // long hexadecimal or base64 data replaced with its length and a hash
	Context                      // context lines of a diff without any word removed
	// Trailing white space, wide column gaps, long runs of the same character and repeated empty lines removed.
	Padding
	Steps  // the middle of long runs of progress lines replaced with a count
	Around // the lines around the hits of a search removed
	Middle // the middle of a log removed, except for problems
)

// words holds an explanation of each form for the model that reads the text; "" means that the form needs none.
var words = [...]string{
	"escape codes cut", "compact JSON", "objects as rows", "lines by path", "lines by common start…", "", "unindented",
	"repeats counted", "binary data cut", "", "", "progress cut", "lines around hits cut", "middle cut",
}

// String returns a short description of the forms for the first line of a squeezed text.
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

// Options control how a text is shortened.
type Options struct {
	// MinSaved is the minimum saving in bytes. If less is saved, the text stays unchanged. Values below 1 count as 1.
	MinSaved int
	// Without is the set of forms that must not be used.
	Without Form
	// Steps is the minimum length, in bytes, of a text in which progress lines may be cut. Unlike most forms, this
	// loses information, so 0 turns it off. In texts of at least this length, the lines around search hits are removed
	// too, unless Without includes Paths.
	Steps int
	// Log means that the text is the log of a program, and that the model has already read it. If it has at least Steps
	// bytes, only the beginning, the end and the lines around problems are kept.
	Log bool
}

// Text shortens text by the forms that o allows. If that saves too little, ok is false and out is the unchanged text;
// otherwise form has the forms that were used.
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
	if o.Steps > 0 && len(w.src) >= o.Steps {
		if short, changed := withoutSteps(w.src); changed {
			w.src = short
			w.forms |= Steps
		}
		if o.Log {
			if short, changed := withoutMiddle(w.src); changed {
				w.src = short
				w.forms |= Middle
			}
		}
		w.bare = len(w.src) >= o.Steps
	}
	w.run()
	if len(text)-len(w.out) < max(1, o.MinSaved) {
		return text, 0, false
	}
	return string(w.out), w.forms, true
}

// writer is the state of shortening a text.
type writer struct {
	src     string   // the text
	out     []byte   // what was written
	forms   Form     // the forms that were used
	without Form     // the forms that must not be used
	lines   []int32  // the start of each line, followed by one more than the length of the text
	seen    []int32  // for each hash, one more than the indexes of the last two lines that have it
	shift   uint     // the number of bits by which a hash is shifted to the right to index seen
	judged  int      // the line up to which bracket, unit and margin are valid
	bracket bool     // whether brackets determine the indentation of these lines
	unit    int      // the indentation per level in these lines, in bytes
	margin  int      // the indentation that all of these lines share, in bytes
	level   int      // the indentation of the last line that was written, in bytes
	opened  bool     // whether the last line that was written ends with an open bracket
	start   int      // lines before this one don't share a beginning
	member  int      // no lines of JSON members begin before this line
	noJSON  int      // no complete JSON value begins before this offset
	nodes   []node   // those of the JSON value that is being written
	cols    []column // the columns of the table that is being written
	twice   bool     // whether values may repeat, so that again looks for them
	values  []int32  // for each hash, the node of the last key whose value has it
	diff    bool     // whether the current line is in a hunk of a diff
	bare    bool     // whether the lines around the hits of a search are removed
}

// line returns line i without its line feed.
func (w *writer) line(i int) string { return w.src[w.lines[i] : w.lines[i+1]-1] }

// count returns the number of lines.
func (w *writer) count() int { return len(w.lines) - 1 }

// allows reports whether a form may be used.
func (w *writer) allows(f Form) bool { return w.without&f == 0 }

// split fills w.lines and allocates w.seen.
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

// run writes the whole text. It first tries forms that cover several lines. Each of these returns the number of lines
// that it wrote.
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
		case s[0] == 'd' && w.allows(Context):
			k = w.diffHead(i)
		}
		for n := 0; k == 0; n++ {
			k = anyLines[n](w, i)
		}
		i += k
	}
	if len(w.out) > 0 {
		w.out = w.out[:len(w.out)-1] // the last line has no line feed
	}
}

// anyLines lists the forms for all kinds of lines in the order in which they are tried. The last one always succeeds.
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

// indented tries the forms for lines with leading white space. s is line i. It returns the number of lines that a form
// has written, or 0 if none applies.
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
		return w.joinMembers(i)
	}
	return 0
}

// empty writes only the first of several empty lines. It returns the number of lines that it replaced.
func (w *writer) empty(i int) int {
	k := 1
	for i+k < w.count() && blank(w.line(i+k)) {
		k++
	}
	if i+k == w.count() { // empty lines at the end of the text
		w.endLine()
		return k
	}
	w.endLine()
	if k > 1 && w.allows(Padding) {
		w.forms |= Padding
		return k
	}
	return 1
}

// endLine ends the current line of the output.
func (w *writer) endLine() { w.out = append(w.out, '\n') }

func blank(s string) bool { return indentOf(s) == len(s) }

// indentOf returns the number of spaces and tabs at the beginning of a line.
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

// word reports whether a byte can be part of a word, a number or a non-ASCII character.
func word(c byte) bool { return letter(c) || digit(c) || c == '_' || c >= 0x80 }

// digits returns the number of digits at the beginning of text.
func digits(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}

// tellsError reports whether a line contains an error message. The words and the spaces in such a line must not be
// changed.
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
