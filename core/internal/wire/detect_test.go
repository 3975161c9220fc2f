package wire_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
	"github.com/ctxfold/ctxfold/internal/testing/steps"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
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

// TestDetect has a small sample of each shape that identifies a format, and of shapes that don't.
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
		{"mistral, ids", transcriptOf(asUser, miCalls(miCall1), miGot1), "mistral"},
		{"mistral, the SDK", transcriptOf(asUser, sdk(renamed(miCalls(miCall1), "c1"))), "mistral"},
		{"mistral, an answer without calls first", transcriptOf(asUser, `{"role":"assistant","content":"x","tool_calls":null}`, asUser, miCalls(miCall1)), "mistral"},
		{"mistral, thinking", transcriptOf(asUser, asMessage("assistant", `{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}`)), "mistral"},
		{"mistral, document", transcriptOf(asMessage("user", `{"type":"document_url","document_url":"u"}`)), "mistral"},
		{"mistral, body", `{"model":"mistral-large-latest","messages":` + transcriptOf(asMessage("user", `{"type":"text","text":"x"}`)) + `}`, "mistral"},
		{"mistral, ids of Groq's form and an object", transcriptOf(asUser, sdk(renamed(miCalls(miCall2), "cf0000001"))), "mistral"},
		{"ollama", transcriptOf(asUser, olRead), "ollama"},
		{"ollama, ids", transcriptOf(asUser, `{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"read","arguments":{}}}]}`), "ollama"},
		{"ollama, a result", transcriptOf(asUser, olGot), "ollama"},
		{"ollama, images", transcriptOf(`{"role":"user","content":"go","images":["aGk="]}`), "ollama"},
		{"ollama, thinking", transcriptOf(asUser, `{"role":"assistant","content":"x","thinking":"t"}`), "ollama"},
		{"ag-ui", transcriptOf(agUser, agCall1, agGot1), "ag-ui"},
		{"ag-ui, an activity", transcriptOf(agUser, agPlan, agDone), "ag-ui"},
		{"ag-ui, reasoning", transcriptOf(agUser, agThink, agDone), "ag-ui"},
		{"ag-ui, texts alone", transcriptOf(agUser, agDone), "plain"},
		{"ag-ui, body", `{"threadId":"t","runId":"r","state":{},"messages":` + transcriptOf(agUser) + `,"tools":[],"context":[],"forwardedProps":{}}`, "ag-ui"},
		{"genkit", transcriptOf(gkUser, gkSays(gkCall1), gkGot(gkGot1)), "genkit"},
		{"genkit, an answer", transcriptOf(gkUser, gkSays(`{"text":"x"}`)), "genkit"},
		{"genkit, body", `{"messages":` + transcriptOf(gkUser, gkSays(gkCall1)) + `,"tools":[],"config":{}}`, "genkit"},
		{"agent-framework", transcriptOf(afUser, afSays(afCall1), afGot(afGot1)), "agent-framework"},
		{"agent-framework of .NET", transcriptOf(afNetUser), "agent-framework"},
		{"agent-framework, body", `{"messages":` + transcriptOf(afUser) + `}`, "agent-framework"},
		{"prompt-api", transcriptOf(prSys, prUser, prDone), "prompt-api"},
		{"prompt-api, with a call of another format", transcriptOf(prUser, `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{}}]}`), ""},
		{"prompt-api, only strings", transcriptOf(asUser, asDone), "plain"},
		{"prompt-api, options", `{"initialPrompts":` + transcriptOf(asUser) + `,"expectedInputs":[]}`, "prompt-api"},
		{"haystack", transcriptOf(hsUser, hsSays(hsCall1), hsGot1), "haystack"},
		{"haystack, an open call", transcriptOf(hsUser, hsSays(hsCall1)), "haystack"},
		{"bedrock-converse, Strands", transcriptOf(`{"role":"user","content":[{"text":"go"}],"trackingId":"t"}`, `{"role":"assistant","content":[{"reasoning":{"text":"hm","signature":"s"}},{"text":"x"}]}`), "bedrock-converse"},
		{"pydantic-ai", transcriptOf(paUser, paSays(paCall1), paAsks(paGot1)), "pydantic-ai"},
		{"pydantic-ai, a text", transcriptOf(paUser), "pydantic-ai"},
		{"tanstack", transcriptOf(tsUser, tsSays(tsCall1, tsGot1)), "tanstack"},
		{"tanstack, text", transcriptOf(tsUser), "tanstack"},
		{"tanstack, a call of the browser's", transcriptOf(tsSays(tsOwn2)), "tanstack"},
		{"mastra", transcriptOf(maUser, maSays(maCall(maInv1))), "mastra"},
		{"mastra, a message of version 2 of the store", `[{"id":"1","role":"user","type":"v2","content":{"format":2,"parts":[{"type":"text","text":"go"}]}}]`, "mastra"},
		{"adk", transcriptOf(adUser, adSays(adCall1), adGot1), "adk"},
		{"adk, a text", transcriptOf(`{"author":"user","content":{"parts":[{"text":"go"}],"role":"user"}}`), "adk"},
		{"adk, Python", transcriptOf(`{"content":{"parts":[{"text":"go"}],"role":"user"},"invocation_id":"i","author":"user","id":"1","timestamp":1.5}`), "adk"},
		{"adk, no content", transcriptOf(`{"id":"1","invocationId":"i","author":"a","timestamp":1,"actions":{"stateDelta":{"n":1}}}`), "adk"},
		{"adk, a session", `{"id":"s","appName":"a","userId":"u","state":{},"events":` + transcriptOf(adUser) + `,"lastUpdateTime":1}`, "adk"},
		{"mastra, a signal", `[{"id":"1","role":"signal","type":"state","content":{"parts":[{"type":"text","text":"go"}],"metadata":{},"format":2}}]`, "mastra"},
		{"assistant-ui", transcriptOf(auUser, auSays(auCall1)), "assistant-ui"},
		{"assistant-ui, texts alone", transcriptOf(auUser, auSays(auText)), "assistant-ui"},
		{"openai-chat, ids of Groq's", transcriptOf(asUser, renamed(miCalls(miCall1), "48f5r72yf")), "openai-chat"},
		{"openai-agents", transcriptOf(oaUser, oaCall1, oaGot1, oaSays), "openai-agents"},
		{"openai-agents, what was compacted first", transcriptOf(oaUser, `{"type":"compaction","encrypted_content":"gAAA"}`, oaUser, oaThink, oaCall2, oaGot2), "openai-agents"},
		{"openai-agents, a shell", transcriptOf(oaUser, oaShell), "openai-agents"},
		{"openai-agents, a search", transcriptOf(oaUser, oaHosts), "openai-agents"},
		{"openai-agents, body", `{"input":` + transcriptOf(oaUser, oaCall1) + `}`, "openai-agents"},
		{"pi, an answer", transcriptOf(piUser, piSays("stop", piSaid)), "pi"},
		{"pi, a result", transcriptOf(piUser, piGot1), "pi"},
		{"pi, a command", transcriptOf(piUser, piShell), "pi"},
		{"pi, a note", transcriptOf(piUser, `{"role":"custom","customType":"a","content":"b","display":true,"timestamp":1}`), "pi"},
		{"pi, its body", `{"systemPrompt":"s","messages":` + transcriptOf(piUser, piSays("toolUse", piCall1), piGot1) + `,"tools":[]}`, "pi"},
		{"native, a note", transcriptOf(asUser, `{"role":"custom","custom_type":"a","content":"b"}`), "native"},
		{"plain", transcriptOf(asUser, asDone), "plain"},
		{"plain, what applications keep beside a text", transcriptOf(`{"id":"1","role":"system","content":"s","createdAt":"2026-01-01"}`, `{"id":"2","role":"user","content":"go","timestamp":1}`), "plain"},
		{"plain, body", `{"messages":` + transcriptOf(asUser) + `}`, "plain"},
		{"plain, nothing", `[]`, "plain"},
		{"gemini, nothing", `{"contents":[]}`, "gemini"},
		{"gemini-interactions, body", `{"model":"gemini-x","store":false,"input":[{"type":"function_call","id":"f1","name":"read","arguments":{}},{"type":"function_result","call_id":"f1","name":"read","result":"one"}]}`, "gemini-interactions"},
		{"gemini-interactions, an answer", `[{"type":"model_output","content":[{"type":"text","text":"Three words."}]}]`, "gemini-interactions"},
		{"bedrock-converse, texts", transcriptOf(`{"role":"user","content":[{"text":"Read a.txt"}]}`), "bedrock-converse"},
		{"bedrock-converse, tool call", transcriptOf(`{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"read","input":{}}}]}`), "bedrock-converse"},
		{"langchain, constructors", `[{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"Read a.txt"}}]`, "langchain"},
		{"langchain, stored", `[{"type":"human","data":{"content":"Read a.txt"}},{"type":"ai","data":{"content":"x"}}]`, "langchain"},
		{"langchain, stored by the system alone", `[{"type":"system","data":{"content":"Be short."}}]`, "langchain"},
		{"langchain, flat", `[{"type":"human","content":"Read a.txt"},{"type":"ai","content":"x"}]`, "langchain"},
		{"langchain, flat with blocks", `[{"type":"ai","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}],"tool_calls":[{"name":"read","args":{},"id":"c1","type":"tool_call"}]}]`, "langchain"},
		{"langchain, state", `{"messages":[{"content":"go","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":"1"}]}`, "langchain"},
		{"mcp-sampling, a block", `[{"role":"user","content":{"type":"text","text":"Read a.txt"}}]`, "mcp-sampling"},
		{"mcp-sampling, an image", `[{"role":"user","content":{"data":"aaaa","mimeType":"image/png","type":"image"}}]`, "mcp-sampling"},
		{"mcp-sampling, results", `[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","toolUseId":"c1","content":[{"type":"text","text":"one"}]}]}]`, "mcp-sampling"},
		{"mcp-sampling, body", `{"messages":[{"role":"user","content":[{"type":"text","text":"go"}]}],"systemPrompt":"s","maxTokens":9}`, "mcp-sampling"},
		{"bedrock-converse, body", `{"modelId":"anthropic.claude-sonnet-4-5","messages":[{"role":"user","content":[{"image":{"format":"png","source":{"bytes":"x"}}}]}]}`, "bedrock-converse"},
		{"a role that nobody knows", transcriptOf(asUser, chatCall, `{"role":"tool","tool_call_id":"c","content":"x"}`, `{"role":"exit","content":"x"}`), "openai-chat"},
		{"text and a role that nobody knows", transcriptOf(asUser, `{"role":"exit","content":"x"}`), ""},
		{"prompt-api, parts with values", transcriptOf(`{"role":"user","content":[{"type":"text","value":"go"}]}`, `{"role":"assistant","content":[{"type":"text","value":"x"}]}`), "prompt-api"},
		{"calls behind a part with a value", transcriptOf(`{"role":"user","content":[{"type":"text","value":"go"}]}`, asMessage("assistant", `{"type":"tool_use","id":"c","name":"r","input":{}}`), asMessage("user", `{"type":"tool_result","tool_use_id":"c","content":"x"}`)), ""},
		{"anthropic, a part with a value of the application's own", transcriptOf(asMessage("user", `{"type":"text","text":"go","value":"1"}`), asMessage("assistant", `{"type":"tool_use","id":"c","name":"r","input":{}}`)), "anthropic"},
		{"openai-chat, a block whose value is an object", transcriptOf(asUser, `{"role":"assistant","content":[{"type":"non_standard","value":{"a":1}},{"type":"text","text":"x"}],"tool_calls":[]}`), "openai-chat"},
		{"anthropic, with an application's own tree", transcriptOf(`{"role":"user","content":"hi","parentUuid":null}`, `{"role":"assistant","parentUuid":"a","content":[{"type":"tool_use","id":"c","name":"r","input":{}}]}`), "anthropic"},
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
			in := wire.ByName(s.Format).Signs.Shy
			for _, c := range candidates {
				in = in || c == s.Format
			}
			if format == wire.Plain && in && !strings.Contains(messages, `"tool_call`) { // a role and a text is all that it has
				continue
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

// TestConfusion detects random conversations of each format, 500 in make test-long. Those with tool calls are detected correctly and with
// certainty. Of the others, none is certainly taken for another format, unless its bytes are the same in that format.
func TestConfusion(t *testing.T) {
	for _, name := range gen.Formats() {
		t.Run(name, func(t *testing.T) {
			sure, n := 0, trials.Count(80, 80, 500)
			for seed := range uint64(n) {
				r := rand.New(rand.NewPCG(seed, 11))
				c := gen.New(r, gen.Options{Messages: 1 + r.IntN(30)})
				calls := name != wire.Plain && name != "prompt-api" && slices.ContainsFunc(c, func(m gen.Message) bool { return m.Role == "assistant" && len(m.Calls) > 0 })
				list, err := json.Marshal(c.Render(name, r))
				if err != nil {
					t.Fatal(err)
				}
				found := wire.Detect(jsonspan.New(list))
				one := found.Shape == nil && len(found.Guesses) == 1
				switch {
				case one && found.Guesses[0].Format.Name == name:
					sure++
				case calls, one && found.Guesses[0].Format.Name != wire.Plain && !wire.ByName(name).Signs.Shy:
					t.Errorf("seed %d: taken for %+v\n%.400s", seed, found, list)
				}
			}
			if t.Logf("%d of %d are sure", sure, n); sure == 0 && name != wire.Plain {
				t.Error("none is sure")
			}
		})
	}
}

// TestBroken repairs lists of calls and results with a fault in each. None may take a quadratic number of steps.
func TestBroken(t *testing.T) {
	var counter *steps.Counter
	if !testing.Short() {
		counter = steps.Start(t)
	}
	for i, test := range broken(trials.Count(2000, 2000, 20000)) {
		t.Run(test.name, func(t *testing.T) {
			var a struct {
				Valid    bool
				Messages json.RawMessage
			}
			request(t, "repair", `{"format":"`+test.format+`"}`, test.messages(), &a)
			if !a.Valid {
				t.Error("repaired, but not valid")
			}
			if counter != nil {
				counter.Linear(t, "repair", 4000, func(n int) []byte {
					return []byte(`{"policy":{"format":"` + test.format + `"},"messages":` + broken(n)[i].messages() + `}`)
				})
			}
		})
	}
}

// fault is a list of calls and results with a fault in each.
type fault struct {
	name, format string
	messages     func() string
}

// broken returns lists of n calls and results with a fault in each.
func broken(n int) []fault {
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
	return []fault{
		{"gemini, the other order", "gemini", func() string {
			return transcriptOf(gmGo, content("model", list(call, 1)), content("user", list(got, -1)), gmDone)
		}},
		{"gemini, one id", "gemini", func() string {
			return transcriptOf(gmGo, content("model", list(strings.Replace(call, "#", "", 1), 1)), content("user", list(strings.Replace(got, "#", "", 1), 1)), gmDone)
		}},
		{"gemini, no ids", "gemini", func() string {
			return transcriptOf(gmGo, content("model", list(gmRead, 1)), content("user", list(gmGot, 1)), gmDone)
		}},
		{"gemini, all lost", "gemini", func() string { return transcriptOf(gmGo, content("model", list(call, 1)), gmDone) }},
		{"gemini, a content for each", "gemini", func() string {
			return transcriptOf(gmGo, content("model", list(call, 1)), list(content("user", got), 1), gmDone)
		}},
		{"ollama, no names", "ollama", func() string {
			return transcriptOf(asUser, `{"role":"assistant","content":"","tool_calls":[`+list(`{"function":{"name":"f#","arguments":{}}}`, 1)+`]}`, list(olBare, 1), asDone)
		}},
		{"ollama, names in the other order", "ollama", func() string {
			return transcriptOf(asUser, `{"role":"assistant","content":"","tool_calls":[`+list(`{"function":{"name":"f#","arguments":{}}}`, 1)+`]}`, list(`{"role":"tool","tool_name":"f#","content":"x"}`, -1), asDone)
		}},
		{"mistral, one id of another form", "mistral", func() string {
			return transcriptOf(asUser, miCalls(list(renamed(miCall1, "c"), 1)), list(renamed(miGot1, "c"), 1), asDone)
		}},
		{"openai-responses, all lost", "openai-responses", func() string { return transcriptOf(rpUser, list(strings.Replace(rpCall1, "c1", "c#", 1), 1), rpUser) }},
		{"openai-responses, reasoning without end", "openai-responses", func() string { return transcriptOf(rpUser, list(rpThinks, 1), rpUser) }},
		{"openai-responses, one unit", "openai-responses", func() string {
			return transcriptOf(rpUser, rpThinks, list(strings.Replace(rpCall1, "c1", "c#", 1), 1), list(strings.Replace(rpGot1, "c1", "c#", 1), -1), rpUser)
		}},
		{"openai-responses, compactions", "openai-responses", func() string { return transcriptOf(list(rpUser+","+rpFolded, 1)) }},
	}
}

// TestShapes has a sample of each shape that no format reads. None is taken for a format, and the error names the nearest or, for a session
// file, open.
func TestShapes(t *testing.T) {
	for _, test := range []struct{ shape, nearest, messages string }{
		{"a session file of the kind \"claude-code\"", "anthropic", `[{"type":"user","message":{"role":"user","content":"go"},"parent_tool_use_id":null,"session_id":"s"}]`},
		{"a session file of the kind \"librechat\"", "openai-chat", `[{"messageId":"a","parentMessageId":null,"isCreatedByUser":true,"text":"go"}]`},
		{"a session file of the kind \"llamaindex\"", "openai-chat", `[{"role":"user","additional_kwargs":{},"blocks":[{"block_type":"text","text":"go"}]}]`},
		{"a session file of the kind \"semantic-kernel\"", "openai-chat", `[{"content_type":"message","role":"user","items":[{"content_type":"text","text":"go"}]}]`},
		{"a session file of the kind \"semantic-kernel\"", "openai-chat", `[{"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"go"}]}]`},
		{"a session file of the kind \"claude-code\"", "anthropic", `[{"type":"user","message":{"role":"user","content":"go"},"parentUuid":null,"sessionId":"s","uuid":"u"}]`},
		{"an object", "mastra", `[{"id":"1","role":"user","content":{"format":3,"parts":[{"type":"text","text":"go"}]}}]`},
	} {
		t.Run(test.shape, func(t *testing.T) {
			var a struct {
				Format, Shape string
				Candidates    []struct {
					Format     string
					Confidence float64
				}
			}
			request(t, "detect", "{}", test.messages, &a)
			if a.Format != "" || !strings.Contains(a.Shape, test.shape) || len(a.Candidates) != 1 || a.Candidates[0].Format != test.nearest || a.Candidates[0].Confidence >= wire.Sure {
				t.Errorf("%+v, want none, and %s as the nearest", a, test.nearest)
			}
			for _, op := range []string{"validate", "check", "plan"} {
				hint := "the nearest format is " + strconv.Quote(test.nearest)
				if strings.Contains(test.shape, "session") {
					hint = "call open"
				}
				a := ask(t, op, "auto", test.messages)
				if a.Error == nil || a.Error.Code != "unknown_format" || !strings.Contains(a.Error.Message, test.shape) || !strings.Contains(a.Error.Message, hint) {
					t.Errorf("%s: %+v", op, a.Error)
				}
			}
		})
	}
}

// TestShapesAreNoFormats checks that no format knows a sign of a shape, and that the nearest formats exist.
func TestShapesAreNoFormats(t *testing.T) {
	for _, s := range wire.Shapes() {
		if wire.ByName(s.Nearest) == nil {
			t.Errorf("%s: there is no format %q", s.Name, s.Nearest)
		}
		for _, sign := range strings.Fields(s.Signs) {
			for _, f := range wire.AllFormats() {
				if f.HasSign(sign) {
					t.Errorf("%s: %s is known to %s", s.Name, sign, f.Name)
				}
			}
		}
	}
}

// Each sign that only one format has counts for it: after two of them, the formats without any have less confidence than after one.
func TestEachOwnSignCounts(t *testing.T) {
	const messages = `"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]`
	for body, want := range map[string]float64{`{"model":"claude-3",` + messages + `}`: 0.87, `{"model":"claude-3","system":"s",` + messages + `}`: 0.98} {
		var a struct{ Confidence float64 }
		if request(t, "detect", "{}", body, &a); a.Confidence != want {
			t.Errorf("%s: %v, want %v", body, a.Confidence, want)
		}
	}
}

// TestFormatsAreFew checks that a set of formats, which detection keeps in 64 bits, has a bit for each of them.
func TestFormatsAreFew(t *testing.T) {
	if n := len(wire.AllFormats()); n > 64 {
		t.Errorf("there are %d formats", n)
	}
}
