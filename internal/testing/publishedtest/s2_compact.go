package publishedtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// checkModel is a reply that ctxfold accepts as a summary.
var checkModel = object{"text": "### Session Summary (Compaction Round 1)\n\n#### Original Task\nWhat the user asked for, and what was done for it so far."}

// longCheck returns a conversation of 30 messages of 400 bytes each. The letter first stands for the role of the
// first message, as in roles.
func longCheck(first string) []object {
	messages := roles(first + strings.Repeat("au", 14) + "a")
	for i, m := range messages {
		m["content"] = strings.Repeat("x", 400) + " " + string(rune('a'+i%26))
	}
	return messages
}

// checkRun forces a compaction and asks for edits. The model answers every request with reply.
func checkRun(t *testing.T, call Engine, policy object, messages []object, reply object, more ...object) (a planned, asked []summaryRequest) {
	t.Helper()
	request := object{"policy": policy, "options": options("edits", []object{forced}), "messages": messages}
	for _, m := range more {
		merged(request, m)
	}
	return compacts(t, call, request, func(r summaryRequest) object {
		asked = append(asked, r)
		return merged(object{}, reply)
	}), asked
}

// after returns the messages after a compaction.
func (p *planned) after(t *testing.T, input []object) (messages []object) {
	t.Helper()
	for _, e := range p.Edits {
		switch {
		case e.Keep != nil:
			messages = append(messages, input[e.Keep[0]:e.Keep[1]]...)
		default:
			var m object
			decodeInto(append(append([]byte{}, e.Insert...), e.Message...), &m)
			messages = append(messages, m)
		}
	}
	return messages
}

func roundOf(t *testing.T, state json.RawMessage) int {
	t.Helper()
	var s struct{ Round int }
	decodeInto(state, &s)
	return s.Round
}

