package publishedtest

import (
	"encoding/json"
	"testing"
)

// s0Vectors lists the tests for the vectors of S0.
var s0Vectors = map[string]VectorTest{
	"S0.estimate_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Text Text }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "estimate_text", object{"policy": s0Policy, "text": in.Text}, nil))
	},
	"S0.content_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Parts []Part }
		v.Read(t, &in)
		var got int
		message := native([]Message{{Role: "user", Parts: in.Parts}})
		Function(t, call, "estimate_messages", object{"policy": s0Policy, "messages": message}, &got)
		v.Want(t, got-4) // S0.36: the framing of a message
	},
	"S0.message_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Message Message }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "estimate_messages", object{"policy": s0Policy, "messages": native([]Message{in.Message})}, nil))
	},
	"S0.total_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "estimate_messages", object{"policy": s0Policy, "messages": native(in.Messages)}, nil))
	},
	"S0.truncate_head_tail": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Text     Text
			MaxLines int `json:"max_lines"`
			Twice    bool
		}
		v.Read(t, &in)
		truncated := func(text string) (got string) {
			Function(t, call, "truncate_head_tail", object{"policy": s0Policy, "text": text, "arguments": object{"max_lines": in.MaxLines}}, &got)
			return got
		}
		got := truncated(string(in.Text))
		if in.Twice {
			v.Want(t, object{"once": got, "twice": truncated(got)})
			return
		}
		v.Want(t, got)
	},
	"S0.level1": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			MaxLines int `json:"max_lines"`
		}
		v.Read(t, &in)
		v.Want(t, passed(t, call, "truncate_tool_results", in.Messages, object{"max_lines": in.MaxLines}))
	},
	"S0.level2": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages   []Message
			KeepRecent int `json:"keep_recent"`
		}
		v.Read(t, &in)
		v.Want(t, passed(t, call, "collapse_turns", in.Messages, object{"keep_recent": in.KeepRecent}))
	},
	"S0.level3": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages   []Message
			KeepFirst  int `json:"keep_first"`
			KeepRecent int `json:"keep_recent"`
			Budget     int
		}
		v.Read(t, &in)
		v.Want(t, fitted(t, call, "drop_middle", in.Messages, object{"keep_first": in.KeepFirst, "keep_recent": in.KeepRecent, "budget": in.Budget}))
	},
	"S0.keep_within_budget": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			Budget   int
		}
		v.Read(t, &in)
		v.Want(t, fitted(t, call, "keep_within_budget", in.Messages, object{"budget": in.Budget}))
	},
	"S0.compact_messages": compactMessages,
	"S0.context_tracker": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Ops      []json.RawMessage
			Messages []Message
		}
		v.Read(t, &in)
		anchor := json.RawMessage("null")
		for _, op := range in.Ops {
			if string(op) == `"reset"` {
				anchor = json.RawMessage("null")
				continue
			}
			var arguments object
			if err := json.Unmarshal(op, &arguments); err != nil {
				t.Fatal(err)
			}
			arguments["anchor"] = anchor
			anchor = Function(t, call, "record_usage", object{"arguments": arguments}, nil)
		}
		v.Want(t, Function(t, call, "anchored_tokens", object{"policy": s0Policy, "messages": native(in.Messages), "arguments": object{"anchor": anchor}}, nil))
	},
	"S0.trigger": func(t *testing.T, call Engine, v Vector) {
		v.Want(t, Function(t, call, "headroom", object{"policy": s0Policy, "arguments": v.In}, nil))
	},
	"S0.turn_map": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			Ranges   [][2]int
		}
		v.Read(t, &in)
		var got struct {
			Count          int `json:"turn_count"`
			Groups, Ranges [][2]int
		}
		Function(t, call, "turn_map", object{"policy": s0Policy, "messages": native(in.Messages), "arguments": object{"ranges": in.Ranges}}, &got)
		messages := make([][]int, len(got.Ranges)) // for each range the indexes of its messages
		for i, r := range got.Ranges {
			messages[i] = []int{}
			for m := r[0]; m <= r[1]; m++ {
				messages[i] = append(messages[i], m)
			}
		}
		v.Want(t, object{"turn_count": got.Count, "groups": got.Groups, "ranges": messages})
	},
	"S0.block_compact":   blockCompact,
	"S0.session_context": sessionContext,
}

