package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// change is the effect of a call on a file.
type change struct {
	path           string   // the file
	created        bool     // the call wrote the whole content
	deleted        bool     // the call deleted the file
	undoes         bool     // the call reverts the last edit of the file
	removed, added []string // the lines that the call removed and added
	content        string   // the whole content if the call wrote it, or the replacement text of an edit
}

// The names of the arguments that hold the text before an edit, the text after it, and the whole new content of a file.
var (
	beforeKeys  = wordListOf("old_string oldText old_str oldString old search old_text find original")
	afterKeys   = wordListOf("new_string newText new_str newString new replace new_text replacement updated insert_text")
	contentKeys = wordListOf("content file_text contents text body new_source")
)

// Limits: the number of bytes examined in an edit's texts, and the maximum number of lines kept from a change.
const (
	lookChange  = 1 << 16
	keptChanges = 400
)

// changesOf returns the changes that a call of an editing tool makes.
func changesOf(t *transcript.Transcript, call *transcript.Part) []change {
	path := Path(t, call)
	if path == "" && call.Pair >= 0 {
		path = openFile(ResultText(t, int(call.Pair)))
	}
	return changesBy(t.Name(call.Name), path, func(see func(key, text string)) { arguments(t, call, see) })
}

// undoTool is the name, as ToolKey returns it, of a tool that reverts the last edit of a file. Text editor tools, such
// as Claude's, have a command with the same name.
const undoTool = "undoedit"

// changesBy returns the changes made by an editing tool. file is the path in the call's arguments, or "" if each edit
// has its own. each calls see for every argument.
func changesBy(tool, file string, each func(see func(key, text string))) (all []change) {
	var before, content string
	own := file == ""
	haveBefore, undoes := false, strings.HasPrefix(ToolKey(tool), undoTool)
	each(func(key, text string) {
		text = text[:min(len(text), lookChange)]
		is, _ := argumentOf(key)
		switch {
		case key == "command" && text == "undo_edit":
			undoes = true
		case is == patch || key == "":
			all = append(all, patchesIn(file, text)...)
		case is == path && own:
			file = text
		case beforeKeys.has(key):
			before, haveBefore = text, true
		case afterKeys.has(key) && haveBefore:
			all = append(all, lineChanges(file, before, text))
			haveBefore = false
		case afterKeys.has(key):
			all = append(all, lineChanges(file, "", text))
		case contentKeys.has(key):
			content = text
		}
	})
	name := ToolKey(tool)
	if content != "" && file != "" {
		part := strings.Contains(name, "insert") || strings.Contains(name, "append")
		all = append(all, change{path: file, created: !part, added: linesOf(content), content: content})
	}
	if len(all) == 0 && file != "" {
		all = append(all, change{path: file, deleted: strings.Contains(name, "delete"), undoes: undoes})
	}
	return all
}

// patchesIn returns the changes in a patch. path is the call's file, which applies to patches that name no file.
func patchesIn(path, text string) []change {
	if strings.Contains(text, replaceEnd) {
		return replaceBlocks(path, text)
	}
	all := patchChanges(text)
	if len(all) == 0 && path != "" && strings.HasPrefix(text, "@@") {
		all = patchChanges(patchMarks[0] + path + "\n" + text)
	}
	return all
}

// The ends of the lines around a block of old and new lines; see replaceBlocks.
const (
	replaceStart = " SEARCH"
	replaceEnd   = " REPLACE"
)

// isLineNumber reports whether a line of a block gives the number of the block's first or last line in the file.
func isLineNumber(line string) bool {
	return strings.HasPrefix(line, ":start_line:") || strings.HasPrefix(line, ":end_line:")
}

// replaceBlocks returns the changes in blocks of old and new lines, in the format of Cline, Roo Code and Aider:
// "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", or with - and + instead of < and >.
func replaceBlocks(path, text string) (all []change) {
	var old, now strings.Builder
	var into *strings.Builder
	for line := range strings.Lines(text) {
		mark := strings.TrimSpace(line)
		sign := strings.TrimLeft(mark, "<>-+=:")
		marked := len(mark)-len(sign) >= 5
		rule := byte(0) // of which character the line consists, if of a single one
		if marked && sign == "" {
			rule = mark[0]
		}
		switch {
		case marked && sign == replaceStart:
			old.Reset()
			now.Reset()
			into = &old
		case into == &old && rule == '=':
			into = &now
		case into == &now && marked && sign == replaceEnd:
			all = append(all, lineChanges(path, old.String(), now.String()))
			into = nil
		case into == &old && (rule == '-' || isLineNumber(mark)): // Roo Code
			old.Reset()
		case into != nil:
			into.WriteString(line)
		}
	}
	return all
}

// linesOf returns the first keptChanges non-empty lines of text, without leading and trailing white space.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < keptChanges {
			lines = append(lines, line)
		}
	}
	return lines
}

