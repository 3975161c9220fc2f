package functions

import (
	"math"
	"strconv"

	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/tokens"
)

// usageArguments are what a provider counted, in tokens, and where.
//
//easyjson:json
type usageArguments struct {
	Anchor *anchor `json:"anchor"`
	Usage  *counts `json:"usage"`
	Index  int     `json:"index"`
}

// anchor is a count by the provider: the tokens up to the message at an index, that included.
type anchor struct {
	Tokens int `json:"tokens"`
	Index  int `json:"index"`
}

func (a *anchor) anchor() *tokens.Anchor {
	if a == nil {
		return nil
	}
	return &tokens.Anchor{Tokens: a.Tokens, Index: a.Index}
}

type counts struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read"`
	CacheWrite int `json:"cache_write"`
	Total      int `json:"total"`
}

//easyjson:json
type headroomArguments struct {
	Max       int     `json:"max_context_tokens"`
	System    int     `json:"system_prompt_tokens"`
	Estimated int     `json:"estimated"`
	At        float64 `json:"compact_at_pct"`
	Threshold float64 `json:"compact_budget_threshold_pct"`
}

func init() {
	// record_usage gives the anchor that counts from now on: the new one if the provider counted anything, else the old one
	// (S0.38).
	register("record_usage", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a usageArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		if u := a.Usage; u != nil {
			if n := a.Anchor.anchor().Record(u.Input+u.Output+u.CacheRead+u.CacheWrite, a.Index); n != nil {
				a.Anchor = &anchor{n.Tokens, n.Index}
			}
		}
		if a.Anchor == nil {
			return append(dst, "null"...), nil
		}
		dst = number(append(dst, `{"tokens":`...), a.Anchor.Tokens)
		return append(number(append(dst, `,"index":`...), a.Anchor.Index), '}'), nil
	})
	// anchored_tokens counts from an anchor on: its tokens, and an estimate of the messages behind it (S0.38).
	register("anchored_tokens", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a usageArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return number(dst, c.Estimator.Anchored(c.Transcript, a.Anchor.anchor())), nil
	})
	register("headroom", 0, headroom)
}

// headroom tells what is left below the share of the window at which compaction is wanted, and whether that is so little that
// it is due (S0.43).
func headroom(c *Call, dst []byte) ([]byte, *Error) {
	a := headroomArguments{Max: policy.DefaultContextTokens, System: policy.DefaultSystemTokens, At: policy.DefaultCompactAt, Threshold: policy.DefaultThreshold}
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	if a.Max < 0 || a.Max == 0 && c.Policy.Safe() {
		return nil, outOfRange("max_context_tokens", "must be over 0")
	}
	left := policy.Headroom(a.Max, a.System, a.Estimated, a.At)
	dst = append(dst, `{"headroom":`...)
	switch { // of a window of 0 tokens; JSON has no word for these
	case left != left:
		dst = append(dst, `"NaN"`...)
	case left < -math.MaxFloat64:
		dst = append(dst, `"-inf"`...)
	default:
		dst = strconv.AppendFloat(dst, left, 'g', -1, 64)
	}
	return append(truth(append(dst, `,"fires":`...), left < a.Threshold), '}'), nil
}
