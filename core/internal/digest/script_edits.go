package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// An agent without an editing tool edits files with small programs, such as
//
//	text = open('kiln.py').read()
//	open('kiln.py', 'w').write(text.replace('640', '900'))
//
// The texts in the program's calls show what it changes. It is read by its tokens only, so the values of expressions are
// unknown, and so is what a loop or a condition skips.

// codeReader reads a program in Python or JavaScript and collects the changes that it makes to files.
type codeReader struct {
	code  string              // the program
	at    int                 // the position in it, in bytes
	js    bool                // whether it is in JavaScript
	calls []codeCall          // the brackets that are open
	vars  critbit.Map[string] // the variables to which a text or a path was assigned
	reads []string            // the files that it reads
	name  string              // the identifier, with the names before its dots, that was read last
	end   int                 // its end
	value string              // the path that the last closed call has made, as Path("kiln.py") does
	into  string              // the variable that the statement assigns to; itemOf for an element of a list
	// The lines that the program has replaced since it last wrote a file.
	removed, added []string
	count          int      // how many texts the program has replaced
	size           int      // the size of these texts and of those that replace them, in bytes
	changes        []change // the changes so far
}

// codeCall is an open bracket: that of a call, of an index, or of neither.
type codeCall struct {
	bracket  byte      // the opening bracket
	name     string    // the name before the bracket
	receiver string    // the path of the object whose method is called
	args     [2]string // the first two arguments, if they are texts
	known    [2]bool   // whether args has the argument
	count    int       // the number of commas so far
	regexp   bool      // the first argument is a regular expression of JavaScript
}

const (
	// itemOf stands for an element, or a range of elements, of a list.
	itemOf = "[]"
	// lookRewritten is the maximum number of bytes that are read of a program.
	lookRewritten = 1 << 14
	// mostNested is the maximum number of open brackets in a program that is read, and mostReplaced that of the texts that
	// it replaces. lookReplaced is the maximum size of these texts and of those that replace them, in bytes.
	mostNested   = 48
	mostReplaced = 200
	lookReplaced = 2 * lookRewritten
)

// writeSigns lists parts of calls with which a program writes a file.
var writeSigns = substringsOf("open(|write_text(|writefile")

// mayWrite reports whether a program may write a file.
func mayWrite(code string) bool {
	return writeSigns.inAnyCase(code[:min(len(code), lookRewritten)])
}

// changesByCode returns the changes that a program makes to files whose paths it contains. A change without lines means
// that the program rewrites a file in an unknown way. Changed copies of files are among the changes.
func changesByCode(code string) []change {
	code = code[:min(len(code), lookRewritten)]
	r := codeReader{code: code, js: strings.Contains(code, "writeFile")}
	for r.at < len(code) && len(r.calls) < mostNested {
		r.token()
	}
	return r.changes
}

// token reads the next token.
func (r *codeReader) token() {
	switch c := r.code[r.at]; {
	case c == '\n' || c == ';':
		if r.at++; len(r.calls) == 0 {
			r.into = ""
		}
	case c == '#' && !r.js, c == '/' && r.js && strings.HasPrefix(r.code[r.at:], "//"):
		if n := strings.IndexByte(r.code[r.at:], '\n'); n >= 0 {
			r.at += n
		} else {
			r.at = len(r.code)
		}
	case c == '"' || c == '\'' || c == '`' && r.js:
		r.text("")
	case c == '/' && r.js && len(r.calls) > 0 && strings.HasSuffix(strings.TrimRight(r.code[:r.at], " \n"), "("):
		r.pattern()
	case c == '(' || c == '[' || c == '{':
		r.open(c)
	case c == ')' || c == ']' || c == '}':
		r.close()
	case c == ',' && len(r.calls) > 0:
		r.at++
		r.calls[len(r.calls)-1].count++
	case c == '=':
		r.assign()
	case isNameByte(c) || c == '.':
		r.word()
	default:
		r.at++
	}
}

// isNameByte reports whether an identifier may contain a byte.
func isNameByte(c byte) bool {
	return byteClass[c]&(small|capital|under|digit) != 0
}

// word reads an identifier, or a string literal with a prefix.
func (r *codeReader) word() {
	from := r.at
	for r.at < len(r.code) && (isNameByte(r.code[r.at]) || r.code[r.at] == '.') {
		r.at++
	}
	word := r.code[from:r.at]
	if r.at < len(r.code) && (r.code[r.at] == '"' || r.code[r.at] == '\'') && len(word) <= 2 && strings.Trim(lower(word), "rbfu") == "" {
		r.text(lower(word))
		return
	}
	r.name, r.end = word, r.at
	inner := len(r.calls) - 1
	if said, _ := r.vars.Get(word); said != "" && (r.into == itemOf || inner >= 0 && r.calls[inner].name != "") {
		r.argument(said)
	}
}

