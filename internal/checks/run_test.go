package checks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunEnds runs .ci/run with a program of its own in place of make. A run must end with the status of make, whatever make leaves
// running, and a run in which nothing is said any more must be ended.
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
			dir := t.TempDir()
			script, err := os.ReadFile(".ci/run")
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{".ci/run": string(script), "bin/make": "#!/usr/bin/env bash\n" + tt.make + "\n"} {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			run := exec.Command(filepath.Join(dir, ".ci/run"))
			run.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "SILENCE="+tt.silence)
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
