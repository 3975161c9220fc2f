package wire_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// shapes holds messages of all kinds. # is replaced by a number, so that calls and results match by chance, and @ by a
// number that never repeats.
var shapes = map[string][]string{
	"openai-responses": {
		rpUser, `{"type":"message","id":"msg_@","role":"assistant","content":[{"type":"output_text","text":"text #"}]}`,
		`{"role":"user","content":[{"type":"input_text","text":"text #"},{"type":"input_image","image_url":"u"}]}`, `{"role":"user","content":""}`,
		`{"type":"reasoning","id":"rs_@","summary":[],"encrypted_content":"gAAA#"}`, `{"type":"reasoning","summary":[{"type":"summary_text","text":"think"}]}`,
		`{"type":"function_call","id":"fc_@","call_id":"c#","name":"read","arguments":"{\"path\":\"a#\"}"}`, `{"call_id":"c#","output":"one","type":"function_call_output"}`,
		`{"call_id":"c#","output":[{"type":"input_text","text":"two"}],"type":"function_call_output"}`,
		`{"type":"custom_tool_call","call_id":"c#","name":"py","input":"1"}`, `{"type":"custom_tool_call_output","call_id":"c#","output":"1"}`,
		`{"type":"shell_call","id":"sh_@","call_id":"c#","action":{"commands":["ls"]}}`,
		`{"type":"shell_call_output","call_id":"c#","output":[{"stdout":"long long long","stderr":"x","outcome":{"type":"timeout"}}]}`,
		`{"type":"computer_call","id":"cu_@","call_id":"c#","action":{"type":"screenshot"}}`,
		`{"type":"computer_call_output","call_id":"c#","output":{"type":"computer_screenshot","image_url":"u"}}`,
		`{"type":"tool_search_call","execution":"client","call_id":"c#","arguments":{}}`, `{"type":"tool_search_output","execution":"client","call_id":"c#","tools":[]}`,
		`{"type":"tool_search_call","id":"tsc_@","execution":"server","call_id":null,"arguments":{}}`,
		`{"type":"web_search_call","id":"ws_@","status":"completed"}`, `{"type":"code_interpreter_call","id":"ci_@","code":"1","container_id":"x","outputs":null,"status":"completed"}`,
		`{"type":"mcp_approval_request","id":"mcpr_@","name":"x","server_label":"s","arguments":"{}"}`, `{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}`,
		`{"type":"compaction","id":"cmp_@","encrypted_content":"gAAAA#"}`, `{"type":"additional_tools","role":"developer","tools":[]}`, `{"type":"something_new","id":"new_@"}`,
		`{"type":"compaction_trigger"}`,
	},
	"mistral": {
		asUser, asDone, miSystem, asMessage("user", `{"type":"text","text":"text #"}`, `{"type":"image_url","image_url":"data:image/png;base64,aaaa"}`),
		asMessage("assistant", `{"type":"thinking","thinking":[{"type":"text","text":"hm #"}],"signature":"s"}`, `{"type":"text","text":"text #"}`),
		asMessage("assistant", `{"type":"text","text":""}`), `{"role":"assistant","content":null}`, `{"role":"user","content":[]}`,
		`{"role":"assistant","content":"x","tool_calls":[{"id":"abcDEF12#","function":{"name":"read","arguments":{"path":"a#"}}}]}`,
		`{"role":"assistant","content":"","toolCalls":[{"id":"abcDEF12#","function":{"name":"read","arguments":"{}"}},{"id":"bad_#","function":{"name":"bash","arguments":"{}"}}]}`,
		`{"role":"assistant","tool_calls":[{"function":{"name":"read","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"abcDEF12#","name":"read","content":"one"}`, `{"role":"tool","toolCallId":"bad_#","content":[{"type":"text","text":"two"}]}`,
		`{"role":"tool","tool_call_id":"abcDEF12#","content":null}`, `{"role":"tool","name":"read","content":"no id"}`,
	},
	"ag-ui": {
		`{"id":"m@","role":"user","content":"text #"}`, `{"id":"m@","role":"user","content":[{"type":"text","text":"text #"},{"type":"image","source":{"type":"data","value":"aaaa","mimeType":"image/png"}}]}`,
		`{"id":"m@","role":"developer","content":"s"}`, `{"id":"m@","role":"assistant","content":"text #"}`, `{"id":"m@","role":"assistant"}`, `{"id":"m@","role":"assistant","encryptedValue":"e"}`,
		`{"id":"m@","role":"user","content":[]}`, `{"id":"m@","role":"activity","activityType":"PLAN","content":{"a":"#"}}`,
		`{"id":"m@","role":"reasoning","content":"hm #"}`, `{"id":"m@","role":"reasoning","content":"hm","encryptedValue":"e@"}`,
		`{"id":"m@","role":"assistant","toolCalls":[{"id":"c#","type":"function","function":{"name":"read","arguments":"{}"}}]}`,
		`{"id":"m@","role":"assistant","content":"x","toolCalls":[{"id":"c#","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"d#","type":"function","function":{"name":"bash","arguments":"{}"},"encryptedValue":"e@"}]}`,
		`{"id":"m@","role":"tool","toolCallId":"c#","content":"one"}`, `{"id":"m@","role":"tool","toolCallId":"d#","content":[{"type":"text","text":"two"}],"error":"x"}`,
		`{"id":"m@","role":"tool","content":"no call"}`,
	},
	"genkit": {
		gkUser, `{"role":"user","content":[{"text":"text #"},{"media":{"contentType":"image/png","url":"data:image/png;base64,aaaa"}}]}`, `{"role":"system","content":[{"text":"s"}]}`, `{"role":"user","content":[]}`,
		gkSays(`{"text":"text #"}`), gkSays(`{"text":""}`), gkSays(`{"reasoning":"hm #","metadata":{"thoughtSignature":"s"}}`, `{"text":"text #"}`), gkSays(`{"data":{"a":"#"}}`),
		strings.ReplaceAll(gkSays(gkCall1), "c1", "c#"), strings.ReplaceAll(gkSays(gkCall1, gkCall1), "c1", "c#"), gkSays(`{"toolRequest":{"name":"read","input":{}}}`, `{"text":"text #"}`),
		strings.ReplaceAll(gkGot(gkGot1), "c1", "c#"), strings.ReplaceAll(gkGot(gkGot1, gkGot1), "c1", "c#"), gkGot(`{"toolResponse":{"name":"read","output":"no reference"}}`),
		strings.ReplaceAll(gkGot(`{"toolResponse":{"ref":"c1","name":"read","output":{"a":"#"},"content":[{"media":{"url":"u"}}]}}`), "c1", "c#"),
	},
	"agent-framework": {
		afUser, `{"role":"user","contents":[{"type":"text","text":"text #"},{"type":"data","uri":"data:image/png;base64,aaaa","media_type":"image/png"}]}`, `{"role":"system","contents":[{"type":"text","text":"s"}]}`, `{"role":"user","contents":[]}`,
		afSays(`{"type":"text","text":"text #"}`), afSays(`{"type":"text","text":""}`), afSays(`{"type":"text_reasoning","text":"hm #","protected_data":"s"}`, `{"type":"text","text":"text #"}`), afSays(`{"type":"usage","usage_details":{}}`),
		strings.ReplaceAll(afSays(afCall1), "c1", "c#"), strings.ReplaceAll(afSays(afCall1, afCall1), "c1", "c#"), strings.ReplaceAll(afSays(afCall2, afCall1), "c2", "d#"),
		strings.ReplaceAll(afGot(afGot1), "c1", "c#"), strings.ReplaceAll(afGot(afGot2, afGot1), "c2", "d#"),
	},
	"prompt-api": {
		prUser, `{"role":"user","content":"text #"}`, `{"role":"user","content":[{"type":"text","value":"text #"},{"type":"image","value":{}}]}`, `{"role":"user","content":[]}`,
		`{"role":"assistant","content":[{"type":"text","value":"text #"}]}`, `{"role":"assistant","content":[{"type":"text","value":""}]}`, prSays,
	},
	"haystack": {
		hsUser, `{"role":"user","content":[{"text":"text #"},{"image":{"base64_image":"aaaa","mime_type":"image/png"}}]}`, `{"role":"system","content":[{"text":"s"}]}`, `{"role":"user","content":[]}`,
		hsSays(`{"text":"text #"}`), hsSays(`{"text":""}`), hsSays(`{"reasoning":{"reasoning_text":"hm #","extra":{"s":"#"}}}`, `{"text":"text #"}`),
		strings.ReplaceAll(hsSays(hsCall1), "c1", "c#"), strings.ReplaceAll(hsSays(hsCall1, hsCall1), "c1", "c#"), strings.ReplaceAll(hsSays(hsCall2, hsCall1), "c2", "d#"),
		strings.ReplaceAll(hsGot1, "c1", "c#"), strings.ReplaceAll(hsGot2, "c2", "d#"),
	},
	"pydantic-ai": {
		paUser, paAsks(paSys), paAsks(paSys, `{"content":"text #","part_kind":"user-prompt"}`), paAsks(`{"content":["text #",{"data":"aaaa","media_type":"image/png","kind":"binary"}],"part_kind":"user-prompt"}`), paAsks(),
		paSays(`{"content":"text #","part_kind":"text"}`), paSays(`{"content":"","part_kind":"text"}`), paSays(`{"content":"hm #","signature":"s","part_kind":"thinking"}`, `{"content":"text #","part_kind":"text"}`),
		strings.ReplaceAll(paSays(paCall1), "c1", "c#"), strings.ReplaceAll(paSays(paCall1, paCall1), "c1", "c#"), strings.ReplaceAll(paSays(paCall2, paCall1), "c2", "d#"),
		strings.ReplaceAll(paAsks(paGot1), "c1", "c#"), strings.ReplaceAll(paAsks(paGot2), "c2", "d#"), strings.ReplaceAll(paAsks(paGot1, paGot2), "c1", "c#"),
	},
	"tanstack": {
		`{"id":"m@","role":"user","parts":[{"type":"text","content":"text #"},{"type":"image","source":{"type":"url","value":"u"}}]}`, `{"id":"m@","role":"system","parts":[{"type":"text","content":"s"}]}`,
		`{"id":"m@","role":"user","parts":[{"type":"text","content":"text #"}]}`, `{"id":"m@","role":"user","parts":[]}`, `{"id":"m@","role":"assistant","parts":[{"type":"text","content":""},{"type":"ui-resource","toolCallId":"c#"}]}`,
		`{"id":"m@","role":"assistant","parts":[{"type":"thinking","content":"hm #","signature":"s"},{"type":"text","content":"text #"},` + tsDraft + `]}`,
		strings.NewReplacer("a1", "m@", "c1", "c#").Replace(tsSays(tsCall1, tsGot1, tsText)), strings.NewReplacer("a1", "m@", "c1", "c#").Replace(tsSays(tsCall1)),
		strings.NewReplacer("a1", "m@", "c1", "c#", "c2", "d#").Replace(tsSays(tsCall1, tsOwn2, tsGot1, tsGot1, tsGot2, tsCall1)), strings.NewReplacer("a1", "m@", "c1", "c#").Replace(tsSays(tsGot1, tsServer)),
		strings.NewReplacer("a1", "m@", "c2", "c#").Replace(tsSays(tsOwn2, tsOwn2, tsText)),
		`{"id":"m@","role":"assistant","parts":[{"type":"tool-call","id":"c#","name":"rm","arguments":"{}","state":"approval-responded","approval":{"id":"ap","needsApproval":true,"approved":false}}]}`,
		`{"id":"m@","role":"assistant","parts":[{"type":"structured-output","status":"streaming","raw":"{"},{"type":"tool-call","id":"c#","name":"rm","arguments":"{}","state":"approval-requested","approval":{"id":"ap","needsApproval":true}}]}`,
	},
	"mastra": {
		`{"id":"m@","role":"user","content":{"format":2,"parts":[{"type":"text","text":"text #"},{"type":"file","data":"aaaa","mimeType":"image/png"}],"content":"text #","experimental_attachments":[{"url":"aaaa","contentType":"image/png"}]}}`,
		`{"id":"m@","role":"system","content":{"format":2,"parts":[{"type":"text","text":"s"}],"content":"s"}}`, `{"id":"m@","role":"user","content":{"format":2,"parts":[]}}`,
		`{"id":"m@","role":"signal","type":"user","content":{"format":2,"parts":[{"type":"text","text":"text #"}],"content":"text #"}}`, `{"id":"m@","role":"user","content":{"format":2,"parts":[],"content":"text #"}}`,
		strings.NewReplacer("a1", "m@", "c1", "c#").Replace(maWith(`,"toolInvocations":[`+maInv1+`],"content":"done"`, maCall(maInv1), maText)), strings.NewReplacer("a1", "m@", "c1", "c#").Replace(maSays(maCall(maOpen1))),
		strings.NewReplacer("a1", "m@", "c1", "c#", "c2", "d#").Replace(maWith(`,"toolInvocations":[`+maInv2+`,`+maInv1+`,`+maInv1+`]`, maCall(maInv1), maCall(maInv2), maText, maCall(maInv1))),
		strings.NewReplacer("a1", "m@", "c1", "c#", "c2", "d#").Replace(maWith(`,"toolInvocations":[`+maInv2+`,`+maOpen1+`]`, maText)),
		strings.NewReplacer("a1", "m@").Replace(maSays(`{"type":"reasoning","reasoning":"hm #","details":[],"providerMetadata":{"anthropic":{"signature":"s"}}}`, maText)),
	},
	"adk": {
		strings.Replace(adUser, "u1", "m@", 1), strings.Replace(adState, "s1", "m@", 1), strings.Replace(adDone, "a9", "m@", 1), adSaysAs("m@", `{"text":""}`), adSaysAs("m@"), adSaysAs("m@", `{"text":""}`, `{"text":"text #"}`, `{}`),
		adSaysAs("m@", `{"text":"hm #","thought":true}`, signed(strings.Replace(adCall1, "c1", "c#", 1))), adSaysAs("m@", strings.Replace(adCall1, "c1", "c#", 1), strings.Replace(adCall2, "c2", "d#", 1)),
		adSaysAs("m@", `{"function_call":{"name":"read","args":{}}}`, `{"text":"text #"}`), adSaysAs("m@", `{"functionCall":{"id":"q@","name":"adk_request_credential","args":{}}}`),
		strings.NewReplacer("r1", "m@", "c1", "c#").Replace(adGot1), strings.NewReplacer("r2", "m@", "c2", "d#").Replace(adGot2), strings.NewReplacer("r1", "m@", "c1", "c#", `{"output":"one"}`, `"one"`).Replace(adGot1),
		strings.NewReplacer("r1", "m@", adResp1, adResp1+","+adResp2+`,{"text":"text #"}`, "c1", "c#", "c2", "d#").Replace(adGot1), strings.NewReplacer("r1", "m@", adResp1, adCall1+","+adResp1, "c1", "c#").Replace(adGot1),
		`{"id":"m@","author":"system","timestamp":1,"isCompacted":true,"startTime":0,"endTime":0,"compactedContent":"text #","content":{"role":"model","parts":[{"text":"text #"}]}}`,
		`{"id":"m@","author":"user","timestamp":1,"actions":{"compaction":{"start_timestamp":0,"end_timestamp":0,"compacted_content":{"role":"model","parts":[{"text":"text #"}]}}}}`,
	},
	"assistant-ui": {
		`{"id":"m@","role":"user","content":[{"type":"text","text":"text #"},{"type":"image","image":"data:image/png;base64,aaaa"}]}`, `{"id":"m@","role":"system","content":[{"type":"text","text":"s"}]}`,
		`{"id":"m@","role":"user","content":"text #"}`, `{"id":"m@","role":"user","content":[]}`, `{"id":"m@","role":"assistant","content":[{"type":"text","text":""}]}`, `{"id":"m@","role":"user","content":[{"type":"text","text":""}],"attachments":[{"id":"f","content":[{"type":"text","text":"x"}]}]}`,
		`{"id":"m@","role":"assistant","content":[{"type":"reasoning","text":"hm #","providerMetadata":{"anthropic":{"signature":"s"}}},{"type":"text","text":"text #"}]}`,
		strings.NewReplacer("a1", "m@", "c1", "c#").Replace(auSays(auCall1, auText)), strings.NewReplacer("a1", "m@", "c1", "c#").Replace(auSays(auOpen1)),
		strings.NewReplacer("a1", "m@", "c1", "c#", "c2", "d#").Replace(auSays(auCall1, auCall2, auWait1, auText, auCall2)), strings.NewReplacer("a1", "m@", "c1", "c#").Replace(auSays(auWait1, auText, auOpen1)),
	},
	"ollama": {
		asUser, asDone, miSystem, `{"role":"user","content":"text #","images":["aaaa"]}`, `{"role":"assistant","content":"x","thinking":"hm #"}`, olEmpty, `{"role":"user"}`,
		olRead, olBoth, olGot, olBash, olBare, `{"role":"tool","tool_name":"read"}`, `{"role":"tool","tool_call_id":"c#","content":"y"}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"c#","function":{"index":0,"name":"read","arguments":{"path":"a#"}}}]}`,
	},
	"langchain": {
		`{"type":"human","content":"text #"}`, `{"type":"ai","content":"done #"}`, `{"type":"system","content":"s"}`, `{"type":"human","content":["",{"type":"text","text":"t"},{"type":"image_url","image_url":"u"}]}`,
		`{"type":"ai","content":[{"type":"thinking","thinking":"hm","signature":"s#"},{"type":"text","text":"x"},{"type":"tool_use","id":"c#","name":"read","input":{"path":"a#"}}],"tool_calls":[{"name":"read","args":{"path":"a#"},"id":"c#","type":"tool_call"}]}`,
		`{"type":"ai","content":"","tool_calls":[{"name":"read","args":{},"id":"c#"},{"name":"bash","args":{},"id":"d#"}],"additional_kwargs":{"tool_calls":[{"id":"c#","function":{"name":"read","arguments":"{}"}},{"id":"d#","function":{"name":"bash","arguments":"{}"}}]}}`,
		`{"type":"ai","content":"","additional_kwargs":{"tool_calls":[{"id":"c#","type":"function","function":{"name":"read","arguments":"{}"}}]}}`, `{"type":"ai","content":""}`, `{"type":"ai","content":[]}`,
		`{"type":"ai","content":"x","tool_calls":[{"name":"read","args":{},"id":null},{"name":"read","args":{},"id":"c#"},{"name":"read","args":{},"id":"c#"}]}`,
		`{"type":"ai","content":"","invalid_tool_calls":[{"name":"read","args":"{","id":"c#"}],"additional_kwargs":{"tool_calls":[{"id":"c#","function":{"name":"read","arguments":"{"}}]}}`,
		`{"type":"ai","content":"","tool_calls":[{"name":"read","args":{},"id":null}],"additional_kwargs":{"tool_calls":[{"function":{"name":"read","arguments":"{}"}}]}}`,
		`{"type":"tool","content":"one","tool_call_id":"c#"}`, `{"type":"tool","content":[{"type":"text","text":"two"},{"type":"text","text":""}],"tool_call_id":"d#","artifact":{}}`, `{"type":"tool","content":"","tool_call_id":"c#","status":"error"}`,
		`{"type":"human","content":[{"type":"tool_result","tool_use_id":"c#","content":"one"}]}`, `{"type":"human","content":[{"tool_use_id":"c#","content":[{"type":"text","text":"x"}],"type":"tool_result"},{"type":"text","text":"and"}]}`,
		`{"type":"AIMessageChunk","content":"","tool_calls":[{"name":"read","args":{},"id":"c#"}],"tool_call_chunks":[{"name":"read","args":"{}","id":"c#","index":0}]}`, `{"type":"remove","id":"x","content":""}`,
	},
	"mcp-sampling": {
		`{"role":"user","content":{"type":"text","text":"text #"}}`, `{"role":"assistant","content":{"type":"text","text":"done"}}`, `{"role":"user","content":{"type":"text","text":""}}`, `{"role":"user","content":[]}`,
		`{"role":"user","content":{"type":"image","data":"aaaa","mimeType":"image/png"}}`, `{"role":"assistant","content":{"type":"tool_use","id":"c#","name":"read","input":{}}}`,
		`{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"c#","name":"read","input":{}},{"type":"tool_use","id":"d#","name":"read","input":{}}]}`,
		`{"role":"user","content":{"type":"tool_result","toolUseId":"c#","content":[{"type":"text","text":"one"}]}}`, `{"role":"user","content":[{"type":"tool_result","toolUseId":"c#","content":[]},{"type":"tool_result","toolUseId":"d#","content":[]}]}`,
		`{"role":"user","content":[{"toolUseId":"d#","content":[{"type":"text","text":"x"}],"type":"tool_result"},{"type":"text","text":"and"}]}`, `{"role":"user","content":[{"type":"text","text":"and"},{"type":"tool_result","toolUseId":"c#","content":[]}]}`,
	},
	"openai-agents": {
		oaUser, oaHosts, oaShell, oaPatch, `{"type":"message","id":"msg_@","role":"assistant","status":"completed","content":[{"type":"output_text","text":"text #"}]}`,
		`{"role":"user","content":[{"type":"input_text","text":"text #"},{"type":"input_image","image":"aaaa"},{"type":"input_file","file":{"id":"f"}},{"type":"audio","audio":"aaaa"}]}`,
		`{"role":"user","content":""}`, `{"role":"system","content":"s #"}`, `{"type":"reasoning","id":"rs_@","content":[],"providerData":{"encryptedContent":"gAAA#"}}`,
		`{"type":"reasoning","content":[{"type":"input_text","text":"think"}],"rawContent":[{"type":"reasoning_text","text":"raw"}]}`,
		`{"type":"function_call","id":"fc_@","callId":"c#","name":"read","arguments":"{\"path\":\"a#\"}"}`, `{"callId":"c#","name":"read","status":"completed","output":"one","type":"function_call_result"}`,
		`{"type":"function_call_result","callId":"c#","name":"read","status":"completed","output":{"type":"image","image":{"data":"aaaa"}}}`,
		`{"type":"function_call_result","callId":"c#","name":"read","status":"completed","output":{"type":"text","text":"long long long"}}`,
		`{"type":"function_call_result","callId":"c#","name":"read","status":"completed","output":[{"type":"input_text","text":"two"},{"type":"input_image","image":"aaaa"}]}`,
		`{"type":"shell_call_output","callId":"c#","output":[{"stdout":"long long long","stderr":"x","outcome":{"type":"timeout"}}]}`,
		`{"type":"computer_call","id":"cu_@","callId":"c#","status":"completed","action":{"type":"screenshot"}}`,
		`{"type":"computer_call_result","callId":"c#","output":{"type":"computer_screenshot","data":"aaaa"}}`,
		`{"type":"apply_patch_call_output","callId":"c#","status":"failed","output":"no"}`, `{"type":"tool_search_call","execution":"client","call_id":"c#","arguments":{}}`,
		`{"type":"tool_search_output","execution":"client","call_id":"c#","tools":[]}`, `{"type":"tool_search_call","arguments":{}}`,
		`{"type":"compaction","id":"cmp_@","encrypted_content":"gAAAA#"}`, `{"type":"unknown","id":"new_@","providerData":{"type":"new"}}`,
		`{"type":"program","id":"pr_@","callId":"c#","code":"1","fingerprint":"f"}`, `{"type":"program_output","callId":"c#","output":"1","status":"completed"}`,
	},
	"pi": {
		piUser, piShell, piKept, piMode, piSays("stop", piSaid), piSays("toolUse", piCall1, piCall2), piSays("aborted", piCall1), piSays("stop"), piGot1, piGot2,
		piSays("toolUse", `{"type":"thinking","thinking":"hm #","thinkingSignature":"s"}`, `{"type":"toolCall","id":"c#","name":"read","arguments":{"path":"a#"},"thoughtSignature":"t"}`),
		piSays("stop", `{"type":"thinking","thinking":"","thinkingSignature":"s","redacted":true}`, `{"type":"text","text":"text #","textSignature":"m"}`, `{"type":"text","text":""}`),
		`{"role":"toolResult","toolCallId":"c#","toolName":"read","content":[{"type":"text","text":"x"},{"type":"image","data":"aaaa","mimeType":"image/png"}],"isError":true,"timestamp":1}`,
		`{"role":"user","content":[{"type":"text","text":"text #"},{"type":"image","data":"aaaa","mimeType":"image/png"}],"timestamp":1}`, `{"role":"user","content":[],"timestamp":1}`,
		`{"role":"custom","customType":"a","content":"b","display":true,"details":{"x":1},"timestamp":1}`, `{"role":"branchSummary","summary":"s #","fromId":null,"timestamp":1}`,
		`{"role":"compactionSummary","summary":"s #","tokensBefore":9,"timestamp":1}`, `{"role":"system","content":"s #","timestamp":1}`,
	},
	"gemini": {
		gmGo, gmDone, content("user", `{"text":"text #"}`, `{"inlineData":{"mimeType":"image/png","data":"aaaa"}}`), `{"parts":[{"text":"no role"}]}`,
		content("model", `{"text":"think","thought":true}`, `{"text":"text #","thoughtSignature":"c2ln"}`), content("model", `{"text":"","thoughtSignature":"c2ln"}`), content("model", `{"text":""}`, `{}`),
		content("model", `{"functionCall":{"id":"c#","name":"read","args":{"path":"a#"}}}`), content("model", `{"functionCall":{"id":"c#","name":"bash"},"thoughtSignature":"c2ln"}`, `{"functionCall":{"name":"read","args":{}}}`),
		content("model", `{"function_call":{"name":"read","args":{}},"thought_signature":"c2ln"}`), content("model", gmRead, gmRead),
		content("user", `{"functionResponse":{"id":"c#","name":"read","response":{"output":"one"}}}`), content("user", gmGot, `{"functionResponse":{"id":"c#","name":"bash","response":{"stdout":"x","code":0}}}`),
		content("model", `{"functionCall":{"id":"w@","name":"watch","args":{}}}`) + "," + content("user", `{"functionResponse":{"id":"w@","name":"watch","response":{"output":"one"},"willContinue":true}}`),
		content("user", gmGot, `{"text":"and #"}`), content("user", `{"text":"and #"}`, gmGot), content("user", `{"functionResponse":{"id":"c#","name":"bash","response":"text"}}`),
		content("user", `{"function_response":{"name":"read","response":{"output":"x"},"parts":[{"inline_data":{"mime_type":"image/png","data":"aaaa"}}]}}`), content("user", `{"functionResponse":{"name":"read"}}`),
		content("model", `{"executableCode":{"language":"PYTHON","code":"1"}}`, `{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}}`),
	},
}

