package core_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

var loops = flag.Int("loops", 0, "how many random tool loops with thinking are compacted; 0 is 120, and 1,500 in make test-long")

// ways lists the ways in which a provider checks thinking, for each thinking mode of a policy or a request. If the mode is unknown, a
// result must be valid in each of them.
var ways = map[string][]string{
	"manual": {judge.Manual, judge.Interleaved}, "adaptive": {judge.Adaptive}, "off": {judge.Off},
	"drop_block": nil, "": {judge.Manual, judge.Interleaved, judge.Adaptive},
}

var modes = []string{"manual", "adaptive", "off", "drop_block", ""}

// requestOf has the members of a request body that ask for a thinking mode.
var requestOf = map[string]string{
	"manual": `{"type":"enabled","budget_tokens":4000}`, "adaptive": `{"type":"adaptive"}`, "off": `{"type":"disabled"}`,
	"drop_block": `{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`,
}

// modelOf is a model of which the mode is known.
var modelOf = map[string]string{"manual": "claude-sonnet-4-5-20250929", "adaptive": "us.anthropic.claude-fable-5-1-v1:0", "": "claude-opus-4-6"}

// refusals returns the provider's objections to thinking in after that it did not have to before.
func refusals(format, mode string, before, after []byte) (bad []string) {
	for _, way := range ways[mode] {
		if len(judge.Thinking(format, way, before)) > 0 && way != judge.Off {
			continue
		}
		for _, b := range judge.Thinking(format, way, after) {
			bad = append(bad, way+": "+b)
		}
	}
	return bad
}

// TestThinking compacts random tool loops, most of them open, with all presets and passes, in all ways in which a model may think, and
// checks that the provider takes each result.
func TestThinking(t *testing.T) {
	t.Parallel()
	n := cmp.Or(*loops, budget(120, 120, 1500))
	var next, failed, changed, closed, kept atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(n) || failed.Load() >= 3 {
					return
				}
				a, broken, what := oneLoop(t, uint64(i))
				if a.Report.Changed {
					changed.Add(1)
				}
				if th := a.Report.Thinking; th != nil {
					closed.Add(int64(min(1, th.Closed)))
					kept.Add(int64(min(1, th.Kept)))
				}
				if len(broken) > 0 {
					failed.Add(1)
					t.Errorf("loop %d: %s\n%s", i, what, strings.Join(broken, "\n"))
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d of %d were compacted: %d kept thinking, %d loops were closed", changed.Load(), n, kept.Load(), closed.Load())
	if changed.Load() < int64(n)/2 || kept.Load() == 0 || closed.Load() == 0 {
		t.Error("too little was compacted, kept or closed")
	}
}

func oneLoop(t testing.TB, i uint64) (a answer, broken []string, what string) {
	r := rand.New(rand.NewPCG(*seed+7, i))
	format := [...]string{"anthropic", "anthropic", "ai-sdk", "ai-sdk-ui"}[r.IntN(4)]
	conv := gen.Loops(r, 1+r.IntN(5), judge.Unsigned)
	rr := rand.New(rand.NewPCG(i, 1))
	list := string(judge.Issue(format, join(conv.Render(format, rr), rr)))
	mode := modes[r.IntN(len(modes))]
	size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list)
	p := randomPolicy(r, format, size)
	if r.IntN(3) == 0 { // the presets as they are
		window := max(64, size*[...]int{90, 50, 20}[r.IntN(3)]/100)
		preset := policy.Presets()[r.IntN(len(policy.Presets()))].Name
		p = fmt.Sprintf(`{"preset":%q,"format":%q,"window":{"tokens":%d,"reserve":%d},"summary":{"mode":"local"}}`, preset, format, window, window/10)
	}
	source := r.IntN(3)
	body := list
	switch request := requestOf[mode]; {
	case source == 0 && request != "" && format == "anthropic":
		body = fmt.Sprintf(`{"model":"m","thinking":%s,"messages":%s}`, request, list)
		p = strings.NewReplacer(`"archive":"bodies"`, `"archive":""`, `"archive":"places"`, `"archive":""`).Replace(p) // it is put back in lists alone
	case source == 1 && modelOf[mode] != "":
		p = fmt.Sprintf(`{"model":%q,`, modelOf[mode]) + p[1:]
	case mode != "":
		p = fmt.Sprintf(`{"thinking":%q,`, mode) + p[1:]
	}
	if a, broken = promises(t, format, p, []byte(body), summaryText); a.Report.Changed {
		broken = append(broken, refusals(format, mode, []byte(body), a.Messages)...)
	}
	return a, broken, fmt.Sprintf("format %s, mode %q\npolicy %s\nbefore %s\nafter %s", format, mode, p, body, a.Messages)
}

