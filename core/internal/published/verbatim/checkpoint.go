package verbatim

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// checkpoint is the style of S2. Its summary follows the system prompt as an assistant message.
var checkpoint = &Style{
	Data:   styles.Checkpoint,
	Record: FormatMessages,
	Prompt: func(p *Prompt) string {
		prior := p.Prior
		if prior == "" && !p.HasPrior {
			prior = styles.NoPrior
		}
		return styles.CheckpointText(&p.Prompt, prior, p.Task, p.Record)
	},
	Instructions: styles.CheckpointInstructions,
	Message:      func(body string) string { return body },
	Task:         OriginalTask,
	Failure:      func(_, _ bool, r api.Summary) string { return r.Error },
}

// NoResult is S2's error for a tool result without a value (S2.3, S2.21).
const NoResult = "a tool result has no value"

// OriginalTask returns the text of the first user message whose content is a string (S2.26).
func OriginalTask(t *transcript.Transcript) string {
	for i := range t.Messages {
		if m := &t.Messages[i]; m.Role == transcript.User && t.IsString(m.Content) {
			return t.Text(m.Content)
		}
	}
	return styles.UnknownTask
}

// FormatMessages renders messages as S2.21 does. It returns false if a tool result has no value. If a cut leaves half
// a surrogate pair, the text contains it as three bytes in the pattern of UTF-8, although UTF-8 doesn't allow that.
func FormatMessages(t *transcript.Transcript, messages []int32) (string, bool) {
	var b []byte
	for k, i := range messages {
		if k > 0 {
			b = append(b, styles.CheckpointBetween...)
		}
		m := &t.Messages[i]
		b = append(b, '[')
		b = append(strconv.AppendInt(b, int64(k), 10), "] "...)
		b = append(append(b, strings.ToUpper(t.Text(m.RoleSpan))...), ":\n"...)
		text, ok := formatParts(t, m)
		if !ok {
			return "", false
		}
		if cut, more := firstUnits(text, styles.MaxMessageUnits); more {
			text = cut + "\n[...truncated...]"
		}
		b = append(b, text...)
	}
	return string(b), true
}

func formatParts(t *transcript.Transcript, m *transcript.Message) (string, bool) {
	var lines []string
	for _, p := range t.OuterParts(m) {
		if p.List == transcript.Member && !t.IsString(p.Body) {
			continue
		}
		line := ""
		switch p.Kind {
		case transcript.Text:
			if line = t.Text(p.Body); p.Has(transcript.Said) {
				line = "[User: " + line + "]"
			}
		case transcript.ToolCall:
			line = "[Tool: " + t.Text(p.Name) + "(" + styles.Stringify(t, p) + ")]"
		case transcript.ToolResult:
			if p.Body.IsZero() {
				return "", false
			}
			text, _ := firstUnits(styles.Stringify(t, p), styles.MaxResultUnits)
			line = "[Result: " + text + "...]"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), true
}

// firstUnits returns the first max UTF-16 code units of text and true if the text has more, and
// otherwise the whole text and false. If the cut divides a surrogate pair, the result ends with the
// first half of the pair, encoded as three bytes.
func firstUnits(text string, max int) (string, bool) {
	first, more := styles.FirstUnits(text, max)
	if !more {
		return text, false
	}
	if r, _ := utf8.DecodeRuneInString(text[len(first):]); r > 0xffff {
		units := 0
		for _, r := range first {
			if units++; r > 0xffff {
				units++
			}
		}
		if units < max {
			half := 0xd800 + (r-0x10000)>>10
			return first + string([]byte{0xe0 | byte(half>>12), 0x80 | byte(half>>6&0x3f),
				0x80 | byte(half&0x3f)}), true
		}
	}
	return first, true
}

// HalfPair returns the surrogate that is encoded as three bytes at the start of b, or 0.
func HalfPair(b string) uint16 {
	if len(b) >= 3 && b[0] == 0xed && b[1] >= 0xa0 && b[1] < 0xc0 && b[2]&0xc0 == 0x80 && !utf8.ValidString(b[:3]) {
		return uint16(b[0]&0xf)<<12 | uint16(b[1]&0x3f)<<6 | uint16(b[2]&0x3f)
	}
	return 0
}
