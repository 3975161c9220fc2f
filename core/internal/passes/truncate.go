package passes

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// TruncatePass shortens long tool results to their first and last lines. It shortens each text of a result separately,
// and keeps images and all other content (S0.8, S0.9). Its fields are the parameters that its Kind describes.
//
//easyjson:json
type TruncatePass struct {
	Pass         string   `json:"pass"`          // the pass's name
	MaxLines     int      `json:"max_lines"`     // maximum number of lines of a text that stay
	Tools        []string `json:"tools"`         // the tools whose results may be truncated; empty for all
	ExcludeTools []string `json:"exclude_tools"` // the tools whose results stay
}

func init() {
	Register(Kind{
		Name: "truncate",
		Doc:  "shortens long tool results to their first and last lines. Each text of a result is shortened separately; images and other content stay.",
		Make: func() Pass { return new(TruncatePass) },
		Params: []Param{
			{"max_lines", "50", "max_lines is the maximum number of lines of a text that stay; with wire_safe this includes the marker's line."},
			{"tools", "[]", "tools are the tools whose results may be truncated; empty means all. Results of exclude_tools never are."},
			{"exclude_tools", "[]", ""},
		},
		Markers: []handles.Marking{{Text: handles.TruncatedMarker, Heads: true}},
		Counts: []report.Counter{{Name: "truncated", Text: "texts whose middle was removed",
			At: func(r *api.Report) *int { return &r.Truncated }}},
	})
}

// Check reports a max_lines out of range; it returns "" if it is in range.
func (p *TruncatePass) Check() string {
	return countRange("max_lines", p.MaxLines, "lines")
}

// Run shortens the texts of tool results that have more than MaxLines lines, except in pinned messages.
func (p *TruncatePass) Run(c Run) {
	doc := c.Doc()
	allowed := ToolFilter(p.Tools, p.ExcludeTools)
	p.Unsqueeze(c, allowed)
	for i := range doc.Items {
		if !doc.Items[i].Pinned {
			n, tool := p.Message(c, doc.Items[i].Msg, allowed)
			ReportTruncated(c, i, n, tool)
		}
	}
}

// ReportTruncated reports the number of texts that were truncated in an item's tool results, and the tool that returned
// them. It does nothing if texts is 0.
func ReportTruncated(c Run, item, texts int, tool string) {
	doc := c.Doc()
	if texts == 0 {
		return
	}
	it := &doc.Items[item]
	before := it.Tokens
	doc.Remeasure(item)
	c.Report().Truncated += texts
	c.Report().AddAction(api.Action{Action: api.ActionTruncate, Pass: "truncate", Message: int(it.In),
		Tokens: before - it.Tokens, Tool: tool})
}

// Unsqueeze restores squeezed texts that are still too long, in the results of tools for which
// allowed returns true. The whole text is then truncated instead of the squeezed one.
func (p *TruncatePass) Unsqueeze(c Run, allowed func(tool string) bool) {
	doc := c.Doc()
	if len(c.Shortened().squeezed) == 0 {
		return
	}
	var items []int
	var results []int32
	for i := range doc.Items {
		msg := &doc.T.Messages[doc.Items[i].Msg]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			part := &doc.T.Parts[n]
			if !part.Has(transcript.Squeezed) || !doc.T.IsString(part.Body) || countLines(doc.T.Text(part.Body)) <= p.MaxLines {
				continue
			}
			result := n
			if part.Parent >= 0 {
				result = part.Parent
			}
			if allowed(digest.ToolName(doc.T, int(result))) {
				items, results = append(items, i), append(results, result)
			}
		}
	}
	unsqueeze(c, results)
	for _, i := range items {
		doc.Remeasure(i)
	}
}

// Message truncates the results in message m that come from tools for which allowed returns true. It returns the number
// of truncated texts, and the tool of the last result.
func (p *TruncatePass) Message(c Run, m int32, allowed func(tool string) bool) (truncated int, tool string) {
	doc := c.Doc()
	selects := func(n int32) bool {
		pair := doc.T.Parts[n].Pair
		return !handles.Cleared(doc, n) && (pair < 0 || !doc.T.AwaitsResult(&doc.T.Parts[pair])) &&
			allowed(digest.ToolName(doc.T, int(n)))
	}
	return EachResultText(doc, m, selects, func(n int32) bool { return p.truncateText(c, n) })
}

