package digest

import (
	"bytes"
	"slices"
	"strings"
)

// shellFiles calls read with the files that a shell command reads, wholly or in part, and wrote with the files that it
// writes. It knows the plain commands that agents use (cat FILE, sed -n 1,9p FILE, sed -i … FILE, cmd > FILE, tee
// FILE, mv, rm). It ignores names that contain a variable, a glob or a command, because it can't know which files they
// match. Changes made by patches are left to patchFiles.
func shellFiles(script string, read, wrote func(string)) {
	script, _ = cutHeredocs(script)
	for len(script) > 0 {
		var words []string
		words, script = simpleCommand(script, wrote)
		if len(words) > 1 {
			commandFiles(words, read, wrote)
		}
	}
}

// commandFiles is shellFiles for the words of one simple command, of which there must be at least two.
func commandFiles(words []string, read, wrote func(string)) {
	switch base := words[0][strings.LastIndexByte(words[0], '/')+1:]; base {
	case "cat", "head", "tail", "nl", "less", "bat":
		files(words[1:], 0, read)
	case "grep", "egrep", "rg":
		files(words[1:], 1, func(path string) {
			if strings.LastIndexByte(fileName(path), '.') > 0 { // a name without a dot is more likely a folder
				read(path)
			}
		})
	case "sed":
		if editsInPlace(words) {
			files(words[1:], 1, wrote)
		} else {
			files(words[1:], 1, read)
		}
	case "cp":
		if from, to := copyOf(words); from != "" && !isBackup(from, to) {
			wrote(to)
		}
	case "tee", "touch":
		files(words[1:], 0, wrote)
	case "mv", "rm", "git":
		for _, m := range moveOf(words) {
			wrote(m.to)
		}
		files(removedBy(words), 0, wrote)
	}
}

// move is a file that a command has moved: its old path and its new one.
type move struct{ from, to string }

// movesIn returns the files that a script moves or renames.
func movesIn(script string) (all []move) {
	script, _ = cutHeredocs(script)
	for len(script) > 0 {
		var words []string
		words, script = simpleCommand(script, func(string) {})
		all = append(all, moveOf(words)...)
	}
	return all
}

// removesIn calls see with the files that a script deletes.
func removesIn(script string, see func(string)) {
	script, _ = cutHeredocs(script)
	for len(script) > 0 {
		var words []string
		words, script = simpleCommand(script, func(string) {})
		files(removedBy(words), 0, see)
	}
}

// removedBy returns the files that a command (rm or git rm) deletes, without folders and git's own files. It returns
// nil for any other command.
func removedBy(words []string) []string {
	if len(words) > 1 && words[0] == "git" && words[1] == "rm" {
		words = words[1:]
		if slices.Contains(words, "--cached") {
			return nil
		}
	}
	if len(words) < 2 || words[0] != "rm" && words[0] != "/bin/rm" {
		return nil
	}
	return slices.DeleteFunc(words[1:], func(w string) bool { // ignore folders, and files of git itself
		return strings.LastIndexByte(fileName(w), '.') <= 0 || strings.Contains(w, ".git/")
	})
}

// editsInPlace reports whether a sed command changes its files instead of printing the result.
func editsInPlace(words []string) bool {
	return slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-i") || w == "--in-place" })
}

// moveOf returns the files that a command, mv or git mv, moves. It ignores moves whose destination is uncertain. It
// returns nil if there are none.
func moveOf(words []string) (all []move) {
	if len(words) > 1 && words[0] == "git" && words[1] == "mv" {
		words = words[1:]
	}
	if len(words) < 3 || words[0] != "mv" && words[0] != "/bin/mv" {
		return nil
	}
	names := literalNames(words[1:])
	if len(names) < 2 {
		return nil
	}
	to, into := folderIn(names[len(names)-1])
	if !into && len(names) > 2 {
		to, into = to+"/", true
	}
	for _, from := range names[:len(names)-1] {
		switch {
		case into:
			all = append(all, move{from, to + fileName(strings.TrimRight(from, "/"))})
		case strings.Contains(fileName(from), ".") && !strings.Contains(fileName(to), "."): // an existing folder
			all = append(all, move{from, to + "/" + fileName(from)})
		default:
			all = append(all, move{from, to})
		}
	}
	return all
}

