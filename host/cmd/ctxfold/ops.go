package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

func checkCommand(f *flags) *cobra.Command {
	var policy policyFlags
	var state string
	c := &cobra.Command{
		Use:     "check [FILE|-]",
		Short:   "Say whether compaction is due",
		Example: `  ctxfold check --window 200000 session.json`,
		Args:    atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			j, err := f.start(c, args, &policy, state, 0)
			if err != nil {
				return err
			}
			a, err := j.Check(c.Context(), j.Input)
			if err != nil {
				return j.sources.locate(err)
			}
			if f.json {
				return f.printLine(a.Raw)
			}
			due := text.FgGreen.Sprint("no")
			if a.Due {
				due = text.FgYellow.Sprint("yes")
			}
			window, limit := "unknown", ""
			if a.Window > 0 {
				window = count(a.Window) + fmt.Sprintf(" tokens, %.0f %% of them used", 100*a.Ratio)
				limit = count(a.Limit) + " tokens"
			}
			lines(f.out,
				j.read(),
				[2]string{"compaction is due", due},
				[2]string{"why", strings.TrimPrefix(sentence(string(a.Reason)), "unchanged: ")},
				[2]string{"size", fmt.Sprintf("%s, %s tokens", plural(a.Messages, "message"), count(a.Tokens))},
				[2]string{"limit", limit},
				[2]string{"window", window},
				[2]string{"by", fmt.Sprintf("format %s, %s", a.Format, estimator(a.Estimator, a.Source, a.Bound))})
			return nil
		},
	}
	policy.register(c, true)
	c.Flags().StringVar(&state, "state", "", "the `FILE` with the state of the conversation, if it was compacted before")
	return c
}

func estimateCommand(f *flags) *cobra.Command {
	var policy policyFlags
	var asText bool
	c := &cobra.Command{
		Use:   "estimate [FILE|-]",
		Short: "Estimate the tokens of a transcript or a text",
		Example: `  ctxfold estimate session.json
  ctxfold estimate --text README.md
  git diff | ctxfold estimate --text`,
		Args: atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			a, read, err := f.estimate(c, args, &policy, asText)
			if err != nil {
				return err
			}
			if f.json {
				return f.printLine(a.Raw)
			}
			facts := [][2]string{read, {"tokens", count(a.Tokens)}}
			by := estimator(a.Estimator, a.Source, a.Bound)
			if a.Format != "" {
				facts = append(facts, [2]string{"messages", count(len(a.Messages))})
				by = "format " + string(a.Format) + ", " + by
			}
			if a.Beside > 0 {
				facts = append(facts, [2]string{"of these", count(a.Beside) + " outside the messages: system prompt and tools"})
			}
			facts = append(facts, [2]string{"by", by})
			lines(f.out, facts...)
			return nil
		},
	}
	policy.register(c, true)
	c.Flags().BoolVar(&asText, "text", false, "the input is plain text, not a transcript")
	return c
}

// estimate returns the estimate and, if the input is a session file, the report's line about that file. asText means
// that the input is plain text and not a transcript. args has the FILE, if it is given.
func (f *flags) estimate(c *cobra.Command, args []string, policy *policyFlags, asText bool) (*api.Estimate, [2]string, error) {
	if asText {
		a, err := f.estimateText(c, args, policy)
		return a, [2]string{}, err
	}
	j, err := f.start(c, args, policy, "", 0)
	if err != nil {
		return nil, [2]string{}, err
	}
	a, err := j.Estimate(c.Context(), j.Input)
	return a, j.read(), j.sources.locate(err)
}

// estimateText estimates the tokens of a plain text, which is read from the file in args or from standard input.
func (f *flags) estimateText(c *cobra.Command, args []string, policy *policyFlags) (*api.Estimate, error) {
	p, err := policy.read(f, c)
	if err != nil {
		return nil, err
	}
	name, err := f.fileArgument(c, args)
	if err != nil {
		return nil, err
	}
	s, err := f.read(name)
	if err != nil {
		return nil, err
	}
	compactor, err := f.compactor(c.Context(), 0)
	if err != nil {
		return nil, err
	}
	a, err := compactor.EstimateText(c.Context(), string(s.text), ctxfold.RawPolicy(p.text))
	return a, inputs{"policy": p}.locate(err)
}

func detectCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "detect [FILE|-]",
		Short:   "Name the wire format of a transcript",
		Example: `  ctxfold detect session.json`,
		Args:    atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			j, err := f.start(c, args, nil, "", 0)
			if err != nil {
				return err
			}
			a, err := j.Detect(c.Context(), j.Messages)
			if err != nil {
				return j.sources.locate(err)
			}
			if f.json {
				return f.printLine(a.Raw)
			}
			format := string(a.Format)
			switch {
			case a.Shape != "":
				format = "none: these look like " + a.Shape
			case format == "":
				format = "not certain: name it with --format where it is needed"
			}
			lines(f.out, j.read(), [2]string{"format", format})
			if len(a.Candidates) > 0 {
				t := newTable("candidate", "#confidence", "evidence")
				for _, candidate := range a.Candidates {
					t.AppendRow(table.Row{candidate.Format, fmt.Sprintf("%.1f %%", 100*candidate.Confidence), strings.Join(candidate.Evidence, ", ")})
				}
				fmt.Fprintln(f.out, t.Render())
			}
			return nil
		},
	}
}

func infoCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "info",
		Short: "Show version, wire formats, estimators and limits",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			compactor, err := f.compactor(c.Context(), 0)
			if err != nil {
				return err
			}
			a, err := compactor.Info(c.Context())
			if err != nil {
				return err
			}
			if f.json {
				return f.printLine(a.Raw)
			}
			var formats []string
			for _, format := range a.Formats {
				formats = append(formats, fmt.Sprintf("%-16s %s", format.Name, format.Doc))
			}
			var presets []api.Preset
			for _, p := range a.Presets {
				presets = append(presets, p.Name)
			}
			lines(f.out,
				[2]string{"version", fmt.Sprintf("%s %s (ABI %d)", a.Name, a.Version, a.ABI)},
				[2]string{"operations", list(a.Ops)},
				[2]string{"formats", strings.Join(formats, "\n")},
				[2]string{"presets", list(presets)},
				[2]string{"estimators", list(a.Estimators)},
				[2]string{"passes", list(a.Passes)},
				[2]string{"limits", fmt.Sprintf("requests of %s bytes, JSON nested %s deep", count(a.Limits.Bytes), count(a.Limits.Depth))})
			return nil
		},
	}
}

// list joins names with commas.
func list[T ~string](names []T) string {
	var texts []string
	for _, name := range names {
		texts = append(texts, string(name))
	}
	return strings.Join(texts, ", ")
}

func presetsCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "presets [NAME]",
		Short:   "List the presets with their policies, or show the policy of one",
		Example: "  ctxfold presets\n  ctxfold presets default > policy.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			compactor, err := f.compactor(c.Context(), 0)
			if err != nil {
				return err
			}
			a, err := compactor.Info(c.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return f.printPreset(a.Presets, args[0])
			}
			return f.printPresets(a)
		},
	}
}

// printPreset prints the policy of the preset with the given name. It returns an error if there is none.
func (f *flags) printPreset(presets []api.PresetInfo, name string) error {
	for _, p := range presets {
		if string(p.Name) == name {
			return f.printLine(p.Policy)
		}
	}
	return usageError{text: fmt.Sprintf("there is no preset %q; `ctxfold presets` lists them", name)}
}

// printPresets prints a table of the presets and their policies, or with --json the presets as a list.
func (f *flags) printPresets(a *api.Info) error {
	if f.json {
		var raw struct{ Presets json.RawMessage }
		if err := json.Unmarshal(a.Raw, &raw); err != nil {
			return err
		}
		return f.printLine(raw.Presets)
	}
	t := newTable("preset", "what it does")
	for _, p := range a.Presets {
		t.AppendRow(table.Row{p.Name, p.Doc})
	}
	fmt.Fprintln(f.out, t.Render())
	for _, p := range a.Presets {
		fmt.Fprintf(f.out, "\n%s\n%s\n", p.Name, p.Policy)
	}
	return nil
}
