package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// grepped returns the output of a search in files, starting with a number.
func grepped(from int) string {
	var b strings.Builder
	for i := range 60 {
		b.WriteString("internal/server/handlers/session_of_users.go:" + strconv.Itoa(from+i*3) + ":\t\treturn answer(" + strconv.Itoa(from*i) + ")\n")
	}
	return b.String()
}

// squeezable has a conversation in each wire format: three calls, the first two of which have results with %s.
var squeezable = map[string]string{
	"openai-chat": `[{"role":"user","content":"go"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"grep","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"memory","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":%s},{"role":"tool","tool_call_id":"c2","content":%s},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c3","type":"function","function":{"name":"grep","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c3","content":%s},{"role":"assistant","content":"done"}]`,
	"anthropic": `[{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"grep","input":{}},{"type":"tool_use","id":"c2","name":"memory","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":%s}]},{"type":"tool_result","tool_use_id":"c2","content":%s}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"c3","name":"grep","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c3","content":%s}]},{"role":"assistant","content":"done"}]`,
	"openai-responses": `[{"type":"message","role":"user","content":"go"},
		{"type":"function_call","call_id":"c1","name":"grep","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"memory","arguments":"{}"},
		{"type":"function_call_output","call_id":"c1","output":%s},{"type":"function_call_output","call_id":"c2","output":%s},
		{"type":"function_call","call_id":"c3","name":"grep","arguments":"{}"},{"type":"function_call_output","call_id":"c3","output":%s},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done","annotations":[]}]}]`,
	"gemini": `[{"role":"user","parts":[{"text":"go"}]},
		{"role":"model","parts":[{"functionCall":{"name":"grep","args":{}}},{"functionCall":{"name":"memory","args":{}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"exit":0,"output":%s}}},{"functionResponse":{"name":"memory","response":{"output":%s}}}]},
		{"role":"model","parts":[{"functionCall":{"name":"grep","args":{}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"output":%s}}}]},{"role":"model","parts":[{"text":"done"}]}]`,
	"ai-sdk": `[{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"grep","input":{}},{"type":"tool-call","toolCallId":"c2","toolName":"memory","input":{}}]},
		{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"grep","output":{"type":"text","value":%s}},{"type":"tool-result","toolCallId":"c2","toolName":"memory","output":{"type":"text","value":%s}}]},
		{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c3","toolName":"grep","input":{}}]},
		{"role":"tool","content":[{"type":"tool-result","toolCallId":"c3","toolName":"grep","output":{"type":"json","value":{"stdout":%s,"code":0}}}]},{"role":"assistant","content":"done"}]`,
	"ai-sdk-ui": `[{"id":"1","role":"user","parts":[{"type":"text","text":"go"}]},
		{"id":"2","role":"assistant","parts":[{"type":"step-start"},
		{"type":"tool-grep","toolCallId":"c1","state":"output-available","input":{},"output":{"stdout":%s,"code":0}},
		{"type":"tool-memory","toolCallId":"c2","state":"output-available","input":{},"output":%s},
		{"type":"step-start"},{"type":"tool-grep","toolCallId":"c3","state":"output-available","input":{},"output":%s},{"type":"text","text":"done"}]}]`,
	"mistral": `[{"role":"user","content":"go"},
		{"role":"assistant","content":"","tool_calls":[{"id":"Call00001","function":{"name":"grep","arguments":"{}"}},{"id":"Call00002","function":{"name":"memory","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"Call00001","name":"grep","content":[{"type":"text","text":%s}]},{"role":"tool","tool_call_id":"Call00002","name":"memory","content":%s},
		{"role":"assistant","content":"","tool_calls":[{"id":"Call00003","function":{"name":"grep","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"Call00003","name":"grep","content":%s},{"role":"assistant","content":"done"}]`,
	"ollama": `[{"role":"user","content":"go"},
		{"role":"assistant","content":"","tool_calls":[{"function":{"name":"grep","arguments":{}}},{"function":{"name":"memory","arguments":{}}}]},
		{"role":"tool","tool_name":"grep","content":%s},{"role":"tool","content":%s},
		{"role":"assistant","content":"","tool_calls":[{"function":{"name":"grep","arguments":{}}}]},
		{"role":"tool","tool_name":"grep","content":%s},{"role":"assistant","content":"done"}]`,
	"ag-ui": `[{"id":"1","role":"user","content":"go"},
		{"id":"2","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"grep","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"memory","arguments":"{}"}}]},
		{"id":"3","role":"tool","toolCallId":"c1","content":[{"type":"text","text":%s}]},{"id":"4","role":"tool","toolCallId":"c2","content":%s},
		{"id":"5","role":"assistant","toolCalls":[{"id":"c3","type":"function","function":{"name":"grep","arguments":"{}"}}]},
		{"id":"6","role":"tool","toolCallId":"c3","content":%s},{"id":"7","role":"assistant","content":"done"}]`,
	"genkit": `[{"role":"user","content":[{"text":"go"}]},
		{"role":"model","content":[{"toolRequest":{"ref":"c1","name":"grep","input":{}}},{"toolRequest":{"ref":"c2","name":"memory","input":{}}}]},
		{"role":"tool","content":[{"toolResponse":{"ref":"c1","name":"grep","output":{"stdout":%s,"code":0}}},{"toolResponse":{"ref":"c2","name":"memory","output":%s}}]},
		{"role":"model","content":[{"toolRequest":{"ref":"c3","name":"grep","input":{}}}]},{"role":"tool","content":[{"toolResponse":{"ref":"c3","name":"grep","output":%s}}]},
		{"role":"model","content":[{"text":"done"}]}]`,
	"agent-framework": `[{"role":"user","contents":[{"type":"text","text":"go"}]},
		{"role":"assistant","contents":[{"type":"function_call","call_id":"c1","name":"grep","arguments":{}},{"type":"function_call","call_id":"c2","name":"memory","arguments":{}}]},
		{"role":"tool","contents":[{"type":"function_result","call_id":"c1","result":{"stdout":%s,"code":0}},{"type":"function_result","call_id":"c2","result":%s}]},
		{"role":"assistant","contents":[{"type":"function_call","call_id":"c3","name":"grep","arguments":{}}]},{"role":"tool","contents":[{"type":"function_result","call_id":"c3","result":%s}]},
		{"role":"assistant","contents":[{"type":"text","text":"done"}]}]`,
	"haystack": `[{"role":"user","content":[{"text":"go"}]},
		{"role":"assistant","content":[{"tool_call":{"tool_name":"grep","arguments":{},"id":"c1"}},{"tool_call":{"tool_name":"memory","arguments":{},"id":"c2"}}]},
		{"role":"tool","content":[{"tool_call_result":{"result":[{"text":%s}],"origin":{"tool_name":"grep","arguments":{},"id":"c1"},"error":false}}]},
		{"role":"tool","content":[{"tool_call_result":{"result":%s,"origin":{"tool_name":"memory","arguments":{},"id":"c2"},"error":false}}]},
		{"role":"assistant","content":[{"tool_call":{"tool_name":"grep","arguments":{},"id":"c3"}}]},
		{"role":"tool","content":[{"tool_call_result":{"result":%s,"origin":{"tool_name":"grep","arguments":{},"id":"c3"},"error":false}}]},
		{"role":"assistant","content":[{"text":"done"}]}]`,
	"pydantic-ai": `[{"parts":[{"content":"go","part_kind":"user-prompt"}],"kind":"request"},
		{"parts":[{"tool_name":"grep","args":{},"tool_call_id":"c1","part_kind":"tool-call"},{"tool_name":"memory","args":{},"tool_call_id":"c2","part_kind":"tool-call"}],"kind":"response"},
		{"parts":[{"tool_name":"grep","content":[%s],"tool_call_id":"c1","part_kind":"tool-return"},{"tool_name":"memory","content":%s,"tool_call_id":"c2","part_kind":"tool-return"}],"kind":"request"},
		{"parts":[{"tool_name":"grep","args":{},"tool_call_id":"c3","part_kind":"tool-call"}],"kind":"response"},
		{"parts":[{"tool_name":"grep","content":%s,"tool_call_id":"c3","part_kind":"tool-return"}],"kind":"request"},
		{"parts":[{"content":"done","part_kind":"text"}],"kind":"response"}]`,
	"tanstack": `[{"id":"1","role":"user","parts":[{"type":"text","content":"go"}]},
		{"id":"2","role":"assistant","parts":[{"type":"tool-call","id":"c1","name":"grep","arguments":"{}","state":"complete","output":{"stdout":%s,"code":0}},
		{"type":"tool-call","id":"c2","name":"memory","arguments":"{}","state":"input-complete"},{"type":"tool-result","toolCallId":"c2","content":%s,"state":"complete"},
		{"type":"tool-call","id":"c3","name":"grep","arguments":"{}","state":"input-complete"},{"type":"tool-result","toolCallId":"c3","content":%s,"state":"complete"},{"type":"text","content":"done"}]}]`,
	"openai-agents": `[{"type":"message","role":"user","content":"go"},
		{"type":"function_call","callId":"c1","name":"grep","arguments":"{}"},{"type":"function_call","callId":"c2","name":"memory","arguments":"{}"},
		{"type":"function_call_result","name":"grep","callId":"c1","status":"completed","output":{"type":"text","text":%s}},
		{"type":"function_call_result","name":"memory","callId":"c2","status":"completed","output":%s},
		{"type":"function_call","callId":"c3","name":"grep","arguments":"{}"},{"type":"function_call_result","name":"grep","callId":"c3","status":"completed","output":%s},
		{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done"}]}]`,
	"pi": `[{"role":"user","content":"go","timestamp":1},
		{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"grep","arguments":{}},{"type":"toolCall","id":"c2","name":"memory","arguments":{}}],"stopReason":"toolUse","timestamp":2},
		{"role":"toolResult","toolCallId":"c1","toolName":"grep","content":[{"type":"text","text":%s}],"isError":false,"timestamp":3},
		{"role":"toolResult","toolCallId":"c2","toolName":"memory","content":[{"type":"text","text":%s}],"isError":false,"timestamp":3},
		{"role":"assistant","content":[{"type":"toolCall","id":"c3","name":"grep","arguments":{}}],"stopReason":"toolUse","timestamp":4},
		{"role":"toolResult","toolCallId":"c3","toolName":"grep","content":[{"type":"text","text":%s}],"isError":false,"timestamp":5},
		{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop","timestamp":6}]`,
	"adk": `[{"id":"1","author":"user","timestamp":1,"content":{"role":"user","parts":[{"text":"go"}]}},
		{"id":"2","author":"a","timestamp":2,"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"grep","args":{}}},{"functionCall":{"id":"c2","name":"memory","args":{}}}]}},
		{"id":"3","author":"a","timestamp":3,"content":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"grep","response":{"exit":0,"output":%s}}},{"functionResponse":{"id":"c2","name":"memory","response":{"output":%s}}}]}},
		{"id":"4","author":"a","timestamp":4,"content":{"role":"model","parts":[{"functionCall":{"id":"c3","name":"grep","args":{}}}]}},
		{"id":"5","author":"a","timestamp":5,"content":{"role":"user","parts":[{"functionResponse":{"id":"c3","name":"grep","response":{"output":%s}}}]}},{"id":"6","author":"a","timestamp":6,"content":{"role":"model","parts":[{"text":"done"}]}}]`,
	"mastra": `[{"id":"1","role":"user","content":{"format":2,"parts":[{"type":"text","text":"go"}]}},
		{"id":"2","role":"assistant","content":{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"toolCallId":"c1","toolName":"grep","args":{},"state":"result","result":{"stdout":%s,"code":0}}},
		{"type":"tool-invocation","toolInvocation":{"toolCallId":"c2","toolName":"memory","args":{},"state":"result","result":%s}},{"type":"text","text":"and"},
		{"type":"tool-invocation","toolInvocation":{"toolCallId":"c3","toolName":"grep","args":{},"state":"result","result":%s}},{"type":"text","text":"done"}]}}]`,
	"assistant-ui": `[{"id":"1","role":"user","content":[{"type":"text","text":"go"}],"attachments":[]},
		{"id":"2","role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"grep","args":{},"argsText":"{}","result":{"stdout":%s,"code":0}},
		{"type":"tool-call","toolCallId":"c2","toolName":"memory","args":{},"argsText":"{}","result":%s},{"type":"text","text":"and"},
		{"type":"tool-call","toolCallId":"c3","toolName":"grep","args":{},"argsText":"{}","result":%s},{"type":"text","text":"done"}],"status":{"type":"complete","reason":"stop"}}]`,
	"native": `[{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"tool_call","id":"c1","name":"grep","arguments":{}},{"type":"tool_call","id":"c2","name":"memory","arguments":{}}]},
		{"role":"tool_result","tool_call_id":"c1","tool_name":"grep","content":[{"type":"text","text":%s}]},
		{"role":"tool_result","tool_call_id":"c2","tool_name":"memory","content":%s},
		{"role":"assistant","content":[{"type":"tool_call","id":"c3","name":"grep","arguments":{}}]},
		{"role":"tool_result","tool_call_id":"c3","tool_name":"grep","content":%s},{"role":"assistant","content":[{"type":"text","text":"done"}]}]`,
}

