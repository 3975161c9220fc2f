package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// newTable returns a table with the given headings. A heading that begins with # is for a column of numbers.
func newTable(headings ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	header := make(table.Row, len(headings))
	var numbers []table.ColumnConfig
	for i, h := range headings {
		name, number := strings.CutPrefix(h, "#")
		header[i] = name
		if number {
			numbers = append(numbers, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(numbers)
	return t
}

// lines prints facts in two columns, one fact per line with its name and its value. Facts without a value are left out.
func lines(w io.Writer, facts ...[2]string) {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Box.PaddingLeft = ""
	t.Style().Box.PaddingRight = "  "
	for _, f := range facts {
		if f[1] != "" {
			t.AppendRow(table.Row{f[0], f[1]})
		}
	}
	for line := range strings.Lines(t.Render() + "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

// count formats a number with commas between groups of three digits.
func count(n int) string {
	digits := strconv.Itoa(n)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// plural formats a number with its noun, as in "1 message" and "2 messages".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(n) + " " + noun
}

// change formats a relative change in percent, rounded, or returns "same" if nothing changed or before is 0. A change is
// never shown as 0 %, nor as -100 % if anything is left.
func change(before, after int) string {
	if before == after || before == 0 {
		return "same"
	}
	percent := 100 * float64(after-before) / float64(before)
	rounded := math.Round(percent) // -62.5 is -63 here, as in JavaScript; fmt would round it to -62
	switch {
	case rounded == 0:
		return fmt.Sprintf("%+.1f %%", math.Copysign(max(math.Abs(percent), 0.1), percent))
	case rounded == -100 && after > 0:
		return fmt.Sprintf("%+.1f %%", max(percent, -99.9))
	}
	return fmt.Sprintf("%+.0f %%", rounded)
}

// reasons explains each reason in a [ctxfold.Report] or an [api.Check] to users.
var reasons = map[string]string{
	"compacted":       "compacted",
	"under_budget":    "unchanged: the transcript is below the limit",
	"over_limit":      "the transcript is above the limit",
	"unlimited":       "unchanged: the policy has no limit",
	"no_progress":     "unchanged: nothing could be gained",
	"needs_summaries": "waiting for summaries",
}

func sentence(reason string) string {
	if s := reasons[reason]; s != "" {
		return s
	}
	return reason
}

// printReport prints the report of a compaction. more are further rows, each with a name and a value.
func printReport(w io.Writer, r ctxfold.Report, more ...[2]string) {
	t := newTable("", "#before", "#after", "#change")
	t.AppendRow(table.Row{"messages", count(r.Messages.Before), count(r.Messages.After), change(r.Messages.Before, r.Messages.After)})
	t.AppendRow(table.Row{"tokens", count(r.Tokens.Before), count(r.Tokens.After), change(r.Tokens.Before, r.Tokens.After)})
	fmt.Fprintln(w, t.Render())
	result := sentence(string(r.Reason))
	if r.Changed {
		result = text.FgGreen.Sprint(result)
	} else {
		result = text.FgYellow.Sprint(result)
	}
	facts := [][2]string{{"result", result}}
	if r.Tokens.Window > 0 {
		facts = append(facts, [2]string{"window", count(r.Tokens.Window) + " tokens, compaction is due above " + count(r.Tokens.Limit)})
	}
	if r.Changed || r.Reason == "needs_summaries" {
		facts = append(facts, [2]string{"cleared", whatWasCleared(r)})
	}
	if r.Changed {
		facts = append(facts,
			[2]string{"folded", whatWasFolded(r)},
			[2]string{"restored", whatWasRestored(r)})
		facts = append(facts, whatElse(r)...)
		facts = append(facts,
			[2]string{"repaired", whatWasRepaired(r)},
			[2]string{"summary", whereTheSummaryIsFrom(r)},
			[2]string{"unchanged", whatIsUnchanged(r)})
	}
	facts = append(facts, [2]string{"by", fmt.Sprintf("preset %s, format %s, %s", r.Preset, r.Format, estimator(r.Estimator, r.Tokens.Source, r.Tokens.Bound))})
	lines(w, append(facts, more...)...)
}

// warn prints warnings about a result on standard error. It returns errOver if the result does not fit.
func warn(w io.Writer, r ctxfold.Report) error {
	if r.Thrashing != nil {
		fmt.Fprintf(w, "ctxfold: warning: compacted %d times in a row: %s\n", r.Thrashing.Compactions, r.Thrashing.Text)
	}
	if r.Over == nil {
		return nil
	}
	fmt.Fprintf(w, "ctxfold: warning: %s\n", r.Over.Text)
	return errOver
}

func whatWasCleared(r ctxfold.Report) string {
	if r.Cleared == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, saves %s tokens (%s)", plural(r.Cleared, "tool result"), count(saved(r, "clear")),
		tally(r, "clear", func(a api.Action) string { return a.Tool }))
}

func whatWasFolded(r ctxfold.Report) string {
	if r.Folded == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s into one digest, saves %s tokens", plural(r.Folded, "message"), count(saved(r, "fold")))
}

func whatWasRestored(r ctxfold.Report) string {
	if r.Restored == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, costs %s tokens (%s)", plural(r.Restored, "file"), count(-saved(r, "rehydrate")),
		tally(r, "rehydrate", func(a api.Action) string { return a.Path }))
}

// whatElse returns a fact for each pass that the other lines of the report don't cover.
func whatElse(r ctxfold.Report) [][2]string {
	var passes []api.Doer
	for _, a := range r.Actions {
		if !slices.Contains(append(passes, "clear", "fold", "rehydrate", "repair"), a.Pass) {
			passes = append(passes, a.Pass)
		}
	}
	var facts [][2]string
	for _, pass := range passes {
		facts = append(facts, [2]string{string(pass), fmt.Sprintf("saves %s tokens", count(saved(r, pass)))})
	}
	return facts
}

// whatWasRepaired returns a summary of the repairs, or "" if there were none, which is the normal case.
func whatWasRepaired(r ctxfold.Report) string {
	if r.Repaired == 0 {
		return ""
	}
	return plural(r.Repaired, "place") + " that the provider would refuse"
}

func whatIsUnchanged(r ctxfold.Report) string {
	if r.StablePrefix.Messages == 0 {
		return "nothing at the front, so a prompt cache starts over"
	}
	return fmt.Sprintf("the first %s (%s tokens), which a prompt cache can still use",
		plural(r.StablePrefix.Messages, "message"), count(r.StablePrefix.Tokens))
}

// saved returns the number of tokens that a pass saved.
func saved(r ctxfold.Report, pass api.Doer) int {
	sum := 0
	for _, a := range r.Actions {
		if a.Pass == pass {
			sum += a.Tokens
		}
	}
	return sum
}

func whereTheSummaryIsFrom(r ctxfold.Report) string {
	switch s := r.Summary; {
	case s.Source == "none":
		return "none was needed"
	case s.Source == "model":
		return "the summarizer's"
	case s.Fault != "":
		return "the local digest, because the summarizer's was not taken: " + string(s.Fault)
	default:
		return "the local digest"
	}
}

// tally counts a pass's actions by name and lists the names, the most frequent first: "4 Read, 2 Bash", or "a.go,
// b.go" if no name occurs twice.
func tally(r ctxfold.Report, pass api.Doer, name func(api.Action) string) string {
	var names []string
	counts := map[string]int{}
	for _, a := range r.Actions {
		n := name(a)
		if n == "" || a.Pass != pass {
			continue
		}
		if counts[n] == 0 {
			names = append(names, n)
		}
		counts[n]++
	}
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	if len(names) == 0 || counts[names[0]] == 1 {
		return strings.Join(names, ", ")
	}
	for i, n := range names {
		names[i] = count(counts[n]) + " " + n
	}
	return strings.Join(names, ", ")
}

// estimator describes how token counts were determined, and their error bound.
func estimator(name api.Estimator, source api.TokenSource, bound int) string {
	return fmt.Sprintf("estimator %s, %s within %d %%", name, source, bound)
}