// s2Compact lists the rows about prompts and compactions.
var s2Compact = []Row{
	{ID: "S2.18", Preset: checkpoint, Title: "defect: a summary in the prompt's own layout isn't recognized; ours has a first line that code writes", Test: func(t *testing.T, call Engine) {
		twice := func(policy func() object) (second string, asked summaryRequest) {
			messages := longCheck("s")
			a, _ := checkRun(t, call, policy(), messages, checkModel)
			messages = append(a.after(t, messages), longCheck("u")...)
			_, requests := checkRun(t, call, policy(), messages, checkModel, object{"state": a.State})
			return tailText(t, a), requests[0]
		}
		_, asked := twice(func() object { return check(nil) })
		inOrder(t, "exact", asked.Prompt, "## Previous Summary\nNone - this is the first compaction round.", "## Messages to Summarize\n[0] ASSISTANT:\n### Session Summary (Compaction Round 1)")
		first, asked := twice(func() object { return checkSafe2(nil) })
		equal(t, "ours, the first line", strings.HasPrefix(first, "## Session Summary (Compaction Round 1)\n"), true)
		equal(t, "ours, not twice", strings.Count(first, "Session Summary"), 1)
		inOrder(t, "ours", asked.Prompt, "## Previous Summary\n#### Original Task\nWhat the user asked for", "## Original User Task")
	}},
	{ID: "S2.19", Preset: checkpoint, Title: "the sections of the prompt, and of the requested summary", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{check(nil), checkSafe2(nil)} {
			_, asked := checkRun(t, call, policy, longCheck("s"), checkModel)
			inOrder(t, "system", asked[0].System, "You are summarizing the record of a coding agent's conversation.")
			inOrder(t, "prompt", asked[0].Prompt, "## Previous Summary\nNone - this is the first compaction round.\n\n## Original User Task\n", "\n\n## Messages to Summarize\n", "\n\n## Instructions\n", "EXACTLY",
				"### Session Summary (Compaction Round 1)", "#### Original Task", "#### Completed Work\n| File/Component | Action | Description |", "#### Key Technical Decisions", "#### Current State", "#### Pending Work",
				"#### Errors & Resolutions", "\n\n## Constraints\n", "800 tokens", "Tables", "Exact file paths", "No code blocks", "INTEGRATE the previous summary")
		}
	}},
	{ID: "S2.20", Preset: checkpoint, Title: "at most 1,000 tokens, at a temperature of 0.3", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{check(nil), checkSafe2(nil)} {
			_, asked := checkRun(t, call, policy, longCheck("s"), checkModel)
			equal(t, "temperature", asked[0].Temperature, 0.3)
			equal(t, "output", asked[0].MaxOutputTokens <= 1000 && asked[0].MaxOutputTokens > 0, true)
		}
		_, asked := checkRun(t, call, check(nil), longCheck("s"), checkModel)
		equal(t, "exact", asked[0].MaxOutputTokens, 1000)
	}},
	{ID: "S2.21", Preset: checkpoint, Title: "[index] ROLE:, lines of parts, --- between messages; results at 500 and messages at 2,000 code units; ours never cuts a character", Test: func(t *testing.T, call Engine) {
		format := func(policy object, messages ...object) json.RawMessage {
			return Function(t, call, "format_messages", object{"policy": policy, "messages": messages}, nil)
		}
		equal(t, "layout", text(t, format(check(nil), say("user", "u"), parts("assistant", object{"type": "text", "text": "a"}, object{"type": "tool-call", "toolCallId": "1", "toolName": "read", "args": object{"path": "x"}}), sdkResult("1", "read", object{"ok": true}))),
			"[0] USER:\nu\n\n---\n\n[1] ASSISTANT:\na\n[Tool: read({\"path\":\"x\"})]\n\n---\n\n[2] TOOL:\n[Result: {\"ok\":true}...]")
		long := strings.Repeat("x", 2500)
		equal(t, "result", text(t, format(check(nil), sdkResult("1", "read", long))), "[0] TOOL:\n[Result: \""+long[:499]+"...]")
		equal(t, "message", text(t, format(check(nil), say("user", long))), "[0] USER:\n"+long[:2000]+"\n[...truncated...]")
		wide := "x" + strings.Repeat("😀", 1200)
		equal(t, "half a pair", strings.Contains(string(format(check(nil), say("user", wide))), `\ud83d\n[...truncated...]`), true)
		equal(t, "ours", text(t, format(checkSafe2(nil), say("user", wide))), "[0] USER:\n"+wide[:1+4*999]+"\n[...truncated...]")
	}},
	{ID: "S2.22", Preset: checkpoint, Title: "the limits are 500 and 2,000, not 10,000 as in a table", Test: func(t *testing.T, call Engine) {
		for n, want := range map[int]int{498: len("[0] TOOL:\n[Result: ...]") + 500, 9000: len("[0] TOOL:\n[Result: ...]") + 500, 11000: len("[0] TOOL:\n[Result: ...]") + 500} {
			var text string
			checkFunction(t, call, "format_messages", []object{sdkResult("1", "read", strings.Repeat("x", n))}, object{}, &text)
			equal(t, "bytes", len(text), want)
		}
	}},
	{ID: "S2.23", Preset: checkpoint, Title: "the messages, and an event with round, tokens and summary; if nothing is selected, round 0 and no change", Test: func(t *testing.T, call Engine) {
		messages := longCheck("s")
		a, _ := checkRun(t, call, check(nil), messages, object{"text": "S"})
		var before, after int
		checkFunction(t, call, "estimate_messages", messages, object{}, &before)
		checkFunction(t, call, "estimate_messages", a.after(t, messages), object{}, &after)
		equal(t, "event", a.event(), object{"round": 1, "tokensBefore": before, "tokensAfter": after, "summaryContent": "S", "compactedMessageIds": []string{}})
		a, asked := checkRun(t, call, check(nil), roles("suau"), object{"text": "S"})
		equal(t, "nothing", []any{a.Report.Changed, len(asked), a.event()["round"], a.event()["summaryContent"], a.Report.Tokens.Before == a.Report.Tokens.After}, []any{false, 0, 0, "", true})
	}},
	{ID: "S2.24", Preset: checkpoint, Title: "the round is one more than the last one, which the host passes in the state", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{check(nil), checkSafe2(nil)} {
			a, asked := checkRun(t, call, policy, longCheck("s"), checkModel)
			equal(t, "first", roundOf(t, a.State), 1)
			inOrder(t, "asks for", asked[0].Prompt, "(Compaction Round 1)")
			a, asked = checkRun(t, call, policy, longCheck("s"), checkModel, object{"state": object{"round": 4}})
			equal(t, "fifth", roundOf(t, a.State), 5)
			inOrder(t, "asks for", asked[0].Prompt, "(Compaction Round 5)")
		}
		a, _ := checkRun(t, call, check(nil), roles("suau"), object{"text": "S"}, object{"state": object{"round": 4}})
		equal(t, "nothing done: its event has round 0, so the next is the first again", roundOf(t, a.State), 0)
		a, _ = checkRun(t, call, checkSafe2(nil), roles("suau"), object{"text": "S"}, object{"state": object{"round": 4}})
		equal(t, "ours keeps count", roundOf(t, a.State), 4)
	}},
	{ID: "S2.25", Preset: checkpoint, Title: "the summary is an assistant message after the system message; ours is valid where the user must speak first", Test: func(t *testing.T, call Engine) {
		messages := longCheck("s")
		a, _ := checkRun(t, call, check(nil), messages, object{"text": "S"})
		equal(t, "exact", a.list()[1], object{"new": object{"role": "assistant", "text": "S"}})
		for _, format := range []string{"anthropic", "openai-chat", "ai-sdk"} {
			talk := longCheck("s")
			if format == "anthropic" {
				talk = talk[1:]
			}
			a, _ = checkRun(t, call, checkSafe2(object{"format": format}), talk, checkModel)
			equal(t, format, s3Valid(t, call, format, a.after(t, talk)), true)
			inOrder(t, "summary", string(bytesOf(t, a.after(t, talk))), `"assistant"`)
		}
	}},
	{ID: "S2.26", Preset: checkpoint, Title: "defect: the first remaining user text is taken for the task; ours remembers the original one", Test: func(t *testing.T, call Engine) {
		task := func(messages ...object) (got string) {
			checkFunction(t, call, "extract_original_task", messages, object{}, &got)
			return got
		}
		equal(t, "first", task(say("system", "s"), say("user", "the task"), say("user", "more")), "the task")
		equal(t, "a task in a list of parts is ignored", task(parts("user", object{"type": "text", "text": "in a list"}), say("user", "more")), "more")
		equal(t, "none", task(say("assistant", "a")), "Unknown task")
		for _, ours := range []bool{false, true} {
			policy := func() object {
				if ours {
					return checkSafe2(nil)
				}
				return check(nil)
			}
			messages := append([]object{say("system", "s"), say("user", "THE TASK")}, longCheck("a")...)
			a, _ := checkRun(t, call, policy(), messages, checkModel)
			messages = append(a.after(t, messages), longCheck("u")...)
			_, asked := checkRun(t, call, policy(), messages, checkModel, object{"state": a.State})
			equal(t, "the second time", strings.Contains(asked[0].Prompt, "## Original User Task\nTHE TASK\n"), ours)
			if ours {
				_, asked = checkRun(t, call, policy(), messages, checkModel)
				equal(t, "without the state", strings.Contains(asked[0].Prompt, "## Original User Task\nTHE TASK\n"), true)
			}
		}
	}},
	{ID: "S2.27", Preset: checkpoint, Title: "the event's list of ids is empty, for the caller to fill; ours lists the folded indexes", Test: func(t *testing.T, call Engine) {
		messages := longCheck("s")
		a, _ := checkRun(t, call, check(nil), messages, object{"text": "S"})
		equal(t, "exact", a.event()["compactedMessageIds"], []string{})
		for _, policy := range []object{check(nil), checkSafe2(nil)} {
			a, _ = checkRun(t, call, policy, messages, checkModel)
			var folded []int
			for _, act := range a.Report.Actions {
				if act.Action == "fold" {
					folded = append(folded, act.Message)
				}
			}
			equal(t, "folded", folded, upTo(1, 20))
		}
	}},
	{ID: "S2.28", Preset: checkpoint, Title: "after any failure, the messages are unchanged (saving and marking is up to the hosts)", Test: func(t *testing.T, call Engine) {
		messages := longCheck("s")
		for _, policy := range []object{check(nil), checkSafe2(nil)} {
			a, _ := checkRun(t, call, policy, messages, object{"error": "boom"}, object{"options": forced})
			equal(t, "answer", []any{a.Error, a.Report.Reason, a.Report.Changed}, []any{nil, "summary_failed", false})
			equal(t, "messages", a.Messages, messages)
		}
	}},
	{ID: "S2.29", Preset: checkpoint, Title: "[Compaction] Round 2: 93600 → 1200 tokens (38 messages summarized)", Test: func(t *testing.T, call Engine) {
		var line string
		Function(t, call, "compaction_log", object{"policy": check(nil), "arguments": object{"round": 2, "tokens_before": 93600, "tokens_after": 1200, "messages": 38}}, &line)
		equal(t, "line", line, "[Compaction] Round 2: 93600 → 1200 tokens (38 messages summarized)")
	}},
	{ID: "S2.30", Preset: checkpoint, Title: "a chain: each summary includes the previous one, and ends with the number of rounds", Test: func(t *testing.T, call Engine) {
		messages, state := longCheck("s"), object{}
		for round := 1; round <= 3; round++ {
			reply := object{"text": "#### Original Task\nThe summary of round " + string(rune('0'+round)) + ", with what was done and decided until then."}
			a, asked := checkRun(t, call, checkSafe2(nil), messages, reply, object{"state": state})
			text := tailText(t, a)
			footer := "This summary incorporates context from " + string(rune('0'+round-1)) + " previous compaction rounds."
			equal(t, "footer", strings.Contains(text, footer), round > 1)
			if round > 1 {
				inOrder(t, "the one before", asked[0].Prompt, "## Previous Summary\n#### Original Task\nThe summary of round "+string(rune('0'+round-1)))
			}
			equal(t, "one summary is left", strings.Count(string(bytesOf(t, a.after(t, messages))), "## Session Summary (Compaction Round"), 1)
			messages = append(a.after(t, messages), longCheck("u")...)
			state = object{}
			decodeInto(a.State, &state)
		}
	}},
	{ID: "S2.31", Preset: checkpoint, Title: "a huge result, only new messages, a failure, a result at the boundary, no messages, a short session", Test: func(t *testing.T, call Engine) {
		huge := append(longCheck("s")[:20], sdkCalls("1", "read", object{}), sdkResult("1", "read", strings.Repeat("x", 50000)))
		huge = append(huge, longCheck("a")[:10]...)
		_, asked := checkRun(t, call, check(nil), huge, object{"text": "S"})
		equal(t, "a huge result is cut", len(asked[0].Prompt) < 20000, true)
		for _, messages := range [][]object{roles("s"), roles("su"), roles("suauauauaua")} {
			for _, policy := range []object{check(nil), checkSafe2(nil)} {
				a, asked := checkRun(t, call, policy, messages, checkModel)
				equal(t, "nothing to do", []any{a.Report.Changed, len(asked), a.Error}, []any{false, 0, nil})
			}
		}
		boundary := append(longCheck("s")[:20], sdkCalls("1", "read", object{}), sdkResult("1", "read", "x"))
		boundary = append(boundary, longCheck("u")[:9]...)
		a, _ := checkRun(t, call, check(nil), boundary, object{"text": "S"})
		equal(t, "the call stays with its result", a.list()[2], object{"i": 20})
		var s selected
		checkFunction(t, call, "select_messages", nil, object{}, &s)
		equal(t, "no messages", s, selected{Compact: []int{}, Keep: []int{}})
	}},
	{ID: "S2.32", Preset: checkpoint, Title: "before each step: the answer has the messages to send, compacted or not", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{check(nil), checkSafe2(nil)} {
			for _, c := range []struct {
				messages []object
				changed  bool
			}{{roles("suau"), false}, {longCheck("s"), true}} {
				policy := merged(merged(object{}, policy), object{"window": object{"tokens": 13000}}) // due at 1,600 tokens
				a := compacts(t, call, object{"policy": policy, "messages": c.messages}, func(summaryRequest) object { return merged(object{}, checkModel) })
				var messages []object
				decodeInto(a.Messages, &messages)
				equal(t, "compacted", []any{a.Report.Changed, len(messages) > 0, len(messages) < len(c.messages)}, []any{c.changed, true, c.changed})
			}
		}
	}},
	{ID: "S2.33", Preset: checkpoint, Title: "its exports are available: estimates, gate, selection, summary, and compactions that fail or not", Test: func(t *testing.T, call Engine) {
		var info struct {
			Ops, Functions []string
			Presets        []struct{ Name string }
		}
		Call(t, call, "info", object{}, &info)
		for _, name := range []string{"estimate_tokens", "estimate_messages", "should_compact_threshold", "calculate_threshold", "select_messages", "adjust_boundary", "extract_original_task", "format_messages", "build_prompt", "context_limit"} {
			equal(t, name, slices.Contains(info.Functions, name), true)
		}
		for _, op := range []string{"plan", "step"} {
			equal(t, op, slices.Contains(info.Ops, op), true)
		}
		// In this case the original's compact fails and its safeCompact does not. The policy determines which of them
		// is reproduced.
		for onFailure, code := range map[string]string{"error": "summary_failed", "keep": ""} {
			a, _ := checkRun(t, call, check(object{"summary": object{"on_failure": onFailure}}), longCheck("s"), object{"error": "boom"})
			got := ""
			if a.Error != nil {
				got = a.Error.Code
			}
			equal(t, onFailure, got, code)
		}
	}},
	{ID: "S2.34", Preset: checkpoint, Title: "the whole cycle, twice: due, folded, smaller, not due", Test: func(t *testing.T, call Engine) {
		for _, base := range []func() object{func() object { return check(nil) }, func() object { return checkSafe2(nil) }} {
			policy := func() object { return merged(base(), object{"window": object{"tokens": 14000}}) } // due at 2,400 tokens
			messages, state := longCheck("s"), object{}
			for round := 1; round <= 2; round++ {
				due := func(messages []object) bool {
					var checked struct{ Due bool }
					Call(t, call, "check", object{"policy": policy(), "messages": messages}, &checked)
					return checked.Due
				}
				equal(t, "due before", due(messages), true)
				a := compacts(t, call, object{"policy": policy(), "messages": messages, "state": state}, func(summaryRequest) object { return merged(object{}, checkModel) })
				var left []object
				decodeInto(a.Messages, &left)
				equal(t, "due after", []any{due(left), a.Report.Tokens.After < a.Report.Tokens.Before, roundOf(t, a.State)}, []any{false, true, round})
				messages = append(left, longCheck("u")...)
				decodeInto(a.State, &state)
			}
		}
	}},
	{ID: "S2.35", Preset: checkpoint, Title: "a summary that is longer than the messages that it replaces is accepted; ours rejects it", Test: func(t *testing.T, call Engine) {
		messages := longCheck("s")
		long := object{"text": strings.Repeat("word ", 4000)}
		a, _ := checkRun(t, call, check(nil), messages, long)
		equal(t, "exact", a.Report.Changed && a.Report.Tokens.After > a.Report.Tokens.Before, true)
		a, _ = checkRun(t, call, checkSafe2(nil), messages, long, object{"options": forced})
		equal(t, "ours", []any{a.Report.Changed, a.Report.Tokens.After <= a.Report.Tokens.Before}, []any{false, true})
		equal(t, "messages", a.Messages, messages)
	}},
}
