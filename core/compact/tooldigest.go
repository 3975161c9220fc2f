package compact

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/digest"
)

// toolDigestPass clears old tool results in the tail that a fold has left, and says in the digest, before the tail, what
// they were, in one line each (S4.39, S4.40). Without a fold before it in the policy it puts the lines in the place of the
// results.
//
//easyjson:json
type toolDigestPass struct {
	Pass string `json:"pass"`
	// KeepRecent is how many of the newest tool results stay; 0 turns the pass off.
	KeepRecent int `json:"keep_recent"`
	// Tools are the tools whose results may be cleared; empty is all. ExcludeTools never are.
	Tools        []string `json:"tools"`
	ExcludeTools []string `json:"exclude_tools"`
}

func init() { register("tool_digest", func() pass { return &toolDigestPass{KeepRecent: 10} }) }

func (p *toolDigestPass) check() string {
	if p.KeepRecent < 0 || p.KeepRecent > 1<<30 {
		return "keep_recent must be from 0 to 1,073,741,824 tool results"
	}
	return ""
}

func (p *toolDigestPass) follows() bool { return true }

func (p *toolDigestPass) run(c *Run) {
	folds := c.foldsBefore("tool_digest")
	switch {
	case p.KeepRecent == 0 || folds && len(c.folded) == 0:
	case !c.Policy.Safe():
		p.published(c)
	case folds:
		p.beforeTail(c)
	default:
		old := c.oldResults(p.KeepRecent, toolFilter(p.Tools, p.ExcludeTools))
		line := func(i int) string { return "\n" + digest.ToolOutputAt(c.T, int(old[i].part)).DigestLine() }
		kept := old[:0]
		for i := range old {
			if old[i].gain = c.clearing(old[i].part, c.sized(SummaryMarker)+line(i)); old[i].gain > 0 {
				kept = append(kept, old[i])
			}
		}
		old = kept
		c.replace(old, "archive", "tool_digest", SummaryMarker, line)
	}
}

// beforeTail adds the lines to the digest message, which stands before the tail: behind the newest message they would be the
// user's last words (S4.40).
func (p *toolDigestPass) beforeTail(c *Run) {
	var old []result
	var outputs []digest.ToolOutput
	gain := 0
	for _, r := range c.oldResults(p.KeepRecent, toolFilter(p.Tools, p.ExcludeTools)) {
		o := digest.ToolOutputAt(c.T, int(r.part))
		if r.gain = c.clearing(r.part, c.sized(ClearedMarker)); r.gain > c.P.Text("\n"+o.DigestLine()) {
			old, outputs = append(old, r), append(outputs, o)
			gain += r.gain
		}
	}
	lines := "\n\n" + digest.Fence(digest.ToolDigest(outputs))
	if len(old) == 0 || gain <= c.P.Text(lines) {
		return
	}
	c.replace(old, "clear", "tool_digest", ClearedMarker, func(int) string { return "" })
	msg := c.Items[c.digest].Msg
	text := strings.TrimRight(c.T.Text(c.T.FirstText(int(msg))), "\n") + lines
	before := c.Total
	c.Replace(c.digest, c.F.Message(nil, c.T.Messages[msg].Role, text))
	c.act(Action{Action: "insert", Pass: "tool_digest", Message: -1, Tokens: before - c.Total})
}

// published does as S4 does: the oldest results are kept from the model, and a message of the user with the lines stands
// behind the newest message (S4.39).
func (p *toolDigestPass) published(c *Run) {
	var seen []int
	for i := range c.Items {
		if c.resultOf(i) >= 0 {
			seen = append(seen, i)
		}
	}
	excess := len(seen) - p.KeepRecent
	if excess <= 0 {
		return
	}
	outputs := c.outputs(seen[:excess])
	for _, i := range seen[:excess] {
		c.hide(i, "tool_digest")
	}
	c.Insert(len(c.Items), c.addSummary(nil, digest.ToolDigest(outputs)))
}

// foldsBefore tells whether the policy has a fold before the first pass of this name.
func (c *Run) foldsBefore(name string) bool {
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
