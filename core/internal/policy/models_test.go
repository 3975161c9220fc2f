package policy

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/ctxfold/ctxfold/api"
)

func TestModels(t *testing.T) {
	for name, want := range map[string]int{
		"claude-opus-4-1-20250805": 200_000, "anthropic/claude-opus-4.8-fast": 1_000_000, "us.anthropic.claude-3-5-sonnet-20241022-v2:0": 200_000,
		"claude-sonnet-4-5@20250929": 200_000, "gpt-4": 8192, "gpt-4-0613": 8192, "gpt-4-turbo-2024-04-09": 128_000, "GPT-4o-mini": 128_000,
		"openai/gpt-4.1-mini": 1_047_576, "gpt-5-codex": 400_000, "gpt-5-chat-latest": 128_000, "o3-mini-2025-01-31": 200_000,
		"models/gemini-2.5-flash-lite": 1_048_576, "gemini-2.5-flash-image-preview": 32_768, "meta-llama/Llama-3.1-8B-Instruct": 131_072,
		"deepseek/deepseek-chat:free":     128_000,
		"us.anthropic.claude-opus-4-6-v1": 1_000_000, "claude-opus-4-5": 200_000, "claude-opus-4-9": 200_000, "claude-sonnet-5-5": 1_000_000,
		"openai/gpt-6.1-sol": 272_000, "gpt-5.4-2026-03-05": 272_000, "gpt-5.4-mini": 400_000, "gpt-5.3-codex-spark": 128_000,
		"gemini-3.5-flash-lite": 1_048_576, "MiniMax-M2.7": 196_608, "x-ai/grok-4.5": 500_000, "kimi-k2.6": 262_144,
		"Llama-3.2-3B-Instruct-q4f16_1-MLC": 4096, "mlc-ai/Llama-3.1-8B-Instruct-q4f16_1-MLC-1k": 1024, "Llama-3-8B-Instruct-q4f16_1-1k": 1024,
		"Qwen3-0.6B-q4f32_1": 4096, "Unheard-Of-7B-q4f16_1-MLC": 4096, "TinyLlama-1.1B-Chat-v1.0-q4f16_1-MLC": 2048, "phi-2": 2048,
		"onnx-community/Llama-3.2-1B-Instruct-q4f16": 4096, "onnx-community/gemma-3-1b-it-ONNX-GQA": 4096, "Xenova/phi-1_5": 2048,
		"HuggingFaceTB/SmolLM2-135M-Instruct-ONNX": 4096, "meta-llama/Llama-3.2-3B-Instruct": 131_072, "my-mlcish": 0, "not-xenova/foo": 0,
		"gpt-6.2-sol": 272_000, "openai/gpt-daybreak-blue-latest": 272_000, "models/gemini-4-neon": 1_048_576, "chat-latest": 400_000,
		"zai-glm-5-3-flash": 1_000_000, "deep-research-preview-04-2026": 1_048_576, "voxtral-small-2507": 32_768,
		"gpt-6": 0, "gpt-6.3-sol": 0, "gemini-5-pro": 0, "grok-5": 0,
		"": 0, "gpt-4.9": 0, "gpt-50": 0, "my-gpt-4": 0, "claude": 0, "claude-5-opus": 0, "foo1": 0, "o1x": 0, "unknown": 0,
	} {
		if m, ok := ModelByName(name); m.Window != want || ok != (want > 0) {
			t.Errorf("%q: %+v, want a window of %d", name, m, want)
		}
	}
}

// The table matches models.json.
func TestModelsAreGenerated(t *testing.T) {
	src, err := os.ReadFile("models.json")
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Source         string
		Models, Builds map[string]struct{ Window, Reserve int }
	}
	if err := json.Unmarshal(src, &groups); err != nil {
		t.Fatal(err)
	}
	for _, table := range []struct {
		name  string
		rows  []Model
		group int
	}{{"models", models, 0}, {"builds", builds, 1}} {
		known := map[string]Model{}
		for _, m := range table.rows {
			known[m.Name] = m
		}
		n := 0
		for _, g := range groups {
			for name, m := range []map[string]struct{ Window, Reserve int }{g.Models, g.Builds}[table.group] {
				n++
				if known[name] != (Model{name, m.Window, m.Reserve}) {
					t.Errorf("%s is not as in models.json: run go generate ./core/policy", name)
				}
			}
		}
		if n != len(table.rows) {
			t.Errorf("%d %s, %d in models.json: run go generate ./core/policy", len(table.rows), table.name, n)
		}
	}
}

