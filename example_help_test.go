package ctxfold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// Shared by the examples: a chat in which a tool prints a long file, and policies that have no room for it.
var (
	trip = json.RawMessage(`[
  {"role": "user", "content": "What does a.txt say about the train?"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"a.txt\"}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "The train leaves at nine.` + strings.Repeat(` Nothing else happens in the village.`, 200) + `"},
  {"role": "assistant", "content": "It leaves at nine."},
  {"role": "user", "content": "Thanks. And the bus?"}]`)
	small = ctxfold.Policy{
		Format: api.FormatOpenAIChat,
		Window: ctxfold.Window{Tokens: 1000, Reserve: new(100)},
	}
	clearing = ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":1000,"reserve":100},
		"passes":[{"pass":"clear","keep_recent":0,"min_reclaim":0}]}`)
	summarize = ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
		return ctxfold.Summary{Text: "## Goal\nThe user plans a trip.\n\n## Progress\nThe train leaves at nine.", FinishReason: "stop"}, nil
	})
)

// must ends an example with an error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// archived clears the old tool result. It returns the result, and the store with the removed content.
func archived(c *ctxfold.Compactor) (*ctxfold.Result, *ctxfold.MemoryStore) {
	store := ctxfold.NewMemoryStore(0)
	r := must(c.CompactWith(context.Background(), ctxfold.Input{Messages: trip, Policy: clearing, Store: store}, summarize))
	return r, store
}

// count returns the number of messages in a list.
func count(messages json.RawMessage) int {
	var list []json.RawMessage
	if err := json.Unmarshal(messages, &list); err != nil {
		fmt.Println(err)
	}
	return len(list)
}
