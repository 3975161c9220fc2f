package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/critbit"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// result is a tool result that a pass may do something with.
type result struct {
	item int
	part int32
	gain int // tokens
}

// hasResult tells whether the part at index n is a tool result with a body that is its own: neither a marker nor what the
// provider keeps, nor what one of the provider's tools still waits for.
func (c *Run) hasResult(n int32) bool {
	p := &c.T.Parts[n]
	return p.Kind == transcript.ToolResult && !p.Has(transcript.Server|transcript.Removed|transcript.Edited) &&
		!p.Body.Zero() && p.Pair >= 0 && !c.T.Waits(&c.T.Parts[p.Pair]) && !c.cleared(n)
}

// oldResults are the tool results whose bodies may be taken out, oldest first: not those of the newest keep results, of
// pinned messages and of tools for which may is false, nor those that are gone already.
func (c *Run) oldResults(keep int, may func(tool string) bool) (old []result) {
	for i := len(c.Items) - 1; i >= 0; i-- {
		it := &c.Items[i]
		msg := &c.T.Messages[it.Msg]
		for n := msg.First + msg.Count - 1; n >= msg.First; n-- {
			if !c.hasResult(n) || !may(digest.ToolName(c.T, int(n))) {
				continue
			}
			if keep > 0 {
				keep--
				continue
			}
			if !it.Pinned {
				old = append(old, result{item: i, part: n})
			}
		}
	}
	slices.Reverse(old)
	return old
}

// replace puts a marker, with text behind it, in the place of each of the results' bodies, and reports it as an action.
func (c *Run) replace(results []result, action, pass, marker string, text func(i int) string) {
	c.Report.Actions = slices.Grow(c.Report.Actions, len(results))
	c.edits = slices.Grow(c.edits, len(results))
	for i, r := range results {
		tool := digest.ToolName(c.T, int(r.part))
		c.mark(r.part, marker, text(i))
		c.act(Action{Action: action, Pass: pass, Message: int(c.Items[r.item].In), Tokens: r.gain, Tool: tool})
		if i+1 == len(results) || results[i+1].item != r.item {
			c.changed(r.item)
		}
	}
	c.Report.Cleared += len(results)
}

// toolFilter tells whether a tool is one of tools (all, if there are none) and none of exclude. Names are compared without
// case, _ and -.
func toolFilter(tools, exclude []string) func(tool string) bool {
	keys := func(names []string) (set critbit.Map[struct{}]) {
		for _, name := range names {
			set.Add(digest.ToolKey(name))
		}
		return set
	}
	in, out := keys(tools), keys(exclude)
	return func(tool string) bool {
		tool = digest.ToolKey(tool)
		return (in.Len() == 0 || in.Has(tool)) && !out.Has(tool)
	}
}
