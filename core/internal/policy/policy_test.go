package policy

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

func TestResolveLaysThePolicyOverItsPreset(t *testing.T) {
	p, err := Resolve([]byte(`{"preset":"window-budget","window":{"tokens":200000},"gate":{"target":0.5}}`))
	if err != nil {
		t.Fatal(err)
	}
	if *p.Window.Reserve != 2048 || p.Gate.Ratio != 0.75 || p.Gate.Target != 0.5 || len(p.Passes) != 3 || p.Estimator != "runes3.6" {
		t.Errorf("%+v", p)
	}
	// S3.11
	for window, limit := range map[int]int{200000: 148464, 128000: 94464, 8192: 4608} {
		p.Window.Tokens = window
		if p.Limit() != limit {
			t.Errorf("limit %d of %d, want %d", p.Limit(), window, limit)
		}
	}
	p, err = Resolve([]byte(`{"passes":[{"pass":"clear"}]}`))
	if err != nil || len(p.Passes) != 1 || string(p.Passes[0].JSON) != `{"pass":"clear"}` {
		t.Errorf("%+v %v", p, err)
	}
}

func TestReserve(t *testing.T) {
	for _, c := range []struct {
		json   string
		usable int
	}{
		{`{"window":{"tokens":200000}}`, 200000 - 16384},
		{`{"window":{"tokens":8000}}`, 7000},
		{`{"window":{"tokens":8000,"reserve":0}}`, 8000},
		{`{"window":{"tokens":8000,"reserve":9000},"wire_safe":false}`, -1000},
	} {
		p, err := Resolve([]byte(c.json))
		if err != nil || p.UsableTokens() != c.usable {
			t.Errorf("%s: %v %v", c.json, p, err)
		}
		if p.Limit() < 0 {
			t.Errorf("%s: limit %d", c.json, p.Limit())
		}
	}
}

func TestResolveErrors(t *testing.T) {
	for src, code := range map[string]jsonspan.Code{
		`{"preset":"x"}`:                        api.CodeUnknownPreset,
		`{"presett":"x"}`:                       api.CodeUnknownField,
		`{"gate":{"ratio":"1"}}`:                jsonspan.WrongType,
		`{"gate":{"ratio":0}}`:                  api.CodeOutOfRange,
		`{"gate":{"ratio":1.5}}`:                api.CodeOutOfRange,
		`{"gate":{"target":-1}}`:                api.CodeOutOfRange,
		`{"window":{"tokens":-1}}`:              api.CodeOutOfRange,
		`{"window":{"tokens":1e400}}`:           jsonspan.WrongType,
		`{"window":{"tokens":99999999999}}`:     api.CodeOutOfRange,
		`{"window":{"tokens":10,"reserve":10}}`: api.CodeOutOfRange,
		`{"summary":{"mode":"x"}}`:              api.CodeOutOfRange,
		`{"summary":{"max_input_tokens":-5}}`:   api.CodeOutOfRange,
		`{"answer":"edits"}`:                    api.CodeUnknownField,
		`{"force":true}`:                        api.CodeUnknownField,
		`{"summary":{"text":"x"}}`:              api.CodeUnknownField,
		`{"open_calls":"x"}`:                    api.CodeOutOfRange,
		`{"repair":"x"}`:                        api.CodeOutOfRange,
		`{"pins":[{}]}`:                         api.CodeOutOfRange,
		`{"pins":[{"role":"agent"}]}`:           api.CodeOutOfRange,
		`{"passes":[{"keep":1}]}`:               jsonspan.WrongType,
		`{"passes":["clear"]}`:                  jsonspan.WrongType,
		`[]`:                                    jsonspan.WrongType,
		`"default"`:                             jsonspan.WrongType,
	} {
		if _, err := Resolve([]byte(src)); err == nil || err.Code != code {
			t.Errorf("%s: %v, want %s", src, err, code)
		}
	}
}

