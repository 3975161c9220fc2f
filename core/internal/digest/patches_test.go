package digest_test

import (
	"strings"
	"testing"
)

// A patch that is written to a file changes nothing until it is applied. A patch that is refused changes nothing at
// all.
func TestPatchesInFiles(t *testing.T) {
	const patch = `--- a/src/ramp.go\n+++ b/src/ramp.go\n@@ -1 +1 @@\n-slope := 1\n+slope := 9\n`
	write := ranAs("1", "", `cat > fix.patch <<'EOF'\n`+patch+`EOF`, "")
	for name, c := range map[string]struct {
		calls  string
		edited bool
	}{
		"only written":          {write, false},
		"applied by patch":      {write + "," + ranAs("2", "", "patch -p1 < fix.patch", "patching file src/ramp.go"), true},
		"applied by git":        {write + "," + ranAs("2", "", "git apply fix.patch && go test ./...", "FAIL example.com/kiln"), true},
		"refused":               {write + "," + ranAs("2", "", "patch -p1 < fix.patch", `patching file src/ramp.go\npatch: **** malformed patch at line 9:`), false},
		"refused by git":        {write + "," + ranAs("2", "", "git apply fix.patch", `error: patch failed: src/ramp.go:1\nerror: src/ramp.go: patch does not apply`), false},
		"checked":               {write + "," + ranAs("2", "", "git apply --check fix.patch", ""), false},
		"in a heredoc":          {ranAs("1", "", `patch -p1 <<'EOF'\n`+patch+`EOF`, "patching file src/ramp.go"), true},
		"refused, in a heredoc": {ranAs("1", "", `git apply <<'EOF'\n`+patch+`EOF`, "error: corrupt patch at line 5"), false},
	} {
		text := logOf(t, `[{"role":"user","content":"Make the ramp of the kiln steeper."},`+c.calls+`,{"role":"assistant","content":"That was all about the ramp."}]`, 6000)
		_, list, _ := strings.Cut(text, "<modified-files>")
		if got := strings.Contains(list, "src/ramp.go"); got != c.edited {
			t.Errorf("%s: the file is listed: %v\n%s", name, got, text)
		}
		if got := strings.Contains(text, "edited src/ramp.go"); got != c.edited {
			t.Errorf("%s: the edit is told: %v\n%s", name, got, text)
		}
	}
	text := logOf(t, `[{"role":"user","content":"Make the ramp of the kiln steeper."},`+write+","+ranAs("2", "", "patch -p1 < fix.patch", "patching file src/ramp.go")+","+
		ranAs("3", "", "git checkout src/ramp.go", "Updated 1 path from the index")+`,{"role":"assistant","content":"That was all about the ramp."}]`, 6000)
	if _, list, _ := strings.Cut(text, "<modified-files>"); strings.Contains(list, "src/ramp.go") || !strings.Contains(text, "(taken back later)") {
		t.Errorf("a patch that was taken back counts in\n%s", text)
	}
}

// Scripts that were written just to be run are noise. Only a few of them are named, and the log says only what they
// define.
func TestTrialScripts(t *testing.T) {
	var calls []string
	for _, name := range strings.Fields("ash birch cedar elm fir gum") {
		calls = append(calls, ranAs(name, "", "cat > try_"+name+`.py <<'EOF'\n# Look at the lamp first\nlamp = kiln.lamp()\nEOF\npython try_`+name+".py", "lamp is "+name))
	}
	calls = append(calls, ranAs("9", "", `cat > seed.py <<'EOF'\ndef seed_kiln(zone):\n    zone.heat()\nEOF\npython seed.py`, "seeded"))
	text := logOf(t, `[{"role":"user","content":"Why is the lamp of the kiln off?"},`+strings.Join(calls, ",")+`,{"role":"assistant","content":"The lamp is off because its zone has no fuse."}]`, 6000)
	before, list, _ := strings.Cut(text, "<modified-files>")
	if strings.Contains(before, "wrote try_") || !strings.Contains(before, "wrote seed.py: defines seed_kiln") {
		t.Errorf("the log tells what trials contain, or nothing of the script that defines something:\n%s", text)
	}
	if n := strings.Count(list, "try_"); n > 4 || !strings.Contains(list, "\n(and other files)\n") {
		t.Errorf("%d trials are listed in\n%s", n, list)
	}
}
