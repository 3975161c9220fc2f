package functions

import (
	"math"
	"strconv"
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
			if sum := u.Input + u.Output + u.CacheRead + u.CacheWrite; sum > 0 {
				a.Anchor = &anchor{sum, a.Index}
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
		sum, from := 0, 0
		if a.Anchor != nil && a.Anchor.Index >= 0 && a.Anchor.Index < len(c.Transcript.Messages) {
			sum, from = a.Anchor.Tokens, a.Anchor.Index+1
		}
		for m := from; m < len(c.Transcript.Messages); m++ {
			sum += c.Estimator.Message(c.Transcript, m)
		}
		return number(dst, sum), nil
	})
	register("headroom", 0, headroom)
}

// headroom tells what share of the window is left below the share at which compaction is wanted, and whether that is so
// little that compaction is due (S0.43). The order of the operations is the published one: it decides at the edge.
func headroom(c *Call, dst []byte) ([]byte, *Error) {
	a := headroomArguments{Max: 100_000, System: 4_000, At: 0.90, Threshold: 0.05}
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	if a.Max < 0 || a.Max == 0 && c.Policy.Safe() {
		return nil, outOfRange("max_context_tokens", "must be over 0")
	}
	window := float64(a.Max)
	left := a.At - float64(a.System)/window
	left -= float64(a.Estimated) / window
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
