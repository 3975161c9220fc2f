package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// thinker is a conversation with a model that keeps its reasoning next to the content, and n tool calls.
func thinker(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"Question %d. %s"},{"role":"assistant","content":null,"reasoning_content":"Let me think. %s","tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":"c%d","content":"result %s"},{"role":"assistant","content":"Answer %d.","reasoning_content":"I see."}`, i, strings.Repeat("words ", 20), strings.Repeat("thought ", 40), i, i, strings.Repeat("words ", 40), i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

type reasoned []struct {
	Role      string
	Reasoning *string           `json:"reasoning_content"`
	Calls     []json.RawMessage `json:"tool_calls"`
}

// Models that think want reasoning_content in each message with tool calls, DeepSeek's in each of the assistant (OC9).
func TestReasoningContent(t *testing.T) {
	for _, model := range []string{"kimi-k2-thinking", "deepseek/deepseek-chat"} {
		for _, passes := range []string{"", `,"passes":[{"pass":"reasoning","mode":"strip"}]`, `,"passes":[{"pass":"reasoning","mode":"latest_turn"},{"pass":"fold","keep_tokens":300,"boundary":"group"}]`,
			`,"preset":"checkpoint"`, `,"preset":"turn-tail"`, `,"preset":"layered"`, `,"preset":"agent-loop"`} {
			policy := `{"format":"openai-chat","model":"` + model + `","window":{"tokens":1800,"reserve":100}` + passes + `}`
			if strings.Contains(passes, "checkpoint") {
				policy += force
			}
			a := compacts(t, policy, "", thinker(12), summaryText)
			if a.Error != nil || !a.Report.Changed {
				t.Errorf("%s: %+v %s", policy, a.Error, a.Report.Reason)
				continue
			}
			var out reasoned
			if err := json.Unmarshal(a.Messages, &out); err != nil {
				t.Fatal(err)
			}
			thinks := 0
			for i, m := range out {
				if m.Role != "assistant" {
					continue
				}
				if m.Reasoning != nil && *m.Reasoning != "" {
					thinks++
				}
				if m.Reasoning == nil && (len(m.Calls) > 0 || strings.Contains(model, "deepseek")) {
					t.Errorf("%s: message %d has no reasoning_content", policy, i)
				}
			}
			if strings.Contains(passes, "strip") && thinks > 0 {
				t.Errorf("%s: %d messages still have reasoning", policy, thinks)
			}
			if bad := judge.Valid("openai-chat", a.Messages); len(bad) > 0 {
				t.Errorf("%s: %s", policy, bad[0])
			}
			if size := estimateOf(t, policy, string(a.Messages)); size != a.Report.Tokens.After {
				t.Errorf("%s: the report says %d tokens, and estimate %d", policy, a.Report.Tokens.After, size)
			}
		}
	}
	for _, test := range []struct{ name, model, messages, repaired string }{
		{"with calls", "", `[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"t"},{"role":"assistant","tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"x"},{"role":"assistant","content":"d"}]`,
			`[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"t"},{"reasoning_content":"","role":"assistant","tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"x"},{"role":"assistant","content":"d"}]`},
		{"null", "", `[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"t"},{"role":"assistant","reasoning_content": null ,"tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"x"}]`,
			`[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"t"},{"role":"assistant","reasoning_content":"" ,"tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"x"}]`},
		{"DeepSeek", "deepseek-chat", `[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":""},{"role":"assistant","content":"d"}]`,
			`[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":""},{"reasoning_content":"","role":"assistant","content":"d"}]`},
		{"none", "deepseek-chat", `[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"x"}]`, ""},
	} {
		policy := `{"format":"openai-chat","model":"` + test.model + `"}`
		r := call(t, "repair", `{"policy":`+policy+`,"messages":`+test.messages+`}`)
		if test.repaired == "" {
			test.repaired = test.messages
		}
		if string(r.Messages) != test.repaired || !r.Valid {
			t.Errorf("%s: repaired to %s", test.name, r.Messages)
		}
		body := `{"model":"` + test.model + `","messages":` + test.messages + `}`
		if v := call(t, "validate", `{"policy":{"format":"openai-chat"},"messages":`+body+`}`); v.Valid != (test.repaired == test.messages) {
			t.Errorf("%s: valid is %t, %+v", test.name, v.Valid, v.Violations)
		}
	}
}