// text reads a string literal. prefix holds the letters before its opening quote, in lower case.
func (r *codeReader) text(prefix string) {
	quote := r.code[r.at : r.at+1]
	if more := r.code[r.at:]; strings.HasPrefix(more, quote+quote+quote) {
		quote = more[:3]
	}
	from := r.at + len(quote)
	end := from
	for end < len(r.code) && !strings.HasPrefix(r.code[end:], quote) {
		if r.code[end] == '\n' && len(quote) == 1 && quote != "`" { // an apostrophe in something that isn't code
			r.at = end
			return
		}
		if r.code[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(r.code))
	r.at = min(end+len(quote), len(r.code))
	said := r.code[from:end]
	if !strings.Contains(prefix, "r") {
		said = unescaped(said)
	}
	if strings.Contains(prefix, "f") && strings.HasPrefix(said, "{") { // mostly the indentation
		_, said, _ = strings.Cut(said, "}")
	}
	r.argument(said)
}

// pattern reads a JavaScript regular expression.
func (r *codeReader) pattern() {
	end := r.at + 1
	for end < len(r.code) && r.code[end] != '/' && r.code[end] != '\n' {
		if r.code[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(r.code))
	said := r.code[r.at+1 : max(end, r.at+1)]
	r.at = min(end+1, len(r.code))
	r.calls[len(r.calls)-1].regexp = true
	r.argument(said)
}

// codeEscapes replaces the escape sequences in a string literal.
var codeEscapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\'`, "'", `\"`, `"`, "\\`", "`", "\\\n", "")

// unescaped returns the value of a string literal, which is given without its quotes.
func unescaped(literal string) string {
	if !strings.Contains(literal, `\`) {
		return literal
	}
	return codeEscapes.Replace(literal)
}

// argument adds the value of a string literal to the current argument of the innermost call, or to
// the variable that the statement assigns to.
func (r *codeReader) argument(said string) {
	inner := len(r.calls) - 1
	if inner >= 0 && (r.calls[inner].name != "" || r.into == "") {
		if c := &r.calls[inner]; c.count < len(c.args) && len(c.args[c.count]) < lookRewritten {
			c.args[c.count] += said
			c.known[c.count] = true
		}
		return
	}
	switch {
	case r.into == "":
	case r.into == itemOf:
		r.replaced("", said)
	case len(r.calls) <= 1:
		known := r.vars.At(r.into)
		if *known != "" && inner >= 0 && !strings.HasSuffix(*known, "\n") {
			*known += "\n" // the elements of a list of lines
		}
		*known += said
	}
}

// open reads an opening bracket.
func (r *codeReader) open(bracket byte) {
	c := codeCall{bracket: bracket}
	if r.end == r.at && r.at > 0 {
		c.name = r.name[strings.LastIndexByte(r.name, '.')+1:]
		if object, _, found := strings.Cut(r.name, "."); object == "sys" { // sys.path.insert
			c.name = object
		} else if found && object != "" {
			c.receiver, _ = r.vars.Get(object)
		} else if found {
			c.receiver = r.value
		}
	}
	r.calls = append(r.calls, c)
	r.value = ""
	r.at++
}

// close reads a closing bracket. If it ends a call, close records what the call does.
func (r *codeReader) close() {
	r.at++
	if len(r.calls) == 0 {
		return
	}
	c := r.calls[len(r.calls)-1]
	r.calls = r.calls[:len(r.calls)-1]
	r.name, r.end = "", 0
	switch {
	case c.bracket == '[' && c.name != "" && len(r.calls) == 0:
		r.name = itemOf
	case c.bracket == '(':
		r.called(&c)
	}
}

// assign reads an equals sign. If it begins an assignment, assign records the variable.
func (r *codeReader) assign() {
	before := byte(' ')
	if r.at > 0 {
		before = r.code[r.at-1]
	}
	r.at++
	switch {
	case r.at < len(r.code) && (r.code[r.at] == '=' || r.code[r.at] == '>'):
		r.at++
	case strings.IndexByte("!<>+-*/|&%", before) >= 0 || len(r.calls) > 0 || strings.Contains(r.name, "."):
	default:
		if r.into = r.name; r.into != "" && r.into != itemOf {
			r.vars.Set(r.into, "")
		}
	}
}

// called records what a call that has ended does with files and texts.
func (r *codeReader) called(c *codeCall) {
	switch c.name {
	case "Path", "PurePath":
		if r.value = c.args[0]; r.into != "" && r.into != itemOf && len(r.calls) == 0 {
			r.vars.Set(r.into, c.args[0])
		}
	case "open":
		if r.value = ""; c.known[0] && strings.ContainsAny(c.args[1], "wax+") && len(c.args[1]) <= 3 {
			r.wrote(c.args[0], "", strings.Contains(c.args[1], "a"))
		} else if c.known[0] {
			r.read(c.args[0])
		}
	case "read_text":
		r.read(c.receiver)
	case "readFileSync", "readFile":
		r.read(c.args[0])
	case "write_text":
		r.wrote(c.receiver, c.args[0], false)
	case "writeFileSync", "writeFile":
		r.wrote(c.args[0], c.args[1], false)
	case "write":
		r.wroteText(c.args[0])
	case "replace", "replaceAll":
		if c.regexp {
			r.replaced(patternText(c.args[0], false), c.args[1])
		} else if c.known[0] && c.known[1] {
			r.replaced(c.args[0], c.args[1])
		}
	case "sub", "subn":
		if c.known[1] {
			now, refers := replacementText(c.args[1])
			r.replaced(patternText(c.args[0], refers), now)
		}
	case "insert":
		r.replaced("", c.args[1])
	case "append":
		r.replaced("", c.args[0])
	}
}

// mostChanged is the maximum number of files of a program, those that it reads and those that it writes.
const mostChanged = 32

// read records that the program reads a file.
func (r *codeReader) read(path string) {
	if len(r.reads) < mostChanged {
		r.reads = append(r.reads, path)
	}
}

// replaced records that the program replaces the text old with the text now.
func (r *codeReader) replaced(old, now string) {
	r.count, r.size = r.count+1, r.size+len(old)+len(now)
	if r.count <= mostReplaced && r.size <= lookReplaced && len(r.added)+len(r.removed) < keptChanges {
		c := lineChanges("", old, now)
		r.removed, r.added = append(r.removed, c.removed...), append(r.added, c.added...)
	}
}

// wrote records that the program writes a file. content is what it writes, or "" if that is
// unknown. appends means that the program adds it at the end of the file.
func (r *codeReader) wrote(path, content string, appends bool) {
	if len(path) <= 2 || len(path) > maxCommand || !strings.ContainsAny(path, "./") || strings.ContainsAny(path, " {}%*\\\n") || thrownAway(path) {
		return
	}
	path = strings.Clone(path)
	c := change{path: path, removed: r.removed, added: r.added}
	r.removed, r.added = nil, nil
	c.created = !appends && !slices.ContainsFunc(r.reads, func(read string) bool { return samePath(read, path) })
	if len(r.changes) < mostChanged {
		r.changes = append(r.changes, c)
	}
	r.wroteText(content)
}

// wroteText records a text that the program writes to the file that it opened last, as a whole or at its end.
func (r *codeReader) wroteText(content string) {
	if len(r.changes) == 0 {
		return
	}
	c := &r.changes[len(r.changes)-1]
	switch {
	case len(c.removed)+len(c.added) > 0:
	case len(r.removed)+len(r.added) > 0: // the call contains the replacements
		c.removed, c.added = r.removed, r.added
		r.removed, r.added = nil, nil
	case len(content) >= leastWritten:
		c.added, c.content = linesOf(content), content
	}
}

// leastWritten is the minimum length, in bytes, of a text written to a file that counts as its content.
const leastWritten = 40

// patternText returns the text that a regular expression matches, as far as it is fixed. It leaves out lines that vary,
// and if the replacement refers to groups (keeps), the groups.
func patternText(pattern string, keeps bool) string {
	var lines, line []byte
	varies, depth := false, 0
	end := func() {
		if !varies {
			lines = append(append(lines, line...), '\n')
		}
		line, varies = line[:0], false
	}
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		escaped := c == '\\' && i+1 < len(pattern)
		if escaped {
			i++
			c = pattern[i]
		}
		switch {
		case !escaped && c == '(':
			depth++
		case !escaped && c == ')':
			depth = max(0, depth-1)
		case keeps && depth > 0:
		case escaped && c == 'n' || c == '\n':
			end()
		case escaped && c == 's':
			if line = append(line, ' '); i+1 < len(pattern) && (pattern[i+1] == '*' || pattern[i+1] == '+') {
				i++
			}
		case escaped && strings.IndexByte("SdDwWbBAZ", c) >= 0, !escaped && strings.IndexByte(".*+?[]{}|^$", c) >= 0:
			varies = true
		default:
			line = append(line, c)
		}
	}
	end()
	return string(lines)
}

// replacementText returns the text that replaces what a regular expression matches, without
// references to groups. refers reports whether it had any.
func replacementText(text string) (now string, refers bool) {
	var b []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b = append(b, text[i])
			continue
		}
		switch i++; {
		case text[i] >= '0' && text[i] <= '9':
			refers = true
		case text[i] == 'g' && strings.HasPrefix(text[i+1:], "<"):
			if n := strings.IndexByte(text[i:], '>'); n > 0 {
				i += n
			}
			refers = true
		case text[i] == 'n':
			b = append(b, '\n')
		default:
			b = append(b, text[i])
		}
	}
	return string(b), refers
}
