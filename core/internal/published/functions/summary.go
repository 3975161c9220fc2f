package functions

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
)

func init() {
	register("summary_prompts", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		style, round := c.Policy.Summary.Style, 1
		if err := c.read(argument{name: "style", to: &style}, argument{name: "round", to: &round}); err != nil {
			return nil, err
		}
		s, err := styleOf(style)
		if err != nil {
			return nil, err
		}
		instructions := s.Instructions
		if c.Policy.IsWireSafe() && s.OurInstructions != nil {
			instructions = s.OurInstructions
		}
		return object(dst, member{"system", s.Data.System}, member{"prompt", instructions(round)},
			some("turn_prefix", s.Data.TurnPrefix),
			member{"header", s.Data.Header}, member{"role", s.Data.Role.String()},
			some("max_output_tokens", s.Data.MaxOutput),
			some("temperature", s.Data.Temperature), some("thinking", s.Thinking)), nil
	})
	register("build_prompt", Messages, buildPrompt)
}

// styleOf returns the style with the given name. It returns an error that lists the names if there is no such style.
func styleOf(name string) (*verbatim.Style, *Error) {
	if s := verbatim.ByName(name); s != nil {
		return s, nil
	}
	return nil, &Error{Code: api.CodeOutOfRange, At: "style", Message: styles.Unknown(name)}
}

// buildPrompt writes the prompt that asks for a summary of all messages. It returns an error if an argument is wrong or
// the style can't write the messages.
func buildPrompt(c *Call, dst []byte) ([]byte, *Error) {
	style := c.Policy.Summary.Style
	var prior *string
	q := verbatim.Prompt{Prompt: digest.Prompt{Scope: api.ScopeSession, Round: c.State.Round + 1, Task: c.task(),
		Instructions: c.Policy.Summary.Instructions, Template: c.Policy.Summary.Prompt}}
	if err := c.read(argument{name: "style", to: &style}, argument{name: "round", to: &q.Round}, argument{name: "previous_summary", to: &prior},
		argument{name: "instructions", to: &q.Instructions}, argument{name: "prompt", to: &q.Template},
		argument{name: "scope", to: (*string)(&q.Scope)}); err != nil {
		return nil, err
	}
	s, err := styleOf(style)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]api.Scope{api.ScopeSession, "history", api.ScopeTurnPrefix, api.ScopeBranch}, q.Scope) {
		return nil, outOfRange("scope", `must be "session", "history", "turn_prefix" or "branch"`)
	}
	q.Style, q.Split = s.Data, q.Scope == "history" || q.Scope == api.ScopeTurnPrefix
	if prior != nil {
		q.Prior, q.HasPrior = *prior, true
	}
	if c.Policy.IsWireSafe() {
		q.Record = s.Data.Record(c.Transcript, c.Transcript.MessageIndexes(), digest.RecordOptions{})
		return exactText(dst, q.Text()), nil
	}
	var ok bool
	if q.Record, ok = s.Record(c.Transcript, c.Transcript.MessageIndexes()); !ok {
		return nil, noResult()
	}
	return exactText(dst, s.Prompt(&q)), nil
}

// record appends the messages as they are rendered in the prompt of the given style. style must exist. It returns an
// error if the style can't write the messages.
func (c *Call) record(dst []byte, style string) ([]byte, *Error) {
	if c.Policy.IsWireSafe() {
		return exactText(dst, styles.ByName(style).Record(c.Transcript, c.Transcript.MessageIndexes(), digest.RecordOptions{})), nil
	}
	record, ok := verbatim.ByName(style).Record(c.Transcript, c.Transcript.MessageIndexes())
	if !ok {
		return nil, noResult()
	}
	return exactText(dst, record), nil
}

// noResult returns S2's error for a tool result without a value.
func noResult() *Error { return &Error{Code: api.CodeSummaryFailed, Message: verbatim.NoResult} }