// Calls of other agents keep their outputs. Encrypted reasoning after a change is removed, because the provider ignores it anyway.
func TestResponsesOfOtherAgents(t *testing.T) {
	item := func(format string, a ...any) string { return fmt.Sprintf(format, a...) }
	var list []string
	for i := range 12 {
		list = append(list, item(`{"role":"user","content":"Question %d. %s"}`, i, strings.Repeat("words ", 30)),
			item(`{"type":"reasoning","summary":[],"encrypted_content":"%s"}`, strings.Repeat("gAAA", 300)),
			item(`{"type":"multi_agent_call","id":"mac_%d","action":"spawn_agent","arguments":"{\"task\":\"%d\"}","call_id":"m%d"}`, i, i, i),
			item(`{"type":"multi_agent_call_output","id":"maco_%d","action":"spawn_agent","call_id":"m%d","output":[{"type":"output_text","text":"started %s"}]}`, i, i, strings.Repeat("words ", 60)),
			item(`{"type":"agent_message","id":"am_%d","author":"helper","recipient":"root","content":[{"type":"input_text","text":"report %d"}]}`, i, i),
			item(`{"type":"reasoning","summary":[],"encrypted_content":"%s"}`, strings.Repeat("gBBB", 300)),
			item(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Answer %d."}]}`, i))
	}
	messages := "[" + strings.Join(list, ",") + "]"
	if v := call(t, "validate", `{"messages":`+messages+`}`); !v.Valid {
		t.Fatalf("%+v %+v", v.Error, v.Violations)
	}
	for _, preset := range []string{"default", "turn-tail", "checkpoint", "layered", "agent-loop", "window-budget"} {
		policy := `{"preset":"` + preset + `","format":"openai-responses","window":{"tokens":3000,"reserve":100}}` + force
		a, broken := promises(t, "openai-responses", policy, []byte(messages), summaryText)
		for _, b := range broken {
			t.Errorf("%s: %s", preset, b)
		}
		out := string(a.Messages)
		if !a.Report.Changed || strings.Count(out, `"multi_agent_call"`) != strings.Count(out, `"multi_agent_call_output"`) {
			t.Errorf("%s: %s, %d calls and %d outputs", preset, a.Report.Reason, strings.Count(out, `"multi_agent_call"`), strings.Count(out, `"multi_agent_call_output"`))
		}
		if strings.Contains(out[a.Report.Prefix.Bytes:], "gBBB") {
			t.Errorf("%s: encrypted reasoning is left behind the change", preset)
		}
	}
	alone := `[{"role":"user","content":"a"},{"type":"multi_agent_call","id":"m","action":"wait_agent","arguments":"{}","call_id":"m1"},{"role":"user","content":"b"}]`
	if r := call(t, "repair", `{"messages":`+alone+`}`); !r.Valid || strings.Contains(string(r.Messages), "multi_agent_call") {
		t.Errorf("a call that nothing can answer: %s", r.Messages)
	}
	kept := `[{"role":"user","content":"` + strings.Repeat("words ", 900) + `"},{"role":"assistant","content":"x"},{"role":"user","content":"b"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},` +
		`{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"x"}]`
	a := compacts(t, `{"format":"openai-responses","window":{"tokens":500,"reserve":10},"summary":{"mode":"local"}}`+force, "", kept, "")
	if !a.Report.Changed || !strings.Contains(string(a.Messages), `"id":"rs_1"`) || !strings.Contains(string(a.Messages), `"id":"fc_1"`) {
		t.Errorf("reasoning whose item would lose its id: %s %.300s", a.Report.Reason, a.Messages)
	}
}
