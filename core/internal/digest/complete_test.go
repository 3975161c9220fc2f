package digest_test

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/facts"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// How much of what it mentions a model's summary keeps, per thousand, as measured on summaries of coding agents.
var kept = []struct {
	spelling *regexp.Regexp
	of1000   uint32
	instead  string
}{
	{regexp.MustCompile(`https?://\S+`), 98, "the page"},
	{regexp.MustCompile("`[^`\n]{4,200}`"), 98, "it"},
	{regexp.MustCompile(`[\w@.~-]*/[\w@./-]+|\b[\w-]+\.[a-z]{1,5}\b`), 98, "the file"},
	{regexp.MustCompile(`\b\w*(?:[a-z][A-Z]|_|[A-Za-z][0-9])\w*\b`), 98, "the symbol"},
	{regexp.MustCompile(`\b\d[\d.,]*\b`), 19, "some"},
}

// summaryLike returns text that resembles a model's summary of messages. It contains the agent's newest sentences that
// fit into size bytes, without almost all paths, identifiers and numbers.
func summaryLike(tr *transcript.Transcript, messages []int32, size int) string {
	var all []string
	for _, i := range messages {
		if tr.Messages[i].Role != transcript.Assistant {
			continue
		}
		for _, p := range tr.PartsOf(int(i)) {
			if p.Kind == transcript.Text && p.Parent < 0 {
				all = append(all, strings.Split(tr.Text(p.Body), "\n")...)
			}
		}
	}
	var lines []string
	for i := len(all) - 1; i >= 0 && size > 0; i-- {
		line := strings.TrimSpace(all[i])
		if len(line) < 20 || strings.HasPrefix(line, "```") {
			continue
		}
		for _, k := range kept {
			line = k.spelling.ReplaceAllStringFunc(line, func(s string) string {
				h := fnv.New32a()
				h.Write([]byte(s))
				if h.Sum32()%1000 < k.of1000 {
					return s
				}
				return k.instead
			})
		}
		size -= len(line) + 3
		lines = append(lines, "- "+line)
	}
	return "# Status\n" + strings.Join(lines, "\n")
}

// TestCompletion measures how much a model's digest contains after code has completed it: facts before a cut that later
// messages use (by kind), commands that are run again, and the user's rules. In make test, all digests have the same
// size.
func TestCompletion(t *testing.T) {
	est := tokens.ByName("bytes4")
	budgets := []int{2000}
	if trials.All() {
		budgets = []int{500, 1000, 2000, 4000}
	}
	kinds := []string{"path", "url", "identifier", "number", "error", "command", "rule"}
	type cell struct{ held, of int }
	alone, whole := map[string]*cell{}, map[string]*cell{}
	count := func(m map[string]*cell, budget int, kind string, held bool) {
		for _, k := range []string{kind, ""} {
			key := fmt.Sprint(budget, k)
			if m[key] == nil {
				m[key] = &cell{}
			}
			m[key].of++
			if held {
				m[key].held++
			}
		}
	}
	cuts, sizes, before := 0, map[int]int{}, map[int]int{}
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
			wanted := facts.Used(tr, seq[:cut], seq[cut:])
			if sum < 8000 || len(wanted) < 10 {
				continue
			}
			cuts++
			l, later := &digest.Ledger{}, &digest.Ledger{}
			l.Add(tr, seq[:cut])
			later.Add(tr, seq[cut:])
			for _, budget := range budgets {
				size := est.MaxUnits(budget)
				text := summaryLike(tr, seq[:cut], size/2)
				done := digest.NewExtract(tr, seq[:cut], "", l).Complete(text, l.StandingBlock(size/4), size, 0)
				body := done.Text()
				sizes[budget] += est.Text(body)
				before[budget] += est.Text(text)
				for _, f := range wanted {
					if f.Kind == "error" {
						continue // nearly all are code that was read
					}
					count(alone, budget, f.Kind, facts.Holds(text, f.Text))
					count(whole, budget, f.Kind, facts.Holds(body, f.Text))
				}
				for _, c := range l.Commands {
					for _, again := range later.Commands {
						if c.Command == again.Command {
							count(alone, budget, "command", strings.Contains(text, c.Command))
							count(whole, budget, "command", strings.Contains(body, c.Command))
						}
					}
				}
				for _, f := range l.Errors {
					line, _, _ := strings.Cut(f.Text, "\n")
					count(alone, budget, "error", strings.Contains(text, line))
					count(whole, budget, "error", strings.Contains(body, line))
				}
				for _, r := range l.Standing {
					count(alone, budget, "rule", strings.Contains(text, r))
					count(whole, budget, "rule", strings.Contains(body, r))
				}
			}
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d cuts\n\n| digest of | tokens, mean |", cuts)
	for _, k := range append(kinds, "all") {
		fmt.Fprintf(&out, " %s |", k)
	}
	fmt.Fprintf(&out, "\n|---|%s\n", strings.Repeat("---:|", len(kinds)+2))
	for _, b := range budgets {
		for _, m := range []struct {
			name string
			of   map[string]*cell
			size map[int]int
		}{{"the summary alone", alone, before}, {"completed", whole, sizes}} {
			fmt.Fprintf(&out, "| %d tokens, %s | %d |", b, m.name, m.size[b]/max(1, cuts))
			for _, k := range append(kinds, "") {
				c := m.of[fmt.Sprint(b, k)]
				if c == nil {
					c = &cell{}
				}
				fmt.Fprintf(&out, " %.1f %% of %d |", 100*float64(c.held)/float64(max(1, c.of)), c.of)
			}
			fmt.Fprintln(&out)
		}
	}
	t.Log("\n" + out.String())
	for kind, least := range map[string]int{"path": 32, "identifier": 9, "error": 85, "command": 50, "rule": 95} {
		if c := whole["2000"+kind]; c == nil || c.held*100 < c.of*least {
			t.Errorf("of the facts of kind %s a digest of 2,000 tokens holds %+v, not %d %%", kind, c, least)
		}
	}
}

