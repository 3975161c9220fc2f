package digest_test

import (
	"strings"
	"testing"
)

// Commands that changed a file in place go with the changes that are taken back, and copies that are made for this
// purpose say nothing by themselves.
func TestCommandsTakenBack(t *testing.T) {
	for _, c := range []struct{ save, restore string }{
		{"cd /kiln && git status", "cd /kiln && git checkout heat.py"},
		{"cd /kiln && cp heat.py heat.py.orig", "cd /kiln && cp heat.py.orig heat.py"},
		{"cp /kiln/heat.py /tmp/heat.py", "cp /tmp/heat.py /kiln/heat.py"},
	} {
		text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+ranAs("1", "", c.save, `<returncode>0</returncode>\n<output>\n</output>`)+`,
`+ranAs("2", "", "cd /kiln && sed -i '12 i import lamp' heat.py", `<returncode>0</returncode>\n<output>\n</output>`)+`,
`+ranAs("3", "", "cd /kiln && sed -i '40 i lamp.show(zone)' fan.py", `<returncode>0</returncode>\n<output>\n</output>`)+`,
`+ranAs("4", "", c.restore, `<returncode>0</returncode>\n<output>\n</output>`)+`,
`+ranAs("5", "", "cd /kiln && sed -i 's/hold = 640/hold = 900/' heat.py", `<returncode>0</returncode>\n<output>\n</output>`)+`,
{"role":"assistant","content":"The kiln holds 900 degrees."}
]`, 4000)
		wants(t, text, []string{"hold = 900", "lamp.show(zone)", "/kiln/heat.py"}, []string{"import lamp", "ran `cp "})
	}
}

// A file that a command had changed before its copy was made remains changed after the copy was restored.
func TestCommandsBeforeACopy(t *testing.T) {
	ok := `<returncode>0</returncode>\n<output>\n</output>`
	text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+ranAs("1", "", "sed -i 's/hold = 640/hold = 900/' /kiln/heat.py", ok)+`,
`+ranAs("2", "", "cp /kiln/heat.py /kiln/heat.py.orig", ok)+`,
`+ranAs("3", "", "sed -i '12 i import lamp' /kiln/heat.py", ok)+`,
`+ranAs("4", "", "cp /kiln/heat.py.orig /kiln/heat.py", ok)+`,
{"role":"assistant","content":"The kiln holds 900 degrees."}
]`, 4000)
	wants(t, text, []string{"hold = 900", "/kiln/heat.py — changed in [1]"}, []string{"import lamp"})
}

