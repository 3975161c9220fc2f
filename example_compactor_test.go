package ctxfold_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	_ "github.com/ctxfold/ctxfold/core/full"
)

func ExampleNew() {
	c := ctxfold.New(ctxfold.Options{SummaryConcurrency: 1})
	defer c.Close(context.Background())
	fmt.Println(must(c.Check(context.Background(), ctxfold.Input{Messages: trip, Policy: small})).Due)
	// Output: true
}

// Close waits for compactions in the background; a closed Compactor refuses calls.
func ExampleCompactor_Close() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	fmt.Println(c.Close(ctx))
	_, err := c.Info(ctx)
	fmt.Println(errors.Is(err, ctxfold.ErrClosed))
	// Output:
	// <nil>
	// true
}

func ExampleCompactor_Compact() {
	c := ctxfold.New(ctxfold.Options{})
	r := must(c.Compact(context.Background(), trip, small, summarize))
	fmt.Println(r.Reason, r.Changed, r.Report.Tokens.After < r.Report.Tokens.Before)
	// Output: compacted true true
}

// A conversation that is compacted again and again passes the state of the last result.
func ExampleCompactor_CompactWith() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	first := must(c.CompactWith(ctx, ctxfold.Input{Messages: trip, Policy: small}, summarize))
	again := must(c.CompactWith(ctx, ctxfold.Input{Messages: first.Messages, Policy: small, State: first.State}, summarize))
	fmt.Println(first.Reason, again.Reason)
	// Output: compacted under_budget
}

// Plan and Step are for programs that call their model themselves, or elsewhere.
func ExampleCompactor_Plan() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	plan := must(c.Plan(ctx, ctxfold.Input{Messages: trip, Policy: small}))
	fmt.Println(plan.Report.Reason, len(plan.Requests), "request for a summary")
	// Output: needs_summaries 1 request for a summary
}

