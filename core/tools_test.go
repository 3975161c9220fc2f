package core_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// TestTools tests operations outside of compactions: classifying failed calls, and shortening a tool's output.
func TestTools(t *testing.T) {
	for _, c := range []struct{ op, request, answer string }{
		{"classify_error", `{}`, `{"class":"none","overflow":false,"silent":false,"message":""}`},
		{"classify_error", `{"arguments":{"status":400,"body":"prompt is too long: 5 tokens > 4 maximum"}}`,
			`{"class":"context_overflow","overflow":true,"silent":false,"provider":"anthropic","message":"prompt is too long: 5 tokens > 4 maximum","used_tokens":5,"limit_tokens":4}`},
		{"classify_error", `{"arguments":{"body":"x","typed":true}}`, `{"class":"context_overflow","overflow":true,"silent":false,"message":"x"}`},
		{"classify_error", `{"arguments":{"window":10,"usage":{"input_tokens":11}}}`,
			`{"class":"context_overflow","overflow":true,"silent":true,"message":"","used_tokens":11,"limit_tokens":10}`},
		{"classify_error", `{"arguments":{"usage":{"output_tokens":-1}}}`,
			`{"error":{"code":"out_of_range","message":"usage.output_tokens must be from 0 to 1,073,741,824","path":"arguments.usage.output_tokens","offset":39}}`},
		{"limit_tool_output", `{"text":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12","arguments":{"max_lines":2}}`,
			`{"changed":false,"text":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12","keep_media":true,"spilled":false}`},
		{"limit_tool_output", `{"text":"abcd","arguments":{"spill_chars":3,"place":"a.txt"}}`,
			`{"changed":true,"text":"[tool output too large: 4 chars]\nSaved to: a.txt\nSHA256: 88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589","keep_media":true,"spilled":true,"handle":"88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"}`},
		{"limit_tool_output", `{"arguments":{}}`, `{"error":{"code":"missing_field","message":"the request has no \"text\"","path":"","offset":0}}`},
		{"limit_tool_output", `{"text":"","arguments":{"lines":2}}`,
			`{"error":{"code":"unknown_field","message":"there is no such key here: lines","path":"arguments.lines","offset":30}}`},
	} {
		if got := string(core.Call(c.op, []byte(c.request))); got != c.answer {
			t.Errorf("%s %s\n got %s\nwant %s", c.op, c.request, got, c.answer)
		}
	}
}
