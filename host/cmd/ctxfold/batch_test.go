package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// conversations writes a file of n conversations that are due, and returns its name and lines. One of them contains the word SLOW.
func conversations(t *testing.T, n, slow int) (name string, lines []string) {
	t.Helper()
	for i := range n {
		word := "quick"
		if i == slow {
			word = "SLOW"
		}
		lines = append(lines, fmt.Sprintf(`[{"role":"user","content":"%s %d"},{"role":"assistant","content":"%s"},{"role":"user","content":"Go on."},{"role":"assistant","content":"four"},{"role":"user","content":"And now?"}]`,
			word, i, strings.Repeat("one two three ", 1500)))
	}
	name = filepath.Join(t.TempDir(), "many.jsonl")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, lines
}

func batched(ctx context.Context, args ...string) (code int, out, told string) {
	var stdout shared
	code, told = batchedTo(ctx, &stdout, args...)
	return code, stdout.String(), told
}

func batchedTo(ctx context.Context, stdout *shared, args ...string) (code int, told string) {
	var stderr shared
	args = append([]string{"batch", "compact", "--engine", "native", "--format", "openai-chat", "--window", "3000"}, args...)
	code = run(ctx, args, streams{strings.NewReader(""), stdout, &stderr})
	return code, stderr.String()
}

// shared is a stream that several goroutines use: the summarizer's commands write to it as well, and tests read it.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestBatchInterrupted interrupts a batch in its sixth line. The output has five complete lines and no raw input, and the exit code shows
// the interrupt. With --resume the remaining lines follow, even if the process was killed in the middle of a line.
func TestBatchInterrupted(t *testing.T) {
	const slow = 5
	name, lines := conversations(t, 12, slow)
	_, want, _ := batched(t.Context(), name)
	if strings.Count(want, "\n") != len(lines) || strings.Contains(want, lines[0]) {
		t.Fatalf("an undisturbed batch: %.300s", want)
	}
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	summarizer := "cmd:if grep -q SLOW; then touch " + started + "; sleep 1200; fi; exit 1"
	for _, workers := range []string{"1", "4"} {
		for _, to := range []string{"", filepath.Join(dir, workers+".jsonl")} {
			os.Remove(started)
			ctx, cancel := context.WithCancel(t.Context())
			var stdout shared
			written := func() string {
				if to == "" {
					return stdout.String()
				}
				text, _ := os.ReadFile(to)
				return string(text)
			}
			go func() { // interrupts the batch when it has written the lines before the slow one
				for ctx.Err() == nil {
					if _, err := os.Stat(started); err == nil && strings.Count(written(), "\n") == slow {
						cancel()
					}
					time.Sleep(5 * time.Millisecond)
				}
			}()
			args := []string{"--workers", workers, "--summarizer", summarizer, name}
			if to != "" {
				args = append(args, "--output", to)
			}
			code, told := batchedTo(ctx, &stdout, args...)
			out := written()
			cancel()
			if code != exitInterrupted {
				t.Errorf("exit code %d: %s", code, told)
			}
			if to != "" && stdout.String() != "" {
				t.Fatalf("on standard output %.100s", stdout.String())
			}
			if out != firstLines(want, slow) {
				t.Errorf("%s workers, output %q: %d lines, not the first %d:\n%.300s", workers, to, strings.Count(out, "\n"), slow, out)
			}
			if !strings.Contains(told, "interrupted: 5 lines of the input are done") || strings.Contains(told, "nothing was changed") {
				t.Errorf("it says %s", told)
			}
		}
	}
	file := filepath.Join(dir, "1.jsonl")
	for _, left := range []string{firstLines(want, slow), firstLines(want, slow) + want[len(firstLines(want, slow)):][:40], "", `[{"role"`, want} {
		if err := os.WriteFile(file, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, told := batched(t.Context(), "--output", file, "--resume", name)
		text, err := os.ReadFile(file)
		if code != exitOK || out != "" || err != nil || string(text) != want {
			t.Errorf("from %d bytes: exit code %d, %d bytes of %d, %v, %s", len(left), code, len(text), len(want), err, told)
		}
	}
}

func firstLines(text string, n int) string {
	return strings.Join(strings.SplitAfter(text, "\n")[:n], "")
}

// TestBatchResumesItsOwn refuses to continue a file that is not the output for this input.
func TestBatchResumesItsOwn(t *testing.T) {
	name, lines := conversations(t, 3, -1)
	file := filepath.Join(t.TempDir(), "out.jsonl")
	for left, want := range map[string]string{
		"a\nb\nc\nd\n": "the output has 4 lines, and the input only 3",
		"a\n\n":        "line 2 of the output does not belong to line 2 of the input",
	} {
		if err := os.WriteFile(file, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, told := batched(t.Context(), "--output", file, "--resume", name)
		text, _ := os.ReadFile(file)
		if code != exitBad || !strings.Contains(told, want) || string(text) != left {
			t.Errorf("%q: exit code %d, %s, and the file has %.100q", left, code, told, text)
		}
	}
	code, _, told := batched(t.Context(), "--resume", name)
	if code != exitBad || !strings.Contains(told, "--resume needs --output") {
		t.Errorf("exit code %d, %s", code, told)
	}
	code, _, told = batched(t.Context(), "--output", name, name)
	text, _ := os.ReadFile(name)
	if code != exitBad || !strings.Contains(told, "must be another file") || !strings.Contains(string(text), lines[2]) {
		t.Errorf("exit code %d, %s", code, told)
	}
}
