package publishedtest

import (
	"encoding/json"
	"strings"
	"testing"
)

const agentLoop = "agent-loop"

// agentMessage has the members of S4's messages that the neutral shape lacks.
type agentMessage struct {
	VisibleAgent *bool `json:"visible_agent"`
	VisibleUser  *bool `json:"visible_user"`
	Kind         *string
	Usage        json.RawMessage
	StopReason   *string `json:"stop_reason"`
}

// nativeAgent returns messages of S4 in the native wire format.
func nativeAgent(t *testing.T, messages []Message) []object {
	t.Helper()
	list := make([]object, len(messages))
	for i, m := range messages {
		list[i] = nativeMessage(m)
		var more agentMessage
		if err := json.Unmarshal(m.Raw, &more); err != nil {
			t.Fatal(err)
		}
		if more.VisibleAgent != nil {
			list[i]["visible_agent"] = *more.VisibleAgent
		}
		if more.VisibleUser != nil {
			list[i]["visible_user"] = *more.VisibleUser
		}
		if more.Kind != nil && m.Role != "custom" {
			list[i]["kind"] = *more.Kind
		}
		if more.Usage != nil {
			list[i]["usage"] = more.Usage
		}
		if more.StopReason != nil {
			list[i]["stop_reason"] = *more.StopReason
		}
	}
	return list
}

// agentConfig is the configuration of S4.
type agentConfig struct {
	MaxMessages, MaxTokens, KeepRecent, KeepRecentTokens, ReserveTokens, ToolCallCutoff int
	ToolSummaryStrategy                                                                 string
	AutoCompact                                                                         bool
}

// thresholds returns a configuration as arguments of a function. If c is nil, there are no arguments and the defaults
// apply.
func thresholds(c *agentConfig, window int) object {
	if c == nil {
		return object{"window": window}
	}
	return object{"auto": c.AutoCompact, "window": window, "reserve": c.ReserveTokens, "max_tokens": c.MaxTokens,
		"max_messages": c.MaxMessages, "keep_tokens": c.KeepRecentTokens, "keep_messages": c.KeepRecent}
}

// s4Exact returns the preset with its defects.
func s4Exact() object { return exact(agentLoop, nil) }

// modelReply returns the reply that a script specifies for the model of a vector. For replies whose text the script
// doesn't specify, ok is the text.
func modelReply(script, ok string) object {
	switch script {
	case "error":
		return object{"error": "provider boom"}
	case "empty":
		return object{"text": ""}
	case "blank":
		return object{"text": " \n"}
	case "long":
		return object{"text": strings.Repeat("s日", 1500)}
	case "padded":
		return object{"text": "  padded summary \n"}
	}
	return object{"text": ok}
}

// askedFor is the result of a function that asks a model.
type askedFor struct {
	System, Prompt, Summary, Message string
	Error                            *string
}

// tagged returns a prompt with a tag in place of words, which is ctxfold's own wording at the beginning or the end of
// the prompt.
func tagged(t *testing.T, prompt, words, tag string) string {
	t.Helper()
	if words == "" || strings.Count(prompt, words) != 1 {
		t.Fatalf("the prompt does not hold its own words once: %.80q", words)
	}
	return strings.Replace(prompt, words, tag, 1)
}

// summaryWords returns those words of a request for a summary that are ctxfold's own.
func summaryWords(t *testing.T, call Engine, previous string) string {
	t.Helper()
	var got askedFor
	Function(t, call, "generate_summary", object{"policy": s4Exact(), "messages": []object{say("user", "x")}, "arguments": object{"previous": previous}}, &got)
	_, words, found := strings.Cut(got.Prompt, `</conversation>\n\n`)
	if previous != "" {
		_, words, found = strings.Cut(got.Prompt, `</previous-summary>\n\n`)
	}
	if !found {
		t.Fatalf("no record in the prompt: %.200q", got.Prompt)
	}
	return words
}

// toolWords returns those words of a request for a summary of tool results that are ctxfold's own.
func toolWords(t *testing.T, call Engine, batch bool) string {
	t.Helper()
	var got askedFor
	result := object{"role": "tool_result", "tool_call_id": "i", "tool_name": "n", "content": "x"}
	Function(t, call, "summarize_tool_results", object{"policy": s4Exact(), "messages": []object{result}, "arguments": object{"batch": batch}}, &got)
	end := "Tool: n\n"
	if batch {
		end = "[1]\n" + end
	}
	words, _, found := strings.Cut(got.Prompt, end)
	if !found {
		t.Fatalf("no result in the prompt: %.200q", got.Prompt)
	}
	return words
}

