package publishedtest

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// check returns the policy of checkpoint with its defects, for messages in the wire format ai-sdk.
func check(more object) object {
	return exact("checkpoint", merged(object{"format": "ai-sdk"}, more))
}

func checkCall(t *testing.T, call Engine, name string, messages []Message, arguments object) json.RawMessage {
	t.Helper()
	return Function(t, call, name, object{"policy": check(nil), "messages": coreMessages(messages, asJavaScript), "arguments": arguments}, nil)
}

// configNames maps the members of S2's configuration to the names of the arguments for ctxfold's functions.
var configNames = map[string]string{
	"modelContextLimit": "model_context_limit", "systemReserve": "system_reserve", "outputReserve": "output_reserve",
	"safetyBuffer": "safety_buffer", "thresholdPercent": "threshold_percent", "recentMessagesToKeep": "recent_messages_to_keep",
}

// config returns a configuration as arguments of a function. "default" gives no arguments.
func config(src json.RawMessage) object {
	out := object{}
	if len(src) == 0 || src[0] != '{' {
		return out
	}
	var members map[string]json.RawMessage
	decodeInto(src, &members)
	for name, value := range members {
		out[configNames[name]] = value
	}
	return out
}

// s2Vectors lists the tests for the vectors of S2.
var s2Vectors = map[string]VectorTest{
	"S2.estimateTokens": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Text  *Text
			Value json.RawMessage
		}
		v.Read(t, &in)
		arguments := object{}
		if in.Text != nil {
			arguments["value"] = *in.Text
		} else if in.Value != nil {
			arguments["value"] = in.Value
		}
		v.Want(t, Function(t, call, "estimate_tokens", object{"policy": check(nil), "arguments": arguments}, nil))
	},
	"S2.estimateMessagesTokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		v.Want(t, checkCall(t, call, "estimate_messages", in.Messages, object{}))
	},
	"S2.calculateThreshold": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Config json.RawMessage }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "calculate_threshold", object{"policy": check(nil), "arguments": config(in.Config)}, nil))
	},
	"S2.getContextLimit": func(t *testing.T, call Engine, v Vector) {
		got := Function(t, call, "context_limit", object{"policy": check(nil), "arguments": v.In}, nil)
		if strings.Contains(string(v.Out), "not_a_number") { // the original looks models up in an object, and here finds an inherited member
			v.Out = json.RawMessage("128000")
		}
		v.Want(t, got)
	},
	"S2.shouldCompact": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			Config   json.RawMessage
		}
		v.Read(t, &in)
		v.Want(t, checkCall(t, call, "should_compact_threshold", in.Messages, config(in.Config)))
	},
	"S2.adjustBoundaryForToolPairs": func(t *testing.T, call Engine, v Vector) {
		v.Want(t, Function(t, call, "adjust_boundary", object{"policy": check(nil), "arguments": v.In}, nil))
	},
	"S2.selectMessagesToCompact": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages []Message
			KeepLast *int `json:"keep_last"`
		}
		v.Read(t, &in)
		arguments := object{}
		if in.KeepLast != nil {
			arguments["keep_last"] = *in.KeepLast
		}
		v.Want(t, checkCall(t, call, "select_messages", in.Messages, arguments))
	},
	"S2.extractOriginalTask": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		wantText(t, checkCall(t, call, "extract_original_task", in.Messages, object{}), v.Out)
	},
	"S2.formatMessagesForSummary": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		var out struct{ Throws *string }
		if json.Unmarshal(v.Out, &out) == nil && out.Throws != nil { // the original throws because a value is missing
			var a planned
			Call(t, call, "function", object{"name": "format_messages", "policy": check(nil), "messages": coreMessages(in.Messages, asJavaScript)}, &a)
			if a.Error == nil || a.Error.Code != "summary_failed" {
				t.Errorf("got %+v, want an error", a.Error)
			}
			return
		}
		wantText(t, checkCall(t, call, "format_messages", in.Messages, object{}), v.Out)
	},
	"S2.compact":     checkCompact,
	"S2.safeCompact": checkSafe,
}

// checkInput is the input of S2's functions compact and safeCompact.
type checkInput struct {
	Messages  []Message
	Config    json.RawMessage
	LastEvent *struct{ Round int } `json:"last_event"`
	Summary   Text
	Fail      *string
}

// request returns the request for a compaction. If the vector expects an error when the last event is read, the
// original never sends such a request.
func (in *checkInput) request() object {
	fold := object{"pass": "fold", "boundary": "backward"}
	if keep, found := config(in.Config)["recent_messages_to_keep"]; found {
		fold["keep_messages"] = keep
	}
	request := object{
		"policy":   check(object{"passes": []object{fold}}),
		"options":  options("edits", []object{forced}),
		"messages": coreMessages(in.Messages, asJavaScript),
	}
	if in.LastEvent != nil {
		request["state"] = object{"round": in.LastEvent.Round}
	}
	return request
}

// event converts an answer to the event that S2 stores about a compaction, with the round, the tokens and the
// summary.
func (a *planned) event() object {
	round := struct{ Round int }{}
	decodeInto(a.State, &round)
	e := object{"round": 0, "tokensBefore": a.Report.Tokens.Before, "tokensAfter": a.Report.Tokens.After, "summaryContent": "",
		"compactedMessageIds": []string{}}
	if a.Report.Changed {
		e["round"] = round.Round
		for _, m := range a.list() {
			if added, ok := m.(object)["new"].(object); ok {
				e["summaryContent"] = added["text"]
			}
		}
	}
	return e
}

