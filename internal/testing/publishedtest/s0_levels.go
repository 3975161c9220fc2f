package publishedtest

import (
	"encoding/json"
	"strings"
	"testing"
)

// cutText calls truncate_head_tail with a policy, and returns the shortened text.
func cutText(t *testing.T, call Engine, policy object, text string, lines int) (got string) {
	t.Helper()
	Function(t, call, "truncate_head_tail", object{"policy": policy, "text": text, "arguments": object{"max_lines": lines}}, &got)
	return got
}

// validAt reports whether the provider would accept messages.
func validAt(t *testing.T, call Engine, messages json.RawMessage) bool {
	t.Helper()
	var got struct{ Valid bool }
	Call(t, call, "validate", object{"policy": s0Safe(), "messages": messages}, &got)
	return got.Valid
}

// s0Levels lists the rows about the three levels.
var s0Levels = []Row{
	{ID: "S0.8", Preset: layered, Title: "level 1 changes only tool results, never the number of messages", Test: func(t *testing.T, call Engine) {
		messages := append(s0Session(), say("user", numbered(100)), say("assistant", numbered(100)))
		for _, policy := range []object{s0Policy, s0Safe()} {
			got := level(t, call, policy, "truncate_tool_results", messages, object{"max_lines": 10})
			var list, in []json.RawMessage
			decodeInto(got.Messages, &list)
			decodeInto(bytesOf(t, indexed(messages)), &in)
			equal(t, "number", len(list), len(messages))
			for i := range list {
				equal(t, "changed", string(list[i]) != string(in[i]), messages[i]["role"] == "tool_result")
			}
		}
	}},
	{ID: "S0.9", Preset: layered, Title: "each text of a result is truncated separately, and the rest of the result stays; exact mode loses the application's own members", Test: func(t *testing.T, call Engine) {
		image := object{"type": "image", "data": "AAAA"}
		result := object{"role": "tool_result", "tool_call_id": "a", "tool_name": "bash", "is_error": true, "timestamp": 17,
			"turnId":  object{"loopId": "l", "turnIndex": 3},
			"content": []object{{"type": "text", "text": numbered(30)}, image, {"type": "text", "text": "short"}, {"type": "text", "text": numbered(40)}}}
		messages := []object{say("user", "Go"), uses("", "a"), result, say("user", "And?")}
		for _, c := range []struct {
			policy    object
			left, cut string
			turn      any
		}{{s0Policy, "[... 20 lines truncated ...]", "[... 30 lines truncated ...]", nil}, {s0Safe(), "[... 23 lines truncated ...]", "[... 33 lines truncated ...]", object{"loopId": "l", "turnIndex": 3}}} {
			var got []object
			decodeInto(level(t, call, c.policy, "truncate_tool_results", messages, object{"max_lines": 10}).Messages, &got)
			m := got[2]
			parts := m["content"].([]any)
			equal(t, "image", parts[1], image)
			equal(t, "short", parts[2].(object)["text"], "short")
			equal(t, "first", strings.Contains(parts[0].(object)["text"].(string), c.left), true)
			equal(t, "last", strings.Contains(parts[3].(object)["text"].(string), c.cut), true)
			equal(t, "kept", []any{m["tool_call_id"], m["tool_name"], m["is_error"], m["timestamp"]}, []any{"a", "bash", true, 17})
			equal(t, "turn", m["turnId"], c.turn)
		}
	}},
	{ID: "S0.10", Preset: layered, Title: "a text of at most max_lines lines stays unchanged, including its line ends", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s0Policy, s0Safe()} {
			for _, text := range []string{"", "a", "a\r\nb\r\n\nc\n", "1\n2\n3\n4"} {
				equal(t, text, cutText(t, call, policy, text, 4), text)
			}
		}
	}},
	{ID: "S0.11", Preset: layered, Title: "half of the lines are from the start; an odd one is from the end", Test: func(t *testing.T, call Engine) {
		equal(t, "7 of 10", cutText(t, call, s0Policy, numbered(10), 7),
			"line 1\nline 2\nline 3\n\n[... 3 lines truncated ...]\n\nline 7\nline 8\nline 9\nline 10")
	}},
	{ID: "S0.12", Preset: layered, Title: "the marker has an empty line before and after it", Test: func(t *testing.T, call Engine) {
		equal(t, "2 of 4", cutText(t, call, s0Policy, "a\nb\nc\nd", 2), "a\n\n[... 2 lines truncated ...]\n\nd")
	}},
	{ID: "S0.13", Preset: layered, Title: "100 lines, at most 10: 5, a marker that counts 90, 5", Test: func(t *testing.T, call Engine) {
		lines := strings.Split(numbered(100), "\n")
		equal(t, "truncated", cutText(t, call, s0Policy, numbered(100), 10),
			strings.Join(lines[:5], "\n")+"\n\n[... 90 lines truncated ...]\n\n"+strings.Join(lines[95:], "\n"))
	}},
	{ID: "S0.14", Preset: layered, Title: "a line feed at the end starts no new line; one carriage return before a line feed belongs to the line end", Test: func(t *testing.T, call Engine) {
		equal(t, "line feed at the end", cutText(t, call, s0Policy, "a\nb\n", 2), "a\nb\n")
		equal(t, "carriage returns", cutText(t, call, s0Policy, "a\r\nb\r\r\nc\nd\r", 3), "a\n\n[... 1 lines truncated ...]\n\nc\nd\r")
		equal(t, "two of them", cutText(t, call, s0Policy, "b\r\r\nc\nd", 2), "b\r\n\n[... 1 lines truncated ...]\n\nd")
	}},
	{ID: "S0.15", Preset: layered, Title: "defect: truncated texts are truncated again; ours counts the lines of the marker", Test: func(t *testing.T, call Engine) {
		once := cutText(t, call, s0Policy, numbered(100), 10)
		equal(t, "exact, again", strings.Contains(cutText(t, call, s0Policy, once, 10), "[... 3 lines truncated ...]"), true)
		for lines := 1; lines < 20; lines++ {
			ours := cutText(t, call, s0Safe(), numbered(100), lines)
			equal(t, "ours, again", cutText(t, call, s0Safe(), ours, lines), ours)
			if n := strings.Count(ours, "\n") + 1; n > lines {
				t.Errorf("%d lines at most, and it has %d", lines, n)
			}
			equal(t, "a marker", strings.Contains(ours, "truncated"), lines > 4)
		}
	}},
	{ID: "S0.16", Preset: layered, Title: "0 lines: only the marker; 1 line: the last one", Test: func(t *testing.T, call Engine) {
		equal(t, "0", cutText(t, call, s0Policy, "a\nb\nc", 0), "\n\n[... 3 lines truncated ...]\n\n")
		equal(t, "1", cutText(t, call, s0Policy, "a\nb\nc", 1), "\n\n[... 2 lines truncated ...]\n\nc")
	}},
	{ID: "S0.17", Preset: layered, Title: "level 2 leaves the recent messages unchanged, and everything if there are no others", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "1"), say("assistant", "2"), say("user", "3"), say("assistant", "4")}
		equal(t, "all are recent", level(t, call, s0Policy, "collapse_turns", messages, object{"keep_recent": 4}).list, []any{0, 1, 2, 3})
		equal(t, "two are", level(t, call, s0Policy, "collapse_turns", messages, object{"keep_recent": 2}).list, []any{0, "[Summary] 2", 2, 3})
	}},
	{ID: "S0.18", Preset: layered, Title: "each assistant message becomes a user message", Test: func(t *testing.T, call Engine) {
		var got []object
		decodeInto(level(t, call, s0Policy, "collapse_turns", []object{say("assistant", "a"), say("assistant", "b"), say("user", "c")}, object{"keep_recent": 1}).Messages, &got)
		for i, text := range []string{"[Summary] a", "[Summary] b"} {
			equal(t, text, got[i], say("user", text))
		}
	}},
	{ID: "S0.19", Preset: layered, Title: "it has the texts of at most 200 bytes, joined by spaces", Test: func(t *testing.T, call Engine) {
		line := func(texts ...string) any {
			parts := []object{}
			for _, x := range texts {
				parts = append(parts, object{"type": "text", "text": x})
			}
			messages := []object{{"role": "assistant", "content": parts}, say("user", "x")}
			return level(t, call, s0Policy, "collapse_turns", messages, object{"keep_recent": 1}).list[0]
		}
		equal(t, "two", line("one", "two"), "[Summary] one two")
		equal(t, "200 bytes", line(strings.Repeat("x", 200)), "[Summary] "+strings.Repeat("x", 200))
		equal(t, "201 bytes", line(strings.Repeat("x", 201)), "[Summary] [Assistant response]")
		equal(t, "bytes, not characters", line(strings.Repeat("日", 67)), "[Summary] [Assistant response]")
	}},
	{ID: "S0.20", Preset: layered, Title: "without such a text it has the number of tool calls, or says that there was a response", Test: func(t *testing.T, call Engine) {
		thought := object{"role": "assistant", "content": []object{{"type": "reasoning", "text": "hm"}}}
		messages := []object{uses("", "a", "b"), outputs("a", "1"), outputs("b", "2"), thought, say("user", "x")}
		equal(t, "lines", level(t, call, s0Policy, "collapse_turns", messages, object{"keep_recent": 1}).list,
			[]any{"[Summary] [Assistant used 2 tool(s)]", "[Summary] [Assistant response]", 4})
	}},
	{ID: "S0.21", Preset: layered, Title: "a long text is omitted, not cut; a short one next to it stays", Test: func(t *testing.T, call Engine) {
		message := object{"role": "assistant", "content": []object{{"type": "text", "text": strings.Repeat("long ", 100)}, {"type": "text", "text": "short"}}}
		equal(t, "line", level(t, call, s0Policy, "collapse_turns", []object{message, say("user", "x")}, object{"keep_recent": 1}).list, []any{"[Summary] short", 1})
	}},
	{ID: "S0.22", Preset: layered, Title: "tool results after a message are removed with it, and so is a result without a call", Test: func(t *testing.T, call Engine) {
		messages := []object{outputs("z", "stray"), uses("look", "a", "b"), outputs("a", "1"), outputs("b", "2"), say("user", "x"), outputs("y", "stray"), say("user", "y")}
		equal(t, "lines", level(t, call, s0Policy, "collapse_turns", messages, object{"keep_recent": 1}).list, []any{"[Summary] look", 4, 6})
	}},
	{ID: "S0.23", Preset: layered, Title: "user and application messages stay in place", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "a"), {"role": "custom", "custom_type": "note", "data": object{"x": 1}}, say("assistant", "b"), say("user", "c"), say("user", "d")}
		equal(t, "places", level(t, call, s0Policy, "collapse_turns", messages, object{"keep_recent": 1}).list, []any{0, 1, "[Summary] b", 3, 4})
	}},
	{ID: "S0.24", Preset: layered, Title: "defect: the recent messages may begin with results whose call was removed; ours begins with the call", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "Go"), uses("look around", "a"), outputs("a", strings.Repeat("1", 400)), uses("look", "b", "c"), outputs("b", "1"), outputs("c", "2"), say("user", "x")}
		got := level(t, call, s0Policy, "collapse_turns", messages, object{"keep_recent": 2})
		equal(t, "exact", got.list, []any{0, "[Summary] look around", "[Summary] look", 5, 6})
		equal(t, "which is invalid", validAt(t, call, got.Messages), false)
		ours := level(t, call, s0Safe(), "collapse_turns", messages, object{"keep_recent": 2})
		equal(t, "ours", ours.list, []any{0, "[Summary] look around", 3, 4, 5, 6})
		equal(t, "which is valid", validAt(t, call, ours.Messages), true)
	}},
	{ID: "S0.25", Preset: layered, Title: "defect: a line is dated by the clock; ours has the date of the message that it replaces", Test: func(t *testing.T, call Engine) {
		messages := []object{merged(say("assistant", "a"), object{"timestamp": 1700000000123}), say("user", "x")}
		for _, policy := range []object{s0Policy, s0Safe()} { // neither uses a clock, because results must be reproducible
			var got []object
			if policy["wire_safe"] == nil {
				messages[0]["content"] = strings.Repeat("a ", 90)
				messages = append([]object{merged(uses(messages[0]["content"].(string), "a"), object{"timestamp": 1700000000123}), outputs("a", strings.Repeat("b", 900))}, messages[1:]...)
			}
			decodeInto(level(t, call, policy, "collapse_turns", messages, object{"keep_recent": 1}).Messages, &got)
			equal(t, "as old", got[0]["timestamp"], 1700000000123)
		}
	}},
	{ID: "S0.26", Preset: layered, Title: "level 3 without a middle keeps what fits", Test: func(t *testing.T, call Engine) {
		messages := says(6, strings.Repeat("x", 40)) // 14 tokens each
		equal(t, "no middle", level(t, call, s0Policy, "drop_middle", messages, object{"keep_first": 3, "keep_recent": 3, "budget": 30}).list,
			[]any{"[Context compacted: 4 messages removed]", 4, 5})
		equal(t, "more than there are", level(t, call, s0Policy, "drop_middle", messages, object{"keep_first": 99, "keep_recent": 99, "budget": 1000}).list, []any{0, 1, 2, 3, 4, 5})
	}},
	{ID: "S0.27", Preset: layered, Title: "otherwise it removes the middle, and a user message counts the removed messages", Test: func(t *testing.T, call Engine) {
		got := level(t, call, s0Policy, "drop_middle", says(6, "x"), object{"keep_first": 1, "keep_recent": 2, "budget": 1000})
		equal(t, "list", got.list, []any{0, "[Context compacted: 3 messages removed to fit context window]", 4, 5})
		var list []object
		decodeInto(got.Messages, &list)
		equal(t, "role", list[1]["role"], "user")
	}},
	{ID: "S0.28", Preset: layered, Title: "if that doesn't fit, it keeps what fits of it; the first marker is counted too", Test: func(t *testing.T, call Engine) {
		messages := append(says(5, strings.Repeat("x", 40)), say("user", "y"))
		equal(t, "list", level(t, call, s0Policy, "drop_middle", messages, object{"keep_first": 2, "keep_recent": 2, "budget": 20}).list,
			[]any{"[Context compacted: 3 messages removed]", 4, 5})
	}},
	{ID: "S0.29", Preset: layered, Title: "from the newest message back to the first that doesn't fit; defect: the marker isn't counted", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "small"), say("user", strings.Repeat("x", 400)), say("user", "a"), say("user", "b")} // 6, 104, 5, 5 tokens
		got := level(t, call, s0Policy, "keep_within_budget", messages, object{"budget": 20})
		equal(t, "the small one behind it goes too", got.list, []any{"[Context compacted: 2 messages removed]", 2, 3})
		equal(t, "over the budget by the marker", tokensOf(t, call, got.Messages) > 20, true)
		ours := level(t, call, s0Safe(), "keep_within_budget", messages, object{"budget": 30})
		equal(t, "ours fits", tokensOf(t, call, ours.Messages) <= 30, true)
		equal(t, "nothing dropped", level(t, call, s0Policy, "keep_within_budget", messages, object{"budget": 120}).list, []any{0, 1, 2, 3})
	}},
	{ID: "S0.30", Preset: layered, Title: "defect: if the newest message is too large, only the marker is left; ours keeps the user's request", Test: func(t *testing.T, call Engine) {
		messages := append(says(4, strings.Repeat("w", 100)), say("user", strings.Repeat("x", 400)))
		equal(t, "exact", level(t, call, s0Policy, "keep_within_budget", messages, object{"budget": 50}).list, []any{"[Context compacted: 5 messages removed]"})
		equal(t, "ours", level(t, call, s0Safe(), "keep_within_budget", messages, object{"budget": 50}).list, []any{"[Context compacted: 4 messages removed]", 4})
	}},
	{ID: "S0.31", Preset: layered, Title: "defect: calls are separated from their results; ours keeps them together", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "Go"), uses("", "a"), outputs("a", strings.Repeat("1", 400)), say("assistant", strings.Repeat("2", 400)), uses("", "b"), outputs("b", "3"), say("user", "x")}
		cut := object{"keep_first": 2, "keep_recent": 2, "budget": 1000}
		got := level(t, call, s0Policy, "drop_middle", messages, cut)
		equal(t, "exact", got.list, []any{0, 1, "[Context compacted: 3 messages removed to fit context window]", 5, 6})
		equal(t, "which is invalid", validAt(t, call, got.Messages), false)
		ours := level(t, call, s0Safe(), "drop_middle", messages, cut)
		equal(t, "ours", ours.list, []any{0, 1, 2, "[Context compacted: 1 messages removed to fit context window]", 4, 5, 6})
		equal(t, "which is valid", validAt(t, call, ours.Messages), true)
		got = level(t, call, s0Policy, "keep_within_budget", messages, object{"budget": 15}) // 10 and 5 tokens
		equal(t, "exact within a budget", got.list, []any{"[Context compacted: 5 messages removed]", 5, 6})
		equal(t, "which is invalid too", validAt(t, call, got.Messages), false)
		equal(t, "ours within a budget", validAt(t, call, level(t, call, s0Safe(), "keep_within_budget", messages, object{"budget": 30}).Messages), true)
	}},
	{ID: "S0.32", Preset: layered, Title: "the marker counts the messages that level 2 left", Test: func(t *testing.T, call Engine) {
		messages := s0Session()
		got := layers(t, call, s0Policy, messages, object{"window": object{"tokens": 120, "reserve": 1}, "passes": levelsOf(10, 4, 1)})
		equal(t, "of the 12 before the recent ones 3 results are gone, and the first stays", got.list,
			[]any{0, "[Context compacted: 8 messages removed to fit context window]", 12, 13, 14, 15})
	}},
}