// s4Vectors lists the tests for the vectors of S4.
var s4Vectors = map[string]VectorTest{
	"S4.effective_limit": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Config *agentConfig
			Window int
		}
		v.Read(t, &in)
		var got struct {
			Limit, Reserve int
			Source         string
			KeepTokens     int `json:"keep_tokens"`
			KeepMessages   int `json:"keep_messages"`
		}
		Function(t, call, "effective_limit", object{"policy": s4Exact(), "arguments": thresholds(in.Config, in.Window)}, &got)
		v.Want(t, object{"limit": got.Limit, "source": got.Source, "reserve": got.Reserve, "keep_recent_tokens": got.KeepTokens, "keep_recent_messages": got.KeepMessages})
	},
	"S4.should_compact": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			Config   *agentConfig
			Window   int
		}
		v.Read(t, &in)
		v.Want(t, Function(t, call, "context_due", object{"policy": s4Exact(), "messages": nativeAgent(t, in.Messages), "arguments": thresholds(in.Config, in.Window)}, nil))
	},
	"S4.estimate_message": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Message Message }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "estimate_messages", object{"policy": s4Exact(), "messages": nativeAgent(t, []Message{in.Message})}, nil))
	},
	"S4.estimate_context": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		var got struct {
			Tokens    int
			Measured  int `json:"measured_tokens"`
			Index     int `json:"measured_message"`
			Estimated int `json:"estimated_tokens"`
		}
		Function(t, call, "estimate_context", object{"policy": s4Exact(), "messages": nativeAgent(t, in.Messages)}, &got)
		v.Want(t, object{"context_tokens": got.Tokens, "estimate_tokens": got.Estimated, "usage_index": got.Index, "usage_tokens": got.Measured})
	},
	"S4.split_by_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			Budget   int
		}
		v.Read(t, &in)
		var old int
		Function(t, call, "split_by_tokens", object{"policy": s4Exact(), "messages": nativeAgent(t, in.Messages), "arguments": object{"budget": in.Budget}}, &old)
		v.Want(t, object{"old": old, "recent": len(in.Messages) - old})
	},
	"S4.project_for_summary": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		var got []struct {
			Message int
			Text    *string
		}
		Function(t, call, "project_for_summary", object{"policy": s4Exact(), "messages": nativeAgent(t, in.Messages)}, &got)
		list := []object{}
		for _, m := range got {
			out := object{"i": m.Message}
			if m.Text != nil {
				out["content_replaced_by_one_text"] = *m.Text
			}
			list = append(list, out)
		}
		v.Want(t, object{"messages": list, "mutated_input": []int{}})
	},
	"S4.serialize_conversation": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "serialize_conversation", object{"policy": s4Exact(), "messages": nativeAgent(t, in.Messages)}, nil))
	},
	"S4.generate_summary": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages      []Message
			Previous, LLM string
		}
		v.Read(t, &in)
		arguments := object{"previous": in.Previous, "reply": modelReply(in.LLM, "LLM summary")}
		arguments["reply"].(object)["id"] = "x"
		var got askedFor
		Function(t, call, "generate_summary", object{"policy": s4Exact(), "messages": nativeAgent(t, in.Messages), "arguments": arguments}, &got)
		out := object{"error": got.Error, "summary": got.Summary, "prompt": nil}
		if got.Prompt != "" {
			tag := "<SUMMARIZATION_PROMPT>"
			if in.Previous != "" {
				tag = "<UPDATE_PROMPT>"
			}
			out["prompt"] = tagged(t, got.Prompt, summaryWords(t, call, in.Previous), tag)
		}
		v.Want(t, out)
	},
	"S4.tool_summary_llm": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			Batch    bool
			APIKey   string `json:"api_key"`
			LLM      string
		}
		v.Read(t, &in)
		reply := modelReply(in.LLM, "LLM summary")
		noKey := strings.TrimSpace(in.APIKey) == ""
		if noKey { // calling the model is the host's job, so the host reports the missing key
			reply = object{"error": "empty API key"}
		}
		reply["id"] = "x"
		var got askedFor
		Function(t, call, "summarize_tool_results", object{"policy": s4Exact(), "messages": nativeAgent(t, in.Messages),
			"arguments": object{"batch": in.Batch, "reply": reply}}, &got)
		out := object{"error": got.Error, "summary": got.Summary, "prompt": nil}
		if got.Prompt != "" && !noKey {
			tag := "<TOOL_SUMMARY_HEAD>"
			if in.Batch {
				tag = "<TOOL_SUMMARY_BATCH_HEAD>"
			}
			out["prompt"] = tagged(t, got.Prompt, toolWords(t, call, in.Batch), tag)
		}
		v.Want(t, out)
	},
	"S4.fallback_tool_summary": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Message Message }
		v.Read(t, &in)
		request := object{"policy": s4Exact(), "messages": nativeAgent(t, []Message{in.Message})}
		var fallback string
		Function(t, call, "excerpt_tool_results", request, &fallback)
		v.Want(t, object{"fallback": fallback, "message_text": toolMessage(t, call, request, false, fallback)})
	},
	"S4.batch_fallback": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			Summary  string
		}
		v.Read(t, &in)
		request := object{"policy": s4Exact(), "messages": nativeAgent(t, in.Messages), "arguments": object{"batch": true}}
		var fallback string
		Function(t, call, "excerpt_tool_results", request, &fallback)
		v.Want(t, object{"fallback": fallback, "message_with_fallback": toolMessage(t, call, request, true, fallback),
			"message_with_summary": toolMessage(t, call, request, true, in.Summary)})
	},
	"S4.normalize_strategy": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Strategy string }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "normalize_strategy", object{"policy": s4Exact(), "arguments": object{"strategy": in.Strategy}}, nil))
	},
	"S4.format_bytes": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Bytes int }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "format_bytes", object{"policy": s4Exact(), "arguments": object{"bytes": in.Bytes}}, nil))
	},
	"S4.trim_text_with_tail": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Text Text
			Max  int
		}
		v.Read(t, &in)
		request := object{"policy": s4Exact(), "text": in.Text, "arguments": object{"max": in.Max}}
		v.Want(t, object{"trim_runes": Function(t, call, "trim_runes", request, nil),
			"trim_text_with_tail": Function(t, call, "trim_with_tail", request, nil)})
	},
	"S4.tool_summary_loop": func(t *testing.T, call Engine, v Vector) {
		var in toolLoop
		v.Read(t, &in)
		list, asked := in.run(t, call, nativeAgent(t, in.Messages), 0)
		v.Want(t, object{"llm_calls": asked, "messages": list.changes(t), "mutated_input": mutated(t, v)})
	},
	"S4.async_batch": func(t *testing.T, call Engine, v Vector) {
		var in toolLoop
		v.Read(t, &in)
		list, asked := from(nativeAgent(t, in.Messages)), 0
		for range in.Rounds {
			next, n := in.run(t, call, list.messages, 4)
			list, asked = list.then(next), asked+n
		}
		v.Want(t, object{"llm_calls": asked, "messages": list.changes(t)})
	},
	"S4.recent_digest": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			Cutoff   int
		}
		v.Read(t, &in)
		messages := nativeAgent(t, in.Messages)
		policy := agentPass(object{"pass": "tool_digest", "keep_recent": max(0, in.Cutoff)})
		list, _, _ := compacted(t, call, messages, policy, nil, forced)
		v.Want(t, object{"messages": list.changes(t), "mutated_input": mutated(t, v)})
	},
	"S4.compact":               compactVector,
	"S4.truncate_tool_content": limitVector,
	"S4.with_visibility":       visibilityVector,
	"S4.classify_api_error": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Status  int
			Payload string
		}
		v.Read(t, &in)
		var got struct {
			Overflow bool
			Message  string
		}
		Function(t, call, "classify_error", object{"policy": s4Exact(), "arguments": object{"status": in.Status, "body": in.Payload}}, &got)
		v.Want(t, object{"context_length_exceeded": got.Overflow, "error": got.Message})
	},
	"S4.is_context_length_exceeded": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Error *struct{ Type, Message string }
		}
		v.Read(t, &in)
		if in.Error == nil {
			v.Want(t, Function(t, call, "is_context_overflow", object{"policy": s4Exact(), "text": ""}, nil))
			return
		}
		if in.Error.Type == "plain" {
			v.Want(t, Function(t, call, "is_context_overflow", object{"policy": s4Exact(), "text": in.Error.Message}, nil))
			return
		}
		var got struct{ Overflow bool }
		Function(t, call, "classify_error", object{"policy": s4Exact(), "arguments": object{"body": in.Error.Message, "typed": in.Error.Type == "context_length"}}, &got)
		v.Want(t, got.Overflow)
	},
}

