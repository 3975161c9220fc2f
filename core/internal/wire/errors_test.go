package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// TestShapeErrors has invalid transcripts of formats. The error is at the position of ^, which is not part of the source.
func TestShapeErrors(t *testing.T) {
	for _, c := range []struct{ format, messages, want string }{
		{"openai-chat", `[{"role":"user","content":null}]`, ""},
		{"openai-chat", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"openai-chat", `[{"role":"assistant","content":^{}}]`, "wrong_type messages[0].content"},
		{"openai-chat", `[{"role":"assistant","content":null,"tool_calls":null}]`, ""},
		{"openai-chat", `[{"role":"assistant","content":null,"tool_calls":^{}}]`, "wrong_type messages[0].tool_calls"},
		{"openai-chat", `[{"role":"assistant","content":null,"tool_calls":[^7]}]`, "wrong_type messages[0].tool_calls[0]"},
		{"openai-chat", `[{"role":"user","content":[^"a"]}]`, "wrong_type messages[0].content[0]"},
		{"openai-chat", `[{"role":^7,"content":"a"}]`, "wrong_type messages[0].role"},
		{"openai-chat", `[^{"content":"a"}]`, "missing_role messages[0]"},
		{"openai-chat", `[{"role":"user",^"role":"user","content":"a"}]`, "duplicate_key messages[0].role"},
		{"openai-chat", `[^7]`, "wrong_type messages[0]"},
		{"openai-chat", `^7`, "wrong_type messages"},
		{"openai-chat", `^{"input":[]}`, "no_messages messages"},
		{"openai-chat", `{"messages":^7}`, "no_messages messages.messages"},
		{"openai-chat", `{"messages":[],^"messages":[]}`, "duplicate_key messages.messages"},
		{"anthropic", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"anthropic", `[{"role":"user","content":^null}]`, "wrong_type messages[0].content"},
		{"anthropic", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"anthropic", `[{"role":"user"}]`, ""},
		{"ai-sdk", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"ai-sdk", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"ai-sdk-ui", `[{"id":"a","role":"user","parts":^7}]`, "wrong_type messages[0].parts"},
		{"ai-sdk-ui", `[{"id":"a","role":"user","parts":[^7]}]`, "wrong_type messages[0].parts[0]"},
		{"gemini", `[{"role":"user","parts":^7}]`, "wrong_type messages[0].parts"},
		{"gemini", `[{"role":"user","parts":[^7]}]`, "wrong_type messages[0].parts[0]"},
		{"gemini", `[{"role":null,"parts":[]}]`, ""},
		{"gemini", `[{"role":^7,"parts":[]}]`, "wrong_type messages[0].role"},
		{"gemini", `[{"role":"user","parts":[{"functionResponse":{"parts":[^7]}}]}]`, "wrong_type messages[0].parts[0].functionResponse.parts[0]"},
		{"openai-responses", `[^{"content":"a"}]`, "missing_role messages[0]"},
		{"openai-responses", `[{"type":^7}]`, "wrong_type messages[0].type"},
		{"openai-responses", `[{"type":null,"role":"user","content":"a"}]`, ""},
		{"openai-responses", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"openai-responses", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"openai-responses", `[{"content":[^7],"role":"user"}]`, "wrong_type messages[0].content[0]"},
		{"openai-responses", `[{"type":"reasoning","id":"r","summary":[^7]}]`, "wrong_type messages[0].summary[0]"},
		{"mistral", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"mistral", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"mistral", `[{"role":"assistant","content":null,"tool_calls":^{}}]`, "wrong_type messages[0].tool_calls"},
		{"mistral", `[{"role":"assistant","content":"","toolCalls":[^7]}]`, "wrong_type messages[0].toolCalls[0]"},
		{"ollama", `[{"role":"user","content":^[]}]`, "wrong_type messages[0].content"},
		{"ollama", `[{"role":"user","content":"","images":^7}]`, "wrong_type messages[0].images"},
		{"ollama", `[{"role":"assistant","content":"","tool_calls":^{}}]`, "wrong_type messages[0].tool_calls"},
		{"ag-ui", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"ag-ui", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"ag-ui", `[{"role":"activity","content":^"x"}]`, "wrong_type messages[0].content"},
		{"ag-ui", `[{"role":"activity","content":[^"x"]}]`, "wrong_type messages[0].content[0]"},
		{"ag-ui", `[{"role":"assistant","toolCalls":^{}}]`, "wrong_type messages[0].toolCalls"},
		{"ag-ui", `[{"role":"assistant","toolCalls":[^7]}]`, "wrong_type messages[0].toolCalls[0]"},
		{"adk", `[{"id":"a","author":"user","content":^"x"}]`, "wrong_type messages[0].content"},
		{"adk", `[{"id":"a","author":"user","content":{"role":^7,"parts":[]}}]`, "wrong_type messages[0].content.role"},
		{"adk", `[{"id":"a","author":"user","content":{"role":"user","parts":^7}}]`, "wrong_type messages[0].content.parts"},
		{"adk", `[{"id":"a","author":"user","content":{"role":"user","parts":[^7]}}]`, "wrong_type messages[0].content.parts[0]"},
		{"mastra", `[^{"id":"a","role":"user"}]`, "missing_field messages[0]"},
		{"mastra", `[{"id":"a","role":"user","content":^"x"}]`, "wrong_type messages[0].content"},
		{"mastra", `[{"id":"a","role":"user","content":^{"format":3,"parts":[]}}]`, "wrong_type messages[0].content"},
		{"mastra", `[{"id":"a","role":"user","content":{"format":2,"parts":^7}}]`, "wrong_type messages[0].content.parts"},
		{"mastra", `[{"id":"a","role":"user","content":{"format":2,"parts":[^7]}}]`, "wrong_type messages[0].content.parts[0]"},
		{"mastra", `[{"id":"a","role":"user","content":{"format":2,"parts":[],"toolInvocations":[^7]}}]`, "wrong_type messages[0].content.toolInvocations[0]"},
		{"mastra", `[{"id":"a","role":"user","content":{"format":2,"parts":[],"experimental_attachments":[^7]}}]`, "wrong_type messages[0].content.experimental_attachments[0]"},
		{"assistant-ui", `[{"id":"a","role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"assistant-ui", `[{"id":"a","role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"assistant-ui", `[{"id":"a","role":"user","content":[],"attachments":^{}}]`, "wrong_type messages[0].attachments"},
		{"assistant-ui", `[{"id":"a","role":"user","content":[],"attachments":[^7]}]`, "wrong_type messages[0].attachments[0]"},
		{"assistant-ui", `[{"id":"a","role":"user","content":[],"attachments":[{"content":[^7]}]}]`, "wrong_type messages[0].attachments[0].content[0]"},
		{"genkit", `[^{"content":[]}]`, "missing_role messages[0]"},
		{"genkit", `[{"role":"user","content":^"a"}]`, "wrong_type messages[0].content"},
		{"genkit", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"genkit", `[{"role":"tool","content":[{"toolResponse":{"name":"f","output":1,"content":[^7]}}]}]`, "wrong_type messages[0].content[0].toolResponse.content[0]"},
		{"agent-framework", `[^{"contents":[]}]`, "missing_role messages[0]"},
		{"agent-framework", `[{"role":"user","contents":^"a"}]`, "wrong_type messages[0].contents"},
		{"agent-framework", `[{"role":"user","contents":[^7]}]`, "wrong_type messages[0].contents[0]"},
		{"prompt-api", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"prompt-api", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"haystack", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"haystack", `[{"role":"tool","content":[{"tool_call_result":{"result":[^7],"origin":{},"error":false}}]}]`, "wrong_type messages[0].content[0].tool_call_result.result[0]"},
		{"pydantic-ai", `[^{"parts":[]}]`, "missing_role messages[0]"},
		{"pydantic-ai", `[{"parts":^7,"kind":"request"}]`, "wrong_type messages[0].parts"},
		{"pydantic-ai", `[{"parts":[^7],"kind":"request"}]`, "wrong_type messages[0].parts[0]"},
		{"tanstack", `[^{"id":"a","role":"user"}]`, "missing_field messages[0]"},
		{"tanstack", `[{"id":"a","role":"user","parts":^7}]`, "wrong_type messages[0].parts"},
		{"tanstack", `[{"id":"a","role":"user","parts":[^7]}]`, "wrong_type messages[0].parts[0]"},
		{"tanstack", `[{"id":"a","role":"user","parts":[{"type":"tool-result","toolCallId":"c","content":[^7]}]}]`, "wrong_type messages[0].parts[0].content[0]"},
		{"openai-agents", `[^{"content":"a"}]`, "missing_role messages[0]"},
		{"openai-agents", `[{"type":^7}]`, "wrong_type messages[0].type"},
		{"openai-agents", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"openai-agents", `[{"type":"function_call_result","callId":"c","output":[^7]}]`, "wrong_type messages[0].output[0]"},
		{"openai-agents", `[{"type":"shell_call_output","callId":"c","output":[^7]}]`, "wrong_type messages[0].output[0]"},
		{"openai-agents", `[{"type":"reasoning","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"pi", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"pi", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"pi", `[{"role":"assistant","content":^"x"}]`, "wrong_type messages[0].content"},
		{"pi", `[{"role":"toolResult","content":^{}}]`, "wrong_type messages[0].content"},
		{"pi", `[{"role":"toolResult","content":null}]`, ""},
		{"pi", `[{"role":"user","content":"a",^"content":"b"}]`, "duplicate_key messages[0].content"},
		{"plain", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"plain", `[{"role":"user","content":^[]}]`, "wrong_type messages[0].content"},
		{"langchain", `[^{"content":"a"}]`, "missing_role messages[0]"},
		{"langchain", `[{"type":^7,"content":"a"}]`, "wrong_type messages[0].type"},
		{"langchain", `[{"type":"human","content":^7}]`, "wrong_type messages[0].content"},
		{"langchain", `[{"type":"human","data":{"content":^7}}]`, "wrong_type messages[0].data.content"},
		{"langchain", `[{"type":"human","data":{"content":[^7]}}]`, "wrong_type messages[0].data.content[0]"},
		{"langchain", `[{"type":"human","content":^"x","data":{"content":"a"}}]`, "wrong_type messages[0].content"},
		{"langchain", `[^{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"]}]`, "wrong_type messages[0]"},
		{"langchain", `[{"lc":1,"type":"constructor","id":["a","AIMessage"],"kwargs":{"content":"","tool_calls":^{}}}]`, "wrong_type messages[0].kwargs.tool_calls"},
		{"langchain", `[{"type":"ai","content":"","invalid_tool_calls":[^7]}]`, "wrong_type messages[0].invalid_tool_calls[0]"},
		{"langchain", `[{"type":"ai","content":"","additional_kwargs":{"tool_calls":[^7]}}]`, "wrong_type messages[0].additional_kwargs.tool_calls[0]"},
		{"langchain", `[{"type":"chat","role":^7,"content":""}]`, "wrong_type messages[0].role"},
		{"langchain", `[{"type":"ai","content":null,"tool_calls":null}]`, ""},
		{"mcp-sampling", `[{"role":"user","content":^"a"}]`, "wrong_type messages[0].content"},
		{"mcp-sampling", `[{"role":"user","content":^null}]`, "wrong_type messages[0].content"},
		{"mcp-sampling", `[{"role":"user","content":[^"a"]}]`, "wrong_type messages[0].content[0]"},
		{"mcp-sampling", `[{"role":"user","content":{"type":"tool_result","toolUseId":"c","content":[^7]}}]`, "wrong_type messages[0].content.content[0]"},
		{"native", `[{"role":"user","content":^7}]`, "wrong_type messages[0].content"},
		{"native", `[{"role":"user","content":[^7]}]`, "wrong_type messages[0].content[0]"},
		{"native", `[{"role":"tool_result","content":^7}]`, "wrong_type messages[0].content"},
	} {
		at := strings.IndexByte(c.messages, '^')
		messages := strings.Replace(c.messages, "^", "", 1)
		before := `{"policy":{"format":"` + c.format + `"},"messages":`
		var a struct {
			Error struct {
				Code, Path string
				Offset     int
			}
		}
		out := core.Call("validate", []byte(before+messages+"}"))
		if err := json.Unmarshal(out, &a); err != nil {
			t.Fatal(err)
		}
		got := ""
		if a.Error.Code != "" {
			got = a.Error.Code + " " + a.Error.Path
		}
		if got != c.want || got != "" && a.Error.Offset != len(before)+at {
			t.Errorf("%s, %s: %s at %d, want %s at %d\n%s", c.format, c.messages, got, a.Error.Offset-len(before), c.want, at, out)
		}
	}
}
