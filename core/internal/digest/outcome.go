package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// exitMarks lists phrases that precede the exit code in the output of Claude Code, Codex, pi, mini-swe-agent, OpenHands
// and others.
var exitMarks = []string{"exit code: ", "exit code ", "exited with code ", "exit status ", "exit_code\":", "exitcode\":", "<returncode>",
	"returncode\":", "return code: ", "<exit_code>"}

// exitIn returns the exit code that a command tool's output mentions within 300 bytes of its beginning or end, or "".
func exitIn(text string) string {
	const near = 300
	head, tail := text, ""
	if len(text) > 2*near {
		head, tail = text[:near], text[len(text)-near:]
	}
	for _, part := range []string{head, tail} {
		part = lower(part)
		for _, mark := range exitMarks {
			at := strings.LastIndex(part, mark)
			if at < 0 {
				continue
			}
			if code := exitOf(strings.TrimLeft(part[at+len(mark):], " ")); code != "" {
				return code
			}
		}
	}
	return ""
}

// exitOf returns the number at the beginning of text, or "" if there is none. It reads at most 11 bytes.
func exitOf(text string) string {
	n := 0
	for n < len(text) && n < 11 && (text[n] >= '0' && text[n] <= '9' || n == 0 && text[n] == '-') {
		n++
	}
	if text[:n] == "-" {
		return ""
	}
	return text[:n]
}

// meantSigns lists phrases, in lower case, with which agents say that a command should fail.
var meantSigns = []string{"should fail", "must fail", "expected to fail", "expect it to fail", "confirm it fails", "verify it fails", "see it fail", "fails as expected", "fail as expected",
	"failing as expected", "expected failure", "negative test"}

// lookMeant is the number of bytes of what the agent says before and after a command that are searched for meantSigns.
const lookMeant = 300

// remarks caches, in lower case, what the agent writes directly before and after a message with results. One message
// may contain many results.
type remarks struct {
	message int    // the index of the message plus one
	said    string // what was written around that message; at most lookMeant bytes before and after it
}

// meant reports whether the agent expected a script to fail. message is the index of the message that contains the
// script's result.
func (s *remarks) meant(t *transcript.Transcript, message int, script string) bool {
	if s.message != message+1 {
		s.message, s.said = message+1, lower(saidAround(t, message))
	}
	script = lower(script)
	return slices.ContainsFunc(meantSigns, func(sign string) bool { return strings.Contains(s.said, sign) || strings.Contains(script, sign) })
}

// saidAround returns the end of what the agent said before a message, and the beginning of what it said after it, with
// at most lookMeant bytes of each. It returns "" if the agent said nothing near the message.
func saidAround(t *transcript.Transcript, message int) (said string) {
	for i := message - 1; i >= 0 && i >= message-mostAway; i-- {
		if t.Messages[i].Role == transcript.Assistant {
			text := saidIn(t, i)
			said = text[max(0, len(text)-lookMeant):]
			break
		}
	}
	for i := message + 1; i < len(t.Messages) && i <= message+mostAway; i++ {
		if t.Messages[i].Role == transcript.Assistant {
			text := saidIn(t, i)
			return said + "\n" + text[:min(len(text), lookMeant)]
		}
	}
	return said
}

// mostAway is the maximum distance, in messages, between a result and a remark about its command.
const mostAway = 3

// troubles lists substrings, in lower case, that occur in error lines.
var troubles = substringsOf("error|fail|exception|panic|cannot|can't|not found|no such|denied|undefined|" +
	"unexpected|invalid|fatal|traceback|missing|timed out")

// withoutFrame returns a command's output without the tags and the exit code that a tool puts around it.
func withoutFrame(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "<tool_use_error>"), "</tool_use_error>")
	if inside, found := strings.CutPrefix(text, "<exception>"); found {
		inside, _, _ = strings.Cut(inside, "</exception>")
		if at := strings.LastIndex(inside, timedOut); at >= 0 { // after the whole command
			return inside[at+len("' "):]
		}
	}
	if strings.HasPrefix(text, "<returncode>") {
		_, text, _ = strings.Cut(text, "</returncode>")
		text = withoutAdvice(strings.TrimSpace(text))
		if inside, found := strings.CutPrefix(text, "<output>"); found {
			text, _, _ = strings.Cut(inside, "</output>")
		}
	}
	return text
}

// timedOut follows the command in the error with which Python says that it ran too long.
const timedOut = "' timed out after "

