package publishedtest

import (
	"encoding/json"
	"strings"
	"testing"
)

// s0Estimates lists the rows about estimates.
var s0Estimates = []Row{
	{ID: "S0.33", Preset: layered, Title: "a text costs its UTF-8 bytes / 4, rounded up", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			text string
			want int
		}{{"", 0}, {"a", 1}, {"abcd", 1}, {"abcde", 2}, {"hello world", 3}, {"日本", 2}} {
			var got int
			Function(t, call, "estimate_text", object{"policy": s0Policy, "text": c.text}, &got)
			equal(t, c.text, got, c.want)
		}
	}},
	{ID: "S0.34", Preset: layered, Title: "an image costs its bytes / 750, from 85 to 16,000", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct{ base64, want int }{{0, 85}, {4, 85}, {86000, 86}, {1000000, 1000}, {16000000, 16000}, {40000000, 16000}} {
			message := object{"role": "user", "content": []object{{"type": "image", "data_length": c.base64}}}
			equal(t, "image", tokensOf(t, call, []object{message}), c.want+4)
		}
		equal(t, "an image that is there", tokensOf(t, call, []object{{"role": "user", "content": []object{{"type": "image", "data": strings.Repeat("A", 100000)}}}}), 104)
	}},
	{ID: "S0.35", Preset: layered, Title: "reasoning costs as much as text; a call costs its name, its arguments and 8", Test: func(t *testing.T, call Engine) {
		part := func(p object) int {
			return tokensOf(t, call, []object{{"role": "assistant", "content": []object{p}}}) - 4
		}
		equal(t, "reasoning", part(object{"type": "reasoning", "text": "12345"}), 2)
		equal(t, "call", part(object{"type": "tool_call", "id": "a-long-id-that-costs-nothing", "name": "bash", "input": object{"a": 1}}), 1+2+8)
	}},
	{ID: "S0.36", Preset: layered, Title: "a message costs 4, a result its tool's name and 8, an application message its data and 4", Test: func(t *testing.T, call Engine) {
		equal(t, "user", tokensOf(t, call, []object{say("user", "abcd")}), 5)
		equal(t, "assistant", tokensOf(t, call, []object{say("assistant", "abcd")}), 5)
		equal(t, "result", tokensOf(t, call, []object{outputs("a", "abcd")}), 1+1+8)
		equal(t, "the application's", tokensOf(t, call, []object{{"role": "custom", "custom_type": "note", "data": object{"k": "v"}}}), 3+4)
	}},
	{ID: "S0.37", Preset: layered, Title: "arguments count as compact JSON", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			input string
			want  int
		}{{`{"a":1}`, 2}, {`{ "a" : 1 }`, 2}, {"{\n  \"a\": [1, 2, 3],\n  \"b\": \"x y\"\n}", 6}, {`{"u":"é"}`, 3}, {`{"u":"\u00e9"}`, 3}} {
			// The request is written by hand, because marshaling would remove the spaces, which the engine must
			// count.
			request := `{"name":"estimate_messages","policy":` + string(bytesOf(t, s0Policy)) +
				`,"messages":[{"role":"assistant","content":[{"type":"tool_call","id":"a","name":"bash","input":` + c.input + `}]}]}`
			var got struct{ Result int }
			decodeInto(json.RawMessage(call("function", []byte(request))), &got)
			equal(t, c.input, got.Result, 4+1+8+c.want)
		}
	}},
	{ID: "S0.38", Preset: layered, Title: "the provider's count, plus an estimate of what follows", Test: func(t *testing.T, call Engine) {
		record := func(anchor any, index int, usage object) (got any) {
			Function(t, call, "record_usage", object{"arguments": object{"anchor": anchor, "index": index, "usage": usage}}, &got)
			return got
		}
		tokens := func(messages []object, anchor any) (n int) {
			Function(t, call, "anchored_tokens", object{"policy": s0Policy, "messages": messages, "arguments": object{"anchor": anchor}}, &n)
			return n
		}
		messages := []object{say("user", "a"), say("user", "trailing message")}
		anchor := record(nil, 0, object{"input": 100, "output": 50})
		equal(t, "100 and 50, and one more message", tokens(messages, anchor), 150+tokensOf(t, call, messages[1:]))
		equal(t, "of the cache too", record(nil, 1, object{"input": 1, "output": 2, "cache_read": 3, "cache_write": 4}), object{"tokens": 10, "index": 1})
		equal(t, "nothing counted", record(anchor, 1, object{}), anchor)
		equal(t, "behind the end", tokens(messages, object{"tokens": 1000, "index": 2}), tokensOf(t, call, messages))
		equal(t, "after a compaction", tokens(messages, nil), tokensOf(t, call, messages))
	}},
}
