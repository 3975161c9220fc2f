package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/transcript"
)

// clearPass replaces the bodies of old tool results by a marker. The newest ones stay; calls, ids and order stay.
//
//easyjson:json
type clearPass struct {
	Pass string `json:"pass"`
	// KeepRecent is how many of the newest tool results stay; at least 1.
	KeepRecent int `json:"keep_recent"`
	// MinReclaim is how many tokens must be freed in all, or nothing is cleared: every clearing costs the prompt cache.
	MinReclaim int `json:"min_reclaim"`
	// Tools are the tools whose results may be cleared; empty is all tools. Names are compared without case, _ and -.
	Tools []string `json:"tools"`
	// ExcludeTools are tools whose results are never cleared.
	ExcludeTools []string `json:"exclude_tools"`
}

func init() { register("clear", func() pass { return &clearPass{KeepRecent: 6} }) }

func (p *clearPass) check() string {
	if p.KeepRecent < 0 || p.KeepRecent > 1<<30 {
		return "keep_recent must be from 0 to 1,073,741,824 tool results"
	}
	return tokensRange("min_reclaim", p.MinReclaim)
}

func (p *clearPass) follows() bool { return false }

func (p *clearPass) run(c *Run) {
	reclaim := 0
	targets := c.oldResults(max(1, p.KeepRecent), toolFilter(p.Tools, p.ExcludeTools))
	for i := range targets {
		targets[i].gain = c.clearing(targets[i].part, c.sized(ClearedMarker))
		reclaim += max(0, targets[i].gain)
	}
	if reclaim < p.MinReclaim {
		return
	}
	if c.Policy.Safe() { // without it short bodies are cleared too (S3.36)
		targets = slices.DeleteFunc(targets, func(r result) bool { return r.gain <= 0 })
	}
	c.replace(targets, "clear", "clear", ClearedMarker, func(int) string { return "" })
}

// clearing is how many tokens are saved by putting a text in the place of a tool result's body.
func (c *Run) clearing(n int32, text string) int {
	parts := c.T.Parts[n : int(n)+1+len(c.T.Inner(int(n)))]
	cleared := parts[0]
	value, size := c.F.ResultBody(nil, c.T, n, text)
	cleared.Size, cleared.Size.Weight = size, c.weigh(value, size)
	return c.P.Parts(c.T, parts) - c.P.Parts(c.T, []transcript.Part{cleared})
}