// lineChanges returns the change that replaces the text before with the text after.
func lineChanges(path, before, after string) change {
	old, now := linesOf(before), linesOf(after)
	return change{path: path, removed: surplus(old, now), added: surplus(now, old), content: after}
}

// without returns the lines of list that other doesn't contain.
func without(list, other []string) (rest []string) {
	var in critbit.Map[struct{}]
	for _, line := range other {
		in.Add(line)
	}
	for _, line := range list {
		if !in.Has(line) {
			rest = append(rest, line)
		}
	}
	return rest
}

// withoutComma returns a line without a trailing comma, whose only meaning is that another list element follows.
func withoutComma(line string) string { return strings.TrimSuffix(line, ",") }

// surplus returns the lines that list contains more often than other, once for each additional occurrence. Lines that
// differ only in a trailing comma are equal.
func surplus(list, other []string) (rest []string) {
	var in critbit.Map[int]
	for _, line := range other {
		*in.At(withoutComma(line))++
	}
	for _, line := range list {
		if n := in.At(withoutComma(line)); *n > 0 {
			*n--
		} else {
			rest = append(rest, line)
		}
	}
	return rest
}

// patchChanges returns the changes in a patch, which is in the format of Codex's apply_patch or in
// unified diff format. It returns nil for text in any other format.
func patchChanges(text string) (all []change) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if mark, name := fileInPatch(line); name != "" {
			all = append(all, change{path: strings.TrimSpace(name), created: strings.Contains(mark, "Add"), deleted: strings.Contains(mark, "Delete")})
			continue
		}
		if len(all) == 0 || line == "" {
			continue
		}
		c := &all[len(all)-1]
		s := strings.TrimSpace(line[1:])
		switch {
		case s == "" || strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---"):
		case line[0] == '+' && len(c.added) < keptChanges:
			c.added = append(c.added, s)
		case line[0] == '-' && len(c.removed) < keptChanges:
			c.removed = append(c.removed, s)
		}
	}
	for i := range all {
		added := all[i].added
		all[i].added = surplus(added, all[i].removed)
		all[i].removed = surplus(all[i].removed, added)
	}
	return all
}

// longestComment is the maximum length, in bytes, of a quote from an added comment. leastComment is the minimum number
// of words that a comment must have to be quoted.
const (
	longestComment = 240
	leastComment   = 6
)

// commentIn returns the first comment in lines that has enough words and isn't code, or "".
func commentIn(lines []string) string {
	for i, line := range lines {
		s := commentOf(line)
		if strings.Count(s, " ")+1 < leastComment || codes(s) {
			continue
		}
		for _, more := range lines[i+1:] { // add the lines on which the comment continues
			next := commentOf(more)
			if endsSentence(s) || next == "" || next[0] == '@' || len(s) > longestComment {
				break
			}
			s += " " + next
		}
		return clipWords(s, longestComment)
	}
	return ""
}

// commentOf returns the text of a line that contains only a comment, or "".
func commentOf(line string) string {
	for _, mark := range []string{"// ", "/// ", "# ", "* ", "/** ", "/* ", "-- ", "\"\"\"", "<!-- "} {
		if rest, found := strings.CutPrefix(line, mark); found {
			return strings.TrimSpace(strings.TrimRight(rest, "*/\"-> "))
		}
	}
	return ""
}

// telling returns the informative lines. It drops mere punctuation, conflict marks and, if other lines remain, imports.
func telling(lines []string) (out []string) {
	var imports []string
	for _, line := range lines {
		switch {
		case len(line) > 7 && strings.Trim(line[:7], line[:1]) == "" && strings.IndexByte("<>|", line[0]) >= 0: // the marks of a merge conflict
		case !isWorded(line):
		case isImport(line):
			imports = append(imports, line)
		default:
			out = append(out, line)
		}
	}
	if out == nil {
		return imports
	}
	return out
}

// isWorded reports whether a line contains more than punctuation and the most common keywords.
func isWorded(line string) bool {
	letters := 0
	for i := range len(line) {
		if c := line[i] | 0x20; c >= 'a' && c <= 'z' || line[i] >= 0x80 || line[i] >= '0' && line[i] <= '9' {
			letters++
		}
	}
	return letters >= 3 && line != "else {" && line != "return" && line != "} else {"
}

// isImport reports whether a line only imports a file or a package.
func isImport(line string) bool {
	return importStarts.may(line) && headedBy(line, importHeads) || strings.HasPrefix(line, "type ") && strings.HasSuffix(line, ",") || len(line) > 2 && line[0] == '"' && strings.HasSuffix(line, "\"") && isPackage(line[1:len(line)-1])
}

