package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// ClearPass replaces the contents of old tool results with a marker. The newest results stay; calls, ids and order stay.
//
//easyjson:json
type ClearPass struct {
	Pass         string   `json:"pass"`
	KeepRecent   int      `json:"keep_recent"`
	MinReclaim   int      `json:"min_reclaim"`
	Tools        []string `json:"tools"`
	ExcludeTools []string `json:"exclude_tools"`
}

func init() {
	Register(Kind{
		Name: "clear",
		Doc:  "replaces the contents of old tool results with a marker. The newest results stay; calls, ids and order stay.",
		Make: func() Pass { return new(ClearPass) },
		Params: []Param{
			{"keep_recent", "6", "keep_recent is how many of the newest tool results stay; at least 1."},
			{"min_reclaim", "0", "min_reclaim is how many tokens must be freed in total, or nothing is cleared: every clearing invalidates the prompt cache."},
			{"tools", "[]", "tools are the tools whose results may be cleared; empty means all tools. Names are compared without case, _ and -."},
			{"exclude_tools", "[]", "exclude_tools are tools whose results are never cleared."},
		},
		Markers: []handles.Marking{{Text: handles.ClearedMarker}},
		Counts:  []view.Counter{cleared},
	})
}

func (p *ClearPass) Check() string {
	if p.KeepRecent < 0 || p.KeepRecent > 1<<30 {
		return "keep_recent must be from 0 to 1,073,741,824 tool results"
	}
	return tokensRange("min_reclaim", p.MinReclaim)
}

func (p *ClearPass) Follows() bool { return false }

func (p *ClearPass) Run(c *Run) {
	p.Clear(c, slices.DeleteFunc(p.Targets(c), func(r result) bool { return r.gain <= 0 }))
}

// Targets are the results that the pass may clear; none where clearing them frees too little.
func (p *ClearPass) Targets(c *Run) []result {
	reclaim := 0
	targets := c.oldResults(max(1, p.KeepRecent), ToolFilter(p.Tools, p.ExcludeTools))
	for i := range targets {
		targets[i].gain = c.clearing(targets[i].part, c.Sized(handles.ClearedMarker))
		reclaim += max(0, targets[i].gain)
	}
	if reclaim < p.MinReclaim {
		return nil
	}
	return targets
}

// Clear clears results.
func (p *ClearPass) Clear(c *Run, targets []result) {
	c.replace(targets, "clear", "clear", handles.ClearedMarker, func(int) string { return "" })
}

// clearing is how many tokens are saved by putting a text in place of a tool result's body.
func (c *Run) clearing(n int32, text string) int {
	parts := c.T.Parts[n : int(n)+1+len(c.T.Inner(int(n)))]
	cleared := parts[0]
	value, size := c.F.ResultBody(nil, c.T, n, text)
	cleared.Size, cleared.Size.Weight = size, c.Weigh(value, size)
	return c.P.Parts(c.T, parts) - c.P.Parts(c.T, []transcript.Part{cleared})
}
