package digest

import (
	"slices"
	"strings"
)

// The log says what a trial printed: a script that the agent wrote to find something out, or the program that it works
// on.

// The maximum length of such a result, and of one of its lines, in bytes; and the maximum number of lines with warnings
// or errors in it.
const (
	mostGlimpse  = 220
	glimpseLine  = 140
	mostWarnings = 2
)

// shortResult returns the output of a command on one line if it is short and says something, or "".
func shortResult(output string) string {
	said := strings.TrimSpace(withoutStatus(plainText(output[:min(len(output), lookResult)])))
	if len(said) > mostCounted/2 || !saysOutcome(said) {
		return ""
	}
	return outputLine(said)
}

// outputLine returns a short output on one line. White space inside it is kept where it has a meaning: in an output of
// one line, and in one whose lines are indented or have columns. Of the latter, each line is in backticks.
func outputLine(said string) string {
	if !strings.Contains(said, "\n") {
		return said
	}
	if !strings.Contains(said, "\n  ") && !strings.Contains(said, "\n\t") && !strings.Contains(said, "   ") {
		return onOneLine(said)
	}
	var b strings.Builder
	for line := range strings.Lines(said) {
		if line = strings.TrimRight(line, " \t\r\n"); line == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(codeQuote(line))
	}
	return b.String()
}

// withoutStatus returns an output without a last line that only states the exit status.
func withoutStatus(output string) string {
	output = strings.TrimRight(output, " \r\n")
	if line := output[strings.LastIndexByte(output, '\n')+1:]; len(line) < shortStatus && exitIn(line) != "" {
		return output[:len(output)-len(line)]
	}
	return output
}

// shortStatus is the length, in bytes, below which a line that mentions an exit status says nothing else.
const shortStatus = 30

// warningSigns lists substrings, in lower case, of lines in which a program reports a problem or how a trial ended.
var warningSigns = substringsOf("warning|error|fail|success|mismatch|not found|passed|broken|correct|wrong|✓|✔|✅|✗|✘|❌")

// glimpse returns lines of a long output that say how a trial went: the first ones with a warning or an error, and the
// last line, without repetitions and labels. It returns "" if no line reports a problem or an outcome.
func glimpse(output string) string {
	output = strings.TrimSpace(withoutStatus(plainText(strings.ToValidUTF8(endsOf(output), ""))))
	if output == "" || output[0] == '{' || output[0] == '[' || output[0] == '<' {
		return ""
	}
	var lines []string
	last := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if !isWorded(line) || strings.HasSuffix(line, ":") { // nothing follows the label
			continue
		}
		last = line
		if len(line) > glimpseLine || len(lines) == mostWarnings || !warningSigns.inAnyCase(line) || isOthersWarning(line) || isFrame(line) {
			continue
		}
		if line = onOneLine(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	if last = onOneLine(last); !slices.Contains(lines, last) && len(last) <= glimpseLine {
		lines = append(lines, last)
	}
	return clipLine(strings.Join(lines, "; "), mostGlimpse)
}

// writeCalls lists the beginnings of calls, or parts of them, with which a script writes a file whose path is in the
// line.
var writeCalls = []string{"open(", ".write_text(", "writeFileSync(", "writeFile("}

// lookRewritten is the maximum number of bytes of a script that are searched for such calls.
const lookRewritten = 1 << 14

// rewrittenBy returns the file that a script rewrites: the last one whose path is a literal in a call that writes it, if
// the script names the path more than once, as it does if it reads the file first. It returns "" if there is none.
func rewrittenBy(script string) (path string) {
	script = script[:min(len(script), lookRewritten)]
	for line := range strings.Lines(script) {
		for _, call := range writeCalls {
			if !strings.Contains(line, call) {
				continue
			}
			name, rest := firstLiteral(line)
			if call == writeCalls[0] && !strings.Contains(rest, "'w") && !strings.Contains(rest, `"w`) {
				continue
			}
			if len(name) > 2 && len(name) <= maxCommand && strings.Contains(name, ".") && !strings.ContainsAny(name, " {}%*\\") && !thrownAway(name) {
				path = name
			}
		}
	}
	if path == "" || strings.Count(script, path) < 2 {
		return ""
	}
	return strings.Clone(path)
}

// firstLiteral returns the first text in quotes on a line of code, and the rest of the line after it. Both are "" if
// there is none.
func firstLiteral(line string) (text, rest string) {
	at := strings.IndexAny(line, `"'`)
	if at < 0 {
		return "", ""
	}
	end := strings.IndexByte(line[at+1:], line[at])
	if end < 0 {
		return "", ""
	}
	return line[at+1 : at+1+end], line[at+end+2:]
}