// Each number in a policy is tested against both bounds, and the error names it.
func TestBounds(t *testing.T) {
	for key, c := range map[string]struct{ taken, refused []string }{
		"gate.ratio":                   {[]string{"0.001", "1"}, []string{"0", "-1", "1.001"}},
		"gate.start":                   {[]string{"0.61", "0.99", "0"}, []string{"0.6", "1", "-0.1"}},
		"gate.target":                  {[]string{"0.001", "1"}, []string{"0", "-1", "1.001"}},
		"gate.min_gain":                {[]string{"0", "1"}, []string{"-0.001", "1.001"}},
		"gate.max_tokens":              {[]string{"1", "1000000000"}, []string{"-1", "1000000001"}},
		"gate.max_messages":            {[]string{"1", "1073741824"}, []string{"-1", "1073741825"}},
		"gate.max_tool_results":        {[]string{"1", "1073741824"}, []string{"-1", "1073741825"}},
		"gate.min_messages":            {[]string{"0", "5"}, []string{"-1"}},
		"window.tokens":                {[]string{"2", "1000000000"}, []string{"-1", "1000000001"}},
		"max_bytes":                    {[]string{"0", "1073741824"}, []string{"-1", "1073741825"}},
		"summary.max_output_tokens":    {[]string{"1", "1000000000"}, []string{"-1", "1000000001"}},
		"summary.max_input_tokens":     {[]string{"1", "1000000000"}, []string{"-1", "1000000001"}},
		"summary.retries":              {[]string{"0", "3"}, []string{"-1", "4"}},
		"summary.standing":             {[]string{"0", "1"}, []string{"-0.001", "1.001"}},
		"summary.project_instructions": {[]string{"0", "1"}, []string{"-0.001", "1.001"}},
		"summary.room":                 {[]string{"0", "1"}, []string{"-0.001", "1.001"}},
	} {
		policy := func(value string) []byte {
			outer, inner, found := strings.Cut(key, ".")
			if !found {
				return []byte(`{"` + outer + `":` + value + `}`)
			}
			return []byte(`{"` + outer + `":{"` + inner + `":` + value + `}}`)
		}
		for _, value := range c.taken {
			if _, err := Resolve(policy(value)); err != nil {
				t.Errorf("%s of %s: %v", key, value, err)
			}
		}
		for _, value := range c.refused {
			if _, err := Resolve(policy(value)); err == nil || err.Code != api.CodeOutOfRange || err.At != key {
				t.Errorf("%s of %s: %+v", key, value, err)
			}
		}
	}
}

func TestEveryPresetResolves(t *testing.T) {
	for _, p := range Presets() {
		if _, err := Resolve([]byte(`{"preset":"` + p.Name + `"}`)); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// TestKeys checks that a misspelt key is asked about, whichever key it is, and that the list has all keys of the schema.
func TestKeys(t *testing.T) {
	schema, err := os.ReadFile("../../../docs/policy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				for key := range properties {
					keys = append(keys, key)
				}
			}
			for _, x := range v {
				walk(x)
			}
		}
	}
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		t.Fatal(err)
	}
	walk(v)
	if len(keys) < 60 {
		t.Fatalf("the schema has %d keys", len(keys))
	}
	for _, key := range keys {
		err := SuggestKey(&Error{Message: noKey + key + "x"})
		if len(key) > 3 && err.Message != `unknown key "`+key+`x"; did you mean "`+key+`"?` {
			t.Errorf("%s: %s", key, err.Message)
		}
	}
}

// TestNearest tests common names that differ from ours, and typing errors.
func TestNearest(t *testing.T) {
	formats := []string{"ai-sdk", "ai-sdk-ui", "anthropic", "gemini", "mistral", "native", "ollama", "openai-chat", "openai-responses", "plain"}
	for name, want := range map[string]string{"openai": "openai-chat", "OpenAI": "openai-chat", "openai_chat": "openai-chat", "claude": "anthropic",
		"antropic": "anthropic", "gemeni": "gemini", "aisdk": "ai-sdk", "responses": "openai-responses", "Mistral": "mistral", "Ollama": "ollama", "xml": "", "": "", "vercel": "ai-sdk"} {
		if got := NearestName(name, formats); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := UnknownName("format", "openai", formats); got != `unknown format "openai"; did you mean "openai-chat"?` {
		t.Error(got)
	}
	if got := UnknownName("pass", "zzz", []string{"a", "b"}); got != `unknown pass "zzz"; there are: a, b` {
		t.Error(got)
	}
}