// Only facts that a model's text lacks are added to it, and every number comes with words.
func TestComplete(t *testing.T) {
	tr, seq := read(t, "native", `[
{"role":"user","content":"Never push to main. Answer in short sentences, please.\nThe timeout of the gateway is 4500 ms, see https://example.com/api."},
{"role":"assistant","content":"I decided to keep retry_budget at 250 because core/wire/detect.go drops every 7th frame, 1337 frames in all."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"bash","arguments":{"command":"go test ./core/wire | head -n 777"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"bash","content":"   812→func parse_item() {\nWall time: 0.4444 seconds"},
{"role":"assistant","content":[{"type":"tool_call","id":"2","name":"edit","arguments":{"path":"core/wire/limits.go","new_string":"const maxFrames = 9000"}}]}]`)
	var l digest.Ledger
	l.Add(tr, seq)
	complete := func(text string, room int) digest.Completed {
		return digest.NewExtract(tr, seq, "", &l).Complete(text, l.StandingBlock(1000), room, 0)
	}
	done := complete("# Objective\nRaise the limit in core/wire/limits.go, which holds `frame_budget`.\n\n# Guardrails\n- **Never push to main.**", 6000)
	text := done.Text()
	for _, want := range []string{"the gateway is 4500 ms", "retry_budget at 250", "1337 frames", "https://example.com/api", "core/wire/detect.go", "Answer in short sentences, please."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, not := range []string{"777;", "812", "0.4444"} {
		if strings.Contains(done.Missing, not) {
			t.Errorf("%q says nothing: %s", not, done.Missing)
		}
	}
	if block, _, _ := strings.Cut(text[strings.Index(text, "<standing-instructions>"):], "</standing"); strings.Contains(block, "Never push") {
		t.Errorf("a rule that the text says is said again:\n%s", block)
	}
	if done.Named != 2 || done.Unfounded != 1 {
		t.Errorf("%d of %d names are unfounded", done.Unfounded, done.Named)
	}
	if text := complete("# Objective\nThe user would rather have pushes to main.", 2000).Body; !strings.Contains(text, "Never push to main.") {
		t.Errorf("a rule that the text contradicts is not said:\n%s", text)
	}
	for room := range 1500 {
		done := complete("# Objective\nGo on.", room)
		if n := len(done.Missing); n > max(room/10, room/3) {
			t.Fatalf("%d bytes of facts in a room of %d", n, room)
		}
	}
}

// A path counts as founded if the record has it with a longer prefix, or in the middle of a long result.
func TestUnfounded(t *testing.T) {
	long := strings.Repeat("x y z ", 3000)
	tr, seq := read(t, "native", `[{"role":"user","content":"Go."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"read","arguments":{"path":"/repo/core/wire/detect.go"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"read","content":"`+long+` parse_item in lib/deep.go `+long+`"}]`)
	for text, want := range map[string][2]int{
		"Nothing is named here.":                                 {0, 0},
		"See core/wire/detect.go and /repo/core/wire/detect.go.": {2, 0},
		"See lib/deep.go for parse_item.":                        {2, 0},
		"See lib/made_up.go for parse_item and parse_all.":       {3, 2},
		"See the_prior.go, parse_all twice: parse_all.":          {2, 1},
	} {
		var l digest.Ledger
		l.Add(tr, seq)
		done := digest.NewExtract(tr, seq, "# Notes\nthe_prior.go", &l).Complete(text, "", 1000, 0)
		if got := [2]int{done.Named, done.Unfounded}; got != want {
			t.Errorf("%s: %v, not %v", text, got, want)
		}
	}
}