// TestThinkingModes shows the outcome for an open tool loop in each mode, depending on how the mode is known.
func TestThinkingModes(t *testing.T) {
	long := strings.Repeat("line of output\\n", 400)
	list := `[{"role":"user","content":"Count the files."},{"role":"assistant","content":[{"type":"text","text":"` + strings.Repeat("Old talk. ", 300) + `"}]},
		{"role":"user","content":"Go on."}`
	for i := range 4 {
		list += fmt.Sprintf(`,{"role":"assistant","content":[{"type":"thinking","thinking":"plan %d","signature":"%s%d_"},{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"f%d"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]}`, i, judge.Unsigned, i, i, i, i, long)
	}
	list += "]"
	const base = `"format":"anthropic","window":{"tokens":3000,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"clear","keep_recent":1},{"pass":"fold","keep_tokens":1500,"boundary":"group"}]`
	for _, tt := range []struct{ name, policy, beside, mode, source, done string }{
		{"manual by the request", base, `"thinking":{"type":"enabled","budget_tokens":1024}`, "manual", "request", "kept"},
		{"adaptive by the request", base, `"thinking":{"type":"adaptive"},"model":"claude-opus-4-5"`, "adaptive", "request", "stripped"},
		{"drop_block by the request", base, `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`, "drop_block", "request", "kept"},
		{"off by the request", base, `"thinking":{"type":"disabled"}`, "off", "request", "stripped"},
		{"progress between tools by the request", base, `"thinking":{"type":"between_tools"},"model":"claude-opus-4-5"`, "adaptive", "request", "stripped"},
		{"on Bedrock", base, `"anthropic_version":"bedrock-2023-05-31","thinking":{"type":"enabled","budget_tokens":1024}`, "manual", "request", "kept"},
		{"manual by the model", base, `"model":"claude-3-7-sonnet-20250219"`, "manual", "model", "kept"},
		{"adaptive by the model", base, `"model":"claude-opus-5.5"`, "adaptive", "model", "stripped"},
		{"a model that can do both", base, `"model":"claude-sonnet-4-6"`, "unknown", "none", "closed"},
		{"another model", base, `"model":"glm-5"`, "unknown", "none", "closed"},
		{"the policy counts more", base + `,"thinking":"manual"`, `"thinking":{"type":"adaptive"}`, "manual", "policy", "kept"},
		{"nothing tells", base, ``, "unknown", "none", "closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := list
			if tt.beside != "" {
				body = "{" + tt.beside + `,"messages":` + list + "}"
			}
			body = string(judge.Issue("anthropic", []byte(body)))
			a, broken := promises(t, "anthropic", "{"+tt.policy+"}", []byte(body), summaryText)
			if len(broken) > 0 || !a.Report.Changed {
				t.Fatalf("%s: %v", a.Report.Reason, broken)
			}
			th := a.Report.Thinking
			if th == nil || th.Mode != tt.mode || th.Source != tt.source {
				t.Fatalf("thinking %+v", th)
			}
			if n := judge.Thoughts("anthropic", a.Messages); n != th.Kept {
				t.Errorf("%d thoughts, the report says %+v", n, th)
			}
			done := "kept"
			switch {
			case th.Closed > 0:
				done = "closed"
			case th.Kept == 0 && th.Stripped > 0:
				done = "stripped"
			}
			if done != tt.done {
				t.Errorf("%s: %+v\n%s", done, th, a.Messages)
			}
			mode := tt.mode
			if mode == "unknown" {
				mode = ""
			}
			if bad := refusals("anthropic", mode, []byte(body), a.Messages); len(bad) > 0 {
				t.Error(bad)
			}
		})
	}
}

