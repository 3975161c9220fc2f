package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Flatten renders messages as lines of text that a model reads as a record of the conversation (S3.22). Each piece
// begins with the mark » and the speaker. clip is the maximum size, in bytes, of a tool result and of a tool call's
// arguments; 0 means no limit.
func Flatten(t *transcript.Transcript, messages []int32, clip int) string {
	f := flattener{t: t, clip: clip}
	for _, i := range messages {
		f.message(int(i))
	}
	return string(f.b)
}

// flattener writes messages as a record, or passes their pieces on.
type flattener struct {
	t           *transcript.Transcript // the transcript with the messages
	b           []byte                 // the record so far
	clip        int                    // maximum size of a tool result and of a call's arguments, in bytes; 0 for no limit
	guarded     bool                   // whether texts must not contain the mark », and names must be on one line
	thoughtless bool                   // whether to omit reasoning
	media       bool                   // whether to mention each image and file in a tool result
	// piece, if set, receives the pieces unclipped. They are then not written to b.
	piece func(kind pieceKind, head, text string)
}

const mark = "» "

// message adds the entries for message i to the record. i is its index in the transcript.
func (f *flattener) message(i int) {
	t, m := f.t, &f.t.Messages[i]
	switch m.Variant {
	case transcript.Shell:
		head := "shell$ " + f.name(t.Text(m.Label))
		if !m.Exit.IsZero() {
			head += " [exit " + string(t.Bytes(m.Exit)) + "]"
		}
		f.command(head, t.Text(t.FirstText(i)))
		return
	case transcript.Note:
		f.entry("note ("+f.name(t.Text(m.Label))+"):", t.Text(t.FirstText(i)), wholePiece)
		return
	case transcript.Digest, transcript.Branch:
		f.entry("digest:", t.Text(t.FirstText(i)), wholePiece)
		return
	}
	for n, p := range t.OuterParts(m) {
		switch p.Kind {
		case transcript.Text:
			who := speaker(speakerOf(m, p))
			if p.Has(transcript.Summary) {
				who = "digest"
			} else if m.Role == transcript.User && IsLoop(t, i) {
				who = "agent.turn"
			} else if isTextResult(t, i) {
				f.entry("tool (output):", t.Text(p.Body), resultPiece)
				continue
			}
			f.entry(who+":", t.Text(p.Body), wholePiece)
		case transcript.Reasoning:
			if t.IsString(p.Body) && !f.thoughtless {
				f.entry("agent.plan:", t.Text(p.Body), thoughtPiece)
			}
		case transcript.ToolCall:
			f.entry("agent.call "+f.name(t.Text(p.Name))+":", CallArgs(t, p), resultPiece)
		case transcript.ToolResult:
			head := "tool ("
			if p.Has(transcript.IsError) {
				head = "tool!err ("
			}
			text := ResultText(t, int(n))
			if f.media {
				text += mediaIn(t, int(n))
			}
			f.entry(head+f.name(ToolName(t, int(n)))+"):", text, resultPiece)
		case transcript.Image, transcript.Audio, transcript.File:
			f.entry(speaker(speakerOf(m, p))+":", "["+p.Kind.String()+"]", wholePiece)
		}
	}
}

// mediaIn returns one line for each image, audio clip and file in a tool result, each preceded by a line break.
func mediaIn(t *transcript.Transcript, part int) string {
	text := ""
	for _, p := range t.InnerParts(part) {
		if !p.Has(transcript.Removed) && (p.Kind == transcript.Image || p.Kind == transcript.Audio || p.Kind == transcript.File) {
			text += "\n[" + p.Kind.String() + "]"
		}
	}
	return text
}

// name returns a name in the form that is used in the head of a piece.
func (f *flattener) name(s string) string {
	if f.guarded {
		return strings.ReplaceAll(clipLine(s, maxCommand), "»", "›")
	}
	return s
}

// command adds a command, whose text is head, and its output, if any. If f.piece is set, it
// receives them instead.
func (f *flattener) command(head, output string) {
	if Tidy(output) == "" {
		if f.piece != nil {
			f.piece(wholePiece, head, "")
			return
		}
		f.b = append(append(append(f.b, mark...), head...), "\n\n"...)
		return
	}
	f.entry(head, output, resultPiece)
}

