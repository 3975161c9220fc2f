package publishedtest

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ofTurn returns the message m as part of the turn with the given index.
func ofTurn(turn int, m object) object {
	return merged(object{"turnId": object{"loopId": "loop", "turnIndex": turn}}, m)
}

// turnsOf returns n turns, each with one request and one answer.
func turnsOf(n int) (list []object) {
	for i := range n {
		name := strconv.Itoa(i)
		list = append(list, ofTurn(i, say("user", "u"+name)), ofTurn(i, say("assistant", "a"+name)))
	}
	return list
}

// overlay is a compaction block.
type overlay struct {
	KeepFirst     *struct{ StartTurn, EndTurn int } `json:"keep_first"`
	KeepRecent    *overlaySection                   `json:"keep_recent"`
	KeepCompacted *overlaySection                   `json:"keep_compacted"`
	CreatedAt     any                               `json:"createdAt"`
}

type overlaySection struct {
	Range    struct{ StartTurn, EndTurn int }
	Messages json.RawMessage
}

// ranges returns the turns that each of the block's three sections covers, or nil for a missing section.
func (b *overlay) ranges() []any {
	out := []any{nil, nil, nil}
	if b.KeepFirst != nil {
		out[0] = []int{b.KeepFirst.StartTurn, b.KeepFirst.EndTurn}
	}
	for i, s := range []*overlaySection{b.KeepCompacted, b.KeepRecent} {
		if s != nil {
			out[i+1] = []int{s.Range.StartTurn, s.Range.EndTurn}
		}
	}
	return out
}

// block returns the compaction block for messages. arguments override the defaults.
func block(t *testing.T, call Engine, policy object, messages []object, arguments object) (b overlay) {
	t.Helper()
	Function(t, call, "compaction_block", object{"policy": policy, "messages": indexed(messages), "arguments": merged(object{}, arguments)}, &b)
	return b
}

// shownContext is the result of session_context: what the model sees of a session of several loops.
type shownContext struct {
	Chain   []string
	Blocks  []struct{ Loop string }
	Events  []object
	Context json.RawMessage
	list    []any
	raw     object
}

// inContext calls session_context for loops named L0, L1, …, each of which is the parent of the next.
func inContext(t *testing.T, call Engine, policy object, loops [][]object, arguments object) (got shownContext) {
	t.Helper()
	var messages, list []object
	for i, l := range loops {
		loop := object{"id": "L" + strconv.Itoa(i), "messages": len(l)}
		if i > 0 {
			loop["parent"] = "L" + strconv.Itoa(i-1)
		}
		list = append(list, loop)
		messages = append(messages, l...)
	}
	arguments = merged(object{"loops": list, "current": "L" + strconv.Itoa(len(loops)-1), "compact": true}, arguments)
	answer := Function(t, call, "session_context", object{"policy": policy, "messages": indexed(messages), "arguments": arguments}, &got)
	decodeInto(answer, &got.raw)
	got.list = outlined(t, got.Context)
	return got
}

// small is a block configuration that keeps one first and one recent turn.
var small = object{"keep_first_turns": 1, "keep_recent_turns": 1}