// withoutAdvice removes the advice that mini-swe-agent writes before a shortened output, and the
// tags around the beginning and the end of that output. Any other output is returned unchanged.
func withoutAdvice(text string) string {
	rest, found := strings.CutPrefix(text, "<warning>")
	if !found {
		return text
	}
	_, rest, found = strings.Cut(rest, "</warning>")
	head, marked := strings.CutPrefix(strings.TrimSpace(rest), "<output_head>")
	if !found || !marked {
		return text
	}
	head, rest, _ = strings.Cut(head, "</output_head>")
	if _, tail, found := strings.Cut(rest, "<output_tail>"); found {
		tail, _, _ = strings.Cut(tail, "</output_tail>")
		return head + "\n…\n" + tail
	}
	return head
}

// raised returns the exception of the last Python traceback in text, or "".
func raised(text string) string {
	at := strings.LastIndex(text, "Traceback (most recent call last):")
	if at < 0 {
		return ""
	}
	for line := range strings.Lines(text[at:]) {
		line = strings.TrimRight(line, " \r\n")
		name, _, found := strings.Cut(line, ": ")
		if found && line[0] != ' ' && !strings.Contains(name, " ") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.Contains(name, ".")) {
			return clipLine(line, maxFailure)
		}
	}
	return ""
}

// fromTrouble returns the part of a short text that begins with the first error line, without hints. It returns the
// whole text if it contains no error line.
func fromTrouble(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) < 3 {
		return text
	}
	for i, line := range lines {
		if !isTrouble(strings.TrimSpace(line)) {
			continue
		}
		kept := lines[i:i:i]
		for _, more := range lines[i:] {
			if !strings.HasPrefix(more, "hint:") {
				kept = append(kept, more)
			}
		}
		return strings.TrimSpace(strings.Join(kept, "\n"))
	}
	return text
}

// isOthersWarning reports whether a line is a warning of Python ("DeprecationWarning: …"), or a place in the code of a
// dependency. Such lines surround errors, and don't say what failed. A program's own warning ("Warning: …") does.
func isOthersWarning(line string) bool {
	at := strings.Index(line, "Warning: ")
	return at > 0 && line[at-1] < utf8.RuneSelf && isLetter(rune(line[at-1])) || strings.Contains(line, "site-packages/") && !strings.Contains(line, "rror") || strings.Contains(line, "Warning('")
}

// endsInTraceback reports whether the last lines of an output are a Python traceback.
func endsInTraceback(output string) bool {
	output = strings.TrimRight(withoutStatus(output[max(0, len(output)-lookResult):]), " \r\n")
	said := raised(output)
	return said != "" && strings.HasSuffix(output, said)
}

// withoutWarnings returns the output of pytest without its section of warnings.
func withoutWarnings(output string) string {
	head, rest, found := strings.Cut(output, "= warnings summary =")
	if !found {
		return output
	}
	head = head[:strings.LastIndexByte(head, '\n')+1]
	if end := strings.Index(rest, "\n="); end >= 0 {
		return head + rest[end+1:]
	}
	if end := strings.LastIndex(strings.TrimSpace(rest), "\n"); end >= 0 { // its last line sums up
		return head + strings.TrimSpace(rest)[end+1:]
	}
	return head
}

// complaint returns the error message of a failed tool. This is an exception, or the lines that report errors or begin
// with a place in a file. If there are none, it returns the beginning and the end of the output.
func complaint(text string) string {
	text = strings.TrimSpace(withoutPassed(withoutWarnings(withoutFrame(text))))
	if said := raised(text); said != "" {
		return said
	}
	if len(text) <= maxFailure {
		return fromTrouble(text)
	}
	const look = 20000
	if len(text) > 2*look {
		text = text[:look] + "\n" + text[len(text)-look:]
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "===") || strings.HasPrefix(line, "!!!") { // a heading of a test runner
			line = strings.Trim(line, "=! ")
		}
		if b.Len()+len(line) > maxFailure || len(line) < 4 {
			continue
		}
		first, _, _ := strings.Cut(line, " ")
		if (namesFileLine(first) || troubles.inAnyCase(line)) && !isOthersWarning(line) {
			b.WriteString(line + "\n")
		}
	}
	if b.Len() == 0 {
		return Clip(text, maxFailure)
	}
	return strings.ToValidUTF8(strings.TrimSpace(b.String()), "")
}
