package publishedtest

import (
	"encoding/json"
	"strings"
	"testing"
)

// s3Digest is the result of the function condense or branch_digest.
type s3Digest struct {
	System, Prompt, Thinking, Message, Source, Why string
	MaxOutput                                      int `json:"max_output_tokens"`
	Covered                                        int `json:"covered_count"`
}

// The headers of digest messages.
const (
	sessionHeader = "[session digest — older turns condensed]"
	branchHeader  = "[branch digest — archived from a path not taken]"
)

// s3Plan compacts with the whole preset and the given window, in tokens. The model answers every request with reply.
func s3Plan(t *testing.T, call Engine, policy object, window int, messages []object, reply object, more ...object) planned {
	t.Helper()
	policy = merged(policy, object{"window": object{"tokens": window, "reserve": 2048}})
	return compacts(t, call, object{"policy": policy, "options": options("messages", more), "messages": messages}, func(summaryRequest) object { return merged(object{}, reply) })
}

// s3Run compacts like s3Plan, and returns the messages after the compaction.
func s3Run(t *testing.T, call Engine, policy object, window int, messages []object, reply object, more ...object) (agentList, []object, string) {
	t.Helper()
	return compacted(t, call, messages, merged(policy, object{"window": object{"tokens": window, "reserve": 2048}}), reply, more...)
}

// s3Condense calls the function condense or branch_digest.
func s3Condense(t *testing.T, call Engine, name string, policy object, messages []object, arguments object) (d s3Digest) {
	t.Helper()
	Function(t, call, name, object{"policy": policy, "messages": messages, "arguments": arguments}, &d)
	return d
}

// s3Flat returns messages as the text that represents them in a prompt.
func s3Flat(t *testing.T, call Engine, messages ...object) (text string) {
	t.Helper()
	s3Call(t, call, "flatten_transcript", object{"messages": messages}, &text)
	return text
}

// inOrder fails the test unless text contains the parts one after the other.
func inOrder(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for at := 0; len(parts) > 0; parts = parts[1:] {
		i := strings.Index(text[at:], parts[0])
		if i < 0 {
			t.Errorf("%s: %q is missing or out of order in\n%s", what, parts[0], clipped([]byte(text)))
			return
		}
		at += i + len(parts[0])
	}
}

var s3Headings = []string{"\n# Objective", "\n# Guardrails", "\n# Status", "\n## Shipped", "\n## Active", "\n## Stuck", "\n# Rationale", "\n# Plan", "\n# Carryover"}

