package wire_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold/core/wire"
	"github.com/ctxfold/ctxfold/internal/sessions"
)

func detected(t *testing.T, messages string) (format string, candidates []string) {
	t.Helper()
	var a struct {
		Format     string
		Candidates []struct{ Format string }
	}
	request(t, "detect", "{}", messages, &a)
	for _, c := range a.Candidates {
		candidates = append(candidates, c.Format)
	}
	return a.Format, candidates
}

// TestDetect has a small sample of each shape that tells a format, and of those that do not.
func TestDetect(t *testing.T) {
	chatCall := `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"r","arguments":"{}"}}]}`
	for _, test := range []struct{ name, messages, format string }{
		{"openai-chat, tool call", transcriptOf(asUser, chatCall), "openai-chat"},
		{"openai-chat, tool call without type", transcriptOf(asUser, strings.Replace(chatCall, `"type":"function",`, "", 1)), "openai-chat"},
		{"openai-chat, image", transcriptOf(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}`), "openai-chat"},
		{"openai-chat, body", `{"model":"gpt-5","messages":` + transcriptOf(asUser) + `}`, "openai-chat"},
		{"openai-chat, body with a list of tools", `{"model":"deepseek-chat","tools":[{"type":"function","function":{}}],"messages":` + transcriptOf(asUser, chatCall) + `}`, "openai-chat"},
		{"anthropic, tool call", transcriptOf(asUser, asMessage("assistant", `{"type":"tool_use","id":"c","name":"r","input":{}}`)), "anthropic"},
		{"anthropic, thinking", transcriptOf(asUser, asMessage("assistant", `{"type":"thinking","thinking":"t","signature":"s"}`)), "anthropic"},
		{"anthropic, an answer of the API", transcriptOf(asUser, `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"tool_use","id":"c","name":"r","input":{}}]}`), "anthropic"},
		{"anthropic, a part of an application's own", transcriptOf(asUser, asMessage("assistant", `{"type":"tool_use","id":"c","name":"r","input":{}}`), asMessage("user", `{"type":"tool_result","tool_use_id":"c","content":"x"}`, `{"type":"file","path":"a"}`)), "anthropic"},
		{"anthropic, body", `{"model":"claude-opus-4-5","system":"s","messages":` + transcriptOf(asUser) + `}`, "anthropic"},
		{"native, tool result", transcriptOf(asUser, `{"role":"tool_result","tool_call_id":"c","tool_name":"r","content":"x"}`), "native"},
		{"native, shell", transcriptOf(`{"role":"bash_execution","command":"ls","output":"x","exit_code":0}`), "native"},
		{"ai-sdk", transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1)), "ai-sdk"},
		{"ai-sdk-ui", transcriptOf(uiUser, uiAssistant("a", `{"type":"step-start"}`, uiTool("c", `"input-available"`))), "ai-sdk-ui"},
		{"ai-sdk-ui, text", transcriptOf(uiUser), "ai-sdk-ui"},
		{"openai-responses, function call", transcriptOf(rpUser, rpCall1, rpGot1), "openai-responses"},
		{"openai-responses, type last", transcriptOf(rpUser, rpGot1), "openai-responses"},
		{"openai-responses, typed message", transcriptOf(`{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}`), "openai-responses"},
		{"openai-responses, image", transcriptOf(`{"role":"user","content":[{"type":"input_image","image_url":"u"}]}`), "openai-responses"},
		{"openai-responses, file", transcriptOf(`{"role":"user","content":[{"type":"input_file","file_data":"d"}]}`), "openai-responses"},
		{"openai-responses, reasoning", transcriptOf(rpUser, rpThinks, rpSays), "openai-responses"},
		{"openai-responses, outputs with images", transcriptOf(rpUser, `{"type":"code_interpreter_call","id":"ci_1","outputs":[{"type":"image","url":"u"}]}`), "openai-responses"},
		{"openai-responses, compaction", transcriptOf(rpUser, rpFolded), "openai-responses"},
		{"openai-responses, body", `{"model":"gpt-5","input":` + transcriptOf(rpUser) + `}`, "openai-responses"},
		{"openai-responses, another model's", `{"model":"deepseek-v4","input":` + transcriptOf(rpUser) + `}`, "openai-responses"},
		{"openai-responses, a text", `{"model":"gpt-5","input":"What is new?"}`, "openai-responses"},
		{"gemini, text", transcriptOf(gmGo), "gemini"},
		{"gemini, model", transcriptOf(gmGo, gmDone), "gemini"},
		{"gemini, no role", transcriptOf(`{"parts":[{"text":"x"}]}`), "gemini"},
		{"gemini, function call", transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1)), "gemini"},
		{"gemini, other spelling", transcriptOf(content("user", `{"inline_data":{"mime_type":"image/png","data":"d"}}`)), "gemini"},
		{"gemini, body", `{"contents":` + transcriptOf(gmGo) + `,"generationConfig":{},"tools":[]}`, "gemini"},
		{"text alone", transcriptOf(asUser, asDone), ""},
		{"text parts alone", transcriptOf(asMessage("user", `{"type":"text","text":"x"}`)), ""},
		{"of no format", transcriptOf(`{"from":"human","value":"x"}`), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if format, candidates := detected(t, test.messages); format != test.format {
				t.Errorf("taken for %q, not %q; candidates %v", format, test.format, candidates)
			}
		})
	}
}

// TestDetectRealSessions checks that no real session is taken for another format, as a bare list and as a request body.
func TestDetectRealSessions(t *testing.T) {
	for _, s := range sessions.Load(t, wire.Names()...) {
		for _, messages := range []string{string(s.JSON()), `{"` + wire.ByName(s.Format).List + `":` + string(s.JSON()) + `}`} {
			format, candidates := detected(t, messages)
			if format == s.Format {
				continue
			}
			in := false
			for _, c := range candidates {
				in = in || c == s.Format
			}
			if format != "" || !in {
				t.Errorf("%s (%s) is taken for %q; candidates %v", s.Name, s.Format, format, candidates)
			}
			if len(s.Messages) > 30 {
				t.Errorf("%s (%s), with %d messages, is in doubt: %v", s.Name, s.Format, len(s.Messages), candidates)
			}
		}
	}
}

// TestBroken repairs lists of 20,000 calls and results with a fault in each. None may take time in proportion to their
// square, which would be minutes.
func TestBroken(t *testing.T) {
	const n = 20000
	list := func(pattern string, step int) string {
		parts := make([]string, n)
		for i := range parts {
			at := i
			if step < 0 {
				at = n - 1 - i
			}
			parts[i] = strings.ReplaceAll(pattern, "#", strconv.Itoa(at))
		}
		return strings.Join(parts, ",")
	}
	call, got := `{"functionCall":{"id":"c#","name":"r","args":{}}}`, `{"functionResponse":{"id":"c#","name":"r","response":{"output":"x"}}}`
	for _, test := range []struct{ name, format, messages string }{
		{"gemini, the other order", "gemini", transcriptOf(gmGo, content("model", list(call, 1)), content("user", list(got, -1)), gmDone)},
		{"gemini, one id", "gemini", transcriptOf(gmGo, content("model", list(strings.Replace(call, "#", "", 1), 1)), content("user", list(strings.Replace(got, "#", "", 1), 1)), gmDone)},
		{"gemini, no ids", "gemini", transcriptOf(gmGo, content("model", list(gmRead, 1)), content("user", list(gmGot, 1)), gmDone)},
		{"gemini, all lost", "gemini", transcriptOf(gmGo, content("model", list(call, 1)), gmDone)},
		{"gemini, a content for each", "gemini", transcriptOf(gmGo, content("model", list(call, 1)), list(content("user", got), 1), gmDone)},
		{"openai-responses, all lost", "openai-responses", transcriptOf(rpUser, list(strings.Replace(rpCall1, "c1", "c#", 1), 1), rpUser)},
		{"openai-responses, reasoning without end", "openai-responses", transcriptOf(rpUser, list(rpThinks, 1), rpUser)},
		{"openai-responses, one unit", "openai-responses", transcriptOf(rpUser, rpThinks, list(strings.Replace(rpCall1, "c1", "c#", 1), 1), list(strings.Replace(rpGot1, "c1", "c#", 1), -1), rpUser)},
		{"openai-responses, compactions", "openai-responses", transcriptOf(list(rpUser+","+rpFolded, 1))},
	} {
		t.Run(test.name, func(t *testing.T) {
			var a struct {
				Valid    bool
				Messages json.RawMessage
			}
			start := time.Now()
			request(t, "repair", `{"format":"`+test.format+`"}`, test.messages, &a)
			if !a.Valid {
				t.Error("repaired, but not valid")
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("repair took %v", took)
			}
		})
	}
}
