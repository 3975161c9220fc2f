package functions

import (
	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/tokens"
	"github.com/ctxfold/ctxfold/core/transcript"
	"github.com/ctxfold/ctxfold/core/wire"
)

// thresholdArguments are those of effective_limit and should_compact: policy.Thresholds.
//
//easyjson:json
type thresholdArguments struct {
	Auto         bool `json:"auto"`
	Window       int  `json:"window"`
	Reserve      int  `json:"reserve"`
	MaxTokens    int  `json:"max_tokens"`
	MaxMessages  int  `json:"max_messages"`
	KeepTokens   int  `json:"keep_tokens"`
	KeepMessages int  `json:"keep_messages"`
}

func (c *Call) thresholds() (policy.Thresholds, *Error) {
	a := thresholdArguments(policy.DefaultThresholds())
	err := c.arguments(&a)
	return policy.Thresholds(a), err
}

// effectiveLimit is the result of effective_limit.
//
//easyjson:json
type effectiveLimit struct {
	Limit        int    `json:"limit"`
	Source       string `json:"source"`
	Reserve      int    `json:"reserve"`
	KeepTokens   int    `json:"keep_tokens"`
	KeepMessages int    `json:"keep_messages"`
}

// contextTokens is the result of estimate_context.
//
//easyjson:json
type contextTokens struct {
	Tokens    int `json:"tokens"`
	Measured  int `json:"measured_tokens"`
	Index     int `json:"measured_message"`
	Estimated int `json:"estimated_tokens"`
}

//easyjson:json
type splitArguments struct {
	Budget int `json:"budget"`
	Keep   int `json:"keep_messages"`
}

//easyjson:json
type visibilityArguments struct {
	Agent *bool   `json:"agent"`
	User  *bool   `json:"user"`
	Kind  *string `json:"kind"`
}

// summaryArguments are those of generate_summary.
//
//easyjson:json
type summaryArguments struct {
	Previous string        `json:"previous"`
	Reply    *digest.Reply `json:"reply"`
}

func init() {
	register("effective_limit", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		t, err := c.thresholds()
		if err != nil {
			return nil, err
		}
		limit, source := t.Limit()
		return object(dst, effectiveLimit{limit, source, t.Reserved(), t.Tail(), t.TailMessages()}), nil
	})
	register("context_due", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		t, err := c.thresholds()
		if err != nil {
			return nil, err
		}
		return truth(dst, t.Due(c.context().Tokens, len(c.Transcript.Messages))), nil
	})
	register("estimate_context", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		got := c.context()
		return object(dst, contextTokens{Tokens: got.Tokens, Measured: got.Measured, Index: got.Index, Estimated: c.total()}), nil
	})
	register("split_by_tokens", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a splitArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return number(dst, compact.SplitByTokens(c.sizes(), a.Budget)), nil
	})
	register("split_by_count", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		a := splitArguments{Keep: policy.DefaultThresholds().KeepMessages}
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		if a.Keep < 0 {
			return nil, outOfRange("keep_messages", "must not be negative")
		}
		return number(dst, compact.SplitByCount(len(c.Transcript.Messages), a.Keep)), nil
	})
	register("visibility", Messages, visibility)
	register("set_visibility", Messages, setVisibility)
	register("project_for_summary", Messages, projectForSummary)
	register("serialize_conversation", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return text(dst, digest.Labelled(c.Transcript, c.all(), 0)), nil
	})
	register("generate_summary", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a summaryArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return object(dst, generateSummary(c, a)), nil
	})
}

// context is the size of the transcript by the numbers of the provider that stand in it. With wire_safe those that are
// older than the last compaction do not count (S4.9).
func (c *Call) context() tokens.Context {
	from := 0
	if c.Policy.Safe() {
		from = c.State.Messages
	}
	return tokens.MeasureContext(c.Estimator, c.Transcript, from, len(c.Transcript.Messages), c.total())
}

// visibility lists for each message who is shown it: [{"agent","user","kind"}] (S4.10).
func visibility(c *Call, dst []byte) ([]byte, *Error) {
	dst = append(dst, '[')
	for i := range c.Transcript.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		meta := c.Transcript.MetaOf(i)
		dst = truth(append(dst, `{"agent":`...), meta.Agent != transcript.Off)
		dst = truth(append(dst, `,"user":`...), meta.User != transcript.Off)
		dst = text(append(dst, `,"kind":`...), c.Transcript.Text(meta.Label))
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// setVisibility writes the messages with marks on them (S4.12).
func setVisibility(c *Call, dst []byte) ([]byte, *Error) {
	var a visibilityArguments
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	if c.Format.Name != "native" {
		return nil, &Error{Code: policy.OutOfRange, Message: "messages of the format " + c.Format.Name + " have no place for this; native ones have"}
	}
	dst = append(dst, '[')
	for i := range c.Transcript.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.Marks{Agent: a.Agent, User: a.User, Kind: a.Kind}.Append(dst, c.Transcript.Bytes(c.Transcript.Messages[i].Span))
	}
	return append(dst, ']'), nil
}

// projectForSummary lists the messages that a summary is made of: {"message":i}, and of a tool result also the text that is
// shown in the place of its content, where that is another one (S4.34).
func projectForSummary(c *Call, dst []byte) ([]byte, *Error) {
	t := c.Transcript
	dst = append(dst, '[')
	for i := range t.Messages {
		if t.Hidden(i) {
			continue
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = number(append(dst, `{"message":`...), i)
		if m := &t.Messages[i]; m.Count > 0 && t.Parts[m.First].Kind == transcript.ToolResult {
			n := int(m.First)
			text := digest.ToolOutputAt(t, n).Projected()
			inner := t.Inner(n)
			one := t.IsString(t.Parts[n].Body) || len(inner) == 1 && inner[0].Kind == transcript.Text
			if !one || digest.JoinedText(t, n) != text {
				dst = jsonspan.AppendString(append(dst, `,"text":`...), text)
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// generateSummary asks for a summary of the transcript, or judges the reply (S4.36, S4.37).
func generateSummary(c *Call, a summaryArguments) asked {
	failed := func(why string) asked { return asked{Error: &why} }
	if len(c.Transcript.Messages) == 0 {
		return failed(digest.NoMessages)
	}
	visible := false
	for i := range c.Transcript.Messages {
		visible = visible || !c.Transcript.Hidden(i)
	}
	exact := !c.Policy.Safe()
	switch {
	case !visible && digest.IsBlank(a.Previous):
		return failed(digest.NoVisible)
	case !visible:
		return asked{Summary: a.Previous}
	}
	r := asked{System: digest.AgentLoopSystem,
		Prompt: digest.AgentLoopPrompt(&digest.Prompt{Record: digest.Labelled(c.Transcript, c.all(), digest.ProjectedText), Prior: a.Previous,
			Instructions: c.Policy.Summary.Instructions, Exact: exact})}
	if a.Reply == nil {
		return r
	}
	why := a.Reply.Error
	if why == "" && digest.IsBlank(a.Reply.Text) {
		why = digest.EmptySummary
	}
	if why != "" {
		r.Error = &why
		return r
	}
	r.Summary = a.Reply.Text
	return r
}