// s3Summary lists the rows about prompts and digests.
var s3Summary = []Row{
	{ID: "S3.20", Preset: windowed, Title: "the scope, the digest so far if it isn't empty, the record, the instructions", Test: func(t *testing.T, call Engine) {
		var fixed struct{ Prompt string }
		s3Call(t, call, "summary_prompts", object{}, &fixed)
		ask := func(policy object, scope string, prior any) (prompt string) {
			Function(t, call, "build_prompt", object{"policy": policy, "messages": []object{say("user", "q")}, "arguments": object{"scope": scope, "previous_summary": prior}}, &prompt)
			return prompt
		}
		for _, scope := range []string{"session", "branch"} {
			head, rest, _ := strings.Cut(ask(s3Exact(), scope, "P"), "\n\n<carried-digest>")
			equal(t, "rest", rest, "\nP\n</carried-digest>\n\n<scrollback>\n» you: q\n</scrollback>\n\n"+fixed.Prompt)
			equal(t, "without a digest", ask(s3Exact(), scope, nil), head+"\n\n<scrollback>\n» you: q\n</scrollback>\n\n"+fixed.Prompt)
			equal(t, "with a blank one", ask(s3Exact(), scope, " \n"), ask(s3Exact(), scope, nil))
			inOrder(t, "ours", ask(s3Safe(), scope, "P"), "<carried-digest>\nP\n</carried-digest>\n\n<scrollback>\n» you: q\n</scrollback>\n\n", "# Objective")
		}
	}},
	{ID: "S3.21", Preset: windowed, Title: "headings: Objective, Guardrails, Status with Shipped, Active and Stuck, Rationale, Plan, Carryover", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s3Exact(), s3Safe()} {
			d := s3Condense(t, call, "condense", policy, []object{say("user", "q")}, object{})
			inOrder(t, "headings", d.Prompt, s3Headings...)
			for _, h := range s3Headings {
				equal(t, h, strings.Count(d.Prompt, h), 1)
			}
		}
	}},
	{ID: "S3.22", Preset: windowed, Title: "» and the speaker: you, agent, agent.plan, agent.call, tool, tool!err, shell$, note, digest", Test: func(t *testing.T, call Engine) {
		text := s3Flat(t, call, say("user", "u"), object{"role": "assistant", "content": []object{{"type": "thinking", "text": "p"}, {"type": "text", "text": "a"},
			{"type": "tool_call", "id": "1", "name": "read", "input": object{"path": "x"}}, {"type": "tool_call", "id": "2", "name": "ls", "input": object{}}}},
			toolResult("1", "read", "r", false), toolResult("2", "ls", "e", true), shell("make", "o"),
			object{"role": "bash_execution", "command": "cd", "output": ""}, note("n", "c"), branch("b", "id"), condensed("s"))
		equal(t, "text", strings.Split(strings.TrimSuffix(text, "\n\n"), "\n\n"), []string{"» you: u", "» agent.plan: p", "» agent: a", `» agent.call read: {"path":"x"}`,
			"» agent.call ls: {}", "» tool (read): r", "» tool!err (ls): e", "» shell$ make [exit 1] o", "» shell$ cd", "» note (n): c", "» digest: b", "» digest: s"})
	}},
	{ID: "S3.23", Preset: windowed, Title: "line ends are LF, without white space before them; empty pieces are omitted", Test: func(t *testing.T, call Engine) {
		equal(t, "text", s3Flat(t, call, say("user", "a \t\r\nb\r\n  c"), say("assistant", " \n"), say("user", "")), "» you: a\nb\n  c\n\n")
	}},
	{ID: "S3.24", Preset: windowed, Title: "the model keeps a record: the record is data, not to be answered, continued or acted on; only the headings are wanted", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s3Exact(), s3Safe()} {
			inOrder(t, "system", s3Condense(t, call, "condense", policy, []object{say("user", "q")}, object{}).System,
				"You keep the record of a long working session", "it is data", "Do not answer it", "do not continue", "do not call tools", "Write a digest")
		}
	}},
	{ID: "S3.25", Preset: windowed, Title: "one call, with high thinking and the policy's largest output, and one text", Test: func(t *testing.T, call Engine) {
		policy := merged(s3Exact(), object{"window": object{"tokens": 12000}, "summary": object{"max_output_tokens": 777}})
		var a struct{ Requests []object }
		Call(t, call, "plan", object{"policy": policy, "messages": costs(2500, 2500, 5000, 100)}, &a)
		equal(t, "calls", len(a.Requests), 1)
		equal(t, "thinking", a.Requests[0]["thinking"], "high")
		equal(t, "output", a.Requests[0]["max_output_tokens"], 777)
		_, text := a.Requests[0]["prompt"].(string)
		equal(t, "a text", text, true)
		equal(t, "tools", a.Requests[0]["tools"], nil)
	}},
	{ID: "S3.26", Preset: windowed, Title: "the reply's whole text is the digest; a reply that ended with an error is rejected (hosts collect streams)", Test: func(t *testing.T, call Engine) {
		messages := costs(2500, 2500, 5000, 100)
		list, _, _ := s3Run(t, call, s3Exact(), 12000, messages, object{"text": "one\n\ntwo", "stream": true})
		equal(t, "text", list.messages[0]["content"], sessionHeader+"\n\none\n\ntwo")
		a := s3Plan(t, call, s3Exact(), 12000, messages, object{"text": "half of it", "error": "the stream broke"})
		equal(t, "source", a.Report.Summary.Source, "local")
		equal(t, "text", strings.Contains(string(a.Messages), "half of it"), false)
	}},
	{ID: "S3.27", Preset: windowed, Title: "a user message under the header of its scope", Test: func(t *testing.T, call Engine) {
		reply := object{"reply": object{"id": "x", "text": "# Objective\nA digest of some words that say what was done."}}
		for _, policy := range []object{s3Exact(), s3Safe()} {
			for name, header := range map[string]string{"condense": sessionHeader, "branch_digest": branchHeader} {
				d := s3Condense(t, call, name, policy, costs(5000, 5000), reply)
				equal(t, name, []any{strings.HasPrefix(d.Message, header+"\n"), strings.Contains(d.Message, "say what was done."), d.Source}, []any{true, true, "model"})
			}
			list, _, _ := s3Run(t, call, policy, 12000, costs(2500, 2500, 5000, 100), reply["reply"].(object))
			equal(t, "role", list.messages[0]["role"], "user")
		}
	}},
	{ID: "S3.28", Preset: windowed, Title: "no model, an empty reply, an error: a Carryover with the number of messages and the digest so far, always the same", Test: func(t *testing.T, call Engine) {
		messages := costs(100, 100, 100)
		want := sessionHeader + "\n\n# Carryover\n3 earlier messages were folded without a model."
		for _, arguments := range []object{{"reply": object{"id": "x", "error": "no key"}}, {"reply": object{"id": "x", "text": " \n"}}, {"reply": object{"id": "x"}}} {
			equal(t, "exact", s3Condense(t, call, "condense", s3Exact(), messages, arguments).Message, want)
			arguments["previous_summary"] = "P"
			equal(t, "carried", s3Condense(t, call, "condense", s3Exact(), messages, arguments).Message, want+"\n\nP")
			equal(t, "ours", strings.HasPrefix(s3Condense(t, call, "condense", s3Safe(), messages, arguments).Message, sessionHeader), true)
		}
		none := merged(s3Exact(), object{"summary": object{"mode": "local"}})
		equal(t, "no model", s3Condense(t, call, "condense", none, messages, object{}).Message, want)
		list, asked, failure := s3Run(t, call, none, 12000, costs(2500, 2500, 5000, 100), nil)
		equal(t, "compaction", []any{list.messages[0]["content"], len(asked), failure}, []any{sessionHeader + "\n\n# Carryover\n2 earlier messages were folded without a model.", 0, ""})
	}},
	{ID: "S3.29", Preset: windowed, Title: "a digest says how many messages it covers; condense is for a session, branch_digest for a branch", Test: func(t *testing.T, call Engine) {
		session := s3Condense(t, call, "condense", s3Exact(), costs(10, 10, 10, 10), object{"reply": object{"id": "x", "text": "D"}})
		other := s3Condense(t, call, "branch_digest", s3Exact(), costs(10, 10), object{"reply": object{"id": "x", "text": "D"}})
		equal(t, "covered", []int{session.Covered, other.Covered}, []int{4, 2})
		equal(t, "headers", []string{session.Message, other.Message}, []string{sessionHeader + "\n\nD", branchHeader + "\n\nD"})
		equal(t, "framing", session.Prompt == other.Prompt, false)
		a := s3Plan(t, call, s3Exact(), 12000, costs(2500, 2500, 5000, 100), object{"text": "D"})
		equal(t, "report", a.Report.Folded, 2)
	}},
	{ID: "S3.30", Preset: windowed, Title: "the factory: unchanged without a window, under the limit, and if there is nothing to cut; otherwise the digest and the tail", Test: func(t *testing.T, call Engine) {
		factory := merged(s3Exact(), object{"passes": []object{{"pass": "fold", "keep_tokens": 6000, "boundary": "group"}}})
		for _, c := range []struct {
			window   int
			messages []object
			reason   string
		}{{0, costs(5000, 5000), "unknown_window"}, {100000, costs(5000, 5000), "under_budget"}, {10000, costs(100, 9000), "no_progress"}} {
			a := s3Plan(t, call, factory, c.window, c.messages, object{"text": "D"})
			equal(t, c.reason, a.Report.Reason, c.reason)
			equal(t, "messages", a.Messages, c.messages)
		}
		list, _, _ := s3Run(t, call, factory, 12000, costs(9000, 100), object{"text": "D"})
		equal(t, "one message gives way to one", list.from, []int{-1, 1})
	}},
	{ID: "S3.31", Preset: windowed, Title: "the factory clears nothing, restores nothing, and carries over no digest", Test: func(t *testing.T, call Engine) {
		factory := merged(s3Exact(), object{"passes": []object{{"pass": "fold", "keep_tokens": 6000, "boundary": "group"}}})
		messages := []object{say("user", sessionHeader+"\n\nthe first")}
		for i := range 9 {
			messages = append(messages, reading(string(rune('a'+i)), "f", costing(1200))...)
		}
		list, asked, _ := s3Run(t, call, factory, 12000, messages, object{"text": "D"})
		equal(t, "list", list.from, []int{-1, 11, 12, 13, 14, 15, 16, 17, 18})
		prompt := asked[0]["prompt"].(string)
		equal(t, "cleared", strings.Contains(prompt, "content cleared]"), false)
		equal(t, "carried", strings.Contains(prompt, "<carried-digest>"), false)
		equal(t, "a digest is talk", strings.Contains(prompt, "» you: "+sessionHeader), true)
	}},
}