// Old results are squeezed, except for those of an excluded tool and the newest ones. A second compaction finds nothing more to do, and the
// archive restores every byte.
func TestSqueeze(t *testing.T) {
	for format, messages := range squeezable {
		t.Run(format, func(t *testing.T) {
			var quoted []any
			for i := range 3 {
				b, _ := json.Marshal(grepped(100 * (i + 1)))
				quoted = append(quoted, string(b))
			}
			in := []byte(fmt.Sprintf(messages, quoted...))
			pass := fmt.Sprintf(`{"format":%q,"archive":"places","passes":[{"pass":"squeeze","keep_recent":1,"exclude_tools":["memory"]}]}`, format) + force
			a := call(t, "plan", `{"policy":`+pass+`,"messages":`+string(in)+`}`)
			if !a.Report.Changed || len(a.Report.Actions) != 1 || a.Report.Actions[0].Action != "squeeze" {
				t.Fatalf("%+v", a.Report)
			}
			out := string(a.Messages)
			if n := strings.Count(out, "[Squeezed. Handle: "); n != 1 || strings.Count(out, "] lines by path\\n") != 1 {
				t.Fatalf("%d results are squeezed: %s", n, out)
			}
			for _, part := range []string{quoted[1].(string), quoted[2].(string), `handlers/session_of_users.go:\n100:`} {
				if !strings.Contains(out, part) {
					t.Errorf("%.60s is gone", part)
				}
			}
			if v := call(t, "validate", `{"policy":`+pass+`,"messages":`+out+`}`); len(v.Violations) > 0 {
				t.Errorf("%v", v.Violations)
			}
			if a.Report.Tokens.After != estimateOf(t, pass, out) {
				t.Errorf("the report says %d tokens, estimate %d", a.Report.Tokens.After, estimateOf(t, pass, out))
			}
			again := call(t, "plan", `{"policy":`+pass+`,"messages":`+out+`}`)
			if again.Report.Changed {
				t.Errorf("squeezed twice: %+v", again.Report)
			}

			s := shelf{}
			s.keep(in, a.Archive)
			var handles []string
			for h := range s {
				handles = append(handles, h)
			}
			for _, state := range []string{string(a.State), "null"} {
				r := callRestore(t, `{"policy":`+pass+`,"state":`+state+`,"bodies":`+s.bodies(handles)+`,"messages":`+out+`}`)
				if !equalJSON(t, r.Messages, in) || len(r.Markers) > 0 {
					t.Errorf("with the state %.20s comes back %s, %v", state, r.Messages, r.Markers)
				}
			}
		})
	}
}

