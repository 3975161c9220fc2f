package publishedtest

import (
	"slices"
	"strings"
	"testing"
)

const checkpoint = "checkpoint"

// s2 lists the rows of the system S2.
var s2 = slices.Concat(s2Select, s2Compact)

func checkSafe2(more object) object {
	return safe(checkpoint, merged(object{"format": "ai-sdk"}, more))
}

// checkFunction calls a function with the preset and its defects.
func checkFunction(t *testing.T, call Engine, name string, messages []object, arguments object, result any) {
	t.Helper()
	if messages == nil {
		messages = []object{}
	}
	Function(t, call, name, object{"policy": check(nil), "messages": messages, "arguments": arguments}, result)
}

// parts returns a message whose content is a list.
func parts(role string, list ...object) object {
	return object{"role": role, "content": append([]object{}, list...)}
}

// selected is the result of select_messages.
type selected struct {
	Compact, Keep []int
	Previous      *string `json:"previous_summary"`
}

func checkSelect(t *testing.T, call Engine, messages []object, keep int) (s selected) {
	t.Helper()
	checkFunction(t, call, "select_messages", messages, object{"keep_last": keep}, &s)
	return s
}

// roles returns one message for each letter in list: s for system, u for user, a for assistant, t for tool.
func roles(list string) (messages []object) {
	for i, r := range list {
		text := "message " + string(rune('a'+i%26))
		switch r {
		case 's':
			messages = append(messages, say("system", text))
		case 'u':
			messages = append(messages, say("user", text))
		case 't':
			messages = append(messages, sdkResult("1", "read", text))
		default:
			messages = append(messages, say("assistant", text))
		}
	}
	return messages
}

func upTo(from, to int) []int {
	list := []int{}
	for ; from < to; from++ {
		list = append(list, from)
	}
	return list
}

