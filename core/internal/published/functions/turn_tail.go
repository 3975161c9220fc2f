package functions

import (
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
)

func init() {
	register("find_cut_point", Messages, findCutPoint)
	register("force_cut_point", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return number(dst, passes.ForceCutPoint(len(c.Transcript.Messages), c.isTool)), nil
	})
	register("is_split_turn", Messages, isSplitTurn)
	register("should_compact_reserve", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		window, reserve, _, err := c.stats()
		if err != nil {
			return nil, err
		}
		return truth(dst, overReserve(c.estimate(), window, reserve)), nil
	})
	register("context_stats", Messages, stats)
	register("compaction_options", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var window, reserve, keep int
		if err := c.read(argument{name: "context_window", to: &window}, argument{name: "reserve_tokens", to: &reserve},
			argument{name: "keep_recent_tokens", to: &keep}); err != nil {
			return nil, err
		}
		if reserve <= 0 {
			reserve = defaultReserve
		}
		if keep <= 0 {
			keep = defaultKeepRecent
		}
		return object(dst, member{"context_window", window}, member{"reserve_tokens", reserve},
			member{"keep_recent_tokens", keep}), nil
	})
	register("serialize_messages", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return c.record(dst, "turn-tail")
	})
	register("truncate_tool_result", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		if c.Policy.IsWireSafe() {
			return text(dst, styles.TruncateToolResult(c.Text, styles.MaxToolResult)), nil
		}
		return exactText(dst, verbatim.TruncateToolResult(c.Text, styles.MaxToolResult)), nil
	})
	register("extract_file_ops", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return fileOps(dst, verbatim.ExtractFileOps(c.Transcript, c.Transcript.MessageIndexes())), nil
	})
	register("merge_file_ops", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var before verbatim.FileOps
		if err := c.read(argument{name: "read", to: &before.Read}, argument{name: "modified", to: &before.Modified}); err != nil {
			return nil, err
		}
		return fileOps(dst, before.Merge(verbatim.ExtractFileOps(c.Transcript, c.Transcript.MessageIndexes()))), nil
	})
}

func findCutPoint(c *Call, dst []byte) ([]byte, *Error) {
	keep := 0
	if err := c.read(argument{name: "keep_recent_tokens", to: &keep}); err != nil {
		return nil, err
	}
	return number(dst, exact.FindCutPoint(c.sizes(), c.isTool, keep)), nil
}

func isSplitTurn(c *Call, dst []byte) ([]byte, *Error) {
	cut := 0
	if err := c.read(argument{name: "cut", to: &cut}); err != nil {
		return nil, err
	}
	n := len(c.Transcript.Messages)
	var start *int
	if cut >= 0 && cut < n {
		at := passes.TurnStart(cut, c.isUser)
		start = &at
	}
	return object(dst, member{"is_split", passes.IsSplitTurn(n, cut, c.isUser)}, member{"turn_start", start}), nil
}

// fileOps appends lists of files as a result.
func fileOps(dst []byte, ops verbatim.FileOps) []byte {
	return object(dst, member{"read", ops.Read}, member{"modified", ops.Modified})
}

// stats reads the arguments of should_compact_reserve and context_stats, which are in tokens. An argument that is
// missing is 0. It returns an error if one isn't a number.
func (c *Call) stats() (window, reserve, last int, err *Error) {
	err = c.read(argument{name: "context_window", to: &window}, argument{name: "reserve_tokens", to: &reserve},
		argument{name: "last_input_tokens", to: &last})
	return window, reserve, last, err
}

// stats returns statistics of the context, based on the provider's last count if the arguments have one (S1.4). It
// returns an error if an argument is wrong.
func stats(c *Call, dst []byte) ([]byte, *Error) {
	window, reserve, last, err := c.stats()
	if err != nil {
		return nil, err
	}
	if reserve <= 0 {
		reserve = defaultReserve
	}
	own := c.estimate()
	estimated, limit, percent := own, 0, 0.0
	if last != 0 {
		estimated = last
	}
	if last > 0 {
		own = last
	}
	if window > 0 {
		limit, percent = window, float64(estimated)/float64(window)
	}
	return object(dst, member{"estimated_tokens", estimated}, member{"context_limit", limit},
		member{"usage_percent", percent},
		member{"message_count", len(c.Transcript.Messages)},
		member{"should_compact", overReserve(own, window, reserve)}), nil
}

// The defaults of S1.5, in tokens.
const (
	defaultReserve    = 16384
	defaultKeepRecent = 20000
)

// overReserve reports whether tokens exceed the window minus its reserve. If the window or the reserve is 0 or less,
// they never do (S1.3).
func overReserve(tokens, window, reserve int) bool {
	return window > 0 && reserve > 0 && tokens > window-reserve
}
