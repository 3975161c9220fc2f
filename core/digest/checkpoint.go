package digest

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// The limits of S2.21, in UTF-16 code units: of a tool result and of a whole message.
const (
	maxResultUnits  = 500
	maxMessageUnits = 2000
)

// UnknownTask stands for the user's first request where there is none (S2.26).
const UnknownTask = "Unknown task"

// checkpoint is the style of S2: a summary behind the system prompt, in the assistant's name.
var checkpoint = &Style{
	Name: "checkpoint", Role: transcript.Assistant,
	Header:      "## Session Summary",
	System:      checkpointSystem,
	Temperature: 0.3, MaxOutput: 1000, // S2.20
	Record:  FormatMessages,
	Between: checkpointBetween,
	Prompt:  checkpointPrompt,
	Ask:     func(round int, _ bool) string { return checkpointAsk(round) },
	Message: func(body string) string { return body },
	Task:    OriginalTask,
	Failure: func(_, _ bool, r Reply) string { return r.Error },
}

// NoResult says what the published system fails with on a tool result without a value (S2.3, S2.21).
const NoResult = "a tool result has no value"

// checkpointSystem says what S2.19 says, in other words.
const checkpointSystem = `You are summarizing the record of a coding agent's conversation. What you write takes the place of the messages, which the agent will not see again: whatever you leave out is lost. Be complete and brief.`

// noPrior stands where a first compaction has no summary to go on from (S2.19).
const noPrior = "None - this is the first compaction round."

// checkpointAsk is the end of a prompt of the style, from "## Instructions" on (S2.19).
func checkpointAsk(round int) string {
	return `## Instructions
Write the summary with EXACTLY these sections:

### Session Summary (Compaction Round ` + itoa(round) + `)

#### Original Task
[What the user asked for, word for word]

#### Completed Work
| File/Component | Action | Description |
|----------------|--------|-------------|
[A row for each file or component that was worked on]

#### Key Technical Decisions
- [What was decided and binds later work: dependencies, patterns, interfaces]

#### Current State
- Working on: [what is being done]
- Last completed: [what was done last]

#### Pending Work
- [ ] [What is left to do]

#### Errors & Resolutions
[error → resolution, one a line; leave the section out if there were none]

## Constraints
- Maximum 800 tokens
- Tables and bullet points rather than prose
- Exact file paths
- No code blocks unless nothing else will do
- INTEGRATE the previous summary, if there is one: carry over what still holds, and say nothing twice`
}

func checkpointPrompt(p *Prompt) string {
	prior := noPrior
	if p.HasPrior || p.Prior != "" {
		prior = p.Prior
	}
	task, record := p.Task, p.Record
	if !p.Exact {
		task = or(task, UnknownTask)
		prior, task, record = guardLabels(Fence(prior)), guardLabels(Fence(task)), "<scrollback>\n"+Fence(record)+"\n</scrollback>"
	}
	end := p.Template
	if end == "" {
		end = checkpointAsk(p.Round)
	}
	end += p.language()
	if p.Instructions != "" {
		end += "\n- " + p.Instructions
	}
	return "## Previous Summary\n" + prior + "\n\n## Original User Task\n" + task + "\n\n## Messages to Summarize\n" + record + "\n\n" + end
}

// checkpointBetween stands between the messages of a record (S2.21).
const checkpointBetween = "\n\n---\n\n"

// OriginalTask is the text of the first message of the user whose content is a string (S2.26).
func OriginalTask(t *transcript.Transcript) string {
	for i := range t.Messages {
		if m := &t.Messages[i]; m.Role == transcript.User && t.IsString(m.Content) {
			return t.Text(m.Content)
		}
	}
	return UnknownTask
}

// FormatMessages renders messages as S2.21 has them. It is false for a tool result without a value, on which the published
// system fails; ours says that there is none. Exact cuts may leave half a surrogate pair, which the text then holds as
// three bytes, as UTF-8 would have it if it could.
func FormatMessages(t *transcript.Transcript, messages []int32, o RecordOptions) (string, bool) {
	var b []byte
	for k, m := range messages {
		if k > 0 {
			b = append(b, checkpointBetween...)
		}
		msg := &t.Messages[m]
		role := strings.ToUpper(t.Text(msg.RoleSpan))
		if !o.Exact && resultsAlone(t, int(m)) {
			role = "TOOL"
		}
		b = append(append(append(append(append(b, '['), itoa(o.First+k)...), "] "...), role...), ":\n"...)
		text, ok := formatParts(t, msg, o)
		if !ok {
			return "", false
		}
		limit := maxMessageUnits
		if o.Clip > 0 {
			limit = min(limit, 4*o.Clip)
		}
		if cut, more := FirstUnits(text, limit, o.Exact); more {
			text = cut + "\n[...truncated...]"
		}
		b = append(b, text...)
	}
	return string(b), true
}

func formatParts(t *transcript.Transcript, msg *transcript.Message, o RecordOptions) (string, bool) {
	var b []byte
	first := true
	if msg.Variant == transcript.Shell && !o.Exact {
		b, first = append(append(b, "$ "...), o.name(t.Text(msg.Label))...), false
	}
	for n := msg.First; n < msg.First+msg.Count; n++ {
		p := &t.Parts[n]
		if p.Parent >= 0 || p.Has(transcript.Removed) || p.List == transcript.Member && !t.IsString(p.Body) {
			continue
		}
		if !first {
			b = append(b, '\n')
		}
		first = false
		switch p.Kind {
		case transcript.Text:
			if p.Has(transcript.Said) {
				b = append(b, "[User: "...)
			}
			b = append(b, o.text(t.Text(p.Body))...)
			if p.Has(transcript.Said) {
				b = append(b, ']')
			}
		case transcript.ToolCall:
			b = append(append(append(b, "[Tool: "...), o.name(t.Text(p.Name))...), '(')
			b = append(append(b, o.text(stringify(t, p))...), ")]"...)
		case transcript.ToolResult:
			if p.Body.Zero() && o.Exact {
				return "", false
			}
			text, _ := FirstUnits(stringify(t, p), o.limit(maxResultUnits), o.Exact)
			b = append(append(append(b, "[Result: "...), o.text(text)...), "...]"...)
		}
	}
	return string(b), true
}

// stringify is a body as JSON.stringify writes it.
func stringify(t *transcript.Transcript, p *transcript.Part) string {
	if p.Body.Zero() {
		return "undefined"
	}
	return string(jsonspan.AppendCompact(nil, t.Bytes(p.Body)))
}

// FirstUnits is the first max UTF-16 code units of a text, and whether there are more. A pair that would be cut is left
// out, or with exact its first half is kept, as three bytes.
func FirstUnits(text string, max int, exact bool) (string, bool) {
	units := 0
	for i, r := range text {
		n := 1
		if r > 0xffff {
			n = 2
		}
		if units+n > max {
			if exact && units < max {
				half := 0xd800 + (r-0x10000)>>10
				return text[:i] + string([]byte{0xe0 | byte(half>>12), 0x80 | byte(half>>6&0x3f), 0x80 | byte(half&0x3f)}), true
			}
			return text[:i], true
		}
		units += n
	}
	return text, false
}

// HalfPair is the surrogate at the start of b, written as three bytes, or 0.
func HalfPair(b string) uint16 {
	if len(b) >= 3 && b[0] == 0xed && b[1] >= 0xa0 && b[1] < 0xc0 && b[2]&0xc0 == 0x80 && !utf8.ValidString(b[:3]) {
		return uint16(b[0]&0xf)<<12 | uint16(b[1]&0x3f)<<6 | uint16(b[2]&0x3f)
	}
	return 0
}