// What a tool advises after it has cut an output is no result of the command.
func TestAdviceOnLongOutput(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Why does zone 7 of the kiln drift?"},
`+ranAs("1", "", "python probe.py", `<returncode>0</returncode>\n<warning>\nThe output of your last command was too long.\nIf you really need to see something from the full output, you can redirect output to a file and then search in that file.\n</warning><output_head>\nZone 7 is measured twice in each cycle of the kiln.\n</output_head>\n<elided_chars>\n9000 characters elided\n</elided_chars>\n<output_tail>\nThe scheduler calls Sample for each listener of the zone.\n</output_tail>`)+`,
{"role":"assistant","content":"The listeners are doubled."}
]`, 4000)
	wants(t, text, []string{"probe.py"}, []string{"redirect output", "output_head", "elided_chars"})
}

// A check of something that doesn't exist is not open once another check has run.
func TestChecksOfNothing(t *testing.T) {
	for _, c := range []struct{ command, output string }{
		{"python -m pytest test/core/linter/ -x -q 2>&1 | tail -30", `ERROR: file or directory not found: test/core/linter/\n\n\n=============================== warnings summary ===============================\nsrc/kiln/__init__.py:9\n  /kiln/src/kiln/__init__.py:9: DeprecationWarning: pkg_resources is deprecated as an API.\n    import pkg_resources\n\n2 warnings in 0.00s`},
		{"python -m pytest test/ -k lamp", `==== ERRORS ====\n____ ERROR collecting test/lamp_test.py ____\ntest/lamp_test.py:3: in <module>\n    from hypothesis import given\nE   ModuleNotFoundError: No module named 'hypothesis'\n==== short test summary info ====\nERROR test/lamp_test.py\n1 error in 0.20s\nexit code: 2`},
		{"python -m pytest test/fan_test.py", `/usr/bin/python3: No module named pytest\nexit code: 1`},
	} {
		text := logOf(t, `[
{"role":"user","content":"Do the tests of the kiln pass?"},
`+ranAs("1", "x", c.command, c.output)+`,
`+ranAs("2", "x", "python -m unittest tests.ramp", `Ran 3 tests in 0.1s\n\nOK\nexit code: 0`)+`,
`+ranAs("3", "x", "python -m unittest tests.lamp", `AssertionError: 3 != 4\nexit code: 1`)+`,
{"role":"user","content":"And now?"}
]`, 6000)
		_, open, _ := strings.Cut(text, "<open-errors>")
		open, _, _ = strings.Cut(open, "</open-errors>")
		wants(t, open, []string{"tests.lamp"}, []string{"pytest"})
		wants(t, text, nil, []string{"__init__.py:9"})
	}
}

// A file that was restored and changed again afterwards is listed.
func TestChangedAgain(t *testing.T) {
	ok := `<returncode>0</returncode>\n<output>\n</output>`
	for _, again := range []string{
		"sed -i '40 i lamp.show(zone)' ./zones/heat.py",
		`# Put it together\nhead -9 ./zones/heat.py > /tmp/new.py\ncat /tmp/function.py >> /tmp/new.py\nmv /tmp/new.py ./zones/heat.py`,
		"cp zones/heat.py.fixed zones/heat.py",
		"cd /kiln && cp zones/heat.py.fixed zones/heat.py",
	} {
		text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+ranAs("1", "", "cp ./zones/heat.py ./zones/heat.py.backup", ok)+`,
`+ranAs("2", "", "sed -i 's/hold = 640/hold = 900/' ./zones/heat.py", ok)+`,
`+ranAs("3", "", "cp ./zones/heat.py.backup ./zones/heat.py", ok)+`,
`+ranAs("4", "", again, ok)+`,
{"role":"assistant","content":"The kiln holds 900 degrees."}
]`, 4000)
		wants(t, changedFiles(text), []string{"zones/heat.py"}, nil)
	}
}

// The error of a command that ran too long doesn't repeat the command.
func TestCommandsThatRanTooLong(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Fire the kiln."},
`+ranAs("1", "", "python fire.py --zone 7", `<exception>An error occurred while executing the command: Command '['docker', 'exec', '-w', '/kiln', 'bash', '-c', 'python fire.py --zone 7 --`+strings.Repeat("verbose ", 90)+`']' timed out after 60 seconds</exception>\n<returncode>-1</returncode>\n<output>\n</output>`)+`,
{"role":"user","content":"And now?"}
]`, 4000)
	wants(t, text, []string{"- bash (python fire.py --zone 7): timed out after 60 seconds", "ran `python fire.py --zone 7` →"}, []string{"docker", "verbose"})
}

// A request that the user interrupted at once was not carried out.
func TestInterruptedRequests(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+ranAs("1", "Zone 7 holds 900 degrees.", "kilnctl hold 900", "ok")+`,
{"role":"user","content":"[Request interrupted by user]"},
{"role":"user","content":"Commit these changes."},
{"role":"user","content":"[Request interrupted by user]"},
{"role":"user","content":"Push the branch kiln_7."},
{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]},
{"role":"user","content":"What does the lamp of zone 7 do?"},
{"role":"assistant","content":"It glows while lamp_7 is on."}
]`, 4000)
	wants(t, text, []string{"user: Commit these changes. (not done: the user interrupted it)\n", "user: Push the branch kiln_7. (not done: the user interrupted it)\n"}, nil)
	if strings.Count(text, "interrupted it") != 2 {
		t.Errorf("another turn is interrupted in\n%s", text)
	}
}
