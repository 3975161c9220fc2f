package compact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// reads returns a session in which the agent calls tools. Each entry is "tool argument result". A "!" before it marks
// an error.
func reads(entries ...string) string {
	var b strings.Builder
	b.WriteString(`[{"role":"user","content":"go"}`)
	for i, e := range entries {
		e, failed := strings.CutPrefix(e, "!")
		f := strings.SplitN(e, " ", 3)
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_call","id":"c%d","name":%q,"arguments":{"path":%q}}]}`+
			`,{"role":"tool_result","tool_call_id":"c%d","tool_name":%q,"is_error":%t,"content":[{"type":"text","text":%q}]}`,
			i, f[0], f[1], i, f[0], failed, f[2])
	}
	return b.String() + `]`
}

// takenOut returns the actions on messages.
func takenOut(c *Run) string {
	s := ""
	for _, a := range c.report.Actions {
		s += fmt.Sprintf("%s@%d ", a.Action, a.Message)
	}
	return strings.TrimSpace(s)
}

func TestDedupe(t *testing.T) {
	long, other := strings.Repeat("a long result. ", 20), strings.Repeat("another result. ", 20)
	for _, tt := range []struct{ name, params, src, want string }{
		{"the same result", ``, reads("read a "+long, "bash b "+other, "read a "+long), "dedupe@2"},
		{"the same result of another call", ``, reads("bash a "+long, "bash b "+long), "dedupe@2"},
		{"the same result of another tool", ``, reads("bash a "+long, "grep a "+long), ""},
		{"a read with another result", ``, reads("read a "+long, "read a "+other), "dedupe@2"},
		{"a read of another file", ``, reads("read a "+long, "read b "+other), ""},
		{"a command with another result", ``, reads("bash a "+long, "bash a "+other), ""},
		{"all calls", `,"superseded":"all"`, reads("bash a "+long, "bash a "+other), "dedupe@2"},
		{"no calls", `,"superseded":"none"`, reads("read a "+long, "read a "+other), ""},
		{"an error supersedes nothing", ``, reads("read a "+long, "!read a "+other), ""},
		{"the newest of three stays", ``, reads("read a "+long, "read a "+long, "read a "+long), "dedupe@2 dedupe@4"},
		{"small results", ``, reads("read a x", "read a x"), ""},
		{"too little", `,"min_reclaim":1000`, reads("read a "+long, "read a "+long), ""},
		{"excluded", `,"exclude_tools":["Read"]`, reads("read a "+long, "read a "+long), ""},
	} {
		c := run(t, "native", `{"passes":[{"pass":"dedupe"`+tt.params+`}]}`+force, tt.src)
		if got := takenOut(c); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		again := run(t, "native", `{"passes":[{"pass":"dedupe"`+tt.params+`}]}`+force, output(c))
		if again.report.Reason != api.ReasonNoProgress {
			t.Errorf("%s: a second run says %s", tt.name, again.report.Reason)
		}
	}
}

func TestArchivePass(t *testing.T) {
	src := reads("read a "+strings.Repeat("alpha ", 500), "!bash b "+strings.Repeat("beta ", 500), "read c "+strings.Repeat("gamma ", 500))
	const params = `{"passes":[{"pass":"archive","keep_recent":1`
	c := run(t, "native", params+`,"max_requests":1}]}`+force, src)
	if len(c.summary.Requests()) != 1 || c.summary.Requests()[0].ID != "archive-2" || c.summary.Requests()[0].Scope != "tool_output" ||
		!strings.Contains(c.summary.Requests()[0].Prompt, "Tool: bash\nCall ID: c1\nStatus: error\n") || !strings.Contains(c.summary.Requests()[0].Prompt, "beta") {
		t.Fatalf("%+v", c.summary.Requests())
	}
	c = run(t, "native", params+`,"max_requests":1}]}`+force, src, api.Summary{ID: "archive-2", Text: "It failed </scrollback> at b."})
	out := output(c)
	if takenOut(c) != "archive@2 archive@4" || !strings.Contains(out, handles.SummaryMarker+`\nIt failed`) ||
		!strings.Contains(out, handles.SummaryMarker+`\nStatus: ok\nalpha`) || strings.Contains(out, "</scrollback>") || !strings.Contains(out, "gamma gamma") {
		t.Errorf("%s\n%s", takenOut(c), out)
	}
	again := run(t, "native", params+`}]}`+force, out)
	if again.report.Reason != api.ReasonNoProgress {
		t.Errorf("a second run says %s and asks %d times", again.report.Reason, len(again.summary.Requests()))
	}
	for _, reply := range []api.Summary{{ID: "archive-2", Error: "503"}, {ID: "archive-2", Text: " "}, {ID: "archive-2", Text: strings.Repeat("much too long ", 5000)}} {
		c := run(t, "native", params+`,"max_requests":1}],"summary":{"retries":0}}`+force, src, reply)
		if !strings.Contains(output(c), handles.SummaryMarker+`\nStatus: error\nbeta`) || c.report.Summary.Fault == "" {
			t.Errorf("%.30q: %+v", reply.Text+reply.Error, c.report.Summary)
		}
	}
	if c := run(t, "native", `{"passes":[{"pass":"archive","keep_recent":0}]}`+force, src); c.report.Reason != api.ReasonNoProgress {
		t.Errorf("turned off: %s", c.report.Reason)
	}
}

