package functions

import (
	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/policy"
)

// cutArguments are those of find_cut_point.
//
//easyjson:json
type cutArguments struct {
	KeepRecentTokens int `json:"keep_recent_tokens"`
}

// turnArguments are those of is_split_turn.
//
//easyjson:json
type turnArguments struct {
	Cut int `json:"cut"`
}

// splitTurn is the result of is_split_turn.
//
//easyjson:json
type splitTurn struct {
	IsSplit   bool `json:"is_split"`
	TurnStart *int `json:"turn_start"`
}

// optionArguments are those of compaction_options, and its result.
//
//easyjson:json
type optionArguments struct {
	ContextWindow    int `json:"context_window"`
	ReserveTokens    int `json:"reserve_tokens"`
	KeepRecentTokens int `json:"keep_recent_tokens"`
}

// statsArguments are those of should_compact_reserve and context_stats.
//
//easyjson:json
type statsArguments struct {
	ContextWindow   int `json:"context_window"`
	ReserveTokens   int `json:"reserve_tokens"`
	LastInputTokens int `json:"last_input_tokens"`
}

// contextStats is the result of context_stats.
//
//easyjson:json
type contextStats struct {
	EstimatedTokens int     `json:"estimated_tokens"`
	ContextLimit    int     `json:"context_limit"`
	UsagePercent    float64 `json:"usage_percent"`
	MessageCount    int     `json:"message_count"`
	ShouldCompact   bool    `json:"should_compact"`
}

func init() {
	register("find_cut_point", Messages, findCutPoint)
	register("force_cut_point", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return number(dst, compact.ForceCutPoint(len(c.Transcript.Messages), c.isTool)), nil
	})
	register("is_split_turn", Messages, isSplitTurn)
	register("should_compact_reserve", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a statsArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return truth(dst, policy.OverReserve(c.estimate(), a.ContextWindow, a.ReserveTokens)), nil
	})
	register("context_stats", Messages, stats)
	register("compaction_options", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a optionArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		if a.ReserveTokens <= 0 {
			a.ReserveTokens = policy.DefaultReserve
		}
		if a.KeepRecentTokens <= 0 {
			a.KeepRecentTokens = policy.DefaultKeepRecent
		}
		return object(dst, &a), nil
	})
	register("serialize_messages", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		record, _ := digest.StyleByName("turn-tail").Record(c.Transcript, c.all(), digest.RecordOptions{Exact: !c.Policy.Safe()})
		return exactText(dst, record), nil
	})
	register("truncate_tool_result", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		return exactText(dst, digest.TruncateToolResult(c.Text, digest.MaxToolResult, !c.Policy.Safe())), nil
	})
	register("extract_file_ops", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return object(dst, digest.ExtractFileOps(c.Transcript, c.all())), nil
	})
	register("merge_file_ops", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var before digest.FileOps
		if err := c.arguments(&before); err != nil {
			return nil, err
		}
		return object(dst, before.Merge(digest.ExtractFileOps(c.Transcript, c.all()))), nil
	})
}

func findCutPoint(c *Call, dst []byte) ([]byte, *Error) {
	var a cutArguments
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	return number(dst, compact.FindCutPoint(c.sizes(), c.isTool, a.KeepRecentTokens)), nil
}

func isSplitTurn(c *Call, dst []byte) ([]byte, *Error) {
	var a turnArguments
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	n := len(c.Transcript.Messages)
	r := splitTurn{IsSplit: compact.IsSplitTurn(n, a.Cut, c.isUser)}
	if a.Cut >= 0 && a.Cut < n {
		start := compact.TurnStart(a.Cut, c.isUser)
		r.TurnStart = &start
	}
	return object(dst, &r), nil
}

// stats counts by what the provider said last where it has (S1.4): the rule of a loop that knows its usage.
func stats(c *Call, dst []byte) ([]byte, *Error) {
	var a statsArguments
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	if a.ReserveTokens <= 0 {
		a.ReserveTokens = policy.DefaultReserve
	}
	own := c.estimate()
	r := contextStats{EstimatedTokens: own, MessageCount: len(c.Transcript.Messages)}
	if a.LastInputTokens != 0 {
		r.EstimatedTokens = a.LastInputTokens
	}
	if a.LastInputTokens > 0 {
		own = a.LastInputTokens
	}
	if a.ContextWindow > 0 {
		r.ContextLimit = a.ContextWindow
		r.UsagePercent = float64(r.EstimatedTokens) / float64(a.ContextWindow)
	}
	r.ShouldCompact = policy.OverReserve(own, a.ContextWindow, a.ReserveTokens)
	return object(dst, &r), nil
}
