package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

func validateCommand(f *flags) *cobra.Command {
	var policy policyFlags
	c := &cobra.Command{
		Use:   "validate [FILE|-]",
		Short: "Find what a provider would refuse in a transcript",
		Long: `validate lists where a transcript breaks the rules of its wire format, for example a tool call without a result. It
exits with 1 when it finds any.`,
		Example: `  ctxfold validate session.json && echo fine`,
		Args:    atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			j, err := f.start(c, args, &policy, "", 0)
			if err != nil {
				return err
			}
			a, err := j.Validate(c.Context(), j.Input)
			if err != nil {
				return j.sources.locate(err)
			}
			switch {
			case f.json:
				err = f.printLine(a.Raw)
			case a.Valid:
				fmt.Fprintf(f.out, "%s: valid (%s, format %s)\n", j.sources["messages"].name, plural(a.Messages, "message"), a.Format)
			default:
				fmt.Fprintf(f.out, "%s: %s (%s, format %s)\n", j.sources["messages"].name,
					text.FgRed.Sprint(plural(len(a.Violations), "violation")), plural(a.Messages, "message"), a.Format)
				t := newTable("rule", "line:column", "path", "what is wrong", "repair")
				t.SuppressEmptyColumns()
				for _, v := range a.Violations {
					place := ""
					if !j.sources["messages"].made {
						line, column := position(j.Messages, v.Offset)
						place = fmt.Sprintf("%d:%d", line, column)
					}
					t.AppendRow(table.Row{v.Rule, place, v.Path, v.Text, strings.ReplaceAll(v.Repair, "_", " ")})
				}
				fmt.Fprintln(f.out, t.Render())
			}
			if err == nil && !a.Valid {
				return errViolations
			}
			return err
		},
	}
	policy.register(c, false)
	return c
}

func repairCommand(f *flags) *cobra.Command {
	var policy policyFlags
	c := &cobra.Command{
		Use:   "repair [FILE|-]",
		Short: "Mend what a provider would refuse in a transcript",
		Long: `repair does about each violation what validate says, and leaves all else as it was. It prints the transcript on
standard output and what it did on standard error. It exits with 1 when violations are left that only you can mend.`,
		Example: `  ctxfold repair session.json > valid.json`,
		Args:    atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			j, err := f.start(c, args, &policy, "", 0)
			if err != nil {
				return err
			}
			a, err := j.Repair(c.Context(), j.Input)
			if err != nil {
				return j.sources.locate(err)
			}
			if f.json {
				err = f.printLine(a.Raw)
			} else {
				if j.session != nil {
					lines(f.err, j.read())
				}
				if len(a.Report.Actions) == 0 {
					fmt.Fprintln(f.err, "nothing to mend")
				} else {
					t := newTable("rule", "#message", "repair")
					for _, r := range a.Report.Actions {
						t.AppendRow(table.Row{r.Rule, r.Message, r.Action})
					}
					fmt.Fprintln(f.err, t.Render())
				}
				if !a.Valid {
					fmt.Fprintln(f.err, text.FgRed.Sprint("violations are left"), "(validate lists them)")
				}
				err = f.printTranscript(a.Messages, a.Edits)
			}
			if err == nil && !a.Valid {
				return errViolations
			}
			return err
		},
	}
	policy.register(c, false)
	return c
}
