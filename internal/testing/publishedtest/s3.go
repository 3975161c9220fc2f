package publishedtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const windowed = "window-budget"

// s3 lists the rows of the system S3. There is no program to compare with, so only the figures in the rows are tested.
var s3 = slices.Concat(s3Estimate, s3Slice, s3Summary, s3Passes, s3Runner, s3Chosen)

func s3Exact() object { return exact(windowed, nil) }
func s3Safe() object  { return safe(windowed, nil) }

// s3Bare returns the preset without the last resort, so that its own passes can be tested.
func s3Bare() object { return merged(s3Safe(), object{"last_resort": false}) }

// s3Call calls a function with the preset and its defects.
func s3Call(t *testing.T, call Engine, name string, request object, result any) {
	t.Helper()
	Function(t, call, name, merged(object{"policy": s3Exact()}, request), result)
}

// s3Tokens returns the estimated token count of messages.
func s3Tokens(t *testing.T, call Engine, messages ...object) (n int) {
	t.Helper()
	s3Call(t, call, "estimate_messages", object{"messages": append([]object{}, messages...)}, &n)
	return n
}

// costing returns text of the given number of tokens.
func costing(tokens int) string { return strings.Repeat("x", tokens*36/10) }

// costs returns one user message for each of the given sizes, in tokens.
func costs(tokens ...int) (list []object) {
	for _, n := range tokens {
		list = append(list, say("user", costing(n-6)))
	}
	return list
}

// calls returns an assistant message that calls a tool.
func calls(id, name string, input any) object {
	return object{"role": "assistant", "content": []object{{"type": "tool_call", "id": id, "name": name, "input": input}}}
}

// reading returns a call of the tool read and its result.
func reading(id, path, text string) []object {
	return []object{calls(id, "read", object{"path": path}), toolResult(id, "read", text, false)}
}

// shell, note, branch and condensed return the kinds of messages that the agent itself writes.
func shell(command, output string) object {
	return object{"role": "bash_execution", "command": command, "output": output, "exit_code": 1}
}
func note(kind, text string) object {
	return object{"role": "custom", "custom_type": kind, "content": text}
}
func branch(summary, from string) object {
	return object{"role": "branch_summary", "summary": summary, "from_id": from}
}
func condensed(summary string) object {
	return object{"role": "compaction_summary", "summary": summary, "tokens_before": 12345}
}

// s3Error returns the code of the error that a function returns.
func s3Error(t *testing.T, call Engine, name string, request object) string {
	t.Helper()
	var a struct{ Error struct{ Code string } }
	Call(t, call, "function", merged(object{"name": name, "policy": s3Exact()}, request), &a)
	return a.Error.Code
}

