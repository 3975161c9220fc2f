package functions

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// valueArguments are those of estimate_tokens.
//
//easyjson:json
type valueArguments struct {
	Value policy.Raw `json:"value"`
}

// modelArguments are those of context_limit.
//
//easyjson:json
type modelArguments struct {
	Model string `json:"model"`
}

// keepArguments are those of select_messages.
//
//easyjson:json
type keepArguments struct {
	KeepLast int `json:"keep_last"`
}

// selection is the result of select_messages: indexes of messages.
//
//easyjson:json
type selection struct {
	Compact  []int   `json:"compact"`
	Keep     []int   `json:"keep"`
	Previous *string `json:"previous_summary"`
}

// boundaryArguments are those of adjust_boundary.
//
//easyjson:json
type boundaryArguments struct {
	Roles   []string `json:"roles"`
	Initial int      `json:"initial"`
}

// logArguments are those of compaction_log.
//
//easyjson:json
type logArguments struct {
	Round        int `json:"round"`
	TokensBefore int `json:"tokens_before"`
	TokensAfter  int `json:"tokens_after"`
	Messages     int `json:"messages"`
}

func init() {
	register("estimate_tokens", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a valueArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		if len(a.Value) == 0 || a.Value[0] != '"' {
			return number(dst, 0), nil // S2.1
		}
		return number(dst, c.Estimator.Text(jsonspan.Text(a.Value, jsonspan.Span{End: uint32(len(a.Value))}))), nil
	})
	register("calculate_threshold", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		a, err := c.config()
		if err != nil {
			return nil, err
		}
		return number(dst, a.Threshold()), nil
	})
	register("context_limit", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a modelArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return number(dst, policy.ContextLimit(a.Model)), nil
	})
	register("should_compact_threshold", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		a, err := c.config()
		if err != nil {
			return nil, err
		}
		return truth(dst, a.ShouldCompact(len(c.Transcript.Messages), c.estimate())), nil
	})
	register("select_messages", Messages, selectMessages)
	register("adjust_boundary", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a boundaryArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return number(dst, compact.AdjustBoundary(len(a.Roles), a.Initial, func(i int) bool { return a.Roles[i] == "tool" })), nil
	})
	register("extract_original_task", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return text(dst, c.task()), nil
	})
	register("format_messages", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		record, ok := digest.FormatMessages(c.Transcript, c.all(), digest.RecordOptions{Exact: !c.Policy.Safe()})
		if !ok {
			return nil, &Error{Code: compact.SummaryFailed, Message: digest.NoResult}
		}
		return exactText(dst, record), nil
	})
	register("compaction_log", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a logArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		n := strconv.Itoa
		return text(dst, "[Compaction] Round "+n(a.Round)+": "+n(a.TokensBefore)+" → "+n(a.TokensAfter)+" tokens ("+n(a.Messages)+
			" messages summarized)"), nil // S2.29
	})
}

// config is the configuration in the arguments. With wire_safe one that leaves nothing of the window is an error (S2.8).
func (c *Call) config() (policy.CheckpointConfig, *Error) {
	a := policy.DefaultCheckpointConfig()
	if err := c.arguments(&a); err != nil {
		return a, err
	}
	if c.Policy.Safe() && a.Threshold() <= 0 {
		return a, outOfRange("model_context_limit", "leaves nothing for the conversation: the reserves take it all")
	}
	return a, nil
}

func selectMessages(c *Call, dst []byte) ([]byte, *Error) {
	a := keepArguments{KeepLast: compact.KeepLast}
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	n := len(c.Transcript.Messages)
	if a.KeepLast < 0 && c.Policy.Safe() {
		return nil, outOfRange("keep_last", "must not be negative")
	}
	s := compact.SelectMessages(c.Transcript, c.all(), a.KeepLast)
	var r selection
	for i := range n {
		if i >= s.From && i < s.To {
			r.Compact = append(r.Compact, i)
		} else if s.To == 0 || i == 0 || i >= s.To {
			r.Keep = append(r.Keep, i)
		}
	}
	if s.HasPrevious {
		r.Previous = &s.Previous
	}
	return object(dst, &r), nil
}

// task is the user's first request: the one that the state remembers, or with wire_safe off that of the messages alone.
func (c *Call) task() string {
	if !c.Policy.Safe() {
		return digest.OriginalTask(c.Transcript)
	}
	if c.State.Ledger.Task != "" {
		return c.State.Ledger.Task
	}
	for i := range c.Transcript.Messages {
		if c.isUser(i) {
			if span := c.Transcript.FirstText(i); span != (transcript.Span{}) {
				return c.Transcript.Text(span)
			}
		}
	}
	return digest.UnknownTask
}
