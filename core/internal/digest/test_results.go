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

// goTestMark precedes the name of a failed test in the output of go test, and goPackageMark that of its package.
const (
	goTestMark    = "--- FAIL: "
	goPackageMark = "FAIL\t"
)

// failMarks lists phrases that precede a failed test's name in the output of go test, pytest, TAP, unittest, jest,
// vitest and node.
var failMarks = []string{goTestMark, "FAILED ", "not ok ", "FAIL: ", "ERROR: ", goPackageMark, "✕ ", "✖ ", "× "}

// failedMark follows the name of a failed test in the output of cargo test.
const failedMark = " ... FAILED"

// failedTests returns the names of the tests that failed according to a test runner's output, at most mostFailed of
// them and without duplicates, and the number of failed tests. It leaves out packages and tests of Go that contain
// another failed test. Of a long output, it reads only the beginning and the end.
func failedTests(output string) (names []string, count int) {
	if len(output) > 4*lookResult {
		output = output[:2*lookResult] + "\n" + output[len(output)-2*lookResult:]
	}
	if names, count = mochaTests(output); count > 0 {
		return names, count
	}
	tests := false // whether a test of Go was named
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		name := failedTest(line)
		if name == "" || slices.Contains(names, name) || tests && strings.HasPrefix(line, goPackageMark) && !isUnbuilt(name) {
			continue
		}
		ofGo := strings.HasPrefix(line, goTestMark)
		tests = tests || ofGo
		if n := len(names); ofGo && n > 0 && n == count && strings.HasPrefix(name, names[n-1]+"/") {
			names[n-1] = name
			continue
		}
		if count++; len(names) < mostFailed {
			names = append(names, name)
		}
	}
	return names, count
}

// mochaFailing follows the number of failed tests in mocha's summary.
const mochaFailing = " failing"

// mochaTests returns the names of the failed tests in the list after mocha's summary, in the order of their messages, and
// their number. An item of the list has a number, the names of the suites and, at the end of a line with a colon, that of
// the test.
func mochaTests(output string) (names []string, count int) {
	_, list, found := strings.Cut(output, mochaFailing+"\n")
	if !found {
		return nil, 0
	}
	item := false
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if number, _, found := strings.Cut(line, ") "); found && number != "" && strings.Trim(number, "0123456789") == "" {
			item = true
		}
		test, ends := strings.CutSuffix(line, ":")
		if !item || !ends {
			continue
		}
		item = false
		if name := testName(test[strings.Index(test, ") ")+1:]); name != "" {
			if count++; len(names) < mostFailed {
				names = append(names, name)
			}
		}
	}
	return names, count
}

// passedMarks precede the names of tests that passed.
var passedMarks = []string{"✔ ", "✓ ", "√ ", "ok ", "PASS "}

// withoutPassed returns a test runner's output without the lines about tests that passed.
func withoutPassed(output string) string {
	if !hasAny(output, passedMarks) {
		return output
	}
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !startsWithAny(strings.TrimLeft(line, " \t"), passedMarks) {
			b.WriteString(line)
		}
	}
	if blank(b.String()) {
		return output
	}
	return b.String()
}

// isUnbuilt reports whether the name of what failed is that of a package which Go couldn't build.
func isUnbuilt(name string) bool { return strings.HasSuffix(name, " failed]") }

// failedTest returns the name of a failed test from a line of a test runner's output, or "".
func failedTest(line string) string {
	if name, found := strings.CutSuffix(line, failedMark); found {
		return testName(strings.TrimPrefix(name, "test "))
	}
	for _, mark := range failMarks {
		if name, found := strings.CutPrefix(line, mark); found {
			switch {
			case mark == "not ok ": // a number precedes the name
				name = strings.TrimLeft(name, "0123456789 -")
			case mark == "ERROR: " && strings.Contains(name, ": "): // of pytest itself
				return ""
			}
			if name = testName(name); mark == "ERROR: " && strings.Contains(name, " ") { // a line of a log
				return ""
			}
			return name
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
	if at := strings.IndexByte(s, '['); at > 0 && len(s) > longestTest { // the parameters of a test
		s = s[:at] + "[…]"
	}
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

// stopsMark occurs in the line with which pytest says that it runs no more tests.
const stopsMark = "stopping after "

// withoutEnds returns an error message without lines that state only the exit status, or that no more tests run. If
// named is set, it also omits lines with the names of failed tests. A message without such lines is returned unchanged.
func withoutEnds(said string, named bool) string {
	if exitIn(said) == "" && !named && !strings.Contains(said, stopsMark) {
		return said
	}
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "===") { // a heading of a test runner
			line = strings.Trim(line, "= ")
		}
		ended := len(line) < shortStatus && exitIn(line) != "" || strings.Contains(line, stopsMark) || named && (line == "FAIL" || failedTest(line) != "")
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
// any line says so. It looks only at the end of the output.
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

// absentSigns lists phrases, in lower case, with which a shell or an interpreter says that it can't start a program, or
// pytest that it finds no tests.
var absentSigns = substringsOf(": no module named |: command not found|: can't open file |not recognized as an internal or external command|file or directory not found: ")

// notStarted reports whether the last line of an output says that a program couldn't be started.
func notStarted(output string) bool {
	output = strings.TrimRight(withoutStatus(output[max(0, len(output)-lookResult):]), " \r\n")
	return isAbsent(output[strings.LastIndexByte(output, '\n')+1:])
}

// isAbsent reports whether a line says that a program, or the module that it should run, doesn't exist.
func isAbsent(line string) bool { return len(line) < maxFailure && absentSigns.inAnyCase(line) }

// saysFailure reports whether a line of a check's output is an error or a nonzero error count.
func saysFailure(line string) bool {
	line = lower(line)
	if hasAny(line, failureForms) {
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
