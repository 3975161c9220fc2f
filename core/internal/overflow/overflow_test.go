package overflow

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/guides/overflow.md")

// rules returns the wordings in the order in which they are tried: guards first.
func rules() []Rule { return append(append([]Rule{}, guards...), table...) }

// TestDocument checks that the documentation has the same table as the code.
func TestDocument(t *testing.T) {
	const file = "../../../docs/guides/overflow.md"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(src), "| provider | text | class | source |\n|---|---|---|---|\n")
	if !found {
		t.Fatalf("%s has no table", file)
	}
	var b strings.Builder
	b.WriteString(head + "| provider | text | class | source |\n|---|---|---|---|\n")
	for _, r := range rules() {
		provider := r.Provider
		if provider == "" {
			provider = "several"
		}
		b.WriteString("| " + provider + " | `` " + strings.ReplaceAll(r.Pattern, "|", "\\|") + " `` | `" + string(r.Class) + "` | " + r.Source + " |\n")
	}
	switch {
	case *update:
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	case b.String() != string(src):
		t.Errorf("%s is stale: go test ./core/overflow -update", file)
	}
}

// instance is text that a pattern represents.
func instance(pattern string) string {
	return "Error: " + strings.NewReplacer("{used}", "130,001", "{limit}", "128000", "{n}", "7", "*", " … ").Replace(pattern) + " (request id 5f)"
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules() {
		if seen[r.Pattern] || r.Source == "" || r.Pattern != strings.ToLower(r.Pattern) {
			t.Errorf("%q: twice, without a source, or not in lower case", r.Pattern)
		}
		seen[r.Pattern] = true
		v := Classify(Failure{Status: 400, Text: instance(r.Pattern)})
		if v.Class != r.Class {
			t.Errorf("%q is %s, not %s", r.Pattern, v.Class, r.Class)
		}
		if r.Class != Context {
			continue
		}
		if strings.Contains(r.Pattern, "{used}") && v.Used != 130001 || strings.Contains(r.Pattern, "{limit}") && v.Limit != 128000 {
			t.Errorf("%q: used %d, limit %d", r.Pattern, v.Used, v.Limit)
		}
		if v.Provider != r.Provider {
			t.Errorf("%q is hidden by a rule of %q", r.Pattern, v.Provider)
		}
		if v := Classify(Failure{Status: 429, Text: instance(r.Pattern)}); v.Class != RateLimit {
			t.Errorf("%q with status 429 is %s", r.Pattern, v.Class)
		}
		if v := Classify(Failure{Status: 400, Text: instance(r.Pattern), Model: "a", Current: "b"}); v.Class != OtherModel {
			t.Errorf("%q of another model is %s", r.Pattern, v.Class)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name string
		f    Failure
		want Verdict
	}{
		{"OpenAI's JSON", Failure{Status: 400, Text: `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.","code":"context_length_exceeded"}}`},
			Verdict{Class: Context, Provider: "openai", Used: 130001, Limit: 128000, Message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens."}},
		{"a code beside a quota's word", Failure{Status: 400, Text: `{"code":"context_length_exceeded","message":"see rate limits"}`},
			Verdict{Class: Context, Provider: "openai", Message: "see rate limits"}},
		{"tokens per minute", Failure{Text: "Rate limit reached: too many tokens per minute"}, Verdict{Class: RateLimit, Provider: "openai", Message: "Rate limit reached: too many tokens per minute"}},
		{"curly apostrophe", Failure{Status: 400, Text: "exceeds the model’s context window"}, Verdict{Class: Context, Provider: "openai", Message: "exceeds the model’s context window"}},
		{"a key", Failure{Status: 401, Text: "permission denied"}, Verdict{Class: Provider, Message: "permission denied"}},
		{"401 that is an overflow", Failure{Status: 401, Text: "this model supports only 256k context"}, Verdict{Class: Context, Provider: "moonshot", Message: "this model supports only 256k context"}},
		{"Cerebras without a body", Failure{Status: 400, Provider: "cerebras"}, Verdict{Class: Context, Provider: "cerebras"}},
		{"Cerebras in an SDK's words", Failure{Text: "413 status code (no body)", Provider: "Cerebras"}, Verdict{Class: Context, Provider: "cerebras", Message: "413 status code (no body)"}},
		{"413 without a body", Failure{Status: 413}, Verdict{Class: PayloadLimit}},
		{"413 of an SDK", Failure{Text: "413 status code (no body)"}, Verdict{Class: PayloadLimit, Message: "413 status code (no body)"}},
		{"400 without a body", Failure{Status: 400}, Verdict{Class: Provider}},
		{"429 without a body", Failure{Status: 429}, Verdict{Class: RateLimit}},
		{"nothing", Failure{}, Verdict{Class: None}},
		{"success", Failure{Status: 200, Input: 1000, Window: 2000, FinishReason: "stop"}, Verdict{Class: None}},
		{"success over the window", Failure{Status: 200, Input: 100, CacheRead: 2000, Output: 5, Window: 2000, FinishReason: "stop"},
			Verdict{Class: Context, Silent: true, Used: 2100, Limit: 2000}},
		{"full before the answer", Failure{Input: 1990, Window: 2000, FinishReason: "length"}, Verdict{Class: Context, Silent: true, Used: 1990, Limit: 2000}},
		{"cut off in the answer", Failure{Input: 1990, Output: 10, Window: 2000, FinishReason: "length"}, Verdict{Class: None}},
		{"Anthropic's stop reason", Failure{FinishReason: "model_context_window_exceeded", Input: 9, Window: 10},
			Verdict{Class: Context, Provider: "anthropic", Silent: true, Used: 9, Limit: 10}},
		{"unknown window", Failure{Input: 1 << 40}, Verdict{Class: None}},
		{"the answer speaks of it", Failure{Status: 200, Text: "prompt is too long"}, Verdict{Class: None, Message: "prompt is too long"}},
	} {
		if got := Classify(c.f); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestHostileText(t *testing.T) {
	for _, piece := range []string{"prompt is too long: ", "input length ", "maximum context length is 1 tokens ", "{\"error\":", "[", "too many tokens: total number of tokens"} {
		Classify(Failure{Status: 400, Text: strings.Repeat(piece, 1<<20/len(piece))})
	}
	if v := Classify(Failure{Status: 400, Text: "prompt is too long: 99999999999999999999999 tokens > 1"}); v.Class != Context {
		t.Errorf("a long number: %+v", v)
	}
}

// A failure belongs to another model only if both models are known and differ.
func TestOtherModel(t *testing.T) {
	for _, c := range []struct {
		model, current string
		other          bool
	}{{"a", "b", true}, {"a", "a", false}, {"a", "", false}, {"", "b", false}, {"", "", false}} {
		if v := Classify(Failure{Status: 500, Text: "overloaded", Model: c.model, Current: c.current}); v.Class == OtherModel != c.other {
			t.Errorf("%+v: %v", c, v.Class)
		}
	}
}
