package digest_test

import (
	"strconv"
	"strings"
	"testing"
)

// wants checks that a digest contains some texts, and doesn't contain others.
func wants(t *testing.T, text string, want, not []string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(text, s) {
			t.Errorf("%q is missing in\n%s", s, text)
		}
	}
	for _, s := range not {
		if strings.Contains(text, s) {
			t.Errorf("%q is in\n%s", s, text)
		}
	}
}

// A file that was deleted or renamed later is described as such, and files that existed only for a while are not listed.
func TestDeletedFiles(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Replace the old ramp of the kiln."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"edit","arguments":{"path":"/kiln/src/ramp_old.go","old":"a := 1","new":"a := 2"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"edit","content":"ok"},
{"role":"assistant","content":[{"type":"tool_call","id":"2","name":"write","arguments":{"path":"/kiln/src/ramp_new.go","content":"package kiln\n\nfunc Ramp() {}\n"}}]},
{"role":"tool_result","tool_call_id":"2","tool_name":"write","content":"ok"},
{"role":"assistant","content":[{"type":"tool_call","id":"3","name":"write","arguments":{"path":"/kiln/probe_7.go","content":"package main\n\nfunc main() { heat() }\n"}}]},
{"role":"tool_result","tool_call_id":"3","tool_name":"write","content":"ok"},
`+ranAs("4", "x", "cd /kiln && git rm src/ramp_old.go && rm -f probe_7.go && git mv src/ramp_new.go src/ramp.go && rm -rf dist/", "ok")+`,
{"role":"assistant","content":[{"type":"tool_call","id":"5","name":"apply_patch","arguments":{"patch":"*** Begin Patch\n*** Delete File: /kiln/src/lamp.go\n*** End Patch"}}]},
{"role":"tool_result","tool_call_id":"5","tool_name":"apply_patch","content":"ok"},
{"role":"assistant","content":"The new ramp is in src/ramp.go."}
]`, 4000)
	_, list, _ := strings.Cut(text, "<modified-files>")
	wants(t, list, []string{"ramp_old.go — edited in [1]; deleted in [1]", "ramp.go — renamed from ramp_new.go in [1]", "lamp.go — deleted in [1]"}, []string{"probe_7", "ramp_new.go —", "dist"})
	wants(t, text, []string{"deleted /kiln/src/lamp.go"}, nil)
}

// Statements during the work count by what they name. Numbered steps, remarks that the answer makes worthless, and
// predictions don't count.
func TestRemarksAtWork(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Why does the build of the kiln fail?"},
`+ranAs("0", "Critical issue #1: Close the door", "make hooks", `error: lamp off\nexit code: 2`)+`,
`+ranAs("1", "Step 3: Check what the hooks do", "make kiln", `error: door open\nexit code: 2`)+`,
`+ranAs("2", "That looks a lot more robust to me.", "git commit -m 'Shut the door'", `[main 9f8e7d6] Shut the door\n 1 file changed, 2 insertions(+)`)+`,
{"role":"assistant","content":"The hook in kiln/door.go ran before the door was shut. CI should now pass with this."},
{"role":"user","content":"Look at the fan, please: it turns too slowly."},
{"role":"assistant","content":"The fan turns at 40 percent. It should now pass the check."}
]`, 4000)
	wants(t, text, []string{"kiln/door.go ran before the door was shut", "turns at 40 percent"}, []string{"Step 3", "issue #1", "more robust", "CI should now"})
}

// A failed test is named. If it passes later in the same turn, it is not open.
func TestFixedTests(t *testing.T) {
	failed := `--- FAIL: TestRamp (0.00s)\n    ramp_test.go:9: 940, not 900\nFAIL\nFAIL\texample.com/kiln\t0.1s`
	text := logOf(t, `[
{"role":"user","content":"Make the tests of the ramp and the lamp pass."},
`+ranAs("1", "x", "go test ./kiln 2>&1 | tail -5", failed)+`,
`+ranAs("2", "x", "go test ./kiln", `ok  \texample.com/kiln\t0.1s`)+`,
`+ranAs("3", "x", "go test ./lamp | tail -3", strings.ReplaceAll(failed, "Ramp", "Lamp"))+`
]`, 4000)
	wants(t, text, []string{"(before that, these failed: TestRamp: 940, not 900)", "ran `go test ./lamp` → failed: TestLamp", "<open-errors>\n- bash (go test ./lamp"},
		[]string{"→ failed: TestRamp", "- bash (go test ./kiln"})
}

