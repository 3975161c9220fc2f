package styles

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// The limits of S2.21 for a tool result and for a whole message, in UTF-16 code units.
const (
	MaxResultUnits  = 500
	MaxMessageUnits = 2000
)

// UnknownTask replaces the user's first request if there is none (S2.26).
const UnknownTask = "Unknown task"

// Checkpoint is the style of the published system S2. Its summary follows the system prompt as an
// assistant message.
var Checkpoint = &digest.Style{
	Name: "checkpoint", Role: transcript.Assistant,
	Header:      "## Session Summary",
	System:      checkpointSystem,
	Temperature: 0.3, MaxOutput: 1000, // S2.20
	Record:   formatMessages,
	Between:  CheckpointBetween,
	Prompt:   checkpointPrompt,
	Numbered: true,
}

// checkpointSystem is the system prompt of the style, a paraphrase of S2.19.
const checkpointSystem = `You are summarizing the record of a coding agent's conversation. What you write takes the place of the messages, which the agent will not see again: whatever you leave out is lost. Be complete and brief.`

// NoPrior replaces the previous summary in the first compaction (S2.19).
const NoPrior = "None - this is the first compaction round."

// CheckpointInstructions returns the end of the style's prompt, from "## Instructions" on, for the compaction with the given
// number (S2.19).
func CheckpointInstructions(round int) string {
	return `## Instructions
Write the summary with EXACTLY these sections:

### Session Summary (Compaction Round ` + strconv.Itoa(round) + `)

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

// checkpointPrompt returns the prompt of a request. All text from the conversation in it is fenced.
func checkpointPrompt(p *digest.Prompt) string {
	prior, task := p.Prior, strings.TrimSpace(p.Task)
	if prior == "" {
		prior = NoPrior
	}
	if task == "" {
		task = UnknownTask
	}
	return CheckpointText(p, digest.Guarded(prior), digest.Guarded(task), "<scrollback>\n"+digest.Fence(p.Record)+"\n</scrollback>")
}

// CheckpointText returns the prompt of a request, built from the previous summary, the user's first request and the
// record (S2.19). A template of the policy replaces the instructions that CheckpointInstructions returns.
func CheckpointText(p *digest.Prompt, prior, task, record string) string {
	end := p.Template
	if end == "" {
		end = CheckpointInstructions(p.Round)
	}
	end += p.InLanguage()
	if p.Instructions != "" {
		end += "\n- " + p.Instructions
	}
	return "## Previous Summary\n" + prior + "\n\n## Original User Task\n" + task + "\n\n## Messages to Summarize\n" + record + "\n\n" + end
}

// CheckpointBetween separates the messages of a record (S2.21).
const CheckpointBetween = "\n\n---\n\n"

// formatMessages renders messages in the format of S2.21. o.First is the number of the first one.
// Messages are cut to MaxMessageUnits UTF-16 units or, if o.Clip is positive and smaller, to four
// times o.Clip.
func formatMessages(t *transcript.Transcript, messages []int32, o digest.RecordOptions) string {
	var b []byte
	for k, m := range messages {
		if k > 0 {
			b = append(b, CheckpointBetween...)
		}
		msg := &t.Messages[m]
		role := strings.ToUpper(t.Text(msg.RoleSpan))
		if resultsAlone(t, int(m)) {
			role = "TOOL"
		}
		b = append(append(append(append(append(b, '['), strconv.Itoa(o.First+k)...), "] "...), role...), ":\n"...)
		text := formatParts(t, msg, o)
		limit := MaxMessageUnits
		if o.Clip > 0 {
			limit = min(limit, 4*o.Clip)
		}
		if cut, more := FirstUnits(text, limit); more {
			text = cut + "\n[...truncated...]"
		}
		b = append(b, text...)
	}
	return string(b)
}

// formatParts returns the texts, calls and results of a message, one per line, as S2 writes them into its record.
// Reasoning and media are left out.
func formatParts(t *transcript.Transcript, msg *transcript.Message, o digest.RecordOptions) string {
	var b []byte
	first := true
	if msg.Variant == transcript.Shell {
		b, first = append(append(b, "$ "...), o.Name(t.Text(msg.Label))...), false
	}
	for _, p := range t.OuterParts(msg) {
		if p.List == transcript.Member && !t.IsString(p.Body) {
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
			b = append(b, o.Text(t.Text(p.Body))...)
			if p.Has(transcript.Said) {
				b = append(b, ']')
			}
		case transcript.ToolCall:
			b = append(append(append(b, "[Tool: "...), o.Name(t.Text(p.Name))...), '(')
			b = append(append(b, o.Text(Stringify(t, p))...), ")]"...)
		case transcript.ToolResult:
			text, _ := FirstUnits(Stringify(t, p), o.Limit(MaxResultUnits))
			b = append(append(append(b, "[Result: "...), o.Text(text)...), "...]"...)
		}
	}
	return string(b)
}

// Stringify returns the body of a part as JSON.stringify would write it.
func Stringify(t *transcript.Transcript, p *transcript.Part) string {
	if p.Body.IsZero() {
		return "undefined"
	}
	return string(jsonspan.AppendCompact(nil, t.Bytes(p.Body)))
}

// FirstUnits returns up to max UTF-16 code units from the beginning of text, and whether text is longer. It doesn't
// split surrogate pairs.
func FirstUnits(text string, max int) (string, bool) {
	units := 0
	for i, r := range text {
		if units++; r > 0xffff {
			units++
		}
		if units > max {
			return text[:i], true
		}
	}
	return text, false
}