// EachResultText calls cut for each text in those tool results of message m for which selects returns true.
// It returns the number of calls that returned true, and the tool of the last result.
func EachResultText(doc *view.View, m int32, selects, cut func(part int32) bool) (count int, tool string) {
	cutText := func(n int32) {
		if cut(n) {
			count++
		}
	}
	msg := &doc.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		part := &doc.T.Parts[n]
		if part.Kind != transcript.ToolResult || part.Has(transcript.Server|transcript.Removed|transcript.Edited) || part.Body.IsZero() || !selects(n) {
			continue
		}
		tool = digest.ToolName(doc.T, int(n))
		if doc.T.IsString(part.Body) {
			cutText(n)
			continue
		}
		last := n + int32(len(doc.T.InnerParts(int(n))))
		for k := n + 1; k <= last; k++ {
			if inner := &doc.T.Parts[k]; inner.Kind == transcript.Text && !inner.Has(transcript.Removed) && doc.T.IsString(inner.Body) {
				cutText(k)
			}
		}
	}
	return count, tool
}

// truncateText truncates the text that is the body of part n, and archives the whole text if there
// is an archive. It returns false if it truncated nothing.
func (p *TruncatePass) truncateText(c Run, n int32) bool {
	doc := c.Doc()
	part := &doc.T.Parts[n]
	text := doc.T.Text(part.Body)
	_, rest := handles.TruncatedHandle(text)
	short := TruncateHeadTail(rest, max(1, p.MaxLines))
	if short == rest || strings.TrimSpace(short) == "" { // the rest would be meaningless
		return false
	}
	if c.Archive().Keeps() {
		if len(handles.WithHandle(handles.TruncatedMarker, handles.Zeros))+1+len(short) >= len(text) {
			return false
		}
		what := api.BodyToolResult
		if part.Kind == transcript.Text {
			what = api.BodyText
		}
		short = handles.WithHandle(handles.TruncatedMarker, c.Archive().Keep(what, part.Msg, n, part.Body)) +
			"\n" + short
	} else if len(short) >= len(text) {
		return false
	}
	doc.SetBody(n, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
	return true
}

// markerLines is the number of lines that the marker between head and tail takes up, including the blank lines around
// it.
const markerLines = 3

// TruncateHeadTail shortens text to its first and last lines, with a marker in between that says how many are missing.
// Each end gets half of the lines that maxLines leaves in addition to the marker, and the tail gets an odd one. Text of
// at most maxLines lines stays unchanged, including its line endings (S0.10 to S0.12). The result has maxLines lines,
// so truncating it again changes nothing. With up to 4 lines, there is no room for a marker (S0.15).
func TruncateHeadTail(text string, maxLines int) string {
	lines := SplitLines(text)
	if len(lines) <= maxLines {
		return text
	}
	if maxLines > markerLines+1 {
		return HeadTail(lines, maxLines-markerLines)
	}
	head := maxLines / 2
	first, last := ends(lines, maxLines)
	if head > 0 {
		first += "\n"
	}
	return first + last
}

// HeadTail returns the first and the last lines with a marker in between. keep is the total number of lines kept.
func HeadTail(lines []string, keep int) string {
	first, last := ends(lines, keep)
	return first + "\n\n[... " + strconv.Itoa(len(lines)-keep) + " lines truncated ...]\n\n" + last
}

// ends returns the first and the last lines, joined with line feeds. keep is their total number. If it is odd, last has
// one more line than first.
func ends(lines []string, keep int) (first, last string) {
	head := keep / 2
	return strings.Join(lines[:head], "\n"), strings.Join(lines[len(lines)-(keep-head):], "\n")
}

// SplitLines splits text at line feeds. A carriage return directly before a line feed is part of the line ending. A
// line feed at the end of the text doesn't begin another line (S0.14).
func SplitLines(text string) []string {
	var lines []string
	for len(text) > 0 {
		line, rest, ended := strings.Cut(text, "\n")
		if ended {
			line = strings.TrimSuffix(line, "\r")
		}
		lines = append(lines, line)
		text = rest
	}
	return lines
}