// entry adds a piece that consists of a head and a text, or nothing if the text is empty.
func (f *flattener) entry(head, text string, kind pieceKind) {
	if text = Tidy(text); text == "" {
		return
	}
	if f.piece != nil {
		f.piece(kind, head, strings.ReplaceAll(text, "»", "›"))
		return
	}
	if kind == resultPiece && f.clip > 0 && len(text) > f.clip {
		text = Clip(text, f.clip)
	}
	if f.guarded {
		text = strings.ReplaceAll(text, "»", "›")
	}
	f.b = append(append(append(f.b, mark...), head...), ' ')
	f.b = append(append(f.b, text...), "\n\n"...)
}

// speakerOf returns the role of whoever wrote a part. An assistant message can contain a part that the user wrote.
func speakerOf(m *transcript.Message, p *transcript.Part) transcript.Role {
	if p.Has(transcript.Said) {
		return transcript.User
	}
	return m.Role
}

func speaker(r transcript.Role) string {
	switch r {
	case transcript.System:
		return "system"
	case transcript.User:
		return "you"
	case transcript.Tool:
		return "tool"
	}
	return "agent"
}

// Tidy converts line endings to LF, and trims white space from the end of each line (S3.23) and from both ends of text.
func Tidy(text string) string {
	text = strings.TrimSpace(text)
	for at := 0; ; at++ {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return text
		}
		if at += n; at > 0 && (text[at-1] == ' ' || text[at-1] == '\t' || text[at-1] == '\r') {
			break
		}
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	return strings.Join(lines, "\n")
}

// Clip shortens text to at most max bytes, plus a short mark between the parts. Two thirds of the bytes come from the
// beginning of the text, and one third from the end. Clip never splits a rune. If max is 0, it returns "", without a
// mark.
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
	return string(head) + "\n" + LeftOut(len(text)-len(head)-len(tail)) + "\n" + tail
}

// LeftOut returns the mark that replaces the given number of omitted bytes.
func LeftOut(bytes int) string { return "[… " + itoa(bytes) + " bytes left out …]" }

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

// CallArgs returns the arguments of a tool call as JSON.
func CallArgs(t *transcript.Transcript, p *transcript.Part) string {
	if p.Body.IsZero() {
		return "{}"
	}
	if p.Has(transcript.JSONText) || t.IsString(p.Body) {
		return t.Text(p.Body)
	}
	return string(t.Bytes(p.Body))
}

// ToolName returns the name of the tool that the call or result at a part index belongs to, or "" if it is unknown.
func ToolName(t *transcript.Transcript, part int) string {
	p := &t.Parts[part]
	if p.Kind == transcript.ToolResult && p.Pair >= 0 {
		p = &t.Parts[p.Pair]
	}
	return t.Name(p.Name)
}

// resultBeginning returns the beginning of what ResultText returns: at least size bytes, or all of it if it is shorter.
func resultBeginning(t *transcript.Transcript, part, size int) string {
	if body := t.Parts[part].Body; t.IsString(body) && body.Len() > 2*size+2 {
		if text := beginning(t, body, 2*size); len(text) >= size {
			return text
		}
	}
	return ResultText(t, part)
}

// ResultText returns the text of the tool result at a part index. This is the body if it is a string, and otherwise the
// texts and opaque parts inside the body, one per line. Any other body, unless it is an array, is returned as JSON.
func ResultText(t *transcript.Transcript, part int) string {
	p := &t.Parts[part]
	if t.IsString(p.Body) {
		return t.Text(p.Body)
	}
	var b []byte
	found := false
	for _, inner := range t.InnerParts(part) {
		if inner.Has(transcript.Removed) {
			continue
		}
		found = true
		if inner.Body.IsZero() || inner.Kind != transcript.Text && inner.Kind != transcript.Opaque {
			continue
		}
		if len(b) > 0 {
			b = append(b, '\n')
		}
		if inner.Kind == transcript.Text {
			b = t.AppendText(b, inner.Body)
		} else { // JSON
			b = append(b, t.Bytes(inner.Body)...)
		}
	}
	if !found && !p.Body.IsZero() && !t.IsArray(p.Body) {
		return string(t.Bytes(p.Body))
	}
	return string(b)
}
