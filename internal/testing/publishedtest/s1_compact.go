package publishedtest

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	tailSection = "\n\n---\n\n## Current Turn (in progress)\n\n"
	tailCustom  = "\n\nAdditional instructions: "
)

// tailPrompts holds the style's fixed texts.
type tailPrompts struct {
	System, Prompt, Header, Role string
	TurnPrefix                   string `json:"turn_prefix"`
}

func tailFixed(t *testing.T, call Engine) (p tailPrompts) {
	t.Helper()
	Function(t, call, "summary_prompts", object{"policy": tail(nil)}, &p)
	return p
}

// tailSerialized returns the messages as they are written in a prompt.
func tailSerialized(t *testing.T, call Engine, messages []object) (text string) {
	t.Helper()
	tailFunction(t, call, "serialize_messages", messages, object{}, &text)
	return text
}

// tailModel is a reply that ctxfold accepts as a summary.
var tailModel = object{"text": "## Goal\nA summary of what was said and done in these messages, and of what is to come."}

// s1Compact lists the rows about compactions.
var s1Compact = []Row{
	{ID: "S1.14", Preset: turnTail, Title: "takes messages, options, instructions, the previous summary and a stream; returns the figures and the messages", Test: func(t *testing.T, call Engine) {
		policy := tail(object{"summary": object{"instructions": "be brief"}})
		state := object{"round": 3, "ledger": object{"read": []string{"before.go"}}}
		fold := object{"pass": "fold", "keep_tokens": 250, "boundary": "forward"}
		request := object{"policy": merged(policy, object{"passes": []object{fold}}), "options": forced, "state": state, "messages": hundreds("uauauu")}
		var asked []summaryRequest
		a := compacts(t, call, request, func(r summaryRequest) object {
			asked = append(asked, r)
			return object{"text": "S", "stream": true}
		})
		equal(t, "requests", len(asked), 1)
		equal(t, "instructions", strings.HasSuffix(asked[0].Prompt, tailCustom+"be brief"), true)
		equal(t, "figures", []int{a.Report.Folded, a.Report.CutPoint, a.Report.Tokens.Before}, []int{4, 4, 600})
		var after struct {
			Round  int
			Ledger struct{ Read []string }
		}
		decodeInto(a.State, &after)
		equal(t, "state", []any{after.Round, after.Ledger.Read}, []any{4, []string{"before.go"}})
		var messages []object
		decodeInto(a.Messages, &messages)
		equal(t, "messages", len(messages), 3)
	}},
	{ID: "S1.15", Preset: turnTail, Title: "one message, or two small ones: nothing is done, and that isn't an error", Test: func(t *testing.T, call Engine) {
		for _, policy := range []func(object) object{tail, tailSafe} {
			for _, roles := range []string{"u", "ua"} {
				a, asked := tailRunWith(t, call, object{}, policy(nil), 20000, hundreds(roles))
				equal(t, roles, []any{a.Report.Changed, len(asked), a.Error}, []any{false, 0, nil})
				equal(t, "messages", a.Messages, hundreds(roles))
			}
		}
	}},
	{ID: "S1.16", Preset: turnTail, Title: "a system message, [Conversation summary — earlier messages were compacted], then the tail", Test: func(t *testing.T, call Engine) {
		a, _ := tailRun(t, call, tail(nil), 250, hundreds("uauauu"), object{"text": "S"})
		equal(t, "exact", a.list(), []object{{"new": object{"role": "system", "text": tailHeader + "\n\nS"}}, {"i": 4}, {"i": 5}})
		a, _ = tailRun(t, call, tailSafe(nil), 250, hundreds("uauauu"), tailModel)
		equal(t, "ours", []any{strings.HasPrefix(tailText(t, a), tailHeader+"\n"), strings.Contains(tailText(t, a), tailModel["text"].(string))}, []any{true, true})
	}},
	{ID: "S1.17", Preset: turnTail, Title: "an empty summary and a provider's error are errors, and the messages stay unchanged; ours writes the digest itself", Test: func(t *testing.T, call Engine) {
		for reply, want := range map[string]string{"": "compaction produced an empty summary", "boom": "compaction summarisation failed: boom"} {
			a, _ := tailRun(t, call, tail(nil), 250, hundreds("uauauu"), object{"error": reply})
			if a.Error == nil || a.Error.Code != "summary_failed" || a.Error.Message != want {
				t.Errorf("got %+v, want %s", a.Error, want)
			}
			equal(t, "messages", a.Messages, nil)
			a, _ = tailRun(t, call, tailSafe(nil), 250, hundreds("uauauu"), object{"error": reply}, object{"error": reply}) // ctxfold repeats the request if a summary is empty
			equal(t, "ours", []any{a.Error, a.Report.Changed, a.Report.Summary.Source}, []any{nil, true, "local"})
		}
	}},
	{ID: "S1.18", Preset: turnTail, Title: "the summary, tokens before and after, messages removed, the cut point, the files read and modified, sorted", Test: func(t *testing.T, call Engine) {
		messages := append([]object{say("user", "q"), sdkCalls("1", "read", object{"path": "z"}), sdkResult("1", "read", "x"), sdkCalls("2", "grep", object{"path": "b"}), sdkResult("2", "grep", "x"),
			sdkCalls("3", "write", object{"path": "m"}), sdkResult("3", "write", "x")}, hundreds("uau")...)
		a, _ := tailRun(t, call, tail(nil), 250, messages, object{"text": "H"}, object{"text": "P"})
		equal(t, "figures", []int{a.Report.Folded, a.Report.CutPoint, a.Report.Tokens.Before, a.Report.Tokens.After}, []int{8, 8, 300, 200 + len(tailText(t, a))/4})
		var state struct {
			Ledger struct{ Read, Modified []string }
		}
		decodeInto(a.State, &state)
		equal(t, "files", []any{state.Ledger.Read, state.Ledger.Modified}, []any{[]string{"b", "z"}, []string{"m"}})
		a, _ = tailRun(t, call, tail(nil), 250, hundreds("uauauu"), object{"text": "S"})
		state.Ledger.Read, state.Ledger.Modified = nil, nil
		decodeInto(a.State, &state)
		equal(t, "none", []any{state.Ledger.Read, state.Ledger.Modified}, []any{nil, nil})
	}},
	{ID: "S1.19", Preset: turnTail, Title: "a context summarization assistant that doesn't continue the conversation and outputs only the summary", Test: func(t *testing.T, call Engine) {
		system := tailFixed(t, call).System
		inOrder(t, "system", system, "You are a context summarization assistant", "neither continue it nor reply")
		equal(t, "end", strings.HasSuffix(system, "ONLY output the structured summary."), true)
		_, asked := tailRun(t, call, tail(nil), 250, hundreds("uauauu"), tailModel)
		equal(t, "exact", asked[0].System, system)
		_, asked = tailRun(t, call, tailSafe(nil), 250, hundreds("uauauu"), tailModel)
		equal(t, "ours", strings.HasPrefix(asked[0].System, system+"\n\n"), true)
	}},
	{ID: "S1.20", Preset: turnTail, Title: "Goal, Constraints & Preferences, Progress with Done, In Progress and Blocked, Key Decisions, Next Steps, Critical Context, the files", Test: func(t *testing.T, call Engine) {
		prompt := tailFixed(t, call).Prompt
		inOrder(t, "prompt", prompt, "\n## Goal\n", "\n## Constraints & Preferences\n", "\n## Progress\n", "### Done\n- [x] ", "\n### In Progress\n- [ ] ", "\n### Blocked\n",
			"\n## Key Decisions\n", "\n## Next Steps\n", "\n## Critical Context\n", "\n<read-files>\n", "\n</read-files>\n", "\n<modified-files>\n", "\n</modified-files>\n")
		equal(t, "end", strings.HasSuffix(prompt, "Keep each section concise. Preserve exact file paths, function names, and error messages."), true)
		_, asked := tailRun(t, call, tailSafe(nil), 250, hundreds("uauauu"), tailModel)
		inOrder(t, "ours", asked[0].Prompt, "\n## Goal\n", "\n## Critical Context\n", "Keep each section concise.")
		equal(t, "ours lists the files by code", strings.Contains(asked[0].Prompt, "<read-files>"), false)
	}},
	{ID: "S1.21", Preset: turnTail, Title: "the record, the instructions, additional instructions; a prompt by the host replaces the second", Test: func(t *testing.T, call Engine) {
		messages := hundreds("uauauu")
		record := tailSerialized(t, call, messages[:4])
		fixed := tailFixed(t, call).Prompt
		for _, c := range []struct{ summary, want object }{
			{object{}, object{"end": fixed}}, {object{"instructions": "I"}, object{"end": fixed + tailCustom + "I"}},
			{object{"prompt": "Mine."}, object{"end": "Mine."}}, {object{"prompt": "Mine.", "instructions": "I"}, object{"end": "Mine." + tailCustom + "I"}}} {
			_, asked := tailRun(t, call, tail(object{"summary": c.summary}), 250, messages, object{"text": "S"})
			equal(t, "prompt", asked[0].Prompt, record+"\n\n"+c.want["end"].(string))
		}
	}},
	{ID: "S1.22", Preset: turnTail, Title: "a call without tools; if its stream is aborted, that is the error (hosts stream and cancel)", Test: func(t *testing.T, call Engine) {
		var a struct{ Requests []object }
		fold := object{"pass": "fold", "keep_tokens": 250, "boundary": "forward"}
		Call(t, call, "plan", object{"policy": tail(object{"passes": []object{fold}}), "options": forced, "messages": hundreds("uauauu")}, &a)
		equal(t, "tools", a.Requests[0]["tools"], nil)
		for stream, want := range map[bool]string{true: "compaction summarisation (streaming) failed: stop", false: "compaction summarisation failed: stop"} {
			got, _ := tailRun(t, call, tail(nil), 250, hundreds("uauauu"), object{"error": "stop", "stream": stream})
			equal(t, "error", got.Error.Message, want)
		}
		got, _ := tailRun(t, call, tail(nil), 150, hundreds("uauaua"), object{"text": "H"}, object{"error": "stop", "stream": true})
		equal(t, "of the turn", got.Error.Message, "split turn prefix summary failed: compaction summarisation (streaming) failed: stop")
	}},
	{ID: "S1.23", Preset: turnTail, Title: "a split turn has a summary of its own; the history needs 2 messages and is requested without the instructions", Test: func(t *testing.T, call Engine) {
		policy := tail(object{"summary": object{"instructions": "I"}})
		messages := hundreds("uauauaaa")
		_, asked := tailRun(t, call, policy, 250, messages, object{"text": "H"}, object{"text": "P"})
		equal(t, "scopes", []string{asked[0].Scope, asked[1].Scope}, []string{"session", "turn_prefix"})
		equal(t, "history", asked[0].Prompt, tailSerialized(t, call, messages[:4])+"\n\n"+tailFixed(t, call).Prompt)
		equal(t, "turn", strings.HasPrefix(asked[1].Prompt, tailSerialized(t, call, messages[4:6])+"\n\n"), true)
		// One message before the turn: the original neither summarizes nor keeps it; ctxfold folds it.
		one := hundreds("auaaa")
		one[0] = say("assistant", strings.Repeat("y", 400))
		a, asked := tailRun(t, call, policy, 250, one, object{"text": "P"})
		equal(t, "exact", []any{len(asked), strings.Contains(asked[0].Prompt, "yyy"), a.list()[1]}, []any{1, false, object{"i": 3}})
		_, asked = tailRun(t, call, tailSafe(nil), 250, one, tailModel, tailModel)
		equal(t, "ours", strings.Contains(asked[0].Prompt+asked[len(asked)-1].Prompt, "yyy"), true)
	}},
	{ID: "S1.24", Preset: turnTail, Title: "the turn is requested after the whole prompt: it is only the BEGINNING of one long turn; then the instructions", Test: func(t *testing.T, call Engine) {
		fixed := tailFixed(t, call)
		inOrder(t, "text", fixed.TurnPrefix, "BEGINNING of one long turn", "what tools returned, which files changed, how far it got", "Another model will continue")
		messages := hundreds("uauauaaa")
		_, asked := tailRun(t, call, tail(object{"summary": object{"instructions": "I"}}), 250, messages, object{"text": "H"}, object{"text": "P"})
		equal(t, "prompt", asked[1].Prompt, tailSerialized(t, call, messages[4:6])+"\n\n"+fixed.Prompt+tailCustom+fixed.TurnPrefix+tailCustom+"I")
		_, asked = tailRun(t, call, tailSafe(nil), 250, messages, tailModel, tailModel)
		inOrder(t, "ours", asked[1].Prompt, "</scrollback>", "## Critical Context", fixed.TurnPrefix)
	}},
	{ID: "S1.25", Preset: turnTail, Title: "the history, a line, Current Turn (in progress), the turn; a stream shows that only after a history", Test: func(t *testing.T, call Engine) {
		messages := hundreds("uauauaaa")
		a, asked := tailRun(t, call, tail(nil), 250, messages, object{"text": "H"}, object{"text": "P"})
		equal(t, "text", tailText(t, a), tailHeader+"\n\nH"+tailSection+"P")
		equal(t, "leads", []string{asked[0].Lead, asked[1].Lead}, []string{"", tailSection})
		a, asked = tailRun(t, call, tail(nil), 250, hundreds("auaaa"), object{"text": "P"})
		equal(t, "the turn alone", []string{tailText(t, a), asked[0].Lead}, []string{tailHeader + "\n\nP", ""})
		a, _ = tailRun(t, call, tailSafe(nil), 250, messages, tailModel, tailModel)
		inOrder(t, "ours", tailText(t, a), tailModel["text"].(string), tailSection, tailModel["text"].(string))
	}},
	{ID: "S1.26", Preset: turnTail, Title: "defect: a turn that begins at the first message is summarized twice; ours requests it once", Test: func(t *testing.T, call Engine) {
		messages := hundreds("uaaaaa")
		_, asked := tailRun(t, call, tail(nil), 250, messages, object{"text": "H"}, object{"text": "P"})
		record := tailSerialized(t, call, messages[:4])
		equal(t, "exact", []bool{strings.HasPrefix(asked[0].Prompt, record), strings.HasPrefix(asked[1].Prompt, record)}, []bool{true, true})
		_, asked = tailRun(t, call, tailSafe(nil), 250, messages, tailModel)
		equal(t, "ours", []any{len(asked), asked[0].Scope}, []any{1, "turn_prefix"})
	}},
}

