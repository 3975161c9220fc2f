package exact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// truncate truncates the results of the selected tools, even in pinned messages, and rebuilds tool messages without the
// application's metadata (S0.8, S0.9).
func truncate(p *passes.TruncatePass, c passes.Run) {
	doc := c.Doc()
	may := passes.ToolFilter(p.Tools, p.ExcludeTools)
	p.Unsqueeze(c, may)
	for i := range doc.Items {
		it := &doc.Items[i]
		n, tool := truncateMessage(c, it.Msg, p.MaxLines, may)
		if doc.T.Messages[it.Msg].Role == transcript.Tool && dropTurn(c, it.Msg) {
			it.Dirty = true // S0.9: dropTurn has changed the message
			c.Report().AddAction(api.Action{Action: api.ActionStrip, Pass: "truncate", Message: int(it.In),
				Rule: "S0.9"})
		}
		passes.ReportTruncated(c, i, n, tool)
	}
}

// truncateMessage truncates the tool results of a message as TruncateHeadTail does. It returns the
// number of truncated texts, and the tool name of the last result. may says which tools' results to
// truncate.
func truncateMessage(c passes.Run, m int32, maxLines int, may func(tool string) bool) (truncated int, tool string) {
	doc := c.Doc()
	return passes.EachResultText(doc, m, func(n int32) bool { return may(digest.ToolName(doc.T, int(n))) },
		func(n int32) bool {
			text := doc.T.Text(doc.T.Parts[n].Body)
			short := TruncateHeadTail(text, maxLines)
			if short == text {
				return false
			}
			doc.SetBody(n, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
			return true
		})
}

// TruncateHeadTail shortens text to its first and last lines, half of maxLines each; if maxLines is odd, the tail
// gets the extra line. The marker between them takes three more lines (S0.15).
func TruncateHeadTail(text string, maxLines int) string {
	lines := passes.SplitLines(text)
	if len(lines) <= maxLines {
		return text
	}
	return passes.HeadTail(lines, maxLines)
}

// dropTurn removes the turn metadata that an application has added to a message. It returns false if the message had
// none.
func dropTurn(c passes.Run, m int32) bool {
	doc := c.Doc()
	meta := doc.T.Messages[m].Meta
	if meta == 0 || doc.T.Metas[meta-1].Member.IsZero() {
		return false
	}
	doc.Splice(m, doc.Member(doc.T.Metas[meta-1].Member, doc.T.Messages[m].Span), transcript.Span{})
	return true
}
