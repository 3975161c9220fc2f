package publishedtest

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
)

// tail returns the policy of the preset turn-tail with its defects, for messages in the wire format ai-sdk.
func tail(more object) object { return exact("turn-tail", merged(object{"format": "ai-sdk"}, more)) }

// tailCall calls a function on messages, with the policy that tail returns.
func tailCall(t *testing.T, call Engine, name string, messages []Message, arguments object) json.RawMessage {
	t.Helper()
	return Function(t, call, name, object{"policy": tail(nil), "messages": coreMessages(messages, asGo), "arguments": arguments}, nil)
}

// onMessages returns the test for a file of vectors. Each vector has messages and the named arguments as the input of
// a function, and the function's result.
func onMessages(name string, arguments ...string) VectorTest {
	return func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		v.Want(t, tailCall(t, call, name, in.Messages, v.arguments(t, arguments...)))
	}
}

// arguments returns the named members of a vector's input.
func (v *Vector) arguments(t *testing.T, names ...string) object {
	t.Helper()
	var all map[string]json.RawMessage
	v.Read(t, &all)
	out := object{}
	for _, name := range names {
		out[name] = all[name]
	}
	return out
}

// fileOps compares lists of files. An empty list in ctxfold's result corresponds to a missing one in the original's.
func fileOps(t *testing.T, v Vector, got json.RawMessage) {
	t.Helper()
	var lists map[string][]string
	decodeInto(got, &lists)
	v.Want(t, object{"read": orNil(lists["read"]), "modified": orNil(lists["modified"])})
}

func orNil(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// s1Vectors lists the tests for the vectors of S1.
var s1Vectors = map[string]VectorTest{
	"S1.estimate_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Text Text }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "estimate_text", object{"policy": tail(nil), "text": in.Text}, nil))
	},
	"S1.estimate_message_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		var sums, per []int
		decodeInto(tailCall(t, call, "prefix_tokens", in.Messages, object{}), &sums)
		for i := range in.Messages {
			per = append(per, sums[i+1]-sums[i])
		}
		if per == nil {
			per = []int{}
		}
		v.Want(t, object{"total": tailCall(t, call, "estimate_messages", in.Messages, object{}), "per_message": per})
	},
	"S1.should_compact":  onMessages("should_compact_reserve", "context_window", "reserve_tokens"),
	"S1.find_cut_point":  onMessages("find_cut_point", "keep_recent_tokens"),
	"S1.force_cut_point": onMessages("force_cut_point"),
	"S1.is_split_turn":   onMessages("is_split_turn", "cut"),
	"S1.options_defaults": func(t *testing.T, call Engine, v Vector) {
		v.Want(t, Function(t, call, "compaction_options", object{"policy": tail(nil), "arguments": v.In}, nil))
	},
	"S1.kit_should_compact": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages        []Message
			ModelKnown      bool `json:"model_known"`
			ContextWindow   int  `json:"context_window"`
			Opts            string
			ReserveTokens   int `json:"reserve_tokens"`
			LastInputTokens int `json:"last_input_tokens"`
		}
		v.Read(t, &in)
		arguments := object{"last_input_tokens": in.LastInputTokens}
		if in.ModelKnown {
			arguments["context_window"] = in.ContextWindow
		}
		if in.Opts == "set" {
			arguments["reserve_tokens"] = in.ReserveTokens
		}
		v.Want(t, tailCall(t, call, "context_stats", in.Messages, arguments))
	},
	"S1.serialize_messages": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		wantText(t, tailCall(t, call, "serialize_messages", in.Messages, object{}), v.Out)
	},
	"S1.truncate_tool_result": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Text Text }
		v.Read(t, &in)
		wantText(t, Function(t, call, "truncate_tool_result", object{"policy": tail(nil), "text": in.Text}, nil), v.Out)
	},
	"S1.extract_file_ops": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		fileOps(t, v, tailCall(t, call, "extract_file_ops", in.Messages, object{}))
	},
	"S1.file_ops_merge": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Messages     []Message
			PrevRead     []string `json:"prev_read"`
			PrevModified []string `json:"prev_modified"`
		}
		v.Read(t, &in)
		fileOps(t, v, tailCall(t, call, "merge_file_ops", in.Messages, object{"read": in.PrevRead, "modified": in.PrevModified}))
	},
	"S1.compact": tailCompact,
}

// tailReply is a reply of a vector's scripted model: text or an error.
type tailReply struct {
	Text  string
	Error string
}

func (r *tailReply) UnmarshalJSON(src []byte) error {
	if src[0] == '"' {
		return json.Unmarshal(src, &r.Text)
	}
	type plain tailReply
	return json.Unmarshal(src, (*plain)(r))
}

// tailInput is the input of S1's function Compact.
type tailInput struct {
	Messages     []Message
	Keep         int    `json:"keep_recent_tokens"`
	Prompt       string `json:"summary_prompt"`
	Instructions string `json:"custom_instructions"`
	Replies      []tailReply
	Stream       string
	Prev         *struct{ Read, Modified []string }
}

func (in *tailInput) request() object {
	request := object{
		"policy": tail(object{"summary": object{"prompt": in.Prompt, "instructions": in.Instructions},
			"passes": []object{{"pass": "fold", "keep_tokens": in.Keep, "boundary": "forward"}}}),
		"options":  options("edits", []object{forced}),
		"messages": coreMessages(in.Messages, asGo),
	}
	if in.Prev != nil {
		request["state"] = object{"round": 1, "ledger": object{"read": in.Prev.Read, "modified": in.Prev.Modified}}
	}
	return request
}

// tailHost is a host that answers requests, and streams its answers, as the script of a vector specifies.
type tailHost struct {
	in     *tailInput
	calls  []json.RawMessage // the prompts as JSON
	chunks []string
}

