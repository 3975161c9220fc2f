package publishedtest

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

const layered = "layered"

var s0Policy = exact(layered, nil)

// s0 lists the rows of the system S0.
var s0 = append(append(append(append([]Row{}, s0Pipeline...), s0Levels...), s0Estimates...), s0Overlay...)

// levels holds the messages after a compaction, and the report.
type levels struct {
	Messages json.RawMessage
	Report   struct {
		Reason   string
		Changed  bool
		Tokens   struct{ Before, After, Limit, Window int }
		Actions  []struct{ Pass, Action string }
		Messages struct{ Before, After int }
	}
	list []any // for each message its index in the input, or its text if it is new
}

// ran returns the names of the passes that changed something.
func (l levels) ran() string {
	var names []string
	for _, a := range l.Report.Actions {
		if len(names) == 0 || names[len(names)-1] != a.Pass {
			names = append(names, a.Pass)
		}
	}
	return strings.Join(names, " ")
}

// indexed returns copies of messages, each with its index in the member mark.
func indexed(messages []object) []object {
	list := make([]object, len(messages))
	for i, m := range messages {
		list[i] = merged(object{mark: i}, m)
	}
	return list
}

// outlined returns a list of messages in the notation of levels.
func outlined(t *testing.T, messages json.RawMessage) []any {
	t.Helper()
	var list []object
	if err := json.Unmarshal(messages, &list); err != nil {
		t.Fatal(err)
	}
	out := []any{}
	for _, m := range list {
		if i, old := m[mark].(float64); old {
			out = append(out, int(i))
		} else {
			out = append(out, m["content"])
		}
	}
	return out
}

// layers compacts messages with the preset. more are additional keys of the policy.
func layers(t *testing.T, call Engine, policy object, messages []object, more object) levels {
	t.Helper()
	var got levels
	full := merged(merged(object{}, policy), more)
	Call(t, call, "plan", object{"policy": full, "messages": indexed(messages)}, &got)
	if got.Messages == nil {
		t.Fatalf("no messages under %v", full)
	}
	got.list = outlined(t, got.Messages)
	return got
}

// level calls the function that runs one pass of the preset.
func level(t *testing.T, call Engine, policy object, name string, messages []object, arguments object) levels {
	t.Helper()
	var got levels
	Function(t, call, name, object{"policy": policy, "messages": indexed(messages), "arguments": merged(object{}, arguments)}, &got)
	got.list = outlined(t, got.Messages)
	return got
}

// s0Safe returns the preset with wire_safe and otherwise its default settings.
func s0Safe() object { return safe(layered, nil) }

// uses returns an assistant message with tool calls, which have the given ids.
func uses(text string, ids ...string) object {
	content := []object{}
	if text != "" {
		content = append(content, object{"type": "text", "text": text})
	}
	for _, id := range ids {
		content = append(content, object{"type": "tool_call", "id": id, "name": "bash", "input": object{}})
	}
	return object{"role": "assistant", "content": content}
}

// outputs returns a message with a result from the tool bash.
func outputs(id, text string) object { return toolResult(id, "bash", text, false) }

// numbered returns n lines that are numbered from 1 on.
func numbered(n int) string {
	var lines []string
	for i := 1; i <= n; i++ {
		lines = append(lines, "line "+strconv.Itoa(i))
	}
	return strings.Join(lines, "\n")
}

// s0Session returns a session of four requests with 4 messages each, including a tool output of 100 lines.
func s0Session() (list []object) {
	for i := range 4 {
		id := "c" + strconv.Itoa(i)
		list = append(list, say("user", "Request "+strconv.Itoa(i)), uses("I look.", id), outputs(id, numbered(100)), say("assistant", "Done "+strconv.Itoa(i)))
	}
	return list
}

// tokensOf returns the estimated tokens of messages.
func tokensOf(t *testing.T, call Engine, messages any) (n int) {
	t.Helper()
	Function(t, call, "estimate_messages", object{"policy": s0Policy, "messages": messages}, &n)
	return n
}

// levelsOf returns the passes of the preset with limits for small sessions.
func levelsOf(lines, recent, first int) []object {
	return []object{{"pass": "truncate", "max_lines": lines}, {"pass": "collapse", "keep_recent": recent}, {"pass": "drop", "keep_first": first, "keep_recent": recent}}
}

