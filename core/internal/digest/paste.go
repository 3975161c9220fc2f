package digest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A request may contain text that the user copied from a terminal, a log or a file. Such text isn't in the user's own
// words. An entry of the log shows only the commands and the errors in it.

// Limits for recognizing and summarizing pasted text.
const (
	leastPasted = 5   // minimum number of lines in output that is shortened
	leastBytes  = 240 // minimum number of bytes in output that is shortened
	widestGap   = 6   // maximum number of other lines between two lines of the same output
	mostTold    = 420 // maximum size of the summary in bytes
	leastTold   = 80  // a summary with fewer bytes is preceded by the first lines of the output
	mostHead    = 4   // maximum number of these lines
	mostSaid    = 3   // maximum number of lines at the end that can be the user's own
)

// prompts lists shell prompts, each of which begins a line or ends a longer prompt.
var prompts = []string{"➜ ", "❯ ", "$ ", "% ", ">>> ", "PS> ", "# "}

// pastedOpen and pastedEnd enclose the summary that replaces a pasted text in a request.
const (
	pastedOpen = "[pasted: "
	pastedEnd  = "]"
)

// withoutPaste returns a request in which pasted output is replaced by its commands and error lines.
func withoutPaste(text string) string {
	if len(text) < leastBytes || strings.Count(text, "\n") < leastPasted {
		return text
	}
	lines := strings.Split(text, "\n")
	trimmed := make([]string, len(lines))
	for i, line := range lines {
		trimmed[i] = strings.TrimSpace(line)
	}
	if at, told := reviewIn(lines, trimmed); told != "" {
		return strings.TrimSpace(strings.Join(lines[:at], "\n") + "\n" + told)
	}
	printed := printedIn(lines, trimmed)
	if isDump(text, manyLines) { // most lines are not sentences, so the text is the output of a program
		markDump(trimmed, printed)
	}
	markStarts(trimmed, printed)
	var out []string
	at := 0 // the offset of line i in text
	for i := 0; i < len(lines); {
		last, dense := i, false
		if printed[i] {
			last, dense = outputAt(printed, i)
		}
		output, told := lines[i:last+1], ""
		from := at
		for _, line := range output {
			at += len(line) + 1
		}
		if dense && len(output) >= leastPasted && at-from >= leastBytes && mayTell(text[from:at-1]) {
			told = toldOf(output)
		}
		if told != "" {
			out = append(out, told)
		} else {
			out = append(out, slices.DeleteFunc(output, func(line string) bool { return isBarePrompt(strings.TrimSpace(line)) })...)
		}
		i = last + 1
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// printedIn returns, for each line, whether it is in a code block or looks like program output. trimmed contains the
// same lines without leading and trailing white space.
func printedIn(lines, trimmed []string) []bool {
	printed := make([]bool, len(lines))
	fence := ""
	for i, s := range trimmed {
		switch {
		case fence != "":
			printed[i] = true
			if strings.HasPrefix(s, fence) {
				fence = ""
			}
		case isFence(s):
			printed[i], fence = true, s[:3]
		default:
			printed[i] = s != "" && isPrinted(lines[i], s)
		}
	}
	return printed
}

// markDump marks the lines of a dump that are neither sentences nor list items as printed. It leaves out the first line
// and the last paragraph, because they may be the user's own words. trimmed has the lines without the white space
// around them, and printed says of each whether it is printed.
func markDump(trimmed []string, printed []bool) {
	end := len(trimmed)
	for end > 1 && trimmed[end-1] != "" {
		end--
	}
	if len(trimmed)-end > mostSaid || slices.Contains(printed[end:], true) {
		end = len(trimmed) // the last paragraph isn't the user's
	}
	for i := 1; i < end; i++ {
		if s := trimmed[i]; !printed[i] && s != "" && s[0] != '#' && len(s) <= maxLead && !endsSentence(s) {
			item, _ := listItem(s)
			printed[i] = !item
		}
	}
}

// markStarts marks the first lines of traces and of the output of commands as printed. The parameters are those of
// markDump.
func markStarts(trimmed []string, printed []bool) {
	for i, s := range trimmed {
		if s != "" && !printed[i] {
			printed[i] = i+1 < len(trimmed) && printed[i+1] && strings.Contains(s, ": ") && isTrouble(s) || i > 0 && commandIn(trimmed[i-1]) != ""
		}
	}
}

// outputAt returns the index of the last line of the output that begins at line from. dense reports
// whether at least a third of its lines are marked as printed.
func outputAt(printed []bool, from int) (last int, dense bool) {
	last, signs := from, 0
	for k := from; k < len(printed) && k-last <= widestGap; k++ {
		if printed[k] {
			last = k
			signs++
		}
	}
	return last, signs*3 >= last-from+1
}

// mayTell reports whether an output can contain commands or error lines.
func mayTell(output string) bool {
	return !isASCII(output) || strings.ContainsAny(output, "$%>\x1b\r") || troubles.inAnyCase(output)
}

// leastFindings is the minimum number of findings that a review contains.
const leastFindings = 3

// reviewIn returns the index of the line at which a review pasted by the user begins, and a summary
// with its headings. The summary is "" if there is no review. A review is a list of numbered
// headings with several lines below each. At least one heading names a place in a file. The code
// and the reasons are cut, because fragments of them would be misread. lines are the lines of the
// message, and trimmed the same lines without the white space around them.
func reviewIn(lines, trimmed []string) (at int, told string) {
	var headings []string
	number := "1. "
	under, places := 0, false
	for i, s := range trimmed {
		switch {
		case strings.HasPrefix(lines[i], number) && len(s) <= maxLead && !endsSentence(s):
			if len(headings) == 0 {
				at = i
			}
			headings = append(headings, s)
			number = itoa(len(headings)+1) + ". "
			places = places || slices.ContainsFunc(strings.Fields(s), func(word string) bool { return namesFileLine(strings.Trim(word, "()[]`,")) })
		case s != "" && len(headings) > 0:
			under++
		}
	}
	if len(headings) < leastFindings || under < 2*len(headings) || !places {
		return 0, ""
	}
	return at, pastedOpen + strings.Join(headings, "; ") + pastedEnd
}

// isBarePrompt reports whether a line is a shell prompt without a command, or a line above a prompt that shows a folder
// and a branch. Some shells fill such a line with dots.
func isBarePrompt(s string) bool {
	return s != "" && strings.Trim(s, "❯➜$% ") == "" || strings.HasPrefix(s, "~/") && strings.Contains(s, "····")
}

// isPrinted reports whether a line looks like output, code or data. s is the line without leading and trailing spaces.
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
	return len(first) > 4 && len(first) < len(s) && strings.Count(first, ":") >= 2 && strings.ContainsAny(first, "0123456789") || namesFileLine(first)
}

// namesFileLine reports whether a word names a line of a file, such as "src/main.go:12" or "main.go:12:3".
func namesFileLine(word string) bool {
	name, rest, found := strings.Cut(word, ":")
	return found && strings.ContainsAny(name, "./") && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// widestPrompt is the maximum number of bytes before the string that ends a prompt.
const widestPrompt = 80

// mayPrompt reports whether a line can begin with a prompt, judging only by its bytes.
func mayPrompt(s string) bool {
	for i := range min(len(s), widestPrompt+len(prompts[0])) {
		if endsPrompt[s[i]] {
			return true
		}
	}
	return false
}

// endsPrompt is a set of bytes. Each prompt that commandIn recognizes contains at least one of them.
var endsPrompt = [256]bool{'$': true, '%': true, '>': true, 0xe2: true} // ➜ and ❯ begin with 0xe2

// afterThemedPrompt returns what follows a themed prompt without the folder and the branch, which it shows before the command.
func afterThemedPrompt(line string) string {
	for line != "" {
		word, after, _ := strings.Cut(line, " ")
		folder := strings.Contains(line, "git:(") && !strings.ContainsAny(word, "():✗✔")
		if !folder && !strings.HasPrefix(word, "git:(") && word != "✗" && word != "✔" {
			break
		}
		line = strings.TrimSpace(after)
	}
	return line
}

// commandIn returns the command on a line that begins with a shell prompt, or "".
func commandIn(s string) string {
	if !mayPrompt(s) {
		return ""
	}
	for _, prompt := range prompts[:6] {
		at := strings.Index(s, prompt)
		if at < 0 || at > widestPrompt || prompt[0] < 0x80 && at > 0 && !strings.ContainsAny(s[:at], "@~/:") {
			continue
		}
		rest := strings.TrimSpace(s[at+len(prompt):])
		if prompt[0] >= 0x80 {
			rest = afterThemedPrompt(rest)
		}
		if r, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(r) || r == '.' || r == '/' {
			return rest
		}
	}
	return ""
}

// toldOf returns a summary of a program's output: its commands and error lines, preceded by the first lines if those
// say little. It returns "" for an output with neither commands nor error lines.
func toldOf(lines []string) string {
	var told toldLines
	after := false      // whether the previous line is a command
	at, where := -1, "" // the last line that names a place in a file, and that place
	for i, line := range lines {
		s := strings.TrimSpace(plainText(line))
		if s == "" {
			continue
		}
		if command := commandIn(s); command != "" {
			told.add("ran " + command)
			after = true
			continue
		}
		if first, _, _ := strings.Cut(s, " "); namesFileLine(first) {
			at, where = i, s
		}
		trouble := isTrouble(s)
		if trouble && at >= 0 && at < i && i-at <= 2 {
			s, at = where+": "+s, -1
		}
		if after && strings.Count(s, " ") > 1 && !strings.HasPrefix(s, "at ") || trouble {
			told.add(s + wrappedAfter(s, lines[i+1:]))
		}
		after = false
	}
	if len(told.lines) == 0 { // the text is code or data
		return ""
	}
	if told.size < leastTold { // the first lines probably show what the output is about
		told.lines = append(headOf(lines), told.lines...)
	}
	return pastedOpen + strings.Join(told.lines, "; ") + pastedEnd
}

// toldLines collects the lines of a summary of a program's output.
type toldLines struct {
	lines []string
	size  int // of all lines, in bytes
}

// add adds a line, shortened, unless it is already there or the summary would be longer than mostTold.
func (t *toldLines) add(s string) {
	s = clipWords(onOneLine(s), mostUnit/2)
	if t.size+len(s) <= mostTold && !slices.Contains(t.lines, s) {
		t.lines, t.size = append(t.lines, s), t.size+len(s)
	}
}

// wrappedAfter returns the continuation of line s, after a space, if the first of the next lines is one. Otherwise it
// returns "".
func wrappedAfter(s string, next []string) string {
	if len(next) > 0 && !endsSentence(s) && isWrapped(next[0]) {
		return " " + strings.TrimSpace(next[0])
	}
	return ""
}

// headOf returns the first lines of a program's output that are sentences, up to the first error, and at most mostHead.
func headOf(lines []string) (head []string) {
	for _, line := range lines {
		s := onOneLine(plainText(line))
		if first, _, _ := strings.Cut(s, " "); len(head) == mostHead || namesFileLine(first) || isTrouble(s) {
			break
		}
		if strings.Count(s, " ") > 0 && !isFrame(s) && !slices.Contains(head, s) && commandIn(s) == "" {
			head = append(head, clipWords(s, mostLead/2))
		}
	}
	return head
}

// isWrapped reports whether a line continues the previous one, because the terminal broke it.
func isWrapped(line string) bool {
	s := strings.TrimSpace(line)
	return s != "" && len(line)-len(s) < 4 && s[0] >= 'a' && s[0] <= 'z' && !strings.HasPrefix(s, "at ") && strings.Count(s, " ") > 1 && commandIn(s) == ""
}

// isFrame reports whether a line is a stack frame of a trace.
func isFrame(s string) bool { return strings.HasPrefix(s, "at ") || strings.HasPrefix(s, "File \"") }

// isTrouble reports whether a line is an error message rather than just a place or a call in a trace.
func isTrouble(s string) bool {
	if s == "" || s[0] == '>' || s[0] >= '0' && s[0] <= '9' && (strings.IndexByte(s, ';') >= 0 || strings.IndexByte(s, '=') >= 0) {
		return false
	}
	if item, _ := listItem(s); item || isFrame(s) || strings.HasPrefix(s, "hint:") || s[0] == '+' {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("×✖✗❌", r) {
		return true
	}
	if !troubles.inAnyCase(s) {
		return false
	}
	low := lower(s)
	for _, t := range troubles.list {
		at := strings.Index(low, t)
		if at < 0 {
			continue
		}
		return at < 60 || strings.HasPrefix(low, "e ")
	}
	return false
}

// leastProse and leastSentences are the minimum numbers of words and sentences in a line of prose that may contain
// formulas.
const (
	leastProse     = 20
	leastSentences = 2
)

// mostlyWords reports whether a line is long prose, which may contain a formula: it has several sentences, and at least
// three quarters of its words have only letters.
func mostlyWords(line string) bool {
	if !mayBeProse(line) { // most lines
		return false
	}
	plain, all, sentences := 0, 0, 0
	for w := range strings.FieldsSeq(line) {
		all++
		if endMark[w[len(w)-1]] {
			sentences++
		}
		if isPlainWord(w) {
			plain++
		}
	}
	return all >= leastProse && sentences >= leastSentences && plain*4 >= all*3
}

// mayBeProse reports whether a line is long enough for leastProse words and has as many marks as leastSentences need.
func mayBeProse(line string) bool {
	ends := 0
	if len(line) >= 2*leastProse-1 {
		for i := 0; i < len(line) && ends < leastSentences; i++ {
			if endMark[line[i]] {
				ends++
			}
		}
	}
	return ends == leastSentences
}

// endMark marks the characters that end a sentence, and aroundWord the punctuation before and after words.
var endMark, aroundWord = bytesOf(".!?"), bytesOf(".,;:!?\"'()")

// bytesOf marks the given ASCII characters. The result has one element per byte value.
func bytesOf(list string) (in [256]bool) {
	for i := range len(list) {
		in[list[i]] = true
	}
	return in
}

// isPlainWord reports whether text consists of letters and apostrophes, apart from the punctuation around it.
func isPlainWord(w string) bool {
	for w != "" && aroundWord[w[0]] {
		w = w[1:]
	}
	for w != "" && aroundWord[w[len(w)-1]] {
		w = w[:len(w)-1]
	}
	for i := 0; i < len(w); {
		if c := w[i]; c < utf8.RuneSelf {
			if byteClass[c]&(small|capital) == 0 && c != '\'' {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(w[i:])
		if r != '’' && !unicode.IsLetter(r) {
			return false
		}
		i += size
	}
	return w != ""
}