// WebLLM's builds of models have the windows in its own list.
func TestBrowserBuilds(t *testing.T) {
	src, err := os.ReadFile("testdata/web-llm.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Windows map[string]int }
	if err := json.Unmarshal(src, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Windows) < 100 {
		t.Fatalf("%d builds", len(list.Windows))
	}
	for name, want := range list.Windows {
		if m, ok := ModelByName(name); !ok || m.Window != want {
			t.Errorf("%s: %+v, want a window of %d", name, m, want)
		}
	}
}

// A policy uses the window of its model, unless it sets a window or requests the published behavior. An unknown model has no window.
func TestPoliciesKnowModels(t *testing.T) {
	for src, want := range map[string][2]int{ // window and limit, in tokens
		`{"model":"gpt-4o"}`:                                             {128_000, 89_600},
		`{"model":"gpt-5"}`:                                              {400_000, 217_600},
		`{"model":"gpt-5","window":{"reserve":0}}`:                       {400_000, 320_000},
		`{"model":"gpt-5","window":{"tokens":1000}}`:                     {1000, 700},
		`{"model":"Llama-3.2-3B-Instruct-q4f16_1-MLC"}`:                  {4096, 2867},
		`{"model":"gpt-50"}`:                                             {0, 0},
		`{"preset":"turn-tail","model":"gpt-4o","wire_safe":false}`:      {0, 0},
		`{"preset":"agent-loop","model":"claude-haiku-4-5"}`:             {200_000, 183_616},
		`{"preset":"window-budget","model":"claude-haiku-4-5-20251001"}`: {200_000, 148_464},
	} {
		p, err := Resolve([]byte(src))
		if err != nil {
			t.Errorf("%s: %v", src, err)
		} else if p.Window.Tokens != want[0] || p.Limit() != max(want[1], p.Gate.MaxTokens*b2i(want[0] == 0)) {
			t.Errorf("%s: window %d, limit %d, want %v", src, p.Window.Tokens, p.Limit(), want)
		}
	}
	if _, err := Resolve([]byte(`{"model":"gpt-4","window":{"reserve":10000}}`)); err == nil || err.At != "window.reserve" {
		t.Errorf("a reserve over the window of the model: %v", err)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// How a Claude model thinks follows from the version in its name, also of models that are not in the table.
func TestThinkingOf(t *testing.T) {
	for name, want := range map[string]api.ThinkingMode{
		"claude-3-7-sonnet-20250219": api.ThinkingManual, "us.anthropic.claude-3-5-sonnet-20241022-v2:0": api.ThinkingManual,
		"claude-opus-4-20250514": api.ThinkingManual, "claude-opus-4-1-20250805": api.ThinkingManual, "claude-sonnet-4-5@20250929": api.ThinkingManual,
		"Claude-Haiku-4-5": api.ThinkingManual, "anthropic/claude-sonnet-4.5:thinking": api.ThinkingManual,
		"claude-opus-4-6": api.ThinkingUnknown, "us.anthropic.claude-opus-4-6-v1": api.ThinkingUnknown, "claude-sonnet-4.6": api.ThinkingUnknown,
		"claude-opus-4-7": api.ThinkingAdaptive, "anthropic/claude-opus-4.8-fast": api.ThinkingAdaptive, "claude-opus-5": api.ThinkingAdaptive,
		"claude-fable-5.1": api.ThinkingAdaptive, "claude-opus-5-20260901": api.ThinkingAdaptive, "claude-mythos-preview": api.ThinkingAdaptive,
		"claude-opus-10-1": api.ThinkingAdaptive, "claude-sonnet-latest": api.ThinkingUnknown, "claude": api.ThinkingUnknown, "glm-5": api.ThinkingUnknown,
		"": api.ThinkingUnknown,
	} {
		if got := ThinkingOf(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
