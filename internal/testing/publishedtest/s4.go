package publishedtest

import (
	"encoding/json"
	"strings"
	"testing"
)

// s4 lists the rows of the system S4.
var s4 = append(append(append([]Row{}, s4Gate...), s4Outputs...), s4Session...)

// s4Safe returns the preset with wire_safe and otherwise its default settings.
func s4Safe() object { return safe(agentLoop, nil) }

// s4Call calls a function with the preset and its defects.
func s4Call(t *testing.T, call Engine, name string, request object, result any) {
	t.Helper()
	Function(t, call, name, merged(object{"policy": s4Exact()}, request), result)
}

// s4Tokens returns the estimated tokens of messages.
func s4Tokens(t *testing.T, call Engine, messages ...object) (n int) {
	t.Helper()
	s4Call(t, call, "estimate_messages", object{"messages": messages}, &n)
	return n
}

// says returns n identical user messages.
func says(n int, text string) (list []object) {
	for range n {
		list = append(list, say("user", text))
	}
	return list
}

// s4Gate lists the rows about limits, estimates and visibility.
var s4Gate = []Row{
	{ID: "S4.1", Preset: agentLoop, Title: "defaults: 8,000 tokens without a window, reserve 16,384, tail 20,000 tokens or 5 messages", Test: func(t *testing.T, call Engine) {
		var got object
		s4Call(t, call, "effective_limit", object{}, &got)
		equal(t, "no window", got, object{"limit": 8000, "source": "max_tokens", "reserve": 16384, "keep_tokens": 4000, "keep_messages": 5})
		got = nil
		s4Call(t, call, "effective_limit", object{"arguments": object{"window": 200000}}, &got)
		equal(t, "a window", got, object{"limit": 183616, "source": "context_window", "reserve": 16384, "keep_tokens": 20000, "keep_messages": 5})
	}},
	{ID: "S4.2", Preset: agentLoop, Title: "due at the limit itself; without a limit at 50 messages; never without auto", Test: func(t *testing.T, call Engine) {
		due := func(messages []object, arguments object) (b bool) {
			s4Call(t, call, "context_due", object{"messages": messages, "arguments": arguments}, &b)
			return b
		}
		ten := says(1, strings.Repeat("x", 40)) // 10 tokens
		equal(t, "at the limit", due(ten, object{"max_tokens": 10}), true)
		equal(t, "below it", due(ten, object{"max_tokens": 11}), false)
		equal(t, "not auto", due(ten, object{"max_tokens": 10, "auto": false}), false)
		equal(t, "50 messages", due(says(50, "x"), object{"max_tokens": 0}), true)
		equal(t, "49 messages", due(says(49, "x"), object{"max_tokens": 0}), false)
		var checked struct{ Due bool }
		policy := merged(s4Safe(), object{"window": object{"tokens": 16394}})
		Call(t, call, "check", object{"policy": policy, "messages": ten}, &checked)
		equal(t, "the preset's gate at its limit", checked.Due, true)
	}},
	{ID: "S4.3", Preset: agentLoop, Title: "the limit is the window without its reserve, otherwise max_tokens, otherwise none", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			window, reserve, max, limit int
			source                      string
		}{{100, 10, 50, 90, "context_window"}, {10, 10, 50, 50, "max_tokens"}, {0, 10, 50, 50, "max_tokens"}, {0, 0, 0, 0, "none"}, {20000, -1, 0, 3616, "context_window"}} {
			var got struct {
				Limit  int
				Source string
			}
			s4Call(t, call, "effective_limit", object{"arguments": object{"window": c.window, "reserve": c.reserve, "max_tokens": c.max}}, &got)
			equal(t, c.source, object{"limit": got.Limit, "source": got.Source}, object{"limit": c.limit, "source": c.source})
		}
	}},
	{ID: "S4.4", Preset: agentLoop, Title: "max_messages counts only if max_tokens is 0", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			messages []object
			tokens   int
			want     bool
		}{{says(15, "x"), 0, true}, {says(5, "x"), 0, false}, {says(15, "x"), 8000, false}, {says(1, strings.Repeat("x", 400)), 50, true}} {
			var got bool
			s4Call(t, call, "context_due", object{"messages": c.messages, "arguments": object{"max_messages": 10, "max_tokens": c.tokens}}, &got)
			equal(t, "due", got, c.want)
		}
	}},
	{ID: "S4.5", Preset: agentLoop, Title: "the tail is at most half of the limit; 0 counts messages", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct{ keep, messages, max, tail, count int }{{100, 5, 50, 25, 5}, {10, 0, 50, 10, 5}, {-1, 3, 50, 0, 3}, {100, 5, 1, 100, 5}} {
			var got struct {
				Tokens   int `json:"keep_tokens"`
				Messages int `json:"keep_messages"`
			}
			s4Call(t, call, "effective_limit", object{"arguments": object{"keep_tokens": c.keep, "keep_messages": c.messages, "max_tokens": c.max}}, &got)
			equal(t, "tail", []int{got.Tokens, got.Messages}, []int{c.tail, c.count})
		}
	}},
	{ID: "S4.6", Preset: agentLoop, Title: "bytes of a whole message / 4, rounded up; an image is 4,800 bytes; no framing", Test: func(t *testing.T, call Engine) {
		message := func(parts ...object) object {
			return object{"role": "assistant", "content": append([]object{}, parts...)}
		}
		equal(t, "two texts", s4Tokens(t, call, message(object{"type": "text", "text": "ab"}, object{"type": "reasoning", "text": "abc"})), 2)
		equal(t, "an image", s4Tokens(t, call, message(object{"type": "image", "data": "AAAA"})), 1200)
		equal(t, "nothing", s4Tokens(t, call, message()), 0)
		escaped := json.RawMessage(`{"b":"<","a":100.0}`) // {"a":100,"b":"\u003c"}
		equal(t, "a call", s4Tokens(t, call, message(object{"type": "tool_call", "id": "1", "name": "abcd", "input": escaped})), 7)
	}},
	{ID: "S4.7", Preset: agentLoop, Title: "a message that is hidden from the model costs nothing", Test: func(t *testing.T, call Engine) {
		hidden := object{"role": "user", "content": "abcd", "visible_agent": false}
		equal(t, "exact", s4Tokens(t, call, hidden, say("user", "abcd")), 1)
		var n int
		Function(t, call, "estimate_messages", object{"policy": safe("default", nil), "messages": []object{hidden}}, &n)
		equal(t, "in every estimator", n, 0)
	}},
	{ID: "S4.8", Preset: agentLoop, Title: "the newest usage plus an estimate of what follows", Test: func(t *testing.T, call Engine) {
		answer := func(usage object, stop string) object {
			return object{"role": "assistant", "content": "a", "usage": usage, "stop_reason": stop}
		}
		for _, c := range []struct {
			message object
			want    int
		}{{answer(object{"input": 100, "output": 5, "cache_read": 1, "cache_write": 1}, "stop"), 109}, {answer(object{"input": 100, "total": 500}, "stop"), 502},
			{answer(object{"input": 100}, " Aborted "), 4}, {answer(object{"input": 100}, "ERROR"), 4}, {answer(object{}, "stop"), 4}} {
			var got struct{ Tokens int }
			s4Call(t, call, "estimate_context", object{"messages": []object{say("user", "q"), c.message, say("user", "abcdefgh")}}, &got)
			equal(t, "tokens", got.Tokens, c.want)
		}
	}},
	{ID: "S4.9", Preset: agentLoop, Title: "defect: a usage from before the compaction is still used; ours ignores it", Test: func(t *testing.T, call Engine) {
		kept := []object{say("user", "[Previous conversation summary]\n\ns"), {"role": "assistant", "content": "a", "usage": object{"input": 190000}}, say("user", "go on")}
		request := func(policy object) object {
			policy["window"] = object{"tokens": 200000, "reserve": 16384}
			return object{"policy": policy, "messages": kept, "state": object{"round": 1, "messages": 2, "fingerprint": "x"}}
		}
		var checked struct{ Due bool }
		Call(t, call, "check", request(s4Exact()), &checked)
		equal(t, "exact", checked.Due, true)
		Call(t, call, "check", request(s4Safe()), &checked)
		equal(t, "ours", checked.Due, false)
	}},
	{ID: "S4.10", Preset: agentLoop, Title: "visible by default; messages hidden from the model are not summarized", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "one"), {"role": "user", "content": "two", "visible_agent": false}, {"role": "user", "content": "three", "visible_user": false}}
		var seen []object
		s4Call(t, call, "visibility", object{"messages": messages}, &seen)
		equal(t, "visibility", seen, []object{{"agent": true, "user": true, "kind": ""}, {"agent": false, "user": true, "kind": ""}, {"agent": true, "user": false, "kind": ""}})
		var text string
		s4Call(t, call, "serialize_conversation", object{"messages": messages}, &text)
		equal(t, "record", text, "[User]: one\n\n[User]: three")
	}},
	{ID: "S4.11", Preset: agentLoop, Title: "kinds tool_result, tool_result_archived, tool_summary, user", Test: func(t *testing.T, call Engine) {
		var marked []object
		s4Call(t, call, "set_visibility", object{"messages": []object{say("user", "x")}, "arguments": object{"kind": "tool_result"}}, &marked)
		equal(t, "kind", marked[0]["kind"], "tool_result")
		list := archivedOnce(t, call, s4Exact())
		equal(t, "archived", list.messages[1]["kind"], "tool_result_archived")
		equal(t, "summary", list.messages[len(list.messages)-1]["kind"], "tool_summary")
	}},
	{ID: "S4.12", Preset: agentLoop, Title: "marks are set on copies; omitted ones stay", Test: func(t *testing.T, call Engine) {
		message := object{"role": "user", "content": "x", "visible_user": false, "kind": "user"}
		before := string(bytesOf(t, message))
		var marked []object
		s4Call(t, call, "set_visibility", object{"messages": []object{message}, "arguments": object{"agent": false}}, &marked)
		equal(t, "copy", marked, []object{{"role": "user", "content": "x", "visible_user": false, "kind": "user", "visible_agent": false}})
		equal(t, "original", string(bytesOf(t, message)), before)
	}},
}

// rounds returns the user's request, followed by n calls of a tool whose results have the given text.
func rounds(n int, result string) []object {
	list := []object{say("user", "Look at all files.")}
	for i := range n {
		id := "call-" + string(rune('a'+i))
		list = append(list, object{"role": "assistant", "content": []object{{"type": "tool_call", "id": id, "name": "read", "input": object{"path": id}}}},
			object{"role": "tool_result", "tool_call_id": id, "tool_name": "read", "content": result})
	}
	return list
}

// archivedOnce archives the older of two results.
func archivedOnce(t *testing.T, call Engine, policy object) agentList {
	t.Helper()
	messages := rounds(2, strings.Repeat("line\n", 800))[1:]
	pass := object{"pass": "archive", "keep_recent": 1, "mode": "local"}
	list, _, failure := compacted(t, call, messages, merged(policy, object{"passes": []object{pass}}), nil, forced)
	if failure != "" {
		t.Fatal(failure)
	}
	return list
}
