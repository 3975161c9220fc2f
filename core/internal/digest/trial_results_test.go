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

// A program that rewrites a file has edited it as its texts say. If these don't say it, the file has changed.
func TestScriptsThatRewrite(t *testing.T) {
	heat := `with open('src/heat.py', 'r') as f:\n    text = f.read()\nwith open('src/heat.py', 'w') as f:\n    f.write(`
	text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+ranAs("0", "", "pytest", "4 passed")+`,
`+ranAs("1", "", `cat > fix.py << 'EOF'\n`+heat+`text.replace('hold = 640', 'hold = 900'))\nEOF`, "")+`,
`+ranAs("2", "", "python fix.py", "Replaced the limit")+`,
`+ranAs("3", "", `cat > show.py << 'EOF'\nprint(open('src/lamp.py').read())\nEOF\npython show.py`, "lamp 7")+`,
`+ranAs("4", "", `cat > sort.py << 'EOF'\n`+heat+`sorted(text))\nEOF`, "")+`,
`+ranAs("5", "", "python sort.py", "Sorted the lines")+`
]`, 4000)
	wants(t, text, []string{"edited src/heat.py: changes `hold = 640` to `hold = 900`", "ran `python sort.py` → Sorted the lines (rewrites src/heat.py)", "`pytest` → 4 passed (edited since: fix.py, show.py, sort.py, src/heat.py)", "ran `python show.py` → lamp 7"},
		[]string{"rewrites src/lamp", "Replaced the limit"})
}

// Programs edit files in many ways, which the log says, unless their output says that something was not found.
func TestProgramsThatEdit(t *testing.T) {
	for _, c := range []struct{ program, output, want string }{
		{`python - <<'EOF'\np = '/kiln/heat.py'\ns = open(p).read()\nold = '''hold = 640\n'''\nnew = '''hold = 900\nfan = 3\n'''\ns = s.replace(old, new)\nopen(p, 'w').write(s)\nEOF`, "", "edited /kiln/heat.py: changes `hold = 640` to `hold = 900` `fan = 3`"},
		{`python3 <<EOF\nfrom pathlib import Path\np = Path('/kiln/heat.py')\np.write_text(p.read_text().replace('hold = 640', 'hold = 900'))\nEOF`, "", "edited /kiln/heat.py: changes `hold = 640` to `hold = 900`"},
		{`python -c \"import re; t = open('/kiln/heat.py').read(); t = re.sub(r'(hold )= 640', r'\\1= 900', t); open('/kiln/heat.py', 'w').write(t)\"`, "", "edited /kiln/heat.py: changes `= 640` to `= 900`"},
		{`cat > /tmp/e.py <<'EOF'\nlines = open('/kiln/heat.py').readlines()\nlines.insert(7, f'{indent}limit = 980\\n')\nwith open('/kiln/heat.py', 'w') as f:\n    f.writelines(lines)\nEOF\npython /tmp/e.py`, "", "edited /kiln/heat.py: adds `limit = 980`"},
		{`node -e \"const fs = require('fs'); let s = fs.readFileSync('/kiln/heat.js', 'utf8'); s = s.replace(/hold: 640/, 'hold: 900'); fs.writeFileSync('/kiln/heat.js', s)\"`, "", "edited /kiln/heat.js: changes `hold: 640` to `hold: 900`"},
		{`python - <<'EOF'\nwith open('/kiln/fan.py', 'w') as f:\n    f.write('''def turn(speed):\n    return speed * 7 + 40\n''')\nEOF`, "", "wrote /kiln/fan.py: defines turn"},
		{`cat > /tmp/e.py <<'EOF'\ns = open('/kiln/heat.py').read()\nopen('/kiln/heat.py.new', 'w').write(s.replace('hold = 640', 'hold = 900'))\nEOF\npython /tmp/e.py && cp /kiln/heat.py.new /kiln/heat.py`, "", "edited /kiln/heat.py: changes `hold = 640` to `hold = 900`"},
		{`python - <<'EOF'\ns = open('/kiln/heat.py').read()\nopen('/kiln/heat.py', 'w').write(s.replace('hold = 640', 'hold = 900'))\nEOF`, "pattern not found", "(rewrites /kiln/heat.py)"},
	} {
		text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+ranAs("1", "", c.program, c.output)+`
]`, 4000)
		wants(t, text, []string{c.want, "/kiln/"}, nil)
		_, list, _ := strings.Cut(text, "<modified-files>")
		wants(t, list, []string{" in [1]"}, []string{".new —"})
	}
}

// A copy of a file that is copied back takes back what was edited since.
func TestCopiedBack(t *testing.T) {
	edit := func(id, from, to string) string {
		return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"edit","arguments":{"path":"/kiln/heat.py","old":"` + from + `","new":"` + to + `"}}]},
{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"edit","content":"ok"},
`
	}
	text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+edit("1", "lamp = 1", "lamp = 2")+ranAs("2", "", "cd /kiln && cp heat.py heat.py.bak", "")+`,
`+edit("3", "hold = 640", "hold = 700")+ranAs("4", "", "cd /kiln && cp heat.py.bak heat.py", "")+`,
{"role":"assistant","content":"The kiln is as it was."}
]`, 4000)
	wants(t, text, []string{"changes `hold = 640` to `hold = 700` (taken back later)", "/kiln/heat.py — edited in [1]"}, []string{"`lamp = 2` (taken back", ".bak —"})
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

// A program that runs again only repeats its edit, unless its first run didn't find what to replace.
func TestProgramsThatRunAgain(t *testing.T) {
	written := `cat > /tmp/e.py <<'EOF'\ns = open('/kiln/heat.py').read()\nopen('/kiln/heat.py', 'w').write(s.replace('hold = 640', 'hold = 900'))\nEOF`
	for _, first := range []string{"", "pattern not found"} {
		text := logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+ranAs("1", "", written, "")+`,
`+ranAs("2", "", "python /tmp/e.py", first)+`,
`+ranAs("3", "", "python /tmp/e.py", "")+`,
{"role":"assistant","content":"Zone 7 is hot."}
]`, 4000)
		wants(t, text, []string{"edited /kiln/heat.py: changes `hold = 640` to `hold = 900`"}, nil)
		if strings.Count(text, "changes `hold") != 1 {
			t.Errorf("after %q the edit is named more than once:\n%s", first, text)
		}
	}
}
