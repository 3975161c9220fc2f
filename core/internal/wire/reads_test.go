package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

var flagNames = []struct {
	flag transcript.Flags
	name string
}{
	{transcript.IsError, "error"}, {transcript.Signed, "signed"}, {transcript.Server, "server"}, {transcript.JSONText, "jsontext"},
	{transcript.NotSent, "free"}, {transcript.ProviderOnly, "held"}, {transcript.Misshapen, "misshapen"}, {transcript.Bound, "bound"},
	{transcript.Tied, "tied"}, {transcript.Legacy, "legacy"}, {transcript.Step, "step"}, {transcript.Null, "null"},
	{transcript.Said, "said"}, {transcript.Required, "demanded"}, {transcript.Stored, "stored"}, {transcript.Called, "called"},
	{transcript.Summary, "summary"}, {transcript.Continues, "continues"},
}

// dump writes the parts of a transcript, one per line: kind, name and id, flags, the kind of body, its bytes (b) and payload (d), the
// enclosing part (in), the paired part (with), and the call of the program that made it (by). Messages are separated by their roles.
func dump(t *transcript.Transcript) string {
	var b strings.Builder
	last := int32(-1)
	for i := range t.Parts {
		p := &t.Parts[i]
		if p.Msg != last {
			last = p.Msg
			fmt.Fprintf(&b, "%s", t.Messages[p.Msg].Role)
			if t.Messages[p.Msg].Joined {
				b.WriteString(" joined")
			}
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "  %d %s", i, p.Kind)
		if !p.Name.IsZero() {
			fmt.Fprintf(&b, " %s", t.Text(p.Name))
			if p.NameSz.Bytes > 0 && p.NameSz != jsonspan.MeasureText(t.Text(p.Name)) {
				fmt.Fprintf(&b, " (measured as %+v)", p.NameSz)
			}
		}
		if !p.ID.IsZero() {
			fmt.Fprintf(&b, " #%s", t.Text(p.ID))
		}
		for _, f := range flagNames {
			if p.Has(f.flag) {
				b.WriteString(" " + f.name)
			}
		}
		if !p.Body.IsZero() {
			fmt.Fprintf(&b, " %s", t.Bytes(p.Body))
		}
		if p.Size.Bytes > 0 {
			fmt.Fprintf(&b, " %db", p.Size.Bytes)
		}
		if p.Data > 0 {
			fmt.Fprintf(&b, " %dd", p.Data)
		}
		if p.Parent >= 0 {
			fmt.Fprintf(&b, " in %d", p.Parent)
		}
		if p.Pair >= 0 {
			fmt.Fprintf(&b, " with %d", p.Pair)
		}
		if p.Caller > 0 {
			fmt.Fprintf(&b, " by %d", p.Caller-1)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestReads lists the parts that each format reads, and their properties.
func TestReads(t *testing.T) {
	for _, test := range []struct{ name, format, messages, want string }{
		{"the provider's calls and results", "ai-sdk", transcriptOf(
			asMessage("assistant",
				`{"type":"tool-call","toolCallId":"s1","toolName":"web","input":{"q":1},"providerExecuted":true}`,
				`{"type":"tool-result","toolCallId":"s1","toolName":"web","output":{"type":"json","value":[]}}`,
				`{"type":"tool-call","toolCallId":"c1","toolName":"read","input":{},"providerExecuted":false}`,
				`{"type":"tool-call","toolCallId":"c2","toolName":"read","args":{}}`),
			asMessage("tool",
				`{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"error-text","value":"no"}}`,
				`{"type":"tool-result","toolCallId":"c2","toolName":"read","result":"yes","isError":false}`)), `
assistant
  0 tool_call web #s1 server {"q":1} 7b with 1
  1 tool_result web #s1 server [] 2b with 0
  2 tool_call read #c1 {} 2b with 4
  3 tool_call read #c2 legacy {} 2b with 5
tool
  4 tool_result read #c1 error "no" 2b with 2
  5 tool_result read #c2 legacy "yes" 3b with 3
`},
		{"calls that are told of four times", "langchain", transcriptOf(
			`{"type":"AIMessageChunk","data":{"content":["so",{"type":"tool_use","id":"c1","name":"read","input":{}},{"type":"tool_use","id":"c2","name":"read","input":{}}],
			"additional_kwargs":{"tool_calls":[{"id":"c1","function":{"name":"read","arguments":"{}"}},{"id":"c9","function":{"name":"read","arguments":"{}"}}],"reasoning_content":"hm"},
			"tool_calls":[{"name":"read","args":{},"id":"c1"}],"tool_call_chunks":[{"name":"read","args":"{}","id":"c1","index":0}]}}`,
			`{"type":"tool","data":{"tool_call_id":"c2","artifact":{"a":1},"status":"error","content":[{"type":"text","text":"two"},{"type":"image","base64":"aaaa"}]}}`,
			`{"type":"tool","data":{"tool_call_id":"c1","content":"one"}}`), `
assistant
  0 text "so" 2b
  1 opaque #c1 free
  2 tool_call read #c2 {} 2b with 8
  3 opaque #c1 free
  4 opaque free
  5 reasoning "hm" 2b
  6 tool_call read #c1 {} 2b with 11
  7 opaque #c1 free
tool
  8 tool_result #c2 error [{"type":"text","text":"two"},{"type":"image","base64":"aaaa"}] with 2
  9 text "two" 3b in 8
  10 image 32d in 8
tool
  11 tool_result #c1 "one" 3b with 6
`},
		{"blocks", "langchain", transcriptOf(
			`{"lc":1,"id":["langchain_core","messages","AIMessage"],"kwargs":{"content":[{"type":"reasoning","reasoning":"a","extras":{"signature":"s"}},{"type":"reasoning","id":"rs_1","summary":[]},
			{"type":"thinking","thinking":"b","signature":"s"},{"type":"redacted_thinking","data":"x"},{"type":"reasoning_content","reasoning_content":{"text":"c","signature":"s"}},
			{"type":"text-plain","text":"d"},{"type":"video","url":"u"},{"type":"file","base64":"aa"},{"type":"server_tool_call","id":"s1","name":"web","args":{}},
			{"type":"server_tool_result","tool_call_id":"s1","output":1},{"type":"function_call","call_id":"f1","id":"fc_1","name":"read","arguments":"{}"},{"type":"non_standard","value":1}]},"type":"constructor"}`,
			`{"type":"human","content":[{"content":[{"type":"text","text":"late"}],"tool_use_id":"f1","is_error":true,"type":"tool_result"}]}`,
			`{"role":"developer","content":"s"}`, `{"type":"chat","role":"user","content":"u","name":"n"}`, `{"type":"human","text":"of the first version"}`, `{"type":"remove","id":"m1","content":""}`), `
assistant
  0 reasoning signed bound "a" 1b
  1 reasoning tied 45b
  2 reasoning signed bound "b" 1b
  3 reasoning signed bound 39b
  4 reasoning signed bound "c" 1b
  5 opaque 32b
  6 file 26d
  7 file 29d
  8 tool_call web #s1 server {} 2b with 9
  9 tool_result #s1 server 60b with 8
  10 tool_call read #f1 jsontext "{}" 2b with 12
  11 opaque 33b
user
  12 tool_result #f1 error [{"type":"text","text":"late"}] with 10
  13 text "late" 4b in 12
system
  14 text "s" 1b
user
  15 text "u" 1b
user
  16 text "of the first version" 20b
system
  17 opaque free held "m1"
`},
		{"old calls", "langchain", transcriptOf(`{"type":"ai","data":{"content":"","additional_kwargs":{"function_call":{"name":"read","arguments":"{}"}}}}`, `{"type":"function","data":{"name":"read","content":"one"}}`), `
assistant
  0 tool_call read jsontext "{}" 2b with 2
  1 text ""
tool
  2 tool_result read "one" 3b with 0
`},
		{"blocks", "mcp-sampling", transcriptOf(msGo, `{"role":"assistant","content":{"type":"tool_use","id":"c1","name":"read","input":{}}}`,
			`{"role":"user","content":{"content":[{"type":"text","text":"one"},{"type":"resource_link","uri":"u"}],"toolUseId":"c1","isError":true,"type":"tool_result"}}`,
			`{"role":"user","content":[{"type":"audio","data":"aaaa","mimeType":"audio/wav"},{"type":"image","data":"aaaa"}]}`), `
user
  0 text "go" 2b
assistant
  1 tool_call read #c1 {} 2b with 2
user
  2 tool_result #c1 error [{"type":"text","text":"one"},{"type":"resource_link","uri":"u"}] with 1
  3 text "one" 3b in 2
  4 opaque 34b in 2
user
  5 audio 6d
  6 image 6d
`},
		{"approvals", "ai-sdk", transcriptOf(
			asMessage("assistant", asCall1, `{"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1"}`,
				`{"type":"tool-call","toolCallId":"s1","toolName":"web","input":{},"providerExecuted":true}`,
				`{"type":"tool-approval-request","approvalId":"a2","toolCallId":"s1"}`,
				`{"type":"tool-approval-request","toolCallId":"s1"}`),
			asMessage("tool", `{"type":"tool-approval-response","approvalId":"a1","approved":true}`,
				`{"type":"tool-approval-response","approvalId":"a2","approved":true,"providerExecuted":true}`,
				`{"type":"tool-approval-response","approvalId":"a3","approved":true,"providerExecuted":false}`)), `
assistant joined
  0 tool_call read #c1 {"path":"a"} 12b
  1 opaque #a1 free "c1" 68b with 5
  2 tool_call web #s1 server {} 2b
  3 opaque #a2 free "s1" 68b with 6
  4 opaque 50b
tool
  5 opaque #a1 free 67b with 1
  6 opaque #a2 91b with 3
  7 opaque #a3 free 92b
`},
		{"reasoning", "ai-sdk", transcriptOf(asMessage("assistant",
			`{"type":"reasoning","text":"hm"}`,
			`{"type":"reasoning","text":"hm","providerOptions":{"anthropic":{"signature":"s"}}}`,
			`{"type":"reasoning","text":"hm","signature":"s"}`,
			`{"type":"reasoning","text":"hm","signature":""}`,
			`{"type":"reasoning","text":""}`,
			`{"type":"redacted-reasoning","data":"xyz"}`)), `
assistant
  0 reasoning "hm" 2b
  1 reasoning signed bound "hm" 2b
  2 reasoning signed bound "hm" 2b
  3 reasoning "hm" 2b
  4 reasoning "" 30b
  5 reasoning signed bound 42b
`},
		{"files", "ai-sdk", transcriptOf(asMessage("user",
			`{"type":"image","image":"iVBORw0KGgo="}`,
			`{"type":"file","mediaType":"audio/mpeg","data":"AAECAwQF"}`,
			`{"type":"file","mediaType":"application/pdf","data":"AAECAwQF"}`,
			`{"type":"unheard-of","x":1}`),
			asMessage("tool", `{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"content","value":[{"type":"text","text":"so"},{"type":"image-data","data":"AAECAwQF","mediaType":"image/png"}]}}`)), `
user
  0 image 12d
  1 audio 8d
  2 file 8d
  3 opaque 27b
tool
  4 tool_result read #c1 {"type":"content","value":[{"type":"text","text":"so"},{"type":"image-data","data":"AAECAwQF","mediaType":"image/png"}]}
  5 text "so" 2b in 4
  6 image 8d in 4
`},
		{"tools of the provider and of the application", "ai-sdk-ui", transcriptOf(
			uiAssistant("a", `{"type":"step-start"}`,
				`{"type":"dynamic-tool","toolName":"web","toolCallId":"s1","state":"output-available","providerExecuted":true,"input":{"q":1},"output":"found"}`,
				`{"type":"dynamic-tool","toolName":"read","toolCallId":"c1","state":"output-error","providerExecuted":false,"input":{},"errorText":"no"}`,
				`{"type":"dynamic-tool","toolName":"mcp","toolCallId":"c2","state":"output-denied","input":{}}`,
				`{"type":"dynamic-tool","toolName":"read","toolCallId":"c3","state":"input-available","rawInput":"x"}`,
				`{"type":"dynamic-tool","toolName":"read","toolCallId":"c4","state":"input-streaming","input":{}}`,
				`{"type":"source-url","url":"u"}`, `{"type":"data-x","data":1}`, `{"type":"unheard-of","x":1}`)), `
assistant
  0 opaque free step 21b
  1 tool_call web #s1 server {"q":1} 7b with 2
  2 tool_result web #s1 server "found" 5b with 1
  3 tool_call read #c1 {} 2b with 4
  4 tool_result read #c1 error "no" 2b with 3
  5 tool_call mcp #c2 {} 2b with 6
  6 tool_result mcp #c2 error with 5
  7 tool_call read #c3 "x" 1b
  8 opaque free 96b
  9 opaque free 31b
  10 opaque free 26b
  11 opaque 27b
`},
		{"tools that the type names", "ai-sdk-ui", transcriptOf(uiAssistant("a",
			`{"type":"tool-read","toolCallId":"c1","state":"output-available","input":{},"output":"x"}`,
			`{"type":"tool-größe","toolCallId":"c2","state":"input-available","input":{}}`)), `
assistant
  0 tool_call read #c1 {} 2b with 1
  1 tool_result read #c1 "x" 1b with 0
  2 tool_call größe #c2 {} 2b
`},
		{"what the user said meanwhile", "ai-sdk-ui", transcriptOf(
			uiAssistant("a", `{"type":"steering-message","parts":[{"type":"text","text":"stop"},{"type":"file","mediaType":"image/png","url":"data:image/png;base64,AAECAwQF"}]}`,
				`{"type":"reasoning","text":"hm","providerMetadata":{"anthropic":{"signature":"s"}}}`)), `
assistant
  0 opaque free said
  1 text said "stop" 4b
  2 image said 8d
  3 reasoning signed bound "hm" 2b
`},
		{"tools of the provider and of the application", "anthropic", transcriptOf(
			asMessage("assistant", `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":1}}`,
				`{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"text","text":"found"}]}`,
				`{"type":"mcp_tool_use","id":"m1","name":"list","input":{}}`,
				`{"type":"mcp_tool_result","tool_use_id":"m1","content":"x"}`,
				`{"type":"tool_use","id":"c1","name":"read","input":{}}`,
				`{"type":"tool_use","id":"c2","name":"read","input":{}}`),
			asMessage("user", `{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"no"}`,
				`{"type":"tool_result","tool_use_id":"c2","is_error":false,"content":[{"type":"text","text":"so"},{"type":"image","source":{"type":"base64","data":"AAEC"}}]}`)), `
assistant
  0 tool_call web_search #s1 server {"q":1} 7b with 1
  1 tool_result #s1 server 95b with 0
  2 tool_call list #m1 server {} 2b with 3
  3 tool_result #m1 server 59b with 2
  4 tool_call read #c1 {} 2b with 6
  5 tool_call read #c2 {} 2b with 7
user
  6 tool_result #c1 error "no" 2b with 4
  7 tool_result #c2 [{"type":"text","text":"so"},{"type":"image","source":{"type":"base64","data":"AAEC"}}] with 5
  8 text "so" 2b in 7
  9 image 31d in 7
`},
		{"a result whose type comes last", "anthropic", transcriptOf(
			asMessage("user", `{"tool_use_id":"c2","content":[{"text":"so","type":"text"}],"type":"tool_result"}`)), `
user
  0 tool_result #c2 [{"text":"so","type":"text"}]
  1 text "so" 2b in 0
`},
		{"a tool called by a program of the provider's", "anthropic", transcriptOf(
			asMessage("assistant", `{"type":"server_tool_use","id":"s1","name":"code_execution","input":{}}`,
				`{"type":"tool_use","id":"c1","name":"read","input":{},"caller":{"type":"code_execution","tool_id":"s1"}}`,
				`{"type":"tool_use","id":"c2","name":"read","input":{},"caller":{"type":"code_execution","tool_id":"c1"}}`),
			asMessage("user", `{"type":"tool_result","tool_use_id":"c1","content":"x"}`)), `
assistant
  0 tool_call code_execution #s1 server {} 2b
  1 tool_call read #c1 called {} 2b with 3 by 0
  2 tool_call read #c2 called {} 2b
user
  3 tool_result #c1 "x" 1b with 1
`},
		{"what is no result", "anthropic", transcriptOf(
			asMessage("assistant", `{"type":"web_search_tool_result","content":[]}`, `{"type":"unheard_of","tool_use_id":"s1"}`)), `
assistant
  0 opaque 46b
  1 opaque 40b
`},
		{"thinking and compaction", "anthropic", transcriptOf(
			asMessage("assistant", `{"type":"thinking","thinking":"hm","signature":"s"}`,
				`{"type":"thinking","thinking":"hm","signature":""}`, `{"type":"redacted_thinking","data":"xyz"}`,
				`{"type":"compaction","content":"all"}`, `{"type":"compaction","content":" "}`, `{"type":"compaction","encrypted_content":"abcd"}`)), `
assistant
  0 reasoning signed free bound "hm" 2b
  1 reasoning free "hm" 2b
  2 reasoning signed free bound 41b
  3 text signed free held summary "all" 3b
  4 opaque signed free held 35b
  5 opaque signed held summary
`},
		{"what an application's function says, and one of the provider's", "gemini", transcriptOf(
			content("model", `{"text":"hm","thought":true}`, `{"text":"so","thoughtSignature":"s"}`, `{"text":"so","thoughtSignature":""}`,
				`{"functionCall":{"id":"c1","name":"read","args":{"a":1}},"thought_signature":"s"}`, `{"function_call":{"name":"list"}}`,
				`{"executableCode":{"code":"1"}}`),
			content("user", `{"functionResponse":{"id":"c1","name":"read","response":{"output":"x"}}}`,
				`{"functionResponse":{"name":"list","response":{"error":"no","more":1}}}`,
				`{"functionResponse":{"name":"list","response":"bare"}}`,
				`{"functionResponse":{"name":"list","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"AAEC"}}]}}`,
				`{"inlineData":{"mimeType":"audio/wav","data":"AAECAw"}}`, `{"fileData":{"fileUri":"u"}}`)), `
assistant
  0 reasoning "hm" 2b
  1 text signed "so" 2b
  2 text "so" 2b
  3 tool_call read #c1 signed {"a":1} 7b with 6
  4 tool_call list with 7
  5 opaque 31b
user
  6 tool_result read #c1 "x" 1b with 3
  7 tool_result list error {"error":"no","more":1} 23b with 4
  8 tool_result list misshapen "bare" 4b
  9 tool_result list {} 2b
  10 image 6d in 9
  11 audio 8d
  12 file
`},
		{"calls, results and what the provider runs", "openai-responses", transcriptOf(
			`{"role":"user","content":"go"}`,
			`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"abcd"}`,
			`{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"}`,
			`{"type":"function_call_output","call_id":"c1","output":"x"}`,
			`{"type":"custom_tool_call","call_id":"c2","name":"sh","input":"ls"}`,
			`{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"x"}]}`,
			`{"type":"web_search_call","id":"ws_1","status":"completed"}`,
			`{"type":"item_reference","id":"m1"}`,
			`{"type":"image_generation_call","id":"ig_1","result":"AAECAw"}`,
			`{"type":"message","id":"m2","role":"assistant","content":[{"type":"output_text","text":"done"},{"type":"refusal","refusal":"no"}]}`), `
user
  0 text "go" 2b
assistant joined
  1 reasoning reasoning #rs_1 signed bound stored
  2 reasoning bound "hm" 2b
assistant
  3 tool_call read #c1 jsontext "{}" 2b with 4
tool
  4 tool_result function_call_output #c1 "x" 1b with 3
assistant
  5 tool_call sh #c2 "ls" 2b with 6
tool
  6 tool_result custom_tool_call_output #c2 [{"type":"input_text","text":"x"}] with 5
  7 text "x" 1b in 6
assistant
  8 opaque web_search_call #ws_1 47b
  9 opaque #ws_1 free stored "ws_1"
assistant
  10 opaque item_reference #m1 held stored 35b
assistant
  11 image image_generation_call stored 8d
assistant
  12 text "done" 4b
  13 opaque 2b
  14 opaque #m2 free stored "m2"
`},
		{"calls, custom tools and functions of old", "openai-chat", transcriptOf(
			`{"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAEC"}},{"type":"input_audio","input_audio":{"data":"AAEC"}},{"type":"file","file":{"file_data":"AAEC"}}]}`,
			`{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"c2","type":"custom","custom":{"name":"sh","input":"ls"}}]}`,
			`{"role":"tool","tool_call_id":"c1","content":"x"}`,
			`{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"y"}]}`,
			`{"role":"assistant","content":null,"function_call":{"name":"old","arguments":"{}"}}`,
			`{"role":"function","name":"old","content":"z"}`,
			`{"role":"assistant","content":"so","refusal":"no"}`), `
user
  0 text "go" 2b
  1 image 36d
  2 audio 15d
  3 file 20d
assistant
  4 tool_call read #c1 jsontext "{}" 2b with 7
  5 tool_call sh #c2 "ls" 2b with 8
  6 reasoning demanded "hm" 2b
tool
  7 tool_result #c1 "x" 1b with 4
tool
  8 tool_result #c2 [{"type":"text","text":"y"}] with 5
  9 text "y" 1b in 8
assistant
  10 tool_call old jsontext "{}" 2b with 11
tool
  11 tool_result old "z" 1b with 10
assistant
  12 text "so" 2b
  13 opaque "no" 2b
`},
		{"what pi keeps beside what it sends", "pi", transcriptOf(`{"role":"system","content":"s","sections":{"a":"b"},"toolsAdded":[],"timestamp":1}`,
			`{"role":"user","content":[{"type":"text","text":"go"},{"type":"image","data":"AAEC","mimeType":"image/png"}],"timestamp":1}`,
			piSays("toolUse", `{"type":"thinking","thinking":"hm","thinkingSignature":"s"}`, `{"type":"thinking","thinking":"","thinkingSignature":"s","redacted":true}`, `{"type":"text","text":"so","textSignature":"m"}`, `{"type":"toolCall","id":"c1","name":"read","arguments":{"a":1},"thoughtSignature":"t"}`),
			`{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"x"},{"type":"image","data":"AAEC","mimeType":"image/png"}],"details":{"n":1},"isError":true,"timestamp":1}`,
			piSays("aborted", piCall2, `{"type":"something_new"}`), piShell, piKept,
			`{"role":"custom","customType":"a","content":[{"type":"text","text":"b"}],"display":true,"details":{"x":1},"timestamp":1}`,
			`{"role":"branchSummary","summary":"s","fromId":null,"timestamp":1}`, `{"role":"compactionSummary","summary":"s","tokensBefore":9,"timestamp":1}`,
			`{"role":"assistant","content":[],"stopReason":"deferred","deferred":{"id":"d"}}`), `
system
  0 text "s" 1b
  1 opaque held {"a":"b"} 9b
  2 opaque held [] 2b
user
  3 text "go" 2b
  4 image 6d
assistant
  5 reasoning signed bound "hm" 2b
  6 reasoning signed bound
  7 text "so" 2b
  8 tool_call read #c1 signed {"a":1} 7b with 9
tool
  9 tool_result read #c1 error [{"type":"text","text":"x"},{"type":"image","data":"AAEC","mimeType":"image/png"}] with 8
  10 text "x" 1b in 9
  11 image 6d in 9
assistant
  12 opaque {} 2b
  13 opaque 24b
user
  14 text "a" 1b
user
  15 text "a" 1b
user
  16 text "b" 1b
user
  17 text "s" 1b
user
  18 text "s" 1b
assistant
  19 opaque free held {"id":"d"} 10b
`},
		{"calls with and without ids, results with and without names", "ollama", transcriptOf(`{"role":"user","content":"go","images":["AAEC","AAEC"]}`,
			`{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"function":{"name":"read","arguments":{"a":1}}},{"id":"c2","function":{"index":1,"name":"bash","arguments":{}}},{"function":{"name":"read","arguments":{}}}]}`,
			`{"role":"tool","tool_name":"bash","content":"x"}`, olBare, `{"role":"tool","tool_name":"read","content":"y","images":["AAEC"]}`, olBare), `
user
  0 text "go" 2b
  1 image ["AAEC","AAEC"] 15d
assistant
  2 tool_call read {"a":1} 7b with 8
  3 tool_call bash #c2 {} 2b with 7
  4 tool_call read {} 2b with 9
  5 text ""
  6 reasoning "hm" 2b
tool
  7 tool_result bash "x" 1b with 3
tool
  8 tool_result "one" 3b with 2
tool
  9 tool_result read "y" 1b with 4
  10 image ["AAEC"] 8d
tool
  11 tool_result "one" 3b
`},
		{"reasoning, activities, media and calls", "ag-ui", transcriptOf(
			`{"id":"1","role":"user","name":"Ada","content":[{"type":"text","text":"go"},{"type":"image","source":{"type":"data","value":"AAEC","mimeType":"image/png"}},{"type":"binary","mimeType":"audio/wav","data":"AAEC"},{"type":"video","source":{"type":"url","value":"u"}},{"type":"new"}]}`,
			agThink, agPlan, `{"id":"2","role":"assistant","content":"so","encryptedValue":"abc"}`, agCall1, agCall2, agGot1, agGot2), `
user
  0 text "go" 2b
  1 image 53d
  2 audio 6d
  3 file 26d
  4 opaque 14b
assistant
  5 reasoning signed "hm" 5b
assistant
  6 opaque free {"steps":["a"]}
assistant
  7 text "so" 2b
  8 reasoning signed "abc" 3b
assistant
  9 tool_call read #c1 jsontext "{}" 2b with 12
assistant
  10 tool_call bash #c2 signed jsontext "{}" 2b with 13
  11 text ""
tool
  12 tool_result #c1 "one" 3b with 9
tool
  13 tool_result #c2 error [{"type":"text","text":"two"}] with 10
  14 text "two" 3b in 13
`},
		{"parts of all types, calls with and without a reference, results with media", "genkit", transcriptOf(
			`{"role":"system","content":[{"text":"s"}]}`,
			`{"role":"user","content":[{"text":"go"},{"media":{"url":"data:image/png;base64,AAEC"}},{"media":{"contentType":"audio/wav","url":"u"}},{"media":{"url":"u"}},{"data":{"a":1}},{"resource":{"uri":"r"}}]}`,
			gkSays(`{"reasoning":"hm","metadata":{"thoughtSignature":"s"}}`, gkCall1, `{"metadata":{"thoughtSignature":"s"},"toolRequest":{"input":{},"name":"bash"}}`, `{"toolRequest":{"name":"wait","ref":"c3"}}`, `{"custom":{"x":1}}`),
			gkGot(`{"toolResponse":{"ref":"c1","name":"read","output":{"n":1},"content":[{"text":"so"},{"media":{"contentType":"image/png","url":"u"}},{"toolResponse":{"name":"x"}}]}}`, `{"toolResponse":{"name":"bash","output":"two"}}`, `{"toolResponse":{"ref":"c3","name":"wait"}}`),
			`{"role":"other","content":[]}`), `
system
  0 text "s" 1b
user
  1 text "go" 2b
  2 image 28d
  3 audio 3d
  4 file 3d
  5 opaque 16b
  6 opaque 24b
assistant
  7 reasoning signed "hm" 2b
  8 tool_call read #c1 {"path":"a"} 12b with 12
  9 tool_call bash signed {} 2b with 16
  10 tool_call wait #c3 with 17
  11 opaque 18b
tool
  12 tool_result read #c1 {"n":1} 7b with 8
  13 text "so" 2b in 12
  14 image 3d in 12
  15 opaque 12b in 12
  16 tool_result bash "two" 3b with 9
  17 tool_result wait #c3 with 10
`},
		{"both spellings, media by their types, what is not sent", "agent-framework", transcriptOf(
			`{"role":"user","contents":[{"type":"text","text":"go"},{"type":"data","uri":"data:image/png;base64,AAEC"},{"type":"uri","uri":"u","media_type":"audio/wav"},{"type":"uri","uri":"u"},{"type":"new","a":1}]}`,
			afSays(`{"type":"text_reasoning","text":"hm"}`, `{"type":"text_reasoning","protected_data":"s"}`, afCall1, afCall2, `{"type":"usage","usage_details":{}}`), afGot(afGot2, afGot1),
			afNet("assistant", `{"$type":"reasoning","text":"hm","protectedData":"s"}`, afNetCall), afNet("tool", afNetGot)), `
user
  0 text "go" 2b
  1 image 28d
  2 audio 3d
  3 file 3d
  4 opaque 20b
assistant
  5 reasoning "hm" 2b
  6 reasoning signed bound 46b
  7 tool_call read #c1 jsontext "{\"path\":\"a\"}" 12b with 11
  8 tool_call bash #c2 {} 2b with 10
  9 opaque free 35b
tool
  10 tool_result #c2 error {"exit":1} 10b with 8
  11 tool_result #c1 "one" 3b with 7
assistant
  12 reasoning signed bound "hm" 2b
  13 tool_call read #c1 {"path":"a"} 12b with 14
tool
  14 tool_result #c1 "one" 3b with 13
`},
		{"texts, and values that stand for the browser's objects", "prompt-api", transcriptOf(
			prSys, `{"role":"user","content":"go"}`, `{"role":"user","content":[{"type":"text","value":"go"},{"type":"image","value":{"a":[1]}},{"value":{},"type":"audio"},{"type":"tool-call","value":{}}]}`, prDone), `
system
  0 text "s" 1b
user
  1 text "go" 2b
user
  2 text "go" 2b
  3 image 9d
  4 audio 2d
  5 opaque 31b
assistant
  6 text "done" 4b
`},
		{"parts of all types, old texts, results with their calls", "haystack", transcriptOf(
			`{"role":"system","content":"s"}`, `{"role":"user","meta":{},"content":[{"text":"go"},{"image":{"base64_image":"AAEC","mime_type":"image/png"}},{"file":{"base64_data":"AAEC","mime_type":"audio/wav"}},{"file":{"base64_data":"AAEC","filename":"a"}},{"new":{"a":1}}]}`,
			hsSays(`{"reasoning":{"reasoning_text":"hm","extra":{}}}`, `{"reasoning":{"reasoning_text":"hm","extra":{"signature":"s"}}}`, hsCall1, hsCall2), hsGot2, hsGot1), `
system
  0 text "s" 1b
user
  1 text "go" 2b
  2 image 6d
  3 audio 6d
  4 file 6d
  5 opaque 15b
assistant
  6 reasoning "hm" 2b
  7 reasoning signed bound "hm" 2b
  8 tool_call read #c1 {"path":"a"} 12b with 12
  9 tool_call bash #c2 {} 2b with 10
tool
  10 tool_result bash #c2 error [{"text":"two"}] with 9
  11 text "two" 3b in 10
tool
  12 tool_result read #c1 "one" 3b with 8
`},
		{"reasoning and citations of Strands", "bedrock-converse", transcriptOf(`{"role":"assistant","content":[{"reasoning":{"text":"hm","signature":"s"}},{"reasoning":{"text":"hm"}},
			{"reasoning":{"redactedContent":"AAEC"}},{"citations":{"citations":[],"content":[{"text":"so"}]}}]}`), `
assistant
  0 reasoning signed bound "hm" 2b
  1 reasoning "hm" 2b
  2 reasoning signed bound
  3 text "so" 2b
`},
		{"prompts as lists, what the system and the user say at once, results as data and as media", "pydantic-ai", transcriptOf(
			paAsks(paSys, `{"content":["go",{"data":"AAEC","media_type":"image/png","kind":"binary"},{"url":"u","kind":"audio-url"},{"kind":"cache-point"},{"content":"so","kind":"text-content"},{"kind":"new"}],"part_kind":"user-prompt"}`),
			paSays(`{"content":"hm","signature":"s","part_kind":"thinking"}`, paCall1, paCall2, `{"tool_name":"web","args":null,"tool_call_id":"s1","part_kind":"builtin-tool-call"}`, `{"tool_name":"web","content":[1],"tool_call_id":"s1","part_kind":"builtin-tool-return"}`,
				`{"content":null,"id":"k","part_kind":"compaction"}`, `{"tool_name":"see","args":{},"tool_call_id":"c3","part_kind":"tool-call"}`),
			paAsks(`{"tool_name":"read","content":["one",{"data":"AAEC","media_type":"image/png","kind":"binary"}],"tool_call_id":"c1","part_kind":"tool-return"}`, paGot2,
				`{"tool_name":"see","content":"no such file","tool_call_id":"c3","part_kind":"retry-prompt"}`),
			paAsks(`{"content":"an object, please","part_kind":"retry-prompt"}`), paAsks(`{"tool_name":"x","content":[{"a":1}],"tool_call_id":"c9","outcome":"failed","part_kind":"tool-return"}`)), `
system
  0 text "s" 1b
  1 opaque free
  2 text said "go" 2b
  3 image said 6d
  4 audio said 3d
  5 opaque free said 22b
  6 text said "so" 2b
  7 opaque said 14b
assistant
  8 reasoning signed bound "hm" 2b
  9 tool_call read #c1 {"path":"a"} 12b with 15
  10 tool_call bash #c2 jsontext "{}" 2b with 18
  11 tool_call web #s1 server null 4b with 12
  12 tool_result web #s1 server [1] 3b with 11
  13 opaque held 50b
  14 tool_call see #c3 {} 2b with 19
user
  15 tool_result read #c1 ["one",{"data":"AAEC","media_type":"image/png","kind":"binary"}] with 9
  16 text "one" 3b in 15
  17 image 6d in 15
  18 tool_result bash #c2 {"exit":0} 10b with 10
  19 tool_result see #c3 error "no such file" 12b with 14
user
  20 text "an object, please" 17b
user
  21 tool_result x #c9 error [{"a":1}] 9b
`},
		{"calls, their results and outputs, and what is not sent", "tanstack", transcriptOf(
			`{"id":"1","role":"user","parts":[{"type":"text","content":"go"},{"type":"image","source":{"type":"data","value":"AAEC","mimeType":"image/png"}},{"type":"document","source":{"type":"url","value":"u"}}]}`,
			tsSays(`{"type":"thinking","content":"hm","signature":"s"}`, tsCall1, tsOwn2, tsGot1, tsGot2, tsGot1, `{"type":"ui-resource","toolCallId":"c1"}`, tsText, tsDraft, tsServer,
				`{"type":"tool-call","id":"c3","name":"rm","arguments":"{}","state":"approval-responded","approval":{"id":"ap","needsApproval":true,"approved":false}}`,
				`{"type":"structured-output","status":"complete","raw":"{}","data":{}}`, `{"type":"tool-result","toolCallId":"c3","content":"..","state":"streaming"}`, `{"type":"new","content":[{}]}`)), `
user
  0 text "go" 2b
  1 image 53d
  2 file 26d
assistant
  3 reasoning signed bound "hm" 2b
  4 tool_call read #c1 jsontext "{}" 2b with 7
  5 tool_call bash #c2 jsontext "{}" 2b with 8
  6 opaque bash #c2 free {"exit":0}
  7 tool_result #c1 "one" 3b with 4
  8 tool_result #c2 error [{"type":"text","content":"two"}] with 5
  9 text "two" 3b in 8
  10 tool_result #c1 "one" 3b
  11 opaque free 40b
  12 text step "done" 4b
  13 opaque free 90b
  14 opaque #s1 116b
  15 tool_call rm #c3 jsontext step "{}" 2b with 16
  16 tool_result rm #c3 error with 15
  17 opaque step 2b
  18 opaque free
  19 opaque 29b
`},
		{"events of all kinds", "adk", transcriptOf(adUser, adState, adSays(`{"text":"hm","thought":true}`, signed(adCall1), adCall2),
			adSaysAs("q", `{"functionCall":{"id":"q","name":"adk_request_input","args":{}}}`), adGot1, adGot2, strings.Replace(adGot1, "one", "at last", 1),
			`{"id":"c","author":"system","isCompacted":true,"compactedContent":"It was read.","content":{"role":"model","parts":[{"text":"It was read."}]}}`,
			`{"id":"d","author":"user","actions":{"compaction":{"start_timestamp":1,"end_timestamp":2,"compacted_content":{"role":"model","parts":[{"text":"and"},{"text":"so on"},7]}}}}`), `
user
  0 text "go" 2b
assistant
  1 reasoning "hm" 2b
  2 tool_call read #c1 signed {"path":"a"} 12b with 7
  3 tool_call bash #c2 {} 2b with 6
user
  4 opaque free {}
user
  5 tool_result read #c1 continues "one" 3b by 2
user
  6 tool_result bash #c2 {"exit":0,"stdout":"two"} 25b with 3
user
  7 tool_result read #c1 "at last" 7b with 2
user
  8 text "It was read." 12b
user
  9 text "and" 3b
  10 text "so on" 5b
`},
		{"what stands in parts and beside them", "mastra", transcriptOf(
			`{"id":"1","role":"user","content":{"experimental_attachments":[{"url":"data:image/png;base64,AAEC","contentType":"image/png"}],"content":"go","format":2,"parts":[{"type":"text","text":"go"},null]}}`,
			maWith(`,"toolInvocations":[`+maInv1+`,{"state":"call","toolCallId":"stray"},`+maInv2+`],"content":"done","reasoning":"hm"`,
				`{"type":"reasoning","reasoning":"hm","details":[],"providerMetadata":{"anthropic":{"signature":"s"},"mastra":{"createdAt":1}}}`, maCall(maInv1), maCall(maInv2),
				maText, `{"type":"step-start"}`, `{"type":"source","source":{}}`, `{"type":"error","error":{}}`, `{"type":"new"}`),
			maSays(`{"type":"reasoning","reasoning":"","details":[{"type":"text","text":"a","signature":"s"},{"type":"redacted","data":"bcd"}],"providerMetadata":{"mastra":{"createdAt":1}}}`,
				`{"type":"reasoning","reasoning":"","details":[]}`, `{"type":"tool-invocation","providerMetadata":{"mastra":{"modelOutput":{"type":"text","value":"seen"}}},"toolInvocation":`+maInv1+`}`,
				maCall(`{"state":"result","toolCallId":"c3","toolName":"see","args":{},"result":{"content":[{"type":"text","text":"an image"},{"type":"image","data":"AAEC","mimeType":"image/png"}]}}`),
				maCall(`{"state":"result","toolCallId":"c4","toolName":"see","args":{},"result":{"value":"it","type":"x"}}`),
				maCall(`{"state":"output-denied","toolCallId":"c5","toolName":"rm","args":{}}`), maCall(`{"state":"partial-call","toolCallId":"c6","toolName":"rm","args":{}}`)),
			maWith(`,"toolInvocations":[`+maInv1+`],"content":"text","reasoning":"hm"`),
			`{"id":"5","role":"signal","type":"state","content":{"format":2,"metadata":{"signal":{"type":"state","contents":"old"}},"parts":[{"type":"text","text":"new"}]}}`), `
user
  0 image 4d
  1 text "go" 2b
  2 opaque free
  3 opaque free "go"
assistant
  4 reasoning signed bound "hm" 2b
  5 tool_call read #c1 {"path":"a"} 12b with 6
  6 tool_result read #c1 {"exit":0} 10b with 5
  7 tool_call bash #c2 {} 2b with 8
  8 tool_result bash #c2 error "two" 3b with 7
  9 text step "done" 4b
  10 opaque free step 21b
  11 opaque free 29b
  12 opaque free 27b
  13 opaque 14b
  14 opaque #c1 free {"path":"a"}
  15 opaque free {"exit":0}
  16 opaque free
  17 opaque #c2 free {}
  18 opaque free "hm"
  19 opaque free "done"
assistant
  20 reasoning signed bound 4b
  21 opaque free
  22 tool_call read #c1 {"path":"a"} 12b with 23
  23 tool_result read #c1 "seen" 4b with 22
  24 tool_call see #c3 {} 2b with 25
  25 tool_result see #c3 {"content":[{"type":"text","text":"an image"},{"type":"image","data":"AAEC","mimeType":"image/png"}]} with 24
  26 text "an image" 8b in 25
  27 image 4d in 25
  28 tool_call see #c4 {} 2b with 29
  29 tool_result see #c4 "it" 2b with 28
  30 tool_call rm #c5 {} 2b with 31
  31 tool_result rm #c5 error with 30
  32 opaque free
assistant
  33 tool_call read #c1 {"path":"a"} 12b with 34
  34 tool_result read #c1 {"exit":0} 10b with 33
  35 reasoning "hm" 2b
  36 text "text" 4b
user
  37 opaque free
  38 opaque 3b
`},
		{"calls with what the model sees of them, and attachments", "assistant-ui", transcriptOf(
			`{"id":"1","role":"user","content":[{"type":"text","text":"go"},{"type":"image","image":"data:image/png;base64,AAEC"},{"type":"file","data":"AAEC","mimeType":"audio/wav"}],"attachments":[{"id":"f","content":[{"type":"text","text":"abc"},{"type":"file","data":"AAEC","mimeType":"x"}]}]}`,
			`{"id":"2","role":"user","content":"and","attachments":[{"id":"g","content":[{"type":"text","text":"abcd"}]}]}`,
			auSays(`{"type":"reasoning","text":"hm","providerMetadata":{"anthropic":{"signature":"s"}}}`, auCall1, auCall2, auText, `{"type":"source","id":"s"}`, auWait1)), `
user
  0 text "go" 2b
  1 image 4d
  2 audio 4d
  3 file [{"id":"f","content":[{"type":"text","text":"abc"},{"type":"file","data":"AAEC","mimeType":"x"}]}] 3b 4d
user
  4 text "and" 3b
  5 opaque [{"id":"g","content":[{"type":"text","text":"abcd"}]}] 4b
assistant
  6 reasoning signed bound "hm" 2b
  7 tool_call read #c1 {} 2b with 8
  8 tool_result read #c1 {"exit":0} 10b with 7
  9 tool_call bash #c2 step {"a":1} 7b with 10
  10 tool_result bash #c2 error [{"type":"text","text":"seen"}] with 9
  11 text "seen" 4b in 10
  12 text step "done" 4b
  13 opaque free 26b
  14 tool_call read #c1 {} 2b
`},
		{"chunks, thoughts and both spellings", "mistral", transcriptOf(
			asMessage("user", `{"type":"text","text":"go"}`, `{"type":"image_url","image_url":"data:image/png;base64,AAEC"}`, `{"type":"image_url","imageUrl":{"url":"u"}}`,
				`{"type":"input_audio","inputAudio":"AAEC"}`, `{"type":"document_url","documentUrl":"u"}`, `{"type":"file","file_id":"f"}`, `{"type":"reference","reference_ids":[1]}`),
			`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}],"signature":"s"},{"type":"thinking","thinking":[{"type":"text","text":"hm"},{"type":"reference","reference_ids":[1]}],"signature":""},
			{"type":"text","text":"so"}],"tool_calls":[`+miCall1+`]}`, miGot1,
			`{"role":"assistant","content":null,"toolCalls":[`+miCall2+`]}`, sdk(miGot2)), `
user
  0 text "go" 2b
  1 image 28d
  2 image 11d
  3 audio 6d
  4 file 3d
  5 file
  6 opaque 40b
assistant
  7 reasoning signed "hm" 2b
  8 reasoning 42b
  9 text "so" 2b
  10 tool_call read #abcDEF123 jsontext "{\"path\":\"a\"}" 12b with 11
tool
  11 tool_result read #abcDEF123 "one" 3b with 10
assistant
  12 tool_call bash #abcDEF124 legacy {} 2b with 13
tool
  13 tool_result #abcDEF124 [{"type":"text","text":"two"}] with 12
  14 text "two" 3b in 13
`},
	} {
		t.Run(test.format+", "+test.name, func(t *testing.T) {
			read := wire.ByName(test.format).Read(jsonspan.New([]byte(test.messages)))
			if got := "\n" + dump(read); got != test.want {
				t.Errorf("read as%swant%s", got, test.want)
			}
		})
	}
}

// Roles and types that a format knows are read without an allocation for each.
func TestTypesAllocateNothing(t *testing.T) {
	const n = 2000
	for format, message := range map[string]string{
		"anthropic": `{"role":"assistant","content":[{"type":"text","text":"x"}]}`,
		"ai-sdk-ui": `{"role":"user","parts":[{"type":"text","text":"x"}]}`,
		"gemini":    `{"role":"model","parts":[{"text":"x"}]}`,
	} {
		src := []byte("[" + strings.Repeat(message+",", n) + message + "]")
		f := wire.ByName(format)
		if allocations := testing.AllocsPerRun(2, func() { f.Read(jsonspan.New(src)) }); allocations > n/10 {
			t.Errorf("%s: %.0f allocations for %d messages", format, allocations, n)
		}
	}
}