// log returns the line that S2 logs about a compaction. The line counts the selected messages but not the previous
// summary.
func (in *checkInput) log(t *testing.T, call Engine, a *planned) (line string) {
	round := struct{ Round int }{}
	decodeInto(a.State, &round)
	keep := object{}
	if n, found := config(in.Config)["recent_messages_to_keep"]; found {
		keep["keep_last"] = n
	}
	var selected struct{ Compact []int }
	decodeInto(checkCall(t, call, "select_messages", in.Messages, keep), &selected)
	Function(t, call, "compaction_log", object{"policy": check(nil), "arguments": object{"round": round.Round,
		"tokens_before": a.Report.Tokens.Before, "tokens_after": a.Report.Tokens.After, "messages": len(selected.Compact)}}, &line)
	return line
}

func (in *checkInput) result(a *planned) []any {
	if a.Report.Changed {
		return a.list()
	}
	list := []any{}
	for i := range in.Messages {
		list = append(list, object{"i": i})
	}
	return list
}

// checkTags returns a prompt with the tag of the vectors in place of the instructions.
func checkTags(t *testing.T, call Engine, round int, prompt string) string {
	t.Helper()
	var p struct{ Prompt string }
	Function(t, call, "summary_prompts", object{"policy": check(nil), "arguments": object{"round": round}}, &p)
	head, found := strings.CutSuffix(prompt, p.Prompt)
	if !found {
		t.Errorf("the prompt does not end with the instructions of round %d", round)
	}
	return head + "<INSTRUCTIONS round=" + strconv.Itoa(round) + ">"
}

func checkCompact(t *testing.T, call Engine, v Vector) {
	var in checkInput
	v.Read(t, &in)
	var want struct {
		Throws   *string
		Messages json.RawMessage
		Event    json.RawMessage
		Log      []string
		Calls    []struct {
			Prompt      json.RawMessage
			MaxTokens   int
			Temperature float64
		}
	}
	decodeInto(v.Out, &want)
	if want.Throws != nil && len(want.Calls) == 0 {
		checkThrows(t, call, &in, *want.Throws)
		return
	}
	round := 1
	if in.LastEvent != nil {
		round = in.LastEvent.Round + 1
	}
	calls := 0
	a := compacts(t, call, in.request(), func(r summaryRequest) object {
		if calls >= len(want.Calls) {
			t.Fatal("one call too many")
		}
		c := want.Calls[calls]
		calls++
		prompt, err := Marshal(checkTags(t, call, round, r.Prompt))
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, prompt, c.Prompt)
		equal(t, "max tokens", r.MaxOutputTokens, c.MaxTokens)
		equal(t, "temperature", r.Temperature, c.Temperature)
		return object{"text": in.Summary}
	})
	if a.Error != nil {
		t.Fatalf("%+v", a.Error)
	}
	equal(t, "calls", calls, len(want.Calls))
	checkList(t, in.result(&a), want.Messages)
	event := Vector{Out: want.Event}
	event.Want(t, a.event())
	log := []string{}
	if a.Report.Changed {
		log = append(log, in.log(t, call, &a))
	}
	equal(t, "log", log, want.Log)
}

// checkSafe simulates a host that works like safeCompact: it stores the event, marks the messages, and continues with
// the input if anything fails.
func checkSafe(t *testing.T, call Engine, v Vector) {
	var in checkInput
	v.Read(t, &in)
	fails := func(what string) bool { return in.Fail != nil && *in.Fail == what }
	host, logs, input := []any{}, []any{}, true
	failed := func() {
		logs = append(logs, []string{"error", "[Compaction] Failed, continuing without compaction:", "Error: boom"})
	}
	a := compacts(t, call, in.request(), func(r summaryRequest) object {
		if fails("generate") || fails("last_event") {
			return object{"error": "boom"}
		}
		return object{"text": in.Summary}
	})
	if a.Error != nil {
		t.Fatalf("%+v", a.Error)
	}
	switch {
	case a.Report.Reason == "summary_failed":
		failed()
	default:
		if a.Report.Changed {
			logs = append(logs, []string{"log", in.log(t, call, &a)})
		}
		host = append(host, []any{"save", a.event()["round"]})
		if fails("save") {
			failed()
			break
		}
		host = append(host, []any{"mark", []any{}})
		if fails("mark") {
			failed()
			break
		}
		input = !a.Report.Changed
	}
	list := in.result(&a)
	if input {
		list = in.result(&planned{})
	}
	v.Want(t, object{"messages": list, "is_input": input, "host": host, "logs": logs})
}

// checkThrows checks a vector for which the original threw an error before it called its model. If the reason is a
// tool result without a value, ctxfold fails too. If it is "tail", the program that wrote the vectors stopped the
// original, and there is nothing to compare.
func checkThrows(t *testing.T, call Engine, in *checkInput, why string) {
	t.Helper()
	a := compacts(t, call, in.request(), func(summaryRequest) object { return object{"text": in.Summary} })
	if a.Error != nil {
		t.Errorf("%+v", a.Error)
	}
	if why != "tail" && (a.Report.Changed || a.Report.Reason != "summary_failed") {
		t.Errorf("the original throws %s; ours: %+v", why, a.Report)
	}
}