// s3Estimate lists the rows about the model of messages and about estimates.
var s3Estimate = []Row{
	{ID: "S3.1", Preset: windowed, Title: "seven variants of messages; content is a text or a list of blocks", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "u"), {"role": "assistant", "content": []object{{"type": "text", "text": "a"}, {"type": "tool_call", "id": "1", "name": "read", "input": nil}}, "error_message": "e"},
			toolResult("1", "read", "r", true), shell("ls", "o"), note("n", "c"), branch("b", "id"), condensed("s")}
		var checked struct {
			Valid  bool
			Format string
		}
		Call(t, call, "validate", object{"messages": messages}, &checked)
		equal(t, "read as", []any{checked.Valid, checked.Format}, []any{true, "native"})
		var text string
		s3Call(t, call, "flatten_transcript", object{"messages": messages}, &text)
		equal(t, "variants", strings.Count(text, "» "), 8)
		blocks := []object{{"role": "user", "content": []object{{"type": "text", "text": "u"}}}}
		equal(t, "a block is as a text", s3Tokens(t, call, blocks...), s3Tokens(t, call, say("user", "u")))
	}},
	{ID: "S3.2", Preset: windowed, Title: "tool results and shell commands are separate messages; the two kinds of summaries stay apart", Test: func(t *testing.T, call Engine) {
		var checked struct{ Valid bool }
		Call(t, call, "validate", object{"messages": []object{say("user", "u"), toolResult("1", "read", "r", false)}}, &checked)
		equal(t, "a result without its call", checked.Valid, false)
		tail := []object{shell("ls", "o"), branch("b", "id"), condensed("s"), say("user", "now")}
		list, _, _ := s3Run(t, call, s3Exact(), 12000, append(costs(3000, 3000, 5000), tail...), object{"text": "D"})
		equal(t, "the tail is as it was", list.messages[2:], tail)
	}},
	{ID: "S3.3", Preset: windowed, Title: "a ratio over 0 and at most 1, a tail in tokens, a gate that ignores the provider's counts", Test: func(t *testing.T, call Engine) {
		for ratio, want := range map[float64]string{0: "out_of_range", 1.1: "out_of_range", 1: "", 0.01: ""} {
			equal(t, "ratio", s3Error(t, call, "budget_limit", object{"arguments": object{"trigger_ratio": ratio}}), want)
		}
		counted := []object{{"role": "assistant", "content": "a", "usage": object{"input": 190000}}}
		var over bool
		s3Call(t, call, "is_over_budget", object{"messages": counted, "arguments": object{"context_window": 200000}}, &over)
		equal(t, "over", over, false)
		var plan object
		s3Call(t, call, "plan_slice", object{"messages": costs(100, 100, 100), "arguments": object{"keep_recent": 150}}, &plan)
		equal(t, "plan", plan, object{"cut": 2, "dropped": []int{0, 2}, "kept": []int{2, 3}})
		var digest s3Digest
		s3Call(t, call, "condense", object{"messages": costs(100, 100), "arguments": object{"reply": object{"id": "x", "text": "D"}}}, &digest)
		equal(t, "summary", []any{digest.Message, digest.Covered}, []any{"[session digest — older turns condensed]\n\nD", 2})
	}},
	{ID: "S3.4", Preset: windowed, Title: "0.75 of the window, a tail of 6,000 tokens, a reserve of 2,048", Test: func(t *testing.T, call Engine) {
		var limit float64
		s3Call(t, call, "budget_limit", object{"arguments": object{"context_window": 10048}}, &limit)
		equal(t, "limit", limit, 6000)
		equal(t, "6,000 fit", s3Cut(t, call, costs(3000, 3000), nil), 0)
		equal(t, "6,001 do not", s3Cut(t, call, costs(3001, 3000), nil), 1)
		for _, policy := range []object{s3Exact(), s3Safe()} {
			var checked struct{ Limit int }
			Call(t, call, "check", object{"policy": merged(policy, object{"window": object{"tokens": 10048}}), "messages": costs(100)}, &checked)
			equal(t, "the preset's limit", checked.Limit, 6000)
		}
	}},
	{ID: "S3.5", Preset: windowed, Title: "characters / 3.6, rounded up, with framing and images", Test: func(t *testing.T, call Engine) {
		for n, want := range map[int]int{0: 6, 1: 7, 3: 7, 4: 8, 18: 11, 36: 16, 37: 17, 360: 106} {
			equal(t, "text", s3Tokens(t, call, say("user", strings.Repeat("x", n))), want)
		}
		two := object{"role": "user", "content": []object{{"type": "text", "text": "x"}, {"type": "text", "text": "x"}, {"type": "image", "data": "AAAA"}}}
		equal(t, "rounded once for a message", s3Tokens(t, call, two), 1+4+3*2+1024)
	}},
	{ID: "S3.6", Preset: windowed, Title: "3.6 characters, 1,024 for an image, 4 for a message, 2 for a block, 6 for a call", Test: func(t *testing.T, call Engine) {
		message := func(parts ...object) object {
			return object{"role": "assistant", "content": append([]object{}, parts...)}
		}
		empty := object{"type": "text", "text": ""}
		equal(t, "message", s3Tokens(t, call, message()), 4)
		equal(t, "block", s3Tokens(t, call, message(empty)), 4+2)
		equal(t, "image", s3Tokens(t, call, message(object{"type": "image", "data": "AAAA"})), 4+2+1024)
		equal(t, "call", s3Tokens(t, call, message(object{"type": "tool_call", "id": "1", "name": "", "input": nil})), 4+2+6)
		equal(t, "3.6", s3Tokens(t, call, message(object{"type": "text", "text": strings.Repeat("x", 36)})), 4+2+10)
	}},
	{ID: "S3.7", Preset: windowed, Title: "characters are Unicode scalar values", Test: func(t *testing.T, call Engine) {
		for _, s := range []string{"x", "é", "日", "😀"} {
			equal(t, s, s3Tokens(t, call, say("user", strings.Repeat(s, 36))), 16)
		}
	}},
	{ID: "S3.8", Preset: windowed, Title: "texts and reasoning cost their length, images no text, calls their name and JSON, null nothing, others their JSON", Test: func(t *testing.T, call Engine) {
		part := func(part object) int {
			return s3Tokens(t, call, object{"role": "assistant", "content": []object{part}}) - 6
		}
		equal(t, "thought", part(object{"type": "thinking", "text": strings.Repeat("x", 36)}), 10)
		equal(t, "image", part(object{"type": "image", "data": strings.Repeat("A", 100000)}), 1024)
		call4 := func(input any) int {
			return part(object{"type": "tool_call", "id": "long-id", "name": "abcd", "input": input}) - 6
		}
		equal(t, "call", call4(object{"a": strings.Repeat("x", 24)}), 10) // 4 + 32
		equal(t, "null", call4(nil), 2)
		other := object{"type": "something", "with": strings.Repeat("x", 100)}
		equal(t, "other", part(other), (len(bytesOf(t, other))*10+35)/36)
	}},
	{ID: "S3.9", Preset: windowed, Title: "6 more for a call and for a result; the agent's own messages cost their texts and one block", Test: func(t *testing.T, call Engine) {
		half := strings.Repeat("x", 18)
		equal(t, "result", s3Tokens(t, call, toolResult("id", "a long name", half+half, false)), 10+4+2+6)
		blocks := object{"role": "tool_result", "tool_call_id": "1", "tool_name": "x", "content": []object{{"type": "text", "text": half}, {"type": "text", "text": half}}}
		equal(t, "result of blocks", s3Tokens(t, call, blocks), 10+4+2*2+6)
		for _, m := range []object{shell(half, half), note(half, half), branch(half, half), condensed(half + half)} {
			equal(t, m["role"].(string), s3Tokens(t, call, m), 10+4+2)
		}
	}},
	{ID: "S3.10", Preset: windowed, Title: "nothing costs 0; sums of all prefixes; any value in arguments has a size", Test: func(t *testing.T, call Engine) {
		equal(t, "nothing", s3Tokens(t, call), 0)
		messages := append(costs(100, 7, 3000), say("assistant", ""), calls("1", "x", json.RawMessage(`{"n":[1e400,-0.0,null,{"":""}]}`)))
		var sums []int
		s3Call(t, call, "prefix_tokens", object{"messages": messages}, &sums)
		equal(t, "length", len(sums), len(messages)+1)
		equal(t, "first and last", []int{sums[0], sums[len(messages)]}, []int{0, s3Tokens(t, call, messages...)})
		equal(t, "in order", slices.IsSorted(sums), true)
	}},
	{ID: "S3.11", Preset: windowed, Title: "(window − reserve) × ratio: 148,464, 94,464, 4,608", Test: func(t *testing.T, call Engine) {
		for window, want := range map[int]float64{200000: 148464, 128000: 94464, 8192: 4608, 2049: 0.75} {
			var limit float64
			s3Call(t, call, "budget_limit", object{"arguments": object{"context_window": window}}, &limit)
			equal(t, "limit", limit, want)
		}
	}},
	{ID: "S3.12", Preset: windowed, Title: "due over the limit, not at it; a reserve larger than the window leaves 0", Test: func(t *testing.T, call Engine) {
		over := func(arguments object) (b bool) {
			s3Call(t, call, "is_over_budget", object{"messages": costs(600), "arguments": arguments}, &b)
			return b
		}
		equal(t, "at", over(object{"context_window": 800, "reserve_tokens": 0}), false)
		equal(t, "over", over(object{"context_window": 799, "reserve_tokens": 0}), true)
		equal(t, "reserve", over(object{"context_window": 800, "reserve_tokens": 900}), true)
		var limit float64
		s3Call(t, call, "budget_limit", object{"arguments": object{"context_window": 800, "reserve_tokens": 900}}, &limit)
		equal(t, "never negative", limit, 0)
		for tokens, due := range map[int]bool{2848: false, 2847: true} { // 600 is 0.75 of 800
			var checked struct{ Due bool }
			Call(t, call, "check", object{"policy": merged(s3Exact(), object{"window": object{"tokens": tokens, "reserve": 2048}}), "messages": costs(600)}, &checked)
			equal(t, "the preset's gate", checked.Due, due)
		}
	}},
}