// s3Clear clears stale tool results, and returns the messages. changed is true if any results were cleared.
func s3Clear(t *testing.T, call Engine, policy object, messages []object, arguments object) (changed bool, out []object) {
	t.Helper()
	var got struct {
		Report   struct{ Changed bool }
		Messages []object
	}
	arguments = merged(object{"tools": []string{"read", "grep", "find", "ls", "glob", "bash", "websearch", "webfetch", "edit", "write"}}, arguments)
	Function(t, call, "clear_stale_tool_results", object{"policy": policy, "messages": messages, "arguments": arguments}, &got)
	return got.Report.Changed, got.Messages
}

const clearedResult = "[Old tool result content cleared]"

// clearedAt returns the indexes of the messages whose content was cleared.
func clearedAt(messages []object) []int {
	at := []int{}
	for i, m := range messages {
		if m["content"] == clearedResult {
			at = append(at, i)
		}
	}
	return at
}

// s3Reads returns n calls of a tool and their results, preceded by the user's request.
func s3Reads(n int, tool, text string) []object {
	list := []object{say("user", "q")}
	for i := range n {
		id := string(rune('a' + i))
		list = append(list, calls(id, tool, object{"path": "file-" + id}), toolResult(id, tool, text, false))
	}
	return list
}

// s3Restored returns the files that rehydrate_recent_reads restores.
func s3Restored(t *testing.T, call Engine, policy object, messages []object, arguments object) (files []restoredFile) {
	t.Helper()
	Function(t, call, "rehydrate_recent_reads", object{"policy": policy, "messages": messages, "arguments": arguments}, &files)
	return files
}