// TestOpenThinking: if the last message calls tools that have no results yet, no result is valid for both kinds of models, so there is
// none. If the thinking mode is known, there is one.
func TestOpenThinking(t *testing.T) {
	list := string(judge.Issue("anthropic", []byte(`[{"role":"user","content":"`+strings.Repeat("Count the files. ", 400)+`"},{"role":"assistant","content":"No."},{"role":"user","content":"Please."},
		{"role":"assistant","content":[{"type":"thinking","thinking":"plan","signature":"`+judge.Unsigned+`1_"},{"type":"tool_use","id":"t1","name":"ls","input":{}}]}]`)))
	const base = `"format":"anthropic","window":{"tokens":500,"reserve":0},"summary":{"mode":"local"}`
	for mode, want := range map[string]string{"auto": "open_thinking", "manual": "compacted", "adaptive": "compacted"} {
		a, broken := promises(t, "anthropic", fmt.Sprintf(`{%s,"thinking":%q}`, base, mode), []byte(list), summaryText)
		if a.Report.Reason != want || len(broken) > 0 || a.Report.Thinking == nil {
			t.Errorf("%s: %s, %v", mode, a.Report.Reason, broken)
		}
	}
}

// TestThinkingAfterPlan: thinking in messages that arrive while the model writes its summary is bound to content that the plan changes.
func TestThinkingAfterPlan(t *testing.T) {
	var parts []json.RawMessage
	body := []byte(`[{"role":"user","content":"Count."},{"role":"assistant","content":"` + strings.Repeat("Old talk. ", 600) + `"},{"role":"user","content":"Go on."},
		{"role":"assistant","content":[{"type":"thinking","thinking":"plan","signature":"` + judge.Unsigned + `1_"},{"type":"tool_use","id":"t1","name":"ls","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a b c"}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"more","signature":"` + judge.Unsigned + `2_"},{"type":"tool_use","id":"t2","name":"ls","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"d e f"}]}]`)
	body = judge.Issue("anthropic", body)
	if err := json.Unmarshal(body, &parts); err != nil {
		t.Fatal(err)
	}
	first := join(parts[:5], rand.New(rand.NewPCG(1, 1)))
	for _, mode := range []string{"auto", "manual", "adaptive", "drop_block"} {
		p := fmt.Sprintf(`{"format":"anthropic","window":{"tokens":1500,"reserve":0},"passes":[{"pass":"fold","keep_tokens":200}],"thinking":%q}`, mode)
		a := call(t, "plan", `{"policy":`+p+`,"messages":`+string(first)+`}`)
		if len(a.Requests) == 0 {
			t.Fatalf("%s: no request: %s", mode, a.Report.Reason)
		}
		a = call(t, "step", `{"plan":`+string(a.Plan)+`,"summaries":[{"id":"fold-1","text":`+fmt.Sprintf("%q", summaryText)+`}],"messages":`+string(body)+`}`)
		if !a.Report.Changed {
			t.Fatalf("%s: %s", mode, a.Report.Reason)
		}
		m := mode
		if m == "auto" {
			m = ""
		}
		if bad := refusals("anthropic", m, body, a.Messages); len(bad) > 0 {
			t.Errorf("%s: %v\n%s", mode, bad, a.Messages)
		}
		if bad := judge.Valid("anthropic", a.Messages); len(bad) > 0 {
			t.Errorf("%s: %v", mode, bad)
		}
		if n := estimateOf(t, p, string(a.Messages)); n != a.Report.Tokens.After {
			t.Errorf("%s: %d tokens, the report says %d", mode, n, a.Report.Tokens.After)
		}
	}
}