// s0Pipeline lists the rows about the whole pipeline.
var s0Pipeline = []Row{
	{ID: "S0.1", Preset: layered, Title: "the budget is the window minus the system prompt, and never below 0", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct{ window, system, budget int }{{100000, 4000, 96000}, {100, 40, 60}, {100, 200, 0}} {
			got := layers(t, call, s0Policy, s0Session(), object{"window": object{"tokens": c.window, "reserve": c.system}})
			equal(t, "budget", got.Report.Tokens.Limit, c.budget)
		}
	}},
	{ID: "S0.2", Preset: layered, Title: "messages that fit, up to exactly the budget, are returned unchanged", Test: func(t *testing.T, call Engine) {
		messages := s0Session()
		size := tokensOf(t, call, messages)
		for _, policy := range []object{s0Policy, s0Safe()} {
			got := layers(t, call, policy, messages, object{"window": object{"tokens": size + 1, "reserve": 1}})
			equal(t, "fits", got.Report.Changed, false)
			equal(t, "the same", got.Messages, indexed(messages))
			got = layers(t, call, policy, messages, object{"window": object{"tokens": size, "reserve": 1}})
			equal(t, "one token too much", got.Report.Changed, true)
		}
	}},
	{ID: "S0.3", Preset: layered, Title: "each level works on the result of the previous one; the first that fits is the last", Test: func(t *testing.T, call Engine) {
		messages := s0Session()
		at := func(budget int) levels {
			return layers(t, call, s0Policy, messages, object{"window": object{"tokens": budget + 1, "reserve": 1}, "passes": levelsOf(10, 6, 1)})
		}
		first := at(tokensOf(t, call, messages) - 1)
		equal(t, "level 1", first.ran(), "truncate")
		equal(t, "at its size", at(first.Report.Tokens.After).ran(), "truncate")
		second := at(first.Report.Tokens.After - 1)
		equal(t, "level 2", second.ran(), "truncate collapse")
		equal(t, "what it left", second.list, []any{0, "[Summary] I look.", "[Summary] Done 0", 4, "[Summary] I look.", "[Summary] Done 1", 8, "[Summary] I look.", 10, 11, 12, 13, 14, 15})
		equal(t, "level 3", at(second.Report.Tokens.After-1).ran(), "truncate collapse drop")
	}},
	{ID: "S0.4", Preset: layered, Title: "defect: the last level's result may be over the budget; ours keeps the request and says so", Test: func(t *testing.T, call Engine) {
		messages := append(s0Session(), say("user", strings.Repeat("long ", 400)))
		tight := object{"window": object{"tokens": 40, "reserve": 20}, "passes": levelsOf(10, 6, 1)}
		got := layers(t, call, s0Policy, messages, object{"window": object{"tokens": 11, "reserve": 1}, "passes": levelsOf(10, 6, 1)})
		equal(t, "exact", len(got.list), 1)
		if got.Report.Tokens.After <= got.Report.Tokens.Limit {
			t.Errorf("%d tokens fit in %d", got.Report.Tokens.After, got.Report.Tokens.Limit)
		}
		ours := layers(t, call, s0Safe(), messages, tight)
		equal(t, "ours keeps the request", ours.list[len(ours.list)-1], len(messages)-1)
		if r := ours.Report; r.Tokens.After <= r.Tokens.Limit || r.Tokens.After >= r.Tokens.Before {
			t.Errorf("from %d to %d tokens at a limit of %d", r.Tokens.Before, r.Tokens.After, r.Tokens.Limit)
		}
	}},
	{ID: "S0.5", Preset: layered, Title: "defaults: 100,000 tokens, 4,000 for the system prompt, 10 recent and 2 first messages, 50 lines", Test: func(t *testing.T, call Engine) {
		got := layers(t, call, s0Policy, s0Session(), nil)
		equal(t, "window", object{"window": got.Report.Tokens.Window, "budget": got.Report.Tokens.Limit}, object{"window": 100000, "budget": 96000})
		var short string
		Function(t, call, "truncate_head_tail", object{"policy": s0Policy, "text": numbered(60)}, &short)
		equal(t, "50 lines", strings.Contains(short, "[... 10 lines truncated ...]"), true)
		talk := says(20, "x")
		talk[3] = say("assistant", "early")
		talk[10] = say("assistant", "late")
		list := level(t, call, s0Policy, "collapse_turns", talk, nil).list
		equal(t, "10 recent messages", []any{list[3], list[10]}, []any{"[Summary] early", 10})
		equal(t, "2 first and 10 recent messages", level(t, call, s0Policy, "drop_middle", says(20, "x"), object{"budget": 1000}).list,
			[]any{0, 1, "[Context compacted: 8 messages removed to fit context window]", 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
	}},
	{ID: "S0.6", Preset: layered, Title: "the kept part is counted in messages, not in turns or tokens", Test: func(t *testing.T, call Engine) {
		messages := []object{say("user", "Go"), uses("", "a"), outputs("a", "1"), uses("", "b"), outputs("b", strings.Repeat("2", 4000)), say("assistant", "Done")}
		got := level(t, call, s0Policy, "collapse_turns", messages, object{"keep_recent": 3})
		equal(t, "one turn, three messages", got.list, []any{0, "[Summary] [Assistant used 1 tool(s)]", 3, 4, 5})
		got = level(t, call, s0Policy, "drop_middle", messages, object{"keep_first": 1, "keep_recent": 3, "budget": 100000})
		equal(t, "first and recent", got.list, []any{0, "[Context compacted: 2 messages removed to fit context window]", 3, 4, 5})
	}},
	{ID: "S0.7", Preset: layered, Title: "the token counter can be replaced", Test: func(t *testing.T, call Engine) {
		messages := says(3, strings.Repeat("x", 40))
		limit := object{"window": object{"tokens": 101, "reserve": 1}}
		equal(t, "by default", layers(t, call, s0Policy, messages, limit).Report.Changed, false)
		equal(t, "a token for each byte", layers(t, call, s0Policy, messages, merged(object{"estimator": "bytes"}, limit)).Report.Changed, true)
	}},
}
