package publishedtest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// blockConfig configures blocks. In the vectors, "default" stands for no configuration.
type blockConfig object

func (c *blockConfig) UnmarshalJSON(src []byte) error {
	if string(src) == `"default"` {
		return nil
	}
	return json.Unmarshal(src, (*object)(c))
}

func blockCompact(t *testing.T, call Engine, v Vector) {
	var in struct {
		Messages []Message
		Config   blockConfig
		Newest   bool `json:"is_most_recent"`
	}
	v.Read(t, &in)
	src := native(in.Messages)
	arguments := merged(object{"is_most_recent": in.Newest}, object(in.Config))
	var block map[string]json.RawMessage
	Function(t, call, "compaction_block", object{"policy": s0Policy, "messages": src, "arguments": arguments}, &block)
	out := object{"json_keys": slices.Sorted(maps.Keys(block)), "keep_first": nil, "keep_recent": nil, "keep_compacted": nil}
	type turns struct{ StartTurn, EndTurn int }
	if block["keep_first"] != nil {
		var r turns
		if err := json.Unmarshal(block["keep_first"], &r); err != nil {
			t.Fatal(err)
		}
		out["keep_first"] = []int{r.StartTurn, r.EndTurn}
	}
	for _, key := range []string{"keep_recent", "keep_compacted"} {
		if block[key] == nil {
			continue
		}
		var s struct {
			Range    turns
			Messages json.RawMessage
		}
		if err := json.Unmarshal(block[key], &s); err != nil {
			t.Fatal(err)
		}
		out[key] = object{"range": []int{s.Range.StartTurn, s.Range.EndTurn}, "messages": changes(t, src, s.Messages)}
	}
	v.Want(t, out)
}

func sessionContext(t *testing.T, call Engine, v Vector) {
	var in struct {
		Loops []struct {
			ID       string
			Parent   *string
			Messages []Message
		}
		Current string
		Config  blockConfig
		Max     int  `json:"max_context_tokens"`
		Compact bool `json:"compact_first"`
	}
	v.Read(t, &in)
	var messages []Message
	var loops []object
	for _, l := range in.Loops {
		loop := object{"id": l.ID, "messages": len(l.Messages)}
		if l.Parent != nil {
			loop["parent"] = *l.Parent
		}
		loops = append(loops, loop)
		messages = append(messages, l.Messages...)
	}
	scope, budget := in.Config["scope"], in.Max
	delete(in.Config, "scope")
	if scope == "TokenBudget" {
		scope = -1
	}
	src := native(messages)
	var got struct {
		Chain   []string
		Blocks  []struct{ Loop string }
		Context json.RawMessage
	}
	Function(t, call, "session_context", object{"policy": s0Policy, "messages": src, "arguments": merged(object{"loops": loops,
		"current": in.Current, "scope": scope, "max_context_tokens": budget, "compact": in.Compact}, object(in.Config))}, &got)
	blocks := []string{}
	for _, b := range got.Blocks {
		blocks = append(blocks, b.Loop)
	}
	v.Want(t, object{"chain": got.Chain, "blocks": blocks, "context": changes(t, src, got.Context)})
}
