package digest_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/facts"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// TestRetention measures how much of a conversation a digest keeps. It cuts real sessions at 50 % and 80 % of their
// tokens, digests the part before the cut, and searches the digest for those facts in this part that the user or the
// agent mentions again after the cut. It compares the local digest with other methods at the same number of tokens, and
// writes the table of docs/inside/benchmarks.md to the log and to the file that CTXFOLD_RETENTION names.
func TestRetention(t *testing.T) {
	est := tokens.ByName("bytes4")
	methods := []method{
		{"marker only (S0.27)", marker},
		{"elided count (S3.28)", elided},
		{"user turns, last 3 answers", userTurns},
		{"head and tail", headAndTail},
		{"local digest", local},
	}
	ours := len(methods) - 1
	budgets := []int{500, 1000, 2000}
	var rows []retained
	for _, s := range sessions.Load(t, formats...) {
		if strings.HasSuffix(s.Name, ")") || strings.HasSuffix(s.Name, "gemini-contents.json") || strings.HasSuffix(s.Name, "ui-messages.json") {
			continue // the same session in another format
		}
		tr, seq := read(t, s.Format, string(s.JSON()))
		groups := tr.Groups(seq)
		total := 0
		for i := range tr.Messages {
			total += est.Message(tr, i)
		}
		for _, percent := range []int{50, 80} {
			cut, sum := 0, 0
			for cut < len(seq) && (sum < total*percent/100 || cut > 0 && groups[cut] == groups[cut-1]) {
				sum += est.Message(tr, cut)
				cut++
			}
			if sum < 8000 { // four times the largest digest: below that there is nothing to choose
				continue
			}
			wanted := facts.Used(tr, seq[:cut], seq[cut:])
			if len(wanted) < 10 {
				continue
			}
			row := retained{name: fmt.Sprintf("%s at %d %%", s.Name, percent), tokens: sum, facts: wanted}
			row.requests = facts.Requests(tr, seq[:cut])
			for m, how := range methods {
				for b, budget := range budgets {
					text := how.digest(tr, seq[:cut], est, budget)
					if n := est.Text(text); n > budget {
						t.Errorf("%s: %s takes %d tokens of %d", row.name, how.name, n, budget)
					}
					row.add(m, b, text)
				}
			}
			rows = append(rows, row)
		}
	}
	if len(rows) < 10 {
		t.Fatalf("only %d cuts to measure", len(rows))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d cuts of real sessions; share of the facts used later that the digest holds, median over the cuts (mean):\n\n", len(rows))
	fmt.Fprintf(&out, "| digest |")
	for _, b := range budgets {
		fmt.Fprintf(&out, " %d tokens |", b)
	}
	fmt.Fprintf(&out, " requests of the user that fit |\n|---|---:|---:|---:|---:|\n")
	for m, how := range methods {
		fmt.Fprintf(&out, "| %s |", how.name)
		for b := range budgets {
			all := shares(rows, m, b, "")
			fmt.Fprintf(&out, " %.1f %% (%.1f) |", 100*median(all), 100*mean(all))
		}
		kept, fit := 0, 0
		for _, r := range rows {
			kept += r.kept[key{m, len(budgets) - 1, "request that fits"}]
			fit += r.fit(budgets[len(budgets)-1])
		}
		fmt.Fprintf(&out, " %d of %d |\n", kept, fit)
	}
	kinds := []string{"path", "url", "identifier", "number", "error", "request"}
	fmt.Fprintf(&out, "\nBy kind, at %d tokens, all cuts together:\n\n| digest |", budgets[2])
	for _, k := range kinds {
		fmt.Fprintf(&out, " %s |", k)
	}
	fmt.Fprintf(&out, "\n|---|%s\n| facts |", strings.Repeat("---:|", len(kinds)))
	for _, k := range kinds {
		n := 0
		for _, r := range rows {
			n += r.count(k)
		}
		fmt.Fprintf(&out, " %d |", n)
	}
	fmt.Fprintln(&out)
	for m, how := range methods {
		fmt.Fprintf(&out, "| %s |", how.name)
		for _, k := range kinds {
			kept, n := 0, 0
			for _, r := range rows {
				kept, n = kept+r.kept[key{m, 2, k}], n+r.count(k)
			}
			fmt.Fprintf(&out, " %.1f %% |", 100*float64(kept)/float64(max(n, 1)))
		}
		fmt.Fprintln(&out)
	}
	fmt.Fprintf(&out, "\nBy cut, at %d tokens:\n\n| session | tokens | facts | best of the others | local digest | ratio |\n|---|---:|---:|---:|---:|---:|\n", budgets[2])
	var ratios []float64
	for _, r := range rows {
		best := 0.0
		for m := range ours {
			best = max(best, r.share(m, 2, ""))
		}
		ratio := r.share(ours, 2, "") / max(best, 0.001)
		ratios = append(ratios, ratio)
		fmt.Fprintf(&out, "| %s | %d | %d | %.1f %% | %.1f %% | %.2f |\n", r.name, r.tokens, r.count(""), 100*best, 100*r.share(ours, 2, ""), ratio)
	}
	fmt.Fprintf(&out, "\nMedian ratio %.2f\n", median(ratios))
	if m := median(ratios); m < 1.1 { // the digest is written for a reader; keeping these facts is only a side effect
		t.Errorf("on the median cut the local digest keeps %.2f times as much as the best of the others", m)
	}
	kept, fit := 0, 0
	for _, r := range rows {
		kept, fit = kept+r.kept[key{ours, 2, "request that fits"}], fit+r.fit(2000)
	}
	if kept*10 < fit*9 { // long ones are clipped in favour of others
		t.Errorf("%d requests of the user are kept, but %d fit", kept, fit)
	}
	t.Log("\n" + out.String())
	if file := os.Getenv("CTXFOLD_RETENTION"); file != "" {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

var formats = []string{"openai-chat", "openai-responses", "anthropic", "gemini"}

type method struct {
	name   string
	digest func(tr *transcript.Transcript, messages []int32, est *tokens.Profile, budget int) string
}

func marker(_ *transcript.Transcript, messages []int32, _ *tokens.Profile, _ int) string {
	return fmt.Sprintf("[Context compacted: %d messages removed to fit context window]", len(messages))
}

func elided(_ *transcript.Transcript, messages []int32, _ *tokens.Profile, _ int) string {
	return fmt.Sprintf("# Carryover\n%d messages elided.", len(messages))
}

func userTurns(tr *transcript.Transcript, messages []int32, est *tokens.Profile, budget int) string {
	max := est.MaxUnits(budget)
	var answers []string
	for _, i := range slices.Backward(messages) {
		if tr.Messages[i].Role != transcript.Assistant || len(answers) == 3 {
			continue
		}
		for _, p := range tr.PartsOf(int(i)) {
			if p.Kind == transcript.Text && tr.Text(p.Body) != "" {
				answers = append(answers, tr.Text(p.Body))
				break
			}
		}
	}
	slices.Reverse(answers)
	tail := cutTo(strings.Join(answers, "\n"), max/2)
	left := max - len(tail)
	var head []string
	for _, r := range slices.Backward(facts.Requests(tr, messages)) {
		r = cutTo(r, left-1)
		left -= len(r) + 1
		head = append(head, r)
		if left <= 1 {
			break
		}
	}
	slices.Reverse(head)
	return cutTo(strings.Join(head, "\n")+"\n"+tail, max)
}

func headAndTail(tr *transcript.Transcript, messages []int32, est *tokens.Profile, budget int) string {
	text := digest.Flatten(tr, messages, 0)
	half := est.MaxUnits(budget) / 2
	return strings.ToValidUTF8(text[:half-8]+"\n[…]\n"+text[len(text)-half+8:], "")
}

func cutTo(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:max(n, 0)]
}

func local(tr *transcript.Transcript, messages []int32, est *tokens.Profile, budget int) string {
	l := &digest.Ledger{}
	l.Add(tr, messages)
	return digest.NewExtract(tr, messages, "", l).Digest(est.MaxUnits(budget))
}

type key struct {
	method, budget int
	kind           string
}

// retained holds the measurements at one cut.
type retained struct {
	name     string
	tokens   int
	facts    []facts.Fact
	requests []string
	kept     map[key]int
}

func (r *retained) add(m, b int, text string) {
	if r.kept == nil {
		r.kept = map[key]int{}
	}
	for _, f := range r.facts {
		if facts.Holds(text, f.Text) {
			r.kept[key{m, b, f.Kind}]++
			r.kept[key{m, b, ""}]++
		}
	}
	flat := facts.Words(text)
	for i, q := range r.requests {
		if strings.Contains(flat, facts.Words(q)) {
			r.kept[key{m, b, "request"}]++
			r.kept[key{m, b, ""}]++
			if i >= len(r.requests)-r.fit(2000) {
				r.kept[key{m, b, "request that fits"}]++
			}
		}
	}
}

// fit returns how many of the newest requests fit into two fifths of a digest.
func (r *retained) fit(budget int) int {
	left, n := budget*4*2/5, 0
	for _, q := range slices.Backward(r.requests) {
		if left -= len(q) + 4; left < 0 {
			break
		}
		n++
	}
	return n
}

func (r *retained) count(kind string) int {
	n := 0
	for _, f := range r.facts {
		if kind == "" || f.Kind == kind {
			n++
		}
	}
	if kind == "" || kind == "request" {
		n += len(r.requests)
	}
	return n
}

func (r *retained) share(m, b int, kind string) float64 {
	return float64(r.kept[key{m, b, kind}]) / float64(max(1, r.count(kind)))
}

func shares(rows []retained, m, b int, kind string) (out []float64) {
	for _, r := range rows {
		out = append(out, r.share(m, b, kind))
	}
	return out
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