// A call of an unknown tool is reported with its arguments and its result. Of equal calls, only the last is reported.
func TestCallsOfUnknownTools(t *testing.T) {
	call := `{"role":"assistant","content":[{"type":"tool_call","id":"ID","name":"kiln_set_zone","arguments":{"zone":7,"degrees":"900"}}]},{"role":"tool_result","tool_call_id":"ID","tool_name":"kiln_set_zone","content":"OUT"}`
	text := logOf(t, `[
{"role":"user","content":"Heat zone 7 of the kiln."},
`+strings.NewReplacer("ID", "1", "OUT", "zone 7 was busy").Replace(call)+`,
`+strings.NewReplacer("ID", "2", "OUT", "zone 7 holds 900").Replace(call)+`,
{"role":"assistant","content":"Zone 7 is hot."}
]`, 4000)
	wants(t, text, []string{"called kiln_set_zone(zone: 7, degrees: 900) → zone 7 holds 900"}, []string{"busy"})
}

// If a long result of an unknown tool begins by saying that the call failed, the log says so. Thanks and apologies of the
// assistant say nothing.
func TestComplaintsOfUnknownTools(t *testing.T) {
	call := func(id, said, out string) string {
		return `{"role":"assistant","content":[{"type":"text","text":"` + said + `"},{"type":"tool_call","id":"` + id + `","name":"run_cell","arguments":{"code":"replace('kiln.py', ` + id + `)"}}]},` +
			`{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"run_cell","content":"` + out + strings.Repeat(`\n1|zone = 7`, 80) + `"}`
	}
	text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+call("1", "Thank you for showing me kiln.py.", "[Your edit has introduced new syntax error(s). Please retry.]")+`,
`+call("2", "I apologize for the persistent errors in kiln.py.", "[No exact match found in kiln.py for]")+`,
`+strings.ReplaceAll(call("2", "It seems that the indentation of hold() is two columns short.", "[No exact match found in kiln.py for]"), `id":"2"`, `id":"4"`)+`,
`+call("3", "Merci pour le fichier kiln.py !", "[File: kiln.py (80 lines)]")+`
]`, 4000)
	wants(t, text, []string{"replace('kiln.py', 1)) → Your edit has introduced new syntax error(s)", "replace('kiln.py', 2)) → No exact match found in kiln.py for (failed 2 times)",
		"It seems that the indentation of hold()"}, []string{"Thank", "apologize", "Merci", "→ File"})
}

// The result of an unknown tool is reported with the arguments of its call, which nothing repeats.
func TestReportsOfUnknownTools(t *testing.T) {
	call := func(id, hall, said string) string {
		return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"list_kilns","arguments":{"hall":"` + hall + `"}}]},` +
			`{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"list_kilns","content":"` + said + `"}`
	}
	north := call("1", "north", `Kiln Bertha is cracked since Tuesday and waits for a mason.\n\n## Doors\n\nThe hinge of kiln Amalia jams when its ramp is above 300 degrees, so open it slowly.`)
	south := call("2", "south", "Nobody has tested the chimney after the fire of last winter. The thermometer of kiln Wanda shows Fahrenheit, and its lamp blinks without a reason.")
	text := logOf(t, `[{"role":"user","content":"Which kilns are broken?"},`+north+`,`+south+`,{"role":"assistant","content":"Two are."}]`, 4000)
	wants(t, text, []string{"list_kilns(hall: north) returned: Kiln Bertha", "list_kilns(hall: south) returned: Nobody"}, []string{"called list_kilns"})
}

// Evaluation logs have a function's name where other logs have an object.
func TestFunctionsGivenAsText(t *testing.T) {
	tr, seq := read(t, "openai-chat", `[
{"role":"user","content":"Heat zone 7 of the kiln."},
{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":"bash","arguments":{"cmd":"kilnctl heat --zone 7"}}]},
{"role":"tool","tool_call_id":"c1","function":"bash","content":"zone 7 holds 900 degrees"},
{"role":"assistant","content":"Zone 7 is hot."}
]`)
	wants(t, localOf(tr, seq, 4000), []string{"ran `kilnctl heat --zone 7` → zone 7 holds 900 degrees"}, nil)
}

