package publishedtest

import (
	"encoding/json"
	"testing"
)

// agentList is a list of native messages, each with its index in the input, or -1 if it is new.
type agentList struct {
	messages []object
	from     []int
	input    []object
}

// from returns the list for messages that are all unchanged.
func from(input []object) agentList {
	l := agentList{messages: input, input: input, from: make([]int, len(input))}
	for i := range l.from {
		l.from[i] = i
	}
	return l
}

// then returns the list next, which is the result of compacting l, with indexes in the input of l.
func (l agentList) then(next agentList) agentList {
	out := agentList{messages: next.messages, input: l.input}
	for _, i := range next.from {
		if i >= 0 {
			i = l.from[i]
		}
		out.from = append(out.from, i)
	}
	return out
}

// changes returns the list in the notation of the vectors.
func (l agentList) changes(t *testing.T) []object {
	t.Helper()
	list := []object{}
	for k, m := range l.messages {
		i := l.from[k]
		if i < 0 {
			list = append(list, object{"new": object{"role": m["role"], "text": m["content"], "kind": m["kind"],
				"visible_agent": m["visible_agent"], "visible_user": m["visible_user"]}})
			continue
		}
		out := object{"i": i}
		before := l.input[i]
		for _, key := range []string{"visible_agent", "visible_user", "kind"} {
			if was, now := string(bytesOf(t, before[key])), string(bytesOf(t, m[key])); was != now {
				out["changed"] = true
			}
		}
		if out["changed"] != nil {
			delete(out, "changed")
			out["visible_agent"], out["visible_user"], out["kind"] = m["visible_agent"], m["visible_user"], m["kind"]
		}
		list = append(list, out)
	}
	return list
}

// mutated returns the member of a vector that describes changes that the original made to its caller's messages.
// ctxfold makes none (S4.12, S4.39), so the tests copy this member into the result.
func mutated(t *testing.T, v Vector) any {
	t.Helper()
	var want struct {
		Mutated json.RawMessage `json:"mutated_input"`
	}
	if err := json.Unmarshal(v.Out, &want); err != nil {
		t.Fatal(err)
	}
	return want.Mutated
}

// agentPass returns the policy of the preset with its defects, but with only the given passes.
func agentPass(passes ...object) object {
	return exact(agentLoop, object{"passes": passes})
}

// forced holds options that force a compaction, regardless of the gate.
var forced = object{"force": true}

// compacted compacts messages with a policy. more are further options, and reply is the model's answer to every
// request. It returns the resulting list, the requests, and an error message if the operation failed.
func compacted(t *testing.T, call Engine, messages []object, policy object, reply object, more ...object) (list agentList, asked []object, failure string) {
	t.Helper()
	if len(messages) == 0 {
		return from(messages), nil, ""
	}
	var a struct {
		Plan     json.RawMessage
		Requests []object
		Error    *struct{ Code, Message string }
		Edits    []struct {
			Keep    []int
			Insert  object
			Set     *int
			Message object
		}
	}
	Call(t, call, "plan", object{"policy": policy, "options": options("edits", more), "messages": messages}, &a)
	for a.Error == nil && len(a.Requests) > 0 {
		asked = append(asked, a.Requests...)
		replies := []object{}
		for _, q := range a.Requests {
			replies = append(replies, merged(object{"id": q["id"]}, reply))
		}
		plan := a.Plan
		a.Plan, a.Requests = nil, nil
		Call(t, call, "step", object{"plan": plan, "summaries": replies, "messages": messages}, &a)
	}
	if a.Error != nil {
		if a.Error.Code != "summary_failed" {
			t.Fatalf("%s: %s", a.Error.Code, a.Error.Message)
		}
		return agentList{}, asked, a.Error.Message
	}
	list.input = messages
	for _, e := range a.Edits {
		switch {
		case e.Keep != nil:
			for i := e.Keep[0]; i < e.Keep[1]; i++ {
				list.messages, list.from = append(list.messages, messages[i]), append(list.from, i)
			}
		case e.Set != nil:
			list.messages, list.from = append(list.messages, e.Message), append(list.from, *e.Set)
		default:
			list.messages, list.from = append(list.messages, e.Insert), append(list.from, -1)
		}
	}
	return list, asked, ""
}

// toolLoop is the input of the vectors for summaries of tool results.
type toolLoop struct {
	Messages      []Message
	Cutoff        int
	Strategy, LLM string
	Rounds        int
}

// run archives tool results once. batch is the number of results that share a summary.
func (in *toolLoop) run(t *testing.T, call Engine, messages []object, batch int) (list agentList, asked int) {
	t.Helper()
	var strategy, mode string
	Function(t, call, "normalize_strategy", object{"policy": s4Exact(), "arguments": object{"strategy": in.Strategy}}, &strategy)
	keep := max(0, in.Cutoff)
	switch strategy {
	case "llm":
		mode = "model"
	case "heuristic":
		mode = "local"
	default:
		mode, keep = "local", 0
	}
	ok := "LLM summary"
	if batch > 0 {
		ok = "LLM batch summary"
	}
	policy := agentPass(object{"pass": "archive", "keep_recent": keep, "mode": mode, "batch": batch, "max_batches": 2})
	list, requests, _ := compacted(t, call, messages, policy, modelReply(in.LLM, ok), forced)
	return list, len(requests)
}

// compactVector tests a whole compaction.
func compactVector(t *testing.T, call Engine, v Vector) {
	var in struct {
		Messages []Message
		Config   *agentConfig
		Window   int
		LLM      string
	}
	v.Read(t, &in)
	var limit struct {
		Limit        int
		KeepTokens   int `json:"keep_tokens"`
		KeepMessages int `json:"keep_messages"`
	}
	Function(t, call, "effective_limit", object{"policy": s4Exact(), "arguments": thresholds(in.Config, in.Window)}, &limit)
	cutoff := 10
	keepTokens, reserve, maxTokens := 20000, 16384, 8000
	if c := in.Config; c != nil {
		cutoff, keepTokens, maxTokens = c.ToolCallCutoff, max(0, c.KeepRecentTokens), max(0, c.MaxTokens)
		if c.ReserveTokens > 0 {
			reserve = c.ReserveTokens
		}
	}
	policy := agentPass(object{"pass": "fold", "keep_tokens": keepTokens, "keep_messages": limit.KeepMessages, "boundary": "message"},
		object{"pass": "tool_digest", "keep_recent": max(0, cutoff)})
	policy["window"] = object{"tokens": max(0, in.Window), "reserve": reserve}
	policy["gate"] = object{"max_tokens": maxTokens}
	list, asked, failure := compacted(t, call, nativeAgent(t, in.Messages), policy, modelReply(in.LLM, "LLM summary"), forced)
	out := object{"error": nil, "prompt": nil, "messages": nil, "mutated_input": mutated(t, v)}
	if failure != "" {
		out["error"] = failure
	} else {
		out["messages"] = list.changes(t)
	}
	if len(asked) > 0 {
		out["prompt"] = tagged(t, asked[0]["prompt"].(string), summaryWords(t, call, ""), "<SUMMARIZATION_PROMPT>")
	}
	v.Want(t, out)
}
