package checks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// targets is a Makefile whose targets append their names to a file. One target fails, and two wait for each other at a pipe.
const targets = `a b c d:
	@echo $@ >> began
full:
	@echo "write /x: no space left on device"; false
bad:
	@echo $@ >> began; false
leaves:
	@mkdir -p "$$TMPDIR/sealed/x" && chmod a-w "$$TMPDIR/sealed"; echo "at $$TMPDIR"
pipe-in pipe-out:
	@echo $@ >> began; [ -p pipe ] || mkfifo pipe 2> /dev/null || true; if [ $@ = pipe-in ]; then echo > pipe; else cat pipe; fi
`

// stages runs .ci/stages in a temporary folder with the Makefile above. It returns the stages in the order in which they began, the summary, and whether the run passed.
func stages(t *testing.T, list string, env ...string) (began, summary string, passed bool) {
	t.Helper()
	dir := t.TempDir()
	script, err := os.ReadFile(".ci/stages")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		".ci/stages": string(script),
		"Makefile":   targets,
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("bash", append([]string{".ci/stages", "it"}, strings.Fields(list)...)...)
	run.Dir = dir
	run.Env = append(append(os.Environ(), "MAKE=", "KEEP=", "LANES=1"), env...)
	out, err := run.CombinedOutput()
	text, _ := os.ReadFile(filepath.Join(dir, "began"))
	return strings.Join(strings.Fields(string(text)), " "), string(out), err == nil
}

// TestStages checks that stages run in the order of the list, except that a stage waits for the stages it needs.
func TestStages(t *testing.T) {
	for _, tt := range []struct {
		name, list, env string
		began, left     string
		passed          bool
	}{
		{name: "in the order of the list", list: "a b c", began: "a b c", passed: true},
		{name: "needs first", list: "a:c b c:d d", began: "b d c a", passed: true},
		{name: "nothing begins after a failure", list: "a bad b", began: "a bad", left: "b"},
		{name: "KEEP=1 leaves out only what needs the failed one", list: "a bad b:bad c:b d", env: "KEEP=1", began: "a bad d", left: "b c"},
		{name: "needs in a circle", list: "a b:c c:b", began: "a", left: "b c"},
		{name: "a need that is no stage", list: "a b:z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began, out, passed := stages(t, tt.list, tt.env)
			if began != tt.began || passed != tt.passed {
				t.Errorf("began %q, passed %v, want %q, %v:\n%s", began, passed, tt.began, tt.passed, out)
			}
			if want := "\nDid not run: " + tt.left + "\n"; tt.left != "" && !strings.Contains(out, want) {
				t.Errorf("no line %q in:\n%s", want, out)
			}
		})
	}
}

// TestStagesSideBySide runs two stages that wait for each other, so the run ends only if they run at the same time.
func TestStagesSideBySide(t *testing.T) {
	began, out, passed := stages(t, "a pipe-in:a pipe-out:a b:pipe-in,pipe-out", "LANES=2")
	if !passed || !strings.HasPrefix(began, "a ") || !strings.HasSuffix(began, " b") {
		t.Errorf("began %q:\n%s", began, out)
	}
}

// TestStagesTemporaryFolder checks that a run names what its stages leave in the temporary folder, and removes it.
func TestStagesTemporaryFolder(t *testing.T) {
	_, out, passed := stages(t, "a leaves", "TMPDIR="+t.TempDir())
	_, rest, _ := strings.Cut("\n"+out, "\nat ")
	at, _, _ := strings.Cut(rest, "\n")
	if !passed || at == "" || !strings.Contains(out, "\nLeft behind in the temporary folder: sealed \n") {
		t.Errorf("what a stage left is not named:\n%s", out)
	}
	if _, err := os.Stat(at); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", at, err)
	}
	place := t.TempDir()
	if _, out, passed := stages(t, "a b:z", "TMPDIR="+place); passed {
		t.Errorf("a stage that there is not is waited for:\n%s", out)
	} else if left, err := os.ReadDir(place); err != nil || len(left) > 0 {
		t.Errorf("a run that did not begin has left %v, %v", left, err)
	}
	if _, out, _ := stages(t, "a", "TMPDIR="+t.TempDir()); strings.Contains(out, "Left behind") {
		t.Errorf("nothing was left:\n%s", out)
	}
}

// TestStagesOnAFullDisk checks that the summary says that the disk was full, if that is why a stage failed.
func TestStagesOnAFullDisk(t *testing.T) {
	_, out, passed := stages(t, "a full")
	if passed || !strings.Contains(out, "\nThe disk was full in full: ") {
		t.Errorf("it is not said that the disk was full:\n%s", out)
	}
	if _, out, _ := stages(t, "a bad"); strings.Contains(out, "The disk was full") {
		t.Errorf("the disk was not full:\n%s", out)
	}
}