func (h *tailHost) answer(prompt json.RawMessage, lead string) object {
	in := h.in
	streams := in.Stream != "none"
	show := func(delta string) bool {
		if delta == "" {
			return true
		}
		h.chunks = append(h.chunks, delta)
		return in.Stream != "abort_after_1"
	}
	if streams {
		show(lead)
	}
	reply := in.Replies[len(h.calls)%len(in.Replies)]
	h.calls = append(h.calls, prompt)
	switch {
	case reply.Error != "":
		return object{"error": reply.Error, "stream": streams}
	case streams && !(show(reply.Text[:len(reply.Text)/2]) && show(reply.Text[len(reply.Text)/2:])):
		return object{"error": "stop", "stream": true}
	}
	return object{"text": reply.Text, "stream": streams}
}

// tailTags returns a replacer that replaces the fixed texts of prompts with the tags that the test vectors have for them.
func tailTags(t *testing.T, call Engine) *strings.Replacer {
	var p struct {
		Prompt     string
		TurnPrefix string `json:"turn_prefix"`
	}
	Function(t, call, "summary_prompts", object{"policy": tail(nil)}, &p)
	return strings.NewReplacer(p.Prompt, "<DEFAULT_SUMMARY_PROMPT>", p.TurnPrefix, "<SPLIT_PREFIX_INSTRUCTION>")
}

func tailCompact(t *testing.T, call Engine, v Vector) {
	var in tailInput
	v.Read(t, &in)
	var want struct {
		Calls []struct {
			Prompt json.RawMessage
			Stream bool
		}
		Chunks   []string
		Error    *string
		Messages json.RawMessage
		Result   json.RawMessage
	}
	decodeInto(v.Out, &want)
	tags := tailTags(t, call)
	host := &tailHost{in: &in}
	a := compacts(t, call, in.request(), func(r summaryRequest) object {
		prompt, err := Marshal(tags.Replace(r.Prompt))
		if err != nil {
			t.Fatal(err)
		}
		return host.answer(prompt, r.Lead)
	})
	if len(host.calls) != len(want.Calls) {
		t.Fatalf("%d calls, want %d", len(host.calls), len(want.Calls))
	}
	for i, c := range want.Calls {
		if strings.Contains(string(c.Prompt), `"valid_utf8"`) { // a request can't contain such a prompt, but the function returns its bytes
			exactPrompt(t, call, &in, i, len(want.Calls), tags, c.Prompt)
			continue
		}
		wantText(t, host.calls[i], c.Prompt)
	}
	if in.Stream != "none" {
		equal(t, "chunks", append([]string{}, host.chunks...), append([]string{}, want.Chunks...))
	}
	if a.Error != nil {
		equal(t, "error", a.Error.Message, want.Error)
		equal(t, "code", a.Error.Code, "summary_failed")
		equal(t, "messages", nil, want.Messages)
		return
	}
	equal(t, "error", nil, want.Error)
	if !a.Report.Changed {
		equal(t, "messages", "unchanged", want.Messages)
		equal(t, "result", nil, want.Result)
		return
	}
	checkList(t, a.list(), want.Messages)
	var state struct {
		Ledger struct{ Read, Modified []string }
	}
	decodeInto(a.State, &state)
	summary := strings.TrimPrefix(a.list()[0].(object)["new"].(object)["text"].(string), tailHeader+"\n\n")
	result := Vector{Out: want.Result}
	result.Want(t, object{"summary": summary, "original_tokens": a.Report.Tokens.Before, "compacted_tokens": a.Report.Tokens.After,
		"messages_removed": a.Report.Folded, "cut_point": a.Report.CutPoint,
		"read_files": orNil(state.Ledger.Read), "modified_files": orNil(state.Ledger.Modified)})
}

// checkList compares a list of messages with the list in a vector, whose texts may be hashes.
func checkList(t *testing.T, got []any, want json.RawMessage) {
	t.Helper()
	v := Vector{Out: want}
	v.Want(t, got)
}

// exactPrompt compares the bytes of prompt i of n with the prompt in a vector, which was cut inside a rune.
func exactPrompt(t *testing.T, call Engine, in *tailInput, i, n int, tags *strings.Replacer, want json.RawMessage) {
	t.Helper()
	var cut int
	decodeInto(tailCall(t, call, "find_cut_point", in.Messages, object{"keep_recent_tokens": in.Keep}), &cut)
	if cut == 0 {
		decodeInto(tailCall(t, call, "force_cut_point", in.Messages, object{}), &cut)
	}
	var split struct {
		IsSplit   bool `json:"is_split"`
		TurnStart int  `json:"turn_start"`
	}
	decodeInto(tailCall(t, call, "is_split_turn", in.Messages, object{"cut": cut}), &split)
	messages, scope := in.Messages[:cut], "session"
	switch {
	case split.IsSplit && (n == 1 && split.TurnStart == 1 || i == 1):
		messages, scope = in.Messages[split.TurnStart:cut], "turn_prefix"
	case split.IsSplit:
		scope = "history"
		if split.TurnStart > 0 {
			messages = in.Messages[:split.TurnStart]
		}
	}
	got := Function(t, call, "build_prompt", object{"policy": tail(nil), "messages": coreMessages(messages, asGo),
		"arguments": object{"scope": scope, "instructions": in.Instructions, "prompt": in.Prompt}}, nil)
	raw, err := Marshal(object{"hex": hex.EncodeToString([]byte(tags.Replace(rawText(t, got))))})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, raw, want)
}

// tailHeader is the first line of a digest message (S1.16).
const tailHeader = "[Conversation summary — earlier messages were compacted]"
