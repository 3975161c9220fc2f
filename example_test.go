package ctxfold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/pass"
)

// A chat that keeps its whole history, and sends the messages that fit in the window. The model's window is smaller than the policy's, and
// the provider reports that once.
func ExampleCompactor_Fit() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	defer c.Close(ctx)
	summarize := ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
		// here a model is called with the request's System, Prompt and MaxOutputTokens
		return ctxfold.Summary{Text: "## Goal\nThe user asks why, again and again.", FinishReason: "stop"}, nil
	})
	call := func(messages json.RawMessage) (status int, body string) { // instead of a model
		if tokens := len(messages) / 4; tokens > 5000 {
			return 400, fmt.Sprintf("prompt is too long: %d tokens > 5000 maximum", tokens)
		}
		return 200, "Because."
	}

	var history []string
	compactions, refusals := 0, 0
	for turn := range 100 {
		history = append(history, fmt.Sprintf(`{"role":"user","content":"Question %d: %s"}`, turn, strings.Repeat("why? ", 50)))
		in := ctxfold.Input{
			Messages: json.RawMessage("[" + strings.Join(history, ",") + "]"),
			Policy:   ctxfold.Policy{Format: api.FormatOpenAIChat, Window: ctxfold.Window{Tokens: 12000, Reserve: new(500)}},
		}
		for {
			r, err := c.Fit(ctx, in, summarize)
			if err != nil {
				log.Fatal(err)
			}
			if r.Changed {
				compactions++
			}
			status, body := call(r.Messages)
			verdict, err := c.Classify(ctx, api.Failure{Status: status, Body: body})
			if err != nil || in.Force && verdict.Overflow {
				log.Fatal(body, err)
			}
			if !verdict.Overflow {
				history = append(history, fmt.Sprintf(`{"role":"assistant","content":%q}`, body))
				break
			}
			refusals++
			in.Force, in.Limit = true, verdict.Limit
		}
	}
	fmt.Println(len(history), "messages;", compactions <= 5, refusals == compactions)
	// Output: 200 messages; true true
}

// A chat that never outgrows its window: after each turn the conversation is compacted if that is due.
func ExampleCompactor_Conversation() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	defer c.Close(ctx)
	chat, err := c.Conversation(ctx, ctxfold.ConversationOptions{
		Format: api.FormatOpenAIChat,
		Policy: ctxfold.Policy{Window: ctxfold.Window{Tokens: 4000, Reserve: new(500)}},
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
		outcome, err := chat.Call(ctx, func(_ context.Context, messages json.RawMessage) (api.Failure, error) {
			most = max(most, len(messages))
			return api.Failure{Status: 200}, nil // here a model is called with the messages
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

// A transcript that is replaced with the result, once.
func ExampleCompact() {
	var history []string
	for turn := range 40 {
		history = append(history, fmt.Sprintf(`{"role":"user","content":"Question %d: %s"},{"role":"assistant","content":"Because."}`, turn, strings.Repeat("why? ", 100)))
	}
	r, err := ctxfold.Compact(context.Background(), json.RawMessage("["+strings.Join(history, ",")+"]"), ctxfold.Policy{
		Format: api.FormatOpenAIChat,
		Window: ctxfold.Window{Tokens: 4000, Reserve: new(500)},
		Passes: []pass.Pass{pass.Clear{}, pass.Fold{KeepTokens: new(1000)}},
	}, nil) // without a Summarizer the digest is made by code
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Reason == api.ReasonCompacted, r.Report.Messages.Before, r.Report.Fits)
	// Output: true 80 true
}