// An agent that thinks aloud retracts many statements; its findings are kept.
func TestThinkingAloud(t *testing.T) {
	aloud := func(id, text string) string { return ranAs(id, text, "kilnctl status", "ok") }
	text := logOf(t, `[
{"role":"user","content":"Why does zone 7 drift?"},
`+aloud("1", "The sensor in sensor_7.go is read twice. But wait, I just had a thought.")+`,
`+aloud("2", "The lamp in lamp_3.go glows. Actually, the lamp is read by ramp_9.go.")+`,
`+aloud("3", "The table in zones.go lists zone 7 with 940 degrees.")+`,
{"role":"assistant","content":[{"type":"reasoning","text":"We should read the lamps first, maybe in lamps_1.go. I've opened oven_2.go now. The fan of fan_4.go is wired to zone 6."},{"type":"tool_call","id":"4","name":"bash","arguments":{"command":"kilnctl fan"}}]},
{"role":"tool_result","tool_call_id":"4","tool_name":"bash","content":"ok"},
`+ranAs("5", "x", "find . -name '*.go' | xargs grep -l drift", `exit code: 123`)+`,
{"role":"assistant","content":[{"type":"tool_call","id":"6","name":"write","arguments":{"path":"/kiln/fix_zone.patch","content":"--- a/zones.go\n+++ b/zones.go\n@@ -1 +1 @@\n-940\n+900\n"}}]},
{"role":"tool_result","tool_call_id":"6","tool_name":"write","content":"ok"}
]`, 4000)
	wants(t, text, []string{"zones.go lists zone 7 with 940 degrees", "read by ramp_9.go", "wired to zone 6", "wrote /kiln/fix_zone.patch\n"},
		[]string{"had a thought", "sensor_7", "lamp_3", "lamps_1", "oven_2", "exit 123", "+900"})
}

// Code that a thought is about to use says nothing until it is used. A sentence that begins and ends with code does.
func TestThoughtsInCode(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Why does zone 7 drift?"},
{"role":"assistant","content":[{"type":"reasoning","text":"The fan of fan_4.go is wired to zone 6.\n\n`+"`sed -i '9 a import lamp_8' ramp_2.go`"+`\n\n}}\" of glaze_4.go is on the same line.\n\n`+"`heat()` in kiln_5.go calls `ramp()`"+`."},{"type":"tool_call","id":"4","name":"bash","arguments":{"command":"kilnctl fan"}}]},
{"role":"tool_result","tool_call_id":"4","tool_name":"bash","content":"ok"},
{"role":"assistant","content":"The fan is the reason."}
]`, 4000)
	wants(t, text, []string{"wired to zone 6", "kiln_5.go calls"}, []string{"lamp_8", "glaze_4"})
}

// If there is little room, each turn gets its outcome before any turn gets more. No word is cut.
func TestEachTurnHasAnOutcome(t *testing.T) {
	var b strings.Builder
	for i := range 24 {
		n := strconv.Itoa(i)
		b.WriteString(`{"role":"user","content":"Please explain to me in some detail how the heater of zone ` + n + ` in the kiln is wired, and why it is wired in this way and no other"},`)
		b.WriteString(`{"role":"assistant","content":"Great question, and a good one to ask. Zone ` + n + ` is wired through relay_` + n + `. ` +
			strings.Repeat("The wire "+n+" has a long story of copper_"+n+", glaze, brick and lamp. Its door was shut in 19"+n+" for that. ", 3) + `"},`)
	}
	text := logOf(t, "["+b.String()+ranAs("1", "x", "kilnctl status", "ok")+"]", 4000)
	if told := strings.Count(text, "  - answer: "); told < 16 || strings.Contains(text, "] o other") || strings.Contains(text, "] ther") {
		t.Errorf("%d of 24 outcomes in\n%s", told, text)
	}
}

