package digest_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// A check in a script counts on its own, whatever precedes it, and an expected failure is not a failure.
func TestChecksInScripts(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Rename the ramp of the kiln to slope, test first."},
`+ranAs("1", "The test should fail first.", "go test ./slope", `undefined: Slope\nexit code: 1`)+`,
`+ranAs("2", "x", "sed -i s/Ramp/Slope/ kiln/zone.go && go build ./kiln", `kiln/zone.go:9: undefined: Sloop\nexit code: 1`)+`,
`+ranAs("3", "x", "sed -i s/Sloop/Slope/ kiln/zone.go && go build ./kiln; echo done", `done\nexit code: 0`)+`,
`+ranAs("4", "x", "go vet ./kiln", `kiln/door.go:3: unreachable code\nexit code: 1`)+`,
{"role":"assistant","content":"The ramp is called slope now."},
{"role":"user","content":"And the door?"}
]`, 6000)
	wants(t, text, []string{"`go test ./slope` → exit 1: undefined: Slope (as intended)", "passed, in [1]: `go build ./kiln`", "- bash (go vet ./kiln)"},
		[]string{"- bash (go test", "failed, in [1]: `go test", "- bash (sed", "- bash (go build", "failed, in [1]: `sed"})
}

// A check whose program doesn't exist is not open once the work has gone on without it. One whose test fails is.
func TestChecksThatCannotRun(t *testing.T) {
	var work strings.Builder
	for i := range 12 {
		work.WriteString(ranAs("w"+strconv.Itoa(i), "x", "fire --zone "+strconv.Itoa(i), `fired\nexit code: 0`) + ",")
	}
	text := logOf(t, `[
{"role":"user","content":"Do the tests of the kiln pass?"},
`+ranAs("1", "x", "python -m pytest tests/test_ramp.py | tail -3", "/usr/bin/python3: No module named pytest")+`,
`+ranAs("2", "x", "python -m unittest tests.lamp", `AssertionError: 3 != 4\nexit code: 1`)+`,
`+ranAs("3", "x", "command -v kilnctl", `exit code: 1`)+`,
`+work.String()+`
{"role":"user","content":"And now?"}
]`, 6000)
	wants(t, text, []string{"- bash (python -m unittest tests.lamp)", "→ failed: /usr/bin/python3: No module named pytest"}, []string{"- bash (python -m pytest", "passed, in [1]: `python -m pytest", "kilnctl"})
}

// A commit that was amended or rebased loses its hash.
func TestReplacedCommits(t *testing.T) {
	commit := func(id, hash, options string) string {
		return ranAs(id, "x", "git commit "+options+" -m 'Fire the kiln slowly'", "[main "+hash+`] Fire the kiln slowly\n 1 file changed, 2 insertions(+)`)
	}
	text := logOf(t, `[
{"role":"user","content":"Commit the slow firing."},
`+commit("1", "aaaa111", "")+`,
`+commit("2", "bbbb222", "--amend")+`,
{"role":"assistant","content":"Committed as planned in kiln_7."},
{"role":"user","content":"Rebase it on the glaze branch."},
`+ranAs("3", "x", "git rebase glaze", "Successfully rebased and updated refs/heads/main.")+`,
{"role":"assistant","content":"The commit is on glaze_3 now."},
{"role":"user","content":"Thanks, what about the lamp?"}
]`, 6000)
	wants(t, text, []string{"committed “Fire the kiln slowly” (rebased in [2])"}, []string{"aaaa111", "bbbb222; 1 file"})
	if strings.Count(text, "committed “") != 1 {
		t.Errorf("the amended commit is still there:\n%s", text)
	}
}

// Next steps that an earlier digest names count as done or overtaken after some requests.
func TestNextStepsGo(t *testing.T) {
	prior := "# Carryover\n## Goal\n- Build a kiln with nine zones\n## Next steps\n- Move the door of zone 4 to the left side"
	ask := func(n int) string {
		return `[` + strings.Repeat(`{"role":"user","content":"Paint zone 7 of the kiln, please."},`+ranAs("1", "x", "paint --zone 7", "painted zone 7 in red_3")+`,{"role":"assistant","content":"Painted zone_7 red."},`, n) +
			`{"role":"user","content":"ok"}]`
	}
	for n, want := range map[int]bool{1: true, 3: false} {
		tr, messages := read(t, "native", ask(n))
		l := &digest.Ledger{}
		l.Add(tr, messages)
		if text := digest.NewExtract(tr, messages, prior, l).Digest(6000); strings.Contains(text, "Move the door") != want || !strings.Contains(text, "nine zones") {
			t.Errorf("after %d requests:\n%s", n, text)
		}
	}
}

// The state takes into account what the messages that stay in the context did to a commit, a push and a check. It lists
// nothing that is outdated.
func TestStateKnowsKeptMessages(t *testing.T) {
	folded := `{"role":"user","content":"Commit the slow firing of the kiln."},
` + ranAs("1", "x", "go test ./kiln", `--- FAIL: TestRamp (0.00s)\nFAIL\nexit code: 1`) + `,
` + ranAs("2", "x", "git commit -m 'Fire the kiln slowly'", `[main aaaa111] Fire the kiln slowly\n 1 file changed, 2 insertions(+)`) + `,
{"role":"assistant","content":"Committed kiln_7."},{"role":"user","content":"And the test?"}`
	kept := `,` + ranAs("3", "x", "go test ./kiln", `ok  kiln 0.1s\nexit code: 0`) + `,` + ranAs("4", "x", "git push", `To kiln\n   bbbb222..aaaa111  main -> main`)
	for _, tt := range []struct {
		messages string
		holds    bool
	}{{folded, true}, {folded + kept, false}} {
		tr, messages := read(t, "native", `[`+tt.messages+`]`)
		messages = messages[:7]
		l := &digest.Ledger{}
		l.Add(tr, messages)
		text := digest.NewExtract(tr, messages, "", l).Digest(6000)
		if !strings.Contains(text, "last commit, in [1]: “Fire the kiln slowly”") || strings.Contains(text, "not pushed since") != tt.holds {
			t.Errorf("not pushed: %v, but the digest says\n%s", tt.holds, text)
		}
	}
}

// Edits in the messages that stay in the context count as made since the last commit and outdate checks, even if only a
// patch names their files.
func TestStateKnowsKeptPatches(t *testing.T) {
	folded := `{"role":"user","content":"Commit the slow firing of the kiln."},
` + ranAs("1", "x", "go test ./kiln", `ok  kiln 0.1s\nexit code: 0`) + `,
` + ranAs("2", "x", "git commit -m 'Fire the kiln slowly'", `[main aaaa111] Fire the kiln slowly\n 1 file changed, 2 insertions(+)`) + `,
{"role":"assistant","content":"Committed kiln_7."}`
	patch := func(result string) string {
		return `,{"role":"user","content":"And the lamp?"},{"role":"assistant","content":[{"type":"tool_call","id":"3","name":"apply_patch","arguments":{"patch":"*** Begin Patch\n*** Update File: src/lamp.go\n@@\n-lit = 0\n+lit = 7\n*** End Patch"}}]},
{"role":"tool_result","tool_call_id":"3","tool_name":"apply_patch",` + result + `}`
	}
	for kept, want := range map[string]string{
		"":                      "edited since that commit: nothing\n",
		patch(`"content":"ok"`): "edited since that commit: src/lamp.go\n- passed, in [1]: `go test ./kiln` → ok  kiln 0.1s (edited since: src/lamp.go)",
		patch(`"is_error":true,"isError":true,"content":"no such file"`): "edited since that commit: nothing\n",
	} {
		tr, messages := read(t, "native", `[`+folded+kept+`]`)
		all, _ := read(t, "native", `[`+folded+`]`)
		messages = messages[:len(all.Messages)]
		l := &digest.Ledger{}
		l.Add(tr, messages)
		if text := digest.NewExtract(tr, messages, "", l).Digest(6000); !strings.Contains(stateOf(text)+"\n", want) {
			t.Errorf("%s: no %q in\n%s", kept, want, text)
		}
	}
}

// The state takes into account what agents that write their calls as text, and the user, ran in the messages that stay
// in the context.
func TestStateKnowsKeptTextsAndShells(t *testing.T) {
	const script = "python -m pytest test_ramp.py"
	asText := func(script, output string) string {
		return `,{"role":"assistant","content":"THOUGHT: The kiln needs it.\n\n` + "```bash\\n" + script + "\\n```" + `"},{"role":"user","content":"<returncode>0</returncode>\n<output>\n` + output + `\n</output>"}`
	}
	inShell := func(script, output string) string {
		return `,{"role":"bashExecution","command":"` + script + `","output":"` + output + `","exitCode":0,"cancelled":false,"truncated":false,"timestamp":6}`
	}
	for format, ran := range map[string]func(script, output string) string{"native": asText, "pi": inShell} {
		folded := `{"role":"user","content":"Let the ramp of zone 7 hold 900 degrees.","timestamp":1}` + ran("cat kiln/ramp.py", "hold = 640") + ran("python kiln.py --zone 7", "640") + ran(script, "3 passed in 0.1s")
		for _, kept := range []string{"", ran(script, "4 passed in 0.1s")} {
			tr, messages := read(t, format, `[`+folded+kept+`]`)
			all, _ := read(t, format, `[`+folded+`]`)
			messages = messages[:len(all.Messages)]
			digest.MarkOutputs(tr, len(tr.Messages), true)
			l := &digest.Ledger{}
			l.Add(tr, messages)
			if text := digest.NewExtract(tr, messages, "", l).Digest(6000); strings.Contains(text, "passed, in [1]: ") != (kept == "") {
				t.Errorf("%s, then %q:\n%s", format, kept, text)
			}
		}
	}
}

// The open error of a test that a call written as text ran is what the test asserted, not what the tested code logged.
func TestErrorsOfTextsAssert(t *testing.T) {
	tr, messages := read(t, "native", `[{"role":"user","content":"Let the ramp of zone 7 hold 900 degrees."},{"role":"assistant","content":"THOUGHT: Look.\n\n`+"```bash\\ncat ramp.go\\n```"+`"},
{"role":"user","content":"<returncode>0</returncode>\n<output>\npackage kiln\n</output>"},{"role":"assistant","content":"THOUGHT: Test.\n\n`+"```bash\\ngo test ./kiln\\n```"+`"},
{"role":"user","content":"<returncode>1</returncode>\n<output>\n--- FAIL: TestRamp (0.00s)\n    heat.go:9: output of heat: no error\n    ramp_test.go:9: 940, not 900\nFAIL\n</output>"}]`)
	digest.MarkOutputs(tr, len(messages), true)
	l := &digest.Ledger{}
	l.Add(tr, messages)
	wants(t, digest.NewExtract(tr, messages, "", l).Digest(6000), []string{"- bash (go test ./kiln): 940, not 900\n", "→ exit 1: TestRamp: 940, not 900"}, []string{"output of heat"})
}

// A failed edit is no longer an open error once the file has been read. A plan is left out if the remaining messages
// have a newer one.
func TestEditErrorsAndPlansGoOn(t *testing.T) {
	todo := func(id, box string) string {
		return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"TodoWrite","arguments":{"todos":[{"content":"Shut the door of zone 4","status":"` + box + `"},{"content":"Light the lamp","status":"pending"}]}}]},` +
			`{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"TodoWrite","content":"ok"}`
	}
	failed := strings.NewReplacer("ID", "1", "FILE", "ramp.go", "OLD", "x", "NEW", "y", `"content":"ok"`, `"isError":true,"is_error":true,"content":"String to replace not found in file."`).Replace(kilnEdit)
	read1 := strings.NewReplacer("ID", "2", "FILE", "ramp.go", "OUT", "package kiln").Replace(kilnRead)
	for _, tt := range []struct{ name, messages, has, not string }{
		{"failed", failed, "not found in file", "[x] Shut"},
		{"read", failed + "," + read1, "[ ] Light", "not found in file"},
		{"kept", failed + "," + read1, "Fix the ramp", "# Plan"},
	} {
		src := `[{"role":"user","content":"Fix the ramp of the kiln."},` + todo("0", "in_progress") + `,` + tt.messages + `,{"role":"user","content":"And?"}`
		all, _ := read(t, "native", src+`]`)
		n := len(all.Messages)
		if tt.name == "kept" {
			src += `,` + todo("9", "completed")
		}
		tr, messages := read(t, "native", src+`]`)
		messages = messages[:n]
		l := &digest.Ledger{}
		l.Add(tr, messages)
		if text := digest.NewExtract(tr, messages, "", l).Digest(6000); !strings.Contains(text, tt.has) || strings.Contains(text, tt.not) {
			t.Errorf("%s: want %q, not %q:\n%s", tt.name, tt.has, tt.not, text)
		}
	}
}

// A sentence doesn't end at dots inside code. Otherwise half of it could be dropped as a repetition.
func TestSentencesKeepCodeWhole(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Light the lamp of the kiln."},`+ranAs("1", "x", "light --lamp 3", "lit lamp 3")+`,
{"role":"assistant","content":"The lamp_3 is lit. `+"`go vet ./... && go build ./kiln`"+` takes 3 seconds for lamp_3."},
{"role":"user","content":"Close the door of the kiln."},`+ranAs("2", "x", "shut --door 4", "shut door 4")+`,
{"role":"assistant","content":"The door of zone_4 is shut, and nothing else was changed by it. `+"`go vet ./... && go test ./...`"+` takes 7 seconds for kiln_4."},
{"role":"user","content":"And the fan?"}]`, 4000)
	wants(t, text, []string{"`go vet ./... && go test ./...` takes 7 seconds for kiln_4."}, nil)
}