// s1Record lists the rows about the record, about files, and about the application's part.
var s1Record = []Row{
	{ID: "S1.27", Preset: turnTail, Title: "[User], [Assistant], [Tool result], [System], otherwise the role; the parts; an empty line", Test: func(t *testing.T, call Engine) {
		messages := []object{say("system", "s"), say("user", "u"), say("assistant", "a"), {"role": "tool", "content": []object{{"type": "text", "text": "t"}}}, say("developer", "d")}
		equal(t, "text", tailSerialized(t, call, messages), "[System]:\ns\n\n[User]:\nu\n\n[Assistant]:\na\n\n[Tool result]:\nt\n\n[developer]:\nd\n\n")
	}},
	{ID: "S1.28", Preset: turnTail, Title: "a tool's text, a call's input and reasoning are cut; other texts are not", Test: func(t *testing.T, call Engine) {
		long := strings.Repeat("x", 2500)
		cut := long[:2000] + "\n[...500 chars truncated]"
		equal(t, "text", tailSerialized(t, call, []object{say("user", long)}), "[User]:\n"+long+"\n\n")
		equal(t, "tool", tailSerialized(t, call, []object{{"role": "tool", "content": []object{{"type": "text", "text": long}}}}), "[Tool result]:\n"+cut+"\n\n")
		equal(t, "thought", strings.Contains(tailSerialized(t, call, []object{{"role": "assistant", "content": []object{{"type": "reasoning", "text": long}}}}), "[Thinking]: "+cut), true)
		equal(t, "call", strings.Contains(tailSerialized(t, call, []object{sdkCalls("1", "read", object{"path": "a"})}), `[Tool call: read({"path":"a"})]`), true)
		equal(t, "its input", strings.Contains(tailSerialized(t, call, []object{sdkCalls("1", "read", object{"path": long})}), "chars truncated])]"), true)
	}},
	{ID: "S1.29", Preset: turnTail, Title: "the first 2,000 bytes and the number of cut bytes, cut inside characters; ours cuts between them", Test: func(t *testing.T, call Engine) {
		truncated := func(policy object, text string) json.RawMessage {
			return Function(t, call, "truncate_tool_result", object{"policy": policy, "text": text}, nil)
		}
		equal(t, "2,500", rawText(t, truncated(tail(nil), strings.Repeat("x", 2500))), strings.Repeat("x", 2000)+"\n[...500 chars truncated]")
		equal(t, "2,000", rawText(t, truncated(tail(nil), strings.Repeat("x", 2000))), strings.Repeat("x", 2000))
		wide := "x" + strings.Repeat("日", 800)
		equal(t, "exact", rawText(t, truncated(tail(nil), wide)) == wide[:2000]+"\n[...401 chars truncated]", true)
		equal(t, "ours", rawText(t, truncated(tailSafe(nil), wide)), wide[:1999]+"\n[...402 chars truncated]")
	}},
	{ID: "S1.30", Preset: turnTail, Title: "defect: tool results never reach the summary; ours do", Test: func(t *testing.T, call Engine) {
		result := sdkResult("1", "read", "the result")
		equal(t, "exact", tailSerialized(t, call, []object{result}), "[Tool result]:\n\n\n")
		var text string
		Function(t, call, "serialize_messages", object{"policy": tailSafe(nil), "messages": []object{result}}, &text)
		equal(t, "ours", strings.Contains(text, "the result"), true)
	}},
	{ID: "S1.31", Preset: turnTail, Title: "the argument path: read, grep, find and ls read, write and edit modify; other tools and non-paths don't count", Test: func(t *testing.T, call Engine) {
		var messages []object
		for _, tool := range []string{"read", "grep", "find", "ls", "write", "edit", "bash", "Read"} {
			messages = append(messages, sdkCalls("1", tool, object{"path": "by-" + tool}))
		}
		messages = append(messages, sdkCalls("1", "read", object{"file": "x"}), sdkCalls("1", "read", object{"path": 7}), sdkCalls("1", "read", object{"path": ""}), sdkCalls("1", "read", "{broken"))
		var got map[string][]string
		tailFunction(t, call, "extract_file_ops", messages, object{}, &got)
		equal(t, "files", got, object{"read": []string{"by-find", "by-grep", "by-ls", "by-read"}, "modified": []string{"by-edit", "by-write"}})
	}},
	{ID: "S1.32", Preset: turnTail, Title: "a file that was read and modified is in both lists", Test: func(t *testing.T, call Engine) {
		var got map[string][]string
		tailFunction(t, call, "extract_file_ops", []object{sdkCalls("1", "read", object{"path": "a"}), sdkCalls("2", "edit", object{"path": "a"}), sdkCalls("3", "read", object{"path": "a"})}, object{}, &got)
		equal(t, "files", got, object{"read": []string{"a"}, "modified": []string{"a"}})
	}},
	{ID: "S1.33", Preset: turnTail, Title: "the files so far, of the folded messages and of the tail", Test: func(t *testing.T, call Engine) {
		var got map[string][]string
		tailFunction(t, call, "merge_file_ops", []object{sdkCalls("1", "read", object{"path": "b"}), sdkCalls("2", "edit", object{"path": "c"})}, object{"read": []string{"a", "b"}, "modified": []string{"d"}}, &got)
		equal(t, "merged", got, object{"read": []string{"a", "b"}, "modified": []string{"c", "d"}})
		messages := append([]object{say("user", "q"), sdkCalls("1", "read", object{"path": "old"}), sdkResult("1", "read", "x")}, hundreds("uau")...)
		messages = append(messages, sdkCalls("2", "read", object{"path": "recent"}), sdkResult("2", "read", "x"))
		fold := object{"pass": "fold", "keep_tokens": 150, "boundary": "forward"}
		a := compacts(t, call, object{"policy": tail(object{"passes": []object{fold}}), "options": forced, "messages": messages, "state": object{"round": 1, "ledger": object{"read": []string{"before"}}}},
			func(summaryRequest) object { return object{"text": "S"} })
		var state struct {
			Ledger struct{ Read []string }
		}
		decodeInto(a.State, &state)
		equal(t, "in a compaction", state.Ledger.Read, []string{"before", "old", "recent"})
	}},
	{ID: "S1.34", Preset: turnTail, Title: "nothing is lost: the answer has the contents of a journal entry, and folded messages can be restored", Test: func(t *testing.T, call Engine) {
		messages := hundreds("uauauu")
		for i, m := range messages {
			m["content"] = m["content"].(string) + string(rune('a'+i))
		}
		policy := tailSafe(object{"archive": "bodies", "passes": []object{{"pass": "fold", "keep_tokens": 250, "boundary": "forward"}}})
		var a struct {
			Plan, Messages json.RawMessage
			Requests       []summaryRequest
			Archive        []struct{ Handle, What, Body string }
			Report         struct {
				CutPoint int `json:"cut_point"`
				Folded   int
				Tokens   struct{ Before, After int }
			}
		}
		Call(t, call, "plan", object{"policy": policy, "options": forced, "messages": messages}, &a)
		Call(t, call, "step", object{"plan": a.Plan, "messages": messages, "summaries": []object{merged(object{"id": a.Requests[0].ID}, tailModel)}}, &a)
		equal(t, "first kept, removed", []int{a.Report.CutPoint, a.Report.Folded}, []int{4, 4})
		equal(t, "smaller", a.Report.Tokens.After < a.Report.Tokens.Before, true)
		var back struct{ Messages json.RawMessage }
		Call(t, call, "restore", object{"policy": tailSafe(nil), "messages": a.Messages, "bodies": []object{{"handle": a.Archive[0].Handle, "body": a.Archive[0].Body}}}, &back)
		equal(t, "put back", back.Messages, messages)
	}},
	{ID: "S1.35", Preset: turnTail, Title: "a host can skip a compaction or supply the summary; then the last message is the tail if everything would fit (the hosts' BeforeCompact)", Test: func(t *testing.T, call Engine) {
		for _, policy := range []func(object) object{tail, tailSafe} {
			brought := object{"answer": "edits", "summary": object{"text": "of the extension"}}
			for keep, cut := range map[int]int{250: 4, 20000: 5} {
				a, asked := tailRunWith(t, call, brought, policy(nil), keep, hundreds("uauauu"))
				equal(t, "nobody is asked", []any{len(asked), a.Report.Summary.Source, a.Report.CutPoint}, []any{0, "host", cut})
				inOrder(t, "summary", tailText(t, a), tailHeader, "of the extension")
			}
		}
		brought := object{"answer": "edits", "summary": object{"text": "S"}}
		a, _ := tailRunWith(t, call, brought, tail(nil), 250, hundreds("uauau")[:2])
		equal(t, "of two messages the first", a.list(), []object{{"new": object{"role": "system", "text": tailHeader + "\n\nS"}}, {"i": 1}})
		a, _ = tailRunWith(t, call, brought, tail(nil), 250, hundreds("u"))
		equal(t, "of one nothing", a.Report.Changed, false)
	}},
	{ID: "S1.36", Preset: turnTail, Title: "estimated tokens, the window, the used share, the number of messages", Test: func(t *testing.T, call Engine) {
		for last, used := range map[int]int{0: 200, 500: 500} {
			var got object
			tailFunction(t, call, "context_stats", hundreds("ua"), object{"context_window": 1000, "reserve_tokens": 16, "last_input_tokens": last}, &got)
			equal(t, "stats", got, object{"estimated_tokens": used, "context_limit": 1000, "usage_percent": float64(used) / 1000, "message_count": 2, "should_compact": false})
		}
		var got object
		tailFunction(t, call, "context_stats", hundreds("ua"), object{"context_window": 0}, &got)
		equal(t, "no window", []any{got["context_limit"], got["usage_percent"]}, []any{0, 0})
	}},
	{ID: "S1.37", Preset: turnTail, Title: "a system message first, followed by the assistant; ours is valid in every format", Test: func(t *testing.T, call Engine) {
		a, _ := tailRunWith(t, call, object{}, tail(nil), 250, hundreds("uauauaaa"), object{"text": "H"}, object{"text": "P"})
		var messages []object
		decodeInto(a.Messages, &messages)
		equal(t, "exact", []any{messages[0]["role"], messages[1]["role"]}, []any{"system", "assistant"})
		for format, talk := range map[string][]object{"anthropic": hundreds("uauauaaa"), "openai-chat": hundreds("uauauaaa"), "ai-sdk": hundreds("uauauaaa")} {
			a, _ := tailRunWith(t, call, object{}, tailSafe(object{"format": format}), 250, talk, tailModel, tailModel)
			equal(t, format, s3Valid(t, call, format, a.Messages), true)
			decodeInto(a.Messages, &messages)
			equal(t, "system", messages[0]["role"] == "system", format != "anthropic")
		}
	}},
}