// toolMessage returns the text that takes the place of tool results.
func toolMessage(t *testing.T, call Engine, request object, batch bool, summary string) (text string) {
	t.Helper()
	Function(t, call, "tool_results_message", object{"policy": request["policy"], "messages": request["messages"],
		"arguments": object{"batch": batch, "summary": summary}}, &text)
	return text
}

// limitVector tests the limits for tool outputs. The host stores outputs that are too large under the path <PATH>.
func limitVector(t *testing.T, call Engine, v Vector) {
	var in struct {
		Parts  []Part
		Limits struct {
			MaxLines, MaxBytes, MaxChars, LargeOutputThreshold int
			TruncateMode                                       string
		}
	}
	v.Read(t, &in)
	var want struct {
		SpillError string `json:"spill_error"`
	}
	if err := json.Unmarshal(v.Out, &want); err != nil {
		t.Fatal(err)
	}
	content := ""
	for _, p := range in.Parts {
		if (p.Type == "text" || p.Type == "tool_result") && p.Text != nil {
			content += string(*p.Text)
		}
	}
	var got struct {
		Changed, Spilled bool
		Text, Handle     string
		KeepMedia        bool `json:"keep_media"`
	}
	l := in.Limits
	Function(t, call, "limit_tool_output", object{"policy": s4Exact(), "text": content, "arguments": object{
		"max_lines": l.MaxLines, "max_bytes": l.MaxBytes, "max_chars": l.MaxChars, "spill_chars": l.LargeOutputThreshold, "mode": l.TruncateMode,
		"place": "<PATH>", "spill_error": want.SpillError}}, &got)
	out := object{"unchanged": true}
	if got.Changed {
		out = object{"blocks": []object{{"type": "text", "text": got.Text}}}
		if got.KeepMedia {
			t.Error("the published system loses parts next to the text")
		}
	}
	if got.Spilled {
		out["spilled"] = true
	}
	if want.SpillError != "" {
		out["spill_error"] = want.SpillError
	}
	v.Want(t, out)
}

