package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/ctxfold/ctxfold/api"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

func convertCommand(f *flags) *cobra.Command {
	var policy policyFlags
	var to, system string
	c := &cobra.Command{
		Use:   "convert --to FORMAT [FILE|-]",
		Short: "Write a transcript in another wire format",
		Long: `convert writes a transcript in the wire format of another provider or SDK, so that the conversation can continue
there. It prints the transcript on standard output, and on standard error one line for each thing that could not be carried over
(docs/guides/formats.md, Conversion). A list of messages stays a list; if the new format keeps the system prompt outside the
messages, --system names a file for it. A request body stays a request body, with the system prompt in it. The exit code is 1 if
the new provider would refuse the result.`,
		Example: `  ctxfold convert --to anthropic chat.json > messages.json
  ctxfold convert --from openai-chat --to gemini --system system.json chat.json > contents.json`,
		Args: atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if to == "" {
				return usage(c, "--to must name the wire format to write (see ctxfold info)")
			}
			j, err := f.start(c, args, &policy, "", 0)
			if err != nil {
				return err
			}
			a, err := j.Convert(c.Context(), j.Input, api.Format(to))
			if err != nil {
				return j.sources.locate(err)
			}
			f.warn(a.Report.Left)
			return violationsOr(f.printConverted(j, a, system), a.Valid)
		},
	}
	policy.register(c, false)
	c.Flags().StringVar(&policy.format, "from", "", "the wire format of the input, if it should not be detected; another name for --format")
	c.Flags().StringVar(&to, "to", "", "the wire format to write (see ctxfold info)")
	c.Flags().StringVar(&system, "system", "", "write the system prompt to `FILE`, as JSON, if the new format keeps it outside the messages")
	for _, flag := range []string{"from", "to"} {
		completeFromInfo(c, flag, func(i *api.Info) (names []string) {
			for _, p := range i.Formats {
				names = append(names, string(p.Name))
			}
			return names
		})
	}
	return c
}

// printConverted prints the converted messages, and lists the lost content on standard error. With --json it prints the
// whole answer. system is the file for the system prompt of the result, if the target has it apart from the messages.
func (f *flags) printConverted(j *job, a *api.Converted, system string) error {
	if f.json {
		return f.printLine(a.Raw)
	}
	if j.session != nil {
		lines(f.err, j.read())
	}
	if len(a.Lost) == 0 {
		fmt.Fprintf(f.err, "%s to %s: everything was carried over\n", a.From, a.To)
	} else {
		fmt.Fprintf(f.err, "%s to %s: %s not carried over unchanged\n", a.From, a.To, plural(len(a.Lost), "thing"))
		t := newTable("path", "what", "why", "instead", "detail")
		t.SuppressEmptyColumns()
		for _, l := range a.Lost {
			t.AppendRow(table.Row{l.Path, l.Kind, l.Reason, l.Instead, l.Detail})
		}
		fmt.Fprintln(f.err, t.Render())
	}
	switch {
	case len(a.System) == 0:
	case system != "":
		if err := os.WriteFile(system, append([]byte(a.System), '\n'), 0o600); err != nil {
			return err
		}
	default:
		fmt.Fprintf(f.err, "%s keeps the system prompt outside the messages; --system writes it to a file: %s\n", a.To, shown(a.System))
	}
	return f.printLine(json.RawMessage(a.Messages))
}

// shown returns a JSON value as text, shortened to at most 200 code points.
func shown(v []byte) string {
	const most = 200
	runes := []rune(string(v))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