func ExampleCompactor_Step() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	in := ctxfold.Input{Messages: trip, Policy: ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":1000,"reserve":100},
		"passes":[{"pass":"fold","keep_tokens":20}]}`)}
	plan := must(c.Plan(ctx, in))
	var replies []ctxfold.Summary
	for _, q := range plan.Requests { // here your model answers q.System and q.Prompt
		replies = append(replies, ctxfold.Summary{ID: q.ID, Text: "## Goal\nThe user plans a trip.\n\n## Progress\nThe train leaves at nine."})
	}
	done := must(c.Step(ctx, in, json.RawMessage(plan.Plan), replies))
	fmt.Println(plan.Report.Reason, len(plan.Requests), done.Report.Reason)
	// Output: needs_summaries 1 compacted
}

// An engine answers any operation of the ABI.
func ExampleCompactor_Call() {
	c := ctxfold.New(ctxfold.Options{})
	answer := must(c.Call(context.Background(), "detect", []byte(`{"messages":[{"role":"user","parts":[{"text":"Hello"}]}]}`)))
	fmt.Println(strings.Contains(string(answer), `"format":"gemini"`))
	// Output: true
}

func ExampleCompactor_Check() {
	c := ctxfold.New(ctxfold.Options{})
	a := must(c.Check(context.Background(), ctxfold.Input{Messages: trip, Policy: small}))
	fmt.Println(a.Due, a.Reason, a.Limit)
	// Output: true over_limit 720
}

func ExampleCompactor_Estimate() {
	c := ctxfold.New(ctxfold.Options{})
	a := must(c.Estimate(context.Background(), ctxfold.Input{Messages: trip, Policy: ctxfold.Policy{Model: "gpt-5"}}))
	fmt.Println(len(a.Messages), a.Source, a.Family, a.Tokens > 1000)
	// Output: 5 estimated o200k true
}

func ExampleCompactor_EstimateText() {
	c := ctxfold.New(ctxfold.Options{})
	a := must(c.EstimateText(context.Background(), "How many tokens are these?", ctxfold.Policy{}))
	fmt.Println(a.Tokens)
	// Output: 7
}

// Function runs a single step of a compaction. It needs the package core/full.
func ExampleCompactor_Function() {
	c := ctxfold.New(ctxfold.Options{})
	result := must(c.Function(context.Background(), "estimate_text", ctxfold.FunctionInput{Text: new("How many tokens are these?")}))
	fmt.Println(string(result))
	// Output: 7
}

func ExampleCompactor_Validate() {
	c := ctxfold.New(ctxfold.Options{})
	a := must(c.Validate(context.Background(), ctxfold.Input{Messages: json.RawMessage(`[{"role":"user","content":"hi"},
		{"role":"tool","tool_call_id":"call_9","content":"lost"},{"role":"assistant","content":"hello"}]`)}))
	for _, v := range a.Violations {
		fmt.Println(v.Rule, v.Message, v.Severity, v.Text)
	}
	// Output: OC3 1 refused this tool result answers no call
}

func ExampleCompactor_Repair() {
	c := ctxfold.New(ctxfold.Options{})
	a := must(c.Repair(context.Background(), ctxfold.Input{Messages: json.RawMessage(`[{"role":"user","content":"hi"},` +
		`{"role":"tool","tool_call_id":"call_9","content":"lost"},{"role":"assistant","content":"hello"}]`)}))
	fmt.Println(a.Valid, string(a.Messages))
	// Output: true [{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]
}

// A conversation moves from one provider to another; Lost lists the content that can't be converted.
func ExampleCompactor_Convert() {
	c := ctxfold.New(ctxfold.Options{})
	a := must(c.Convert(context.Background(), ctxfold.Input{Messages: json.RawMessage(`[{"role":"system","content":"Be short."},` +
		`{"role":"user","content":"Hello"}]`)}, api.FormatAnthropic))
	fmt.Println(a.From, a.To, string(a.System), string(a.Messages), len(a.Lost))
	// Output: plain anthropic "Be short." [{"role":"user","content":"Hello"}] 0
}

// A chat displays a digest as a note, and not as somebody's words.
func ExampleCompactor_Digests() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	in := ctxfold.Input{Messages: trip, Policy: ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":1000,"reserve":100},
		"passes":[{"pass":"fold","keep_tokens":20}]}`)}
	r := must(c.CompactWith(ctx, in, summarize))
	in.Messages, in.State = r.Messages, r.State
	for _, d := range must(c.Digests(ctx, in)) {
		fmt.Println(d.Message, d.Kind, d.Own, d.Sections[0].Heading)
	}
	// Output: 0 digest true Goal
}

func ExampleCompactor_Detect() {
	c := ctxfold.New(ctxfold.Options{})
	a := must(c.Detect(context.Background(), trip))
	fmt.Println(a.Format, a.Confidence)
	// Output: openai-chat 1
}

// Open reads the session file of a coding agent, and Save writes one that the agent can resume.
func ExampleCompactor_Open() {
	c := ctxfold.New(ctxfold.Options{})
	s := must(c.Open(context.Background(), must(os.ReadFile("testdata/sessions/codex.jsonl"))))
	fmt.Println(s.Kind, s.Format)
	// Output: codex openai-responses
}

func ExampleSession_Input() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	s := must(c.Open(ctx, must(os.ReadFile("testdata/sessions/codex.jsonl"))))
	a := must(c.Check(ctx, s.Input())) // by the file's model, and by what the provider has counted
	fmt.Println(a.Window > 0, a.Format)
	// Output: true openai-responses
}

