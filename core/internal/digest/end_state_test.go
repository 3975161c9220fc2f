package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// stateOf returns the section of a digest about the state at the end.
func stateOf(text string) string {
	_, state, _ := strings.Cut(text, "# State at the end of this record\n")
	state, _, _ = strings.Cut(state, "\n\n")
	return state
}

const gaugeEdit = `{"role":"assistant","content":[{"type":"tool_call","id":"ID","name":"edit","arguments":{"path":"PATH","old_string":"a := OLD()","new_string":"a := NEW()"}}]},{"role":"tool_result","tool_call_id":"ID","tool_name":"edit","content":"ok"}`

func editedAs(id, path, old, now string) string {
	return strings.NewReplacer("ID", id, "PATH", path, "OLD", old, "NEW", now).Replace(gaugeEdit)
}

// The state at the end consists of the last commit and push, later edits, and the last result of each kind of check.
// The log doesn't contain passing checks.
func TestStateAtTheEnd(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Calibrate the gauge of the press in press/gauge.go, and commit it."},
`+editedAs("1", "press/gauge.go", "readRaw", "readScaled")+`,
`+ranAs("2", "x", "npm run lint", `2 problems\nexit code: 1`)+`,
`+ranAs("3", "x", "npm run lint --fix", `Checked 41 files\nexit code: 0`)+`,
`+ranAs("4", "x", "npm test", `12 tests passed\nexit code: 0`)+`,
`+ranAs("5", "x", "git commit -m 'Scale the gauge'", `[main 9f8e7d6] Scale the gauge\n 1 file changed, 4 insertions(+)`)+`,
`+ranAs("6", "x", "git push", `To example.com:press.git\n   1a2b3c4..9f8e7d6  main -> main`)+`,
{"role":"assistant","content":"The gauge is scaled by readScaled, and pushed."},
{"role":"user","content":"Now the valve in press/valve.go too."},
`+editedAs("7", "press/valve.go", "openRaw", "openSlowly")+`,
`+ranAs("8", "x", "npm test", `FAIL: TestValveOpens\nexit code: 1`)+`,
{"role":"assistant","content":"TestValveOpens fails now, because openSlowly needs 3 seconds."}
]`, 6000)
	state := stateOf(text)
	for _, want := range []string{"last commit, in [1]: “Scale the gauge” (main 9f8e7d6)\n", "pushed in [1]: main -> main (1a2b3c4..9f8e7d6)\n",
		"edited since that commit: press/valve.go\n", "passed, in [1]: `npm run lint --fix` → Checked 41 files (edited since: press/valve.go)\n"} {
		if !strings.Contains(state+"\n", want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, not := range []string{"12 tests passed", "`npm run lint` → exit 1"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in\n%s", not, text)
		}
	}
	if !strings.Contains(text, "- bash (npm test)") || strings.Contains(state, "npm test") {
		t.Errorf("the open error is missing, or is said twice, in\n%s", text)
	}
}

// The output of git status replaces the edits that the record shows, until something changes.
func TestStateOfTheTree(t *testing.T) {
	const asked = `[{"role":"user","content":"Is the press committed?"},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"bash","arguments":{"command":"git status --short --branch"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"bash","content":"OUTPUT"},
{"role":"assistant","content":"See above, press/gauge.go is what counts."}MORE]`
	for _, c := range []struct{ output, more, want string }{
		{`## main...origin/main [ahead 2]\n`, "", "git status, in [1]: main...origin/main [ahead 2]: nothing to commit"},
		{`## main\n M press/gauge.go\n?? notes.txt\n`, "", "git status, in [1]: main:  M press/gauge.go; ?? notes.txt"},
		{`On branch main\nnothing to commit, working tree clean\n`, "", "git status, in [1]: nothing to commit"},
		{`## main\n`, `,{"role":"user","content":"Scale the gauge."},` + editedAs("2", "press/gauge.go", "x", "y"), ""},
	} {
		state := stateOf(logOf(t, strings.NewReplacer("OUTPUT", c.output, "MORE", c.more).Replace(asked), 4000))
		if got := strings.Contains(state, "git status"); got != (c.want != "") || !strings.Contains(state, c.want) {
			t.Errorf("%s: got\n%s\nwant %q", c.output, state, c.want)
		}
	}
}

