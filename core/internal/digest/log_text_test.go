package digest

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// The text about a change names what was changed, or shows a value before and after.
func TestChangeText(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"a value", "  night: 12,\n", "  night: 14,\n", "changes `night: 12,` to `night: 14,`"},
		{"a value in many lines", "a = old_zone(1)\nb = old_zone(2)\nc = old_zone(3)", "a = new_zone(1)\nb = new_zone(2)\nc = new_zone(3)", "changes `old_zone` to `new_zone` in 3 lines"},
		{"a method", "  private openDoor(): void {\n    this.x();\n  }\n", "  private moveDoor(to: number): void {\n    this.y(to);\n    log(to);\n  }\n", "adds moveDoor; removes openDoor"},
		{"a comment", "x = 1", "x = 1\n# The door stays shut while it is hot.\nif hot:\n    shut()\n    wait()", "adds `if hot:` `shut()` `wait()`; adds the comment “The door stays shut while it is hot.”"},
		{"lines that are new", "", "door.open()\nfan.off()", "adds `door.open()` `fan.off()`"},
		{"lines that are gone", "door.open()\nfan.off()", "", "removes `door.open()` `fan.off()`"},
		{"three lines that are gone", "COPY fan/package.json fan/\nCOPY --from=build /kiln/fan/dist ./fan/dist\nCOPY --from=build /kiln/fan/package.json ./fan/", "", "removes `COPY fan/package.json fan/` and 2 more lines"},
		{"a long line in place of another", strings.Repeat("The lamp is old. ", 20), strings.Repeat("A fan turns. ", 20), "changes `" + strings.Repeat("The lamp is old. ", 6) + "The lamp…` to `" + strings.Repeat("A fan turns. ", 8) + "A fan …`"},
		{"a function behind a guard", "", "if (!door) return;\nconst open = async () => {\n  await door.open(90, lamp.at(4).heat, kiln.burners[4].at(1));\n  if (!door.shut) {\n    note(door.heat, kiln.burners[4].at(1), 120);\n  }\n  fan.rest(shelf, kiln.burners[4].at(1), 30);\n};", "adds `const open = async () => {` and 5 more lines"},
		{"many assertions", "", "expect(door.heat(1)).toBe(kiln.burners[4].at(1), lamp.heat);\nexpect(door.heat(2)).toBe(kiln.burners[4].at(2), lamp.heat);\nexpect(door.heat(3)).toBe(kiln.burners[4].at(3), lamp.heat);\nexpect(door.heat(4)).toBe(kiln.burners[4].at(4), lamp.heat);\nexpect(door.heat(5)).toBe(0, lamp);", "adds `expect(door.heat(1)).toBe(kiln.burners[4].at(1), lamp.heat);` and 4 more lines"},
		{"imports", "import {\n\ttype Door,\n} from \"./kiln.js\";", "import {\n\ttype Door,\n\ttype Fan,\n} from \"./kiln.js\";", "adds `type Fan,`"},
		{"many other lines", "door.open(1, fan) || lamp.off() && lamp.rest(40) || fan.rest(20, lamp, door)\n" + strings.Repeat("a = door.shut(1, fan) || lamp.on()\n", 9), "speed = 5\nawait lamp.blink(door, 90, lamp.fan(40)) && fan.stop() || lamp.fan(50) && door.stop() && lamp.stop(60)\nawait lamp.shut() || door.shut() && door.lock(lamp)",
			""},
		{"other lines in their place", "const doors: Record<\n  string,\n  Door\n> = {};\nopenAll(doors);", "if (lamp.off) {\n  return undefined;\n}", ""},
		{"a long piece of code", "door.shut()", "shelf = kiln.shelf(4)\nif shelf.heat > 1300:\n    fan.turn(shelf, 7, lamp)\n    door.open(shelf.door, kiln.burners[4].at(1), 90)\n    kiln.note(shelf.heat, kiln.burners[4].at(1), 120, lamp)\n    lamp.blink(kiln.lamps.of(shelf), kiln.burners[4].at(1), 60)\n    fan.rest(shelf, kiln.burners[4].at(1), 30)", "adds `if shelf.heat > 1300:` and 6 more lines"},
		{"a python function", "", "def ramp(zone, to):\n    zone.to = to\n", "adds ramp"},
	} {
		change := lineChanges("kiln.py", c.before, c.after)
		if got := change.text(); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// The text about changed settings names them, with the value of added settings and both values of changed ones. If a
// line is long, only the part that differs is quoted.
func TestChangeOfSettings(t *testing.T) {
	long := strings.Repeat("lamp door fan ", 9)
	for _, c := range []struct{ name, path, before, after, want string }{
		{"a dependency", "package.json", "\"kiln\": \"^5.0.0\",\n\"lamp\": \"1.0.0\",", "\"lamp\": \"1.2.0\",\n\"fan\": \"2.0.0\"", "adds `\"fan\": \"2.0.0\"`; removes kiln; changes lamp from `1.0.0` to `1.2.0`"},
		{"elements of a list", "kiln.json", "\"ignore\": [\n\"lamps\",\n\"fans\"\n]", "\"ignore\": [\n\"lamps\"\n]", "removes fans"},
		{"YAML", ".ci/kiln.yml", "retries: 3\n- run: heat", "# often\nretries: 5\n- run: heat\n- fan", "adds `- fan`; changes retries from `3` to `5`"},
		{"prose in YAML", "kiln.yml", "heat it now", "heat it later", "changes `heat it now` to `heat it later`"},
		{"addresses in a list", "kiln.yml", "- https://kiln.example/a", "- https://kiln.example/b", "adds `- https://kiln.example/b`; removes `https://kiln.example/a`"},
		{"an element with keys", "kiln.yml", "- name: lamp\n  size: 3", "", "removes `- name: lamp`, size"},
		{"a value where none was", "kiln.env", "DOOR=", "DOOR=shut", "adds `DOOR=shut`"},
		{"two values of one name", "kiln.json", "\"zone\": 1,\n\"zone\": 2", "\"zone\": 3", "changes `\"zone\": 1,` `\"zone\": 2` to `\"zone\": 3`"},
		{"no name", "kiln.json", "\"\": 1", "\"\": 2", ""},
		{"lines too short to tell", "kiln.go", "a := 1\nb := 2\nc := 3", "a := 5\nb := fan(7)\nc := 9", ""},
		{"many settings", "kiln.ini", "", "a1 = 1\na2 = 1\na3 = 1\na4 = 1\na5 = 1\na6 = 1\na7 = 1", "adds `a1 = 1`, `a2 = 1`, `a3 = 1`, `a4 = 1`, `a5 = 1`, and 2 more"},
		{"a long line", "kiln.ts", long + "px-2 " + long, long + "pl-0 pr-2 " + long, "changes `fan lamp door fan px-2 lamp door fan` to `fan lamp door fan pl-0 pr-2 lamp door fan`"},
	} {
		change := lineChanges(c.path, c.before, c.after)
		if got := change.text(); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// Scripts of which only the purpose is known share a line.
func TestScriptsShareALine(t *testing.T) {
	k := turnLog{turns: []turn{{number: 1, request: "Move the doors."}}}
	var chosen []extract.Chosen
	for n, text := range []string{"ran a script: `Fix the imports of door.ts`", "ran a script: `Fix the lamps`", "ran `npm test` → passed", "ran a script: `Fix the fans`"} {
		k.turns[0].units = append(k.turns[0].units, unit{kind: ranUnit, message: int32(n), text: text})
		k.units = append(k.units, place{0, n})
		chosen = append(chosen, extract.Chosen{Item: n})
	}
	want := "  - ran 2 scripts: Fix the imports of door.ts; Fix the lamps\n  - ran `npm test` → passed\n  - ran a script: Fix the fans\n"
	if got := string(k.entry(nil, &k.turns[0], chosen)); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

// Edits to one file are described together, without repetitions, and the numbers of places are added up.
func TestEditsOfOneFile(t *testing.T) {
	uses := func(n string) string { return "uses `lamp.blink(…)` in " + n + " places instead of `lamp.on(…)`" }
	for _, c := range []struct {
		edits []string
		want  string
	}{
		{[]string{uses("4"), "adds rampUp; removes rampDown", uses("3")}, uses("7") + "; adds rampUp; removes rampDown"},
		{[]string{"adds rampUp, coolDown", "changes `a = 1` to `a = 2`", "adds coolDown, soak"}, "adds rampUp, coolDown, soak; changes `a = 1` to `a = 2`"},
		{[]string{"adds `a = 1`", "adds `b = 1`", "adds `a = 1`"}, "adds `a = 1`; adds `b = 1`"},
		{[]string{"changes `for (i = 0; i < n; i++) {` to `for (i = 1; i < n; i++) {`", "changes `for (k = 0; k < n; k++) {` to `for (i = 0; i < n; k++) {`"},
			"changes `for (i = 0; i < n; i++) {` to `for (i = 1; i < n; i++) {`; changes `for (k = 0; k < n; k++) {` to `for (i = 0; i < n; k++) {`"},
		{[]string{"adds `` say(`a; b`) ``; adds rampUp", "removes `` say(`c; b`) ``; adds soak"}, "adds `` say(`a; b`) ``; adds rampUp, soak; removes `` say(`c; b`) ``"},
		{[]string{"adds rampUp", "adds soak; adds the comment “Shut the “hot” door; adds lamps, fans to all”"},
			"adds rampUp, soak; adds the comment “Shut the “hot” door; adds lamps, fans to all”"},
		{[]string{"changes `a` to `b`", "changes `c` to `d`", "adds rampUp", "removes `e`", "adds the comment “Shut the door, it is hot.”"},
			"changes `c` to `d`; adds rampUp; adds the comment “Shut the door, it is hot.”"},
		{[]string{"changes lamp from `1` to `2`", "adds rampUp", "changes lamp from `2` to `3`", "removes soak", "changes lamp from `3` to `4`"},
			"adds rampUp; removes soak; changes lamp from `3` to `4`"},
		{[]string{uses("4"), "uses `door.open(…)` in 2 places"}, uses("4") + "; uses `door.open(…)` in 2 places"},
	} {
		if got := joinEdits(c.edits); got != c.want {
			t.Errorf("%q: %q, not %q", c.edits, got, c.want)
		}
	}
}

// Scripts that run before another one are passed over, unlike those whose names only begin in the same way. A word of dots is no number.
func TestScriptRun(t *testing.T) {
	for output, want := range map[string]string{
		"> kiln@1.0.0 pretest\n> tsc\n\n> kiln@1.0.0 test\n> mocha\n": "mocha",
		"> kiln@1.0.0 prettier\n> prettier --check src\n":             "prettier --check src",
	} {
		if got := scriptRun(output); got != want {
			t.Errorf("%q: %q", output, got)
		}
	}
	if line := outcomeLine("7 tests passed\nzone 1 ... ok, nothing failed\n"); line != "7 tests passed" {
		t.Errorf("the outcome is %q", line)
	}
}

// The entry of a command describes its outcome.
func TestRunText(t *testing.T) {
	for _, c := range []struct{ script, output, want string }{
		{"git commit --no-verify -m 'Heat zone 7'", "[main 1f2e3d4] Heat zone 7\n 1 file changed, 1 insertion(+)\n", "committed “Heat zone 7” (main 1f2e3d4; 1 file changed, 1 insertion(+)) with --no-verify"},
		{"git commit -m 'Heat zone 7'", "[main 1f2e3d4] Heat zone 7\n 3 files changed, 12 insertions(+), 4 deletions(-)\n", "committed “Heat zone 7” (main 1f2e3d4; 3 files changed, 12 insertions(+), 4 deletions(-))"},
		{"git push origin main", "To example.com:kiln.git\n   1f2e3d4..5a6b7c8  main -> main\n", "ran `git push origin main` → pushed main -> main (1f2e3d4..5a6b7c8)"},
		{"git push --dry-run origin main", "To example.com:kiln.git\n   1f2e3d4..5a6b7c8  main -> main\n", "ran `git push --dry-run origin main` → would push main -> main (1f2e3d4..5a6b7c8)"},
		{"git push origin :old", "To example.com:kiln.git\n - [deleted]         old\n", "ran `git push origin :old` → deleted old"},
		{"git push -u origin ramp", " * [new branch]      ramp -> ramp\n", "ran `git push -u origin ramp` → pushed new branch ramp"},
		{"python heat.py", "warming\nTraceback (most recent call last):\n  File \"heat.py\", line 3, in <module>\n    heat(7)\nValueError: no zone 7\nExit code 1", "ran `python heat.py` → exit 1: ValueError: no zone 7"},
		{"wc -l kiln.py", "  412 kiln.py\n", "ran `wc -l kiln.py` → 412 kiln.py"},
		{"git status", "On branch main\nnothing to commit, working tree clean\n", "ran `git status` → nothing to commit, working tree clean"},
		{"gh pr create --fill", "https://example.com/kiln/pull/12\n", "ran `gh pr create --fill` → https://example.com/kiln/pull/12"},
		{"cat > probe.py << 'EOF'\nprint(1)\nEOF\npython probe.py", "Exit code 1\nstarting\nValueError: no zone\nhint: none", "ran `python probe.py` → exit 1: ValueError: no zone"},
		{"npm run check", "> kiln@1.0.0 check\n> tsc --noEmit && biome check\n\nChecked 9 files, 0 errors", "ran `npm run check` (runs `tsc --noEmit && biome check`) → Checked 9 files, 0 errors"},
		{"npm test 2>&1 | tail -5", "12 tests passed", "ran `npm test` → 12 tests passed"},
		{"kiln configure --zone 7 --local && cat kiln.json && kiln status", "{}", "ran `kiln configure --zone 7 --local`"},
		{"rm old.go && rg -n old . || true", "", "ran `rm old.go`"},
		{"npx biome check door.ts", "No files were processed in the specified paths.\nExit code 1", "ran `npx biome check door.ts` → exit 1: No files were processed in the specified paths."},
		{"make kiln\n./kiln -zone 7\n", "zone 7 is cold", "ran `make kiln; ./kiln -zone 7`"},
		{"make kiln &&\n  ./kiln -zone 7 \\\n  -hot", "zone 7 is hot", "ran `make kiln && ./kiln -zone 7 -hot`"},
		{"for z in 6 7; do\n  ./kiln -zone $z\ndone\n./kiln -stop", "stopped", "ran `for z in 6 7; do ./kiln -zone $z; done; ./kiln -stop` → stopped"},
		{"python -c 'import kiln\nkiln.heat(7)'\n./kiln -stop", "stopped", "ran `python -c 'import kiln kiln.heat(7)'; ./kiln -stop` → stopped"},
		{"make ramp", "Ramp (1/3)\rRamp (2/3)\rRamp (3/3)\nerror: door open\nexit code: 2", "ran `make ramp` → exit 2: error: door open"},
	} {
		run := runOf(c.script, c.output, false)
		if got := run.text(); got != c.want {
			t.Errorf("%s: %q, not %q", c.script, got, c.want)
		}
	}
}

func TestMoves(t *testing.T) {
	got := movesIn("mkdir -p lib && git mv a/door.go a/fan.go lib/ && mv kiln.md oven.md && mv src/*.go lib && mv lamp.go old && mv bin/saw.go . && mv bin/axe.go ..")
	want := []move{{"a/door.go", "lib/door.go"}, {"a/fan.go", "lib/fan.go"}, {"kiln.md", "oven.md"}, {"lamp.go", "old/lamp.go"}, {"bin/saw.go", "saw.go"},
		{"bin/axe.go", "../axe.go"}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, not %+v", got[i], want[i])
		}
	}
}

// The new location of a file is described by the last elements of its path, and the marks of a merge conflict are not
// part of an edit.
func TestPlacesAndMarks(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{{"/a/b/c/d/x.go", "/a/b/c/x.go", "b/c/"}, {"d/x.go", "lib/door/x.go", "lib/door/"}, {"x.go", "y.go", "y.go"}} {
		if got := awayName(move{c.from, c.to}); got != c.want {
			t.Errorf("%s to %s: %q", c.from, c.to, got)
		}
	}
	if got := telling([]string{"<<<<<<< HEAD", "||||||| parent", "door.open()", "=======", ">>>>>>> main"}); len(got) != 1 || got[0] != "door.open()" {
		t.Errorf("%q", got)
	}
}

// Files that were changed in the same entries share a line, from which they are restored.
func TestChangedFiles(t *testing.T) {
	k := turnLog{turns: []turn{
		{number: 1, touched: []touch{{"a.go", "moved", 0}, {"b.go", "moved", 0}, {"b, c.go", "moved", 0}}},
		{number: 2, units: []unit{{kind: changeUnit, source: "d.go", text: "edited d.go"}, {kind: changeUnit, source: "d.go", text: "edited d.go"}}},
		{number: 4, units: []unit{{kind: changeUnit, source: "d.go", text: "edited d.go"}}, touched: []touch{{"n.go", goneVerb, 0}, {"n.go", renamedVerb + "o.go", 0}}},
	}}
	for line, want := range map[string]string{"edited d.go (3 lines)": "d.go", "edited d (old).md (1 line)": "d (old).md", "wrote d (old)": "d (old)"} {
		if us := readUnits(&turn{}, line); us[0].source != want {
			t.Errorf("%q, not %q", us[0].source, want)
		}
	}
	paths := []string{"x.go", "y.go", "a.go", "b.go", "b, c.go", "n.go", "d.go"}
	text := k.files(paths, 400)
	want := "<modified-files>\nd.go — edited in [2], [4]\nn.go — renamed from o.go in [4]\nb, c.go — moved in [1]\nmoved in [1]: b.go, a.go\nchanged before: y.go, x.go\n</modified-files>"
	if text != want {
		t.Errorf("%s\nnot\n%s", text, want)
	}
	var l Ledger
	cutBlocks(text, &l)
	if got := strings.Join(l.Modified, "|"); got != "d.go|n.go|b, c.go|b.go|a.go|y.go|x.go" {
		t.Error(got)
	}
	if text := k.files(paths, 110); !strings.Contains(text, "d.go — edited") || !strings.Contains(text, moreFiles+"\n") {
		t.Error(text)
	}
}

func TestChatter(t *testing.T) {
	for _, s := range []string{"wow", "Wow!", "thanks, that's great", "you still there", "super, danke", "太好了"} {
		if !isChatter(s) {
			t.Errorf("%q says something", s)
		}
	}
	for _, s := range []string{"wow, the oven works", "ok, next zone", "no", "great, but zone 7?", "42"} {
		if isChatter(s) {
			t.Errorf("%q says nothing", s)
		}
	}
}

func TestLinkless(t *testing.T) {
	for text, want := range map[string]string{
		"See [zones.go](/srv/kiln/zones.go:41) and [door.go:7](/srv/kiln/door.go:7).": "See zones.go:41 and door.go:7.",
		"It is in [the manual](https://example.com/m), see [1] (there).":              "It is in the manual (https://example.com/m), see [1] (there).",
		"f(x[1])](": "f(x[1])](",
	} {
		if got := linkless(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// A commit message is quoted in whole lines, and keeps the asterisks of a pattern.
func TestCommitMessage(t *testing.T) {
	long := "fix: heat the seventh zone only while its door is shut and the fan of the upper lamp turns slowly"
	script := "git add . && git commit -m \"$(cat <<'EOF'\n" + long + "\n\n- Leave **/*.lamp alone\n- Ask the door before the ramp begins,\n  and again after it\n- " +
		strings.Repeat("Long explanation of ramps. ", 9) + "\n\nCo-Authored-By: Kiln <kiln@example.com>\nEOF\n)\""
	if got, want := commitMessage(script), long+"; Leave **/*.lamp alone; Ask the door before the ramp begins, and again after it"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := withoutBold("**All** of `a ** b` and **/*.go, src/** too"); got != "All of `a ** b` and **/*.go, src/** too" {
		t.Errorf("%q", got)
	}
}

// The entry of a test run names the failed tests, regardless of the exit code of a filter after it.
func TestFailedTests(t *testing.T) {
	for _, c := range []struct{ script, output, want string }{
		{"go test ./kiln 2>&1 | tail -9", "--- FAIL: TestRamp (0.00s)\n    ramp_test.go:9: 940, not 900\n    --- FAIL: TestRamp/seven (0.00s)\nFAIL\nFAIL\texample.com/kiln\t0.1s\n",
			"ran `go test ./kiln` → failed: TestRamp/seven: 940, not 900"},
		{"go test -v ./kiln", "=== RUN   TestDoor\n    door_test.go:3: failed once\n--- PASS: TestDoor (0.00s)\n=== RUN   TestRamp\n    heat.go:9: Output of heat: no error\n        zone 7\n" +
			"    ramp_test.go:8: heating\n    ramp_test.go:9: heat failed: exit status 1\n        Output: the door is open\n    heat.go:9: cooling\n        zone 8\n--- FAIL: TestRamp (0.00s)\nFAIL\nFAIL\texample.com/kiln\t0.1s\nexit code: 1",
			"ran `go test -v ./kiln` → exit 1: TestRamp: heat failed: exit status 1 Output: the door is open"},
		{"go test ./kiln", "--- FAIL: TestRamp (0.00s)\n    ramp_test.go:9: \n        \tError Trace:\t/kiln/ramp_test.go:9\n        \tError:      \tNot equal: \n        \t            \texpected: 900\n" +
			"        \tTest:       \tTestRamp\n--- FAIL: TestLamp (0.00s)\n    lamp_test.go:2: want 4\nFAIL\nexit code: 1", "ran `go test ./kiln` → exit 1: TestRamp, TestLamp: Not equal: expected: 900"},
		{"go test ./kiln", "--- FAIL: TestRamp (0.00s)\npanic: zone 7 is out of range [recovered]\n\ngoroutine 7 [running]:\nFAIL\texample.com/kiln\t0.1s\nexit code: 1", "ran `go test ./kiln` → exit 1: TestRamp: panic: zone 7 is out of range"},
		{"go test ./...", "FAIL\texample.com/kiln [build failed]\nFAIL\nexit code: 1", "ran `go test ./...` → exit 1: example.com/kiln [build failed]"},
		{"go test ./... | tail -9", "# example.com/kiln\nkiln/ramp.go:7:2: undefined: lamp\nFAIL\texample.com/kiln [build failed]\nFAIL\texample.com/door [build failed]\nFAIL\n", "ran `go test ./...` → failed: kiln/ramp.go:7:2: undefined: lamp"},
		{"go test ./...", "--- FAIL: TestRamp (0.00s)\n    ramp_test.go:9: 940, not 900\nFAIL\texample.com/kiln\t0.1s\nFAIL\texample.com/door [build failed]\nFAIL\nexit code: 1", "ran `go test ./...` → exit 1: TestRamp, example.com/door [build failed]: 940, not 900"},
		{"pytest", "FAILED tests/test_ramp.py::test_seven - AssertionError: 940\n1 failed, 8 passed\nexit code: 1", "ran `pytest` → exit 1: tests/test_ramp.py::test_seven"},
		{"pytest -x | tail -9", "    assert ramp(7) == 900\nE       assert 940 == 900\nE        +  where 940 = ramp(7)\n\ntests/test_ramp.py:9: AssertionError\n" +
			"src/kiln.py:3: DeprecationWarning: heat() is old, and fails soon\nFAILED tests/test_ramp.py::test_zone[" + strings.Repeat("a-very-hot-zone-", 6) + "]\n1 failed, 8 passed\n",
			"ran `pytest -x` → failed: tests/test_ramp.py::test_zone[…]: assert 940 == 900"},
		{"pytest -x | tail -3", "FAILED tests/test_ramp.py::test_seven\n!!!!!! stopping after 1 failures !!!!!!\n==== 1 failed, 8 passed in 0.3s ====\n",
			"ran `pytest -x` → failed: tests/test_ramp.py::test_seven: 1 failed, 8 passed in 0.3s"},
		{"pytest -x | tail -3", "FAILED tests/test_ramp.py::test_seven - AssertionError: assert 940 == 900, in zone...\n!!!!!! stopping after 1 failures !!!!!!\n==== 1 failed, 8 passed in 0.3s ====\n",
			"ran `pytest -x` → failed: tests/test_ramp.py::test_seven: AssertionError: assert 940 == 900, in zone"},
		{"python -m pytest tests/test_ramp.py | head -9", "/usr/bin/python3: No module named pytest\n", "ran `python -m pytest tests/test_ramp.py` → failed: /usr/bin/python3: No module named pytest"},
		{"python -m unittest ramp.Zones 2>&1 | tail -9", "  File \"/kiln/tests/zones.py\", line 142, in heat\nValueError: no zone 7\n", "ran `python -m unittest ramp.Zones` → "},
		{"python -m unittest ramp.Zones 2>&1 | tail -9", "Traceback (most recent call last):\n  File \"/kiln/tests/zones.py\", line 142, in heat\nValueError: no zone 7\n", "ran `python -m unittest ramp.Zones` → failed: ValueError: no zone 7"},
		{"npx jest", "● ramp › of zone seven\n\n    expect(received).toBe(expected)\n\n    Expected: 900\n    Received: 940\n\nTests: 1 failed, 3 passed\nexit code: 1", "ran `npx jest` → exit 1: Expected: 900; Received: 940"},
		{"python -m unittest", "F\n======\nFAIL: test_seven (ramp.Zones)\n------\nTraceback (most recent call last):\n  File \"ramp.py\", line 3\nAssertionError: 940 != 900\n\nFAILED (failures=1)\nexit code: 1",
			"ran `python -m unittest` → exit 1: test_seven: AssertionError: 940 != 900"},
		{"node --test", "ok 1 - door\nnot ok 2 - ramp of zone seven\n# fail 1\nexit code: 1", "ran `node --test` → exit 1: ramp of zone seven"},
		{"cargo test", "test ramp::seven ... FAILED\ntest ramp::six ... ok\nexit code: 101", "ran `cargo test` → exit 101: ramp::seven"},
		{"npx vitest run", "✓ door\n✕ ramp of zone seven (5 ms)\nexit code: 1", "ran `npx vitest run` → exit 1: ramp of zone seven"},
		{"go test ./kiln", "ok  \texample.com/kiln\t0.1s\n", "ran `go test ./kiln` → ok  \texample.com/kiln\t0.1s"},
	} {
		run := runOf(c.script, c.output, false)
		if got := run.text(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, not %q", c.script, got, c.want)
		}
	}
}