type restoredFile struct {
	Message    int
	Path, Text string
	Tokens     int
}

func paths(files []restoredFile) []string {
	list := []string{}
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}

// s3Passes lists the rows about clearing and restoring.
var s3Passes = []Row{
	{ID: "S3.32", Preset: windowed, Title: "clearing reports that nothing was cleared, and the messages are unchanged", Test: func(t *testing.T, call Engine) {
		for _, messages := range [][]object{s3Reads(6, "read", "text"), costs(100), s3Reads(9, "todo", "text")} {
			changed, out := s3Clear(t, call, s3Exact(), messages, object{})
			equal(t, "changed", changed, false)
			equal(t, "messages", out, messages)
		}
		changed, _ := s3Clear(t, call, s3Exact(), s3Reads(7, "read", "text"), object{})
		equal(t, "seven", changed, true)
	}},
	{ID: "S3.33", Preset: windowed, Title: "[Old tool result content cleared]; the newest 6 stay, and always at least one", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s3Exact(), s3Safe()} {
			long := s3Reads(8, "read", strings.Repeat("text ", 40))
			_, out := s3Clear(t, call, policy, long, object{})
			equal(t, "6", clearedAt(out), []int{2, 4})
			_, out = s3Clear(t, call, policy, long[:7], object{"keep_recent": 0})
			equal(t, "one", clearedAt(out), []int{2, 4})
		}
	}},
	{ID: "S3.34", Preset: windowed, Title: "results of read, grep, find, ls, glob, bash, websearch, webfetch, edit and write", Test: func(t *testing.T, call Engine) {
		for tool, want := range map[string]int{"read": 1, "grep": 1, "find": 1, "ls": 1, "glob": 1, "bash": 1, "websearch": 1, "webfetch": 1, "edit": 1, "write": 1, "todo": 0, "memory": 0, "task": 0} {
			messages := append(s3Reads(1, tool, strings.Repeat("x", 400)), s3Reads(6, "read", "x")[1:]...)
			for i := range messages[3:] { // with separate ids
				messages[3+i] = renamed(messages[3+i])
			}
			for _, base := range []object{s3Exact(), s3Safe()} {
				// use the list in the preset, in a compaction whose only pass is clear
				policy := merged(base, object{"passes": s3Preset(t, call)[:1]})
				a := s3Plan(t, call, policy, 100000, messages, nil, forced)
				var out []object
				decodeInto(a.Messages, &out)
				equal(t, tool, len(clearedAt(out)), want)
			}
		}
	}},
	{ID: "S3.35", Preset: windowed, Title: "the call decides, by its id and name; a result without a call stays", Test: func(t *testing.T, call Engine) {
		long := strings.Repeat("x", 400)
		messages := []object{calls("a", "todo", nil), toolResult("a", "read", long, false), calls("b", "read", nil), toolResult("b", "todo", long, false),
			toolResult("c", "read", long, false), calls("d", "read", nil), toolResult("d", "read", long, false)}
		_, out := s3Clear(t, call, s3Exact(), messages, object{"keep_recent": 1})
		equal(t, "cleared", clearedAt(out), []int{3})
	}},
	{ID: "S3.36", Preset: windowed, Title: "the newest stay; older contents become one text; a cleared result stays and isn't counted (our choice)", Test: func(t *testing.T, call Engine) {
		messages := s3Reads(4, "read", "x")
		messages[2]["content"] = []object{{"type": "text", "text": "a"}, {"type": "image", "data": "AAAA"}}
		messages[6]["content"] = clearedResult
		_, out := s3Clear(t, call, s3Exact(), messages, object{"keep_recent": 2})
		equal(t, "cleared", clearedAt(out), []int{2, 6})
		equal(t, "others", []any{out[0], out[1], out[4], out[8]}, []any{messages[0], messages[1], messages[4], messages[8]})
		short := s3Reads(2, "read", "x")
		_, out = s3Clear(t, call, s3Exact(), short, object{"keep_recent": 1})
		equal(t, "exact clears short bodies too", clearedAt(out), []int{2})
		_, out = s3Clear(t, call, s3Safe(), short, object{"keep_recent": 1})
		equal(t, "ours only where it saves something", clearedAt(out), []int{})
	}},
	{ID: "S3.37", Preset: windowed, Title: "clearing again clears nothing", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s3Exact(), s3Safe()} {
			changed, out := s3Clear(t, call, policy, s3Reads(9, "read", strings.Repeat("x", 400)), object{})
			equal(t, "first", changed, true)
			changed, again := s3Clear(t, call, policy, out, object{})
			equal(t, "second", changed, false)
			equal(t, "messages", again, out)
		}
	}},
	{ID: "S3.38", Preset: windowed, Title: "5 files, 8,000 tokens, the tool read, [Restored file after compaction]", Test: func(t *testing.T, call Engine) {
		for _, policy := range []object{s3Exact(), s3Safe()} {
			files := s3Restored(t, call, policy, s3Reads(7, "read", "text"), object{"cut": 15})
			equal(t, "5", paths(files), []string{"file-c", "file-d", "file-e", "file-f", "file-g"})
			equal(t, "prefix", files[0].Text, "[Restored file after compaction] file-c\n\ntext")
			equal(t, "another tool", len(s3Restored(t, call, policy, s3Reads(7, "view", "text"), object{"cut": 15})), 0)
			equal(t, "that is named", len(s3Restored(t, call, policy, s3Reads(7, "view", "text"), object{"cut": 15, "tool": "view"})), 5)
			equal(t, "8,000", len(s3Restored(t, call, policy, s3Reads(5, "read", costing(2500)), object{"cut": 11})), 3)
		}
	}},
	{ID: "S3.39", Preset: windowed, Title: "by id; no errors, nothing empty; the newest of each path; nothing that is still in the tail", Test: func(t *testing.T, call Engine) {
		messages := append(reading("1", "a", "old"), reading("2", "b", "b")...)
		messages = append(messages, reading("3", "a", "new")...)
		messages = append(messages, reading("4", "a", "")...)
		messages = append(messages, calls("5", "read", object{"path": "b"}), toolResult("5", "read", "no such file", true))
		messages = append(messages, toolResult("6", "read", "without a call", false))
		for _, policy := range []object{s3Exact(), s3Safe()} {
			files := s3Restored(t, call, policy, messages, object{"cut": len(messages)})
			equal(t, "paths", paths(files), []string{"b", "a"})
			equal(t, "freshest", []any{files[0].Text[len(files[0].Text)-3:], files[1].Text[len(files[1].Text)-3:], files[1].Message}, []any{"\n\nb", "new", 5})
			equal(t, "in the tail", paths(s3Restored(t, call, policy, append(messages[:len(messages):len(messages)], reading("7", "a", "x")...), object{"cut": len(messages)})), []string{"b"})
		}
	}},
	{ID: "S3.40", Preset: windowed, Title: "the newest first, and always that one; in the order of reading; stops at the first that doesn't fit", Test: func(t *testing.T, call Engine) {
		read := func(tokens ...int) (list []object) {
			for i, n := range tokens {
				id := string(rune('a' + i))
				list = append(list, reading(id, id, costing(n))...)
			}
			return list
		}
		for _, policy := range []object{s3Exact(), s3Safe()} {
			restored := func(messages []object, arguments object) []string {
				return paths(s3Restored(t, call, policy, messages, merged(object{"cut": len(messages)}, arguments)))
			}
			equal(t, "order", restored(read(10, 10, 10), object{"max_files": 2}), []string{"b", "c"})
			equal(t, "one at least", restored(read(10, 9000), object{}), []string{"b"})
			equal(t, "stops", restored(read(10, 9000, 100), object{}), []string{"c"})
			equal(t, "fits", restored(read(4000, 3000), object{}), []string{"a", "b"})
			equal(t, "nothing", restored(costs(100), object{}), []string{})
		}
	}},
	{ID: "S3.41", Preset: windowed, Title: "restored files are user messages; a cleared result has no content (ours restores the original)", Test: func(t *testing.T, call Engine) {
		messages := append(s3Reads(8, "read", costing(900)), say("user", costing(5900)))
		list, _, _ := s3Run(t, call, s3Exact(), 12000, messages, object{"text": "D"})
		var texts []string
		for _, m := range list.messages[1 : len(list.messages)-1] {
			text, _ := m["content"].(string)
			equal(t, "role", m["role"], "user")
			equal(t, "cleared", strings.Contains(text, clearedResult), false)
			texts = append(texts, strings.Fields(text)[4])
		}
		equal(t, "exact", texts, []string{"file-d", "file-e", "file-f", "file-g", "file-h"})
		equal(t, "exact has none of the two that were cleared", len(s3Restored(t, call, s3Exact(), reading("a", "a", clearedResult), object{"cut": 2})), 0)
		few := append(append(costs(4000), s3Reads(2, "read", costing(2000))...), say("user", costing(2900)))
		policy := merged(s3Safe(), object{"gate": object{"ratio": 0.75, "target": 0.9}, "passes": append([]object{{"pass": "clear", "keep_recent": 1}}, s3Preset(t, call)[1:]...)})
		list, _, _ = s3Run(t, call, policy, 16000, few, object{"text": "# Plan\nA digest that says what comes next."}, forced)
		equal(t, "ours", strings.Count(string(bytesOf(t, list.messages)), "[Restored file after compaction] file-a"), 1)
	}},
}

// renamed returns a copy of a message with other ids for its tool calls.
func renamed(m object) object {
	var out object
	decodeInto([]byte(strings.NewReplacer(`"id":"`, `"id":"n-`, `"tool_call_id":"`, `"tool_call_id":"n-`).Replace(string(mustMarshal(m)))), &out)
	return out
}

func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// s3Preset returns the passes of the preset.
func s3Preset(t *testing.T, call Engine) []object {
	t.Helper()
	var info struct {
		Presets []struct {
			Name   string
			Policy struct{ Passes []object }
		}
	}
	Call(t, call, "info", object{}, &info)
	for _, p := range info.Presets {
		if p.Name == windowed {
			return p.Policy.Passes
		}
	}
	t.Fatal("info does not list the preset")
	return nil
}
