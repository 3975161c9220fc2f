// Package anthropic connects ctxfold to the SDK github.com/anthropics/anthropic-sdk-go: it contains a summarizer that
// calls a model with the Messages API, and compacts the SDK's request parameters.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// Messages is a [ctxfold.Summarizer] that calls a model with the Messages API. It disables the client's retries: the
// [ctxfold.Compactor] retries itself, taking the other requests of a compaction into account.
type Messages struct {
	Client anthropic.Client // the API's client
	Model  string           // the name of the model

	// OnDelta, if set, is called with each piece of a summary as it arrives, from the goroutine of its request. If it
	// returns an error, the request ends and the summary fails.
	OnDelta func(request ctxfold.Request, delta string) error

	// Provider uses the API's own compaction (its parameter compaction) if the policy has summary.provider, and calls
	// the model if that fails. Model should then be the conversation's model.
	Provider bool
}

// Summarize requests one summary. The response is streamed, so that a slow model can be distinguished from a dead
// connection. It returns an error if the API fails, or if the request extends a conversation with another model.
func (s Messages) Summarize(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	if s.Provider && q.Provider != nil && q.Provider.Format == "anthropic" {
		return s.compacted(ctx, q)
	}
	p := anthropic.MessageNewParams{
		MaxTokens: int64(q.MaxOutputTokens),
		System:    []anthropic.TextBlockParam{{Text: q.System}},
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(q.Prompt))},
	}
	if q.Conversation != nil {
		p = anthropic.MessageNewParams{}
		if err := json.Unmarshal(q.Conversation.Sent, &p); err != nil {
			return ctxfold.Summary{}, fmt.Errorf("ctxfold: the request after the conversation: %w", err)
		}
	}
	if model := anthropic.Model(s.Model); p.Model != "" && p.Model != model {
		return ctxfold.Summary{}, fmt.Errorf("ctxfold: the prompt cache of %s has nothing of the conversation with %s", model, p.Model)
	}
	p.Model = anthropic.Model(s.Model)
	stream := s.Client.Messages.NewStreaming(ctx, p, option.WithMaxRetries(0))
	defer stream.Close()
	var sum ctxfold.Summary
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case anthropic.ContentBlockDeltaEvent:
			delta := event.Delta.Text
			sum.Text += delta
			if s.OnDelta != nil && delta != "" {
				if err := s.OnDelta(q, delta); err != nil {
					return sum, err
				}
			}
		case anthropic.MessageStartEvent:
			u := event.Message.Usage
			sum.Usage = &api.CallUsage{InputTokens: int(u.InputTokens), CacheReadTokens: int(u.CacheReadInputTokens),
				CacheWriteTokens: int(u.CacheCreationInputTokens), OutputTokens: int(u.OutputTokens)}
		case anthropic.MessageDeltaEvent:
			sum.FinishReason = string(event.Delta.StopReason)
			if sum.Usage != nil && event.Usage.OutputTokens > 0 {
				sum.Usage.OutputTokens = int(event.Usage.OutputTokens)
			}
		}
	}
	return ended(sum, stream.Err())
}

// SummarizesPrefix returns true, because the same model has the conversation in its prompt cache.
func (s Messages) SummarizesPrefix() bool { return true }

// compactedTokens is the lowest token limit for the API's own compaction. The API determines the length of its
// summaries itself.
const compactedTokens = 8192

// compacted requests the API's own compaction. If that fails, it returns no messages, and the model is called
// instead.
func (s Messages) compacted(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	failed := ctxfold.Summary{Messages: api.Raw("[]")}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(q.Provider.Body, &body); err != nil {
		return failed, err
	}
	body["model"], _ = json.Marshal(s.Model) // marshaling a string cannot fail
	body["max_tokens"] = fmt.Append(nil, max(q.MaxOutputTokens, compactedTokens))
	var answer struct {
		Content json.RawMessage `json:"content"`
	}
	err := s.Client.Post(ctx, strings.TrimPrefix(q.Provider.Path, "/"), body, &answer, option.WithHeader("anthropic-beta", q.Provider.Beta), option.WithMaxRetries(0))
	if err != nil || len(answer.Content) == 0 {
		return failed, ctx.Err()
	}
	return ctxfold.Summary{Messages: fmt.Appendf(nil, `[{"role":"assistant","content":%s}]`, answer.Content)}, nil
}

// ended returns the result of a finished stream. It wraps an error of the API so that the core can
// decide whether to repeat the request.
func ended(sum ctxfold.Summary, err error) (ctxfold.Summary, error) {
	var refused *anthropic.Error
	var unreached *url.Error
	switch {
	case errors.As(err, &refused) && refused.Response != nil && refused.StatusCode >= 400:
		return sum, ctxfold.StatusError(refused.StatusCode, refused.Response.Header.Get, err)
	case errors.As(err, &unreached):
		return sum, &ctxfold.CallError{Failure: api.CallFailure{Network: true}, Err: err}
	}
	return sum, ctxfold.StreamError(sum.FinishReason, err)
}

// Compact compacts the messages of p if compaction is due under the policy. The system prompt and the tools count
// towards the size. The model writes the summary even if s.Provider is set, because these parameters cannot represent
// the API's own compaction. Kept messages are the same values. p is modified only if the result is Changed; in.Messages
// and in.ReturnEdits are ignored. s may be nil. If it returns an error, p is unchanged.
func Compact(ctx context.Context, c *ctxfold.Compactor, p *anthropic.MessageNewParams, in ctxfold.Input, s ctxfold.Summarizer) (*ctxfold.Result, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("ctxfold: the request: %w", err)
	}
	in.Messages, in.ReturnEdits, in.Format = text, true, "anthropic"
	if m, ok := s.(Messages); ok {
		m.Provider = false
		s = m
	}
	r, err := c.CompactWith(ctx, in, s)
	if err != nil || !r.Changed {
		return r, err
	}
	messages, err := ctxfold.ApplyEdits(p.Messages, r.Edits, func(message json.RawMessage) (m anthropic.MessageParam, err error) {
		return m, json.Unmarshal(message, &m)
	})
	if err != nil {
		return nil, err
	}
	p.Messages = messages
	return r, nil
}
