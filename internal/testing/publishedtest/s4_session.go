package publishedtest

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// longTalk returns a conversation of far more than 8,000 tokens.
func longTalk() (list []object) {
	for range 12 {
		list = append(list, say("user", strings.Repeat("why ", 1500)), say("assistant", strings.Repeat("thus ", 1200)))
	}
	return append(list, say("user", "And now?"))
}

// s4Run compacts with the whole preset.
func s4Run(t *testing.T, call Engine, policy object, messages []object, reply object, more ...object) (agentList, []object, string) {
	t.Helper()
	return compacted(t, call, messages, merged(policy, object{"window": object{"tokens": 20000, "reserve": 4000}}), reply, more...)
}

// s4Session lists the rows about the compaction of a session. s4Summary is a summary that passes the checks.
const s4Summary = "## Goal\nGo on with the talk. Everything that was asked before has been done, and nothing is open."

var s4Session = []Row{
	{ID: "S4.31", Preset: agentLoop, Title: "five messages of one token, budget 2: three old, two recent", Test: func(t *testing.T, call Engine) {
		split := func(n, budget int) (old int) {
			s4Call(t, call, "split_by_tokens", object{"messages": says(n, "x"), "arguments": object{"budget": budget}}, &old)
			return old
		}
		equal(t, "2", split(5, 2), 3)
		equal(t, "all fit", split(5, 5), 0)
		equal(t, "no budget", split(5, 0), 4)
		var old int
		s4Call(t, call, "split_by_tokens", object{"messages": append(says(2, "x"), say("user", strings.Repeat("x", 100))), "arguments": object{"budget": 2}}, &old)
		equal(t, "the last one always", old, 2)
	}},
	{ID: "S4.32", Preset: agentLoop, Title: "without a budget the newest messages are counted", Test: func(t *testing.T, call Engine) {
		for n, want := range map[int]int{5: 0, 6: 1, 20: 15} {
			var old int
			s4Call(t, call, "split_by_count", object{"messages": says(n, "x")}, &old)
			equal(t, "old", old, want)
		}
	}},
	{ID: "S4.33", Preset: agentLoop, Title: "defect: a split can separate a call from its result; ours doesn't", Test: func(t *testing.T, call Engine) {
		messages := append(rounds(1, strings.Repeat("line\n", 2000)), say("assistant", "Done."), say("user", "And?"))
		pass := object{"pass": "fold", "keep_tokens": 2505, "boundary": "message"}
		list, _, _ := compacted(t, call, messages, merged(agentPass(pass), object{"gate": object{"max_tokens": 100000}}), object{"text": "s"}, forced)
		equal(t, "exact", list.from, []int{-1, 2, 3, 4})
		talk := longTalk()
		list, _, _ = s4Run(t, call, s4Safe(), append(talk[:20:20], messages...), object{"text": "A summary."})
		var checked struct{ Valid bool }
		Call(t, call, "validate", object{"policy": s4Safe(), "messages": list.messages}, &checked)
		equal(t, "ours is valid", checked.Valid, true)
	}},
	{ID: "S4.34", Preset: agentLoop, Title: "the summarizing model sees at most 1,850 characters of each tool result", Test: func(t *testing.T, call Engine) {
		var got []struct {
			Message int
			Text    string
		}
		s4Call(t, call, "project_for_summary", object{"messages": []object{toolResult("a", "bash", strings.Repeat("日", 5000), false),
			{"role": "user", "content": "x", "visible_agent": false}, toolResult("b", "bash", " ", false)}}, &got)
		equal(t, "characters", utf8.RuneCountInString(got[0].Text), 1821)
		equal(t, "empty", got[1].Text, "(empty output)")
		equal(t, "which", []int{got[0].Message, got[1].Message}, []int{0, 2})
	}},
	{ID: "S4.35", Preset: agentLoop, Title: "paragraphs that begin with the speaker", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "q"), {"role": "assistant", "content": []object{{"type": "reasoning", "text": "r"}, {"type": "text", "text": "a"},
			{"type": "tool_call", "id": "1", "name": "x", "input": object{"b": 1, "a": "<"}}, {"type": "tool_call", "id": "2", "name": "y"}}},
			toolResult("1", "x", "o", false), toolResult("2", "", "p", false)}
		var got string
		s4Call(t, call, "serialize_conversation", object{"messages": messages}, &got)
		equal(t, "text", got, "[User]: q\n\n[Assistant thinking]: r\n\n[Assistant]: a\n\n[Assistant tool calls]: x({\"a\":\"\\u003c\",\"b\":1}); y()\n\n[Tool result x]: o\n\n[Tool result]: p")
	}},
	{ID: "S4.36", Preset: agentLoop, Title: "defect: there is a backslash and an n instead of line ends; ours are line ends, and the record can't close its fence", Test: func(t *testing.T, call Engine) {
		ask := func(policy object, text, previous string) string {
			var got askedFor
			Function(t, call, "generate_summary", object{"policy": policy, "messages": []object{say("user", text)}, "arguments": object{"previous": previous}}, &got)
			return got.Prompt
		}
		equal(t, "exact", strings.HasPrefix(ask(s4Exact(), "q", ""), `<conversation>\n[User]: q\n</conversation>\n\n`), true)
		equal(t, "exact, again", strings.HasPrefix(ask(s4Exact(), "q", "p"), `<conversation>\n[User]: q\n</conversation>\n\n<previous-summary>\np\n</previous-summary>\n\n`), true)
		equal(t, "ours", strings.HasPrefix(ask(s4Safe(), "q", ""), "<conversation>\n[User]: q\n</conversation>\n\n"), true)
		equal(t, "fence", strings.Count(ask(s4Safe(), "</conversation>", ""), "</conversation>"), 1)
		for _, heading := range []string{"## Goal", "## Constraints & Preferences", "## Progress", "### Done", "### In Progress", "### Blocked", "## Key Decisions", "## Next Steps", "## Critical Context"} {
			equal(t, heading, strings.Count(ask(s4Exact(), "q", ""), heading), 1)
		}
		equal(t, "another text", ask(s4Exact(), "q", "") != ask(s4Exact(), "q", " "), true)
	}},
	{ID: "S4.37", Preset: agentLoop, Title: "no messages, none visible, an empty summary, an error of the provider: the input is unchanged", Test: func(t *testing.T, call Engine) {
		ask := func(messages []object, previous string, reply object) (got askedFor) {
			arguments := object{"previous": previous}
			if reply != nil {
				arguments["reply"] = reply
			}
			s4Call(t, call, "generate_summary", object{"messages": messages, "arguments": arguments}, &got)
			return got
		}
		hidden := []object{{"role": "user", "content": "x", "visible_agent": false}}
		equal(t, "none", *ask([]object{}, "", nil).Error, "no messages to summarize")
		equal(t, "none visible", *ask(hidden, " ", nil).Error, "no agent-visible messages to summarize")
		equal(t, "the one before", ask(hidden, "before", nil).Summary, "before")
		equal(t, "blank", *ask(says(1, "x"), "", object{"id": "x", "text": " \n"}).Error, "empty summary generated")
		_, _, failure := s4Run(t, call, s4Exact(), longTalk(), object{"error": "boom"})
		equal(t, "exact", failure, "failed to generate summary: boom")
		list, _, failure := s4Run(t, call, s4Safe(), longTalk(), object{"error": "boom"})
		equal(t, "ours has a digest of its own", failure == "" && len(list.messages) < 25, true)
	}},
	{ID: "S4.38", Preset: agentLoop, Title: "[Previous conversation summary], the summary, then the tail", Test: func(t *testing.T, call Engine) {
		list, _, _ := s4Run(t, call, s4Exact(), longTalk(), object{"text": "S"})
		equal(t, "exact", []any{list.messages[0]["role"], list.messages[0]["content"]}, []any{"user", "[Previous conversation summary]\n\nS"})
		equal(t, "tail", list.from[len(list.from)-1], 24)
		list, _, _ = s4Run(t, call, s4Safe(), longTalk(), object{"text": s4Summary})
		text, _ := list.messages[0]["content"].(string)
		equal(t, "ours", strings.HasPrefix(text, "[Previous conversation summary]\n") && strings.Contains(text, "\n\n"+s4Summary), true)
	}},
	{ID: "S4.39", Preset: agentLoop, Title: "in the tail the oldest results above the cutoff are replaced with a digest that has a line for each", Test: func(t *testing.T, call Engine) {
		messages := rounds(3, "one\ntwo")
		messages[2]["is_error"] = true
		list, _, _ := compacted(t, call, messages, agentPass(object{"pass": "tool_digest", "keep_recent": 1}), nil, forced)
		equal(t, "kinds", []any{list.messages[2]["kind"], list.messages[4]["kind"], list.messages[6]["kind"]}, []any{"tool_result_archived", "tool_result_archived", nil})
		equal(t, "digest", list.changes(t)[7], object{"new": object{"role": "user", "kind": "tool_summary", "visible_agent": true, "visible_user": false,
			"text": "[Compaction tool digest]\n- read (error): one two\n- read (ok): one two"}})
		var text string
		s4Call(t, call, "digest_tool_results", object{"messages": []object{toolResult("1", " ", strings.Repeat("日", 300), false)}}, &text)
		equal(t, "200 characters", text, "[Compaction tool digest]\n- unknown (ok): "+strings.Repeat("日", 200))
	}},
	{ID: "S4.40", Preset: agentLoop, Title: "defect: the digest of results is the last user message, and the earlier summary is lost; ours is before the tail and carries the summary over", Test: func(t *testing.T, call Engine) {
		messages := append(longTalk(), rounds(4, strings.Repeat("line\n", 300))...)
		messages = append(messages, say("user", "The newest."))
		policy := func(base object) object {
			return merged(base, object{"passes": []object{{"pass": "fold", "keep_tokens": 20000, "boundary": "message"}, {"pass": "tool_digest", "keep_recent": 1}}})
		}
		list, asked, _ := s4Run(t, call, policy(s4Exact()), messages, object{"text": "S"}, forced)
		text, _ := list.messages[len(list.messages)-1]["content"].(string)
		equal(t, "exact", strings.HasPrefix(text, "[Compaction tool digest]"), true)
		equal(t, "exact asks without it", strings.Contains(asked[0]["prompt"].(string), "<previous-summary>"), false)
		list, _, _ = s4Run(t, call, policy(s4Safe()), messages, object{"text": s4Summary}, forced)
		equal(t, "ours ends with", list.messages[len(list.messages)-1]["content"], "The newest.")
		text, _ = list.messages[0]["content"].(string)
		equal(t, "ours begins with", strings.Contains(text, "[Compaction tool digest]\n- read (ok): line line"), true)
		_, asked, _ = s4Run(t, call, policy(s4Safe()), append(list.messages, longTalk()...), object{"text": s4Summary}, forced)
		carried := func(request object) bool {
			return strings.Contains(request["prompt"].(string), "<previous-summary>\n"+s4Summary)
		}
		equal(t, "ours carries the summary", slices.ContainsFunc(asked, carried), true)
	}},
	{ID: "S4.41", Preset: agentLoop, Title: "after a turn when due; after an overflow whatever the gate says, once (the hosts' Retry)", Test: func(t *testing.T, call Engine) {
		var verdict struct{ Overflow bool }
		Function(t, call, "classify_error", object{"policy": s4Safe(), "arguments": object{"status": 400, "body": "prompt is too long: 5 tokens > 4 maximum"}}, &verdict)
		equal(t, "overflow", verdict.Overflow, true)
		list, _, _ := compacted(t, call, longTalk(), merged(s4Safe(), object{"window": object{"tokens": 1000000}}), object{"text": "S"}, forced)
		equal(t, "compacted although it is not due", len(list.messages) < 25, true)
	}},
	{ID: "S4.42", Preset: agentLoop, Title: "an event says how many messages there were and are, and what failed (the hosts' Events)", Test: func(t *testing.T, call Engine) {
		var a struct {
			Report struct {
				Messages struct{ Before, After int }
				Summary  struct{ Why string }
			}
		}
		policy := merged(s4Safe(), object{"summary": object{"mode": "local"}, "window": object{"tokens": 20000, "reserve": 4000}})
		Call(t, call, "plan", object{"policy": policy, "messages": longTalk()}, &a)
		equal(t, "before", a.Report.Messages.Before, 25)
		equal(t, "fewer after", a.Report.Messages.After < 25, true)
	}},
	{ID: "S4.43", Preset: agentLoop, Title: "14 substrings indicate an overflow, including rate limits; ours distinguishes them", Test: func(t *testing.T, call Engine) {
		for text, want := range map[string][2]bool{
			"This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.": {true, true},
			"permission denied": {false, false}, "Too many tokens, please wait before trying again.": {true, false},
			"input is too long for requested model": {false, true}, "FinishReasonLength": {true, false}} {
			for i, policy := range []object{s4Exact(), s4Safe()} {
				var got bool
				Function(t, call, "is_context_overflow", object{"policy": policy, "text": text}, &got)
				equal(t, text, got, want[i])
			}
		}
		var verdict struct{ Silent, Overflow bool }
		Function(t, call, "classify_error", object{"policy": s4Safe(), "arguments": object{"window": 100, "usage": object{"input_tokens": 101}}}, &verdict)
		equal(t, "silent", verdict.Silent && verdict.Overflow, true)
	}},
	{ID: "S4.44", Preset: agentLoop, Title: "an overflow isn't retried unchanged: its class differs from those for which waiting helps", Test: func(t *testing.T, call Engine) {
		for body, want := range map[string]string{"context_length_exceeded": "context_overflow", "rate limit": "rate_limit"} {
			var verdict struct{ Class string }
			Function(t, call, "classify_error", object{"policy": s4Safe(), "arguments": object{"status": 400, "body": body}}, &verdict)
			equal(t, body, verdict.Class, want)
		}
	}},
}
