package passes

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// leastRules is how many tokens of an instruction file are worth keeping.
const leastRules = 128

// shortenProject pins the instruction files that are too large to stay whole, of each the newest, after cutting them down to their rules in
// what the policy leaves for project instructions, and in a third of what the pinned messages leave of the target. Without it a fold would
// take them whole.
func (c *Run) shortenProject() {
	room := c.ProjectRoom()
	if c.Target > 0 {
		free := c.Target
		for i := range c.Items {
			if c.Items[i].Pinned {
				free -= c.Items[i].Tokens
			}
		}
		room = min(room, free/3)
	}
	var seen critbit.Map[struct{}]
	for i := len(c.Items) - 1; i >= 0 && room >= leastRules; i-- {
		it := &c.Items[i]
		if c.Own(it.Msg) {
			continue
		}
		what, key := digest.ProjectIn(c.T, int(it.Msg))
		if what != digest.ProjectFile || seen.Has(key) {
			continue
		}
		seen.Add(key)
		if it.Pinned {
			continue
		}
		n := digest.ProjectFileText(c.T, int(it.Msg))
		if n < 0 || c.T.Parts[n].Has(transcript.Signed|transcript.Held|transcript.Free) || !c.T.IsString(c.T.Parts[n].Body) {
			continue
		}
		before := it.Tokens
		if keep := room - (before - c.P.Parts(c.T, c.T.Parts[n:n+1])); keep < leastRules || !c.cutToRules(n, keep) {
			continue
		}
		c.Remeasure(i)
		c.Report.Truncated++
		c.Act(api.Action{Action: api.ActionTruncate, Pass: "fold", Message: int(it.In), Tokens: before - it.Tokens})
		it.Pinned, it.Instr = true, true
		room -= it.Tokens
	}
}

// cutToRules leaves at most keep tokens of the text of an instruction file, and archives the whole.
func (c *Run) cutToRules(n int32, keep int) bool {
	p := &c.T.Parts[n]
	_, text := handles.TruncatedHandle(c.T.Text(p.Body))
	marker := ""
	if c.Keeps() {
		marker = handles.WithHandle(handles.TruncatedMarker, handles.Zeros) + "\n"
	}
	size := min(len(text)*keep/max(1, c.P.Text(text)), len(text))
	short := digest.ProjectRules(text, size)
	for c.P.Text(marker+short) > keep {
		if size = size * 15 / 16; size < leastRules {
			return false
		}
		short = digest.ProjectRules(text, size)
	}
	handle := c.Keep(api.BodyText, p.Msg, n, p.Body)
	if marker != "" {
		short = handles.WithHandle(handles.TruncatedMarker, handle) + "\n" + short
	}
	if c.cut == nil {
		c.cut = map[int32]string{}
	}
	c.cut[n] = handle
	c.SetBody(n, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
	return true
}