// An edit counts as made since the last commit only until another commit or a clean working tree contains it, even if
// git doesn't print that commit.
func TestEditsAreCommittedQuietly(t *testing.T) {
	for _, c := range []struct{ script, output, commit, edited string }{
		{"git commit -qam 'Open the valve slowly'", "", "last commit, in [2]: “Open the valve slowly”\n", noEdits},
		{"git commit -am 'Open the valve slowly' | tail -1", ` 1 file changed, 2 insertions(+)`, "last commit, in [2]: “Open the valve slowly”\n", noEdits},
		{"git commit -am 'Open the valve slowly' | tail -1", `lint: 2 problems`, "last commit, in [1]: “Scale the gauge” (main 9f8e7d6)\n", "valve.go"},
		{"git status", `On branch main\nnothing to commit, working tree clean\n`, "last commit, in [1]: “Scale the gauge” (main 9f8e7d6)\n", noEdits},
		{"git status --short", ` M press/valve.go\n`, "last commit, in [1]: “Scale the gauge” (main 9f8e7d6)\n", "press/valve.go"},
	} {
		text := logOf(t, `[
{"role":"user","content":"Calibrate the gauge of the press in press/gauge.go, and commit it."},
`+editedAs("1", "press/gauge.go", "readRaw", "readScaled")+`,
`+ranAs("2", "x", "git commit -am 'Scale the gauge'", `[main 9f8e7d6] Scale the gauge\n 1 file changed, 4 insertions(+)`)+`,
{"role":"assistant","content":"The gauge is scaled by readScaled."},
{"role":"user","content":"Now the valve in press/valve.go too."},
`+editedAs("3", "press/valve.go", "openRaw", "openSlowly")+`,
`+ranAs("4", "x", c.script, c.output)+`,
{"role":"assistant","content":"The valve opens in 3 seconds by openSlowly."}
]`, 6000)
		state := stateOf(text) + "\n"
		_, edited, _ := strings.Cut(state, "edited since that commit: ")
		edited, _, _ = strings.Cut(edited, "\n")
		if !strings.Contains(state, c.commit) || !strings.HasSuffix(edited, c.edited) {
			t.Errorf("%s: got\n%s\nwant %q and edits of %q", c.script, text, c.commit, c.edited)
		}
	}
}

const noEdits = "nothing"

// The next compaction continues from the state in the previous digest.
func TestStateGoesOn(t *testing.T) {
	before := "# What happened\n[1] user: Scale the gauge.\n  - edited press/gauge.go\n\n# State at the end of this record\n- last commit, in [1]: “Scale the gauge” (main 9f8e7d6)\n" +
		"- not pushed since, as far as this record shows\n- edited since that commit: press/valve.go\n- failed, in [1]: `npm run lint` → exit 1\n- passed, in [1]: `npm test` → 12 tests passed"
	tr, seq := read(t, "native", `[{"role":"user","content":"Go on with the pump."},
`+editedAs("1", "press/pump.go", "x", "y")+`,
`+ranAs("2", "x", "npm run lint", `Checked 41 files\nexit code: 0`)+`,
`+ranAs("3", "x", "git push", `To example.com:press.git\n   1a2b3c4..9f8e7d6  main -> main`)+`]`)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq, before, l).Digest(6000)
	want := "- last commit, in [1]: “Scale the gauge” (main 9f8e7d6)\n- pushed in [2]: main -> main (1a2b3c4..9f8e7d6)\n- edited since that commit: press/valve.go, press/pump.go\n" +
		"- passed, in [1]: `npm test` → 12 tests passed (edited since: press/pump.go)\n- passed, in [2]: `npm run lint` → Checked 41 files"
	if got := stateOf(text); got != want {
		t.Errorf("got\n%s\nwant\n%s\nin\n%s", got, want, text)
	}
}

// A passing check resolves the errors of another command of the same kind. Tests resolve only their own errors.
func TestOtherCheckOfTheSameKind(t *testing.T) {
	tr, seq := read(t, "native", `[{"role":"user","content":"Is the press clean?"},
`+ranAs("1", "x", "bun run lint", `2 problems\nexit code: 1`)+`,
`+ranAs("2", "x", "npx tsc --noEmit", `error TS2304: Cannot find name Gauge\nexit code: 2`)+`,
`+ranAs("3", "x", "go test ./...", `FAIL: TestValve\nexit code: 1`)+`,
`+ranAs("4", "x", "git ls-files -z | xargs -0 bunx biome check", `Checked 41 files\nexit code: 0`)+`,
`+ranAs("5", "x", "npx jest", `12 passed\nexit code: 0`)+`]`)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	var open []string
	for _, f := range l.Errors {
		open = append(open, f.On)
	}
	if got := strings.Join(open, "; "); got != "npx tsc --noEmit; go test ./..." {
		t.Errorf("open: %s", got)
	}
}

