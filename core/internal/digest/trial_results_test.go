package digest_test

import (
	"strings"
	"testing"
)

// The log says what trials printed, also if a long script was written in the same command, or if the output is long.
func TestTrials(t *testing.T) {
	script := `cat > probe.py << 'EOF'\nimport kiln\n` + strings.Repeat(`kiln.heat(7)\n`, 30) + `EOF\npython probe.py`
	long := strings.Repeat(`zone 7 is heated by one more degree\n`, 20)
	text := logOf(t, `[
{"role":"user","content":"Why is zone 7 of the kiln too cold?"},
`+ranAs("1", "", script, `zone 7 stops at 640 degrees\nexit code: 0`)+`,
`+ranAs("2", "", "python heat.py --zone 7", long+`src/heat.py:3: DeprecationWarning: heat() is old\nWarning: the door of zone 7 is open\n`+long+`Heating ended.\nexit code: 0`)+`,
`+ranAs("7", "", "python columns.py", `zone   peak\n7      640\nexit code: 0`)+`,
`+ranAs("8", "", "python checks.py", long+`1. zone 7\n   Error:\n✓ Zone 7 holds 900\n✓ Zone 7 holds 900\nexit code: 0`)+`,
`+ranAs("9", "", `cat > zone.sql << 'EOF'\nSELECT peak,\n    cone_of_zone\nWHERE zone = 7\nEOF`, "")+`,
`+ranAs("3", "", "python lamp.py | head -5", `starting\nTraceback (most recent call last):\n  File \"lamp.py\", line 3, in <module>\nValueError: no lamp in zone 7\nexit code: 0`)+`,
`+ranAs("4", "", `python -c \"import fan\"`, `Traceback (most recent call last):\nModuleNotFoundError: No module named 'fan'\nexit code: 1`)+`,
`+ranAs("5", "", `python -c \"import door; print(door.open)\"`, `the door is open\nexit code: 0`)+`,
`+ranAs("6", "", "python quiet.py", long+`exit code: 0`)+`
]`, 4000)
	wants(t, text, []string{
		"ran `python probe.py` → zone 7 stops at 640 degrees",
		"ran `python heat.py --zone 7` → Warning: the door of zone 7 is open; Heating ended.",
		"ran `python columns.py` → `zone   peak` `7      640`\n", "ran `python checks.py` → ✓ Zone 7 holds 900\n",
		"wrote zone.sql: `SELECT peak,` `    cone_of_zone` `WHERE zone = 7`\n",
		"ran `python lamp.py` → failed: ValueError: no lamp in zone 7",
		"`python -c \"import door; print(door.open)\"` → the door is open",
	}, []string{"the door is open (before that", "heat() is old", "one more degree", "quiet.py"})
}

// Tests of different files are different commands, even if the interpreter runs them as a module.
func TestModulesThatRun(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Make the tests of the ramp and the lamp pass."},
`+ranAs("1", "", "python -m pytest test_ramp.py", `E       assert 940 == 900\nFAILED test_ramp.py::test_seven\n1 failed in 0.1s\nexit code: 1`)+`,
`+ranAs("2", "", "PYTHONPATH=src timeout 60 python -m pytest test_ramp.py -x", `4 passed in 0.1s\nexit code: 0`)+`,
`+ranAs("3", "", "python -m pytest test_lamp.py", `E       assert 3 == 4\nFAILED test_lamp.py::test_light\n1 failed in 0.1s\nexit code: 1`)+`,
`+ranAs("4", "", "python -m pytest test_fan.py", `7 passed in 0.1s\nexit code: 0`)+`
]`, 4000)
	wants(t, text, []string{
		"→ 4 passed in 0.1s (before that, these failed: test_ramp.py::test_seven: assert 940 == 900)",
		"ran `python -m pytest test_lamp.py` → exit 1: test_lamp.py::test_light: assert 3 == 4",
		"`python -m pytest test_fan.py` → 7 passed", "- bash (python -m pytest test_lamp.py",
	}, []string{"- bash (python -m pytest test_ramp.py"})
}

// A run of all tests of a file closes the error of a test that failed alone, but not that of another file.
func TestWholeFilePasses(t *testing.T) {
	failed := `E       assert 940 == 900\nFAILED test_ramp.py::test_seven\n1 failed in 0.1s\nexit code: 1`
	text := logOf(t, `[
{"role":"user","content":"Make the tests of the ramp and the lamp pass."},
`+ranAs("1", "", "pytest test_ramp.py::test_seven -x", failed)+`,
`+ranAs("2", "", "pytest test_lamp.py::test_light", strings.ReplaceAll(failed, "test_ramp.py::test_seven", "test_lamp.py::test_light"))+`,
`+ranAs("3", "", "pytest test_ramp.py", `4 passed in 0.1s\nexit code: 0`)+`
]`, 4000)
	wants(t, text, []string{"- bash (pytest test_lamp.py::test_light", "passed, in [1]: `pytest test_ramp.py`"}, []string{"- bash (pytest test_ramp.py", "failed, in [1]: `pytest test_ramp.py"})
}

// A script that rewrites a file of the project has changed that file.
func TestScriptsThatRewrite(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+ranAs("0", "", "pytest", "4 passed")+`,
`+ranAs("1", "", `cat > fix.py << 'EOF'\nwith open('src/heat.py', 'r') as f:\n    text = f.read()\nwith open('src/heat.py', 'w') as f:\n    f.write(text.replace('640', '900'))\nEOF`, "")+`,
`+ranAs("2", "", "python fix.py", "Replaced the limit")+`,
`+ranAs("3", "", `cat > show.py << 'EOF'\nprint(open('src/lamp.py').read())\nEOF\npython show.py`, "lamp 7")+`
]`, 4000)
	wants(t, text, []string{"ran `python fix.py` → Replaced the limit (rewrites src/heat.py)", "`pytest` → 4 passed (before the last edits)", "ran `python show.py` → lamp 7"}, []string{"rewrites src/lamp"})
}

// Documentation that a command prints says nothing about the work.
func TestManuals(t *testing.T) {
	said := `Package kiln heats the zones of Heater in seven steps.\n\nRampUp heats one Zone until its Door is opened by the operator.\n`
	for _, command := range []string{"go doc kiln", "man kiln", "python3 -m pydoc kiln", "pydoc kiln", "kiln --help", "info kiln"} {
		wants(t, logOf(t, `[
{"role":"user","content":"Heat the kiln."},
`+ranAs("1", "", command, said)+`,
{"role":"assistant","content":"Zone 7 is hot."}
]`, 4000), []string{"Zone 7 is hot."}, []string{"RampUp", "seven steps"})
	}
	wants(t, logOf(t, `[
{"role":"user","content":"Heat the kiln."},
`+ranAs("1", "", "kiln report", said)+`,
{"role":"assistant","content":"Zone 7 is hot."}
]`, 4000), []string{"RampUp heats one Zone"}, nil)
}
