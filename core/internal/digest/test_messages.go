package digest

import (
	"cmp"
	"strings"
)

// mostAsserted is the maximum number of lines in the message of a failed test.
const mostAsserted = 3

// assertHeads lists the beginnings of lines in which tests say what they expected, in the output of jest, vitest, node,
// unittest and cargo test.
var assertHeads = []string{"AssertionError", "Expected:", "Received:", "assertion ", "left:", "right:", "expected:", "actual:"}

// testMessage returns what the first failed test says in a test runner's output: the message of a test in Go, the first
// line of pytest's error, or up to mostAsserted lines that begin with one of assertHeads, or else what pytest's summary
// says about it. It returns "" if there are none.
func testMessage(output string) string {
	if len(output) > 4*lookResult {
		output = strings.ToValidUTF8(output[:2*lookResult]+"\n"+output[len(output)-2*lookResult:], "")
	}
	if said := goMessage(output); said != "" {
		return clipLine(said, maxFailure)
	}
	var said []string
	summary := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if summary == "" && strings.HasPrefix(line, "FAILED ") {
			if _, why, found := strings.Cut(line, " - "); found { // cut at the width of the terminal
				summary = strings.TrimSpace(strings.TrimSuffix(why, "..."))
			}
		}
		rest, marked := strings.CutPrefix(line, "E  ")
		rest = strings.TrimSpace(rest)
		switch {
		case marked && rest != "" && len(said) == 0:
			return clipLine(rest, maxFailure)
		case line == "" || marked:
		case startsWithAny(line, assertHeads):
			if said = append(said, line); len(said) == mostAsserted {
				return clipLine(strings.Join(said, "; "), maxFailure)
			}
		case len(said) > 0 && strings.HasSuffix(said[len(said)-1], ":"): // what it introduces: "Expected values to be equal:"
			said[len(said)-1] += " " + line
		case len(said) > 0:
			return clipLine(strings.Join(said, "; "), maxFailure)
		}
	}
	return clipLine(cmp.Or(strings.Join(said, "; "), summary), maxFailure)
}

// goLogs collects the messages that a test in Go logged before it failed. The messages of errors
// have the same form as all others.
type goLogs struct {
	lines  int    // the number of lines of the last message so far
	last   string // the last message, preferably of a test's file
	wrong  string // the first message that says what is wrong
	tested bool   // last comes from a test's file
}

// goMessage returns the message with which the first failed test in the output of go test failed,
// or "". It is the line of a panic, the first message in which the test says what is wrong or, as a
// test may end at once, its last one. The messages precede the line with the test's name if they
// were printed as the test ran (-v), and otherwise follow it.
func goMessage(output string) string {
	if !strings.Contains(output, goTestMark) {
		return ""
	}
	var logs goLogs
	failed := false
	for line := range strings.Lines(output) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "panic: "):
			return text
		case strings.HasPrefix(text, goTestMark):
			if logs.last != "" {
				return logs.message()
			}
			failed = true
		case strings.HasPrefix(text, "--- ") || text == "FAIL" || strings.HasPrefix(text, goPackageMark):
			if failed {
				return logs.message()
			}
			logs = goLogs{}
		case strings.HasPrefix(text, "=== "):
			logs.lines = mostAsserted
		case text != "":
			logs.add(text, line[0] == ' ' || line[0] == '\t')
		}
	}
	return logs.message()
}

// add adds a line of the output. The line begins another message if it names a place in a file. If
// indented is set, it may continue the last message.
func (l *goLogs) add(text string, indented bool) {
	place, said, _ := strings.Cut(text, " ")
	file, _, found := strings.Cut(place, ".go:")
	if !found || !namesFileLine(place) || strings.Count(place, ":") != 2 || !strings.HasSuffix(place, ":") || !indented {
		if indented && l.lines > 0 && l.lines < mostAsserted && !strings.HasPrefix(text, "Error Trace:") {
			l.lines++
			l.last = strings.TrimSpace(l.last + " " + strings.TrimPrefix(onOneLine(text), "Error: "))
		}
		return
	}
	tested := strings.HasSuffix(file, "_test")
	switch {
	case l.tested && !tested: // what the tested code logs
		l.lines = 0
		return
	case tested && !l.tested:
		l.wrong = ""
	default:
		l.end()
	}
	l.last, l.lines, l.tested = strings.TrimSpace(said), 1, tested
}

// wrongSigns lists substrings, in lower case, of messages in which a test says what is wrong.
var wrongSigns = substringsOf("got |want |expect|should |must |not equal|mismatch|differ")

// end ends the last message, and remembers it if it is the first one that says what is wrong.
func (l *goLogs) end() {
	if l.wrong == "" && (troubles.inAnyCase(l.last) || wrongSigns.inAnyCase(l.last)) {
		l.wrong = l.last
	}
}

// message returns the first message that says what is wrong, or else the last message.
func (l *goLogs) message() string {
	l.end()
	return cmp.Or(l.wrong, l.last)
}