// TestThinkingOfSessions compacts the real sessions that have signed thinking, at every message where the model is about to continue with a
// tool loop or the user has spoken, with all presets and in all modes; in make test every 37th of these.
func TestThinkingOfSessions(t *testing.T) {
	t.Parallel()
	conversations, drawn, runs, changed := 0, 0, 0, 0
	for _, s := range sessions.Load(t, "anthropic", "ai-sdk", "ai-sdk-ui") {
		if judge.Thoughts(s.Format, s.JSON()) == 0 {
			continue
		}
		conversations++
		for _, end := range []int{len(s.Messages), len(s.Messages) - 1, len(s.Messages) * 2 / 3, len(s.Messages)*2/3 - 1} {
			cut := sessions.Session{Format: s.Format, Messages: s.Messages[:max(1, end)]}
			signed := sync.OnceValue(func() []byte {
				list := resigned(s.Format, cut.JSON())
				if judge.Thoughts(s.Format, list) == 0 || len(judge.Valid(s.Format, list)) > 0 {
					return nil
				}
				return list
			})
			for _, preset := range policy.Presets() {
				for _, mode := range modes {
					if drawn++; drawn%budget(37, 37, 1) > 0 { // 37 shares no factor with the numbers of ends, presets and modes
						continue
					}
					list := signed()
					if list == nil {
						continue
					}
					runs++
					size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, s.Format), string(list))
					p := fmt.Sprintf(`{"preset":%q,"format":%q,"thinking":%q,"window":{"tokens":%d,"reserve":0},"summary":{"mode":"local"}}`, preset.Name, s.Format,
						map[bool]string{true: "auto", false: mode}[mode == ""], max(64, size/3))
					a := compacts(t, p, "", string(list), summaryText)
					if a.Error != nil {
						t.Errorf("%s: %s", s.Name, a.Error.Message)
					}
					if !a.Report.Changed {
						continue
					}
					changed++
					bad := append(refusals(s.Format, mode, list, a.Messages), judge.Valid(s.Format, a.Messages)...)
					if len(bad) > 0 {
						t.Errorf("%s, first %d messages, %s, mode %q: %d refused, such as %s", s.Name, end, preset.Name, mode, len(bad), bad[0])
					}
				}
			}
		}
	}
	t.Logf("%d conversations, %d runs, %d compacted", conversations, runs, changed)
}

// resigned gives the thinking in a real session signatures that the judge can check.
func resigned(format string, list []byte) []byte {
	n := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for k, x := range v {
				if sig, ok := x.(string); ok && k == "signature" && sig != "" {
					n++
					v[k] = fmt.Sprintf("%s%d_", judge.Unsigned, n)
				} else {
					walk(x)
				}
			}
		}
	}
	var v any
	if json.Unmarshal(list, &v) != nil {
		return list
	}
	walk(v)
	out, _ := json.Marshal(v)
	return judge.Issue(format, out)
}

// TestRepairedThinking: a repair is a change too. If thinking is known to be bound to everything before it, the thinking after the repair
// is removed; if it may have to stay, the repair leaves it.
func TestRepairedThinking(t *testing.T) {
	list := `[{"role":"user","content":"Count."},{"role":"assistant","content":[{"type":"tool_use","id":"t0","name":"ls","input":{}}]},{"role":"user","content":"Go on."},
		{"role":"assistant","content":[{"type":"thinking","thinking":"plan","signature":"` + judge.Unsigned + `1_"},{"type":"text","text":"Yes."}]},{"role":"user","content":"And?"}]`
	for mode, want := range map[string]int{"auto": 1, "manual": 1, "adaptive": 0, "drop_block": 1, "off": 0} {
		body := judge.Issue("anthropic", []byte(list))
		a := call(t, "repair", fmt.Sprintf(`{"policy":{"thinking":%q},"messages":%s}`, mode, body))
		if n := judge.Thoughts("anthropic", a.Messages); a.Report.Reason != "repaired" || n != want || len(judge.Valid("anthropic", a.Messages)) > 0 {
			t.Errorf("%s: %s, %d thoughts, want %d: %s", mode, a.Report.Reason, n, want, a.Messages)
		}
	}
}
