package styles

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// ProjectedText is the maximum length of a tool result in a request for a summary, in runes (S4.34).
const ProjectedText = 1800

// Labelled renders messages as paragraphs that begin with the speaker's label (S4.35). Tool results have the same form
// as in summary requests. Each is shortened to about max runes (S4.34), or kept whole if max is 0. Messages that are
// not sent to the model are left out.
func Labelled(t *transcript.Transcript, messages []int32, max int, o digest.RecordOptions) string {
	var b []byte
	paragraph := func(label, text string) {
		if text == "" {
			return
		}
		if len(b) > 0 {
			b = append(b, "\n\n"...)
		}
		b = append(append(b, label...), o.Text(text)...)
	}
	for _, i := range messages {
		if t.IsUnsent(int(i)) {
			continue
		}
		said := collect(t, int(i), o)
		switch m := &t.Messages[i]; m.Role {
		case transcript.User:
			if m.Variant == transcript.Shell && !o.Exact {
				paragraph("[User]: $ ", o.Name(t.Text(m.Label)))
			}
			paragraph("[User]: ", strings.Join(said.texts, ""))
		case transcript.Assistant:
			if !o.Thoughtless {
				paragraph("[Assistant thinking]: ", strings.Join(said.reasoning, "\n"))
			}
			paragraph("[Assistant]: ", strings.Join(said.texts, "\n"))
			paragraph("[User]: ", strings.Join(said.interjected, "\n"))
			paragraph("[Assistant tool calls]: ", strings.Join(said.calls, "; "))
		}
		for _, n := range said.results {
			out := digest.ToolOutputAt(t, n)
			label := "[Tool result]: "
			if name := strings.TrimSpace(out.Name); name != "" {
				label = "[Tool result " + o.Name(name) + "]: "
			}
			text := out.Text
			if max > 0 {
				text = digest.TrimWithTail(out.Shown(), max)
			}
			paragraph(label, text)
		}
	}
	return string(b)
}

// contents holds the non-empty texts of a message, grouped by kind.
type contents struct {
	texts, reasoning, calls []string // in the order of the message
	interjected             []string // what the user wrote while the assistant was working
	results                 []int    // part indexes
}

// collect returns what message i contains, by kind. Calls include their arguments; results are part indexes. Images and
// other files are left out, and so is what was removed.
func collect(t *transcript.Transcript, i int, o digest.RecordOptions) (s contents) {
	for n, p := range t.OuterParts(&t.Messages[i]) {
		switch p.Kind {
		case transcript.Text:
			switch text := t.Text(p.Body); {
			case text == "":
			case p.Has(transcript.Said):
				s.interjected = append(s.interjected, text)
			default:
				s.texts = append(s.texts, text)
			}
		case transcript.Reasoning:
			if !t.IsString(p.Body) {
				continue
			}
			if text := t.Text(p.Body); text != "" {
				s.reasoning = append(s.reasoning, text)
			}
		case transcript.ToolCall:
			s.calls = append(s.calls, o.Name(t.Text(p.Name))+"("+digest.TrimWithTail(string(tokens.GoArguments(t, p)), o.Clip)+")")
		case transcript.ToolResult:
			s.results = append(s.results, int(n))
		}
	}
	return s
}
