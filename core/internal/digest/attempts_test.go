package digest_test

import "testing"

// A failed attempt stays in the entry, with its error and with what the assistant said about it, even if the command
// succeeds later in the turn.
func TestFailedAttempts(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Build the kiln's firmware and commit it."},
`+ranAs("1", "Let me build.", "make firmware", `ld: region FLASH overflowed by 412 bytes\nexit code: 2`)+`,
`+ranAs("2", "Still failing. The linker keeps both lamp drivers because the old one is referenced. Let me drop it.", "git rm lamp_old.c", "rm lamp_old.c")+`,
`+ranAs("3", "x", "make firmware", `firmware.bin: 61440 bytes\nexit code: 0`)+`,
`+ranAs("4", "x", "git commit -m 'Drop the old lamp driver'", `hook lint: door.c has no header\nerror: commit refused\nexit code: 1`)+`,
`+ranAs("5", "The hook checks files that are not part of the commit.", "git commit -m 'Drop the old lamp driver'", `hook lint: door.c has no header\nerror: commit refused\nexit code: 1`)+`,
`+ranAs("6", "x", "git commit --no-verify -m 'Drop the old lamp driver'", `[main 9f8e7d6] Drop the old lamp driver\n 1 file changed, 9 deletions(-)`)+`,
{"role":"assistant","content":"The firmware fits again, in 61440 bytes."},
{"role":"user","content":"Commit the fan too."},
`+ranAs("7", "x", "git commit -m 'Slow the fan'", `hook format ran\nhook lint ran`)+`,
`+ranAs("8", "Let me check.", "git log -1 --oneline", "9f8e7d6 Drop the old lamp driver")+`,
`+ranAs("9", "The commit failed, the log still has the old one. The hooks reject the file as ignored.", "git add -f fan.c", "")+`,
`+ranAs("10", "x", "git commit -m 'Slow the fan'", `[main 1a2b3c4] Slow the fan\n 1 file changed, 1 insertion(+)`)+`,
{"role":"assistant","content":"The fan turns at 40 percent."}
]`, 4000)
	wants(t, text, []string{
		"before that, it failed: ld: region FLASH overflowed by 412 bytes; assistant: The linker keeps both lamp drivers because the old one is referenced.)",
		"1 file changed, 9 deletions(-)) with --no-verify (before that, it failed 2 times: error: commit refused; assistant: The hook checks files that are not part of the commit.)",
		"committed “Slow the fan” (main 1a2b3c4; 1 file changed, 1 insertion(+)) (before that, it failed; assistant: The commit failed, the log still has the old one. The hooks reject the file as ignored.)",
	}, []string{"Let me", "Still failing", "“Slow the fan”\n"})
}

// A command that prints nothing is mentioned if the assistant then says that it didn't work.
func TestAttemptsInVain(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Call glow() instead of light() everywhere."},
`+ranAs("1", "x", "sed -i 's/light(/glow(/g' kiln.c", "")+`,
`+ranAs("2", "That won't work for the macros. Let me change them one by one.", "sed -i 's/LIGHT(/GLOW(/' macros.h", "")+`,
`+ranAs("3", "It is clean now.", "grep -c GLOW macros.h", "7")+`,
{"role":"assistant","content":"All 7 macros of macros.h call glow() now."}
]`, 4000)
	wants(t, text, []string{"ran `sed -i 's/light(/glow(/g' kiln.c` (assistant: That won't work for the macros.)"}, []string{"is clean now"})
}

// A quiet commit, which prints nothing, hasn't failed, even if the assistant then says that something else failed.
func TestQuietCommits(t *testing.T) {
	for _, command := range []string{"git commit -q -m 'Slow the fan' && git push", "git commit -m 'Slow the fan' > /dev/null; git push"} {
		text := logOf(t, `[
{"role":"user","content":"Commit the fan and push it."},
`+ranAs("1", "x", command, `To kiln.example:fan.git\n   1a2b3c4..5d6e7f8  main -> main`)+`,
`+ranAs("2", "The push to the second remote failed, it is not configured.", "git remote -v", "origin kiln.example:fan.git (push)")+`,
{"role":"assistant","content":"The fan turns at 40 percent."}
]`, 4000)
		wants(t, text, []string{"committed “Slow the fan”"}, []string{"tried to commit"})
	}
}

