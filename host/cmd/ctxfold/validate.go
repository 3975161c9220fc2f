package main

import (
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

func validateCommand(f *flags) *cobra.Command {
	var policy policyFlags
	c := &cobra.Command{
		Use:   "validate [FILE|-]",
		Short: "Find what a provider would refuse in a transcript",
		Long: `validate lists where a transcript breaks the rules of its wire format, for example a tool call without a result. The exit
code is 1 if the provider would refuse the transcript; violations that it tolerates are listed as advice.`,
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
			return violationsOr(f.printValidated(j, a), a.Valid)
		},
	}
	policy.register(c, false)
	return c
}

// violationsOr returns err or, without one, errViolations if a provider would refuse the transcript.
func violationsOr(err error, valid bool) error {
	if err == nil && !valid {
		return errViolations
	}
	return err
}

// printValidated prints the violations in a table, or with --json the whole answer.
func (f *flags) printValidated(j *job, a *api.Validation) error {
	name, messages := j.sources["messages"].name, plural(a.Messages, "message")
	switch {
	case f.json:
		return f.printLine(a.Raw)
	case len(a.Violations) == 0:
		fmt.Fprintf(f.out, "%s: valid (%s, format %s)\n", name, messages, a.Format)
		return nil
	}
	says := text.FgRed.Sprint(plural(len(a.Violations), "violation"))
	if a.Valid {
		says = "valid, with " + text.FgYellow.Sprint(plural(len(a.Violations), "violation")) + " that the provider tolerates"
	}
	fmt.Fprintf(f.out, "%s: %s (%s, format %s)\n", name, says, messages, a.Format)
	t := newTable("rule", "severity", "line:column", "path", "what is wrong", "repair")
	t.SuppressEmptyColumns()
	for _, v := range a.Violations {
		place := ""
		if !j.sources["messages"].made {
			line, column := position(j.Messages, v.Offset)
			place = fmt.Sprintf("%d:%d", line, column)
		}
		t.AppendRow(table.Row{v.Rule, v.Severity, place, v.Path, v.Text, strings.ReplaceAll(string(v.Repair), "_", " ")})
	}
	fmt.Fprintln(f.out, t.Render())
	if a.Format == "plain" && j.Policy.Format == "" {
		fmt.Fprintln(f.out, "No message shows its format, so the strictest rules were applied. Name yours with --format.")
	}
	return nil
}

func repairCommand(f *flags) *cobra.Command {
	var policy policyFlags
	c := &cobra.Command{
		Use:   "repair [FILE|-]",
		Short: "Repair what a provider would refuse in a transcript",
		Long: `repair fixes each violation that validate lists and leaves everything else unchanged. It prints the transcript on standard
output and what it did on standard error. The exit code is 1 if violations remain that only you can fix. Violations that the
provider tolerates stay, unless the policy has "repair":"all".`,
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
			f.warn(a.Report.Left)
			return violationsOr(f.printRepaired(j, a), a.Valid)
		},
	}
	policy.register(c, false)
	return c
}

// warn prints on standard error the violations that a provider would reject and that no repair could fix.
func (f *flags) warn(left []api.LeftViolation) {
	for _, v := range left {
		fmt.Fprintf(f.err, "%s the provider would refuse message %d, and only you can fix it: %s (%s)\n", text.FgRed.Sprint("warning:"), v.Message, v.Text, v.Rule)
	}
}

// printRepaired prints the repaired messages, and lists the repairs on standard error. With --json it prints the whole
// answer.
func (f *flags) printRepaired(j *job, a *api.Repaired) error {
	if f.json {
		return f.printLine(a.Raw)
	}
	if j.session != nil {
		lines(f.err, j.read())
	}
	if len(a.Report.Actions) == 0 {
		fmt.Fprintln(f.err, "nothing to repair")
	} else {
		t := newTable("rule", "#message", "repair")
		for _, r := range a.Report.Actions {
			t.AppendRow(table.Row{r.Rule, r.Message, r.Action})
		}
		fmt.Fprintln(f.err, t.Render())
	}
	return f.printLine(a.Messages)
}
