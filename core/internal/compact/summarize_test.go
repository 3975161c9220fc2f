package compact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/summary"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// good is a digest that is always accepted.
const good = "# Objective\nGo on with the work that the user asked for.\n\n# Carryover\nNothing else is open, and no test fails."

// answers runs a compaction until it needs no more summaries. It calls answer for each request. It returns the last
// run, and the ids of the requests, in one list per round.
func answers(t testing.TB, format, pol, src string, answer func(q api.SummaryRequest) api.Summary) (*Run, [][]string) {
	t.Helper()
	var replies []api.Summary
	var rounds [][]string
	for len(rounds) < 60 {
		r := run(t, format, pol, src, replies...)
		if len(r.summary.Requests()) == 0 {
			return r, rounds
		}
		var ids []string
		for _, q := range r.summary.Requests() {
			if slices.ContainsFunc(replies, func(a api.Summary) bool { return a.ID == q.ID }) {
				t.Fatalf("%s is asked twice", q.ID)
			}
			a := answer(q)
			a.ID = q.ID
			replies, ids = append(replies, a), append(ids, q.ID)
		}
		rounds = append(rounds, ids)
	}
	t.Fatal("no end of requests")
	return nil, nil
}

func TestRetry(t *testing.T) {
	src := session(6, 2000)
	pol := `{"window":{"tokens":3000},"passes":[{"pass":"fold","keep_tokens":600}],"summary":{"retries":%d,"style":%q}}`
	for _, style := range styleNames {
		for _, c := range []struct {
			name    string
			retries int
			replies []string
			source  api.SummarySource
			why     api.SummaryFault
			asked   int
		}{
			{"good at once", 1, []string{good}, "model", "", 1},
			{"good at the second time", 1, []string{"", good}, "model", "", 2},
			{"good too late", 1, []string{"", "", good}, "local", api.FaultEmpty, 2},
			{"good at the third time", 2, []string{"", "I'm sorry, no.", good}, "model", "", 3},
			{"never asked again", 0, []string{"", good}, "local", api.FaultEmpty, 1},
			{"the last reason counts", 1, []string{"", "I'm sorry, no."}, "local", api.FaultRefusal, 2},
			{"a failure is the host's to repeat", 1, []string{"!boom", good}, "local", api.FaultFailed, 1},
			{"no headings but a digest", 1, []string{"The work goes on.", "The work still goes on."}, "model", api.FaultNoHeadings, 2},
		} {
			t.Run(style+" "+c.name, func(t *testing.T) {
				n := 0
				var prompts []string
				r, _ := answers(t, "native", fmt.Sprintf(pol, c.retries, style), src, func(q api.SummaryRequest) api.Summary {
					prompts = append(prompts, q.Prompt)
					text := c.replies[n]
					n++
					if why, failed := strings.CutPrefix(text, "!"); failed {
						return api.Summary{Error: why}
					}
					return api.Summary{Text: text}
				})
				if s := r.report.Summary; s.Source != c.source || s.Fault != c.why || n != c.asked {
					t.Errorf("%+v after %d requests", s, n)
				}
				for i, p := range prompts {
					if strings.Contains(p, "Your last answer was not accepted") != (i > 0) {
						t.Errorf("request %d: %s", i, p[max(0, len(p)-200):])
					}
				}
			})
		}
	}
}

// styleNames lists ctxfold's own style and the styles of the published systems that request summaries in the same way.
var styleNames = []string{"", "turn-tail", "checkpoint", "agent-loop"}

// No request exceeds its limit in any conversation. Everything is requested in the earliest possible step. The digest
// contains the user's requests.
func TestLadder(t *testing.T) {
	long := func(n, size int) string {
		var b strings.Builder
		b.WriteString(`[{"role":"system","content":"x"}`)
		for i := range n {
			fmt.Fprintf(&b, `,{"role":"user","content":"request %d %s"},{"role":"assistant","content":[{"type":"reasoning","text":"%s"},{"type":"text","text":"done %d"}]}`,
				i, strings.Repeat("so ", size/3), strings.Repeat("hm ", size/3), i)
		}
		return b.String() + `,{"role":"user","content":"last"}]`
	}
	for i, c := range []struct {
		name, src string
		limit     int
		split     string
		rounds    int // 0: any
		parts     int
	}{
		{"fits", session(20, 100), 8000, "map", 1, 1},
		{"tool results are clipped", session(20, 20000), 20000, "map", 1, 1},
		{"reasoning is left out", long(20, 900), 7000, "map", 1, 1},
		{"parts at the same time, then one of them all", long(20, 900), 2500, "map", 2, 0},
		{"part after part", long(20, 900), 2500, "chain", 0, 0},
		{"one message that is too large", long(1, 90000), 2500, "map", 1, 1},
		{"many parts", long(300, 900), 2500, "map", 2, summary.MaxParts},
		{"many parts, one after the other", long(100, 900), 2500, "chain", 0, summary.MaxParts},
		{"no room for any request", long(20, 900), 300, "map", 0, 0},
	} {
		for k, e := range []struct{ estimator, style string }{{"bytes4", ""}, {"runes3.6", ""}, {"utf16-4", ""},
			{"bytes4", "turn-tail"}, {"utf16-4", "checkpoint"}, {"bytes4", "agent-loop"}} {
			if !trials.Covers(i, k%3, 3) { // in make test one estimator, and one style
				continue
			}
			t.Run(c.name+" by "+e.estimator+" "+e.style, func(t *testing.T) {
				pol := fmt.Sprintf(`{"estimator":%q,"window":{"tokens":3000000},"passes":[{"pass":"fold","keep_tokens":10}],`+
					`"summary":{"max_input_tokens":%d,"max_output_tokens":600,"split":%q,"style":%q,"instructions":"Mind the gap."}}`, e.estimator, c.limit, c.split, e.style) + force
				in := input(t, "native", pol, c.src)
				seen := map[string]bool{}
				r, rounds := answers(t, "native", pol, c.src, func(q api.SummaryRequest) api.Summary {
					if n := in.Estimator.Text(q.System) + in.Estimator.Text(q.Prompt); n > c.limit || n != q.InputTokens {
						t.Errorf("%s has %d tokens, says %d, and may have %d", q.ID, n, q.InputTokens, c.limit)
					}
					if !strings.HasSuffix(q.Prompt, "Mind the gap.") {
						t.Errorf("%s has no instructions", q.ID)
					}
					for i := range 400 {
						if strings.Contains(q.Prompt, fmt.Sprintf("request %d ", i)) {
							seen[fmt.Sprint(i)] = true
						}
					}
					return api.Summary{Text: good}
				})
				if c.limit == 300 {
					if r.report.Summary.Fault != api.FaultNoRoom || len(rounds) > 0 {
						t.Errorf("%+v after %v", r.report.Summary, rounds)
					}
					return
				}
				if r.report.Summary.Source != "model" {
					t.Errorf("%+v", r.report.Summary)
				}
				if e.style == "" { // others show less of a message
					if c.rounds > 0 && len(rounds) != c.rounds {
						t.Errorf("%d rounds: %v", len(rounds), rounds)
					}
					if n := len(rounds[0]); c.rounds > 0 && c.parts > 0 && n != c.parts {
						t.Errorf("%d requests at first, not %d", n, c.parts)
					}
				}
				if c.parts == 0 && len(seen) < 20 {
					t.Errorf("only %d of 20 turns were shown to the model", len(seen))
				}
				if c.split == "chain" {
					for _, ids := range rounds {
						if len(ids) != 1 {
							t.Errorf("%v are asked at the same time", ids)
						}
					}
				}
			})
		}
	}
}