// A successful commit replaces a failed one, and a rejection after a word of hesitation counts as a rejection.
func TestSecondTry(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Commit the ramp."},
`+ranAs("1", "x", "git add . && git commit -m 'Add the ramp of zone 7'", `error: the hook of the door failed\nexit code: 1`)+`,
`+ranAs("2", "x", "git commit --no-verify -m 'Add the ramp of zone 7'", `[main 9f8e7d6] Add the ramp of zone 7\n 1 file changed, 2 insertions(+)`)+`,
`+toolCall("3", "mcp__journal__process_thoughts", `{"thoughts":"I should have shut the door."}`, "Thoughts recorded.")+`,
{"role":"assistant","content":"The ramp is committed to branch kiln_7. The next run of CI should be completely green!"},
{"role":"user","content":"ok. uh. no. it is not on that branch"},
{"role":"assistant","content":"The commit is on main."}
]`, 4000)
	wants(t, text, []string{"committed “Add the ramp of zone 7” (main 9f8e7d6; 1 file changed, 2 insertions(+)) with --no-verify (before that, it failed: error: the hook of the door failed)\n", "answer, which the user's next message rejects: The ramp"},
		[]string{"tried to commit", "recorded", "completely green"})
}

// User messages of a few hundred characters are kept whole, a claim that the next message refutes gets less room, and
// code keeps its backticks.
func TestWhatAReaderMissed(t *testing.T) {
	var b strings.Builder
	asked := func(i int) string {
		return "Are the lamps of zone " + strconv.Itoa(i) + " all wired? If they are, heat it; if they are not, wire them first and then tell me how many there were of them in the end."
	}
	for i := range 12 {
		b.WriteString(`{"role":"user","content":"` + asked(i) + `"},`)
		b.WriteString(`{"role":"assistant","content":"` + strings.Repeat("Lamp "+strconv.Itoa(i)+" hangs on the wire of relay_"+strconv.Itoa(i)+" in the kiln. ", 4) + `"},`)
	}
	text := logOf(t, "["+b.String()+toolCall("1", "edit", `{"path":"ramp_old.go","old":"a := 1","new":"say(`+"`shut`"+`)"}`, "ok")+`,
