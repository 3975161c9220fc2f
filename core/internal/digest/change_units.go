package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// change is what one call did to one file.
type change struct {
	path           string
	created        bool // the call gave the whole content
	removed, added []string
}

// The names of the arguments that hold a text before and after an edit, and a whole new content.
var (
	beforeKeys  = wordListOf("old_string oldText old_str oldString old search old_text find original")
	afterKeys   = wordListOf("new_string newText new_str newString new replace new_text replacement updated insert_text")
	contentKeys = wordListOf("content file_text contents text body new_source")
)

// How much of the texts of one edit is looked at, in bytes, and how many of its lines are kept.
const (
	lookChange  = 1 << 16
	keptChanges = 400
)

// changesOf are the changes of a call of a tool that edits files.
func changesOf(t *transcript.Transcript, call *transcript.Part) (all []change) {
	path := Path(t, call)
	var before, content string
	haveBefore := false
	arguments(t, call, func(key, text string) {
		text = text[:min(len(text), lookChange)]
		is, _ := argumentOf(key)
		switch {
		case is == patch || key == "":
			all = append(all, patchChanges(text)...)
		case beforeKeys.has(key):
			before, haveBefore = text, true
		case afterKeys.has(key) && haveBefore:
			all = append(all, lineChanges(path, before, text))
			haveBefore = false
		case afterKeys.has(key):
			all = append(all, lineChanges(path, "", text))
		case contentKeys.has(key):
			content = text
		}
	})
	if content != "" && path != "" {
		all = append(all, change{path: path, created: true, added: linesOf(content)})
	}
	if len(all) == 0 && path != "" {
		all = append(all, change{path: path})
	}
	return all
}

// linesOf are the lines of a text without white space around them and without empty ones.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < keptChanges {
			lines = append(lines, line)
		}
	}
	return lines
}

// lineChanges is the change that puts one text in place of another.
func lineChanges(path, before, after string) change {
	old, now := linesOf(before), linesOf(after)
	return change{path: path, removed: without(old, now), added: without(now, old)}
}

// without are the lines of a list that another one has not.
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

// patchChanges are the changes of a patch: of Codex's apply_patch, or of a unified diff.
func patchChanges(text string) (all []change) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		named := false
		for _, mark := range patchMarks {
			if name, found := strings.CutPrefix(line, mark); found && name != "" {
				all = append(all, change{path: strings.TrimSpace(name), created: strings.Contains(mark, "Add")})
				named = true
			}
		}
		if named || len(all) == 0 || line == "" {
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
		all[i].added = without(added, all[i].removed)
		all[i].removed = without(all[i].removed, added)
	}
	return all
}

// The sizes of what is quoted of a change, in bytes.
const (
	quotedChange = 240
	quotedLine   = 110
	mostDefined  = 14 // names of what a new file defines
)

// text is what an entry says of a change after the path.
func (c *change) text() string {
	added, removed := telling(c.added), telling(c.removed)
	switch {
	case c.created:
		if names := definedIn(c.added); len(names) > 0 {
			return "defines " + strings.Join(names, ", ")
		}
		return quoted(added, quotedChange)
	case len(added) == 0 && len(removed) == 0:
		return ""
	case len(added) == 0:
		return "removed " + quoted(removed, quotedChange/2)
	case len(removed) == 1 && len(added) == 1:
		return quoted(removed, quotedLine) + " → " + quoted(added, quotedLine)
	}
	text := quoted(added, quotedChange)
	if strings.HasSuffix(text, " …") {
		text += namesBeyond(added, text)
	}
	return text
}

// mostNamed is how many names are listed of the lines that are not quoted.
const mostNamed = 10

// namesBeyond are the identifiers in lines that a text does not have.
func namesBeyond(lines []string, text string) string {
	var names []string
	for _, line := range lines {
		eachTerm(line, func(kind termKind, name string) {
			if kind == nameTerm && len(names) < mostNamed && !strings.Contains(text, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		})
	}
	if len(names) == 0 {
		return ""
	}
	return " with " + Fence(strings.Join(names, ", "))
}

// telling are the lines that say something: no lone signs, and no imports as long as there is anything else.
func telling(lines []string) (out []string) {
	var imports []string
	for _, line := range lines {
		letters := 0
		for i := range len(line) {
			if c := line[i] | 0x20; c >= 'a' && c <= 'z' || line[i] >= 0x80 || line[i] >= '0' && line[i] <= '9' {
				letters++
			}
		}
		switch {
		case letters < 3 || line == "else {" || line == "return" || line == "} else {":
		case strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ") || strings.HasPrefix(line, "#include") || strings.HasPrefix(line, "use "):
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

// quoted are the first of some lines in at most about most bytes.
func quoted(lines []string, most int) string {
	var b strings.Builder
	for i, line := range lines {
		line = clipLine(strings.ReplaceAll(line, "`", "'"), quotedLine)
		if b.Len() > 0 && b.Len()+len(line) > most {
			b.WriteString(" …")
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("`" + line + "`")
	}
	return Fence(b.String())
}

// What precedes the keyword of a definition, and the keywords.
var (
	modifiers = wordListOf("export default async public private protected static pub abstract final override declare pub(crate)")
	defines   = wordListOf("func function class interface type def fn struct enum trait module protocol object record")
	binds     = wordListOf("const let var val")
)

// definedIn are the names of what lines of code define, those that are exported or named first.
func definedIn(lines []string) (names []string) {
	for _, line := range lines {
		if name := definedBy(line); name != "" && len(names) < mostDefined {
			names = append(names, name)
		}
	}
	return names
}

// definedBy is the name of what a line of code defines, or "".
func definedBy(line string) string {
	end := 0
	for end < len(line) && line[end] > ' ' {
		end++
	}
	if first := line[:end]; !modifiers.has(first) && !defines.has(first) { // most lines
		return ""
	}
	words := strings.Fields(line[:min(len(line), 200)])
	i, exported := 0, false
	for i < len(words) && modifiers.has(words[i]) {
		exported = exported || words[i] == "export" || words[i] == "pub" || words[i] == "public"
		i++
	}
	if i+1 >= len(words) || !defines.has(words[i]) && !(exported && binds.has(words[i])) {
		return ""
	}
	rest := strings.Join(words[i+1:], " ")
	if words[i] == "func" && rest[0] == '(' { // the receiver of a method
		_, after, found := strings.Cut(rest, ") ")
		if !found || after == "" {
			return ""
		}
		rest = after
	}
	n := 0
	for n < len(rest) && (byteClass[rest[n]]&(small|capital|under|digit) != 0 || rest[n] == '$') {
		n++
	}
	if n < 3 {
		return ""
	}
	return rest[:n]
}
