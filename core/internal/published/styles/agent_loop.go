package styles

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

var agentLoopData = digest.StyleByName("agent-loop")

// agentLoop is the style of S4. Its digest is a user message, and its record labels each paragraph with the speaker.
var agentLoop = &Style{
	Data: agentLoopData, Kind: "user",
	Record: func(t *transcript.Transcript, messages []int32) (string, bool) {
		return Labelled(t, messages, digest.ProjectedText), true
	},
	Prompt: func(p *Prompt) string {
		return AgentLoopPrompt(p.Record, "", p.Template) // S4.40: the previous summary is not fed back
	},
	Ask:     always(digest.AgentLoopAsk),
	Message: func(body string) string { return agentLoopData.Header + "\n\n" + body },
	Failure: func(_, _ bool, r api.Summary) string { return summaryFailure + r.Error },
	Empty:   summaryFailure + EmptySummary, Blank: true,
	Unseen: summaryFailure + NoVisible,
}

// The error messages of S4.37 for the cases in which there is no summary.
const (
	EmptySummary   = "empty summary generated"
	NoMessages     = "no messages to summarize"
	NoVisible      = "no agent-visible messages to summarize"
	summaryFailure = "failed to generate summary: "
)

// AgentLoopPrompt returns the prompt of a summary request: the record, the previous summary, and the instructions
// (S4.36). As in the published system, line ends are written as a backslash and an n, and a blank previous summary
// doesn't count as empty.
func AgentLoopPrompt(record, previous, template string) string {
	return digest.AgentLoopText(`\n`, record, previous, template)
}

// Labelled renders messages as paragraphs that begin with the speaker's label (S4.35). If max is above 0, tool
// results are shortened to about max runes, as in a request for a summary (S4.34). Messages that are not sent to the
// model are left out.
func Labelled(t *transcript.Transcript, messages []int32, max int) string {
	var paragraphs []string
	paragraph := func(label, text string) {
		if text != "" {
			paragraphs = append(paragraphs, label+text)
		}
	}
	for _, i := range messages {
		if t.IsUnsent(int(i)) {
			continue
		}
		m := &t.Messages[i]
		var texts, reasoning, asked, calls []string
		var results []int
		for n := m.First; n < m.First+m.Count; n++ {
			p := &t.Parts[n]
			if p.Has(transcript.Removed) || p.Parent >= 0 {
				continue
			}
			switch p.Kind {
			case transcript.Text:
				text := t.Text(p.Body)
				switch {
				case text == "":
				case p.Has(transcript.Said):
					asked = append(asked, text)
				default:
					texts = append(texts, text)
				}
			case transcript.Reasoning:
				if t.IsString(p.Body) && t.Text(p.Body) != "" {
					reasoning = append(reasoning, t.Text(p.Body))
				}
			case transcript.ToolCall:
				calls = append(calls, t.Text(p.Name)+"("+string(tokens.GoArguments(t, p))+")")
			case transcript.ToolResult:
				results = append(results, int(n))
			}
		}
		switch m.Role {
		case transcript.User:
			paragraph("[User]: ", strings.Join(texts, ""))
		case transcript.Assistant:
			paragraph("[Assistant thinking]: ", strings.Join(reasoning, "\n"))
			paragraph("[Assistant]: ", strings.Join(texts, "\n"))
			paragraph("[User]: ", strings.Join(asked, "\n"))
			paragraph("[Assistant tool calls]: ", strings.Join(calls, "; "))
		}
		for _, n := range results {
			o := digest.ToolOutputAt(t, n)
			text := o.Text
			if max > 0 {
				text = digest.TrimWithTail(o.Shown(), max)
			}
			label := "[Tool result]: "
			if name := strings.TrimSpace(o.Name); name != "" {
				label = "[Tool result " + name + "]: "
			}
			paragraph(label, text)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