`+ranAs("2", "x", "git mv ramp_old.go ramp.go", "ok")+`,
{"role":"assistant","content":"The door is in door.go. 🎉 The kiln is complete and ready to be shown to everybody."},
{"role":"user","content":"why does it fail in zone 3?"},
{"role":"assistant","content":"Zone 3 has no lamp_3."}]`, 3200)
	wants(t, text, []string{"`` say(`shut`) ``", "ramp_old.go — edited in [12]; moved to ramp.go in [12]", "The door is in door.go"}, []string{"ready to be shown", "git mv"})
	for i := range 12 {
		if !strings.Contains(text, asked(i)) {
			t.Errorf("request %d is not whole in\n%s", i, text)
		}
	}
}

// Of several diagnoses, only the last one is kept, or the one in the answer. A subagent's report is attributed to it,
// without the numbers of headings whose neighbours are left out. A change of imports alone gets no line.
func TestDiagnosesAndReports(t *testing.T) {
	messages := `[{"role":"user","content":"Why is zone_7 cold?"},
{"role":"assistant","content":[{"type":"thinking","text":"The real issue is that fan_7 blows in kiln.go:12."},{"type":"tool_call","id":"1","name":"Task","arguments":{"prompt":"Find out why zone_7 loses heat after a ramp, and change nothing in oven.go. ` + strings.Repeat("Look at each file. ", 40) + `"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"Task","content":"### 4. Door of the zone\n- The door of zone 7 stays open for 40 minutes after each ramp.\n\n` + strings.Repeat("Nothing else. ", 9) + `"},
` + strings.NewReplacer("ID", "2", "FILE", "kiln.go", "OLD", `import \"fmt\"`, "NEW", `import \"slices\"`).Replace(kilnEdit) + `,
{"role":"assistant","content":"The root cause is door_7: it stays open in oven.go:40."},
{"role":"user","content":"Then close it."}]`
	text := logOf(t, messages, 3000)
	if !strings.Contains(text, "  - called Task(prompt: Find out why zone_7 loses heat after a ramp, and change nothing in oven.go. Look at each file. Look") {
		t.Errorf("the task is not in\n%s", text)
	}
	if !strings.Contains(text, "  - a subagent reported: Door of the zone: The door of zone 7 stays open for 40 minutes after each ramp.") {
		t.Errorf("the report is not in\n%s", text)
	}
	for _, not := range []string{"fan_7", "4. Door"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in\n%s", not, text)
		}
	}
}

// An edit that adds definitions is kept in the entry although a later edit changes a few of its lines. An edit whose
// lines are gone is not.
func TestEditsThatLaterOnesTouch(t *testing.T) {
	edit := func(id, old, now string) string {
		return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"edit","arguments":{"path":"/kiln/src/panel.ts","oldText":"` + old + `","newText":"` + now + `"}}]},
{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"edit","content":"ok"},
`
	}
	lines := "a.glow(1);\\nb.glow(2);\\nthis.lamp.redraw();\\n"
	text := logOf(t, `[
{"role":"user","content":"Clean up the panel."},
`+edit("1", "drawOld();", `private showState(\n  text: string,\n): void {\n`+lines+`}\nprivate drawZones(zones: Zone[]): void {\nfor (const zone of zones) zone.draw();\n}`)+
		edit("2", "this.lamp.redraw();", "this.lamp.redrawOnce();")+
		edit("3", "const width = 7;", "const width = 8;")+
		edit("4", "const width = 8;", "const width = 9;")+`
{"role":"assistant","content":"The panel in panel.ts is drawn once per cycle."}
]`, 4000)
	wants(t, text, []string{"adds showState, drawZones", "changes `const width = 7;` to `const width = 9;`"}, []string{"width = 8"})
}

// Edits that git undoes are marked, and files that are the same as at the beginning are not listed as changed.
func TestEditsTakenBack(t *testing.T) {
	edit := func(id, path, old, now string) string {
		return strings.NewReplacer("ID", id, "PATH", path, "OLD", old, "NEW", now).Replace(
			`{"role":"assistant","content":[{"type":"tool_call","id":"ID","name":"edit","arguments":{"path":"PATH","old":"OLD","new":"NEW"}}]},{"role":"tool_result","tool_call_id":"ID","tool_name":"edit","content":"ok"}`)
	}
	for _, back := range []string{"git checkout src/ramp.go", "git checkout HEAD -- src/ramp.go src/other.go", "cd /kiln && git restore src/ramp.go", "git checkout src/ramp.go && go test ./kiln"} {
		text := logOf(t, `[
{"role":"user","content":"Make the ramp of the kiln steeper, and light the lamp."},
`+edit("1", "/kiln/src/ramp.go", "slope := 1", "slope := 9")+`,
`+edit("2", "/kiln/src/lamp.go", "lit := false", "lit := true")+`,
`+ranAs("3", "x", back, `ok\nexit code: 0`)+`,
`+ranAs("4", "x", "git checkout main", `ok\nexit code: 0`)+`,
{"role":"assistant","content":"The lamp is lit; the ramp needs another way."}
]`, 4000)
		_, list, _ := strings.Cut(text, "<modified-files>")
		wants(t, list, []string{"lamp.go"}, []string{"ramp.go"})
		wants(t, text, []string{"ramp.go: changes `slope := 1` to `slope := 9` (taken back later)", "lamp.go: changes `lit := false` to `lit := true`\n"}, nil)
	}
	text := logOf(t, `[
{"role":"user","content":"Make the ramp of the kiln steeper."},
`+edit("1", "/kiln/src/ramp.go", "slope := 1", "slope := 9")+`,
`+ranAs("2", "x", "git commit -am 'Raise the ramp'", `[main 9f8e7d6] Raise the ramp\n 1 file changed, 2 insertions(+)`)+`,
`+edit("3", "/kiln/src/ramp.go", "slope := 9", "slope := 12")+`,
`+ranAs("4", "x", "git reset --hard", `HEAD is now at 9f8e7d6 Raise the ramp\nexit code: 0`)+`,
{"role":"assistant","content":"The ramp stays at 9."}
]`, 4000)
	wants(t, text, []string{"slope := 12` (taken back later)", "ramp.go — edited in [1]", "edited since that commit: nothing"}, nil)
}

// If a file is deleted later, its edits are left out.
func TestEditsOfDeletedFiles(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Find out why zone 7 drifts."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"write","arguments":{"path":"/kiln/probe_7.py","content":"import kiln\nprint(kiln.zone(7))\n"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"write","content":"ok"},
`+ranAs("2", "x", "python probe_7.py", "zone 7 holds 940 degrees")+`,
`+ranAs("3", "x", "rm probe_7.py", "ok")+`,
{"role":"assistant","content":"Zone 7 is 40 degrees too hot."}
]`, 4000)
	wants(t, text, []string{"zone 7 holds 940 degrees"}, []string{"wrote", "kiln.zone(7)", "<modified-files>"})
}

// Proposals that an agent makes to itself while working are left out. The short output of a program that it runs is
// kept.
func TestTrialsAndIntents(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Why does zone 7 drift?"},
`+ranAs("1", "We should navigate to lamp_3.go to see the relevant code.", "sed -n 1,40p kiln/oven.go", "package kiln")+`,
`+ranAs("2", "It would be prudent to run probe_9.py again.", "python probe_9.py", `zone 7: 940 degrees (expected: 900)\nFAILED`)+`,
`+ranAs("3", "We should keep probe_9.py because it shows the drift of zone 7.", "sed -n 40,80p kiln/oven.go", "func heat() {}")+`
]`, 4000)
	wants(t, text, []string{"→ zone 7: 940 degrees (expected: 900) FAILED", "because it shows the drift", "looked at: kiln/oven.go"}, []string{"navigate", "prudent"})
}