// The newest results, and errors, keep their exact text, except for text that a terminal would overwrite.
func TestSqueezeTerminals(t *testing.T) {
	progress := strings.Repeat("\x1b[2K\x1b[1Gbundling 12/63\r\x1b[2mbundling 13/63", 40) + "\n\x1b[32mdone\x1b[39m, 63 files\n"
	columns := strings.Repeat("a  =  1                    // aligned\n", 40)
	for name, tt := range map[string]struct {
		text, fields string
		changes      bool
	}{
		"a terminal":       {progress, "", true},
		"a failed command": {progress, `"is_error":true,`, true},
		"a file":           {columns, "", false},
		"a search":         {grepped(40), "", false},
		"a failed search":  {grepped(40), `"is_error":true,`, false},
	} {
		t.Run(name, func(t *testing.T) {
			quoted, _ := json.Marshal(tt.text)
			in := []byte(`[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",` + tt.fields + `"content":` + string(quoted) + `}]}]`)
			a := call(t, "plan", `{"policy":{"format":"anthropic","archive":"places","passes":[{"pass":"squeeze","keep_recent":2}]}`+force+`,"messages":`+string(in)+`}`)
			if a.Report.Changed != tt.changes {
				t.Fatalf("changed: %v, want %v: %s", a.Report.Changed, tt.changes, a.Messages)
			}
			if !tt.changes {
				return
			}
			if out := string(a.Messages); !strings.Contains(out, `escape codes cut`) || !strings.Contains(out, `done, 63 files`) || strings.Count(out, "bundling") > 1 {
				t.Errorf("%s", out)
			}
			if broken := restores(t, "anthropic", in, a); len(broken) > 0 {
				t.Error(broken)
			}
		})
	}
}

