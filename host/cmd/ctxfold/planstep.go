package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

func planCommand(f *flags) *cobra.Command {
	var policy policyFlags
	var redact redactFlag
	var state string
	c := &cobra.Command{
		Use:   "plan [FILE|-]",
		Short: "Show what a compaction would do, and which summaries it needs",
		Long: `plan shows what a compaction would do. With --json it prints the plan and the requests for summaries, which step
continues on this machine or on another.`,
		Example: `  ctxfold plan --window 32000 session.json
  ctxfold plan --window 32000 --json session.json > plan.json
  jq -r '.requests[0].prompt' plan.json | my-model > summary.txt
  jq -n --rawfile text summary.txt '[{id: "fold-1", text: $text}]' > summaries.json
  ctxfold step --plan plan.json --summaries summaries.json --json session.json`,
		Args: atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			j, err := f.start(c, args, &policy, state, 0)
			if err != nil {
				return err
			}
			j.Redact = redact.find()
			a, err := j.Plan(c.Context(), j.Input)
			if err != nil {
				return j.sources.locate(err)
			}
			return f.printAnswer(a, j.read())
		},
	}
	policy.register(c, true)
	policy.registerForce(c)
	redact.register(c)
	c.Flags().StringVar(&state, "state", "", "the `FILE` with the state of the conversation, if it was compacted before")
	return c
}

func stepCommand(f *flags) *cobra.Command {
	var planFile, summariesFile string
	c := &cobra.Command{
		Use:   "step --plan FILE [--summaries FILE] [FILE|-]",
		Short: "Continue a plan with the summaries that it needs",
		Long: `step continues a plan for the same transcript. The plan is the output of plan --json. The summaries are a list of
{"id","text"}, or {"id","error"} for one that failed. Without --summaries, digests made without a model replace all of
them. The policy is the plan's.`,
		Example: `  ctxfold step --plan plan.json --summaries summaries.json session.json
  ctxfold step --plan plan.json --json session.json | jq .messages > shorter.json`,
		Args: atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if planFile == "" {
				return usage(c, "step needs a plan: name the file with --plan")
			}
			plan, err := f.readPlan(planFile)
			if err != nil {
				return err
			}
			summaries, err := f.readSummaries(summariesFile)
			if err != nil {
				return err
			}
			j, err := f.start(c, args, nil, "", 0)
			if err != nil {
				return err
			}
			j.sources["plan"] = plan
			a, err := j.Step(c.Context(), ctxfold.Input{Messages: j.Messages}, plan.text, summaries)
			for err == nil && summariesFile == "" && len(a.Requests) > 0 {
				a, err = j.Step(c.Context(), ctxfold.Input{Messages: j.Messages}, a.Plan, decline(a.Requests))
			}
			if err != nil {
				return j.sources.locate(err)
			}
			return f.printAnswer(a, j.read())
		},
	}
	c.Flags().StringVar(&planFile, "plan", "", "the `FILE` with the plan")
	c.Flags().StringVar(&summariesFile, "summaries", "", "the `FILE` with the summaries")
	return c
}

// readPlan reads a plan, or a complete answer that contains one. name is its file. Anything else is an error.
func (f *flags) readPlan(name string) (source, error) {
	s, err := f.readJSON(name)
	if err != nil {
		return s, err
	}
	var answer struct {
		Plan   json.RawMessage `json:"plan"`
		Report json.RawMessage `json:"report"`
	}
	if err := json.Unmarshal(s.text, &answer); err != nil {
		return s, fmt.Errorf("%s is not a plan: it must hold what `ctxfold plan --json` prints", s.name)
	}
	switch {
	case answer.Plan != nil:
		return source{name: s.name, text: answer.Plan, made: true}, nil
	case answer.Report != nil:
		return s, fmt.Errorf("%s is an answer without a plan: it needs no summaries, so there is nothing to continue", s.name)
	}
	return s, nil
}

// readSummaries reads the list of summaries, if there is a file. An empty name means no summaries. Anything but a list
// of summaries is an error.
func (f *flags) readSummaries(name string) ([]ctxfold.Summary, error) {
	if name == "" {
		return nil, nil
	}
	s, err := f.readJSON(name)
	if err != nil {
		return nil, err
	}
	var summaries []ctxfold.Summary
	if err := json.Unmarshal(s.text, &summaries); err != nil {
		return nil, fmt.Errorf(`%s does not hold summaries: it must be a list like [{"id":"fold-1","text":"…"}]`, s.name)
	}
	return summaries, nil
}

// decline answers each request with an error, which results in local digests.
func decline(requests []ctxfold.Request) []ctxfold.Summary {
	summaries := make([]ctxfold.Summary, len(requests))
	for i, q := range requests {
		summaries[i] = ctxfold.Summary{ID: q.ID, Error: "no summary was given"}
	}
	return summaries
}

// printAnswer prints the report of a plan or a step, and the requests for summaries if there are any. read is a line
// about the input. If the result is over its limit, it returns the error that sets the exit code.
func (f *flags) printAnswer(a *api.Planned, read [2]string) error {
	f.warn(a.Report.Left)
	if f.json {
		if err := f.printLine(a.Raw); err != nil {
			return err
		}
		return warn(f.err, a.Report)
	}
	wanted := [][2]string{read}
	for _, q := range a.Requests {
		wanted = append(wanted, [2]string{"request", fmt.Sprintf("%s: a summary of the %s in at most %s tokens, from %s tokens",
			q.ID, q.Scope, count(q.MaxOutputTokens), count(q.InputTokens))})
	}
	printReport(f.out, a.Report, wanted...)
	switch {
	case len(a.Requests) > 0:
		fmt.Fprintln(f.out, "\nWith --json you get the plan and the prompts. Continue with step, or let compact do everything.")
	case a.Report.Changed:
		fmt.Fprintln(f.out, "\nWith --json you get the messages and the state.")
	}
	return warn(f.err, a.Report)
}
