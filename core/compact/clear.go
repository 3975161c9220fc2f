package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// ClearedMarker stands where the body of a tool result was (S3.33).
const ClearedMarker = "[Old tool result content cleared]"

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
	may := func(tool string) bool {
		tool = digest.ToolKey(tool)
		same := func(name string) bool { return digest.ToolKey(name) == tool }
		return (len(p.Tools) == 0 || slices.ContainsFunc(p.Tools, same)) && !slices.ContainsFunc(p.ExcludeTools, same)
	}
	value := c.F.ResultBody(nil, ClearedMarker)
	size := jsonspan.MeasureText(ClearedMarker)
	marker := c.P.Measure(size)
	type target struct {
		item int
		part int32
	}
	var targets []target
	left, reclaim := max(1, p.KeepRecent), 0
	for i := len(c.Items) - 1; i >= 0; i-- {
		it := &c.Items[i]
		msg := &c.T.Messages[it.Msg]
		for n := msg.First + msg.Count - 1; n >= msg.First; n-- {
			part := &c.T.Parts[n]
			if part.Kind != transcript.ToolResult || part.Has(transcript.Server|transcript.Removed|transcript.Edited) ||
				part.Body.Zero() || part.Pair < 0 || c.cleared(n) || !may(digest.ToolName(c.T, int(n))) {
				continue
			}
			if left > 0 {
				left--
				continue
			}
			if gain := c.resultTokens(n) - marker; gain > 0 && !it.Pinned {
				targets = append(targets, target{i, n})
				reclaim += gain
			}
		}
	}
	if reclaim < max(1, p.MinReclaim) {
		return
	}
	slices.Reverse(targets)
	for _, t := range targets {
		tool := digest.ToolName(c.T, int(t.part))
		before := c.Total
		c.SetBody(t.item, t.part, value, size)
		c.T.Parts[t.part].Flags |= transcript.Cleared
		c.act(Action{Action: "clear", Pass: "clear", Message: int(c.Items[t.item].In), Tokens: before - c.Total, Tool: tool})
	}
	c.Report.Cleared += len(targets)
}

// resultTokens is what the body of a tool result costs.
func (c *Run) resultTokens(n int32) int {
	sum := c.P.Measure(c.T.Parts[n].Size)
	for _, in := range c.T.Inner(int(n)) {
		if in.Kind == transcript.Image {
			sum += c.P.Image
		}
		sum += c.P.Measure(in.Size)
	}
	return sum
}

// cleared tells whether the body of a tool result is a marker already.
func (c *Run) cleared(n int32) bool {
	p := &c.T.Parts[n]
	if p.Has(transcript.Cleared) {
		return true
	}
	body := p.Body
	if inner := c.T.Inner(int(n)); len(inner) == 1 && inner[0].Kind == transcript.Text {
		body = inner[0].Body
	}
	return c.T.EqualText(body, ClearedMarker)
}
