package wire_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

const (
	uiUser = `{"id":"u1","role":"user","parts":[{"type":"text","text":"go"}]}`
	uiNext = `{"id":"u2","role":"user","parts":[{"type":"text","text":"on"}]}`
)

func uiAssistant(id string, parts ...string) string {
	return `{"id":"` + id + `","role":"assistant","parts":[` + strings.Join(parts, ",") + `]}`
}

// uiTool is a part of the tool read; rest begins with its state.
func uiTool(id, rest string) string {
	return `{"type":"tool-read","toolCallId":"` + id + `","input":{"path":"a"},"state":` + rest + `}`
}

func TestAISDKUI(t *testing.T) {
	streaming := uiTool("c0", `"input-streaming"`)
	done := uiTool("c1", `"output-available","output":{"a":1}`)
	testRules(t, "ai-sdk-ui", []rule{
		{
			name:     "AU1 a message without parts",
			valid:    transcriptOf(uiUser, uiAssistant("a1", `{"type":"data-weather","data":{}}`)),
			invalid:  transcriptOf(uiUser, uiAssistant("a1"), uiNext, `{"id":"u3","role":"user","parts":[{"type":"text","text":""}]}`),
			says:     "AU1 messages[1] drop_message, AU1 messages[3] drop_message",
			repaired: transcriptOf(uiUser, uiNext),
		},
		{
			name:  "AU2 call and result are one part",
			valid: transcriptOf(uiUser, uiAssistant("a1", `{"type":"step-start"}`, done, `{"type":"step-start"}`, `{"type":"text","text":"so"}`), uiNext),
			// If two parts have the same id, the second is another call.
			invalid:  transcriptOf(uiUser, uiAssistant("a1", done, done), uiNext),
			says:     "I2 messages[1].parts[1] rename_id",
			repaired: transcriptOf(uiUser, uiAssistant("a1", done, strings.Replace(done, `"c1"`, `"call_ctxfold_1_3"`, 1)), uiNext),
		},
		{
			name:     "AU3 input-available is a call without result",
			valid:    transcriptOf(uiUser, uiAssistant("a1", streaming, uiTool("c1", `"input-available"`))), // open, and one that broke off
			invalid:  transcriptOf(uiUser, uiAssistant("a1", uiTool("c1", `"input-available"`)), uiNext),
			says:     "AU3 messages[1].parts[0] add_result",
			repaired: transcriptOf(uiUser, uiAssistant("a1", uiTool("c1", `"output-error","errorText":"`+lost+`"`)), uiNext),
		},
		{
			name:    "AU3 approval-requested becomes output-denied",
			valid:   transcriptOf(uiUser, uiAssistant("a1", uiTool("c1", `"approval-requested","approval":{"id":"ap1"}`))),
			invalid: transcriptOf(uiUser, uiAssistant("a1", `{"type":"text","text":"so"}`, uiTool("c1", `"approval-requested","approval":{"id":"ap1"}`)), uiNext),
			says:    "AU3 messages[1].parts[1] add_result",
			repaired: transcriptOf(uiUser, uiAssistant("a1", `{"type":"text","text":"so"}`,
				uiTool("c1", `"output-denied","approval":{"id":"ap1","approved":false,"reason":"`+lost+`"}`)), uiNext),
		},
		{
			name:  "AU3 approval-responded: what was denied stays denied, what was granted failed",
			valid: transcriptOf(uiUser, uiAssistant("a1", uiTool("c1", `"approval-responded","approval":{"id":"ap1","approved":true}`))),
			invalid: transcriptOf(uiUser, uiAssistant("a1", `{"approval":{"id":"ap1","approved":true},"type":"dynamic-tool","toolName":"rm","toolCallId":"c1","input":{},"state":"approval-responded"}`,
				uiTool("c2", `"approval-responded","approval":{"id":"ap2","approved":false,"reason":"no"}`)), uiNext),
			says: "AU3 messages[1].parts[0] add_result, AU3 messages[1].parts[1] add_result",
			repaired: transcriptOf(uiUser, uiAssistant("a1", `{"approval":{"id":"ap1","approved":true},"type":"dynamic-tool","toolName":"rm","toolCallId":"c1","input":{},"state":"output-error","errorText":"`+lost+`"}`,
				uiTool("c2", `"output-denied","approval":{"id":"ap2","approved":false,"reason":"no"}`)), uiNext),
		},
		{
			name:    "AU6 a role that is none",
			valid:   transcriptOf(`{"id":"s","role":"system","parts":[{"type":"text","text":"s"}]}`, uiUser),
			invalid: transcriptOf(uiUser, `{"id":"t","role":"tool","parts":[{"type":"text","text":"s"}]}`),
			says:    "AU6 messages[1] none",
		},
	})
}