// files calls see with each file name in words. It ignores options, and the first skip words that aren't options.
func files(words []string, skip int, see func(string)) {
	for _, w := range words {
		switch {
		case w == "" || w[0] == '-': // sed -i '' has an empty word
		case strings.HasSuffix(w, ".") && strings.Trim(w, "./") != "": // the end of a sentence
		case skip > 0:
			skip--
		case strings.ContainsAny(w, "./") && !strings.ContainsAny(w, "$*?`{}<>|()=,\n"):
			see(w)
		}
	}
}

// literalNames returns the arguments of a command that aren't options. It returns nil if one of them contains a
// variable, a glob or the like, so that it's uncertain what they name.
func literalNames(arguments []string) (names []string) {
	for _, w := range arguments {
		if strings.ContainsAny(w, "$*?`{}<>|()=,\n") {
			return nil
		}
		if w != "" && w[0] != '-' {
			names = append(names, w)
		}
	}
	return names
}

// folderIn returns the destination of a move or a copy. If its form shows that it is a folder, into is true, and path is
// "" for the current folder and otherwise ends with a slash.
func folderIn(to string) (path string, into bool) {
	switch {
	case to == "." || to == "./":
		return "", true
	case strings.HasSuffix(to, "/") || to == ".." || strings.HasSuffix(to, "/.."):
		return strings.TrimRight(to, "/") + "/", true
	}
	return to, false
}

// simpleCommand splits the first simple command off a script, and returns its words and the rest of the script. It
// calls wrote with the files to which the command's output is redirected.
func simpleCommand(script string, wrote func(string)) (words []string, rest string) {
	redirect := false
	for i := 0; i < len(script); {
		switch script[i] {
		case ' ', '\t', '\r', '<':
			i++
			continue
		case ';', '\n', '|':
			return words, script[i+1:]
		case '&':
			if !redirect {
				return words, script[i+1:]
			}
			i++ // >&2
			continue
		case '>':
			redirect = true
			i++
			continue
		case '#':
			if i == 0 || script[i-1] <= ' ' {
				return words, afterComment(script[i:])
			}
		}
		var w string
		w, i = shellWord(script, i)
		switch {
		case redirect:
			redirect = false
			if w != "/dev/null" {
				files([]string{w}, 0, wrote)
			}
		case isStream(w, script[i:]):
		default:
			words = append(words, w)
		}
	}
	return words, ""
}

// isStream reports whether a word, followed by rest, is the number of a stream that is redirected: "2> FILE".
func isStream(w, rest string) bool { return (w == "1" || w == "2") && strings.HasPrefix(rest, ">") }

// afterComment returns a script from the end of its first line on.
func afterComment(script string) string {
	if n := strings.IndexByte(script, '\n'); n >= 0 {
		return script[n:]
	}
	return ""
}

// shellWord reads the word of s that begins at index i. It returns the word without its quotes, and the index of its
// end.
func shellWord(s string, i int) (string, int) {
	var b []byte
	for i < len(s) {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n', ';', '|', '&', '<', '>':
			return string(b), i
		case '\\':
			if i+1 < len(s) {
				b = append(b, s[i+1])
			}
			i += 2
		case '\'', '"':
			end := i + 1
			for end < len(s) && s[end] != c {
				if c == '"' && s[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(s))
			b = append(b, s[i+1:end]...)
			i = end + 1
		default:
			b = append(b, c)
			i++
		}
	}
	return string(b), len(s)
}

// scriptOnOneLine returns a script with each run of white space replaced by one space, and with "; " where a line break
// ends a command. Without the semicolon, two commands would read like one.
func scriptOnOneLine(script string) string {
	script = strings.TrimSpace(script)
	if !strings.Contains(script, "\n") || strings.Contains(script, "<<") {
		return onOneLine(script)
	}
	var b []byte
	for i := 0; i < len(script); {
		switch c := script[i]; {
		case c == '\'' || c == '"':
			_, end := shellWord(script, i)
			b = append(b, script[i:min(end, len(script))]...)
			i = end
		case c == '\\' && strings.HasPrefix(script[i+1:], "\n"):
			i += 2
		case c == '\n':
			if b = bytes.TrimRight(b, " \t\r"); endsCommand(b) {
				b = append(b, ';')
			}
			b = append(b, ' ')
			i = len(script) - len(strings.TrimLeft(script[i:], " \t\r\n"))
		default:
			b = append(b, c)
			i++
		}
	}
	return onOneLine(string(b))
}