// visibilityVector tests the visibility marks of a message. In the original, a copy of a message that has metadata
// shares these with it; in ctxfold a copy never does. The test reproduces the sharing by continuing with the copy
// (S4.12).
func visibilityVector(t *testing.T, call Engine, v Vector) {
	var in struct {
		Message  Message
		SetAgent bool   `json:"set_agent"`
		SetUser  bool   `json:"set_user"`
		SetKind  string `json:"set_kind"`
	}
	v.Read(t, &in)
	original := nativeAgent(t, []Message{in.Message})
	before := bytesOf(t, original)
	set := func(messages any, arguments object) (changed json.RawMessage, marks object) {
		changed = Function(t, call, "set_visibility", object{"policy": s4Exact(), "messages": messages, "arguments": arguments}, nil)
		var list []agentMessage
		if err := json.Unmarshal(changed, &list); err != nil {
			t.Fatal(err)
		}
		kind := ""
		if list[0].Kind != nil {
			kind = *list[0].Kind
		}
		return changed, object{"kind": kind, "visible_agent": list[0].VisibleAgent, "visible_user": list[0].VisibleUser}
	}
	var seen []struct{ Agent, User bool }
	Function(t, call, "visibility", object{"policy": s4Exact(), "messages": original}, &seen)
	shared := false
	for _, key := range []string{"visible_agent", "visible_user", "kind"} {
		_, found := original[0][key]
		shared = shared || found
	}
	copied, copyMarks := set(original, object{"agent": in.SetAgent, "user": in.SetUser})
	from := any(original)
	afterVisibility, afterKind := object{"metadata_nil": true}, object{"metadata_nil": true}
	if shared {
		from = copied
		afterVisibility = merged(object{"metadata_nil": false}, copyMarks)
	}
	_, kindMarks := set(from, object{"kind": in.SetKind})
	if shared {
		afterKind = merged(object{"metadata_nil": false}, kindMarks)
	}
	v.Want(t, object{"before_is_agent_visible": seen[0].Agent, "before_is_user_visible": seen[0].User, "copy": copyMarks,
		"copy_of_original_with_kind": kindMarks, "original_after_with_visibility": afterVisibility, "original_after_with_kind": afterKind})
	if string(before) != string(bytesOf(t, original)) {
		t.Error("the input has changed")
	}
}

func bytesOf(t *testing.T, v any) []byte {
	t.Helper()
	src, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
