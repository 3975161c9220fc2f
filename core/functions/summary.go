package functions

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/policy"
)

// promptArguments are those of build_prompt.
//
//easyjson:json
type promptArguments struct {
	Style        string  `json:"style"`
	Round        int     `json:"round"`
	Prior        *string `json:"previous_summary"`
	Instructions string  `json:"instructions"`
	Prompt       string  `json:"prompt"`
	Scope        string  `json:"scope"` // session, history, turn_prefix or branch
}

// styleArguments are those of summary_prompts.
//
//easyjson:json
type styleArguments struct {
	Style string `json:"style"`
	Round int    `json:"round"`
}

// prompts are the result of summary_prompts: the fixed texts of a style.
//
//easyjson:json
type prompts struct {
	System          string  `json:"system"`
	Prompt          string  `json:"prompt"`
	TurnPrefix      string  `json:"turn_prefix,omitempty"`
	Header          string  `json:"header"`
	Role            string  `json:"role"`
	MaxOutputTokens int     `json:"max_output_tokens,omitempty"`
	Temperature     float64 `json:"temperature,omitempty"`
	Thinking        string  `json:"thinking,omitempty"`
}

func init() {
	register("summary_prompts", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		a := styleArguments{Style: c.Policy.Summary.Style, Round: 1}
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		s, err := styleOf(a.Style)
		if err != nil {
			return nil, err
		}
		return object(dst, &prompts{System: s.System, Prompt: s.Ask(a.Round, !c.Policy.Safe()), TurnPrefix: s.TurnPrefix, Header: s.Header,
			Role: s.Role.String(), MaxOutputTokens: s.MaxOutput, Temperature: s.Temperature, Thinking: s.Thinking}), nil
	})
	register("build_prompt", Messages, buildPrompt)
}

func styleOf(name string) (*digest.Style, *Error) {
	if s := digest.StyleByName(name); s != nil {
		return s, nil
	}
	return nil, &Error{Code: policy.OutOfRange, At: "style", Message: digest.NoStyle(name)}
}

// buildPrompt writes the user text of a request for a summary of all messages.
func buildPrompt(c *Call, dst []byte) ([]byte, *Error) {
	a := promptArguments{Style: c.Policy.Summary.Style, Round: c.State.Round + 1, Scope: "session",
		Instructions: c.Policy.Summary.Instructions, Prompt: c.Policy.Summary.Prompt}
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	s, err := styleOf(a.Style)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"session", "history", "turn_prefix", "branch"}, a.Scope) {
		return nil, outOfRange("scope", `must be "session", "history", "turn_prefix" or "branch"`)
	}
	exact := !c.Policy.Safe()
	q := digest.Prompt{Style: s, Scope: a.Scope, Exact: exact, Round: a.Round, Task: c.task(), Instructions: a.Instructions, Template: a.Prompt,
		Split: a.Scope == "history" || a.Scope == digest.TurnScope}
	if a.Prior != nil {
		q.Prior, q.HasPrior = *a.Prior, true
	}
	var ok bool
	if q.Record, ok = s.Record(c.Transcript, c.all(), digest.RecordOptions{Exact: exact}); !ok {
		return nil, &Error{Code: compact.SummaryFailed, Message: digest.NoResult}
	}
	return exactText(dst, q.Text()), nil
}
