package digest

import (
	"slices"
	"strings"
)

// The log shows what a trial printed. A trial is a run of a script that the agent wrote to find
// something out, or of the program that it works on.

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
		if len(lines) == mostWarnings || !isVerdict(line) {
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

// isVerdict reports whether a line of at most glimpseLine bytes reports a problem or how the trial ended.
func isVerdict(line string) bool {
	return len(line) <= glimpseLine && warningSigns.inAnyCase(line) && !isOthersWarning(line) && !isFrame(line)
}
