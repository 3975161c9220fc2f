package core_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// sized is the part of answers that describes a size.
type sized struct {
	Tokens json.RawMessage
	Source string
	Bound  int
	State  json.RawMessage
	Report struct {
		Tokens struct {
			Before, After int
			Source        string
			Bound         int
		}
		Changed bool
		Reason  string
	}
	Plan     json.RawMessage
	Requests []struct{ ID string }
	Messages json.RawMessage
	Error    *struct{ Code, Path string }
}

func sizes(t *testing.T, op, request string, args ...any) (a sized, tokens int) {
	t.Helper()
	answer := core.Call(op, fmt.Appendf(nil, request, args...))
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	_ = json.Unmarshal(a.Tokens, &tokens)
	return a, tokens
}

// talk is a conversation of n turns in openai-chat.
func talk(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"role":"user","content":"Question %d: how does this work, and what is it for?"},{"role":"assistant","content":"%s"}`,
			i, strings.Repeat("It works as the manual says, line by line. ", 5+i%7*20))
	}
	return "[" + b.String()[1:] + "]"
}

const chat = `"policy":{"format":"openai-chat","window":{"tokens":1000000}}`

// The provider's count is used unchanged, and only the messages after it are estimated.
func TestUsageAnchorsTheEstimate(t *testing.T) {
	list := talk(20)
	all, plain := sizes(t, "estimate", `{%s,"messages":%s}`, chat, list)
	if all.Source != "estimated" || all.Bound < 1 {
		t.Errorf("%+v", all)
	}
	for _, counted := range []int{plain / 2, plain * 9 / 10, plain, plain + 20000} {
		a, tokens := sizes(t, "estimate", `{%s,"options":{"usage":{"message":39,"total_tokens":%d}},"messages":%s}`, chat, counted, list)
		if tokens != counted || a.Source != "measured" || a.Bound != 1 {
			t.Errorf("counted %d: %d, %+v", counted, tokens, a)
		}
		a, tokens = sizes(t, "check", `{%s,"options":{"usage":{"message":37,"input_tokens":%d,"cache_read_tokens":5,"cache_write_tokens":4,"output_tokens":1}},"messages":%s}`,
			chat, counted-10, list)
		if tokens <= counted || tokens > counted+plain/5 || a.Source != "measured" || a.State == nil {
			t.Errorf("counted %d up to message 37: %d, %+v", counted, tokens, a)
		}
	}
}

// A provider's count from before the last compaction covers removed messages, so it is ignored. A tokenizer's count of exactly these
// messages never is.
func TestUsageFromBeforeACompactionIsNotUsed(t *testing.T) {
	list := talk(20)
	_, plain := sizes(t, "estimate", `{%s,"messages":%s}`, chat, list)
	state := `{"round":1,"ledger":{},"messages":38}`
	for _, c := range []struct {
		usage string
		want  string
	}{{`{"message":37,"total_tokens":60000}`, "estimated"}, {`{"message":38,"total_tokens":60000}`, "measured"},
		{`{"message":-1,"total_tokens":60000}`, "measured"}, {`{"message":37,"total_tokens":60000,"exact":true}`, "measured"}, {`null`, "estimated"},
		{`{"message":39}`, "estimated"}} {
		a, tokens := sizes(t, "check", `{%s,"state":%s,"options":{"usage":%s},"messages":%s}`, chat, state, c.usage, list)
		if a.Source != c.want || (tokens == plain) != (c.want == "estimated") {
			t.Errorf("%s: %d tokens, %s", c.usage, tokens, a.Source)
		}
	}
	for usage, path := range map[string]string{`{"message":40,"total_tokens":1}`: "usage.message", `{"message":-41,"total_tokens":1}`: "usage.message",
		`{"message":0,"input_tokens":-1}`: "usage", `{"message":0,"output_tokens":1000000001}`: "usage", `{"message":0,"tokens":1}`: "usage.tokens", `7`: "usage"} {
		if a, _ := sizes(t, "check", `{%s,"options":{"usage":%s},"messages":%s}`, chat, usage, list); a.Error == nil || a.Error.Path != "options."+path {
			t.Errorf("%s: %+v", usage, a.Error)
		}
	}
}

// Five reports are enough, one of them may be absurd, and the state keeps the result.
func TestCalibrationConverges(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		slope, beside := 0.7+0.7*r.Float64(), r.IntN(25000)
		absurd := r.IntN(6)
		state := "null"
		for report := range 5 {
			list := talk(6 * (report + 1))
			_, plain := sizes(t, "estimate", `{%s,"messages":%s}`, chat, list)
			counted := int(slope*float64(plain)*(0.98+0.04*r.Float64())) + beside
			if report == absurd {
				counted = []int{1, 900_000_000, counted * 8, counted / 7}[r.IntN(4)]
			}
			a, _ := sizes(t, "check", `{%s,"state":%s,"options":{"usage":{"message":-1,"total_tokens":%d}},"messages":%s}`, chat, state, max(1, counted), list)
			state = string(a.State)
		}
		list := talk(60)
		_, plain := sizes(t, "estimate", `{%s,"messages":%s}`, chat, list)
		a, tokens := sizes(t, "check", `{%s,"state":%s,"messages":%s}`, chat, state, list)
		want := slope*float64(plain) + float64(beside)
		if off := math.Abs(float64(tokens)/want - 1); off > 0.1 || a.Source != "calibrated" {
			t.Errorf("seed %d: slope %.2f, %d beside, absurd report %d: %d tokens, want %.0f (%s); %s", seed, slope, beside, absurd, tokens, want, a.Source, state)
		}
	}
}

// TestLeastCountOutlivesTheReports counts ten calls, of which the state keeps the last few. Images then make the provider's count far
// larger than the estimate: the system prompt and the tools take no more than the whole first call.
func TestLeastCountOutlivesTheReports(t *testing.T) {
	state, first := "null", 0
	for n := 1; n <= 10; n++ {
		_, plain := sizes(t, "estimate", `{%s,"messages":%s}`, chat, talk(6*n))
		if n == 1 {
			first = plain + 2000
		}
		a, _ := sizes(t, "check", `{%s,"state":%s,"options":{"usage":{"message":-1,"total_tokens":%d}},"messages":%s}`, chat, state, plain+2000, talk(6*n))
		state = string(a.State)
	}
	list := talk(66)
	_, plain := sizes(t, "estimate", `{%s,"messages":%s}`, chat, list)
	var a struct{ Beside, Tokens int }
	counted := plain + plain/2
	answer := core.Call("estimate", fmt.Appendf(nil, `{%s,"state":%s,"options":{"usage":{"message":-1,"total_tokens":%d}},"messages":%s}`, chat, state, counted, list))
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	if a.Tokens != counted || a.Beside > first+len(list)/200 {
		t.Errorf("%d of %d tokens are beside the messages, and the first call had %d in all; %d were counted; %s", a.Beside, a.Tokens, first, counted, state)
	}
}

// A plan keeps the correction: its steps count in the same way, whatever the host's state is by then.
func TestPlansKeepTheCorrection(t *testing.T) {
	list := talk(60)
	policy := `"policy":{"format":"openai-chat","window":{"tokens":30000},"passes":[{"pass":"fold","keep_tokens":2000}]}`
	a, _ := sizes(t, "plan", `{%s,"options":{"usage":{"message":-1,"total_tokens":29000}},"messages":%s}`, policy, list)
	if a.Report.Tokens.Before != 29000 || len(a.Requests) == 0 || a.Report.Tokens.Source != "measured" {
		t.Fatalf("%+v", a)
	}
	b, _ := sizes(t, "step", `{"plan":%s,"summaries":[{"id":%q,"error":"none"}],"messages":%s}`, a.Plan, a.Requests[0].ID, list)
	if got := b.Report.Tokens; got.Before != 29000 || !b.Report.Changed || got.After >= 29000 || got.Source != "measured" || got.Bound != a.Report.Tokens.Bound {
		t.Errorf("%+v", b.Report)
	}
	if !strings.Contains(string(b.State), `"calibration":{"estimator":"script/o200k","estimated":[`) {
		t.Errorf("%s", b.State)
	}
}

// Whatever a state and a plan contain, sums are not negative and nothing fails, because a host may get them from anywhere.
func TestHostileCorrections(t *testing.T) {
	list := talk(3)
	for _, calibration := range []string{`{"estimator":"script/o200k","estimated":[1,1,1],"counted":[999999999,-5,9223372036854775807]}`,
		`{"estimator":"script/o200k","estimated":[9223372036854775807,-9223372036854775808],"counted":[1]}`, `{"estimator":"other","estimated":[5],"counted":[5]}`,
		`{"estimator":"script/o200k","estimated":[` + strings.Repeat("7,", 100000) + `7],"counted":[` + strings.Repeat("9,", 100000) + `9]}`} {
		a, tokens := sizes(t, "check", `{%s,"state":{"round":0,"ledger":{},"calibration":%s},"messages":%s}`, chat, calibration, list)
		if a.Error != nil || tokens < 0 || tokens > 2_000_000_000 {
			t.Errorf("%.60s: %d, %+v", calibration, tokens, a.Error)
		}
	}
	list = talk(60)
	policy := `"policy":{"format":"openai-chat","window":{"tokens":12000},"passes":[{"pass":"fold","keep_tokens":1000}]}`
	a, _ := sizes(t, "plan", `{%s,"messages":%s}`, policy, list)
	if len(a.Requests) == 0 {
		t.Fatalf("%+v", a)
	}
	for _, correction := range []string{`{"scale":-9,"fixed":-9223372036854775808}`, `{"scale":9223372036854775807,"fixed":9223372036854775807}`, `{}`} {
		plan := strings.Replace(string(a.Plan), `"state":`, `"correction":`+correction+`,"state":`, 1)
		b, _ := sizes(t, "step", `{"plan":%s,"summaries":[{"id":%q,"error":"none"}],"messages":%s}`, plan, a.Requests[0].ID, list)
		if b.Error != nil || b.Report.Tokens.Before < 0 || b.Report.Tokens.After > b.Report.Tokens.Before {
			t.Errorf("%s: %+v %+v", correction, b.Error, b.Report)
		}
	}
}

// A session learns from usage as a state does.
func TestSessionsAreCalibrated(t *testing.T) {
	list := talk(10)
	l := &core.Sessions{}
	l.Call("session_open", fmt.Appendf(nil, `{%s,"messages":%s}`, chat, list))
	with := l.Call("check", []byte(`{"session":1,"options":{"usage":{"message":19,"total_tokens":20000}}}`))
	if !strings.Contains(string(with), `"tokens":20000,"source":"measured"`) {
		t.Errorf("%s", with)
	}
	if after := l.Call("check", []byte(`{"session":1}`)); !strings.Contains(string(after), `"source":"calibrated"`) {
		t.Errorf("%s", after)
	}
}

// Without a model, the wire format determines the tokenizer family, whether the policy sets it or it is detected.
func TestFamilyByFormat(t *testing.T) {
	anthropic := `[{"role":"user","content":"Bonjour, voilà."},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"b"}]}]`
	for _, c := range []struct{ policy, list, family string }{
		{`{"format":"anthropic"}`, anthropic, "claude"}, {`{}`, anthropic, "claude"}, {`{"model":"gpt-4"}`, anthropic, "cl100k"},
		{`{"format":"openai-chat"}`, talk(1), "o200k"}, {`{"format":"gemini"}`, `[{"role":"user","parts":[{"text":"a"}]}]`, "gemini"},
	} {
		answer := string(core.Call("estimate", fmt.Appendf(nil, `{"policy":%s,"messages":%s}`, c.policy, c.list)))
		if !strings.Contains(answer, `"family":"`+c.family+`"`) {
			t.Errorf("%s: %s", c.policy, answer)
		}
	}
	l := &core.Sessions{}
	l.Call("session_open", []byte(`{}`))
	l.Call("session_append", fmt.Appendf(nil, `{"session":1,"messages":%s}`, anthropic))
	for _, request := range []string{`{"session":1}`, `{"session":1,"policy":{"window":{"tokens":1000}}}`} {
		if answer := string(l.Call("estimate", []byte(request))); !strings.Contains(answer, `"family":"claude"`) {
			t.Errorf("session: %s", answer)
		}
	}
}

// TestLeastCountBoundsBeside has a conversation whose first call was counted as 9,000 tokens, and whose last call as far more than
// estimated: the rest is an error of the estimate, and not the system prompt. Compacting it leaves a digest and the newest messages.
func TestLeastCountBoundsBeside(t *testing.T) {
	var list []string
	for i := range 60 {
		list = append(list, `{"role":"user","content":"What does part `+strconv.Itoa(i)+` do with the settings in file`+strconv.Itoa(i)+`.go?"}`,
			`{"role":"assistant","content":"`+strings.Repeat("It reads them, checks each one and reports the first error. ", 20)+`"}`)
	}
	messages := "[" + strings.Join(list, ",") + "]"
	for _, test := range []struct {
		usage  string
		beside int // at most, with what rounding leaves
	}{
		{`{"message":-1,"total_tokens":60000,"least_tokens":9000}`, 9100},
		{`{"message":-1,"total_tokens":60000}`, 60000},
	} {
		var a struct {
			Beside, Tokens int
			Error          json.RawMessage
		}
		out := core.Call("estimate", []byte(`{"policy":{"format":"openai-chat"},"options":{"usage":`+test.usage+`},"messages":`+messages+`}`))
		if err := json.Unmarshal(out, &a); err != nil || a.Error != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if a.Beside > test.beside || a.Tokens < 59000 || a.Tokens > 61000 {
			t.Errorf("%s: %d of %d tokens are beside the messages, at most %d wanted", test.usage, a.Beside, a.Tokens, test.beside)
		}
	}
	// What must stay is over the limit: the digest still has what was asked.
	var p struct {
		Report struct{ Fits bool }
		Error  json.RawMessage
	}
	out := core.Call("plan", []byte(`{"policy":{"format":"openai-chat","window":{"tokens":40000},"summary":{"mode":"local"}},"options":{"force":true,"usage":{"message":-1,"total_tokens":60000}},"messages":`+messages+`}`))
	if err := json.Unmarshal(out, &p); err != nil || p.Error != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if p.Report.Fits || !strings.Contains(string(out), "file40.go") || strings.Contains(string(out), "(1 more)") {
		t.Errorf("fits %v; the digest has lost what was asked: %.2000s", p.Report.Fits, out)
	}
}
