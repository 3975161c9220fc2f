package exact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// collapse replaces each older assistant message, and the tool results after it, with a line. The boundary between
// older and newer messages may separate a call from its results, and results without a call get no line (S0.22,
// S0.24).
func collapse(p *passes.CollapsePass, c passes.Run) {
	doc := c.Doc()
	boundary := len(doc.Items) - p.KeepRecent
	if boundary <= 0 {
		return
	}
	items, part := make([]view.Item, 0, len(doc.Items)), len(doc.T.Parts)
	role := func(i int) transcript.Role { return doc.T.Messages[doc.Items[i].Msg].Role }
	for i := 0; i < boundary; {
		from := i
		i++
		switch role(from) {
		case transcript.Assistant:
			for i < boundary && role(i) == transcript.Tool {
				i++
			}
			line := doc.NewItem(passes.LineMessage(doc, passes.Line(doc, from, i, digest.LineMarker, short(p.MaxText)),
				from, i))
			c.Archive().KeepFold(nil, &line, doc.Items[from:i]...)
			items = append(items, line)
			c.Report().AddAction(api.Action{Action: api.ActionInsert, Pass: "collapse", Message: -1,
				Tokens: -line.Tokens})
		case transcript.Tool:
		default:
			items = append(items, doc.Items[from])
			continue
		}
		passes.ReportCollapsed(c, doc.Items[from:i])
	}
	if len(items) == boundary && doc.T.Input == len(doc.T.Messages) {
		return
	}
	doc.SetItems(append(items, doc.Items[boundary:]...), part)
}

// short returns a function that reports whether the line of a turn may contain a text. max is the maximum size of such
// a text in bytes (S0.19).
func short(max int) func(p *transcript.Part) bool {
	return func(p *transcript.Part) bool { return int(p.Size.Bytes) <= max }
}
