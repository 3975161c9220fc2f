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
	var o compactFlags
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
		RunE: func(c *cobra.Command, args []string) error { return o.run(f, c, args) },
	}
	o.policy.register(c, true)
	o.policy.registerForce(c)
	o.archive.register(c, keepUsage)
	o.redact.register(c)
	c.Flags().StringVar(&o.summarizer, "summarizer", "none", "who writes summaries: none or cmd:`COMMAND`")
	c.Flags().DurationVar(&o.timeout, "summary-timeout", ctxfold.DefaultSummaryTimeout, "how long one summary may take")
	c.Flags().BoolVar(&o.session, "session", false, "write a session file that its agent can resume; FILE must be one")
	c.Flags().StringVarP(&o.output, "output", "o", "", "write to this `FILE` instead of standard output; it may be the input")
	c.Flags().StringVar(&o.state, "state", "", "the `FILE` that keeps the state of the conversation from one compaction to the next")
	return c
}

// compactFlags has the values of compact's flags.
type compactFlags struct {
	policy     policyFlags
	archive    archiveFlag
	redact     redactFlag
	state      string        // the file with the state; "" for none
	summarizer string        // as in parseSummarizer
	output     string        // the file to write to; "" for standard output
	session    bool          // whether to write a session file
	timeout    time.Duration // for one summary
}

// run compacts the input of the command.
func (o *compactFlags) run(f *flags, c *cobra.Command, args []string) error {
	if o.session && f.json {
		return usage(c, "--session and --json are two answers: ask for one")
	}
	shell, err := parseSummarizer(o.summarizer, f.streams)
	if err != nil {
		return err
	}
	j, err := f.start(c, args, &o.policy, o.state, o.timeout)
	if err != nil {
		return err
	}
	if o.session && j.session == nil {
		return inputs{"file": j.sources["messages"]}.locate(j.sources["messages"].noSession)
	}
	if j.Store, err = o.archive.store(); err != nil {
		return err
	}
	j.Redact = o.redact.find()
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
		if err := o.archive.note(result.Messages, result.State); err != nil {
			return err
		}
	}
	if err := f.compacted(c.Context(), j, result, o.session, o.output); err != nil {
		return err
	}
	if err := o.writeState(result.State); err != nil {
		return err
	}
	return warn(f.err, result.Report)
}

// writeState writes the state to the file of --state, if there is one.
func (o *compactFlags) writeState(state []byte) error {
	if o.state == "" {
		return nil
	}
	return writeFile(o.state, append(bytes.Clone(state), '\n'))
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