// s2Select lists the rows about estimates, the gate and the selection.
var s2Select = []Row{
	{ID: "S2.1", Preset: checkpoint, Title: "a text costs its UTF-16 code units / 4, rounded up; other values cost nothing", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			value any
			want  int
		}{{"日本語テキスト", 2}, {"", 0}, {"a", 1}, {"abcde", 2}, {"😀😀", 1}, {"😀😀x", 2}, {nil, 0}, {12345678, 0}, {object{"a": "long enough"}, 0}, {false, 0}} {
			var got int
			Function(t, call, "estimate_tokens", object{"policy": check(nil), "arguments": object{"value": c.value}}, &got)
			equal(t, "tokens", got, c.want)
		}
	}},
	{ID: "S2.2", Preset: checkpoint, Title: "2 for a message; texts, calls with name and arguments, results, and calls outside the content", Test: func(t *testing.T, call Engine) {
		tokens := func(m object) (n int) {
			checkFunction(t, call, "estimate_messages", []object{m}, object{}, &n)
			return n
		}
		equal(t, "text", tokens(say("user", "12345678")), 2+2)
		equal(t, "texts", tokens(parts("user", object{"type": "text", "text": "1234"}, object{"type": "text", "text": "1"})), 2+1+1)
		equal(t, "call", tokens(sdkCalls("1", "read", object{"path": "a.txt"})), 2+1+4)
		equal(t, "result", tokens(sdkResult("1", "read", object{"ok": true})), 2+3)
		equal(t, "a text is in quotes", tokens(sdkResult("1", "read", "12345678")), 2+3)
		equal(t, "beside", tokens(object{"role": "assistant", "content": "", "toolCalls": []object{{"toolName": "read", "args": object{"path": "a.txt"}}}}), 2+1+4)
		equal(t, "calls in a user message have no tokens", tokens(object{"role": "user", "content": "", "toolCalls": []object{{"toolName": "read", "args": object{}}}}), 2)
	}},
	{ID: "S2.3", Preset: checkpoint, Title: "absent values cost nothing: a call without arguments, an image", Test: func(t *testing.T, call Engine) {
		for want, m := range map[int]object{3: parts("assistant", object{"type": "tool-call", "toolCallId": "1", "toolName": "x"}), 2: parts("user", object{"type": "image", "image": strings.Repeat("A", 64)})} {
			var got int
			checkFunction(t, call, "estimate_messages", []object{m}, object{}, &got)
			equal(t, "tokens", got, want)
		}
		var a planned
		Call(t, call, "function", object{"name": "format_messages", "policy": check(nil), "messages": []object{parts("tool", object{"type": "tool-result", "toolCallId": "1", "toolName": "x"})}}, &a)
		equal(t, "the original throws on a result without a value", a.Error.Code, "summary_failed")
		var text string
		Function(t, call, "format_messages", object{"policy": checkSafe2(nil), "messages": []object{parts("tool", object{"type": "tool-result", "toolCallId": "1", "toolName": "x"})}}, &text)
		equal(t, "ours does not", strings.HasPrefix(text, "[0] TOOL:\n[Result: "), true)
	}},
	{ID: "S2.4", Preset: checkpoint, Title: "figure: four messages are 23", Test: func(t *testing.T, call Engine) {
		messages := []object{say("system", "You are helpful."), say("user", "Hello"),
			parts("assistant", object{"type": "text", "text": "ok"}, object{"type": "tool-call", "toolCallId": "1", "toolName": "read", "args": object{"path": "a.txt"}}), sdkResult("1", "read", object{"ok": true})}
		var got int
		checkFunction(t, call, "estimate_messages", messages, object{}, &got)
		equal(t, "tokens", got, 23)
	}},
	{ID: "S2.5", Preset: checkpoint, Title: "images, files and reasoning cost nothing; ours count", Test: func(t *testing.T, call Engine) {
		for _, p := range []object{{"type": "image", "image": "AAAA"}, {"type": "file", "data": strings.Repeat("A", 4000), "mimeType": "text/plain"}, {"type": "reasoning", "text": strings.Repeat("x", 400)}} {
			var published, ours int
			checkFunction(t, call, "estimate_messages", []object{parts("assistant", p)}, object{}, &published)
			Function(t, call, "estimate_messages", object{"policy": checkSafe2(nil), "messages": []object{parts("assistant", p)}}, &ours)
			equal(t, p["type"].(string), []bool{published == 2, ours >= 100}, []bool{true, true})
		}
	}},
	{ID: "S2.6", Preset: checkpoint, Title: "128,000 minus 2,000, 4,000 and 5,000, times 0.8; 10 messages stay", Test: func(t *testing.T, call Engine) {
		threshold := func(arguments object) (n int) {
			Function(t, call, "calculate_threshold", object{"policy": check(nil), "arguments": arguments}, &n)
			return n
		}
		equal(t, "defaults are these", threshold(object{}), threshold(object{"model_context_limit": 128000, "system_reserve": 2000, "output_reserve": 4000, "safety_buffer": 5000, "threshold_percent": 0.8, "recent_messages_to_keep": 10}))
		for _, name := range []string{"system_reserve", "output_reserve", "safety_buffer"} {
			equal(t, name, threshold(object{name: 0}) > threshold(object{}), true)
		}
		equal(t, "kept", len(checkSelect(t, call, roles(strings.Repeat("u", 30)), 10).Keep), 11)
		for _, policy := range []object{check(nil), checkSafe2(nil)} {
			var checked struct{ Limit int }
			Call(t, call, "check", object{"policy": policy, "messages": roles("su")}, &checked)
			equal(t, "the preset's limit", checked.Limit, 93600)
		}
	}},
	{ID: "S2.7", Preset: checkpoint, Title: "93,600; 151,200 of 200,000; rounded down", Test: func(t *testing.T, call Engine) {
		for limit, want := range map[int]int{128000: 93600, 200000: 151200, 11001: 0, 11009: 7} {
			var got int
			Function(t, call, "calculate_threshold", object{"policy": check(nil), "arguments": object{"model_context_limit": limit}}, &got)
			equal(t, "threshold", got, want)
		}
	}},
	{ID: "S2.8", Preset: checkpoint, Title: "a small model's threshold is −2,247, and everything is due; ours reports that the reserves take everything", Test: func(t *testing.T, call Engine) {
		arguments := object{"model_context_limit": 8192}
		var got int
		Function(t, call, "calculate_threshold", object{"policy": check(nil), "arguments": arguments}, &got)
		equal(t, "exact", got, -2247)
		var due bool
		checkFunction(t, call, "should_compact_threshold", roles("suuuuuuuuuuu"), arguments, &due)
		equal(t, "due", due, true)
		var a planned
		Call(t, call, "function", object{"name": "calculate_threshold", "policy": checkSafe2(nil), "arguments": arguments}, &a)
		equal(t, "ours", a.Error.Code, "out_of_range")
		a = planned{}
		Call(t, call, "plan", object{"policy": checkSafe2(object{"window": object{"tokens": 8192}}), "messages": roles("su")}, &a)
		equal(t, "of a policy", []string{a.Error.Code, a.Error.Path}, []string{"out_of_range", "policy.window"})
	}},
	{ID: "S2.9", Preset: checkpoint, Title: "five models; 128,000 for all others", Test: func(t *testing.T, call Engine) {
		for model, want := range map[string]int{"gpt-4o": 128000, "gpt-4-turbo": 128000, "gpt-4": 8192, "claude-3-5-sonnet-20240620": 200000, "claude-3-haiku-20240307": 200000, "other": 128000, "": 128000, "constructor": 128000} {
			var got int
			Function(t, call, "context_limit", object{"policy": check(nil), "arguments": object{"model": model}}, &got)
			equal(t, model, got, want)
		}
	}},
	{ID: "S2.10", Preset: checkpoint, Title: "never up to 11 messages; otherwise at the threshold itself", Test: func(t *testing.T, call Engine) {
		twelve := roles("suuuuuuuuuuu")
		var tokens int
		checkFunction(t, call, "estimate_messages", twelve, object{}, &tokens)
		for _, c := range []struct {
			messages  []object
			threshold int
			want      bool
		}{{twelve, tokens, true}, {twelve, tokens + 1, false}, {twelve[:11], 1, false}} {
			var got bool
			checkFunction(t, call, "should_compact_threshold", c.messages, object{"model_context_limit": c.threshold + 11000, "threshold_percent": 1}, &got)
			equal(t, "due", got, c.want)
			var checked struct{ Due bool }
			policy := check(object{"window": object{"tokens": c.threshold + 11000}, "gate": object{"ratio": 1}})
			Call(t, call, "check", object{"policy": policy, "messages": c.messages}, &checked)
			equal(t, "the preset's gate", checked.Due, c.want)
		}
	}},
	{ID: "S2.11", Preset: checkpoint, Title: "with at most one message more than are kept, nothing is selected", Test: func(t *testing.T, call Engine) {
		equal(t, "11", checkSelect(t, call, roles(strings.Repeat("u", 11)), 10), selected{Compact: []int{}, Keep: upTo(0, 11)})
		equal(t, "12", checkSelect(t, call, roles(strings.Repeat("u", 12)), 10), selected{Compact: []int{1}, Keep: append([]int{0}, upTo(2, 12)...)})
		var s selected
		checkFunction(t, call, "select_messages", roles(strings.Repeat("u", 12)), object{}, &s)
		equal(t, "10 by default", s.Compact, []int{1})
	}},
	{ID: "S2.12", Preset: checkpoint, Title: "the first message stays, whatever its role; ours checks for the system role", Test: func(t *testing.T, call Engine) {
		for _, first := range []string{"s", "u"} {
			messages := longCheck(first)
			a, _ := checkRun(t, call, check(nil), messages, object{"text": "S"})
			equal(t, "exact", a.list()[0], object{"i": 0})
			a, _ = checkRun(t, call, checkSafe2(nil), messages, checkModel)
			_, kept := a.list()[0].(object)["i"]
			equal(t, "ours keeps the first", kept, first == "s")
		}
	}},
	{ID: "S2.13", Preset: checkpoint, Title: "a boundary at a tool message moves back to the call", Test: func(t *testing.T, call Engine) {
		names := map[rune]string{'s': "system", 'u': "user", 'a': "assistant", 't': "tool"}
		for _, c := range []struct {
			roles         string
			initial, want int
		}{{"suatta", 4, 2}, {"suatta", 5, 5}, {"stttt", 4, 1}, {"suatta", 2, 2}} {
			var list []string
			for _, r := range c.roles {
				list = append(list, names[r])
			}
			var got int
			Function(t, call, "adjust_boundary", object{"policy": check(nil), "arguments": object{"roles": list, "initial": c.initial}}, &got)
			equal(t, c.roles, got, c.want)
		}
		equal(t, "selected", checkSelect(t, call, roles("suuuattauu"), 4).Compact, []int{1, 2, 3})
	}},
	{ID: "S2.14", Preset: checkpoint, Title: "an earlier summary is the second message, by the assistant, that begins with ## Session Summary", Test: func(t *testing.T, call Engine) {
		messages := roles("saaauuuu")
		for text, found := range map[string]bool{"## Session Summary\nx": true, "## Session Summary": true, " ## Session Summary": false, "### Session Summary (Compaction Round 1)": false} {
			messages[1] = say("assistant", text)
			s := checkSelect(t, call, messages, 4)
			equal(t, text, []any{s.Previous != nil, s.Compact[0]}, []any{found, map[bool]int{true: 2, false: 1}[found]})
		}
		messages[1] = parts("assistant", object{"type": "text", "text": "## Session Summary"})
		equal(t, "a list", checkSelect(t, call, messages, 4).Previous, nil)
		messages[1] = say("user", "## Session Summary")
		equal(t, "the user", checkSelect(t, call, messages, 4).Previous, nil)
	}},
	{ID: "S2.15", Preset: checkpoint, Title: "if the boundary reaches the kept part, nothing is selected; the earlier summary is reported", Test: func(t *testing.T, call Engine) {
		messages := append([]object{say("system", "s"), say("assistant", "## Session Summary\nx")}, roles("tttt")...)
		s := checkSelect(t, call, messages, 3)
		equal(t, "selected", []any{s.Compact, s.Keep, s.Previous}, []any{[]int{}, upTo(0, 6), "## Session Summary\nx"})
		equal(t, "results alone", checkSelect(t, call, roles("stttt"), 2).Compact, []int{})
	}},
	{ID: "S2.16", Preset: checkpoint, Title: "everything from the start to the boundary is folded; the first message and the rest stay", Test: func(t *testing.T, call Engine) {
		s := checkSelect(t, call, roles("suauauau"), 3)
		equal(t, "selected", []any{s.Compact, s.Keep, s.Previous}, []any{[]int{1, 2, 3, 4}, []int{0, 5, 6, 7}, nil})
	}},
	{ID: "S2.17", Preset: checkpoint, Title: "figure: of 50 messages 12 are left: the system message, the summary, and the last ten", Test: func(t *testing.T, call Engine) {
		messages := roles("s" + strings.Repeat("ua", 24) + "u")
		a, _ := checkRun(t, call, check(nil), messages, object{"text": "S"})
		want := []any{object{"i": 0}, object{"new": object{"role": "assistant", "text": "S"}}}
		for i := 40; i < 50; i++ {
			want = append(want, object{"i": i})
		}
		equal(t, "list", a.list(), want)
	}},
}
