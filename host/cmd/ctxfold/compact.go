package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold/host"
)

func compactCommand(f *flags) *cobra.Command {
	var policy policyFlags
	var archive archiveFlag
	var state, summarizer string
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "compact [FILE|-]",
		Short: "Make a transcript shorter",
		Long: `compact makes a transcript shorter when that is due: when it has more tokens than the policy allows in the window.
It prints the transcript on standard output, in the shape that came in, and what was done on standard error.

--summarizer says who writes the summary of what is folded. With "none" a digest is made without a model. With
"cmd:COMMAND" the shell runs COMMAND for each summary: the prompt is its standard input, the environment variable
CTXFOLD_SYSTEM holds the system prompt and CTXFOLD_MAX_OUTPUT_TOKENS the limit, and its standard output is the summary.
A command that fails loses nothing: the digest without a model takes its place.

With --archive, what is taken out is kept in a directory, and the transcript names the handles: restore puts it back.

With --json, standard output gets one object with the report, the state and the messages instead.`,
		Example: `  ctxfold compact --window 200000 session.json > shorter.json
  ctxfold compact --window 32000 --summarizer 'cmd:my-model --system "$CTXFOLD_SYSTEM"' session.json
  ctxfold compact --window 32000 --state session.state.json - < session.json
  ctxfold compact --window 32000 --archive .ctxfold session.json > shorter.json`,
		Args: atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			shell, err := parseSummarizer(summarizer, f.streams)
			if err != nil {
				return err
			}
			j, err := f.start(c, args, &policy, state, timeout)
			if err != nil {
				return err
			}
			if j.Store, err = archive.store(); err != nil {
				return err
			}
			var s host.Summarizer
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
			if err := f.printResult(result, j.read()); err != nil {
				return err
			}
			if state != "" {
				return writeFile(state, append(bytes.Clone(result.State), '\n'))
			}
			return nil
		},
	}
	policy.register(c)
	archive.register(c, keepUsage)
	c.Flags().StringVar(&summarizer, "summarizer", "none", "who writes summaries: none or cmd:`COMMAND`")
	c.Flags().DurationVar(&timeout, "summary-timeout", host.DefaultSummaryTimeout, "how long one summary may take")
	c.Flags().StringVar(&state, "state", "", "the `FILE` that keeps the state of the conversation from one compaction to the next")
	return c
}

// printResult gives the transcript to standard output and the report to standard error.
func (f *flags) printResult(r *host.Result, read [2]string) error {
	f.warn(r.Report.Left)
	if f.json {
		return f.printLine(resultJSON(r))
	}
	printReport(f.err, r.Report, read)
	return f.printTranscript(r.Messages, r.Edits)
}

// resultJSON is put together by hand: encoding/json would write the messages anew.
func resultJSON(r *host.Result) []byte {
	out := slices.Concat([]byte(`{"report":`), r.Report.Raw, []byte(`,"state":`), r.State)
	if r.Edits != nil {
		out = slices.Concat(out, []byte(`,"edits":`), r.Edits)
	}
	if r.Messages != nil {
		out = slices.Concat(out, []byte(`,"messages":`), r.Messages)
	}
	return append(out, '}')
}

// printTranscript prints whichever of the two the policy has asked for; it may have asked for neither.
func (f *flags) printTranscript(messages, edits []byte) error {
	if messages == nil {
		messages = edits
	}
	if messages == nil {
		return nil
	}
	return f.printLine(messages)
}

func (f *flags) printLine(text []byte) error {
	_, err := f.out.Write(append(bytes.Clone(text), '\n'))
	return err
}

// writeFile leaves either the old file or the new one, whatever happens in between.
func writeFile(name string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	_, err = tmp.Write(text)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	return nil
}