// A search that prints the lines around its hits shows a part of the file.
func TestSearchesShowFiles(t *testing.T) {
	var code, output strings.Builder
	for i, line := range []string{"// heatZone heats one zone of the kiln until its sensor reports the target degrees.", "func heatZone(zone int) error {", "\tif sensorBroken(zone) {", "\t\treturn errSensor", "\t}", "\treturn rampUp(zone, targetDegrees)", "}"} {
		sign := "-"
		if i == 1 {
			sign = ":"
		}
		code.WriteString(strconv.Itoa(40+i) + sign + line + `\n`)
	}
	for range 60 {
		output.WriteString(`{"role":"user","content":"And heatZone, sensorBroken, rampUp and targetDegrees?"},{"role":"assistant","content":"heatZone calls rampUp with targetDegrees unless sensorBroken reports the zone."},`)
	}
	text := logOf(t, `[
{"role":"user","content":"How does heatZone work?"},
`+ranAs("1", "x", "grep -n -A6 -B1 'func heatZone' kiln/zones.go", strings.ReplaceAll(code.String(), "\t", `\t`))+`,
`+output.String()+`
{"role":"assistant","content":"That is all."}
]`, 9000)
	wants(t, text, []string{"kiln/zones.go:", "if sensorBroken(zone) {"}, []string{"42-", "41:func"})
}

// A call that changes something outside of the conversation is kept, with its result, even if there is little room.
func TestDeeds(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"My parcel came two weeks late. I would like some compensation for that, please."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"get_parcel","arguments":{"customer":"c_88"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"get_parcel","content":"{\"parcel\":\"P-4410\",\"late_days\":14}"},
{"role":"assistant","content":"I am sorry to hear that. Your parcel was late by fourteen days, so I can offer you a voucher."},
{"role":"user","content":"Yes, that would be lovely, thank you so much."},
{"role":"assistant","content":[{"type":"tool_call","id":"2","name":"sendVoucher","arguments":{"customer":"c_88","amount":35}}]},
{"role":"tool_result","tool_call_id":"2","tool_name":"sendVoucher","content":"{\"voucher\":\"V-2209\"}"},
{"role":"assistant","content":"It is a pleasure to help you today. The voucher is in your account and can be used for a year from now on."},
{"role":"user","content":"And now I want to change the address for the next parcel, which should arrive on Friday."},
{"role":"assistant","content":"Sure. Which street and number should the next parcel be brought to?"},
{"role":"user","content":"Lindenweg 4, please."}
]`, 420)
	wants(t, text, []string{"called sendVoucher(customer: c_88, amount: 35) → voucher: V-2209"}, nil)
}

// Edits in git's stash count as undone until the stash is popped. A script that does both changes nothing.
func TestStashedEdits(t *testing.T) {
	after := func(commands ...string) string {
		steps := []step{edited("/kiln/ramp.go", "slope := 1", "slope := 9")}
		for _, command := range commands {
			steps = append(steps, step{"bash", `{"command":"` + command + `"}`, "Saved"})
		}
		return logOf(t, "["+turnOf("Try a steeper ramp.", steps...)+"]", 4000)
	}
	const told = "ramp.go: changes `slope := 1` to `slope := 9`"
	for command, undone := range map[string]bool{"git stash": true, "git stash push -m ramp": true, "git stash -u": true, "git stash list": false, "git stash && go test ./... ; git stash pop": false} {
		text := after(command)
		if undone {
			wants(t, text, []string{told + undoneLater}, nil)
		} else {
			wants(t, text, []string{told}, []string{undoneLater})
		}
	}
	wants(t, after("git stash", "git stash pop"), []string{told}, []string{undoneLater})
	text := logOf(t, "["+turnOf("Try a steeper ramp.", edited("/kiln/ramp.go", "slope := 1", "slope := 9"), edited("/kiln/lamp.go", "lit := false", "lit := true"),
		step{"str_replace_editor", `{"command":"undo_edit","path":"/kiln/ramp.go"}`, "Last edit undone."})+"]", 4000)
	wants(t, text, []string{told + undoneLater, "lamp.go: changes `lit := false` to `lit := true`\n"}, nil)
}

const undoneLater = " (taken back later)"