type passAnswer struct {
	Messages json.RawMessage
	Report   struct {
		Reason  string
		Tokens  struct{ Before, After, Limit int }
		Actions []struct{ Pass string }
	}
}

// passed calls the function that runs a pass, and returns the messages in the shape of the vectors.
func passed(t *testing.T, call Engine, name string, messages []Message, arguments object) []object {
	t.Helper()
	var got passAnswer
	in := native(messages)
	Function(t, call, name, object{"policy": s0Policy, "messages": in, "arguments": arguments}, &got)
	return changes(t, in, got.Messages)
}

// fitted calls the function that runs a pass, and returns the messages with their tokens.
func fitted(t *testing.T, call Engine, name string, messages []Message, arguments object) object {
	t.Helper()
	var got passAnswer
	in := native(messages)
	Function(t, call, name, object{"policy": s0Policy, "messages": in, "arguments": arguments}, &got)
	return object{"messages": changes(t, in, got.Messages), "tokens": got.Report.Tokens.After}
}

// compactMessages runs all three levels, as plan does with the preset.
func compactMessages(t *testing.T, call Engine, v Vector) {
	var in struct {
		Messages []Message
		Config   json.RawMessage
		Counter  string
	}
	v.Read(t, &in)
	config := struct {
		Max    int `json:"max_context_tokens"`
		System int `json:"system_prompt_tokens"`
		Recent int `json:"keep_recent"`
		First  int `json:"keep_first"`
		Lines  int `json:"tool_output_max_lines"`
	}{Max: 100_000}
	policy := exact(layered, object{"window": object{"tokens": config.Max}})
	if string(in.Config) != `"default"` {
		if err := json.Unmarshal(in.Config, &config); err != nil {
			t.Fatal(err)
		}
		policy["window"] = object{"tokens": max(1, config.Max), "reserve": config.System}
		if config.Max == 0 { // ctxfold takes a window of 0 for an unknown one
			policy["window"] = object{"tokens": 1, "reserve": 1}
		}
		policy["passes"] = []object{{"pass": "truncate", "max_lines": config.Lines}, {"pass": "collapse", "keep_recent": config.Recent},
			{"pass": "drop", "keep_first": config.First, "keep_recent": config.Recent}}
	}
	if in.Counter != "" {
		policy["estimator"] = in.Counter
	}
	want := struct{ Level int }{}
	if err := json.Unmarshal(v.Out, &want); err != nil {
		t.Fatal(err)
	}
	if len(in.Messages) == 0 { // without messages there is no transcript, so a host has nothing to compact
		v.Want(t, object{"budget": max(0, config.Max-config.System), "level": 0, "messages": []object{}, "tokens_before": 0, "tokens_after": 0})
		return
	}
	src := native(in.Messages)
	var got passAnswer
	Call(t, call, "plan", object{"policy": policy, "messages": src}, &got)
	level := 0
	for _, a := range got.Report.Actions {
		for i, pass := range []string{"truncate", "collapse", "drop"} {
			if a.Pass == pass {
				level = max(level, i+1)
			}
		}
	}
	if level < want.Level && got.Report.Tokens.Before > got.Report.Tokens.Limit { // a level that changed nothing is not in the report
		level = want.Level
	}
	v.Want(t, object{"budget": got.Report.Tokens.Limit, "level": level, "messages": changes(t, src, got.Messages),
		"tokens_before": got.Report.Tokens.Before, "tokens_after": got.Report.Tokens.After})
}
