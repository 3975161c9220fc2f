package passes

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/api"
	"github.com/ctxfold/ctxfold/core/internal/archive"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// truncatePass shortens long tool results to their first and last lines. Every text of a result is shortened by itself;
// images and whatever else is in it stay (S0.8, S0.9).
//
//easyjson:json
type truncatePass struct {
	Pass         string   `json:"pass"`
	MaxLines     int      `json:"max_lines"`
	Tools        []string `json:"tools"`
	ExcludeTools []string `json:"exclude_tools"`
}

func init() {
	Register(Kind{
		Name: "truncate",
		Doc:  "shortens long tool results to their first and last lines. Every text of a result is shortened by itself; images and whatever else is in it stay.",
		Make: func() Pass { return new(truncatePass) },
		Params: []Param{
			{"max_lines", "50", "max_lines is how many lines of a text stay, with wire_safe the marker's among them."},
			{"tools", "[]", "tools are the tools whose results may be truncated; empty is all. exclude_tools never are."},
			{"exclude_tools", "[]", ""},
		},
		Markers: []archive.Marking{{Text: archive.TruncatedMarker, Heads: true}},
		Counts: []view.Counter{{Name: "truncated", Text: "texts of which the middle was taken out",
			At: func(r *api.Report) *int { return &r.Truncated }}},
	})
}

func (p *truncatePass) Check() string {
	if p.MaxLines < 0 || p.MaxLines > 1<<30 {
		return "max_lines must be from 0 to 1,073,741,824 lines"
	}
	return ""
}

func (p *truncatePass) Follows() bool { return false }

func (p *truncatePass) Run(c *Run) {
	may := toolFilter(p.Tools, p.ExcludeTools)
	safe := c.Policy.Safe()
	p.unsqueeze(c, may)
	for i := range c.Items {
		it := &c.Items[i]
		if safe && it.Pinned {
			continue
		}
		msg := &c.T.Messages[it.Msg]
		before := it.Tokens
		truncated, tool := p.message(c, it.Msg, may)
		if !safe && msg.Role == transcript.Tool && c.DropTurn(it.Msg) {
			it.Dirty = true // S0.9: the message is made anew, without what the application keeps with it
			c.Act(api.Action{Action: api.ActionStrip, Pass: "truncate", Message: int(it.In), Rule: "S0.9"})
		}
		if truncated > 0 {
			c.Remeasure(i)
			c.Report.Truncated += truncated
			c.Act(api.Action{Action: api.ActionTruncate, Pass: "truncate", Message: int(it.In), Tokens: before - it.Tokens, Tool: tool})
		}
	}
}

// unsqueeze puts back what was squeezed and is still too long, so that its whole is truncated.
func (p *truncatePass) unsqueeze(c *Run, may func(tool string) bool) {
	if len(c.squeezed) == 0 {
		return
	}
	var items []int
	var results []int32
	for i := range c.Items {
		msg := &c.T.Messages[c.Items[i].Msg]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			part := &c.T.Parts[n]
			if !part.Has(transcript.Squeezed) || !c.T.IsString(part.Body) || countLines(c.T.Text(part.Body)) <= p.MaxLines {
				continue
			}
			result := n
			if part.Parent >= 0 {
				result = part.Parent
			}
			if may(digest.ToolName(c.T, int(result))) {
				items, results = append(items, i), append(results, result)
			}
		}
	}
	c.unsqueeze(results)
	for _, i := range items {
		c.Remeasure(i)
	}
}

// message truncates the tool results of a message. It returns how many texts were truncated, and the tool of the last result.
func (p *truncatePass) message(c *Run, m int32, may func(tool string) bool) (truncated int, tool string) {
	msg := &c.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		part := &c.T.Parts[n]
		if part.Kind != transcript.ToolResult || part.Has(transcript.Server|transcript.Removed|transcript.Edited) || part.Body.Zero() ||
			c.Policy.Safe() && (archive.Cleared(c.View, n) || part.Pair >= 0 && c.T.Waits(&c.T.Parts[part.Pair])) || !may(digest.ToolName(c.T, int(n))) {
			continue
		}
		tool = digest.ToolName(c.T, int(n))
		if c.T.IsString(part.Body) {
			truncated += p.text(c, n)
			continue
		}
		last := n + int32(len(c.T.Inner(int(n))))
		for k := n + 1; k <= last; k++ {
			if inner := &c.T.Parts[k]; inner.Kind == transcript.Text && !inner.Has(transcript.Removed) && c.T.IsString(inner.Body) {
				truncated += p.text(c, k)
			}
		}
	}
	return truncated, tool
}

// text truncates the text that is the body of a part, and archives it. It returns how many texts were truncated: 0 or 1.
func (p *truncatePass) text(c *Run, n int32) int {
	part := &c.T.Parts[n]
	text := c.T.Text(part.Body)
	if !c.Policy.Safe() {
		short := TruncateHeadTail(text, p.MaxLines, false)
		if short == text {
			return 0
		}
		c.SetBody(n, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
		return 1
	}
	_, rest := archive.TruncatedHandle(text)
	short := TruncateHeadTail(rest, max(1, p.MaxLines), true)
	if short == rest || strings.TrimSpace(short) == "" { // what it would say is nothing
		return 0
	}
	if c.Keeps() {
		if len(archive.WithHandle(archive.TruncatedMarker, archive.Zeros))+1+len(short) >= len(text) {
			return 0
		}
		what := api.BodyToolResult
		if part.Kind == transcript.Text {
			what = api.BodyText
		}
		short = archive.WithHandle(archive.TruncatedMarker, c.Keep(what, part.Msg, n, part.Body)) + "\n" + short
	} else if len(short) >= len(text) {
		return 0
	}
	c.SetBody(n, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
	return 1
}

// markerLines is how many lines the marker between head and tail takes, with the empty line before and after it.
const markerLines = 3

// TruncateHeadTail shortens a text to its first and last lines, half of maxLines each (the odd one is the tail's), with a
// marker between them that counts what is left out. A text of at most maxLines lines stays as it is, its line ends too
// (S0.10 to S0.12).
//
// charged counts the marker among the lines, so that the result has maxLines of them and stays as it is when it is
// truncated again; up to 4 lines there is no room for a marker. Without it the result has maxLines+3 lines (S0.15).
func TruncateHeadTail(text string, maxLines int, charged bool) string {
	lines := splitLines(text)
	if len(lines) <= maxLines {
		return text
	}
	keep, marked := maxLines, true
	if charged {
		if marked = maxLines > markerLines+1; marked {
			keep -= markerLines
		}
	}
	head := keep / 2
	tail := keep - head
	first, last := strings.Join(lines[:head], "\n"), strings.Join(lines[len(lines)-tail:], "\n")
	switch {
	case marked:
		return first + "\n\n[... " + strconv.Itoa(len(lines)-keep) + " lines truncated ...]\n\n" + last
	case head > 0 && tail > 0:
		return first + "\n" + last
	}
	return first + last
}

// splitLines splits a text at line feeds. One carriage return right before a line feed belongs to the line end; a line
// feed at the end of the text begins no further line (S0.14).
func splitLines(text string) []string {
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
