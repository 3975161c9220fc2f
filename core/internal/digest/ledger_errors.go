package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// This file maintains the open errors of a ledger. A failed call stays open until a later call solves it.

// ended records the outcome of a tool call. on is the command or file that the call was about, and
// said is the error message. failed means that the call failed; this failure stays open until the
// same call succeeds.
func (c *collector) ended(tool, on, said string, failed bool) {
	part, behind := checkedPart(on)
	f := failedCall(tool, part)
	if behind != "" {
		if other := failedCall(tool, behind); failed {
			f = other
		} else {
			c.solved(other)
		}
	}
	c.solved(f) // the call has now succeeded, or failed again
	c.checkBegun(f)
	if failed {
		f.Text = said
		c.Errors = append(c.Errors, *f)
		c.begun = append(c.begun, c.worked)
		c.opened(f, len(c.Errors))
		c.checkFailed(f)
		return
	}
	c.checkPassed(f)
	for c.worked++; c.beyond < len(c.Errors) && c.begun[c.beyond]+aroundIt <= c.worked; c.beyond++ {
		if f := &c.Errors[c.beyond]; !isCheck(f) || isAbsent(f.Text) {
			*f = api.LedgerFailure{}
		}
	}
}

// failedCall returns the failure of a tool's call on a command or file, without an error message.
func failedCall(tool, on string) *api.LedgerFailure {
	return &api.LedgerFailure{Tool: tool, On: clipLine(withoutDocs(on), maxCommand)}
}

// testMark separates the name of a test from its file in a command that runs only this test (pytest).
const testMark = "::"

// opened records that the error f is open, under the key of its call and, if the call ran one test of a file, under
// that of the file. n is the index of f in Errors plus one.
func (c *collector) opened(f *api.LedgerFailure, n int) {
	call := key(f)
	c.failed.Set(call, n)
	if file, _, found := strings.Cut(call, testMark); found {
		c.failed.Set(file+testMark, n)
	}
}

// solved drops the earlier error of a call that has since succeeded. If the call runs all tests of
// a file, solved also drops the error of the last single test of that file that failed.
func (c *collector) solved(call *api.LedgerFailure) {
	done := key(call)
	for _, k := range [...]string{done, done + testMark} {
		if at, found := c.failed.Get(k); found && at > 0 {
			c.Errors[at-1] = api.LedgerFailure{}
			c.failed.Set(k, 0)
		}
	}
}

// fetched drops the open error of a call that failed to fetch an address, after a call of any tool with the same
// address succeeded. about is the text with the address.
func (c *collector) fetched(about string) {
	if c.fetchErrors.Len() == 0 {
		return
	}
	address := addressIn(about)
	if at, _ := c.fetchErrors.Get(address); at > 0 {
		if f := c.Errors[at-1]; !isSolved(f) {
			c.solved(&f)
		}
		c.fetchErrors.Set(address, 0)
	}
}

// webPrograms lists programs that fetch web addresses.
var webPrograms = wordListOf("curl wget http https xh lynx w3m aria2c")

// fetchesAddress reports whether a script begins with a program that fetches web addresses.
func fetchesAddress(script string) bool {
	program, _, _ := strings.Cut(script, " ")
	return webPrograms.has(program)
}

// mostAddress is the maximum length, in bytes, of an address that addressIn returns.
const mostAddress = 1024

// addressIn returns the first web address in a script or in the arguments of a call, without the scheme, or "" if there
// is none.
func addressIn(text string) string {
	_, rest, found := strings.Cut(text[:min(len(text), 2*mostAddress)], "://")
	if end := strings.IndexAny(rest, " \t\n\"'`<>\\|"); end >= 0 {
		rest = rest[:end]
	}
	if !found || len(rest) > mostAddress {
		return ""
	}
	return strings.TrimRight(rest, "/.,;)")
}

// checkFailed records f, the last entry of Errors, as the last failure of its kinds of checks, if it is a check.
func (c *collector) checkFailed(f *api.LedgerFailure) {
	if kinds := checksOf(f); kinds != 0 {
		c.checks[kinds] = len(c.begun)
	}
}

// checkBegun drops the errors of earlier checks of the same kinds that couldn't run, because their program, a module or
// the file to check doesn't exist. The agent has found another check.
func (c *collector) checkBegun(call *api.LedgerFailure) {
	c.dropChecks(call, func(kinds, failed checkKinds, text string) bool { return kinds&failed != 0 && isAbsent(text) })
}

// checkPassed drops the errors of all checks that a successful call covers.
func (c *collector) checkPassed(call *api.LedgerFailure) {
	c.dropChecks(call, func(kinds, failed checkKinds, _ string) bool { return kinds.covers(failed) })
}

// dropChecks drops the errors of the failed checks for which over returns true. over gets the kinds of checks that a
// call runs, which are some, those of the failed check, and the text of its error.
func (c *collector) dropChecks(call *api.LedgerFailure, over func(kinds, failed checkKinds, text string) bool) {
	kinds := checksOf(call)
	if kinds == 0 {
		return
	}
	for failed, at := range c.checks {
		if at > 0 && over(kinds, checkKinds(failed), c.Errors[at-1].Text) {
			c.Errors[at-1], c.checks[failed] = api.LedgerFailure{}, 0
		}
	}
}

// aroundIt is the number of successful calls after which a failure no longer counts as open, because the agent has
// obviously found another way. A failed check stays open, because only another run can show that it passes, unless the
// program that should run it doesn't exist.
const aroundIt = 8

func isCheck(f *api.LedgerFailure) bool { return checksOf(f) != 0 }

// checksOf returns the kinds of checks that a call runs, or 0 if its tool runs no commands.
func checksOf(f *api.LedgerFailure) checkKinds {
	if useOf(f.Tool) != runs {
		return 0
	}
	return checksIn(f.On)
}

// sameCommand returns the key of a command, which equals the key of a failure of that command.
func sameCommand(script string) string {
	return key(&api.LedgerFailure{Tool: "bash", On: clipLine(script, maxCommand)})
}

// key returns a key for what failed: the tool and the file, or at most three words of the command, without options and
// without programs that only start it. So a test that is run with other options counts as the same test.
func key(f *api.LedgerFailure) string {
	on := f.On
	if useOf(f.Tool) == runs {
		if _, cmd, found := strings.Cut(on, "&& "); found && strings.HasPrefix(on, "cd ") {
			on = cmd
		}
		words := commandWords(on)
		if scriptKind(on) == commits { // any later commit retries a failed one
			words = []string{"git", "commit"}
		}
		end := 0
		for end < len(words) && end < 3 && !strings.HasPrefix(words[end], "-") && words[end] != "./..." && !strings.ContainsAny(words[end], "|>&;") {
			end++
		}
		on = strings.Join(words[:end], " ")
	}
	tool := ToolKey(f.Tool)
	if u := useOf(f.Tool); u == edits || u == reads { // after a failed edit, an agent that reads the file knows its content
		tool = "file"
	}
	return tool + "\x00" + on
}

// commandWords returns the words of a command from its program on, without the option that names a module for the
// program to run: "pytest a_test.py" for "PYTHONPATH=src timeout 60 python -m pytest a_test.py". It returns nil for a
// command without words.
func commandWords(script string) []string {
	words := strings.Fields(script)
	for len(words) > 1 && strings.Contains(words[0], "=") {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	if rest, _ := withoutLaunchers(words); len(rest) > 0 {
		words = rest
	}
	if len(words) > 2 && words[1] == "-m" && interpreters.has(words[0]) {
		words = words[2:]
	}
	return words
}
