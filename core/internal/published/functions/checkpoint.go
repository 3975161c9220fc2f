package functions

import (
	"math"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	register("estimate_tokens", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var v api.Raw
		if err := c.read(argument{name: "value", to: &v}); err != nil {
			return nil, err
		}
		if len(v) == 0 || v[0] != '"' {
			return number(dst, 0), nil // S2.1
		}
		return number(dst, c.Estimator.Text(jsonspan.Text(v, jsonspan.Span{End: uint32(len(v))}))), nil
	})
	register("calculate_threshold", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		a, err := c.config()
		if err != nil {
			return nil, err
		}
		return number(dst, a.threshold()), nil
	})
	register("context_limit", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var model string
		if err := c.read(argument{name: "model", to: &model}); err != nil {
			return nil, err
		}
		return number(dst, contextLimit(model)), nil
	})
	register("should_compact_threshold", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		a, err := c.config()
		if err != nil {
			return nil, err
		}
		return truth(dst, a.shouldCompact(len(c.Transcript.Messages), c.estimate())), nil
	})
	register("select_messages", Messages, selectMessages)
	register("adjust_boundary", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var roles []string
		initial := 0
		if err := c.read(argument{name: "roles", to: &roles}, argument{name: "initial", to: &initial}); err != nil {
			return nil, err
		}
		return number(dst, passes.AdjustBoundary(len(roles), initial, func(i int) bool {
			return roles[i] == "tool"
		})), nil
	})
	register("extract_original_task", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return text(dst, c.task()), nil
	})
	register("format_messages", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return c.record(dst, "checkpoint")
	})
	register("compaction_log", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var round, before, after, messages int
		if err := c.read(argument{name: "round", to: &round}, argument{name: "tokens_before", to: &before},
			argument{name: "tokens_after", to: &after}, argument{name: "messages", to: &messages}); err != nil {
			return nil, err
		}
		n := strconv.Itoa
		return text(dst, "[Compaction] Round "+n(round)+": "+n(before)+" → "+n(after)+" tokens ("+n(messages)+" messages summarized)"), nil // S2.29
	})
}

// config returns the configuration from the arguments. With wire_safe, it is an error if the reserves take up the whole
// window (S2.8).
func (c *Call) config() (config, *Error) {
	a := defaultConfig()
	if err := c.read(argument{name: "model_context_limit", to: &a.ModelContextLimit}, argument{name: "system_reserve", to: &a.SystemReserve},
		argument{name: "output_reserve", to: &a.OutputReserve}, argument{name: "safety_buffer", to: &a.SafetyBuffer},
		argument{name: "threshold_percent", to: &a.ThresholdPercent},
		argument{name: "recent_messages_to_keep", to: &a.RecentMessagesToKeep}); err != nil {
		return a, err
	}
	if c.Policy.IsWireSafe() && a.threshold() <= 0 {
		return a, outOfRange("model_context_limit", "leaves nothing for the conversation: the reserves take it all")
	}
	return a, nil
}

func selectMessages(c *Call, dst []byte) ([]byte, *Error) {
	keep := exact.KeepLast
	if err := c.read(argument{name: "keep_last", to: &keep}); err != nil {
		return nil, err
	}
	n := len(c.Transcript.Messages)
	if keep < 0 && c.Policy.IsWireSafe() {
		return nil, outOfRange("keep_last", "must not be negative")
	}
	s := exact.SelectMessages(c.Transcript, c.Transcript.MessageIndexes(), keep)
	var gone, kept []int
	var previous *string
	for i := range n {
		if i >= s.From && i < s.To {
			gone = append(gone, i)
		} else if s.To == 0 || i == 0 || i >= s.To {
			kept = append(kept, i)
		}
	}
	if s.HasPrevious {
		previous = &s.Previous
	}
	return object(dst, member{"compact", gone}, member{"keep", kept}, member{"previous_summary", previous}), nil
}

// task returns the user's first request, or [styles.UnknownTask] if there is none. With wire_safe false it is always read
// from the messages, even if the state remembers another one.
func (c *Call) task() string {
	if !c.Policy.IsWireSafe() {
		return verbatim.OriginalTask(c.Transcript)
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
	return styles.UnknownTask
}

// config is the configuration of S2 (S2.6). All fields but the last two are numbers of tokens.
type config struct {
	ModelContextLimit    int     // the model's window
	SystemReserve        int     // for the system prompt
	OutputReserve        int     // for the response
	SafetyBuffer         int     // further tokens that stay free
	ThresholdPercent     float64 // a fraction, such as 0.8
	RecentMessagesToKeep int     // the number of newest messages that stay
}

// defaultConfig returns S2's defaults (S2.6).
func defaultConfig() config {
	return config{ModelContextLimit: defaultContextLimit, SystemReserve: 2000, OutputReserve: 4000, SafetyBuffer: 5000,
		ThresholdPercent: 0.8, RecentMessagesToKeep: 10}
}

// threshold returns the number of tokens at which compaction is due, rounded down (S2.7). It is negative if the
// reserves are larger than the window (S2.8).
func (c *config) threshold() int {
	available := c.ModelContextLimit - c.SystemReserve - c.OutputReserve - c.SafetyBuffer
	return int(math.Floor(float64(available) * c.ThresholdPercent))
}

// shouldCompact reports whether compaction is due at this many messages and tokens (S2.10).
func (c *config) shouldCompact(messages, tokens int) bool {
	return messages > c.RecentMessagesToKeep+1 && tokens >= c.threshold()
}

const defaultContextLimit = 128000

// contextLimits lists the windows in S2.9, in tokens.
var contextLimits = []struct {
	model  string
	tokens int
}{
	{"gpt-4o", 128000}, {"gpt-4-turbo", 128000}, {"gpt-4", 8192},
	{"claude-3-5-sonnet-20240620", 200000}, {"claude-3-haiku-20240307", 200000},
}

// contextLimit returns the window of a model according to S2.9; 128,000 tokens for models that are not listed.
func contextLimit(model string) int {
	for _, m := range contextLimits {
		if m.model == model {
			return m.tokens
		}
	}
	return defaultContextLimit
}
