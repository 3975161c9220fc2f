package exact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// collapse replaces an assistant's message and the tool results after it with a line. Pairs that the boundary divides are not protected,
// and results without their call get no line (S0.22, S0.24).
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

// short returns a function that reports whether a text is short enough for the line of a turn: at most max bytes (S0.19).
func short(max int) func(p *transcript.Part) bool {
	return func(p *transcript.Part) bool { return int(p.Size.Bytes) <= max }
}
