// Package openai connects ctxfold to the SDK github.com/openai/openai-go: it contains summarizers that call an
// OpenAI-compatible endpoint, and compacts the SDK's request parameters.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// Chat is a [ctxfold.Summarizer] that calls a model with the Chat Completions API, which most endpoints support. It
// disables the client's retries: the [ctxfold.Compactor] retries itself, taking the other requests of a compaction into
// account.
type Chat struct {
	Client openai.Client // the API's client
	Model  string        // the name of the model

	// OnDelta, if set, is called with each piece of a summary as it arrives, from the goroutine of its request. If it
	// returns an error, the request ends and the summary fails.
	OnDelta func(request ctxfold.Request, delta string) error

	// LegacyMaxTokens sends the limit as max_tokens, for endpoints that do not know max_completion_tokens.
	LegacyMaxTokens bool
}

// Summarize requests one summary. The response is streamed, so that a slow model can be distinguished from a dead
// connection. It returns an error if the API fails or the model refuses.
func (s Chat) Summarize(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	p := openai.ChatCompletionNewParams{
		Model:    s.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(q.System), openai.UserMessage(q.Prompt)},
	}
	if s.LegacyMaxTokens {
		p.MaxTokens = openai.Int(int64(q.MaxOutputTokens))
	} else {
		p.MaxCompletionTokens = openai.Int(int64(q.MaxOutputTokens))
	}
	if q.Conversation != nil {
		p = openai.ChatCompletionNewParams{}
		if err := behind(q, &p, func() string { return p.Model }, s.Model); err != nil {
			return ctxfold.Summary{}, err
		}
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	stream := s.Client.Chat.Completions.NewStreaming(ctx, p, option.WithMaxRetries(0))
	defer stream.Close()
	var sum ctxfold.Summary
	for stream.Next() {
		chunk := stream.Current()
		if u := chunk.Usage; u.TotalTokens > 0 {
			sum.Usage = counted(u.PromptTokens, u.PromptTokensDetails.CachedTokens, u.CompletionTokens)
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		choice := chunk.Choices[0]
		if choice.FinishReason != "" {
			sum.FinishReason = choice.FinishReason
		}
		if len(choice.Delta.ToolCalls) > 0 {
			return sum, errCall
		}
		if choice.Delta.Refusal != "" {
			return sum, fmt.Errorf("the model refused: %s", choice.Delta.Refusal)
		}
		if err := deliver(&sum, q, choice.Delta.Content, s.OnDelta); err != nil {
			return sum, err
		}
	}
	return ended(sum, stream.Err())
}

// errCall is the error for a response that calls a tool although the request forbids it. The model has then continued the
// conversation instead of writing a summary.
var errCall = errors.New("the model called a tool instead of writing a summary")

// SummarizesPrefix returns true, because the same model has the conversation in its prompt cache.
func (s Chat) SummarizesPrefix() bool { return true }

// SummarizesPrefix returns true, because the same model has the conversation in its prompt cache.
func (s Responses) SummarizesPrefix() bool { return true }

// behind decodes a request that extends the conversation into p, the parameters of an API call. of
// returns the model in p; if it isn't the given model, behind returns an error.
func behind(q ctxfold.Request, p any, of func() string, model string) error {
	if err := json.Unmarshal(q.Conversation.Sent, p); err != nil {
		return fmt.Errorf("ctxfold: the request after the conversation: %w", err)
	}
	if was := of(); was != model {
		return fmt.Errorf("ctxfold: the prompt cache of %s has nothing of the conversation with %q", model, was)
	}
	return nil
}

// counted returns the endpoint's token counts. prompt is the number of input tokens, including cached tokens.
func counted(prompt, cached, output int64) *api.CallUsage {
	return &api.CallUsage{InputTokens: int(prompt - cached), CacheReadTokens: int(cached), OutputTokens: int(output)}
}

// Responses is a [ctxfold.Summarizer] that calls a model with the Responses API. Nothing is stored at the provider.
// Retries work as with [Chat].
type Responses struct {
	Client openai.Client // the API's client
	Model  string        // the name of the model

	// OnDelta is as in [Chat].
	OnDelta func(request ctxfold.Request, delta string) error

	// Provider uses OpenAI's own compaction (responses/compact) if the policy has summary.provider, and calls the model
	// if that fails. Model should then be the conversation's model.
	Provider bool
}

// Summarize requests one summary. The response is streamed, so that a slow model can be distinguished from a dead
// connection. It returns an error if the API or the model fails.
func (s Responses) Summarize(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	if s.Provider && q.Provider != nil && q.Provider.Format == "openai-responses" {
		return s.compacted(ctx, q)
	}
	p := responses.ResponseNewParams{
		Model:           s.Model,
		Instructions:    openai.String(q.System),
		Input:           responses.ResponseNewParamsInputUnion{OfString: openai.String(q.Prompt)},
		MaxOutputTokens: openai.Int(int64(q.MaxOutputTokens)),
		Store:           openai.Bool(false),
	}
	if q.Conversation != nil {
		p = responses.ResponseNewParams{}
		if err := behind(q, &p, func() string { return p.Model }, s.Model); err != nil {
			return ctxfold.Summary{}, err
		}
	}
	stream := s.Client.Responses.NewStreaming(ctx, p, option.WithMaxRetries(0))
	defer stream.Close()
	var sum ctxfold.Summary
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			if err := deliver(&sum, q, event.Delta, s.OnDelta); err != nil {
				return sum, err
			}
		case responses.ResponseRefusalDoneEvent:
			return sum, fmt.Errorf("the model refused: %s", event.Refusal)
		case responses.ResponseCompletedEvent:
			sum.FinishReason = cmp.Or(string(event.Response.Status), "completed")
			if u := event.Response.Usage; u.TotalTokens > 0 {
				sum.Usage = counted(u.InputTokens, u.InputTokensDetails.CachedTokens, u.OutputTokens)
			}
			for _, item := range event.Response.Output {
				if item.Type == "function_call" {
					return sum, errCall
				}
			}
		case responses.ResponseIncompleteEvent:
			sum.FinishReason = cmp.Or(event.Response.IncompleteDetails.Reason, "incomplete")
		case responses.ResponseFailedEvent:
			return sum, fmt.Errorf("the model failed: %s", event.Response.Error.Message)
		case responses.ResponseErrorEvent:
			return sum, fmt.Errorf("the model failed: %s", event.Message)
		}
	}
	return ended(sum, stream.Err())
}

