package ctxfold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Failure is what is known of a call of a model, whether it failed or not. Every field may be left out.
type Failure struct {
	// Status is the HTTP status, Body the body of the answer or the error's text.
	Status int    `json:"status,omitempty"`
	Body   string `json:"body,omitempty"`
	// Provider is a hint, by a name of docs/OVERFLOW.md.
	Provider string `json:"provider,omitempty"`
	// Model is the model that was called, CurrentModel the one in use now. An error of another model says nothing about the
	// conversation.
	Model        string `json:"model,omitempty"`
	CurrentModel string `json:"current_model,omitempty"`
	FinishReason string `json:"finish_reason,omitempty"`
	// Usage is what a call took that succeeded; Window is the model's context window, in tokens.
	Usage  CallUsage `json:"usage,omitzero"`
	Window int       `json:"window,omitempty"`
}

// CallUsage is what a provider counted for one call, in tokens. Input is without what was read from or written to the cache.
type CallUsage struct {
	Input      int `json:"input_tokens,omitempty"`
	CacheRead  int `json:"cache_read_tokens,omitempty"`
	CacheWrite int `json:"cache_write_tokens,omitempty"`
	Output     int `json:"output_tokens,omitempty"`
}

// Verdict says what a [Failure] is.
type Verdict struct {
	// Class is one of docs/OVERFLOW.md, for example "context_overflow" or "rate_limit"; "none" is no failure.
	Class string `json:"class"`
	// Overflow says that the conversation does not fit: a compaction and one retry may help.
	Overflow bool `json:"overflow"`
	// Silent says that no error told of it.
	Silent   bool   `json:"silent"`
	Provider string `json:"provider"`
	Message  string `json:"message"`
	// Used and Limit are the tokens that the provider names; 0 where it names none.
	Used  int `json:"used_tokens"`
	Limit int `json:"limit_tokens"`
}

// Classify says what a call of a model came to.
func (c *Compactor) Classify(ctx context.Context, f Failure) (v Verdict, err error) {
	arguments, err := json.Marshal(f)
	if err != nil {
		return v, err
	}
	err = c.ask(ctx, "classify_error", &v, member{key: "arguments", value: arguments})
	return v, err
}

// ask runs an operation that is about no transcript.
func (c *Compactor) ask(ctx context.Context, op string, answer any, members ...member) error {
	e := newEnvelope(members...)
	raw, err := c.Call(ctx, op, e.request)
	if err != nil {
		return e.rebase(err)
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("ctxfold: %s: %w", op, err)
	}
	return nil
}

// failureOf is what an error tells: its own Failure, where it has such a method, else its text.
func failureOf(f Failure, err error) Failure {
	var own interface{ Failure() Failure }
	if errors.As(err, &own) {
		return own.Failure()
	}
	if err != nil && f.Body == "" {
		f.Body = err.Error()
	}
	return f
}
