package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/ctxfold/ctxfold"
)

// shellSummarizer runs a shell command for each summary. The command reads the prompt from its standard input and writes the summary to
// its standard output.
type shellSummarizer struct {
	command string
	io      streams
	running sync.WaitGroup
}

// parseSummarizer parses the value of --summarizer. It returns nil for "none", which means a local digest. The form of
// a command is "cmd:COMMAND"; anything else is an error.
func parseSummarizer(flag string, io streams) (*shellSummarizer, error) {
	if flag == "none" {
		return nil, nil
	}
	if command, ok := strings.CutPrefix(flag, "cmd:"); ok && strings.TrimSpace(command) != "" {
		return &shellSummarizer{command: command, io: io}, nil
	}
	return nil, usageError{text: fmt.Sprintf("--summarizer %q is neither none nor cmd:COMMAND", flag)}
}

// Summarize runs the shell command with the prompt on its standard input and the system prompt in CTXFOLD_SYSTEM. Its
// output is the summary. It returns an error if the command fails. The command and its children are killed if ctx ends.
func (s *shellSummarizer) Summarize(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	s.running.Add(1)
	defer s.running.Done()
	shell, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = "cmd", "/c"
	}
	cmd := exec.CommandContext(ctx, shell, flag, s.command)
	killWithChildren(cmd)
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(),
		"CTXFOLD_SYSTEM="+q.System,
		"CTXFOLD_SCOPE="+string(q.Scope),
		fmt.Sprintf("CTXFOLD_MAX_OUTPUT_TOKENS=%d", q.MaxOutputTokens))
	cmd.Stdin = strings.NewReader(q.Prompt)
	cmd.Stderr = s.io.err
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		// The error is printed because the report contains only an error code.
		fmt.Fprintf(s.io.err, "ctxfold: the summarizer %q failed: %v\n", s.command, err)
		return ctxfold.Summary{}, err
	}
	return ctxfold.Summary{Text: strings.TrimSpace(out.String())}, nil
}

// wait waits until all commands have ended, including those that a compaction abandoned because they took too long.
func (s *shellSummarizer) wait() { s.running.Wait() }