// s3Cut returns the index at which plan_slice cuts.
func s3Cut(t *testing.T, call Engine, messages []object, arguments object) int {
	t.Helper()
	var plan struct{ Cut int }
	s3Call(t, call, "plan_slice", object{"messages": messages, "arguments": merged(object{}, arguments)}, &plan)
	return plan.Cut
}

// s3Slice lists the rows about where the tail begins.
var s3Slice = []Row{
	{ID: "S3.13", Preset: windowed, Title: "the smallest index at which the sum reaches the excess; 0 if everything fits", Test: func(t *testing.T, call Engine) {
		five := costs(100, 100, 100, 100, 100)
		for keep, want := range map[int]int{250: 3, 500: 0, 499: 1, 300: 2, 299: 3, 100: 4, 99: 0, 0: 0} {
			equal(t, "cut", s3Cut(t, call, five, object{"keep_recent": keep}), want)
		}
	}},
	{ID: "S3.14", Preset: windowed, Title: "moves forward past tool results; nothing is cut if nothing would be left", Test: func(t *testing.T, call Engine) {
		result := toolResult("1", "x", costing(88), false)
		equal(t, "costs 100", s3Tokens(t, call, result), 100)
		messages := append(costs(100, 100), result, result, costs(100)[0])
		equal(t, "forward", s3Cut(t, call, messages, object{"keep_recent": 300}), 4)
		equal(t, "to the end", s3Cut(t, call, messages[:4], object{"keep_recent": 200}), 0)
	}},
	{ID: "S3.15", Preset: windowed, Title: "a tail may begin with anything but a tool result", Test: func(t *testing.T, call Engine) {
		for _, m := range []object{say("user", "x"), say("assistant", "x"), shell("x", "x"), note("x", "x"), branch("x", "x"), condensed("x")} {
			equal(t, m["role"].(string), s3Cut(t, call, append(costs(100, 100), m, costs(100)[0]), object{"keep_recent": 120}), 2)
		}
		equal(t, "a result", s3Cut(t, call, append(costs(100, 100), toolResult("1", "x", "x", false), costs(100)[0]), object{"keep_recent": 120}), 3)
	}},
	{ID: "S3.16", Preset: windowed, Title: "messages before the cut are dropped, the rest is kept", Test: func(t *testing.T, call Engine) {
		for keep, want := range map[int]object{100: {"cut": 2, "dropped": []int{0, 2}, "kept": []int{2, 3}}, 300: {"cut": 0, "dropped": []int{0, 0}, "kept": []int{0, 3}}} {
			var plan object
			s3Call(t, call, "plan_slice", object{"messages": costs(100, 100, 100), "arguments": object{"keep_recent": keep}}, &plan)
			equal(t, "plan", plan, want)
		}
	}},
	{ID: "S3.17", Preset: windowed, Title: "figures: 5 × 100 with 250 and 500; 100, 9,000; 9,000, 100; 100, 9,000, 10", Test: func(t *testing.T, call Engine) {
		result := toolResult("1", "x", costing(88), false)
		for _, c := range []struct {
			messages   []object
			keep, want int
		}{{costs(100, 100, 100, 100, 100), 250, 3}, {costs(100, 100, 100, 100, 100), 500, 0}, {append(costs(100, 100, 100), result, result), 200, 0},
			{costs(100, 9000), 6000, 0}, {costs(9000, 100), 6000, 1}, {costs(100, 9000, 10), 6000, 2}} {
			equal(t, "cut", s3Cut(t, call, c.messages, object{"keep_recent": c.keep}), c.want)
		}
	}},
	{ID: "S3.18", Preset: windowed, Title: "one huge last message leaves nothing to fold, and the gate stays open; ours, without its last resort, reports no_progress", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s3Exact(), s3Bare()} {
			a := s3Plan(t, call, policy, 10000, costs(100, 9000), nil)
			equal(t, "changed", a.Report.Changed, false)
			equal(t, "reason", a.Report.Reason, "no_progress")
			var checked struct{ Due bool }
			Call(t, call, "check", object{"policy": merged(policy, object{"window": object{"tokens": 10000}}), "messages": costs(100, 9000)}, &checked)
			equal(t, "still due", checked.Due, true)
		}
	}},
	{ID: "S3.19", Preset: windowed, Title: "the last user message; none if there isn't one", Test: func(t *testing.T, call Engine) {
		last := func(policy object, messages ...object) (at *int) {
			Function(t, call, "last_user_turn_start", object{"policy": policy, "messages": append([]object{}, messages...)}, &at)
			return at
		}
		messages := []object{say("user", "a"), say("assistant", "b"), say("user", "c"), calls("1", "read", nil), toolResult("1", "read", "x", false), shell("ls", ""), note("n", "c"), condensed("s")}
		equal(t, "exact", last(s3Exact(), messages...), 2)
		equal(t, "ours", last(s3Safe(), messages...), 2)
		equal(t, "none", last(s3Exact(), say("assistant", "b")), nil)
		equal(t, "of nothing", last(s3Exact()), nil)
		digest := say("user", "[session digest — older turns condensed]\n\nD")
		equal(t, "exact takes a digest for the user", last(s3Exact(), digest, say("assistant", "b")), 0)
		equal(t, "ours does not", last(s3Safe(), digest, say("assistant", "b")), nil)
	}},
}