// The exit code of a script is that of its last program. If that isn't the check, a failure says nothing about the
// check.
func TestStateOfAScriptThatGoesOn(t *testing.T) {
	for script, failed := range map[string]bool{
		`go build -o /tmp/press ./cmd/press`:                                       true,
		`go build -o /tmp/press ./cmd/press; echo done`:                            true,
		`go build -o /tmp/press ./cmd/press && /tmp/press`:                         true,
		`go build -o /tmp/press ./cmd/press\n/tmp/press -rules broken.json`:        false,
		`go build -o /tmp/press ./cmd/press; /tmp/press -rules broken.json | tail`: false,
		`/tmp/press -rules broken.json\ngo build -o /tmp/press ./cmd/press`:        true,
		`go build ./cmd/press\n/tmp/press -rules broken.json\ngo vet ./cmd/press`:  true,
	} {
		text := logOf(t, `[{"role":"user","content":"Does the press refuse a broken file?"},`+ranAs("1", "x", script, `line 3: unknown key\nexit code: 1`)+`,
{"role":"assistant","content":"It stops at line 3."},{"role":"user","content":"Good."}]`, 4000)
		_, errors, _ := strings.Cut(text, "# Open errors\n")
		if got := strings.Contains(stateOf(text), "- failed") || strings.Contains(errors, "bash (go "); got != failed {
			t.Errorf("%s: failed is %v in\n%s", script, got, text)
		}
		if !strings.Contains(errors, "line 3: unknown key") {
			t.Errorf("%s: the error is not in\n%s", script, text)
		}
	}
}

// If the exit code of a check is unknown or that of a filter, the check is judged by its output.
func TestStateBehindAFilter(t *testing.T) {
	for output, failed := range map[string]bool{
		`src/fan.ts(12,3): error TS2322: Type 'string' is not assignable to type 'number'.`: true,
		`npm ERR! code ELIFECYCLE\nnpm ERR! errno 2`:                                        true,
		`Found 2 errors in 1 file.`:                                                         true,
		`error: could not compile kiln due to 1 previous error`:                             true,
		`make: *** [Makefile:3: all] Error 1`:                                               true,
		`Tests run: 5, Failures: 2, Errors: 0`:                                              true,
		`Tests run: 5, Failures: 0, Errors: 0`:                                              false,
		`error: the lamp is off, as this test wants it\nTests: 6 passed, 6 total`:           false,
		`0 errors, 2 warnings`:                                                              false,
		`> tsc --noEmit`:                                                                    false,
	} {
		for _, c := range []struct {
			command, exit string
			failed        bool
		}{{"npm run check 2>&1 | tail -5", `\nexit code: 0`, failed}, {"npm run check | head -20", "", failed}, {"npm run check", `\nexit code: 0`, false}} {
			text := logOf(t, `[
{"role":"user","content":"Check the kiln's panel."},
`+ranAs("1", "x", c.command, output+c.exit)+`,
{"role":"assistant","content":"All checks pass."}
]`, 4000)
			if got := strings.Contains(text, "→ failed"); got != c.failed || got && strings.Contains(stateOf(text), "- passed") {
				t.Errorf("%s, which prints %q: failed is %v in\n%s", c.command, output+c.exit, got, text)
			}
		}
	}
}