func ExampleCompactor_Save() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	file := must(os.ReadFile("testdata/sessions/codex.jsonl"))
	in := must(c.Open(ctx, file)).Input()
	in.Force, in.Policy = true, ctxfold.Policy{Window: ctxfold.Window{Tokens: 12000}}
	r := must(c.CompactWith(ctx, in, summarize))
	saved := must(c.Save(ctx, file, r, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	again := must(c.Open(ctx, saved))
	fmt.Println(strings.HasPrefix(string(saved), string(file)), again.Kind)
	// Output: true codex
}

func ExampleCompactor_Info() {
	c := ctxfold.New(ctxfold.Options{})
	info := must(c.Info(context.Background()))
	fmt.Println(info.Version == ctxfold.Version, info.ABI, len(info.Formats) > 20)
	// Output: true 2 true
}

// Classify reports whether a compaction and one retry can help.
func ExampleCompactor_Classify() {
	c := ctxfold.New(ctxfold.Options{})
	v := must(c.Classify(context.Background(), api.Failure{Status: 400, Body: "prompt is too long: 210000 tokens > 200000 maximum"}))
	fmt.Println(v.Class, v.Overflow, v.Limit)
	// Output: context_overflow true 200000
}

// Recollect applies the compactions that Fit remembers and never compacts, for calls that only need the list that would be sent.
func ExampleCompactor_Recollect() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	in := ctxfold.Input{Messages: trip, Policy: small}
	sent := must(c.Fit(ctx, in, summarize))
	same := must(c.Recollect(ctx, in))
	fmt.Println(string(sent.Messages) == string(same.Messages), same.Known > 0)
	// Output: true true
}

// ApplyEdits changes a list of live objects; kept messages are the same values.
func ExampleApplyEdits() {
	type message struct {
		Role, Content string
		Seen          bool // JSON does not have it
	}
	list := []message{{"user", "old", true}, {"assistant", "old", true}, {"user", "new", true}}
	edits := json.RawMessage(`[{"insert":{"Role":"user","Content":"digest"}},{"keep":[2,3]}]`)
	list, err := ctxfold.ApplyEdits(list, edits, func(text json.RawMessage) (m message, err error) {
		return m, json.Unmarshal(text, &m)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list)
	// Output: [{user digest false} {user new true}]
}

func ExampleRawPolicy() {
	p := ctxfold.RawPolicy(`{"preset":"checkpoint","window":{"tokens":200000}}`)
	fmt.Println(string(must(json.Marshal(p))))
	// Output: {"preset":"checkpoint","window":{"tokens":200000}}
}

// A summarizer over HTTP reports the response, so that a busy model is asked again after Retry-After.
func ExampleStatusError() {
	header := func(name string) string { return map[string]string{"Retry-After": "3"}[name] }
	err := ctxfold.StatusError(429, header, errors.New("too many requests"))
	var refused *ctxfold.CallError
	fmt.Println(errors.As(err, &refused), refused.Failure.Status, refused.Failure.RetryAfter, err)
	// Output: true 429 3 too many requests
}

// A stream that ends without a finish reason is incomplete, and its text is not used.
func ExampleStreamError() {
	fmt.Println(ctxfold.StreamError("stop", nil))
	fmt.Println(errors.Is(ctxfold.StreamError("", nil), ctxfold.ErrIncomplete))
	// Output:
	// <nil>
	// true
}

func ExampleSummarizerFunc_Summarize() {
	s := ctxfold.SummarizerFunc(func(_ context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
		return ctxfold.Summary{Text: "A summary of " + q.ID, FinishReason: "stop"}, nil
	})
	fmt.Println(must(s.Summarize(context.Background(), ctxfold.Request{ID: "fold-1"})).Text)
	// Output: A summary of fold-1
}

// A stream of deltas shows a summary while the model writes it.
func ExampleStreamSummarizerFunc() {
	s := ctxfold.StreamSummarizerFunc(func(_ context.Context, q ctxfold.Request, delta func(string)) (ctxfold.Summary, error) {
		var text strings.Builder
		for _, piece := range []string{"## Goal\n", "The user plans a trip.\n", "## Progress\nThe train leaves at nine."} {
			text.WriteString(piece)
			delta(piece)
		}
		return ctxfold.Summary{Text: text.String(), FinishReason: "stop"}, nil
	})
	pieces := 0
	in := ctxfold.Input{Messages: trip, OnDelta: func(ctxfold.SummaryDelta) { pieces++ }, Policy: ctxfold.RawPolicy(`{"format":"openai-chat",
		"window":{"tokens":1000,"reserve":100},"passes":[{"pass":"fold","keep_tokens":20}]}`)}
	r := must(ctxfold.New(ctxfold.Options{}).CompactWith(context.Background(), in, s))
	fmt.Println(r.Report.Summary.Source, pieces)
	// Output: model 3
}
