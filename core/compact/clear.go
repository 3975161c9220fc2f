package compact

import (
	"bytes"
	"slices"

	"github.com/ctxfold/ctxfold/core/digest"
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
	type target struct {
		item int
		part int32
		gain int
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
			if gain := c.clearing(n); gain > 0 && !it.Pinned {
				targets = append(targets, target{i, n, gain})
				reclaim += gain
			}
		}
	}
	if reclaim < max(1, p.MinReclaim) {
		return
	}
	slices.Reverse(targets)
	for i, t := range targets {
		tool := digest.ToolName(c.T, int(t.part))
		value, size := c.F.ResultBody(nil, c.T, t.part, ClearedMarker)
		c.SetBody(t.part, value, size)
		c.T.Parts[t.part].Flags |= transcript.Cleared
		c.act(Action{Action: "clear", Pass: "clear", Message: int(c.Items[t.item].In), Tokens: t.gain, Tool: tool})
		if i+1 == len(targets) || targets[i+1].item != t.item {
			c.changed(t.item)
		}
	}
	c.Report.Cleared += len(targets)
}

// clearing is how many tokens are saved by putting the marker in the place of a tool result's body.
func (c *Run) clearing(n int32) int {
	parts := c.T.Parts[n : int(n)+1+len(c.T.Inner(int(n)))]
	cleared := parts[0]
	_, cleared.Size = c.F.ResultBody(nil, c.T, n, ClearedMarker)
	return c.P.Parts(parts) - c.P.Parts([]transcript.Part{cleared})
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
	if c.T.EqualText(body, ClearedMarker) {
		return true
	}
	value, _ := c.F.ResultBody(nil, c.T, n, ClearedMarker)
	return bytes.Equal(c.T.Bytes(p.Body), value)
}
