package digest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A request may hold what the user has copied from a terminal, a log or a file. That is not the user's words: an entry of the log shows of
// it what was run and what went wrong.

// The sizes of what was pasted.
const (
	leastPasted = 5   // lines of output that are shortened
	leastBytes  = 240 // the same, in bytes
	widestGap   = 6   // lines without a sign of a program that may be within output
	mostTold    = 420 // bytes that represent it
	leastTold   = 80  // fewer bytes than this say too little, so that lines from its beginning precede them
	mostHead    = 4   // so many
	mostSaid    = 3   // lines that the user says at the end
)

// prompts end what precedes a command in a terminal, or begin its line.
var prompts = []string{"➜ ", "❯ ", "$ ", "% ", ">>> ", "PS> ", "# "}

// pastedOpen and pastedEnd enclose what represents pasted text in a request.
const (
	pastedOpen = "[pasted: "
	pastedEnd  = "]"
)

// withoutPaste is a request with each piece of output in it shortened to its commands and its lines of trouble.
func withoutPaste(text string) string {
	if len(text) < leastBytes || strings.Count(text, "\n") < leastPasted {
		return text
	}
	lines := strings.Split(text, "\n")
	printed := make([]bool, len(lines))
	fence := ""
	for i, line := range lines {
		s := strings.TrimSpace(line)
		switch {
		case fence != "":
			printed[i] = true
			if strings.HasPrefix(s, fence) {
				fence = ""
			}
		case strings.HasPrefix(s, "```"), strings.HasPrefix(s, "~~~"):
			printed[i], fence = true, s[:3]
		default:
			printed[i] = s != "" && isPrinted(line, s)
		}
	}
	if isDump(text, manyLines) { // most of it is no sentence, so what is none was printed
		end := len(lines)
		for end > 1 && strings.TrimSpace(lines[end-1]) != "" {
			end--
		}
		if len(lines)-end > mostSaid || slices.Contains(printed[end:], true) {
			end = len(lines) // the last words are not the user's
		}
		for i, line := range lines[1:end] {
			s := strings.TrimSpace(line)
			item, _ := listItem(s)
			printed[i+1] = printed[i+1] || s != "" && !item && s[0] != '#' && len(s) <= maxLead && !endsSentence(s)
		}
	}
	for i := range lines { // what a trace begins with, and what a command says at once
		s := strings.TrimSpace(lines[i])
		if s == "" || printed[i] {
			continue
		}
		printed[i] = i+1 < len(lines) && printed[i+1] && strings.Contains(s, ": ") && isTrouble(s) || i > 0 && commandIn(strings.TrimSpace(lines[i-1])) != ""
	}
	var out []string
	for i := 0; i < len(lines); {
		if !printed[i] {
			out = append(out, lines[i])
			i++
			continue
		}
		last, signs := i, 0
		for k := i; k < len(lines) && k-last <= widestGap; k++ {
			if printed[k] {
				last = k
				signs++
			}
		}
		size := 0
		for _, line := range lines[i : last+1] {
			size += len(line) + 1
		}
		told := ""
		if last-i+1 >= leastPasted && size >= leastBytes && signs*3 >= last-i+1 {
			told = toldOf(lines[i : last+1])
		}
		if told != "" {
			out = append(out, told)
		} else {
			out = append(out, lines[i:last+1]...)
		}
		i = last + 1
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// isPrinted reports whether a line, which is s without white space around it, looks like output, code or data.
func isPrinted(line, s string) bool {
	if commandIn(s) != "" || codesBare(s) {
		return true
	}
	if line[0] == ' ' && strings.HasPrefix(line, "    ") || line[0] == '\t' {
		if item, _ := listItem(s); !item {
			return true
		}
	}
	low := strings.ToLower(s[:min(len(s), 24)])
	for _, sign := range []string{"error", "warning:", "fatal:", "hint:", "traceback", "npm err", "panic:", "exception", "note:", "caused by"} {
		if strings.HasPrefix(low, sign) && strings.Contains(s, ":") {
			return true
		}
	}
	if s[0] == '{' || s[0] == '[' || s[0] == '+' || s[0] == '|' || s[0] == '}' || strings.HasPrefix(s, "> ") || strings.HasPrefix(s, "at ") || strings.HasPrefix(s, "~/") {
		return true
	}
	if r, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("✔✖×✗✓│━─┌└├⚠●", r) {
		return true
	}
	first, _, _ := strings.Cut(s, " ")
	return len(first) > 4 && len(first) < len(s) && strings.Count(first, ":") >= 2 && strings.ContainsAny(first, "0123456789") || placed(first)
}

// placed reports whether a word is a place in a file: "src/main.go:12", "main.go:12:3".
func placed(word string) bool {
	name, rest, found := strings.Cut(word, ":")
	return found && strings.ContainsAny(name, "./") && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// commandIn is the command in a line that begins with the prompt of a terminal, or "".
func commandIn(s string) string {
	for _, prompt := range prompts[:6] {
		at := strings.Index(s, prompt)
		if at < 0 || at > 80 || prompt[0] < 0x80 && at > 0 && !strings.ContainsAny(s[:at], "@~/:") {
			continue
		}
		rest := strings.TrimSpace(s[at+len(prompt):])
		if prompt[0] >= 0x80 { // a prompt of a shell's theme tells the folder and the branch first
			for rest != "" {
				word, after, _ := strings.Cut(rest, " ")
				if !strings.ContainsAny(word, "():✗✔") && strings.Contains(s, "git:(") && strings.Contains(rest, "git:(") ||
					strings.HasPrefix(word, "git:(") || word == "✗" || word == "✔" {
					rest = strings.TrimSpace(after)
					continue
				}
				break
			}
		}
		if r, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(r) || r == '.' || r == '/' {
			return rest
		}
	}
	return ""
}

// toldOf represents lines of output: the commands in it and the lines that tell of trouble; "" where there are none of either.
func toldOf(lines []string) string {
	var told []string
	size := 0
	tell := func(s string) bool {
		if s = clipWords(strings.Join(strings.Fields(s), " "), mostUnit/2); size+len(s) > mostTold {
			return false
		}
		if slices.Contains(told, s) {
			return true
		}
		told, size = append(told, s), size+len(s)
		return true
	}
	after := false      // the line follows a command
	at, where := -1, "" // the last line that names a place in a file
	for i, line := range lines {
		s := strings.TrimSpace(plainText(line))
		if s == "" {
			continue
		}
		if command := commandIn(s); command != "" {
			tell("ran " + command)
			after = true
			continue
		}
		if first, _, _ := strings.Cut(s, " "); placed(first) {
			at, where = i, s
		}
		trouble := isTrouble(s)
		if trouble && at >= 0 && at < i && i-at <= 2 {
			s, at = where+": "+s, -1
		}
		if after && strings.Count(s, " ") > 1 && !strings.HasPrefix(s, "at ") || trouble {
			if i+1 < len(lines) && !endsSentence(s) && isWrapped(lines[i+1]) {
				s += " " + strings.TrimSpace(lines[i+1])
			}
			tell(s)
		}
		after = false
	}
	if len(told) == 0 { // code or data that the user shows
		return ""
	}
	if size < leastTold { // what it is about is most likely at its beginning
		var head []string
		for _, line := range lines {
			s := strings.Join(strings.Fields(plainText(line)), " ")
			if first, _, _ := strings.Cut(s, " "); len(head) == mostHead || placed(first) || isTrouble(s) {
				break
			}
			if strings.Count(s, " ") > 0 && !isFrame(s) && !slices.Contains(head, s) && commandIn(s) == "" {
				head = append(head, clipWords(s, mostLead/2))
			}
		}
		told = append(head, told...)
	}
	return pastedOpen + strings.Join(told, "; ") + pastedEnd
}

// isWrapped reports whether a line is the rest of the one before, which a terminal has wrapped.
func isWrapped(line string) bool {
	s := strings.TrimSpace(line)
	return s != "" && len(line)-len(s) < 4 && s[0] >= 'a' && s[0] <= 'z' && !strings.HasPrefix(s, "at ") && strings.Count(s, " ") > 1 && commandIn(s) == ""
}

// isFrame reports whether a line is one of the calls in a trace.
func isFrame(s string) bool { return strings.HasPrefix(s, "at ") || strings.HasPrefix(s, "File \"") }

// isTrouble reports whether a line says what went wrong: not where, and not in which call.
func isTrouble(s string) bool {
	if s == "" || s[0] == '>' || s[0] >= '0' && s[0] <= '9' && strings.ContainsAny(s, ";=") {
		return false
	}
	if item, _ := listItem(s); item || isFrame(s) || strings.HasPrefix(s, "hint:") || s[0] == '+' {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("×✖✗❌", r) {
		return true
	}
	low := strings.ToLower(s)
	for _, t := range troubles {
		at := strings.Index(low, t)
		if at < 0 {
			continue
		}
		return at < 60 || strings.HasPrefix(low, "e ")
	}
	return false
}