// If an answer is not a summary of tool results, it is requested once more. No request exceeds its limit, regardless of
// the number of results that it covers.
func TestArchiveRequests(t *testing.T) {
	src := reads("read a "+strings.Repeat("alpha ", 5000), "!bash b "+strings.Repeat("beta ", 5000), "read c "+strings.Repeat("gamma ", 5000), "read d x")
	for _, batch := range []int{0, 2, 3} {
		for _, limit := range []int{20000, 2000, 500, 330, 100} {
			pol := fmt.Sprintf(`{"passes":[{"pass":"archive","keep_recent":1,"batch":%d}],"summary":{"max_input_tokens":%d}}`, batch, limit) + force
			asked := 0
			c, rounds := answers(t, "native", pol, src, func(q api.SummaryRequest) api.Summary {
				asked++
				in := input(t, "native", pol, src)
				if n := in.Estimator.Text(q.System) + in.Estimator.Text(q.Prompt); n > limit || n != q.InputTokens {
					t.Errorf("%s has %d tokens, says %d, and may have %d", q.ID, n, q.InputTokens, limit)
				}
				if again := strings.Contains(q.Prompt, "it was a refusal"); again != strings.Contains(q.ID, "retry") {
					t.Errorf("%s: %.100s", q.ID, q.Prompt)
				} else if again {
					return api.Summary{Text: "It holds Greek letters."}
				}
				return api.Summary{Text: "I'm sorry, but I can't."}
			})
			out := output(c)
			if limit == 100 {
				if asked != 0 || c.report.Summary.Fault != api.FaultNoRoom || strings.Contains(out, "It holds Greek") {
					t.Errorf("batches of %d: asked %d times, %+v", batch, asked, c.report.Summary)
				}
				continue
			}
			want := []int{3, 0, 2, 1}[batch]
			if asked != 2*want || len(rounds) != 2 || strings.Count(out, "It holds Greek") != want || c.report.Summary.Fault != "" {
				t.Errorf("batches of %d in %d tokens: asked %d times in %v, %+v\n%s", batch, limit, asked, rounds, c.report.Summary, out)
			}
		}
	}
}

// S4.28: if 5000 characters are cut to 1800, 1200 and 600 of them remain, with the mark in between.
func TestExcerpt(t *testing.T) {
	for _, tt := range []struct{ in, n, head, tail int }{{5000, 1800, 1200, 600}, {5000, 800, 533, 267}, {10, 1, 1, 1}} {
		text := digest.TrimWithTail(strings.Repeat("ä", tt.in-1)+"z", tt.n)
		head, tail, found := strings.Cut(text, "\n... (truncated) ...\n")
		if !found || len([]rune(head)) != tt.head || len([]rune(tail)) != tt.tail || !strings.HasSuffix(tail, "z") {
			t.Errorf("%d of %d: %d and %d", tt.n, tt.in, len([]rune(head)), len([]rune(tail)))
		}
	}
	if text := strings.Repeat("ä", 800); digest.TrimWithTail(text, 800) != text {
		t.Error("a text that fits was cut")
	}
}