// If the summary of a part fails, the part is digested locally. The other parts still count.
func TestLadderSurvivesFailures(t *testing.T) {
	src := session(40, 900)
	pol := `{"window":{"tokens":3000000},"passes":[{"pass":"fold","keep_tokens":10}],"summary":{"max_input_tokens":2500,"split":%q,"style":%q}}` + force
	for _, split := range []string{"map", "chain", "map agent-loop"} {
		split, style, _ := strings.Cut(split, " ")
		for _, fails := range []string{"fold-1-part-1", "fold-1-part-2", "fold-1-part-", "fold-1"} {
			r, rounds := answers(t, "native", fmt.Sprintf(pol, split, style), src, func(q api.SummaryRequest) api.Summary {
				if strings.HasPrefix(q.ID, fails) && (fails != "fold-1" || q.ID == fails) {
					return api.Summary{Error: "down"}
				}
				return api.Summary{Text: good}
			})
			source := r.report.Summary.Source
			if all := fails == "fold-1-part-" || fails == "fold-1" && split == "map"; (source == "local") != all {
				t.Errorf("%s, %s fails: %+v after %v", split, fails, r.report.Summary, rounds)
			}
			if out := output(r); !strings.Contains(out, "[first] request 0") && !strings.Contains(out, "[1] user: request 0") || !strings.Contains(out, "request 38") {
				t.Errorf("%s, %s fails: the requests are gone: %s", split, fails, out)
			}
		}
	}
}

// TestRefusedMerge checks that the digests of the parts are used if the merged digest is rejected. They don't include
// the text that told the model which part each of them covers.
func TestRefusedMerge(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"role":"system","content":"You are careful."}`)
	for i := range 40 {
		fmt.Fprintf(&b, `,{"role":"user","content":"The barn of village %d is %s green."},{"role":"assistant","content":"Noted, barn %d."}`, i, strings.Repeat("very ", 100), i)
	}
	pol := `{"window":{"tokens":3000000},"passes":[{"pass":"fold","keep_tokens":10}],"summary":{"max_input_tokens":2500,"split":"map"}}` + force
	const part = "# Topics\nThe colours of the barns.\n\n# Notes\nThe user lists the barns of many villages."
	r, rounds := answers(t, "native", pol, b.String()+"]", func(q api.SummaryRequest) api.Summary {
		if q.ID == "fold-1" && !strings.Contains(q.Prompt, "Part 1 of ") {
			t.Errorf("the model does not learn which part is which: %s", q.Prompt)
		}
		if strings.HasPrefix(q.ID, "fold-1-part-") {
			return api.Summary{Text: part}
		}
		return api.Summary{Error: "down"}
	})
	out := output(r)
	if len(rounds) < 2 || r.report.Summary.Source != api.SourceLocal || !strings.Contains(out, "The user lists the barns") {
		t.Errorf("%v, %+v: %s", rounds, r.report.Summary, out)
	}
	if strings.Contains(out, "Part 1 of ") || strings.Contains(out, "Part 2 of ") {
		t.Errorf("the labels of requests are in the digest: %s", out)
	}
}

func TestMinimal(t *testing.T) {
	r := run(t, "native", `{"window":{"tokens":3000},"passes":[{"pass":"fold","keep_tokens":600}],"summary":{"mode":"minimal"}}`, session(6, 2000))
	if out := output(r); !strings.Contains(out, "# Carryover\\n") || strings.Contains(out, "request 2") || !strings.Contains(out, "request 5") {
		t.Errorf("%s", out)
	}
}
