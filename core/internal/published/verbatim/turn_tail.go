package verbatim

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

var turnTailData = styles.TurnTail

// turnTail is the style of S1. Its digest is a system message. If the cut divides a turn, the turn's beginning and the
// history before it get separate summaries.
var turnTail = &Style{
	Data:         turnTailData,
	Record:       serialize,
	Prompt:       turnTailPrompt,
	Instructions: always(turnTailInstructions), OurInstructions: always(styles.TurnTailLayout + styles.TurnTailEnd),
	Message: func(body string) string { return turnTailData.Header + "\n\n" + body },
	Empty:   "compaction produced an empty summary",
	Failure: func(split, prefix bool, r api.Summary) string { // S1.17, S1.22
		why := "compaction summarisation failed: " + r.Error
		if r.Stream {
			why = "compaction summarisation (streaming) failed: " + r.Error
		}
		switch {
		case prefix:
			return "split turn prefix summary failed: " + why
		case split:
			return "split turn history summary failed: " + why
		}
		return why
	},
}

// turnTailInstructions holds the instructions in S1.20, which also ask the model for the lists of files.
const turnTailInstructions = styles.TurnTailLayout + `
<read-files>
[files that were read, one path a line]
</read-files>

<modified-files>
[files that were written or edited, one path a line]
</modified-files>
` + styles.TurnTailEnd

// turnTailPrompt returns the record, then the style's instructions, then those of the policy (S1.21). If the cut
// divides a turn, the request for the history omits the policy's instructions, and the request for the turn's
// beginning has them after its own (S1.23, S1.24).
func turnTailPrompt(p *Prompt) string {
	text := p.Record + "\n\n"
	if p.Template != "" {
		text += p.Template
	} else {
		text += turnTailInstructions
	}
	prefix := p.Scope == api.ScopeTurnPrefix
	if prefix {
		text += styles.MoreInstructions + turnTailData.TurnPrefix
	}
	if p.Instructions != "" && (prefix || !p.Split) {
		text += styles.MoreInstructions + p.Instructions
	}
	return text
}

// serialize renders messages as S1.27 to S1.29 do. Tool results are left out, but text parts of tool messages are not
// (S1.30). It returns false if the published system could not serialize them.
func serialize(t *transcript.Transcript, messages []int32) (string, bool) {
	var b []byte
	for _, i := range messages {
		m := &t.Messages[i]
		b = append(append(b, label(t, m)...), ":\n"...)
		for _, p := range t.OuterParts(m) {
			short := func(text string) string { return TruncateToolResult(text, styles.MaxToolResult) }
			switch p.Kind {
			case transcript.Text:
				switch text := t.Text(p.Body); {
				case m.Role == transcript.Tool:
					b = append(b, short(text)...)
				case p.Has(transcript.Said):
					b = append(append(append(b, "\n[User]: "...), text...), '\n')
				default:
					b = append(b, text...)
				}
			case transcript.ToolCall:
				b = append(append(append(append(b, "[Tool call: "...), t.Text(p.Name)...), '('),
					short(styles.CompactArgs(t, p))...)
				b = append(b, ")]"...)
			case transcript.Reasoning:
				if t.IsString(p.Body) {
					b = append(append(b, "[Thinking]: "...), short(t.Text(p.Body))...)
				}
			}
		}
		b = append(b, "\n\n"...)
	}
	return string(b), true
}

// label returns the label for the speaker of a message (S1.27).
func label(t *transcript.Transcript, m *transcript.Message) string {
	switch m.Role {
	case transcript.Tool:
		return "[Tool result]"
	case transcript.User:
		return "[User]"
	case transcript.Assistant:
		return "[Assistant]"
	case transcript.System:
		return "[System]"
	default:
		return "[" + t.Text(m.RoleSpan) + "]"
	}
}

// TruncateToolResult returns the first max bytes of text, even if that cuts a rune, and a note of how many bytes
// were removed (S1.29).
func TruncateToolResult(text string, max int) string {
	if len(text) <= max {
		return text
	}
	return text[:max] + "\n[..." + strconv.Itoa(len(text)-max) + " chars truncated]"
}

// IsBlank reports whether text is empty or only white space.
func IsBlank(text string) bool { return strings.TrimSpace(text) == "" }
