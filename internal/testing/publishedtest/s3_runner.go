package publishedtest

import (
	"strings"
	"testing"
)

// s3Digested is a reply that ctxfold accepts as a digest.
var s3Digested = object{"text": "# Objective\nA digest that says what was asked for and what was done."}

// s3Valid reports whether messages are valid in a format.
func s3Valid(t *testing.T, call Engine, format string, messages any) bool {
	t.Helper()
	var checked struct{ Valid bool }
	Call(t, call, "validate", object{"policy": object{"format": format}, "messages": messages}, &checked)
	return checked.Valid
}

// s3Runner lists the rows about the whole pipeline.
var s3Runner = []Row{
	{ID: "S3.42", Preset: windowed, Title: "clear, cut (forced: at the last turn), condense, restore: the digest, the files, the tail", Test: func(t *testing.T, call Engine) {
		messages := append(s3Reads(8, "read", costing(900)), say("user", costing(5000)), say("assistant", "a"))
		list, asked, _ := s3Run(t, call, s3Exact(), 12000, messages, object{"text": "D"})
		equal(t, "list", list.from, []int{-1, -1, -1, -1, -1, -1, 15, 16, 17, 18})
		equal(t, "digest", list.messages[0]["content"], sessionHeader+"\n\nD")
		equal(t, "two were cleared before", strings.Count(asked[0]["prompt"].(string), clearedResult), 2)
		for _, base := range []func() object{s3Exact, s3Safe} {
			turns := append(costs(900, 900), say("assistant", costing(900)), say("user", "now"), say("assistant", "so"))
			list, _, _ = s3Run(t, call, base(), 100000, turns, s3Digested, forced)
			equal(t, "forced", list.from, []int{-1, 3, 4})
			list, _, _ = s3Run(t, call, base(), 100000, []object{say("user", costing(900)), say("assistant", costing(900))}, s3Digested, forced)
			equal(t, "one turn", list.from, []int{0, 1})
			list, _, _ = s3Run(t, call, base(), 100000, []object{say("assistant", costing(900)), say("assistant", "a")}, s3Digested, forced)
			equal(t, "no turn", list.from, []int{0, 1})
		}
	}},
	{ID: "S3.43", Preset: windowed, Title: "if nothing can be cut, clearing is undone; ours, without its last resort, keeps what it freed", Test: func(t *testing.T, call Engine) {
		messages := append(s3Reads(8, "read", costing(900))[1:], say("user", costing(7000)))
		list, _, _ := s3Run(t, call, s3Exact(), 12000, messages, object{"text": "D"})
		equal(t, "exact", list.messages, messages)
		list, asked, _ := s3Run(t, call, s3Bare(), 16000, messages, s3Digested)
		equal(t, "ours", clearedAt(list.messages), []int{1, 3})
		equal(t, "ours asks nobody", len(asked), 0)
	}},
	{ID: "S3.44", Preset: windowed, Title: "only as many files as make the list shorter: at most two less than were dropped", Test: func(t *testing.T, call Engine) {
		messages := append(s3Reads(3, "read", "x"), say("user", "now"))
		for cut, want := range map[int]int{2: 0, 3: 1, 5: 2, 7: 3} {
			arguments := object{"cut": cut, "shrink_messages": true}
			equal(t, "restored", len(s3Restored(t, call, s3Exact(), messages, arguments)), want)
		}
		one := append(reading("1", "a", "x"), reading("2", "b", "x")...)
		equal(t, "two results, room for one", paths(s3Restored(t, call, s3Exact(), one, object{"cut": 3, "shrink_messages": true})), []string{"a"})
		both := []object{calls("1", "read", object{"path": "a"}), calls("2", "read", object{"path": "b"}), toolResult("1", "read", "x", false), toolResult("2", "read", "x", false)}
		equal(t, "four dropped", paths(s3Restored(t, call, s3Exact(), both, object{"cut": 4, "shrink_messages": true})), []string{"a", "b"})
		equal(t, "three dropped", paths(s3Restored(t, call, s3Exact(), both[1:], object{"cut": 3, "shrink_messages": true})), []string{"b"})
		list, _, _ := s3Run(t, call, s3Exact(), 10000, append(reading("a", "a", costing(3500)), costs(5900)...), object{"text": "D"})
		equal(t, "two dropped", list.from, []int{-1, 2})
		list, _, _ = s3Run(t, call, s3Exact(), 10000, append(append([]object{say("user", "q")}, reading("a", "a", costing(3500))...), costs(5900)...), object{"text": "D"})
		equal(t, "three dropped", list.from, []int{-1, -1, 3})
	}},
	{ID: "S3.45", Preset: windowed, Title: "a compaction that leaves the same number of messages doesn't count: a single message is never dropped, in ours only by the last resort", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s3Exact(), s3Bare()} {
			a := s3Plan(t, call, policy, 10000, costs(9000, 100), s3Digested)
			equal(t, "changed", a.Report.Changed, false)
			equal(t, "messages", a.Messages, costs(9000, 100))
			a = s3Plan(t, call, policy, 12000, costs(2500, 2500, 5000, 100), s3Digested)
			equal(t, "two or more", a.Report.Folded >= 2, true)
		}
	}},
	{ID: "S3.46", Preset: windowed, Title: "tokens freed by clearing don't prevent the fold; ours asks the gate again", Test: func(t *testing.T, call Engine) {
		messages := append(append([]object{say("user", "q")}, s3Reads(7, "read", costing(1200))[1:]...), say("user", "now"))
		limit := object{"window": object{"tokens": 13000, "reserve": 2048}} // 8,214; clearing leaves some 7,400
		list, _, _ := compacted(t, call, messages, merged(s3Exact(), limit), object{"text": "D"})
		equal(t, "exact", list.messages[0]["content"], sessionHeader+"\n\nD")
		list, asked, _ := compacted(t, call, messages, merged(s3Safe(), limit), s3Digested)
		equal(t, "ours", []any{clearedAt(list.messages), len(asked)}, []any{[]int{2}, 0})
		var over bool
		s3Call(t, call, "is_over_budget", object{"messages": list.messages, "arguments": object{"context_window": 13000}}, &over)
		equal(t, "it was enough", over, false)
	}},
	{ID: "S3.47", Preset: windowed, Title: "defect: its bridge turns tool results into user messages, which no rule recognizes; ours reads them as results", Test: func(t *testing.T, call Engine) {
		bridged := []object{say("user", costing(500)), calls("1", "read", object{"path": "a"}),
			{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": "1", "content": costing(500)}}}, say("assistant", costing(300))}
		var at *int
		s3Call(t, call, "last_user_turn_start", object{"messages": bridged}, &at)
		equal(t, "exact: the last turn of the user", at, 2)
		equal(t, "exact: the tail begins with a result", s3Cut(t, call, bridged, object{"keep_recent": 835}), 2)
		anthropic := []object{say("user", costing(500)), {"role": "assistant", "content": []object{{"type": "tool_use", "id": "1", "name": "read", "input": object{"path": "a"}}}},
			bridged[2], say("assistant", costing(300)), say("user", "now")}
		Function(t, call, "last_user_turn_start", object{"policy": merged(s3Safe(), object{"format": "anthropic"}), "messages": anthropic[:4]}, &at)
		equal(t, "ours: the last turn of the user", at, 0)
		policy := merged(s3Safe(), object{"format": "anthropic", "window": object{"tokens": 3500}, "passes": []object{{"pass": "fold", "keep_tokens": 900, "boundary": "group", "keep_last": false}}})
		var a planned
		Call(t, call, "plan", object{"policy": merged(policy, object{"summary": object{"mode": "local", "max_output_tokens": 200}}), "messages": anthropic}, &a)
		equal(t, "ours: folded", a.Report.Folded > 0, true)
		equal(t, "ours: valid", s3Valid(t, call, "anthropic", a.Messages), true)
	}},
	{ID: "S3.48", Preset: windowed, Title: "defect: a second compaction without a model reduces the first digest to a number; ours recognizes its own digest and carries it over", Test: func(t *testing.T, call Engine) {
		twice := func(policy func() object, reply object) (first, second string) {
			list, _, _ := s3Run(t, call, policy(), 40000, costs(8000, 8000, 8000, 5000, 100), reply)
			first = list.messages[0]["content"].(string)
			list, _, _ = s3Run(t, call, merged(policy(), object{"summary": object{"mode": "minimal"}}), 40000, append(list.messages, costs(8000, 8000, 8000, 5000, 100)...), nil)
			return first, list.messages[0]["content"].(string)
		}
		first, second := twice(s3Exact, object{"text": "# Plan\nthe first digest"})
		equal(t, "exact, first", first, sessionHeader+"\n\n# Plan\nthe first digest")
		equal(t, "exact", second, sessionHeader+"\n\n# Carryover\n6 earlier messages were folded without a model.")
		_, second = twice(s3Safe, object{"text": "# Plan\nthe first digest, most of which must be kept as it is"})
		equal(t, "ours", strings.Contains(second, "the first digest"), true)
		list, _, _ := s3Run(t, call, s3Safe(), 40000, costs(8000, 8000, 8000, 5000, 100), object{"text": "# Plan\nthe first digest, most of which must be kept as it is"})
		_, asked, _ := s3Run(t, call, s3Safe(), 40000, append(list.messages, costs(8000, 8000, 8000, 5000, 100)...), s3Digested)
		inOrder(t, "ours asks with it", asked[0]["prompt"].(string), "<carried-digest>\n# Plan\nthe first digest")
	}},
	{ID: "S3.49", Preset: windowed, Title: "unlike the other engine, the tail is counted in tokens, not in turns, and the header isn't ours", Test: func(t *testing.T, call Engine) {
		turns := costs(100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100)
		equal(t, "8 tokens", s3Cut(t, call, turns, object{"keep_recent": 8}), 0)
		equal(t, "800 tokens", s3Cut(t, call, turns, object{"keep_recent": 800}), 4)
		other := say("user", "[condensed earlier context]\n\n"+costing(4900))
		_, asked, _ := s3Run(t, call, s3Safe(), 12000, append([]object{other}, costs(5000, 100)...), s3Digested)
		inOrder(t, "its digest is talk", asked[0]["prompt"].(string), "<scrollback>\n» you: [condensed earlier context]")
		for _, policy := range []object{s3Exact(), s3Safe()} {
			equal(t, "header", strings.HasPrefix(s3Condense(t, call, "condense", policy, costs(100), object{"reply": object{"id": "x", "error": "e"}}).Message, sessionHeader), true)
		}
	}},
	{ID: "S3.50", Preset: windowed, Title: "without a window nothing is ever condensed", Test: func(t *testing.T, call Engine) {
		for reason, policy := range map[string]object{"unknown_window": s3Exact(), "unlimited": merged(s3Safe(), object{"window": object{"unlimited": true}})} {
			var a planned
			Call(t, call, "plan", object{"policy": policy, "messages": costs(500000, 500000, 100)}, &a)
			equal(t, "reason", a.Report.Reason, reason)
			equal(t, "messages", a.Messages, costs(500000, 500000, 100))
		}
	}},
}

// s3Chosen lists the rows about choices that ctxfold makes where the description of the system leaves something open.
var s3Chosen = []Row{
	{ID: "S3.U1", Preset: windowed, Title: "chosen: the system text ends with the language, and with the words to keep as they are spelled", Test: func(t *testing.T, call Engine) {
		session := s3Condense(t, call, "condense", s3Exact(), costs(10), object{})
		inOrder(t, "system", session.System, "Write in the language of the conversation.", "Keep paths, names, numbers, commands and error messages exactly as they are.")
		equal(t, "of every scope", s3Condense(t, call, "branch_digest", s3Safe(), costs(10), object{}).System, session.System)
	}},
	{ID: "S3.U2", Preset: windowed, Title: "chosen: a session continues and its newest part isn't shown; a branch was abandoned, and its lessons count", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s3Exact(), s3Safe()} {
			line := func(name string) string {
				line, _, _ := strings.Cut(s3Condense(t, call, name, policy, costs(10), object{}).Prompt, "\n\n<scrollback>")
				return line
			}
			inOrder(t, "session", line("condense"), "session that continues", "is not shown.")
			inOrder(t, "branch", line("branch_digest"), "abandoned", "what was learned")
		}
	}},
	{ID: "S3.U3", Preset: windowed, Title: "chosen: the template says what belongs under each heading, and to invent nothing", Test: func(t *testing.T, call Engine) {
		var fixed struct{ Prompt string }
		s3Call(t, call, "summary_prompts", object{}, &fixed)
		inOrder(t, "template", fixed.Prompt, "in this order.", "invent nothing.", "# Objective\nWhat the user wants", "# Guardrails\nRules", "# Status\n## Shipped\nWhat is done", "## Active\nWhat is being", "## Stuck\nWhat failed",
			"# Rationale\nDecisions", "# Plan\nThe next steps", "# Carryover\nPaths")
	}},
	{ID: "S3.U4", Preset: windowed, Title: "chosen: N earlier messages were folded without a model.", Test: func(t *testing.T, call Engine) {
		d := s3Condense(t, call, "branch_digest", s3Exact(), costs(10, 10), object{"reply": object{"id": "x"}})
		equal(t, "text", d.Message, branchHeader+"\n\n# Carryover\n2 earlier messages were folded without a model.")
	}},
	{ID: "S3.U5", Preset: windowed, Title: "chosen: content that is a text is framed as one block", Test: func(t *testing.T, call Engine) {
		equal(t, "text", s3Tokens(t, call, say("user", "")), 4+2)
		equal(t, "no blocks", s3Tokens(t, call, object{"role": "user", "content": []object{}}), 4)
	}},
	{ID: "S3.U6", Preset: windowed, Title: "chosen: the prefix, the path, an empty line, the content; the path is path, file_path, filePath or similar", Test: func(t *testing.T, call Engine) {
		for _, key := range []string{"path", "file_path", "filePath", "filename", "file", "absolute_path"} {
			messages := []object{calls("1", "read", object{"limit": 10, key: "a/b.go"}), toolResult("1", "read", "package b\n", false)}
			files := s3Restored(t, call, s3Exact(), messages, object{"cut": 2})
			equal(t, key, len(files), 1)
			equal(t, "text", files[0].Text, "[Restored file after compaction] a/b.go\n\npackage b\n")
		}
		equal(t, "no path", len(s3Restored(t, call, s3Exact(), []object{calls("1", "read", object{"url": "a"}), toolResult("1", "read", "x", false)}, object{"cut": 2})), 0)
	}},
	{ID: "S3.U7", Preset: windowed, Title: "chosen: an image is [image] after the speaker", Test: func(t *testing.T, call Engine) {
		equal(t, "user", s3Flat(t, call, object{"role": "user", "content": []object{{"type": "image", "data": "AAAA"}}}), "» you: [image]\n\n")
		equal(t, "agent", s3Flat(t, call, object{"role": "assistant", "content": []object{{"type": "image", "data": "AAAA"}}}), "» agent: [image]\n\n")
	}},
	{ID: "S3.U8", Preset: windowed, Title: "chosen: tool names are compared without case, _ and -", Test: func(t *testing.T, call Engine) {
		for _, tool := range []string{"Read", "READ", "Web_Fetch", "web-search"} {
			_, out := s3Clear(t, call, s3Exact(), s3Reads(2, tool, "text"), object{"keep_recent": 1})
			equal(t, tool, clearedAt(out), []int{2})
		}
		equal(t, "restored", len(s3Restored(t, call, s3Exact(), s3Reads(1, "Read", "x"), object{"cut": 3})), 1)
		equal(t, "another name", len(s3Restored(t, call, s3Exact(), s3Reads(1, "reader", "x"), object{"cut": 3})), 0)
	}},
}