// The assistant's reason for a failed attempt counts even if it begins in bold type, and it stays if another attempt
// fails.
func TestReasonInBold(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Commit the lamps."},
`+ranAs("1", "x", "git commit -m 'Light the lamps'", `Checked 4 files. No fixes applied.\nThe following paths are ignored by one of your .gitignore files:\nlamps`)+`,
`+ranAs("2", "x", "git log --oneline -1", "98b484b Dim the lamps")+`,
`+ranAs("3", "**The commit failed** - we're still on the old commit. The hooks refuse it because of the ignored lamps folder.", "cat hooks.yml", "pre-commit: lint")+`,
`+ranAs("4", "x", "git commit -m 'Light the lamps'", `The following paths are ignored by one of your .gitignore files:\nlamps`)+`,
`+ranAs("5", "x", "git commit --no-verify -m 'Light the lamps'", `[main 9f8e7d6] Light the lamps\n 4 files changed, 2 insertions(+)`)+`]`, 4000)
	wants(t, text, []string{"with --no-verify (before that, it failed 2 times; assistant: ", "The hooks refuse it because of the ignored lamps folder."}, nil)
}

// "Still failing" is not an announcement.
func TestReasonOfAnotherFailure(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Commit the lamps."},
`+ranAs("1", "x", "git commit -m 'Light the lamps'", `The following paths are ignored by one of your .gitignore files:\nlamps`)+`,
`+ranAs("2", "**Still failing.** The issue is that git warns about ignored lamps although the hooks passed.", "git log --oneline -1", "98b484b Dim the lamps")+`,
`+ranAs("3", "x", "git commit --no-verify -m 'Light the lamps'", `[main 9f8e7d6] Light the lamps\n 4 files changed, 2 insertions(+)`)+`]`, 4000)
	wants(t, text, []string{"(before that, it failed; assistant: ", "git warns about ignored lamps although the hooks passed."}, nil)
}

// The causes of failed attempts stay, one for each different cause, even if the command later succeeds without comment.
func TestAttemptsBeforeASilentSuccess(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Make the audit of the kiln pass."},
`+ranAs("1", "Let me see.", "npx sootcheck", `ERROR: Validation error: Unrecognized key(s) in object: 'ignoreUnlisted'\nexit code: 1`)+`,
`+ranAs("2", "The key has another name. Let me look it up.", "npx sootcheck", `Unused devDependencies (1)\nglazewind  package.json:94:6\nexit code: 1`)+`,
`+ranAs("3", "The CSS build uses `glazewind`.", "npx sootcheck", `Unused devDependencies (1)\nglazewind  package.json:94:6\nexit code: 1`)+`,
`+ranAs("4", "x", "npx sootcheck", "")+`,
`+ranAs("5", "x", "just heat", `error: zone 7 is cold\nexit code: 1`)+`,
`+ranAs("6", "x", "just heat", "")+`,
{"role":"assistant","content":"The audit passes now."},
{"role":"user","content":"Good."}
]`, 4000)
	wants(t, text, []string{
		"ran `npx sootcheck` (before that, it failed 3 times: ERROR: Validation error: Unrecognized key(s) in object: 'ignoreUnlisted'; assistant: The key has another name.; then: Unused devDependencies (1) glazewind package.json:94:6; assistant: The CSS build uses `glazewind`.)",
		"(before that, it failed: error: zone 7 is cold)",
	}, nil)
}

// An edit that was reverted because it didn't work stays if the assistant gave a reason. Otherwise it is dropped.
func TestEditsTakenBackWithAReason(t *testing.T) {
	edit := func(id, said, path, before, after string) string {
		return `{"role":"assistant","content":[{"type":"text","text":"` + said + `"},{"type":"tool_call","id":"` + id + `","name":"edit","arguments":{"path":"/kiln/` + path + `","old":"` + before + `","new":"` + after +
			`"}}]},{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"edit","content":"ok"}`
	}
	text := logOf(t, `[
{"role":"user","content":"Make the audit of the kiln pass."},
`+edit("1", "x", "zones.js", "const zones = 9;", "const zones = 9;\\nconst glaze = \\\"file:glaze\\\";")+`,
`+edit("2", "Wait, I already tried this and it broke the installer. Let me take it out again.", "zones.js", "const zones = 9;\\nconst glaze = \\\"file:glaze\\\";", "const zones = 9;")+`,
`+edit("3", "x", "lamp.js", "const lamp = 1;", "const lamp = 1;\\nconst bulb = 40;")+`,
`+edit("4", "Let me take that out.", "lamp.js", "const lamp = 1;\\nconst bulb = 40;", "const lamp = 1;")+`,
{"role":"assistant","content":"The audit passes in 3 seconds."},
{"role":"user","content":"Good."}
]`, 4000)
	wants(t, text, []string{"edited /kiln/zones.js: adds `const glaze = \"file:glaze\";` (taken back; assistant: Wait, I already tried this and it broke the installer.)"}, []string{"lamp.js: adds", "bulb"})
}

// A call that the user refused without a comment is named. If the user commented on it, the comment is in the request.
func TestRefusedCalls(t *testing.T) {
	const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
	messages := func(refusal string) string {
		return `[{"role":"user","content":"Correct the log of the last firing."},{"role":"assistant","content":[{"type":"text","text":"I clone it first."},{"type":"tool_use","id":"1","name":"Bash","input":{"command":"git clone kiln.example:log /tmp/log"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":"` + refusal + `"}]},{"role":"user","content":"Check the log of zone 7 first."},{"role":"assistant","content":"The log of zone 7 has 412 lines."}]`
	}
	for text, want := range map[string]string{refusal: "- the user refused `git clone kiln.example:log /tmp/log`\n",
		"The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\\nUse the copy in /kiln": "Use the copy in /kiln"} {
		tr, seq := read(t, "anthropic", messages(text))
		wants(t, localOf(tr, seq, 4000), []string{want}, nil)
	}
}