// equalJSON reports whether two JSON texts are equal except for white space between values.
func equalJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y bytes.Buffer
	if json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		t.Fatal("no JSON")
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// Other passes treat a squeezed result as if it were whole: the archive has one body, and one restoration suffices.
func TestSqueezeThenOthers(t *testing.T) {
	quoted, _ := json.Marshal(grepped(100))
	short, _ := json.Marshal(strings.Repeat("nothing to see here. ", 40))
	for name, tt := range map[string]struct{ passes, want string }{
		"clear":       {`{"pass":"clear","keep_recent":1}`, "[Old tool result content cleared. Handle: "},
		"archive":     {`{"pass":"archive","mode":"local","keep_recent":1,"min_tokens":50}`, "[Tool output summary. Handle: "},
		"tool_digest": {`{"pass":"tool_digest","keep_recent":1}`, "[Tool output summary. Handle: "},
		"truncate":    {`{"pass":"truncate","max_lines":10}`, "[Truncated. Handle: "},
		"fold":        {`{"pass":"fold","keep_tokens":1,"boundary":"group"}`, "Handle of the folded messages: "},
	} {
		for _, format := range []string{"openai-chat", "anthropic", "gemini", "ai-sdk-ui"} {
			t.Run(name+" "+format, func(t *testing.T) {
				in := []byte(fmt.Sprintf(squeezable[format], quoted, short, short))
				policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":20000},"summary":{"mode":"local"},"archive":"places","passes":[{"pass":"squeeze","keep_recent":0},%s]}`, format, tt.passes) + force
				a := call(t, "plan", `{"policy":`+policy+`,"messages":`+string(in)+`}`)
				out := string(a.Messages)
				if name == "truncate" && (format == "gemini" || format == "ai-sdk-ui") {
					tt.want = "[Squeezed. Handle: " // a member of an object is not truncated
				}
				if name == "fold" && format == "ai-sdk-ui" {
					t.Skip("one message of the assistant, which is the newest")
				}
				if !strings.Contains(out, tt.want) || tt.want != "[Squeezed. Handle: " && strings.Contains(out, "[Squeezed") {
					t.Fatalf("%v: %s", a.Report.Actions, out)
				}
				seen := map[string]bool{}
				for _, b := range a.Archive {
					if seen[b.Handle] {
						t.Errorf("%s %s is twice in the archive", b.What, b.Handle)
					}
					seen[b.Handle] = true
				}
				if broken := restores(t, format, in, a); len(broken) > 0 {
					t.Error(broken)
				}
				if estimate := estimateOf(t, policy, out); estimate != a.Report.Tokens.After {
					t.Errorf("the report says %d tokens, estimate %d", a.Report.Tokens.After, estimate)
				}
			})
		}
	}
}

