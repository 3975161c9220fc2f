package compact

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/archive"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// truncatePass shortens long tool results to their first and last lines. Every text of a result is shortened by itself;
// images and whatever else is in it stay (S0.8, S0.9).
//
//easyjson:json
type truncatePass struct {
	Pass string `json:"pass"`
	// MaxLines is how many lines of a text stay, with wire_safe the marker's among them.
	MaxLines int `json:"max_lines"`
	// Tools are the tools whose results may be truncated; empty is all. ExcludeTools never are.
	Tools        []string `json:"tools"`
	ExcludeTools []string `json:"exclude_tools"`
}

func init() { register("truncate", func() pass { return &truncatePass{MaxLines: 50} }) }

func (p *truncatePass) check() string {
	if p.MaxLines < 0 || p.MaxLines > 1<<30 {
		return "max_lines must be from 0 to 1,073,741,824 lines"
	}
	return ""
}

func (p *truncatePass) follows() bool { return false }

func (p *truncatePass) run(c *Run) {
	may := toolFilter(p.Tools, p.ExcludeTools)
	safe := c.Policy.Safe()
	for i := range c.Items {
		it := &c.Items[i]
		if safe && it.Pinned {
			continue
		}
		msg := &c.T.Messages[it.Msg]
		before := it.Tokens
		truncated, tool := p.message(c, it.Msg, may)
		if !safe && msg.Role == transcript.Tool && c.dropTurn(it.Msg) {
			it.Dirty = true // S0.9: the message is made anew, without what the application keeps with it
			c.act(Action{Action: "strip", Pass: "truncate", Message: int(it.In), Rule: "S0.9"})
		}
		if truncated > 0 {
			c.changed(i)
			c.Report.Truncated += truncated
			c.act(Action{Action: "truncate", Pass: "truncate", Message: int(it.In), Tokens: before - it.Tokens, Tool: tool})
		}
	}
}

// message truncates the tool results of a message. It returns how many texts were truncated, and the tool of the last result.
func (p *truncatePass) message(c *Run, m int32, may func(tool string) bool) (truncated int, tool string) {
	msg := &c.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		part := &c.T.Parts[n]
		if part.Kind != transcript.ToolResult || part.Has(transcript.Server|transcript.Removed|transcript.Edited) || part.Body.Zero() ||
			c.Policy.Safe() && (c.cleared(n) || part.Pair >= 0 && c.T.Waits(&c.T.Parts[part.Pair])) || !may(digest.ToolName(c.T, int(n))) {
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
	_, rest := truncatedHandle(text)
	short := TruncateHeadTail(rest, max(1, p.MaxLines), true)
	if short == rest || strings.TrimSpace(short) == "" { // what it would say is nothing
		return 0
	}
	if c.keeps() {
		if len(withHandle(TruncatedMarker, zeros))+1+len(short) >= len(text) {
			return 0
		}
		what := "tool_result"
		if part.Kind == transcript.Text {
			what = "text"
		}
		short = withHandle(TruncatedMarker, c.keep(what, part.Msg, n, part.Body)) + "\n" + short
	} else if len(short) >= len(text) {
		return 0
	}
	c.SetBody(n, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
	return 1
}

// truncatedHandle takes the line that names a handle from a text that was truncated.
func truncatedHandle(text string) (handle, rest string) {
	const start = len(TruncatedMarker) - 1 + len(named)
	line, rest, _ := strings.Cut(text, "\n")
	if len(line) != start+archive.Short+1 {
		return "", text
	}
	if handle = line[start : start+archive.Short]; !archive.IsHandle(handle) || line != withHandle(TruncatedMarker, handle) {
		return "", text
	}
	return handle, rest
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
