package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	_ "github.com/ctxfold/ctxfold/core/full" // for the variable exact
)

// comparison is the result of compacting with one preset.
type comparison struct {
	Preset   string `json:"preset"`
	Reason   string `json:"reason"`
	Tokens   int    `json:"tokens"` // after the compaction, by one estimator for all presets
	Messages kept   `json:"messages_kept"`
	User     kept   `json:"user_messages_kept"`
	Prefix   kept   `json:"prefix_kept"`
	Cleared  int    `json:"cleared"`
	Folded   int    `json:"folded"`
	Dropped  int    `json:"dropped"`
	// Violations is the number of violations in the result for which a provider would reject it, and ExactViolations
	// the same with wire_safe off. They are nil if the violations could not be counted.
	Violations      *int   `json:"violations"`
	ExactViolations *int   `json:"violations_without_wire_safe"`
	Error           string `json:"error,omitempty"`
}

// kept counts input messages of one kind: Of is their number, and Kept how many of them the result contains
// unchanged.
type kept struct {
	Kept int `json:"kept"`
	Of   int `json:"of"`
}

// String returns text such as "3 of 5".
func (k kept) String() string { return fmt.Sprintf("%s of %s", count(k.Kept), count(k.Of)) }

// standIn replaces a model's summary when a published compaction system is simulated, because only the violations in
// its result are counted.
const standIn = "The conversation so far."

func compareCommand(f *flags) *cobra.Command {
	var policy policyFlags
	c := &cobra.Command{
		Use:   "compare [FILE|-]",
		Short: "Run all presets on one transcript and compare the results",
		Long: `compare compacts a transcript with every preset, without a model, and shows the results side by side: tokens, all
counted by one estimator (each preset decides by its own), input messages that stay unchanged, user messages among them, the
number of leading messages that a prompt cache can still use, and violations in the result. "exact" counts the violations with
"wire_safe": false, as the published systems do it.

Without --window, the window is half of the transcript's tokens, with an eighth of it reserved for the answer.`,
		Example: `  ctxfold compare --window 32000 session.json`,
		Args:    atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("preset") {
				return usage(c, "compare takes no --preset: it runs them all")
			}
			j, err := f.start(c, args, &policy, "", 0)
			if err != nil {
				return err
			}
			return j.compare(c.Context(), f)
		},
	}
	policy.register(c, true)
	c.Flags().Lookup("preset").Hidden = true
	return c
}

// compare compacts the conversation with each preset and prints the results. Without a window in the policy, the window
// is half of the conversation. It returns an error if one of the compactions fails.
func (j *job) compare(ctx context.Context, f *flags) error {
	info, err := j.Info(ctx)
	if err != nil {
		return err
	}
	base := map[string]any{}
	var named struct{ Window struct{ Tokens int } }
	if json.Unmarshal(j.Policy.Raw, &named) != nil || named.Window.Tokens == 0 {
		e, err := j.Estimate(ctx, j.Input)
		if err != nil {
			return j.sources.locate(err)
		}
		named.Window.Tokens = max(64, e.Tokens/2)
		base["window"] = map[string]any{"tokens": named.Window.Tokens, "reserve": named.Window.Tokens / 8}
	}
	var rows []comparison
	for _, p := range info.Presets {
		base["preset"] = p.Name
		row, err := j.compareOne(ctx, string(p.Name), base)
		if err != nil {
			return j.sources.locate(err)
		}
		rows = append(rows, row)
	}
	if f.json {
		text, err := json.Marshal(map[string]any{"window": named.Window.Tokens, "presets": rows})
		if err != nil {
			return err
		}
		return f.printLine(text)
	}
	t := newTable("preset", "#tokens", "#messages", "#of the user", "#prefix", "#cleared", "#folded", "#dropped", "#violations", "#exact", "result")
	for _, r := range rows {
		if r.Error != "" {
			t.AppendRow(table.Row{r.Preset, "", "", "", "", "", "", "", "", "", r.Error})
			continue
		}
		t.AppendRow(table.Row{r.Preset, count(r.Tokens), r.Messages, r.User, count(r.Prefix.Kept), count(r.Cleared), count(r.Folded), count(r.Dropped),
			number(r.Violations), number(r.ExactViolations), sentence(r.Reason)})
	}
	fmt.Fprintln(f.out, t.Render())
	lines(f.out, [2]string{"window", count(named.Window.Tokens) + " tokens"}, j.read())
	return nil
}

func number(n *int) string {
	if n == nil {
		return "?"
	}
	return count(*n)
}

