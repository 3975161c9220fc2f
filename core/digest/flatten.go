package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// Flatten renders messages as lines of text for a model that reads a record of the conversation (S3.22): each piece
// begins with the mark » and who it is from. clip limits each tool result and each tool call's arguments, in bytes; 0 is
// no limit.
func Flatten(t *transcript.Transcript, messages []int32, clip int) string {
	var b []byte
	for _, i := range messages {
		b = flatten(b, t, int(i), clip)
	}
	return string(b)
}

func flatten(b []byte, t *transcript.Transcript, i, clip int) []byte {
	m := &t.Messages[i]
	from := len(b)
	switch m.Variant {
	case transcript.Shell:
		b = append(b, "» shell$ "...)
		b = t.AppendText(b, m.Label)
		if !m.Exit.Zero() {
			b = append(append(append(b, " [exit "...), t.Bytes(m.Exit)...), ']')
		}
		return entry(b, from, t.Text(t.FirstText(i)), clip)
	case transcript.Note:
		b = append(append(t.AppendText(append(b, "» note ("...), m.Label), ')'), ':')
		return entry(b, from, t.Text(t.FirstText(i)), 0)
	case transcript.Digest, transcript.Branch:
		return entry(append(b, "» digest:"...), from, t.Text(t.FirstText(i)), 0)
	}
	for n := m.First; n < m.First+m.Count; n++ {
		p := &t.Parts[n]
		if p.Has(transcript.Removed) || p.Parent >= 0 {
			continue
		}
		from = len(b)
		switch p.Kind {
		case transcript.Text:
			b = entry(append(append(b, speaker(m.Role)...), ':'), from, t.Text(p.Body), 0)
		case transcript.Reasoning:
			if t.IsString(p.Body) {
				b = entry(append(b, "» agent.plan:"...), from, t.Text(p.Body), 0)
			}
		case transcript.ToolCall:
			b = append(t.AppendText(append(b, "» agent.call "...), p.Name), ':')
			b = entry(b, from, CallArgs(t, p), clip)
		case transcript.ToolResult:
			mark := "» tool ("
			if p.Has(transcript.IsError) {
				mark = "» tool!err ("
			}
			b = append(append(append(b, mark...), ToolName(t, int(n))...), "):"...)
			b = entry(b, from, ResultText(t, int(n)), clip)
		case transcript.Image, transcript.Audio, transcript.File:
			b = append(append(append(append(b, speaker(m.Role)...), ": ["...), p.Kind.String()...), "]\n\n"...)
		}
	}
	return b
}

func speaker(r transcript.Role) string {
	switch r {
	case transcript.System:
		return "» system"
	case transcript.User:
		return "» you"
	case transcript.Tool:
		return "» tool"
	}
	return "» agent"
}

// entry adds a text behind its mark, which begins at from, and ends the piece; a piece without text is taken back.
func entry(b []byte, from int, text string, clip int) []byte {
	text = Tidy(text)
	if text == "" {
		return b[:from]
	}
	if clip > 0 && len(text) > clip {
		text = Clip(text, clip)
	}
	return append(append(append(b, ' '), text...), "\n\n"...)
}

// Tidy makes line ends LF, takes white space off the ends of lines (S3.23) and off the whole text.
func Tidy(text string) string {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "\r\n") && !strings.Contains(text, " \n") && !strings.Contains(text, "\t\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	return strings.Join(lines, "\n")
}

// Clip shortens a text to at most max bytes and a short mark: two thirds from its head, one third from its tail, never
// inside a rune.
func Clip(text string, max int) string {
	if len(text) <= max {
		return text
	}
	if max <= 0 {
		return ""
	}
	head := jsonspan.TrimRune([]byte(text[:max*2/3]))
	tail := text[len(text)-(max-max*2/3):]
	for len(tail) > 0 && tail[0]&0xc0 == 0x80 {
		tail = tail[1:]
	}
	return string(head) + "\n[… " + itoa(len(text)-len(head)-len(tail)) + " bytes left out …]\n" + tail
}

func itoa(n int) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}

// CallArgs is the arguments of a tool call as JSON text.
func CallArgs(t *transcript.Transcript, p *transcript.Part) string {
	if p.Body.Zero() {
		return "{}"
	}
	if p.Has(transcript.JSONText) || t.IsString(p.Body) {
		return t.Text(p.Body)
	}
	return string(t.Bytes(p.Body))
}

// ToolName is the name of the tool that a call or a result (by its index in Parts) belongs to; "" if nothing tells.
func ToolName(t *transcript.Transcript, part int) string {
	p := &t.Parts[part]
	if p.Kind == transcript.ToolResult && p.Pair >= 0 {
		p = &t.Parts[p.Pair]
	}
	return t.Text(p.Name)
}

// ResultText is the text of a tool result, by its index in Parts: the body if it is a string, else the texts in it.
func ResultText(t *transcript.Transcript, part int) string {
	p := &t.Parts[part]
	if t.IsString(p.Body) {
		return t.Text(p.Body)
	}
	var b []byte
	found := false
	for _, inner := range t.Inner(part) {
		if inner.Has(transcript.Removed) {
			continue
		}
		found = true
		if inner.Kind == transcript.Text {
			if len(b) > 0 {
				b = append(b, '\n')
			}
			b = t.AppendText(b, inner.Body)
		}
	}
	if !found && !p.Body.Zero() && !t.IsArray(p.Body) {
		return string(t.Bytes(p.Body))
	}
	return string(b)
}
