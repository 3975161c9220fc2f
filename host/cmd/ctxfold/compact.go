package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
)

func compactCommand(f *flags) *cobra.Command {
	var policy policyFlags
	var archive archiveFlag
	var redact redactFlag
	var state, summarizer, output string
	var session bool
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "compact [FILE|-]",
		Short: "Make a transcript shorter",
		Long: `compact makes a transcript shorter if it has more tokens than the policy allows in the window. It prints the
transcript on standard output, in the same shape as the input, and a summary of what it did on standard error.

--summarizer chooses who writes the summary of folded messages. "none" makes a digest without a model. With "cmd:COMMAND" the
shell runs COMMAND once per summary: the prompt is its standard input, the environment variable CTXFOLD_SYSTEM holds the system
prompt and CTXFOLD_MAX_OUTPUT_TOKENS the limit, and its standard output is the summary. If the command fails nothing is lost: a
digest made without a model replaces the summary.

With --archive, removed content goes to a directory and the transcript names its handles, so that restore can return it.

With --redact, what matches is replaced in whatever a compaction writes: prompts of summaries, the digest, the archive. A match of less
than 4 bytes has the whole text replaced.

With --session, FILE is the session file of a coding agent and so is the output: the agent resumes it with the shorter
conversation. The compaction is appended to the existing lines in the agent's own format (docs/guides/sessions.md).

With --json, standard output gets one object with the report, the state and the messages instead.

A result over the limit is still printed, with a warning that says what takes the room; the exit code is then 3.`,
		Example: `  ctxfold compact --window 200000 session.json > shorter.json
  ctxfold compact --window 32000 --summarizer 'cmd:my-model --system "$CTXFOLD_SYSTEM"' session.json
  ctxfold compact --window 32000 --state session.state.json - < session.json
  ctxfold compact --window 32000 --archive .ctxfold session.json > shorter.json
  ctxfold compact --session ~/.claude/projects/-home-me-app/0b1c.jsonl > shorter.jsonl`,
		Args: atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if session && f.json {
				return usage(c, "--session and --json are two answers: ask for one")
			}
			shell, err := parseSummarizer(summarizer, f.streams)
			if err != nil {
				return err
			}
			j, err := f.start(c, args, &policy, state, timeout)
			if err != nil {
				return err
			}
			if session && j.session == nil {
				return inputs{"file": j.sources["messages"]}.locate(j.sources["messages"].noSession)
			}
			if j.Store, err = archive.store(); err != nil {
				return err
			}
			j.Redact = redact.find()
			var s ctxfold.Summarizer
			if shell != nil {
				s = shell
			}
			result, err := j.CompactWith(c.Context(), j.Input, s)
			if shell != nil {
				shell.wait()
			}
			if err != nil {
				return j.sources.locate(err)
			}
			if result.Changed {
				if err := archive.note(result.Messages, result.State); err != nil {
					return err
				}
			}
			if err := f.compacted(c.Context(), j, result, session, output); err != nil {
				return err
			}
			if state != "" {
				if err := writeFile(state, append(bytes.Clone(result.State), '\n')); err != nil {
					return err
				}
			}
			return warn(f.err, result.Report)
		},
	}
	policy.register(c, true)
	policy.registerForce(c)
	archive.register(c, keepUsage)
	redact.register(c)
	c.Flags().StringVar(&summarizer, "summarizer", "none", "who writes summaries: none or cmd:`COMMAND`")
	c.Flags().DurationVar(&timeout, "summary-timeout", ctxfold.DefaultSummaryTimeout, "how long one summary may take")
	c.Flags().BoolVar(&session, "session", false, "write a session file that its agent can resume; FILE must be one")
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE` instead of standard output; it may be the input")
	c.Flags().StringVar(&state, "state", "", "the `FILE` that keeps the state of the conversation from one compaction to the next")
	return c
}

// compacted writes the result to standard output or to a file, and the report to standard error. session means that the
// result is the session file with the compacted conversation.
func (f *flags) compacted(ctx context.Context, j *job, r *ctxfold.Result, session bool, output string) error {
	f.warn(r.Report.Left)
	var text []byte
	switch {
	case session:
		next, err := j.saved(ctx, r)
		if err != nil {
			return err
		}
		text = next
	case f.json:
		text = append(resultJSON(r), '\n')
	default:
		text = append(bytes.Clone(r.Messages), '\n')
	}
	if !f.json {
		printReport(f.err, r.Report, j.read())
	}
	if output != "" {
		return writeFile(output, text)
	}
	_, err := f.out.Write(text)
	return err
}

// resultJSON returns the result as JSON. It doesn't encode the messages with encoding/json, which
// would copy them.
func resultJSON(r *ctxfold.Result) []byte {
	var report bytes.Buffer
	e := json.NewEncoder(&report)
	e.SetEscapeHTML(false)
	_ = e.Encode(r.Report) // cannot fail for this type
	return slices.Concat([]byte(`{"report":`), bytes.TrimSpace(report.Bytes()), []byte(`,"state":`), r.State, []byte(`,"messages":`), r.Messages, []byte{'}'})
}

func (f *flags) printLine(text []byte) error {
	_, err := f.out.Write(append(bytes.Clone(text), '\n'))
	return err
}