// endsCommand reports whether a line break after text ends a shell command.
func endsCommand(text []byte) bool {
	if len(text) == 0 || bytes.IndexByte([]byte("&|;({[,:"), text[len(text)-1]) >= 0 {
		return false
	}
	word := text[bytes.LastIndexAny(text, " ;")+1:]
	return !slices.Contains([]string{"do", "then", "else", "in"}, string(word))
}

// cutHeredocs returns a script without the bodies of its heredocs (<<EOF … EOF), and the bodies. docs is nil if there
// are none.
func cutHeredocs(script string) (rest string, docs []string) {
	if !strings.Contains(script, "<<") {
		return script, nil
	}
	var b strings.Builder
	for len(script) > 0 {
		line, after, _ := strings.Cut(script, "\n")
		b.WriteString(line + "\n")
		script = after
		if doc, found := heredoc(line, script); found {
			docs = append(docs, doc)
			script = script[len(doc):]
		}
	}
	return b.String(), docs
}

// heredoc returns the body of the heredoc that begins on a line, including its end line; rest is the text after the
// line. found is false if no heredoc begins there.
func heredoc(line, rest string) (doc string, found bool) {
	at := strings.Index(line, "<<")
	if at < 0 || strings.HasPrefix(line[at:], "<<<") {
		return "", false
	}
	tag, _ := shellWord(strings.TrimLeft(line[at+2:], "- \t"), 0)
	if tag == "" {
		return "", false
	}
	from := rest
	for len(rest) > 0 {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if strings.TrimSpace(line) == tag {
			break
		}
	}
	return from[:len(from)-len(rest)], true
}

// printsInput reports whether a command prints what it reads from its standard input.
func printsInput(words []string) bool {
	return len(words) > 0 && (words[0] == "cat" || words[0] == "tee")
}

// withoutWritten returns a script without the commands that write a whole file from a heredoc (cat > FILE <<EOF). It
// calls see with each of these files and its content.
func withoutWritten(script string, see func(path, body string)) string {
	var rest strings.Builder
	for len(script) > 0 {
		line, after, _ := strings.Cut(script, "\n")
		script = after
		doc, found := heredoc(line, script)
		script = script[len(doc):]
		for more := line; found && more != ""; {
			path, from := "", more
			var words []string
			words, more = simpleCommand(more, func(to string) { path = to })
			from = from[:len(from)-len(more)]
			if len(words) > 1 && words[0] == "tee" {
				path = words[1]
			}
			if path == "" || !printsInput(words) || strings.Contains(from, ">>") || !strings.Contains(from, "<<") {
				continue
			}
			body := strings.TrimSuffix(doc, "\n")
			see(path, body[:max(strings.LastIndexByte(body, '\n'), 0)])
			line, doc, found = strings.Replace(line, from, "", 1), "", false
		}
		if line = strings.TrimSpace(line); line != "" {
			rest.WriteString(strings.TrimRight(line, "& ") + "\n" + doc)
		}
	}
	return rest.String()
}

// patchMarks lists the beginnings of lines that name a changed file, in patches for Codex's apply_patch and in unified
// diffs.
var patchMarks = []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"}

// patchedFiles calls wrote with the files that a patch changes.
func patchedFiles(patch string, wrote func(string)) {
	if !strings.Contains(patch, "*** ") && !strings.Contains(patch, "+++ b/") {
		return
	}
	for line := range strings.Lines(patch) {
		if mark, name := fileInPatch(line); mark != "" {
			wrote(strings.TrimSpace(name))
		}
	}
}

// fileInPatch returns the path that a line of a patch names, and the mark before it. Both are "" if no such mark begins
// the line.
func fileInPatch(line string) (mark, name string) {
	for _, mark := range patchMarks {
		if name, found := strings.CutPrefix(line, mark); found {
			return mark, name
		}
	}
	return "", ""
}