// exact runs the published systems natively, because the module doesn't include them.
var exact = ctxfold.New(ctxfold.Options{})

// compareOne compacts with one preset, after adding the given members to its policy. If the policy is then invalid, the row contains the
// error.
func (j *job) compareOne(ctx context.Context, preset string, members map[string]any) (comparison, error) {
	row := comparison{Preset: preset}
	policy, err := j.sources["policy"].with(members)
	if err != nil {
		return row, err
	}
	in := j.Input
	in.Policy = ctxfold.RawPolicy(policy.text)
	r, err := j.CompactWith(ctx, in, nil)
	var e *ctxfold.Error
	if errors.As(err, &e) && e.Input == "policy" {
		row.Error = e.Message
		return row, nil
	}
	if err != nil {
		return row, err
	}
	row.Reason = string(r.Report.Reason)
	if row.Tokens, err = j.tokens(ctx, r); err != nil {
		return row, err
	}
	row.Cleared, row.Folded, row.Dropped = r.Report.Cleared, r.Report.Folded, r.Report.Dropped
	given, left := elements(in.Messages), elements(r.Messages)
	row.Prefix = kept{r.Report.StablePrefix.Messages, len(given)}
	row.Messages.Of = len(given)
	same := map[string]int{}
	for _, m := range left {
		same[string(m)]++
	}
	for _, m := range given {
		stays, user := 0, 0
		if same[string(m)] > 0 {
			same[string(m)]--
			stays = 1
		}
		if isUser(m) {
			user = 1
		}
		row.Messages.Kept += stays
		row.User.Of += user
		row.User.Kept += user * stays
	}
	in.Format = r.Report.Format // the result may be too short for detection
	if row.Violations, err = j.violations(ctx, in, r.Messages); err != nil {
		return row, err
	}
	off := maps.Clone(members)
	off["wire_safe"], off["summary"] = false, map[string]any{"mode": "model"}
	if policy, err = j.sources["policy"].with(off); err != nil {
		return row, err
	}
	unsafe := in
	unsafe.Policy = ctxfold.RawPolicy(policy.text)
	said := ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
		return ctxfold.Summary{Text: standIn}, nil
	})
	if r, err = exact.CompactWith(ctx, unsafe, said); errors.As(err, &e) {
		return row, nil // the published system fails although ctxfold's preset does not
	} else if err != nil {
		return row, err
	}
	row.ExactViolations, err = j.violations(ctx, in, r.Messages)
	return row, err
}

// tokens estimates the tokens of a result with the same policy for all presets, so that the numbers are comparable. r
// must have Messages.
func (j *job) tokens(ctx context.Context, r *ctxfold.Result) (int, error) {
	e, err := j.Estimate(ctx, ctxfold.Input{Messages: r.Messages, Policy: j.Policy, Format: r.Report.Format})
	if err != nil {
		return 0, err
	}
	return e.Tokens, nil
}

// violations returns the number of violations for which a provider would reject a result, or nil if the result is no
// longer a transcript.
func (j *job) violations(ctx context.Context, in ctxfold.Input, messages []byte) (*int, error) {
	in.Messages = messages
	v, err := j.Validate(ctx, in)
	var e *ctxfold.Error
	if errors.As(err, &e) && e.Input == "messages" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n := 0
	for _, x := range v.Violations {
		if x.Severity == "refused" {
			n++
		}
	}
	return &n, nil
}

// elements returns the messages of a transcript, which is a list or a request body. It returns nil for anything else.
func elements(transcript []byte) (list []json.RawMessage) {
	if json.Unmarshal(transcript, &list) == nil {
		return list
	}
	var body struct{ Messages, Input, Contents []json.RawMessage }
	if json.Unmarshal(transcript, &body) != nil {
		return nil
	}
	return append(append(body.Messages, body.Input...), body.Contents...)
}

// isUser reports whether the user wrote a message. Such a message has the role "user" and contains more than tool results.
func isUser(message []byte) bool {
	var m struct {
		Role           string
		Content, Parts json.RawMessage
	}
	if json.Unmarshal(message, &m) != nil || m.Role != "user" {
		return false
	}
	var parts []struct {
		Type             string
		FunctionResponse json.RawMessage
	}
	if json.Unmarshal(m.Content, &parts) != nil && json.Unmarshal(m.Parts, &parts) != nil {
		return true
	}
	for _, p := range parts {
		if p.Type != "tool_result" && p.FunctionResponse == nil {
			return true
		}
	}
	return len(parts) == 0
}
