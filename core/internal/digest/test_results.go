package digest

import (
	"slices"
	"strings"
)

// mostFailed is the maximum number of failed tests that an entry names. longestTest is the maximum length of a test
// name, in bytes.
const (
	mostFailed  = 6
	longestTest = 80
)

// failMarks lists phrases that precede a failed test's name in the output of go test, pytest, TAP, unittest, jest,
// vitest and node.
var failMarks = []string{"--- FAIL: ", "FAILED ", "not ok ", "FAIL: ", "ERROR: ", "FAIL\t", "✕ ", "✖ ", "× "}

// failedMark follows the name of a failed test in the output of cargo test.
const failedMark = " ... FAILED"

// failedTests returns the names of the tests that failed according to a test runner's output, without duplicates, and
// the number of failed tests.
func failedTests(output string) (names []string, count int) {
	if len(output) > 4*lookResult {
		output = output[:2*lookResult] + "\n" + output[len(output)-2*lookResult:]
	}
	for line := range strings.Lines(output) {
		name := failedTest(strings.TrimSpace(line))
		if name == "" || slices.Contains(names, name) {
			continue
		}
		if count++; len(names) < mostFailed {
			names = append(names, name)
		}
	}
	return names, count
}

// failedTest returns the name of a failed test from a line of a test runner's output, or "".
func failedTest(line string) string {
	if name, found := strings.CutSuffix(line, failedMark); found {
		return testName(strings.TrimPrefix(name, "test "))
	}
	for _, mark := range failMarks {
		if name, found := strings.CutPrefix(line, mark); found {
			if mark == "not ok " { // a number precedes the name
				name = strings.TrimLeft(name, "0123456789 -")
			}
			return testName(name)
		}
	}
	return ""
}

// testName returns a test's name without the duration or error after it, or "" if it can't be a name.
func testName(s string) string {
	s, _, _ = strings.Cut(s, " - ")
	s, _, _ = strings.Cut(s, " (")
	s, _, _ = strings.Cut(s, "\t")
	s = strings.TrimSpace(s)
	if len(s) < 3 || len(s) > longestTest || strings.HasSuffix(s, ":") || strings.HasPrefix(s, "(") {
		return ""
	}
	return s
}

// testList returns a list of failed tests for an entry. count is the number of all failed tests, which may be more than
// the number of names.
func testList(names []string, count int) string {
	text := strings.Join(names, ", ")
	if more := count - len(names); more > 0 {
		text += " and " + itoa(more) + " more"
	}
	return text
}

// withoutEnds returns an error message without lines that state only the exit status. If named is set, it also omits
// lines with the names of failed tests.
func withoutEnds(said string, named bool) string {
	if exitIn(said) == "" && !named {
		return said
	}
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		ended := len(line) < 30 && exitIn(line) != "" || named && (line == "FAIL" || failedTest(line) != "")
		if !ended {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// failureForms lists phrases, in lower case, from the error lines of compilers, linters and build tools.
var failureForms = []string{"error: ", "error ts", "error[", "npm err!", "*** ["}

// failureCounts lists words that appear next to the number of failures in the summary of a check.
var failureCounts = wordListOf("error errors failed failing failure failures problem problems")

// endsInFailure reports whether the summary of a check says that it failed. If there is no summary, it reports whether
// any line says so.
func endsInFailure(output string) bool {
	output = output[max(0, len(output)-lookResult):]
	if summary := outcomeLine(output); summary != "" {
		return saysFailure(summary)
	}
	for line := range strings.Lines(output) {
		if saysFailure(line) {
			return true
		}
	}
	return false
}

// saysFailure reports whether a line of a check's output is an error or a nonzero error count.
func saysFailure(line string) bool {
	line = lower(line)
	if slices.ContainsFunc(failureForms, func(form string) bool { return strings.Contains(line, form) }) {
		return true
	}
	for word, before := range wordsBefore(line) {
		number, counted := strings.TrimLeft(before, "("), strings.TrimRight(word, ".,;)") // "2 errors"
		if name, found := strings.CutSuffix(before, ":"); found {
			number, counted = strings.TrimRight(word, ".,;)"), name // "errors: 2"
		}
		if n := exitOf(number); n == number && n != "" && n != "0" && failureCounts.has(counted) {
			return true
		}
	}
	return false
}
