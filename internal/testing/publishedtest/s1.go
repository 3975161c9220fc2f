package publishedtest

import (
	"slices"
	"strings"
	"testing"
)

const turnTail = "turn-tail"

// s1 lists the rows of the system S1.
var s1 = slices.Concat(s1Cut, s1Compact, s1Record)

func tailSafe(more object) object {
	return safe(turnTail, merged(object{"format": "ai-sdk"}, more))
}

// tailFunction calls a function with the preset and its defects.
func tailFunction(t *testing.T, call Engine, name string, messages []object, arguments object, result any) {
	t.Helper()
	if messages == nil {
		messages = []object{}
	}
	Function(t, call, name, object{"policy": tail(nil), "messages": messages, "arguments": arguments}, result)
}

// sdkCalls returns a tool call in the wire format ai-sdk, and sdkResult the result of such a call.
func sdkCalls(id, name string, args any) object {
	return object{"role": "assistant", "content": []object{{"type": "tool-call", "toolCallId": id, "toolName": name, "args": args}}}
}

func sdkResult(id, name string, result any) object {
	return object{"role": "tool", "content": []object{{"type": "tool-result", "toolCallId": id, "toolName": name, "result": result}}}
}

// hundreds returns messages of 100 tokens each, one for each letter of roles: u for the user, a for the assistant, t for
// a tool message with text.
func hundreds(roles string) (list []object) {
	text := strings.Repeat("x", 400)
	for _, r := range roles {
		switch r {
		case 't':
			list = append(list, object{"role": "tool", "content": []object{{"type": "text", "text": text}}})
		case 'u':
			list = append(list, say("user", text))
		default:
			list = append(list, say("assistant", text))
		}
	}
	return list
}

func tailCut(t *testing.T, call Engine, messages []object, keep int) (cut int) {
	t.Helper()
	tailFunction(t, call, "find_cut_point", messages, object{"keep_recent_tokens": keep}, &cut)
	return cut
}

// tailRun forces a compaction with a tail of keep tokens. The replies are the model's answers to the requests, in
// order; the last one also answers all further requests.
func tailRun(t *testing.T, call Engine, policy object, keep int, messages []object, replies ...object) (a planned, asked []summaryRequest) {
	t.Helper()
	return tailRunWith(t, call, object{"answer": "edits"}, policy, keep, messages, replies...)
}

// tailRunWith is like tailRun, with options for the compaction.
func tailRunWith(t *testing.T, call Engine, options, policy object, keep int, messages []object, replies ...object) (a planned, asked []summaryRequest) {
	t.Helper()
	fold := object{"pass": "fold", "keep_tokens": keep, "boundary": "forward", "min_messages": 2}
	policy = merged(policy, object{"passes": []object{fold}})
	a = compacts(t, call, object{"policy": policy, "options": merged(options, forced), "messages": messages}, func(r summaryRequest) object {
		asked = append(asked, r)
		return merged(object{}, replies[min(len(asked), len(replies))-1])
	})
	return a, asked
}

// tailText returns the text of the digest message that a compaction has written.
func tailText(t *testing.T, a planned) string {
	t.Helper()
	for _, m := range a.list() {
		if added, ok := m.(object)["new"].(object); ok {
			return added["text"].(string)
		}
	}
	t.Fatalf("there is no digest: %+v", a.Report)
	return ""
}

