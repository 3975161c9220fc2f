package checks_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRunEnds runs .ci/run with a program of its own in place of make. A run must end with the
// status of make, even if make leaves processes running, and a run without output for too long must
// be ended.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, make string
		silence    string
		status     int
		want       []string
	}{
		{"passes", "echo passed", "60", 0, []string{"passed\n", "exit status 0 after"}},
		{"fails", "echo failed; exit 3", "60", 3, []string{"failed\n", "exit status 3 after"}},
		{"leaves a process running", "sleep 1234567 & echo passed", "60", 0, []string{"Still running, and ended now:\n", "sleep 1234567", "exit status 0 after"}},
		{"hangs", "trap 'echo asked to end; exit 1' TERM; sleep 1234567 & wait", "0", 124,
			[]string{"Nothing was said for 0 minutes", "asked to end\n", "sleep 1234567", "exit status 124 after"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := runOf(t, tt.make, tt.silence)
			out, _ := run.CombinedOutput()
			if status := run.ProcessState.ExitCode(); status != tt.status {
				t.Errorf("exit status %d, want %d", status, tt.status)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is missing in:\n%s", want, out)
				}
			}
		})
	}
}

// runOf returns .ci/run in a folder of its own, with a program in place of make.
func runOf(t *testing.T, program, silence string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	script, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".ci/run": string(script), "bin/make": "#!/usr/bin/env bash\n" + program + "\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		// A process that another test starts meanwhile would inherit the open file, and the program could not be run ("text file busy").
		syscall.ForkLock.RLock()
		err := os.WriteFile(path, []byte(text), 0o755)
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(filepath.Join(dir, ".ci/run"))
	run.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "SILENCE="+silence)
	return run
}

// TestRunIsStopped stops .ci/run and all that it has started at once, as a terminal or a CI system does. The run must wait for make, and
// show the summary that make still writes.
func TestRunIsStopped(t *testing.T) {
	t.Parallel()
	run := runOf(t, `end() { sleep 3; mkdir -p build/stages; echo "the summary" > build/stages/summary.txt; exit 1; }
trap end TERM; echo begun; while :; do sleep 1; done`, "60")
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		out.WriteString(lines.Text() + "\n")
		if lines.Text() == "begun" {
			if err := syscall.Kill(-run.Process.Pid, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = run.Wait()
	if status := run.ProcessState.ExitCode(); status != 143 {
		t.Errorf("exit status %d, want 143", status)
	}
	for _, want := range []string{"Free on the disk: ", "the summary\n", "exit status 143 after"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, &out)
		}
	}
}

// TestNPMIsRunAgain runs .ci/npm with a npm that is stopped while it writes a package. As npm would
// take that package for a complete one, it must be gone in the next run.
func TestNPMIsRunAgain(t *testing.T) {
	t.Parallel()
	npm, err := filepath.Abs(".ci/npm")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const stopped = "#!/bin/sh\n[ ! -e node_modules ] || exit 0\n[ ! -e ran ] || exec mkdir -p node_modules/whole\nmkdir -p node_modules/half && touch ran\nexit 124\n"
	if err := os.WriteFile(filepath.Join(dir, "timeout"), []byte(stopped), 0o755); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(npm, "install")
	run.Dir, run.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules/half")); err == nil {
		t.Error("the package that was not whole is still there")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules/whole")); err != nil {
		t.Error(err)
	}
}

// TestNPMKeepsPackages runs .ci/npm in folders with equal and with other lock files: npm unpacks
// the packages of each lock file once, and nothing that a folder's npm writes later changes another
// folder.
func TestNPMKeepsPackages(t *testing.T) {
	t.Parallel()
	npm, err := filepath.Abs(".ci/npm")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "bin/timeout"), "#!/bin/sh\necho x >> \"$HOME/ran\"\nrm -rf node_modules/a\nmkdir -p node_modules/a\ncp package-lock.json node_modules/a/\necho list > node_modules/.package-lock.json\n")
	// install returns how often npm has run so far.
	install := func(folder, lock string) int {
		t.Helper()
		folder = filepath.Join(dir, folder)
		write(filepath.Join(folder, "package.json"), "{}")
		write(filepath.Join(folder, "package-lock.json"), lock)
		run := exec.Command(npm, "install")
		run.Dir, run.Env = folder, append(os.Environ(), "PATH="+dir+"/bin:"+os.Getenv("PATH"), "HOME="+dir, "npm_config_cache=")
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, err := os.ReadFile(filepath.Join(folder, "node_modules/a/package-lock.json")); err != nil || string(got) != lock {
			t.Errorf("%s: installed %q (%v), want %q", folder, got, err, lock)
		}
		ran, err := os.ReadFile(filepath.Join(dir, "ran"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(ran), "x")
	}
	for _, step := range []struct {
		folder, lock string
		want         int
	}{{"one", "first", 1}, {"one", "first", 1}, {"two", "first", 1}, {"three", "second", 2}, {"one", "third", 3}} {
		if got := install(step.folder, step.lock); got != step.want {
			t.Errorf("npm ran %d times after %+v", got, step)
		}
	}
	write(filepath.Join(dir, "two/node_modules/.package-lock.json"), "changed")
	install("four", "first")
	if got, err := os.ReadFile(filepath.Join(dir, "four/node_modules/.package-lock.json")); err != nil || string(got) != "list\n" {
		t.Errorf("the list of another folder is %q (%v)", got, err)
	}
	// What was added to an older node_modules isn't kept: "one" had the packages of two lock files.
	if got := install("five", "third"); got != 4 {
		t.Errorf("npm ran %d times, want 4", got)
	}
}
