package passes

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// ToolDigestPass clears old tool results in the tail that a fold has left, and lists them in the digest, before the tail, in one line each
// (S4.39, S4.40). If the policy has no fold before it, the lines replace the results.
//
//easyjson:json
type ToolDigestPass struct {
	Pass         string   `json:"pass"`
	KeepRecent   int      `json:"keep_recent"`
	Tools        []string `json:"tools"`
	ExcludeTools []string `json:"exclude_tools"`
}

func init() {
	Register(Kind{
		Name: "tool_digest",
		Doc:  "clears old tool results in the tail that a fold left, and describes each in one line of the digest. Without a fold before it in the policy, it replaces the results with these lines.",
		Make: func() Pass { return new(ToolDigestPass) },
		Params: []Param{
			{"keep_recent", "10", "keep_recent is how many of the newest tool results stay; 0 turns the pass off."},
			{"tools", "[]", "tools are the tools whose results may be cleared; empty means all. Results of exclude_tools never are."},
			{"exclude_tools", "[]", ""},
		},
		Markers: []handles.Marking{{Text: handles.ClearedMarker}, {Text: handles.SummaryMarker, Follows: true}},
		Counts:  []view.Counter{cleared},
	})
}

func (p *ToolDigestPass) Check() string {
	if p.KeepRecent < 0 || p.KeepRecent > 1<<30 {
		return "keep_recent must be from 0 to 1,073,741,824 tool results"
	}
	return ""
}

func (p *ToolDigestPass) Follows() bool { return true }

func (p *ToolDigestPass) Run(c *Run) {
	folds := c.FoldsBefore("tool_digest")
	switch {
	case p.KeepRecent == 0 || folds && len(c.Folded) == 0:
	case folds:
		p.beforeTail(c)
	default:
		old := c.oldResults(p.KeepRecent, ToolFilter(p.Tools, p.ExcludeTools))
		c.unsqueezeAll(old)
		line := func(i int) string { return "\n" + digest.ToolOutputAt(c.T, int(old[i].part)).DigestLine() }
		kept := old[:0]
		for i := range old {
			if old[i].gain = c.clearing(old[i].part, c.Sized(handles.SummaryMarker)+line(i)); old[i].gain > 0 {
				kept = append(kept, old[i])
			}
		}
		old = kept
		c.replace(old, "archive", "tool_digest", handles.SummaryMarker, line)
	}
}

// beforeTail adds the lines to the digest message, which precedes the tail: after the newest message they would be the user's last words
// (S4.40).
func (p *ToolDigestPass) beforeTail(c *Run) {
	var old []result
	var outputs []digest.ToolOutput
	gain := 0
	results := c.oldResults(p.KeepRecent, ToolFilter(p.Tools, p.ExcludeTools))
	c.unsqueezeAll(results)
	for _, r := range results {
		o := digest.ToolOutputAt(c.T, int(r.part))
		if r.gain = c.clearing(r.part, c.Sized(handles.ClearedMarker)); r.gain > c.P.Text("\n"+o.DigestLine()) {
			old, outputs = append(old, r), append(outputs, o)
			gain += r.gain
		}
	}
	lines := "\n\n" + digest.Fence(digest.ToolDigest(outputs))
	if len(old) == 0 || gain <= c.P.Text(lines) {
		return
	}
	c.replace(old, "clear", "tool_digest", handles.ClearedMarker, func(int) string { return "" })
	msg := c.Items[c.digest].Msg
	text := strings.TrimRight(c.T.Text(c.T.FirstText(int(msg))), "\n") + lines
	before := c.Total
	c.Replace(c.digest, c.NewMessage(c.digest, c.T.Messages[msg].Role, text))
	c.Act(api.Action{Action: api.ActionInsert, Pass: "tool_digest", Message: -1, Tokens: before - c.Total})
}

// FoldsBefore reports whether the policy has a fold before the first pass with this name.
func (c *Run) FoldsBefore(name string) bool {
	for _, p := range c.Policy.Passes {
		switch p.Name {
		case "fold":
			return true
		case name:
			return false
		}
	}
	return false
}