// TestAISDKUIDenied has the approval before the state, in the key order of other writers. An invalid approval is not a question either.
func TestAISDKUIDenied(t *testing.T) {
	for approval, want := range map[string]string{
		`{}`: `{"approval":{"approved":false,"reason":"` + lost + `"},"input":{},"state":"output-denied","toolCallId":"c1","type":"tool-rm"}`,
		`[]`: `{"approval":[],"input":{},"state":"output-error","errorText":"` + lost + `","toolCallId":"c1","type":"tool-rm"}`,
	} {
		got := repair(t, "ai-sdk-ui", transcriptOf(uiUser,
			uiAssistant("a1", `{"approval":`+approval+`,"input":{},"state":"approval-requested","toolCallId":"c1","type":"tool-rm"}`), uiNext))
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
}

// TestAISDKUIFree lists content that is never sent to a provider (AU5).
func TestAISDKUIFree(t *testing.T) {
	text := `{"type":"text","text":"so"}`
	n := tokensOf(t, "ai-sdk-ui", uiAssistant("a", text), uiAssistant("a", text, `{"type":"step-start"}`, `{"type":"data-x","data":"`+strings.Repeat("x", 999)+`"}`,
		`{"type":"source-url","sourceId":"s","url":"https://example.com"}`, `{"type":"source-document","sourceId":"s","mediaType":"text/plain","title":"t"}`,
		uiTool("c1", `"input-streaming"`)))
	if n[0] != n[1] {
		t.Errorf("%d tokens, with free parts %d", n[0], n[1])
	}
}

// TestAISDKUIClear shows the replacement for a cleared output: a value of the same JSON type (AU4).
func TestAISDKUIClear(t *testing.T) {
	long := strings.Repeat("long ", 100)
	const marker = `"[Old tool result content cleared]"`
	for _, test := range []struct{ name, before, after string }{
		{"string", `"output-available","output":"` + long + `"`, `"output-available","output":` + marker},
		{"object", `"output-available","output":{"content":[{"text":"` + long + `"}]}`, `"output-available","output":{"cleared":` + marker + `}`},
		{"list", `"output-available","output":["` + long + `"],"preliminary":false`, `"output-available","output":[` + marker + `],"preliminary":false`},
		{"error", `"output-error","errorText":"` + long + `"`, `"output-error","errorText":` + marker},
		{"the provider's own stays", `"output-available","providerExecuted":true,"output":"` + long + `"`,
			`"output-available","providerExecuted":true,"output":"` + long + `"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := func(rest string) string {
				return transcriptOf(uiUser, uiAssistant("a1", uiTool("c1", rest), uiTool("c2", `"output-available","output":"x"`)), uiNext)
			}
			got := cleared(t, "ai-sdk-ui", list(test.before))
			if got != list(test.after) {
				t.Errorf("got\n%s, want\n%s", got, list(test.after))
			}
			if again := cleared(t, "ai-sdk-ui", got); again != got {
				t.Errorf("cleared again: %s", again)
			}
		})
	}
}

// TestAISDKUISteps folds a conversation of one user message and one assistant message: the cut is between two steps, and the kept part
// fits.
func TestAISDKUISteps(t *testing.T) {
	var parts []string
	for i := range 40 {
		parts = append(parts, `{"type":"step-start"}`, fmt.Sprintf(`{"type":"text","text":"step %d"}`, i),
			uiTool(fmt.Sprintf("c%d", i), `"output-available","output":"`+strings.Repeat("word ", 40)+`"`))
	}
	all := transcriptOf(uiUser, uiAssistant("a1", parts...))
	was := 0
	for _, keep := range []int{0, 1, 100, 200, 500, 1000, 2000} {
		var a struct {
			Messages json.RawMessage
			Report   struct {
				Reason string
				Folded int
				Tokens struct{ Before, After int }
			}
			State json.RawMessage
		}
		policy := fmt.Sprintf(`{"format":"ai-sdk-ui","estimator":"bytes4","wire_safe":true,"summary":{"mode":"local"},`+
			`"passes":[{"pass":"fold","keep_tokens":%d}]}`, keep) + force
		request(t, "plan", policy, all, &a)
		if bad := judge.Valid("ai-sdk-ui", a.Messages); len(bad) > 0 {
			t.Fatalf("keep %d: %s", keep, bad[0])
		}
		var ms []struct {
			ID, Role string
			Parts    []struct{ Type, Text string }
		}
		if err := json.Unmarshal(a.Messages, &ms); err != nil || len(ms) != 2 && len(ms) != 3 {
			t.Fatalf("keep %d: %v in %s", keep, err, a.Messages)
		}
		tail := ms[len(ms)-1]
		if a.Report.Folded == 0 || tail.ID != "a1" || tail.Parts[0].Type != "step-start" || tail.Parts[len(tail.Parts)-2].Text != "step 39" {
			t.Errorf("keep %d: %+v, the tail begins with %+v", keep, a.Report, tail.Parts[:2])
		}
		if !strings.HasPrefix(ms[len(ms)-2].ID, "ctxfold-") {
			t.Errorf("keep %d: the digest has the id %q", keep, ms[len(ms)-2].ID)
		}
		if steps := len(tail.Parts) / 3; steps < was || steps > 1 && steps*67 > keep || steps == 0 {
			t.Errorf("keep %d: %d steps", keep, steps)
		} else {
			was = steps
		}
		var e struct{ Tokens int }
		if request(t, "estimate", policy, string(a.Messages), &e); e.Tokens != a.Report.Tokens.After {
			t.Errorf("keep %d: %d tokens in the report, %d estimated", keep, a.Report.Tokens.After, e.Tokens)
		}
	}
	// A call that waits for its answer stays, with the steps after it.
	waiting := transcriptOf(uiUser, uiAssistant("a1", append(append(append([]string(nil), parts[:90]...), uiTool("wait", `"input-available"`)), parts[90:]...)...))
	var a struct {
		Messages json.RawMessage
		Report   struct{ Folded int }
	}
	request(t, "plan", `{"format":"ai-sdk-ui","summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":100}]}`+force, waiting, &a)
	if s := string(a.Messages); a.Report.Folded == 0 || !strings.Contains(s, `"wait"`) || !strings.Contains(s, `"step 30"`) || strings.Contains(s, `"text":"step 20"`) {
		t.Errorf("folded %d: %.1000s", a.Report.Folded, s)
	}
	if was < 20 {
		t.Errorf("with room for 2000 tokens only %d steps were kept", was)
	}
}

// TestDetectAISDK distinguishes the two formats of the AI SDK from each other and from all others.
func TestDetectAISDK(t *testing.T) {
	for _, test := range []struct{ name, messages, format string }{
		{"ModelMessage, tool call", transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1)), "ai-sdk"},
		{"ModelMessage, AI SDK 4", transcriptOf(asUser, asMessage("assistant", `{"type":"tool-call","toolCallId":"c","toolName":"r","args":{}}`)), "ai-sdk"},
		{"ModelMessage, keys in another order", transcriptOf(asUser, asMessage("tool", `{"output":{"type":"text","value":"x"},"toolCallId":"c","toolName":"r","type":"tool-result"}`)), "ai-sdk"},
		{"ModelMessage, signed reasoning", transcriptOf(asUser, asMessage("assistant", `{"type":"reasoning","text":"t","providerOptions":{"anthropic":{"signature":"s"}}}`)), "ai-sdk"},
		{"ModelMessage, cached system message", transcriptOf(`{"role":"system","content":"s","providerOptions":{"anthropic":{}}}`, asUser), "ai-sdk"},
		{"ModelMessage in a body", `{"model":"gpt-5","messages":` + transcriptOf(asUser, asMessage("assistant", asCall1)) + `}`, "ai-sdk"},
		{"UIMessage, text", transcriptOf(uiUser), "ai-sdk-ui"},
		{"UIMessage, tool", transcriptOf(uiUser, uiAssistant("a", `{"type":"step-start"}`, uiTool("c", `"input-available"`))), "ai-sdk-ui"},
		{"UIMessage, dynamic tool", transcriptOf(uiUser, uiAssistant("a", `{"type":"dynamic-tool","toolName":"x","toolCallId":"c","state":"input-available","input":{}}`)), "ai-sdk-ui"},
		{"UIMessage in the body of useChat", `{"id":"chat","trigger":"submit-message","messages":` + transcriptOf(uiUser) + `}`, "ai-sdk-ui"},
		{"Anthropic", transcriptOf(asUser, asMessage("assistant", `{"type":"tool_use","id":"c","name":"r","input":{}}`)), "anthropic"},
		{"OpenAI", transcriptOf(asUser, `{"role":"tool","tool_call_id":"c","content":"x"}`), "openai-chat"},
		{"text alone is plain", transcriptOf(asUser, asDone), "plain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var a struct {
				Format     string
				Candidates []struct {
					Format     string
					Confidence float64
				}
			}
			request(t, "detect", "{}", test.messages, &a)
			if a.Format != test.format {
				t.Errorf("taken for %q, not %q: %+v", a.Format, test.format, a.Candidates)
			}
		})
	}
}

// TestAISDKUINames compares the spellings of a tool's name.
func TestAISDKUINames(t *testing.T) {
	part := func(rest string) string {
		return uiAssistant("a", `{`+rest+`,"toolCallId":"c","state":"input-available","input":{}}`)
	}
	for _, name := range []string{"x", "read_file", "größe"} {
		var want []int
		for _, rest := range []string{`"type":"dynamic-tool","toolName":"` + name + `"`, `"type":"tool-` + name + `"`} {
			var a struct{ Messages []int }
			request(t, "estimate", `{"format":"ai-sdk-ui","estimator":"bytes"}`, transcriptOf(uiUser, part(rest)), &a)
			if want == nil {
				want = a.Messages
			}
			if !slices.Equal(a.Messages, want) {
				t.Errorf("%s: %v tokens, not %v", rest, a.Messages, want)
			}
		}
	}
}

// A part is reasoning by its type and its text; parts of other types may have text too.
func TestAISDKUIReasoning(t *testing.T) {
	for part, want := range map[string]transcript.Kind{
		`{"type":"reasoning","text":"x"}`:   transcript.Reasoning,
		`{"type":"reasoning","text":["x"]}`: transcript.Opaque,
		`{"type":"data-note","text":"x"}`:   transcript.Opaque,
		`{"type":"source-note","text":"x"}`: transcript.Opaque,
		`{"type":"text","text":"x"}`:        transcript.Text,
	} {
		s := jsonspan.New([]byte(transcriptOf(uiAssistant("a", part))))
		tr := wire.ByName("ai-sdk-ui").Read(s)
		if s.Err() != nil || len(tr.Parts) != 1 || tr.Parts[0].Kind != want {
			t.Errorf("%s: %v, %+v, want kind %v", part, s.Err(), tr.Parts, want)
		}
	}
}