// A commit that finds nothing to commit, and commands in the messages that stay, update the list of edited files.
func TestEditedSinceTheCommit(t *testing.T) {
	begin := `[
{"role":"user","content":"Calibrate the press, and commit it."},
` + editedAs("1", "press/gauge.go", "readRaw", "readScaled") + `,
` + ranAs("2", "x", "git commit -am 'Scale the gauge'", `[main 9f8e7d6] Scale the gauge\n 1 file changed, 4 insertions(+)`) + `,
` + editedAs("3", "press/gauge.go", "readScaled", "readTwice") + `,
` + editedAs("4", "press/valve.go", "openRaw", "openSlowly")
	for _, c := range []struct {
		name, command, output string
		want                  string // "" if the last commit is in a message that stays
		stays                 bool
	}{
		{"nothing to commit", "git add . && git commit -m 'Open the valve'", `On branch main\nnothing to commit, working tree clean\nexit code: 1`, "nothing", false},
		{"nothing to commit, in a message that stays", "git commit -am 'Open the valve'", `On branch main\nnothing to commit, working tree clean\nexit code: 1`, "nothing", true},
		{"a commit whose result was cleared, in a message that stays", "cd /press && git add -A && git commit -m 'Open the valve'", "[Old tool result content cleared]", "", true},
		{"a file that is restored", "git checkout -- press/valve.go", "", "press/gauge.go", true},
		{"a file that is restored and written", "git checkout -- press/valve.go && sed -i 's/openRaw/openOnce/' press/valve.go press/lever.go", "", "press/gauge.go, press/valve.go, press/lever.go", true},
		{"all files", "git reset --hard", "HEAD is now at 9f8e7d6 Scale the gauge", "nothing", true},
		{"a command that fails", "git checkout -- press/valve.go", `error: pathspec 'press/valve.go' did not match\nexit code: 1`, "press/gauge.go, press/valve.go", true},
	} {
		tr, seq := read(t, "native", begin+","+ranAs("5", "x", c.command, c.output)+"]")
		if c.stays {
			seq = seq[:len(seq)-2]
		}
		if state := stateOf(localOf(tr, seq, 4000)); c.want != "" && !strings.Contains(state+"\n", "edited since that commit: "+c.want+"\n") || c.want == "" && state != "" {
			t.Errorf("%s:\n%s", c.name, state)
		}
	}
}

// A commit is in the log and in the end state although its result was cleared.
func TestCommitWhoseResultWasCleared(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Open the valve, and commit it."},
`+editedAs("1", "press/valve.go", "openRaw", "openSlowly")+`,
`+ranAs("2", "x", "git commit -am 'Open the valve slowly'", "[Old tool result content cleared]")+`,
{"role":"assistant","content":"The valve opens slowly now, and the work on press/valve.go is committed."}
]`, 4000)
	if !strings.Contains(text, "  - committed “Open the valve slowly”\n") || !strings.Contains(stateOf(text), "last commit, in [1]: “Open the valve slowly”\n") {
		t.Errorf("%s", text)
	}
}

// A push of which git printed nothing, or whose result was cleared, is still a push.
func TestPushWithoutOutput(t *testing.T) {
	for _, c := range []struct{ commit, push, output, want string }{
		{"git commit -qm 'Open the valve'", "git push -q origin main", "", "- pushed in [1]: what git printed is not known\n"},
		{"git commit -qm 'Open the valve'", "git push origin main 2>&1 | tail -1", "[Old tool result content cleared]", "- pushed in [1]: what git printed is not known\n"},
		{"git commit -qm 'Open the valve' && git push -q", "ls", "gauge.go", "- pushed in [1]: what git printed is not known\n"},
		{"git commit -qm 'Open the valve'", "git push -q --dry-run", "", "- not pushed since"},
		{"git commit -qm 'Open the valve'", "git stash push -q", "", "- not pushed since"},
	} {
		text := logOf(t, `[{"role":"user","content":"Open the valve, and commit and push it."},
`+ranAs("1", "x", c.commit, "")+`,
`+ranAs("2", "x", c.push, c.output)+`,
{"role":"assistant","content":"The valve of press/valve.go opens slowly now."}]`, 4000)
		if !strings.Contains(stateOf(text), c.want) {
			t.Errorf("%s, %s: %q is not in\n%s", c.commit, c.push, c.want, stateOf(text))
		}
	}
}

// A commit that a message which stays undoes is neither the last one nor told as if it still existed.
func TestCommitUndoneInAMessageThatStays(t *testing.T) {
	for undo, undone := range map[string]bool{
		"git reset --soft HEAD~1 && git status --short": true,
		"git revert --no-edit 4b1d0ce77":                true,
		"git revert --no-edit 9999999":                  false,
		"git log --oneline":                             false,
	} {
		tr, seq := read(t, "native", `[
{"role":"user","content":"Open the valve, and commit it."},
`+editedAs("1", "press/valve.go", "openRaw", "openSlowly")+`,
`+ranAs("2", "x", "git commit -am 'Open the valve slowly'", `[main 4b1d0ce] Open the valve slowly\n 1 file changed`)+`,
{"role":"assistant","content":"The valve opens slowly now."},
`+ranAs("3", "x", undo, "ok")+`]`)
		text := localOf(tr, seq[:len(seq)-2], 4000)
		if strings.Contains(text, "(undone since)") != undone || strings.Contains(stateOf(text), "last commit") == undone {
			t.Errorf("%s:\n%s", undo, text)
		}
	}
}
