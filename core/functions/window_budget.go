package functions

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/policy"
)

// sliceArguments are those of plan_slice.
//
//easyjson:json
type sliceArguments struct {
	KeepRecent int `json:"keep_recent"`
}

// slicePlan is the result of plan_slice: half-open ranges of indexes.
//
//easyjson:json
type slicePlan struct {
	Cut     int    `json:"cut"`
	Dropped [2]int `json:"dropped"`
	Kept    [2]int `json:"kept"`
}

// rehydrateArguments are those of rehydrate_recent_reads.
//
//easyjson:json
type rehydrateArguments struct {
	Cut            int    `json:"cut"`
	MaxFiles       int    `json:"max_files"`
	Tokens         int    `json:"tokens"`
	Tool           string `json:"tool"`
	ShrinkMessages bool   `json:"shrink_messages"`
}

// restored is one file in the result of rehydrate_recent_reads.
//
//easyjson:json
type restored struct {
	Message int    `json:"message"`
	Path    string `json:"path"`
	Text    string `json:"text"`
	Tokens  int    `json:"tokens"`
}

// condenseArguments are those of condense and branch_digest.
//
//easyjson:json
type condenseArguments struct {
	Prior string        `json:"previous_summary"`
	Reply *digest.Reply `json:"reply"`
}

// condensed is the result of condense and branch_digest.
//
//easyjson:json
type condensed struct {
	System       string  `json:"system"`
	Prompt       string  `json:"prompt"`
	Thinking     string  `json:"thinking"`
	MaxOutput    int     `json:"max_output_tokens"`
	Message      *string `json:"message"`
	Source       string  `json:"source,omitempty"`
	Why          string  `json:"why,omitempty"`
	CoveredCount int     `json:"covered_count"`
}

// flattenArguments are those of flatten_transcript.
//
//easyjson:json
type flattenArguments struct {
	Clip int `json:"clip"` // bytes
}

func init() {
	register("budget_limit", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		b, err := c.budgetPolicy()
		if err != nil {
			return nil, err
		}
		return strconv.AppendFloat(dst, b.Limit(), 'f', -1, 64), nil
	})
	register("is_over_budget", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		b, err := c.budgetPolicy()
		if err != nil {
			return nil, err
		}
		return truth(dst, float64(c.estimate()) > b.Limit()), nil
	})
	register("plan_slice", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		a := sliceArguments{KeepRecent: policy.DefaultBudget().KeepRecent}
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		if a.KeepRecent < 0 {
			return nil, outOfRange("keep_recent", "must not be negative")
		}
		n := len(c.Transcript.Messages)
		cut := compact.PlanSlice(c.sizes(), c.isTool, a.KeepRecent)
		return object(dst, &slicePlan{Cut: cut, Dropped: [2]int{0, cut}, Kept: [2]int{cut, n}}), nil
	})
	register("last_user_turn_start", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		at := compact.LastUserTurn(len(c.Transcript.Messages), func(i int) bool {
			return c.isUser(i) && !(c.Policy.Safe() && digest.Ours(c.Transcript, i))
		})
		if at < 0 {
			return append(dst, "null"...), nil
		}
		return number(dst, at), nil
	})
	register("rehydrate_recent_reads", Messages, rehydrate)
	register("flatten_transcript", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a flattenArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return text(dst, digest.Flatten(c.Transcript, c.all(), max(0, a.Clip))), nil
	})
	condense := func(name, scope string) {
		register(name, Messages, func(c *Call, dst []byte) ([]byte, *Error) { return c.condense(dst, scope) })
	}
	condense("condense", digest.SessionScope)
	condense("branch_digest", digest.BranchScope)
}

// budgetPolicy is the policy in the arguments.
func (c *Call) budgetPolicy() (policy.Budget, *Error) {
	b := policy.DefaultBudget()
	b.ContextWindow = c.Policy.Window.Tokens
	if err := c.arguments(&b); err != nil {
		return b, err
	}
	if !(b.TriggerRatio > 0 && b.TriggerRatio <= 1) {
		return b, outOfRange("trigger_ratio", "must be over 0 and at most 1")
	}
	if b.ContextWindow < 0 || b.ReserveTokens < 0 {
		return b, outOfRange("context_window", "and reserve_tokens must not be negative")
	}
	return b, nil
}

func rehydrate(c *Call, dst []byte) ([]byte, *Error) {
	a := rehydrateArguments{MaxFiles: compact.MaxRestored, Tokens: compact.RestoredTokens, Tool: "read"}
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	all := c.all()
	if a.Cut < 0 || a.Cut > len(all) {
		return nil, outOfRange("cut", "must be an index of the messages, or their number")
	}
	if a.ShrinkMessages {
		a.MaxFiles = min(a.MaxFiles, a.Cut-2) // S3.44
	}
	v := compact.NewView(c.Transcript, c.Format, c.Estimator, len(all))
	dst = append(dst, '[')
	for i, f := range compact.RehydrateRecentReads(v, all[:a.Cut], all[a.Cut:], a.MaxFiles, a.Tokens, a.Tool, !c.Policy.Safe()) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = object(dst, &restored{Message: f.Index, Path: f.Path, Text: f.Text, Tokens: f.Tokens})
	}
	return append(dst, ']'), nil
}

// condense makes one digest of all messages, or asks for it.
func (c *Call) condense(dst []byte, scope string) ([]byte, *Error) {
	var a condenseArguments
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	s := c.Policy.Summary
	got := digest.Condense(c.Transcript, c.all(), c.Estimator, digest.CondenseOptions{Scope: scope, Prior: a.Prior,
		Instructions: s.Instructions, Mode: s.Mode, MaxOutput: s.MaxOutputTokens, Exact: !c.Policy.Safe(), Reply: a.Reply})
	r := condensed{System: got.System, Prompt: got.Prompt, Thinking: got.Thinking, MaxOutput: s.MaxOutputTokens,
		Source: got.Source, Why: got.Why, CoveredCount: got.Covered}
	if got.Message != "" {
		r.Message = &got.Message
	}
	return object(dst, &r), nil
}