// s1Cut lists the rows about estimates, the gate and the cut point.
var s1Cut = []Row{
	{ID: "S1.1", Preset: turnTail, Title: "a text costs its UTF-8 bytes / 4, rounded down", Test: func(t *testing.T, call Engine) {
		for text, want := range map[string]int{"": 0, "hi": 0, "hello": 1, "hello world": 2, "日本": 1, "日本語日": 3} {
			var got int
			Function(t, call, "estimate_text", object{"policy": tail(nil), "text": text}, &got)
			equal(t, text, got, want)
		}
	}},
	{ID: "S1.2", Preset: turnTail, Title: "defect: only texts count; ours also counts calls, results, reasoning and files", Test: func(t *testing.T, call Engine) {
		var n int
		tailFunction(t, call, "estimate_messages", nil, object{}, &n)
		equal(t, "nothing", n, 0)
		tailFunction(t, call, "estimate_messages", []object{say("user", "Hello, how are you?"), say("assistant", "I'm doing great")}, object{}, &n)
		equal(t, "texts", n, 4+3)
		long := strings.Repeat("x", 400)
		for _, m := range []object{sdkCalls("1", "read", object{"path": long}), sdkResult("1", "read", long),
			{"role": "assistant", "content": []object{{"type": "reasoning", "text": long}}}, {"role": "user", "content": []object{{"type": "image", "image": "AAAA"}}}} {
			tailFunction(t, call, "estimate_messages", []object{m}, object{}, &n)
			equal(t, "exact", n, 0)
			Function(t, call, "estimate_messages", object{"policy": tailSafe(nil), "messages": []object{m}}, &n)
			equal(t, "ours", n >= 100, true)
		}
	}},
	{ID: "S1.3", Preset: turnTail, Title: "due over the window without its reserve, not at it; never if either is missing", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			window, reserve int
			want            bool
		}{{110, 16, true}, {200, 16, false}, {116, 16, false}, {115, 16, true}, {0, 16, false}, {200, 0, false}, {-1, 16, false}, {50, -1, false}} {
			var got bool
			tailFunction(t, call, "should_compact_reserve", hundreds("u"), object{"context_window": c.window, "reserve_tokens": c.reserve}, &got)
			equal(t, "due", got, c.want)
		}
		for window, due := range map[int]bool{116: false, 115: true} {
			var checked struct{ Due bool }
			Call(t, call, "check", object{"policy": tail(object{"window": object{"tokens": window, "reserve": 16}}), "messages": hundreds("u")}, &checked)
			equal(t, "the preset's gate", checked.Due, due)
		}
	}},
	{ID: "S1.4", Preset: turnTail, Title: "the provider's last count is used if it is over 0; 0, as after a compaction, means none", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			window, last int
			want         bool
		}{{115, 0, true}, {200, 185, true}, {200, 184, false}, {115, 10, false}, {0, 500, false}} {
			var got struct {
				Due bool `json:"should_compact"`
			}
			tailFunction(t, call, "context_stats", hundreds("u"), object{"context_window": c.window, "reserve_tokens": 16, "last_input_tokens": c.last}, &got)
			equal(t, "due", got.Due, c.want)
		}
	}},
	{ID: "S1.5", Preset: turnTail, Title: "reserve 16,384 and tail 20,000 if they are 0 or less; other values stay", Test: func(t *testing.T, call Engine) {
		options := func(arguments object) (got object) {
			Function(t, call, "compaction_options", object{"policy": tail(nil), "arguments": arguments}, &got)
			return got
		}
		equal(t, "none", options(object{}), object{"context_window": 0, "reserve_tokens": 16384, "keep_recent_tokens": 20000})
		equal(t, "negative", options(object{"reserve_tokens": -5, "keep_recent_tokens": -1}), object{"context_window": 0, "reserve_tokens": 16384, "keep_recent_tokens": 20000})
		equal(t, "given", options(object{"context_window": 9, "reserve_tokens": 1, "keep_recent_tokens": 2}), object{"context_window": 9, "reserve_tokens": 1, "keep_recent_tokens": 2})
		var checked struct{ Limit int }
		Call(t, call, "check", object{"policy": tailSafe(object{"window": object{"tokens": 100000}}), "messages": hundreds("u")}, &checked)
		equal(t, "the preset's", checked.Limit, 100000-16384)
	}},
	{ID: "S1.6", Preset: turnTail, Title: "walks back until the sum exceeds the tail; fewer than 2 messages are not cut", Test: func(t *testing.T, call Engine) {
		equal(t, "none", tailCut(t, call, nil, 10), 0)
		equal(t, "one", tailCut(t, call, hundreds("u"), 10), 0)
		equal(t, "over", tailCut(t, call, hundreds("uauau"), 299), 3)
		equal(t, "not at", tailCut(t, call, hundreds("uauau"), 300), 2)
		long := []object{say("user", strings.Repeat("x", 40000)), say("assistant", strings.Repeat("x", 40000)), say("user", strings.Repeat("x", 40000)), say("assistant", strings.Repeat("x", 40000))}
		equal(t, "20,000 by default", tailCut(t, call, long, 0), 2)
	}},
	{ID: "S1.7", Preset: turnTail, Title: "the last message stays even if it alone is too large", Test: func(t *testing.T, call Engine) {
		equal(t, "cut", tailCut(t, call, hundreds("uaua"), 50), 3)
		equal(t, "cut", tailCut(t, call, hundreds("uaua"), 99), 3)
	}},
	{ID: "S1.8", Preset: turnTail, Title: "moves forward past tool results; nothing is cut if nothing follows them", Test: func(t *testing.T, call Engine) {
		equal(t, "forward", tailCut(t, call, hundreds("uattau"), 350), 4)
		equal(t, "to the end", tailCut(t, call, hundreds("uattt"), 150), 0)
	}},
	{ID: "S1.9", Preset: turnTail, Title: "fewer than 2 messages are not worth a summary; if everything fits, it stays", Test: func(t *testing.T, call Engine) {
		equal(t, "one", tailCut(t, call, hundreds("uau"), 250), 0)
		equal(t, "two", tailCut(t, call, hundreds("uau"), 150), 2)
		equal(t, "all", tailCut(t, call, hundreds("uau"), 300), 0)
	}},
	{ID: "S1.10", Preset: turnTail, Title: "figures: ten messages with 250, 500, 1,000 and 50; results of tools", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			roles      string
			keep, want int
		}{{"uauauauaua", 250, 8}, {"uauauauaua", 500, 5}, {"uauauauaua", 1000, 0}, {"uauauauaua", 50, 9}, {"uatua", 150, 4}, {"uattt", 150, 0}, {"uatta", 250, 4}} {
			equal(t, c.roles, tailCut(t, call, hundreds(c.roles), c.keep), c.want)
		}
	}},
	{ID: "S1.11", Preset: turnTail, Title: "a cut isn't moved to a user message; ours can do that, with the boundary turn", Test: func(t *testing.T, call Engine) {
		messages := hundreds("uaaauaaua")
		equal(t, "exact", tailCut(t, call, messages, 350), 6)
		for boundary, want := range map[string]int{"forward": 6, "turn": 7} {
			policy := tailSafe(object{"passes": []object{{"pass": "fold", "keep_tokens": 350, "boundary": boundary}}, "summary": object{"mode": "minimal"}})
			a := compacts(t, call, object{"policy": policy, "options": forced, "messages": messages}, nil)
			equal(t, boundary, a.Report.CutPoint, want)
		}
	}},
	{ID: "S1.12", Preset: turnTail, Title: "a turn is split if the tail doesn't begin with a user message and a user turn precedes it", Test: func(t *testing.T, call Engine) {
		for _, c := range []struct {
			roles string
			cut   int
			split bool
			start any
		}{{"uaua", 0, false, 0}, {"uaua", 4, false, nil}, {"uaua", -1, false, nil}, {"uaua", 2, false, 2}, {"uaua", 3, true, 2}, {"uataa", 4, true, 0}, {"aaaa", 2, true, 0}} {
			var got object
			tailFunction(t, call, "is_split_turn", hundreds(c.roles), object{"cut": c.cut}, &got)
			equal(t, c.roles, got, object{"is_split": c.split, "turn_start": c.start})
		}
	}},
	{ID: "S1.13", Preset: turnTail, Title: "if forced, the tail begins at the last message without tool results, with at least 2 before it", Test: func(t *testing.T, call Engine) {
		for roles, want := range map[string]int{"": 0, "u": 0, "ua": 0, "uau": 2, "uatt": 0, "uaatt": 2, "uaua": 3, "uauat": 3} {
			var got int
			tailFunction(t, call, "force_cut_point", hundreds(roles), object{}, &got)
			equal(t, roles, got, want)
		}
		a, _ := tailRun(t, call, tail(nil), 20000, hundreds("uaua"), object{"text": "H"}, object{"text": "P"})
		equal(t, "compaction", a.Report.CutPoint, 3)
	}},
}