// A check says which script it runs even if its last output is cut.
func TestStateNamesTheScript(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Check it."},
`+ranAs("1", "First run.", "npm run check", `\n> kiln@1.0.0 check\n> tsc --noEmit && biome check\n\nChecked 9 files, 0 errors`)+`,
`+ranAs("2", "Again.", "npm run check 2>&1 | tail -3", `Checked 9 files, 0 errors`)+`,
{"role":"assistant","content":"It passes."},{"role":"user","content":"Thanks, go on with zone 7."}]`, 3000)
	if want := "passed, in [1]: `npm run check` (runs `tsc --noEmit && biome check`)"; !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
}

// A commit that a later command undoes is marked, and other commits are not.
func TestUndoneCommits(t *testing.T) {
	commit := func(id, hash, subject string) string {
		return ranAs(id, "x", "git commit -m '"+subject+"'", "[main "+hash+"] "+subject+`\n 1 file changed, 2 insertions(+)`)
	}
	const lamp, firing = "Paint the lamp_7", "Fire the kiln_7"
	for name, c := range map[string]struct{ back, undone string }{
		"by hash":             {ranAs("3", "x", "git revert --no-edit bbbb222", "[main cccc333] Revert"), lamp},
		"before an option":    {ranAs("3", "x", "git revert bbbb222 --no-edit", "[main cccc333] Revert"), lamp},
		"the newest":          {ranAs("3", "x", "git reset --hard HEAD~1", "HEAD is now at aaaa111 Fire the kiln"), lamp},
		"by subject":          {commit("3", "cccc333", `Revert \"Paint the lamp_7\"`), lamp},
		"half a subject":      {commit("3", "cccc333", `Revert \"Paint the\"`), ""},
		"no subject":          {commit("3", "cccc333", `Revert \"\"`), ""},
		"no name":             {ranAs("3", "x", "git revert ''", "fatal: bad revision ''"), ""},
		"a letter":            {ranAs("3", "x", "git revert P", "[main cccc333] Revert"), ""},
		"an earlier one":      {ranAs("3", "x", "git revert HEAD~1", "[main cccc333] Revert"), ""},
		"a conflict":          {ranAs("3", "x", "git revert bbbb222", `error: could not revert bbbb222... Paint\nhint: resolve`), ""},
		"only once":           {ranAs("3", "x", "git revert HEAD", "[main cccc333] Revert") + "," + ranAs("4", "x", "git revert --no-edit HEAD", "[main dddd444] Again"), lamp},
		"the older one after": {ranAs("3", "x", "git revert aaaa111", "[main cccc333] Revert"), firing},
	} {
		text := logOf(t, `[
{"role":"user","content":"Commit the firing and the lamp."},
`+commit("1", "aaaa111", firing)+`,
`+commit("2", "bbbb222", lamp)+`,
{"role":"assistant","content":"Committed as planned in kiln_7."},
{"role":"user","content":"Take the lamp back."},
`+c.back+`,
{"role":"assistant","content":"The lamp_7 is as it was."},
{"role":"user","content":"Thanks, what about the fan?"}
]`, 6000)
		for _, subject := range []string{lamp, firing} {
			line, _, _ := strings.Cut(text[strings.Index(text, "committed “"+subject):], "\n")
			if undone := strings.HasSuffix(line, " (undone in [2])"); undone != (subject == c.undone) {
				t.Errorf("%s: %q\n%s", name, subject, text)
			}
			if last := strings.Contains(text, "last commit, in [1]: “"+subject); last && subject == c.undone {
				t.Errorf("%s: the last commit is undone\n%s", name, text)
			}
		}
	}
}

// A check that fails again, as intended, no longer has the error that it had before.
func TestMeantFailureEndsEarlierError(t *testing.T) {
	const test = "go test ./kiln_7"
	for said, open := range map[string]bool{"The test fails as expected now.": false, "Let me see the other file.": true} {
		text := logOf(t, `[
{"role":"user","content":"Write a test for the lamp first."},
`+ranAs("1", "Run it.", test, `kiln_test.go:7:2: undefined: lampOf_7\nFAIL\texample/kiln_7 [build failed]\nexit code 1`)+`,
{"role":"assistant","content":"I add the helper for kiln_7."},
`+ranAs("2", said, test, `--- FAIL: TestLamp_7\n    kiln_test.go:9: off, want on\nFAIL\texit code 1\nexit code 1`)+`,
{"role":"assistant","content":"`+said+`"},
{"role":"user","content":"Go on with zone 7."}]`, 6000)
		if errors := strings.Contains(text, "<open-errors>"); errors != open || strings.Contains(text, "[build failed]") {
			t.Errorf("%s:\n%s", said, text)
		}
	}
}
