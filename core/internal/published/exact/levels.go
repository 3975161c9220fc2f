package exact

import (
	"github.com/ctxfold/ctxfold/core/internal/api"
	"github.com/ctxfold/ctxfold/core/internal/archive"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// truncate truncates all results, those of pinned messages too, and makes a tool's message anew (S0.8, S0.9).
func truncate(p *passes.TruncatePass, c *passes.Run) {
	may := passes.ToolFilter(p.Tools, p.ExcludeTools)
	p.Unsqueeze(c, may)
	for i := range c.Items {
		it := &c.Items[i]
		n, tool := truncateMessage(c, it.Msg, p.MaxLines, may)
		if c.T.Messages[it.Msg].Role == transcript.Tool && dropTurn(c, it.Msg) {
			it.Dirty = true // S0.9: the message is made anew, without what the application keeps with it
			c.Act(api.Action{Action: api.ActionStrip, Pass: "truncate", Message: int(it.In), Rule: "S0.9"})
		}
		c.Truncated(i, n, tool)
	}
}

// truncateMessage truncates the tool results of a message. It returns how many texts were truncated, and the tool of the last result.
func truncateMessage(c *passes.Run, m int32, maxLines int, may func(tool string) bool) (truncated int, tool string) {
	return c.EachResultText(m, func(n int32) bool { return may(digest.ToolName(c.T, int(n))) }, func(n int32) bool {
		text := c.T.Text(c.T.Parts[n].Body)
		short := TruncateHeadTail(text, maxLines)
		if short == text {
			return false
		}
		c.SetBody(n, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
		return true
	})
}

// TruncateHeadTail shortens a text to its first and last lines, half of maxLines each (the odd one is the tail's), with a marker
// between them, for which the result has three lines more (S0.15).
func TruncateHeadTail(text string, maxLines int) string {
	lines := passes.SplitLines(text)
	if len(lines) <= maxLines {
		return text
	}
	return passes.HeadTail(lines, maxLines)
}

// dropTurn takes what an application keeps with a message, the turn that it belongs to, out of it. It tells whether there was
// anything.
func dropTurn(c *passes.Run, m int32) bool {
	meta := c.T.Messages[m].Meta
	if meta == 0 || c.T.Metas[meta-1].Member.Zero() {
		return false
	}
	c.Splice(m, c.Member(c.T.Metas[meta-1].Member, c.T.Messages[m].Span), transcript.Span{})
	return true
}

// collapse puts a line in the place of an assistant's message with the tool results behind it. Nothing guards pairs that the boundary
// divides, and results without their call have no line (S0.22, S0.24).
func collapse(p *passes.CollapsePass, c *passes.Run) {
	boundary := len(c.Items) - p.KeepRecent
	if boundary <= 0 {
		return
	}
	items, part := make([]view.Item, 0, len(c.Items)), len(c.T.Parts)
	role := func(i int) transcript.Role { return c.T.Messages[c.Items[i].Msg].Role }
	for i := 0; i < boundary; {
		from := i
		i++
		switch role(from) {
		case transcript.Assistant:
			for i < boundary && role(i) == transcript.Tool {
				i++
			}
			line := c.Compose(c.LineMessage(c.Line(from, i, digest.LineMarker, short(p.MaxText)), from, i))
			c.KeepFold(nil, &line, c.Items[from:i]...)
			items = append(items, line)
			c.Act(api.Action{Action: api.ActionInsert, Pass: "collapse", Message: -1, Tokens: -line.Tokens})
		case transcript.Tool:
		default:
			items = append(items, c.Items[from])
			continue
		}
		c.Collapsed(c.Items[from:i])
	}
	if len(items) == boundary && c.T.Input == len(c.T.Messages) {
		return
	}
	c.SetItems(append(items, c.Items[boundary:]...), part)
}

// short tells of a text whether it is for the line of a turn: it has at most max bytes (S0.19).
func short(max int) func(p *transcript.Part) bool {
	return func(p *transcript.Part) bool { return int(p.Size.Bytes) <= max }
}

// reasoning takes reasoning out wherever it stands, also where a model wants it back.
func reasoning(p *passes.ReasoningPass, c *passes.Run) {
	for i := range c.T.Parts {
		c.T.Parts[i].Flags &^= transcript.Demanded
	}
	c.StripReasoning(0, p.End(c), "reasoning", "", func(*transcript.Part) bool { return true })
}

// Rehydration is a choice among the files that are read in a view, by reads alone: a file that was changed after it was read is put
// back as it was read. What a pass has cleared is gone (S3.41).
func Rehydration(v *view.View) *passes.Rehydration {
	r := passes.NewRehydration(v, policy.MaxTokens)
	r.Edits = func(string) bool { return false }
	r.Content = func(n int32) string {
		if archive.Cleared(v, n) {
			return ""
		}
		return r.Original(n)
	}
	return r
}
