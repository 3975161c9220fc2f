package compact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// force follows a policy. It contains the options of a call that compacts although compaction isn't due.
const force = `,"options":{"force":true}`

func input(t testing.TB, format, pol, src string) view.Input {
	t.Helper()
	pol, forced := strings.CutSuffix(pol, force)
	p, perr := policy.Resolve([]byte(pol))
	if perr == nil {
		p, perr = p.WithOptions(&api.Options{Force: forced})
	}
	if perr != nil {
		t.Fatal(perr)
	}
	f := wire.ByName(format)
	s := jsonspan.New([]byte(src))
	tr := f.Read(s)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return view.Input{Transcript: tr, Format: f, Estimator: tokens.ByName("bytes4"), Policy: p, N: len(tr.Messages)}
}

func run(t testing.TB, format, pol, src string, replies ...api.Summary) *Run {
	t.Helper()
	in := input(t, format, pol, src)
	in.Replies = replies
	c, err := Compact(in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func output(c *Run) string { return string(c.doc.AppendOuter(nil)) }

// session returns the session of an agent in ctxfold's own format. It has n turns, and the agent reads a different file
// in each of them.
func session(n, size int) string {
	var b strings.Builder
	b.WriteString(`[{"role":"system","content":"You are careful."}`)
	for i := range n {
		fmt.Fprintf(&b, `,
{"role":"user","content":"request %d"},
{"role":"assistant","content":[{"type":"text","text":"reading %d"},{"type":"tool_call","id":"c%d","name":"read","arguments":{"path":"f%d.go"}}]},
{"role":"tool_result","tool_call_id":"c%d","tool_name":"read","content":[{"type":"text","text":"%s %d"}]},
{"role":"assistant","content":[{"type":"text","text":"done %d"}]}`, i, i, i, i, i, strings.Repeat("x", size), i, i)
	}
	return b.String() + "\n]"
}

func TestGate(t *testing.T) {
	for _, c := range []struct {
		policy string
		reason api.Reason
	}{
		{`{"window":{"unlimited":true}}`, api.ReasonUnlimited},
		{`{"window":{"tokens":100000}}`, api.ReasonUnderBudget},
		{`{"window":{"tokens":600},"passes":[],"last_resort":false}`, api.ReasonNoProgress},
		{`{"window":{"tokens":600},"passes":[]}`, api.ReasonCompacted}, // by the last resort
		{`{"window":{"tokens":600},"summary":{"mode":"local"}}`, api.ReasonCompacted},
		{`{"window":{"tokens":600}}`, api.ReasonCompacted}, // no request fits into such a window
		{`{"window":{"tokens":600},"summary":{"max_input_tokens":2000}}`, api.ReasonNeedsSummaries},
		{`{"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":100}]}` + force, api.ReasonCompacted},
	} {
		src := session(8, 200)
		r := run(t, "native", c.policy, src)
		if r.report.Reason != c.reason {
			t.Errorf("%s: %s, want %s", c.policy, r.report.Reason, c.reason)
		}
		if c.reason != api.ReasonCompacted && c.reason != api.ReasonNeedsSummaries && output(r) != src {
			t.Errorf("%s: changed all the same", c.policy)
		}
	}
}

func TestClear(t *testing.T) {
	src := session(8, 200)
	r := run(t, "native", `{"window":{"tokens":600},"last_resort":false,"passes":[{"pass":"clear","keep_recent":2}]}`, src)
	if r.report.Cleared != 6 {
		t.Errorf("%d cleared", r.report.Cleared)
	}
	want := src
	for i := range 6 {
		want = strings.Replace(want, fmt.Sprintf(`[{"type":"text","text":"%s %d"}]`, strings.Repeat("x", 200), i), `"`+handles.ClearedMarker+`"`, 1)
	}
	if got := output(r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// S3.37: a second run finds nothing to clear.
	again := run(t, "native", `{"passes":[{"pass":"clear","keep_recent":2}]}`+force, want)
	if again.report.Reason != api.ReasonNoProgress || output(again) != want {
		t.Errorf("the second run says %s", again.report.Reason)
	}
	for _, c := range []struct {
		params  string
		cleared int
	}{
		{`"keep_recent":0`, 7}, // at least one stays
		{`"keep_recent":7`, 1},
		{`"keep_recent":8`, 0},
		{`"keep_recent":2,"min_reclaim":100000`, 0},
		{`"keep_recent":2,"exclude_tools":["READ"]`, 0},
		{`"keep_recent":2,"tools":["bash"]`, 0},
		{`"keep_recent":2,"tools":["re_ad"]`, 6},
	} {
		r := run(t, "native", `{"passes":[{"pass":"clear",`+c.params+`}]}`+force, src)
		if r.report.Cleared != c.cleared {
			t.Errorf("%s: %d cleared, want %d", c.params, r.report.Cleared, c.cleared)
		}
	}
}

// contents returns the first words of each message.
func contents(t testing.TB, out string) (list []string) {
	t.Helper()
	var ms []struct {
		Role    string
		Content json.RawMessage
	}
	if err := json.Unmarshal([]byte(out), &ms); err != nil {
		t.Fatal(err, out)
	}
	for _, m := range ms {
		var text string
		if json.Unmarshal(m.Content, &text) != nil {
			var parts []struct{ Text string }
			_ = json.Unmarshal(m.Content, &parts)
			text = parts[0].Text
		}
		text = strings.TrimLeft(strings.NewReplacer(strings.Repeat("x", 200), "result").Replace(text), "[")
		if i := strings.IndexAny(text, "\n—"); i > 0 && strings.HasPrefix(text, "session digest") {
			text = "digest"
		}
		text, _, _ = strings.Cut(text, "\n")
		list = append(list, text)
	}
	return list
}

func TestFoldBoundaries(t *testing.T) {
	src := session(6, 200) // a turn is about 120 tokens
	for _, c := range []struct {
		name, params string
		want         []string
	}{
		{"at a turn", `"keep_tokens":180`, []string{"You are careful.", "digest", "request 5", "reading 5", "result 5", "done 5"}},
		{"at a group", `"keep_tokens":120,"boundary":"group"`,
			[]string{"You are careful.", "digest", "done 4", "request 5", "reading 5", "result 5", "done 5"}},
		{"inside a turn when the next one would keep too little", `"keep_tokens":20`,
			[]string{"You are careful.", "digest", "request 5", "done 5"}},
		{"the last group stays, however large, and so does the user's newest message", `"keep_tokens":1`,
			[]string{"You are careful.", "digest", "request 5", "done 5"}},
		{"unless the policy says otherwise", `"keep_tokens":1,"keep_last":false`, nil},
		{"everything fits", `"keep_tokens":100000`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, "native", `{"summary":{"mode":"local"},"passes":[{"pass":"fold",`+c.params+`}]}`+force, src)
			if c.want == nil {
				if output(r) != src {
					t.Errorf("folded all the same: %v", contents(t, output(r)))
				}
				return
			}
			if got := contents(t, output(r)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestFoldKeepsPinnedMessages(t *testing.T) {
	src := session(6, 200)
	r := run(t, "native", `{"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":180}],
		"pins":[{"contains":"request 1"},{"id":"c2"},{"role":"tool","index":15},{"index":-30}]}`+force, src)
	want := []string{"You are careful.", "digest", "request 1", "reading 2", "result 2", "reading 3", "result 3", "request 5", "reading 5", "result 5", "done 5"}
	if got := contents(t, output(r)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestFoldAsksTheModel(t *testing.T) {
	src := session(6, 2000)
	pol := `{"window":{"tokens":3000},"passes":[{"pass":"fold","keep_tokens":600}],"summary":{"instructions":"Mind the gap.","retries":0}}`
	r := run(t, "native", pol, src)
	if len(r.summary.Requests()) != 1 || r.report.Reason != api.ReasonNeedsSummaries {
		t.Fatalf("%+v", r.report)
	}
	q := r.summary.Requests()[0]
	for _, want := range []string{"» you: request 0", "» tool (read): xxx", "# Objective", "Mind the gap."} {
		if !strings.Contains(q.Prompt, want) {
			t.Errorf("the prompt has no %q", want)
		}
	}
	if q.InputTokens > 3000 {
		t.Errorf("the request has %d tokens for a window of 3000", q.InputTokens)
	}
	for _, c := range []struct {
		reply api.Summary
		want  api.ReportSummary
		text  string
	}{
		{api.Summary{ID: q.ID, Text: "# Objective\nAll is well."}, api.ReportSummary{Source: "model"}, "All is well."},
		{api.Summary{ID: q.ID, Text: " "}, api.ReportSummary{Source: "local", Fault: api.FaultEmpty}, "request 4"},
		{api.Summary{ID: q.ID, Error: "no network"}, api.ReportSummary{Source: "local", Fault: api.FaultFailed, Error: "no network"}, "request 4"},
		{api.Summary{ID: q.ID, Text: strings.Repeat("y", 20000)}, api.ReportSummary{Source: "local", Fault: api.FaultTooLarge}, "request 4"},
	} {
		r := run(t, "native", pol, src, c.reply)
		if c.want.Score = r.report.Summary.Score; r.report.Summary != c.want || c.want.Score <= 0 {
			t.Errorf("%+v, want %+v", r.report.Summary, c.want)
		}
		out := output(r)
		if !strings.Contains(out, c.text) || !strings.Contains(out, "f0.go") {
			t.Errorf("%q or the ledger is missing in %s", c.text, out)
		}
	}
}

func TestRehydrate(t *testing.T) {
	src := session(8, 200)
	for _, c := range []struct {
		name, params string
		want         []string
	}{
		{"the newest files, oldest first", `"max_files":2`, []string{"f4.go", "f5.go"}},
		{"within a budget", `"tokens":100`, []string{"f5.go"}},
		{"none when none fits", `"tokens":20`, nil},
		{"none when none is wanted", `"max_files":0`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, "native", `{"summary":{"mode":"local"},"passes":[{"pass":"clear","keep_recent":1},{"pass":"fold","keep_tokens":180},{"pass":"rehydrate",`+c.params+`}]}`+force, src)
			var got []string
			for _, a := range r.report.Actions {
				if a.Action == "restore" {
					got = append(got, a.Path)
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("restored %q, want %q", got, c.want)
			}
			out := output(r)
			for i, path := range c.want {
				// S3.41: what the clear pass blanked comes back as it was, not as the marker.
				text := fmt.Sprintf(`"%s %s\n\n%s %c"`, authorship.RestoredPrefix, path, strings.Repeat("x", 200), path[1])
				if !strings.Contains(out, text) {
					t.Errorf("file %d: %s is not in %s", i, text, out)
				}
			}
		})
	}
}

func TestEditsDescribeTheResult(t *testing.T) {
	src := session(8, 200)
	for _, pol := range []string{
		`{"passes":[{"pass":"clear","keep_recent":2}]}` + force,
		`{"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":300},{"pass":"rehydrate"}]}` + force,
		`{}`,
	} {
		r := run(t, "native", pol, src)
		var in, want, got []json.RawMessage
		var edits []struct {
			Keep            []int
			Insert, Message json.RawMessage
			Set             *int
		}
		for v, b := range map[any]string{&in: src, &want: output(r), &edits: string(r.doc.AppendEdits(nil))} {
			if err := json.Unmarshal([]byte(b), v); err != nil {
				t.Fatal(err, b)
			}
		}
		for _, e := range edits {
			switch {
			case e.Keep != nil:
				got = append(got, in[e.Keep[0]:e.Keep[1]]...)
			case e.Insert != nil:
				got = append(got, e.Insert)
			default:
				got = append(got, e.Message)
			}
		}
		if fmt.Sprintf("%s", got) != fmt.Sprintf("%s", want) {
			t.Errorf("%s: edits give\n%s\nwant\n%s", pol, got, want)
		}
	}
}

// TestRemovedPartsLeaveNoComma removes each subset of the parts of a message, in all kinds of lists, and compares the
// result with that of encoding/json.
func TestRemovedPartsLeaveNoComma(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	space := func() string { return []string{"", " ", "\n\t"}[r.IntN(3)] }
	for n := range 6 {
		for mask := range 1 << n {
			var all, kept []string
			for i := range n {
				part := fmt.Sprintf(`{"type":"text","text":"%d,]["}`, i)
				all = append(all, space()+part+space())
				if mask>>i&1 == 0 {
					kept = append(kept, part)
				}
			}
			src := `[{"role":"user","content":[` + strings.Join(all, ",") + `]}]`
			in := input(t, "anthropic", `{}`, src)
			c := Begin(in)
			for i := range n {
				if mask>>i&1 == 1 {
					c.doc.TakePart(int32(i))
					c.doc.Remeasure(0)
				}
			}
			var got, want any
			if err := json.Unmarshal([]byte(output(c)), &got); err != nil {
				t.Fatalf("mask %b of %s: %v in %s", mask, src, err, output(c))
			}
			_ = json.Unmarshal([]byte(`[{"role":"user","content":[`+strings.Join(kept, ",")+`]}]`), &want)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("mask %b of %s: %s", mask, src, output(c))
			}
		}
	}
}

func TestRemovedMemberLeavesNoComma(t *testing.T) {
	for _, src := range []string{
		`[{"role":"assistant","content":"a","reasoning_content":"r"}]`,
		`[{"role":"assistant", "reasoning_content" : "r" , "content":"a"}]`,
		`[{"reasoning_content":"r","role":"assistant","content":"a"}]`,
		`[{"role":"assistant","content":"a" , "reasoning_content":"r" }]`,
		"[{\"role\":\"assistant\",\r\n\t\"reasoning_content\":\"r\"\r\n\t,\"content\":\"a\"}]",
		"[{\"role\":\"assistant\",\"content\":\"a\"\t,\r\n\t\"reasoning_content\":\"r\"\t}]",
	} {
		c := Begin(input(t, "openai-chat", `{}`, src))
		for i := range c.doc.T.Parts {
			if c.doc.T.Parts[i].Kind == transcript.Reasoning {
				c.doc.TakePart(int32(i))
				c.doc.Remeasure(0)
			}
		}
		var got any
		if err := json.Unmarshal([]byte(output(c)), &got); err != nil {
			t.Fatalf("%s: %v in %s", src, err, output(c))
		}
		if want := []any{map[string]any{"role": "assistant", "content": "a"}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s", src, output(c))
		}
	}
}

// When a part is removed, the rest of the message keeps its members.
func TestRemovedPartsLeaveMembers(t *testing.T) {
	const src = `[{"role":"assistant","reasoning_content":"r","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`
	c := Begin(input(t, "openai-chat", `{}`, src))
	for i := range c.doc.T.Parts {
		if p := &c.doc.T.Parts[i]; p.Kind == transcript.Text && c.doc.T.Text(p.Body) == "a" {
			c.doc.TakePart(int32(i))
		}
	}
	c.doc.Remeasure(0)
	if got, want := output(c), strings.Replace(src, `{"type":"text","text":"a"},`, "", 1); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBoundReasoningGoesBehindTheFirstChange(t *testing.T) {
	src := `[{"role":"user","content":"a"},
{"role":"assistant","content":[{"type":"thinking","thinking":"t1","signature":"s1"},{"type":"tool_use","id":"1","name":"read","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"` + strings.Repeat("x", 400) + `"}]},
{"role":"assistant","content":[{"type":"redacted_thinking","data":"zz"},{"type":"tool_use","id":"2","name":"read","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":"r2"}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"t3","signature":"s3"}]},
{"role":"user","content":"b"}]`
	c := run(t, "anthropic", `{"passes":[{"pass":"clear","keep_recent":1}]}`+force, src)
	out := output(c)
	if !strings.Contains(out, `"s1"`) {
		t.Error("reasoning before the change is gone")
	}
	if strings.Contains(out, "redacted") || strings.Contains(out, "s3") {
		t.Error("reasoning behind the change is still there")
	}
	if v := c.doc.F.Check(c.doc.T, c.doc.MessageOrder(), false); len(v) > 0 || strings.Count(out, `"role"`) != 6 {
		t.Errorf("%+v in %s", v, out)
	}
}

func TestPassesAreChecked(t *testing.T) {
	for _, c := range []struct{ passes, at string }{
		{`[{"pass":"nope"}]`, "passes[0].pass"},
		{`[{"pass":"clear"},{"pass":"fold","boundary":"word"}]`, "passes[1].boundary"},
		{`[{"pass":"fold","keep_tokens":-1}]`, "passes[0].keep_tokens"},
		{`[{"pass":"rehydrate","max_files":-1}]`, "passes[0].max_files"},
		{`[{"pass":"reasoning","mode":"some"}]`, "passes[0].mode"},
		{`[{"pass":"clear","keep_recent":"six"}]`, "passes[0]"},
		{`[{"pass":"clear","keep":6}]`, "passes[0]"},
	} {
		if _, err := Compact(input(t, "native", `{"passes":`+c.passes+`}`, session(1, 1))); err == nil || err.At != c.at {
			t.Errorf("%s: %+v, want it at %s", c.passes, err, c.at)
		}
	}
}

// The numeric parameters of passes have limits, and errors name the parameter.
func TestNumbersOfPasses(t *testing.T) {
	for _, c := range []struct {
		pass, key string
		most      int
	}{
		{"clear", "keep_recent", 1 << 30}, {"collapse", "keep_recent", 1 << 30}, {"collapse", "max_text", 1 << 30}, {"drop", "keep_first", 1 << 30},
		{"drop", "keep_recent", 1 << 30}, {"fold", "keep_messages", 1 << 30}, {"squeeze", "keep_recent", 1 << 30}, {"tool_digest", "keep_recent", 1 << 30},
		{"truncate", "max_lines", 1 << 30}, {"rehydrate", "max_files", 1 << 20}, {"archive", "keep_recent", 1 << 30}, {"archive", "max_requests", 1 << 30},
		{"archive", "excerpt", 1 << 30}, {"fold", "keep_tokens", policy.MaxTokens}, {"rehydrate", "tokens", policy.MaxTokens},
		{"clear", "min_reclaim", policy.MaxTokens}, {"squeeze", "min_tokens", policy.MaxTokens}, {"dedupe", "min_tokens", policy.MaxTokens},
	} {
		for value, taken := range map[int]bool{-1: false, 1: true, c.most: true, c.most + 1: false} {
			_, err := Compact(input(t, "native", fmt.Sprintf(`{"passes":[{"pass":%q,%q:%d}]}`, c.pass, c.key, value), session(1, 1)))
			if err == nil != taken || err != nil && err.At != "passes[0]."+c.key {
				t.Errorf("%s of %s is %d: %+v", c.key, c.pass, value, err)
			}
		}
	}
}

// The digest covers the lines that collapse has left of turns, and these lines don't count as requests of the user.
func TestFoldOfLines(t *testing.T) {
	policy := `{"format":"openai-chat","window":{"tokens":100000},"summary":{"mode":"model"},
		"passes":[{"pass":"collapse","keep_recent":2},{"pass":"fold","keep_tokens":20,"boundary":"group"}]}` + force
	var messages []string
	for i := range 12 {
		messages = append(messages, fmt.Sprintf(`{"role":"user","content":"question %d %s"}`, i, strings.Repeat("why ", 60)),
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"answer %d"},{"type":"text","text":"%s"}]}`, i, strings.Repeat("thus ", 200)))
	}
	src := "[" + strings.Join(messages, ",") + "]"
	c := run(t, "openai-chat", policy, src)
	if len(c.summary.Requests()) != 1 || !strings.Contains(c.summary.Requests()[0].Prompt, "[Summary] answer 3") {
		t.Fatalf("the model is not shown the lines: %+v", c.summary.Requests())
	}
	c = run(t, "openai-chat", policy, src, api.Summary{ID: c.summary.Requests()[0].ID, Text: "# Objective\nAnswer.\n\n# Status\n" + strings.Repeat("All was answered. ", 20)})
	for _, request := range append(c.state.Ledger.Requests, c.state.Ledger.Task) {
		if strings.Contains(request, "[Summary]") || !strings.HasPrefix(request, "question") {
			t.Errorf("the user asked for %.60s", request)
		}
	}
	if len(c.state.Ledger.Requests) == 0 {
		t.Error("the user asked for nothing")
	}
}