// s0Overlay lists the rows about blocks, which change what the model sees without changing the messages.
var s0Overlay = []Row{
	{ID: "S0.39", Preset: layered, Title: "a block covers messages, which stay, so another block can be made of them", Test: func(t *testing.T, call Engine) {
		messages := turnsOf(6)
		one := inContext(t, call, s0Policy, [][]object{messages}, small)
		equal(t, "one block", one.list, []any{0, 1, "[Summary] a1", "[Summary] a2", "[Summary] a3", "[Summary] a4", 10, 11})
		other := inContext(t, call, s0Policy, [][]object{messages}, object{"keep_first_turns": 1, "keep_recent_turns": 4})
		equal(t, "another block", other.list, []any{0, 1, "[Summary] a1", 4, 5, 6, 7, 8, 9, 10, 11})
		equal(t, "none", inContext(t, call, s0Policy, [][]object{messages}, object{"compact": false}).list, []any{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	}},
	{ID: "S0.40", Preset: layered, Title: "keep_first, keep_recent, keep_compacted, createdAt, startTurn, endTurn, range, messages; turnId may be missing", Test: func(t *testing.T, call Engine) {
		var b map[string]json.RawMessage
		decodeInto(Function(t, call, "compaction_block", object{"policy": s0Policy, "messages": turnsOf(6), "arguments": merged(object{"created_at": "2026-05-25T00:00:00Z"}, small)}, nil), &b)
		equal(t, "block", slices.Sorted(maps.Keys(b)), []string{"createdAt", "keep_compacted", "keep_first", "keep_recent"})
		equal(t, "createdAt", b["createdAt"], "2026-05-25T00:00:00Z")
		equal(t, "keep_first", b["keep_first"], json.RawMessage(`{"startTurn":0,"endTurn":0}`))
		var s map[string]json.RawMessage
		decodeInto(b["keep_recent"], &s)
		equal(t, "section", slices.Sorted(maps.Keys(s)), []string{"messages", "range"})
		equal(t, "range", s["range"], json.RawMessage(`{"startTurn":5,"endTurn":5}`))
		decodeInto(Function(t, call, "compaction_block", object{"policy": s0Policy, "messages": turnsOf(2), "arguments": object{"is_most_recent": false, "max_summary_tokens": 0}}, nil), &b)
		old := Function(t, call, "compaction_block", object{"policy": s0Policy, "messages": turnsOf(2), "arguments": object{"is_most_recent": false, "max_summary_tokens": 0}}, nil)
		equal(t, "what is not there is left out", json.RawMessage(old), json.RawMessage(`{"createdAt":null}`))
		without := block(t, call, s0Policy, says(4, "x"), small)
		equal(t, "messages without turnId", without.ranges(), []any{[]int{0, 0}, nil, []int{3, 3}})
	}},
	{ID: "S0.41", Preset: layered, Title: "neighbours with the same turn index are a turn; a message without one is a turn of its own", Test: func(t *testing.T, call Engine) {
		turnMap := func(messages []object, ranges ...[2]int) (got struct {
			Count          int `json:"turn_count"`
			Groups, Ranges [][2]int
		}) {
			Function(t, call, "turn_map", object{"policy": s0Policy, "messages": messages, "arguments": object{"ranges": ranges}}, &got)
			return got
		}
		five := []object{ofTurn(0, say("user", "a")), ofTurn(0, say("user", "b")), ofTurn(0, say("user", "c")), ofTurn(1, say("user", "d")), ofTurn(1, say("user", "e"))}
		got := turnMap(five, [2]int{0, 0}, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 0})
		equal(t, "turns", got.Groups, [][2]int{{0, 2}, {3, 4}})
		equal(t, "ranges", got.Ranges, [][2]int{{0, 2}, {0, 4}, {0, -1}, {0, -1}})
		got = turnMap([]object{five[0], say("user", "x"), five[1], five[2]})
		equal(t, "one without parts the others", got.Groups, [][2]int{{0, 0}, {1, 1}, {2, 3}})
	}},
	{ID: "S0.42", Preset: layered, Title: "defaults: 0.90 and 0.05, 3 loops, 2 first and 10 recent turns, 2,000 tokens of lines, 50 lines of a result", Test: func(t *testing.T, call Engine) {
		messages := turnsOf(20)
		messages[39] = ofTurn(19, outputs("x", numbered(60)))
		b := block(t, call, s0Policy, messages, nil)
		equal(t, "turns", b.ranges(), []any{[]int{0, 1}, []int{2, 9}, []int{10, 19}})
		equal(t, "lines of a result", strings.Contains(string(b.KeepRecent.Messages), "[... 10 lines truncated ...]"), true)
		long := turnsOf(200)
		for i := 1; i < len(long); i += 2 {
			long[i]["content"] = strings.Repeat("x", 190) // 50 tokens with its prefix
		}
		var lines []object
		decodeInto(block(t, call, s0Policy, long, nil).KeepCompacted.Messages, &lines)
		equal(t, "lines", len(lines), 40)
		loops := [][]object{turnsOf(1), turnsOf(1), turnsOf(1), turnsOf(1), turnsOf(1)}
		equal(t, "loops", len(inContext(t, call, s0Policy, loops, nil).Blocks), 4)
		var h struct{ Headroom float64 }
		Function(t, call, "headroom", object{"policy": s0Policy, "arguments": object{"estimated": 0}}, &h)
		equal(t, "0.90 without 4,000 of 100,000", strconv.FormatFloat(h.Headroom, 'f', 4, 64), "0.8600")
	}},
	{ID: "S0.43", Preset: layered, Title: "due if less than 5 % of the window is left below 90 %: at 81,000 of 100,000 tokens", Test: func(t *testing.T, call Engine) {
		for tokens, want := range map[int]bool{80999: false, 81000: true, 81001: true} { // in doubles, 0.9 - 0.04 - 0.81 is less than 0.05
			var got struct{ Fires bool }
			Function(t, call, "headroom", object{"policy": s0Policy, "arguments": object{"estimated": tokens}}, &got)
			equal(t, strconv.Itoa(tokens), got.Fires, want)
		}
	}},
	{ID: "S0.44", Preset: layered, Title: "first turns, lines for those between until their tokens are used up, recent turns with truncated results", Test: func(t *testing.T, call Engine) {
		messages := turnsOf(20)
		messages[39] = ofTurn(19, outputs("x", numbered(9)))
		b := block(t, call, s0Policy, messages, object{"keep_first_turns": 2, "keep_recent_turns": 5, "tool_output_max_lines": 4})
		equal(t, "turns", b.ranges(), []any{[]int{0, 1}, []int{2, 14}, []int{15, 19}})
		equal(t, "truncated", strings.Contains(string(b.KeepRecent.Messages), "[... 5 lines truncated ...]"), true)
		var lines []object
		decodeInto(b.KeepCompacted.Messages, &lines)
		equal(t, "lines", []any{len(lines), lines[0]}, []any{13, say("user", "[Summary] a2")})
		// "[Summary] a2" is 3 tokens, and from "[Summary] a10" on a line is 4.
		decodeInto(block(t, call, s0Policy, messages, object{"keep_recent_turns": 5, "max_summary_tokens": 10}).KeepCompacted.Messages, &lines)
		equal(t, "three lines", lines, []object{say("user", "[Summary] a2"), say("user", "[Summary] a3"), say("user", "[Summary] a4")})
		equal(t, "no line", block(t, call, s0Policy, messages, object{"keep_recent_turns": 5, "max_summary_tokens": 2}).KeepCompacted == nil, true)
	}},
	{ID: "S0.45", Preset: layered, Title: "older loops appear as lines only; a loop without a block appears whole, one out of scope not at all", Test: func(t *testing.T, call Engine) {
		loops := [][]object{turnsOf(2), turnsOf(2), turnsOf(4)}
		got := inContext(t, call, s0Policy, loops, merged(object{"scope": 1}, small))
		equal(t, "one older loop", got.list, []any{"[Summary] a0", "[Summary] a1", 8, 9, "[Summary] a1", "[Summary] a2", 14, 15})
		equal(t, "without blocks", inContext(t, call, s0Policy, loops, object{"compact": false, "scope": 1}).list, []any{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
		kept := object{"keep_compacted": object{"range": object{"startTurn": 0, "endTurn": 1}, "messages": []object{say("user", "as it was kept")}}, "createdAt": 7}
		got = inContext(t, call, s0Policy, loops, merged(object{"scope": 1, "blocks": []object{{"loop": "L1", "block": kept}}}, small))
		equal(t, "an existing block is not written again", got.list, []any{"as it was kept", 8, 9, "[Summary] a1", "[Summary] a2", 14, 15})
	}},
	{ID: "S0.46", Preset: layered, Title: "a fixed number of older loops, or as many as fit", Test: func(t *testing.T, call Engine) {
		big := []object{ofTurn(0, say("user", strings.Repeat("x", 400)))}
		loops := [][]object{turnsOf(1), big, turnsOf(1), turnsOf(1)} // 10, 104, 10 and 10 tokens
		loopsOf := func(arguments object) (ids []string) {
			for _, b := range inContext(t, call, s0Policy, loops, arguments).Blocks {
				ids = append(ids, b.Loop)
			}
			return ids
		}
		equal(t, "two", loopsOf(object{"scope": 2}), []string{"L1", "L2", "L3"})
		equal(t, "a budget that ends at the large one", loopsOf(object{"scope": -1, "max_context_tokens": 100}), []string{"L2", "L3"})
		equal(t, "a budget for it too", loopsOf(object{"scope": -1, "max_context_tokens": 114}), []string{"L1", "L2", "L3"})
	}},
	{ID: "S0.47", Preset: layered, Title: "defect: with few turns, first and recent ones overlap and appear twice; ours has each turn once", Test: func(t *testing.T, call Engine) {
		messages := turnsOf(3)
		b := block(t, call, s0Policy, messages, nil)
		equal(t, "exact", b.ranges(), []any{[]int{0, 1}, nil, []int{0, 2}})
		equal(t, "exact, twice", inContext(t, call, s0Policy, [][]object{messages}, nil).list, []any{0, 1, 2, 3, 0, 1, 2, 3, 4, 5})
		b = block(t, call, s0Safe(), messages, nil)
		equal(t, "ours", b.ranges(), []any{[]int{0, 1}, nil, []int{2, 2}})
		equal(t, "ours, once", inContext(t, call, s0Safe(), [][]object{messages}, nil).list, []any{0, 1, 2, 3, 4, 5})
	}},
	{ID: "S0.48", Preset: layered, Title: "defect: user messages in between are lost, and focus_message has no effect; ours keeps the messages and rejects the argument", Test: func(t *testing.T, call Engine) {
		messages := turnsOf(4)
		equal(t, "exact", inContext(t, call, s0Policy, [][]object{messages}, merged(object{"focus_message": "auth"}, small)).list, []any{0, 1, "[Summary] a1", "[Summary] a2", 6, 7})
		equal(t, "ours", inContext(t, call, s0Safe(), [][]object{messages}, small).list, []any{0, 1, 2, "[Summary] a1", 4, "[Summary] a2", 6, 7})
		var answer struct{ Error struct{ Code, Path string } }
		Call(t, call, "function", object{"name": "compaction_block", "policy": s0Safe(), "messages": messages, "arguments": object{"focus_message": "auth"}}, &answer)
		equal(t, "refused", []string{answer.Error.Code, answer.Error.Path}, []string{"out_of_range", "arguments.focus_message"})
		// Calls stay with their results, whatever their turns are.
		pair := []object{ofTurn(0, say("user", "Go")), ofTurn(0, uses("look", "a")), ofTurn(1, outputs("a", "1")), ofTurn(2, uses("again", "b")), ofTurn(3, outputs("b", "2")), ofTurn(3, say("assistant", "Done"))}
		got := inContext(t, call, s0Safe(), [][]object{pair}, small)
		equal(t, "pairs", got.list, []any{0, 1, 2, 3, 4, 5})
		equal(t, "valid", validAt(t, call, got.Context), true)
		equal(t, "exact parts them", validAt(t, call, inContext(t, call, s0Policy, [][]object{pair}, small).Context), false)
	}},
	{ID: "S0.49", Preset: layered, Title: "events at the start and at the end, with counts; hosts ask before the first and report after the second", Test: func(t *testing.T, call Engine) {
		loops := [][]object{turnsOf(2), turnsOf(6)}
		got := inContext(t, call, s0Policy, loops, merged(object{"created_at": 1700000000123}, small))
		before := tokensOf(t, call, turnsOf(2)) + tokensOf(t, call, turnsOf(6))
		start := object{"type": "compaction_started", "loop_id": "L1", "estimated_tokens": before, "message_count": 16, "timestamp": 1700000000123}
		end := merged(merged(object{}, start), object{"type": "compaction_ended", "estimated_tokens_after": tokensOf(t, call, got.raw["context"]), "messages_after": 10, "loops_compacted": 2})
		equal(t, "events", got.Events, []object{start, end})
		equal(t, "none without a compaction", len(inContext(t, call, s0Policy, loops, object{"compact": false}).Events), 0)
	}},
	{ID: "S0.50", Preset: layered, Title: "the application can make each section itself, such as the compacted one by a model", Test: func(t *testing.T, call Engine) {
		messages := turnsOf(6)
		section := object{"range": object{"startTurn": 1, "endTurn": 4}, "messages": []object{say("user", "[Summary] what a model wrote")}}
		got := inContext(t, call, s0Policy, [][]object{messages}, merged(object{"sections": object{"keep_compacted": section}}, small))
		equal(t, "compacted", got.list, []any{0, 1, "[Summary] what a model wrote", 10, 11})
		got = inContext(t, call, s0Policy, [][]object{messages}, merged(object{"sections": object{"keep_first": nil}}, small))
		equal(t, "no first turns", got.list[0], "[Summary] a1")
		got = inContext(t, call, s0Policy, [][]object{messages}, merged(object{"sections": object{"keep_recent": merged(object{}, section)}}, small))
		equal(t, "recent", got.list[len(got.list)-1], "[Summary] what a model wrote")
		got = inContext(t, call, s0Policy, [][]object{messages}, merged(object{"sections": object{"keep_first": object{"startTurn": 2, "endTurn": 2}}}, small))
		equal(t, "other first turns", got.list[:2], []any{4, 5})
		var answer struct{ Error struct{ Code, Path string } }
		Call(t, call, "function", object{"name": "compaction_block", "policy": s0Policy, "messages": messages, "arguments": object{"sections": object{"keep_first": object{"start": 1}}}}, &answer)
		equal(t, "not a section", []string{answer.Error.Code, answer.Error.Path}, []string{"unknown_field", "arguments.sections.keep_first"})
	}},
}