// TestShuffled repairs and compacts lists in random order, 150 for each format, and 4,000 in make test-long.
func TestShuffled(t *testing.T) {
	seeds := uint64(trials.Count(150, 150, 4000))
	for format, shapes := range shapes {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				r := rand.New(rand.NewPCG(seed, 7))
				messages := make([]string, 1+r.IntN(14))
				for i := range messages {
					messages[i] = strings.NewReplacer("#", strconv.Itoa(r.IntN(5)), "@", strconv.Itoa(i)).Replace(shapes[r.IntN(len(shapes))])
				}
				list := transcriptOf(messages...)
				if bad := shuffled(t, format, list, r); bad != "" {
					t.Fatalf("seed %d: %s\n%s", seed, bad, list)
				}
			}
		})
	}
}

func shuffled(t *testing.T, format, list string, r *rand.Rand) string {
	mended := repair(t, format, list)
	if mended == "[]" {
		return ""
	}
	if says := violations(t, format, mended); says != "" {
		return "repaired to " + mended + ", but " + says
	}
	if bad := judge.Valid(format, []byte(mended)); len(bad) > 0 {
		return "repaired to " + mended + ", but the judge says " + bad[0]
	}
	if again := repair(t, format, mended); again != mended {
		return "repaired to " + mended + ", and again to " + again
	}
	var a struct {
		Report   struct{ Changed bool }
		Messages json.RawMessage
	}
	policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"reasoning","mode":%q},`+
		`{"pass":"clear","keep_recent":1},{"pass":"fold","keep_tokens":%d,"boundary":%q}]}`, format, 10+r.IntN(80),
		[...]string{"keep", "strip", "latest_turn"}[r.IntN(3)], r.IntN(60), [...]string{"turn", "group"}[r.IntN(2)])
	request(t, "plan", policy, list, &a)
	if !a.Report.Changed {
		return ""
	}
	out := []byte(a.Messages)
	if bad := judge.Valid(format, out); len(bad) > 0 {
		return policy + " compacts to " + string(out) + ", but the judge says " + bad[0]
	}
	if err := judge.Opaque(format, []byte(list), out); err != nil {
		return policy + " compacts to " + string(out) + ": " + err.Error()
	}
	return ""
}