// isPackage reports whether a quoted text can be the path or the name of a package, as in a Go import.
func isPackage(text string) bool {
	return strings.IndexByte(text, ' ') < 0 && strings.Contains(text, "/") || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// onlyImports reports whether all informative lines are imports.
func onlyImports(lines []string) bool {
	return !slices.ContainsFunc(telling(lines), func(line string) bool { return !isImport(line) })
}

// quoted returns a quote of the first lines, in about most bytes.
func quoted(lines []string, most int) string {
	var b strings.Builder
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		line = line[:min(indent, deepQuote)] + clipLine(line, quotedLine)
		if b.Len() > 0 && b.Len()+len(line) > most {
			b.WriteString(" …")
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(codeQuote(line))
	}
	return Fence(b.String())
}

// codeQuote encloses a line of code in backticks, using a longer row of them than any in the line itself.
func codeQuote(line string) string {
	if !strings.Contains(line, "`") {
		return "`" + line + "`"
	}
	marks := "``"
	for strings.Contains(line, marks) {
		marks += "`"
	}
	return marks + " " + line + " " + marks
}

// Words with which definitions begin: modifiers, keywords of types and functions, and keywords of variables.
var (
	modifiers = wordListOf("readonly get set private internal virtual unsafe export default async public private protected static pub abstract final override declare pub(crate)")
	defines   = wordListOf("func function class interface type def fn struct enum trait module protocol object record")
	binds     = wordListOf("const let var val")
)

// methodIn returns the name of the method whose definition begins on a line, or "". rest is the line without its
// modifiers. The parameters may continue on the following lines.
func methodIn(line, rest string) string {
	at := strings.IndexByte(rest, '(')
	whole := at >= 3 && strings.HasSuffix(line, "{") && strings.Contains(rest[at:], ")")
	if !whole && (at < 3 || at < len(rest)-1 || strings.Contains(line, "default ")) {
		return ""
	}
	name := rest[:at]
	if n := strings.LastIndexByte(name, ' '); n >= 0 { // the return type
		if strings.ContainsAny(name[:n], "=.,;:!&|+?(") {
			return ""
		}
		name = name[n+1:]
	}
	for i := range len(name) {
		if byteClass[name[i]]&(small|capital|under|digit) == 0 {
			return ""
		}
	}
	if len(name) < 3 || notMethods.has(name) || startsWithAny(rest, notDefining) {
		return ""
	}
	return name
}

// notDefining lists the beginnings of lines with a call, which may look like the definition of a method.
var notDefining = []string{"return ", "else ", "new "}

// notMethods lists words that can precede a parenthesis but aren't names of methods.
var notMethods = wordListOf("if for while switch catch function return else with do try using lock foreach elif unless until match select when describe test beforeEach afterEach")

// definedIn returns the names that lines of code define, in order of appearance. most is the maximum number of names.
func definedIn(lines []string, most int) (names []string) {
	for _, line := range lines {
		if name := definedBy(line); name != "" && len(names) < most && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// definedBy returns the name that a line of code defines, or "".
func definedBy(line string) string {
	if !mayDefine(line) { // most lines
		return ""
	}
	all, exported := withoutModifiers(onOneLine(line[:min(len(line), 200)]))
	word, rest, _ := strings.Cut(all, " ")
	if word != "" && !defines.has(word) && !binds.has(word) {
		return methodIn(line, all)
	}
	named := binds.has(word) && (exported || strings.Contains(line, "=> ") || strings.Contains(line, "= function")) // a public value or a function
	if rest == "" || !defines.has(word) && !named {
		return ""
	}
	if word == "func" && rest[0] == '(' { // the receiver of a method
		_, rest, _ = strings.Cut(rest, ") ")
	}
	name := identifierAt(rest)
	if len(name) < 3 || strings.HasPrefix(rest[len(name):], ",") { // a line in a list of imports: "type Component,"
		return ""
	}
	return name
}

// mayDefine reports whether the first word of a line is a modifier or a keyword that begins a definition.
func mayDefine(line string) bool {
	end := 0
	for end < len(line) && line[end] > ' ' {
		end++
	}
	return modifiers.has(line[:end]) || defines.has(line[:end])
}

// withoutModifiers returns a line of code without leading modifiers such as "async". exported reports whether one of
// them makes the definition public.
func withoutModifiers(code string) (rest string, exported bool) {
	for {
		word, rest, _ := strings.Cut(code, " ")
		if word == "" || !modifiers.has(word) {
			return code, exported
		}
		exported = exported || word == "export" || word == "pub" || word == "public"
		code = rest
	}
}

// identifierAt returns the identifier at the beginning of code, or "".
func identifierAt(code string) string {
	n := 0
	for n < len(code) && (byteClass[code[n]]&(small|capital|under|digit) != 0 || code[n] == '$') {
		n++
	}
	return code[:n]
}
