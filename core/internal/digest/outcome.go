package digest

import "strings"

// exitMarks precede the exit code in what tools answer: Claude Code, Codex, pi, mini-swe-agent, OpenHands and others.
var exitMarks = []string{"exit code: ", "exit code ", "exited with code ", "exit status ", "exit_code\":", "exitcode\":", "<returncode>",
	"returncode\":", "return code: "}

// exitIn is the exit code in the answer of a tool that ran a command, or "". It is near its beginning or its end.
func exitIn(text string) string {
	const near = 300
	head, tail := text, ""
	if len(text) > 2*near {
		head, tail = text[:near], text[len(text)-near:]
	}
	for _, part := range []string{head, tail} {
		part = strings.ToLower(part)
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

// exitOf is the number of up to 10 digits at the start of a text, or "".
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

// signs of trouble in a line, in lower case.
var troubles = []string{"error", "fail", "exception", "panic", "cannot", "can't", "not found", "no such", "denied", "undefined",
	"unexpected", "invalid", "fatal", "traceback", "missing", "timed out"}

// complaint is what a failed tool says: its lines that tell of trouble, or else its end.
func complaint(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxFailure {
		return text
	}
	const look = 20000
	if len(text) > 2*look {
		text = text[:look] + "\n" + text[len(text)-look:]
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if b.Len()+len(line) > maxFailure || len(line) < 4 {
			continue
		}
		low := strings.ToLower(line)
		for _, t := range troubles {
			if strings.Contains(low, t) {
				b.WriteString(line + "\n")
				break
			}
		}
	}
	if b.Len() == 0 {
		return Clip(text, maxFailure)
	}
	return strings.ToValidUTF8(strings.TrimSpace(b.String()), "")
}