// Results that report an error, markers of passes and pinned messages stay unchanged.
func TestSqueezeSpares(t *testing.T) {
	quoted, _ := json.Marshal(grepped(100))
	for name, tt := range map[string]struct{ result, pins string }{
		"an error":       {`{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":` + string(quoted) + `}`, ""},
		"a pinned one":   {`{"type":"tool_result","tool_use_id":"c1","content":` + string(quoted) + `}`, `,"pins":[{"index":2}]`},
		"one truncated":  {`{"type":"tool_result","tool_use_id":"c1","content":"[Truncated. Handle: 0123456789abcdef]\n` + string(quoted[1:]) + `}`, ""},
		"one squeezed":   {`{"type":"tool_result","tool_use_id":"c1","content":"[Squeezed. Handle: 0123456789abcdef] lines by path\n` + string(quoted[1:]) + `}`, ""},
		"without handle": {`{"type":"tool_result","tool_use_id":"c1","content":"[Squeezed] lines by path\n` + string(quoted[1:]) + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"grep","input":{}}]},{"role":"user","content":[` + tt.result + `]},{"role":"user","content":"on"}]`
			a := call(t, "plan", `{"policy":{"format":"anthropic","last_resort":false,"passes":[{"pass":"squeeze","keep_recent":0}]`+tt.pins+`}`+force+`,"messages":`+in+`}`)
			if a.Report.Changed {
				t.Errorf("%+v", a.Report)
			}
		})
	}
}

// Without an archive, the explanatory line names no handle.
func TestSqueezeWithoutArchive(t *testing.T) {
	quoted, _ := json.Marshal(grepped(100))
	in := fmt.Sprintf(squeezable["openai-chat"], quoted, quoted, quoted)
	policy := `{"format":"openai-chat","passes":[{"pass":"squeeze"}]}` + force
	a := call(t, "plan", `{"policy":`+policy+`,"messages":`+in+`}`)
	if !strings.Contains(string(a.Messages), `"[Squeezed] lines by path\ninternal/server`) || strings.Contains(string(a.Messages), "Handle") {
		t.Errorf("%s", a.Messages)
	}
	if again := call(t, "plan", `{"policy":`+policy+`,"messages":`+string(a.Messages)+`}`); again.Report.Changed {
		t.Errorf("squeezed twice: %+v", again.Report)
	}
}