// compacted requests OpenAI's own compaction. If that fails, it returns no messages, and the model is called instead.
func (s Responses) compacted(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	failed := ctxfold.Summary{Messages: api.Raw("[]")}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(q.Provider.Body, &body); err != nil {
		return failed, err
	}
	body["model"], _ = json.Marshal(s.Model) // marshaling a string cannot fail
	var answer struct {
		Output json.RawMessage `json:"output"`
	}
	// The client's base URL ends in /v1/.
	err := s.Client.Post(ctx, strings.TrimPrefix(q.Provider.Path, "/v1/"), body, &answer, option.WithMaxRetries(0))
	if err != nil || len(answer.Output) == 0 {
		return failed, ctx.Err()
	}
	return ctxfold.Summary{Messages: api.Raw(answer.Output)}, nil
}

// ended returns the result of a finished stream. It wraps an error of the API so that the core can
// decide whether to repeat the request.
func ended(sum ctxfold.Summary, err error) (ctxfold.Summary, error) {
	var refused *openai.Error
	var unreached *url.Error
	switch {
	case errors.As(err, &refused) && refused.Response != nil && refused.StatusCode >= 400:
		return sum, ctxfold.StatusError(refused.StatusCode, refused.Response.Header.Get, err)
	case errors.As(err, &unreached):
		return sum, &ctxfold.CallError{Failure: api.CallFailure{Network: true}, Err: err}
	}
	return sum, ctxfold.StreamError(sum.FinishReason, err)
}

func deliver(sum *ctxfold.Summary, q ctxfold.Request, delta string, to func(ctxfold.Request, string) error) error {
	sum.Text += delta
	if to == nil || delta == "" {
		return nil
	}
	return to(q, delta)
}

// CompactChat compacts the messages of p if compaction is due under the policy. The tool definitions count towards the
// size. Kept messages are the same values. p is modified only if the result is Changed; in.Messages, in.Format and
// in.ReturnEdits are ignored. s may be nil. If it returns an error, p is unchanged.
func CompactChat(ctx context.Context, c *ctxfold.Compactor, p *openai.ChatCompletionNewParams, in ctxfold.Input, s ctxfold.Summarizer) (*ctxfold.Result, error) {
	r, err := compact(ctx, c, "openai-chat", p, in, s)
	if err != nil || !r.Changed {
		return r, err
	}
	messages, err := ctxfold.ApplyEdits(p.Messages, r.Edits, decode[openai.ChatCompletionMessageParamUnion])
	if err != nil {
		return nil, err
	}
	p.Messages = messages
	return r, nil
}

// CompactResponses works like [CompactChat] for the items of a Responses API request. If the input is a single string, it
// is not changed.
func CompactResponses(ctx context.Context, c *ctxfold.Compactor, p *responses.ResponseNewParams, in ctxfold.Input, s ctxfold.Summarizer) (*ctxfold.Result, error) {
	if param.IsOmitted(p.Input.OfInputItemList) {
		return &ctxfold.Result{Reason: "under_budget", State: in.State}, nil
	}
	r, err := compact(ctx, c, "openai-responses", p, in, s)
	if err != nil || !r.Changed {
		return r, err
	}
	items, err := ctxfold.ApplyEdits([]responses.ResponseInputItemUnionParam(p.Input.OfInputItemList), r.Edits, decode[responses.ResponseInputItemUnionParam])
	if err != nil {
		return nil, err
	}
	p.Input.OfInputItemList = items
	return r, nil
}

func compact(ctx context.Context, c *ctxfold.Compactor, format api.Format, body any, in ctxfold.Input, s ctxfold.Summarizer) (*ctxfold.Result, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("ctxfold: the request: %w", err)
	}
	in.Messages, in.ReturnEdits, in.Format = text, true, format
	return c.CompactWith(ctx, in, s)
}

func decode[T any](message json.RawMessage) (v T, err error) {
	return v, json.Unmarshal(message, &v)
}
