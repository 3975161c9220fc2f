package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/ctxfold/ctxfold/host"
)

// A chat that never outgrows its window: after each turn the conversation is compacted if that is due.
func ExampleCompactor_Conversation() {
	ctx := context.Background()
	c, err := host.New(ctx, host.Options{Engine: host.EngineNative})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close(ctx)
	chat, err := c.Conversation(ctx, host.ConversationOptions{
		Format: "openai-chat",
		Policy: json.RawMessage(`{"window":{"tokens":4000,"reserve":500}}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer chat.Close(ctx)

	most := 0
	for turn := range 100 {
		question := fmt.Sprintf(`[{"role":"user","content":"Question %d: %s"}]`, turn, strings.Repeat("why? ", 50))
		if err := chat.Append(ctx, json.RawMessage(question)); err != nil {
			log.Fatal(err)
		}
		outcome, err := chat.Call(ctx, func(_ context.Context, messages json.RawMessage) (host.Failure, error) {
			most = max(most, len(messages))
			return host.Failure{Status: 200}, nil // here a model is called with the messages
		})
		if err != nil || outcome.Verdict.Overflow {
			log.Fatal(err)
		}
		if err := chat.Append(ctx, json.RawMessage(`[{"role":"assistant","content":"Because."}]`)); err != nil {
			log.Fatal(err)
		}
		if _, err := chat.AfterTurn(ctx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(most < 4*4000)
	// Output: true
}
