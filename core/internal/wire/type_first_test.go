package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// records returns the parts of a list with one message, without offsets, which depend on the order of members: texts are compared instead.
func records(t *testing.T, format, list string) string {
	t.Helper()
	s := jsonspan.New([]byte(list))
	tr := wire.ByName(format).Read(s)
	if err := s.Err(); err != nil {
		return err.Message
	}
	var all strings.Builder
	fmt.Fprintln(&all, tr.Messages[0].Role, tr.Messages[0].Extra, tr.Messages[0].Lone)
	of := func(p jsonspan.Span) string {
		if p.IsZero() {
			return ""
		}
		return string(p.Slice([]byte(list)))
	}
	for _, p := range tr.Parts {
		span := of(p.Span)
		if p.Span == tr.Messages[0].Span || p.List == transcript.ContentList && p.Parent < 0 || p.List == transcript.Shared {
			span = "whole"
		}
		fmt.Fprintln(&all, p.Kind, p.List, p.Flags, p.Parent, p.Pair, span, of(p.Body), of(p.ID), of(p.Name), p.Size, p.NameSz, p.Data)
	}
	return all.String()
}

// TestTypeFirst: the result is the same whether the type comes first, so that the rest can be read immediately, or
// last.
func TestTypeFirst(t *testing.T) {
	for format, items := range map[string][][2]string{
		"openai-agents": {
			{`"type":"function_call_result"`, `"callId":"c","name":"f","output":{"type":"text","text":"é\ud83d"}`},
			{`"type":"function_call_result"`, `"callId":"c","name":"f","status":"failed","output":{"type":"image","image":"AAAA"}`},
			{`"type":"function_call_result"`, `"callId":"c","output":{"type":"file","file":{"data":"AAAA"},"name":"\u00e9"}`},
			{`"type":"function_call_result"`, `"callId":"c","output":{"type":"text","text":5}`},
			{`"type":"function_call_result"`, `"callId":"c","output":{"text":"a","type":"text"}`},
			{`"type":"function_call_result"`, `"callId":"c","output":{"type":"hologram","é":[1]}`},
			{`"type":"function_call_result"`, `"callId":"c","output":{}`},
			{`"type":"function_call_result"`, `"callId":"c","output":[{"type":"input_text","text":"a"},{"type":"input_image","image":"AAAA"}]`},
			{`"type":"function_call_result"`, `"output":[{"type":"input_text","text":"a"}],"name":"f"`},
			{`"type":"function_call_result"`, `"output":{"type":"text","text":5},"name":"f"`},
			{`"type":"function_call_result"`, `"callId":"c","output":[5]`},
			{`"type":"function_call_result"`, `"role":"user","content":[{"type":"input_text","text":"a"}],"callId":"c","output":[]`},
			{`"type":"shell_call_output"`, `"callId":"c","output":[{"stdout":"one","stderr":"longer"},{"stdout":"the longest"}]`},
			{`"type":"shell_call_output"`, `"callId":"c","output":[]`},
			{`"type":"shell_call_output"`, `"output":[{"stdout":"one","stderr":"longer"}]`},
			{`"type":"reasoning"`, `"content":[{"type":"input_text","text":"a"}],"providerData":{"encryptedContent":"gAAA"},"id":"rs"`},
		},
		"openai-responses": {
			{`"type":"reasoning"`, `"id":"rs","summary":[{"type":"summary_text","text":"a"}],"content":[{"type":"reasoning_text","text":"b"}],"encrypted_content":"gAAA"`},
			{`"type":"reasoning"`, `"id":"rs","content":[{"type":"reasoning_text","text":"b"}],"summary":[{"type":"summary_text","text":"a"}]`},
			{`"type":"function_call_output"`, `"call_id":"c","output":[{"type":"input_text","text":"a"},{"type":"input_file","file_data":"AAAA"}]`},
			{`"type":"function_call_output"`, `"output":[{"type":"input_text","text":"a"}]`},
			{`"type":"function_call_output"`, `"call_id":"c","output":{"type":"text","text":"a"}`},
			{`"type":"shell_call_output"`, `"call_id":"c","output":[{"stdout":"one","stderr":"longer"}],"max_output_length":9`},
			{`"type":"tool_search_output"`, `"call_id":"c","execution":"server","output":[]`},
		},
	} {
		for _, item := range items {
			first, last := records(t, format, "[{"+item[0]+","+item[1]+"}]"), records(t, format, "[{"+item[1]+","+item[0]+"}]")
			if first != last {
				t.Errorf("%s: %s\n%s\n%s", format, item[1], first, last)
			}
		}
	}
	const call = `"toolCallId":"c","toolName":"f","args":{"a":1},"result":"r"`
	for _, rest := range []string{
		call + `,"modelContent":[{"type":"text","text":"a"},{"type":"file","data":"AAAA","mimeType":"image/png"}]`,
		call + `,"modelContent":[]`, call + `,"modelContent":"x"`, call + `,"isError":true,"modelContent":[{"type":"text","text":"a"}]`,
		call + `,"isPreliminary":true,"modelContent":[{"type":"text","text":"a"}]`,
		`"toolCallId":"c","toolName":"f","args":{},"modelContent":[{"type":"text","text":"a"}]`,
		`"toolName":"f","args":{},"modelContent":[{"type":"text","text":"a"}]`,
	} {
		message := func(part string) string { return `[{"role":"assistant","content":[` + part + `]}]` }
		first, last := records(t, "assistant-ui", message(`{"type":"tool-call",`+rest+`}`)), records(t, "assistant-ui", message(`{`+rest+`,"type":"tool-call"}`))
		if first != last {
			t.Errorf("%s\n%s\n%s", rest, first, last)
		}
	}
}
